//! What the gates of Cargo projects have in common: where they run, and what of a report is made relative.
//!
//! It must not know any of the gates.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Severity;
use assize_core::path::{file_name, is_example, is_within, join, parent, relative_to, within};
use assize_ecosystem::pipeline::PipelineCommand;
use assize_ecosystem::{is_generated, is_test};
use assize_report::{Diagnostic, ReportError, ToolReport};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{GateCommand, GateOutput, Project, Setup};

/// A folder that cargo is run in: the root of a workspace, or a package of its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CargoRoot {
    /// The folder, relative to the root of the project; empty for that itself.
    pub folder: String,
    manifest: toml::Table,
}

/// A package of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CargoPackage {
    /// Its folder.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Whether cargo takes every file in `tests/` for a program of tests.
    pub finds_tests: bool,
}

/// Finds the folders that cargo is run in.
pub(super) fn roots(project: &Project) -> Vec<CargoRoot> {
    let manifests = project.manifests.iter().filter(|(path, _)| file_name(path) == "Cargo.toml");
    let mut found: Vec<CargoRoot> = manifests
        .filter(|(path, _)| !is_generated(path))
        // One that cannot be read is cargo's to complain about.
        .map(|(path, text)| CargoRoot {
            folder: parent(path).to_owned(),
            manifest: toml::from_str(text).unwrap_or_default(),
        })
        .collect();
    found.sort_by_key(|root| (root.folder.split('/').count(), root.folder.clone()));
    let mut roots: Vec<CargoRoot> = Vec::new();
    for candidate in found {
        if stands_alone(&candidate, &roots) {
            roots.push(candidate);
        }
    }
    roots
}

fn stands_alone(candidate: &CargoRoot, roots: &[CargoRoot]) -> bool {
    let above = roots.iter().rev().find(|root| is_within(&candidate.folder, &root.folder));
    let Some(above) = above else { return true };
    let path = format!("{}/Cargo.toml", candidate.folder);
    let aside = is_test(&path) || is_example(&path) || candidate.folder.split('/').any(|part| part == "fuzz");
    if aside {
        return false;
    }
    let is_workspace = above.manifest.contains_key("workspace");
    candidate.manifest.contains_key("workspace")
        || !is_workspace
        || above.excluded().is_match(relative_to(&candidate.folder, &above.folder))
}

impl CargoRoot {
    fn globs(&self, key: &str) -> GlobSet {
        let list =
            self.manifest.get("workspace").and_then(|workspace| workspace.get(key)).and_then(toml::Value::as_array);
        let mut set = GlobSetBuilder::new();
        for pattern in list.into_iter().flatten().filter_map(toml::Value::as_str) {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
                set.add(glob);
            }
        }
        set.build().unwrap_or_default()
    }

    fn excluded(&self) -> GlobSet {
        self.globs("exclude")
    }

    /// Finds the packages that `cargo test --workspace` runs here.
    pub fn packages(&self, project: &Project) -> Vec<CargoPackage> {
        let (members, excluded) = (self.globs("members"), self.excluded());
        let mut manifests: BTreeMap<String, toml::Table> = BTreeMap::new();
        for (path, text) in project.manifests.iter().filter(|(path, _)| file_name(path) == "Cargo.toml") {
            if let Ok(manifest) = toml::from_str(text) {
                manifests.insert(parent(path).to_owned(), manifest);
            }
        }
        let mut wanted: Vec<String> = vec![self.folder.clone()];
        wanted.extend(manifests.keys().filter(|folder| is_within(folder, &self.folder)).filter_map(|folder| {
            let inside = relative_to(folder, &self.folder);
            (members.is_match(inside) && !excluded.is_match(inside)).then(|| folder.clone())
        }));
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut packages = Vec::new();
        let is_workspace = self.manifest.contains_key("workspace");
        while let Some(folder) = wanted.pop() {
            let Some(manifest) = manifests.get(&folder).filter(|_| known.insert(folder.clone())) else { continue };
            if is_workspace {
                let inner = path_dependencies(manifest).into_iter().filter_map(|path| join(&folder, &path));
                wanted.extend(inner.filter(|inner| {
                    is_within(inner, &self.folder) && !excluded.is_match(relative_to(inner, &self.folder))
                }));
            }
            packages.extend(package(&folder, manifest));
        }
        packages.sort_by(|one, other| one.folder.cmp(&other.folder));
        packages
    }
}

