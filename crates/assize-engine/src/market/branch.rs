//! The branch of a market run, in the project's own repository.
//!
//! Other code reads a repository as if it were hostile. Here, commits are made as its owner would make them, with the
//! configured hooks and identity, because a commit is the last check. So only work that was judged and accepted gets
//! here. This module must not know what is committed, and why.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use assize_core::text::make_visible;

use crate::process::{ProcessLimits, ProcessResult, run};
use crate::scratch::Scratch;
use crate::search_path::SearchPath;

/// The longest time for one call of git. The hooks of a commit may run the project's tests.
pub const COMMIT_TIME_MAX: Duration = Duration::from_secs(1_800);
/// How long to wait for another git process that holds a lock.
const LOCK_TIME_MAX: Duration = Duration::from_secs(3);
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The name of the file with a commit message.
const MESSAGE: &str = "message";
/// The options with which git reads paths from standard input.
const LISTED: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// Why a git command failed.
#[derive(Debug, thiserror::Error)]
pub enum BranchError {
    /// git cannot be started.
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

/// A repository to commit to.
#[derive(Debug)]
pub struct Branch {
    git: PathBuf,
    path: std::ffi::OsString,
    root: PathBuf,
}

impl Branch {
    /// Finds git for the repository at `root`. A git inside the project is not used.
    ///
    /// # Errors
    ///
    /// Fails if there is no git.
    pub fn of(root: &Path) -> Result<Self, BranchError> {
        let search_path = SearchPath::of_process(root);
        let missing = || BranchError::NoGit(io::Error::new(io::ErrorKind::NotFound, "no entry of PATH has it"));
        let git = search_path.find("git").ok_or_else(missing)?;
        Ok(Self { git, path: search_path.variable(), root: root.to_owned() })
    }

    /// Returns the current branch, or `None` if no branch is checked out.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn current(&self) -> Result<Option<String>, BranchError> {
        let head = self.asked(&["symbolic-ref", "--quiet", "HEAD"])?;
        Ok(head.and_then(|head| head.strip_prefix("refs/heads/").map(str::to_owned)))
    }

    /// Returns the default branch: that of the remote, otherwise `main` or `master`. Returns `None` if there is none
    /// of these.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn default_branch(&self) -> Result<Option<String>, BranchError> {
        if let Some(head) = self.asked(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"])? {
            return Ok(head.strip_prefix("refs/remotes/origin/").map(str::to_owned));
        }
        for name in ["main", "master"] {
            if self.exists(name)? {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns whether a branch exists.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn exists(&self, branch: &str) -> Result<bool, BranchError> {
        Ok(self.asked(&["show-ref", "--verify", &format!("refs/heads/{branch}")])?.is_some())
    }

    /// Returns whether a name is valid for a branch.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn is_name(&self, branch: &str) -> Result<bool, BranchError> {
        Ok(self.asked(&["check-ref-format", &format!("refs/heads/{branch}")])?.is_some())
    }

    /// Returns the configured folder of the repository's hooks.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn hooks_folder(&self) -> Result<Option<PathBuf>, BranchError> {
        let folder = self.asked(&["rev-parse", "--git-path", "hooks"])?;
        Ok(folder.map(|folder| self.root.join(folder)))
    }

