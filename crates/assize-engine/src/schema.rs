//! The built-in look at schemas: reads the files of a change and its base, and has the core and the brief look at them.
//!
//! It is a gate that runs nothing. Its results look like those of any other gate: one for each kind of schema that there
//! is, `passed` or `failed`, with what is new. Must not decide what a fault costs.

use std::collections::{BTreeMap, BTreeSet};

use assize_brief::record_type::drift::{self, Drifted};
use assize_brief::record_type::{self, RecordFile};
use assize_brief::schema_type::{self, SchemaFile};
use assize_core::comparison::{Moves, new_diagnostics};
use assize_core::diff::Diff;
use assize_core::exec_report::{GateResult, NEW_DIAGNOSTICS_MAX, TestsOf};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::gate::{Dimension, GateState};
use assize_core::path::{is_code, is_example, is_test};
use assize_core::report::Diagnostic;
use assize_core::schema_check::document::Syntax;
use assize_core::schema_check::{self, Aspect, Checked, Declared, Fault, Tree};

use crate::work_copy::WorkCopy;

/// Largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Most files that are read.
pub const FILES_MAX: usize = 10_000;
/// Most bytes that are read in all.
pub const ALL_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Most files of code whose types are held against schemas.
pub const CODE_FILES_MAX: usize = 4_000;
/// The stack of the thread that looks: documents are nested, and parsers call themselves.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// The id by which all of it is left out.
pub const ID: &str = "schema";

/// What a look at the schemas gave.
#[derive(Debug, Default)]
pub struct Look {
    /// One result for each kind of things that there are.
    pub results: Vec<GateResult>,
    /// What is likely and no more.
    pub findings: Vec<Finding>,
    /// What was not judged, and why.
    pub limits: Vec<String>,
}

/// Looks at the schemas of a change. Without a base everything is new. What is in `off` is left out.
pub fn look(
    diff: &Diff,
    change: &WorkCopy,
    base: Option<&WorkCopy>,
    declared: &[Declared],
    off: &BTreeSet<String>,
) -> Look {
    if off.contains(ID) {
        return Look::default();
    }
    std::thread::scope(|scope| {
        let looking = std::thread::Builder::new()
            .name("schemas".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || look_here(diff, change, base, declared, off));
        let failed = |why: &str| Look { limits: vec![format!("schemas were not looked at: {why}")], ..Look::default() };
        match looking {
            Ok(looking) => looking.join().unwrap_or_else(|_| failed("one of them stopped the look")),
            Err(error) => failed(&error.to_string()),
        }
    })
}

fn look_here(
    diff: &Diff,
    change: &WorkCopy,
    base: Option<&WorkCopy>,
    declared: &[Declared],
    off: &BTreeSet<String>,
) -> Look {
    let changed: BTreeSet<String> = diff.files.iter().map(|file| file.path.clone()).collect();
    let old: BTreeSet<String> =
        diff.files.iter().map(|file| file.old_path.clone().unwrap_or_else(|| file.path.clone())).collect();
    let mut limits = Vec::new();
    let now = Texts::of(change, &changed, Bounds::default(), &mut limits);
    let before = base.map(|base| Texts::of(base, &old, Bounds::default(), &mut Vec::new()));
    let tree = now.tree(change, &changed, declared);
    let mut checked = schema_check::check(&tree);
    let mut checked_before = Checked::default();
    let drifted_before = before.as_ref().map(|before| types(before, None, &mut checked_before));
    types(&now, drifted_before.as_ref(), &mut checked);
    limits.append(&mut checked.limits);
    let mut faults = checked.faults;
    let mut known = Vec::new();
    if let Some((before, base)) = before.as_ref().zip(base) {
        let tree_before = before.tree(base, &old, declared);
        if !faults.is_empty() {
            known = schema_check::check(&tree_before).faults;
            known.append(&mut checked_before.faults);
        }
        let breaks = schema_check::protobuf::breaks(&tree_before, &tree);
        // What breaks somebody's reading is new by its nature.
        faults.extend(breaks);
    }
    let mut look = Look { limits, ..Look::default() };
    let moves = Moves::of(diff);
    for aspect in Aspect::ALL {
        let Some(count) = checked.looked_at.get(&aspect).filter(|_| !off.contains(aspect.id())) else { continue };
        let of = |faults: &[Fault], certainty: Certainty| -> Vec<Diagnostic> {
            let own = faults.iter().filter(|fault| fault.aspect == aspect && fault.certainty >= certainty);
            own.map(|fault| fault.found.clone()).collect()
        };
        // Whatever was there in any strength is not new.
        let old = of(&known, Certainty::Likely);
        let certain = of(&faults, Certainty::Certain);
        let new = new_diagnostics(&certain, &old, &moves);
        look.results.push(result(aspect, *count, new, certain.len()));
        let all = of(&faults, Certainty::Likely);
        let likely: Vec<Diagnostic> = all.into_iter().filter(|found| !certain.contains(found)).collect();
        look.findings.extend(new_diagnostics(&likely, &old, &moves).into_iter().map(|found| finding(aspect, found)));
    }
    look
}

