//! Reads a git repository as if it were hostile.
//!
//! git runs programs that a repository's configuration names: fsmonitor, external diff, textconv, filters, hooks, and
//! programs of included or redirected configuration. So git never sees that configuration. It works in a shadow: a git
//! folder with a configuration written here, which borrows only the repository's objects, index and ignore list.
//! Attributes in the work tree can then name drivers, but none is defined.
//!
//! Submodules are compared by their commit only, because git would read their configuration to look inside.

mod odd_file;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use assize_core::path::is_below;

use crate::process::{ProcessLimits, ProcessResult, run};
use crate::scratch::Scratch;
use crate::search_path::SearchPath;

pub(crate) use odd_file::{ignore_list as odd_ignore_list, in_work_tree as odd_in_work_tree};

/// The longest time for one call of git.
pub const GIT_TIME_MAX: Duration = Duration::from_secs(20);
/// How long git may take before the tree is searched for files that block it.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// The longest time for writing a commit's files into a folder.
pub const CHECKOUT_TIME_MAX: Duration = Duration::from_secs(300);
/// The most bytes of a patch that are read.
pub const PATCH_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The largest file whose change is shown if the whole patch is larger than [`PATCH_BYTES_MAX`].
pub const SHOWN_BYTES_MAX: u64 = 1024 * 1024;
/// The most bytes of file names that can be excluded from a patch.
const LEFT_OUT_BYTES_MAX: usize = 512 * 1024;
/// The most bytes of a file listing that are read.
pub const LIST_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The most branches and tags that are listed.
pub const NAMES_MAX: usize = 10_000;
/// The most branches, tags and fetched commits that are looked through for what was there before.
pub const TIPS_MAX: usize = 64;
/// The repository's own ignore list, in its git folder.
const OWN_IGNORE_LIST: &str = "info/exclude";
/// The largest file below `.git` that is read directly, in bytes.
const META_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A failure to read a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// git is not installed.
    #[error("git cannot be started: {0}")]
    NoGit(io::Error),
    /// What is called git is something else.
    #[error("{0} does not answer as git does; put the real one first in PATH")]
    Odd(PathBuf),
    /// git reported an error.
    #[error("git {what} failed: {detail}")]
    Failed {
        /// The subcommand.
        what: String,
        /// What it printed.
        detail: String,
    },
    /// The base commit of a change does not exist.
    #[error("commit {0}, from which the change is measured, is no longer in the repository")]
    Gone(String),
    /// HEAD does not lead to a commit.
    #[error("HEAD names no commit, though the repository has some; `--base` says what to compare with")]
    NoHead,
    /// git took too long.
    #[error("git {0} took longer than {limit} s", limit = GIT_TIME_MAX.as_secs())]
    TimedOut(String),
    /// The output of git is larger than the limit.
    #[error("git {0} printed more than can be read")]
    TooLarge(String),
    /// A file of the repository cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// git would block at this file, or read it without end.
    #[error("{0} is a pipe, a socket or a device, which git would wait for; put a file there")]
    Waits(PathBuf),
    /// The folder has no valid repository layout.
    #[error("{path} is no git folder: {detail}")]
    Layout {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        detail: &'static str,
    },
}

impl GitError {
    /// Returns whether the repository may be the cause, rather than this machine.
    pub fn is_about_the_repository(&self) -> bool {
        !matches!(self, Self::NoGit(_) | Self::Odd(_))
    }
}

/// A repository with its shadow.
#[derive(Debug)]
pub struct Repository {
    /// The work tree.
    root: PathBuf,
    /// The folder to which the repository belongs: the work tree, unless that is a copy.
    home: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    sha256: bool,
    reftable: bool,
    shadow: Scratch,
    /// Computed when git is first called, because much can be read without git.
    search_path: OnceLock<SearchPath>,
    /// The program to call, if it is not looked for.
    program: Option<PathBuf>,
}

/// One file of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The path below the root.
    pub path: String,
    /// Whether git tracks it.
    pub tracked: bool,
    /// Whether its index entry hides changes (`assume-unchanged` or `skip-worktree`).
    pub hidden: bool,
}

/// A path that git ignores, and the line that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The path below the root.
    pub path: String,
    /// The list, below the root unless it is the repository's own one.
    pub list: String,
    /// The number of the line, from 1.
    pub line: u32,
}

/// A changed file that is too large to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Large {
    /// The path below the root.
    pub path: String,
    /// Whether the commit has it.
    pub before: bool,
    /// Whether the work tree has it.
    pub after: bool,
    /// How many lines its change has; `None` if it is not text.
    pub lines: Option<u32>,
}

/// Finds the project in which an agent works when it runs in `start`: the nearest folder with `.git` or `assize.toml`,
/// otherwise `start` itself.
pub fn project_root(start: &Path) -> PathBuf {
    let marked = |folder: &&Path| folder.join(".git").exists() || folder.join("assize.toml").is_file();
    start.ancestors().find(marked).unwrap_or(start).to_owned()
}

