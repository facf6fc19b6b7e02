//! `mypy`: types of Python, where the project has them checked.

use assize_core::path::within;
use assize_report::{ReportError, ToolReport, mypy};

use super::python::{self, PythonTool};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A type checker of Python.
pub struct Mypy;

const MYPY: PythonTool = PythonTool { name: "mypy", calls: &["mypy"] };

impl Gate for Mypy {
    fn id(&self) -> &'static str {
        "mypy"
    }

    fn summary(&self) -> &'static str {
        "checks the types of Python code with mypy"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Types]
    }

    fn calls(&self) -> &'static [&'static str] {
        MYPY.calls
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("mypy")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        MYPY.setups(project)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        // Text, since its sum proves that nothing is missing; old versions know no JSON.
        let cache = format!("--cache-dir={}/mypy", super::BUILD);
        let flags = ["--no-pretty", "--no-color-output", "--show-error-codes", "--error-summary", &cache];
        let mut command = MYPY.command(setup, project, &flags);
        let own = python::environment_program(project, &setup.folder, "python");
        if let Some(own) = own.filter(|_| !command.program.contains("/bin/")) {
            // Installed elsewhere: it has to be told where the project's dependencies are.
            command.arguments.push(format!("--python-executable={}{own}", super::up_from(&setup.folder)));
        }
        let named = mentions::named_paths(project, &setup.folder, MYPY.calls, false);
        // What is said on the command line takes the place of what configuration says.
        if named != ["."] || !names_its_files(project, &setup.folder) {
            command.arguments.extend(named);
        }
        command
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python::is_there(output)?;
        Ok(python::place(mypy::parse(&output.stdout)?, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: an error that stopped it, such as one of syntax.
        &[0, 1, 2]
    }
}

/// Returns whether configuration says what is checked, so that nothing may be said on the command line.
fn names_its_files(project: &Project, folder: &str) -> bool {
    const KEYS: [&str; 3] = ["files", "packages", "modules"];
    let table = python::table(project, &within(folder, "pyproject.toml"), "mypy");
    let ini = |name: &str| {
        let path = within(folder, name);
        KEYS.iter().any(|key| python::setting(project, &path, "mypy", key).is_some())
    };
    table.is_some_and(|table| KEYS.iter().any(|key| table.contains_key(*key)))
        || ["mypy.ini", ".mypy.ini", "setup.cfg"].into_iter().any(ini)
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn what_is_checked_is_said_once() {
        let cache = "--cache-dir={build}/mypy";
        for (path, text, last) in [
            ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "."),
            ("pyproject.toml", "[tool.mypy]\nfiles = [\"src\"]\n", cache),
            ("mypy.ini", "[mypy]\npackages = a\n", cache),
            ("setup.cfg", "[mypy]\nfiles = src\n", cache),
            ("setup.cfg", "[mypy]\nstrict = true\n[other]\nfiles = src\n", "."),
        ] {
            let project = project(&[(path, text)], &["a.py"], &["mypy"]);
            let setup = &Mypy.detect(&project)[0];
            let command = Mypy.command(setup, &project);
            assert_eq!(command.arguments.last().map(String::as_str), Some(last), "{path}: {text}");
        }
    }

    #[test]
    fn a_foreign_mypy_is_told_where_the_dependencies_are() {
        let told = |programs: &[&str], folder: &str| {
            let setup = Setup { folder: folder.to_owned(), because: String::new(), detail: String::new() };
            let arguments = Mypy.command(&setup, &project(&[], &[], programs)).arguments;
            arguments.into_iter().find(|argument| argument.starts_with("--python-executable"))
        };
        let own = ["mypy", ".venv/bin/python"];
        assert_eq!(told(&own, "").as_deref(), Some("--python-executable=.venv/bin/python"));
        assert_eq!(told(&own, "a/b").as_deref(), Some("--python-executable=../../.venv/bin/python"));
        assert_eq!(told(&[".venv/bin/mypy", ".venv/bin/python"], ""), None);
        assert_eq!(told(&["mypy"], ""), None);
    }
}
