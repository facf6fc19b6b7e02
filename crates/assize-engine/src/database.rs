//! An SQLite file of Assize: opened safely, written durably.
//!
//! It uses WAL with `synchronous=FULL`, so that acknowledged data survives a kill and a power loss. A file that is
//! damaged, foreign or from a later version is an error that names it, and is never replaced. A file behind a link is
//! never written to, because the link may come with a repository. This module must not know what is stored in it.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use rustix::fs::OFlags;

/// How long a writer waits for others.
pub const BUSY_MAX: Duration = Duration::from_secs(20);

/// The purpose of a file.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseKind {
    /// Its name in messages.
    pub name: &'static str,
    /// Marks the file as one of Assize.
    pub application_id: i32,
    /// The migrations from an empty file to the current schema. A released migration is never changed.
    pub migrations: &'static [&'static str],
}

/// A failure of such a file. Every message names it.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file belongs to another program.
    #[error("{path} is no {name} of Assize; move it away to start a new one")]
    Foreign {
        /// What it should be.
        name: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error("{path} was written by a later version of Assize (schema {version}); update Assize to read it")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        version: i64,
    },
    /// The file cannot be read as a database.
    #[error("{path} is damaged ({detail}); keep a copy of it, then move it away to start a new one")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        detail: String,
    },
    /// The file cannot be opened, read or written.
    #[error("{path} cannot be used: {detail}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
}

/// An open file.
#[derive(Debug)]
pub struct Database {
    /// The connection.
    pub connection: Connection,
    path: PathBuf,
    kind: DatabaseKind,
}

impl Database {
    /// Opens a file for writing. Creates it, its folder and the folder's ignore file if they do not exist. The parent
    /// of the folder must exist.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`]. A file that is not an intact one of this kind is not changed.
    pub fn open(path: &Path, kind: DatabaseKind) -> Result<Self, DatabaseError> {
        refuse_links(path)?;
        create(path).map_err(|error| unusable(path, &error))?;
        narrow(path);
        Self::refuse_foreign(path, kind)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut database = Self::connect(path, flags, kind)?;
        database.write_setup().map_err(|error| database.failure(&error))?;
        database.migrate()?;
        Ok(database)
    }

