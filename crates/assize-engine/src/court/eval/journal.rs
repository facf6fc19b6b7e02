//! What happens in a run, written down as it happens.
//!
//! Many entries are written at once by one thread, so that a thousand replies a second are as durable as one; whoever hands them over is told
//! when they are on the disk, and does not wait. What is to be written must not be decided here.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use assize_core::ruling::Unjudged;
use assize_core::verdict::{Payload, StopReason};
use rusqlite::{Transaction, params};

use super::replies::{Key, Replies};
use crate::database::DatabaseError;
use crate::judge::Answer;

/// How long after one batch the next one is written at the earliest: what comes meanwhile goes with it, and costs hardly more.
const BATCHES_APART: Duration = Duration::from_millis(2);

/// What is written down.
#[derive(Debug)]
pub enum Entry {
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
    /// A call has ended, and cost so much.
    Ended {
        /// Its number.
        call: u64,
        /// What it cost.
        cost_nanousd: u64,
    },
    /// A call was not made after all.
    Withdrawn {
        /// Its number.
        call: u64,
    },
    /// A question has its reply.
    Replied {
        /// What it is kept under.
        key: Key,
        /// The record that it is about.
        record: Arc<str>,
        /// The judge.
        judge: Arc<str>,
        /// The reply.
        answer: Box<Answer>,
        /// When it came, in milliseconds since 1970.
        at_ms: i64,
        /// How long it took, in milliseconds.
        latency_ms: u64,
    },
    /// A question has none.
    Silent {
        /// What its reply would be kept under.
        key: Key,
        /// Why.
        unjudged: Unjudged,
    },
}

/// How much is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// The last batch that is.
    pub batch: u64,
    /// Questions that have ended, since the journal was opened.
    pub settled: u64,
}

/// Who is told of each batch that is on the disk, or that nothing can be written any more.
pub type Told = Box<dyn Fn(Result<Written, JournalError>) + Send>;

/// Writes down what happens in a run, and says when it is on the disk.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    submitted: Condvar,
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<Entry>,
    /// How many batches were taken to be written.
    taken: u64,
    closing: bool,
    failed: Option<JournalError>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was written down could not be written to the disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub(super) String);

