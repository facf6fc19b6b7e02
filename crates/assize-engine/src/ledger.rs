//! The ledger on disk: one SQLite file, written durably.
//!
//! An acknowledged event survives a kill and a power loss. `assize-ledger` computes the hash chain.

use std::path::PathBuf;

use assize_ledger::anchor::{Anchor, AnchorBreach};
use assize_ledger::chain::{ChainHash, Damage, GENESIS, Header, Verifier, entry_hash};
use assize_ledger::event::LedgerEvent;
use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

use crate::database::{Database, DatabaseError, DatabaseKind};
use crate::ledger_place::{AnchorError, LedgerPlace};

/// Marks the file as one of Assize (`ASZE`).
const APPLICATION_ID: i32 = 0x4153_5a45;

/// The migrations from an empty file to the current schema. A released migration is never changed.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE entry (
        seq      INTEGER PRIMARY KEY,
        at_ms    INTEGER NOT NULL,
        court    TEXT NOT NULL,
        session  TEXT NOT NULL,
        kind     TEXT NOT NULL,
        outcome  TEXT,
        payload  BLOB NOT NULL,
        previous BLOB NOT NULL,
        hash     BLOB NOT NULL
    ) STRICT;
    CREATE INDEX entry_by_session ON entry (session, seq);
"];

/// The purpose of the file.
const KIND: DatabaseKind = DatabaseKind { name: "ledger", application_id: APPLICATION_ID, migrations: MIGRATIONS };

/// A failure of the ledger. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file cannot be used as a ledger.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The chain of entries is broken.
    #[error("{path}: {damage}")]
    Chain {
        /// The file.
        path: PathBuf,
        /// The first damage.
        damage: Damage,
    },
    /// The ledger is not what it was: entries are gone, or it is another one.
    #[error("{path}: {breach}; `assize ledger anchor` takes it as it is")]
    Breach {
        /// The file.
        path: PathBuf,
        /// What is not as it was.
        breach: AnchorBreach,
    },
    /// What the ledger is compared with cannot be read or written.
    #[error("the anchor of the ledger: {0}; `assize ledger anchor` makes it anew")]
    Anchor(#[from] AnchorError),
    /// An entry is not an event of this version.
    #[error("{path}: entry {seq} cannot be read: {detail}")]
    Payload {
        /// The file.
        path: PathBuf,
        /// The entry.
        seq: u64,
        /// What is wrong with it.
        detail: String,
    },
    /// There is no ledger.
    #[error("{path} does not exist; nothing has been judged here yet")]
    Absent {
        /// The file.
        path: PathBuf,
    },
}

/// One stored entry.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// Everything except the payload.
    pub header: Header,
    /// The event as JSON.
    pub payload: String,
    /// The hash of the entry.
    pub hash: ChainHash,
}

/// Selects entries.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only of this session.
    pub session: Option<String>,
    /// Only of this court.
    pub court: Option<String>,
    /// Only with this outcome.
    pub outcome: Option<String>,
    /// Only after this position.
    pub after: u64,
    /// Only this many of the latest.
    pub last: Option<u32>,
}

/// Selects the last entry.
const LAST: &str = "SELECT seq, hash FROM entry WHERE seq > 0 ORDER BY seq DESC LIMIT 1";

fn last(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, ChainHash)> {
    Ok((row.get(0)?, row.get(1)?))
}

/// Receives an entry and the hash of the previous one that it contains. Returns whether to continue.
pub type Visit<'a> = &'a mut dyn FnMut(LedgerEntry, &[u8]) -> Result<bool, LedgerError>;

/// The result of verifying the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The number of entries, all intact.
    pub entries: u64,
    /// The hash of the last one. If it is stored elsewhere, it also proves that no entry was removed from the end.
    pub head: ChainHash,
}

/// How much is recorded of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionSize {
    /// Entries of any kind.
    pub entries: usize,
    /// Prompts.
    pub prompts: usize,
}

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    database: Database,
    place: LedgerPlace,
}

