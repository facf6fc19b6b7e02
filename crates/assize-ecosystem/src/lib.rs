//! What Assize knows of each ecosystem: one file for each, and one answer to each question.
//!
//! Manifests and lock files, what is a test, generated or vendored path, which commands run tests or checks, where packages and toolchains
//! are installed, which registries everybody uses. Gates, rules, the test policy, the sandbox, the dependency check and the brief ask here.
//! Everything is told from paths and words alone: nothing is read or run.
//!
//! # Example
//!
//! ```rust
//! use assize_ecosystem::command::CommandRole;
//! use assize_ecosystem::{FileRole, command_role, of_manifest};
//!
//! assert_eq!(FileRole::of("src/orders.ts"), FileRole::Production);
//! assert_eq!(FileRole::of("src/orders.test.ts"), FileRole::Test);
//! assert_eq!(FileRole::of("web/node_modules/left-pad/index.js"), FileRole::Vendored);
//!
//! // Variables and wrappers before a program do not change what the command does.
//! let role = |command: &str| command_role(&command.split_whitespace().collect::<Vec<_>>());
//! assert_eq!(role("RUST_LOG=debug timeout 60 cargo nextest run"), CommandRole::Test);
//! assert_eq!(role("cargo clippy --workspace"), CommandRole::Check);
//! assert_eq!(role("git status"), CommandRole::Other);
//!
//! let (ecosystem, is_lock_file) = of_manifest("api/Cargo.lock").expect("a file of Cargo");
//! assert!(is_lock_file);
//! assert!(ecosystem.manifests.contains(&"Cargo.toml"));
//! ```

pub mod command;
pub mod document;
mod ecosystem;
mod language;
pub mod marker;
pub mod node_version;
pub mod pattern;
pub mod pipeline;
pub mod preparation;
pub mod role;
pub mod test_kind;
pub mod tool;

pub use ecosystem::{
    ECOSYSTEMS, Ecosystem, GeneratedPaths, Install, TestPaths, is_collected_by_node, javascript_runner,
};
pub use language::Language;
pub use role::{FileRole, is_tried_or_copied};

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::path::{ending, file_name, parent};

use command::CommandRole;
use marker::{SkipMarker, TestMarkers};
use tool::Tool;

/// Returns the ecosystem that a language belongs to.
pub fn of_language(language: Language) -> &'static Ecosystem {
    let found = ECOSYSTEMS.iter().find(|ecosystem| ecosystem.languages.contains(&language));
    found.expect("every language belongs to an ecosystem")
}

/// Returns the ecosystem whose manifest or lock file this is, and whether it is a lock file.
pub fn of_manifest(path: &str) -> Option<(&'static Ecosystem, bool)> {
    let name = file_name(path);
    ECOSYSTEMS.iter().find_map(|ecosystem| {
        let is_lock = ecosystem.lock_files.contains(&name);
        (is_lock || pattern::any(ecosystem.manifests, name)).then_some((ecosystem, is_lock))
    })
}

/// Returns the ecosystem that a program belongs to: one of its tools, or one that lies among its dependencies. `None`
/// where the name says nothing.
pub fn of_program(program: &str) -> Option<&'static Ecosystem> {
    let name = file_name(program);
    let lies_in = |folders: &[&str]| program.split('/').rev().skip(1).any(|part| folders.contains(&part));
    let found = |is_meant: &dyn Fn(&Ecosystem) -> bool| ECOSYSTEMS.iter().find(|ecosystem| is_meant(ecosystem));
    found(&|it| lies_in(it.dependency_folders) || lies_in(it.environments))
        .or_else(|| found(&|it| it.tools.iter().any(|tool| tool.id.split(' ').next() == Some(name))))
        .or_else(|| found(&|it| (it.role)(name, &[]).is_some()))
}

/// Returns whether the folder of this file is a project of its own.
pub fn is_project_file(path: &str) -> bool {
    ECOSYSTEMS.iter().any(|ecosystem| ecosystem.project_files.contains(&file_name(path)))
}

/// Returns whether an ecosystem may keep installed packages beside this manifest.
pub fn has_dependencies_beside(path: &str) -> bool {
    let name = file_name(path);
    ECOSYSTEMS.iter().any(|it| !it.dependency_folders.is_empty() && pattern::any(it.manifests, name))
}

