//! How a review, or what its gates found, is shown to a person at a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use assize_core::finding::{Finding, Severity};
use assize_core::ruling::{Outcome, Unjudged};
use assize_core::text::first_line;
use assize_gate::excuse::Excuse;
use assize_gate::exec_report::{GateResult, TestsOf, line_of};
use assize_gate::gate::{GATES, Gate, GateState, Project, Setup, name_of};
use assize_gate::mutation::{MutantOutcome, MutationReport};
use assize_gate::plan::{GatePlan, LeftOutGate};
use assize_review::case::{ReviewInputs, ReviewScope};
use assize_review::court::{ReviewRecord, decide, dimension_of};
use assize_review::verdict::{FixOperation, Scores};

use super::{explain_line, finding_line, gate_mark, judge_cost, outcome, visible};
use crate::exit::Exit;
use crate::output::{BAD, DOUBTFUL, GOOD, STRONG, quiet, styled};

/// Diagnostics and tests of one gate that a person is shown.
const SHOWN: usize = 8;
/// Gates of one kind that do not run for one reason and are shown one by one; of more, so many folders are named.
const LEFT_OUT_SHOWN: usize = 3;

/// Shows a review to a person.
pub fn human(record: &ReviewRecord) -> String {
    let (inputs, ruling) = (&record.inputs, &record.ruling);
    let mut text = format!("{}  {}\n", outcome(ruling.outcome), quiet(&scope(record)));
    if let Some(unjudged) = &ruling.unjudged {
        let _ = writeln!(text, "  {unjudged}");
    }
    if let Some(verdict) = &ruling.verdict {
        if ruling.outcome == Outcome::Accept {
            let _ = writeln!(text, "  {}", visible(&verdict.explanations.root_cause));
        }
        let _ = writeln!(text, "  {}", scores(&verdict.scores));
    }
    text.push('\n');
    evidence(&mut text, inputs);
    for opinion in &inputs.opinions {
        let what = match &opinion.verdict {
            Ok(verdict) => format!("says {}", verdict.verdict.outcome()),
            Err(unjudged) => format!("did not judge ({unjudged})"),
        };
        let judge = &opinion.judge;
        let _ = writeln!(text, "  {} {what} {}", styled(STRONG, &judge.id), quiet(&judge_cost(judge)));
    }
    if let Some(verdict) = ruling.verdict.as_ref().filter(|verdict| !verdict.fix_plan.is_empty()) {
        let _ = writeln!(text, "\n  {}", styled(STRONG, "What to do"));
        let _ = writeln!(text, "  {}", visible(&verdict.explanations.minimal_fix));
        for step in &verdict.fix_plan {
            let brief = visible(&first_line(&step.brief));
            let _ = writeln!(text, "  {} {}: {brief}", quiet(operation(step.operation)), visible(&step.file));
        }
    }
    if ruling.outcome != Outcome::Accept {
        text.push_str(&explained(inputs, ruling.unjudged.as_ref()));
    }
    text
}

/// Returns the line that says how to read about what a review names, set apart from what is above it.
fn explained(inputs: &ReviewInputs, unjudged: Option<&Unjudged>) -> String {
    let line = explain_line(&inputs.findings, &inputs.exec.gates, unjudged);
    if line.is_empty() { line } else { format!("\n{line}") }
}

/// Shows what was found without any judge, and what was not looked at.
fn evidence(text: &mut String, inputs: &ReviewInputs) {
    for gate in inputs.exec.used() {
        gate_lines(text, gate);
    }
    for report in &inputs.exec.mutation {
        mutation_lines(text, report);
    }
    let (notes, rest): (Vec<&Finding>, Vec<&Finding>) =
        inputs.findings.iter().partition(|finding| finding.severity == Severity::Note);
    for finding in rest {
        let _ = writeln!(text, "  {}", finding_line(finding));
    }
    for finding in notes {
        let (finding, rule) = (visible(&finding.to_string()), quiet(&format!("[{}]", finding.rule)));
        let _ = writeln!(text, "  {} {finding} {rule}", quiet("note"));
    }
    for missing in &inputs.missing {
        let _ = writeln!(text, "  {} {}", styled(DOUBTFUL, "not gathered"), visible(missing));
    }
    for limit in &inputs.limits {
        let _ = writeln!(text, "  {} {}", quiet("note"), visible(limit));
    }
    if let Some(level) = &inputs.exec.sandbox {
        let _ = writeln!(text, "  {}", quiet(sandbox(level)));
    }
}

