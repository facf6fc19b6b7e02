//! A review, or what its gates found, as a comment on a change, in Markdown.
//!
//! The length of a comment is limited. Each list in it is cut separately and says how much it left out, so that a long
//! list does not take the place of the others.

use std::fmt::Write as _;

use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::text::make_visible;
use assize_gate::exec_report::GateResult;
use assize_gate::gate::GateState;
use assize_review::case::ReviewInputs;
use assize_review::court::ReviewRecord;
use assize_review::verdict::{ReviewVerdict, Scores};

use super::review::{NO_GATE, number, operation, scope};

/// Most characters of a comment: GitHub refuses longer ones.
pub(super) const COMMENT_CHARS_MAX: usize = 65_536;
/// Most characters of one list.
const LIST_CHARS_MAX: usize = 6_500;
/// Most characters of one text that others wrote.
const TEXT_CHARS_MAX: usize = 4_000;

/// Seven lists of a review and one of a fix, two texts, and what stands around them.
const _: () = assert!(8 * LIST_CHARS_MAX + 2 * TEXT_CHARS_MAX + 4_000 <= COMMENT_CHARS_MAX);

/// Shows a review as a comment on a change.
pub fn review(record: &ReviewRecord) -> String {
    let ruling = &record.ruling;
    let heading = format!("## Assize: {}\n\n{}.\n\n", ruling.outcome, escape(&scope(record)));
    finished(heading + &body(record))
}

/// Shows what a review rests on.
pub(super) fn body(record: &ReviewRecord) -> String {
    let ruling = &record.ruling;
    let mut text = String::new();
    if let Some(unjudged) = &ruling.unjudged {
        let _ = writeln!(text, "Not judged: {}\n", escape(&unjudged.to_string()));
    }
    if let Some(verdict) = &ruling.verdict {
        verdict_of(&mut text, verdict);
    }
    evidence(&mut text, &record.inputs);
    text
}

/// Shows what gates found that ran by themselves.
pub fn gates(inputs: &ReviewInputs) -> String {
    let mut text = String::new();
    if inputs.exec.used().next().is_none() {
        let _ = writeln!(text, "{}.\n", escape(NO_GATE));
    }
    evidence(&mut text, inputs);
    finished(text)
}

pub(super) fn finished(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn verdict_of(text: &mut String, verdict: &ReviewVerdict) {
    let _ = writeln!(text, "{}\n", escape(&verdict.explanations.root_cause));
    let steps = verdict
        .fix_plan
        .iter()
        .map(|step| format!("- [ ] {} `{}`: {}", operation(step.operation), code(&step.file), escape(&step.brief)));
    list(text, "What to do:\n", steps);
    let scores = Scores::DIMENSIONS.into_iter().filter_map(|dimension| {
        let score = verdict.scores.get(dimension).map(number);
        let score = score.or_else(|| Scores::STATED.contains(&dimension).then(|| "unknown".to_owned()))?;
        Some(format!("| {} | {score} |", dimension.as_str()))
    });
    list(text, "| dimension | score |\n|---|---|", scores);
}

/// Shows what was found without any judge, and what was not looked at.
fn evidence(text: &mut String, inputs: &ReviewInputs) {
    let mut gates: Vec<&GateResult> = inputs.exec.used().collect();
    // What is cut off is green.
    gates.sort_by_key(|gate| gate.state == GateState::Passed);
    let table = "| gate | state | tests | new | known | time |\n|---|---|---|---|---|---|";
    list(text, table, gates.into_iter().map(gate_row));
    let title_of = |finding: &Finding| match (finding.certainty, finding.severity) {
        (Certainty::Likely, _) => "Worth a look",
        (Certainty::Certain, Severity::Note) => "Notes",
        (Certainty::Certain, _) => "Found",
    };
    for title in ["Found", "Worth a look", "Notes"] {
        let findings = inputs.findings.iter().filter(|finding| title_of(finding) == title);
        let entries = findings.map(|finding| format!("- {} (`{}`)", escape(&finding.to_string()), finding.rule));
        list(text, &format!("{title}:\n"), entries);
    }
    for (title, sentences) in [("Not gathered:\n", &inputs.missing), ("Left out:\n", &inputs.limits)] {
        list(text, title, sentences.iter().map(|sentence| format!("- {}", escape(sentence))));
    }
}

fn gate_row(gate: &GateResult) -> String {
    let state = match gate.state {
        GateState::Passed => "✅ passed",
        GateState::Failed => "❌ failed",
        GateState::Errored => "❔ no result",
        GateState::NotReady => "➖ not ready",
        GateState::Absent => "not used",
    };
    let tests = gate.tests.as_ref().map_or(String::new(), |tests| {
        let all = tests.passed + tests.failed;
        format!("{} of {all}", tests.passed)
    });
    let (new, time) = (gate.new.len() + gate.new_left_out, gate.time_ms as f64 / 1_000.0);
    format!("| {} | {state} | {tests} | {new} | {} | {time:.1} s |", escape(&gate.name()), gate.known)
}

/// Puts a list under its title, one line for each entry; nothing where there is none. Entries that there is no room for
/// are counted.
pub(super) fn list(text: &mut String, title: &str, entries: impl Iterator<Item = String>) {
    let (mut room, mut left_out) = (LIST_CHARS_MAX, 0_usize);
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for entry in entries {
        match room.checked_sub(entry.chars().count() + 1) {
            Some(rest) => {
                room = rest;
                let _ = writeln!(text, "{entry}");
            }
            None => left_out += 1,
        }
    }
    match left_out {
        0 => {}
        1 => text.push_str("\n1 more is left out here.\n"),
        count => {
            let _ = writeln!(text, "\n{count} more are left out here.");
        }
    }
    text.push('\n');
}

/// Judged text must neither break out of its place nor mention anybody, nor fill the comment.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut room = TEXT_CHARS_MAX;
    for character in make_visible(text).chars() {
        let start = escaped.len();
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
        let Some(rest) = room.checked_sub(escaped[start..].chars().count()) else {
            escaped.truncate(start);
            escaped.push('…');
            break;
        };
        room = rest;
    }
    escaped
}

