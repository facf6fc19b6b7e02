//! What the gates of Python projects have in common: where tests stand, which tools are in use, how they are called.
//!
//! It must not know any of the gates.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::{file_name, is_below, parent, within};
use assize_ecosystem::{FileRole, Language, holds_tests, is_generated, of_language, without_samples};
use assize_report::{ReportError, ToolReport, message};

use super::{GateCommand, GateOutput, Project, Setup, listed, mentions};

/// Folders that a project keeps its own interpreter in.
fn environments() -> &'static [&'static str] {
    of_language(Language::Python).environments
}

/// A tool, and what gives it away.
pub(super) struct PythonTool {
    /// Its name, as a program, a dependency, a table of `pyproject.toml` and in the list of tools of the ecosystem.
    pub name: &'static str,
    /// Words by which pipelines call it.
    pub calls: &'static [&'static str],
}

/// Returns whether a file is Python code of the project's own.
pub(super) fn is_code(path: &str) -> bool {
    (path.ends_with(".py") || path.ends_with(".pyi")) && !is_foreign(path)
}

/// Files that others wrote, and templates, which are no Python before they are filled in.
fn is_foreign(path: &str) -> bool {
    is_generated(path)
        || path.split('/').any(|part| {
            matches!(part, "site-packages" | "__pycache__") || environments().contains(&part) || part.contains("{{")
        })
}

/// Returns whether a runner takes a file of the project's own for a file of tests by its name.
fn is_collected(path: &str) -> bool {
    // Tests among examples and measurements are not the project's own.
    let role = FileRole::of(&format!("{}/module.py", parent(path)));
    let is_template = path.split('/').any(|part| matches!(part, "templates" | "vendored"));
    let is_aside = is_template || matches!(role, FileRole::Example | FileRole::Benchmark);
    path.ends_with(".py") && holds_tests(path) && is_code(path) && !is_aside
}

/// A folder that a project's tools are run in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PythonRoot {
    /// The folder, relative to the root of the project; empty for that itself.
    pub folder: String,
    /// Files of tests in it, relative to it.
    pub tests: Vec<String>,
}

/// Finds the folders that hold a project of their own, and sorts the files of tests by them.
pub(super) fn roots(project: &Project) -> Vec<PythonRoot> {
    const OWN: [&str; 5] = ["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini"];
    let mut folders: BTreeSet<&str> = BTreeSet::from([""]);
    folders.extend(project.files.iter().filter_map(|path| {
        let (folder, name) = path.rsplit_once('/')?;
        let aside = assize_ecosystem::is_test(path) && !matches!(name, "pytest.ini" | ".pytest.ini");
        (OWN.contains(&name) && !is_foreign(path) && !aside).then_some(folder)
    }));
    let mut roots: BTreeMap<&str, Vec<String>> = folders.iter().map(|folder| (*folder, Vec::new())).collect();
    for path in project.files.iter().filter(|path| is_collected(path)) {
        let above = folders.iter().filter(|folder| is_below(path, folder)).max_by_key(|folder| folder.len());
        let above = *above.unwrap_or(&"");
        roots.entry(above).or_default().push(path[above.len()..].trim_start_matches('/').to_owned());
    }
    let root = |(folder, tests): (&str, _)| PythonRoot { folder: folder.to_owned(), tests: without_samples(tests) };
    roots.into_iter().map(root).collect()
}

impl PythonTool {
    /// Says by what one sees that the tool is in use in a folder; `None` where nothing speaks of it. That it is among the
    /// dependencies is not enough: many are there for those who want them.
    pub(super) fn because(&self, project: &Project, folder: &str) -> Option<String> {
        // Pipelines speak of the whole repository.
        let called = || folder.is_empty().then(|| mentions::mentioned(project, self.calls)).flatten();
        self.configured(project, folder).or_else(called)
    }

    /// Says which manifest of a folder names the tool as a dependency.
    pub(super) fn depended_on(&self, project: &Project, folder: &str) -> Option<String> {
        for (path, text) in
            project.manifests.iter().filter(|(path, _)| parent(path) == folder || in_requirements(path, folder))
        {
            if depends(path, text, self.name) {
                return Some(format!("{path} depends on {}", self.name));
            }
        }
        None
    }