/// Says whether the tests that the change adds notice faults, and which they missed.
fn mutation_lines(text: &mut String, report: &MutationReport) {
    let (killed, survived) = (report.count(MutantOutcome::Killed), report.count(MutantOutcome::Survived));
    let tests = if report.tests == 1 { "the new test".to_owned() } else { format!("{} new tests", report.tests) };
    let ran = killed + survived;
    let mut line = match ran {
        0 => format!("{tests} of {}", report.gate),
        1 => format!("{tests} of {} noticed {killed} of 1 fault put into the change", report.gate),
        _ => format!("{tests} of {} noticed {killed} of {ran} faults put into the change", report.gate),
    };
    match report.fail_on_base {
        Some(0) if report.tests == 1 => line.push_str("; it passes on the base"),
        Some(_) if report.tests == 1 => line.push_str("; it fails on the base"),
        Some(0) => line.push_str("; all pass on the base"),
        Some(1) => line.push_str("; 1 fails on the base"),
        Some(failed) => line.push_str(&format!("; {failed} fail on the base")),
        None if ran == 0 => return,
        None => {}
    }
    if report.not_run > 0 {
        line.push_str(&format!("; no time for {} more", report.not_run));
    }
    let _ = writeln!(text, "  {} {}", quiet("note"), visible(&line));
    let missed = report.mutants.iter().filter(|mutant| mutant.outcome == MutantOutcome::Survived);
    for mutant in missed.take(SHOWN) {
        let place = match (&mutant.path, mutant.line) {
            (Some(path), Some(line)) => format!("{path}:{line}: `{}` for `{}`", mutant.after, mutant.before),
            _ => "every changed function fails at once".to_owned(),
        };
        let _ = writeln!(text, "      {}", quiet(&visible(&format!("missed: {place}"))));
    }
}

/// A strong sandbox is named; of a weak one a person is told what it lets through.
fn sandbox(level: &str) -> &str {
    let strong = ["bubblewrap", "namespaces"].iter().any(|tier| level.starts_with(&format!("sandbox {tier}")));
    level.split_once(':').filter(|_| strong).map_or(level, |(name, _)| name)
}

/// Says what was judged.
pub fn scope(record: &ReviewRecord) -> String {
    let inputs = &record.inputs;
    let files = match inputs.patch_summary.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    match (&inputs.case.base, inputs.case.scope) {
        (_, ReviewScope::Everything) => "the whole tree".to_owned(),
        (None, ReviewScope::Change) => format!("{files}, compared with nothing"),
        (Some(base), ReviewScope::Change) if inputs.patch_summary.is_empty() => {
            format!("nothing differs from {}; the tree as it is was judged", short(base))
        }
        (Some(base), ReviewScope::Change) => format!("{files} changed since {}", short(base)),
    }
}

/// Shortens the name of a commit.
pub fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// The word for what is done with a file.
pub fn operation(operation: FixOperation) -> &'static str {
    match operation {
        FixOperation::Edit => "edit",
        FixOperation::Add => "add",
        FixOperation::Remove => "remove",
    }
}

fn scores(scores: &Scores) -> String {
    let shown = Scores::DIMENSIONS.into_iter().filter_map(|dimension| {
        let Some(score) = scores.get(dimension) else {
            return Scores::STATED.contains(&dimension).then(|| quiet(&format!("{} unknown", dimension.as_str())));
        };
        let style = if score >= 1.0 {
            GOOD
        } else if score > 0.0 {
            DOUBTFUL
        } else {
            BAD
        };
        Some(format!("{} {}", dimension.as_str(), styled(style, &number(score))))
    });
    shown.collect::<Vec<_>>().join(" · ")
}

/// Writes a score.
pub fn number(score: f64) -> String {
    if score.fract() == 0.0 { format!("{score:.0}") } else { format!("{score:.1}") }
}

