//! `tsc --noEmit`: types of TypeScript, where a `tsconfig.json` says how.

use assize_core::path::{is_below, parent, within};
use assize_report::{ToolReport, ReportError, tsc};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// The compiler of TypeScript.
pub struct Tsc;

impl Gate for Tsc {
    fn id(&self) -> &'static str {
        "tsc"
    }

    fn summary(&self) -> &'static str {
        "checks the types of TypeScript code with tsc"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Types, Dimension::Compilation]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["tsc", "vue-tsc"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let configured: Vec<&str> = project
            .files
            .iter()
            .filter(|path| assize_core::path::file_name(path) == "tsconfig.json" && !assize_ecosystem::is_generated(path))
            .map(|path| parent(path))
            .filter(|folder| has_sources(project, folder))
            .collect();
        // A tsconfig.json below another one is left to that, unless a package of its own stands there.
        let is_own = |folder: &&&str| {
            let packaged = project.files.contains(&within(folder, "package.json"));
            let above = configured.iter().any(|other| other != *folder && is_below(folder, other));
            packaged || !above
        };
        configured
            .iter()
            .filter(is_own)
            .map(|folder| Setup {
                folder: (*folder).to_owned(),
                because: format!("there is a {}", within(folder, "tsconfig.json")),
                detail: String::new(),
            })
            .collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let called = called_with(project, &setup.folder);
        let common = ["--noEmit", "--pretty", "false", "--incremental", "false"];
        if is_solution(project, &setup.folder) {
            // A project of projects is built, since nothing else follows its references; it is built in a copy.
            return javascript::command(setup, project, "tsc", &["--build", "--force", "--pretty", "false"]);
        }
        let arguments: Vec<&str> = if is_composite(project, &setup.folder) {
            // Such a project must be incremental; what it would remember goes elsewhere.
            let info = ["--tsBuildInfoFile", concat!("{reports}", "/tsbuildinfo")];
            ["-p", called.unwrap_or(".")].into_iter().chain(common[..3].iter().copied()).chain(info).collect()
        } else {
            ["-p", called.unwrap_or(".")].into_iter().chain(common).collect()
        };
        javascript::command(setup, project, "tsc", &arguments)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(javascript::place(tsc::parse(&output.stdout)?, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: faults, and something was emitted all the same.
        &[0, 1, 2]
    }
}

/// The settings with which the maintainers check a folder, where no call takes those that tsc finds by default.
fn called_with<'p>(project: &'p Project, folder: &str) -> Option<&'p str> {
    let calls = project.pipeline.settled().iter().filter(|call| call.folder == folder && call.begins_with("tsc"));
    let settings = calls.map(|call| {
        let mut words = call.words.iter().map(String::as_str);
        words.find(|word| matches!(*word, "-p" | "--project")).and_then(|_| words.next())
    });
    let mut all: Vec<Option<&str>> = settings.collect();
    let is_own = |path: &str| !path.contains('/') && project.files.contains(&within(folder, path));
    all.retain(|settings| settings.is_none_or(is_own));
    if all.contains(&None) { None } else { all.first().copied().flatten() }
}

/// A folder of nothing but settings that others extend has nothing to check.
fn has_sources(project: &Project, folder: &str) -> bool {
    is_solution(project, folder)
        || project.files.iter().any(|path| is_below(path, folder) && javascript::is_code(path))
}

fn settings(project: &Project, folder: &str) -> Option<serde_json::Value> {
    let text = project.manifests.get(&within(folder, "tsconfig.json"))?;
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}

/// Returns whether a configuration only refers to others.
fn is_solution(project: &Project, folder: &str) -> bool {
    settings(project, folder).is_some_and(|all| {
        let empty = |key: &str| all.get(key).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
        all.get("references").is_some() && (empty("files") || empty("include"))
    })
}

fn is_composite(project: &Project, folder: &str) -> bool {
    let composite = |all: serde_json::Value| all.get("compilerOptions")?.get("composite")?.as_bool();
    settings(project, folder).and_then(composite).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn each_project_is_checked_once() {
        let found = |files: &[&str]| -> Vec<String> {
            Tsc.detect(&project(&[], files, &[])).into_iter().map(|setup| setup.folder).collect()
        };
        assert_eq!(found(&["tsconfig.json", "src/a.ts"]), [""]);
        assert_eq!(found(&["tsconfig.json", "src/a.ts", "test/tsconfig.json", "test/a.ts"]), [""]);
        assert_eq!(found(&["tsconfig.json", "p/a/package.json", "p/a/tsconfig.json", "p/a/a.ts"]), ["p/a", ""]);
        assert_eq!(found(&["p/tsconfig.json", "p/a.ts"]), ["p"]);
        assert!(found(&["tsconfig.base.json", "a.ts"]).is_empty());
        assert!(found(&["tsconfig.json"]).is_empty());
        assert!(found(&["node_modules/x/tsconfig.json", "node_modules/x/a.ts"]).is_empty());
    }

    #[test]
    fn nothing_is_written_into_the_tree() {
        for (text, expected) in [
            ("{}", "-p . --noEmit --pretty false --incremental false"),
            (
                "{ // as usual\n \"compilerOptions\": {\"composite\": true,}}",
                "-p . --noEmit --pretty false --tsBuildInfoFile {reports}/tsbuildinfo",
            ),
            ("{\"files\": [], \"references\": [{\"path\": \"a\"}]}", "--build --force --pretty false"),
        ] {
            let project = project(&[("tsconfig.json", text)], &["a.ts"], &["node_modules/.bin/tsc"]);
            let command = Tsc.command(&Tsc.detect(&project)[0], &project);
            assert_eq!(
                (command.program.as_str(), command.arguments.join(" ")),
                ("node_modules/.bin/tsc", expected.to_owned())
            );
        }
    }
}
