//! The ledger on disk: one SQLite file, written durably.
//!
//! WAL with `synchronous=FULL`, so that an acknowledged event survives a kill and a power loss.
//! The chain itself is computed in the core. A file that is damaged, foreign or from a later
//! version is an error that names it, never a reason to begin a new one.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assize_core::ledger::{Damage, GENESIS, Hash, Header, Verifier, entry_hash};
use assize_core::session::Event;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior, params};
use rustix::fs::OFlags;

/// Marks the file as ours (`ASZE`).
const APPLICATION_ID: i32 = 0x4153_5a45;

/// The steps from an empty file to the present schema. A step that has been released is never
/// changed.
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

/// How long a writer waits for others before it gives up.
pub const BUSY_MAX: Duration = Duration::from_secs(20);

/// A failure of the ledger. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file belongs to another program.
    #[error("{path} is no ledger of Assize; move it away to start a new one")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error("{path} was written by a later version of Assize (schema {version}); update Assize to read it")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        version: i64,
    },
    /// The file cannot be read as a database.
    #[error("{path} is damaged ({detail}); keep a copy of it, then move it away to start a new one")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// The chain of entries is broken.
    #[error("{path}: {damage}")]
    Chain {
        /// The file.
        path: PathBuf,
        /// The first damage.
        damage: Damage,
    },
    /// An entry is no event of this version.
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
    /// The file cannot be opened, read or written.
    #[error("{path} cannot be used: {detail}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

/// One entry, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Everything but the payload.
    pub header: Header,
    /// The event as JSON.
    pub payload: String,
    /// The hash of the entry.
    pub hash: Hash,
}

/// Which entries are wanted.
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
    /// Only the latest ones, this many.
    pub last: Option<u32>,
}

/// Takes an entry and the hash that it carries of the one before, and says whether to go on.
pub type Visit<'a> = &'a mut dyn FnMut(Entry, &[u8]) -> Result<bool, LedgerError>;

/// What a walk along the chain found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are, all of them sound.
    pub entries: u64,
    /// The hash of the last one. Kept elsewhere, it also proves that none was cut off.
    pub head: Hash,
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
    connection: Connection,
    path: PathBuf,
}

impl Ledger {
    /// Opens the ledger for writing; makes it, its folder and the folder's ignore file when they
    /// do not exist. The folder above must exist.
    ///
    /// # Errors
    ///
    /// See [`LedgerError`]. A file that is not an intact ledger is left as it is.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        refuse_links(path)?;
        create(path).map_err(|error| unusable(path, &error))?;
        narrow(path);
        Self::refuse_foreign(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut ledger = Self::connect(path, flags)?;
        ledger.write_setup().map_err(|error| ledger.failure(&error))?;
        ledger.migrate()?;
        Ok(ledger)
    }

