//! Stand-ins for names that tests ask for and that are not there.
//!
//! A file of tests that cannot be loaded hides what all of its tests say: those as well that never use the missing name.
//! With a function under that name which fails as soon as it is called, the file can be loaded, and each test speaks for
//! itself. Where a compiler objects to tests, they alone are to fail. This module reads runs; it must not know who makes
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::finding::Severity;
use assize_core::path::{join, parent};
use assize_syntax::failing_body::{Objection, Objections};
use regex::Regex;

use crate::excuse::file_of;
use crate::gate::GateRun;
use crate::missing_name::missing_names;
use assize_report::{TestOutcome, go_vet};

/// Returns the stand-ins that a run asks for: what is to be appended to which files of its tree.
pub fn stand_ins(run: &GateRun, files: &BTreeSet<String>) -> BTreeMap<String, String> {
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"cannot import name '(?P<name>\w+)' from '[\w.]+' \((?P<path>[^()\n]+)\)").expect("valid pattern")
    });
    static MODULE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"The requested module '(?P<path>\.[^'\n]+)' does not provide an export named '(?P<name>[\w$]+)'")
            .expect("valid pattern")
    });
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in run.cases().filter(|case| case.outcome == TestOutcome::Failed) {
        let Some(message) = case.message.as_deref() else { continue };
        for missing in PYTHON.captures_iter(message) {
            let path = files.iter().filter(|file| is_end(&missing["path"], file)).max_by_key(|file| file.len());
            let name = format!(
                "\n\ndef {0}(*_, **__):\n    raise NameError(\"name '{0}' is not defined\")\n",
                &missing["name"]
            );
            found.entry(path.cloned().unwrap_or_default()).or_default().insert(name);
        }
        for missing in MODULE.captures_iter(message) {
            let file = file_of(case).unwrap_or(&case.id);
            let path = join(parent(file), &missing["path"]).filter(|path| files.contains(path));
            let name = &missing["name"];
            let declared = if name == "default" { "default function".to_owned() } else { format!("function {name}") };
            let stand_in = format!("\nexport {declared}() {{ throw new ReferenceError('{name} is not defined'); }}\n");
            found.entry(path.unwrap_or_default()).or_default().insert(stand_in);
        }
    }
    // What is not of this tree gets none.
    found.remove("");
    found.into_iter().map(|(path, names)| (path, names.into_iter().collect())).collect()
}

/// Returns what a compiler objects to where it keeps tests from being built, by file and line: the faults of a run that came
/// to no test, and what Go says of packages that it could not build.
pub fn objections(run: &GateRun) -> Objections {
    let Some(report) = &run.report else { return Objections::new() };
    let is_unbuilt = run.cases().next().is_none();
    let faults = report.diagnostics.iter().filter(|fault| is_unbuilt && fault.severity == Severity::Error).cloned();
    let unbuilt =
        report.tests.iter().flat_map(|tests| tests.cases.iter().filter(|case| tests.faults.contains(&case.id)));
    let told = unbuilt.filter_map(|case| go_vet::parse(case.message.as_deref()?.as_bytes()).ok());
    let mut found = Objections::new();
    for fault in faults.chain(told.flat_map(|report| report.diagnostics)) {
        let (Some(path), Some(line)) = (fault.path, fault.line) else { continue };
        let missing = missing_names(&fault.message).into_iter().map(str::to_owned).collect();
        let objection = Objection { missing, message: fault.message };
        found.entry(path).or_default().entry(line).or_insert(objection);
    }
    found
}

/// Returns whether a path is that of a file of the tree: below it, or from the root of all.
fn is_end(path: &str, file: &str) -> bool {
    path.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec_report::testing::tested;

    fn asked(id: &str, message: &str) -> BTreeMap<String, String> {
        let mut run = tested(&[(id, TestOutcome::Failed)]);
        let tests = run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests");
        tests.cases[0].message = Some(message.to_owned());
        let files = ["calc.py", "pkg/calc.py", "pkg/__init__.py", "lib/calc.js"];
        stand_ins(&run, &files.map(str::to_owned).into())
    }

    #[test]
    fn what_a_compiler_objects_to_has_its_place_and_its_missing_names() {
        use crate::exec_report::testing::unbuilt;
        let placed = |run: &GateRun| {
            let all = objections(run).into_iter().flat_map(|(path, lines)| {
                lines
                    .into_iter()
                    .map(move |(line, it)| (path.clone(), line, it.missing.into_iter().collect::<String>()))
            });
            all.collect::<Vec<_>>()
        };
        assert_eq!(placed(&unbuilt("tests/a.rs")).len(), 1);
        let mut run = tested(&[("m", TestOutcome::Failed), ("n.TestX", TestOutcome::Failed)]);
        let tests = run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests");
        for case in &mut tests.cases {
            case.message = Some("# m [m.test]\na_test.go:7:9: undefined: Gone\n[build failed]".to_owned());
        }
        assert_eq!(placed(&run), [], "they ran, and print what they like");
        let tests = run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests");
        tests.faults.insert("m".to_owned());
        assert_eq!(placed(&run), [("a_test.go".to_owned(), 7, "Gone".to_owned())]);
    }

    #[test]
    fn a_name_that_a_file_of_tests_misses_gets_a_stand_in() {
        for (id, message, path, appended) in [
            (
                "tests/test_calc.py",
                "ImportError: cannot import name 'mean' from 'pkg.calc' (/home/a/x/pkg/calc.py)",
                "pkg/calc.py",
                "\n\ndef mean(*_, **__):\n    raise NameError(\"name 'mean' is not defined\")\n",
            ),
            (
                "tests/test_calc.py",
                "E   ImportError: cannot import name 'mean' from 'pkg' (pkg/__init__.py)",
                "pkg/__init__.py",
                "\n\ndef mean(*_, **__):\n    raise NameError(\"name 'mean' is not defined\")\n",
            ),
            (
                "test/calc.test.js",
                "SyntaxError: The requested module '../lib/calc.js' does not provide an export named 'mean'",
                "lib/calc.js",
                "\nexport function mean() { throw new ReferenceError('mean is not defined'); }\n",
            ),
        ] {
            let found = asked(id, message);
            assert_eq!(found, BTreeMap::from([(path.to_owned(), appended.to_owned())]), "{message}");
        }
        for message in [
            "ImportError: cannot import name 'mean' from 'numpy' (/usr/lib/python3/numpy/__init__.py)",
            "AttributeError: module 'calc' has no attribute 'mean'",
            "SyntaxError: The requested module 'left-pad' does not provide an export named 'mean'",
            "AssertionError: 3 != 4",
        ] {
            assert_eq!(asked("tests/test_calc.py", message), BTreeMap::new(), "{message}");
        }
    }
}
