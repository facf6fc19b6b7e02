//! `assize market extract --spec FILE`: what a specification demands.

use std::path::{Path, PathBuf};

use assize_engine::market::broker;
use assize_engine::market::source::github::GithubIssue;
use assize_engine::market::source::{RetryPolicy, SpecificationSource as _};
use assize_market::envelope::RequirementsEnvelope;
use serde_json::json;
use assize_market::checklist::{SPECIFICATION_BYTES_MAX, boxes};
use assize_market::requirement::{Guideline, Requirements};

use super::panel::Panel;

use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::judges::search_path;
use crate::number::whole_from;
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Files in which projects say how they want to be changed.
const GUIDELINES: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "CONTRIBUTING.md"];
/// Largest file of guidelines, in bytes.
const GUIDELINE_BYTES_MAX: u64 = 512 * 1024;

/// Where work comes from.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct SourceArguments {
    /// The specification, in Markdown with boxes; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// The number of a GitHub issue, which is read by `gh`.
    #[arg(long, value_name = "N", value_parser = whole_from(1_u64))]
    pub issue: Option<u64>,
}

/// What is demanded, and by which house rules.
#[derive(Debug, clap::Args)]
pub struct SpecificationArguments {
    #[command(flatten)]
    pub from: SourceArguments,
    /// A file of guidelines; can be given several times [default: CLAUDE.md, AGENTS.md and CONTRIBUTING.md, as far as they are there].
    #[arg(long = "guideline", value_name = "FILE")]
    pub guidelines: Vec<PathBuf>,
    /// Take boxes and guidelines as they stand, and ask no judge what they mean.
    #[arg(long)]
    pub rules_only: bool,
}

/// What a specification demands.
pub struct Demanded {
    /// Its requirements.
    pub requirements: Requirements,
    /// Boxes that are ticked.
    pub ticked: usize,
    /// Says that there is no box at all, if that is so.
    pub no_box: Option<Failure>,
}

/// Arguments of `assize market extract`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    specification: SpecificationArguments,
}

const EXAMPLES: &str = "\
Examples:
  assize market extract --spec issue.md
  assize market extract --spec issue.md --guideline docs/rules.md --format json
  assize market extract --issue 12

A box is what GitHub takes for one: `- [ ]` at the beginning of a list item, whatever its marker and however deep.
Its parts are the items below it, or else its sentences; where `[market]` has judges, they say what has to be done for it, and what the guidelines
demand besides. Where none of them can be understood, the rules do.

Exit codes: 0 something is demanded \u{b7} 1 no box is open \u{b7} 2 something cannot be read";

/// Runs `assize market extract`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let demanded = requirements(&arguments.specification, host, &Panel::of(&config, host)?)?;
    let Demanded { requirements, ticked, no_box } = demanded;
    if let Some(Failure { what, hint }) = no_box {
        output.note(&[Some(what), hint].into_iter().flatten().collect::<Vec<_>>().join("; "));
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(RequirementsEnvelope::of(&requirements))),
        Format::Human => render::market::requirements_human(&requirements, ticked),
        Format::Markdown => render::market::requirements_markdown(&requirements, ticked),
    });
    Ok(if requirements.explicit_requirements.is_empty() { Exit::NotAccepted } else { Exit::Done })
}

/// Reads what a specification demands. One without a box demands nothing, whatever its guidelines say.
///
/// # Errors
///
/// Fails where it cannot be read.
pub fn requirements(arguments: &SpecificationArguments, host: &Host, panel: &Panel) -> Result<Demanded> {
    let (name, specification) = match (&arguments.from.spec, arguments.from.issue) {
        (Some(path), _) => {
            let text = own_file::read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX as u64)?;
            (format!("--spec {}", path.display()), text)
        }
        (None, Some(number)) => {
            let source = github(host, number)?;
            let issue = source.read().map_err(|error| Failure::new(error.to_string()))?;
            (source.name(), issue.body)
        }
        (None, None) => return Err(Failure::new("neither --spec nor --issue is given")),
    };
    let wrong = |error: &dyn std::fmt::Display| Failure::new(format!("{name}: {error}"));
    let boxes = boxes(&specification).map_err(|error| wrong(&error))?;
    let no_box = boxes
        .is_empty()
        .then(|| wrong(&"it has no box").hint("write what is demanded as items such as `- [ ] Add the endpoint`"));
    let ticked = boxes.iter().filter(|found| found.ticked).count();
    let guidelines = guidelines(arguments, host)?;
    let requirements = if arguments.rules_only || boxes.is_empty() {
        Requirements::by_rules(&boxes, &guidelines)
    } else {
        broker::requirements(&boxes, &specification, &guidelines, panel)
    };
    Ok(Demanded { requirements, ticked, no_box })
}

/// Reaches an issue of the project's repository.
///
/// # Errors
///
/// Fails where the configuration cannot be read.
pub fn github(host: &Host, number: u64) -> Result<GithubIssue> {
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let call_time = config.market.call_time_max;
    Ok(GithubIssue::new(number, &host.project(), search_path(host), RetryPolicy::default(), call_time))
}

/// Reads in which ways the project wants to be changed.
///
/// # Errors
///
/// Fails where a file cannot be read.
pub fn guidelines(arguments: &SpecificationArguments, host: &Host) -> Result<Vec<Guideline>> {
    let read = |path: &Path| -> Result<Guideline> {
        let text = own_file::read_text(host, path, "--guideline", GUIDELINE_BYTES_MAX)?;
        Ok(Guideline { path: path.display().to_string(), text })
    };
    if !arguments.guidelines.is_empty() {
        return arguments.guidelines.iter().map(|path| read(path)).collect();
    }
    let project = host.at(&host.project());
    let usual = GUIDELINES.into_iter().map(Path::new).filter(|name| project.folder.join(name).is_file());
    let read = |name: &Path| -> Result<Guideline> {
        let text = own_file::read_text(&project, name, "the guidelines", GUIDELINE_BYTES_MAX)?;
        Ok(Guideline { path: name.display().to_string(), text })
    };
    usual.map(read).collect()
}
