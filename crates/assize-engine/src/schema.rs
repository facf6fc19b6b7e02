//! The built-in schema gate: reads the files of a change and its base, and has the pure crates check them.
//!
//! It is a gate that runs nothing. Its results look like those of any other gate: one for each kind of schema that
//! exists, `passed` or `failed`, with the new faults. This module must not decide what a fault costs.

use std::collections::{BTreeMap, BTreeSet};

use assize_check::record_type::drift::{self, SchemaDrifts};
use assize_check::record_type::{self, RecordFile};
use assize_check::schema::document::DocumentSyntax;
use assize_check::schema::{self, Aspect, Checked, Declared, SchemaFault, SchemaTree};
use assize_core::diff::Diff;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::path::is_example;
use assize_ecosystem::{is_code, is_test};
use assize_gate::comparison::{Moves, new_diagnostics};
use assize_gate::exec_report::{GateResult, NEW_DIAGNOSTICS_MAX, TestsOf};
use assize_gate::gate::{Dimension, GateState};
use assize_report::Diagnostic;
use assize_syntax::schema_type::{self, SchemaFile};

use crate::work_copy::WorkCopy;

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// The most files that are read.
pub const FILES_MAX: usize = 10_000;
/// The most bytes that are read in all.
pub const ALL_BYTES_MAX: usize = 128 * 1024 * 1024;
/// The most code files whose types are compared with schemas.
pub const CODE_FILES_MAX: usize = 4_000;
/// The stack of the checking thread: documents are nested, and parsers are recursive.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// The id that disables the whole gate.
pub const ID: &str = "schema";

/// The result of the schema check.
#[derive(Debug, Default)]
pub struct SchemaReport {
    /// One result for each kind of schema or document that exists.
    pub results: Vec<GateResult>,
    /// Findings that are only likely.
    pub findings: Vec<Finding>,
    /// What was not judged, and why.
    pub limits: Vec<String>,
}