/// Returns whether the file holds source code.
pub fn is_code(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Returns whether the file belongs to the JavaScript family, components of Vue and Svelte included.
pub fn is_script(path: &str) -> bool {
    Language::of(path).is_some_and(Language::is_script) || matches!(ending(path), Some("vue" | "svelte"))
}

/// Returns whether the file is a test, or is there for tests: a helper, a fixture, an expected output.
pub fn is_test(path: &str) -> bool {
    FileRole::of(path).is_for_tests()
}

/// Returns whether the file lies among what tests read: code that stands for somebody else's, cases, expected outputs.
/// Runners collect tests from there all the same, where a file bears the name of one.
pub fn is_test_input(path: &str) -> bool {
    let holds_cases = |folder: &str| matches!(folder, "data" | "cases" | "corpus" | "golden");
    match FileRole::of_folders(path) {
        Some(FileRole::Fixture) => true,
        Some(FileRole::Test) => parent(path).split('/').any(holds_cases),
        _ => false,
    }
}

/// Returns the files of tests that a runner is meant to run. Those among what tests read are usually samples; they
/// count where there are no others.
pub fn without_samples(tests: Vec<String>) -> Vec<String> {
    let (samples, own): (Vec<String>, Vec<String>) = tests.into_iter().partition(|path| is_test_input(path));
    if own.is_empty() { samples } else { own }
}

/// Returns whether a runner collects tests from the file by its name, where it lies.
pub fn holds_tests(path: &str) -> bool {
    let is_collected = |language| {
        let tests = &of_language(language).tests;
        (tests.collects)(path, pattern::any(tests.names, file_name(path)))
    };
    FileRole::of(path) == FileRole::Test && Language::of(path).is_some_and(is_collected)
}

/// Returns the stem of the file that a test file is named after: `parser` for `test_parser.py`.
pub fn tested_stem(test: &str) -> &str {
    let stem = file_name(test).split('.').next().unwrap_or_default();
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let endings = ["_test", "_tests", "_spec", "Tests", "Test", "Spec", "IT"];
    endings.iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(stem)
}

/// Returns whether the file says what there is to build or configures a tool, so that gates are recognized by what stands in it.
pub fn is_setting(path: &str) -> bool {
    let name = file_name(path);
    let is_listed = path.contains("requirements") && name.ends_with(".txt");
    is_listed
        || calls_tools(path)
        || is_checker_setting(path)
        || is_runner_setting(path)
        || ECOSYSTEMS.iter().any(|it| pattern::any(it.manifests, name) || pattern::any(it.settings, name))
}

/// Returns whether the file says which tools a project calls: pipelines, hooks before commits, files of make and just.
pub fn calls_tools(path: &str) -> bool {
    const NAMES: [&str; 22] = [
        ".gitlab-ci.yml",
        ".golangci.json",
        ".golangci.toml",
        ".golangci.yaml",
        ".golangci.yml",
        ".justfile",
        ".pre-commit-config.yaml",
        "azure-pipelines.yml",
        "GNUmakefile",
        "Jenkinsfile",
        "Justfile",
        "Makefile",
        "Taskfile.yaml",
        "Taskfile.yml",
        "justfile",
        "makefile",
        "hatch.toml",
        "noxfile.py",
        "pnpm-workspace.yaml",
        "prek.toml",
        "tox.ini",
        "tox.toml",
    ];
    let is_action = matches!(file_name(path), "action.yml" | "action.yaml");
    path.starts_with(".github/workflows/")
        || path.starts_with(".github/") && is_action
        || path == ".circleci/config.yml"
        || path.starts_with(".ci/")
        || NAMES.contains(&file_name(path))
}

/// Returns whether the file is written by a tool or copied from others: lock files, snapshots, minified or vendored code.
pub fn is_generated(path: &str) -> bool {
    ecosystem::is_generated(path)
}

/// Returns whether the file tells a runner of tests what to do, or takes its place.
pub fn is_runner_configuration(path: &str) -> bool {
    let name = file_name(path);
    let top = path.split('/').next().unwrap_or_default();
    let is_of = |ecosystem: &Ecosystem| {
        pattern::any(ecosystem.runner_files, name)
            || ecosystem.runner_folders.iter().any(|folder| match folder.strip_suffix('/') {
                Some(anywhere) => format!("/{path}").contains(&format!("/{anywhere}/")),
                None => top == *folder,
            })
    };
    is_runner_setting(path) || ECOSYSTEMS.iter().any(is_of)
}

/// Ranks files by what a reader of a change needs first: code, then prose and settings, then what tools write.
pub fn reading_rank(path: &str) -> u8 {
    match (is_generated(path), is_code(path)) {
        (true, _) => 2,
        (false, true) => 0,
        (false, false) => 1,
    }
}

/// Folders of a project that hold installed packages of others.
pub fn dependency_folders() -> impl Iterator<Item = &'static str> {
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.dependency_folders).copied()
}

/// The folders in a folder of dependencies that packages in it write to while they run; `has` says which packages there are.
pub fn scratch_folders(has: impl Fn(&str) -> bool) -> BTreeSet<&'static str> {
    let folders = ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.scratch_folders);
    folders.filter(|(package, _)| has(package)).map(|(_, folder)| *folder).collect()
}

