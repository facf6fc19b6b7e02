//! What the gates of JavaScript and TypeScript projects have in common: packages, programs, files of tests.
//!
//! It must not know any of the gates.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::{file_name, is_below, parent, relative_to, within};
use assize_ecosystem::{document, holds_tests, is_generated, pipeline, without_samples};
use assize_report::ToolReport;
use assize_report::eslint::CODE_ENDINGS;
use serde_json::Value;

use super::declared::{placed, without_root};
use super::mentions;
use super::{GateCommand, GateOutput, Project, Setup, listed};

/// The keys of `package.json` under which dependencies stand.
const DEPENDENCIES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// A folder with a `package.json`, or the root of a project that has none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodePackage {
    /// The folder, relative to the root of the project; empty for that itself.
    pub folder: String,
    manifest: Value,
    /// The file of make beside it, if there is one, and the names of what else lies there.
    make: Option<(String, BTreeSet<String>)>,
}

impl NodePackage {
    fn of(project: &Project, folder: &str, manifest: Value) -> Self {
        let text = pipeline::MAKEFILES.iter().find_map(|name| project.manifests.get(&within(folder, name)));
        let beside = || {
            let inside = project.files.iter().filter(|path| is_below(path, folder));
            inside.filter_map(|path| relative_to(path, folder).split('/').next()).map(str::to_owned).collect()
        };
        Self { folder: folder.to_owned(), manifest, make: text.map(|text| (text.clone(), beside())) }
    }

    /// The commands that `make TARGET…` runs beside the manifest; `None` where that cannot be told.
    pub fn make_commands(&self, targets: &[&str]) -> Option<Vec<String>> {
        let (text, beside) = self.make.as_ref()?;
        pipeline::make_commands(text, targets, &|name| beside.contains(name))
    }

