//! Python: an environment in the folder `.venv`, with the project, what it needs for its tests and checks, and nothing
//! for its documentation.
//!
//! A lock file is followed by the manager that wrote it; a manager that is missing is installed for this one use. Without
//! one, extras, groups, files of requirements and the environments of tox say what belongs to tests and checks: by their
//! names, or because a runner of tests or a checker is among their packages.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::path::within;
use regex::Regex;
use toml::{Table, Value};

use super::hook::{HOOKS_FILE, PinnedChecker, pinned};
use super::requirement::{from_poetry, has_check_tool, is_for_checks, may_name_packages, package};
use super::{Preparation, ProjectView, quoted};
use crate::{is_setting, is_test};

/// Makes the environment.
const ENVIRONMENT: &str = "python3 -m venv .venv";
/// The environment's own installer.
const PIP: &str = ".venv/bin/python -m pip install --quiet";
/// Lock files, and the managers that follow them.
const MANAGERS: [(&str, &str); 4] =
    [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv")];

/// What stands in a requirement for a version or for an environment.
const VERSION_MARKS: [char; 6] = ['=', '<', '>', '~', '@', ';'];

/// Where a manager is installed that is missing.
const MANAGER: &str = "/tmp/assize-manager";

/// Returns the commands; none where nothing has to be installed.
pub(crate) fn commands(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    let mut lines = commands_for_packages(view, folder, preparation);
    let hooks = commands_for_hooks(view, folder, preparation);
    if lines.is_empty() && !hooks.is_empty() {
        lines.push(ENVIRONMENT.to_owned());
    }
    lines.into_iter().chain(hooks).collect()
}

/// Returns the commands for a project that cannot be built: its packages are installed one by one, and it is found where it
/// is. None where it is not built at all.
pub(crate) fn makeshift_commands(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    let declared = DeclaredPackages::of(view, folder);
    if !declared.project {
        return Vec::new();
    }
    let lines = declared.environment().into_iter().chain([declared.unbuilt(view, folder)]);
    lines.chain(commands_for_hooks(view, folder, preparation)).collect()
}

/// The commands for checkers that hooks pin.
fn commands_for_hooks(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    let hooks = (view.text)(&within(folder, HOOKS_FILE)).map(pinned).unwrap_or_default();
    let is_locked = MANAGERS.iter().any(|(file, _)| *file == preparation.file);
    let command = |hook: PinnedChecker| {
        let what: Vec<String> = hook.requirements.iter().map(|it| quoted(it)).collect();
        // The checker that a lock file names is one that the maintainers have installed as well.
        let unless = if is_locked { format!("[ -x .venv/bin/{} ] || ", hook.package) } else { String::new() };
        format!("({unless}{} || true)", by_pip_or_uv(&what.join(" ")))
    };
    hooks.into_iter().map(command).collect()
}

/// The command that adds packages to an environment, which has no pip of its own where uv has made it.
fn by_pip_or_uv(what: &str) -> String {
    format!("{PIP} {what} || PATH=\"{MANAGER}/bin:$PATH\" uv pip install --quiet --python .venv/bin/python {what}")
}

/// The commands for what the project declares.
fn commands_for_packages(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    let declared = DeclaredPackages::of(view, folder);
    let Some((_, manager)) = MANAGERS.iter().find(|(file, _)| *file == preparation.file) else {
        return with_pip(&declared, view);
    };
    let flag = if *manager == "uv" { "--extra" } else { "--extras" };
    let extras: String = match *manager {
        "uv" | "poetry" => declared.extras.iter().map(|extra| format!(" {flag} {}", quoted(extra))).collect(),
        _ => String::new(),
    };
    let listed = format!("{}{extras}", preparation.command);
    // A lock file may be for the project alone, with what its tests need listed elsewhere.
    let beside_lock = uses_pytest(view, folder).then(|| {
        let runner = Some("pytest".to_owned());
        let DeclaredPackages { files, packages, .. } = declared.clone();
        let for_tests = DeclaredPackages { files, packages, runner, ..DeclaredPackages::default() };
        format!("{{ .venv/bin/python -c 'import pytest' || {}; }}", by_pip_or_uv(&for_tests.arguments()))
    });
    if (view.has_program)(manager) {
        return [listed].into_iter().chain(beside_lock).collect();
    }
    // A manager that is fetched may not work; what is declared says nearly as much as its lock file.
    let by_pip = with_pip(&declared, view);
    let otherwise =
        if by_pip.is_empty() { String::new() } else { format!(" || (set -e; rm -rf .venv; {})", by_pip.join("; ")) };
    let fetched = [
        format!("python3 -m venv {MANAGER}"),
        format!("{MANAGER}/bin/python -m pip install --quiet {manager}"),
        format!("(PATH=\"{MANAGER}/bin:$PATH\"; {listed}){otherwise}"),
    ];
    fetched.into_iter().chain(beside_lock).collect()
}

/// The commands that install what is declared with pip.
fn with_pip(declared: &DeclaredPackages, view: &ProjectView<'_>) -> Vec<String> {
    let mut lines = declared.environment();
    let is_there = declared.runner.iter().all(|runner| (view.has_program)(runner));
    let least =
        DeclaredPackages { project: declared.project, runner: declared.runner.clone(), ..DeclaredPackages::default() }
            .arguments();
    let all = declared.arguments();
    if all.is_empty() || is_there && all == least && !declared.needs_packages {
        return Vec::new();
    }
    // Where something of it cannot be installed, tests may run without it: one after the other, as far as it goes.
    let parts: Vec<String> = declared.parts().iter().map(|part| quoted(part)).collect();
    let otherwise = match (least.is_empty() || least == all, parts.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!(" || {PIP} {least}"),
        (false, false) => format!(" || ({PIP} {least} && for it in {}; do {PIP} $it || true; done)", parts.join(" ")),
    };
    lines.push(format!("{PIP} {all}{otherwise}"));
    lines
}

/// What a project declares to be installed for its tests and checks.
#[derive(Clone, Default)]
struct DeclaredPackages {
    /// Whether the folder can be installed itself.
    project: bool,
    /// Whether it needs packages of others at run time.
    needs_packages: bool,
    /// What installing it would bring along: its own requirements and those of its extras, as the standard has them.
    brought: BTreeSet<String>,
    extras: BTreeSet<String>,
    groups: BTreeSet<String>,
    /// Files of requirements.
    files: BTreeSet<String>,
    packages: BTreeSet<String>,
    /// The runner of tests, where nothing else brings it along.
    runner: Option<String>,
}

impl DeclaredPackages {
    fn of(view: &ProjectView<'_>, folder: &str) -> Self {
        let text = |name: &str| (view.text)(&within(folder, name));
        let has = |name: &str| view.files.contains(&within(folder, name));
        let pyproject: Table = text("pyproject.toml").and_then(|text| text.parse().ok()).unwrap_or_default();
        let mut declared = Self::default();
        let is_package = ["build-system", "project"].iter().any(|key| pyproject.contains_key(*key))
            || at(&pyproject, &["tool", "poetry", "name"]).is_some();
        declared.project =
            is_package || has("setup.py") || text("setup.cfg").is_some_and(|it| it.contains("[metadata]"));
        let needed = |path: &[&str]| match at(&pyproject, path) {
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Table(table)) => table.keys().any(|name| name != "python"),
            _ => false,
        };
        declared.needs_packages = needed(&["project", "dependencies"])
            || needed(&["tool", "poetry", "dependencies"])
            || ["setup.cfg", "setup.py"].iter().any(|it| text(it).is_some_and(|it| it.contains("install_requires")));
        declared
            .brought
            .extend(at(&pyproject, &["project", "dependencies"]).into_iter().flat_map(texts).map(str::to_owned));
        declared.read_pyproject(&pyproject);
        declared.read_old(text("setup.cfg").unwrap_or_default(), text("setup.py").unwrap_or_default());
        declared.read_tox(text("tox.ini").unwrap_or_default());
        declared.read_nox(text("noxfile.py").unwrap_or_default());
        let pipfile: Table = text("Pipfile").and_then(|text| text.parse().ok()).unwrap_or_default();
        for key in ["packages", "dev-packages"] {
            declared.add_poetry(pipfile.get(key));
        }
        declared.read_files(view, folder);
        let named = declared.packages.iter().map(|it| package(it)).any(|name| name == "pytest");
        declared.runner = (!named && uses_pytest(view, folder)).then(|| "pytest".to_owned());
        declared
    }

    fn read_pyproject(&mut self, pyproject: &Table) {
        for (name, requirements) in tables(at(pyproject, &["project", "optional-dependencies"])) {
            if is_for_checks(name) || has_check_tool(texts(requirements)) {
                self.extras.insert(name.clone());
                self.brought.extend(texts(requirements).map(str::to_owned));
            }
        }
        for (name, requirements) in tables(pyproject.get("dependency-groups")) {
            if is_for_checks(name) || has_check_tool(texts(requirements)) {
                self.groups.insert(name.clone());
            }
        }
        for path in [&["tool", "uv", "dev-dependencies"][..], &["tool", "pdm", "dev-dependencies"]] {
            let found = at(pyproject, path);
            let listed = tables(found).flat_map(|(_, value)| texts(value)).chain(found.into_iter().flat_map(texts));
            self.packages.extend(listed.filter(|it| !it.starts_with("-e ")).map(str::to_owned));
        }
        for (name, environment) in tables(at(pyproject, &["tool", "hatch", "envs"])) {
            let listed = ["dependencies", "extra-dependencies"].map(|key| environment.get(key));
            let listed: Vec<&str> = listed.into_iter().flatten().flat_map(texts).collect();
            if is_for_checks(name) || has_check_tool(listed.iter().copied()) {
                self.packages.extend(listed.iter().filter(|it| !it.contains('{')).map(|it| (*it).to_owned()));
                self.extras.extend(environment.get("features").into_iter().flat_map(texts).map(str::to_owned));
            }
        }
        self.add_poetry(at(pyproject, &["tool", "poetry", "dev-dependencies"]));
        for (name, group) in tables(at(pyproject, &["tool", "poetry", "group"])) {
            let requirements = group.get("dependencies");
            let names = tables(requirements).map(|(name, _)| name.as_str());
            if is_for_checks(name) || has_check_tool(names) {
                self.add_poetry(requirements);
            }
        }
        if let Some(tox) = at(pyproject, &["tool", "tox", "legacy_tox_ini"]).and_then(Value::as_str) {
            self.read_tox(tox);
        }
        if let Some(environment) = at(pyproject, &["tool", "tox", "env_run_base"]) {
            let list = |key: &str| environment.get(key).into_iter().flat_map(texts).map(str::to_owned);
            self.add_tox_deps(list("deps"));
            self.extras.extend(list("extras"));
            self.groups.extend(list("dependency_groups"));
        }
    }

    /// Adds a table of poetry, in which a name stands before a version.
    fn add_poetry(&mut self, requirements: Option<&Value>) {
        for (name, version) in tables(requirements).filter(|(name, _)| *name != "python") {
            let is_elsewhere = ["path", "git", "url"].iter().any(|key| version.get(key).is_some());
            let version = version.as_str().or_else(|| version.get("version").and_then(Value::as_str));
            if !is_elsewhere {
                self.packages.insert(format!("{name}{}", version.and_then(from_poetry).unwrap_or_default()));
            }
        }
    }

    /// Reads what `setup.cfg` and `setup.py` say.
    fn read_old(&mut self, cfg: &str, setup: &str) {
        for (name, requirements) in ini_section(cfg, "options.extras_require") {
            if is_for_checks(&name) || has_check_tool(requirements.lines()) {
                self.extras.insert(name);
            }
        }
        static EXTRA: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r#"["']([A-Za-z0-9._-]+)["']\s*:\s*[\[(]([^\])]*)"#).expect("valid pattern"));
        static REQUIRED: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"tests_require\s*=\s*[\[(]([^\])]*)").expect("valid pattern"));
        static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["']([^"']+)["']"#).expect("valid pattern"));
        let listed = |text: &str| -> Vec<String> {
            TEXT.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
        };
        if let Some((_, extras)) = setup.split_once("extras_require") {
            for found in EXTRA.captures_iter(extras) {
                if is_for_checks(&found[1]) || has_check_tool(listed(&found[2]).iter().map(String::as_str)) {
                    self.extras.insert(found[1].to_owned());
                }
            }
        }
        let required = REQUIRED.captures(setup).map(|found| listed(&found[1]));
        self.packages.extend(required.unwrap_or_default());
    }

    /// Reads the environment that all others of tox are made of.
    fn read_tox(&mut self, text: &str) {
        for (key, value) in ini_section(text, "testenv") {
            let words =
                || value.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty() && !word.contains('{'));
            match key.as_str() {
                "deps" => self.add_tox_deps(value.lines()),
                "extras" => self.extras.extend(words().map(str::to_owned)),
                "dependency_groups" => self.groups.extend(words().map(str::to_owned)),
                _ => {}
            }
        }
        // Others are for a version of something each: what they have in common is that tests want it.
        let named = text.lines().filter_map(|line| line.trim_end().strip_prefix("[testenv:")?.strip_suffix(']'));
        for name in named {
            let mut of_environment = Self::default();
            for (_, value) in ini_section(text, &format!("testenv:{name}")).iter().filter(|(key, _)| key == "deps") {
                of_environment.add_tox_deps(value.lines());
            }
            let packages = of_environment.packages;
            if has_check_tool(packages.iter().map(String::as_str)) {
                self.packages.extend(packages.into_iter().filter(|it| !it.contains(VERSION_MARKS)));
            }
        }
    }

    /// Reads what sessions of nox for tests and checks install.
    fn read_nox(&mut self, text: &str) {
        static SESSION: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^def (\w+)\(|session\.install\(([^)]*)\)").expect("valid pattern"));
        static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["']([^"']+)["']"#).expect("valid pattern"));
        let mut is_wanted = false;
        for found in SESSION.captures_iter(text) {
            match (found.get(1), found.get(2)) {
                (Some(name), _) => is_wanted = is_for_checks(name.as_str()),
                (_, Some(words)) if is_wanted => {
                    let words = TEXT.captures_iter(words.as_str()).filter_map(|found| Some(found.get(1)?.as_str()));
                    let words: Vec<&str> = words.collect();
                    let plain = words.iter().all(|word| !word.starts_with(['-', '.']) && !word.contains('{'));
                    self.packages.extend(words.iter().filter(|_| plain).map(|word| (*word).to_owned()));
                }
                _ => {}
            }
        }
    }

    fn add_tox_deps(&mut self, lines: impl Iterator<Item = impl AsRef<str>>) {
        for line in lines {
            let line = line.as_ref().split(" #").next().unwrap_or_default().trim();
            // A line for some environments only, or one that is filled in from elsewhere.
            let is_conditional =
                line.split_once(':').is_some_and(|(factor, _)| !factor.contains(['@', '[', ';', '=', '<', '>']));
            if line.is_empty() || line.starts_with('#') || line.contains('{') || is_conditional {
                continue;
            }
            match line.strip_prefix("-r") {
                Some(file) => drop(self.files.insert(file.trim().trim_start_matches("./").to_owned())),
                None if line.starts_with('-') => {}
                None => drop(self.packages.insert(line.to_owned())),
            }
        }
    }

    /// Finds files of requirements that are for tests and checks; others only where nothing else says what is needed.
    fn read_files(&mut self, view: &ProjectView<'_>, folder: &str) {
        let beside = |path: &&String| {
            let inside = if folder.is_empty() { Some(path.as_str()) } else { path.strip_prefix(&format!("{folder}/")) };
            inside.is_some_and(|inside| inside.split('/').count() <= 2)
        };
        let texts = view.files.iter().filter(|path| path.ends_with(".txt") && path.contains("requirements"));
        for path in texts.filter(|path| is_setting(path) && may_name_packages(path)).filter(beside) {
            let inside = path.strip_prefix(&format!("{folder}/")).unwrap_or(path);
            let name = inside.trim_end_matches(".txt").replace("requirements", "");
            let contents = (view.text)(path).unwrap_or_default();
            let is_plain = name.trim_matches(['/', '-', '_', '.']).is_empty();
            let is_wanted =
                is_for_checks(&name) || is_test(path) || has_check_tool(contents.lines()) || is_plain && !self.project;
            if is_wanted {
                self.files.insert(inside.to_owned());
            }
        }
        self.files.retain(|file| view.files.contains(&within(folder, file)));
    }

    /// What can be installed one after the other, beside the project itself. Each is words without spaces.
    fn parts(&self) -> Vec<String> {
        let extras = self.extras.iter().filter(|_| self.project).map(|extra| format!("-e .[{extra}]"));
        let groups = self.groups.iter().map(|group| format!("--group {group}"));
        let files = self.files.iter().map(|file| format!("-r {file}"));
        let all = extras.chain(groups).chain(files);
        let packages = self.packages.iter().filter(|package| !package.contains(char::is_whitespace)).cloned();
        all.filter(|part| part.split(' ').count() == 2).chain(packages).collect()
    }

    /// The commands that make an environment for it.
    fn environment(&self) -> Vec<String> {
        // Groups need version 25.1 of pip.
        let upgraded = (!self.groups.is_empty()).then(|| format!("{PIP} --upgrade pip"));
        [ENVIRONMENT.to_owned()].into_iter().chain(upgraded).collect()
    }

    /// The commands for a project that cannot be built here: all that it would bring along, as far as it goes, and a
    /// line that lets its modules be found where they are, as an editable installation does.
    fn unbuilt(&self, view: &ProjectView<'_>, folder: &str) -> String {
        let lists = self.groups.iter().map(|it| format!("--group {}", quoted(it)));
        let lists = lists.chain(self.files.iter().map(|it| format!("-r {}", quoted(it))));
        let lists = lists.map(|it| format!("{PIP} {it} || true; "));
        let packages = self.brought.iter().chain(&self.packages).chain(&self.runner).map(|it| quoted(it));
        let packages: Vec<String> = packages.collect();
        // Where none of them can be had, there is no network.
        let each = format!(
            "some=; for it in {}; do if {PIP} \"$it\"; then some=1; fi; done; [ -n \"$some\" ] || exit 1; ",
            packages.join(" ")
        );
        let source = within(folder, "src/");
        let source = if view.files.iter().any(|path| path.starts_with(&source)) { "src" } else { "." };
        lists.chain((!packages.is_empty()).then_some(each)).collect::<String>()
            + &format!(
                ".venv/bin/python -c 'import os, sysconfig; open(sysconfig.get_path(\"purelib\") + \"/unbuilt.pth\", \
                 \"w\").write(os.path.abspath(\"{source}\"))'"
            )
    }

    fn arguments(&self) -> String {
        let mut words = Vec::new();
        if self.project {
            let extras = self.extras.iter().cloned().collect::<Vec<_>>().join(",");
            let what = if extras.is_empty() { ".".to_owned() } else { format!(".[{extras}]") };
            words.push(format!("-e {}", quoted(&what)));
        }
        words.extend(self.groups.iter().map(|group| format!("--group {}", quoted(group))));
        words.extend(self.files.iter().map(|file| format!("-r {}", quoted(file))));
        words.extend(self.packages.iter().chain(&self.runner).map(|package| quoted(package)));
        words.join(" ")
    }
}