/// The folders for caches in a folder of dependencies of this name.
pub fn cache_folders(name: &str) -> impl Iterator<Item = &'static str> {
    let having = ECOSYSTEMS.iter().filter(move |ecosystem| ecosystem.dependency_folders.contains(&name));
    having.flat_map(|ecosystem| ecosystem.cache_folders).copied()
}

/// The folders among these files that package managers have filled: what they leave behind says so.
pub fn installed_folders<'a>(files: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let is_mark = |path: &str| {
        let ends = |mark: &str| path.strip_suffix(mark).is_some_and(|above| above.is_empty() || above.ends_with('/'));
        ECOSYSTEMS.iter().any(|ecosystem| ecosystem.marks_of_installed.iter().any(|mark| ends(mark)))
    };
    let folders = files.into_iter().filter(|path| is_mark(path)).map(parent);
    folders.filter(|folder| !folder.is_empty()).collect()
}

/// The stores of packages and toolchains below a home folder.
pub fn installs() -> impl Iterator<Item = &'static Install> {
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.installs)
}

/// The hosts of registries that everybody uses.
pub fn registries() -> impl Iterator<Item = &'static str> {
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.registries).copied()
}

/// Tells the role of a simple command from its words.
pub fn command_role(words: &[&str]) -> CommandRole {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        let is_wrapper = ECOSYSTEMS.iter().any(|ecosystem| ecosystem.wrappers.contains(first));
        let is_assignment = first.contains('=') && !first.starts_with(['-', '.', '/']);
        let is_argument = first.starts_with('-') || first.trim_end_matches(['s', 'm']).parse::<f64>().is_ok();
        if !(is_wrapper || is_assignment || is_argument || matches!(*first, "run" | "exec" | "-m")) {
            break;
        }
        words = rest;
    }
    let Some((&called, arguments)) = words.split_first() else { return CommandRole::Other };
    let program = called.rsplit('/').next().unwrap_or(called);
    if let Some(role) = ECOSYSTEMS.iter().find_map(|ecosystem| (ecosystem.role)(program, arguments)) {
        return role;
    }
    match program {
        _ if command::is_test_word(program) => CommandRole::Test,
        _ if called.starts_with("./") || called.starts_with('/') || program.contains('.') => CommandRole::Script,
        _ => CommandRole::Other,
    }
}

/// All tools of all ecosystems. One that serves several is listed in each with what shows it there.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.tools)
}

/// Finds a tool by its name.
pub fn find_tool(id: &str) -> Option<&'static Tool> {
    tools().find(|tool| tool.id == id)
}

fn files_of(is_meant: fn(&Tool) -> bool) -> Vec<&'static str> {
    tools().filter(|tool| is_meant(tool)).flat_map(Tool::files).collect()
}

/// Returns whether code imports a runner of tests, or what is used with one, by this name.
pub fn is_test_package(name: &str) -> bool {
    let starts = |package: &&str| {
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
    };
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.test_packages).any(starts)
}

/// Returns whether a file is there to tell a linter, formatter or type checker what to object to.
pub fn is_checker_setting(path: &str) -> bool {
    static FILES: LazyLock<Vec<&str>> = LazyLock::new(|| files_of(Tool::is_checker));
    pattern::any(&FILES, file_name(path))
}

/// Returns whether a file is there to tell a runner of tests what to do.
pub(crate) fn is_runner_setting(path: &str) -> bool {
    static FILES: LazyLock<Vec<&str>> = LazyLock::new(|| files_of(Tool::is_runner));
    pattern::any(&FILES, file_name(path))
}

/// Tells how a line leaves a test out of the run.
///
/// # Example
///
/// ```rust
/// use assize_ecosystem::marker::SkipMarker;
/// use assize_ecosystem::{Language, skip_marker};
///
/// let line = "@pytest.mark.skip(reason='')";
/// assert_eq!(skip_marker(Language::Python, line, line), Some(SkipMarker::Always));
/// assert_eq!(skip_marker(Language::Python, "skip(3)", "skip(3)"), None);
/// ```
pub fn skip_marker(language: Language, code: &str, raw: &str) -> Option<SkipMarker> {
    (of_language(language).markers.skip)(code, raw)
}

/// Returns whether a line leaves out all tests but its own.
pub fn is_focus_marker(language: Language, code: &str) -> bool {
    (of_language(language).markers.focus)(code)
}

/// Texts of which at least one stands in every line that leaves a test out.
pub fn skip_hints() -> &'static [&'static str] {
    static HINTS: LazyLock<Vec<&str>> = LazyLock::new(|| gathered(|markers| markers.skip_hints));
    &HINTS
}

