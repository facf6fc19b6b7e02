//! `assize eval calibrate RUBRIC DATA`: how far a judge agrees with people.

use std::path::PathBuf;

use assize_eval::envelope::{EvaluationEnvelope, EvaluationSubject};
use assize_eval::judge_evaluation::calibrate::{Belief, try_judge};
use serde_json::json;

use super::input::{Case, DataArguments, LabelSources};
use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize eval calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// What the judge said: rulings of this court, or lines of `id`, `labels` and `overall_quality_score`.
    #[arg(long, value_name = "FILE")]
    verdicts: PathBuf,
    /// Labels of people: CSV with a column for each mode, or JSON lines. 1 or `fail`, 0 or `pass`, blank for no label.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Which judge to evaluate, if the verdicts are of several.
    #[arg(long, value_name = "ID")]
    judge: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  assize eval calibrate rubric.toml records.jsonl --verdicts rulings.jsonl --labels people.csv
  assize eval calibrate rubric.toml records.jsonl --verdicts v.jsonl --labels people.csv --format json

The thresholds stand in the rubric, under [trust].

Exit codes: 0 trusted \u{b7} 1 untrusted \u{b7} 2 something cannot be read or joined \u{b7} 3 the labels do not tell";

/// Runs `assize eval calibrate`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let evidence = LabelSources {
        verdicts: Some(&arguments.verdicts),
        labels: Some(&arguments.labels),
        judge: arguments.judge.as_deref(),
    };
    let case = Case::read(host, &arguments.data, evidence)?;
    let (rubric, modes) = (&case.rubric, case.modes());
    let evaluation = try_judge(&modes, &rubric.record.strata, &case.seen, &rubric.trust);
    let about = EvaluationSubject {
        rubric,
        judge: case.judge.as_deref().unwrap_or_default(),
        raters: &case.raters,
        disputed: case.disputed,
        by_name_alone: case.by_name_alone,
    };
    print(&match output.format {
        Format::Json => format!("{}\n", json!(EvaluationEnvelope::of(&about, &evaluation))),
        Format::Human => render::eval::evaluation_human(&about, &evaluation),
        Format::Markdown => render::eval::evaluation_markdown(&about, &evaluation),
    });
    Ok(match evaluation.belief {
        Belief::Trusted => Exit::Done,
        Belief::Untrusted => Exit::NotAccepted,
        Belief::Inconclusive => Exit::Unjudged,
    })
}
