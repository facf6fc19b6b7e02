//! Checks of patch documents, with every fault listed by its place.

use assize_core::verdict::document::{Checker, DocumentPlace, expected, parse};
use assize_core::violation::Violation;
use serde_json::Value;

use crate::{Op, Patch, PatchLimits, check_path, decoded};

/// A document that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchDocumentFaults {
    /// What is wrong with it.
    pub faults: Vec<Violation>,
    /// The operations that are sound by themselves and share no file with one that is not: whether these fit a tree can be
    /// said all the same. None of a document that is too large.
    pub sound: Vec<(usize, Op)>,
}

impl From<Vec<Violation>> for PatchDocumentFaults {
    fn from(faults: Vec<Violation>) -> Self {
        Self { faults, sound: Vec::new() }
    }
}

/// Checks a patch document.
///
/// # Errors
///
/// Lists every fault with its place.
pub fn validate_patch(text: &str, limits: &PatchLimits) -> Result<Patch, Vec<Violation>> {
    read_patch(text, limits).map_err(|unsound| unsound.faults)
}

/// Reads a patch document.
///
/// # Errors
///
/// Lists every fault with its place, and what is sound in spite of them.
pub fn read_patch(text: &str, limits: &PatchLimits) -> Result<Patch, PatchDocumentFaults> {
    patch_of(&parse(text, patch_bytes_max(limits))?, limits)
}

/// Longest patch document. Escapes make it up to six times as long as what it says.
pub fn patch_bytes_max(limits: &PatchLimits) -> usize {
    limits.bytes_max.saturating_mul(6).saturating_add(limits.ops_max.saturating_mul(256))
}

/// Reads a patch out of JSON that was read already.
///
/// # Errors
///
/// Lists every fault with its place, and what is sound in spite of them.
pub fn patch_of(value: &Value, limits: &PatchLimits) -> Result<Patch, PatchDocumentFaults> {
    let mut checker = Checker::default();
    let root = DocumentPlace::root(value);
    let mut sound: Vec<(usize, Op)> = Vec::new();
    let mut unsound: Vec<String> = Vec::new();
    if checker.object(&root, &["ops"]) {
        let ops = root.field("ops");
        checker.list(&ops, limits.ops_max);
        let mut bytes = 0_usize;
        for (index, op) in ops.items().enumerate() {
            let faults = checker.found.len();
            operation(&mut checker, &op, &mut bytes);
            let read = op.value.and_then(|value| serde_json::from_value(value.clone()).ok());
            match read.filter(|_| checker.found.len() == faults) {
                Some(read) => sound.push((index, read)),
                None => unsound.extend(op.field("path").value.and_then(Value::as_str).map(str::to_owned)),
            }
        }
        let is_too_large = bytes > limits.bytes_max;
        if is_too_large {
            let most = limits.bytes_max;
            checker.say(&ops.at, format!("its strings have {bytes} bytes together where {most} is the most"));
        }
        // What is too large is not worked on.
        if is_too_large || ops.items().count() > limits.ops_max {
            sound.clear();
        }
    }
    checker.read(value).map_err(|faults| {
        sound.retain(|(_, op)| !unsound.iter().any(|path| path == op.path()));
        PatchDocumentFaults { faults, sound }
    })
}

