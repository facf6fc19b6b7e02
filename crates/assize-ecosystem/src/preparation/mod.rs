//! How the dependencies of a project are installed: by which commands, for which files, and what they leave.
//!
//! Each ecosystem lists the files that decide how, and says what the commands are. This module must not run anything.

mod hook;
mod node;
mod python;
pub(crate) mod requirement;

use std::collections::BTreeSet;

use assize_core::path::{is_below, parent, within};

use crate::{ECOSYSTEMS, Ecosystem, is_setting, of_manifest, tools};

pub(crate) use node::commands as node_commands;
pub(crate) use python::{commands as python_commands, makeshift_commands as python_makeshift_commands};

/// A file that decides how dependencies are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparation {
    /// The file: a lock file, or a manifest.
    pub file: &'static str,
    /// The command, for a shell in the folder of the file.
    pub command: &'static str,
}

/// What can be seen of a project when its preparation is planned.
#[derive(Clone, Copy)]
pub struct ProjectView<'a> {
    /// The paths of its files.
    pub files: &'a BTreeSet<String>,
    /// Returns the text of a manifest or of a file that configures a tool.
    pub text: &'a dyn Fn(&str) -> Option<&'a str>,
    /// Returns whether a program can be started.
    pub has_program: &'a dyn Fn(&str) -> bool,
}

/// How the dependencies of one folder are installed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PreparationPlan {
    /// The id of the ecosystem.
    pub ecosystem: &'static str,
    /// The folder in which the commands run.
    pub folder: String,
    /// The file that decides how.
    pub because: String,
    /// The commands, for a shell, one after the other.
    pub commands: Vec<String>,
    /// Those that install as much as can be where they fail; none where there is no such way.
    pub makeshift: Vec<String>,
    /// The folders that they fill, relative to the root. Where one of them is there, nothing has to be installed.
    pub creates: Vec<String>,
    /// The files on which the result depends.
    pub inputs: Vec<String>,
}

impl PreparationPlan {
    /// Plans the preparation of a folder: as the nearest folder above says that has a file which decides it, and something to
    /// install. `None` where nothing has to be installed.
    pub fn of(ecosystem: &Ecosystem, folder: &str, view: &ProjectView<'_>) -> Option<Self> {
        let above = std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| parent(at)));
        let (at, preparation, commands) = above.into_iter().find_map(|at| {
            let is_there = |preparation: &&Preparation| view.files.contains(&within(at, preparation.file));
            let preparation = ecosystem.preparations.iter().find(is_there)?;
            let commands = (ecosystem.preparation_commands)(view, at, preparation);
            (!commands.is_empty()).then_some((at, preparation, commands))
        })?;
        let makeshift = (ecosystem.makeshift_commands)(view, at, preparation);
        let creates = ecosystem.dependency_folders.iter().take(1).map(|name| within(at, name)).collect();
        let is_input = |path: &&String| is_below(path, at) && shapes(ecosystem, path);
        let inputs = view.files.iter().filter(is_input).cloned().collect();
        Some(Self {
            ecosystem: ECOSYSTEMS.iter().find(|it| it.id == ecosystem.id)?.id,
            folder: at.to_owned(),
            because: within(at, preparation.file),
            commands,
            makeshift,
            creates,
            inputs,
        })
    }

    /// Returns one line for a shell that does the same from the root of the project.
    pub fn line(&self) -> String {
        let enter = (!self.folder.is_empty()).then(|| format!("cd {}", self.folder));
        enter.into_iter().chain(self.commands.iter().cloned()).collect::<Vec<_>>().join(" && ")
    }

    /// Returns the same line as a person tries it first: there may be further ways for where that does not work.
    fn first_line(&self) -> String {
        let has_ways = |first: &str| !first.contains("--offline") && !first.contains('{');
        // What may fail without harm stands in brackets as a whole.
        let first = |command: &String| match command.split_once(" || ") {
            Some((first, _)) if first.matches('(').count() > first.matches(')').count() => None,
            Some((first, _)) if has_ways(first) => Some(first.to_owned()),
            _ => Some(command.clone()),
        };
        Self { commands: self.commands.iter().filter_map(first).collect(), ..self.clone() }.line()
    }

    /// Returns that line, with a module of Python installed that the project uses and declares nowhere. Only a module that
    /// is a known tool is named: the text that says what is missing may come from the project.
    pub fn line_with_missing(&self, complaint: &str) -> String {
        let module = complaint.rsplit_once("No module named ").map(|(_, rest)| rest.trim().trim_matches(['\'', '"']));
        let tool = module.filter(|module| tools().any(|tool| tool.id == *module));
        let line = self.first_line();
        let pip = if line.contains("uv sync") || line.contains("uv venv") {
            "uv pip install"
        } else if line.contains(".venv/bin/python") {
            ".venv/bin/python -m pip install --quiet"
        } else {
            return line;
        };
        tool.map_or(line.clone(), |tool| format!("{line} && {pip} {tool}"))
    }
}