fn gate_lines(text: &mut String, gate: &GateResult) {
    let mut details = Vec::new();
    if let Some(tests) = &gate.tests {
        details.push(format!("{} passed", tests.passed));
        for (count, what) in [
            (tests.failed, "failed"),
            (tests.excused, "excused"),
            (tests.skipped, "skipped"),
            (tests.deselected, "left out"),
            (tests.expected_failures, "failed as expected"),
            (tests.unexpected_passes, "passed unexpectedly"),
        ] {
            if count > 0 {
                details.push(format!("{count} {what}"));
            }
        }
    }
    let new = gate.new.len() + gate.new_left_out;
    if new > 0 {
        details.push(format!("{new} new"));
    }
    if gate.known > 0 {
        details.push(format!("{} that the base has as well", gate.known));
    }
    details.push(format!("{:.1} s", gate.time_ms as f64 / 1_000.0));
    let details = quiet(&format!("({})", details.join(", ")));
    let _ = writeln!(text, "  {} {} {details}", gate_mark(gate.state), gate.name());
    if let Some(trouble) = &gate.trouble {
        let why = if gate.state == GateState::NotReady { "not ready: " } else { "" };
        let _ = writeln!(text, "      {why}{}", visible(&trouble.detail));
        if let Some(command) = &trouble.ready_by {
            let _ = writeln!(text, "      {}", quiet(&format!("made ready by: {}", visible(command))));
        }
    }
    for diagnostic in gate.new.iter().take(SHOWN) {
        let _ = writeln!(text, "      {}", visible(&line_of(diagnostic)));
    }
    let failing = gate.tests.as_ref().map_or(&[][..], |tests| &tests.failing);
    for test in failing.iter().take(SHOWN) {
        let before = match test.excuse {
            Some(Excuse::KnownRed) => " (known red: it fails on the base as well)",
            Some(Excuse::Flaky) => " (flaky: it passed when it was run again)",
            Some(Excuse::Adapted) => " (the change adapts it)",
            Some(Excuse::RedAdapted) => " (it failed before; the change rewrites it)",
            Some(Excuse::Removed) => " (the change removes what it tests)",
            Some(Excuse::Deprecated) => " (it fails for a deprecation alone; the change touches it)",
            None if test.failed_before => " (failed before as well)",
            None => "",
        };
        let before = quiet(before);
        let _ = writeln!(text, "      {}{before}", visible(&test.id));
        if let Some(said) = test.says() {
            let _ = writeln!(text, "        {}", quiet(&visible(said)));
        }
    }
    let gone = gone(gate);
    for line in gone.iter().take(SHOWN) {
        let _ = writeln!(text, "      {}", visible(line));
    }
    let hidden = [new, failing.len(), gone.len()].into_iter().map(|count| count.saturating_sub(SHOWN)).sum::<usize>();
    if hidden > 0 {
        let _ = writeln!(text, "      {}", quiet(&format!("and {hidden} more")));
    }
    if gate.state != GateState::Passed {
        let _ = writeln!(text, "      {}", quiet(&format!("again: {}", visible(&gate.command))));
        let is_compared = gate.tests.as_ref().is_some_and(|tests| tests.against_base.is_some());
        if gate.tests_of == TestsOf::Base && is_compared && !failing.is_empty() {
            let _ = writeln!(text, "      {}", quiet("these are tests of the base, as they are there"));
        }
    }
}

/// Names the tests of the base that the change made vanish, where those decide.
fn gone(gate: &GateResult) -> Vec<String> {
    let comparison = gate.tests.as_ref().and_then(|tests| tests.against_base.as_ref());
    let Some(tests) = comparison.filter(|_| gate.tests_of == TestsOf::Base) else { return Vec::new() };
    let missing = tests.missing.iter().map(|id| format!("{id} is gone"));
    missing.chain(tests.no_longer_run.iter().map(|id| format!("{id} no longer runs"))).collect()
}

/// What is said where no gate is recognized.
pub const NO_GATE: &str = "no gate is recognized here; [[gate]] in assize.toml declares one";

/// Shows what the gates found to a person.
pub fn gates_human(inputs: &ReviewInputs) -> String {
    let mut text = String::new();
    if inputs.exec.used().next().is_none() {
        let _ = writeln!(text, "  {NO_GATE}");
    }
    evidence(&mut text, inputs);
    if gates_exit(inputs) != Exit::Done {
        text.push_str(&explained(inputs, None));
    }
    text
}

