//! What people and programs are shown.
//!
//! One place for marks and the machine envelope, so that the same thing looks the same
//! everywhere. Nothing is decided here, and no command is known.

pub mod audit;
mod columns;
pub mod comment;
pub mod eval;
pub mod fix;
pub mod form;
pub mod junit;
pub mod market;
pub mod page;
pub mod patch;
pub mod report;
pub mod review;
pub mod table;
pub mod tournament;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::opinion::JudgeRecord;
use assize_core::ruling::{Outcome, Unjudged};
use assize_core::text::make_visible;
use assize_gate::exec_report::GateResult;
use assize_gate::gate::GateState;
use assize_review::fix::cost::{Costs, Spending};
use assize_stop::court::{AllowReason, Disposition, StopRecord};
use assize_stop::envelope::StopEnvelope;
use assize_stop::verification::StopVerification;
use chrono::{DateTime, Local};
use serde_json::{Value, json};

use crate::output::{BAD, DOUBTFUL, GOOD, QUIET, STRONG, quiet, styled};
use crate::pages;

/// Shows what others wrote, with what it hides.
fn visible(text: &str) -> String {
    make_visible(text).into_owned()
}

/// Writes down how many there are of something.
pub fn count(count: impl std::fmt::Display + PartialEq + From<u8> + Copy, one: &str, many: &str) -> String {
    let name = if count == 1.into() { one } else { many };
    format!("{count} {name}")
}

/// Writes a moment as people here do.
pub fn time(at_ms: i64) -> String {
    match DateTime::from_timestamp_millis(at_ms) {
        Some(at) => at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string(),
        None => format!("{at_ms} ms"),
    }
}

/// Writes a moment for readers anywhere.
pub fn time_utc(at_ms: i64) -> String {
    match DateTime::from_timestamp_millis(at_ms) {
        Some(at) => at.format("%Y-%m-%d %H:%M UTC").to_string(),
        None => format!("{at_ms} ms"),
    }
}

/// Shows an outcome with its mark.
pub fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Accept => styled(GOOD, "✓ accept"),
        Outcome::Revise => styled(BAD, "✗ revise"),
        Outcome::Reject => styled(BAD, "✗ reject"),
        Outcome::Unjudged => styled(DOUBTFUL, "? unjudged"),
    }
}

/// Shows how a gate ended.
pub fn gate_mark(state: GateState) -> String {
    match state {
        GateState::Passed => styled(GOOD, "✓"),
        GateState::Failed => styled(BAD, "✗"),
        GateState::Errored => styled(DOUBTFUL, "?"),
        GateState::NotReady => styled(DOUBTFUL, "!"),
        GateState::Absent => quiet("-"),
    }
}

/// Says in a few words what was done with the agent.
pub fn disposition(disposition: &Disposition) -> String {
    match disposition {
        Disposition::Block { .. } => "blocked".to_owned(),
        Disposition::Allow { leave, .. } => match leave {
            AllowReason::Accepted => "allowed".to_owned(),
            AllowReason::NothingAsked => "allowed: nothing is open".to_owned(),
            AllowReason::BackgroundRunning => "allowed: background tasks run".to_owned(),
            AllowReason::Interrupted => "allowed: interrupted".to_owned(),
            AllowReason::Planning => "allowed: it only plans".to_owned(),
            AllowReason::Paused => "allowed: paused".to_owned(),
            AllowReason::Unjudged => "allowed: unjudged".to_owned(),
            AllowReason::Released(release) => format!("released: {}", release.reason()),
            AllowReason::Shadow => "allowed: shadow".to_owned(),
        },
    }
}

/// Shows a ruling to a person.
pub fn stop_record(record: &StopRecord) -> String {
    let ruling = &record.decision.ruling;
    let mut text = format!("{}  {}\n", outcome(ruling.outcome), quiet(&disposition(&record.decision.disposition)));
    if let Some(unjudged) = &ruling.unjudged {
        let _ = writeln!(text, "  {unjudged}");
    }
    if let Some(verdict) = &ruling.verdict {
        let _ = writeln!(text, "  {}", verdict.reason);
    }
    for finding in &record.inputs.findings {
        let _ = writeln!(text, "  {}", finding_line(finding));
    }
    if let Some(verdict) = &ruling.verdict {
        let of_findings: Vec<String> = record.inputs.findings.iter().map(Finding::with_id).collect();
        for item in verdict.missing_items.iter().filter(|item| !of_findings.contains(item)) {
            let _ = writeln!(text, "  {} {item}", styled(BAD, "missing"));
        }
        for question in &verdict.questions_for_user {
            let _ = writeln!(text, "  {} {question}", styled(DOUBTFUL, "question"));
        }
        for step in &verdict.suggested_next_steps {
            let _ = writeln!(text, "  {} {step}", quiet("next"));
        }
    }
    if let Some(evidence) = &record.inputs.evidence {
        for line in evidence.verification.iter().flat_map(StopVerification::lines) {
            let _ = writeln!(text, "  {} {line}", quiet("ran"));
        }
        for missing in &evidence.missing {
            let _ = writeln!(text, "  {} {missing}", styled(DOUBTFUL, "not gathered"));
        }
        for limit in &evidence.limits {
            let _ = writeln!(text, "  {} {limit}", quiet("note"));
        }
    }
    for opinion in &record.inputs.opinions {
        let judge = &opinion.judge;
        let what = match &opinion.verdict {
            Ok(verdict) if verdict.pass => "passes it".to_owned(),
            Ok(_) => "does not pass it".to_owned(),
            // The ruling has said it already where one judge's silence is the whole reason.
            Err(unjudged) if ruling.unjudged.as_ref().is_some_and(|all| all.detail.ends_with(&unjudged.detail)) => {
                "did not judge".to_owned()
            }
            Err(unjudged) => format!("did not judge ({unjudged})"),
        };
        let _ = writeln!(text, "  {} {what} {}", styled(STRONG, &judge.id), quiet(&judge_cost(judge)));
    }
    if ruling.outcome != Outcome::Accept {
        text.push_str(&explain_line(&record.inputs.findings, &[], ruling.unjudged.as_ref()));
    }
    text
}

