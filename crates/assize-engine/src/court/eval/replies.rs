//! The replies of judges of records, kept on disk.
//!
//! A run can be interrupted at any point, and goes on without paying again: each call is written down before it is made, and its reply
//! before it counts. Many are written at once by one thread, so that a thousand replies a second are as durable as one. A
//! reply is kept under what shaped it: the question, the judge, and which time it was asked. What replies mean must not
//! be known here.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::{Payload, Reply, StopReason};
use rusqlite::{OptionalExtension as _, Transaction, params};
use serde::Serialize;

use crate::database::{Database, DatabaseError, Kind};
use crate::judge::Answer;

/// Marks the file as ours (`ASZR`).
const APPLICATION_ID: i32 = 0x4153_5a52;
const MIGRATIONS: &[&str] = &["
    -- A run: what it has cost and what is set aside for calls whose cost nobody knows, in billionths of a US dollar.
    CREATE TABLE run (
        id            BLOB PRIMARY KEY,
        began_ms      INTEGER NOT NULL,
        calls         INTEGER NOT NULL DEFAULT 0,
        spent_nanousd INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    -- Calls that are under way, or were when their run was killed.
    CREATE TABLE call (
        run           BLOB NOT NULL,
        id            INTEGER NOT NULL,
        record        TEXT NOT NULL,
        judge         TEXT NOT NULL,
        worst_nanousd INTEGER NOT NULL,
        PRIMARY KEY (run, id)
    ) STRICT, WITHOUT ROWID;
    -- Calls of which nobody knows whether they were paid for, since their run ended before they did.
    CREATE TABLE lost (
        run           BLOB NOT NULL,
        record        TEXT NOT NULL,
        judge         TEXT NOT NULL
    ) STRICT;
    CREATE INDEX lost_by_run ON lost (run);
    CREATE TABLE reply (
        key           BLOB NOT NULL UNIQUE,
        record        TEXT NOT NULL,
        judge         TEXT NOT NULL,
        model         TEXT,
        structured    INTEGER NOT NULL,
        stop          INTEGER NOT NULL,
        reply         TEXT NOT NULL,
        tokens_in     INTEGER NOT NULL,
        tokens_out    INTEGER NOT NULL,
        cost_usd      REAL,
        at_ms         INTEGER NOT NULL,
        latency_ms    INTEGER NOT NULL
    ) STRICT;
    -- Questions that the last run to ask them got no reply to.
    CREATE TABLE silence (
        key           BLOB PRIMARY KEY,
        cause         TEXT NOT NULL,
        detail        TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
"];
const KIND: Kind = Kind { name: "file of replies", application_id: APPLICATION_ID, migrations: MIGRATIONS };

/// How long after one batch the next one is written at the earliest: what comes meanwhile goes with it, and costs hardly more.
const BATCHES_APART: Duration = Duration::from_millis(1);
/// Pages of the journal after which they are taken over into the file.
const CHECKPOINT_PAGES: i32 = 4_000;

/// What a reply is kept under.
pub type Key = [u8; 16];

/// The replies that are kept.
#[derive(Debug)]
pub struct Replies {
    database: Database,
}

/// A call that was under way when its run ended: nobody knows whether it was paid for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The record that it was about.
    pub record: String,
    /// The judge.
    pub judge: String,
}

/// Where a run stood when it was left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stood {
    /// Calls that were made.
    pub calls: u64,
    /// What they cost, and what those whose cost is not known may have cost, in billionths of a US dollar.
    pub spent_nanousd: u64,
    /// Those that were under way whenever it was left, the oldest first.
    pub lost: Vec<Lost>,
}

impl Replies {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let database = Database::open(path, KIND)?;
        let set = database.connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES);
        set.map_err(|error| database.failure(&error))?;
        Ok(Self { database })
    }

    /// Looks up a reply.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn reply(&self, key: &Key) -> Result<Option<Answer>, DatabaseError> {
        let sql = "SELECT structured, stop, reply, model, tokens_in, tokens_out, cost_usd FROM reply WHERE key = ?1";
        let answer = |row: &rusqlite::Row<'_>| {
            let text: String = row.get(2)?;
            let payload = if row.get(0)? { Payload::Structured(text) } else { Payload::Text(text) };
            let stop = match row.get(1)? {
                0 => StopReason::Complete,
                1 => StopReason::Length,
                _ => StopReason::Refusal,
            };
            let count = |column| Ok::<u64, rusqlite::Error>(row.get::<_, i64>(column)?.unsigned_abs());
            let (tokens_in, tokens_out) = (count(4)?, count(5)?);
            Ok(Answer {
                reply: Reply { payload, stop },
                model: row.get(3)?,
                tokens_in,
                tokens_out,
                cost_usd: row.get(6)?,
            })
        };
        let look_up = || self.database.connection.prepare_cached(sql)?.query_row([key], answer).optional();
        look_up().map_err(|error| self.database.failure(&error))
    }

    /// Returns whether there is a reply.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn has(&self, key: &Key) -> Result<bool, DatabaseError> {
        let look_up = || self.database.connection.prepare_cached("SELECT 1 FROM reply WHERE key = ?1")?.exists([key]);
        look_up().map_err(|error| self.database.failure(&error))
    }

    /// Returns whether there is none at all.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn is_empty(&self) -> Result<bool, DatabaseError> {
        let look_up = || self.database.connection.prepare_cached("SELECT 1 FROM reply LIMIT 1")?.exists([]);
        look_up().map(|exists| !exists).map_err(|error| self.database.failure(&error))
    }

    /// Looks up why there was no reply.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn silence(&self, key: &Key) -> Result<Option<Unjudged>, DatabaseError> {
        let sql = "SELECT cause, detail FROM silence WHERE key = ?1";
        let unjudged = |row: &rusqlite::Row<'_>| {
            let cause: String = row.get(0)?;
            let known = serde_json::from_value(cause.into()).unwrap_or(Cause::Unavailable);
            Ok(Unjudged { cause: known, detail: row.get(1)? })
        };
        let look_up = || self.database.connection.prepare_cached(sql)?.query_row([key], unjudged).optional();
        look_up().map_err(|error| self.database.failure(&error))
    }

    /// Begins a run, or goes on with it: calls that were under way count as paid for at their highest price.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be written.
    pub fn go_on(&mut self, run: &Key, now_ms: i64) -> Result<Stood, DatabaseError> {
        let stood = go_on(&mut self.database.connection, run, now_ms);
        stood.map_err(|error| self.database.failure(&error))
    }

    /// Forgets why questions had no reply, and, where they are to be asked again, the replies that hold no verdict.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be written.
    pub fn forget(&mut self, keys: &[Key], replies: bool) -> Result<(), DatabaseError> {
        let forget = |connection: &mut rusqlite::Connection| -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            for key in keys {
                transaction.prepare_cached("DELETE FROM silence WHERE key = ?1")?.execute([key])?;
                if replies {
                    transaction.prepare_cached("DELETE FROM reply WHERE key = ?1")?.execute([key])?;
                }
            }
            transaction.commit()
        };
        forget(&mut self.database.connection).map_err(|error| self.database.failure(&error))
    }
}

