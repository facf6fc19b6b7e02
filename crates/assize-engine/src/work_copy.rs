//! Copies of a tree, in which judged code may run.
//!
//! Judged code never runs in the user's own tree. A copy contains the files of a commit or of the work tree, with
//! their times, so that build tools can see what has changed. Links are copied as links; pipes, sockets and devices
//! are skipped. No link is followed, neither in the tree nor in a copy, because its target does not belong to the
//! tree. This module must not know what the copies are for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use assize_core::path::{parent, within};
use assize_patch::FileTransition;

use crate::git::{GitError, Repository};
use crate::regular_file;
use crate::scratch::Scratch;

/// The most files of a tree that are copied.
pub const FILES_MAX: usize = 200_000;
/// The most bytes of a tree that are copied.
pub const BYTES_MAX: u64 = 8 * 1024 * 1024 * 1024;

/// Why a tree could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The tree exceeds a limit.
    #[error("the tree has more than {0}")]
    TooLarge(String),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    move |error| CopyError::Io { path, error }
}

/// A copy of a tree, removed when it is dropped.
#[derive(Debug)]
pub struct WorkCopy {
    folder: Scratch,
    files: BTreeSet<String>,
}

impl WorkCopy {
    fn empty() -> Result<Self, CopyError> {
        let folder = Scratch::new("assize-copy-").map_err(at(&std::env::temp_dir()))?;
        fs::create_dir(folder.path().join("work")).map_err(at(folder.path()))?;
        Ok(Self { folder, files: BTreeSet::new() })
    }

