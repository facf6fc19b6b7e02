//! What every court that looks at a work tree gathers: a state of the tree, and parts of the evidence that may be missing.
//!
//! A part that could not be gathered says so instead of being empty.

use serde::{Deserialize, Serialize};

/// A part of the evidence that may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EvidencePart<T> {
    /// The part was gathered.
    Gathered(T),
    /// The part could not be gathered, and why.
    Missing(String),
}

impl<T> EvidencePart<T> {
    /// Lends the part when it was gathered.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Gathered(part) => Some(part),
            Self::Missing(_) => None,
        }
    }

    /// Returns why the part is missing.
    pub fn why_missing(&self) -> Option<&str> {
        match self {
            Self::Gathered(_) => None,
            Self::Missing(why) => Some(why),
        }
    }
}

/// A hash over the contents that differ from the baseline. Two stops with the same fingerprint
/// left the same work tree, committed or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl Fingerprint {
    /// Computes the fingerprint from `(path, content hash)` pairs; a deleted file has no hash.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, Option<[u8; 32]>)>) -> Self {
        let mut sorted: Vec<_> = files.into_iter().collect();
        sorted.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for (path, contents) in sorted {
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path.as_bytes());
            match contents {
                Some(hash) => hasher.update(&[1]).update(&hash),
                None => hasher.update(&[0]),
            };
        }
        Self(hasher.finalize().to_hex()[..16].to_owned())
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}
