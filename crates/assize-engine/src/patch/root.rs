//! The tree to which a patch is applied, and nothing outside it.
//!
//! Every folder on the way to a file is opened separately, relative to its parent and without following links, and
//! remains open. If a folder is replaced by a link while a patch is applied, the opened folder is still the one that
//! is written to. A complete path is never given to the system.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use assize_patch::{FileContent, LARGER_FILE, PathState, Snapshot, check_path, folders};
use rustix::buffer::spare_capacity;
use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::fuse::Fuse;

/// The largest file that a patch may touch, in bytes.
pub const FILE_BYTES_MAX: u64 = assize_patch::FILE_BYTES_MAX as u64;

/// The most folders that one thread keeps open. Some systems allow a process only 256 open files.
const FOLDERS_MAX: usize = 48;
/// The mode bits that a file keeps. The set-user-id and set-group-id bits were granted to other bytes.
const MODE: u32 = 0o777;
/// The flags for opening a folder.
pub const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The flags for creating a file.
pub const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder on the way, if it is one.
#[derive(Clone)]
enum FolderLookup {
    Folder(Arc<OwnedFd>),
    Absent,
    Foreign(&'static str),
}

/// What each thread needs to open the same tree.
#[derive(Clone)]
pub struct TreeHandle {
    folder: Arc<OwnedFd>,
    fuse: Fuse,
}

/// An open tree, for one thread.
pub struct OpenTree {
    base: TreeHandle,
    steps: RefCell<BTreeMap<String, FolderLookup>>,
}

impl AsFd for OpenTree {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.base.folder.as_fd()
    }
}

