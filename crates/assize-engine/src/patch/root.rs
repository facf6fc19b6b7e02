//! The tree that a patch is applied to, and no place outside of it.
//!
//! Every folder on the way to a file is opened by itself, relative to the one above and without
//! following links, and stays open. So a folder that is swapped for a link while a patch is applied leads
//! nowhere: what was opened is what is written to. No path is ever given to the system as a whole.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::rc::Rc;

use assize_core::patch::{Entry, File, Snapshot, check_path, folders};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// Most bytes of a file that a patch may touch.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder on the way, if it is one.
#[derive(Clone)]
enum Step {
    Folder(Rc<OwnedFd>),
    Absent,
    Foreign(&'static str),
}

/// An open tree.
pub struct Root {
    folder: Rc<OwnedFd>,
    steps: RefCell<BTreeMap<String, Step>>,
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
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = Rc::new(rustix::fs::open(path, flags, Mode::empty())?);
        Ok(Self { folder, steps: RefCell::default() })
    }

    /// Reads everything that has to be known to plan a patch of these paths. What is no path of a patch is left to the plan.
    ///
    /// # Errors
    ///
    /// Returns what the system says where something is there and cannot be read.
    pub fn snapshot(&self, paths: &[&str]) -> io::Result<Snapshot> {
        let mut snapshot = Snapshot::default();
        for path in paths.iter().copied().filter(|path| check_path(path).is_ok()) {
            let entry = self.entry(path)?;
            for folder in folders(path).filter(|folder| !folder.is_empty()) {
                match self.step(folder)? {
                    Step::Folder(_) => snapshot.put(folder, Entry::Folder),
                    Step::Foreign(what) => snapshot.put(folder, Entry::Foreign(what)),
                    // A file in the way is no step.
                    Step::Absent => snapshot.put(folder, self.entry(folder)?),
                }
            }
            if entry == Entry::Absent {
                for folder in folders(path) {
                    snapshot.put_names(folder, self.names(folder)?);
                }
            }
            snapshot.put(path, entry);
        }
        // A file can take the place of a folder that the same patch empties; whether it does, the names say.
        if paths.iter().any(|path| *snapshot.entry(path) == Entry::Folder) {
            for folder in paths.iter().filter(|path| check_path(path).is_ok()).flat_map(|path| folders(path)) {
                snapshot.put_names(folder, self.names(folder)?);
            }
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
                let mut bytes = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or(0));
                fs::File::from(file).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > FILE_BYTES_MAX {
                    return Ok(Entry::Foreign("a file larger than 64 MiB"));
                }
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

    /// Returns a folder, opened step by step.
    fn step(&self, path: &str) -> io::Result<Step> {
        if path.is_empty() {
            return Ok(Step::Folder(Rc::clone(&self.folder)));
        }
        if let Some(step) = self.steps.borrow().get(path) {
            return Ok(step.clone());
        }
        let (above, name) = parted(path);
        let step = match self.step(above)? {
            Step::Folder(above) => match rustix::fs::openat(&above, name, FOLDER, Mode::empty()) {
                Ok(folder) => Step::Folder(Rc::new(folder)),
                Err(Errno::NOENT) => Step::Absent,
                Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {
                    let stat = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    match kind_of(&stat) {
                        Kind::Foreign(what) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                            Step::Foreign(what)
                        }
                        _ => Step::Absent,
                    }
                }
                Err(error) => return Err(error.into()),
            },
            other => other,
        };
        if !matches!(step, Step::Absent) {
            self.steps.borrow_mut().insert(path.to_owned(), step.clone());
        }
        Ok(step)
    }

    /// Returns a folder to write in, which is made if it is not there.
    fn made(&self, path: &str) -> io::Result<Rc<OwnedFd>> {
        match self.step(path)? {
            Step::Folder(folder) => return Ok(folder),
            Step::Foreign(what) => return Err(io::Error::other(format!("{path} has become {what}"))),
            Step::Absent => {}
        }
        let (above, name) = parted(path);
        let above = self.made(above)?;
        match rustix::fs::mkdirat(&above, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        match self.step(path)? {
            Step::Folder(folder) => Ok(folder),
            _ => Err(io::Error::other(format!("{path} is no folder any more"))),
        }
    }

    /// Puts a file in its place: written beside it under another name, and moved.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn put(&self, path: &str, file: &File, beside: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        let folder = self.made(folder)?;
        let earlier = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(error.into()),
        };
        let _ = rustix::fs::unlinkat(&folder, beside, AtFlags::empty());
        let mode = Mode::from_raw_mode(if file.executable { 0o777 } else { 0o666 });
        let mut new = fs::File::from(rustix::fs::openat(&folder, beside, NEW_FILE, mode)?);
        let written = new.write_all(&file.bytes).and_then(|()| match earlier {
            Some(earlier) => take_over(&new, &earlier, file.executable),
            None => Ok(()),
        });
        let moved = written.and_then(|()| Ok(rustix::fs::renameat(&folder, beside, &folder, name)?));
        if moved.is_err() {
            let _ = rustix::fs::unlinkat(&folder, beside, AtFlags::empty());
        }
        moved
    }

    /// Takes a file away, and the folders that are empty then.
    ///
    /// # Errors
    ///
    /// Returns what the system says, unless the file is gone already.
    pub fn take(&self, path: &str) -> io::Result<()> {
        let (folder, name) = parted(path);
        if let Step::Folder(folder) = self.step(folder)? {
            match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for folder in folders(path).filter(|folder| !folder.is_empty()) {
            let (above, name) = parted(folder);
            let Step::Folder(above) = self.step(above)? else { break };
            if rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR).is_err() {
                break;
            }
            self.steps.borrow_mut().remove(folder);
        }
        Ok(())
    }

    /// Takes away what an interrupted [`Self::put`] left behind.
    pub fn sweep(&self, path: &str, beside: &str) {
        if let Ok(Step::Folder(folder)) = self.step(parted(path).0) {
            let _ = rustix::fs::unlinkat(&folder, beside, AtFlags::empty());
        }
    }

    /// Returns when everything that was written to the tree's file system has reached the disk.
    ///
    /// # Errors
    ///
    /// Returns what the system says; something may not have been written.
    pub fn sync(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return Ok(rustix::fs::syncfs(self.folder.as_fd())?);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            rustix::fs::sync();
            Ok(())
        }
    }
}

/// Gives a new file the mode of the one whose place it takes and, where that is allowed, its owner.
fn take_over(new: &fs::File, earlier: &Stat, executable: bool) -> io::Result<()> {
    let own = rustix::fs::fstat(new)?;
    if (own.st_uid, own.st_gid) != (earlier.st_uid, earlier.st_gid) {
        // Only the superuser may give files away; to others the file belongs to them now.
        let owner = rustix::process::Uid::from_raw(earlier.st_uid);
        let group = rustix::process::Gid::from_raw(earlier.st_gid);
        let _ = rustix::fs::fchown(new, Some(owner), Some(group));
    }
    let readable = earlier.st_mode & 0o444;
    let mode = match (executable, earlier.st_mode & 0o100 != 0) {
        (true, false) => earlier.st_mode | readable >> 2,
        (false, true) => earlier.st_mode & !0o111,
        _ => earlier.st_mode,
    };
    Ok(rustix::fs::fchmod(new, Mode::from_raw_mode(mode & 0o777))?)
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