    /// Copies the files of a commit.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn of_commit(repository: &Repository, commit: &str) -> Result<Self, CopyError> {
        let mut copy = Self::empty()?;
        copy.files = repository.check_out(commit, &copy.path())?.into_iter().collect();
        Ok(copy)
    }

    /// Copies files of a folder. Files that no longer exist are skipped.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be copied, or if there are too many.
    pub fn of_folder(root: &Path, paths: impl IntoIterator<Item = String>) -> Result<Self, CopyError> {
        let mut copy = Self::empty()?;
        let mut bytes = 0_u64;
        let mut way = LinkGuard::new(root);
        for path in paths {
            if copy.files.len() == FILES_MAX {
                return Err(CopyError::TooLarge(format!("{FILES_MAX} files")));
            }
            if !is_below(&path) || !way.is_straight(&path) {
                continue;
            }
            if let Some(size) = copy_one(&root.join(&path), &copy.path().join(&path))? {
                bytes = bytes.saturating_add(size);
                if bytes > BYTES_MAX {
                    return Err(CopyError::TooLarge(format!("{BYTES_MAX} bytes")));
                }
                copy.files.insert(path);
            }
        }
        Ok(copy)
    }

    /// Copies this copy.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be copied.
    pub fn again(&self) -> Result<Self, CopyError> {
        Self::of_folder(&self.path(), self.files.iter().cloned())
    }

    /// Makes the copy a git repository without any commit, for programs that only ask whether it is one, or where it came from. Returns
    /// whether it was none before.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be written.
    pub fn begin_repository(&self) -> Result<bool, CopyError> {
        let folder = self.path().join(".git");
        if folder.symlink_metadata().is_ok() {
            return Ok(false);
        }
        for name in ["objects", "refs/heads"] {
            fs::create_dir_all(folder.join(name)).map_err(at(&folder))?;
        }
        for (name, text) in [("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n\trepositoryformatversion = 0\n")]
        {
            fs::write(folder.join(name), text).map_err(at(&folder))?;
        }
        Ok(true)
    }

    /// Returns the root of the copied tree.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns a folder beside the tree, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created.
    pub fn beside(&self, name: &str) -> Result<PathBuf, CopyError> {
        let path = self.folder.path().join(name);
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// Returns the paths of the copied files, relative to the root.
    pub fn files(&self) -> &BTreeSet<String> {
        &self.files
    }

    /// Reads a file of the copy. Returns `None` if it is not text or exceeds the limit.
    pub fn text(&self, path: &str, bytes_max: u64) -> Option<String> {
        if leads_through_a_link(&self.path(), path) {
            return None;
        }
        let bytes = regular_file::read(&self.path().join(path), bytes_max).ok()?;
        String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= bytes_max)
    }

    /// Replaces a file by that of another copy. If the other copy has none, the file is removed.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be replaced.
    pub fn take_from(&mut self, other: &Self, path: &str) -> Result<(), CopyError> {
        self.remove(path)?;
        if !other.files.contains(path) || leads_through_a_link(&other.path(), path) {
            return Ok(());
        }
        self.make_way(path)?;
        if copy_one(&other.path().join(path), &self.path().join(path))?.is_some() {
            self.files.insert(path.to_owned());
        }
        Ok(())
    }

    /// Creates the parent folders of a file. Anything else in their place is removed, because a link would redirect
    /// the write.
    fn make_way(&mut self, path: &str) -> Result<(), CopyError> {
        if !is_below(path) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it does not lie below the root");
            return Err(CopyError::Io { path: PathBuf::from(path), error });
        }
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            let full = self.path().join(folder);
            match fs::symlink_metadata(&full) {
                Ok(meta) if meta.is_dir() => continue,
                Ok(_) => {
                    self.files.remove(folder);
                    fs::remove_file(&full).map_err(at(&full))?;
                }
                Err(_) => {}
            }
            fs::create_dir(&full).map_err(at(&full))?;
        }
        Ok(())
    }

    /// Sets the time of every file that differs from another copy to now, so that build tools consider it changed.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read.
    pub fn freshen(&self, than: &Self) -> Result<(), CopyError> {
        for path in &self.files {
            let (mine, theirs) = (self.path().join(path), than.path().join(path));
            if leads_through_a_link(&self.path(), path) || leads_through_a_link(&than.path(), path) {
                continue;
            }
            if fs::symlink_metadata(&mine).is_ok_and(|meta| meta.is_file())
                && !same_contents(&mine, &theirs).map_err(at(&mine))?
            {
                let file = fs::File::options().append(true).open(&mine).map_err(at(&mine))?;
                file.set_modified(SystemTime::now()).map_err(at(&mine))?;
            }
        }
        Ok(())
    }

    /// Returns the links, with their targets.
    pub fn links(&self) -> BTreeSet<(String, PathBuf)> {
        let target = |path: &String| Some((path.clone(), fs::read_link(self.path().join(path)).ok()?));
        self.files.iter().filter_map(target).collect()
    }

    /// Returns the files with hashes of their contents.
    pub fn digests(&self) -> BTreeMap<String, blake3::Hash> {
        let digest = |path: &String| Some((path.clone(), self.digest(path)?));
        self.files.iter().filter_map(digest).collect()
    }

    fn digest(&self, path: &str) -> Option<blake3::Hash> {
        let is_file = !leads_through_a_link(&self.path(), path)
            && fs::symlink_metadata(self.path().join(path)).is_ok_and(|meta| meta.is_file());
        is_file.then(|| fs::read(self.path().join(path)).ok().map(|bytes| blake3::hash(&bytes))).flatten()
    }

    /// Sets the time of every file so that build tools can see which ones differ from those that were built: to when the
    /// build began, or to now.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn date(&self, built: &BTreeMap<String, blake3::Hash>, begun: SystemTime) -> Result<(), CopyError> {
        let now = SystemTime::now();
        for path in &self.files {
            let Some(digest) = self.digest(path) else { continue };
            let time = if built.get(path) == Some(&digest) { begun } else { now };
            let full = self.path().join(path);
            let file = fs::File::options().append(true).open(&full).map_err(at(&full))?;
            file.set_modified(time).map_err(at(&full))?;
        }
        Ok(())
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write(&mut self, path: &str, contents: &str) -> Result<(), CopyError> {
        self.remove(path)?;
        self.make_way(path)?;
        let file = self.path().join(path);
        fs::write(&file, contents).map_err(at(&file))?;
        self.files.insert(path.to_owned());
        Ok(())
    }

    /// Carries out the changes of a patch. Files are removed first, because a folder may be needed at their path.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn carry_out(&mut self, changes: &[FileTransition]) -> Result<(), CopyError> {
        for change in changes.iter().filter(|change| change.after.is_none()) {
            self.remove(&change.path)?;
        }
        for change in changes {
            if let Some(file) = &change.after {
                self.write_file(&change.path, &file.bytes, file.executable)?;
            }
        }
        Ok(())
    }

    /// Writes a file with any bytes, which may be executable.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write_file(&mut self, path: &str, bytes: &[u8], executable: bool) -> Result<(), CopyError> {
        self.remove(path)?;
        self.make_way(path)?;
        let file = self.path().join(path);
        fs::write(&file, bytes).map_err(at(&file))?;
        let mode = if executable { 0o755 } else { 0o644 };
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).map_err(at(&file))?;
        self.files.insert(path.to_owned());
        Ok(())
    }

    /// Removes a file, or a folder in its place, if it exists.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn remove(&mut self, path: &str) -> Result<(), CopyError> {
        self.files.remove(path);
        let file = self.path().join(path);
        if !is_below(path) || leads_through_a_link(&self.path(), path) {
            return Ok(());
        }
        if fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_dir()) {
            let inside = format!("{path}/");
            self.files.retain(|other| !other.starts_with(&inside));
            return fs::remove_dir_all(&file).map_err(at(&file));
        }
        match fs::remove_file(&file) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Err(at(&file)(error))
            }
            _ => Ok(()),
        }
    }
}

