//! Tests that passed when the session began no longer run.

use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use assize_core::path::file_name;
use assize_ecosystem::{is_code, is_test};
use regex::Regex;

use super::failing_check::is_alone;
use super::reading::{DirectiveWish, has_word};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::seen_failures::SeenFailures;
use crate::verification::{CheckRun, TestLoss};

/// See the module.
pub struct LostTest;

/// Tests that a finding names.
const NAMED_MAX: usize = 3;

impl Rule for LostTest {
    fn id(&self) -> &'static str {
        "lost-test"
    }

    fn needs(&self) -> Needs {
        Needs::Verification
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let asked = DirectiveWish::new(evidence, &WANTED);
        let seen = SeenFailures::of(evidence);
        let Some(verification) = &evidence.verification else { return };
        // What an earlier prompt asked for still holds.
        let prompts = evidence.transcript.get().map_or(&[][..], |facts| &facts.prompts);
        let asked_before = || prompts.iter().any(|prompt| WANTED.is_match(prompt.inspect()));
        let is_own = is_alone(evidence) && !verification.dirty_start;
        for run in &verification.runs {
            for (loss, what) in [(TestLoss::Skipped, "are skipped or expected to fail"), (TestLoss::Gone, "are not found any more")] {
                let mut lost = lost(run, loss, evidence.diff.get());
                lost.retain(|id| !seen.is_wanted_away(name_of(id), file_of(id)));
                if lost.is_empty() {
                    continue;
                }
                // Rows of a table of tests have no names of their own.
                let may_be_rows = loss == TestLoss::Gone && are_rows(&lost, evidence.diff.get());
                let sure = is_own && !may_be_rows && !asked_before();
                let certainty = if sure { Certainty::Certain } else { Certainty::Likely };
                let Some(certainty) = asked.soften(certainty) else { continue };
                let names: Vec<String> = lost.iter().map(|id| quote(id)).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                findings.file(
                    Severity::Error,
                    certainty,
                    format!("Tests that passed when the session began {what}, as runs of {} show: {}. Let them run and make them pass, or ask the user. Run: {}", run.name, listed(&names, NAMED_MAX), run.command),
                );
            }
        }
    }
}

/// Wording that makes tests go away, or that takes them out of a run.
static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = r"(?:(?:ignor|exclud|deactivat|remov|delet|renam|mov|replac|consolidat|merg|prun|retir|deprecat|reorgani[sz]|restructur|migrat|parametri[sz])(?:e|es|ed|ing|s)?|(?:drop|trim|strip)(?:s|ped|ping)?|(?:convert|port|split)(?:s|ed|ing|ting)?|get rid of)";
    let tests = r"(?:tests?|specs?|suites?|cases?)";
    Regex::new(&format!(
        r"(?i)\b{verbs}\b[^.\n]{{0,80}}\b{tests}\b|\b{tests}\b[^.\n]{{0,80}}\b{verbs}\b|\b(?:skip|disabl|quarantin|deselect|xfail|mark)\w*|\bexpected(?: to)? fail|\bknown.fail|#\[ignore|\brun(?:s|ning)?\b[^.\n]{{0,60}}\b(?:only|unless|when|if)\b"
    ))
    .expect("valid pattern")
});

/// The tests that are lost in one way. As many tests that went may have come under other names, and a test whose text went as
/// well is a matter of `test-deleted`.
fn lost<'a>(run: &'a CheckRun, loss: TestLoss, diff: Option<&Diff>) -> Vec<&'a str> {
    let own = || run.lost.iter().filter(|test| test.loss == loss).map(|test| test.id.as_str());
    match loss {
        TestLoss::Skipped => own().collect(),
        TestLoss::Gone if run.added >= own().count() as u64 => Vec::new(),
        TestLoss::Gone => {
            let (removed, added) = (lines(diff, DiffLineKind::Removed), lines(diff, DiffLineKind::Added));
            let is_removed = |id: &&str| {
                let name = name_of(id);
                // With an underscore before it, a name is still there.
                let is_added = added.iter().any(|line| line.contains(name));
                holds(&removed, name) && !is_added
            };
            own().filter(|id| !is_removed(id)).collect()
        }
    }
}

/// Returns whether lines go from files of tests that do not come back, and none of the changed lines has the name of a lost test.
fn are_rows(lost: &[&str], diff: Option<&Diff>) -> bool {
    let of_kind = |kind| lines_of(diff, kind, |file| is_test(&file.path));
    let (removed, added) = (of_kind(DiffLineKind::Removed), of_kind(DiffLineKind::Added));
    let is_named = |id: &&str| removed.iter().chain(&added).any(|line| line.contains(name_of(id)));
    let is_back = |line: &str| added.iter().any(|added| added.contains(line));
    removed.iter().map(|line| line.trim()).any(|line| line.len() > 2 && !is_back(line)) && !lost.iter().any(is_named)
}

/// The lines of one kind in files that may hold tests.
fn lines(diff: Option<&Diff>, kind: DiffLineKind) -> Vec<&str> {
    lines_of(diff, kind, |file| is_test(&file.path) || file.path.ends_with(".rs"))
}