/// Returns whether the tests of a folder are written for pytest.
fn uses_pytest(view: &ProjectView<'_>, folder: &str) -> bool {
    let is_below = |path: &&String| folder.is_empty() || path.starts_with(&format!("{folder}/"));
    let is_called = |path: &String| (view.text)(path).is_some_and(|text| text.contains("pytest"));
    view.files.iter().filter(is_below).any(|path| {
        crate::holds_tests(path) && path.ends_with(".py") || path.ends_with("conftest.py") || is_called(path)
    })
}

fn at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

fn tables(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_table).into_iter().flatten()
}

/// The texts of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The keys of a section of an ini file with their values, of which one may go on in indented lines.
fn ini_section(text: &str, section: &str) -> Vec<(String, String)> {
    let header = format!("[{section}]");
    let lines =
        text.lines().skip_while(|line| line.trim_end() != header).skip(1).take_while(|line| !line.starts_with('['));
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines {
        match (line.split_once('='), found.last_mut()) {
            (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                value.push('\n');
                value.push_str(line.trim());
            }
            (Some((key, value)), _) if !line.starts_with(['#', ';']) => {
                found.push((key.trim().to_owned(), value.trim().to_owned()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::planned;
    use crate::Language;

    fn line(files: &[(&str, &str)], programs: &[&str]) -> String {
        planned(Language::Python, "", files, programs).expect("a plan").line()
    }

    #[test]
    fn a_tool_that_is_declared_nowhere_is_named_by_what_the_interpreter_says() {
        let files = [("pyproject.toml", "[project]\nname = \"a\"\n[tool.black]\n"), ("tests/test_a.py", "")];
        let plan = planned(Language::Python, "", &files, &[]).expect("a plan");
        for (complaint, expected) in [
            ("/tmp/a/.venv/bin/python: No module named black", Some("black")),
            ("ModuleNotFoundError: No module named 'mypy'", Some("mypy")),
            ("No module named evil; rm -rf /", None),
            ("No module named numpy", None),
            ("it could not be started", None),
        ] {
            let added = plan.line_with_missing(complaint).strip_prefix(&plan.first_line()).map(str::to_owned);
            let expected = expected.map(|tool| format!(" && .venv/bin/python -m pip install --quiet {tool}"));
            assert_eq!(added, Some(expected.unwrap_or_default()), "{complaint}");
        }
        let with_uv = [("pyproject.toml", "[project]\nname = \"a\"\n[tool.black]\n"), ("uv.lock", "version = 1\n")];
        let plan = planned(Language::Python, "", &with_uv, &["uv"]).expect("a plan");
        assert!(plan.line_with_missing("No module named black").ends_with(" && uv pip install black"), "{plan:?}");
    }

    #[test]
    fn what_is_for_tests_and_checks_is_installed() {
        let project = "[project]\nname = \"a\"\n";
        for (files, arguments) in [
            (vec![("pyproject.toml", project.to_owned()), ("tests/test_a.py", String::new())], "-e . pytest"),
            (
                vec![(
                    "pyproject.toml",
                    format!("{project}[project.optional-dependencies]\nyaml = [\"pyyaml\"]\nqa = [\"pytest>=8\"]\n"),
                )],
                "-e '.[qa]' pytest || (PIP -e . pytest && for it in '-e .[qa]'; do PIP $it || true; done)",
            ),
            (
                vec![(
                    "pyproject.toml",
                    format!(
                        "{project}[dependency-groups]\ndocs = [\"sphinx\"]\ndev = [{{ include-group = \"docs\" }}]\n"
                    ),
                )],
                "-e . --group dev || (PIP -e . && for it in '--group dev'; do PIP $it || true; done)",
            ),
            (
                vec![("setup.py", "setup(tests_require=['mock'], extras_require={'dev': ['tox']})".to_owned())],
                "-e '.[dev]' mock || (PIP -e . && for it in '-e .[dev]' mock; do PIP $it || true; done)",
            ),
            (
                vec![
                    ("setup.cfg", "[metadata]\nname = a\n[options.extras_require]\ntesting =\n    pytest\n".to_owned()),
                    ("tox.ini", "[testenv]\ndeps =\n  -rrequirements-x.txt\n  py38: x\n  mock>=1\n".to_owned()),
                    ("requirements-x.txt", String::new()),
                    ("requirements.txt", String::new()),
                ],
                "-e '.[testing]' -r requirements-x.txt 'mock>=1' pytest || (PIP -e . pytest && for it in '-e .[testing]' '-r requirements-x.txt' 'mock>=1'; do PIP $it || true; done)",
            ),
            (
                vec![
                    ("pyproject.toml", project.to_owned()),
                    (
                        "noxfile.py",
                        "def docs(session):\n    session.install('sphinx')\n\ndef tests(session):\n    \
                         session.install('-e', '.')\n    session.install('pytest', 'mock>=1')\n"
                            .to_owned(),
                    ),
                ],
                "-e . 'mock>=1' pytest || (PIP -e . && for it in 'mock>=1' pytest; do PIP $it || true; done)",
            ),
            (
                vec![
                    ("setup.py", String::new()),
                    (
                        "tox.ini",
                        "[testenv:py38-extra]\ndeps =\n  pytest\n  numpy\n  old<2\n[testenv:docs]\ndeps = sphinx\n"
                            .to_owned(),
                    ),
                ],
                "-e . numpy pytest || (PIP -e . && for it in numpy pytest; do PIP $it || true; done)",
            ),
            (
                vec![("requirements.txt", String::new()), ("requirements/test.txt", String::new())],
                "-r requirements.txt -r requirements/test.txt",
            ),
            (
                vec![(
                    "pyproject.toml",
                    "[tool.poetry]\nname = \"a\"\n[tool.poetry.group.dev.dependencies]\npytest = \"^8.1\"\n".to_owned(),
                )],
                "-e . 'pytest>=8.1,<9' || (PIP -e . && for it in 'pytest>=8.1,<9'; do PIP $it || true; done)",
            ),
        ] {
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            let line = line(&files, &[]).replace(super::PIP, "PIP");
            let found = line.trim_start_matches("python3 -m venv .venv && ");
            let found = found.trim_start_matches("PIP --upgrade pip && ").trim_start_matches("PIP ");
            assert_eq!(found, arguments, "{files:?}");
        }
    }

    #[test]
    fn a_project_that_cannot_be_built_is_found_where_it_is() {
        let project = "[project]\ndependencies = [\"six >= 1; python_version < '4'\"]\n\
                       [project.optional-dependencies]\ntest = [\"appdirs\"]\ndoc = [\"sphinx\"]\n\
                       [dependency-groups]\ndev = [\"mypy\"]\n";
        let files = [("pyproject.toml", project), ("src/a/__init__.py", ""), ("tests/test_a.py", "")];
        let makeshift = |files: &[(&str, &str)]| planned(Language::Python, "", files, &[]).expect("a plan").makeshift;
        let found = makeshift(&files).join(" && ").replace(super::PIP, "PIP");
        let expected = "python3 -m venv .venv && PIP --upgrade pip && PIP --group dev || true; some=; for it in appdirs 'six >= 1; python_version < '\\''4'\\''' \
                        pytest; do if PIP \"$it\"; then some=1; fi; done; [ -n \"$some\" ] || exit 1; .venv/bin/python -c 'import os, sysconfig; \
                        open(sysconfig.get_path(\"purelib\") + \"/unbuilt.pth\", \
                        \"w\").write(os.path.abspath(\"src\"))'";
        assert_eq!(found, expected);
        assert!(makeshift(&[("requirements.txt", "six\n")]).is_empty());
    }

    #[test]
    fn checkers_of_hooks_are_installed_in_their_versions() {
        let hooks = "repos:\n- repo: https://github.com/pre-commit/mirrors-mypy\n  rev: v1.2\n  hooks: [{id: mypy}]\n";
        let of = |file: &str| {
            let line =
                line(&[(file, ""), (".pre-commit-config.yaml", hooks), ("tests/test_a.py", "")], &["pytest", "uv"]);
            line.split_once("mypy==1.2").map(|(before, _)| before.to_owned()).expect("it is installed")
        };
        assert_eq!(of("setup.py"), format!("python3 -m venv .venv && ({} ", super::PIP));
        assert!(of("uv.lock").ends_with(&format!("([ -x .venv/bin/mypy ] || {} ", super::PIP)));
    }

    #[test]
    fn nothing_is_installed_where_nothing_is_declared() {
        let project = ("pyproject.toml", "[project]\nname = \"a\"\n");
        let needed = ("pyproject.toml", "[project]\nname = \"a\"\ndependencies = [\"six\"]\n");
        let tests = ("tests/test_a.py", "");
        for (files, programs, is_needed) in [
            (&[project][..], &[][..], false),
            (&[project, tests], &[], true),
            (&[project, tests], &["pytest"], false),
            (&[needed], &[], true),
            (&[("setup.py", "setup(install_requires=['six'])")], &[], true),
            (&[("setup.py", "setup()")], &[], false),
        ] {
            let plan = planned(Language::Python, "", files, programs);
            assert_eq!(plan.is_some(), is_needed, "{files:?} {programs:?}");
        }
    }

    #[test]
    fn a_lock_file_is_followed_by_its_manager() {
        let files = [("pyproject.toml", "[project]\nname = \"a\"\n"), ("uv.lock", "")];
        assert_eq!(line(&files, &["uv"]), "uv sync --frozen --all-groups");
        let without = line(&files, &[]);
        assert!(without.ends_with("; uv sync --frozen --all-groups)"), "{without}");
        assert!(without.contains("pip install --quiet uv && (PATH="), "{without}");
        let apart = [
            ("pyproject.toml", "[project]\nname = \"a\"\n"),
            ("uv.lock", "name = \"b\"\n"),
            ("test-requirements.txt", "pytest\nc\n"),
            ("tests/test_a.py", ""),
        ];
        let line_of_two = line(&apart, &["uv"]);
        let added = "uv sync --frozen --all-groups && { .venv/bin/python -c 'import pytest' || .venv/bin/python -m pip install \
             --quiet -r test-requirements.txt pytest || ";
        assert!(line_of_two.starts_with(added), "{line_of_two}");
        // A manager that was fetched and does not work is not the project's fault.
        let tested = [
            ("pyproject.toml", "[project]\nname = \"a\"\n[dependency-groups]\ntests = [\"pytest\"]\n"),
            ("pdm.lock", ""),
        ];
        let otherwise = line(&tested, &[]);
        assert!(
            otherwise.contains("; pdm sync -G:all) || (set -e; rm -rf .venv; python3 -m venv .venv; "),
            "{otherwise}"
        );
    }
}
