//! A patch as somebody hands it in: a document of ours, or a text in another format.
//!
//! Which it is can be told by its first bytes, or be said. What is out there in the tree is not known here: a text in another format
//! names places by the lines around them, and becomes operations once somebody has read the tree.

use super::import::{Drafts, FORMATS, Format, Imported, recognized};
use super::line::BYTE_ORDER_MARK;
use super::snapshot::Snapshot;
use super::{Op, Patch, PatchLimits};
use crate::verdict::validate_patch;
use crate::violation::Violation;

/// The name of our own documents among the formats.
pub const JSON: &str = "json";

/// What was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    /// Operations.
    Operations(Patch),
    /// Changes whose places are still to be found.
    Drafts(Drafts),
}

impl Handed {
    /// Reads a document. `from` is the format, where it is known; without it the document says what it is.
    ///
    /// # Errors
    ///
    /// Lists every fault with its place.
    pub fn read(document: &[u8], from: Option<&dyn Format>, limits: &PatchLimits) -> Result<Self, Vec<Violation>> {
        // Some editors put a mark before every text that they save.
        let document = document.strip_prefix(BYTE_ORDER_MARK).unwrap_or(document);
        if from.is_none() && is_json(document) {
            let text = std::str::from_utf8(document).map_err(|error| {
                vec![Violation::new("", format!("is no UTF-8 at byte {}, as JSON has to be", error.valid_up_to()))]
            })?;
            return validate_patch(text, limits).map(Self::Operations);
        }
        match from.or_else(|| recognized(document)) {
            Some(format) => format.read(document).map(Self::Drafts),
            None => {
                let names: Vec<&str> = FORMATS.iter().map(|format| format.id()).collect();
                let known = names.join(", ");
                Err(vec![Violation::new(
                    "",
                    format!("is neither a JSON document nor in a format that is known: {known}"),
                )])
            }
        }
    }

    /// Returns every path that has to be read before [`Self::settle`].
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Operations(patch) => patch.ops.iter().map(Op::path).collect(),
            Self::Drafts(drafts) => drafts.paths().collect(),
        }
    }

    /// Makes operations of it, for this tree.
    ///
    /// # Errors
    ///
    /// Lists what does not fit, or is too much.
    pub fn settle(&self, tree: &Snapshot, limits: &PatchLimits) -> Result<Imported, Vec<Violation>> {
        let imported = match self {
            Self::Operations(patch) => Imported { patch: patch.clone(), notes: Vec::new(), is_applied: false },
            Self::Drafts(drafts) => drafts.settle(tree)?,
        };
        let faults = limits.check(&imported.patch);
        if faults.is_empty() { Ok(imported) } else { Err(faults) }
    }
}

/// Whether a document is meant to be JSON, sound or not. What git prints may begin with `{old => new}/name`.
fn is_json(document: &[u8]) -> bool {
    let Some(rest) = document.trim_ascii_start().strip_prefix(b"{") else { return false };
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    rest.trim_ascii_start().starts_with(b"\"") || memchr::memmem::find(line, b" => ").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::snapshot::File;
    use crate::patch::{Encoding, import};

    fn faults(document: &[u8], from: Option<&str>) -> Vec<String> {
        let from = from.and_then(import::format);
        let read = Handed::read(document, from, &PatchLimits::default());
        read.err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    const DIFF: &[u8] = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";

    #[test]
    fn a_document_says_what_it_is_or_is_told_to_be() {
        let json = br#" {"ops": [{"kind": "remove", "path": "a.txt"}]}"#;
        assert!(matches!(Handed::read(json, None, &PatchLimits::default()), Ok(Handed::Operations(_))));
        assert!(matches!(Handed::read(DIFF, None, &PatchLimits::default()), Ok(Handed::Drafts(_))));
        assert_eq!(faults(json, Some("unified")).len(), 1, "it was said to be a diff");
        let with_stat = [b" {old => new}/a.txt | 2 +-\n\n", DIFF].concat();
        assert!(matches!(Handed::read(&with_stat, None, &PatchLimits::default()), Ok(Handed::Drafts(_))));
        let json = br#"{"ops": [{"kind": "edit", "path": "a.js", "find": "x => x", "replace": "x => y"}]}"#;
        assert!(matches!(Handed::read(json, None, &PatchLimits::default()), Ok(Handed::Operations(_))));
        assert_eq!(faults(b"{ops: []}", None), ["the document is no JSON: key must be a string at line 1 column 2"]);
        assert_eq!(faults(b"{\"ops\": [\xff", None), ["is no UTF-8 at byte 9, as JSON has to be"]);
        let unknown =
            "is neither a JSON document nor in a format that is known: apply-patch, search-replace, fenced, unified";
        assert_eq!(faults(b"hello", None), [unknown]);
    }

    #[test]
    fn both_kinds_become_operations_for_a_tree() {
        let tree = Snapshot::of_files([("a.txt".to_owned(), File::plain(&b"one\n"[..]))]);
        for document in [DIFF, br#"{"ops": [{"kind": "edit", "path": "a.txt", "find": "one", "replace": "two"}]}"#] {
            let limits = PatchLimits::default();
            let handed = Handed::read(document, None, &limits).expect("a patch");
            assert_eq!(handed.paths(), ["a.txt"]);
            let imported = handed.settle(&tree, &limits).expect("it fits");
            let plan = crate::patch::plan(&imported.patch, &tree).expect("it fits");
            assert_eq!(plan.changes[0].after, Some(File::plain(&b"two\n"[..])));
        }
    }

    #[test]
    fn what_was_imported_has_the_limits_of_every_patch() {
        let add = |content: &str| Op::Add {
            path: "a".to_owned(),
            content: content.to_owned(),
            encoding: Some(Encoding::Base64),
            executable: None,
        };
        let limits = PatchLimits { ops_max: 2, bytes_max: 10 };
        let of = |ops: Vec<Op>| limits.check(&Patch { ops }).iter().map(|fault| fault.at.clone()).collect::<Vec<_>>();
        assert_eq!(of(vec![add("1234"), add("123")]), [""; 0], "a path is a string as well");
        assert_eq!(of(vec![add("1234"), add("12345")]), ["ops"]);
        assert_eq!(of(vec![add(""), add(""), add("")]), ["ops"]);
    }
}
