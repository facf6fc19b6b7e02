//! Patch documents: a change as a list of operations, as a fixer hands it in.
//!
//! The shapes and their limits; whether a patch fits a tree, and how it is applied, is not said
//! here. A document is checked from outside with [`crate::verdict::validate_patch`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A list of operations that apply all together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The operations, in the order in which they apply.
    pub ops: Vec<Op>,
}

/// One operation on one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Op {
    /// Makes a file.
    Add {
        /// Where, relative to the root.
        path: String,
        /// What stands in it.
        content: String,
    },
    /// Takes a file away.
    Remove {
        /// Which, relative to the root.
        path: String,
    },
    /// Replaces a text.
    Edit {
        /// In which file.
        path: String,
        /// The text that is there. It has to occur exactly once, or `occurrences` times.
        find: String,
        /// The text that takes its place.
        replace: String,
        /// How often `find` occurs; each is replaced.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrences: Option<u32>,
    },
    /// Replaces lines by their number.
    #[serde(rename_all = "camelCase")]
    Splice {
        /// In which file.
        path: String,
        /// The first line that goes, counted from 0 in the original file.
        start: u32,
        /// How many lines go.
        delete_count: u32,
        /// The lines that take their place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        insert: Option<String>,
    },
}

impl Op {
    /// Returns the file that the operation is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Remove { path } | Self::Edit { path, .. } | Self::Splice { path, .. } => {
                path
            }
        }
    }
}

/// How large a patch may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PatchLimits {
    /// Most operations.
    pub ops_max: usize,
    /// Most bytes of all strings together: paths, contents, and what is found and put in.
    pub bytes_max: usize,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self { ops_max: 50, bytes_max: 50 * 1024 }
    }
}

/// Says what is wrong with a path: it has to be relative, stay below the root, and be spelled in one way only.
///
/// # Errors
///
/// Names the fault.
pub fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        Err("is empty")
    } else if path.contains('\0') {
        Err("contains a NUL character")
    } else if path.contains('\\') {
        Err("contains a backslash; folders are parted by `/`")
    } else if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        Err("is absolute; it has to be relative to the root")
    } else if path.split('/').any(|part| part == "..") {
        Err("leads out of the tree")
    } else if path.split('/').any(|part| part.is_empty() || part == ".") {
        Err("has an empty or `.` component")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_the_root() {
        for good in ["a", "src/a.rs", "a..b/c", ".github/x"] {
            assert_eq!(check_path(good), Ok(()), "{good}");
        }
        for bad in ["", "/etc/passwd", "../a", "a/../b", "a//b", "./a", "a/", "C:/x", "a\\b", "a\0b"] {
            assert!(check_path(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn operations_have_the_names_that_fixers_write() {
        let json = r#"{"ops":[{"kind":"add","path":"a","content":"x"},{"kind":"remove","path":"b"},{"kind":"edit","path":"c","find":"x","replace":"y"},{"kind":"splice","path":"d","start":0,"deleteCount":2,"insert":"z"}]}"#;
        let patch: Patch = serde_json::from_str(json).expect("a patch");
        assert_eq!(patch.ops.iter().map(Op::path).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(serde_json::to_string(&patch).expect("JSON"), json);
    }
}