/// Splits a path into folder and name.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl OpenTree {
    /// Opens a tree.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it is not a folder or cannot be opened.
    pub fn open(path: &Path, fuse: Fuse) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = Arc::new(rustix::fs::open(path, flags, Mode::empty())?);
        Ok(Self::over(TreeHandle { folder, fuse }))
    }

    /// Opens the same tree for another thread.
    pub fn over(base: TreeHandle) -> Self {
        Self { base, steps: RefCell::default() }
    }

    /// Returns what another thread needs.
    pub fn base(&self) -> TreeHandle {
        self.base.clone()
    }

    #[cfg(test)]
    pub fn is_within_limit(&self) -> bool {
        self.steps.borrow().len() <= FOLDERS_MAX
    }

    /// Reads everything that is needed to plan a patch of these paths. Invalid paths are handled by the plan.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if something exists and cannot be read.
    pub fn snapshot(&self, paths: &[&str]) -> io::Result<Snapshot> {
        let mut snapshot = Snapshot::default();
        let paths: BTreeSet<&str> = paths.iter().copied().filter(|path| check_path(path).is_ok()).collect();
        let mut passed: BTreeSet<&str> = BTreeSet::new();
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        for path in &paths {
            let entry = self.entry(path)?;
            for folder in folders(path).filter(|folder| !folder.is_empty()) {
                if !passed.insert(folder) {
                    break;
                }
                match self.step(folder)? {
                    FolderLookup::Folder(_) => snapshot.put(folder, PathState::Folder),
                    FolderLookup::Foreign(what) => snapshot.put(folder, PathState::Foreign(what)),
                    // A file in the way is not a folder.
                    FolderLookup::Absent => snapshot.put(folder, self.entry(folder)?),
                }
            }
            if entry == PathState::Absent {
                listed.extend(folders(path));
            }
            snapshot.put(*path, entry);
        }
        // A file can replace a folder that the same patch empties. The names in the folder show whether it is emptied.
        if paths.iter().any(|path| *snapshot.entry(path) == PathState::Folder) {
            listed.extend(paths.iter().flat_map(|path| folders(path)));
        }
        for folder in listed {
            snapshot.put_names(folder, self.names(folder)?);
        }
        Ok(snapshot)
    }

    /// Returns what is at a path.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if something exists and cannot be read.
    pub fn entry(&self, path: &str) -> io::Result<PathState> {
        let (folder, name) = parted(path);
        let FolderLookup::Folder(folder) = self.step(folder)? else { return Ok(PathState::Absent) };
        // Without blocking: the other end of a pipe may never be opened.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(PathState::Absent),
            Err(Errno::LOOP | Errno::MLINK) => return Ok(PathState::Foreign("a symbolic link")),
            Err(Errno::NXIO | Errno::NODEV) => return Ok(PathState::Foreign("a socket or a device")),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        Ok(match kind_of(&stat) {
            EntryKind::File => {
                let Some(bytes) = whole(&file, stat.st_size)? else {
                    return Ok(PathState::Foreign(LARGER_FILE));
                };
                PathState::File(FileContent { bytes, executable: stat.st_mode & 0o100 != 0 })
            }
            EntryKind::Folder => PathState::Folder,
            EntryKind::Foreign(what) => PathState::Foreign(what),
        })
    }

    /// Returns the names in a folder; none if there is no such folder.
    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let FolderLookup::Folder(folder) = self.step(folder)? else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder)? {
            // A name that is not text cannot be in the path of a patch either.
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns a folder, opened step by step from the nearest open one.
    fn step(&self, path: &str) -> io::Result<FolderLookup> {
        let known = |path: &str| match path {
            "" => Some(FolderLookup::Folder(Arc::clone(&self.base.folder))),
            _ => self.steps.borrow().get(path).cloned(),
        };
        let on_the_way = std::iter::once(path).chain(folders(path));
        let nearest = on_the_way.into_iter().find_map(|folder| Some((folder.len(), known(folder)?)));
        let (mut handle, mut step) = nearest.unwrap_or((0, FolderLookup::Absent));
        while handle < path.len()
            && let FolderLookup::Folder(above) = &step
        {
            let start = if handle == 0 { 0 } else { handle + 1 };
            let end = path[start..].find('/').map_or(path.len(), |at| start + at);
            step = open_below(above, &path[start..end])?;
            handle = end;
            if !matches!(step, FolderLookup::Absent) {
                let mut steps = self.steps.borrow_mut();
                if steps.len() >= FOLDERS_MAX {
                    steps.clear();
                }
                steps.insert(path[..end].to_owned(), step.clone());
            }
        }
        Ok(step)
    }

    /// Returns a folder to write to. It is created if it does not exist, with its parents.
    fn made(&self, path: &str) -> io::Result<Arc<OwnedFd>> {
        if let FolderLookup::Folder(folder) = self.step(path)? {
            return Ok(folder);
        }
        let mut above = Arc::clone(&self.base.folder);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for folder in ends.map(|end| &path[..end]) {
            if matches!(self.step(folder)?, FolderLookup::Absent) {
                self.base.fuse.burn()?;
                match rustix::fs::mkdirat(&above, parted(folder).1, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            above = match self.step(folder)? {
                FolderLookup::Folder(folder) => folder,
                FolderLookup::Foreign(what) => return Err(io::Error::other(format!("{folder} has become {what}"))),
                FolderLookup::Absent => return Err(io::Error::other(format!("{folder} is no folder any more"))),
            };
        }
        Ok(above)
    }

    /// Writes a file under a temporary name, in its folder or, if that does not exist yet, in the nearest existing
    /// parent. Returns that folder.
    ///
    /// # Errors
    ///
    /// Returns the error of the system. The partial file is then removed by [`Self::sweep`].
    pub fn write_beside<'p>(&self, path: &'p str, file: &FileContent, beside: &str) -> io::Result<&'p str> {
        let (folder, name) = parted(path);
        let (place, handle) = self.nearest(folder)?;
        let earlier = if place == folder { stat(&handle, name)? } else { None };
        // The temporary file is never accessible to more users than the final one.
        let mode = match &earlier {
            Some(earlier) => mode_after(earlier, file.executable),
            None => Mode::from_raw_mode(if file.executable { 0o777 } else { 0o666 }),
        };
        self.base.fuse.burn()?;
        let mut new = fs::File::from(rustix::fs::openat(&handle, beside, NEW_FILE, mode)?);
        self.base.fuse.burn()?;
        new.write_all(&file.bytes)?;
        if let Some(earlier) = earlier {
            self.base.fuse.burn()?;
            take_over(&new, &earlier, mode)?;
        }
        Ok(place)
    }

    /// Returns the nearest existing folder on the way to a path, including the path itself.
    fn nearest<'p>(&self, path: &'p str) -> io::Result<(&'p str, Arc<OwnedFd>)> {
        for folder in std::iter::once(path).chain(folders(path)) {
            match self.step(folder)? {
                FolderLookup::Folder(handle) => return Ok((folder, handle)),
                FolderLookup::Foreign(what) => return Err(io::Error::other(format!("{folder} has become {what}"))),
                FolderLookup::Absent => {}
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Moves a file from its temporary name to its place.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn rename_into_place(&self, path: &str, written_at: &str, beside: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        let folder = self.made(folder)?;
        stat(&folder, name)?;
        let FolderLookup::Folder(from) = self.step(written_at)? else {
            return Err(io::Error::other(format!("{written_at} is no folder any more")));
        };
        self.base.fuse.burn()?;
        Ok(rustix::fs::renameat(&from, beside, &folder, name)?)
    }

    /// Returns whether a file can be removed, as far as that can be determined.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn may_take(&self, path: &str) -> io::Result<()> {
        let FolderLookup::Folder(folder) = self.step(parted(path).0)? else { return Ok(()) };
        let flags = AtFlags::EACCESS;
        match rustix::fs::accessat(&folder, ".", Access::WRITE_OK | Access::EXEC_OK, flags) {
            // Not every kernel supports this check.
            Ok(()) | Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file, and the folders that become empty.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, unless the file is already gone.
    pub fn take(&self, path: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        if let FolderLookup::Folder(folder) = self.step(folder)? {
            self.base.fuse.burn()?;
            match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for folder in folders(path).filter(|folder| !folder.is_empty()) {
            let (above, name) = parted(folder);
            // A killed process may already have removed the parent.
            let FolderLookup::Folder(above) = self.step(above)? else { continue };
            self.base.fuse.burn()?;
            match rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => self.steps.borrow_mut().remove(folder),
                Err(_) => break,
            };
        }
        Ok(())
    }

    /// Removes what [`Self::write_beside`] left behind, whichever folder was the nearest then.
    pub fn sweep(&self, path: &str, beside: &str) {
        for folder in folders(path) {
            if let Ok(FolderLookup::Folder(folder)) = self.step(folder) {
                let _ = rustix::fs::unlinkat(&folder, beside, AtFlags::empty());
            }
        }
    }

    /// Returns when everything that was written to the tree's file system is on disk.
    ///
    /// # Errors
    ///
    /// Returns the error of the system; something may not have been written.
    pub fn sync(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return Ok(rustix::fs::syncfs(self)?);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            rustix::fs::sync();
            Ok(())
        }
    }
}

/// Returns the metadata of the file with a name in a folder.
fn stat(folder: &OwnedFd, name: &str) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => match kind_of(&stat) {
            EntryKind::Foreign(what) => Err(io::Error::other(format!("it has become {what}"))),
            EntryKind::File => Ok(Some(stat)),
            // The plan empties it.
            EntryKind::Folder => Ok(None),
        },
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a folder in another one, if it is a folder.
fn open_below(above: &OwnedFd, name: &str) -> io::Result<FolderLookup> {
    match rustix::fs::openat(above, name, FOLDER, Mode::empty()) {
        Ok(folder) => Ok(FolderLookup::Folder(Arc::new(folder))),
        Err(Errno::NOENT) => Ok(FolderLookup::Absent),
        Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {
            match rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                    Ok(FolderLookup::Foreign("a symbolic link"))
                }
                Ok(_) | Err(Errno::NOENT) => Ok(FolderLookup::Absent),
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads a file to its end. Returns `None` if it is too large.
fn whole(file: &OwnedFd, size: i64) -> io::Result<Option<Vec<u8>>> {
    let size = usize::try_from(size).unwrap_or(0);
    let mut bytes = Vec::new();
    loop {
        if bytes.len() as u64 > FILE_BYTES_MAX || size as u64 > FILE_BYTES_MAX {
            return Ok(None);
        }
        // One more than expected: if it is not filled, the end of the file is where its size says.
        bytes.reserve((size + 1).saturating_sub(bytes.len()).max(1));
        let room = bytes.capacity() - bytes.len();
        let read = rustix::io::retry_on_intr(|| rustix::io::read(file, spare_capacity(&mut bytes)))?;
        if read == 0 || read < room && bytes.len() == size {
            return Ok(Some(bytes));
        }
    }
}

/// Returns the mode of a file that replaces another one.
fn mode_after(earlier: &Stat, executable: bool) -> Mode {
    let readable = earlier.st_mode & 0o444;
    let mode = match (executable, earlier.st_mode & 0o100 != 0) {
        (true, false) => earlier.st_mode | readable >> 2,
        (false, true) => earlier.st_mode & !0o111,
        _ => earlier.st_mode,
    };
    Mode::from_raw_mode(mode & MODE)
}

/// Gives a new file its mode and, if allowed, the owner of the file that it replaces.
fn take_over(new: &fs::File, earlier: &Stat, mode: Mode) -> io::Result<()> {
    let own = rustix::fs::fstat(new)?;
    if (own.st_uid, own.st_gid) != (earlier.st_uid, earlier.st_gid) {
        // Only the superuser may give files to others; otherwise the file belongs to the current user.
        let owner = rustix::process::Uid::from_raw(earlier.st_uid);
        let group = rustix::process::Gid::from_raw(earlier.st_gid);
        let _ = rustix::fs::fchown(new, Some(owner), Some(group));
    }
    // The process's umask may have removed some bits.
    if Mode::from_raw_mode(own.st_mode) & Mode::from_raw_mode(MODE) == mode {
        return Ok(());
    }
    Ok(rustix::fs::fchmod(new, mode)?)
}

enum EntryKind {
    File,
    Folder,
    Foreign(&'static str),
}

fn kind_of(stat: &Stat) -> EntryKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink > 1 => EntryKind::Foreign("a file with several names (hard links)"),
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Foreign("a symbolic link"),
        FileType::Fifo => EntryKind::Foreign("a pipe"),
        _ => EntryKind::Foreign("a socket or a device"),
    }
}
