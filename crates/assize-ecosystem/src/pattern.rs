//! Patterns of names: `*` stands for any text, everything else for itself.

/// Returns whether a name fits a pattern.
pub fn fits(pattern: &str, name: &str) -> bool {
    // One look at both ends tells most of them apart.
    let differ = |of: Option<&u8>, has: Option<&u8>| of.is_some_and(|of| *of != b'*') && of != has;
    let (wanted, given) = (pattern.as_bytes(), name.as_bytes());
    if differ(wanted.first(), given.first()) || differ(wanted.last(), given.last()) {
        return false;
    }
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut rest = rest;
    while let Some((middle, after)) = rest.split_once('*') {
        let Some(at) = name.find(middle) else { return false };
        name = &name[at + middle.len()..];
        rest = after;
    }
    name.ends_with(rest)
}

/// Returns whether a name fits one of the patterns.
pub fn any(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, expected) in [
            ("Cargo.toml", "Cargo.toml", true),
            ("Cargo.toml", "Cargo.tomly", false),
            ("test_*.py", "test_a.py", true),
            ("test_*.py", "test_.py", true),
            ("test_*.py", "test.py", false),
            ("*_test.go", "a_test.go", true),
            ("*_test.go", "a_test.gob", false),
            ("*.min.*", "a.min.js", true),
            ("*.min.*", "min.js", false),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