impl Repository {
    /// Finds the repository of a folder and prepares its shadow. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if there is a repository that cannot be read.
    pub fn discover(start: &Path) -> Result<Option<Self>, GitError> {
        let Some(root) = start.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Ok(None);
        };
        Self::open(root, root).map(Some)
    }

    /// Finds the repository of a folder as [`Self::discover`] does, with another work tree: a copy.
    ///
    /// # Errors
    ///
    /// Fails if there is a repository that cannot be read.
    pub fn with_work_tree(start: &Path, work_tree: &Path) -> Result<Option<Self>, GitError> {
        let Some(home) = start.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Ok(None);
        };
        Self::open(home, work_tree).map(Some)
    }

    fn open(home: &Path, root: &Path) -> Result<Self, GitError> {
        let (git_dir, common_dir) = folders(home)?;
        let settings = DataSettings::of(&common_dir)?;
        let shadow = Scratch::new("assize-git-").map_err(|error| GitError::Io { path: std::env::temp_dir(), error })?;
        let repository = Self {
            root: root.to_owned(),
            home: home.to_owned(),
            git_dir,
            common_dir,
            sha256: settings.sha256,
            reftable: settings.reftable,
            shadow,
            search_path: OnceLock::new(),
            program: None,
        };
        let path = repository.shadow.path().to_owned();
        repository.cast_shadow(&settings).map_err(|error| GitError::Io { path, error })?;
        Ok(repository)
    }

    /// Fills the shadow with a safe configuration and the repository's objects, index and ignore list.
    fn cast_shadow(&self, settings: &DataSettings) -> io::Result<()> {
        let shadow = self.shadow.path();
        fs::create_dir_all(shadow.join("objects/info"))?;
        fs::create_dir(shadow.join("info"))?;
        if self.reftable {
            fs::create_dir(shadow.join("refs"))?;
            symlink(self.common_dir.join("reftable"), shadow.join("reftable"))?;
        } else {
            symlink(self.common_dir.join("refs"), shadow.join("refs"))?;
            symlink(self.common_dir.join("packed-refs"), shadow.join("packed-refs"))?;
        }
        fs::write(shadow.join("config"), settings.to_config())?;
        let mut alternates = self.common_dir.join("objects").as_os_str().as_bytes().to_vec();
        alternates.push(b'\n');
        fs::write(shadow.join("objects/info/alternates"), alternates)?;
        copy_if_there(&self.git_dir.join("HEAD"), &shadow.join("HEAD"))?;
        copy_if_there(&self.common_dir.join(OWN_IGNORE_LIST), &shadow.join(OWN_IGNORE_LIST))?;
        copy_if_there(&self.git_dir.join("index"), &shadow.join("index"))?;
        for entry in fs::read_dir(&self.git_dir)?.flatten() {
            if entry.file_name().as_bytes().starts_with(b"sharedindex.") {
                symlink(entry.path(), shadow.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    /// Returns the folder to which the repository belongs, whatever its work tree is.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the current commit, or `None` before the first one.
    ///
    /// # Errors
    ///
    /// Fails if the references cannot be read.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        if self.reftable {
            return Ok(self.resolve("HEAD").ok());
        }
        head_in(&self.git_dir, &self.common_dir)
    }

    /// Returns the default base commit of a change, or `None` before the first commit.
    ///
    /// # Errors
    ///
    /// Fails if the references cannot be read, or if HEAD is not one of them: then a change would seem to have no
    /// base.
    pub fn head_to_compare(&self) -> Result<Option<String>, GitError> {
        if let Some(head) = self.head()? {
            return Ok(Some(head));
        }
        let any = self.git(&["for-each-ref", "--count=1", "--format=%(objectname)"], &[], 1 << 16)?;
        if trim(&any.stdout).is_empty() { Ok(None) } else { Err(GitError::NoHead) }
    }

    /// Returns the commit that a revision names.
    ///
    /// # Errors
    ///
    /// Fails if it names none.
    pub fn resolve(&self, revision: &str) -> Result<String, GitError> {
        let wanted = format!("{revision}^{{commit}}");
        let finished = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], &[], 1 << 16)?;
        Ok(String::from_utf8_lossy(&finished.stdout).trim().to_owned())
    }

    /// Lists branches, including remote ones, and tags.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn branches_and_tags(&self) -> Result<Vec<String>, GitError> {
        let count = format!("--count={NAMES_MAX}");
        let kinds = ["refs/heads", "refs/tags", "refs/remotes"];
        let arguments = [&["for-each-ref", "--format=%(refname:lstrip=2)", &count][..], &kinds].concat();
        let listed = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }

    /// Returns whether the history is shallow.
    pub fn is_shallow(&self) -> bool {
        self.common_dir.join("shallow").exists()
    }

    /// Returns the empty tree, with which a change is compared if there is no commit.
    fn empty_tree(&self) -> &'static str {
        if self.sha256 {
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        } else {
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        }
    }

    /// Returns the patch from a commit, or from nothing, to the work tree. Untracked files are not part of it.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if the patch is larger than [`PATCH_BYTES_MAX`].
    pub fn patch(&self, from: Option<&str>) -> Result<Vec<u8>, GitError> {
        let from = from.unwrap_or_else(|| self.empty_tree());
        self.diff(&PATCH_OPTIONS, from, &[], PATCH_BYTES_MAX)
    }

    /// Returns the patch that takes a commit's work back: from the commit to its first parent.
    ///
    /// # Errors
    ///
    /// Fails if git does, if the commit has no parent, or if the patch is larger than [`PATCH_BYTES_MAX`].
    pub fn patch_back(&self, commit: &str) -> Result<Vec<u8>, GitError> {
        let parent = format!("{commit}^");
        let arguments =
            [&["diff-tree", "-r"], &PATCH_OPTIONS[..], &["--end-of-options", commit, &parent, "--"]].concat();
        Ok(self.git(&arguments, &[], PATCH_BYTES_MAX)?.stdout)
    }

    /// Returns the patch without files that are larger than [`SHOWN_BYTES_MAX`] before or after, and those files.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if even that patch is larger than [`PATCH_BYTES_MAX`].
    pub fn patch_of_small(&self, from: Option<&str>) -> Result<(Vec<u8>, Vec<Large>), GitError> {
        let from = from.unwrap_or_else(|| self.empty_tree());
        let sizes = self.sizes(from)?;
        let list = self.diff(&["--numstat", "-z", "--no-renames"], from, &[], LIST_BYTES_MAX)?;
        let mut large = Vec::new();
        for line in split_nul(&list) {
            let mut parts = line.splitn(3, '\t');
            let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let now = fs::symlink_metadata(self.root.join(path)).ok().map(|meta| meta.len());
            let then = sizes.get(path).copied();
            if now.max(then).is_some_and(|bytes| bytes > SHOWN_BYTES_MAX) {
                let lines = |count: &str| count.parse::<u32>().ok();
                let lines = lines(added).zip(lines(removed)).map(|(added, removed)| added.saturating_add(removed));
                large.push(Large { path: path.to_owned(), before: then.is_some(), after: now.is_some(), lines });
            }
        }
        large.dedup_by(|a, b| a.path == b.path);
        let excluded: Vec<String> = large.iter().map(|file| format!(":(top,exclude,literal){}", file.path)).collect();
        if excluded.iter().map(String::len).sum::<usize>() > LEFT_OUT_BYTES_MAX {
            return Err(GitError::TooLarge("diff".to_owned()));
        }
        let patch = self.diff(&PATCH_OPTIONS, from, &excluded, PATCH_BYTES_MAX)?;
        Ok((patch, large))
    }

    /// Returns the sizes of a commit's files.
    fn sizes(&self, from: &str) -> Result<HashMap<String, u64>, GitError> {
        let list = self.git(&["ls-tree", "-r", "-l", "-z", "--full-tree", from], &[], LIST_BYTES_MAX)?.stdout;
        let size = |line: String| {
            let (head, path) = line.split_once('\t')?;
            // A submodule has no size.
            Some((path.to_owned(), head.rsplit(' ').next()?.parse().unwrap_or(0)))
        };
        Ok(split_nul(&list).filter_map(size).collect())
    }

    /// Returns the paths of tracked files that differ between a commit and the work tree.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn changed_paths(&self, from: Option<&str>) -> Result<Vec<String>, GitError> {
        let from = from.unwrap_or_else(|| self.empty_tree());
        let list = self.diff(&["--name-only", "-z", "--no-renames"], from, &[], LIST_BYTES_MAX)?;
        let mut paths: Vec<String> = split_nul(&list).collect();
        paths.dedup();
        Ok(paths)
    }

    fn diff(&self, options: &[&str], from: &str, pathspecs: &[String], bytes_max: usize) -> Result<Vec<u8>, GitError> {
        let fixed = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];
        let rest = pathspecs.iter().map(String::as_str);
        let arguments: Vec<&str> = fixed.iter().chain(options).copied().chain([from, "--"]).chain(rest).collect();
        let limits = ProcessLimits { time: GIT_TIME_MAX, stdout_bytes_max: bytes_max, stderr_bytes_max: 4_096 };
        match self.look("diff", || self.command(&arguments, pathspecs.is_empty()), &[], &limits) {
            Err(GitError::Failed { detail, .. })
                if ["bad object", "unknown revision"].iter().any(|gone| detail.contains(gone)) =>
            {
                Err(GitError::Gone(from.to_owned()))
            }
            result => result.map(|finished| finished.stdout),
        }
    }

    /// Lists tracked files, and untracked files that are neither ignored nor installed by a package manager.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn files(&self) -> Result<Vec<Listed>, GitError> {
        let arguments = ["ls-files", "-z", "-v", "--cached", "--others", "--exclude-standard"];
        let list = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        let listed = split_nul(&list).filter_map(|line| {
            let (tag, path) = line.split_once(' ')?;
            let tag = tag.chars().next()?;
            let hidden = tag.is_ascii_lowercase() || tag == 'S';
            Some(Listed { path: path.to_owned(), tracked: tag != '?', hidden })
        });
        let mut listed: Vec<Listed> = listed.collect();
        let untracked = listed.iter().filter(|file| !file.tracked).map(|file| file.path.as_str());
        let installed = assize_ecosystem::installed_folders(untracked);
        let installed: Vec<String> = installed.into_iter().map(str::to_owned).collect();
        listed.retain(|file| file.tracked || !installed.iter().any(|folder| is_below(&file.path, folder)));
        Ok(listed)
    }

    /// Makes changes visible that index entries hide, in the shadow's index only. Paths that the work tree lacks are
    /// skipped, because a sparse checkout hides what it did not check out.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn unhide(&self, listed: &[Listed]) -> Result<bool, GitError> {
        let mut paths = Vec::new();
        for file in listed.iter().filter(|file| file.hidden && self.root.join(&file.path).symlink_metadata().is_ok()) {
            paths.extend_from_slice(file.path.as_bytes());
            paths.push(0);
        }
        if paths.is_empty() {
            return Ok(false);
        }
        let limits = ProcessLimits { time: GIT_TIME_MAX, stdout_bytes_max: 1 << 16, stderr_bytes_max: 4_096 };
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let command = self.command(&["update-index", flag, "-z", "--stdin"], true)?;
            finished("update-index", command, &paths, &limits)?;
        }
        Ok(true)
    }

    /// Returns the commits that branches, tags and the stash lead to, or those whose names begin so, the newest first.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn tips(&self, prefixes: &[&str]) -> Result<Vec<String>, GitError> {
        let count = format!("--count={TIPS_MAX}");
        let format = "--format=%(objectname) %(*objectname) %(refname)";
        let arguments = [&["for-each-ref", "--sort=-creatordate", &count, format][..], prefixes].concat();
        let listed = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        let text = String::from_utf8_lossy(&listed);
        let mut tips: Vec<String> = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            // Of an annotated tag, the commit counts.
            let (Some(name), Some(commit)) = (words.last(), words.iter().rev().nth(1)) else { continue };
            if !self.was_pushed(name) && !tips.iter().any(|tip| tip == commit) {
                tips.push((*commit).to_owned());
            }
            if *name == "refs/stash" {
                tips.extend(self.stashed().into_iter().skip(1));
            }
        }
        Ok(tips)
    }

    /// Returns the commits of the last stash: that of the files that git knows, and that of the untracked ones, if there is one.
    pub fn stashed(&self) -> Vec<String> {
        if !self.common_dir.join("refs/stash").exists() {
            return Vec::new();
        }
        let commit = |name: &str| self.git(&["rev-parse", "--quiet", "--verify", name], &[], 1 << 10).ok();
        let printed = ["refs/stash", "refs/stash^3"].into_iter().filter_map(commit);
        let commits = printed.map(|printed| String::from_utf8_lossy(trim(&printed.stdout)).into_owned());
        commits.filter(|commit| !commit.is_empty()).collect()
    }

    /// Returns whether a remote branch stands where it does because this repository pushed there: its commits may be of this
    /// machine.
    fn was_pushed(&self, name: &str) -> bool {
        let log = self.common_dir.join("logs").join(name);
        let log = read_meta(&log).ok().flatten().unwrap_or_default();
        let last = log.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        name.starts_with("refs/remotes/") && last.ends_with(b"update by push")
    }

    /// Returns the commits that came from elsewhere: remote branches, and what was fetched last.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn fetched(&self) -> Result<Vec<String>, GitError> {
        let mut commits = self.tips(&["refs/remotes"])?;
        let list = read_meta(&self.git_dir.join("FETCH_HEAD"))?.unwrap_or_default();
        let list = String::from_utf8_lossy(&list).into_owned();
        let fetched = list.lines().filter_map(|line| line.split('\t').next()).take(TIPS_MAX);
        commits.extend(fetched.filter(|commit| commit.len() >= 40).map(str::to_owned));
        Ok(commits)
    }

    /// Describes where HEAD, the index, the stash, what is merged or picked and what was fetched stand, to see whether git moved
    /// something.
    pub fn position(root: &Path) -> Option<String> {
        let (git_dir, common_dir) = folders(root).ok()?;
        let head = head_of(root).ok().flatten().unwrap_or_default();
        let own = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "FETCH_HEAD"].map(|name| git_dir.join(name));
        let texts = std::iter::once(common_dir.join("refs/stash")).chain(own);
        let texts = texts.map(|path| read_meta(&path).ok().flatten().unwrap_or_default());
        let texts = texts.chain([end_of(&git_dir.join("index"))]);
        let mut hash = blake3::Hasher::new();
        for text in std::iter::once(head.into_bytes()).chain(texts) {
            hash.update(&(text.len() as u64).to_le_bytes()).update(&text);
        }
        Some(hash.finalize().to_hex()[..32].to_owned())
    }

    /// Returns whether a commit can be reached from others.
    pub fn is_reached(&self, commit: &str, from: &[String]) -> bool {
        let mut arguments = vec!["rev-list", "--max-count=1", commit, "--not"];
        arguments.extend(from.iter().map(String::as_str));
        from.iter().any(|tip| tip == commit)
            || self.git(&arguments, &[], 1 << 10).is_ok_and(|listed| trim(&listed.stdout).is_empty())
    }

    /// Returns the objects of files in commits; pairs of a commit and a path that have none are left out.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn objects_at<'p>(
        &self,
        places: &[(&'p str, &'p str)],
    ) -> Result<HashMap<(&'p str, &'p str), String>, GitError> {
        let is_one_line = |path: &str| !path.contains('\n');
        let places: Vec<&(&str, &str)> = places.iter().filter(|(_, path)| is_one_line(path)).collect();
        if places.is_empty() {
            return Ok(HashMap::new());
        }
        let input: String = places.iter().map(|(commit, path)| format!("{commit}:{path}\n")).collect();
        let printed = self.git(&["cat-file", "--batch-check=%(objectname)"], input.as_bytes(), LIST_BYTES_MAX)?.stdout;
        let text = String::from_utf8_lossy(&printed);
        let found = places.into_iter().zip(text.lines()).filter(|(_, line)| !line.ends_with(" missing"));
        Ok(found.map(|(place, object)| (*place, object.to_owned())).collect())
    }

    /// Returns the paths that a file had before commits moved it; none where git cannot tell.
    pub fn earlier_paths(&self, path: &str) -> Vec<String> {
        let arguments =
            ["log", "--follow", "--diff-filter=R", "--name-status", "-z", "--format=", "--max-count=8", "--", path];
        let Ok(listed) = self.git(&arguments, &[], LIST_BYTES_MAX) else { return Vec::new() };
        let parts: Vec<String> = split_nul(&listed.stdout).collect();
        // A letter and a number, the old path, the new one.
        let moves = parts.chunks_exact(3).filter(|part| part[0].starts_with('R'));
        moves.map(|part| part[1].clone()).collect()
    }

    /// Returns the text of an object.
    pub fn text_of(&self, object: &str) -> Option<String> {
        let printed = self.git(&["cat-file", "blob", object], &[], META_BYTES_MAX as usize).ok()?.stdout;
        String::from_utf8(printed).ok()
    }

    /// Lists untracked files that git ignores, without the contents of folders that are ignored as a whole.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn ignored_files(&self) -> Result<Vec<String>, GitError> {
        let arguments = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let listed = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        Ok(split_nul(&listed).filter(|path| !path.ends_with('/')).collect())
    }

    /// Returns which of these paths git ignores.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn ignored(&self, paths: &[&str]) -> Result<Vec<Ignored>, GitError> {
        let input: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
        let limits = ProcessLimits { time: GIT_TIME_MAX, stdout_bytes_max: LIST_BYTES_MAX, stderr_bytes_max: 4_096 };
        let what = "check-ignore";
        let command = self.command(&[what, "--verbose", "-z", "--no-index", "--stdin"], false)?;
        let finished = run(command, &input, &limits).map_err(GitError::NoGit)?;
        match finished.status.and_then(|status| status.code()) {
            // Status 1 means that none is ignored.
            Some(0 | 1) => {}
            Some(_) => return Err(GitError::Failed { what: what.to_owned(), detail: finished.complaint() }),
            None => return Err(GitError::TimedOut(what.to_owned())),
        }
        let parts: Vec<String> = split_nul(&finished.stdout).collect();
        let ignored = parts.chunks_exact(4).filter_map(|part| {
            let [list, line, pattern, path] = part else { return None };
            let is_ignored = !pattern.starts_with('!');
            let line = line.parse().ok().filter(|_| is_ignored)?;
            Some(Ignored { path: path.clone(), list: list.clone(), line })
        });
        Ok(ignored.collect())
    }

    /// Returns which of the names occur as whole words in tracked or untracked files.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn words_present(&self, names: &[&str], time: Duration) -> Result<Vec<String>, GitError> {
        let mut words: Vec<String> = self.words_used(names, time)?.into_iter().map(|(_, word)| word).collect();
        words.sort_unstable();
        words.dedup();
        Ok(words)
    }

    /// Returns the tracked and untracked files in which the names occur as whole words, each with the name.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn words_used(&self, names: &[&str], time: Duration) -> Result<Vec<(String, String)>, GitError> {
        let mut arguments = vec!["grep", "--untracked", "--no-textconv", "-I", "-F", "-w", "-z", "-o", "--no-color"];
        for name in names {
            arguments.extend(["-e", name]);
        }
        arguments.push("--");
        let limits = ProcessLimits { time, stdout_bytes_max: LIST_BYTES_MAX, stderr_bytes_max: 4_096 };
        let finished = run(self.command(&arguments, true)?, &[], &limits).map_err(GitError::NoGit)?;
        match finished.status.and_then(|status| status.code()) {
            // Status 1 means that nothing was found.
            Some(0 | 1) => {
                let text = String::from_utf8_lossy(&finished.stdout);
                let pairs = text.lines().filter_map(|line| line.split_once('\0'));
                let mut used: Vec<(String, String)> =
                    pairs.map(|(path, word)| (path.to_owned(), word.to_owned())).collect();
                used.sort_unstable();
                used.dedup();
                Ok(used)
            }
            Some(_) => Err(GitError::Failed { what: "grep".to_owned(), detail: finished.complaint() }),
            None => Err(GitError::TimedOut("grep".to_owned())),
        }
    }

    /// Returns the latest commits that are no merges, each with its subject and the files that it touched.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn history(&self, commits_max: usize) -> Result<Vec<(String, Vec<String>)>, GitError> {
        let most = format!("--max-count={commits_max}");
        let arguments =
            ["log", "--no-merges", "--no-renames", "--no-color", "--name-only", "--format=%x01%s", &most, "HEAD", "--"];
        let text = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        let text = String::from_utf8_lossy(&text);
        let commits = text.split('\u{1}').skip(1).map(|commit| {
            let mut lines = commit.lines();
            let subject = lines.next().unwrap_or_default().to_owned();
            (subject, lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
        });
        Ok(commits.collect())
    }

    /// Returns the latest commits up to one that touched any of these paths, the last one first.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commits_that_touch(&self, until: &str, paths: &[&str], commits_max: usize) -> Result<Vec<String>, GitError> {
        let most = format!("--max-count={commits_max}");
        let arguments = ["log", "--no-color", "--format=%H", &most, "--end-of-options", until, "--"];
        let text = self.git(&[&arguments[..], paths].concat(), &[], LIST_BYTES_MAX)?.stdout;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }

    /// Returns the id of a commit's tree, which depends only on its files.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        let wanted = format!("{commit}^{{tree}}");
        let finished = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], &[], 1 << 16)?;
        Ok(String::from_utf8_lossy(&finished.stdout).trim().to_owned())
    }

    /// Returns the version that the nearest tag above a commit names, such as `1.4.0` for `v1.4.0`.
    pub fn version_of(&self, commit: &str) -> Option<String> {
        let finished =
            self.git(&["describe", "--tags", "--abbrev=0", "--end-of-options", commit], &[], 1 << 16).ok()?;
        let tag = String::from_utf8_lossy(&finished.stdout);
        let version = tag.trim().trim_start_matches(|character: char| !character.is_ascii_digit());
        let plain = |character: char| character.is_ascii_alphanumeric() || ".+".contains(character);
        (!version.is_empty() && version.chars().all(plain)).then(|| version.to_owned())
    }

    /// Returns when a commit was made: in seconds since 1970, and the end of that day as `2024-05-31T23:59:59Z`.
    pub fn day_of(&self, commit: &str) -> Option<(u64, String)> {
        let arguments = [
            "log",
            "--max-count=1",
            "--format=%ct %cd",
            "--date=format:%Y-%m-%dT23:59:59Z",
            "--end-of-options",
            commit,
        ];
        let text = self.git(&arguments, &[], 1 << 16).ok()?.stdout;
        let text = String::from_utf8_lossy(&text);
        let (seconds, day) = text.trim().split_once(' ')?;
        Some((seconds.parse().ok()?, day.to_owned()))
    }

    /// Returns the contents of a file in a commit, or `None` if it does not exist there. Bytes that are not UTF-8 are
    /// replaced.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if the file exceeds the limit.
    pub fn contents(&self, commit: &str, path: &str) -> Result<Option<String>, GitError> {
        let listed =
            self.git(&["ls-tree", "-z", "--full-tree", "--name-only", commit, "--", path], &[], 1 << 16)?.stdout;
        if split_nul(&listed).all(|found| found != path) {
            return Ok(None);
        }
        let finished = self.git(&["cat-file", "blob", &format!("{commit}:{path}")], &[], META_BYTES_MAX as usize)?;
        Ok(Some(String::from_utf8_lossy(&finished.stdout).into_owned()))
    }

    /// Writes a commit's files into an empty folder, and returns their paths. No hook or filter runs; submodules are
    /// skipped.
    ///
    /// # Errors
    ///
    /// Fails if git does, or takes longer than [`CHECKOUT_TIME_MAX`].
    pub fn check_out(&self, commit: &str, into: &Path) -> Result<Vec<String>, GitError> {
        // Checked in advance, because a checkout that was stopped cannot be started again.
        self.refuse(odd_file::in_git_folder(&self.common_dir))?;
        let index = self.shadow.path().join("index-of-checkout");
        let limits =
            ProcessLimits { time: CHECKOUT_TIME_MAX, stdout_bytes_max: LIST_BYTES_MAX, stderr_bytes_max: 4_096 };
        let run = |arguments: &[&str]| {
            let mut command = self.command(arguments, true)?;
            command.env("GIT_INDEX_FILE", &index).env("GIT_WORK_TREE", into);
            finished(arguments[0], command, &[], &limits)
        };
        run(&["read-tree", "--empty"])?;
        run(&["read-tree", commit])?;
        run(&["checkout-index", "--all", "--force", "--quiet"])?;
        let listed = run(&["ls-files", "-z", "--cached"])?.stdout;
        Ok(split_nul(&listed).collect())
    }

    fn git(&self, arguments: &[&str], input: &[u8], bytes_max: usize) -> Result<ProcessResult, GitError> {
        let limits = ProcessLimits { time: GIT_TIME_MAX, stdout_bytes_max: bytes_max, stderr_bytes_max: 4_096 };
        self.look(arguments[0], || self.command(arguments, true), input, &limits)
    }

    /// Runs a git command that reads. If it takes long, the tree is searched for files that block git. If there are
    /// none, the command is started again with its full time.
    fn look(
        &self,
        what: &str,
        command: impl Fn() -> Result<Command, GitError>,
        input: &[u8],
        limits: &ProcessLimits,
    ) -> Result<ProcessResult, GitError> {
        let soon = ProcessLimits { time: PATIENCE.min(limits.time), ..*limits };
        match finished(what, command()?, input, &soon) {
            Err(GitError::TimedOut(_)) => {
                self.refuse(odd_file::in_work_tree(&self.root))?;
                self.refuse(odd_file::in_git_folder(&self.git_dir))?;
                self.refuse(odd_file::in_git_folder(&self.common_dir))?;
                finished(what, command()?, input, limits)
            }
            result => result,
        }
    }

    /// Fails if a file would block git. The path in the error is relative to the root.
    fn refuse(&self, odd: Option<PathBuf>) -> Result<(), GitError> {
        match odd {
            Some(path) => Err(GitError::Waits(path.strip_prefix(&self.root).map(Path::to_owned).unwrap_or(path))),
            None => Ok(()),
        }
    }

    fn search_path(&self) -> &SearchPath {
        self.search_path.get_or_init(|| SearchPath::of_process(&self.home))
    }

    /// Returns the program that is called.
    ///
    /// # Errors
    ///
    /// Fails if git is not found.
    pub fn program(&self) -> Result<PathBuf, GitError> {
        let missing = || {
            let detail = "no entry of PATH has it that is absolute and leads out of the tree";
            GitError::NoGit(io::Error::new(io::ErrorKind::NotFound, detail))
        };
        self.program.clone().or_else(|| self.search_path().find("git")).ok_or_else(missing)
    }

    /// Calls this program from now on.
    pub fn call(&mut self, program: PathBuf) {
        self.program = Some(program);
    }

    /// Lets the program hash nothing, to see that it is git.
    ///
    /// # Errors
    ///
    /// Fails if it is not found, or is something else.
    pub fn try_out(&self) -> Result<(), GitError> {
        let program = self.program()?;
        let answer = self.git(&["hash-object", "--stdin"], &[], 1 << 10);
        match answer {
            Ok(answer) if trim(&answer.stdout) == self.empty_blob().as_bytes() => Ok(()),
            Err(error @ GitError::NoGit(_)) => Err(error),
            _ => Err(GitError::Odd(program)),
        }
    }

    fn empty_blob(&self) -> &'static str {
        if self.sha256 {
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        } else {
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        }
    }

    /// Returns the repository's own ignore list, which no commit has.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn own_ignore_list(&self) -> Result<String, GitError> {
        let list = read_meta(&self.common_dir.join(OWN_IGNORE_LIST))?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&list).into_owned())
    }

    /// Has another ignore list hold in place of the repository's own one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn hold_ignore_list(&self, list: &str) -> Result<(), GitError> {
        let path = self.shadow.path().join(OWN_IGNORE_LIST);
        fs::write(&path, list).map_err(|error| GitError::Io { path, error })
    }

    fn command(&self, arguments: &[&str], literal: bool) -> Result<Command, GitError> {
        let search_path = self.search_path();
        let mut command = Command::new(self.program()?);
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", search_path.variable())
            .env("GIT_DIR", self.shadow.path())
            .env("GIT_WORK_TREE", &self.root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_PAGER", "cat")
            .env("LC_ALL", "C");
        for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if literal {
            command.arg("--literal-pathspecs");
        }
        command.args(arguments);
        Ok(command)
    }
}