fn package(folder: &str, manifest: &toml::Table) -> Option<CargoPackage> {
    let package = manifest.get("package")?.as_table()?;
    let name = package.get("name")?.as_str()?.to_owned();
    let off = package.get("autotests").and_then(toml::Value::as_bool) == Some(false);
    // The first edition looks for tests only if none is named.
    let first_edition = matches!(package.get("edition").map(|edition| edition.as_str()), None | Some(Some("2015")));
    let finds_tests = !(off || first_edition && manifest.contains_key("test"));
    Some(CargoPackage { folder: folder.to_owned(), name, finds_tests })
}

fn path_dependencies(manifest: &toml::Table) -> Vec<String> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = tables.iter().filter_map(|name| manifest.get(*name).and_then(toml::Value::as_table));
    tables
        .flat_map(|table| table.values())
        .filter_map(|dependency| dependency.get("path").and_then(toml::Value::as_str).map(str::to_owned))
        .collect()
}

/// Has cargo compile what does not depend on what could not be compiled. Without it, it is a matter of chance which of
/// several faults it comes to first, and so which of them the base is known to have. Cargo before 1.74 does not know it.
pub(super) const KEEP_GOING: &str = "--keep-going";

/// One setup for each folder that cargo is run in.
pub(super) fn setups(project: &Project, because: &str) -> Vec<Setup> {
    let setup = |root: CargoRoot| Setup { folder: root.folder, because: because.to_owned(), detail: String::new() };
    roots(project).into_iter().map(setup).collect()
}

/// Returns whether a workspace has `cargo nextest` run its tests.
pub(super) fn uses_nextest(project: &Project, folder: &str) -> bool {
    project.files.contains(&within(folder, ".config/nextest.toml"))
}

/// Says how `cargo test` and nextest call tests, each given by its file and its name in there. Cargo's own rules have
/// to say which program the file belongs to. A module that is found by `#[path]` has another name, and no caller asks
/// for that name.
pub(super) fn test_ids(setup: &Setup, project: &Project, tests: &[(String, String)]) -> Vec<Vec<String>> {
    let Some(root) = roots(project).into_iter().find(|root| root.folder == setup.folder) else { return Vec::new() };
    let packages = root.packages(project);
    let ids = |(path, name): &(String, String)| {
        let own = packages.iter().filter(|package| is_within(parent(path), &package.folder));
        let Some(package) = own.max_by_key(|package| package.folder.len()) else { return Vec::new() };
        let inside = relative_to(path, &package.folder);
        let of = |(program, modules): (String, String)| format!("{program} {modules}{name}");
        programs(&package.name, inside, project, &package.folder).into_iter().map(of).collect()
    };
    tests.iter().map(ids).collect()
}

/// Holds a command for the tests of a workspace to the packages that these files belong to, and to programs of tests where
/// they all stand in some. `None` where a file belongs to no package.
pub(super) fn only(mut command: GateCommand, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
    let root = roots(project).into_iter().find(|root| root.folder == setup.folder)?;
    let packages = root.packages(project);
    let (mut names, mut programs) = (BTreeSet::new(), BTreeSet::new());
    for path in files {
        let own = packages.iter().filter(|package| is_within(parent(path), &package.folder));
        let package = own.max_by_key(|package| package.folder.len())?;
        let inside: Vec<&str> = relative_to(path, &package.folder).split('/').collect();
        names.insert(package.name.clone());
        programs.insert(match inside[..] {
            ["tests", name] => name.strip_suffix(".rs").map(str::to_owned),
            ["tests", name, ..]
                if project.files.contains(&within(&package.folder, &format!("tests/{name}/main.rs"))) =>
            {
                Some(name.to_owned())
            }
            _ => None,
        });
    }
    command.arguments.retain(|argument| argument != "--workspace");
    command.arguments.extend(names.into_iter().map(|name| format!("--package={name}")));
    match programs.into_iter().collect::<Option<Vec<String>>>() {
        Some(programs) => command.arguments.extend(programs.into_iter().map(|name| format!("--test={name}"))),
        None => command.arguments.push("--tests".to_owned()),
    }
    Some(command)
}

