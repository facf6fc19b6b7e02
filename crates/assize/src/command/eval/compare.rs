//! `assize eval compare FIRST SECOND`: two judgements of the same records.

use std::collections::BTreeMap;
use std::path::PathBuf;

use assize_core::ruling::Outcome;
use assize_eval::envelope::DriftEnvelope;
use assize_eval::envelope::ComparisonEnvelope;
use assize_eval::judge_evaluation::compare::{ComparedRecord, compare};
use assize_eval::judge_evaluation::drift::{FLIPS_MAX, drift};
use assize_eval::judge_evaluation::handed::fails_together;
use assize_eval::judge_evaluation::join::RecordIndex;
use assize_eval::rubric::Rubric;
use serde_json::json;

use super::input::{self, DataArguments};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize eval compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, group(clap::ArgGroup::new("second").required(true).args(["with", "against"])))]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The first judgement.
    #[arg(long, value_name = "FILE")]
    verdicts: PathBuf,
    /// The second judgement.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// A baseline in place of a second judgement: rulings of an earlier run. What differs from it in rubric, judges, records or
    /// labels is drift, and the exit code says so.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["with", "with_rubric"])]
    against: Option<PathBuf>,
    /// The share of labels that may flip against the baseline.
    #[arg(long, value_name = "SHARE", default_value_t = FLIPS_MAX, requires = "against")]
    flips_max: f64,
    /// The rubric of the second judgement, where it is another one. Modes are set side by side by their ids.
    #[arg(long, value_name = "RUBRIC")]
    with_rubric: Option<PathBuf>,
    /// What people say of the records: shows which of the two agrees with them.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  assize eval compare strict.toml records.jsonl --verdicts before.jsonl --with after.jsonl
  assize eval compare lenient.toml records.jsonl --verdicts lenient.jsonl --with strict.jsonl --with-rubric strict.toml --labels people.csv

  assize eval compare rubric.toml anchors.jsonl --verdicts today.jsonl --against baseline.jsonl --labels people.csv

Exit codes: 0 compared, or no drift \u{b7} 1 drift \u{b7} 2 something cannot be read or joined \u{b7} 3 no label is on both sides";

/// Runs `assize eval compare`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (rubric, _) = arguments.data.rubric(host)?;
    let Some(with) = &arguments.with else { return against(arguments, host, &rubric, output) };
    let second_rubric = match &arguments.with_rubric {
        Some(path) => {
            let (mut other, _) = input::rubric(host, path)?;
            other.record.id.clone_from(&rubric.record.id);
            Some(other)
        }
        None => None,
    };
    let second_rubric = second_rubric.as_ref().unwrap_or(&rubric);
    let modes: Vec<&str> = rubric
        .asked()
        .map(|mode| mode.id.as_str())
        .filter(|id| second_rubric.asked().any(|mode| mode.id == *id))
        .collect();
    if modes.is_empty() {
        return Err(Failure::new(format!("{} and {} have no mode in common", rubric.id, second_rubric.id)));
    }
    let mut records: Vec<ComparedRecord> = Vec::new();
    let index = arguments.data.indexed(host, &rubric, &mut |record| {
        records.push(ComparedRecord { id: record.id, ..ComparedRecord::default() });
    })?;
    let sides = [
        read_side(host, &index, &rubric, &modes, &arguments.verdicts, "--verdicts")?,
        read_side(host, &index, second_rubric, &modes, with, "--with")?,
    ];
    let [first, second] = sides;
    for (record, (first, second)) in records.iter_mut().zip(first.into_iter().zip(second)) {
        (record.first, record.second) = (first, second);
    }
    if let Some(path) = &arguments.labels {
        let labels = input::labels(host, path, &rubric, &index)?;
        for (at, fails) in labels.fails {
            let of_mode = |id: &&str| fails.get(rubric.position(id)?).copied().flatten();
            records[at].person = modes.iter().map(of_mode).collect();
        }
    }
    let comparison = compare(&modes, &records);
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ComparisonEnvelope::of(&comparison))),
        Format::Human => render::eval::comparison_human(&comparison),
        Format::Markdown => render::eval::comparison_markdown(&comparison),
    });
    // Where no label is on both sides, nothing was compared.
    Ok(if comparison.pooled.is_empty() { Exit::Unjudged } else { Exit::Done })
}

/// Sets rulings against those of an earlier run.
fn against(arguments: &Arguments, host: &Host, rubric: &Rubric, output: Output) -> Result {
    let modes: Vec<&str> = rubric.modes.iter().map(|mode| mode.id.as_str()).collect();
    let Some(baseline) = &arguments.against else { return Err(Failure::new("there is nothing to compare with")) };
    let before = input::rulings(host, baseline, "--against", &modes)?;
    let now = input::rulings(host, &arguments.verdicts, "--verdicts", &modes)?;
    let mut people = BTreeMap::new();
    if let Some(path) = &arguments.labels {
        let mut ids = Vec::new();
        let index = arguments.data.indexed(host, rubric, &mut |record| ids.push(record.id))?;
        let labels = input::labels(host, path, rubric, &index)?;
        people = labels.fails.into_iter().map(|(at, fails)| (ids[at].clone(), fails)).collect();
    }
    let drift = drift(&modes, &before, &now, &people, arguments.flips_max);
    let outcome = match (drift.compared, drift.reasons.is_empty()) {
        (0, _) => Outcome::Unjudged,
        (_, true) => Outcome::Accept,
        (_, false) => Outcome::Reject,
    };
    print(&match output.format {
        Format::Json => format!("{}\n", json!(DriftEnvelope::of(rubric, outcome, &drift))),
        Format::Human => render::eval::drift_human(outcome, &drift),
        Format::Markdown => render::eval::drift_markdown(&drift),
    });
    Ok(Exit::of(outcome))
}

/// Reads what one side says of each record, in the order of the records; several judges speak as a panel.
pub(super) fn read_side(
    host: &Host,
    index: &RecordIndex,
    rubric: &Rubric,
    modes: &[&str],
    path: &std::path::Path,
    option: &str,
) -> Result<Vec<Vec<Option<bool>>>> {
    let (opinions, _) = input::opinions(host, index, rubric, path, option)?;
    Ok(opinions.iter().map(|opinions| fails_together(opinions, modes)).collect())
}
