//! `pyright`: types of Python, where the project has them checked.

use assize_report::{ReportError, ToolReport, pyright};

use super::python::{self, PythonTool};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A type checker of Python.
pub struct Pyright;

const PYRIGHT: PythonTool = PythonTool { name: "pyright", calls: &["pyright"] };

impl Gate for Pyright {
    fn id(&self) -> &'static str {
        "pyright"
    }

    fn summary(&self) -> &'static str {
        "checks the types of Python code with pyright"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Types]
    }

    fn calls(&self) -> &'static [&'static str] {
        PYRIGHT.calls
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        PYRIGHT.setups(project)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = PYRIGHT.command(setup, project, &["--outputjson"]);
        if let Some(own) = python::environment_program(project, &setup.folder, "python") {
            let path = format!("{}{own}", super::up_from(&setup.folder));
            command.arguments.extend(["--pythonpath".to_owned(), path]);
            if let Some((environment, _)) = own.rsplit_once("/bin/") {
                let folder = format!("{}{environment}/pyright", super::up_from(&setup.folder));
                command.environment.insert("PYRIGHT_PYTHON_CACHE_DIR".to_owned(), folder);
            }
        }
        // Otherwise the package from PyPI tries for a minute to download what it does not find.
        command.environment.insert("npm_config_offline".to_owned(), "true".to_owned());
        let named = mentions::named_paths(project, &setup.folder, PYRIGHT.calls, false);
        command.arguments.extend(named.into_iter().filter(|path| path != "."));
        command
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python::is_there(output)?;
        // The package from PyPI may have words about new versions first.
        let start = output.stdout.iter().position(|byte| *byte == b'{').unwrap_or(0);
        Ok(python::place(pyright::parse(&output.stdout[start..])?, setup, output))
    }
}