/// Checks the schemas of a change. Without a base, every fault is new. `off` lists what is disabled.
pub fn look(
    diff: &Diff,
    change: &WorkCopy,
    base: Option<&WorkCopy>,
    declared: &[Declared],
    off: &BTreeSet<String>,
) -> SchemaReport {
    if off.contains(ID) {
        return SchemaReport::default();
    }
    std::thread::scope(|scope| {
        let looking = std::thread::Builder::new()
            .name("schemas".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || look_here(diff, change, base, declared, off));
        let failed = |why: &str| SchemaReport {
            limits: vec![format!("schemas were not looked at: {why}")],
            ..SchemaReport::default()
        };
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
) -> SchemaReport {
    let changed: BTreeSet<String> = diff.files.iter().map(|file| file.path.clone()).collect();
    let old: BTreeSet<String> =
        diff.files.iter().map(|file| file.old_path.clone().unwrap_or_else(|| file.path.clone())).collect();
    let mut limits = Vec::new();
    let now = SchemaTexts::of(change, &changed, SchemaBounds::default(), &mut limits);
    let before = base.map(|base| SchemaTexts::of(base, &old, SchemaBounds::default(), &mut Vec::new()));
    let tree = now.tree(change, &changed, declared);
    let mut checked = schema::check(&tree);
    let mut checked_before = Checked::default();
    let drifted_before = before.as_ref().map(|before| types(before, None, &mut checked_before));
    types(&now, drifted_before.as_ref(), &mut checked);
    limits.append(&mut checked.limits);
    let mut faults = checked.faults;
    let mut preexisting = Vec::new();
    if let Some((before, base)) = before.as_ref().zip(base) {
        let tree_before = before.tree(base, &old, declared);
        if !faults.is_empty() {
            preexisting = schema::check(&tree_before).faults;
            preexisting.append(&mut checked_before.faults);
        }
        let breaks = schema::protobuf::breaks(&tree_before, &tree);
        // A breaking change is new by definition.
        faults.extend(breaks);
    }
    let mut look = SchemaReport { limits, ..SchemaReport::default() };
    let moves = Moves::of(diff);
    for aspect in Aspect::ALL {
        let Some(count) = checked.looked_at.get(&aspect).filter(|_| !off.contains(aspect.id())) else { continue };
        let of = |faults: &[SchemaFault], certainty: Certainty| -> Vec<Diagnostic> {
            let own = faults.iter().filter(|fault| fault.aspect == aspect && fault.certainty >= certainty);
            own.map(|fault| fault.found.clone()).collect()
        };
        // A fault that the base shows with any certainty is not new.
        let old = of(&preexisting, Certainty::Likely);
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
    let preexisting = all - new.len();
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
        known: preexisting,
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

/// The limits of reading.
#[derive(Debug, Clone, Copy)]
struct SchemaBounds {
    files: usize,
    bytes: usize,
    code_files: usize,
}

impl Default for SchemaBounds {
    fn default() -> Self {
        Self { files: FILES_MAX, bytes: ALL_BYTES_MAX, code_files: CODE_FILES_MAX }
    }
}

/// The texts of one state of the tree.
struct SchemaTexts {
    texts: BTreeMap<String, String>,
    code: BTreeMap<String, RecordFile>,
    schemas: BTreeMap<String, SchemaFile>,
}

impl SchemaTexts {
    /// Reads all files that may contain a schema, a document or a type. Files that the change touches come first.
    fn of(copy: &WorkCopy, first: &BTreeSet<String>, bounds: SchemaBounds, limits: &mut Vec<String>) -> Self {
        let mut texts = Self { texts: BTreeMap::new(), code: BTreeMap::new(), schemas: BTreeMap::new() };
        let is_ours = |path: &&String| DocumentSyntax::of(path).is_some() || schema_type::may_be_schema(path);
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

    fn read_types(
        &mut self,
        copy: &WorkCopy,
        first: &BTreeSet<String>,
        bounds: SchemaBounds,
        limits: &mut Vec<String>,
    ) {
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

    fn tree<'a>(
        &'a self,
        copy: &'a WorkCopy,
        changed: &'a BTreeSet<String>,
        declared: &'a [Declared],
    ) -> SchemaTree<'a> {
        SchemaTree { texts: &self.texts, paths: copy.files(), changed, declared }
    }
}

/// Compares the types of code with those of the schemas. A difference is certain if the code was generated, or if both
/// agreed before. Without a base, it is certain if the types surely correspond.
fn types(texts: &SchemaTexts, before: Option<&SchemaDrifts>, checked: &mut Checked) -> SchemaDrifts {
    let drifted = drift::find(&texts.code, &texts.schemas);
    if drifted.files > 0 {
        checked.looked_at.insert(Aspect::Types, drifted.files);
    }
    for found in &drifted.found {
        let was_in_step = before.is_none_or(|before| before.in_step.contains(&found.pair));
        let certain = (found.generated || was_in_step) && !found.tolerable;
        checked.faults.push(SchemaFault {
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

    fn read(files: &[(&str, &str)], first: &str, bounds: SchemaBounds) -> (Vec<String>, usize, usize) {
        let mut limits = Vec::new();
        let texts = SchemaTexts::of(&copy(files), &BTreeSet::from([first.to_owned()]), bounds, &mut limits);
        (texts.texts.into_keys().collect(), texts.code.len(), limits.len())
    }

    #[test]
    fn files_are_read_up_to_their_limits_and_changed_ones_first() {
        let bounds = SchemaBounds::default();
        let files = [("a.schema.json", "{}"), ("b.schema.json", "{}")];
        let both = vec!["a.schema.json".to_owned(), "b.schema.json".to_owned()];
        let second = vec!["b.schema.json".to_owned()];
        assert_eq!(read(&files, "b.schema.json", SchemaBounds { files: 2, ..bounds }), (both.clone(), 0, 0));
        assert_eq!(read(&files, "b.schema.json", SchemaBounds { files: 1, ..bounds }), (second.clone(), 0, 1));
        assert_eq!(read(&files, "b.schema.json", SchemaBounds { bytes: 2, ..bounds }), (both, 0, 0));
        assert_eq!(read(&files, "b.schema.json", SchemaBounds { bytes: 1, ..bounds }), (second, 0, 1));
    }

    #[test]
    fn one_file_is_read_up_to_its_limit() {
        let of = |bytes: u64| {
            let text = " ".repeat(bytes as usize);
            let (read, _, limits) = read(&[("a.schema.json", &text)], "a.schema.json", SchemaBounds::default());
            (read.len(), limits)
        };
        assert_eq!((of(FILE_BYTES_MAX), of(FILE_BYTES_MAX + 1)), ((1, 0), (0, 1)));
    }

    #[test]
    fn types_are_read_of_a_limited_number_of_files() {
        let code = "interface Order { a: string }";
        let files = [("a.schema.json", SCHEMA), ("a.ts", code), ("b.ts", code)];
        let of = |code_files: usize| {
            let (_, code, limits) = read(&files, "a.ts", SchemaBounds { code_files, ..SchemaBounds::default() });
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
