//! The branch that a run of the market works on, in the project's own repository.
//!
//! Everything else reads a repository as if it were hostile. Here commits are made as its owner would make them, with the hooks and the identity that are
//! configured: a commit is the last check. So only what was judged and taken gets here. What is committed, and why, must not be known
//! here.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use assize_core::text::make_visible;

use crate::process::{Finished, Limits, run};
use crate::search_path::SearchPath;

/// How long one call of git may take; a commit's hooks may run the project's tests.
pub const COMMIT_TIME_MAX: Duration = Duration::from_secs(1_800);
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why git did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum BranchError {
    /// It cannot be started.
    #[error("git cannot be started: {0}")]
    NoGit(io::Error),
    /// It took too long.
    #[error("git {0} took longer than {limit} s", limit = COMMIT_TIME_MAX.as_secs())]
    TooLong(String),
    /// It failed.
    #[error("git {what} failed: {detail}")]
    Failed {
        /// The subcommand.
        what: String,
        /// What it printed.
        detail: String,
    },
}

/// A repository that is committed to.
#[derive(Debug)]
pub struct Branch {
    git: PathBuf,
    path: std::ffi::OsString,
    root: PathBuf,
}

impl Branch {
    /// Finds git for the repository at `root`. One of the project itself is not used.
    ///
    /// # Errors
    ///
    /// Fails where there is no git.
    pub fn of(root: &Path) -> Result<Self, BranchError> {
        let search_path = SearchPath::of_process(root);
        let missing = || BranchError::NoGit(io::Error::new(io::ErrorKind::NotFound, "no entry of PATH has it"));
        let git = search_path.find("git").ok_or_else(missing)?;
        Ok(Self { git, path: search_path.variable(), root: root.to_owned() })
    }

