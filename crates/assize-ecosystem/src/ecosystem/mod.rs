//! The ecosystems: one file each. To add one, write `ecosystem/yours.rs` and add a line to `ecosystems!`.

use assize_core::path::file_name;

use crate::Language;
use crate::command::CommandRole;
use crate::marker::TestMarkers;
use crate::pattern::any;
use crate::preparation::{self, Preparation, ProjectView};
use crate::tool::{Sign, Tool, ToolKind};

/// What is known of an ecosystem. Names are patterns (see [`crate::pattern`]) of the last component of a path, folders are whole
/// components.
#[derive(Debug, Clone, Copy)]
pub struct Ecosystem {
    /// The name that stands in JSON.
    pub id: &'static str,
    /// What people call it; empty for one that is none.
    pub name: &'static str,
    /// Its languages.
    pub languages: &'static [Language],
    /// Files that say what there is to build, and what it depends on.
    pub manifests: &'static [&'static str],
    /// The tools that its projects use.
    pub tools: &'static [Tool],
    /// Files that configure a tool, other than manifests and those that tools are listed with. Gates are recognized by all of them.
    pub settings: &'static [&'static str],
    /// Manifests whose folder is a project of its own.
    pub project_files: &'static [&'static str],
    /// Files that hold the versions of dependencies fast.
    pub lock_files: &'static [&'static str],
    /// How its dependencies are installed; the first whose file is there.
    pub preparations: &'static [Preparation],
    /// Returns the commands for the file that decides, in this folder.
    pub preparation_commands: fn(&ProjectView<'_>, folder: &str, &Preparation) -> Vec<String>,
    /// Returns the commands that install as much as can be where those fail, for the same; none where there is no such way.
    pub makeshift_commands: fn(&ProjectView<'_>, folder: &str, &Preparation) -> Vec<String>,
    /// Folders of a project that hold installed packages.
    pub dependency_folders: &'static [&'static str],
    /// Folders of a project that hold an interpreter with its packages.
    pub environments: &'static [&'static str],
    /// Folders that packages write to within the folder of dependencies while they run, by the packages.
    pub scratch_folders: &'static [(&'static str, &'static str)],
    /// Folders for caches within a folder of dependencies, which packages expect to be able to write to.
    pub cache_folders: &'static [&'static str],
    /// Files that package managers leave in a folder that they fill, by the ends of their paths.
    pub marks_of_installed: &'static [&'static str],
    /// Folders that hold a copy of somebody else's code.
    pub vendored_folders: &'static [&'static str],
    /// What tools write.
    pub generated: GeneratedPaths,
    /// How tests are told by their paths.
    pub tests: TestPaths,
    /// How its tests are left out of a run.
    pub markers: TestMarkers,
    /// Files that tell a runner of tests what to do, other than those that runners are listed with, or take its place.
    pub runner_files: &'static [&'static str],
    /// Folders whose files do so: at the top of the tree, or anywhere for one that ends with `/`.
    pub runner_folders: &'static [&'static str],
    /// Names of files that runners load, among those that tell them what to do, and that hold code for tests to use.
    pub runner_code: &'static [&'static str],
    /// Manifests and keys in them that say how tests and checks run, other than those of tools.
    pub guarded_keys: &'static [(&'static str, &'static [&'static str])],
    /// Runners of tests and what is used with them, by the names that code imports them by, or their first part.
    pub test_packages: &'static [&'static str],
    /// Packages of assertions that ordinary code uses as well.
    pub assertion_packages: &'static [&'static str],
    /// Source files that set up a tool.
    pub tooling: &'static [&'static str],
    /// Programs that run the program which their arguments name.
    pub wrappers: &'static [&'static str],
    /// What a program is for when it is called with these arguments; `None` for a program of another ecosystem.
    pub role: fn(program: &str, arguments: &[&str]) -> Option<CommandRole>,
    /// Stores of packages and toolchains below the home folder.
    pub installs: &'static [Install],
    /// Packages that many projects use and whose names have been imitated, with spaces between them.
    pub popular_packages: &'static str,
    /// Hosts of registries that everybody uses.
    pub registries: &'static [&'static str],
}

/// What an ecosystem's tools write.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedPaths {
    /// Names.
    pub names: &'static [&'static str],
    /// Folders.
    pub folders: &'static [&'static str],
}