    /// Says by which file the tool is configured in a folder.
    pub(super) fn configured(&self, project: &Project, folder: &str) -> Option<String> {
        let tool = listed(self.name);
        let mut files = tool.files().map(|name| within(folder, name));
        if let Some(path) = files.find(|path| project.files.contains(path)) {
            return Some(format!("there is a {path}"));
        }
        let pyproject = within(folder, "pyproject.toml");
        if table(project, &pyproject, self.name).is_some() {
            return Some(format!("{pyproject} has [tool.{}]", self.name));
        }
        for name in ["setup.cfg", "tox.ini"] {
            let path = within(folder, name);
            if let Some(section) = tool.sections().find(|section| has_section(project, &path, section)) {
                return Some(format!("{path} has [{section}]"));
            }
        }
        None
    }

    /// One setup for each folder in which the tool is in use. A folder below another one that has it is left to that.
    pub(super) fn setups(&self, project: &Project) -> Vec<Setup> {
        let has_code = |folder: &str| project.files.iter().any(|path| is_code(path) && is_below(path, folder));
        let mut setups: Vec<Setup> = Vec::new();
        for root in roots(project) {
            let covered = setups.iter().any(|setup| is_below(&root.folder, &setup.folder));
            if !covered
                && has_code(&root.folder)
                && let Some(because) = self.because(project, &root.folder)
            {
                setups.push(Setup { folder: root.folder, because, detail: String::new() });
            }
        }
        setups
    }

    /// How the tool is called: the project's own, the one on the search path, or as a module of Python.
    pub(super) fn command(&self, setup: &Setup, project: &Project, arguments: &[&str]) -> GateCommand {
        let found = environment_program(project, &setup.folder, self.name);
        let (program, module) = match found {
            Some(own) => (own, false),
            None if project.programs.contains(self.name) => (self.name.to_owned(), false),
            None => match interpreter(project, &setup.folder) {
                Some(python) => (python, true),
                None => (self.name.to_owned(), false),
            },
        };
        // Isolated: a file of the project's must not take the tool's place.
        let module: &[&str] = if module { &["-I", "-m", self.name] } else { &[] };
        GateCommand {
            program,
            arguments: module.iter().chain(arguments).map(|argument| (*argument).to_owned()).collect(),
            folder: setup.folder.clone(),
            environment: [("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned())].into(),
            provided: BTreeMap::new(),
        }
    }
}

/// Finds a program that the project brought along.
pub(super) fn environment_program(project: &Project, folder: &str, name: &str) -> Option<String> {
    let folders = if folder.is_empty() { vec![""] } else { vec![folder, ""] };
    let paths = folders.into_iter().flat_map(|folder| {
        environments().iter().map(move |environment| within(folder, &format!("{environment}/bin/{name}")))
    });
    paths.into_iter().find(|path| project.programs.contains(path))
}

/// Finds the first of these programs that is on the search path.
pub(super) fn on_the_path(project: &Project, names: &[&str]) -> Option<String> {
    names.iter().find(|name| project.programs.contains(**name)).map(|name| (*name).to_owned())
}

/// Finds the interpreter: the project's own, or one on the search path.
pub(super) fn interpreter(project: &Project, folder: &str) -> Option<String> {
    environment_program(project, folder, "python").or_else(|| on_the_path(project, &["python3", "python"]))
}

/// `requirements/dev.txt` belongs to the folder above.
fn in_requirements(path: &str, folder: &str) -> bool {
    path.ends_with(".txt") && parent(path) == within(folder, "requirements")
}

/// Reads a table of `[tool]`.
pub(super) fn table(project: &Project, path: &str, name: &str) -> Option<toml::Table> {
    let manifest: toml::Table = toml::from_str(project.manifests.get(path)?).ok()?;
    manifest.get("tool")?.get(name)?.as_table().cloned()
}

/// Returns whether an ini file has a section.
pub(super) fn has_section(project: &Project, path: &str, section: &str) -> bool {
    let text = project.manifests.get(path).map_or("", String::as_str);
    text.lines().any(|line| line.trim_end() == format!("[{section}]"))
}

/// Reads a setting out of a section of an ini file, with the indented lines that go on with it.
pub(super) fn setting(project: &Project, path: &str, section: &str, key: &str) -> Option<String> {
    let text = project.manifests.get(path)?;
    let mut lines = text.lines().skip_while(|line| line.trim_end() != format!("[{section}]")).skip(1).peekable();
    while let Some(line) = lines.next_if(|line| !line.starts_with('[')) {
        let Some((name, value)) = line.split_once(['=', ':']).filter(|_| !line.starts_with([' ', '\t', '#', ';']))
        else {
            continue;
        };
        if name.trim() != key {
            continue;
        }
        let mut value = value.trim().to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
            value.push(' ');
            value.push_str(more.trim());
        }
        return Some(value);
    }
    None
}

/// Returns whether a manifest names a package as something that it needs.
fn depends(path: &str, text: &str, package: &str) -> bool {
    let name = file_name(path);
    if name == "pyproject.toml" {
        let manifest: toml::Table = toml::from_str(text).unwrap_or_default();
        return required(&manifest).iter().any(|requirement| is_package(requirement, package));
    }
    let listed =
        name.ends_with(".txt") && path.contains("requirements") || matches!(name, "setup.cfg" | "setup.py" | "tox.ini");
    listed
        && text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
            let pieces = line.split(['\'', '"', '=', ',', '[', '(']).map(str::trim);
            pieces.into_iter().any(|piece| is_package(piece, package))
        })
}

