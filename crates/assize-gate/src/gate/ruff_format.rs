//! `ruff format --check`: is Python code formatted, where the project has ruff format it.

use assize_core::finding::Severity;
use assize_core::path::within;
use assize_report::{ToolReport, ReportError, ruff_format};

use super::python;
use super::ruff_check::RUFF;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A formatter of Python.
pub struct RuffFormat;

impl Gate for RuffFormat {
    fn id(&self) -> &'static str {
        "ruff-format"
    }

    fn summary(&self) -> &'static str {
        "checks that Python code is formatted as ruff would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["ruff format"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        // Many have ruff lint and something else format.
        let formats = |setup: Setup| Some(Setup { because: because(project, &setup.folder)?, ..setup });
        RUFF.setups(project).into_iter().filter_map(formats).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = RUFF.command(setup, project, &["format", "--check", "--no-cache"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, self.calls(), false));
        command
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        RUFF.command(setup, project, &["format", "--no-cache"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python::is_there(output)?;
        let report = ruff_format::parse(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        Ok(python::place(report, setup, output))
    }

    fn fails_at(&self, _setup: &Setup) -> Severity {
        Severity::Warning
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a file cannot be parsed, among other troubles.
        &[0, 1, 2]
    }
}

fn because(project: &Project, folder: &str) -> Option<String> {
    let pyproject = within(folder, "pyproject.toml");
    if python::table(project, &pyproject, "ruff").is_some_and(|table| table.contains_key("format")) {
        return Some(format!("{pyproject} has [tool.ruff.format]"));
    }
    for name in ["ruff.toml", ".ruff.toml"] {
        let path = within(folder, name);
        let table: Option<toml::Table> = project.manifests.get(&path).and_then(|text| toml::from_str(text).ok());
        if table.is_some_and(|table| table.contains_key("format")) {
            return Some(format!("{path} has [format]"));
        }
    }
    if folder.is_empty() { mentions::mentioned(project, &["ruff format"]) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn it_is_used_where_ruff_formats() {
        for (path, text, used) in [
            ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", false),
            ("pyproject.toml", "[tool.ruff.format]\nquote-style = \"double\"\n", true),
            ("ruff.toml", "[format]\n", true),
            (".pre-commit-config.yaml", "repos:\n- hooks:\n  - id: ruff\n  - id: ruff-format\n", true),
            (".pre-commit-config.yaml", "repos:\n- hooks:\n  - id: ruff\n", false),
        ] {
            let found = RuffFormat.detect(&project(&[(path, text)], &["a.py"], &[]));
            assert_eq!(!found.is_empty(), used, "{path}: {text}");
        }
    }
}
