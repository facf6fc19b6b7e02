//! The order of what stands behind the dash.

/// One part behind the dash. Numbers come before words.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part<'a> {
    /// A number.
    Number(u64),
    /// Anything else.
    Word(&'a str),
}

/// Takes the parts one by one.
pub(crate) fn parts(pre: &[String]) -> impl Iterator<Item = Part<'_>> {
    pre.iter().map(|part| part.parse().map_or(Part::Word(part), Part::Number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_first() {
        assert!(Part::Number(9) < Part::Word("a"));
    }
}