/// The exit code of gates that ran by themselves: what a review without judges would rule. That no gate is there is no
/// acceptance.
pub fn gates_exit(inputs: &ReviewInputs) -> Exit {
    match decide(inputs).outcome {
        Outcome::Accept if inputs.exec.used().next().is_none() => Exit::Unjudged,
        outcome => Exit::of(outcome),
    }
}

/// Lists the gates that a project uses, by what they are recognized, and the others that there are.
pub fn gates_listed(used: &[(&dyn Gate, Setup)], off: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for (gate, setup) in used {
        let folder = if setup.folder.is_empty() { String::new() } else { format!(" in {}", visible(&setup.folder)) };
        let _ = writeln!(text, "{}{folder}  {}", styled(STRONG, gate.id()), quiet(&visible(&setup.because)));
        let _ = writeln!(text, "    {}", gate.summary());
    }
    if used.is_empty() {
        let _ = writeln!(text, "{NO_GATE}");
    }
    for gate in GATES.iter().filter(|gate| used.iter().all(|(used, _)| used.id() != gate.id())) {
        let why = if off.contains(gate.id()) { "left out by `skip`" } else { "not used here" };
        let _ = writeln!(text, "{}", quiet(&format!("{}  {why}; it {}", gate.id(), gate.summary())));
    }
    text
}

/// Shows which gates run, why, and with which command, and which do not.
pub fn gates_planned(plan: &GatePlan<'_>, project: &Project) -> String {
    let mut text = String::new();
    for (gate, setup) in &plan.due {
        let name = name_of(gate.id(), &setup.folder);
        let _ = writeln!(text, "{}  {}", styled(STRONG, &visible(&name)), quiet(&visible(&setup.because)));
        let command = gate.command(setup, project).again(gate.id());
        let _ = writeln!(text, "    {}", visible(command.replace('\n', " ").trim_end()));
    }
    if plan.due.is_empty() {
        let _ = writeln!(text, "{NO_GATE}");
    }
    for line in left_out(&plan.left_out) {
        let _ = writeln!(text, "{}", quiet(&visible(&line)));
    }
    for what in &project.pipeline.unread {
        let _ = writeln!(text, "{}", quiet(&format!("not read: {}", visible(what))));
    }
    text
}

/// Says which gates do not run, those of one kind in one line where they are many: a monorepo has them in each of its packages.
fn left_out(gates: &[LeftOutGate]) -> Vec<String> {
    let mut alike: BTreeMap<(&str, &str), Vec<&LeftOutGate>> = BTreeMap::new();
    for gate in gates {
        alike.entry((&gate.id, &gate.why)).or_default().push(gate);
    }
    let one = |gate: &LeftOutGate| {
        format!("{}  does not run: {} ({})", name_of(&gate.id, &gate.folder), gate.why, gate.because)
    };
    let lines = alike.into_iter().flat_map(|((id, why), gates)| {
        if gates.len() <= LEFT_OUT_SHOWN {
            return gates.into_iter().map(one).collect();
        }
        let named: Vec<&str> = gates[..LEFT_OUT_SHOWN].iter().map(|gate| gate.folder.as_str()).collect();
        let others = gates.len() - LEFT_OUT_SHOWN;
        vec![format!(
            "{id} in {} folders  does not run: {why} ({} and {others} others; --format json names all)",
            gates.len(),
            named.join(", ")
        )]
    });
    lines.collect()
}

