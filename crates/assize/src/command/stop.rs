//! `assize stop`: the stop court by hand, with the code that hooks call.

mod audit;
mod calibrate;

use std::path::{Path, PathBuf};

use assize_engine::court::stop::hold;
use assize_engine::evidence::Sources;
use assize_engine::expand::attachments;
use assize_engine::git::Repository;
use assize_engine::ledger::{Ledger, LedgerError};
use assize_engine::work_tree::WorkTree;
use assize_ledger::event::{LedgerEvent, session_state};
use assize_stop::court::StopCase;
use assize_stop::directive::Directive;
use assize_stop::rule;
use assize_stop::envelope::RuleDocument;
use assize_stop::session::{Baseline, BaselineScope};
use assize_stop::transcript::TranscriptKind;
use assize_stop::verification::VerificationRequest;
use serde_json::json;

use crate::approvals::SaidByPeople;
use crate::config::Config;
use crate::court::stop::ID;
use crate::exit::{Exit, Failure, Result};
use crate::hook::adapter;
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::output::{Format, Output, print};
use crate::render;
use crate::revision::unknown;
use crate::verification::run_checks;

/// Arguments of `assize stop`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "assize stop --directive <TEXT>… [OPTIONS]\n       assize stop --rules\n       assize stop audit [OPTIONS] [PATH]…\n       assize stop calibrate [OPTIONS]",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  assize stop --directive 'Add a --json flag to the list command' --base main
  assize stop --directive 'Fix the parser' --transcript ~/.claude/projects/…/session.jsonl
  assize stop --rules
  assize stop audit               what agents claimed in past sessions, and what those show
  assize stop calibrate           how often each rule was overruled here")]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<StopCommand>,
    /// What the user asked for; give it once for each prompt.
    #[arg(long = "directive", value_name = "TEXT", required_unless_present = "rules")]
    directives: Vec<String>,
    /// The revision that the change is measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// The agent's transcript.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// The agent whose transcript it is.
    #[arg(long, value_name = "AGENT", default_value = "claude-code")]
    agent: String,
    /// The agent's final message [default: the last one in the transcript].
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// List the rules of the evidence judge and end.
    #[arg(long)]
    rules: bool,
}

#[derive(Debug, clap::Subcommand)]
enum StopCommand {
    /// Show what agents claimed in past sessions, and what those sessions show of it.
    Audit(audit::Arguments),
    /// Show how often each rule and judge of this project was overruled by people.
    Calibrate(calibrate::Arguments),
}

/// Who is said to have been at work when a person calls the court.
const BY_HAND: &str = "by-hand";

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match &arguments.command {
        Some(StopCommand::Audit(arguments)) => return audit::run(arguments, host, output),
        Some(StopCommand::Calibrate(arguments)) => return calibrate::run(arguments, host, output),
        None => {}
    }
    if arguments.rules {
        list_rules(output);
        return Ok(Exit::Done);
    }
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let judges = Judges::of_stop(&config, host)?;
    let mut events = prompts(arguments, host, base(host, &arguments.base)?);
    let session = session_state(&events);
    if session.active.is_empty() {
        return Err(
            Failure::new("no --directive says anything").hint("give what the user asked for, in the user's words")
        );
    }
    let sources = sources(arguments, host)?;
    let case = StopCase { agent: BY_HAND.to_owned(), prompt_id: session.prompt_id.clone(), ..StopCase::default() };
    let said = SaidByPeople::of_project(host);
    if let Some(fault) = &said.fault {
        output.note(fault);
    }
    let terms = said.terms(config.stop.clone(), config.rules.clone(), judges.ids());
    let waiting = waiting_for(&judges.ids(), output);
    let mut verify = |request: &VerificationRequest| run_checks(request, &config, host);
    let mut ask = |ids: &[String], question: &_, each: &mut dyn FnMut(_)| judges.ask(ids, question, each);
    let record = hold(case, terms, session, &sources, &mut verify, &mut ask);
    if let Some(waiting) = waiting {
        waiting.finish_and_clear();
    }
    let outcome = record.decision.ruling.outcome;
    events.push(LedgerEvent::StopRuled(Box::new(record.clone())));
    if let Err(error) = record_all(host, &events) {
        output.note(&format!("this was not recorded: {error}"));
    }
    print(&match output.format {
        Format::Human => render::stop_record(&record),
        Format::Json => format!("{}\n", render::stop_envelope(&record)),
        Format::Markdown => render::stop_markdown(&record),
    });
    Ok(Exit::of(outcome))
}

