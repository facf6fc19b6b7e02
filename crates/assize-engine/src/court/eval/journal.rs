//! The journal of a run: calls and replies as they happen.
//!
//! One thread writes many entries at once, so that even a thousand replies a second are durable. Submitting entries
//! does not block; a listener learns when they are on disk. This module must not decide what is written.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use assize_core::ruling::Unjudged;
use assize_core::verdict::{Payload, StopReason};
use rusqlite::{Transaction, params};

use super::replies::{ReplyKey, ReplyStore};
use crate::database::DatabaseError;
use crate::judge::JudgeAnswer;

/// The shortest time between two batches. Entries that arrive in between join the next batch at hardly any cost.
const BATCHES_APART: Duration = Duration::from_millis(2);

/// One entry of the journal.
#[derive(Debug)]
pub enum CallJournalEntry {
    /// A call is about to be made.
    Begun {
        /// Its number in the run.
        call: u64,
        /// The record that it is about.
        record: Arc<str>,
        /// The judge.
        judge: Arc<str>,
        /// The most that it can cost.
        worst_nanousd: u64,
    },
    /// A call has ended.
    Ended {
        /// Its number.
        call: u64,
        /// Its cost.
        cost_nanousd: u64,
    },
    /// An announced call was not made.
    Withdrawn {
        /// Its number.
        call: u64,
    },
    /// A question has its reply.
    Replied {
        /// The key of the reply.
        key: ReplyKey,
        /// The record that it is about.
        record: Arc<str>,
        /// The judge.
        judge: Arc<str>,
        /// The reply.
        answer: Box<JudgeAnswer>,
        /// When it arrived, in milliseconds since 1970.
        at_ms: i64,
        /// How long it took, in milliseconds.
        latency_ms: u64,
    },
    /// A question has no reply.
    Silent {
        /// The key that its reply would have.
        key: ReplyKey,
        /// Why there is none.
        unjudged: Unjudged,
    },
}

/// How much of the journal is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalProgress {
    /// The number of the last batch on disk.
    pub batch: u64,
    /// Questions completed since the journal was opened.
    pub completed: u64,
}

/// Receives the progress after each batch, or the error after which nothing more is written.
pub type WriteListener = Box<dyn Fn(Result<JournalProgress, CallJournalError>) + Send>;

/// Writes entries, and reports when they are on disk.
#[derive(Debug)]
pub struct CallJournal {
    shared: Arc<JournalShared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct JournalShared {
    state: Mutex<JournalState>,
    submitted: Condvar,
}

#[derive(Debug, Default)]
struct JournalState {
    entries: Vec<CallJournalEntry>,
    /// The number of batches that the writer has taken.
    taken: u64,
    closing: bool,
    failed: Option<CallJournalError>,
}

impl JournalShared {
    fn lock(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The journal could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CallJournalError(pub(super) String);

impl CallJournal {
    /// Opens the journal and starts its writer.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open(path: &Path, run: ReplyKey, on_written: WriteListener) -> Result<Self, DatabaseError> {
        let replies = ReplyStore::connect(path)?;
        let shared = Arc::new(JournalShared::default());
        let writer = thread::Builder::new().name("journal".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || write(&shared, replies, run, &on_written)
        });
        match writer {
            Ok(writer) => Ok(Self { shared, writer: Some(writer) }),
            Err(error) => Err(DatabaseError::Unusable { path: path.to_owned(), detail: error.to_string() }),
        }
    }

    /// Submits entries, which are written in this order. Returns the number of their batch.
    pub fn submit(&self, entries: impl IntoIterator<Item = CallJournalEntry>) -> u64 {
        let mut state = self.shared.lock();
        let is_first = state.entries.is_empty();
        state.entries.extend(entries);
        // The writer waits for further entries, so waking it once is enough.
        if is_first {
            self.shared.submitted.notify_one();
        }
        // If nothing is to be written, there will be no further batch.
        state.taken + u64::from(!state.entries.is_empty())
    }