fn result(aspect: Aspect, count: usize, mut new: Vec<Diagnostic>, all: usize) -> GateResult {
    let known = all - new.len();
    let new_left_out = new.len().saturating_sub(NEW_DIAGNOSTICS_MAX);
    new.truncate(NEW_DIAGNOSTICS_MAX);
    let state = if new.is_empty() { GateState::Passed } else { GateState::Failed };
    GateResult {
        id: aspect.id().to_owned(),
        folder: String::new(),
        because: aspect.counted(count),
        dimensions: vec![Dimension::Schema],
        tests_of: TestsOf::Base,
        state,
        trouble: None,
        new,
        new_left_out,
        known,
        tests: None,
        coverage_pct: None,
        time_ms: 0,
        command: "assize gates".to_owned(),
        log: Vec::new(),
    }
}

fn finding(aspect: Aspect, found: Diagnostic) -> Finding {
    Finding {
        rule: format!("{}-{}", aspect.id(), found.code),
        severity: Severity::Warning,
        certainty: Certainty::Likely,
        path: found.path,
        line: found.line,
        message: found.message,
    }
}

/// How much is read.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    files: usize,
    bytes: usize,
    code_files: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files: FILES_MAX, bytes: ALL_BYTES_MAX, code_files: CODE_FILES_MAX }
    }
}

/// The texts of a state of the tree.
struct Texts {
    texts: BTreeMap<String, String>,
    code: BTreeMap<String, RecordFile>,
    schemas: BTreeMap<String, SchemaFile>,
}

impl Texts {
    /// Reads what may be a schema, a document or a type. What a change touches comes first.
    fn of(copy: &WorkCopy, first: &BTreeSet<String>, bounds: Bounds, limits: &mut Vec<String>) -> Self {
        let mut texts = Self { texts: BTreeMap::new(), code: BTreeMap::new(), schemas: BTreeMap::new() };
        let is_ours = |path: &&String| Syntax::of(path).is_some() || schema_type::may_be_schema(path);
        let (touched, others): (Vec<_>, Vec<_>) =
            copy.files().iter().filter(is_ours).partition(|path| first.contains(*path));
        let (mut bytes, mut large) = (0, 0);
        for path in touched.into_iter().chain(others) {
            if texts.texts.len() == bounds.files || bytes > bounds.bytes {
                limits.push(format!(
                    "schemas: no more than {} files with {} bytes were looked at, the changed ones first",
                    bounds.files, bounds.bytes
                ));
                break;
            }
            match copy.text(path, FILE_BYTES_MAX) {
                Some(text) => {
                    bytes += text.len();
                    texts.texts.insert(path.clone(), text);
                }
                None => large += usize::from(first.contains(path)),
            }
        }
        if large > 0 {
            limits.push(format!("schemas: {large} changed files are no text or larger than {FILE_BYTES_MAX} bytes"));
        }
        texts.read_types(copy, first, bounds, limits);
        texts
    }

    fn read_types(&mut self, copy: &WorkCopy, first: &BTreeSet<String>, bounds: Bounds, limits: &mut Vec<String>) {
        for (path, text) in &self.texts {
            if let Some(schema) = schema_type::read(path, text) {
                self.schemas.insert(path.clone(), schema);
            }
        }
        if self.schemas.is_empty() {
            return;
        }
        let is_ours = |path: &&String| is_code(path) && !is_test(path) && !is_example(path);
        let (touched, others): (Vec<_>, Vec<_>) =
            copy.files().iter().filter(is_ours).partition(|path| first.contains(*path));
        if touched.len() + others.len() > bounds.code_files {
            limits.push(format!("types of no more than {} files were held against schemas", bounds.code_files));
        }
        for path in touched.into_iter().chain(others).take(bounds.code_files) {
            let Some(text) = copy.text(path, FILE_BYTES_MAX) else { continue };
            if let Some(file) = record_type::read(path, &text).filter(|file| !file.types.is_empty()) {
                self.code.insert(path.clone(), file);
            }
        }
    }

    fn tree<'a>(&'a self, copy: &'a WorkCopy, changed: &'a BTreeSet<String>, declared: &'a [Declared]) -> Tree<'a> {
        Tree { texts: &self.texts, paths: copy.files(), changed, declared }
    }
}