/// Finds dependency folders in a user's tree, relative to its root: those beside a manifest that are not listed as
/// part of the project.
pub fn dependency_folders(root: &Path, files: &BTreeSet<String>) -> Vec<String> {
    let mut folders: BTreeSet<&str> = BTreeSet::from([""]);
    for path in files {
        if assize_ecosystem::has_dependencies_beside(path) {
            folders.insert(parent(path));
        }
    }
    // Folders that are no part of a tree are made visible in its copies. Several ecosystems may use one name.
    let names: BTreeSet<&str> = assize_ecosystem::dependency_folders().collect();
    let mut found = Vec::new();
    for folder in folders {
        for &name in &names {
            let path = within(folder, name);
            let inside = format!("{path}/");
            let is_part = files.contains(&path)
                || files.range(inside.clone()..).next().is_some_and(|file| file.starts_with(&inside));
            if !is_part && !leads_through_a_link(root, &path) && holds_dependencies(&root.join(&path)) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns whether a folder contains dependencies. A link may lead to such a folder elsewhere, but not to any other,
/// because judged code can read its target.
fn holds_dependencies(folder: &Path) -> bool {
    let Ok(real) = folder.canonicalize() else { return false };
    let is_link = fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink());
    let is_one = real.file_name() == folder.file_name() || real.join("pyvenv.cfg").is_file();
    real.is_dir() && (!is_link || is_one)
}

/// Copies a folder, including its links and the times of its files.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let meta = fs::symlink_metadata(&source)?;
        if meta.is_dir() {
            copy_tree(&source, &target)?;
        } else if meta.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else if meta.is_file() {
            fs::copy(&source, &target)?;
            meta.modified().and_then(|time| fs::File::open(&target)?.set_modified(time))?;
        }
    }
    Ok(())
}

/// Returns whether a path of a listing stays below its root.
fn is_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

/// Returns whether a parent folder is a link, so that a write would go elsewhere.
pub(crate) fn leads_through_a_link(root: &Path, path: &str) -> bool {
    let parents = Path::new(path).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    parents.into_iter().any(|parent| fs::symlink_metadata(root.join(parent)).is_ok_and(|meta| meta.is_symlink()))
}

/// Detects paths that lead through links. Files of one folder mostly follow one another.
struct LinkGuard<'r> {
    root: &'r Path,
    last: Option<(String, bool)>,
}

impl<'r> LinkGuard<'r> {
    fn new(root: &'r Path) -> Self {
        Self { root, last: None }
    }