/// Texts of which at least one stands in every line that leaves the other tests out.
pub fn focus_hints() -> &'static [&'static str] {
    static HINTS: LazyLock<Vec<&str>> = LazyLock::new(|| gathered(|markers| markers.focus_hints));
    &HINTS
}

fn gathered(hints: fn(&TestMarkers) -> &'static [&'static str]) -> Vec<&'static str> {
    let mut all: Vec<&str> = ECOSYSTEMS.iter().flat_map(|ecosystem| hints(&ecosystem.markers)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_command_tell_its_role() {
        for (command, role) in [
            ("cargo +nightly nextest run", CommandRole::Test),
            ("RUST_LOG=1 timeout 60 cargo build", CommandRole::Check),
            ("npx vitest run", CommandRole::Test),
            ("npx playwright test", CommandRole::Test),
            ("npx playwright install chromium", CommandRole::Other),
            ("pnpm playwright install chromium", CommandRole::Other),
            ("playwright install-deps", CommandRole::Other),
            ("uv run pytest -q", CommandRole::Test),
            ("./gradlew check", CommandRole::Test),
            ("swift test", CommandRole::Test),
            ("swift build", CommandRole::Check),
            ("./run_tests.sh", CommandRole::Test),
            ("perl tests/a.t", CommandRole::Script),
            ("perl test_a.pl", CommandRole::Test),
            ("ls tests", CommandRole::Other),
            ("", CommandRole::Other),
        ] {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(command_role(&words), role, "{command}");
        }
    }

    #[test]
    fn a_tool_knows_its_files_and_manifests() {
        let mypy = find_tool("mypy").expect("a tool");
        assert!(mypy.is_checker() && !mypy.is_runner());
        for (path, has, may_read) in [
            ("web/mypy.ini", true, true),
            ("setup.cfg", false, true),
            ("pyproject.toml", false, true),
            ("package.json", false, false),
            ("mypy.initial", false, false),
        ] {
            assert_eq!((mypy.has_file(path), mypy.may_read(path)), (has, may_read), "{path}");
        }
        assert!(
            find_tool("rustfmt")
                .is_some_and(|tool| tool.is_unasked("crates/a/Cargo.toml") && !tool.is_unasked("go.mod"))
        );
    }

    #[test]
    fn settings_are_told_by_the_kind_of_their_tool() {
        for (path, checker, runner) in [
            ("a/.eslintrc.json", true, false),
            (".editorconfig", true, false),
            ("jest.setup.ts", false, true),
            ("pytest.toml", false, true),
            (".oxlintrc.json", true, false),
            // The compiler reads the one that it is told to read.
            ("tsconfig.json", false, false),
            ("Cargo.toml", false, false),
            ("uv.lock", false, false),
        ] {
            assert_eq!((is_checker_setting(path), is_runner_setting(path)), (checker, runner), "{path}");
        }
    }

    #[test]
    fn a_tool_is_listed_once_in_an_ecosystem() {
        for ecosystem in ECOSYSTEMS {
            for (index, tool) in ecosystem.tools.iter().enumerate() {
                assert!(
                    ecosystem.tools[..index].iter().all(|other| other.id != tool.id),
                    "{} {}",
                    ecosystem.id,
                    tool.id
                );
                assert!(!tool.kinds.is_empty() && !tool.signs.is_empty(), "{}", tool.id);
            }
        }
    }

    #[test]
    fn a_hint_stands_in_every_marker() {
        for (language, line) in [
            (Language::Rust, "#[ignore]"),
            (Language::Python, "@unittest.expectedFailure"),
            (Language::TypeScript, "xit('adds', () => {"),
            (Language::TypeScript, "test.todo('adds')"),
            (Language::Go, "\tt.Skip()"),
            (Language::Kotlin, "@Disabled"),
            (Language::CSharp, "[Ignore]"),
            (Language::Ruby, "  pending"),
            (Language::Php, "$this->markTestSkipped();"),
            (Language::Swift, "throw XCTSkip()"),
            (Language::Cpp, "GTEST_SKIP();"),
            (Language::Shell, "skip"),
        ] {
            assert!(skip_marker(language, line, line).is_some(), "{line}");
            assert!(skip_hints().iter().any(|hint| line.contains(hint)), "{line}");
        }
        for (language, line) in [
            (Language::JavaScript, "describe.only('', () => {"),
            (Language::Ruby, "  fit ''"),
            (Language::Go, "var _ = FDescribe(\"\", func() {"),
        ] {
            assert!(is_focus_marker(language, line), "{line}");
            assert!(focus_hints().iter().any(|hint| line.contains(hint)), "{line}");
        }
    }
}
