//! Changes before the review court: a project as it stands in a commit, and what somebody makes of it.
//!
//! A case is a folder: the project (`base/`, or `base = "NAME"` in `case.toml` for one that several cases share), and
//! overlays with the files that differ. A file `DELETED` in an overlay, or beside it, lists paths that it takes away.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::repo::Repo;

/// One case of a corpus.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the folder.
    pub name: String,
    /// What `case.toml` says.
    pub settings: toml::Table,
    folder: PathBuf,
    corpus: PathBuf,
}

/// Reads all cases of a corpus, by name.
pub fn cases(corpus: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = fs::read_dir(corpus)
        .unwrap_or_else(|error| panic!("{}: {error}", corpus.display()))
        .flatten()
        .filter(|entry| entry.path().join("case.toml").is_file())
        .map(|entry| {
            let text = fs::read_to_string(entry.path().join("case.toml")).expect("a readable case.toml");
            let name = entry.file_name().to_string_lossy().into_owned();
            let settings = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}/case.toml: {error}"));
            Case { name, settings, folder: entry.path(), corpus: corpus.to_owned() }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl Case {
    /// Returns a setting of `case.toml` that is a word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.settings.get(name).and_then(toml::Value::as_str)
    }

    /// Returns the file with what was asked for, where there is one.
    pub fn specification(&self) -> Option<PathBuf> {
        Some(self.folder.join("spec.md")).filter(|path| path.is_file())
    }

    /// Returns a file or folder of the case.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Lays the project out as a repository with one commit.
    pub fn base(&self) -> Repo {
        let repo = Repo::empty();
        let shared = self.word("base").map(|name| self.corpus.join("bases").join(name));
        let folder = shared.unwrap_or_else(|| self.folder.join("base"));
        if folder.is_dir() {
            lay_over(&folder, &repo.path());
        }
        repo.commit("base");
        repo
    }

    /// Lays an overlay of the case over a tree.
    pub fn lay_over(&self, overlay: &str, tree: &Path) {
        lay_over(&self.folder.join(overlay), tree);
    }
}

/// Lays a folder over a tree: its files take the place of those that are there.
pub fn lay_over(folder: &Path, tree: &Path) {
    let beside = folder.parent().map(|parent| parent.join("DELETED"));
    let lists = [Some(folder.join("DELETED")), beside].into_iter().flatten();
    let deleted: String = lists.filter_map(|list| fs::read_to_string(list).ok()).collect();
    for path in deleted.lines().map(str::trim).filter(|path| !path.is_empty()) {
        fs::remove_file(tree.join(path)).unwrap_or_else(|error| panic!("{path} of {}: {error}", folder.display()));
    }
    copy(folder, tree, true);
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

/// Runs the executable in a tree, with a home of its own and nothing of the caller's environment but the search path,
/// before which `tools` come.
pub fn run(executable: &Path, repo: &Repo, tools: &[PathBuf], arguments: &[&str]) -> Output {
    let system = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(tools.iter().cloned().chain(std::env::split_paths(&system))).expect("a search path");
    let mut command = Command::new(executable);
    command.current_dir(repo.path()).env_clear().env("PATH", path).env("HOME", repo.outside()).args(arguments);
    // Toolchains lie below the real home, and are found by these.
    for name in ["CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT"] {
        if let Some(value) = std::env::var_os(name).or_else(|| default_home(name)) {
            command.env(name, value);
        }
    }
    command.output().expect("the executable starts")
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
    pub struct Debt {
        /// The gate that objects.
        pub gate: String,
        /// The rule of every old objection.
        pub rule: String,
        template: String,
        path: String,
        files: usize,
        errors_per_file: usize,
        /// Changes to the project.
        pub change: Vec<Change>,
        #[serde(skip)]
        folder: PathBuf,
    }

    /// A change, and what is expected of its review.
    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Change {
        /// Its name.
        pub name: String,
        /// One sentence: what it does.
        pub about: String,
        /// The outcome.
        pub expect: String,
        /// The objections that are new.
        #[serde(default)]
        pub new: Vec<Place>,
        #[serde(default)]
        rename: Vec<Rename>,
        #[serde(default)]
        add: Vec<Add>,
        #[serde(default)]
        edit: Vec<Edit>,
    }

    /// Where an objection is.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Place {
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
    struct Edit {
        path: String,
        find: String,
        replace: String,
    }

    impl Debt {
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

    impl Change {
        /// Makes the change to the work tree.
        pub fn apply(&self, repo: &Repo) {
            for Rename { from, to } in &self.rename {
                fs::rename(repo.path().join(from), repo.path().join(to)).expect("renamed");
            }
            for Add { path, text } in &self.add {
                repo.write(path, text);
            }
            for Edit { path, find, replace } in &self.edit {
                let text = fs::read_to_string(repo.path().join(path)).expect("a readable file");
                assert_eq!(text.matches(find.as_str()).count(), 1, "{}: {find:?} in {path}", self.name);
                repo.write(path, &text.replace(find.as_str(), replace));
            }
        }
    }
}