impl Journal {
    /// Begins to write.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open(path: &Path, run: Key, told: Told) -> Result<Self, DatabaseError> {
        let replies = Replies::connect(path)?;
        let shared = Arc::new(Shared::default());
        let writer = thread::Builder::new().name("journal".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || write(&shared, replies, run, &told)
        });
        match writer {
            Ok(writer) => Ok(Self { shared, writer: Some(writer) }),
            Err(error) => Err(DatabaseError::Unusable { path: path.to_owned(), detail: error.to_string() }),
        }
    }

    /// Hands over entries, which are written in this order, and returns the number of the batch that they are written with.
    pub fn submit(&self, entries: impl IntoIterator<Item = Entry>) -> u64 {
        let mut state = self.shared.lock();
        let is_first = state.entries.is_empty();
        state.entries.extend(entries);
        // Whoever writes gathers for a while, and is not woken for each entry.
        if is_first {
            self.shared.submitted.notify_one();
        }
        // With nothing to write there will be no other batch.
        state.taken + u64::from(!state.entries.is_empty())
    }

    /// Ends when everything is on the disk.
    ///
    /// # Errors
    ///
    /// Says why not all of it could be written.
    pub fn close(mut self) -> Result<(), JournalError> {
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

impl Drop for Journal {
    fn drop(&mut self) {
        self.end();
    }
}

fn write(shared: &Shared, mut replies: Replies, run: Key, told: &Told) {
    let (mut batch, mut written) = (Vec::new(), Written::default());
    let mut earliest = Instant::now();
    loop {
        {
            let state = shared.lock();
            let waits = |state: &mut State| state.entries.is_empty() && !state.closing;
            let mut state = shared.submitted.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            if state.entries.is_empty() {
                drop(state);
                if let Err(error) = replies.look_where_they_stand() {
                    shared.lock().failed = Some(JournalError(error.to_string()));
                }
                return;
            }
            let early = earliest.saturating_duration_since(Instant::now());
            if !early.is_zero() {
                let waits = |state: &mut State| !state.closing;
                let waited = shared.submitted.wait_timeout_while(state, early, waits);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            std::mem::swap(&mut batch, &mut state.entries);
            state.taken += 1;
            written.batch = state.taken;
            earliest = Instant::now() + BATCHES_APART;
        }
        if let Err(error) = commit(&mut replies.database.connection, &run, &batch) {
            let failed = JournalError(replies.database.failure(&error).to_string());
            shared.lock().failed = Some(failed.clone());
            told(Err(failed));
            return;
        }
        let settled = |entry: &&Entry| matches!(entry, Entry::Replied { .. } | Entry::Silent { .. });
        written.settled += batch.iter().filter(settled).count() as u64;
        batch.clear();
        told(Ok(written));
    }
}

fn commit(connection: &mut rusqlite::Connection, run: &Key, entries: &[Entry]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let (mut calls, mut spent) = (0_i64, 0_i64);
    for entry in entries {
        if let Entry::Ended { cost_nanousd, .. } = entry {
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

fn write_entry(transaction: &Transaction<'_>, run: &Key, entry: &Entry) -> rusqlite::Result<()> {
    match entry {
        Entry::Begun { call, record, judge, worst_nanousd } => {
            let sql = "INSERT INTO call (run, id, record, judge, worst_nanousd) VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![run, number(*call), &**record, &**judge, number(*worst_nanousd)];
            transaction.prepare_cached(sql)?.execute(values)?;
        }
        Entry::Ended { call, .. } | Entry::Withdrawn { call } => {
            let sql = "DELETE FROM call WHERE run = ?1 AND id = ?2";
            transaction.prepare_cached(sql)?.execute(params![run, number(*call)])?;
        }
        Entry::Replied { key, record, judge, answer, at_ms, latency_ms } => {
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
        Entry::Silent { key, unjudged } => {
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

    use super::super::replies::{Lost, Stood};
    use super::*;

    const RUN: Key = [7; 16];

    /// A journal, and what it tells.
    fn journal(path: &Path) -> (Journal, Receiver<Result<Written, JournalError>>) {
        let (sender, told) = channel();
        let tell = Box::new(move |written| sender.send(written).expect("somebody listens"));
        (Journal::open(path, RUN, tell).expect("a journal"), told)
    }

    /// Waits until a batch is on the disk.
    fn wait(told: &Receiver<Result<Written, JournalError>>, batch: u64) -> Result<Written, JournalError> {
        loop {
            let written = told.recv().expect("the journal tells")?;
            if written.batch >= batch {
                return Ok(written);
            }
        }
    }

    fn begun(call: u64, worst_nanousd: u64) -> Entry {
        Entry::Begun { call, record: "soup".into(), judge: "j".into(), worst_nanousd }
    }

    fn answer(text: &str, stop: StopReason) -> Answer {
        let reply = Reply { payload: Payload::Text(text.to_owned()), stop };
        Answer { reply, model: Some("m".to_owned()), tokens_in: 10, tokens_out: 5, cost_usd: Some(0.25) }
    }

    fn replied(key: Key, answer: Answer) -> Entry {
        let answer = Box::new(answer);
        Entry::Replied { key, record: "soup".into(), judge: "j".into(), answer, at_ms: 1, latency_ms: 20 }
    }

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".assize").join("eval.db");
        (folder, path)
    }

    #[test]
    fn what_is_written_is_found_again() {
        let (_folder, path) = file();
        let mut replies = Replies::open(&path).expect("a new file");
        assert_eq!(replies.go_on(&RUN, 1).expect("a new run"), Stood::default());
        let (journal, told) = journal(&path);
        let (full, cut) = (answer("{}", StopReason::Complete), answer("", StopReason::Length));
        let late = Unjudged::new(Cause::Timeout, "late");
        let at = journal.submit([
            begun(0, 100),
            Entry::Ended { call: 0, cost_nanousd: 40 },
            replied([1; 16], full.clone()),
            replied([2; 16], cut.clone()),
            Entry::Silent { key: [3; 16], unjudged: late.clone() },
        ]);
        assert_eq!(wait(&told, at).expect("written").settled, 3);
        journal.close().expect("all of it is written");
        assert_eq!(replies.reply(&[1; 16]).expect("readable"), Some(full));
        assert_eq!(replies.reply(&[2; 16]).expect("readable"), Some(cut));
        assert_eq!(replies.reply(&[3; 16]).expect("readable"), None);
        assert_eq!(replies.silence(&[3; 16]).expect("readable"), Some(late));
        assert!(replies.has(&[1; 16]).expect("readable") && !replies.has(&[3; 16]).expect("readable"));
        let stood = replies.go_on(&RUN, 2).expect("the run goes on");
        assert_eq!(stood, Stood { calls: 1, spent_nanousd: 40, lost: Vec::new() });
        replies.forget(&[[1; 16], [3; 16]], true).expect("forgotten");
        assert!(!replies.has(&[1; 16]).expect("readable") && replies.has(&[2; 16]).expect("readable"));
        assert_eq!(replies.silence(&[3; 16]).expect("readable"), None);
    }

    #[test]
    fn a_reply_is_found_whatever_was_forgotten_or_broken_off_before() {
        let (_folder, path) = file();
        let open = || Replies::open(&path).expect("sound");
        open().go_on(&RUN, 1).expect("a new run");
        let (first, second) = (answer("first", StopReason::Complete), answer("second", StopReason::Complete));
        let add = |keys: &[Key], answer: &Answer| {
            let (journal, told) = journal(&path);
            let at = journal.submit(keys.iter().map(|key| replied(*key, answer.clone())));
            wait(&told, at).expect("written");
            (journal, open())
        };
        // As when the run is killed: nobody looks where they stand before the file is opened anew.
        let (journal, mut replies) = add(&[[1; 16], [2; 16], [3; 16]], &first);
        assert!([1, 2, 3].iter().all(|key| replies.has(&[*key; 16]).expect("readable")));
        // The last row goes, and its place is taken by another.
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
        let mut replies = Replies::open(&path).expect("a new file");
        replies.go_on(&RUN, 1).expect("a new run");
        let (journal, told) = journal(&path);
        let at = journal.submit([begun(0, 100), begun(1, 70), Entry::Ended { call: 0, cost_nanousd: 40 }]);
        wait(&told, at).expect("written");
        drop(journal);
        let lost = Lost { record: "soup".to_owned(), judge: "j".to_owned() };
        let stood = replies.go_on(&RUN, 2).expect("it goes on");
        assert_eq!(stood, Stood { calls: 2, spent_nanousd: 110, lost: vec![lost.clone()] });
        assert_eq!(replies.go_on(&[8; 16], 3).expect("another run"), Stood::default());
        let again = replies.go_on(&RUN, 4).expect("it goes on");
        assert_eq!(again, Stood { calls: 2, spent_nanousd: 110, lost: vec![lost] });
    }

    #[test]
    fn what_comes_while_it_gathers_is_written_at_the_end() {
        let (_folder, path) = file();
        let mut replies = Replies::open(&path).expect("a new file");
        replies.go_on(&RUN, 1).expect("a new run");
        for round in 0..20_u8 {
            let (journal, told) = journal(&path);
            let first = journal.submit([begun(u64::from(round), 1)]);
            wait(&told, first).expect("written at once");
            // The next batch is not due yet.
            let second = journal.submit([Entry::Ended { call: round.into(), cost_nanousd: 1 }]);
            let third = journal.submit([replied([round; 16], answer("{}", StopReason::Complete))]);
            assert!(third == second || third == second + 1);
            journal.close().expect("all of it is written");
            assert!(replies.has(&[round; 16]).expect("readable"));
        }
    }

    #[test]
    fn a_disk_that_cannot_be_written_is_told() {
        let (_folder, path) = file();
        let (journal, told) = journal(&path);
        let other = rusqlite::Connection::open(&path).expect("the same file");
        other.execute_batch("DROP TABLE call").expect("damaged");
        let at = journal.submit([begun(0, 1)]);
        let error = wait(&told, at).expect_err("not written").to_string();
        assert!(error.contains("eval.db"), "{error}");
        assert!(journal.close().is_err());
    }
}