/// Holds the types of code against those of the schemas. What differs is certain where code was generated, and where both
/// said the same before; without a base, wherever types surely mean the same.
fn types(texts: &Texts, before: Option<&Drifted>, checked: &mut Checked) -> Drifted {
    let drifted = drift::find(&texts.code, &texts.schemas);
    if drifted.files > 0 {
        checked.looked_at.insert(Aspect::Types, drifted.files);
    }
    for found in &drifted.found {
        let was_in_step = before.is_none_or(|before| before.in_step.contains(&found.pair));
        let certain = (found.generated || was_in_step) && !found.tolerable;
        checked.faults.push(Fault {
            aspect: Aspect::Types,
            certainty: if certain { Certainty::Certain } else { Certainty::Likely },
            found: Diagnostic {
                code: found.code.to_owned(),
                severity: Severity::Error,
                path: Some(found.pair.code.clone()),
                line: Some(found.line),
                message: found.message.clone(),
                offer: None,
            },
        });
    }
    drifted
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "{\"title\": \"Order\", \"type\": \"object\", \"properties\": {\"a\": {\"type\": \"strng\"}}}";

    fn copy(files: &[(&str, &str)]) -> WorkCopy {
        let mut copy = WorkCopy::of_folder(std::path::Path::new("/"), Vec::new()).expect("a copy");
        for (path, text) in files {
            copy.write(path, text).expect("written");
        }
        copy
    }

    fn read(files: &[(&str, &str)], first: &str, bounds: Bounds) -> (Vec<String>, usize, usize) {
        let mut limits = Vec::new();
        let texts = Texts::of(&copy(files), &BTreeSet::from([first.to_owned()]), bounds, &mut limits);
        (texts.texts.into_keys().collect(), texts.code.len(), limits.len())
    }

    #[test]
    fn files_are_read_up_to_their_limits_and_changed_ones_first() {
        let bounds = Bounds::default();
        let files = [("a.schema.json", "{}"), ("b.schema.json", "{}")];
        let both = vec!["a.schema.json".to_owned(), "b.schema.json".to_owned()];
        let second = vec!["b.schema.json".to_owned()];
        assert_eq!(read(&files, "b.schema.json", Bounds { files: 2, ..bounds }), (both.clone(), 0, 0));
        assert_eq!(read(&files, "b.schema.json", Bounds { files: 1, ..bounds }), (second.clone(), 0, 1));
        assert_eq!(read(&files, "b.schema.json", Bounds { bytes: 2, ..bounds }), (both, 0, 0));
        assert_eq!(read(&files, "b.schema.json", Bounds { bytes: 1, ..bounds }), (second, 0, 1));
    }

    #[test]
    fn one_file_is_read_up_to_its_limit() {
        let of = |bytes: u64| {
            let text = " ".repeat(bytes as usize);
            let (read, _, limits) = read(&[("a.schema.json", &text)], "a.schema.json", Bounds::default());
            (read.len(), limits)
        };
        assert_eq!((of(FILE_BYTES_MAX), of(FILE_BYTES_MAX + 1)), ((1, 0), (0, 1)));
    }

    #[test]
    fn types_are_read_of_a_limited_number_of_files() {
        let code = "interface Order { a: string }";
        let files = [("a.schema.json", SCHEMA), ("a.ts", code), ("b.ts", code)];
        let of = |code_files: usize| {
            let (_, code, limits) = read(&files, "a.ts", Bounds { code_files, ..Bounds::default() });
            (code, limits)
        };
        assert_eq!((of(2), of(1)), ((2, 0), (1, 1)));
    }

    #[test]
    fn only_what_the_base_has_not_is_new() {
        let change = copy(&[("a.schema.json", SCHEMA)]);
        let diff = Diff::default();
        let states = |base: Option<&WorkCopy>, off: &[&str]| -> Vec<(GateState, usize)> {
            let off = off.iter().map(|id| (*id).to_owned()).collect();
            let look = look(&diff, &change, base, &[], &off);
            look.results.iter().map(|result| (result.state, result.known)).collect()
        };
        assert_eq!(states(None, &[]), [(GateState::Failed, 0)]);
        assert_eq!(states(Some(&copy(&[])), &[]), [(GateState::Failed, 0)]);
        assert_eq!(states(Some(&copy(&[("a.schema.json", SCHEMA)])), &[]), [(GateState::Passed, 1)]);
        assert_eq!(states(None, &[ID]), []);
        assert_eq!(states(None, &["schema-json"]), []);
    }
}