    /// Reads a script.
    pub fn script(&self, name: &str) -> Option<&str> {
        self.manifest.get("scripts")?.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// The names of all scripts.
    pub fn scripts(&self) -> Vec<&str> {
        let scripts = self.manifest.get("scripts").and_then(Value::as_object);
        scripts.into_iter().flat_map(|scripts| scripts.keys().map(String::as_str)).collect()
    }

    /// Returns whether it names a package as something that it needs.
    pub fn depends_on(&self, name: &str) -> bool {
        DEPENDENCIES.iter().any(|key| self.manifest.get(key).is_some_and(|all| all.get(name).is_some()))
    }

    /// The versions that it asks for of a package that it needs.
    pub fn range(&self, name: &str) -> Option<&str> {
        DEPENDENCIES.iter().find_map(|key| self.manifest.get(key)?.get(name)?.as_str())
    }

    /// Returns whether it has any dependency at all.
    pub fn has_dependencies(&self) -> bool {
        let is_used = |value: &Value| value.as_object().is_some_and(|all| !all.is_empty());
        DEPENDENCIES.iter().any(|key| self.manifest.get(key).is_some_and(is_used))
    }

    /// A key of the manifest, where tools are configured.
    pub fn key(&self, name: &str) -> Option<&Value> {
        self.manifest.get(name)
    }

    /// Whether files that end in `.js` are modules of the standard, not CommonJS.
    pub fn is_module(&self) -> bool {
        self.manifest.get("type").and_then(Value::as_str) == Some("module")
    }

    /// The path of its manifest.
    pub fn path(&self) -> String {
        within(&self.folder, "package.json")
    }
}

/// Finds the packages, the outermost first. Those of dependencies and of fixtures are not the project's.
pub(super) fn packages(project: &Project) -> Vec<NodePackage> {
    let own = |path: &&String| file_name(path) == "package.json" && !is_foreign(path);
    let mut found: Vec<NodePackage> = project
        .manifests
        .keys()
        .filter(own)
        .filter_map(|path| {
            let manifest = document::node_manifest(project.manifests.get(path)?)?;
            Some(NodePackage::of(project, parent(path), manifest))
        })
        .collect();
    found.sort_by_key(|package| (package.folder.matches('/').count(), package.folder.clone()));
    if !project.files.contains("package.json") {
        found.insert(0, NodePackage::of(project, "", Value::Null));
    }
    found
}

/// Returns the package of a folder.
pub(super) fn package(project: &Project, folder: &str) -> NodePackage {
    let found = packages(project).into_iter().find(|package| package.folder == folder);
    found.unwrap_or_else(|| NodePackage::of(project, folder, Value::Null))
}

/// Finds the package that a folder belongs to: its manifest is the nearest above.
pub(super) fn package_around(project: &Project, folder: &str) -> Option<NodePackage> {
    let around =
        packages(project).into_iter().filter(|package| package.folder == folder || is_below(folder, &package.folder));
    around.max_by_key(|package| package.folder.len())
}

/// Whether files that end in `.js` are modules of the standard in a folder.
pub(super) fn holds_modules(project: &Project, folder: &str) -> bool {
    package_around(project, folder).is_some_and(|package| package.is_module())
}

/// The files of a package, relative to it, without those of packages below it.
pub(super) fn files<'a>(project: &'a Project, folder: &'a str) -> impl Iterator<Item = &'a str> {
    let below: BTreeSet<String> = packages(project)
        .into_iter()
        .map(|package| package.folder)
        .filter(|other| other != folder && is_below(other, folder))
        .collect();
    project.files.iter().filter_map(move |path| {
        let inside = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
        let foreign = is_foreign(path) || below.iter().any(|other| is_below(path, other));
        (!foreign).then_some(inside)
    })
}

/// The files of a package that runners collect tests from: `a.test.ts`, `a.spec.js`, `__tests__/a.js`.
pub(super) fn test_files(project: &Project, folder: &str) -> Vec<String> {
    let collected = files(project, folder).filter(|path| holds_tests(path) && is_code(path));
    without_samples(collected.map(str::to_owned).collect())
}

/// Returns whether a file is JavaScript or TypeScript by its name.
pub(super) fn is_code(path: &str) -> bool {
    let name = file_name(path);
    !name.ends_with(".d.ts") && name.rsplit_once('.').is_some_and(|(_, ending)| CODE_ENDINGS.contains(&ending))
}

fn is_foreign(path: &str) -> bool {
    is_generated(path) && file_name(path) != "package-lock.json"
        || path
            .split('/')
            .rev()
            .skip(1)
            .any(|part| matches!(part, "fixtures" | "__fixtures__" | "testdata" | "templates"))
}

/// Finds a program that was installed for a package, in its folder or in one above.
pub(super) fn installed(project: &Project, folder: &str, name: &str) -> Option<String> {
    let mut at = Some(folder);
    while let Some(folder) = at {
        let path = within(folder, &format!("node_modules/.bin/{name}"));
        if project.programs.contains(&path) {
            return Some(path);
        }
        at = if folder.is_empty() { None } else { Some(parent(folder)) };
    }
    None
}

/// The program of a tool: the one that was installed for the package, or else the one on the search path. That it is
/// there is for others to check.
pub(super) fn program(project: &Project, folder: &str, name: &str) -> String {
    let own = within(folder, &format!("node_modules/.bin/{name}"));
    let found = installed(project, folder, name);
    found.unwrap_or_else(|| if project.programs.contains(name) { name.to_owned() } else { own })
}

/// A command that starts a tool of the package.
pub(super) fn command(setup: &Setup, project: &Project, tool: &str, arguments: &[&str]) -> GateCommand {
    GateCommand {
        program: program(project, &setup.folder, tool),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        folder: setup.folder.clone(),
        environment: environment(),
        provided: BTreeMap::new(),
    }
}

/// The environment of every tool: it says that no person watches, that colours are of no use, and that package managers need
/// neither wait for a network that is not there nor install anything, themselves among it, before a script that they run.
pub(super) fn environment() -> BTreeMap<String, String> {
    [
        ("CI", "1"),
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "0"),
        ("NO_UPDATE_NOTIFIER", "1"),
        ("npm_config_offline", "true"),
        ("npm_config_manage_package_manager_versions", "false"),
        ("npm_config_verify_deps_before_run", "false"),
        // Version 11 of pnpm has variables of its own.
        ("pnpm_config_offline", "true"),
        ("pnpm_config_pm_on_fail", "ignore"),
        ("pnpm_config_verify_deps_before_run", "false"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// The environment of every test runner. Projects test whether they print in colours, so nothing is said of them.
pub(super) fn runner_environment() -> BTreeMap<String, String> {
    environment().into_iter().filter(|(name, _)| !name.ends_with("_COLOR")).collect()
}

/// Says by which file or which key of the manifest a tool is configured in a package.
pub(super) fn configured(project: &Project, package: &NodePackage, tool: &str) -> Option<String> {
    let tool = listed(tool);
    let is_config = |path: &&String| parent(path) == package.folder && tool.is_told_by(path);
    if let Some(path) = project.files.iter().find(is_config) {
        return Some(format!("there is a {path}"));
    }
    let mut keys = tool.keys().filter_map(|(_, keys)| keys.first());
    keys.find(|key| package.key(key).is_some()).map(|key| format!("{} has `{key}`", package.path()))
}

/// A setup for each package in which a tool is configured. That it is among the dependencies is not enough. Packages below
/// one that is configured belong to it.
pub(super) fn configured_setups(project: &Project, tool: &str) -> Vec<Setup> {
    outermost(project, |package| configured(project, package, tool))
}

/// The same for a tool that works without settings: a package whose scripts call it has one as well.
pub(super) fn called_setups(project: &Project, tool: &str) -> Vec<Setup> {
    outermost(project, |package| configured(project, package, tool).or_else(|| called(package, tool)))
}

/// The same for a formatter, which works without settings and is often there for people alone: only a call with one of these words, which
/// makes it check, shows that the maintainers ask for it.
pub(super) fn checked_setups(project: &Project, tool: &str, checks: &[&str]) -> Vec<Setup> {
    outermost(project, |package| {
        configured(project, package, tool).or_else(|| {
            let calls = mentions::calls_in(project, &package.folder, &[tool]).into_iter();
            let mut checking = calls.filter(|call| call.words.iter().any(|word| checks.contains(&word.as_str())));
            checking.next().map(|call| format!("{} calls `{}`", call.source, call.words.join(" ")))
        })
    })
}

/// A setup for each package with a reason, but for those below one that has one.
fn outermost(project: &Project, reason: impl Fn(&NodePackage) -> Option<String>) -> Vec<Setup> {
    let mut setups: Vec<Setup> = Vec::new();
    for package in packages(project) {
        let Some(because) = reason(&package) else { continue };
        if !setups.iter().any(|setup| is_below(&package.folder, &setup.folder)) {
            setups.push(Setup { folder: package.folder, because, detail: String::new() });
        }
    }
    setups
}

/// Says by what one sees that a tool is in use in a package: it is configured, a dependency, or called by a script.
pub(super) fn because(project: &Project, package: &NodePackage, tool: &str) -> Option<String> {
    if let Some(configured) = configured(project, package, tool) {
        return Some(configured);
    }
    if let Some(name) = listed(tool).dependencies().find(|name| package.depends_on(name)) {
        return Some(format!("{} depends on {name}", package.path()));
    }
    called(package, tool)
}

/// Says which script of a package calls a tool.
fn called(package: &NodePackage, tool: &str) -> Option<String> {
    let calls = |name: &&&str| {
        let text = package.script(name).unwrap_or_default();
        text.split(|c: char| c.is_whitespace() || "&|;()'\"".contains(c)).any(|word| word == tool)
    };
    package.scripts().iter().find(calls).map(|script| format!("{} has the script `{script}`", package.path()))
}

/// Makes the places of diagnostics and tests relative to the root.
pub(super) fn place(report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    let mut report = placed(report, setup, output);
    if !setup.folder.is_empty() {
        for case in report.tests.iter_mut().flat_map(|run| &mut run.cases) {
            case.id = within(&setup.folder, &case.id);
        }
    }
    for case in report.tests.iter_mut().flat_map(|run| &mut run.cases) {
        case.id = without_root(&case.id, output);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn packages_are_the_project_s_own() {
        let project = project(
            &[
                ("package.json", r#"{"workspaces":["packages/*"]}"#),
                (
                    "packages/a/package.json",
                    r#"{"type":"module","scripts":{"test":"x","build":" "},"devDependencies":{"b":"1"}}"#,
                ),
                ("node_modules/c/package.json", "{}"),
                ("test/fixtures/d/package.json", "{}"),
                ("packages/e/package.json", "{"),
            ],
            &["packages/a/src/a.ts", "b.js"],
            &[],
        );
        let found = packages(&project);
        assert_eq!(found.iter().map(|package| package.folder.as_str()).collect::<Vec<_>>(), ["", "packages/a"]);
        let a = &found[1];
        assert!(a.is_module() && a.depends_on("b") && !a.depends_on("c") && a.has_dependencies());
        assert!(!found[0].is_module() && !found[0].has_dependencies());
        assert_eq!((a.script("test"), a.script("build"), a.script("none")), (Some("x"), None, None));
        assert_eq!(files(&project, "packages/a").collect::<Vec<_>>(), ["package.json", "src/a.ts"]);
        assert!(!files(&project, "").any(|path| path.starts_with("packages/a/")));
    }

    #[test]
    fn a_project_without_a_manifest_is_a_package() {
        let found = packages(&project(&[], &["a.test.js"], &[]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].folder, "");
    }

    #[test]
    fn files_of_tests_have_names() {
        let files = [
            "a.test.js",
            "src/b.spec.tsx",
            "__tests__/c.mjs",
            "d.js",
            "e.test.snap",
            "dist/f.test.js",
            "g.test.d.ts",
            "test/fixtures/h.test.js",
        ];
        assert_eq!(test_files(&project(&[], &files, &[]), ""), ["__tests__/c.mjs", "a.test.js", "src/b.spec.tsx"]);
    }

    #[test]
    fn the_package_s_own_program_goes_first() {
        for (programs, expected) in [
            (&["tsc", "node_modules/.bin/tsc", "p/a/node_modules/.bin/tsc"][..], "p/a/node_modules/.bin/tsc"),
            (&["tsc", "node_modules/.bin/tsc"], "node_modules/.bin/tsc"),
            (&["tsc"], "tsc"),
            (&[], "p/a/node_modules/.bin/tsc"),
        ] {
            assert_eq!(program(&project(&[], &[], programs), "p/a", "tsc"), expected, "{programs:?}");
        }
    }
}
