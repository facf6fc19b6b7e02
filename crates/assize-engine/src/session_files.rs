//! The transcripts of past sessions that lie on this machine: finds them, reads them, changes nothing.

use std::io;
use std::path::{Path, PathBuf};

use assize_stop::audit::{AuditedSession, audit, folder_of};
use assize_stop::transcript::{TranscriptKind, kind_of};
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use rayon::prelude::*;

use crate::transcript::{first_lines, read_session};

/// Most transcripts that are looked at, the newest ones.
pub const SESSIONS_MAX: usize = 20_000;
/// Deepest folder in which a transcript is looked for.
const DEPTH_MAX: usize = 8;

/// A transcript, as far as its place tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is, where the place tells.
    pub kind: Option<TranscriptKind>,
    /// What the agent's store calls the project.
    pub store: String,
}

/// Finds the transcripts below a folder whose path below it fits one of these patterns, the newest first.
pub fn find(folder: &Path, patterns: &[&str], kind: Option<TranscriptKind>) -> Vec<SessionFile> {
    let mut overrides = OverrideBuilder::new(folder);
    for pattern in patterns {
        let _ = overrides.add(pattern);
    }
    let Ok(overrides) = overrides.build() else { return Vec::new() };
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .overrides(overrides)
        .max_depth(Some(DEPTH_MAX))
        .follow_links(false)
        .build();
    let mut found: Vec<(std::time::SystemTime, SessionFile)> = walk
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| {
            let changed =
                entry.metadata().ok().and_then(|known| known.modified().ok()).unwrap_or(std::time::UNIX_EPOCH);
            let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let store = below.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned());
            (changed, SessionFile { path: entry.path().to_owned(), kind, store: store.unwrap_or_default() })
        })
        .collect();
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
    found.truncate(SESSIONS_MAX);
    found.into_iter().map(|(_, file)| file).collect()
}

/// What became of a transcript.
#[derive(Debug)]
pub enum SessionRead {
    /// It was audited.
    Audited(AuditedSession),
    /// It is no transcript, or one without a stop.
    Nothing,
    /// It cannot be read.
    Failed(io::Error),
}

/// Audits transcripts on all processors, in the order in which they are given. `agent` names the agent of a kind, `each` is called when
/// one is done.
pub fn audit_all(
    files: &[SessionFile],
    agent: impl Fn(TranscriptKind) -> &'static str + Sync,
    each: impl Fn() + Sync,
) -> Vec<SessionRead> {
    let read = |file: &SessionFile| {
        let read = audit_one(file, &agent).unwrap_or_else(SessionRead::Failed);
        each();
        read
    };
    files.par_iter().map(read).collect()
}

fn audit_one(file: &SessionFile, agent: impl Fn(TranscriptKind) -> &'static str) -> io::Result<SessionRead> {
    let first = first_lines(&file.path)?;
    let Some(kind) = file.kind.or_else(|| kind_of(&first)) else { return Ok(SessionRead::Nothing) };
    let (facts, stops) = read_session(&file.path, kind)?;
    if stops.is_empty() {
        return Ok(SessionRead::Nothing);
    }
    Ok(SessionRead::Audited(AuditedSession {
        agent: agent(kind).to_owned(),
        project: first.iter().find_map(folder_of).unwrap_or(&file.store).to_owned(),
        path: file.path.to_string_lossy().into_owned(),
        stops: stops.len() as u64,
        claims: audit(&facts, &stops),
        limits: facts.limits,
    }))
}
