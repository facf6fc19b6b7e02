//! Reading a git repository as if it were hostile.
//!
//! git runs programs that a repository's configuration names: fsmonitor, external diff, textconv,
//! filters, hooks, and whatever an included or redirected configuration adds. So git never gets to
//! see that configuration. It works in a shadow: a git folder of our own, with a configuration that
//! we wrote, which borrows only the repository's objects, index and ignore list. Attributes in the
//! work tree can then name drivers, but none is defined.
//!
//! Submodules are compared by their commit only: to look inside, git would read their
//! configuration.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{Finished, Limits, run};

/// How long one call of git may take.
pub const GIT_TIME_MAX: Duration = Duration::from_secs(20);
/// Bytes of a patch that are read.
pub const PATCH_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of a listing of files that are read.
pub const LIST_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of a file below `.git` that is read for what it says.
const META_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A failure to read a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// git is not installed.
    #[error("git cannot be started: {0}")]
    NoGit(io::Error),
    /// git did not do what was asked.
    #[error("git {what} failed: {detail}")]
    Failed {
        /// The subcommand.
        what: String,
        /// What it printed.
        detail: String,
    },
    /// git took too long.
    #[error("git {0} took longer than {limit} s", limit = GIT_TIME_MAX.as_secs())]
    TimedOut(String),
    /// What git printed is larger than the limit.
    #[error("git {0} printed more than can be read")]
    TooLarge(String),
    /// A file of the repository cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The repository is not laid out as one.
    #[error("{path} is no git folder: {detail}")]
    Layout {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        detail: &'static str,
    },
}

/// A repository with its shadow.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    sha256: bool,
    reftable: bool,
    shadow: tempfile::TempDir,
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

/// Finds the folder whose work an agent does when it runs in `start`: the nearest one with `.git`
/// or `assize.toml`, else `start` itself.
pub fn project_root(start: &Path) -> PathBuf {
    let marked = |folder: &&Path| folder.join(".git").exists() || folder.join("assize.toml").is_file();
    start.ancestors().find(marked).unwrap_or(start).to_owned()
}