/// All requirements that a `pyproject.toml` states, in the ways of the standard, poetry, uv, pdm and hatch.
fn required(manifest: &toml::Table) -> Vec<String> {
    let mut found = Vec::new();
    let project = manifest.get("project");
    gather(project.and_then(|project| project.get("dependencies")), &mut found);
    gather(project.and_then(|project| project.get("optional-dependencies")), &mut found);
    gather(manifest.get("dependency-groups"), &mut found);
    let tools = manifest.get("tool");
    let tool = |path: &[&str]| path.iter().try_fold(tools?, |value, key| value.get(key));
    for path in [&["uv", "dev-dependencies"][..], &["pdm", "dev-dependencies"], &["hatch", "envs"]] {
        gather(tool(path), &mut found);
    }
    for path in [&["poetry", "dependencies"][..], &["poetry", "dev-dependencies"]] {
        names(tool(path), &mut found);
    }
    for group in tool(&["poetry", "group"]).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values) {
        names(group.get("dependencies"), &mut found);
    }
    found
}

/// Takes every text within a value.
fn gather(value: Option<&toml::Value>, found: &mut Vec<String>) {
    match value {
        Some(toml::Value::String(text)) => found.push(text.clone()),
        Some(toml::Value::Array(values)) => values.iter().for_each(|value| gather(Some(value), found)),
        Some(toml::Value::Table(table)) => table.values().for_each(|value| gather(Some(value), found)),
        _ => {}
    }
}

/// Takes the keys of a table.
fn names(value: Option<&toml::Value>, found: &mut Vec<String>) {
    found.extend(value.and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys).cloned());
}

/// Returns whether `pytest-cov>=4 ; python_version<'3.9'` and its like name a package.
fn is_package(requirement: &str, package: &str) -> bool {
    let requirement = requirement.trim();
    let end = requirement.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(requirement.len());
    let rest = requirement[end..].trim_start();
    let is_requirement = rest.is_empty() || rest.starts_with(['[', '=', '<', '>', '!', '~', ';', '@', '(', '#']);
    is_requirement && requirement[..end].to_ascii_lowercase().replace(['_', '.'], "-") == package
}

/// Makes the places of diagnostics and tests relative to the root.
pub(super) fn place(mut report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    for found in &mut report.diagnostics {
        output.place(found, &setup.folder);
        found.message = shortened(&found.message, output);
    }
    for case in report.tests.iter_mut().flat_map(|run| &mut run.cases) {
        if let Some(path) = case.path.take() {
            let placed = output.relative(&path, &setup.folder);
            case.id = format!("{placed}{}", &case.id[path.len()..]);
            case.path = Some(placed);
        }
        case.message = case.message.take().map(|text| shortened(&text, output));
    }
    report
}

