//! Does every file of Python compile. Nothing is imported, so nothing of the project runs.

use std::collections::BTreeMap;

use assize_report::{ToolReport, ReportError, python_compile};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, python};

/// Python's own compiler.
pub struct PythonCompile;

impl Gate for PythonCompile {
    fn id(&self) -> &'static str {
        "python-compile"
    }

    fn summary(&self) -> &'static str {
        "compiles every Python file without running it"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Compilation]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let first = files(project).next();
        let because = first.map(|path| format!("{path} is a file of Python"));
        let setup = |because| Setup { folder: String::new(), because, detail: String::new() };
        because.map(setup).into_iter().collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let files: Vec<&String> = files(project).collect();
        let list = serde_json::to_string(&files).unwrap_or_default();
        GateCommand {
            program: python::interpreter(project, "").unwrap_or_else(|| "python3".to_owned()),
            arguments: vec!["-I".to_owned(), "-B".to_owned(), format!("{}/compile.py", super::REPORTS)],
            folder: setup.folder.clone(),
            environment: BTreeMap::new(),
            provided: [
                ("compile.py".to_owned(), include_str!("../../drivers/compile.py").to_owned()),
                ("files.json".to_owned(), list),
            ]
            .into(),
        }
    }

    fn imports_nothing(&self) -> bool {
        true
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(python::place(python_compile::parse(&output.stdout)?, setup, output))
    }
}

fn files(project: &Project) -> impl Iterator<Item = &String> {
    project.files.iter().filter(|path| path.ends_with(".py") && python::is_code(path))
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn all_files_of_the_project_are_compiled_and_no_others() {
        let files = ["a.py", "t/{{name}}.py", ".venv/x.py", "b.pyi", "pkg/c d.py"];
        let project = project(&[], &files, &["python3"]);
        let setup = &PythonCompile.detect(&project)[0];
        assert_eq!(setup.because, "a.py is a file of Python");
        assert_eq!(PythonCompile.command(setup, &project).provided["files.json"], r#"["a.py","pkg/c d.py"]"#);
    }
}
