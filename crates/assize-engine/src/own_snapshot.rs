//! Snapshots of a project without git: a repository of our own, out of the project, that is compared with later.
//!
//! It lies beside the project's ledger. Each session of an agent begins with a commit of what is there. Nothing is written into the
//! project, and folders of dependencies and build output are not in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use assize_ecosystem::dependency_folders;
use ignore::WalkBuilder;

use crate::ledger_place::LedgerPlace;
use crate::process::{self, ProcessLimits};
use crate::search_path::SearchPath;

/// The most files of a project that is taken.
pub const FILES_MAX: usize = 10_000;
/// The most bytes of a project that is taken.
pub const BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Folders that are made anew at any time, beside those of dependencies.
const MADE_ANEW: [&str; 10] =
    [".assize", ".cache", ".gradle", ".mypy_cache", ".next", ".pytest_cache", "__pycache__", "build", "dist", "target"];

/// Files that hold secrets more often than work.
const SECRETS: [&str; 7] = [".ssh/", ".aws/", ".gnupg/", ".env", ".env.*", "*.pem", "id_rsa*"];
/// How long git may take.
const GIT_TIME_MAX: Duration = Duration::from_secs(10);

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The project is larger than is taken.
    #[error("the folder has more than {FILES_MAX} files or {BYTES_MAX} bytes")]
    TooLarge,
    /// It is a folder of which none is taken.
    #[error("no snapshot is taken of the folder: {0}")]
    Unfit(&'static str),
    /// There is no place for it out of the project, or no git.
    #[error("there is no {0}")]
    Without(&'static str),
    /// It cannot be written.
    #[error("{path}: {error}")]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Git failed.
    #[error("git {0} failed")]
    Git(&'static str),
}

/// Returns where the snapshots of a project are, beside its ledger; `None` without a place out of the project.
pub fn home(place: &LedgerPlace) -> Option<PathBuf> {
    place.beside("snapshot")
}

/// Takes a snapshot of a project into the repository in `home`.
///
/// # Errors
///
/// See [`SnapshotError`].
pub fn take(home: &Path, project: &Path) -> Result<(), SnapshotError> {
    if home.starts_with(project) {
        return Err(SnapshotError::Unfit("it holds the folder of the user's state"));
    }
    let git_dir = home.join(".git");
    let git = SearchPath::of_process(project).find("git").ok_or(SnapshotError::Without("git"))?;
    let nested = measure(project)?;
    fs::create_dir_all(home).map_err(|error| SnapshotError::Io { path: home.to_owned(), error })?;
    let run = |what: &'static str, arguments: &[&str]| {
        let mut command = Command::new(&git);
        command
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", project).current_dir(project);
        for of in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{of}_NAME"), "assize").env(format!("GIT_{of}_EMAIL"), "assize@localhost");
        }
        let limits = ProcessLimits { time: GIT_TIME_MAX, stdout_bytes_max: 0, stderr_bytes_max: 0 };
        command.arg(what).args(arguments);
        let ended = process::run(command, &[], &limits);
        ended.is_ok_and(|ended| ended.succeeded()).then_some(()).ok_or(SnapshotError::Git(what))
    };
    if !git_dir.join("HEAD").is_file() {
        run("init", &["--quiet"])?;
    }
    // Without an index there is no nested repository that git would look into, with that one's settings.
    for leftover in ["index", "index.lock"] {
        let _ = fs::remove_file(git_dir.join(leftover));
    }
    let folders =
        left_out().map(|folder| format!("{folder}/\n")).chain(nested).chain(SECRETS.map(|name| format!("{name}\n")));
    let list = git_dir.join("info/exclude");
    fs::create_dir_all(git_dir.join("info"))
        .and_then(|()| fs::write(&list, folders.collect::<String>()))
        .map_err(|error| SnapshotError::Io { path: list, error })?;
    run("add", &["--all"])?;
    run("commit", &["--quiet", "--allow-empty", "--no-verify", "--message", "start of a session"])
}

fn left_out() -> impl Iterator<Item = &'static str> {
    dependency_folders().chain(MADE_ANEW)
}