    /// Returns the files that differ from the last commit, and untracked files.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn dirty(&self) -> Result<Vec<String>, BranchError> {
        let finished = self.git(&["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"], b"")?;
        if finished.stdout_cut {
            let detail = format!("it printed more than {OUTPUT_BYTES_MAX} bytes");
            return Err(BranchError::Failed { what: "status".to_owned(), detail });
        }
        let entries = finished.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        Ok(entries.map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned()).collect())
    }

    /// Returns the current commit.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn head(&self) -> Result<String, BranchError> {
        Ok(line(&self.git(&["rev-parse", "--verify", "HEAD"], b"")?.stdout))
    }

    /// Checks that an author of commits is configured.
    ///
    /// # Errors
    ///
    /// Says what git misses.
    pub fn check_identity(&self) -> Result<(), BranchError> {
        self.git(&["var", "GIT_AUTHOR_IDENT"], b"")
            .and_then(|_| self.git(&["var", "GIT_COMMITTER_IDENT"], b""))
            .map(|_| ())
    }

    /// Checks out a branch. If it does not exist, creates it at the current commit.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn switch(&self, branch: &str) -> Result<(), BranchError> {
        let exists = self.exists(branch)?;
        let arguments: &[&str] =
            if exists { &["switch", "--quiet", branch] } else { &["switch", "--quiet", "--create", branch] };
        self.git(arguments, b"").map(|_| ())
    }

    /// Returns the newest of the recent commits whose message contains a line.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit_with(&self, wanted: &str) -> Result<Option<String>, BranchError> {
        let finished = self.git(&["log", "-50", "--format=%H%x00%B%x01"], b"")?;
        let text = String::from_utf8_lossy(&finished.stdout);
        let found = text.split('\u{1}').find_map(|entry| {
            let (commit, message) = entry.trim_start().split_once('\0')?;
            message.lines().any(|line| line.trim() == wanted).then(|| commit.to_owned())
        });
        Ok(found)
    }

    /// Stages files and runs the hooks that may refuse a commit. Returns the output of a hook that refuses.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn refusal(&self, paths: &[String], message: &str) -> Result<Option<String>, BranchError> {
        self.add(paths)?;
        let message_file = self.message(message)?;
        let file = message_file.path().join(MESSAGE).to_string_lossy().into_owned();
        for arguments in [&["pre-commit"][..], &["commit-msg", "--", &file]] {
            match self.git(&[&["hook", "run", "--ignore-missing"], arguments].concat(), b"") {
                // git before 2.36 cannot run hooks by request.
                Err(BranchError::Failed { detail, .. }) if detail.starts_with("git: 'hook' is not a git command") => {}
                Err(BranchError::Failed { detail, .. }) => return Ok(Some(detail)),
                ran => drop(ran?),
            }
        }
        Ok(None)
    }

    /// Commits these files of the work tree and nothing else that is staged, without hooks. Returns `None` if nothing
    /// differs.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit(&self, paths: &[String], message: &str) -> Result<Option<String>, BranchError> {
        let head = self.head()?;
        let tree = self.tree_of(&self.root, &head, paths)?;
        self.commit_tree(&tree, &head, paths, message)
    }

    /// Returns the tree of a commit with these files taken from a folder, which need not be the work tree.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn tree_of(&self, folder: &Path, on: &str, paths: &[String]) -> Result<String, BranchError> {
        let git_dir = line(&self.git(&["rev-parse", "--absolute-git-dir"], b"")?.stdout);
        let scratch = Scratch::new("assize-index-")
            .map_err(|error| BranchError::Failed { what: "read-tree".to_owned(), detail: error.to_string() })?;
        let aside = |arguments: &[&str], input: &[u8]| {
            let mut command = self.command(arguments);
            command.current_dir(folder).env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", folder);
            command.env("GIT_INDEX_FILE", scratch.path().join("index"));
            finished(arguments, command, input)
        };
        aside(&["read-tree", on], b"")?;
        // An empty list would mean all files.
        if !paths.is_empty() {
            aside(&[&["--literal-pathspecs", "add", "--all", "--force"][..], &LISTED].concat(), &listed(paths))?;
        }
        Ok(line(&aside(&["write-tree"], b"")?.stdout))
    }

    /// Commits a tree on top of the current commit, which must be `on`. `paths` are the files in which they differ:
    /// the index is updated for them, and the work tree is not changed. Returns `None` if the tree is that of the
    /// previous commit.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if there is another commit in the meantime.
    pub fn commit_tree(
        &self,
        tree: &str,
        on: &str,
        paths: &[String],
        message: &str,
    ) -> Result<Option<String>, BranchError> {
        if line(&self.git(&["rev-parse", &format!("{on}^{{tree}}")], b"")?.stdout) == tree {
            return Ok(None);
        }
        let commit = self.commit_of(tree, on, message)?;
        self.git(&["update-ref", "-m", "market", "HEAD", &commit, on], b"")?;
        self.unstage(paths)?;
        Ok(Some(commit))
    }

    /// Commits a tree to a new branch. An existing branch is not changed.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit_aside(&self, name: &str, tree: &str, on: &str, message: &str) -> Result<String, BranchError> {
        let reference = format!("refs/heads/{name}");
        if let Some(commit) = self.asked(&["rev-parse", "--quiet", "--verify", &reference])? {
            return Ok(commit);
        }
        let commit = self.commit_of(tree, on, message)?;
        self.git(&["update-ref", &reference, &commit], b"")?;
        Ok(commit)
    }

    /// Makes a commit, signed if that is configured.
    fn commit_of(&self, tree: &str, on: &str, message: &str) -> Result<String, BranchError> {
        let signs = self.asked(&["config", "--type=bool", "--get", "commit.gpgsign"])?;
        let sign: &[&str] = if signs.as_deref() == Some("true") { &["-S"] } else { &[] };
        let arguments = [&["commit-tree", tree, "-p", on][..], sign, &["-F", "-"]].concat();
        Ok(line(&self.git(&arguments, message.as_bytes())?.stdout))
    }

    /// Resets these files in the index to the last commit.
    fn unstage(&self, paths: &[String]) -> Result<(), BranchError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.git(&[&["--literal-pathspecs", "reset", "--quiet"][..], &LISTED].concat(), &listed(paths)).map(drop)
    }

    fn add(&self, paths: &[String]) -> Result<(), BranchError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.git(&[&["--literal-pathspecs", "add", "--all", "--force"][..], &LISTED].concat(), &listed(paths)).map(drop)
    }

    /// Writes a commit message to a private file.
    fn message(&self, message: &str) -> Result<Scratch, BranchError> {
        let write = || {
            let folder = Scratch::new("assize-message-")?;
            std::fs::write(folder.path().join(MESSAGE), message)?;
            Ok(folder)
        };
        write().map_err(|error: io::Error| BranchError::Failed { what: "commit".to_owned(), detail: error.to_string() })
    }

    /// Resets these files to the last commit.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if a file cannot be removed.
    pub fn restore(&self, paths: &[String]) -> Result<(), BranchError> {
        self.unstage(paths)?;
        for path in paths {
            if self.asked(&["cat-file", "-e", &format!("HEAD:{path}")])?.is_some() {
                self.git(&["--literal-pathspecs", "checkout", "--quiet", "HEAD", "--", path], b"")?;
            } else if let Err(error) = std::fs::remove_file(self.root.join(path))
                && !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            {
                return Err(BranchError::Failed { what: "clean".to_owned(), detail: format!("{path}: {error}") });
            }
        }
        Ok(())
    }

    /// Runs a git query that may have no answer.
    fn asked(&self, arguments: &[&str]) -> Result<Option<String>, BranchError> {
        match self.git(arguments, b"") {
            Ok(finished) => Ok(Some(line(&finished.stdout))),
            Err(BranchError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs git. If another process holds a lock, such as one that outlived an interrupted run, waits for a short
    /// time.
    fn git(&self, arguments: &[&str], input: &[u8]) -> Result<ProcessResult, BranchError> {
        let begin = Instant::now();
        loop {
            match finished(arguments, self.command(arguments), input) {
                Err(BranchError::Failed { detail, .. })
                    if detail.contains(".lock': File exists") && begin.elapsed() < LOCK_TIME_MAX =>
                {
                    thread::sleep(LOCK_TIME_MAX / 20);
                }
                ended => return ended,
            }
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.git);
        command.args(arguments).current_dir(&self.root).env("PATH", &self.path);
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true").env("GIT_PAGER", "cat").env("LC_ALL", "C");
        command
    }
}

fn finished(arguments: &[&str], command: Command, input: &[u8]) -> Result<ProcessResult, BranchError> {
    let limits =
        ProcessLimits { time: COMMIT_TIME_MAX, stdout_bytes_max: OUTPUT_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
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

/// Formats paths for git, with the options of [`LISTED`].
fn listed(paths: &[String]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.bytes().chain([0])).collect()
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
        assert_eq!(branch.commit(&[], "nothing").expect("no commit"), None);
        assert_eq!(branch.commit(&paths[..1], "nothing").expect("no commit"), None);
        fs::write(repo.path().join("a.txt"), "two\n").expect("written");
        fs::write(repo.path().join("staged.txt"), "somebody else's\n").expect("written");
        repo.git(&["add", "staged.txt"]);
        let commit = branch.commit(&paths[..1], "Change it\n\nAssize-Run: r/1\n").expect("committed");
        assert_eq!(branch.dirty().expect("readable"), ["staged.txt"], "what others staged is theirs");
        repo.git(&["rm", "--quiet", "--cached", "staged.txt"]);
        fs::remove_file(repo.path().join("staged.txt")).expect("removed");
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
        let refused = branch.refusal(&paths, "Change it").expect("asked").expect("refused");
        assert!(refused.contains("no tabs, please"), "{refused}");
        assert!(branch.commit(&paths, "Keep it").expect("committed").is_some(), "it is for the caller to ask them");
        fs::remove_file(&hook).expect("removed");
        fs::write(repo.path().join("a.txt"), "three\n").expect("written");
        assert_eq!(branch.refusal(&paths, "Change it").expect("asked"), None);
    }

    #[test]
    fn files_become_folders_and_what_is_ignored_is_committed_where_it_is_meant() {
        let repo = Repo::with_commit(&[("g", "one\n"), (".gitignore", "made/\n")]);
        let branch = Branch::of(&repo.path()).expect("git");
        fs::remove_file(repo.path().join("g")).expect("removed");
        repo.write("g/x", "two\n");
        repo.write("made/it", "three\n");
        let paths = ["g", "g/x", "made/it"].map(str::to_owned);
        assert!(branch.commit(&paths, "Turn it").expect("committed").is_some());
        assert!(branch.dirty().expect("readable").is_empty());
        let listed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]).stdout;
        assert_eq!(String::from_utf8_lossy(&listed), ".gitignore\ng/x\nmade/it\n");
    }

    #[test]
    fn a_side_branch_leaves_the_checkout_unchanged() {
        let repo = Repo::with_commit(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
        let branch = Branch::of(&repo.path()).expect("git");
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::write(elsewhere.path().join("a.txt"), "two\n").expect("written");
        let head = branch.head().expect("a commit");
        let paths = ["a.txt".to_owned(), "b.txt".to_owned()];
        let tree = branch.tree_of(elsewhere.path(), &head, &paths).expect("a tree");
        let kept = branch.commit_aside("assize/kept", &tree, &head, "Kept").expect("kept");
        assert_eq!(branch.commit_aside("assize/kept", &tree, &head, "Kept").expect("there"), kept);
        assert_eq!((branch.head().expect("a commit"), branch.dirty().expect("readable")), (head, Vec::new()));
        let shown = repo.git(&["show", "--format=", "--name-status", &kept]).stdout;
        assert_eq!(String::from_utf8_lossy(&shown).trim(), "M\ta.txt\nD\tb.txt");
        assert!(branch.is_name("assize/issue-1").expect("asked") && !branch.is_name("assize/").expect("asked"));
    }
}
