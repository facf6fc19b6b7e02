//! Which known names an unknown one may stand for.

/// Most names that are offered in the place of an unknown one.
pub const OFFERED_MAX: usize = 3;

/// Names those that are spelled nearly like a wanted one, nearest first.
pub fn near<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    distance: impl Fn(&str, &str) -> usize,
) -> Vec<&'a str> {
    // A third of the letters may be wrong: otherwise every short name is near to every other.
    let most = wanted.chars().count() / 3;
    let mut near: Vec<(usize, &str)> = names.into_iter().map(|name| (distance(wanted, name), name)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    near.into_iter().take(OFFERED_MAX).map(|(_, name)| name).collect()
}