/// Returns the nested repositories of a project, as lines of an ignore list. Fails if it is too large, or has a pipe or a device where
/// git reads a list.
fn measure(project: &Path) -> Result<Vec<String>, SnapshotError> {
    let is_left_out = |name: &str| left_out().any(|folder| folder == name);
    let walk = WalkBuilder::new(project)
        .standard_filters(false)
        .filter_entry(move |entry| !entry.file_name().to_str().is_some_and(is_left_out))
        .build();
    let (mut files, mut bytes, mut nested) = (0, 0, Vec::new());
    for entry in walk.flatten() {
        let name = entry.file_name().to_string_lossy();
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if name == ".git" {
            let below = entry.path().parent().and_then(|folder| folder.strip_prefix(project).ok());
            nested.extend(below.map(|folder| format!("/{}/\n", folder.to_string_lossy())));
        }
        if matches!(&*name, ".gitignore" | ".gitattributes" | ".gitmodules") && !is_file {
            return Err(SnapshotError::Unfit("a list of git in it is no regular file"));
        }
        files += usize::from(is_file);
        bytes += entry.metadata().ok().filter(|_| is_file).map_or(0, |known| known.len());
        if files > FILES_MAX || bytes > BYTES_MAX {
            return Err(SnapshotError::TooLarge);
        }
    }
    Ok(nested)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Repository;

    #[test]
    fn a_project_without_git_is_compared_with_its_snapshot() {
        let (state, project) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let at = |path: &str| project.path().join(path);
        fs::write(at("a.py"), "x = 1\n").expect("written");
        fs::create_dir_all(at("node_modules/b")).expect("made");
        fs::write(at("node_modules/b/c.js"), "1\n").expect("written");
        let home = state.path().join("snapshot");
        take(&home, project.path()).expect("taken");
        assert!(!at(".git").exists(), "nothing is written into the project");
        fs::write(at("a.py"), "x = 2\n").expect("written");
        fs::write(at("d.py"), "y = 1\n").expect("written");
        let repository = Repository::with_work_tree(&home, project.path()).expect("readable").expect("there");
        let head = repository.head().expect("readable").expect("a commit");
        assert_eq!(repository.changed_paths(Some(&head)).expect("read"), ["a.py"]);
        let mut listed: Vec<String> = repository.files().expect("listed").into_iter().map(|file| file.path).collect();
        listed.sort();
        assert_eq!(listed, ["a.py", "d.py"]);
        take(&home, project.path()).expect("taken again");
        let later = Repository::with_work_tree(&home, project.path()).expect("readable").expect("there");
        assert_eq!(
            later.contents(&head, "a.py").expect("read").as_deref(),
            Some("x = 1\n"),
            "the first one is still there"
        );
    }

    #[test]
    fn a_repository_within_is_not_looked_into() {
        let (state, project) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let at = |path: &str| project.path().join(path);
        let home = state.path().join("snapshot");
        let git = |arguments: &[&str]| {
            let ended = Command::new("git").arg("-C").arg(at("sub")).args(arguments).output().expect("git runs");
            assert!(ended.status.success(), "{ended:?}");
        };
        fs::create_dir_all(at("sub")).expect("made");
        fs::write(at("a.py"), "x = 1\n").expect("written");
        git(&["init", "--quiet"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "--message", "x"]);
        take(&home, project.path()).expect("taken");
        let evil = at("evil.sh");
        fs::write(&evil, format!("#!/bin/sh\ntouch {}\n", at("ran").display())).expect("written");
        fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
        git(&["config", "core.fsmonitor", &evil.to_string_lossy()]);
        take(&home, project.path()).expect("taken again");
        assert!(!at("ran").exists(), "nothing of the project runs");
    }

    #[test]
    fn a_folder_that_is_unfit_is_not_taken() {
        let project = tempfile::tempdir().expect("a folder");
        let inside = project.path().join(".local/state/assize/snapshot");
        assert!(matches!(take(&inside, project.path()), Err(SnapshotError::Unfit(_))));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            project.path().join(".gitignore"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("made");
        assert!(matches!(measure(project.path()), Err(SnapshotError::Unfit(_))));
    }

    #[test]
    fn a_large_folder_is_not_taken() {
        let project = tempfile::tempdir().expect("a folder");
        for number in 0..FILES_MAX {
            fs::write(project.path().join(format!("{number}")), "").expect("written");
        }
        assert!(measure(project.path()).is_ok());
        fs::write(project.path().join("more"), "").expect("written");
        assert!(matches!(measure(project.path()), Err(SnapshotError::TooLarge)));
    }
}
