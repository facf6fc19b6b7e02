//! The stored replies of a run's judges.
//!
//! A run can be interrupted at any point and resumes without paying again: each call is stored before it is made, and
//! its reply before it counts. The key of a reply hashes what shaped it: the question, the judge, and the repeat.
//! During a run, replies are only appended to their table. The index over their keys is updated afterwards for many at
//! once, because updating it for one reply costs more than storing the reply. This module must not know what replies
//! mean.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::{Payload, Reply, StopReason};
use assize_eval::requests::InterruptedCall;
use rusqlite::{OptionalExtension as _, params};

use crate::database::{Database, DatabaseError, DatabaseKind};
use crate::judge::JudgeAnswer;

/// Marks the file as one of Assize (`ASZR`).
const APPLICATION_ID: i32 = 0x4153_5a52;
const MIGRATIONS: &[&str] = &["
    -- A run: what it has cost and what is set aside for calls of unknown cost, in billionths of a US dollar.
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
    -- Calls that may or may not have been paid for: their run ended before they did.
    CREATE TABLE lost (
        run           BLOB NOT NULL,
        record        TEXT NOT NULL,
        judge         TEXT NOT NULL
    ) STRICT;
    CREATE INDEX lost_by_run ON lost (run);
    CREATE TABLE reply (
        key           BLOB NOT NULL,
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
    -- Where the reply of each key stands, for all rows of it up to one.
    CREATE TABLE reply_at (
        key           BLOB PRIMARY KEY,
        at            INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE reply_upto (at INTEGER NOT NULL) STRICT;
    INSERT INTO reply_upto (at) VALUES (0);
    -- Questions that the last run to ask them got no reply to.
    CREATE TABLE silence (
        key           BLOB PRIMARY KEY,
        cause         TEXT NOT NULL,
        detail        TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
"];
const KIND: DatabaseKind =
    DatabaseKind { name: "file of replies", application_id: APPLICATION_ID, migrations: MIGRATIONS };

/// Pages of the write-ahead log before a checkpoint.
const CHECKPOINT_PAGES: i32 = 4_000;

/// The key of a stored reply.
pub type ReplyKey = [u8; 16];

/// The stored replies.
#[derive(Debug)]
pub struct ReplyStore {
    pub(super) database: Database,
}

/// The state of a run when it was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResumePoint {
    /// Calls that were made.
    pub calls: u64,
    /// Their cost, with the highest possible cost for calls whose cost is unknown, in billionths of a US dollar.
    pub spent_nanousd: u64,
    /// The calls in progress at each interruption, the oldest first.
    pub lost: Vec<InterruptedCall>,
}

impl ReplyStore {
    /// Opens or creates the file, and updates the index over all replies.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let mut replies = Self::connect(path)?;
        replies.look_where_they_stand()?;
        Ok(replies)
    }

    /// Opens or creates the file. Replies that are not indexed are not found.
    pub(super) fn connect(path: &Path) -> Result<Self, DatabaseError> {
        let database = Database::open(path, KIND)?;
        let set = database.connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES);
        set.map_err(|error| database.failure(&error))?;
        Ok(Self { database })
    }

    /// Adds the replies to the index that were appended since the last update.
    pub(super) fn look_where_they_stand(&mut self) -> Result<(), DatabaseError> {
        look_where_they_stand(&mut self.database.connection).map_err(|error| self.database.failure(&error))
    }

    /// Looks up a reply.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn reply(&self, key: &ReplyKey) -> Result<Option<JudgeAnswer>, DatabaseError> {
        let sql = "SELECT structured, stop, reply, model, tokens_in, tokens_out, cost_usd FROM reply
                   WHERE rowid = (SELECT at FROM reply_at WHERE key = ?1)";
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
            Ok(JudgeAnswer {
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
    /// Fails if the file cannot be read.
    pub fn has(&self, key: &ReplyKey) -> Result<bool, DatabaseError> {
        let look_up =
            || self.database.connection.prepare_cached("SELECT 1 FROM reply_at WHERE key = ?1")?.exists([key]);
        look_up().map_err(|error| self.database.failure(&error))
    }

    /// Returns whether there are no replies.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn is_empty(&self) -> Result<bool, DatabaseError> {
        let look_up = || self.database.connection.prepare_cached("SELECT 1 FROM reply LIMIT 1")?.exists([]);
        look_up().map(|exists| !exists).map_err(|error| self.database.failure(&error))
    }

    /// Looks up why there was no reply.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn silence(&self, key: &ReplyKey) -> Result<Option<Unjudged>, DatabaseError> {
        let sql = "SELECT cause, detail FROM silence WHERE key = ?1";
        let unjudged = |row: &rusqlite::Row<'_>| {
            let cause: String = row.get(0)?;
            let known_cause = serde_json::from_value(cause.into()).unwrap_or(Cause::Unavailable);
            Ok(Unjudged { cause: known_cause, detail: row.get(1)? })
        };
        let look_up = || self.database.connection.prepare_cached(sql)?.query_row([key], unjudged).optional();
        look_up().map_err(|error| self.database.failure(&error))
    }

    /// Begins or resumes a run. Calls in progress count with their highest possible cost.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn resume(&mut self, run: &ReplyKey, now_ms: i64) -> Result<ResumePoint, DatabaseError> {
        let resume_point = resume(&mut self.database.connection, run, now_ms);
        resume_point.map_err(|error| self.database.failure(&error))
    }

    /// Deletes why questions had no reply. With `replies`, also deletes replies, so that they are asked again.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn forget(&mut self, keys: &[ReplyKey], replies: bool) -> Result<(), DatabaseError> {
        let forget = |connection: &mut rusqlite::Connection| -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            for key in keys {
                transaction.prepare_cached("DELETE FROM silence WHERE key = ?1")?.execute([key])?;
                if replies {
                    let of_key = "DELETE FROM reply WHERE rowid = (SELECT at FROM reply_at WHERE key = ?1)";
                    transaction.prepare_cached(of_key)?.execute([key])?;
                    transaction.prepare_cached("DELETE FROM reply_at WHERE key = ?1")?.execute([key])?;
                }
            }
            // The row id of a deleted last row is used again for the next one.
            transaction
                .execute("UPDATE reply_upto SET at = min(at, (SELECT coalesce(max(rowid), 0) FROM reply))", [])?;
            transaction.commit()
        };
        forget(&mut self.database.connection).map_err(|error| self.database.failure(&error))
    }
}