/// The dimension that a finding counts against, for outputs that group by it.
pub fn category(finding: &Finding) -> &'static str {
    dimension_of(&finding.rule).map_or("work", |dimension| dimension.as_str())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use assize_core::finding::BlockOn;
    use assize_core::finding::Certainty;
    use assize_gate::comparison::TestComparison;
    use assize_gate::exec_report::{ExecReport, FailingTest, TestSummary, TroubleReport};
    use assize_gate::gate::{Dimension, GateTrouble};
    use assize_report::Diagnostic;
    use assize_review::case::{PatchedFile, ReviewPolicy};

    pub(crate) fn record() -> ReviewRecord {
        let gate = |id: &str, dimensions: &[Dimension], state| GateResult {
            id: id.to_owned(),
            folder: String::new(),
            because: String::new(),
            dimensions: dimensions.to_vec(),
            tests_of: TestsOf::Base,
            state,
            trouble: None,
            new: Vec::new(),
            new_left_out: 0,
            known: 0,
            tests: None,
            coverage_pct: None,
            time_ms: 1_234,
            command: format!("{id} --check"),
            log: Vec::new(),
        };
        let failing = FailingTest {
            id: "test_a.py::test_zero".to_owned(),
            path: Some("test_a.py".to_owned()),
            edge: true,
            failed_before: false,
            passed_before: false,
            excuse: None,
            message: Some("assert 1 == 2\n<script>@everyone".to_owned()),
        };
        let tests =
            TestSummary { passed: 3, failed: 1, edge_failed: 1, failing: vec![failing], ..TestSummary::default() };
        let found = Diagnostic {
            code: "F401".to_owned(),
            severity: Severity::Error,
            path: Some("src/a.py".to_owned()),
            line: Some(3),
            message: "`os` imported but unused".to_owned(),
            offer: None,
        };
        let trouble = TroubleReport {
            kind: GateTrouble::MissingTool,
            detail: "mypy is not installed".to_owned(),
            ready_by: Some("uv sync".to_owned()),
        };
        let gates = vec![
            GateResult { tests: Some(tests), ..gate("pytest", &[Dimension::TestsFunctional], GateState::Failed) },
            GateResult { new: vec![found], known: 500, ..gate("ruff-check", &[Dimension::Style], GateState::Failed) },
            GateResult { trouble: Some(trouble), ..gate("mypy", &[Dimension::Types], GateState::NotReady) },
        ];
        ReviewRecord::of(ReviewInputs {
            exec: ExecReport::of(gates, Some("namespaces".to_owned())),
            patch_summary: vec![PatchedFile {
                path: "src/a.py".to_owned(),
                added: 3,
                removed: 1,
                gone: false,
                held: false,
            }],
            findings: vec![Finding {
                rule: "secret".to_owned(),
                severity: Severity::Error,
                certainty: Certainty::Certain,
                path: Some("src/a|b.py".to_owned()),
                line: Some(9),
                message: "A key stands in the code.".to_owned(),
            }],
            ..ReviewInputs::default()
        })
    }

    #[test]
    fn many_gates_that_do_not_run_for_one_reason_take_one_line() {
        let gate = |folder: &str| LeftOutGate {
            id: "tsc".to_owned(),
            folder: folder.to_owned(),
            because: "there is a tsconfig.json".to_owned(),
            why: "switched off".to_owned(),
        };
        let three = ["a", "b", "c"].map(gate);
        assert_eq!(left_out(&three)[2], "tsc in c  does not run: switched off (there is a tsconfig.json)");
        let five = ["a", "b", "c", "d", "e"].map(gate);
        let line = "tsc in 5 folders  does not run: switched off (a, b, c and 2 others; --format json names all)";
        assert_eq!(left_out(&five), [line]);
    }

    #[test]
    fn people_see_what_failed_where_and_what_to_do() {
        insta::assert_snapshot!(anstream::adapter::strip_str(&human(&record())).to_string());
    }

    #[test]
    fn a_step_of_several_lines_is_shown_by_its_first() {
        let mut record = record();
        if let Some(verdict) = &mut record.ruling.verdict {
            verdict.fix_plan[0].brief = "first\nsecond".to_owned();
        }
        let text = human(&record);
        assert!(text.contains("first…") && !text.contains("second"), "{text}");
    }

    /// What a passing runner of tests leaves, and what is changed of it.
    fn passed(change: impl FnOnce(&mut ReviewInputs)) -> ReviewInputs {
        let record = record();
        let gate = record.inputs.exec.gates[0].clone();
        let tests = TestSummary { passed: 3, ..TestSummary::default() };
        let gate = GateResult { state: GateState::Passed, tests: Some(tests), ..gate };
        let mut inputs = ReviewInputs {
            exec: ExecReport::of(vec![gate], None),
            policy: ReviewPolicy { require: Vec::new(), ..ReviewPolicy::default() },
            ..ReviewInputs::default()
        };
        change(&mut inputs);
        inputs
    }

    fn found(inputs: &mut ReviewInputs, certainty: Certainty, severity: Severity) {
        inputs.findings.push(Finding { certainty, severity, ..record().inputs.findings[0].clone() });
        inputs.findings[0].rule = "security-lock-source".to_owned();
    }

    fn vanished(inputs: &mut ReviewInputs) {
        let comparison = TestComparison {
            missing: vec!["test_a.py::test_one".to_owned()],
            no_longer_run: vec!["test_a.py::test_two".to_owned()],
            ..TestComparison::default()
        };
        if let Some(tests) = &mut inputs.exec.gates[0].tests {
            tests.against_base = Some(comparison);
        }
    }

    #[test]
    fn gates_end_as_a_review_without_judges_would() {
        let ended = |inputs: &mut ReviewInputs, state| {
            let trouble = TroubleReport { kind: GateTrouble::MissingTool, detail: String::new(), ready_by: None };
            inputs.exec.gates[0].state = state;
            inputs.policy.require = inputs.exec.gates[0].dimensions.clone();
            inputs.exec.gates[0].trouble = Some(trouble);
        };
        for (what, inputs, exit) in [
            ("all passed", passed(|_| {}), Exit::Done),
            ("one failed", passed(|inputs| inputs.exec.gates[0].state = GateState::Failed), Exit::NotAccepted),
            ("no result", passed(|inputs| ended(inputs, GateState::NotReady)), Exit::Unjudged),
            ("no result by the change", passed(|inputs| ended(inputs, GateState::Errored)), Exit::NotAccepted),
            ("no gate", passed(|inputs| inputs.exec.gates.clear()), Exit::Unjudged),
            ("tests are gone", passed(vanished), Exit::NotAccepted),
            ("a fault", passed(|inputs| found(inputs, Certainty::Certain, Severity::Error)), Exit::NotAccepted),
            ("a note", passed(|inputs| found(inputs, Certainty::Certain, Severity::Note)), Exit::Done),
            ("what is likely", passed(|inputs| found(inputs, Certainty::Likely, Severity::Error)), Exit::Done),
            (
                "what is likely, where that blocks",
                passed(|inputs| {
                    found(inputs, Certainty::Likely, Severity::Error);
                    inputs.policy.block_on = BlockOn::Likely;
                }),
                Exit::NotAccepted,
            ),
            (
                "a fault and no gate",
                passed(|inputs| {
                    found(inputs, Certainty::Certain, Severity::Error);
                    inputs.exec.gates.clear();
                }),
                Exit::NotAccepted,
            ),
            ("no diff", passed(|inputs| inputs.missing.push("diff: none".to_owned())), Exit::Unjudged),
        ] {
            assert_eq!(gates_exit(&inputs), exit, "{what}");
        }
    }

    #[test]
    fn gates_show_what_was_found_and_what_was_left_out() {
        let inputs = passed(|inputs| {
            found(inputs, Certainty::Certain, Severity::Error);
            vanished(inputs);
            inputs.missing.push("diff: none".to_owned());
            inputs.limits.push("a\u{202e}.bin: not read".to_owned());
        });
        insta::assert_snapshot!(anstream::adapter::strip_str(&gates_human(&inputs)).to_string());
        assert!(gates_human(&passed(|inputs| inputs.exec.gates.clear())).contains(NO_GATE));
    }

    #[test]
    fn every_gate_is_listed_once_and_the_used_ones_first() {
        let because = "there is a go.mod".to_owned();
        let setup = Setup { folder: String::new(), because, detail: String::new() };
        let go = GATES.iter().find(|gate| gate.id() == "go-test").expect("a gate");
        let off = BTreeSet::from(["mypy".to_owned()]);
        let listed = gates_listed(&[(*go, setup)], &off);
        let plain = anstream::adapter::strip_str(&listed).to_string();
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[..2], ["go-test  there is a go.mod", "    runs Go tests with go test"]);
        // One line each.
        assert_eq!(lines.len(), 2 + GATES.len() - 1, "{plain}");
        assert!(lines.contains(&"mypy  left out by `skip`; it checks the types of Python code with mypy"), "{plain}");
        assert!(lines.contains(&"pytest  not used here; it runs Python tests with pytest"), "{plain}");
        assert!(listed.contains(&quiet("pytest  not used here; it runs Python tests with pytest")));
        assert!(gates_listed(&[], &off).starts_with(NO_GATE));
    }
}
