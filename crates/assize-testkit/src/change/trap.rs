//! Traps for programs that look at a tree: the effects of a sprung trap are seen from outside.
//!
//! See the README of the corpus `host_escapes` for the keys of a case.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program::{ProgramRun, run_until};
use super::trace::{FolderSnapshot, contains, holding};
use super::{CorpusCase, default_homes, replace_marker, search_path, shell};
use crate::repo::Repo;

/// How long the command that springs a trap may take; one that makes its reader wait is known by taking longer.
const NAIVE_TIME_MAX: Duration = Duration::from_secs(20);
/// The same where waiting is all that the trap does.
const NAIVE_WAIT: Duration = Duration::from_secs(5);

/// What a trap does to those who walk into it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TrapKind {
    /// It makes a file elsewhere.
    Marker,
    /// It has a text shown that lies elsewhere.
    Leak(String),
    /// It has a file changed that lies elsewhere.
    Unchanged,
    /// It keeps its reader waiting.
    Hang,
    /// It costs effort.
    None,
}

impl TrapKind {
    fn of(case: &CorpusCase) -> Self {
        match case.word("kind") {
            None | Some("marker") => Self::Marker,
            Some("leak") => Self::Leak(case.word("secret").expect("a leak has a `secret`").to_owned()),
            Some("unchanged") => Self::Unchanged,
            Some("hang") => Self::Hang,
            Some("none") => Self::None,
            Some(other) => panic!("{}: there is no kind `{other}`", case.name),
        }
    }
}

/// A tree with a trap in it.
#[derive(Debug)]
pub struct Trap<'c> {
    case: &'c CorpusCase,
    kind: TrapKind,
    /// The repository.
    pub repo: Repo,
    outside: tempfile::TempDir,
}

/// What lay outside before anybody looked, and in the tree.
#[derive(Debug)]
pub struct TrapBaseline {
    home: FolderSnapshot,
    outside: FolderSnapshot,
}

impl<'c> Trap<'c> {
    /// Lays a trap.
    pub fn lay(case: &'c CorpusCase) -> Self {
        let outside = tempfile::tempdir().expect("a temporary folder");
        let repo = case.base();
        case.lay_over("candidate", &repo.path());
        let trap = Self { case, kind: TrapKind::of(case), repo, outside };
        replace_marker(&trap.repo.path(), &trap.marker());
        case.set_up(&trap.repo, Some(&trap.marker()));
        assert!(!trap.is_marked(), "{}: setting it up springs it", case.name);
        trap
    }

    fn marker(&self) -> PathBuf {
        self.outside.path().join("mark")
    }

    fn is_marked(&self) -> bool {
        fs::symlink_metadata(self.marker()).is_ok()
    }

    /// Returns what the case wants first on the search path: relative entries as they stand, others within the tree.
    pub fn search_path(&self) -> Vec<PathBuf> {
        let as_it_stands = self.case.words("path").into_iter().map(PathBuf::from);
        as_it_stands
            .chain(self.case.words("path_in_tree").into_iter().map(|path| self.repo.path().join(path)))
            .collect()
    }

    /// Returns everything that a program which only looks must not change: the tree and its git folder, the home folder
    /// around it, and what the trap leads to.
    pub fn before(&self) -> TrapBaseline {
        TrapBaseline { home: self.home(), outside: FolderSnapshot::of(self.outside.path(), &[]) }
    }

    fn home(&self) -> FolderSnapshot {
        let outside = self.repo.outside();
        let ours = [outside.join(".cache"), outside.join(".local"), self.repo.path().join(".assize")].into_iter();
        let named = self.case.words("may_write").into_iter().map(|path| self.repo.path().join(path));
        FolderSnapshot::of(self.repo.outside(), &ours.chain(named).collect::<Vec<_>>())
    }

    /// Says what the trap has done to a program that has ended.
    pub fn harm(&self, before: &TrapBaseline, ran: &ProgramRun) -> Vec<String> {
        let mut harm = Vec::new();
        if self.is_marked() {
            harm.push("code of the change ran outside of the sandbox, or something was written elsewhere".to_owned());
        }
        harm.extend(before.outside.changes(&FolderSnapshot::of(self.outside.path(), &[])));
        harm.extend(before.home.changes(&self.home()));
        if ran.status.is_none() {
            harm.push(format!("it did not end within {} s", ran.time.as_secs()));
        }
        if let TrapKind::Leak(secret) = &self.kind {
            if contains(&ran.stdout, secret) || contains(&ran.stderr, secret) {
                harm.push("the secret was printed".to_owned());
            }
            harm.extend(
                holding(secret, self.repo.outside()).iter().map(|path| format!("the secret is in {}", path.display())),
            );
        }
        harm
    }

    /// Returns whether the trap is sprung by the command that somebody would use without a thought.
    pub fn springs_by_hand(&self, tools: &[PathBuf]) -> bool {
        let Some(naive) = self.case.word("naive") else { return false };
        let naive = naive.replace(super::MARKER, &self.marker().to_string_lossy());
        let first: Vec<PathBuf> = self.search_path().into_iter().chain(tools.iter().cloned()).collect();
        let mut command = shell(&naive, &self.repo);
        command.env("PATH", search_path(&first)).envs(default_homes());
        let before = FolderSnapshot::of(self.outside.path(), &[]);
        let limit = if self.kind == TrapKind::Hang { NAIVE_WAIT } else { NAIVE_TIME_MAX };
        let ran = run_until(&mut command, limit);
        match &self.kind {
            TrapKind::Marker => self.is_marked(),
            TrapKind::Leak(secret) => contains(&ran.stdout, secret) || contains(&ran.stderr, secret),
            TrapKind::Unchanged => !before.changes(&FolderSnapshot::of(self.outside.path(), &[])).is_empty(),
            TrapKind::Hang => ran.status.is_none(),
            TrapKind::None => false,
        }
    }

    /// Returns the folder that the trap leads to.
    pub fn outside(&self) -> &Path {
        self.outside.path()
    }
}
