//! The events of the market: one file for each, in a folder that git tracks.
//!
//! A file is written atomically and never changed, so that merging branches only brings files together. An unreadable
//! file is an error that names it, because an incomplete history would give other weights. This module must not know
//! what events mean.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use assize_market::event::{EVENT_BYTES_MAX, MarketEvent};
use tempfile::NamedTempFile;

use crate::{database, regular_file};

/// The most files that are read.
pub const EVENTS_MAX: usize = 100_000;
/// Their folder within the project's state.
const FOLDERS: [&str; 2] = ["market", "events"];

/// Why events cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum EventsError {
    /// A file is not an event.
    #[error("{}: {what}", path.display())]
    NoEvent {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// There are too many.
    #[error("{}: there are more than {EVENTS_MAX} events", .0.display())]
    TooMany(PathBuf),
    /// The folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

/// Returns the folder of a project's events; `state` is the folder of its state.
pub fn folder(state: &Path) -> PathBuf {
    FOLDERS.iter().fold(state.to_owned(), |path, name| path.join(name))
}

/// Reads all events; none if there is no folder.
///
/// # Errors
///
/// Names the file that is not an event.
pub fn read(state: &Path) -> Result<Vec<MarketEvent>, EventsError> {
    let folder = folder(state);
    let failed = |error: io::Error| EventsError::Folder { path: folder.clone(), error };
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut events = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        // Temporary files of git and editors have other extensions.
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        if events.len() == EVENTS_MAX {
            return Err(EventsError::TooMany(folder));
        }
        let wrong = |what: String| EventsError::NoEvent { path: path.clone(), what };
        let bytes = regular_file::read(&path, EVENT_BYTES_MAX as u64).map_err(|error| wrong(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("is no UTF-8".to_owned()))?;
        events.push(MarketEvent::read(&text).map_err(|error| wrong(error.to_string()))?);
    }
    Ok(events)
}

/// Writes an event, and returns the name of its file. An existing file is not changed.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn record(state: &Path, event: &MarketEvent) -> Result<String, EventsError> {
    let folder = folder(state);
    let name = event.file_name();
    let write = || -> io::Result<()> {
        database::make_folder(state)?;
        fs::create_dir_all(&folder)?;
        let path = folder.join(&name);
        // In a folder that git does not track, in case a crash leaves it behind.
        let mut draft = NamedTempFile::new_in(state)?;
        draft.write_all(event.to_json().as_bytes())?;
        draft.as_file().sync_all()?;
        match draft.persist_noclobber(&path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            persisted => drop(persisted?),
        }
        // The name is on disk when its folder is.
        fs::File::open(&folder)?.sync_all()
    };
    write().map_err(|error| EventsError::Folder { path: folder.clone(), error })?;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use assize_market::event::{MarketMetrics, MarketOutcome};

    use super::*;

    fn event(bot_id: &str, second: u32) -> MarketEvent {
        MarketEvent {
            timestamp: format!("2026-01-29T10:30:{second:02}Z"),
            issue_number: None,
            run: None,
            bot_id: bot_id.to_owned(),
            outcome: MarketOutcome::NotSelected,
            proposal_score: Some(0.7),
            implementation_score: None,
            accuracy: None,
            stated_probability: None,
            weight_delta: -0.02,
            iteration_count: 0,
            metrics: MarketMetrics::default(),
        }
    }

    #[test]
    fn events_are_found_again_and_written_once() {
        let project = tempfile::tempdir().expect("a folder");
        let state = project.path().join(".assize");
        assert!(read(&state).expect("nothing yet").is_empty());
        let events = [event("a", 1), event("b", 1), event("a", 2)];
        let names: Vec<String> = events.iter().map(|event| record(&state, event).expect("written")).collect();
        assert!(names[0].starts_with("2026-01-29T10:30:01Z-a-not-selected-"), "{}", names[0]);
        assert_eq!(record(&state, &events[0]).expect("there already"), names[0]);
        let mut found = read(&state).expect("readable");
        found.sort_by_key(MarketEvent::place);
        assert_eq!(found, [events[0].clone(), events[1].clone(), events[2].clone()]);
        assert_eq!(fs::read_dir(folder(&state)).expect("a folder").count(), 3, "no draft is left");
    }

    #[test]
    fn what_is_no_event_is_named() {
        let project = tempfile::tempdir().expect("a folder");
        let state = project.path().join(".assize");
        record(&state, &event("a", 1)).expect("written");
        fs::write(folder(&state).join("README.md"), "not ours").expect("written");
        assert_eq!(read(&state).expect("readable").len(), 1);
        for (content, expected_message) in [(&b"{}"[..], "is no event"), (b"\xff", "is no UTF-8")] {
            fs::write(folder(&state).join("broken.json"), content).expect("written");
            let error = read(&state).expect_err("no event").to_string();
            assert!(error.contains("broken.json") && error.contains(expected_message), "{error}");
        }
        fs::remove_file(folder(&state).join("broken.json")).expect("removed");
        std::os::unix::fs::symlink("/dev/zero", folder(&state).join("endless.json")).expect("linked");
        assert!(read(&state).expect_err("no file").to_string().contains("no regular file"));
    }
}
