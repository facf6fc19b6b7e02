//! `assize eval correct RUBRIC DATA`: what a correction of the records came to.

use std::path::PathBuf;

use assize_core::text::make_visible;
use assize_core::trial::correct::{Edition, correction, pair};

use super::compare::read_side;
use super::input::DataArguments;
use crate::cli::{Output, print};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::render::{self, Format};

/// Arguments of `assize eval correct`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// What was said of the records before.
    #[arg(long, value_name = "FILE")]
    verdicts: PathBuf,
    /// The records as they were corrected, by the same names.
    #[arg(long, value_name = "FILE")]
    corrected: PathBuf,
    /// What was said of the corrected records.
    #[arg(long, value_name = "FILE")]
    corrected_verdicts: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  assize eval correct rubric.toml records.jsonl --verdicts before.jsonl --corrected corrected.jsonl --corrected-verdicts after.jsonl

Exit codes: 0 no failure is left \u{b7} 1 failures are left \u{b7} 2 something cannot be read or joined, or nothing was changed \u{b7} 3 no failure is left that is known of, and not all was judged";

/// Runs `assize eval correct`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (rubric, clauses) = arguments.data.rubric(host)?;
    let modes: Vec<&str> = rubric.asked().map(|mode| mode.id.as_str()).collect();
    let mut before = Vec::new();
    let index = arguments.data.indexed(host, &rubric, &mut |record| before.push(Edition::of(record, &clauses)))?;
    let mut after = Vec::new();
    let corrected = DataArguments { data: arguments.corrected.clone(), from: None, ..arguments.data.clone() };
    let index_after = corrected.indexed(host, &rubric, &mut |record| after.push(Edition::of(record, &clauses)))?;
    for (editions, index, path, option) in [
        (&mut before, &index, &arguments.verdicts, "--verdicts"),
        (&mut after, &index_after, &arguments.corrected_verdicts, "--corrected-verdicts"),
    ] {
        let side = read_side(host, index, &rubric, &modes, path, option)?;
        editions.iter_mut().zip(side).for_each(|(edition, fails): (&mut Edition, _)| edition.fails = fails);
    }
    let wrong =
        |what: String| Failure::new(format!("--corrected {}: {}", arguments.corrected.display(), make_visible(&what)));
    let records = pair(before, after).map_err(wrong)?;
    let correction = correction(&modes, &records);
    print(&match output.format {
        Format::Json => render::eval::correction_envelope(&rubric, &correction).to_string() + "\n",
        Format::Human => render::eval::correction_human(&correction),
        Format::Markdown => render::eval::correction_markdown(&correction),
    });
    Ok(Exit::of(correction.outcome()))
}