const PATCH_OPTIONS: [&str; 4] = ["--unified=3", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames"];

fn finished(what: &str, command: Command, input: &[u8], limits: &ProcessLimits) -> Result<ProcessResult, GitError> {
    let finished = run(command, input, limits).map_err(GitError::NoGit)?;
    let what = what.to_owned();
    match finished.status {
        None => Err(GitError::TimedOut(what)),
        Some(_) if finished.stdout_cut => Err(GitError::TooLarge(what)),
        Some(status) if !status.success() => Err(GitError::Failed { what, detail: finished.complaint() }),
        Some(_) => Ok(finished),
    }
}

/// Finds the git folder of a work tree, and the common one that it shares with other work trees.
fn folders(root: &Path) -> Result<(PathBuf, PathBuf), GitError> {
    let dot_git = root.join(".git");
    let git_dir = if dot_git.is_dir() { dot_git } else { redirected(&dot_git, root)? };
    if !git_dir.join("HEAD").exists() {
        return Err(GitError::Layout { path: git_dir, detail: "it has no HEAD" });
    }
    let common_dir = match read_meta(&git_dir.join("commondir"))? {
        Some(path) => normal(&git_dir.join(OsStr::from_bytes(trim(&path)))),
        None => git_dir.clone(),
    };
    if !common_dir.join("objects").is_dir() {
        return Err(GitError::Layout { path: common_dir, detail: "it has no objects" });
    }
    Ok((git_dir, common_dir))
}

/// Returns the current commit of a folder's repository, without starting a process if possible.
///
/// # Errors
///
/// Fails if there is a repository that cannot be read.
pub fn head_of(start: &Path) -> Result<Option<String>, GitError> {
    let Some(root) = start.ancestors().find(|folder| folder.join(".git").exists()) else { return Ok(None) };
    let (git_dir, common_dir) = folders(root)?;
    if DataSettings::of(&common_dir)?.reftable {
        return Repository::open(root, root)?.head();
    }
    head_in(&git_dir, &common_dir)
}

/// Follows HEAD through loose and packed references.
fn head_in(git_dir: &Path, common_dir: &Path) -> Result<Option<String>, GitError> {
    let mut contents = read_meta(&git_dir.join("HEAD"))?.unwrap_or_default();
    for _ in 0..5 {
        let text = String::from_utf8_lossy(trim(&contents)).into_owned();
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
            return Ok(is_object_id(&text).then_some(text));
        };
        if !Path::new(name).components().all(|component| matches!(component, Component::Normal(_))) {
            return Ok(None);
        }
        let loose = match read_meta(&git_dir.join(name))? {
            Some(loose) => Some(loose),
            None => read_meta(&common_dir.join(name))?,
        };
        match loose {
            Some(loose) => contents = loose,
            None => return packed(common_dir, name),
        }
    }
    Ok(None)
}