/// Replies that many threads read at a time, each over a connection of its own.
#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Replies>>,
}

impl Readers {
    /// Returns readers of a file, which are made when they are needed.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default() }
    }

    /// Reads something.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn read<T>(&self, read: impl FnOnce(&Replies) -> Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = idle().pop();
        let reader = match reader {
            Some(reader) => reader,
            None => Replies::open(&self.path)?,
        };
        let read = read(&reader);
        idle().push(reader);
        read
    }
}

fn go_on(connection: &mut rusqlite::Connection, run: &Key, now_ms: i64) -> rusqlite::Result<Stood> {
    let transaction = connection.transaction()?;
    transaction.execute("INSERT OR IGNORE INTO run (id, began_ms) VALUES (?1, ?2)", params![run, now_ms])?;
    let lose = "INSERT INTO lost (run, record, judge) SELECT run, record, judge FROM call WHERE run = ?1 ORDER BY id";
    transaction.execute(lose, [run])?;
    let lost = {
        let mut statement = transaction.prepare("SELECT record, judge FROM lost WHERE run = ?1 ORDER BY rowid")?;
        let rows = statement.query_map([run], |row| Ok(Lost { record: row.get(0)?, judge: row.get(1)? }))?;
        rows.collect::<rusqlite::Result<Vec<Lost>>>()?
    };
    let sum = "UPDATE run SET calls = calls + (SELECT count(*) FROM call WHERE run = ?1), spent_nanousd = spent_nanousd
               + (SELECT coalesce(sum(worst_nanousd), 0) FROM call WHERE run = ?1) WHERE id = ?1";
    transaction.execute(sum, [run])?;
    transaction.execute("DELETE FROM call WHERE run = ?1", [run])?;
    let sql = "SELECT calls, spent_nanousd FROM run WHERE id = ?1";
    let (calls, spent): (i64, i64) = transaction.query_row(sql, [run], |row| Ok((row.get(0)?, row.get(1)?)))?;
    transaction.commit()?;
    Ok(Stood { calls: calls.unsigned_abs(), spent_nanousd: spent.unsigned_abs(), lost })
}

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