    /// Returns the branch that is checked out; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn current(&self) -> Result<Option<String>, BranchError> {
        match self.git(&["symbolic-ref", "--quiet", "--short", "HEAD"], b"") {
            Ok(finished) => Ok(Some(line(&finished.stdout))),
            Err(BranchError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the branch that work leaves from: that of the remote, or else `main` or `master`; `None` where there is neither.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn default_branch(&self) -> Result<Option<String>, BranchError> {
        match self.git(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"], b"") {
            Ok(finished) => {
                let name = line(&finished.stdout);
                return Ok(Some(name.strip_prefix("origin/").map_or(name.clone(), str::to_owned)));
            }
            Err(BranchError::Failed { .. }) => {}
            Err(error) => return Err(error),
        }
        for name in ["main", "master"] {
            if self.exists(name)? {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns whether there is a branch.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn exists(&self, branch: &str) -> Result<bool, BranchError> {
        match self.git(&["show-ref", "--verify", "--quiet", &format!("refs/heads/{branch}")], b"") {
            Ok(_) => Ok(true),
            Err(BranchError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the files that differ from the last commit, and those that git does not know.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn dirty(&self) -> Result<Vec<String>, BranchError> {
        let finished = self.git(&["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"], b"")?;
        let entries = finished.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        Ok(entries.map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned()).collect())
    }

    /// Returns the commit that is checked out.
    ///
    /// # Errors
    ///
    /// Fails where there is none.
    pub fn head(&self) -> Result<String, BranchError> {
        Ok(line(&self.git(&["rev-parse", "--verify", "HEAD"], b"")?.stdout))
    }

    /// Returns whether somebody is named as the author of commits.
    ///
    /// # Errors
    ///
    /// Says what git misses.
    pub fn check_identity(&self) -> Result<(), BranchError> {
        self.git(&["var", "GIT_AUTHOR_IDENT"], b"")
            .and_then(|_| self.git(&["var", "GIT_COMMITTER_IDENT"], b""))
            .map(|_| ())
    }

    /// Checks a branch out; makes it of what is checked out where it is not there.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn switch(&self, branch: &str) -> Result<(), BranchError> {
        let exists = self.exists(branch)?;
        let arguments: &[&str] =
            if exists { &["switch", "--quiet", branch] } else { &["switch", "--quiet", "--create", branch] };
        self.git(arguments, b"").map(|_| ())
    }

    /// Returns the newest of the last commits whose message has a line.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn commit_with(&self, wanted: &str) -> Result<Option<String>, BranchError> {
        let finished = self.git(&["log", "-50", "--format=%H%x00%B%x01"], b"")?;
        let text = String::from_utf8_lossy(&finished.stdout);
        let found = text.split('\u{1}').find_map(|entry| {
            let (commit, message) = entry.trim_start().split_once('\0')?;
            message.lines().any(|line| line.trim() == wanted).then(|| commit.to_owned())
        });
        Ok(found)
    }

    /// Commits these files as they are. `checked` says whether the repository's hooks have their say. Returns nothing where nothing
    /// differs.
    ///
    /// # Errors
    ///
    /// Fails where git does, or a hook refuses.
    pub fn commit(&self, paths: &[String], message: &str, checked: bool) -> Result<Option<String>, BranchError> {
        // An empty list would stand for everything.
        if paths.is_empty() {
            return Ok(None);
        }
        let list: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
        self.git(&["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], &list)?;
        if self.git(&["diff", "--cached", "--quiet"], b"").is_ok() {
            return Ok(None);
        }
        let mut arguments = vec!["commit", "--quiet", "--file=-", "--cleanup=whitespace"];
        if !checked {
            arguments.push("--no-verify");
        }
        self.git(&arguments, message.as_bytes())?;
        self.head().map(Some)
    }

    /// Makes these files what they are in the last commit.
    ///
    /// # Errors
    ///
    /// Fails where git does, or a file cannot be removed.
    pub fn restore(&self, paths: &[String]) -> Result<(), BranchError> {
        if paths.is_empty() {
            return Ok(());
        }
        let list: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
        self.git(&["--literal-pathspecs", "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"], &list)?;
        for path in paths {
            if self.git(&["cat-file", "-e", &format!("HEAD:{path}")], b"").is_ok() {
                self.git(&["--literal-pathspecs", "checkout", "--quiet", "HEAD", "--", path], b"")?;
            } else if let Err(error) = std::fs::remove_file(self.root.join(path))
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(BranchError::Failed { what: "clean".to_owned(), detail: format!("{path}: {error}") });
            }
        }
        Ok(())
    }

    fn git(&self, arguments: &[&str], input: &[u8]) -> Result<Finished, BranchError> {
        let mut command = Command::new(&self.git);
        command.args(arguments).current_dir(&self.root).env("PATH", &self.path);
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true").env("GIT_PAGER", "cat").env("LC_ALL", "C");
        let limits = Limits { time: COMMIT_TIME_MAX, stdout_bytes_max: OUTPUT_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
        let finished = run(command, input, &limits).map_err(BranchError::NoGit)?;
        let what = arguments.iter().find(|argument| !argument.starts_with('-')).copied().unwrap_or_default().to_owned();
        match finished.status {
            None => Err(BranchError::TooLong(what)),
            Some(status) if !status.success() => {
                let detail = make_visible(finished.complaint().trim()).into_owned();
                Err(BranchError::Failed { what, detail })
            }
            Some(_) => Ok(finished),
        }
    }
}

fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output.trim_ascii()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use assize_testkit::repo::Repo;

    use super::*;

    #[test]
    fn what_is_committed_and_taken_back() {
        let repo = Repo::with_commit(&[("a.txt", "one\n")]);
        let branch = Branch::of(&repo.path()).expect("git");
        let home = branch.current().expect("readable").expect("a branch");
        assert_eq!(branch.default_branch().expect("readable"), Some(home.clone()));
        branch.switch("assize/issue-1").expect("made");
        assert_eq!(branch.current().expect("readable").as_deref(), Some("assize/issue-1"));
        fs::write(repo.path().join("a.txt"), "two\n").expect("written");
        fs::write(repo.path().join("b c.txt"), "new\n").expect("written");
        let paths = ["a.txt".to_owned(), "b c.txt".to_owned()];
        assert_eq!(branch.dirty().expect("readable"), paths);
        branch.restore(&paths).expect("restored");
        assert!(branch.dirty().expect("readable").is_empty() && !repo.path().join("b c.txt").exists());
        assert_eq!(branch.commit(&[], "nothing", true).expect("no commit"), None);
        fs::write(repo.path().join("a.txt"), "two\n").expect("written");
        let commit = branch.commit(&paths[..1], "Change it\n\nAssize-Run: r/1\n", true).expect("committed");
        assert_eq!(branch.commit_with("Assize-Run: r/1").expect("readable"), commit);
        assert_eq!(branch.commit_with("Assize-Run: r/2").expect("readable"), None);
        branch.switch(&home).expect("back");
        assert_eq!(fs::read_to_string(repo.path().join("a.txt")).expect("readable"), "one\n");
    }

    #[test]
    fn hooks_have_their_say() {
        use std::os::unix::fs::PermissionsExt as _;
        let repo = Repo::with_commit(&[("a.txt", "one\n")]);
        let hook = repo.path().join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().expect("a folder")).expect("made");
        fs::write(&hook, "#!/bin/sh\necho 'no tabs, please' >&2\nexit 1\n").expect("written");
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("executable");
        let branch = Branch::of(&repo.path()).expect("git");
        fs::write(repo.path().join("a.txt"), "two\n").expect("written");
        let paths = ["a.txt".to_owned()];
        let refused = branch.commit(&paths, "Change it", true).expect_err("refused").to_string();
        assert!(refused.contains("no tabs, please"), "{refused}");
        assert!(branch.commit(&paths, "Keep it", false).expect("committed").is_some());
    }
}
