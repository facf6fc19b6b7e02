//! How a review is shown to people: on a terminal, and as a comment on a change.

use std::fmt::Write as _;

use assize_core::court::review::ReviewRecord;
use assize_core::court::review::{Scope, dimension_of};
use assize_core::exec_report::{ExecReport, GateResult, line_of};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::gate::GateState;
use assize_core::ruling::Outcome;
use assize_core::text::make_visible;
use assize_core::verdict::{FixOperation, ReviewVerdict, Scores};

use super::{BAD, DOUBTFUL, GOOD, STRONG, finding_line, gate_mark, judge_cost, outcome, quiet, styled};
use crate::exit::Exit;

/// Diagnostics and tests of one gate that a person is shown.
const SHOWN: usize = 8;

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
    for gate in &inputs.exec.gates {
        gate_lines(&mut text, gate);
    }
    let (notes, rest): (Vec<&Finding>, Vec<&Finding>) =
        inputs.findings.iter().partition(|finding| finding.severity == Severity::Note);
    for finding in rest {
        let _ = writeln!(text, "  {}", finding_line(finding));
    }
    for finding in notes {
        let _ = writeln!(text, "  {} {finding} {}", quiet("note"), quiet(&format!("[{}]", finding.rule)));
    }
    for missing in &inputs.missing {
        let _ = writeln!(text, "  {} {missing}", styled(DOUBTFUL, "not gathered"));
    }
    for limit in &inputs.limits {
        let _ = writeln!(text, "  {} {limit}", quiet("note"));
    }
    if let Some(level) = &inputs.exec.sandbox {
        let _ = writeln!(text, "  {}", quiet(sandbox(level)));
    }
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
            let brief = visible(step.brief.lines().next().unwrap_or_default());
            let _ = writeln!(text, "  {} {}: {brief}", quiet(operation(step.operation)), visible(&step.file));
        }
    }
    text
}

/// A strong sandbox is named; of a weak one a person is told what it lets through.
fn sandbox(level: &str) -> &str {
    let strong = ["bubblewrap", "namespaces"].iter().any(|tier| level.starts_with(&format!("sandbox {tier}")));
    level.split_once(':').filter(|_| strong).map_or(level, |(name, _)| name)
}

fn visible(text: &str) -> String {
    make_visible(text).into_owned()
}

