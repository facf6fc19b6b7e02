//! A patch as somebody hands it in: a document of ours, or a text in another format.
//!
//! Which it is can be told by its first bytes, or be said. What is out there in the tree is not known here: a text in another format
//! names places by the lines around them, and becomes operations once somebody has read the tree.

use assize_core::violation::Violation;

use super::embedded::embedded;
use super::import::{Drafts, FORMATS, Imported, PatchFormat, format, recognized};
use super::line::BYTE_ORDER_MARK;
use super::snapshot::Snapshot;
use super::{Op, Patch, PatchLimits};
use crate::validate::{PatchDocumentFaults, read_patch};

/// The name of our own documents among the formats.
pub const JSON: &str = "json";

/// How many times as long as what it may say a text in another format may be. A diff shows the lines around each place, and
/// all of a file that goes.
const TEXT_FOLD_MAX: usize = 64;
/// Bytes of a text for each operation besides.
const TEXT_BYTES_PER_OP_MAX: usize = 256;

/// In which form a document is handed in.
#[derive(Clone, Copy, Default)]
pub enum PatchForm {
    /// The one that it looks like.
    #[default]
    Guessed,
    /// JSON, as our own documents are.
    Json,
    /// A format of others.
    Foreign(&'static dyn PatchFormat),
}

impl PatchForm {
    /// Returns the form that has this name.
    pub fn named(id: &str) -> Option<Self> {
        if id == JSON { Some(Self::Json) } else { format(id).map(Self::Foreign) }
    }
}

/// What was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchInput {
    /// Operations.
    Operations(Patch),
    /// Changes whose places are still to be found.
    Drafts(Drafts),
}

impl PatchInput {
    /// Reads a document. The limits are checked without a tree.
    ///
    /// # Errors
    ///
    /// Lists every fault with its place.
    pub fn read(document: &[u8], form: PatchForm, limits: &PatchLimits) -> Result<Self, PatchDocumentFaults> {
        // Some editors put a mark before every text that they save.
        let document = document.strip_prefix(BYTE_ORDER_MARK).unwrap_or(document);
        let format = match form {
            PatchForm::Json => return json(document, limits),
            PatchForm::Guessed if is_json(document) => return json(document, limits),
            PatchForm::Guessed => None,
            PatchForm::Foreign(format) => Some(format),
        };
        let most = text_bytes_max(limits);
        if document.len() > most {
            let message = format!("the document has {} bytes, more than {most}", document.len());
            return Err(vec![Violation::new("", message)].into());
        }
        if let Some(document) = if format.is_none() { beside_words(document)? } else { None } {
            return json(document.as_bytes(), limits);
        }
        let format = match format {
            Some(format) => format,
            None => recognized(document).map_err(|fault| vec![fault])?.ok_or_else(|| vec![unknown()])?,
        };
        let drafts = format.read(document)?;
        let too_much = drafts.too_much(limits);
        if too_much.is_empty() { Ok(Self::Drafts(drafts)) } else { Err(too_much.into()) }
    }

    /// Returns every path that has to be read before [`Self::settle`].
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Operations(patch) => patch.ops.iter().map(Op::path).collect(),
            Self::Drafts(drafts) => drafts.paths().collect(),
        }
    }

    /// Makes operations of it, for this tree. How many there may be is still to be checked.
    ///
    /// # Errors
    ///
    /// Lists what is not found.
    pub fn settle(&self, tree: &Snapshot) -> Result<Imported, Vec<Violation>> {
        match self {
            Self::Operations(patch) => Ok(Imported { patch: patch.clone(), notes: Vec::new(), is_applied: false }),
            Self::Drafts(drafts) => drafts.settle(tree),
        }
    }
}

fn json(document: &[u8], limits: &PatchLimits) -> Result<PatchInput, PatchDocumentFaults> {
    let text = std::str::from_utf8(document).map_err(|error| {
        vec![Violation::new("", format!("is no UTF-8 at byte {}, as JSON has to be", error.valid_up_to()))]
    })?;
    read_patch(text, limits)
        .or_else(|faults| match embedded(text).map_err(|fault| vec![fault])? {
            // It is the document itself that is unsound.
            Some(found) if found.len() < text.trim().len() => read_patch(found, limits),
            _ => Err(faults),
        })
        .map(PatchInput::Operations)
}

/// Returns the document that stands among other text, in a code fence or below words; nothing if there is none, or if it is a part
/// of a patch in another format.
fn beside_words(text: &[u8]) -> Result<Option<&str>, Vec<Violation>> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
    let Some(document) = embedded(text).map_err(|fault| vec![fault])? else { return Ok(None) };
    let before = text.find(document).unwrap_or_default();
    let line = text[..before].matches('\n').count() + 1;
    let others = || FORMATS.iter().flat_map(|format| format.stretches(text.as_bytes()));
    if others().any(|lines| lines.contains(&line)) {
        return Ok(None);
    }
    let Some(other) = others().next() else { return Ok(Some(document)) };
    let message =
        format!("a patch in another format stands beside the document on line {line}; hand them in one by one");
    Err(vec![Violation::new(format!("line {}", other.start), message)])
}

