//! Changes before the review court: a project as it stands in a commit, and what somebody makes of it.
//!
//! A case is a folder: the project (`base/`, or `base = "NAME"` in `case.toml` for one that several cases share), and
//! overlays with the files that differ. What many candidates have in common lies in a folder of the corpus, by the name of the
//! project, and `on = "FOLDER"` names it; `specs/PROJECT.md` is what was asked for unless the case says otherwise. A file `DELETED` in an overlay, or beside it, lists paths that it takes away.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::repo::Repo;
use program::{ProgramRun, run_until};

pub mod program;
pub mod trace;
pub mod trap;

/// How long the script of a case may take to set it up.
const SET_UP_TIME_MAX: Duration = Duration::from_secs(60);
/// What stands for a path outside of the tree in the files of a case.
pub const MARKER: &str = "@MARKER@";

/// One case of a corpus.
#[derive(Debug, Clone)]
pub struct CorpusCase {
    /// The name of the folder.
    pub name: String,
    /// What `case.toml` says.
    pub settings: toml::Table,
    folder: PathBuf,
    corpus: PathBuf,
}

/// Reads all cases of a corpus, by name.
pub fn cases(corpus: &Path) -> Vec<CorpusCase> {
    let mut cases: Vec<CorpusCase> = fs::read_dir(corpus)
        .unwrap_or_else(|error| panic!("{}: {error}", corpus.display()))
        .flatten()
        .filter(|entry| entry.path().join("case.toml").is_file())
        .map(|entry| {
            let text = fs::read_to_string(entry.path().join("case.toml")).expect("a readable case.toml");
            let name = entry.file_name().to_string_lossy().into_owned();
            let settings = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}/case.toml: {error}"));
            CorpusCase { name, settings, folder: entry.path(), corpus: corpus.to_owned() }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl CorpusCase {
    /// Returns a setting of `case.toml` that is a word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.settings.get(name).and_then(toml::Value::as_str)
    }

    /// Returns a setting of `case.toml` that is a list of words; empty where it is not there.
    pub fn words(&self, name: &str) -> Vec<&str> {
        let list = self.settings.get(name).and_then(toml::Value::as_array);
        list.into_iter().flatten().filter_map(toml::Value::as_str).collect()
    }

    /// Returns the project that the case shares with others, where it does.
    pub fn shared_base(&self) -> Option<&str> {
        self.word("base")
    }

    /// Returns the file with what was asked for, where there is one: the case's own, or that of its shared project.
    pub fn specification(&self) -> Option<PathBuf> {
        let shared = self.shared_base().map(|base| self.corpus.join("specs").join(format!("{base}.md")));
        [Some(self.folder.join("spec.md")), shared].into_iter().flatten().find(|path| path.is_file())
    }

    /// Returns a file or folder of the case.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Lays the project out as a repository with one commit.
    pub fn base(&self) -> Repo {
        let repo = Repo::empty();
        let shared = self.shared_base().map(|name| self.corpus.join("bases").join(name));
        let folder = shared.unwrap_or_else(|| self.folder.join("base"));
        if folder.is_dir() {
            lay_over(&folder, &repo.path());
        }
        repo.commit("base");
        repo
    }

    /// Lays an overlay of the case over a tree. A candidate is laid on the files that cases have in common, where `on` names them.
    pub fn lay_over(&self, overlay: &str, tree: &Path) {
        let common = self.word("on").zip(self.shared_base()).filter(|_| overlay == "candidate");
        if let Some((common, base)) = common {
            copy(&self.corpus.join(common).join(base), tree, true);
        }
        let own = self.folder.join(overlay);
        delete_listed(&own, tree);
        if common.is_none() || own.is_dir() {
            copy(&own, tree, true);
        }
    }

    /// Runs the script of the case within the tree, where it has one: it lays what plain files cannot express. `marker`
    /// takes the place of [`MARKER`] in it.
    pub fn set_up(&self, repo: &Repo, marker: Option<&Path>) {
        let Ok(script) = fs::read_to_string(self.folder.join("setup.sh")) else { return };
        let script = match marker {
            Some(marker) => script.replace(MARKER, &marker.to_string_lossy()),
            None => script,
        };
        let ran = run_until(shell(&script, repo).env("PATH", search_path(&[])), SET_UP_TIME_MAX);
        assert_eq!(ran.code(), Some(0), "{}/setup.sh: {}", self.name, ran.complaint());
    }
}

/// Makes a command out of a script for a shell that runs within the tree, with a home of its own.
pub fn shell(script: &str, repo: &Repo) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(repo.path()).env("HOME", repo.outside());
    command
}