/// The programs of tests that hold a file of a package, each with the modules that lead to it.
fn programs(package: &str, path: &str, project: &Project, folder: &str) -> Vec<(String, String)> {
    let Some(path) = path.strip_suffix(".rs") else { return Vec::new() };
    let parts: Vec<&str> = path.split('/').collect();
    let modules = |parts: &[&str]| {
        let parts = if parts.last() == Some(&"mod") { &parts[..parts.len() - 1] } else { parts };
        parts.iter().map(|part| format!("{part}::")).collect::<String>()
    };
    let is_root = |program: &str| project.files.contains(&within(folder, &format!("{program}/main.rs")));
    let (library, main) = (package.to_owned(), format!("{package}::bin/{package}"));
    match parts[..] {
        ["src", "lib"] => vec![(library, String::new())],
        ["src", "main"] => vec![(main, String::new())],
        ["src", "bin", name] | ["src", "bin", name, "main"] => {
            vec![(format!("{package}::bin/{name}"), String::new())]
        }
        ["src", "bin", ..] => Vec::new(),
        ["src", ref inner @ ..] => vec![(library, modules(inner)), (main, modules(inner))],
        ["tests", name] | ["tests", name, "main"] => vec![(format!("{package}::{name}"), String::new())],
        ["tests", name, ref inner @ ..] if is_root(&format!("tests/{name}")) => {
            vec![(format!("{package}::{name}"), modules(inner))]
        }
        _ => Vec::new(),
    }
}

/// How maintainers call the tests of a package. What else runs them than `cargo test` may not be installed.
pub(super) const TEST_CALLS: &[&str] = &[
    "cargo t",
    "cargo test",
    "cargo nextest",
    "cargo llvm-cov",
    "cargo tarpaulin",
    "cargo insta test",
    "cargo hack test",
];

/// The options for features that the maintainers call `cargo test` or another command with: those of the call that has most.
fn features(project: &Project, folder: &str, call: &str) -> Vec<String> {
    let of_call = |words: &[String]| {
        let mut found = Vec::new();
        let mut words = words.iter().take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            match word.split_once('=').map_or(word.as_str(), |(option, _)| option) {
                "--all-features" | "--no-default-features" => found.push(word.clone()),
                "--features" | "-F" if word.contains('=') => found.push(word.clone()),
                "--features" | "-F" => {
                    let named = words.next().filter(|named| !named.is_empty() && !named.contains('$'));
                    found.extend(named.map(|named| format!("--features={named}")));
                }
                _ => {}
            }
        }
        found
    };
    let commands = project.pipeline.settled().iter();
    let is_toolchain = |path: &str| matches!(file_name(path), "rust-toolchain" | "rust-toolchain.toml");
    let is_nightly = project.manifests.iter().any(|(path, text)| is_toolchain(path) && text.contains("nightly"));
    let calls = if TEST_CALLS.contains(&call) { TEST_CALLS } else { &[call][..] };
    let is_call = |command: &PipelineCommand| calls.iter().any(|call| command.begins_with(call));
    let called = commands.filter(|command| command.folder == folder && is_call(command));
    let (other, usual): (Vec<_>, Vec<_>) = called.partition(|command| command.is_nightly && !is_nightly);
    // Another compiler knows other features.
    let called = if usual.is_empty() { other } else { usual };
    let all: Vec<Vec<String>> = called.iter().map(|command| of_call(&command.words)).collect();
    let has = |options: &[String], option: &str| options.iter().any(|own| own == option);
    let whole = all.iter().find(|options| has(options, "--all-features"));
    // What is tested with a feature is tested without it as well, for the most part.
    let more = || all.iter().find(|options| !options.is_empty() && !has(options, "--no-default-features"));
    let is_bare = all.iter().any(Vec::is_empty);
    whole.or_else(more).or_else(|| all.first().filter(|_| !is_bare)).cloned().unwrap_or_default()
}

