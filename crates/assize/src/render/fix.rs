//! How a fix is shown to a person at a terminal.

use std::fmt::Write as _;

use assize_core::court::standing::{Criterion, Measure, Standing, UNCOUNTED};
use assize_core::fix::record::{FixEnd, FixStep};
use assize_core::fix::rounds::{By, Came, FixEvent, Proposal};
use assize_core::text::{make_visible, quote};

use super::{STRONG, outcome, quiet, styled};

/// Faults of a patch that a person is shown.
const FAULTS_SHOWN: usize = 3;

/// Shows what a fix came to.
pub fn human(end: &FixEnd, is_dry: bool) -> String {
    let mut text = format!("{}  {}\n", outcome(end.outcome), end.ending.sentence());
    for (index, round) in end.rounds.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {} {} {}",
            quiet(&format!("{}.", index + 1)),
            styled(STRONG, by(round.by)),
            came(&round.came)
        );
    }
    if end.best > 0
        && let Some(criterion) = end.after.differs(&end.before)
    {
        let _ = writeln!(text, "  better in: {}", criterion_words(criterion, &end.before, &end.after));
    }
    let cost = match end.cost_usd {
        Some(0.0) => "nothing paid".to_owned(),
        Some(cost) => format!("${cost:.4}"),
        None => "cost unknown".to_owned(),
    };
    let seconds = end.time_ms as f64 / 1_000.0;
    let _ = writeln!(text, "  {}", quiet(&format!("{seconds:.1} s, {cost}")));
    let files: std::collections::BTreeSet<&str> = end.patch.ops.iter().map(assize_core::patch::Op::path).collect();
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    text.push_str(&match (files.is_empty(), end.written, is_dry) {
        (true, ..) => "nothing was changed\n".to_owned(),
        (_, true, _) => format!("written to {count}\n"),
        (_, false, true) => format!("nothing was written: {count} would change\n"),
        (_, false, false) => {
            format!("nothing was written: {count} would change; --keep-best takes what is better and not accepted\n")
        }
    });
    text
}

/// Names who was asked.
pub fn by(who: By) -> &'static str {
    match who {
        By::Mechanical => "tools",
        By::Configured => "fixer",
    }
}

/// Says what came of a round.
pub fn came(came: &Came) -> String {
    match came {
        Came::Asked => "is being asked".to_owned(),
        Came::Made(_) => "a patch".to_owned(),
        Came::Better(_) => "a patch that helps".to_owned(),
        Came::Even(_) => "a patch that leads from one objection to another".to_owned(),
        Came::Dropped(_) => "a patch that does not help; dropped".to_owned(),
        Came::Known(_) => "a patch that leads to where it was before".to_owned(),
        Came::Unfit(faults) => {
            let shown: Vec<String> = faults.iter().take(FAULTS_SHOWN).map(|fault| quote(fault)).collect();
            let more = if faults.len() > FAULTS_SHOWN {
                format!("; and {} more", faults.len() - FAULTS_SHOWN)
            } else {
                String::new()
            };
            format!("no patch that fits: {}{more}", shown.join("; "))
        }
        Came::Nothing => "nothing to offer".to_owned(),
        Came::Unavailable => "could not be asked".to_owned(),
    }
}

fn criterion_words(criterion: Criterion, before: &Standing, after: &Standing) -> String {
    let words = |measure: Measure| match measure {
        Measure::Faults(UNCOUNTED) => "no result".to_owned(),
        Measure::Faults(1) => "1 fault".to_owned(),
        Measure::Faults(count) => format!("{count} faults"),
        Measure::Unknown => "unknown".to_owned(),
        Measure::Holds => "no fault".to_owned(),
    };
    match before.measure(criterion).zip(after.measure(criterion)) {
        Some((before, after)) => format!("{} ({} before, {} now)", criterion.name(), words(before), words(after)),
        None => criterion.name().to_owned(),
    }
}

/// Shows one recorded step on a line.
pub fn step_line(step: &FixStep) -> String {
    match &step.event {
        FixEvent::Judged(judged) => {
            let count: u32 = judged.objections.values().sum();
            format!("{}  {count} objections", outcome(judged.standing.ruling))
        }
        FixEvent::Proposed(proposed) => {
            let who = step.fixer.as_ref().map(|fixer| format!(" of {}", fixer.id)).unwrap_or_default();
            match &proposed.proposal {
                Proposal::Fits { .. } => {
                    let ops = step.patch.as_ref().map_or(0, |patch| patch.ops.len());
                    format!("patch{who}  {ops} operations")
                }
                Proposal::Unfit(faults) => {
                    let first = faults.first().map(|fault| make_visible(fault).into_owned()).unwrap_or_default();
                    format!("patch{who} that does not fit  {}", quote(&first))
                }
                Proposal::Nothing => format!("no patch{who}"),
                Proposal::Unavailable(why) => format!("no patch{who}  {}", quote(&why.to_string())),
            }
        }
    }
}
