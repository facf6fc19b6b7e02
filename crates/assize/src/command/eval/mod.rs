//! `assize eval`: the data-set court, and the evaluation of its judges.

pub mod asking;
mod calibrate;
mod compare;
mod correct;
mod input;
mod label;
mod lint;
mod plan;
mod progress;
mod report;
mod ruling_pipeline;
mod rulings;
mod run;


use crate::exit::Result;
use crate::host::Host;
use crate::output::Output;

/// Arguments of `assize eval`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize eval lint rubric.toml
  assize eval run rubric.toml records.jsonl --output rulings.jsonl
  assize eval report rubric.toml records.jsonl --verdicts rulings.jsonl --output report.html
  assize eval calibrate rubric.toml records.jsonl --verdicts rulings.jsonl --labels people.csv")]
pub struct Arguments {
    #[command(subcommand)]
    action: EvalAction,
}

#[derive(Debug, clap::Subcommand)]
enum EvalAction {
    /// List the parts of a rubric that make it more lenient than intended.
    Lint(lint::Arguments),
    /// Judge every record of a data set by a rubric.
    Run(run::Arguments),
    /// Measure how far a judge agrees with people, and whether it can be trusted without them.
    Calibrate(calibrate::Arguments),
    /// Compare two judgements of the same records: two rubrics, two judges, or two dates.
    Compare(compare::Arguments),
    /// Say how many records people should label, and which.
    Plan(plan::Arguments),
    /// Let a person label records in the browser.
    Label(label::Arguments),
    /// Show a run as one page, as numbers, or for CI.
    Report(report::Arguments),
    /// Have failing records corrected, or count the faults of a correction: fixed, introduced, remaining, untouched.
    Correct(correct::Arguments),
}

/// Runs `assize eval`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match &arguments.action {
        EvalAction::Lint(arguments) => lint::run(arguments, host, output),
        EvalAction::Run(arguments) => run::run(arguments, host, output),
        EvalAction::Calibrate(arguments) => calibrate::run(arguments, host, output),
        EvalAction::Compare(arguments) => compare::run(arguments, host, output),
        EvalAction::Plan(arguments) => plan::run(arguments, host, output),
        EvalAction::Label(arguments) => label::run(arguments, host, output),
        EvalAction::Report(arguments) => report::run(arguments, host, output),
        EvalAction::Correct(arguments) => correct::run(arguments, host, output),
    }
}