/// Takes the root of the tree out of a message: it differs from run to run.
fn shortened(text: &str, output: &GateOutput) -> String {
    if output.root.is_empty() { text.to_owned() } else { text.replace(&format!("{}/", output.root), "") }
}

/// Tells that a module is missing, where Python says so.
///
/// # Errors
///
/// The module is missing.
pub(super) fn is_there(output: &GateOutput) -> Result<(), ReportError> {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.trim_end().lines().last().unwrap_or_default();
    if output.status == Some(1) && output.stdout.trim_ascii().is_empty() && last.contains(": No module named ") {
        return Err(ReportError::MissingTool(message(last)));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A project of manifests, other files and programs.
    pub(in crate::gate) fn project(manifests: &[(&str, &str)], files: &[&str], programs: &[&str]) -> Project {
        let manifests: BTreeMap<String, String> =
            manifests.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let files = files.iter().map(|path| (*path).to_owned()).chain(manifests.keys().cloned()).collect();
        Project::new(files, manifests, programs.iter().map(|name| (*name).to_owned()).collect())
    }

    const TOOL: PythonTool = PythonTool { name: "mypy", calls: &["mypy"] };

    #[test]
    fn tests_belong_to_the_nearest_project() {
        let files = [
            "test_top.py",
            "pkg/tests/test_a.py",
            "pkg/pyproject.toml",
            "pkg/tests/fixtures/test_x.py",
            "a/b_test.py",
            "pkg/x.py",
        ];
        let found: Vec<(String, Vec<String>)> =
            roots(&project(&[], &files, &[])).into_iter().map(|root| (root.folder, root.tests)).collect();
        assert_eq!(
            found,
            [
                (String::new(), vec!["a/b_test.py".to_owned(), "test_top.py".to_owned()]),
                ("pkg".to_owned(), vec!["tests/test_a.py".to_owned()])
            ]
        );
    }

    #[test]
    fn samples_are_tests_where_there_are_no_others() {
        let tests = |files: &[&str]| roots(&project(&[], files, &[])).remove(0).tests;
        assert_eq!(tests(&["tests/scenarios/test_a.py"]), ["tests/scenarios/test_a.py"]);
        assert_eq!(tests(&["tests/scenarios/test_a.py", "tests/test_b.py"]), ["tests/test_b.py"]);
    }

    #[test]
    fn files_of_tests_have_names() {
        for path in ["test_a.py", "tests/test_b.py", "a_test.py", "app/tests.py", "tests/scenarios/test_a.py"] {
            assert!(is_collected(path), "{path}");
        }
        for path in [
            "testing.py",
            "tests/helper.py",
            "test_a.txt",
            ".venv/lib/test_a.py",
            "venv/x/test_a.py",
            "node_modules/a/test_a.py",
            "examples/test_a.py",
        ] {
            assert!(!is_collected(path), "{path}");
        }
    }

    #[test]
    fn a_tool_is_in_use_where_it_is_set_up_or_called() {
        for (path, text, because) in [
            ("mypy.ini", "", Some("there is a mypy.ini")),
            ("pyproject.toml", "[tool.mypy]\nstrict = true\n", Some("pyproject.toml has [tool.mypy]")),
            ("setup.cfg", "[metadata]\n[mypy]\n", Some("setup.cfg has [mypy]")),
            ("tox.ini", "[testenv]\ncommands = mypy src\n", Some("tox.ini, environment `py` calls `mypy`")),
            ("pyproject.toml", "[project]\ndependencies = [\"mypy>=1\"]\n", None),
            ("pyproject.toml", "[tool.mypy", None),
        ] {
            let found = TOOL.because(&project(&[(path, text)], &[], &[]), "");
            assert_eq!(found.as_deref(), because, "{path}: {text}");
        }
    }

    #[test]
    fn manifests_name_dependencies_in_many_ways() {
        for (path, text, found) in [
            ("pyproject.toml", "[project]\ndependencies = [\"mypy>=1\"]\n", true),
            ("pyproject.toml", "[project.optional-dependencies]\ndev = [\"MyPy\"]\n", true),
            ("pyproject.toml", "[dependency-groups]\ndev = [\"mypy[faster-cache] ~= 1.2\"]\n", true),
            ("pyproject.toml", "[tool.poetry.group.dev.dependencies]\nmypy = \"*\"\n", true),
            ("pyproject.toml", "[tool.hatch.envs.lint]\ndependencies = [\"mypy\"]\n", true),
            ("requirements-dev.txt", "pytest\nmypy==1.4 # types\n", true),
            ("requirements/dev.txt", "mypy\n", true),
            ("setup.py", "setup(extras_require={'dev': ['mypy>=1']})\n", true),
            ("pyproject.toml", "[project]\nname = \"mypy\"\ndescription = \"mypy is nice\"\n", false),
            ("requirements.txt", "mypy-extensions==1\n# mypy\n", false),
            ("requirements.txt", "pytest  # not mypy\n", false),
        ] {
            let because = TOOL.depended_on(&project(&[(path, text)], &[], &[]), "");
            let expected = found.then(|| format!("{path} depends on mypy"));
            assert_eq!(because, expected, "{path}: {text}");
        }
    }

    #[test]
    fn a_folder_below_is_left_to_the_one_above() {
        let on = "[tool.mypy]\n";
        let folders = |manifests: &[(&str, &str)]| -> Vec<String> {
            let files = ["a.py", "pkg/b.py"];
            TOOL.setups(&project(manifests, &files, &[])).into_iter().map(|setup| setup.folder).collect()
        };
        assert_eq!(folders(&[("pyproject.toml", on), ("pkg/pyproject.toml", on)]), [""]);
        assert_eq!(folders(&[("pyproject.toml", ""), ("pkg/pyproject.toml", on)]), ["pkg"]);
        assert!(folders(&[("docs/pyproject.toml", on)]).is_empty(), "there is no code");
    }

    #[test]
    fn the_project_s_own_program_goes_first() {
        let setup = Setup { folder: "pkg".to_owned(), because: String::new(), detail: String::new() };
        for (programs, program, first) in [
            (&["mypy", "python3", "pkg/.venv/bin/mypy", ".venv/bin/mypy"][..], "pkg/.venv/bin/mypy", "--x"),
            (&["mypy", "python3", ".venv/bin/mypy"], ".venv/bin/mypy", "--x"),
            (&["mypy", "python3"], "mypy", "--x"),
            (&["python3", "python"], "python3", "-I"),
            (&["python", "venv/bin/python"], "venv/bin/python", "-I"),
            (&[], "mypy", "--x"),
        ] {
            let command = TOOL.command(&setup, &project(&[], &[], programs), &["--x"]);
            assert_eq!((command.program.as_str(), command.arguments[0].as_str()), (program, first), "{programs:?}");
        }
    }

    #[test]
    fn settings_may_go_over_lines() {
        let text = "[a]\nx = 1\n[tool:pytest]\n# x = 2\nx = 3\ntestpaths =\n    unit\n    more\ny: 4\n[b]\nz = 5\n";
        let project = project(&[("setup.cfg", text)], &[], &[]);
        let read = |key: &str| setting(&project, "setup.cfg", "tool:pytest", key);
        assert_eq!(read("testpaths").as_deref(), Some(" unit more"));
        assert_eq!((read("x").as_deref(), read("y").as_deref(), read("z")), (Some("3"), Some("4"), None));
    }

    #[test]
    fn a_missing_module_is_no_fault_of_the_project() {
        let output = |stdout: &str, stderr: &str| GateOutput {
            status: Some(1),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            ..GateOutput::default()
        };
        assert!(matches!(
            is_there(&output("", "/usr/bin/python3: No module named mypy\n")),
            Err(ReportError::MissingTool(_))
        ));
        assert!(is_there(&output("a.py:1: error: x", "")).is_ok());
        assert!(is_there(&output("a.py:1: error: x", "python3: No module named mypy\n")).is_ok());
    }
}