/// Stored replies for several reading threads, each with a connection of its own.
#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<ReplyStore>>,
}

impl Readers {
    /// Returns readers of a file. Connections are opened on demand.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default() }
    }

    /// Reads from the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read<T>(&self, read: impl FnOnce(&ReplyStore) -> Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = idle().pop();
        let reader = match reader {
            Some(reader) => reader,
            None => ReplyStore::connect(&self.path)?,
        };
        let read = read(&reader);
        idle().push(reader);
        read
    }
}

fn look_where_they_stand(connection: &mut rusqlite::Connection) -> rusqlite::Result<()> {
    let new = "SELECT max(rowid) > (SELECT at FROM reply_upto) FROM reply";
    if !connection.query_row(new, [], |row| row.get::<_, Option<bool>>(0))?.unwrap_or(false) {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    // In the order of the keys, so that each page is written once. Of two replies under one key, the later one counts.
    let add = "INSERT OR REPLACE INTO reply_at (key, at) SELECT key, max(rowid) FROM reply
               WHERE rowid > (SELECT at FROM reply_upto) GROUP BY key ORDER BY key";
    transaction.execute(add, [])?;
    transaction.execute("UPDATE reply_upto SET at = (SELECT max(rowid) FROM reply)", [])?;
    transaction.commit()
}

fn resume(connection: &mut rusqlite::Connection, run: &ReplyKey, now_ms: i64) -> rusqlite::Result<ResumePoint> {
    let transaction = connection.transaction()?;
    transaction.execute("INSERT OR IGNORE INTO run (id, began_ms) VALUES (?1, ?2)", params![run, now_ms])?;
    let lose = "INSERT INTO lost (run, record, judge) SELECT run, record, judge FROM call WHERE run = ?1 ORDER BY id";
    transaction.execute(lose, [run])?;
    let lost = {
        let mut statement = transaction.prepare("SELECT record, judge FROM lost WHERE run = ?1 ORDER BY rowid")?;
        let rows = statement.query_map([run], |row| Ok(InterruptedCall { record: row.get(0)?, judge: row.get(1)? }))?;
        rows.collect::<rusqlite::Result<Vec<InterruptedCall>>>()?
    };
    let sum = "UPDATE run SET calls = calls + (SELECT count(*) FROM call WHERE run = ?1), spent_nanousd = spent_nanousd
               + (SELECT coalesce(sum(worst_nanousd), 0) FROM call WHERE run = ?1) WHERE id = ?1";
    transaction.execute(sum, [run])?;
    transaction.execute("DELETE FROM call WHERE run = ?1", [run])?;
    let sql = "SELECT calls, spent_nanousd FROM run WHERE id = ?1";
    let (calls, spent): (i64, i64) = transaction.query_row(sql, [run], |row| Ok((row.get(0)?, row.get(1)?)))?;
    transaction.commit()?;
    Ok(ResumePoint { calls: calls.unsigned_abs(), spent_nanousd: spent.unsigned_abs(), lost })
}
