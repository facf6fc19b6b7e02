//! Records of commands, step by step, so that an interrupted command resumes where it stopped.
//!
//! All such commands keep their steps in the same way, among them a fix and a tournament whose candidates are made.
//! This module must not know what a step is.

use std::fs::TryLockError;
use std::os::unix::fs::OpenOptionsExt as _;

use assize_engine::database::make_folder;
use assize_engine::ledger::{Filter, Ledger, LedgerError};
use assize_ledger::event::LedgerEvent;
use rustix::fs::OFlags;

use crate::exit::{Failure, Result};
use crate::host::{Host, now_ms};

/// Most cases that could go on among which one is looked for, the newest ones.
pub const OPEN_MAX: u32 = 1_000;

/// Held while a command that keeps its steps is at work in a project: two of them would take each other for an interrupted
/// one.
pub struct StepLock(#[expect(dead_code, reason = "it is held, not read")] std::fs::File);

impl StepLock {
    /// Takes the lock of a command in a project.
    ///
    /// # Errors
    ///
    /// Fails when another one is at work, and when there is no place for a lock.
    pub fn take(host: &Host, command: &str) -> Result<Self> {
        let path = host.shared().join(format!("{command}.lock"));
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(|error| failed(&error))?;
        }
        let file = std::fs::File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::new(format!("another `assize {command}` is at work in this project")))
            }
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }
}

/// A case that can go on.
pub struct ResumableCase {
    /// Where it stands in the ledger.
    pub session: String,
    /// When it began.
    pub at_ms: i64,
    /// What it began with.
    pub start: LedgerEvent,
}

/// Lists the newest `most` cases of a court that can go on, newest first: those without an event of two kinds, with which they
/// are over.
///
/// # Errors
///
/// Fails when the ledger cannot be read.
pub fn open(ledger: &Ledger, court: &str, over: [&str; 2], most: u32) -> Result<Vec<ResumableCase>> {
    let mut found = Vec::new();
    for session in ledger.sessions_without(court, over, most).map_err(failed)? {
        let mut first = None;
        let filter = Filter { session: Some(session.clone()), ..Filter::default() };
        let walked = ledger.walk(&filter, &mut |entry, _| {
            first = Some(entry);
            Ok(false)
        });
        walked.map_err(failed)?;
        // A case that a later version began is left out: only that version can resume it.
        let event = first.as_ref().and_then(|entry| Some((entry.header.at_ms, ledger.event(entry).ok()?)));
        if let Some((at_ms, start)) = event {
            found.push(ResumableCase { session, at_ms, start });
        }
    }
    Ok(found)
}

/// The record of one case.
pub struct StepRecorder {
    ledger: Ledger,
    court: &'static str,
    session: String,
}

impl StepRecorder {
    /// Resumes the record of a case, and returns the events in it.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be read.
    pub fn resume(ledger: Ledger, court: &'static str, session: &str) -> Result<(Self, Vec<LedgerEvent>)> {
        let events = ledger.session_events(session, None).map_err(failed)?;
        Ok((Self { ledger, court, session: session.to_owned() }, events))
    }

    /// Begins another record with an event.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be written.
    pub fn begin(ledger: Ledger, court: &'static str, start: &LedgerEvent) -> Result<Self> {
        let mut record = Self { ledger, court, session: format!("{court}/{}", now_ms()) };
        record.keep(start).map_err(failed)?;
        Ok(record)
    }

    /// Keeps what happened.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn keep(&mut self, event: &LedgerEvent) -> std::result::Result<(), LedgerError> {
        self.ledger.append(now_ms(), self.court, &self.session, event).map(|_| ())
    }
}

/// Opens the ledger of a project.
///
/// # Errors
///
/// Fails when it cannot be read or written.
pub fn ledger(host: &Host) -> Result<Ledger> {
    Ledger::open(&host.ledger()).map_err(failed)
}

/// Says that something cannot be read from the ledger or kept in it.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
pub fn failed(error: LedgerError) -> Failure {
    Failure::new(format!("the ledger: {error}"))
}