/// A command of cargo's that reaches no network and leaves the lock file alone.
pub(super) fn command(setup: &Setup, project: &Project, arguments: &[&str]) -> GateCommand {
    let lock = within(&setup.folder, "Cargo.lock");
    let call = arguments.first().map(|name| format!("cargo {name}"));
    let mut arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.extend(call.into_iter().flat_map(|call| features(project, &setup.folder, &call)));
    arguments.push("--offline".to_owned());
    if project.files.contains(&lock) {
        arguments.push("--locked".to_owned());
    }
    GateCommand {
        program: "cargo".to_owned(),
        arguments,
        folder: setup.folder.clone(),
        environment: [("CARGO_TERM_COLOR".to_owned(), "never".to_owned())].into(),
        provided: BTreeMap::new(),
    }
}

/// Makes the places of diagnostics relative to the root. Cargo names them from the root of the workspace.
pub(super) fn place(mut report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    for found in &mut report.diagnostics {
        output.place(found, &setup.folder);
    }
    report
}

/// Tells that a part of the toolchain is missing, where cargo or rustup says so.
///
/// # Errors
///
/// The part is missing.
pub(super) fn is_there(output: &GateOutput) -> Result<(), ReportError> {
    let text = String::from_utf8_lossy(&output.stderr);
    let says = |line: &&str| line.contains("error: no such command") || line.contains("is not installed for the");
    match text.lines().find(says) {
        Some(line) if output.status != Some(0) => Err(ReportError::MissingTool(assize_report::message(line))),
        _ => Ok(()),
    }
}

/// Says in a build's general fault what cargo complained about: a build script that failed, a manifest that is wrong.
pub(super) fn explain(mut report: ToolReport, output: &GateOutput) -> ToolReport {
    let text = String::from_utf8_lossy(&output.stderr);
    let start = text.lines().scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    });
    let fault = start.into_iter().find(|(_, line)| line.starts_with("error"));
    for found in report.diagnostics.iter_mut().filter(|found| found.code == "cargo" && found.path.is_none()) {
        if let Some((start, _)) = fault {
            found.message = assize_report::message(text.get(start..).unwrap_or_default());
        }
    }
    report
}

/// Caps lints at warnings, in what belongs to the project as well.
const LINTS_WARN: &str = "build.rustflags=['--cap-lints=warn']";

/// The command for tests that only denied lints kept from being built: code that denies all warnings is denied by the next
/// compiler. `cargo-check` objects to what is new of them. `None` where anything else is wrong.
pub(super) fn despite_lints(command: &GateCommand, report: &ToolReport) -> Option<GateCommand> {
    let is_lint = |found: &Diagnostic| {
        let is_error_code = found.code.strip_prefix('E').is_some_and(|code| code.bytes().all(|c| c.is_ascii_digit()));
        !is_error_code && !matches!(found.code.as_str(), "cargo" | "rustc")
    };
    let mut errors = report.diagnostics.iter().filter(|found| found.severity == Severity::Error).peekable();
    let is_capped = command.arguments.iter().any(|argument| argument == LINTS_WARN);
    if is_capped || report.tests.is_some() || report.diagnostics_left_out > 0 || errors.peek().is_none() {
        return None;
    }
    errors.all(is_lint).then(|| {
        let mut command = command.clone();
        command.arguments.extend(["--config".to_owned(), LINTS_WARN.to_owned()]);
        command
    })
}

/// What rustc says of features that only a nightly compiler has.
const NIGHTLY_ALONE: &str = "E0554";

/// The command without the features that it asks for, where one of them is for a nightly compiler alone and this is none. `None`
/// where something else is wrong.
pub(super) fn without_features(command: &GateCommand, report: &ToolReport) -> Option<GateCommand> {
    let is_asked = |argument: &str| argument == "--all-features" || argument.starts_with("--features=");
    let is_unfit = report.tests.is_none() && report.diagnostics.iter().any(|found| found.code == NIGHTLY_ALONE);
    (is_unfit && command.arguments.iter().any(|argument| is_asked(argument))).then(|| {
        let mut command = command.clone();
        command.arguments.retain(|argument| !is_asked(argument));
        command
    })
}

