//! `assize eval label RUBRIC DATA`: a person labels records in the browser.

mod label_store;
mod server;

use std::path::PathBuf;

use assize_engine::random::fresh_word;
use assize_eval::record::Record;
use assize_eval::record::selection::{Draw, Selection, lot};

use self::label_store::LabelStore;
use super::input::{DataArguments, Names};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::{whole, whole_from};
use crate::output::Output;

/// Arguments of `assize eval label`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The file of labels; a new one is created, an existing one is continued.
    #[arg(long, value_name = "FILE", default_value = "labels.jsonl")]
    labels: PathBuf,
    /// Who labels: each rater has labels of his own in the file.
    #[arg(long, value_name = "NAME", default_value = assize_eval::judge_evaluation::label::NAMELESS_RATER)]
    rater: String,
    /// Label a random sample of so many records, those that `assize eval plan` would name with the same seed.
    #[arg(long, value_name = "N", value_parser = whole_from(0_usize))]
    sample: Option<usize>,
    /// The seed that draws the sample.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(0_u64))]
    seed: u64,
    /// The port on this machine [default: any that is free].
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        value_parser = whole(0..=u16::MAX)
    )]
    port: u16,
}

const EXAMPLES: &str = "\
Examples:
  assize eval label rubric.toml records.jsonl --rater ann --sample 50
  assize eval calibrate rubric.toml records.jsonl --verdicts rulings.jsonl --labels labels.jsonl

The page is served to this machine alone, and only at the address that is printed. It shows nothing of what judges say.
Every label is in the file when the page says so; Ctrl-C ends it, and the same command resumes.

Exit codes: 2 something cannot be read \u{b7} 130 ended by Ctrl-C";

/// Most records that are labelled in one go.
pub const RECORDS_MAX: usize = 20_000;

/// Runs `assize eval label`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (data, _kept) = arguments.data.kept()?;
    let (rubric, _) = data.rubric(host)?;
    if rubric.asked().next().is_none() {
        let what = format!("the rubric {}: all its modes are computed, and there is nothing to label", rubric.id);
        return Err(Failure::new(what));
    }
    let mut draw = arguments.sample.map(|size| Draw::new(size, arguments.seed));
    let mut names = Names::default();
    data.each_record(host, &rubric, &mut |record| {
        names.add(&record.id);
        draw.iter_mut().for_each(|draw| draw.offer(&record));
        Ok(())
    })?;
    names.check(host, &data, &rubric)?;
    let selection = draw.iter().fold(Selection::default(), Selection::drawn);
    let mut records: Vec<Record> = Vec::new();
    data.each_record(host, &rubric, &mut |record| {
        if selection.takes(&record) {
            records.push(record);
        }
        if records.len() > RECORDS_MAX {
            Err(format!("there are more than {RECORDS_MAX} records; draw a --sample"))
        } else {
            Ok(())
        }
    })?;
    if records.is_empty() {
        return Err(Failure::new("there is no record to label"));
    }
    if arguments.sample.is_some() {
        // In the order of the draw: a person who stops early still has a random sample.
        records.sort_by_cached_key(|record| lot(&record.hash, arguments.seed));
    }
    let store = LabelStore::open(host, &arguments.labels, rubric, records, &arguments.rater)?;
    let (done, all) = store.progress();
    let token = fresh_word();
    server::serve(store, &token, arguments.port, &mut |port| {
        output.note(&format!(
            "{done} of {all} records are labelled; labels go into {}\n\n  http://127.0.0.1:{port}/#token={token}\n\nCtrl-C ends it.",
            arguments.labels.display()
        ));
    })?;
    Ok(Exit::Done)
}