    /// Opens an existing ledger for reading.
    ///
    /// # Errors
    ///
    /// See [`LedgerError`].
    pub fn open_read_only(path: &Path) -> Result<Self, LedgerError> {
        if fs::symlink_metadata(path).is_err() {
            return Err(LedgerError::Absent { path: path.to_owned() });
        }
        refuse_links(path)?;
        Self::refuse_foreign(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let ledger = Self::connect(path, flags)?;
        match ledger.version() {
            Err(LedgerError::Unusable { .. }) => {
                // Without write permission the files of the WAL cannot be made; what is in the
                // main file can still be read.
                let uri = format!("file:{}?immutable=1", uri_path(path));
                let ledger = Self::connect(Path::new(&uri), flags | OpenFlags::SQLITE_OPEN_URI)?;
                let ledger = Self { path: path.to_owned(), ..ledger };
                ledger.version()?;
                Ok(ledger)
            }
            Err(error) => Err(error),
            Ok(0) => Err(LedgerError::Absent { path: path.to_owned() }),
            Ok(_) => Ok(ledger),
        }
    }

    /// SQLite takes a file of a few bytes for an empty database and would write over it.
    fn refuse_foreign(path: &Path) -> Result<(), LedgerError> {
        const MAGIC: &[u8; 16] = b"SQLite format 3\0";
        let mut start = Vec::new();
        let opened = fs::OpenOptions::new().read(true).custom_flags(no_follow()).open(path);
        let read = opened.and_then(|file| file.take(16).read_to_end(&mut start));
        match read {
            Err(error) => Err(unusable(path, &error)),
            Ok(0) => Ok(()),
            Ok(_) if start == MAGIC => Ok(()),
            Ok(_) => Err(LedgerError::Foreign { path: path.to_owned() }),
        }
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, LedgerError> {
        let connection = Connection::open_with_flags(path, flags).map_err(|error| failure(path, &error))?;
        let mut ledger = Self { connection, path: path.to_owned() };
        ledger.connection.busy_handler(Some(wait_a_little)).map_err(|error| ledger.failure(&error))?;
        Ok(ledger)
    }

    /// Settings of a writing connection. The checkpoint on close is left out: it would make every
    /// hook pay for what an automatic one does now and then.
    fn write_setup(&self) -> rusqlite::Result<()> {
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "wal_autocheckpoint", 100)
    }

    /// Returns the schema version, 0 for an empty file. Refuses files that are not ours.
    fn version(&self) -> Result<i64, LedgerError> {
        let read = |name: &str| -> Result<i64, LedgerError> {
            self.connection.pragma_query_value(None, name, |row| row.get(0)).map_err(|error| self.failure(&error))
        };
        let (id, version) = (read("application_id")?, read("user_version")?);
        let empty = id == 0 && version == 0 && {
            let count = "SELECT count(*) FROM sqlite_schema";
            let tables: i64 =
                self.connection.query_row(count, [], |row| row.get(0)).map_err(|error| self.failure(&error))?;
            tables == 0
        };
        match (id, version) {
            _ if empty => Ok(0),
            (id, _) if id != i64::from(APPLICATION_ID) => Err(LedgerError::Foreign { path: self.path.clone() }),
            (_, version) if version > MIGRATIONS.len() as i64 => {
                Err(LedgerError::Newer { path: self.path.clone(), version })
            }
            (_, version) => Ok(version),
        }
    }

    fn migrate(&mut self) -> Result<(), LedgerError> {
        let latest = MIGRATIONS.len() as i64;
        if self.version()? == latest {
            return Ok(());
        }
        self.switch_to_wal()?;
        let path = self.path.clone();
        let failed = |error: rusqlite::Error| failure(&path, &error);
        // Another process may have been faster: look again under the lock.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        for migration in &MIGRATIONS[usize::try_from(version).unwrap_or(0)..] {
            transaction.execute_batch(migration).map_err(failed)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", latest).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// The switch takes a lock that SQLite does not wait for, so that we do.
    fn switch_to_wal(&self) -> Result<(), LedgerError> {
        let deadline = Instant::now() + BUSY_MAX;
        loop {
            let switched: rusqlite::Result<String> =
                self.connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
            match switched {
                Ok(_) => return Ok(()),
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => return Err(self.failure(&error)),
            }
        }
    }

    /// Records an event. When this returns, the event is on the disk.
    ///
    /// # Errors
    ///
    /// Fails when the event could not be recorded; then nothing of it is.
    pub fn append(&mut self, at_ms: i64, court: &str, session: &str, event: &Event) -> Result<u64, LedgerError> {
        let payload = serde_json::to_string(event).map_err(|error| LedgerError::Payload {
            path: self.path.clone(),
            seq: 0,
            detail: error.to_string(),
        })?;
        let outcome = event.outcome().map(|outcome| outcome.as_str().to_owned());
        let mut header =
            Header { seq: 0, at_ms, court: court.into(), session: session.into(), kind: event.kind().into(), outcome };
        self.insert(&mut header, payload.as_bytes()).map_err(|error| self.failure(&error))?;
        Ok(header.seq)
    }

    fn insert(&mut self, header: &mut Header, payload: &[u8]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last: Option<(i64, Hash)> = transaction
            .prepare_cached("SELECT seq, hash FROM entry WHERE seq > 0 ORDER BY seq DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
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
        transaction.commit()
    }

    /// Reads the events of a session, oldest first.
    ///
    /// # Errors
    ///
    /// Names the first entry that cannot be read.
    pub fn session_events(&self, session: &str, before: Option<u64>) -> Result<Vec<Event>, LedgerError> {
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
    /// Fails when the ledger cannot be read.
    pub fn sessions(&self) -> Result<Vec<String>, LedgerError> {
        let list = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("SELECT DISTINCT session FROM entry WHERE session <> '-'")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        };
        list().map_err(|error| self.failure(&error))
    }

    /// Lists the sessions of a court without an event of these kinds, newest first.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be read.
    pub fn sessions_without(&self, court: &str, kinds: [&str; 2], most: u32) -> Result<Vec<String>, LedgerError> {
        let sql = "SELECT session FROM entry WHERE court = ?1 AND seq > 0 GROUP BY session
                   HAVING sum(kind IN (?2, ?3)) = 0 ORDER BY min(seq) DESC LIMIT ?4";
        let list = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement.query_map(params![court, kinds[0], kinds[1], most], |row| row.get(0))?;
            rows.collect()
        };
        list().map_err(|error| self.failure(&error))
    }

    /// Counts what is recorded of a session.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be read.
    pub fn session_size(&self, session: &str) -> Result<SessionSize, LedgerError> {
        let sql = "SELECT count(*), coalesce(sum(kind = 'prompted'), 0) FROM entry WHERE session = ?1 AND seq > 0";
        let count = |row: &rusqlite::Row<'_>, index| row.get::<_, i64>(index).map(|n| usize::try_from(n).unwrap_or(0));
        self.connection
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
    /// Fails when the ledger cannot be read.
    pub fn last_pause(&self) -> Result<Option<Event>, LedgerError> {
        let sql = "SELECT payload FROM entry WHERE session = '-' AND kind IN ('paused', 'resumed') AND seq > 0
                   ORDER BY seq DESC LIMIT 1";
        let payload: Option<Vec<u8>> =
            self.connection.query_row(sql, [], |row| row.get(0)).optional().map_err(|error| self.failure(&error))?;
        Ok(payload.and_then(|payload| serde_json::from_slice(&payload).ok()))
    }

    /// Reads the event of an entry.
    ///
    /// # Errors
    ///
    /// Fails when the payload is no event of this version.
    pub fn event(&self, entry: &Entry) -> Result<Event, LedgerError> {
        serde_json::from_str(&entry.payload).map_err(|error| LedgerError::Payload {
            path: self.path.clone(),
            seq: entry.header.seq,
            detail: error.to_string(),
        })
    }

    /// Reads one entry.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be read.
    pub fn entry(&self, seq: u64) -> Result<Option<Entry>, LedgerError> {
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
    /// Fails when the ledger cannot be read.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<Entry>, LedgerError> {
        let mut entries = Vec::new();
        self.walk(filter, &mut |entry, _| {
            entries.push(entry);
            Ok(true)
        })?;
        Ok(entries)
    }

    /// Hands entries on one by one, oldest first, with the hash that each carries of the one
    /// before; `each` says whether to go on.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be read, and with whatever `each` fails with.
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
        let mut statement = self.connection.prepare(&sql).map_err(failed)?;
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

    /// What is stored of an entry cannot have another type or be no text, unless it was changed.
    fn read_row(&self, row: &rusqlite::Row<'_>) -> Result<(Entry, Vec<u8>), LedgerError> {
        let seq: i64 = row.get(0).map_err(|error| self.failure(&error))?;
        let damaged = |damage| LedgerError::Chain { path: self.path.clone(), damage };
        if seq <= 0 {
            return Err(damaged(Damage::OutOfOrder { expected: 1, found: 0 }));
        }
        let seq = seq.unsigned_abs();
        stored(seq, row).ok_or_else(|| damaged(Damage::Altered(seq)))
    }

    /// Walks the whole chain, then looks whether the file as such is what Assize makes.
    ///
    /// # Errors
    ///
    /// Names the first damaged entry, or what is wrong with the file.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        let mut verifier = Verifier::default();
        self.walk_from(i64::MIN, &Filter::default(), &mut |entry, previous| {
            verifier
                .step(&entry.header, entry.payload.as_bytes(), previous, &entry.hash)
                .map_err(|damage| LedgerError::Chain { path: self.path.clone(), damage })?;
            Ok(true)
        })?;
        let damaged = |detail| LedgerError::Damaged { path: self.path.clone(), detail };
        let check: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| self.failure(&error))?;
        if check != "ok" {
            return Err(damaged(check));
        }
        match self.foreign_part(self.version()?).map_err(|error| self.failure(&error))? {
            Some(detail) => Err(damaged(detail)),
            None => Ok(Verified { entries: verifier.count(), head: verifier.head() }),
        }
    }

    /// Compares the schema with what the migrations make. A trigger or another index could change
    /// or hide entries while the chain is sound.
    fn foreign_part(&self, version: i64) -> rusqlite::Result<Option<String>> {
        let fresh = Connection::open_in_memory()?;
        for migration in MIGRATIONS.iter().take(usize::try_from(version).unwrap_or(0)) {
            fresh.execute_batch(migration)?;
        }
        let (ours, theirs) = (schema(&fresh)?, schema(&self.connection)?);
        let differs = |part: &&(String, String, String)| !ours.contains(part);
        let foreign = theirs.iter().find(differs).map(|(kind, name, _)| {
            let known = ours.iter().any(|(_, our_name, _)| our_name == name);
            let what = if known { "is not as Assize makes it" } else { "was not made by Assize" };
            format!("the {kind} {name:?} {what}")
        });
        let lacking = || {
            ours.iter()
                .find(|part| !theirs.contains(part))
                .map(|(kind, name, _)| format!("the {kind} {name:?} is gone"))
        };
        Ok(foreign.or_else(lacking))
    }

    fn failure(&self, error: &rusqlite::Error) -> LedgerError {
        failure(&self.path, error)
    }
}

/// Waits for another writer: a few milliseconds, not the same for everyone.
fn wait_a_little(attempt: i32) -> bool {
    let step = u64::from(attempt.unsigned_abs());
    let jitter = u64::from(std::process::id()).wrapping_mul(2_654_435_761).wrapping_add(step * 7_919) % 3_000;
    std::thread::sleep(Duration::from_micros(300 + jitter));
    // The mean wait is 1.8 ms.
    step < u64::try_from(BUSY_MAX.as_micros()).unwrap_or(u64::MAX) / 1_800
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn failure(path: &Path, error: &rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => LedgerError::Foreign { path },
        Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged { path, detail: error.to_string() },
        _ => LedgerError::Unusable { path, detail: error.to_string() },
    }
}

fn unusable(path: &Path, error: &io::Error) -> LedgerError {
    LedgerError::Unusable { path: path.to_owned(), detail: error.to_string() }
}

fn stored(seq: u64, row: &rusqlite::Row<'_>) -> Option<(Entry, Vec<u8>)> {
    let header = Header {
        seq,
        at_ms: row.get(1).ok()?,
        court: row.get(2).ok()?,
        session: row.get(3).ok()?,
        kind: row.get(4).ok()?,
        outcome: row.get(5).ok()?,
    };
    let payload = String::from_utf8(row.get(6).ok()?).ok()?;
    let hash = Hash::try_from(row.get::<_, Vec<u8>>(8).ok()?).ok()?;
    Some((Entry { header, payload, hash }, row.get(7).ok()?))
}

/// Returns kind, name and definition of whatever a database has.
fn schema(connection: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut statement = connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

/// Refuses a ledger that lies elsewhere: what a repository brings along must not say where Assize
/// writes. Whatever is there and no regular file is refused too.
fn refuse_links(path: &Path) -> Result<(), LedgerError> {
    let refused = |detail: String| Err(LedgerError::Unusable { path: path.to_owned(), detail });
    if let Some(folder) = path.parent()
        && fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink())
    {
        return refused(format!("{} is a symbolic link; put a folder in its place", folder.display()));
    }
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => return refused("it is a symbolic link; put the file in its place".to_owned()),
        Ok(meta) if !meta.is_file() => return refused("it is no regular file".to_owned()),
        _ => {}
    }
    // SQLite writes into these as readily as into the ledger itself, and waits for a pipe.
    for suffix in ["-wal", "-shm", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        if fs::symlink_metadata(&beside).is_ok_and(|meta| !meta.is_file()) {
            return refused(format!("{} beside it is no regular file; take it away", Path::new(&beside).display()));
        }
    }
    Ok(())
}