#[cfg(test)]
pub(super) mod tests {
    use assize_report::TestRun;

    use super::*;

    /// A project of manifests and other files.
    pub(in crate::gate) fn project(manifests: &[(&str, &str)], files: &[&str]) -> Project {
        let manifests: BTreeMap<String, String> =
            manifests.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let files = files.iter().map(|path| (*path).to_owned()).chain(manifests.keys().cloned()).collect();
        Project::new(files, manifests, ["cargo".to_owned()].into())
    }

    fn folders(manifests: &[(&str, &str)]) -> Vec<String> {
        roots(&project(manifests, &[])).into_iter().map(|root| root.folder).collect()
    }

    const PACKAGE: &str = "[package]\nname = \"p\"\nedition = \"2024\"\n";
    const WORKSPACE: &str = "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"tools/own\"]\n";

    #[test]
    fn features_are_those_of_calls_that_this_compiler_can_run() {
        let of = |jobs: &str, files: &[(&str, &str)]| {
            let workflow = format!("on: push\njobs:\n{jobs}");
            let own = [("Cargo.toml", PACKAGE), (".github/workflows/ci.yml", workflow.as_str())];
            features(&project(&[&own[..], files].concat(), &[]), "", "cargo test").join(" ")
        };
        let matrix = "  a:\n    strategy: {matrix: {rust: [nightly, stable]}}\n    steps:\n\
            \x20     - uses: dtolnay/rust-toolchain@master\n        with: {toolchain: '${{ matrix.rust }}'}\n\
            \x20     - run: cargo test --all-features\n        if: matrix.rust == 'nightly'\n";
        assert_eq!(of(matrix, &[]), "--all-features", "no other call says any");
        assert_eq!(of(matrix, &[("rust-toolchain", "nightly-2025-01-01\n")]), "--all-features");
        let both = format!("{matrix}      - run: cargo test --features=a\n        if: matrix.rust != 'nightly'\n");
        assert_eq!(of(&both, &[]), "--features=a");
        let either = matrix.replace("\n        if: matrix.rust == 'nightly'", "");
        assert_eq!(of(&either, &[]), "--all-features", "it runs with both");
        let usual = "  b:\n    steps:\n      - run: cargo test --features=a\n";
        for (step, expected) in [
            ("- uses: dtolnay/rust-toolchain@nightly\n      - run: cargo test --all-features", "--features=a"),
            ("- run: cargo +nightly test --all-features", "--features=a"),
            (
                "- uses: hecrj/setup-rust-action@v1\n        with: {rust-version: nightly}\n      - run: cargo test --all-features",
                "--features=a",
            ),
            ("- run: rustup default nightly\n      - run: cargo test --all-features", "--features=a"),
            (
                "- run: rustup update nightly && rustup default nightly\n      - run: cargo test --all-features",
                "--features=a",
            ),
            ("- uses: dtolnay/rust-toolchain@nightly\n      - run: make test", "--features=a"),
            (
                "- uses: actions-rs/toolchain@v1\n        with: {toolchain: nightly, override: true}\n      - run: make test",
                "--features=a",
            ),
            // It is only installed.
            (
                "- uses: actions-rs/toolchain@v1\n        with: {toolchain: nightly}\n      - run: make test",
                "--all-features",
            ),
            ("- run: cargo test --all-features", "--all-features"),
            ("- run: cargo test", "--features=a"),
        ] {
            let jobs = format!("  a:\n    steps:\n      {step}\n{usual}");
            assert_eq!(of(&jobs, &[("Makefile", "test:\n\tcargo test --all-features\n")]), expected, "{step}");
        }
        // A change says nothing of the features with which the base is tested.
        let project_of = |call: &str| {
            let workflow = format!("on: push\njobs:\n  a:\n    steps:\n      - run: {call}\n");
            project(&[("Cargo.toml", PACKAGE), (".github/workflows/ci.yml", &workflow)], &[])
        };
        let (base, mut change) = (project_of("cargo test --features a"), project_of("cargo test"));
        change.pipeline = change.pipeline.after(&base.pipeline);
        assert_eq!(features(&change, "", "cargo test"), ["--features=a"]);
        for (calls, expected) in [
            ("cargo test && cargo test --no-default-features", ""),
            ("cargo nextest run --all-features", "--all-features"),
            (
                "cargo test --no-default-features && cargo test --no-default-features --features=b",
                "--no-default-features",
            ),
            ("cargo test && cargo test --no-default-features && cargo test --features=a", "--features=a"),
        ] {
            assert_eq!(features(&project_of(calls), "", "cargo test").join(" "), expected, "{calls}");
        }
    }

