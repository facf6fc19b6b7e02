//! `assize eval correct RUBRIC DATA`: what a correction of the records came to.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use assize_core::record::Record;
use assize_core::rubric::Clauses;
use assize_core::trial::compare::Twice;
use assize_core::trial::correct::{Corrected, correction};

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
    let index = arguments.data.each_record(host, &rubric, &mut |record| before.push(Edition::of(record, &clauses)))?;
    let mut after = Vec::new();
    let corrected = DataArguments { data: arguments.corrected.clone(), from: None, ..arguments.data.clone() };
    let index_after = corrected.each_record(host, &rubric, &mut |record| after.push(Edition::of(record, &clauses)))?;
    let first = read_side(host, &index, &rubric, &modes, &arguments.verdicts, "--verdicts")?;
    let second = read_side(host, &index_after, &rubric, &modes, &arguments.corrected_verdicts, "--corrected-verdicts")?;
    let mut second: HashMap<String, (Edition, Vec<Option<bool>>)> =
        after.into_iter().zip(second).map(|(edition, fails)| (edition.id.clone(), (edition, fails))).collect();
    let mut records = Vec::new();
    let mut missing = Vec::new();
    for (old, first) in before.into_iter().zip(first) {
        match second.remove(&old.id) {
            Some((new, second)) => records.push(Corrected {
                changed: old.hash != new.hash,
                by_clause: [old.by_clause, new.by_clause],
                labels: Twice { id: old.id, first, second, person: Vec::new() },
            }),
            None => missing.push(old.id),
        }
    }
    let wrong = |what: String| Err(Failure::new(format!("--corrected {}: {what}", arguments.corrected.display())));
    if let Some(first) = missing.first() {
        return wrong(format!("{} records are not in it, such as `{first}`", missing.len()));
    }
    if let Some(first) = second.keys().min() {
        return wrong(format!("{} of its records are no corrections of the others, such as `{first}`", second.len()));
    }
    if records.iter().all(|record| !record.changed) {
        return wrong("no record was changed, so that there is no correction to speak of".to_owned());
    }
    let correction = correction(&modes, &records);
    print(&match output.format {
        Format::Json => render::eval::correction_envelope(&rubric, &correction).to_string() + "\n",
        Format::Human => render::eval::correction_human(&correction),
        Format::Markdown => render::eval::correction_markdown(&correction),
    });
    Ok(Exit::of(correction.outcome()))
}

/// One edition of a record.
struct Edition {
    id: String,
    hash: String,
    /// In how many modes it fails by a clause.
    by_clause: u64,
}

impl Edition {
    fn of(record: Record, clauses: &Clauses) -> Self {
        let broken = clauses.broken_by(&record.fields);
        let modes: BTreeSet<usize> =
            broken.iter().filter(|broken| broken.unknown.is_none()).map(|broken| broken.mode).collect();
        Self { id: record.id, hash: record.hash, by_clause: modes.len() as u64 }
    }
}
