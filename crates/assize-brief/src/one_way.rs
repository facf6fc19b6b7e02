//! How sure it is that imports between two units keep one direction.
//!
//! The lower end of Wilson's interval (E. B. Wilson, 1927) of the share that keeps it, at 95 %.

/// The least confidence with which a boundary is enforced.
pub const CONFIDENCE_MIN: f64 = 0.7;

/// The largest share of imports that may go against a boundary: beyond that it is none.
pub const AGAINST_SHARE_MAX: f64 = 0.03;

/// The quantile of the normal distribution for 95 of 100 on both sides.
const Z: f64 = 1.96;

/// How sure it is that imports keep one direction, from how many of how many did.
pub fn one_way_confidence(kept: u32, all: u32) -> f64 {
    if all == 0 {
        return 0.0;
    }
    let n = f64::from(all);
    let share = f64::from(kept.min(all)) / n;
    let square = Z * Z;
    let spread = (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    ((share + square / (2.0 * n) - Z * spread) / (1.0 + square / n)).clamp(0.0, 1.0)
}

/// Returns whether imports keep one direction so well that it is enforced.
pub fn is_one_way(kept: u32, against: u32) -> bool {
    let all = kept.saturating_add(against);
    f64::from(against) <= f64::from(all) * AGAINST_SHARE_MAX && one_way_confidence(kept, all) >= CONFIDENCE_MIN
}

/// Returns how many imports without an exception reach [`CONFIDENCE_MIN`].
pub fn pure_support_min() -> u32 {
    (1..).find(|support| one_way_confidence(*support, *support) >= CONFIDENCE_MIN).unwrap_or(u32::MAX)
}
