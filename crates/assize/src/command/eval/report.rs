//! `assize eval report RUBRIC DATA`: a run as one page, as numbers, or for CI.

use std::path::{Path, PathBuf};

use assize_core::opinion::PanelRule;
use assize_core::ruling::Outcome;
use assize_core::text::make_visible;
use assize_eval::court::{EvalTerms, RubricRef, decide};
use assize_eval::judge_evaluation::calibrate::try_judge;
use assize_eval::judge_evaluation::correct::{Correcting, Correction};
use assize_eval::judge_evaluation::report::{CorrectionPhases, EvalReport, ReportBuilder};
use assize_eval::rubric::Rubric;
use serde::Deserialize as _;
use serde_json::Value;

use super::input::{self, Case, DataArguments, LabelSources};
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Arguments of `assize eval report`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// What was ruled or said: rulings of `assize eval run`, or lines of `id`, `labels` and `overall_quality_score`.
    #[arg(long, value_name = "FILE")]
    verdicts: PathBuf,
    /// The labels of people: the report then says how far the judge can be trusted.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Which judge to evaluate, if the verdicts are of several.
    #[arg(long, value_name = "ID", requires = "labels")]
    judge: Option<String>,
    /// What a correction of the records came to: what `assize eval correct --format json` printed.
    #[arg(long, value_name = "FILE")]
    correction: Option<PathBuf>,
    /// Tell records apart by this field; can be given several times [default: the strata of the rubric].
    #[arg(long, value_name = "FIELD")]
    by: Vec<String>,
    /// Write the page to this file: one HTML file that needs nothing else.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the rulings as JUnit XML to this file: a test for each record.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Largest file of a correction, in bytes.
const CORRECTION_BYTES_MAX: u64 = 64 << 20;

const EXAMPLES: &str = "\
Examples:
  assize eval report rubric.toml records.jsonl --verdicts rulings.jsonl --output report.html
  assize eval report rubric.toml records.jsonl --verdicts rulings.jsonl --labels people.csv --by category -o report.html
  assize eval report rubric.toml records.jsonl --verdicts rulings.jsonl --junit junit.xml --format json

Exit codes: 0 written, or every record is accepted \u{b7} 1 a record is rejected (with --format json alone) \u{b7} 2 something cannot be read or joined \u{b7} 3 not all were judged (the same)";

/// Runs `assize eval report`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let Arguments { data, verdicts, labels, correction: of_correction, output: page, junit, .. } = arguments;
    own_file::one_standard_input([("the data", Some(&data.data)), ("--verdicts", Some(verdicts))])?;
    let inputs = [Some(&data.rubric), Some(&data.data), Some(verdicts), labels.as_ref(), of_correction.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    for (option, path) in [("--output", page), ("--junit", junit)] {
        if let Some(path) = path.as_deref().filter(|path| input::is_one_of(host, path, &inputs)) {
            return Err(Failure::new(format!("{option} {}: that is what is read", path.display())));
        }
    }
    let (data, _kept) = data.kept()?;
    let (rubric, clauses) = data.rubric(host)?;
    let index = data.indexed(host, &rubric, &mut |_| {})?;
    let (opinions, _) = input::opinions(host, &index, &rubric, &arguments.verdicts, "--verdicts")?;
    let evaluation = match &arguments.labels {
        Some(labels) => {
            let evidence = LabelSources {
                verdicts: Some(&arguments.verdicts),
                labels: Some(labels),
                judge: arguments.judge.as_deref(),
            };
            let case = Case::read(host, &data, evidence)?;
            Some(try_judge(&case.modes(), &rubric.record.strata, &case.seen, &rubric.trust))
        }
        None => None,
    };
    let phases = arguments.correction.as_ref().map(|path| correction(host, path, &rubric)).transpose()?;
    let fields = if arguments.by.is_empty() { &rubric.record.strata } else { &arguments.by };
    let title = format!("{} by {}", name_of(arguments), rubric.id);
    let reference = RubricRef::of(&rubric);
    let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
    let mut draft = ReportBuilder::begin(&rubric, fields, &title, &render::time_utc(now_ms()));
    let mut cases = render::junit::RulingTestCases::default();
    let mut opinions = opinions.into_iter();
    let mut unseen: Vec<&String> = arguments.by.iter().collect();
    data.each_record(host, &rubric, &mut |record| {
        unseen.retain(|field| !record.fields.contains_key(*field));
        let ruling = decide(&terms, &record, opinions.next().unwrap_or_default());
        draft.add(&record, &ruling);
        if arguments.junit.is_some() {
            cases.add(&ruling);
        }
        Ok(())
    })?;
    if let Some(field) = unseen.first() {
        return Err(Failure::new(format!("--by {}: no record has this field", make_visible(field))));
    }
    let report = draft.finish(evaluation, phases);
    let wrote = write(arguments, host, &report, cases)?;
    match output.format {
        Format::Json => print(&(serde_json::to_string(&report).unwrap_or_default() + "\n")),
        Format::Human | Format::Markdown if wrote => {}
        Format::Human | Format::Markdown => {
            let what = "there is nothing to write: name a file with --output or --junit, or ask for --format json";
            return Err(Failure::new(what));
        }
    }
    Ok(if report.tally.outcome() == Outcome::Accept || wrote { Exit::Done } else { Exit::of(report.tally.outcome()) })
}

fn write(arguments: &Arguments, host: &Host, report: &EvalReport, cases: render::junit::RulingTestCases) -> Result<bool> {
    let files = [
        ("--output", &arguments.output, arguments.output.as_ref().map(|_| Ok(render::report::page(report)))),
        ("--junit", &arguments.junit, arguments.junit.as_ref().map(|_| cases.junit(&report.rubric.id))),
    ];
    let mut wrote = false;
    for (option, path, text) in files {
        let (Some(path), Some(text)) = (path, text) else { continue };
        let failed = |error: std::io::Error| Failure::new(format!("{option} {}: {error}", path.display()));
        own_file::write(host, path, &text?).map_err(failed)?;
        wrote = true;
    }
    Ok(wrote)
}

/// Reads what a correction came to.
fn correction(host: &Host, path: &Path, rubric: &Rubric) -> Result<CorrectionPhases> {
    let wrong = |what: &str| Failure::new(format!("--correction {}: {what}", path.display()));
    let text = own_file::read_text(host, path, "--correction", CORRECTION_BYTES_MAX)?;
    let document: Value = serde_json::from_str(&text).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
    if document["rubric"]["hash"].as_str() != Some(rubric.hash().as_str()) {
        return Err(wrong("it was made by another rubric, or another edition of it"));
    }
    let unreadable = |error: serde_json::Error| wrong(&format!("it holds no correction: {error}"));
    if document["correcting"].is_object() {
        let correcting = Correcting::deserialize(&document["correcting"]).map_err(unreadable)?;
        let notes = render::eval::correction::notes_of_work(&correcting);
        let Some(correction) = &correcting.correction else { return Err(wrong("nothing was corrected")) };
        return Ok(CorrectionPhases::of(correction, notes));
    }
    if !document["correction"].is_object() {
        return Err(wrong("it holds no correction; `assize eval correct --format json` prints one"));
    }
    let correction = Correction::deserialize(&document["correction"]).map_err(unreadable)?;
    Ok(CorrectionPhases::of(&correction, render::eval::correction::notes(&correction)))
}

fn name_of(arguments: &Arguments) -> String {
    let name = arguments.data.data.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "records".to_owned())
}
