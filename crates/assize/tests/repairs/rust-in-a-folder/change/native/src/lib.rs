//! Speeds.

/// Returns metres per second for kilometres per hour.
pub fn metres(kilometres: f64) -> f64 {
    kilometres / 3.6
}

/// Returns the greatest speed.
pub fn fastest(speeds: &[f64]) -> Option<f64> {
    speeds.iter().map(|speed| speed.clone()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilometres_become_metres() {
        assert_eq!(metres(36.0), 10.0);
        assert_eq!(fastest(&[1.0, 3.0, 2.0]), Some(3.0));
    }

    #[test]
    fn edge_at_rest() {
        assert_eq!(metres(0.0), 0.0);
        assert_eq!(fastest(&[]), None);
    }
}
