//! `assize stop audit`: what agents claimed in past sessions, and what those sessions show of it.

use std::path::{Path, PathBuf};

use assize_engine::session_files::{SessionFile, SessionRead, audit_all, find};
use assize_stop::envelope::AuditEnvelope;
use assize_stop::transcript::TranscriptKind;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::exit::{Exit, Failure, Result};
use crate::hook::{ADAPTERS, Adapter, adapter};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Arguments of `assize stop audit`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the transcripts that agents left on this machine. Runs nothing, changes nothing, sends nothing.

Examples:
  assize stop audit                          every session of every agent on this machine
  assize stop audit --here                   the sessions of this project
  assize stop audit --output audit.html      the same as a page
  assize stop audit session.jsonl backup/    transcripts that lie elsewhere")]
pub struct Arguments {
    /// Transcripts, or folders of them [default: where the agents keep theirs].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only sessions of this agent; with PATH: whose transcripts these are.
    #[arg(long, value_name = "AGENT", value_parser = ADAPTERS.iter().map(|adapter| adapter.id()).collect::<Vec<_>>())]
    agent: Option<String>,
    /// Only sessions that worked in this project.
    #[arg(long)]
    here: bool,
    /// Show every claim, not only the first ones of each kind.
    #[arg(long)]
    all: bool,
    /// Write a page to this file: HTML that needs nothing else.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let chosen = arguments.agent.as_deref().and_then(adapter);
    let files = if arguments.paths.is_empty() { kept(host, chosen) } else { named(&arguments.paths, host, chosen)? };
    if files.is_empty() && arguments.paths.is_empty() {
        let places = stores(host, chosen).map(|(_, folder)| folder.display().to_string()).collect::<Vec<_>>().join(", ");
        output.note(&format!("no session of an agent was found in {places}; name transcripts or folders of them"));
    }
    let bar = progress(files.len(), output);
    let read = audit_all(&files, agent_of, || bar.inc(1));
    bar.finish_and_clear();
    let (mut sessions, mut unread) = (Vec::new(), Vec::new());
    for (file, read) in files.iter().zip(read) {
        match read {
            SessionRead::Audited(session) => sessions.push(session),
            SessionRead::Nothing => {}
            SessionRead::Failed(error) => unread.push(format!("{}: {error}", file.path.display())),
        }
    }
    if arguments.here {
        let project = host.project();
        sessions.retain(|session| Path::new(&session.project).starts_with(&project));
    }
    let audit = AuditEnvelope::of(sessions, unread);
    if let Some(path) = &arguments.output {
        let page = render::audit::page(&audit).map_err(|error| Failure::new(format!("the page: {error}")))?;
        own_file::write(host, path, &page)
            .map_err(|error| Failure::new(format!("--output {}: {error}", path.display())))?;
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(audit)),
        Format::Human => render::audit::human(&audit, arguments.all),
        Format::Markdown => render::audit::markdown(&audit),
    });
    Ok(Exit::Done)
}

fn agent_of(kind: TranscriptKind) -> &'static str {
    ADAPTERS.iter().find(|adapter| adapter.transcript_kind() == kind).map_or("unknown", |adapter| adapter.id())
}

/// The folders in which agents keep their sessions, whether they are there or not.
fn stores(host: &Host, chosen: Option<&'static dyn Adapter>) -> impl Iterator<Item = (&'static dyn Adapter, PathBuf)> {
    let meant = move |adapter: &&&'static dyn Adapter| chosen.is_none_or(|chosen| chosen.id() == adapter.id());
    ADAPTERS.iter().filter(meant).filter_map(move |adapter| {
        let store = adapter.session_store();
        let own = store.variable.and_then(|name| host.variable(name)).map(PathBuf::from);
        Some((*adapter, own.or_else(|| Some(host.home()?.join(store.folder)))?.join(store.below)))
    })
}

fn kept(host: &Host, chosen: Option<&'static dyn Adapter>) -> Vec<SessionFile> {
    let found = |(adapter, folder): (&'static dyn Adapter, PathBuf)| {
        find(&folder, &[adapter.session_store().pattern], Some(adapter.transcript_kind()))
    };
    stores(host, chosen).flat_map(found).collect()
}

fn named(paths: &[PathBuf], host: &Host, chosen: Option<&'static dyn Adapter>) -> Result<Vec<SessionFile>> {
    let kind = chosen.map(Adapter::transcript_kind);
    let mut files = Vec::new();
    for path in paths {
        let path = host.folder.join(path);
        if path.is_dir() {
            files.extend(find(&path, &["**/*.jsonl", "**/*.json"], kind));
        } else if path.is_file() {
            let store = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
            files.push(SessionFile { path, kind, store });
        } else {
            return Err(Failure::new(format!("{}: no such file or folder", path.display()))
                .hint("name a transcript or a folder of them, or no path for the sessions on this machine"));
        }
    }
    Ok(files)
}

fn progress(files: usize, output: Output) -> ProgressBar {
    if output.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64).with_message("sessions");
    match ProgressStyle::with_template("{spinner} {pos}/{len} {msg} {wide_bar} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