fn packed(common_dir: &Path, name: &str) -> Result<Option<String>, GitError> {
    let packed = read_meta(&common_dir.join("packed-refs"))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&packed);
    let found = text.lines().find_map(|line| {
        let (id, of) = line.split_once(' ')?;
        (of == name && is_object_id(id)).then(|| id.to_owned())
    });
    Ok(found)
}

/// Settings that change the meaning of the data and name no program.
#[derive(Debug, Default, PartialEq, Eq)]
struct DataSettings {
    sha256: bool,
    reftable: bool,
    core: Vec<(String, String)>,
}

impl DataSettings {
    fn of(common_dir: &Path) -> Result<Self, GitError> {
        let config = read_meta(&common_dir.join("config"))?.unwrap_or_default();
        Ok(Self::read(&String::from_utf8_lossy(&config)))
    }

    /// Reads the relevant settings of a repository's configuration. Includes are not followed.
    fn read(config: &str) -> Self {
        const CORE: [&str; 6] = ["autocrlf", "eol", "filemode", "ignorecase", "precomposeunicode", "symlinks"];
        const VALUES: [&str; 8] = ["true", "false", "input", "lf", "crlf", "native", "1", "0"];
        let mut settings = Self::default();
        let mut section = String::new();
        for line in config.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[') {
                section = name.split(']').next().unwrap_or_default().trim().to_ascii_lowercase();
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            match (section.as_str(), key.as_str()) {
                ("extensions", "objectformat") => settings.sha256 = value == "sha256",
                ("extensions", "refstorage") => settings.reftable = value == "reftable",
                ("core", key) if CORE.contains(&key) && VALUES.contains(&value.as_str()) => {
                    settings.core.push((key.to_owned(), value));
                }
                _ => {}
            }
        }
        settings
    }