/// Returns whether what is installed depends on a file: on what is declared, and on what is compiled for it.
fn shapes(ecosystem: &Ecosystem, path: &str) -> bool {
    const COMPILED: [&str; 8] = [".c", ".cc", ".cpp", ".h", ".pxd", ".pyx", ".f90", ".rs"];
    let is_declared = of_manifest(path).is_some_and(|(of, _)| of.id == ecosystem.id);
    let is_built = ecosystem.id == "python" && COMPILED.iter().any(|ending| path.ends_with(ending));
    is_declared || is_built || is_setting(path) && requirement::may_name_packages(path)
}

/// The commands as the file that decides says them, where its text names packages of others.
pub(crate) fn as_listed(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    // The members of a workspace may name some as well.
    const NAMING: [&str; 6] = ["source = \"", "dependencies", "require", "<dependency>", "members", "<module>"];
    let path = within(folder, preparation.file);
    // A lock file whose text is not at hand may name some.
    let names = (view.text)(&path).is_none_or(|text| NAMING.iter().any(|word| text.contains(word)));
    if names { vec![preparation.command.to_owned()] } else { Vec::new() }
}

/// Quotes a word for a shell, if it has to be.
pub fn quoted(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::of_language;

    /// Plans the preparation of a folder of files, of which some have a text.
    pub(crate) fn planned(
        language: crate::Language,
        folder: &str,
        files: &[(&str, &str)],
        programs: &[&str],
    ) -> Option<PreparationPlan> {
        let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
        let files: BTreeSet<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let view = ProjectView {
            files: &files,
            text: &|path| texts.get(path).copied(),
            has_program: &|name| programs.contains(&name),
        };
        PreparationPlan::of(of_language(language), folder, &view)
    }

    #[test]
    fn the_nearest_file_that_decides_is_taken() {
        let needs = "[dependencies]\nlibc = \"0.2\"\n";
        let locked = "source = \"registry\"";
        let files =
            [("Cargo.toml", ""), ("Cargo.lock", locked), ("a/Cargo.toml", needs), ("a/x.rs", ""), ("b/x.rs", "")];
        for (folder, because, line) in [
            ("a/b", "a/Cargo.toml", "cd a && cargo fetch --offline || cargo fetch"),
            ("b", "Cargo.lock", "cargo fetch --locked --offline || cargo fetch --locked"),
            ("", "Cargo.lock", "cargo fetch --locked --offline || cargo fetch --locked"),
        ] {
            let plan = planned(crate::Language::Rust, folder, &files, &[]).expect("a plan");
            assert_eq!((plan.because.as_str(), plan.line().as_str()), (because, line), "{folder}");
        }
        let workspace = [("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n"), ("a/Cargo.toml", needs)];
        let plan = planned(crate::Language::Rust, "", &workspace, &[]).expect("a plan");
        assert_eq!(plan.line(), "cargo fetch --offline || cargo fetch");
        assert_eq!(planned(crate::Language::Rust, "", &[("a.rs", "")], &[]), None);
        assert_eq!(planned(crate::Language::Rust, "", &[("Cargo.toml", "[package]")], &[]), None);
    }

    #[test]
    fn what_is_declared_shapes_the_result() {
        let files = [
            ("pyproject.toml", "[project]\ndependencies = [\"six\"]\n"),
            ("tox.ini", ""),
            ("requirements/dev.txt", ""),
            ("src/a.py", ""),
            ("src/b.pyx", ""),
            ("README.md", ""),
            ("web/package.json", ""),
        ];
        let plan = planned(crate::Language::Python, "", &files, &[]).expect("a plan");
        assert_eq!(plan.inputs, ["pyproject.toml", "requirements/dev.txt", "src/b.pyx", "tox.ini"]);
        assert_eq!(plan.creates, [".venv"]);
    }
}