    #[test]
    fn cargo_runs_where_a_workspace_begins() {
        for (manifests, expected) in [
            (vec![("Cargo.toml", PACKAGE)], vec![""]),
            (vec![("Cargo.toml", WORKSPACE), ("crates/a/Cargo.toml", PACKAGE)], vec![""]),
            (vec![("Cargo.toml", WORKSPACE), ("tools/own/Cargo.toml", PACKAGE)], vec!["", "tools/own"]),
            (vec![("Cargo.toml", WORKSPACE), ("other/Cargo.toml", WORKSPACE)], vec!["", "other"]),
            (vec![("Cargo.toml", PACKAGE), ("sub/Cargo.toml", PACKAGE)], vec!["", "sub"]),
            (vec![("a/Cargo.toml", PACKAGE), ("b/Cargo.toml", PACKAGE)], vec!["a", "b"]),
            (vec![("Cargo.toml", PACKAGE), ("tests/fixtures/x/Cargo.toml", PACKAGE)], vec![""]),
            (vec![("Cargo.toml", PACKAGE), ("fuzz/Cargo.toml", WORKSPACE)], vec![""]),
            (vec![("vendor/x/Cargo.toml", PACKAGE)], vec![]),
            (vec![("Cargo.toml", "[package\n")], vec![""]),
        ] {
            assert_eq!(folders(&manifests), expected, "{manifests:?}");
        }
    }

    #[test]
    fn packages_are_members_and_what_they_depend_on_by_path() {
        let named = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n{rest}");
        let (a, b, c) = (
            named("a", "[dependencies]\nd = { path = \"../../inner/d\" }\n"),
            named("b", ""),
            named("c", "[dev-dependencies]\n"),
        );
        let (d, old) = (named("d", ""), "[package]\nname = \"old\"\n[[test]]\nname = \"x\"\n");
        let off = "[package]\nname = \"off\"\nedition = \"2021\"\nautotests = false\n";
        let project = project(
            &[
                ("Cargo.toml", WORKSPACE),
                ("crates/a/Cargo.toml", &a),
                ("crates/b/Cargo.toml", &b),
                ("crates/old/Cargo.toml", old),
                ("crates/off/Cargo.toml", off),
                ("stray/Cargo.toml", &c),
                ("inner/d/Cargo.toml", &d),
            ],
            &[],
        );
        let packages = roots(&project)[0].packages(&project);
        let found: Vec<(&str, bool)> =
            packages.iter().map(|package| (package.name.as_str(), package.finds_tests)).collect();
        assert_eq!(found, [("a", true), ("b", true), ("off", false), ("old", false), ("d", true)]);
    }

    #[test]
    fn tests_are_called_by_their_files() {
        let named = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n");
        let (one, two) = (named("one"), named("two-x"));
        let manifests = [("Cargo.toml", WORKSPACE), ("crates/one/Cargo.toml", &one), ("crates/two/Cargo.toml", &two)];
        let project = project(&manifests, &["crates/one/tests/big/main.rs"]);
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        for (path, expected) in [
            ("crates/one/src/lib.rs", vec!["one t"]),
            ("crates/one/src/main.rs", vec!["one::bin/one t"]),
            ("crates/two/src/bin/tool.rs", vec!["two-x::bin/tool t"]),
            ("crates/one/src/a/b.rs", vec!["one a::b::t", "one::bin/one a::b::t"]),
            ("crates/one/src/a/mod.rs", vec!["one a::t", "one::bin/one a::t"]),
            ("crates/one/tests/api.rs", vec!["one::api t"]),
            ("crates/one/tests/big/main.rs", vec!["one::big t"]),
            ("crates/one/tests/big/part.rs", vec!["one::big part::t"]),
            // Fixtures, modules that any test may include, examples.
            ("crates/one/tests/ui/fails.rs", vec![]),
            ("crates/one/examples/x.rs", vec![]),
            ("crates/one/build.rs", vec![]),
            ("elsewhere/src/lib.rs", vec![]),
        ] {
            let ids = test_ids(&setup, &project, &[(path.to_owned(), "t".to_owned())]);
            assert_eq!(ids, [expected], "{path}");
        }
    }