    fn to_config(&self) -> String {
        let mut config = String::from("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tquotepath = true\n");
        for (key, value) in &self.core {
            config.push_str(&format!("\t{key} = {value}\n"));
        }
        config.push_str("[extensions]\n");
        if self.sha256 {
            config.push_str("\tobjectformat = sha256\n");
        }
        if self.reftable {
            config.push_str("\trefstorage = reftable\n");
        }
        config
    }
}

/// Follows a `.git` file of a linked work tree or a submodule.
fn redirected(dot_git: &Path, root: &Path) -> Result<PathBuf, GitError> {
    let contents = read_meta(dot_git)?.unwrap_or_default();
    let Some(path) = trim(&contents).strip_prefix(b"gitdir:") else {
        return Err(GitError::Layout { path: dot_git.to_owned(), detail: "it is a file without `gitdir:`" });
    };
    Ok(normal(&root.join(OsStr::from_bytes(trim(path)))))
}

fn read_meta(path: &Path) -> Result<Option<Vec<u8>>, GitError> {
    let failed = |error| GitError::Io { path: path.to_owned(), error };
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= META_BYTES_MAX => fs::read(path).map(Some).map_err(failed),
        Ok(meta) if meta.is_file() => Err(failed(io::Error::other("it is larger than it should be"))),
        _ => Ok(None),
    }
}

/// The last bytes of a file, where git keeps a checksum; none if it cannot be read.
fn end_of(path: &Path) -> Vec<u8> {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let mut end = Vec::new();
    let read = fs::File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-20))?;
        file.take(20).read_to_end(&mut end)
    });
    read.map_or_else(|_| Vec::new(), |_| end)
}

/// Copies a file with its modification time. By the index's own time, git knows which entries may have changed in the
/// same instant and must be compared by contents.
fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    let meta = match fs::metadata(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    // Opening a pipe would block.
    if !meta.is_file() {
        return Err(io::Error::other(format!("{} is no regular file", from.display())));
    }
    fs::copy(from, to)?;
    fs::OpenOptions::new().write(true).open(to)?.set_modified(meta.modified()?)
}

fn trim(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// Resolves `..` lexically, so that messages contain readable paths.
fn normal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn split_nul(list: &[u8]) -> impl Iterator<Item = String> {
    list.split(|byte| *byte == 0).filter(|part| !part.is_empty()).map(|part| String::from_utf8_lossy(part).into_owned())
}

#[cfg(test)]
mod tests;
