//! The tree that a patch is applied to, and no place outside of it.
//!
//! Every folder on the way to a file is opened by itself, relative to the one above and without
//! following links, and stays open. So a folder that is swapped for a link while a patch is applied leads
//! nowhere: what was opened is what is written to. No path is ever given to the system as a whole.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use assize_core::patch::{Entry, File, LARGER_FILE, Snapshot, check_path, folders};
use rustix::buffer::spare_capacity;
use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::fuse::Fuse;

/// Most bytes of a file that a patch may touch.
pub const FILE_BYTES_MAX: u64 = assize_core::patch::FILE_BYTES_MAX as u64;

/// Most folders that are kept open at a time by one thread: a process may have 256 files open on some systems.
const FOLDERS_MAX: usize = 48;
/// The part of a mode that a file keeps. In whose name a program runs was granted to other bytes.
const MODE: u32 = 0o777;
/// How a folder is opened.
pub const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How a file is made.
pub const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder on the way, if it is one.
#[derive(Clone)]
enum Step {
    Folder(Arc<OwnedFd>),
    Absent,
    Foreign(&'static str),
}

/// What every thread needs to open the same tree.
#[derive(Clone)]
pub struct Base {
    folder: Arc<OwnedFd>,
    fuse: Fuse,
}

/// An open tree, for one thread.
pub struct Root {
    base: Base,
    steps: RefCell<BTreeMap<String, Step>>,
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.base.folder.as_fd()
    }
}