    /// Closes the journal when everything is on disk.
    ///
    /// # Errors
    ///
    /// Returns why not everything could be written.
    pub fn close(mut self) -> Result<(), CallJournalError> {
        self.end();
        self.shared.lock().failed.clone().map_or(Ok(()), Err)
    }

    fn end(&mut self) {
        self.shared.lock().closing = true;
        self.shared.submitted.notify_one();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Drop for CallJournal {
    fn drop(&mut self) {
        self.end();
    }
}

fn write(shared: &JournalShared, mut replies: ReplyStore, run: ReplyKey, on_written: &WriteListener) {
    let (mut batch, mut written) = (Vec::new(), JournalProgress::default());
    let mut earliest = Instant::now();
    loop {
        {
            let state = shared.lock();
            let waits = |state: &mut JournalState| state.entries.is_empty() && !state.closing;
            let mut state = shared.submitted.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            if state.entries.is_empty() {
                drop(state);
                if let Err(error) = replies.look_where_they_stand() {
                    shared.lock().failed = Some(CallJournalError(error.to_string()));
                }
                return;
            }
            let early = earliest.saturating_duration_since(Instant::now());
            if !early.is_zero() {
                let waits = |state: &mut JournalState| !state.closing;
                let waited = shared.submitted.wait_timeout_while(state, early, waits);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            std::mem::swap(&mut batch, &mut state.entries);
            state.taken += 1;
            written.batch = state.taken;
            earliest = Instant::now() + BATCHES_APART;
        }
        if let Err(error) = commit(&mut replies.database.connection, &run, &batch) {
            let failed = CallJournalError(replies.database.failure(&error).to_string());
            shared.lock().failed = Some(failed.clone());
            on_written(Err(failed));
            return;
        }
        let completed = |entry: &&CallJournalEntry| {
            matches!(entry, CallJournalEntry::Replied { .. } | CallJournalEntry::Silent { .. })
        };
        written.completed += batch.iter().filter(completed).count() as u64;
        batch.clear();
        on_written(Ok(written));
    }
}

fn commit(connection: &mut rusqlite::Connection, run: &ReplyKey, entries: &[CallJournalEntry]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let (mut calls, mut spent) = (0_i64, 0_i64);
    for entry in entries {
        if let CallJournalEntry::Ended { cost_nanousd, .. } = entry {
            calls += 1;
            spent = spent.saturating_add(number(*cost_nanousd));
        }
        write_entry(&transaction, run, entry)?;
    }
    if calls > 0 {
        let sql = "UPDATE run SET calls = calls + ?2, spent_nanousd = spent_nanousd + ?3 WHERE id = ?1";
        transaction.prepare_cached(sql)?.execute(params![run, calls, spent])?;
    }
    transaction.commit()
}

fn write_entry(transaction: &Transaction<'_>, run: &ReplyKey, entry: &CallJournalEntry) -> rusqlite::Result<()> {
    match entry {
        CallJournalEntry::Begun { call, record, judge, worst_nanousd } => {
            let sql = "INSERT INTO call (run, id, record, judge, worst_nanousd) VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![run, number(*call), &**record, &**judge, number(*worst_nanousd)];
            transaction.prepare_cached(sql)?.execute(values)?;
        }
        CallJournalEntry::Ended { call, .. } | CallJournalEntry::Withdrawn { call } => {
            let sql = "DELETE FROM call WHERE run = ?1 AND id = ?2";
            transaction.prepare_cached(sql)?.execute(params![run, number(*call)])?;
        }
        CallJournalEntry::Replied { key, record, judge, answer, at_ms, latency_ms } => {
            let sql = "INSERT INTO reply (key, record, judge, model, structured, stop, reply, tokens_in, tokens_out,
                       cost_usd, at_ms, latency_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
            let (structured, text) = match &answer.reply.payload {
                Payload::Structured(text) => (true, text),
                Payload::Text(text) => (false, text),
            };
            let stop = match answer.reply.stop {
                StopReason::Complete => 0,
                StopReason::Length => 1,
                StopReason::Refusal => 2,
            };
            transaction.prepare_cached(sql)?.execute(params![
                key,
                &**record,
                &**judge,
                answer.model,
                structured,
                stop,
                text,
                number(answer.tokens_in),
                number(answer.tokens_out),
                answer.cost_usd,
                at_ms,
                number(*latency_ms)
            ])?;
        }
        CallJournalEntry::Silent { key, unjudged } => {
            let sql = "INSERT OR REPLACE INTO silence (key, cause, detail) VALUES (?1, ?2, ?3)";
            transaction.prepare_cached(sql)?.execute(params![key, unjudged.cause.as_str(), unjudged.detail])?;
        }
    }
    Ok(())
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use assize_core::ruling::Cause;
    use assize_core::verdict::Reply;
    use assize_eval::requests::InterruptedCall;

    use super::super::replies::ResumePoint;
    use super::*;

    const RUN: ReplyKey = [7; 16];

    /// Opens a journal, with the receiver of its progress.
    fn journal(path: &Path) -> (CallJournal, Receiver<Result<JournalProgress, CallJournalError>>) {
        let (sender, on_written) = channel();
        let listener = Box::new(move |written| sender.send(written).expect("somebody listens"));
        (CallJournal::open(path, RUN, listener).expect("a journal"), on_written)
    }

    /// Waits until a batch is on disk.
    fn wait(
        on_written: &Receiver<Result<JournalProgress, CallJournalError>>,
        batch: u64,
    ) -> Result<JournalProgress, CallJournalError> {
        loop {
            let written = on_written.recv().expect("the journal tells")?;
            if written.batch >= batch {
                return Ok(written);
            }
        }
    }

    fn begun(call: u64, worst_nanousd: u64) -> CallJournalEntry {
        CallJournalEntry::Begun { call, record: "soup".into(), judge: "j".into(), worst_nanousd }
    }

    fn answer(text: &str, stop: StopReason) -> JudgeAnswer {
        let reply = Reply { payload: Payload::Text(text.to_owned()), stop };
        JudgeAnswer { reply, model: Some("m".to_owned()), tokens_in: 10, tokens_out: 5, cost_usd: Some(0.25) }
    }

    fn replied(key: ReplyKey, answer: JudgeAnswer) -> CallJournalEntry {
        let answer = Box::new(answer);
        CallJournalEntry::Replied { key, record: "soup".into(), judge: "j".into(), answer, at_ms: 1, latency_ms: 20 }
    }

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".assize").join("eval.db");
        (folder, path)
    }

    #[test]
    fn what_is_written_is_found_again() {
        let (_folder, path) = file();
        let mut replies = ReplyStore::open(&path).expect("a new file");
        assert_eq!(replies.resume(&RUN, 1).expect("a new run"), ResumePoint::default());
        let (journal, on_written) = journal(&path);
        let (full, cut) = (answer("{}", StopReason::Complete), answer("", StopReason::Length));
        let late = Unjudged::new(Cause::Timeout, "late");
        let at = journal.submit([
            begun(0, 100),
            CallJournalEntry::Ended { call: 0, cost_nanousd: 40 },
            replied([1; 16], full.clone()),
            replied([2; 16], cut.clone()),
            CallJournalEntry::Silent { key: [3; 16], unjudged: late.clone() },
        ]);
        assert_eq!(wait(&on_written, at).expect("written").completed, 3);
        journal.close().expect("all of it is written");
        assert_eq!(replies.reply(&[1; 16]).expect("readable"), Some(full));
        assert_eq!(replies.reply(&[2; 16]).expect("readable"), Some(cut));
        assert_eq!(replies.reply(&[3; 16]).expect("readable"), None);
        assert_eq!(replies.silence(&[3; 16]).expect("readable"), Some(late));
        assert!(replies.has(&[1; 16]).expect("readable") && !replies.has(&[3; 16]).expect("readable"));
        let resume_point = replies.resume(&RUN, 2).expect("the run goes on");
        assert_eq!(resume_point, ResumePoint { calls: 1, spent_nanousd: 40, lost: Vec::new() });
        replies.forget(&[[1; 16], [3; 16]], true).expect("forgotten");
        assert!(!replies.has(&[1; 16]).expect("readable") && replies.has(&[2; 16]).expect("readable"));
        assert_eq!(replies.silence(&[3; 16]).expect("readable"), None);
    }

    #[test]
    fn a_reply_is_found_whatever_was_forgotten_or_broken_off_before() {
        let (_folder, path) = file();
        let open = || ReplyStore::open(&path).expect("sound");
        open().resume(&RUN, 1).expect("a new run");
        let (first, second) = (answer("first", StopReason::Complete), answer("second", StopReason::Complete));
        let add = |keys: &[ReplyKey], answer: &JudgeAnswer| {
            let (journal, on_written) = journal(&path);
            let at = journal.submit(keys.iter().map(|key| replied(*key, answer.clone())));
            wait(&on_written, at).expect("written");
            (journal, open())
        };
        // As when the run is killed: nothing is indexed before the file is opened again.
        let (journal, mut replies) = add(&[[1; 16], [2; 16], [3; 16]], &first);
        assert!([1, 2, 3].iter().all(|key| replies.has(&[*key; 16]).expect("readable")));
        // The last row is removed, and another takes its row id.
        replies.forget(&[[3; 16]], true).expect("forgotten");
        drop((journal, replies));
        let (journal, replies) = add(&[[4; 16], [1; 16]], &second);
        assert!(!replies.has(&[3; 16]).expect("readable"));
        for (key, is) in [([1; 16], &second), ([2; 16], &first), ([4; 16], &second)] {
            assert_eq!(replies.reply(&key).expect("readable").as_ref(), Some(is), "{key:?}");
        }
        journal.close().expect("nothing is left");
    }

    #[test]
    fn a_call_that_was_under_way_counts_as_paid_for_once_and_is_named() {
        let (_folder, path) = file();
        let mut replies = ReplyStore::open(&path).expect("a new file");
        replies.resume(&RUN, 1).expect("a new run");
        let (journal, on_written) = journal(&path);
        let at = journal.submit([begun(0, 100), begun(1, 70), CallJournalEntry::Ended { call: 0, cost_nanousd: 40 }]);
        wait(&on_written, at).expect("written");
        drop(journal);
        let lost = InterruptedCall { record: "soup".to_owned(), judge: "j".to_owned() };
        let resume_point = replies.resume(&RUN, 2).expect("it goes on");
        assert_eq!(resume_point, ResumePoint { calls: 2, spent_nanousd: 110, lost: vec![lost.clone()] });
        assert_eq!(replies.resume(&[8; 16], 3).expect("another run"), ResumePoint::default());
        let again = replies.resume(&RUN, 4).expect("it goes on");
        assert_eq!(again, ResumePoint { calls: 2, spent_nanousd: 110, lost: vec![lost] });
    }

    #[test]
    fn what_comes_while_it_gathers_is_written_at_the_end() {
        let (_folder, path) = file();
        let mut replies = ReplyStore::open(&path).expect("a new file");
        replies.resume(&RUN, 1).expect("a new run");
        for round in 0..20_u8 {
            let (journal, on_written) = journal(&path);
            let first = journal.submit([begun(u64::from(round), 1)]);
            wait(&on_written, first).expect("written at once");
            // The next batch is not due yet.
            let second = journal.submit([CallJournalEntry::Ended { call: round.into(), cost_nanousd: 1 }]);
            let third = journal.submit([replied([round; 16], answer("{}", StopReason::Complete))]);
            assert!(third == second || third == second + 1);
            journal.close().expect("all of it is written");
            assert!(replies.has(&[round; 16]).expect("readable"));
        }
    }

    #[test]
    fn write_errors_are_reported() {
        let (_folder, path) = file();
        let (journal, on_written) = journal(&path);
        let other = rusqlite::Connection::open(&path).expect("the same file");
        other.execute_batch("DROP TABLE call").expect("damaged");
        let at = journal.submit([begun(0, 1)]);
        let error = wait(&on_written, at).expect_err("not written").to_string();
        assert!(error.contains("eval.db"), "{error}");
        assert!(journal.close().is_err());
    }
}