/// The session of a stop that is judged by hand: what was asked for, as if it had been typed.
fn prompts(arguments: &Arguments, host: &Host, baseline: Baseline) -> Vec<LedgerEvent> {
    let mut baseline = Some(baseline);
    let (project, home) = (host.project(), host.home());
    let prompted = |(index, words): (usize, &String)| LedgerEvent::Prompted {
        agent: BY_HAND.to_owned(),
        prompt_id: format!("prompt-{}", index + 1),
        directive: Directive::from_prompt(words, index + 1, attachments(words, &project, home.as_deref())),
        overrules: false,
        baseline: baseline.take(),
        transcript: None,
    };
    arguments.directives.iter().enumerate().map(prompted).collect()
}

fn record_all(host: &Host, events: &[LedgerEvent]) -> std::result::Result<(), LedgerError> {
    let session = format!("{BY_HAND}/{}", now_ms());
    let mut ledger = Ledger::open(&host.ledger())?;
    for event in events {
        ledger.append(now_ms(), ID, &session, event)?;
    }
    Ok(())
}

fn base(host: &Host, revision: &str) -> Result<Baseline> {
    let failed = |error: assize_engine::git::GitError| Failure::new(error.to_string());
    let Some(repository) = Repository::discover(&host.folder).map_err(failed)? else {
        return Ok(Baseline { measured: BaselineScope::Folder, ..Baseline::default() });
    };
    let commit = if revision == "HEAD" {
        repository.head().map_err(failed)?
    } else {
        Some(repository.resolve(revision).map_err(|_| unknown("--base", revision, &repository))?)
    };
    Ok(Baseline { commit, measured: BaselineScope::Repository, ..Baseline::default() })
}

fn sources(arguments: &Arguments, host: &Host) -> Result<Sources> {
    let transcript = match &arguments.transcript {
        Some(path) => Some((path.clone(), transcript_kind(&arguments.agent, path)?)),
        None => None,
    };
    Ok(Sources {
        work_tree: WorkTree::project(&host.folder),
        transcript,
        final_message: arguments.message.clone(),
        cache: host.cache(),
        ..Sources::default()
    })
}

fn transcript_kind(agent: &str, path: &Path) -> Result<TranscriptKind> {
    if !path.is_file() {
        return Err(Failure::new(format!("--transcript {}: no such file", path.display())));
    }
    adapter(agent).map(crate::hook::Adapter::transcript_kind).ok_or_else(|| {
        Failure::new(format!("--agent {agent}: no such agent")).hint("claude-code, codex, gemini, cursor or copilot")
    })
}

/// Models take their time: say so on a terminal.
fn waiting_for(judges: &[String], output: Output) -> Option<indicatif::ProgressBar> {
    if judges.is_empty() || output.quiet {
        return None;
    }
    let bar = indicatif::ProgressBar::new_spinner().with_message(format!("waiting for {}", judges.join(", ")));
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    Some(bar)
}

fn list_rules(output: Output) {
    let documents = || rule::pages().map(|page| RuleDocument::of(&page));
    match output.format {
        Format::Json => documents().for_each(|document| print(&format!("{}\n", json!(document)))),
        Format::Human | Format::Markdown => {
            let width = documents().map(|document| document.rule.len()).max().unwrap_or(0);
            documents().for_each(|document| print(&format!("{:width$}  {}\n", document.rule, document.summary)));
        }
    }
}