fn no_follow() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

/// Makes the folder (0700), its ignore file and an empty ledger (0600).
fn create(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(no_follow()).open(path)?;
    Ok(())
}

/// Takes the ledger and what SQLite keeps beside it from everyone but its owner. Of somebody
/// else's file that cannot be done, and it is not ours to complain.
fn narrow(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        let wide = |meta: &fs::Metadata| meta.is_file() && meta.permissions().mode() & 0o077 != 0;
        if fs::symlink_metadata(&file).is_ok_and(|meta| wide(&meta)) {
            let opened = fs::OpenOptions::new().read(true).custom_flags(no_follow()).open(&file);
            let _ = opened.and_then(|file| file.set_permissions(fs::Permissions::from_mode(0o600)));
        }
    }
}

/// Makes the folder that holds a project's state (0700), with an ignore file for git. The
/// project's own folder must exist.
///
/// # Errors
///
/// Fails when it cannot be made, or is a symbolic link.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => result?,
    }
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(io::Error::other(format!("{} is no folder", folder.display())));
    }
    let ignore =
        fs::OpenOptions::new().write(true).create_new(true).custom_flags(no_follow()).open(folder.join(".gitignore"));
    match ignore {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result?.write_all(
            b"# Written by Assize. The ledger stays on this machine; market events are shared.\n*\n!/market/\n!/market/**\n",
        ),
    }
}

