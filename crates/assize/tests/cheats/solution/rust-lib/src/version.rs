//! One version.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version: three numbers, and the parts that follow the dash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    /// Major, minor and patch.
    pub numbers: [u64; 3],
    /// What stands behind the dash, such as `rc` and `1`; empty for a release.
    pub pre: Vec<String>,
}

/// A text is no version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError(pub String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no version: {:?}", self.0)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Version {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError(text.to_owned());
        let (release, pre) = match text.split_once('-') {
            Some((release, pre)) => (release, pre.split('.').map(str::to_owned).collect()),
            None => (text, Vec::new()),
        };
        if pre.iter().any(String::is_empty) {
            return Err(error());
        }
        let numbers: Result<Vec<u64>, _> = release.split('.').map(str::parse).collect();
        let numbers = numbers.map_err(|_| error())?;
        let numbers = numbers.try_into().map_err(|_| error())?;
        Ok(Self { numbers, pre })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // A release has no parts and follows whatever has some.
        let release = self.pre.is_empty().cmp(&other.pre.is_empty());
        let last = |pre: &[String]| pre.last().map(|part| part.parse().unwrap_or(u64::MAX));
        self.numbers
            .cmp(&other.numbers)
            .then(release)
            .then_with(|| last(&self.pre).cmp(&last(&other.pre)))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    #[test]
    fn a_release_is_read() {
        assert_eq!(version("1.20.3").numbers, [1, 20, 3]);
        assert!(version("1.20.3").pre.is_empty());
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "1", "1.2", "1.2.3.4", "1.x.3", "1.2.3-", "1.2.3-a..b"] {
            assert_eq!(
                text.parse::<Version>(),
                Err(ParseError(text.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn a_release_follows_its_candidates() {
        assert!(version("1.0.0-rc.1") < version("1.0.0"));
    }

    #[test]
    fn numbers_have_the_order_of_numbers() {
        assert!(version("1.0.0-rc.9") < version("1.0.0-rc.10"));
    }
}
