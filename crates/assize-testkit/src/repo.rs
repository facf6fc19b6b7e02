//! Hermetic git repositories, made with the real git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository in a temporary folder that is removed with it.
#[derive(Debug)]
pub struct Repo {
    folder: tempfile::TempDir,
}

impl Repo {
    /// Makes a repository with options of `git init`.
    pub fn init(options: &[&str]) -> Self {
        let repo = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(repo.path()).expect("a folder");
        let mut arguments = vec!["init", "--quiet", "--initial-branch=main"];
        arguments.extend(options);
        repo.git(&arguments);
        repo
    }

    /// Makes a repository without commits.
    pub fn empty() -> Self {
        Self::init(&[])
    }

    /// Makes a repository with one commit of these files.
    pub fn with_commit(files: &[(&str, &str)]) -> Self {
        let repo = Self::empty();
        for (path, contents) in files {
            repo.write(path, contents);
        }
        repo.commit("first");
        repo
    }

    /// Returns the root of the work tree. Its name has a space in it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("work tree")
    }

    /// Returns a folder outside the work tree.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the root.
    pub fn write(&self, path: &str, contents: &str) {
        write(&self.path().join(path), contents);
    }

    /// Writes a file below `.git`.
    pub fn write_git(&self, path: &str, contents: &str) {
        write(&self.path().join(".git").join(path), contents);
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).expect("removed");
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// Returns the commit that is checked out.
    pub fn head(&self) -> String {
        let output = self.git(&["rev-parse", "HEAD"]);
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    /// Runs git and expects it to succeed.
    pub fn git(&self, arguments: &[&str]) -> Output {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Runs git in an emptied environment.
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("git runs")
    }

    /// Runs git as a person would, with everything that the repository configures.
    pub fn try_git_with_config(&self, arguments: &[&str]) -> Output {
        self.try_git(arguments)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Test")
            .env("GIT_AUTHOR_EMAIL", "test@example.org")
            .env("GIT_COMMITTER_NAME", "Test")
            .env("GIT_COMMITTER_EMAIL", "test@example.org")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        command
    }
}

fn write(path: &Path, contents: &str) {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).expect("a folder");
    }
    fs::write(path, contents).expect("written");
}

/// Returns whether the installed git is older than a version.
pub fn git_is_older_than(major: u32, minor: u32) -> bool {
    let output = Command::new("git").arg("--version").output().expect("git runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    found < (major, minor)
}