fn scope(record: &ReviewRecord) -> String {
    let inputs = &record.inputs;
    let files = match inputs.patch_summary.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    match (&inputs.case.base, inputs.case.scope) {
        (_, Scope::Everything) => "the whole tree".to_owned(),
        (None, Scope::Change) => format!("{files}, compared with nothing"),
        (Some(base), Scope::Change) if inputs.patch_summary.is_empty() => {
            format!("nothing differs from {}; the tree as it is was judged", short(base))
        }
        (Some(base), Scope::Change) => format!("{files} changed since {}", short(base)),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn operation(operation: FixOperation) -> &'static str {
    match operation {
        FixOperation::Edit => "edit",
        FixOperation::Add => "add",
        FixOperation::Remove => "remove",
    }
}

fn scores(scores: &Scores) -> String {
    let shown = Scores::DIMENSIONS.into_iter().filter_map(|dimension| {
        let score = scores.get(dimension)?;
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

fn number(score: f64) -> String {
    if score.fract() == 0.0 { format!("{score:.0}") } else { format!("{score:.1}") }
}

fn gate_lines(text: &mut String, gate: &GateResult) {
    if gate.state == GateState::Absent {
        return;
    }
    let mut details = Vec::new();
    if let Some(tests) = &gate.tests {
        details.push(format!("{} passed", tests.passed));
        for (count, what) in [
            (tests.failed, "failed"),
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
        let _ = writeln!(text, "      {}", visible(&trouble.detail));
    }
    for diagnostic in gate.new.iter().take(SHOWN) {
        let _ = writeln!(text, "      {}", visible(&line_of(diagnostic)));
    }
    let failing = gate.tests.as_ref().map_or(&[][..], |tests| &tests.failing);
    for test in failing.iter().take(SHOWN) {
        let before = if test.failed_before { quiet(" (failed before as well)") } else { String::new() };
        let _ = writeln!(text, "      {}{before}", visible(&test.id));
        let said = test.message.as_deref().and_then(|message| message.lines().rfind(|line| !line.trim().is_empty()));
        if let Some(said) = said {
            let _ = writeln!(text, "        {}", quiet(&visible(said.trim())));
        }
    }
    let hidden = new.saturating_sub(SHOWN) + failing.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "      {}", quiet(&format!("and {hidden} more")));
    }
    if gate.state != GateState::Passed {
        let _ = writeln!(text, "      {}", quiet(&format!("again: {}", visible(&gate.command))));
    }
}

/// Shows a review as a comment on a change.
pub fn markdown(record: &ReviewRecord) -> String {
    let (inputs, ruling) = (&record.inputs, &record.ruling);
    let mut text = format!("## Assize: {}\n\n{}.\n\n", ruling.outcome, escape(&scope(record)));
    if let Some(unjudged) = &ruling.unjudged {
        let _ = writeln!(text, "Not judged: {}\n", escape(&unjudged.to_string()));
    }
    if let Some(verdict) = &ruling.verdict {
        verdict_markdown(&mut text, verdict);
    }
    text.push_str(&gates_markdown(&inputs.exec));
    let likely = inputs.findings.iter().filter(|finding| finding.certainty == Certainty::Likely);
    for (index, finding) in likely.enumerate() {
        if index == 0 {
            text.push_str("\nWorth a look:\n\n");
        }
        let _ = writeln!(text, "- {} (`{}`)", escape(&finding.to_string()), finding.rule);
    }
    let notes = inputs
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Note && finding.certainty == Certainty::Certain);
    for (index, finding) in notes.enumerate() {
        if index == 0 {
            text.push_str("\nNotes:\n\n");
        }
        let _ = writeln!(text, "- {} (`{}`)", escape(&finding.to_string()), finding.rule);
    }
    text
}

/// Shows what the gates found as a table.
pub fn gates_markdown(exec: &ExecReport) -> String {
    let mut text = String::new();
    if !exec.gates.is_empty() {
        text.push_str("| gate | state | tests | new | known | time |\n|---|---|---|---|---|---|\n");
    }
    for gate in &exec.gates {
        let state = match gate.state {
            GateState::Passed => "✅ passed",
            GateState::Failed => "❌ failed",
            GateState::Errored => "❔ no result",
            GateState::Absent => continue,
        };
        let tests = gate.tests.as_ref().map_or(String::new(), |tests| {
            let all = tests.passed + tests.failed;
            format!("{} of {all}", tests.passed)
        });
        let (new, time) = (gate.new.len() + gate.new_left_out, gate.time_ms as f64 / 1_000.0);
        let _ =
            writeln!(text, "| {} | {state} | {tests} | {new} | {} | {time:.1} s |", escape(&gate.name()), gate.known);
    }
    text
}

/// Shows what the gates found to a person.
pub fn gates_human(exec: &ExecReport) -> String {
    let mut text = String::new();
    for gate in &exec.gates {
        gate_lines(&mut text, gate);
    }
    if exec.gates.is_empty() {
        text.push_str("  no gate is recognized here; [[gate]] in assize.toml declares one\n");
    }
    if let Some(level) = &exec.sandbox {
        let _ = writeln!(text, "  {}", quiet(sandbox(level)));
    }
    text
}

/// The exit code of gates that ran by themselves: red, without a result, or green.
pub fn exit_of(exec: &ExecReport) -> Exit {
    let any = |state| exec.gates.iter().any(|gate| gate.state == state);
    if any(GateState::Failed) {
        Exit::NotAccepted
    } else if any(GateState::Errored) || exec.gates.is_empty() {
        Exit::Unjudged
    } else {
        Exit::Done
    }
}

fn verdict_markdown(text: &mut String, verdict: &ReviewVerdict) {
    let _ = writeln!(text, "{}\n", escape(&verdict.explanations.root_cause));
    for (index, step) in verdict.fix_plan.iter().enumerate() {
        if index == 0 {
            text.push_str("What to do:\n\n");
        }
        let _ = writeln!(text, "- [ ] {} `{}`: {}", operation(step.operation), code(&step.file), escape(&step.brief));
    }
    if !verdict.fix_plan.is_empty() {
        text.push('\n');
    }
    text.push_str("| dimension | score |\n|---|---|\n");
    for dimension in Scores::DIMENSIONS {
        if let Some(score) = verdict.scores.get(dimension) {
            let _ = writeln!(text, "| {} | {} |", dimension.as_str(), number(score));
        }
    }
    text.push('\n');
}

/// Judged text must neither break out of its place nor mention anybody.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in make_visible(text).chars() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' => escaped.push_str("\\|"),
            '`' => escaped.push('\''),
            '@' => escaped.push_str("@\u{2060}"),
            '[' | ']' | '*' | '_' | '#' | '!' | '\\' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

fn code(text: &str) -> String {
    make_visible(text).replace(['`', '\n', '\r', '|'], "'")
}

/// The dimension that a finding counts against, for outputs that group by it.
pub fn category(finding: &Finding) -> &'static str {
    dimension_of(&finding.rule).map_or("work", |dimension| dimension.as_str())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use assize_core::court::review::{PatchedFile, ReviewInputs};
    use assize_core::exec_report::{ExecReport, FailingTest, TestSummary, TestsOf, Trouble};
    use assize_core::gate::{Dimension, GateTrouble};
    use assize_core::report::Diagnostic;

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
        };
        let trouble =
            Trouble { kind: GateTrouble::MissingTool, detail: "mypy is not installed".to_owned(), to_blame: false };
        let gates = vec![
            GateResult { tests: Some(tests), ..gate("pytest", &[Dimension::TestsFunctional], GateState::Failed) },
            GateResult { new: vec![found], known: 500, ..gate("ruff-check", &[Dimension::Style], GateState::Failed) },
            GateResult { trouble: Some(trouble), ..gate("mypy", &[Dimension::Types], GateState::Errored) },
        ];
        ReviewRecord::of(ReviewInputs {
            exec: ExecReport::of(gates, Some("namespaces".to_owned())),
            patch_summary: vec![PatchedFile { path: "src/a.py".to_owned(), added: 3, removed: 1 }],
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
    fn people_see_what_failed_where_and_what_to_do() {
        insta::assert_snapshot!(anstream::adapter::strip_str(&human(&record())).to_string());
    }

    #[test]
    fn a_comment_lets_nothing_out_of_its_place() {
        let text = markdown(&record());
        assert!(!text.contains("<script>") && !text.contains("@everyone"), "{text}");
        insta::assert_snapshot!(text);
    }
}
