//! What the gates of Go projects have in common: where modules stand, and how the tool is called.
//!
//! It must not know any of the gates.

use std::collections::BTreeMap;

use assize_core::path::{file_name, is_below, parent, within};
use assize_ecosystem::is_generated;
use assize_report::ToolReport;

use super::{GateCommand, GateOutput, Project, Setup};

/// Finds the modules that hold code.
pub(super) fn setups(project: &Project, is_code: impl Fn(&str) -> bool) -> Vec<Setup> {
    let has_code =
        |folder: &str| project.files.iter().any(|path| is_below(path, folder) && is_code(path) && !is_generated(path));
    let modules = project.files.iter().filter(|path| {
        file_name(path) == "go.mod" && !is_generated(path) && !path.split('/').any(|part| part == "testdata")
    });
    modules
        .filter(|path| has_code(parent(path)))
        .map(|path| Setup {
            folder: parent(path).to_owned(),
            because: format!("there is a {path}"),
            detail: String::new(),
        })
        .collect()
}

/// Returns whether a file is Go code.
pub(super) fn is_code(path: &str) -> bool {
    path.ends_with(".go")
}

/// The path by which a module is imported.
pub(super) fn module(project: &Project, folder: &str) -> Option<String> {
    let text = project.manifests.get(&within(folder, "go.mod"))?;
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(name.split("//").next()?.trim().trim_matches('"').to_owned())
}

/// A command of the tool. It must not fetch another version of itself, nor change the list of dependencies.
pub(super) fn command(setup: &Setup, program: &str, arguments: &[&str]) -> GateCommand {
    GateCommand {
        program: program.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        folder: setup.folder.clone(),
        environment: [("GOTOOLCHAIN", "local"), ("GOFLAGS", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        provided: BTreeMap::new(),
    }
}

/// Makes the places of diagnostics relative to the root.
pub(super) fn place(report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    super::declared::placed(report, setup, output)
}
