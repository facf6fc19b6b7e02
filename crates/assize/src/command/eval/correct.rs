//! `assize eval correct RUBRIC DATA`: has failing records corrected, or says what a correction that was made elsewhere came to.

mod corrector;

use std::path::PathBuf;

use assize_core::text::make_visible;
use assize_eval::envelope::CorrectionEnvelope;
use assize_eval::judge_evaluation::correct::{Edition, correction, pair};
use serde_json::json;

use super::compare::read_side;
use super::input::DataArguments;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize eval correct`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// What was said of the records before.
    #[arg(long, value_name = "FILE")]
    verdicts: PathBuf,
    /// The records as they were corrected elsewhere, by the same names.
    #[arg(
        long,
        value_name = "FILE",
        requires = "corrected_verdicts",
        conflicts_with_all = [
            "corrector", "output", "hold_out", "seed", "held_out", "template", "revised", "dry_run",
            "judges", "clauses_only", "repeats", "calls", "budget_usd", "again",
        ]
    )]
    corrected: Option<PathBuf>,
    /// What was said of the corrected records.
    #[arg(long, value_name = "FILE", requires = "corrected", conflicts_with = "corrector")]
    corrected_verdicts: Option<PathBuf>,
    #[command(flatten)]
    corrector: corrector::CorrectorArguments,
}

const EXAMPLES: &str = "\
Examples:
  assize eval correct rubric.toml records.jsonl --verdicts rulings.jsonl --corrector writer --judge other --output corrected.jsonl
  assize eval correct rubric.toml records.jsonl --verdicts rulings.jsonl --corrector writer --template prompt.txt --revised prompt-2.txt
  assize eval correct rubric.toml records.jsonl --verdicts rulings.jsonl --corrector writer --dry-run
  assize eval correct rubric.toml records.jsonl --verdicts before.jsonl --corrected corrected.jsonl --corrected-verdicts after.jsonl

The corrector sees each failing record with its faults, but for a part that is held out. What it makes of them is judged by another judge than
those whose verdicts it went by, before and after, or by clauses alone.

Exit codes: 0 no failure is left \u{b7} 1 failures are left \u{b7} 2 something cannot be read or joined, or nothing was changed \u{b7} 3 no failure is left that is known of, and not all was judged";

/// Runs `assize eval correct`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match (&arguments.corrected, &arguments.corrected_verdicts) {
        (Some(corrected), Some(verdicts)) => judged_elsewhere(arguments, [corrected, verdicts], host, output),
        _ if arguments.corrector.corrector.is_some() => {
            corrector::run(&arguments.data, &arguments.verdicts, &arguments.corrector, host, output)
        }
        _ => Err(Failure::new("there is neither a corrector nor a correction").hint(
            "name a judge of the configuration with --corrector, or hand in what was corrected elsewhere with --corrected and --corrected-verdicts",
        )),
    }
}

/// Says what a correction that was made and judged elsewhere came to.
fn judged_elsewhere(
    arguments: &Arguments,
    [records_after, verdicts_after]: [&PathBuf; 2],
    host: &Host,
    output: Output,
) -> Result {
    let (rubric, clauses) = arguments.data.rubric(host)?;
    let modes: Vec<&str> = rubric.asked().map(|mode| mode.id.as_str()).collect();
    let mut before = Vec::new();
    let index = arguments.data.indexed(host, &rubric, &mut |record| before.push(Edition::of(record, &clauses)))?;
    let mut after = Vec::new();
    let corrected = DataArguments { data: records_after.clone(), from: None, ..arguments.data.clone() };
    let index_after = corrected.indexed(host, &rubric, &mut |record| after.push(Edition::of(record, &clauses)))?;
    for (editions, index, path, option) in [
        (&mut before, &index, &arguments.verdicts, "--verdicts"),
        (&mut after, &index_after, verdicts_after, "--corrected-verdicts"),
    ] {
        let side = read_side(host, index, &rubric, &modes, path, option)?;
        editions.iter_mut().zip(side).for_each(|(edition, fails): (&mut Edition, _)| edition.fails = fails);
    }
    let wrong =
        |what: String| Failure::new(format!("--corrected {}: {}", records_after.display(), make_visible(&what)));
    let records = pair(before, after).map_err(wrong)?;
    let correction = correction(&modes, &records);
    print(&match output.format {
        Format::Json => format!("{}\n", json!(CorrectionEnvelope::of(&rubric, &correction))),
        Format::Human => render::eval::correction::human(&correction),
        Format::Markdown => render::eval::correction::markdown(&correction),
    });
    Ok(Exit::of(correction.outcome()))
}