fn operation(checker: &mut Checker, op: &DocumentPlace<'_>, bytes: &mut usize) {
    let kind = op.field("kind").value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let fields: &[&str] = match kind.as_str() {
        "add" => &["kind", "path", "content", "encoding", "executable"],
        "remove" => &["kind", "path"],
        "edit" => &["kind", "path", "find", "replace", "occurrences"],
        "splice" => &["kind", "path", "start", "deleteCount", "insert"],
        _ => {
            if matches!(op.value, Some(Value::Object(_))) {
                checker.one_of(&op.field("kind"), &["add", "remove", "edit", "splice"]);
            } else {
                checker.say(&op.at, expected("an object", op.value));
            }
            return;
        }
    };
    checker.object(op, fields);
    let mut string = |checker: &mut Checker, name: &str| {
        let text = checker.string(&op.field(name));
        *bytes = bytes.saturating_add(text.map_or(0, str::len));
        text.map(str::to_owned)
    };
    if let Some(path) = string(checker, "path")
        && let Err(message) = check_path(&path)
    {
        checker.say(&op.field("path").at, format!("{path:?} {message}"));
    }
    match kind.as_str() {
        "add" => {
            let content = string(checker, "content");
            let encoding = op.field("encoding");
            if !matches!(encoding.value, None | Some(Value::Null)) {
                checker.one_of(&encoding, &["base64"]);
                let is_base64 = encoding.value.and_then(Value::as_str) == Some("base64");
                if is_base64 && content.is_some_and(|content| decoded(&content).is_none()) {
                    checker.say(&op.field("content").at, "is no base64");
                }
            }
            if !matches!(op.field("executable").value, None | Some(Value::Null | Value::Bool(_))) {
                checker.say(&op.field("executable").at, expected("true or false", op.field("executable").value));
            }
        }
        "edit" => {
            let find = string(checker, "find");
            let replace = string(checker, "replace");
            if find.as_deref() == Some("") {
                checker.say(&op.field("find").at, "is empty; it would match everywhere");
            } else if find.is_some() && find == replace {
                checker.say(&op.field("replace").at, "is what is there already");
            }
            if !matches!(op.field("occurrences").value, None | Some(Value::Null)) {
                checker.count(&op.field("occurrences"), 1);
            }
        }
        "splice" => {
            checker.count(&op.field("start"), 0);
            checker.count(&op.field("deleteCount"), 0);
            if !matches!(op.field("insert").value, None | Some(Value::Null)) {
                string(checker, "insert");
            } else if op.field("deleteCount").value.and_then(Value::as_u64) == Some(0) {
                checker.say(&op.at, "neither deletes nor inserts a line");
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str =
        r#"{"ops":[{"kind":"edit","path":"src/a.ts","find":"const foo","replace":"const foo: number"}]}"#;

    fn places<T: std::fmt::Debug>(result: Result<T, Vec<Violation>>) -> Vec<String> {
        result.expect_err("faults").into_iter().map(|fault| fault.at).collect()
    }

    #[test]
    fn every_fault_is_listed_with_its_place() {
        assert!(validate_patch(PATCH, &PatchLimits::default()).is_ok());
        let bad = r#"{"ops":[{"kind":"add","path":"/a"},{"kind":"move","path":"b"},{"kind":"edit","path":"c","find":"","replace":"x","occurrences":0},{"kind":"splice","path":"d","start":-1,"deleteCount":0}],"more":1}"#;
        assert_eq!(
            places(validate_patch(bad, &PatchLimits::default())),
            [
                "more",
                "ops[0].path",
                "ops[0].content",
                "ops[1].kind",
                "ops[2].find",
                "ops[2].occurrences",
                "ops[3].start",
                "ops[3]"
            ]
        );
    }

    #[test]
    fn a_patch_is_read_up_to_its_limits() {
        let ops = |count: usize| {
            let op = r#"{"kind":"remove","path":"a"}"#;
            format!("{{\"ops\":[{}]}}", vec![op; count].join(","))
        };
        let limits = PatchLimits::default();
        assert!(validate_patch(&ops(limits.ops_max), &limits).is_ok());
        assert_eq!(places(validate_patch(&ops(limits.ops_max + 1), &limits)), ["ops"]);
        let sized =
            |bytes: usize| format!(r#"{{"ops":[{{"kind":"add","path":"a","content":"{}"}}]}}"#, "x".repeat(bytes));
        assert!(validate_patch(&sized(limits.bytes_max - 1), &limits).is_ok());
        assert_eq!(places(validate_patch(&sized(limits.bytes_max), &limits)), ["ops"]);
    }
}
