//! Names one letter away from a package that everybody knows.
//!
//! A note for a reader: most such names are honest.

use assize_ecosystem::Ecosystem;

/// Shortest name that is compared: short ones are near to each other by nature.
const NAME_CHARS_MIN: usize = 5;

/// Finds the well-known package that a name is one letter away from; `None` where it is that package, or near to none.
pub(super) fn of(ecosystem: &'static Ecosystem, name: &str) -> Option<&'static str> {
    let known = ecosystem.popular_packages;
    let name = plain(name);
    if name.chars().count() < NAME_CHARS_MIN || known.split(' ').any(|one| plain(one) == name) {
        return None;
    }
    known.split(' ').filter(|one| one.len() >= NAME_CHARS_MIN).find(|one| is_near(&plain(one), &name))
}

/// `_`, `-` and `.` are the same for the eye.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Returns whether two names differ by one letter that was inserted, left out or replaced, or by two
/// neighbouring letters that changed places.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short_rest, long_rest) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return *short_rest == long_rest[1..];
    }
    let replaced = !short_rest.is_empty() && short_rest[1..] == long_rest[1..];
    let swapped = short_rest.len() >= 2
        && short_rest[0] == long_rest[1]
        && short_rest[1] == long_rest[0]
        && short_rest[2..] == long_rest[2..];
    replaced || swapped
}

#[cfg(test)]
mod tests {
    use assize_ecosystem::{Language, of_language};

    use super::*;

    #[test]
    fn a_name_one_letter_away_is_seen() {
        for (ecosystem, name, expected) in [
            (Language::JavaScript, "lodahs", Some("lodash")),
            (Language::JavaScript, "expres", Some("express")),
            (Language::JavaScript, "cross_env", None),
            (Language::JavaScript, "crossenv", Some("cross-env")),
            (Language::Python, "reqeusts", Some("requests")),
            (Language::Python, "request", Some("requests")),
            (Language::Python, "Requests", None),
            (Language::Rust, "rustdecimal", Some("rust_decimal")),
            (Language::Rust, "serde_jsom", Some("serde_json")),
            (Language::Rust, "serde", None),
            (Language::Rust, "rang", None),
            (Language::Rust, "petgraphs-extra", None),
            (Language::Go, "lodahs", None),
        ] {
            assert_eq!(of(of_language(ecosystem), name), expected, "{name}");
        }
    }
}