/// Returns the line that says how to read about what a result names: a certain finding before a gate that did not pass,
/// then a likely finding, then the cause of an unjudged ruling. Empty where no page is about any of them.
fn explain_line(findings: &[Finding], gates: &[GateResult], unjudged: Option<&Unjudged>) -> String {
    let of = |certainty| {
        let alike = findings.iter().filter(move |finding| finding.certainty == certainty);
        alike.filter(|finding| finding.severity != Severity::Note).map(|finding| finding.rule.as_str())
    };
    let gates =
        gates.iter().filter(|gate| matches!(gate.state, GateState::Failed | GateState::Errored | GateState::NotReady));
    let gates = gates.map(|gate| gate.id.as_str());
    let causes = unjudged.map(|unjudged| unjudged.cause.as_str());
    let ids = of(Certainty::Certain).chain(gates).chain(of(Certainty::Likely)).chain(causes);
    pages::pointer(ids).map_or_else(String::new, |line| format!("  {}\n", quiet(&line)))
}

/// Shows a diff to a person.
pub fn diff(text: &str) -> String {
    const COME: Style = AnsiColor::Green.on_default();
    const GO: Style = AnsiColor::Red.on_default();
    let mut shown = String::new();
    for line in text.lines() {
        let visible = make_visible(line);
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => STRONG,
            [b'+', ..] => COME,
            [b'-', ..] => GO,
            [b'@', ..] => QUIET,
            _ => Style::new(),
        };
        let _ = writeln!(shown, "{}", styled(style, &visible));
    }
    shown
}

/// Shows a finding on one line.
pub fn finding_line(finding: &Finding) -> String {
    let (style, mark) = match finding.certainty {
        Certainty::Certain => (BAD, "certain"),
        Certainty::Likely => (DOUBTFUL, "likely"),
    };
    format!("{} {finding} {}", styled(style, mark), quiet(&format!("[{}]", finding.rule)))
}

fn judge_cost(judge: &JudgeRecord) -> String {
    let mut parts = Vec::new();
    parts.extend(judge.model.clone());
    if judge.cached {
        parts.push("cached".to_owned());
    } else {
        parts.push(format!("{:.1} s", judge.latency_ms as f64 / 1_000.0));
        if judge.tokens_in + judge.tokens_out > 0 {
            parts.push(format!("{} + {} tokens", judge.tokens_in, judge.tokens_out));
        }
        parts.extend(judge.cost_usd.map(|cost| format!("${cost:.4}")));
    }
    format!("({})", parts.join(", "))
}

/// Shows what was spent.
pub fn spent(spent: &Spending) -> String {
    let cost = match spent.cost_usd {
        Some(0.0) => "nothing paid".to_owned(),
        Some(cost) => format!("${cost:.4}"),
        None => "cost unknown".to_owned(),
    };
    format!("{:.1} s, {cost}", spent.time_ms as f64 / 1_000.0)
}

/// Shows what asking a fixer came to cost.
pub fn costs(costs: &Costs) -> String {
    let mut parts =
        vec![if costs.requests == 1 { "1 request".to_owned() } else { format!("{} requests", costs.requests) }];
    if costs.cached > 0 {
        parts.push(format!("{} cached", costs.cached));
    }
    if costs.tokens_in + costs.tokens_out > 0 {
        parts.push(format!("{} + {} tokens", costs.tokens_in, costs.tokens_out));
    }
    parts.push(spent(&costs.spent));
    parts.join(", ")
}

/// Shows a ruling as Markdown.
pub fn stop_markdown(record: &StopRecord) -> String {
    let ruling = &record.decision.ruling;
    let mut text = format!("## Assize: {}\n\n", ruling.outcome);
    if let Some(unjudged) = &ruling.unjudged {
        let _ = writeln!(text, "Not judged: {unjudged}\n");
    }
    if let Some(verdict) = &ruling.verdict {
        let _ = writeln!(text, "{}\n", verdict.reason);
        for item in &verdict.missing_items {
            let _ = writeln!(text, "- [ ] {}", item.replace('\n', " "));
        }
    }
    let likely = record.inputs.findings.iter().filter(|finding| finding.certainty == Certainty::Likely);
    for (index, finding) in likely.enumerate() {
        if index == 0 {
            text.push_str("\nWorth a look:\n\n");
        }
        let _ = writeln!(text, "- {finding} (`{}`)", finding.rule);
    }
    text
}

/// Makes the machine envelope of a stop.
pub fn stop_envelope(record: &StopRecord) -> Value {
    json!(StopEnvelope::of(record))
}