impl Repository {
    /// Finds the repository of a folder and prepares its shadow; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails when there is a repository that cannot be read.
    pub fn discover(start: &Path) -> Result<Option<Self>, GitError> {
        let Some(root) = start.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Ok(None);
        };
        Self::open(root).map(Some)
    }

    fn open(root: &Path) -> Result<Self, GitError> {
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
        let config = read_meta(&common_dir.join("config"))?.unwrap_or_default();
        let settings = DataSettings::read(&String::from_utf8_lossy(&config));
        let shadow = tempfile::Builder::new()
            .prefix("assize-git-")
            .tempdir()
            .map_err(|error| GitError::Io { path: std::env::temp_dir(), error })?;
        let repository = Self {
            root: root.to_owned(),
            git_dir,
            common_dir,
            sha256: settings.sha256,
            reftable: settings.reftable,
            shadow,
        };
        let path = repository.shadow.path().to_owned();
        repository.cast_shadow(&settings).map_err(|error| GitError::Io { path, error })?;
        Ok(repository)
    }

    /// Fills the shadow: our configuration, their objects, index and ignore list.
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
        fs::copy(self.git_dir.join("HEAD"), shadow.join("HEAD"))?;
        copy_if_there(&self.common_dir.join("info/exclude"), &shadow.join("info/exclude"))?;
        copy_if_there(&self.git_dir.join("index"), &shadow.join("index"))?;
        for entry in fs::read_dir(&self.git_dir)?.flatten() {
            if entry.file_name().as_bytes().starts_with(b"sharedindex.") {
                symlink(entry.path(), shadow.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    /// Returns the root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the commit that is checked out; `None` before the first one.
    ///
    /// # Errors
    ///
    /// Fails when the references cannot be read.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        if self.reftable {
            return Ok(self.resolve("HEAD").ok());
        }
        let mut contents = read_meta(&self.git_dir.join("HEAD"))?.unwrap_or_default();
        for _ in 0..5 {
            let text = String::from_utf8_lossy(trim(&contents)).into_owned();
            let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
                return Ok(is_object_id(&text).then_some(text));
            };
            if !Path::new(name).components().all(|component| matches!(component, Component::Normal(_))) {
                return Ok(None);
            }
            let loose = match read_meta(&self.git_dir.join(name))? {
                Some(loose) => Some(loose),
                None => read_meta(&self.common_dir.join(name))?,
            };
            match loose {
                Some(loose) => contents = loose,
                None => return self.packed(name),
            }
        }
        Ok(None)
    }

    /// Returns the commit that a revision names.
    ///
    /// # Errors
    ///
    /// Fails when it names none.
    pub fn resolve(&self, revision: &str) -> Result<String, GitError> {
        let wanted = format!("{revision}^{{commit}}");
        let finished = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], &[], 1 << 16)?;
        Ok(String::from_utf8_lossy(&finished.stdout).trim().to_owned())
    }

    fn packed(&self, name: &str) -> Result<Option<String>, GitError> {
        let packed = read_meta(&self.common_dir.join("packed-refs"))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&packed);
        let found = text.lines().find_map(|line| {
            let (id, of) = line.split_once(' ')?;
            (of == name && is_object_id(id)).then(|| id.to_owned())
        });
        Ok(found)
    }

    /// Returns the tree that a change is compared with when there is no commit.
    fn empty_tree(&self) -> &'static str {
        if self.sha256 {
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        } else {
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        }
    }

    /// Returns the patch from a commit (from nothing, without one) to the work tree; untracked
    /// files are not in it.
    ///
    /// # Errors
    ///
    /// Fails when git does, or the patch is larger than [`PATCH_BYTES_MAX`].
    pub fn patch(&self, from: Option<&str>) -> Result<Vec<u8>, GitError> {
        let from = from.unwrap_or_else(|| self.empty_tree());
        self.diff(&["--unified=3", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames"], from, PATCH_BYTES_MAX)
    }

    /// Returns the paths of tracked files that differ between a commit and the work tree.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn changed_paths(&self, from: Option<&str>) -> Result<Vec<String>, GitError> {
        let from = from.unwrap_or_else(|| self.empty_tree());
        let list = self.diff(&["--name-only", "-z", "--no-renames"], from, LIST_BYTES_MAX)?;
        let mut paths: Vec<String> = split_nul(&list).collect();
        paths.dedup();
        Ok(paths)
    }

    fn diff(&self, options: &[&str], from: &str, bytes_max: usize) -> Result<Vec<u8>, GitError> {
        let fixed = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];
        let arguments: Vec<&str> = fixed.iter().chain(options).copied().chain([from, "--"]).collect();
        self.git(&arguments, &[], bytes_max).map(|finished| finished.stdout)
    }

    /// Lists tracked files, and untracked ones that are not ignored.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn files(&self) -> Result<Vec<Listed>, GitError> {
        let arguments = ["ls-files", "-z", "-v", "--cached", "--others", "--exclude-standard"];
        let list = self.git(&arguments, &[], LIST_BYTES_MAX)?.stdout;
        let listed = split_nul(&list).filter_map(|line| {
            let (tag, path) = line.split_once(' ')?;
            let tag = tag.chars().next()?;
            let hidden = tag.is_ascii_lowercase() || tag == 'S';
            Some(Listed { path: path.to_owned(), tracked: tag != '?', hidden })
        });
        Ok(listed.collect())
    }

    /// Makes changes visible that index entries hide, in the shadow's index alone. A path that the
    /// work tree lacks is left out: a sparse checkout hides what it did not check out.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn unhide(&self, listed: &[Listed]) -> Result<bool, GitError> {
        let mut paths = Vec::new();
        for file in listed.iter().filter(|file| file.hidden && self.root.join(&file.path).symlink_metadata().is_ok()) {
            paths.extend_from_slice(file.path.as_bytes());
            paths.push(0);
        }
        if paths.is_empty() {
            return Ok(false);
        }
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            self.git(&["update-index", flag, "-z", "--stdin"], &paths, 1 << 16)?;
        }
        Ok(true)
    }

    /// Returns which of the names occur as whole words in tracked or untracked files.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn words_present(&self, names: &[&str], time: Duration) -> Result<Vec<String>, GitError> {
        let mut arguments = vec!["grep", "--untracked", "--no-textconv", "-I", "-F", "-w", "-h", "-o", "--no-color"];
        for name in names {
            arguments.extend(["-e", name]);
        }
        arguments.push("--");
        let limits = Limits { time, stdout_bytes_max: LIST_BYTES_MAX, stderr_bytes_max: 4_096 };
        let finished = run(self.command(&arguments), &[], &limits).map_err(GitError::NoGit)?;
        match finished.status.and_then(|status| status.code()) {
            // 1 says that nothing was found.
            Some(0 | 1) => {
                let mut words: Vec<String> =
                    String::from_utf8_lossy(&finished.stdout).lines().map(str::to_owned).collect();
                words.sort_unstable();
                words.dedup();
                Ok(words)
            }
            Some(_) => Err(GitError::Failed { what: "grep".to_owned(), detail: finished.complaint() }),
            None => Err(GitError::TimedOut("grep".to_owned())),
        }
    }

    fn git(&self, arguments: &[&str], input: &[u8], bytes_max: usize) -> Result<Finished, GitError> {
        let what = arguments[0].to_owned();
        let limits = Limits { time: GIT_TIME_MAX, stdout_bytes_max: bytes_max, stderr_bytes_max: 4_096 };
        let finished = run(self.command(arguments), input, &limits).map_err(GitError::NoGit)?;
        match finished.status {
            None => Err(GitError::TimedOut(what)),
            Some(_) if finished.cut => Err(GitError::TooLarge(what)),
            Some(status) if !status.success() => Err(GitError::Failed { what, detail: finished.complaint() }),
            Some(_) => Ok(finished),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.root)
            .env_clear()
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
        for name in ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.arg("--literal-pathspecs").args(arguments);
        command
    }
}

/// Settings that change what the data mean and that name no program.
#[derive(Debug, Default, PartialEq, Eq)]
struct DataSettings {
    sha256: bool,
    reftable: bool,
    core: Vec<(String, String)>,
}

impl DataSettings {
    /// Reads the few settings that count out of a repository's configuration. Includes are not
    /// followed.
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

/// Follows a `.git` file as worktrees and submodules have it.
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

fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn trim(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// Resolves `..` by words, so that messages show readable paths.
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
