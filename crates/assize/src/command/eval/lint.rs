//! `assize eval lint RUBRIC`: the parts of a rubric that make it more lenient than intended.

use std::path::PathBuf;

use assize_core::finding::Severity;
use assize_eval::envelope::LintEnvelope;
use assize_eval::rubric::lint::lint;
use serde_json::json;

use super::input;
use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize eval lint`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The rubric: a TOML file, or the name of one that is built in.
    rubric: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  assize eval lint rubric.toml
  assize eval lint home-repair-lenient

Exit codes: 0 nothing to warn of \u{b7} 1 something to warn of \u{b7} 2 it is no rubric";

/// Runs `assize eval lint`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (rubric, _) = input::rubric(host, &arguments.rubric)?;
    let findings = lint(&rubric);
    print(&match output.format {
        Format::Json => format!("{}\n", json!(LintEnvelope::of(&rubric, &findings))),
        Format::Human => render::eval::lint_human(&rubric, &findings),
        Format::Markdown => render::eval::lint_markdown(&rubric, &findings),
    });
    let warns = findings.iter().any(|finding| finding.severity >= Severity::Warning);
    Ok(if warns { Exit::NotAccepted } else { Exit::Done })
}
