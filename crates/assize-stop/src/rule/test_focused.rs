//! A test was singled out, so that the others no longer run.

use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_core::path::is_ci;
use assize_core::text::quote;
use assize_ecosystem::{Language, focus_hints, is_focus_marker, is_generated, is_setting, is_test, is_test_input};
use regex::Regex;

use super::reading::{CodeLine, DiffSide, DirectiveWish, MovedLines, read};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct TestFocused;

impl Rule for TestFocused {
    fn id(&self) -> &'static str {
        "test-focused"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for file in glance.adding(focus_hints()).filter(|file| is_test(&file.path) && !is_generated(&file.path)) {
            check_file(file, focused, &asked, &mut moved, findings);
        }
        let runs = |file: &&FileChange| (is_ci(&file.path) || is_setting(&file.path)) && !is_generated(&file.path);
        for file in glance.adding(&RUNNERS).filter(runs).filter(|file| !is_test(&file.path)) {
            check_file(file, narrowed, &asked, &mut moved, findings);
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:focus(?:ed)?|only (?:run|the)|run only|just run|single (?:out|test)|\.only|fit|fdescribe|narrow|exclud(?:e|es|ing)|slow|select|shard(?:s|ed|ing)?|split|subset|filter)\b|\.only\b")
        .expect("valid pattern")
});

fn check_file(
    file: &FileChange,
    check: fn(&FileChange, &CodeLine<'_>) -> Option<Certainty>,
    asked: &DirectiveWish<'_>,
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    for line in read(file, DiffSide::New).iter().flatten().filter(|line| line.changed) {
        let Some(certainty) = check(file, line).filter(|_| !moved.take(line.raw)) else { continue };
        let Some(certainty) = asked.soften(certainty) else { continue };
        let message = format!(
            "{} runs some tests and leaves out the others. Take the selection away, so that all tests run.",
            quote(line.raw)
        );
        findings.at(file, Some(line.number), Severity::Error, certainty, message);
    }
}

/// A marker in a test that switches the others off.
fn focused(file: &FileChange, line: &CodeLine<'_>) -> Option<Certainty> {
    let found = is_focus_marker(Language::of(&file.path)?, &line.code);
    let certainty = if is_test_input(&file.path) { Certainty::Likely } else { Certainty::Certain };
    found.then_some(certainty)
}

/// A command that ran all tests and now runs a selection.
fn narrowed(file: &FileChange, line: &CodeLine<'_>) -> Option<Certainty> {
    let runner = RUN.captures(line.raw)?.iter().skip(1).flatten().next()?.as_str();
    let broader = |removed: &str| removed.contains(runner) && !RUN.is_match(removed);
    let narrowed = file.removed_lines().any(|(_, removed)| broader(removed));
    // Several selections may make up the whole again.
    let parts = file.added_lines().filter(|(_, added)| RUN.is_match(added)).count();
    narrowed.then_some(if parts > 1 { Certainty::Likely } else { Certainty::Certain })
}

/// At least one of these stands in every such command.
const RUNNERS: [&str; 6] = ["go test", "pytest", "jest", "vitest", "mocha", "playwright test"];

static RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(go test)\b.*\s-(?:test\.)?run[ =]|(pytest)\b.*\s(?:-k[ =]|[^\s]+::)",
        r"|(jest|vitest|mocha|playwright test)\b.*\s(?:-t|-g|--grep|--testNamePattern)[ =]",
    ))
    .expect("valid pattern")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&TestFocused, &changed(path, lines))
    }

    #[test]
    fn focused_tests_are_certain() {
        for (path, lines) in [
            ("src/a.test.ts", "+  it.only('adds', () => {\n"),
            ("src/a.test.tsx", "+describe.only('adds', () => {\n"),
            ("src/a.spec.js", "+test.only(`adds`, f);\n"),
            ("src/a.spec.js", "+fdescribe('adds', () => {\n"),
            ("src/a.spec.js", "+  fit(\"adds\", () => {\n"),
            ("e2e/a.spec.ts", "+test.describe.only('login', () => {\n"),
            ("src/a.test.ts", "+it.only.each([[1, 2]])('adds', f);\n"),
            ("spec/a_spec.rb", "+  fit 'adds' do\n"),
            ("spec/a_spec.rb", "+  it 'adds', :focus do\n"),
            ("spec/a_spec.rb", "+  describe 'sums', focus: true do\n"),
            ("pkg/a_test.go", "+\tFIt(\"adds\", func() {\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
        let parts = "-\tpytest\n+\tpytest -k one\n+\tpytest -k 'not one'\n";
        assert_eq!(check("Makefile", parts), [Likely, Likely]);
        assert_eq!(check("tests/fixtures/a.test.js", "+it.only('x', f);\n"), [Likely]);
    }

    #[test]
    fn a_run_that_was_narrowed_is_certain() {
        for (path, lines) in [
            (".github/workflows/ci.yml", "-      - run: go test ./...\n+      - run: go test -run TestAdd ./...\n"),
            ("Makefile", "-\tpytest tests\n+\tpytest -k 'not slow' tests\n"),
            ("package.json", "-    \"test\": \"jest\",\n+    \"test\": \"jest -t adds\",\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
    }

    #[test]
    fn what_was_asked_for_is_not_certain() {
        let mut evidence = changed("src/a.test.ts", "+  it.only('adds', () => {\n");
        evidence.directives.extend(Directive::from_prompt("focus the adds test while I debug", 1, Vec::new()));
        assert_eq!(grades(&TestFocused, &evidence), [Likely]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.test.ts", "+  const only = items.filter(x => x.only);\n"),
            ("src/a.test.ts", "+  // never commit it.only('x')\n"),
            ("src/rule.test.ts", "+  const code = \"it.only('x', f)\";\n"),
            ("src/rule.test.ts", "+  const code = `\n+it.only('x', f)\n+`;\n"),
            ("src/a.test.ts", "-  it.only('adds', f);\n+  it('adds', f);\n"),
            ("src/a.test.ts", "-  it.only('adds', f);\n+    it.only('adds', f);\n"),
            ("tests/model.test.js", "+  const model = fit(xs, ys);\n+  model.fit('adam');\n"),
            ("tests/test_model.py", "+    fit('x')\n"),
            ("src/a.ts", "+  db.test.only('x');\n"),
            (".github/workflows/ci.yml", "+      - run: go test -run Integration ./...\n"),
            (".github/workflows/ci.yml", "-      - run: pytest -k fast\n+      - run: pytest -k 'fast or new'\n"),
            ("spec/a_spec.rb", "+  it 'keeps the focus' do\n+    fits(3)\n"),
            ("src/readonly.test.ts", "+  it('is read only', f);\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