/// How the tests of an ecosystem are told by their paths, as its runners collect them.
#[derive(Debug, Clone, Copy)]
pub struct TestPaths {
    /// Names of source files that runners collect tests from, wherever they lie.
    pub names: &'static [&'static str],
    /// Names of source files that belong to tests, although no runner collects them by their names.
    pub companions: &'static [&'static str],
    /// Folders that hold tests, wherever they lie.
    pub folders: &'static [&'static str],
    /// Folders that hold tests unless they lie among the sources of the product.
    pub outer_folders: &'static [&'static str],
    /// Folders of code that only tests read; `None` for the usual ones.
    pub fixture_folders: Option<&'static [&'static str]>,
    /// Pairs of folders, one in the other, of which the inner one holds tests: `src/test`.
    pub source_sets: &'static [(&'static str, &'static str)],
    /// Pairs of folders in which nothing is a test, whatever its name: `src/main`.
    pub product_sets: &'static [(&'static str, &'static str)],
    /// Whether a runner collects tests from a file that belongs to them; `is_named` says whether its name is one of [`Self::names`].
    pub collects: fn(path: &str, is_named: bool) -> bool,
}

impl TestPaths {
    /// No tests.
    pub const NONE: Self = Self {
        names: &[],
        companions: &[],
        folders: &[],
        outer_folders: &[],
        fixture_folders: None,
        source_sets: &[],
        product_sets: &[],
        collects: |_, is_named| is_named,
    };
}

impl Ecosystem {
    /// An ecosystem of which nothing is known.
    pub const EMPTY: Self = Self {
        id: "",
        name: "",
        languages: &[],
        manifests: &[],
        tools: &[],
        settings: &[],
        project_files: &[],
        lock_files: &[],
        preparations: &[],
        preparation_commands: preparation::as_listed,
        makeshift_commands: |_, _, _| Vec::new(),
        dependency_folders: &[],
        environments: &[],
        scratch_folders: &[],
        cache_folders: &[],
        marks_of_installed: &[],
        vendored_folders: &[],
        generated: GeneratedPaths { names: &[], folders: &[] },
        tests: TestPaths::NONE,
        markers: TestMarkers::NONE,
        runner_files: &[],
        runner_folders: &[],
        runner_code: &[],
        guarded_keys: &[],
        test_packages: &[],
        assertion_packages: &[],
        tooling: &[],
        wrappers: &[],
        role: |_, _| None,
        installs: &[],
        popular_packages: "",
        registries: &[],
    };
}

const fn prepare(file: &'static str, command: &'static str) -> Preparation {
    Preparation { file, command }
}

/// A store of packages or toolchains.
#[derive(Debug, Clone, Copy)]
pub struct Install {
    /// The variable that says where it is; empty if there is none.
    pub variable: &'static str,
    /// Where it is otherwise, below the home folder.
    pub folder: &'static str,
    /// Which parts of it programs need; empty for all of it. A folder that can hold credentials or settings is never named as a whole.
    pub parts: &'static [&'static str],
}

const fn install(variable: &'static str, folder: &'static str, parts: &'static [&'static str]) -> Install {
    Install { variable, folder, parts }
}

const fn tool(id: &'static str, kinds: &'static [ToolKind], signs: &'static [Sign]) -> Tool {
    Tool { id, kinds, signs }
}

macro_rules! ecosystems {
    ($($module:ident)*) => {
        $(mod $module;)*

        /// Every ecosystem.
        pub static ECOSYSTEMS: &[Ecosystem] = &[$($module::ECOSYSTEM),*];
    };
}

ecosystems! {
    cargo
    python
    node
    go
    jvm
    dotnet
    native
    php
    ruby
    shell
    swift
    other
}

pub use node::{is_collected_by_node, javascript_runner};

/// Returns whether a file is written by a tool or copied from others.
pub(crate) fn is_generated(path: &str) -> bool {
    let name = file_name(path);
    let named =
        ECOSYSTEMS.iter().any(|ecosystem| ecosystem.lock_files.contains(&name) || any(ecosystem.generated.names, name));
    named
        || path.split('/').any(|folder| {
            ECOSYSTEMS.iter().any(|ecosystem| {
                ecosystem.generated.folders.contains(&folder) || ecosystem.vendored_folders.contains(&folder)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_belongs_to_one_ecosystem_and_ids_are_unique() {
        for language in Language::ALL {
            let homes = ECOSYSTEMS.iter().filter(|ecosystem| ecosystem.languages.contains(language));
            assert_eq!(homes.count(), 1, "{language}");
        }
        let mut ids: Vec<&str> = ECOSYSTEMS.iter().map(|ecosystem| ecosystem.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ECOSYSTEMS.len());
    }

    #[test]
    fn what_tools_write_is_generated() {
        for path in ["a/Cargo.lock", "node_modules/x/a.js", "a/vendor/b.go", "a.min.js", "x.snap", "api/a_pb2.py"] {
            assert!(is_generated(path), "{path}");
        }
        for path in ["Cargo.toml", "src/a.rs", "min.js", "vendors/a.py"] {
            assert!(!is_generated(path), "{path}");
        }
    }
}