fn code(text: &str) -> String {
    make_visible(text).replace(['`', '\n', '\r', '|'], "'")
}

#[cfg(test)]
pub(super) mod tests {
    use assize_review::verdict::{FixOperation, FixPlanStep};

    use super::*;
    use crate::render::review::tests::record;

    #[test]
    fn a_comment_lets_nothing_out_of_its_place() {
        let text = review(&record());
        assert!(!text.contains("<script>") && !text.contains("@everyone"), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_list_is_cut_at_its_limit_and_says_so() {
        let entry = "x".repeat(99);
        let shown = |count: usize| {
            let mut text = String::new();
            list(&mut text, "T:\n", vec![entry.clone(); count].into_iter());
            let (entries, rest) = (text.matches(&entry).count(), text.replace(&format!("{entry}\n"), ""));
            (entries, rest)
        };
        let most = LIST_CHARS_MAX / 100;
        assert_eq!(shown(0), (0, String::new()));
        assert_eq!(shown(most), (most, "T:\n\n\n".to_owned()));
        assert_eq!(shown(most + 1), (most, "T:\n\n\n1 more is left out here.\n\n".to_owned()));
        assert_eq!(shown(most + 7), (most, "T:\n\n\n7 more are left out here.\n\n".to_owned()));
    }

    #[test]
    fn a_text_is_cut_at_its_limit_between_what_belongs_together() {
        let long = |count: usize| "x".repeat(count);
        for (text, expected) in [
            (long(TEXT_CHARS_MAX), long(TEXT_CHARS_MAX)),
            (long(TEXT_CHARS_MAX + 1), format!("{}…", long(TEXT_CHARS_MAX))),
            (format!("{}<", long(TEXT_CHARS_MAX - 4)), format!("{}&lt;", long(TEXT_CHARS_MAX - 4))),
            (format!("{}<", long(TEXT_CHARS_MAX - 3)), format!("{}…", long(TEXT_CHARS_MAX - 3))),
        ] {
            assert!(escape(&text) == expected, "{} characters", text.chars().count());
        }
    }

    /// A review with more of everything than there is room for.
    pub(in crate::render) fn long_record() -> ReviewRecord {
        let mut long = record();
        let worst = "\u{202e}&".repeat(1_000);
        let mut finding = long.inputs.findings[0].clone();
        finding.message = worst.clone();
        for (certainty, severity) in [
            (Certainty::Certain, Severity::Error),
            (Certainty::Certain, Severity::Note),
            (Certainty::Likely, Severity::Error),
        ] {
            let one = Finding { certainty, severity, ..finding.clone() };
            long.inputs.findings.extend(vec![one.clone(); 20]);
            long.inputs.findings.extend(vec![Finding { message: "short".to_owned(), ..one }; 2_000]);
        }
        long.inputs.exec.gates = long.inputs.exec.gates.iter().cycle().take(2_000).cloned().collect();
        long.inputs.missing = vec![worst.clone(); 500];
        long.inputs.limits = vec!["short".to_owned(); 5_000];
        if let Some(verdict) = &mut long.ruling.verdict {
            let step = FixPlanStep { file: "a".to_owned(), operation: FixOperation::Edit, brief: "b".to_owned() };
            verdict.explanations.root_cause = worst.repeat(8);
            verdict.fix_plan = vec![step; 5_000];
        }
        long.ruling.unjudged = Some(assize_core::ruling::Unjudged::new(assize_core::ruling::Cause::Malformed, worst));
        long
    }

    #[test]
    fn no_review_is_too_long_for_a_comment() {
        let long = long_record();
        for text in [review(&long), gates(&long.inputs)] {
            let chars = text.chars().count();
            assert!(chars > COMMENT_CHARS_MAX / 2 && chars <= COMMENT_CHARS_MAX, "{chars}");
            for part in ["| pytest | ❌ failed", "Found:", "Worth a look:", "Notes:", "Not gathered:", "Left out:"] {
                assert!(text.contains(part), "{part}");
            }
            assert!(text.matches(" more are left out here.").count() >= 5, "{text}");
        }
    }
}
