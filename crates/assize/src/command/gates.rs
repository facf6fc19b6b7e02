//! `assize gates`: what do the project's own checks say?


use assize_engine::court::review;
use assize_engine::work_tree::WorkTree;
use assize_engine::process::end_with_us;
use assize_gate::document::GateList;
use assize_review::envelope::GatesEnvelope;
use assize_gate::gate::name_of;
use assize_report::FORMATS;
use assize_review::case::{ReviewCase, ReviewInputs, ReviewScope};
use serde_json::json;

use super::review::{GateArguments, Obstacle, base_of, committed, failed, terms_of_base};
use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render::{self, comment};
use crate::watch::ReviewProgress;

/// Arguments of `assize gates`.
#[derive(Debug, clap::Args)]
#[command(after_help = help_end())]
pub struct Arguments {
    /// Compare with this revision: only what is new counts.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// List the gates that the project uses and the others that there are, and run none.
    #[arg(long)]
    list: bool,
    /// Show which gates run, by what reason and with which command, and which were recognized and do not run; run none.
    #[arg(long, conflicts_with = "list")]
    plan: bool,
    /// Run this gate and no other; may be given several times.
    #[arg(long, value_name = "GATE", conflicts_with = "skip")]
    only: Vec<String>,
    #[command(flatten)]
    gates: GateArguments,
}

const EXAMPLES: &str = "\
Examples:
  assize gates                    run the project's checks on the tree as it is
  assize gates --list             which gates are used, by what they are recognized, and which others there are
  assize gates --plan             which gates run and why, with their commands, and which do not
  assize gates --base HEAD~1      only what is new since that commit
  assize gates --only pytest      one of them, as results name it
  assize gates --skip cargo-clippy --format json";

/// Examples, and the formats that a declared gate can report in.
fn help_end() -> String {
    let formats: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    format!("{EXAMPLES}\n\n`report` of a `[[gate]]` in assize.toml is one of these formats: {}", formats.join(", "))
}

/// Runs `assize gates`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (base, config) = match &arguments.base {
        Some(revision) => terms_of_base(host, revision, &arguments.gates, output)?,
        None => (None, config_of_tree(host, &arguments.gates, output)?),
    };
    let mut terms = arguments.gates.terms(&config, host, Vec::new())?;
    if !arguments.only.is_empty() {
        terms.gates.off = config.all_gates_but(&arguments.only)?;
        terms.gates.only = arguments.only.iter().cloned().collect();
    }
    // What has to be known before a change is accepted is a matter of the review.
    terms.policy.require.clear();
    if arguments.list || arguments.plan {
        return list(&terms, arguments.plan, base.as_deref(), host, output);
    }
    let scope = if base.is_some() { ReviewScope::Change } else { ReviewScope::Everything };
    let case = ReviewCase { base, scope, ..ReviewCase::default() };
    let _ = end_with_us();
    let mut watch = ReviewProgress::new(output);
    let examined = review::examine(case, &terms, &WorkTree::project(&host.folder), &mut |step| watch.see(step));
    watch.finish();
    let (inputs, _) = examined.map_err(failed)?;
    if !arguments.only.is_empty() && inputs.exec.used().next().is_none() {
        let names = arguments.only.join(", ");
        output.note(&format!("--only: {names} is not used here; `assize gates --plan` shows what is, by name"));
    }
    print(&match output.format {
        Format::Human => render::review::gates_human(&inputs),
        Format::Json => format!("{}\n", json!(GatesEnvelope::of(&inputs))),
        Format::Markdown => comment::gates(&inputs),
    });
    Ok(render::review::gates_exit(&inputs))
}

/// Names the gates that run in a tree with these settings, each with its reason; none where the tree cannot be read.
pub(super) fn planned(config: &Config, host: &Host) -> Vec<(String, String)> {
    let arguments = GateArguments { sandbox: None, skip: Vec::new(), trust_config: false, all_packages: false };
    let Ok(terms) = arguments.terms(config, host, Vec::new()) else { return Vec::new() };
    let Ok((plan, _)) = review::planned_gates(&terms, &host.folder, None) else { return Vec::new() };
    plan.due.into_iter().map(|(gate, setup)| (name_of(gate.id(), &setup.folder), setup.because)).collect()
}

/// Runs the gates on the tree as it is: what they find does not matter, only whether they can.
pub(super) fn tried(host: &Host, output: Output) -> std::result::Result<ReviewInputs, Failure> {
    let arguments = GateArguments { sandbox: None, skip: Vec::new(), trust_config: false, all_packages: false };
    let config = config_of_tree(host, &arguments, output)?;
    let terms = arguments.terms(&config, host, Vec::new())?;
    let case = ReviewCase { scope: ReviewScope::Everything, ..ReviewCase::default() };
    let _ = end_with_us();
    let mut watch = ReviewProgress::new(output);
    let examined = review::examine(case, &terms, &WorkTree::project(&host.folder), &mut |step| watch.see(step));
    watch.finish();
    Ok(examined.map_err(failed)?.0)
}

/// Lists the gates of the project, and those that there are.
fn list(terms: &review::ReviewTerms, with_plan: bool, base: Option<&str>, host: &Host, output: Output) -> Result {
    let (plan, project) = review::planned_gates(terms, &host.folder, base).map_err(failed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!(GateList::of(&plan, &project))),
        _ if with_plan => render::review::gates_planned(&plan, &project),
        _ => render::review::gates_listed(&plan.due, &terms.gates.off),
    });
    Ok(Exit::Done)
}

/// Reads the settings of the tree as it is. What protects this machine from the tree is not in its hands: that comes from
/// the last commit.
fn config_of_tree(host: &Host, arguments: &GateArguments, output: Output) -> std::result::Result<Config, Obstacle> {
    let mut config = Config::load(&host.project(), host.configuration.as_deref())?;
    if host.configuration.is_some() || arguments.trust_config {
        return Ok(config);
    }
    let last = match base_of(host, "HEAD")? {
        Some(commit) => Config::parse(&committed(host, &commit)?, "assize.toml of the last commit")?,
        None => Config::default(),
    };
    let of_tree = config.gates.clone();
    config.gates.sandbox = last.gates.sandbox;
    config.gates.network = last.gates.network;
    config.gates.limits = last.gates.limits;
    if config.gates != of_tree {
        output.note(
            "`sandbox`, `network` and `limits` in assize.toml hold once they are committed; --trust-config takes them now",
        );
    }
    Ok(config)
}