/// Returns the caller's search path with folders before it.
pub fn search_path(first: &[PathBuf]) -> std::ffi::OsString {
    let system = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(first.iter().cloned().chain(std::env::split_paths(&system))).expect("a search path")
}

/// Puts a path in the place of [`MARKER`] in every file of a tree.
pub fn replace_marker(tree: &Path, marker: &Path) {
    for entry in fs::read_dir(tree).expect("a folder").flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        if kind.is_dir() && entry.file_name() != ".git" {
            replace_marker(&path, marker);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(&path)
            && text.contains(MARKER)
        {
            fs::write(&path, text.replace(MARKER, &marker.to_string_lossy())).expect("written");
        }
    }
}

/// Lays a folder over a tree: its files take the place of those that are there.
pub fn lay_over(folder: &Path, tree: &Path) {
    delete_listed(folder, tree);
    copy(folder, tree, true);
}

/// Removes the paths from a tree that a file `DELETED` in a folder, or beside it, lists.
fn delete_listed(folder: &Path, tree: &Path) {
    let beside = folder.parent().map(|parent| parent.join("DELETED"));
    let lists = [Some(folder.join("DELETED")), beside].into_iter().flatten();
    let deleted: String = lists.filter_map(|list| fs::read_to_string(list).ok()).collect();
    for path in deleted.lines().map(str::trim).filter(|path| !path.is_empty()) {
        fs::remove_file(tree.join(path)).unwrap_or_else(|error| panic!("{path} of {}: {error}", folder.display()));
    }
}

fn copy(from: &Path, to: &Path, top: bool) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())).flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if top && entry.file_name() == "DELETED" {
            continue;
        }
        let kind = entry.file_type().expect("a kind of file");
        if kind.is_dir() {
            copy(&path, &target, false);
        } else {
            // Whatever is there may be a link that must not be followed.
            let _ = fs::remove_file(&target);
            if kind.is_symlink() {
                let target_of = fs::read_link(&path).expect("a link");
                std::os::unix::fs::symlink(target_of, &target).expect("a link");
            } else {
                fs::copy(&path, &target).expect("copied");
                // A copy has the time of its source, which may lie before the commit.
                let file = fs::File::options().append(true).open(&target).expect("a file");
                file.set_modified(std::time::SystemTime::now()).expect("a time");
            }
        }
    }
}

/// Gives a tree dependencies that were installed elsewhere; git is told not to look at them.
pub fn link_dependencies(repo: &Repo, name: &str, installed: &Path) {
    let link = repo.path().join(name);
    if !link.exists() {
        std::os::unix::fs::symlink(installed, &link).expect("a link");
    }
    repo.write_git("info/exclude", &format!("/{name}\n"));
}

/// Makes a command that runs the executable in a tree, with a home of its own and nothing of the caller's environment but
/// the search path, before which `tools` come.
pub fn command(executable: &Path, repo: &Repo, tools: &[PathBuf], arguments: &[&str]) -> Command {
    let mut command = Command::new(executable);
    command.current_dir(repo.path()).env_clear().env("PATH", search_path(tools)).env("HOME", repo.outside());
    command.args(arguments);
    command.envs(default_homes());
    command
}

