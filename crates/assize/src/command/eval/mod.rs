//! `assize eval`: the data-set court, and the judge's own trial.

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
mod rulings;
mod run;
mod sitting;

use crate::cli::Output;
use crate::exit::Result;
use crate::host::Host;

/// Arguments of `assize eval`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Say what makes a rubric lenient without anybody having meant it.
    Lint(lint::Arguments),
    /// Judge every record of a data set by a rubric.
    Run(run::Arguments),
    /// Say how far a judge agrees with people, and whether it can be believed without them.
    Calibrate(calibrate::Arguments),
    /// Set two judgements of the same records side by side: two rubrics, two judges, or two dates.
    Compare(compare::Arguments),
    /// Say how many records people should label, and which.
    Plan(plan::Arguments),
    /// Let a person label records in the browser.
    Label(label::Arguments),
    /// Show a run as one page, as numbers, or for CI.
    Report(report::Arguments),
    /// Have failing records corrected, or say what a correction came to: fixed, introduced, remaining, untouched.
    Correct(correct::Arguments),
}

/// Runs `assize eval`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match &arguments.action {
        Action::Lint(arguments) => lint::run(arguments, host, output),
        Action::Run(arguments) => run::run(arguments, host, output),
        Action::Calibrate(arguments) => calibrate::run(arguments, host, output),
        Action::Compare(arguments) => compare::run(arguments, host, output),
        Action::Plan(arguments) => plan::run(arguments, host, output),
        Action::Label(arguments) => label::run(arguments, host, output),
        Action::Report(arguments) => report::run(arguments, host, output),
        Action::Correct(arguments) => correct::run(arguments, host, output),
    }
}
