//! Spans of versions.

use crate::version::Version;

/// All versions from one to before another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The first version that belongs to it.
    pub from: Version,
    /// The first version that does not.
    pub to: Version,
}

impl Span {
    /// Returns whether a version belongs to the span.
    pub fn contains(&self, version: &Version) -> bool {
        self.from <= *version && *version < self.to
    }

    /// Returns the newest of the versions that belongs to the span.
    pub fn newest<'a>(&self, versions: &'a [Version]) -> Option<&'a Version> {
        versions
            .iter()
            .filter(|version| self.contains(version))
            .max()
    }
}