/// Toolchains lie below the real home, and are found by these variables.
pub fn default_homes() -> impl Iterator<Item = (&'static str, std::ffi::OsString)> {
    let value = |name| std::env::var_os(name).or_else(|| default_home(name));
    ["CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT"].into_iter().filter_map(move |name| Some((name, value(name)?)))
}

/// Runs such a command; it is killed with its group when it takes longer than the limit.
pub fn run(executable: &Path, repo: &Repo, tools: &[PathBuf], arguments: &[&str], limit: Duration) -> ProgramRun {
    run_until(&mut command(executable, repo, tools, arguments), limit)
}

fn default_home(variable: &str) -> Option<std::ffi::OsString> {
    let folder = match variable {
        "CARGO_HOME" => ".cargo",
        "RUSTUP_HOME" => ".rustup",
        _ => ".pyenv",
    };
    let path = PathBuf::from(std::env::var_os("HOME")?).join(folder);
    path.is_dir().then(|| path.into_os_string())
}

/// A project with a known number of old objections, and changes to it; see the README of its corpus.
pub mod debt {
    use super::{Deserialize, Path, PathBuf, Repo, fs, lay_over};

    /// What `debt.toml` says.
    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct LintDebt {
        /// The gate that objects.
        pub gate: String,
        /// The rule of every old objection.
        pub rule: String,
        template: String,
        path: String,
        files: usize,
        errors_per_file: usize,
        /// Changes to the project.
        pub change: Vec<CorpusChange>,
        #[serde(skip)]
        folder: PathBuf,
    }

    /// A change, and what is expected of its review.
    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct CorpusChange {
        /// Its name.
        pub name: String,
        /// One sentence: what it does.
        pub about: String,
        /// The outcome.
        pub expect: String,
        /// The objections that are new.
        #[serde(default)]
        pub new: Vec<ExpectedPlace>,
        #[serde(default)]
        rename: Vec<Rename>,
        #[serde(default)]
        add: Vec<Add>,
        #[serde(default)]
        edit: Vec<CorpusEdit>,
    }

    /// Where an objection is.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct ExpectedPlace {
        /// The file.
        pub path: String,
        /// The line.
        pub line: u64,
    }

    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rename {
        from: String,
        to: String,
    }

    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Add {
        path: String,
        text: String,
    }

    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct CorpusEdit {
        path: String,
        find: String,
        replace: String,
    }

    impl LintDebt {
        /// Reads a folder of the corpus.
        pub fn read(folder: &Path) -> Self {
            let text = fs::read_to_string(folder.join("debt.toml")).expect("a readable debt.toml");
            let debt: Self = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            Self { folder: folder.to_owned(), ..debt }
        }

        /// How many old objections there are.
        pub fn errors(&self) -> usize {
            self.files * self.errors_per_file
        }

        /// Lays the project out as a repository with one commit.
        pub fn repository(&self) -> Repo {
            let repo = Repo::empty();
            lay_over(&self.folder.join("project"), &repo.path());
            let template = fs::read_to_string(self.folder.join(&self.template)).expect("a readable template");
            for number in 1..=self.files {
                let number = format!("{number:02}");
                let numbered = |text: &str| text.replace("{{number}}", &number);
                repo.write(&numbered(&self.path), &numbered(&template));
            }
            repo.commit("old");
            repo
        }
    }

    impl CorpusChange {
        /// Makes the change to the work tree.
        pub fn apply(&self, repo: &Repo) {
            for Rename { from, to } in &self.rename {
                fs::rename(repo.path().join(from), repo.path().join(to)).expect("renamed");
            }
            for Add { path, text } in &self.add {
                repo.write(path, text);
            }
            for CorpusEdit { path, find, replace } in &self.edit {
                let text = fs::read_to_string(repo.path().join(path)).expect("a readable file");
                assert_eq!(text.matches(find.as_str()).count(), 1, "{}: {find:?} in {path}", self.name);
                repo.write(path, &text.replace(find.as_str(), replace));
            }
        }
    }
}