    #[test]
    fn the_lock_file_is_kept_where_there_is_one() {
        let setup = Setup { folder: "a".to_owned(), because: String::new(), detail: String::new() };
        let arguments = |files: &[&str]| command(&setup, &project(&[], files), &["check"]).arguments;
        assert_eq!(arguments(&["Cargo.lock"]), ["check", "--offline"]);
        assert_eq!(arguments(&["a/Cargo.lock"]), ["check", "--offline", "--locked"]);
    }

    #[test]
    fn denied_lints_and_features_of_another_compiler_do_not_keep_tests_from_running() {
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let plain = command(&setup, &project(&[], &[]), &["test"]);
        let report = |codes: &[(&str, Severity)]| {
            let of = |(code, severity): &(&str, Severity)| Diagnostic {
                code: (*code).to_owned(),
                severity: *severity,
                path: None,
                line: None,
                message: "m".to_owned(),
                offer: None,
            };
            ToolReport { diagnostics: codes.iter().map(of).collect(), ..ToolReport::default() }
        };
        let (error, warning) = (Severity::Error, Severity::Warning);
        let lints = report(&[("dead_code", error), ("clippy::E", error), ("E0001", warning)]);
        let capped = despite_lints(&plain, &lints).expect("another call");
        assert_eq!(capped.arguments.join(" "), format!("test --offline --config {LINTS_WARN}"));
        assert_eq!(despite_lints(&capped, &lints), None, "once");
        for codes in [
            &[][..],
            &[("dead_code", warning)],
            &[("dead_code", error), ("E0308", error)],
            &[("dead_code", error), ("rustc", error)],
            &[("dead_code", error), ("cargo", error)],
        ] {
            assert_eq!(despite_lints(&plain, &report(codes)), None, "{codes:?}");
        }
        let nightly = report(&[("E0554", error), ("E0308", error)]);
        assert_eq!(without_features(&plain, &nightly), None, "it asks for none");
        let featured = GateCommand {
            arguments: ["test", "--all-features", "--features=a"].map(str::to_owned).into(),
            ..plain.clone()
        };
        let bare = without_features(&featured, &nightly).expect("another call");
        assert_eq!(bare.arguments, ["test"]);
        assert_eq!(without_features(&featured, &lints), None);
        assert_eq!(without_features(&featured, &ToolReport { tests: Some(TestRun::default()), ..nightly }), None);
        assert_eq!(despite_lints(&plain, &ToolReport { diagnostics_left_out: 1, ..lints.clone() }), None);
        assert_eq!(despite_lints(&plain, &ToolReport { tests: Some(TestRun::default()), ..lints }), None);
    }

    #[test]
    fn a_missing_part_of_the_toolchain_is_no_fault_of_the_project() {
        let output = |status: i32, stderr: &str| GateOutput {
            status: Some(status),
            stderr: stderr.as_bytes().to_vec(),
            ..GateOutput::default()
        };
        for (status, stderr, there) in [
            (101, "error: no such command: `clippy`\n", false),
            (1, "error: 'cargo-fmt' is not installed for the toolchain 'stable'\n", false),
            (101, "error[E0308]: mismatched types\n", true),
            (0, "warning: x is not installed for the fun of it\n", true),
        ] {
            assert_eq!(is_there(&output(status, stderr)).is_ok(), there, "{stderr}");
        }
    }
}