/// Longest text in another format.
fn text_bytes_max(limits: &PatchLimits) -> usize {
    let besides = limits.ops_max.saturating_mul(TEXT_BYTES_PER_OP_MAX);
    limits.bytes_max.saturating_mul(TEXT_FOLD_MAX).saturating_add(besides)
}

fn unknown() -> Violation {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.id()).collect();
    let known = names.join(", ");
    Violation::new("", format!("is neither a JSON document nor in a format that is known: {known}"))
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
    use crate::Encoding;
    use crate::snapshot::FileContent;

    fn faults(document: &[u8], from: Option<&str>) -> Vec<String> {
        let form = from.map_or(PatchForm::Guessed, |id| PatchForm::named(id).expect("a form"));
        let read = PatchInput::read(document, form, &PatchLimits::default());
        read.map_err(|unsound| unsound.faults).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    const DIFF: &[u8] = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";

    #[test]
    fn a_document_says_what_it_is_or_is_told_to_be() {
        let json = br#" {"ops": [{"kind": "remove", "path": "a.txt"}]}"#;
        assert!(matches!(
            PatchInput::read(json, PatchForm::Guessed, &PatchLimits::default()),
            Ok(PatchInput::Operations(_))
        ));
        assert!(matches!(
            PatchInput::read(DIFF, PatchForm::Guessed, &PatchLimits::default()),
            Ok(PatchInput::Drafts(_))
        ));
        assert_eq!(faults(json, Some("unified")).len(), 1, "it was said to be a diff");
        let with_stat = [b" {old => new}/a.txt | 2 +-\n\n", DIFF].concat();
        assert!(matches!(
            PatchInput::read(&with_stat, PatchForm::Guessed, &PatchLimits::default()),
            Ok(PatchInput::Drafts(_))
        ));
        let json = br#"{"ops": [{"kind": "edit", "path": "a.js", "find": "x => x", "replace": "x => y"}]}"#;
        assert!(matches!(
            PatchInput::read(json, PatchForm::Guessed, &PatchLimits::default()),
            Ok(PatchInput::Operations(_))
        ));
        assert_eq!(faults(b"{ops: []}", None), ["the document is no JSON: key must be a string at line 1 column 2"]);
        assert_eq!(faults(b"{\"ops\": [\xff", None), ["is no UTF-8 at byte 9, as JSON has to be"]);
        let unknown =
            "is neither a JSON document nor in a format that is known: apply-patch, search-replace, fenced, unified";
        assert_eq!(faults(b"hello", None), [unknown]);
    }

    #[test]
    fn both_kinds_become_operations_for_a_tree() {
        let tree = Snapshot::of_files([("a.txt".to_owned(), FileContent::plain(&b"one\n"[..]))]);
        for document in [DIFF, br#"{"ops": [{"kind": "edit", "path": "a.txt", "find": "one", "replace": "two"}]}"#] {
            let limits = PatchLimits::default();
            let handed = PatchInput::read(document, PatchForm::Guessed, &limits).expect("a patch");
            assert_eq!(handed.paths(), ["a.txt"]);
            let imported = handed.settle(&tree).expect("it fits");
            let plan = crate::plan(&imported.patch, &tree).expect("it fits");
            assert_eq!(plan.changes[0].after, Some(FileContent::plain(&b"two\n"[..])));
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

    #[test]
    fn what_is_said_to_be_json_has_to_be() {
        assert!(faults(DIFF, Some(JSON))[0].starts_with("the document is no JSON"), "{:?}", faults(DIFF, Some(JSON)));
        assert_eq!(faults(br#"{"ops": [{"kind": "remove", "path": "a.txt"}]}"#, Some(JSON)), [""; 0]);
        assert!(PatchForm::named("yaml").is_none());
    }

    #[test]
    fn a_text_is_measured_before_a_tree_is_read() {
        let limits = PatchLimits { ops_max: 2, bytes_max: 10 };
        let is_read = |text: &str, limits| PatchInput::read(text.as_bytes(), PatchForm::Guessed, limits).is_ok();
        let removed = |count: usize| (0..count).map(|file| format!("@@@ remove {file}\n")).collect::<String>();
        let edit = "@@@ edit f\na\n@@@ with\nb\n@@@ end\n";
        for (text, more) in [
            (removed(2), removed(3)),
            (edit.repeat(2 * 8), edit.repeat(2 * 8 + 1)),
            (format!("{edit:1152}"), format!("{edit:1153}")),
        ] {
            assert!(is_read(&text, &limits), "{text}");
            assert!(!is_read(&more, &limits), "{more}");
            assert!(is_read(&format!("{more}\n").repeat(100), &PatchLimits::NONE), "there is no limit");
        }
    }
}
