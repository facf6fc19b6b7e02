//! Rejects patches that break the syntax of a file, before any gate runs.
//!
//! Only new errors count: a file that is already broken may stay so, or improve. Languages without a grammar are
//! skipped, and so are files beyond the grammars' limit. This module must not know who wrote the patch.

use assize_core::text::make_visible;
use assize_core::violation::Violation;
use assize_patch::{Op, Patch, PatchPlan, PathState, Snapshot};

use crate::syntax::{FILE_BYTES_MAX, errors, errors_in_changed};

/// Lists the files whose syntax a patch would break, each with the first operation on it.
pub fn broken(patch: &Patch, plan: &PatchPlan, tree: &Snapshot) -> Vec<Violation> {
    let fault = |change: &assize_patch::FileTransition| {
        let after = read(&change.after.as_ref()?.bytes)?;
        let before = match tree.entry(&change.path) {
            PathState::File(file) => read(&file.bytes),
            _ => None,
        };
        let found = match before {
            Some(before) => errors_in_changed(&change.path, before, after),
            None => errors(&change.path, after),
        };
        let known = before.map_or(0, |before| errors(&change.path, before).len());
        let error = found.first().filter(|_| found.len() > known)?;
        let op = patch.ops.iter().position(|op: &Op| op.path() == change.path).unwrap_or_default();
        let (line, text) = (error.line, make_visible(error.text.inspect()));
        Some(Violation::new(
            format!("ops[{op}]"),
            format!("would break the syntax of {} at line {line}: {text}", change.path),
        ))
    };
    plan.changes.iter().filter_map(fault).collect()
}

/// Returns a file as text, if it is one, and not beyond the grammars' limit.
fn read(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= FILE_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_patch::{FileContent, plan};

    /// Returns the rejected errors if a patch makes `after` of `before`.
    fn refused(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
        let file = |text: &str| (path.to_owned(), FileContent::plain(text.as_bytes()));
        let tree = Snapshot::of_files(before.map(file));
        let mut ops = Vec::new();
        if before.is_some() {
            ops.push(Op::Remove { path: path.to_owned() });
        }
        ops.push(Op::Add { path: path.to_owned(), content: after.to_owned(), encoding: None, executable: None });
        let patch = Patch { ops };
        let plan = plan(&patch, &tree).expect("it fits");
        broken(&patch, &plan, &tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_what_breaks_what_was_sound_is_refused() {
        let (sound, open) = ("fn one() -> u32 {\n    1\n}\n", "fn one() -> u32 {\n    1\n");
        for (path, before, after, is_refused) in [
            ("src/a.rs", Some(sound), open, true),
            ("src/a.rs", None, open, true),
            ("src/a.rs", Some(sound), "fn two() -> u32 {\n    2\n}\n", false),
            ("src/a.rs", Some(open), sound, false),
            ("src/a.rs", Some(open), "fn two() -> u32 {\n    1\n", false),
            ("src/a.txt", Some(sound), open, false),
            ("a.py", Some("def a():\n    return 1\n"), "def a(:\n    return 1\n", true),
            ("a.ts", Some("export const a: number = 1;\n"), "export const a: number = ;\n", true),
            // The grammar does not know all that may stand in a declaration file.
            ("a.d.ts", Some("export function a<T = B>(): T\n"), "export function a<T = B\nexport type C = T\n", true),
            ("a.d.ts", Some("export import a = b.c;\n"), "export import a = b.c;\nexport import d = b.e;\n", false),
            ("a.d.ts", None, "export import a = b.c;\n", false),
        ] {
            let errors = refused(path, before, after);
            assert_eq!(!errors.is_empty(), is_refused, "{path}: {before:?} {after:?}: {errors:?}");
        }
        let errors = refused("src/a.rs", Some(sound), "fn one() -> u32 {\n    1 +\n}\n");
        assert!(errors[0].starts_with("ops[0]: would break the syntax of src/a.rs at line "), "{errors:?}");
    }
}
