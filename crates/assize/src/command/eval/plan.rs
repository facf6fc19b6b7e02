//! `assize eval plan RUBRIC DATA`: how many records people should label, and which.

use std::collections::HashMap;
use std::path::PathBuf;

use assize_eval::envelope::PlanEnvelope;
use assize_eval::judge_evaluation::calibrate::try_judge;
use assize_eval::judge_evaluation::plan::{LabelCandidate, LabelPlan, plan_after};
use serde_json::json;

use super::input::{Case, DataArguments, LabelSources};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::whole_from;
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Arguments of `assize eval plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// How far the rate may be off on either side, as a share.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    within: f64,
    /// What the judge said: together with labels it shows how many labels are saved.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// The labels that there are.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Which judge is meant, where the verdicts are of several.
    #[arg(long, value_name = "ID")]
    judge: Option<String>,
    /// Draws the sample; the same number draws the same records.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(0_u64))]
    seed: u64,
    /// Write a table to fill in: a row for each record to label next, a column for each mode.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  assize eval plan rubric.toml records.jsonl --within 0.1 --output to-label.csv
  assize eval plan rubric.toml records.jsonl --verdicts rulings.jsonl --labels people.csv

Exit codes: 0 planned \u{b7} 2 something cannot be read or joined";

fn share(text: &str) -> std::result::Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if share > 0.0 && share < 0.5 { Ok(share) } else { Err("it lies between 0 and 0.5, and is neither".to_owned()) }
}

/// Runs `assize eval plan`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let evidence = LabelSources {
        verdicts: arguments.verdicts.as_deref(),
        labels: arguments.labels.as_deref(),
        judge: arguments.judge.as_deref(),
    };
    let case = Case::read(host, &arguments.data, evidence)?;
    let candidates: Vec<LabelCandidate> = case
        .records
        .iter()
        .zip(&case.seen)
        .map(|((id, hash), seen)| LabelCandidate {
            id: id.clone(),
            hash: hash.clone(),
            labelled: seen.is_labelled(case.modes().len()),
        })
        .collect();
    if candidates.is_empty() {
        return Err(Failure::new("there is no record to label"));
    }
    let evaluation = try_judge(&case.modes(), &case.rubric.record.strata, &case.seen, &case.rubric.trust);
    let plan = plan_after(&candidates, &evaluation, arguments.within, arguments.seed);
    if let Some(path) = &arguments.output {
        let wrong = |error: String| Failure::new(format!("--output {}: {error}", path.display()));
        let table = table(&case, &plan).map_err(|error| wrong(error.to_string()))?;
        own_file::write(host, path, &table).map_err(|error| wrong(error.to_string()))?;
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(PlanEnvelope::of(&case.rubric, &plan))),
        Format::Human => render::eval::plan_human(&plan),
        Format::Markdown => render::eval::plan_markdown(&plan),
    });
    Ok(Exit::Done)
}

/// The table to fill in: each record with the hash of its content, so that a label is never taken for one of another edition.
fn table(case: &Case, plan: &LabelPlan) -> std::result::Result<String, csv::Error> {
    let hashes: HashMap<&str, &str> = case.records.iter().map(|(id, hash)| (id.as_str(), hash.as_str())).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let modes = case.modes();
    let blank = vec![""; modes.len()];
    writer.write_record([&[case.rubric.record.id.as_str(), "record"], &modes[..]].concat())?;
    for id in &plan.next {
        let hash = hashes.get(id.as_str()).copied().unwrap_or_default();
        writer.write_record([&[id.as_str(), hash], &blank[..]].concat())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