fn lines_of(diff: Option<&Diff>, kind: DiffLineKind, is_wanted: impl Fn(&FileChange) -> bool) -> Vec<&str> {
    let files = diff.into_iter().flat_map(|diff| &diff.files).filter(|file| is_wanted(file));
    let lines = files.flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
    lines.filter(|line| line.kind == kind).map(|line| line.text.inspect()).collect()
}

/// The file that the id of a test begins with, if any.
pub(super) fn file_of(id: &str) -> &str {
    let end = [" > ", "::"].iter().filter_map(|separator| id.find(separator)).min().unwrap_or(id.len());
    if is_code(&id[..end]) { &id[..end] } else { "" }
}

/// The name of a test within its id: what follows the file, the groups and the package, without parameters. A file that cannot be
/// loaded has its own name.
pub(super) fn name_of(id: &str) -> &str {
    if file_of(id) == id && !id.is_empty() {
        let name = file_name(id);
        return name.split('.').next().unwrap_or(name);
    }
    if let Some((_, name)) = id.rsplit_once(" > ") {
        return name;
    }
    let id = id.split_once('[').map_or(id, |(name, _)| name);
    id.rsplit([':', ' ', '.', '/']).next().unwrap_or(id)
}

fn holds(lines: &[&str], name: &str) -> bool {
    lines.iter().any(|line| if name.contains(' ') { line.contains(name) } else { has_word(line, name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, changed, found, grades};
    use crate::verification::{CheckEnd, CheckKind, LostTestCase, StopVerification};

    fn after(directive: &str, lines: &str, lost: &[(&str, TestLoss)], added: u64) -> Evidence {
        let lost = lost.iter().map(|(id, loss)| LostTestCase { id: (*id).to_owned(), loss: *loss }).collect();
        let run = CheckRun {
            name: "pytest".to_owned(),
            kind: CheckKind::Tests,
            command: "`assize gates --only pytest`".to_owned(),
            tests: 2,
            end: CheckEnd::Compared,
            lost,
            hidden: Vec::new(),
            added,
        };
        let verification = Some(StopVerification { runs: vec![run], ..StopVerification::default() });
        Evidence { verification, diff: changed("tests/test_a.py", lines).diff, ..asked(directive, "Done.") }
    }

    #[test]
    fn tests_that_no_longer_run_are_certain() {
        let gone = ("tests/test_a.py::test_x", TestLoss::Gone);
        let skipped = ("tests/test_a.py::test_y[1]", TestLoss::Skipped);
        for lines in ["+__test__ = False\n", "-def test_x():\n+if False:\n+    def test_x():\n"] {
            assert_eq!(grades(&LostTest, &after("Fix it", lines, &[gone], 0)), [Certainty::Certain], "{lines}");
        }
        let both = after("Fix it", "+x\n", &[gone, skipped], 0);
        assert_eq!(grades(&LostTest, &both), [Certainty::Certain, Certainty::Certain]);
        let said = found(&LostTest, &both).remove(0).message;
        assert_eq!(said, "Tests that passed when the session began are skipped or expected to fail, as runs of pytest show: `tests/test_a.py::test_y[1]`. Let them run and make them pass, or ask the user. Run: `assize gates --only pytest`");
    }

    #[test]
    fn what_was_asked_for_others_did_or_is_told_elsewhere_is_not() {
        let gone = ("tests/test_a.py::test_x", TestLoss::Gone);
        let skipped = ("tests/test_a.py::test_y", TestLoss::Skipped);
        assert_eq!(grades(&LostTest, &after("Skip the slow tests", "+x\n", &[skipped], 0)), [Certainty::Likely]);
        assert_eq!(grades(&LostTest, &after("Remove the cache", "+x\n", &[skipped], 0)), [Certainty::Certain]);
        assert_eq!(grades(&LostTest, &after("Fix it", "-def test_x():\n", &[gone], 0)), [], "its text went");
        assert_eq!(grades(&LostTest, &after("Fix it", "-def test_x():\n+def test_z():\n", &[gone], 1)), [], "renamed");
        let mut evidence = after("Fix it", "+x\n", &[skipped], 0);
        if let assize_core::gathered::EvidencePart::Gathered(diff) = &mut evidence.diff {
            diff.limits.push("changed by another session: a.py".to_owned());
        }
        assert_eq!(grades(&LostTest, &evidence), [Certainty::Likely]);
    }

    #[test]
    fn rows_of_a_table_may_have_been_replaced() {
        let gone = ("a.test.js > adds -1 and -2", TestLoss::Gone);
        let rows = "-  [-1, -2, -3],\n+test('refuses negatives');\n";
        assert_eq!(grades(&LostTest, &after("Refuse negatives", rows, &[gone], 0)), [Certainty::Likely]);
        assert_eq!(grades(&LostTest, &after("Refuse negatives", "+const test = () => {};\n", &[gone], 0)), [Certainty::Certain]);
    }

    #[test]
    fn ids_end_with_names() {
        for (id, name) in [
            ("tests/test_a.py::TestB::test_c[1-2]", "test_c"),
            ("a.test.js > group > adds two numbers", "adds two numbers"),
            ("calc tests::adds", "adds"),
            ("calc::add adds", "adds"),
            ("ex.com/calc.TestAdd", "TestAdd"),
            ("ex.com/calc.TestAdd/zero", "zero"),
            ("test_calc.Adding.test_adds", "test_adds"),
        ] {
            assert_eq!(name_of(id), name, "{id}");
        }
    }
}