fn uri_path(path: &Path) -> String {
    let mut escaped = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => escaped.push(char::from(*byte)),
            byte => escaped.push_str(&format!("%{byte:02x}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn ended(reason: &str) -> Event {
        Event::SessionEnded { reason: reason.to_owned() }
    }

    #[test]
    fn what_is_recorded_is_read_back_in_order() {
        let folder = folder();
        let path = folder.path().join("a b").join("ledger.db");
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        assert_eq!(ledger.append(1, "stop", "s1", &ended("a")).expect("recorded"), 1);
        assert_eq!(ledger.append(2, "stop", "s2", &ended("b")).expect("recorded"), 2);
        assert_eq!(ledger.append(3, "stop", "s1", &ended("c")).expect("recorded"), 3);
        drop(ledger);
        let ledger = Ledger::open_read_only(&path).expect("an existing ledger");
        assert_eq!(ledger.session_events("s1", None).expect("readable"), [ended("a"), ended("c")]);
        assert_eq!(ledger.session_events("s1", Some(3)).expect("readable"), [ended("a")]);
        let last = ledger.entries(&Filter { last: Some(2), ..Filter::default() }).expect("readable");
        assert_eq!(last.iter().map(|entry| entry.header.seq).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(ledger.verify().expect("sound").entries, 3);
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
    }

    #[test]
    fn foreign_damaged_and_newer_files_are_named_and_left_alone() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        for contents in [&b"not a database at all, but quite long enough to look at"[..], b"x"] {
            fs::write(&path, contents).expect("written");
            let error = Ledger::open(&path).expect_err("refused").to_string();
            assert!(error.contains("ledger.db"), "{error}");
            assert_eq!(fs::read(&path).expect("still there"), contents);
        }
        fs::remove_file(&path).expect("removed");
        Connection::open(&path)
            .and_then(|other| other.execute_batch("CREATE TABLE t (x)"))
            .expect("another's database");
        assert!(matches!(Ledger::open(&path), Err(LedgerError::Foreign { .. })));
        fs::remove_file(&path).expect("removed");
        drop(Ledger::open(&path).expect("a new ledger"));
        Connection::open(&path).and_then(|other| other.pragma_update(None, "user_version", 99)).expect("changed");
        assert!(matches!(Ledger::open(&path), Err(LedgerError::Newer { version: 99, .. })));
    }

    #[test]
    fn an_absent_ledger_is_said_to_be_absent() {
        let path = folder().path().join("ledger.db");
        assert!(matches!(Ledger::open_read_only(&path), Err(LedgerError::Absent { .. })));
    }

    #[test]
    fn every_flipped_byte_of_every_payload_is_found() {
        let folder = folder();
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        for number in 0..200 {
            ledger.append(number, "stop", "s", &ended(&format!("reason {number}"))).expect("recorded");
        }
        let entries = ledger.entries(&Filter::default()).expect("readable");
        let mut flips = 0;
        for entry in &entries {
            for index in 0..entry.payload.len() {
                let mut bytes = entry.payload.clone().into_bytes();
                bytes[index] ^= 0x55;
                let transaction = ledger.connection.unchecked_transaction().expect("a transaction");
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
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        for number in 0..5 {
            ledger.append(number, "stop", "s", &ended("x")).expect("recorded");
        }
        for (sql, first) in [
            ("DELETE FROM entry WHERE seq = 3", "entry 4 stands where entry 3"),
            ("UPDATE entry SET court = 'eval' WHERE seq = 2", "entry 2"),
            ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 2", "entry 2"),
            ("UPDATE entry SET seq = 9 WHERE seq = 5", "entry 9 stands where entry 5"),
        ] {
            let transaction = ledger.connection.unchecked_transaction().expect("a transaction");
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
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        let paused = serde_json::to_string(&Event::Paused { until_ms: None }).expect("JSON");
        let forge = |ledger: &Ledger, seq: i64| {
            let sql = "INSERT INTO entry VALUES (?1, 1, '-', '-', 'paused', NULL, ?2, zeroblob(32), zeroblob(32))";
            ledger.connection.execute(sql, params![seq, paused.as_bytes()]).expect("forged");
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
                ledger.connection.execute("DELETE FROM entry WHERE seq <= 0", []).expect("removed");
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
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        for number in 0..3 {
            ledger.append(number, "stop", "s", &ended("x")).expect("recorded");
        }
        for column in ["court", "session", "kind", "outcome"] {
            let transaction = ledger.connection.unchecked_transaction().expect("a transaction");
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
        let mut ledger = Ledger::open(&path).expect("a new ledger");
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
            let transaction = ledger.connection.unchecked_transaction().expect("a transaction");
            transaction.execute_batch(sql).expect("altered");
            let error = ledger.verify().expect_err("damage");
            assert!(
                matches!(error, LedgerError::Damaged { .. }) && error.to_string().contains(named),
                "{sql}: {error}"
            );
            transaction.rollback().expect("undone");
        }
        assert_eq!(ledger.verify().expect("sound again").entries, 1);
        assert_eq!(Ledger::open_read_only(&path).expect("readable").verify().expect("sound").entries, 1);
    }

    #[test]
    fn links_are_refused_and_left_alone() {
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
            for opened in [Ledger::open(&path.join("ledger.db")), Ledger::open_read_only(&path.join("ledger.db"))] {
                let error = opened.expect_err("refused");
                let absent = matches!(error, LedgerError::Absent { .. }) && *path == linked;
                assert!(absent || error.to_string().contains(detail), "{error}");
            }
        }
        for suffix in ["-wal", "-shm", "-journal"] {
            let own = folder.path().join(format!("own{suffix}"));
            fs::create_dir(&own).expect("made");
            drop(Ledger::open(&own.join("ledger.db")).expect("a ledger"));
            let beside = own.join(format!("ledger.db{suffix}"));
            let _ = fs::remove_file(&beside);
            symlink(elsewhere.join("log"), &beside).expect("linked");
            for opened in [Ledger::open(&own.join("ledger.db")), Ledger::open_read_only(&own.join("ledger.db"))] {
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
        let error = Ledger::open(&missing.join(".assize").join("ledger.db")).expect_err("refused");
        assert!(matches!(error, LedgerError::Unusable { .. }) && !missing.exists(), "{error}");
        let path = folder.path().join(".assize").join("ledger.db");
        drop(Ledger::open(&path).expect("a new ledger"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("set");
        drop(Ledger::open(&path).expect("an existing ledger"));
        assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
    }
}
