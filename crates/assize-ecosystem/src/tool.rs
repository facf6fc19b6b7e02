//! The tools that projects use: what each is for, what shows that it is in use, and where it is told what to do.
//!
//! Each ecosystem lists its own. One table serves everybody: the brief, which says what a project works with; gates, which run what is set
//! up; and the test policy, which takes from the base what tools are told.

use assize_core::path::file_name;
use serde::{Deserialize, Serialize};

use crate::pattern::fits;

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Gets dependencies and builds.
    PackageManager,
    /// Writes code in one form.
    Formatter,
    /// Finds faults without running the code.
    Linter,
    /// Checks types.
    TypeChecker,
    /// Runs tests.
    TestRunner,
    /// Measures how much of the code tests run.
    Coverage,
    /// Describes data: schemas and what is generated from them.
    SchemaTool,
    /// Runs all of it on a server.
    Ci,
}

impl ToolKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::PackageManager,
        Self::Formatter,
        Self::Linter,
        Self::TypeChecker,
        Self::TestRunner,
        Self::Coverage,
        Self::SchemaTool,
        Self::Ci,
    ];

    /// Returns the kind's name in the plural.
    pub fn label(self) -> &'static str {
        match self {
            Self::PackageManager => "package managers",
            Self::Formatter => "formatters",
            Self::Linter => "linters",
            Self::TypeChecker => "type checkers",
            Self::TestRunner => "test runners",
            Self::Coverage => "coverage",
            Self::SchemaTool => "schema tools",
            Self::Ci => "CI",
        }
    }
}

/// A tool that projects use.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// What people call it; the name that stands in JSON.
    pub id: &'static str,
    /// What it is for.
    pub kinds: &'static [ToolKind],
    /// What shows it, the plainest first.
    pub signs: &'static [Sign],
}

/// What shows a tool, and whether that tells it what to do. Names of files are patterns (see [`crate::pattern`]) of the last component of
/// a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A file that tells it what to do.
    Setting(&'static str),
    /// Keys of a manifest that tell it so.
    Key(&'static str, &'static [&'static str]),
    /// A section of `setup.cfg` or `tox.ini` that tells it so.
    Section(&'static str),
    /// A file that it reads as well, and that shows nothing: others read it, too.
    AlsoReads(&'static str),
    /// A file that shows it and tells it nothing.
    File(&'static str),
    /// A file below this folder.
    Below(&'static str),
    /// A dependency that a manifest of the ecosystem names.
    Dependency(&'static str),
    /// A script of a `package.json` that holds this.
    Script(&'static str),
    /// A text that stands in a manifest of the ecosystem.
    Text(&'static str),
    /// A manifest whose projects may use the tool without naming it anywhere, so that it shows nothing.
    Unasked(&'static str),
}

impl Tool {
    /// Returns whether it finds fault with code without running it: a linter, a formatter, a type checker.
    pub fn is_checker(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, ToolKind::Formatter | ToolKind::Linter | ToolKind::TypeChecker))
    }

    /// Returns whether it runs tests.
    pub fn is_runner(&self) -> bool {
        self.kinds.contains(&ToolKind::TestRunner)
    }

    /// Returns whether it has rules that its settings can switch off: a linter, a type checker.
    pub fn has_rules(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, ToolKind::Linter | ToolKind::TypeChecker))
    }

    /// Patterns of files that are there to tell tools such as this one what to do.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        self.signs.iter().filter_map(|sign| match sign {
            Sign::Setting(file) | Sign::AlsoReads(file) => Some(*file),
            _ => None,
        })
    }

    /// The manifests and keys in them that tell it what to do.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        self.signs.iter().filter_map(|sign| match sign {
            Sign::Key(manifest, keys) => Some((*manifest, *keys)),
            _ => None,
        })
    }

    /// The sections of `setup.cfg` and `tox.ini` that tell it what to do. Sections that go on after a hyphen are meant as well.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> {
        self.signs.iter().filter_map(|sign| match sign {
            Sign::Section(section) => Some(*section),
            _ => None,
        })
    }

    /// The packages whose presence among the dependencies shows it.
    pub fn dependencies(&self) -> impl Iterator<Item = &'static str> {
        self.signs.iter().filter_map(|sign| match sign {
            Sign::Dependency(name) => Some(*name),
            _ => None,
        })
    }

    /// Returns whether a file is there to tell this tool what to do.
    pub fn is_told_by(&self, path: &str) -> bool {
        self.signs.iter().any(|sign| matches!(sign, Sign::Setting(file) if fits(file, file_name(path))))
    }

    /// Returns whether a file is there to tell tools such as this one what to do.
    pub fn has_file(&self, path: &str) -> bool {
        let name = file_name(path);
        self.files().any(|file| fits(file, name))
    }

    /// Returns whether a file may tell it what to do: one of its own, or a manifest that can.
    pub fn may_read(&self, path: &str) -> bool {
        let name = file_name(path);
        self.has_file(path)
            || self.keys().any(|(manifest, _)| manifest == name)
            || matches!(name, "setup.cfg" | "tox.ini") && self.sections().next().is_some()
    }

    /// Returns whether projects with this manifest may use it without a word.
    pub fn is_unasked(&self, path: &str) -> bool {
        self.signs.iter().any(|sign| matches!(sign, Sign::Unasked(manifest) if *manifest == file_name(path)))
    }
}