    /// Returns whether every parent folder is really a folder.
    fn is_straight(&mut self, path: &str) -> bool {
        let Some((folder, _)) = path.rsplit_once('/') else { return true };
        match &self.last {
            Some((known, straight)) if known == folder => *straight,
            _ => {
                let straight = !leads_through_a_link(self.root, path);
                self.last = Some((folder.to_owned(), straight));
                straight
            }
        }
    }
}

fn make_parents(file: &Path) -> Result<(), CopyError> {
    let parent = file.parent().unwrap_or(file);
    fs::create_dir_all(parent).map_err(at(parent))
}

fn same_contents(one: &Path, other: &Path) -> io::Result<bool> {
    let Ok(meta) = fs::symlink_metadata(other) else { return Ok(false) };
    Ok(meta.is_file() && meta.len() == fs::symlink_metadata(one)?.len() && fs::read(one)? == fs::read(other)?)
}

/// Copies a file or a link, and returns its size. Returns `None` for anything else, and for missing files.
fn copy_one(from: &Path, to: &Path) -> Result<Option<u64>, CopyError> {
    let Ok(meta) = fs::symlink_metadata(from) else { return Ok(None) };
    if meta.is_symlink() {
        make_parents(to)?;
        let target = fs::read_link(from).map_err(at(from))?;
        symlink(target, to).map_err(at(to))?;
        return Ok(Some(0));
    }
    if !meta.is_file() {
        return Ok(None);
    }
    make_parents(to)?;
    // If the file system supports it, this shares blocks instead of copying them.
    fs::copy(from, to).map_err(at(from))?;
    let copied = fs::File::options().write(true).open(to);
    if let (Ok(modified), Ok(copied)) = (meta.modified(), copied) {
        copied.set_modified(modified).map_err(at(to))?;
    } else {
        // A file that its owner may not write keeps the time of its copy.
        let mode = meta.permissions().mode() | 0o200;
        fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(at(to))?;
    }
    Ok(Some(meta.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_testkit::repo::Repo;

    fn listed(repo: &Repo) -> Vec<String> {
        let repository = Repository::discover(&repo.path()).expect("readable").expect("a repository");
        repository.files().expect("a listing").into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn a_copy_holds_files_links_and_times_and_nothing_else() {
        let repo = Repo::with_commit(&[("src/a.py", "one\n"), ("run.sh", "x\n")]);
        symlink("/etc/hostname", repo.path().join("link")).expect("a link");
        std::process::Command::new("mkfifo").arg(repo.path().join("pipe")).status().expect("a pipe");
        fs::set_permissions(repo.path().join("run.sh"), fs::Permissions::from_mode(0o755)).expect("made executable");
        let mut paths = listed(&repo);
        paths.push("pipe".to_owned());
        paths.push("gone".to_owned());
        paths.push("../outside".to_owned());
        let copy = WorkCopy::of_folder(&repo.path(), paths).expect("a copy");
        assert_eq!(copy.files().iter().collect::<Vec<_>>(), ["link", "run.sh", "src/a.py"]);
        assert!(fs::symlink_metadata(copy.path().join("link")).expect("there").is_symlink());
        let of = |root: &Path, path: &str| fs::metadata(root.join(path)).expect("there");
        assert_eq!(of(&copy.path(), "run.sh").permissions().mode() & 0o777, 0o755);
        assert_eq!(
            of(&copy.path(), "src/a.py").modified().expect("a time"),
            of(&repo.path(), "src/a.py").modified().expect("a time")
        );
    }

    #[test]
    fn a_copy_becomes_a_repository_once() {
        let repo = Repo::with_commit(&[("a.txt", "a\n")]);
        let copy = WorkCopy::of_folder(&repo.path(), listed(&repo)).expect("copied");
        assert!(copy.begin_repository().expect("made"));
        assert!(!copy.begin_repository().expect("there"));
        let git = std::process::Command::new("git").args(["remote", "-v"]).current_dir(copy.path()).output();
        let output = git.expect("git runs");
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(!copy.again().expect("copied").path().join(".git").exists());
    }

    #[test]
    fn link_targets_distinguish_copies() {
        let copy = |target: Option<&str>| {
            let repo = Repo::with_commit(&[("a", "1\n"), ("b", "2\n")]);
            match target {
                Some(target) => symlink(target, repo.path().join("l")).expect("a link"),
                None => repo.write("l", "a file\n"),
            }
            WorkCopy::of_folder(&repo.path(), listed(&repo)).expect("a copy")
        };
        let to_a = copy(Some("a"));
        assert_eq!(to_a.links(), copy(Some("a")).links());
        assert!(copy(None).links().is_empty());
        for other in [copy(Some("b")), copy(None)] {
            assert_ne!(to_a.links(), other.links());
        }
    }

    #[test]
    fn nothing_is_written_above_the_root() {
        let mut copy = WorkCopy::of_folder(Path::new("/"), Vec::new()).expect("a copy");
        for path in ["../a", "/tmp/a", "b/../../a", ""] {
            assert!(copy.write(path, "x").is_err() && copy.write_file(path, b"x", true).is_err(), "{path}");
        }
        assert!(copy.write("b/a", "x").is_ok());
    }

    #[test]
    fn files_are_taken_over_from_another_copy() {
        let repo = Repo::with_commit(&[("a", "old\n"), ("b", "old\n")]);
        let repository = Repository::discover(&repo.path()).expect("readable").expect("a repository");
        let base = WorkCopy::of_commit(&repository, &repo.head()).expect("a copy");
        repo.write("a", "new\n");
        repo.write("c", "new\n");
        repo.remove("b");
        let mut change = WorkCopy::of_folder(&repo.path(), listed(&repo)).expect("a copy");
        for path in ["a", "b", "c"] {
            change.take_from(&base, path).expect("taken over");
        }
        change.write("d/e", "x").expect("written");
        assert_eq!(change.files().iter().collect::<Vec<_>>(), ["a", "b", "d/e"]);
        assert_eq!(change.text("a", 10).as_deref(), Some("old\n"));
        assert_eq!((change.text("c", 10), change.text("a", 3)), (None, None));
        assert_eq!(change.again().expect("a copy").files(), change.files());
    }

    #[test]
    fn what_differs_looks_new() {
        let repo = Repo::with_commit(&[("a", "same\n"), ("b", "old\n")]);
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        for path in ["a", "b"] {
            fs::File::options()
                .append(true)
                .open(repo.path().join(path))
                .and_then(|file| file.set_modified(old))
                .expect("set");
        }
        let one = WorkCopy::of_folder(&repo.path(), listed(&repo)).expect("a copy");
        let mut other = one.again().expect("a copy");
        other.write("b", "new\n").expect("written");
        one.freshen(&other).expect("freshened");
        let time = |path: &str| fs::metadata(one.path().join(path)).and_then(|meta| meta.modified()).expect("a time");
        assert!(time("a") == old && time("b") > old);
    }

    #[test]
    fn nothing_is_removed_through_a_link() {
        let repo = Repo::with_commit(&[("a", "x\n")]);
        fs::create_dir(repo.outside().join("other")).expect("a folder");
        fs::write(repo.outside().join("other/b"), "mine\n").expect("written");
        symlink(repo.outside().join("other"), repo.path().join("link")).expect("a link");
        let mut copy = WorkCopy::of_folder(&repo.path(), ["link".to_owned()]).expect("a copy");
        copy.remove("link/b").expect("left alone");
        assert!(repo.outside().join("other/b").exists());
    }

    /// The index still has files in the place of a link.
    #[test]
    fn nothing_is_copied_through_a_link() {
        let repo = Repo::with_commit(&[("tests/a", "one\n"), ("tests/deep/b", "one\n"), ("c", "one\n")]);
        let outside = repo.outside().join("outside");
        fs::create_dir_all(outside.join("deep")).expect("a folder");
        for path in ["a", "deep/b"] {
            fs::write(outside.join(path), "mine\n").expect("written");
        }
        fs::remove_dir_all(repo.path().join("tests")).expect("removed");
        symlink(&outside, repo.path().join("tests")).expect("a link");
        let paths = listed(&repo);
        assert!(paths.contains(&"tests/a".to_owned()), "the index has it: {paths:?}");
        let copy = WorkCopy::of_folder(&repo.path(), paths).expect("a copy");
        assert_eq!(copy.files().iter().collect::<Vec<_>>(), ["c", "tests"]);
        assert_eq!(fs::read_to_string(outside.join("a")).expect("still there"), "mine\n");
    }

    /// A change has replaced a folder of tests, or judged code has replaced a folder of its copy.
    #[test]
    fn folders_come_back_where_something_else_stands() {
        let repo = Repo::with_commit(&[("tests/deep/a", "old\n"), ("b", "old\n")]);
        let repository = Repository::discover(&repo.path()).expect("readable").expect("a repository");
        let base = WorkCopy::of_commit(&repository, &repo.head()).expect("a copy");
        let outside = repo.outside().join("outside");
        fs::create_dir_all(outside.join("deep")).expect("a folder");
        type LinkMaker = fn(&Path, &Path);
        let makers: [(&str, LinkMaker); 4] = [
            ("tests", |path, outside| symlink(outside, path).expect("a link")),
            ("tests", |path, _| fs::write(path, "a file").expect("written")),
            ("tests/deep", |path, outside| symlink(outside.join("deep"), path).expect("a link")),
            ("tests/deep/a", |path, _| fs::create_dir_all(path.join("x/y")).expect("a folder")),
        ];
        for (at, make) in makers {
            let mut copy = base.again().expect("a copy");
            let full = copy.path().join(at);
            if full.is_dir() { fs::remove_dir_all(&full) } else { fs::remove_file(&full) }.expect("removed");
            make(&full, &outside);
            assert!(copy.text("tests/deep/a", 10).is_none(), "{at}");
            copy.freshen(&base).expect("nothing to do");
            copy.take_from(&base, "tests/deep/a").expect("taken over");
            copy.write("tests/deep/c", "new\n").expect("written");
            assert_eq!(copy.text("tests/deep/a", 10).as_deref(), Some("old\n"), "{at}");
            assert_eq!(copy.text("tests/deep/c", 10).as_deref(), Some("new\n"), "{at}");
            assert_eq!(fs::read_dir(outside.join("deep")).expect("a folder").count(), 0, "{at}");
        }
    }

    #[test]
    fn a_text_is_read_up_to_its_limit() {
        let repo = Repo::with_commit(&[("a", "12345")]);
        let copy = WorkCopy::of_folder(&repo.path(), listed(&repo)).expect("a copy");
        assert_eq!((copy.text("a", 5).as_deref(), copy.text("a", 4)), (Some("12345"), None));
    }

    #[test]
    fn a_link_to_just_any_folder_holds_no_dependencies() {
        let repo = Repo::with_commit(&[("package.json", "{}"), (".gitignore", "node_modules\n.venv\nvenv\n")]);
        let outside = |path: &str| {
            let folder = repo.outside().join(path);
            fs::create_dir_all(&folder).expect("a folder");
            folder
        };
        fs::write(outside("environments/mine").join("pyvenv.cfg"), "").expect("written");
        symlink(outside("shared/node_modules"), repo.path().join("node_modules")).expect("a link");
        symlink(outside("environments/mine"), repo.path().join(".venv")).expect("a link");
        symlink(outside(".ssh"), repo.path().join("venv")).expect("a link");
        symlink(outside("shared/vendor"), repo.path().join("vendor")).expect("a link");
        let files = listed(&repo).into_iter().collect::<BTreeSet<_>>();
        assert!(files.contains("vendor"), "git does not ignore it: it is a part of the change");
        assert_eq!(dependency_folders(&repo.path(), &files), [".venv", "node_modules"]);
    }

    #[test]
    fn dependencies_stand_beside_manifests() {
        let repo = Repo::with_commit(&[("web/package.json", "{}"), ("go.mod", ""), ("vendor/x/a.go", "")]);
        for folder in ["web/node_modules/x", "node_modules", "src/node_modules", ".venv"] {
            fs::create_dir_all(repo.path().join(folder)).expect("a folder");
        }
        let files = listed(&repo).into_iter().collect();
        assert_eq!(dependency_folders(&repo.path(), &files), [".venv", "node_modules", "web/node_modules"]);
    }
}