    /// Opens an existing file for reading. Returns `None` if it has no content yet.
    ///
    /// # Errors
    ///
    /// See [`DatabaseError`].
    pub fn open_read_only(path: &Path, kind: DatabaseKind) -> Result<Option<Self>, DatabaseError> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(None);
        }
        refuse_links(path)?;
        Self::refuse_foreign(path, kind)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Self::connect(path, flags, kind)?;
        match database.version() {
            Err(DatabaseError::Unusable { .. }) => {
                // Without write permission, the files of the WAL cannot be created; the content of the main file can
                // still be read.
                let uri = format!("file:{}?immutable=1", uri_path(path));
                let database = Self::connect(Path::new(&uri), flags | OpenFlags::SQLITE_OPEN_URI, kind)?;
                let database = Self { path: path.to_owned(), ..database };
                database.version()?;
                Ok(Some(database))
            }
            Err(error) => Err(error),
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(database)),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SQLite treats a file of a few bytes as an empty database and would overwrite it.
    fn refuse_foreign(path: &Path, kind: DatabaseKind) -> Result<(), DatabaseError> {
        const MAGIC: &[u8; 16] = b"SQLite format 3\0";
        let mut start = Vec::new();
        let opened = fs::OpenOptions::new().read(true).custom_flags(no_follow()).open(path);
        let read = opened.and_then(|file| file.take(16).read_to_end(&mut start));
        match read {
            Err(error) => Err(unusable(path, &error)),
            Ok(0) => Ok(()),
            Ok(_) if start == MAGIC => Ok(()),
            Ok(_) => Err(DatabaseError::Foreign { name: kind.name, path: path.to_owned() }),
        }
    }

    fn connect(path: &Path, flags: OpenFlags, kind: DatabaseKind) -> Result<Self, DatabaseError> {
        let connection = Connection::open_with_flags(path, flags).map_err(|error| failure(path, kind, &error))?;
        let mut database = Self { connection, path: path.to_owned(), kind };
        database.connection.busy_handler(Some(wait_a_little)).map_err(|error| database.failure(&error))?;
        Ok(database)
    }

    /// Settings of a writing connection. The checkpoint on close is disabled, because every hook would pay for it;
    /// automatic checkpoints suffice.
    fn write_setup(&self) -> rusqlite::Result<()> {
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "wal_autocheckpoint", 100)
    }

    /// Returns the schema version, 0 for an empty file. Fails for foreign files.
    pub(crate) fn version(&self) -> Result<i64, DatabaseError> {
        let read = |name: &str| -> Result<i64, DatabaseError> {
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
            (id, _) if id != i64::from(self.kind.application_id) => {
                Err(DatabaseError::Foreign { name: self.kind.name, path: self.path.clone() })
            }
            (_, version) if version > self.kind.migrations.len() as i64 => {
                Err(DatabaseError::Newer { path: self.path.clone(), version })
            }
            (_, version) => Ok(version),
        }
    }

    fn migrate(&mut self) -> Result<(), DatabaseError> {
        let latest = self.kind.migrations.len() as i64;
        if self.version()? == latest {
            return Ok(());
        }
        self.switch_to_wal()?;
        let (path, kind) = (self.path.clone(), self.kind);
        let failed = |error: rusqlite::Error| failure(&path, kind, &error);
        // Another process may have migrated it: check again under the lock.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        for migration in &kind.migrations[usize::try_from(version).unwrap_or(0)..] {
            transaction.execute_batch(migration).map_err(failed)?;
        }
        transaction.pragma_update(None, "application_id", kind.application_id).map_err(failed)?;
        transaction.pragma_update(None, "user_version", latest).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// SQLite does not wait for the lock of this switch, so it is retried here.
    fn switch_to_wal(&self) -> Result<(), DatabaseError> {
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

    /// Compares the schema with the result of the migrations. A trigger or another index could change or hide entries
    /// although the chain is intact.
    pub(crate) fn foreign_part(&self, version: i64) -> rusqlite::Result<Option<String>> {
        let fresh = Connection::open_in_memory()?;
        for migration in self.kind.migrations.iter().take(usize::try_from(version).unwrap_or(0)) {
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

    /// Describes a failure of this file.
    pub fn failure(&self, error: &rusqlite::Error) -> DatabaseError {
        failure(&self.path, self.kind, error)
    }
}

/// Waits a few random milliseconds for another writer.
fn wait_a_little(attempt: i32) -> bool {
    let step = u64::from(attempt.unsigned_abs());
    let jitter = u64::from(std::process::id()).wrapping_mul(2_654_435_761).wrapping_add(step * 7_919) % 3_000;
    std::thread::sleep(Duration::from_micros(300 + jitter));
    // The mean pause is 1.8 ms.
    step < u64::try_from(BUSY_MAX.as_micros()).unwrap_or(u64::MAX) / 1_800
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn failure(path: &Path, kind: DatabaseKind, error: &rusqlite::Error) -> DatabaseError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => DatabaseError::Foreign { name: kind.name, path },
        Some(ErrorCode::DatabaseCorrupt) => DatabaseError::Damaged { path, detail: error.to_string() },
        _ => DatabaseError::Unusable { path, detail: error.to_string() },
    }
}

fn unusable(path: &Path, error: &io::Error) -> DatabaseError {
    DatabaseError::Unusable { path: path.to_owned(), detail: error.to_string() }
}

/// Returns type, name and definition of everything in a database.
fn schema(connection: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut statement = connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

/// Fails for links, because a repository must not decide where Assize writes. Also fails for anything else that is not
/// a regular file.
fn refuse_links(path: &Path) -> Result<(), DatabaseError> {
    let refused = |detail: String| Err(DatabaseError::Unusable { path: path.to_owned(), detail });
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
    // SQLite also writes into these files, and would block at a pipe.
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

/// Creates the folder (0700), its ignore file and an empty file (0600).
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

/// Makes the file and its SQLite side files accessible to their owner only. For a file of another user that is
/// impossible, and is ignored.
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

/// Creates the folder of a project's state (0700), with an ignore file for git. The project's own folder must exist.
///
/// # Errors
///
/// Fails if it cannot be created, or is a symbolic link.
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