impl Ledger {
    /// Opens the ledger for writing. Creates it with its anchor and its folders if they do not exist.
    ///
    /// # Errors
    ///
    /// See [`LedgerError`]. A file that is not an intact ledger is not changed, and one that contradicts its anchor is
    /// not written to.
    pub fn open(place: &LedgerPlace) -> Result<Self, LedgerError> {
        let ledger = Self::open_unchecked(place)?;
        let anchor = place.anchor()?;
        let last = ledger.compare_with(anchor.as_ref())?;
        if anchor != Some(last) {
            place.advance(&last)?;
        }
        Ok(ledger)
    }

    fn open_unchecked(place: &LedgerPlace) -> Result<Self, LedgerError> {
        let unusable = |error: std::io::Error| DatabaseError::Unusable {
            path: place.file().to_owned(),
            detail: format!("its folder cannot be made: {error}"),
        };
        place.make_folders().map_err(unusable)?;
        Ok(Self { database: Database::open(place.file(), KIND)?, place: place.clone() })
    }

    /// Opens an existing ledger for reading. [`Self::verify`] compares it with its anchor.
    ///
    /// # Errors
    ///
    /// See [`LedgerError`].
    pub fn open_read_only(place: &LedgerPlace) -> Result<Self, LedgerError> {
        let path = place.file();
        let database = match Database::open_read_only(path, KIND)? {
            Some(database) => database,
            None => {
                Self::compare(place, place.anchor()?.as_ref(), 0, None)?;
                return Err(LedgerError::Absent { path: path.to_owned() });
            }
        };
        Ok(Self { database, place: place.clone() })
    }

    /// Takes the ledger as it is: makes its anchor anew. Returns how far it has come.
    ///
    /// # Errors
    ///
    /// Fails if the chain is broken, and if the anchor cannot be written.
    pub fn anchor_anew(place: &LedgerPlace) -> Result<Verified, LedgerError> {
        let ledger = Self::open_unchecked(place)?;
        let verified = ledger.verify_chain()?;
        place.replace_anchor(&Anchor { entries: verified.entries, head: verified.head })?;
        Ok(verified)
    }

    /// Compares the ledger with its anchor. Returns how far the ledger has come.
    fn compare_with(&self, anchor: Option<&Anchor>) -> Result<Anchor, LedgerError> {
        let read = || -> rusqlite::Result<(Anchor, Option<ChainHash>)> {
            let last = self.database.connection.prepare_cached(LAST)?.query_row([], last).optional()?;
            let (entries, head) = last.unwrap_or((0, GENESIS));
            let last = Anchor { entries: entries.unsigned_abs(), head };
            let anchored = anchor.map(|anchor| i64::try_from(anchor.entries).unwrap_or(i64::MAX));
            let mut of_entry = self.database.connection.prepare_cached("SELECT hash FROM entry WHERE seq = ?1")?;
            let at_anchor = match anchored {
                Some(seq) if seq != entries => of_entry.query_row([seq], |row| row.get(0)).optional()?,
                _ => Some(head),
            };
            Ok((last, at_anchor))
        };
        let (last, at_anchor) = read().map_err(|error| self.failure(&error))?;
        if self.place.is_anchored() {
            Self::compare(&self.place, anchor, last.entries, at_anchor)?;
        }
        Ok(last)
    }

    fn compare(
        place: &LedgerPlace,
        anchor: Option<&Anchor>,
        entries: u64,
        at_anchor: Option<ChainHash>,
    ) -> Result<(), LedgerError> {
        Anchor::compare(anchor, entries, at_anchor)
            .map_err(|breach| LedgerError::Breach { path: place.file().to_owned(), breach })
    }

    /// Records an event. When this returns, the event is on disk.
    ///
    /// # Errors
    ///
    /// Fails if the event could not be recorded; then no part of it is.
    pub fn append(&mut self, at_ms: i64, court: &str, session: &str, event: &LedgerEvent) -> Result<u64, LedgerError> {
        let payload = event.to_json().map_err(|error| LedgerError::Payload {
            path: self.path(),
            seq: 0,
            detail: error.to_string(),
        })?;
        let outcome = event.outcome().map(|outcome| outcome.as_str().to_owned());
        let mut header =
            Header { seq: 0, at_ms, court: court.into(), session: session.into(), kind: event.kind().into(), outcome };
        let head = self.insert(&mut header, payload.as_bytes()).map_err(|error| self.failure(&error))?;
        // The event is on disk. An anchor that could not be moved is moved when the ledger is opened next.
        let _ = self.place.advance(&Anchor { entries: header.seq, head });
        Ok(header.seq)
    }