/// Returns the folder and the name of a path.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl Root {
    /// Opens a tree.
    ///
    /// # Errors
    ///
    /// Returns what the system says if it is no folder or cannot be opened.
    pub fn open(path: &Path, fuse: Fuse) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = Arc::new(rustix::fs::open(path, flags, Mode::empty())?);
        Ok(Self::over(Base { folder, fuse }))
    }

    /// Opens the same tree for another thread.
    pub fn over(base: Base) -> Self {
        Self { base, steps: RefCell::default() }
    }

    /// Returns what another thread needs.
    pub fn base(&self) -> Base {
        self.base.clone()
    }

    #[cfg(test)]
    pub fn is_within_limit(&self) -> bool {
        self.steps.borrow().len() <= FOLDERS_MAX
    }

    /// Reads everything that has to be known to plan a patch of these paths. What is no path of a patch is left to the plan.
    ///
    /// # Errors
    ///
    /// Returns what the system says where something is there and cannot be read.
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
                    Step::Folder(_) => snapshot.put(folder, Entry::Folder),
                    Step::Foreign(what) => snapshot.put(folder, Entry::Foreign(what)),
                    // A file in the way is no step.
                    Step::Absent => snapshot.put(folder, self.entry(folder)?),
                }
            }
            if entry == Entry::Absent {
                listed.extend(folders(path));
            }
            snapshot.put(*path, entry);
        }
        // A file can take the place of a folder that the same patch empties; whether it does, the names say.
        if paths.iter().any(|path| *snapshot.entry(path) == Entry::Folder) {
            listed.extend(paths.iter().flat_map(|path| folders(path)));
        }
        for folder in listed {
            snapshot.put_names(folder, self.names(folder)?);
        }
        Ok(snapshot)
    }

    /// Returns what stands at a path.
    ///
    /// # Errors
    ///
    /// Returns what the system says where something is there and cannot be read.
    pub fn entry(&self, path: &str) -> io::Result<Entry> {
        let (folder, name) = parted(path);
        let Step::Folder(folder) = self.step(folder)? else { return Ok(Entry::Absent) };
        // Without waiting: the other end of a pipe may never be opened.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(Entry::Absent),
            Err(Errno::LOOP | Errno::MLINK) => return Ok(Entry::Foreign("a symbolic link")),
            Err(Errno::NXIO | Errno::NODEV) => return Ok(Entry::Foreign("a socket or a device")),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        Ok(match kind_of(&stat) {
            Kind::File => {
                let Some(bytes) = whole(&file, stat.st_size)? else {
                    return Ok(Entry::Foreign(LARGER_FILE));
                };
                Entry::File(File { bytes, executable: stat.st_mode & 0o100 != 0 })
            }
            Kind::Folder => Entry::Folder,
            Kind::Foreign(what) => Entry::Foreign(what),
        })
    }

    /// Returns the names in a folder; none if there is no such folder.
    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let Step::Folder(folder) = self.step(folder)? else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder)? {
            // A name that is no text can be no path of a patch either.
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns a folder, opened step by step from the nearest one that is open.
    fn step(&self, path: &str) -> io::Result<Step> {
        let known = |path: &str| match path {
            "" => Some(Step::Folder(Arc::clone(&self.base.folder))),
            _ => self.steps.borrow().get(path).cloned(),
        };
        let on_the_way = std::iter::once(path).chain(folders(path));
        let nearest = on_the_way.into_iter().find_map(|folder| Some((folder.len(), known(folder)?)));
        let (mut opened, mut step) = nearest.unwrap_or((0, Step::Absent));
        while opened < path.len()
            && let Step::Folder(above) = &step
        {
            let start = if opened == 0 { 0 } else { opened + 1 };
            let end = path[start..].find('/').map_or(path.len(), |at| start + at);
            step = opened_below(above, &path[start..end])?;
            opened = end;
            if !matches!(step, Step::Absent) {
                let mut steps = self.steps.borrow_mut();
                if steps.len() >= FOLDERS_MAX {
                    steps.clear();
                }
                steps.insert(path[..end].to_owned(), step.clone());
            }
        }
        Ok(step)
    }

    /// Returns a folder to write in. It is made if it is not there, and those above it.
    fn made(&self, path: &str) -> io::Result<Arc<OwnedFd>> {
        if let Step::Folder(folder) = self.step(path)? {
            return Ok(folder);
        }
        let mut above = Arc::clone(&self.base.folder);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for folder in ends.map(|end| &path[..end]) {
            if matches!(self.step(folder)?, Step::Absent) {
                self.base.fuse.burn()?;
                match rustix::fs::mkdirat(&above, parted(folder).1, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            above = match self.step(folder)? {
                Step::Folder(folder) => folder,
                Step::Foreign(what) => return Err(io::Error::other(format!("{folder} has become {what}"))),
                Step::Absent => return Err(io::Error::other(format!("{folder} is no folder any more"))),
            };
        }
        Ok(above)
    }

    /// Writes a file under another name, in the folder that it is for or, where that is not there yet, the nearest above.
    /// Returns the folder.
    ///
    /// # Errors
    ///
    /// Returns what the system says. What lies there then is for [`Self::sweep`].
    pub fn stage<'p>(&self, path: &'p str, file: &File, beside: &str) -> io::Result<&'p str> {
        let (folder, name) = parted(path);
        let (place, opened) = self.nearest(folder)?;
        let earlier = if place == folder { standing(&opened, name)? } else { None };
        // Never open to more people than it will be in the end.
        let mode = match &earlier {
            Some(earlier) => mode_after(earlier, file.executable),
            None => Mode::from_raw_mode(if file.executable { 0o777 } else { 0o666 }),
        };
        self.base.fuse.burn()?;
        let mut new = fs::File::from(rustix::fs::openat(&opened, beside, NEW_FILE, mode)?);
        self.base.fuse.burn()?;
        new.write_all(&file.bytes)?;
        if let Some(earlier) = earlier {
            self.base.fuse.burn()?;
            take_over(&new, &earlier, mode)?;
        }
        Ok(place)
    }

    /// Returns the nearest folder on the way to a path, the path's own among them, that is there.
    fn nearest<'p>(&self, path: &'p str) -> io::Result<(&'p str, Arc<OwnedFd>)> {
        for folder in std::iter::once(path).chain(folders(path)) {
            match self.step(folder)? {
                Step::Folder(opened) => return Ok((folder, opened)),
                Step::Foreign(what) => return Err(io::Error::other(format!("{folder} has become {what}"))),
                Step::Absent => {}
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Puts a file that was written under another name in its place.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn put(&self, path: &str, staged_in: &str, beside: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        let folder = self.made(folder)?;
        standing(&folder, name)?;
        let Step::Folder(from) = self.step(staged_in)? else {
            return Err(io::Error::other(format!("{staged_in} is no folder any more")));
        };
        self.base.fuse.burn()?;
        Ok(rustix::fs::renameat(&from, beside, &folder, name)?)
    }

    /// Returns whether a file can be taken away, as far as that can be told.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn may_take(&self, path: &str) -> io::Result<()> {
        let Step::Folder(folder) = self.step(parted(path).0)? else { return Ok(()) };
        let flags = AtFlags::EACCESS;
        match rustix::fs::accessat(&folder, ".", Access::WRITE_OK | Access::EXEC_OK, flags) {
            // Not every kernel can be asked.
            Ok(()) | Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a file away, and the folders that are empty then.
    ///
    /// # Errors
    ///
    /// Returns what the system says, unless the file is gone already.
    pub fn take(&self, path: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        if let Step::Folder(folder) = self.step(folder)? {
            self.base.fuse.burn()?;
            match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for folder in folders(path).filter(|folder| !folder.is_empty()) {
            let (above, name) = parted(folder);
            // An apply that was killed may have come this far already.
            let Step::Folder(above) = self.step(above)? else { continue };
            self.base.fuse.burn()?;
            match rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => self.steps.borrow_mut().remove(folder),
                Err(_) => break,
            };
        }
        Ok(())
    }

    /// Takes away what [`Self::stage`] left behind, wherever the nearest folder was then.
    pub fn sweep(&self, path: &str, beside: &str) {
        for folder in folders(path) {
            if let Ok(Step::Folder(folder)) = self.step(folder) {
                let _ = rustix::fs::unlinkat(&folder, beside, AtFlags::empty());
            }
        }
    }

    /// Returns when everything that was written to the tree's file system has reached the disk.
    ///
    /// # Errors
    ///
    /// Returns what the system says; something may not have been written.
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

/// Returns the file that stands in a folder under a name.
fn standing(folder: &OwnedFd, name: &str) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => match kind_of(&stat) {
            Kind::Foreign(what) => Err(io::Error::other(format!("it has become {what}"))),
            Kind::File => Ok(Some(stat)),
            // The plan empties it.
            Kind::Folder => Ok(None),
        },
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns a folder in another, if it is one.
fn opened_below(above: &OwnedFd, name: &str) -> io::Result<Step> {
    match rustix::fs::openat(above, name, FOLDER, Mode::empty()) {
        Ok(folder) => Ok(Step::Folder(Arc::new(folder))),
        Err(Errno::NOENT) => Ok(Step::Absent),
        Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {
            match rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                    Ok(Step::Foreign("a symbolic link"))
                }
                Ok(_) | Err(Errno::NOENT) => Ok(Step::Absent),
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads a file to its end; nothing if it is too large.
fn whole(file: &OwnedFd, size: i64) -> io::Result<Option<Vec<u8>>> {
    let size = usize::try_from(size).unwrap_or(0);
    let mut bytes = Vec::new();
    loop {
        if bytes.len() as u64 > FILE_BYTES_MAX || size as u64 > FILE_BYTES_MAX {
            return Ok(None);
        }
        // One more than there should be: what is not filled is the end, if that is where it was said to be.
        bytes.reserve((size + 1).saturating_sub(bytes.len()).max(1));
        let room = bytes.capacity() - bytes.len();
        let read = rustix::io::retry_on_intr(|| rustix::io::read(file, spare_capacity(&mut bytes)))?;
        if read == 0 || read < room && bytes.len() == size {
            return Ok(Some(bytes));
        }
    }
}

/// Returns the mode of a file that takes the place of another one.
fn mode_after(earlier: &Stat, executable: bool) -> Mode {
    let readable = earlier.st_mode & 0o444;
    let mode = match (executable, earlier.st_mode & 0o100 != 0) {
        (true, false) => earlier.st_mode | readable >> 2,
        (false, true) => earlier.st_mode & !0o111,
        _ => earlier.st_mode,
    };
    Mode::from_raw_mode(mode & MODE)
}

/// Gives a new file the mode that it is to have and, where that is allowed, the owner of the one whose place it takes.
fn take_over(new: &fs::File, earlier: &Stat, mode: Mode) -> io::Result<()> {
    let own = rustix::fs::fstat(new)?;
    if (own.st_uid, own.st_gid) != (earlier.st_uid, earlier.st_gid) {
        // Only the superuser may give files away; to others the file belongs to them now.
        let owner = rustix::process::Uid::from_raw(earlier.st_uid);
        let group = rustix::process::Gid::from_raw(earlier.st_gid);
        let _ = rustix::fs::fchown(new, Some(owner), Some(group));
    }
    // The mask of the process may have taken something away.
    if Mode::from_raw_mode(own.st_mode) & Mode::from_raw_mode(MODE) == mode {
        return Ok(());
    }
    Ok(rustix::fs::fchmod(new, mode)?)
}

enum Kind {
    File,
    Folder,
    Foreign(&'static str),
}

fn kind_of(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink > 1 => Kind::Foreign("a file with several names (hard links)"),
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Foreign("a symbolic link"),
        FileType::Fifo => Kind::Foreign("a pipe"),
        _ => Kind::Foreign("a socket or a device"),
    }
}