/// Writes down what happens in a run, and says when it is on the disk.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    submitted: Condvar,
    /// For batches of even and of odd numbers: whoever waits for the next one is not woken for this one.
    committed: [Condvar; 2],
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<Entry>,
    /// How many batches were taken to be written.
    taken: u64,
    /// How many batches are on the disk.
    committed: u64,
    /// Questions that have ended, on the disk.
    settled: u64,
    closing: bool,
    failed: Option<String>,
}

impl Shared {
    fn committed_with(&self, batch: u64) -> &Condvar {
        &self.committed[usize::from(batch % 2 == 1)]
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was written down could not be written to the disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(String);

impl Journal {
    /// Begins to write.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open(path: &Path, run: Key) -> Result<Self, DatabaseError> {
        let replies = Replies::open(path)?;
        let shared = Arc::new(Shared::default());
        let writer = thread::spawn({
            let shared = Arc::clone(&shared);
            move || write(&shared, replies.database, run)
        });
        Ok(Self { shared, writer: Mutex::new(Some(writer)) })
    }

    /// Hands over entries, which are written in this order, and returns the number of the batch that they are written with. What
    /// comes after the end is not written.
    pub fn submit(&self, entries: impl IntoIterator<Item = Entry>) -> u64 {
        let mut state = self.shared.lock();
        if !state.closing {
            let is_first = state.entries.is_empty();
            state.entries.extend(entries);
            // Whoever writes gathers for a while, and is not woken for each entry.
            if is_first {
                self.shared.submitted.notify_one();
            }
        }
        // With nothing to write there will be no other batch.
        state.taken + u64::from(!state.entries.is_empty())
    }

    /// Waits until a batch is on the disk, and all before it.
    ///
    /// # Errors
    ///
    /// Says why they cannot be written, or that the run is over.
    pub fn wait(&self, batch: u64) -> Result<(), JournalError> {
        let state = self.shared.lock();
        let waits = |state: &mut State| state.committed < batch && state.failed.is_none();
        let state = self.shared.committed_with(batch).wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        match &state.failed {
            Some(failed) => Err(JournalError(failed.clone())),
            None if state.closing => Err(JournalError("the run is over".to_owned())),
            None => Ok(()),
        }
    }

    /// Returns how many questions have ended whose end is on the disk.
    pub fn settled(&self) -> u64 {
        self.shared.lock().settled
    }

    /// Ends when everything is on the disk.
    ///
    /// # Errors
    ///
    /// Says why not all of it could be written.
    pub fn close(&self) -> Result<(), JournalError> {
        self.shared.lock().closing = true;
        self.shared.submitted.notify_one();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        // Whoever still waits has nothing to wait for.
        self.shared.committed.iter().for_each(Condvar::notify_all);
        self.shared.lock().failed.clone().map_or(Ok(()), |failed| Err(JournalError(failed)))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

fn write(shared: &Shared, mut database: Database, run: Key) {
    let mut batch = Vec::new();
    let mut earliest = Instant::now();
    loop {
        {
            let state = shared.lock();
            let waits = |state: &mut State| state.entries.is_empty() && !state.closing;
            let mut state = shared.submitted.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            if state.entries.is_empty() {
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
            earliest = Instant::now() + BATCHES_APART;
        }
        let written = commit(&mut database.connection, &run, &batch);
        let mut state = shared.lock();
        match written {
            Ok(()) => {
                state.committed += 1;
                let settled = |entry: &&Entry| matches!(entry, Entry::Replied { .. } | Entry::Silent { .. });
                state.settled += batch.iter().filter(settled).count() as u64;
            }
            Err(error) => state.failed = Some(database.failure(&error).to_string()),
        }
        batch.clear();
        if state.failed.is_some() {
            shared.committed.iter().for_each(Condvar::notify_all);
            return;
        }
        shared.committed_with(state.committed).notify_all();
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
        Entry::Ended { call, .. } => {
            let sql = "DELETE FROM call WHERE run = ?1 AND id = ?2";
            transaction.prepare_cached(sql)?.execute(params![run, number(*call)])?;
        }
        Entry::Replied { key, record, judge, answer, at_ms, latency_ms } => {
            let sql = "INSERT OR REPLACE INTO reply (key, record, judge, model, structured, stop, reply, tokens_in, tokens_out,
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
    use super::*;

    const RUN: Key = [7; 16];

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
        let journal = Journal::open(&path, RUN).expect("a journal");
        let (full, cut) = (answer("{}", StopReason::Complete), answer("", StopReason::Length));
        let late = Unjudged::new(Cause::Timeout, "late");
        let at = journal.submit([
            begun(0, 100),
            Entry::Ended { call: 0, cost_nanousd: 40 },
            replied([1; 16], full.clone()),
            replied([2; 16], cut.clone()),
            Entry::Silent { key: [3; 16], unjudged: late.clone() },
        ]);
        journal.wait(at).expect("written");
        assert_eq!(journal.settled(), 3);
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
    fn a_call_that_was_under_way_counts_as_paid_for_once_and_is_named() {
        let (_folder, path) = file();
        let mut replies = Replies::open(&path).expect("a new file");
        replies.go_on(&RUN, 1).expect("a new run");
        let journal = Journal::open(&path, RUN).expect("a journal");
        let at = journal.submit([begun(0, 100), begun(1, 70), Entry::Ended { call: 0, cost_nanousd: 40 }]);
        journal.wait(at).expect("written");
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
            let journal = Journal::open(&path, RUN).expect("a journal");
            let first = journal.submit([begun(u64::from(round), 1)]);
            journal.wait(first).expect("written at once");
            // The next batch is not due yet.
            let second = journal.submit([Entry::Ended { call: round.into(), cost_nanousd: 1 }]);
            let third = journal.submit([replied([round; 16], answer("{}", StopReason::Complete))]);
            assert!(third == second || third == second + 1);
            journal.close().expect("all of it is written");
            assert!(replies.has(&[round; 16]).expect("readable"));
        }
    }

    #[test]
    fn after_its_end_nothing_is_written() {
        let (_folder, path) = file();
        let journal = Journal::open(&path, RUN).expect("a journal");
        journal.close().expect("nothing to write");
        let at = journal.submit([begun(0, 1)]);
        assert!(journal.wait(at).is_err());
    }

    #[test]
    fn a_disk_that_cannot_be_written_is_told() {
        let (_folder, path) = file();
        let journal = Journal::open(&path, RUN).expect("a journal");
        let other = rusqlite::Connection::open(&path).expect("the same file");
        other.execute_batch("DROP TABLE call").expect("damaged");
        let at = journal.submit([begun(0, 1)]);
        let error = journal.wait(at).expect_err("not written").to_string();
        assert!(error.contains("eval.db"), "{error}");
    }
}