    fn insert(&mut self, header: &mut Header, payload: &[u8]) -> rusqlite::Result<ChainHash> {
        let transaction = self.database.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last = transaction.prepare_cached(LAST)?.query_row([], last).optional()?;
        let (seq, previous) = last.unwrap_or((0, GENESIS));
        header.seq = seq.unsigned_abs() + 1;
        let position = i64::try_from(header.seq).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, seq))?;
        let hash = entry_hash(&previous, header, payload);
        transaction
            .prepare_cached(
                "INSERT INTO entry (seq, at_ms, court, session, kind, outcome, payload, previous, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                position,
                header.at_ms,
                header.court,
                header.session,
                header.kind,
                header.outcome,
                payload,
                previous,
                hash
            ])?;
        transaction.commit()?;
        Ok(hash)
    }

    /// Reads the events of a session, oldest first.
    ///
    /// # Errors
    ///
    /// Names the first entry that cannot be read.
    pub fn session_events(&self, session: &str, before: Option<u64>) -> Result<Vec<LedgerEvent>, LedgerError> {
        let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
        let mut events = Vec::new();
        for entry in self.entries(&filter)? {
            if before.is_some_and(|before| entry.header.seq >= before) {
                break;
            }
            events.push(self.event(&entry)?);
        }
        Ok(events)
    }

    /// Lists the sessions that have entries.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn sessions(&self) -> Result<Vec<String>, LedgerError> {
        let list = || -> rusqlite::Result<Vec<String>> {
            let mut statement =
                self.database.connection.prepare("SELECT DISTINCT session FROM entry WHERE session <> '-'")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        };
        list().map_err(|error| self.failure(&error))
    }

    /// Lists the sessions of a court without an event of these kinds, newest first.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn sessions_without(&self, court: &str, kinds: [&str; 2], most: u32) -> Result<Vec<String>, LedgerError> {
        let sql = "SELECT session FROM entry WHERE court = ?1 AND seq > 0 GROUP BY session
                   HAVING sum(kind IN (?2, ?3)) = 0 ORDER BY min(seq) DESC LIMIT ?4";
        let list = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.database.connection.prepare(sql)?;
            let rows = statement.query_map(params![court, kinds[0], kinds[1], most], |row| row.get(0))?;
            rows.collect()
        };
        list().map_err(|error| self.failure(&error))
    }

    /// Counts what is recorded of a session.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn session_size(&self, session: &str) -> Result<SessionSize, LedgerError> {
        let sql = "SELECT count(*), coalesce(sum(kind = 'prompted'), 0) FROM entry WHERE session = ?1 AND seq > 0";
        let count = |row: &rusqlite::Row<'_>, index| row.get::<_, i64>(index).map(|n| usize::try_from(n).unwrap_or(0));
        self.database
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_row([session], |row| Ok(SessionSize { entries: count(row, 0)?, prompts: count(row, 1)? }))
            })
            .map_err(|error| self.failure(&error))
    }

    /// Returns the last event that pauses or resumes the court.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn last_pause(&self) -> Result<Option<LedgerEvent>, LedgerError> {
        let sql = "SELECT payload FROM entry WHERE session = '-' AND kind IN ('paused', 'resumed') AND seq > 0
                   ORDER BY seq DESC LIMIT 1";
        let payload: Option<Vec<u8>> = self
            .database
            .connection
            .query_row(sql, [], |row| row.get(0))
            .optional()
            .map_err(|error| self.failure(&error))?;
        Ok(payload.and_then(|payload| LedgerEvent::from_json(str::from_utf8(&payload).ok()?).ok()))
    }

    /// Reads the events of a kind that belong to no session, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn events_of_no_session(&self, kind: &str) -> Result<Vec<LedgerEvent>, LedgerError> {
        let sql = "SELECT payload FROM entry WHERE session = '-' AND kind = ?1 AND seq > 0 ORDER BY seq";
        let connection = &self.database.connection;
        let mut statement = connection.prepare(sql).map_err(|error| self.failure(&error))?;
        let payloads =
            statement.query_map([kind], |row| row.get::<_, Vec<u8>>(0)).map_err(|error| self.failure(&error))?;
        let read = |payload: Vec<u8>| LedgerEvent::from_json(str::from_utf8(&payload).ok()?).ok();
        let payloads: Vec<Vec<u8>> = payloads.collect::<Result<_, _>>().map_err(|error| self.failure(&error))?;
        Ok(payloads.into_iter().filter_map(read).collect())
    }

    /// Reads the event of an entry.
    ///
    /// # Errors
    ///
    /// Fails if the payload is not an event of this version.
    pub fn event(&self, entry: &LedgerEntry) -> Result<LedgerEvent, LedgerError> {
        LedgerEvent::from_json(&entry.payload).map_err(|error| LedgerError::Payload {
            path: self.path(),
            seq: entry.header.seq,
            detail: error.to_string(),
        })
    }

    /// Reads one entry.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn entry(&self, seq: u64) -> Result<Option<LedgerEntry>, LedgerError> {
        let filter = Filter { after: seq.saturating_sub(1), ..Filter::default() };
        let mut first = None;
        self.walk(&filter, &mut |entry, _| {
            first = Some(entry);
            Ok(false)
        })?;
        Ok(first.filter(|entry| entry.header.seq == seq))
    }

    /// Reads entries, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<LedgerEntry>, LedgerError> {
        let mut entries = Vec::new();
        self.walk(filter, &mut |entry, _| {
            entries.push(entry);
            Ok(true)
        })?;
        Ok(entries)
    }

    /// Passes on entries one by one, oldest first, with the hash of the previous one that each contains. `each`
    /// returns whether to continue.
    ///
    /// # Errors
    ///
    /// Fails if the ledger cannot be read, and with the error of `each`.
    pub fn walk(&self, filter: &Filter, each: Visit<'_>) -> Result<(), LedgerError> {
        match i64::try_from(filter.after).ok().and_then(|after| after.checked_add(1)) {
            Some(first) => self.walk_from(first, filter, each),
            None => Ok(()),
        }
    }

    fn walk_from(&self, first: i64, filter: &Filter, each: Visit<'_>) -> Result<(), LedgerError> {
        let failed = |error: rusqlite::Error| self.failure(&error);
        let order = if filter.last.is_some() { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT seq, at_ms, court, session, kind, outcome, payload, previous, hash FROM entry
             WHERE seq >= ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR court = ?3)
               AND (?4 IS NULL OR outcome = ?4)
             ORDER BY seq {order} LIMIT ?5"
        );
        let limit = filter.last.map_or(-1, i64::from);
        let mut statement = self.database.connection.prepare(&sql).map_err(failed)?;
        let mut rows =
            statement.query(params![first, filter.session, filter.court, filter.outcome, limit]).map_err(failed)?;
        let mut latest = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let (entry, previous) = self.read_row(row)?;
            if filter.last.is_some() {
                latest.push((entry, previous));
            } else if !each(entry, &previous)? {
                return Ok(());
            }
        }
        for (entry, previous) in latest.into_iter().rev() {
            if !each(entry, &previous)? {
                break;
            }
        }
        Ok(())
    }

    /// A stored value has another type, or is not text, only if it was changed by others.
    fn read_row(&self, row: &rusqlite::Row<'_>) -> Result<(LedgerEntry, Vec<u8>), LedgerError> {
        let seq: i64 = row.get(0).map_err(|error| self.failure(&error))?;
        let damaged = |damage| LedgerError::Chain { path: self.path(), damage };
        if seq <= 0 {
            return Err(damaged(Damage::OutOfOrder { expected: 1, found: 0 }));
        }
        let seq = seq.unsigned_abs();
        stored(seq, row).ok_or_else(|| damaged(Damage::Altered(seq)))
    }

    /// Verifies the whole chain, checks that the file has the schema of Assize, and compares it with its anchor.
    ///
    /// # Errors
    ///
    /// Names the first damaged entry, or what is wrong with the file.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        // Read first: what is recorded meanwhile moves both forward.
        let anchor = self.place.anchor()?;
        let verified = self.verify_chain()?;
        self.compare_with(anchor.as_ref())?;
        Ok(verified)
    }

    fn verify_chain(&self) -> Result<Verified, LedgerError> {
        let mut verifier = Verifier::default();
        self.walk_from(i64::MIN, &Filter::default(), &mut |entry, previous| {
            verifier
                .step(&entry.header, entry.payload.as_bytes(), previous, &entry.hash)
                .map_err(|damage| LedgerError::Chain { path: self.path(), damage })?;
            Ok(true)
        })?;
        let damaged = |detail| LedgerError::from(DatabaseError::Damaged { path: self.path(), detail });
        let check: String = self
            .database
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| self.failure(&error))?;
        if check != "ok" {
            return Err(damaged(check));
        }
        match self.database.foreign_part(self.database.version()?).map_err(|error| self.failure(&error))? {
            Some(detail) => Err(damaged(detail)),
            None => Ok(Verified { entries: verifier.count(), head: verifier.head() }),
        }
    }

    fn path(&self) -> PathBuf {
        self.database.path().to_owned()
    }

    fn failure(&self, error: &rusqlite::Error) -> LedgerError {
        self.database.failure(error).into()
    }
}

fn stored(seq: u64, row: &rusqlite::Row<'_>) -> Option<(LedgerEntry, Vec<u8>)> {
    let header = Header {
        seq,
        at_ms: row.get(1).ok()?,
        court: row.get(2).ok()?,
        session: row.get(3).ok()?,
        kind: row.get(4).ok()?,
        outcome: row.get(5).ok()?,
    };
    let payload = String::from_utf8(row.get(6).ok()?).ok()?;
    let hash = ChainHash::try_from(row.get::<_, Vec<u8>>(8).ok()?).ok()?;
    Some((LedgerEntry { header, payload, hash }, row.get(7).ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use rusqlite::Connection;

    use super::*;
    use crate::database::make_folder;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn at(path: &Path) -> LedgerPlace {
        LedgerPlace::unanchored(path.to_owned())
    }

    fn ended(reason: &str) -> LedgerEvent {
        LedgerEvent::SessionEnded { reason: reason.to_owned() }
    }

    #[test]
    fn what_is_recorded_is_read_back_in_order() {
        let folder = folder();
        let path = folder.path().join("a b").join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        assert_eq!(ledger.append(1, "stop", "s1", &ended("a")).expect("recorded"), 1);
        assert_eq!(ledger.append(2, "stop", "s2", &ended("b")).expect("recorded"), 2);
        assert_eq!(ledger.append(3, "stop", "s1", &ended("c")).expect("recorded"), 3);
        drop(ledger);
        let ledger = Ledger::open_read_only(&at(&path)).expect("an existing ledger");
        assert_eq!(ledger.session_events("s1", None).expect("readable"), [ended("a"), ended("c")]);
        assert_eq!(ledger.session_events("s1", Some(3)).expect("readable"), [ended("a")]);
        let last = ledger.entries(&Filter { last: Some(2), ..Filter::default() }).expect("readable");
        assert_eq!(last.iter().map(|entry| entry.header.seq).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(ledger.verify().expect("sound").entries, 3);
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
    }

    #[test]
    fn foreign_damaged_and_newer_files_are_rejected_unchanged() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        for contents in [&b"not a database at all, but quite long enough to look at"[..], b"x"] {
            fs::write(&path, contents).expect("written");
            let error = Ledger::open(&at(&path)).expect_err("refused").to_string();
            assert!(error.contains("ledger.db"), "{error}");
            assert_eq!(fs::read(&path).expect("still there"), contents);
        }
        fs::remove_file(&path).expect("removed");
        Connection::open(&path)
            .and_then(|other| other.execute_batch("CREATE TABLE t (x)"))
            .expect("another's database");
        assert!(matches!(Ledger::open(&at(&path)), Err(LedgerError::Database(DatabaseError::Foreign { .. }))));
        fs::remove_file(&path).expect("removed");
        drop(Ledger::open(&at(&path)).expect("a new ledger"));
        Connection::open(&path).and_then(|other| other.pragma_update(None, "user_version", 99)).expect("changed");
        assert!(matches!(
            Ledger::open(&at(&path)),
            Err(LedgerError::Database(DatabaseError::Newer { version: 99, .. }))
        ));
    }

    #[test]
    fn a_missing_ledger_is_reported() {
        let path = folder().path().join("ledger.db");
        assert!(matches!(Ledger::open_read_only(&at(&path)), Err(LedgerError::Absent { .. })));
    }

    #[test]
    fn every_flipped_byte_of_every_payload_is_found() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        for number in 0..200 {
            ledger.append(number, "stop", "s", &ended(&format!("reason {number}"))).expect("recorded");
        }
        let entries = ledger.entries(&Filter::default()).expect("readable");
        let mut flips = 0;
        for entry in &entries {
            for index in 0..entry.payload.len() {
                let mut bytes = entry.payload.clone().into_bytes();
                bytes[index] ^= 0x55;
                let transaction = ledger.database.connection.unchecked_transaction().expect("a transaction");
                transaction
                    .execute(
                        "UPDATE entry SET payload = ?1 WHERE seq = ?2",
                        params![bytes, entry.header.seq.cast_signed()],
                    )
                    .expect("altered");
                let error = ledger.verify().expect_err("damage").to_string();
                assert!(error.contains(&format!("entry {} ", entry.header.seq)), "byte {index}: {error}");
                transaction.rollback().expect("undone");
                flips += 1;
            }
        }
        assert!(flips > 5_000, "{flips}");
        assert_eq!(ledger.verify().expect("sound again").entries, 200);
    }

    #[test]
    fn removed_and_reordered_entries_are_found() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        for number in 0..5 {
            ledger.append(number, "stop", "s", &ended("x")).expect("recorded");
        }
        for (sql, first) in [
            ("DELETE FROM entry WHERE seq = 3", "entry 4 stands where entry 3"),
            ("UPDATE entry SET court = 'eval' WHERE seq = 2", "entry 2"),
            ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 2", "entry 2"),
            ("UPDATE entry SET seq = 9 WHERE seq = 5", "entry 9 stands where entry 5"),
        ] {
            let transaction = ledger.database.connection.unchecked_transaction().expect("a transaction");
            transaction.execute_batch(sql).expect("altered");
            let error = ledger.verify().expect_err("damage").to_string();
            assert!(error.contains(first), "{sql}: {error}");
            transaction.rollback().expect("undone");
        }
    }

    #[test]
    fn entries_outside_the_chain_are_damage_and_count_for_nothing() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        let paused = serde_json::to_string(&LedgerEvent::Paused { until_ms: None }).expect("JSON");
        let forge = |ledger: &Ledger, seq: i64| {
            let sql = "INSERT INTO entry VALUES (?1, 1, '-', '-', 'paused', NULL, ?2, zeroblob(32), zeroblob(32))";
            ledger.database.connection.execute(sql, params![seq, paused.as_bytes()]).expect("forged");
        };
        for filled in [false, true] {
            if filled {
                ledger.append(1, "stop", "s", &ended("a")).expect("recorded");
            }
            for seq in [i64::MIN, -1, 0] {
                forge(&ledger, seq);
                let error = ledger.verify().expect_err("damage");
                assert!(
                    matches!(error, LedgerError::Chain { damage: Damage::OutOfOrder { expected: 1, found: 0 }, .. }),
                    "{seq}: {error}"
                );
                assert_eq!(ledger.last_pause().expect("readable"), None);
                assert_eq!(ledger.session_size("-").expect("readable").entries, 0);
                assert!(
                    ledger
                        .entries(&Filter { session: Some("-".into()), ..Filter::default() })
                        .expect("readable")
                        .is_empty()
                );
                ledger.database.connection.execute("DELETE FROM entry WHERE seq <= 0", []).expect("removed");
            }
            assert_eq!(ledger.verify().expect("sound").entries, u64::from(filled));
        }
        forge(&ledger, i64::MAX);
        assert!(ledger.append(2, "stop", "s", &ended("b")).is_err(), "nothing comes after the last position");
        assert!(ledger.verify().is_err());
        assert!(ledger.entries(&Filter { after: u64::MAX, ..Filter::default() }).expect("readable").is_empty());
    }

    #[test]
    fn values_that_are_no_text_name_their_entry() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        for number in 0..3 {
            ledger.append(number, "stop", "s", &ended("x")).expect("recorded");
        }
        for column in ["court", "session", "kind", "outcome"] {
            let transaction = ledger.database.connection.unchecked_transaction().expect("a transaction");
            let sql = format!("UPDATE entry SET {column} = CAST(x'ff' AS TEXT) WHERE seq = 2");
            transaction.execute_batch(&sql).expect("altered");
            let error = ledger.verify().expect_err("damage");
            assert!(matches!(error, LedgerError::Chain { damage: Damage::Altered(2), .. }), "{column}: {error}");
            transaction.rollback().expect("undone");
        }
    }

    #[test]
    fn parts_that_are_not_ours_are_named() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&at(&path)).expect("a new ledger");
        ledger.append(1, "stop", "s", &ended("x")).expect("recorded");
        for (sql, named) in [
            ("CREATE TABLE other (x)", "the table \"other\" was not made"),
            (
                "CREATE TRIGGER mute AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE seq = new.seq; END",
                "the trigger \"mute\"",
            ),
            ("CREATE INDEX more ON entry (kind)", "the index \"more\" was not made"),
            (
                "DROP INDEX entry_by_session; CREATE INDEX entry_by_session ON entry (session, seq) WHERE seq > 9",
                "is not as Assize",
            ),
            ("DROP INDEX entry_by_session", "the index \"entry_by_session\" is gone"),
        ] {
            let transaction = ledger.database.connection.unchecked_transaction().expect("a transaction");
            transaction.execute_batch(sql).expect("altered");
            let error = ledger.verify().expect_err("damage");
            assert!(
                matches!(error, LedgerError::Database(DatabaseError::Damaged { .. }))
                    && error.to_string().contains(named),
                "{sql}: {error}"
            );
            transaction.rollback().expect("undone");
        }
        assert_eq!(ledger.verify().expect("sound again").entries, 1);
        assert_eq!(Ledger::open_read_only(&at(&path)).expect("readable").verify().expect("sound").entries, 1);
    }

    /// A ledger of three entries in a state folder.
    fn anchored() -> (tempfile::TempDir, LedgerPlace) {
        let state = folder();
        let place = LedgerPlace::of_project(state.path(), Path::new("/work/app"));
        let mut ledger = Ledger::open(&place).expect("a new ledger");
        for number in 0..3 {
            ledger.append(number, "stop", "s", &ended("x")).expect("recorded");
        }
        (state, place)
    }

    fn breach(place: &LedgerPlace) -> AnchorBreach {
        let opened = Ledger::open(place).map(|_| ());
        let read = Ledger::open_read_only(place).and_then(|ledger| ledger.verify());
        match (opened, read) {
            (Err(LedgerError::Breach { breach, .. }), Err(LedgerError::Breach { breach: same, .. })) => {
                assert_eq!(breach, same);
                breach
            }
            other => panic!("no breach: {other:?}"),
        }
    }

    #[test]
    fn entries_that_are_gone_from_the_end_are_missed() {
        let (_state, place) = anchored();
        let alter =
            |sql: &str| Connection::open(place.file()).and_then(|other| other.execute_batch(sql)).expect("altered");
        assert_eq!(Ledger::open_read_only(&place).expect("readable").verify().expect("sound").entries, 3);
        alter("DELETE FROM entry WHERE seq = 3");
        assert_eq!(breach(&place), AnchorBreach::Shrunken { anchored: 3, found: 2 });
        // Entries in their place have other hashes.
        let unanchored = at(place.file());
        Ledger::open(&unanchored).expect("a ledger").append(9, "stop", "s", &ended("y")).expect("recorded");
        assert_eq!(breach(&place), AnchorBreach::Replaced(3));
        assert_eq!(Ledger::anchor_anew(&place).expect("a sound chain").entries, 3);
        assert_eq!(Ledger::open(&place).expect("as it is").append(9, "stop", "s", &ended("z")).expect("recorded"), 4);
        alter("UPDATE entry SET payload = x'7b7d' WHERE seq = 2");
        assert!(matches!(Ledger::anchor_anew(&place), Err(LedgerError::Chain { .. })));
    }

    #[test]
    fn a_ledger_that_is_gone_is_missed() {
        let (state, place) = anchored();
        let emptied = AnchorBreach::Shrunken { anchored: 3, found: 0 };
        fs::remove_dir_all(place.file().parent().expect("a folder")).expect("removed");
        let read = Ledger::open_read_only(&place).map(|_| ());
        assert!(matches!(read, Err(LedgerError::Breach { breach, .. }) if breach == emptied));
        assert_eq!(breach(&place), emptied);
        drop((state, place));
        let (state, place) = anchored();
        fs::remove_file(place.file().with_file_name("anchor.json")).expect("removed");
        drop(Ledger::open(&place).expect("one copy is enough"));
        fs::remove_dir_all(state.path().join("anchors")).expect("removed");
        let _ = fs::remove_file(place.file().with_file_name("anchor.json"));
        assert_eq!(breach(&place), AnchorBreach::Unanchored { found: 3 });
    }

    #[test]
    fn an_anchor_that_fell_behind_is_moved_forward() {
        let (_state, place) = anchored();
        // A process that is killed between the two leaves the anchor behind.
        Ledger::open(&at(place.file())).expect("a ledger").append(9, "stop", "s", &ended("y")).expect("recorded");
        assert_eq!(place.anchor().expect("readable").expect("an anchor").entries, 3);
        drop(Ledger::open(&place).expect("ahead of its anchor"));
        assert_eq!(place.anchor().expect("readable").expect("an anchor").entries, 4);
    }

    #[test]
    fn links_are_rejected_unchanged() {
        use std::os::unix::fs::symlink;

        let folder = folder();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("made");
        let linked = folder.path().join("linked");
        symlink(&elsewhere, &linked).expect("linked");
        let real = folder.path().join("real");
        fs::create_dir(&real).expect("made");
        symlink(elsewhere.join("ledger.db"), real.join("ledger.db")).expect("linked");
        let piped = folder.path().join("piped");
        fs::create_dir(&piped).expect("made");
        assert!(std::process::Command::new("mkfifo").arg(piped.join("ledger.db")).status().expect("mkfifo").success());
        for (path, detail) in
            [(&linked, "linked is a symbolic link"), (&real, "it is a symbolic link"), (&piped, "no regular file")]
        {
            for opened in
                [Ledger::open(&at(&path.join("ledger.db"))), Ledger::open_read_only(&at(&path.join("ledger.db")))]
            {
                let error = opened.expect_err("refused");
                let absent = matches!(error, LedgerError::Absent { .. }) && *path == linked;
                assert!(absent || error.to_string().contains(detail), "{error}");
            }
        }
        for suffix in ["-wal", "-shm", "-journal"] {
            let own = folder.path().join(format!("own{suffix}"));
            fs::create_dir(&own).expect("made");
            drop(Ledger::open(&at(&own.join("ledger.db"))).expect("a ledger"));
            let beside = own.join(format!("ledger.db{suffix}"));
            let _ = fs::remove_file(&beside);
            symlink(elsewhere.join("log"), &beside).expect("linked");
            for opened in
                [Ledger::open(&at(&own.join("ledger.db"))), Ledger::open_read_only(&at(&own.join("ledger.db")))]
            {
                assert!(opened.expect_err("refused").to_string().contains(suffix));
            }
        }
        assert!(make_folder(&linked).is_err());
        assert_eq!(fs::read_dir(&elsewhere).expect("readable").count(), 0);
        symlink(elsewhere.join("ignored"), real.join(".gitignore")).expect("linked");
        make_folder(&real).expect("made");
        assert_eq!(fs::read_dir(&elsewhere).expect("readable").count(), 0);
    }

    #[test]
    fn a_missing_project_is_not_made_and_a_wide_ledger_is_narrowed() {
        let folder = folder();
        let missing = folder.path().join("missing");
        let error = Ledger::open(&at(&missing.join(".assize").join("ledger.db"))).expect_err("refused");
        assert!(matches!(error, LedgerError::Database(DatabaseError::Unusable { .. })) && !missing.exists(), "{error}");
        let path = folder.path().join(".assize").join("ledger.db");
        drop(Ledger::open(&at(&path)).expect("a new ledger"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("set");
        drop(Ledger::open(&at(&path)).expect("an existing ledger"));
        assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
    }
}
