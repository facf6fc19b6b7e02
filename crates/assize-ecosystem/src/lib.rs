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
mod ecosystem;
mod language;
pub mod pattern;
pub mod role;
pub mod test_kind;

pub use ecosystem::{ECOSYSTEMS, Ecosystem, GeneratedPaths, Install, TestPaths};
pub use language::Language;
pub use role::FileRole;

use assize_core::path::{ending, file_name};

use command::CommandRole;

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
        || ECOSYSTEMS.iter().any(|it| pattern::any(it.manifests, name) || pattern::any(it.settings, name))
}

/// Returns whether the file says which tools a project calls: pipelines, hooks before commits, files of make and just.
pub fn calls_tools(path: &str) -> bool {
    const NAMES: [&str; 8] = [
        ".gitlab-ci.yml",
        ".pre-commit-config.yaml",
        "azure-pipelines.yml",
        "Jenkinsfile",
        "Makefile",
        "justfile",
        "noxfile.py",
        "tox.ini",
    ];
    path.starts_with(".github/workflows/") || path.starts_with(".ci/") || NAMES.contains(&file_name(path))
}

/// Returns whether the file is written by a tool or copied from others: lock files, snapshots, minified or vendored code.
pub fn is_generated(path: &str) -> bool {
    ecosystem::is_generated(path)
}

/// Returns whether the file tells a runner of tests what to do, or takes its place.
pub fn is_runner_configuration(path: &str) -> bool {
    let name = file_name(path);
    let top = path.split('/').next().unwrap_or_default();
    ECOSYSTEMS.iter().any(|ecosystem| {
        pattern::any(ecosystem.runner_files, name)
            || ecosystem.runner_folders.iter().any(|folder| match folder.strip_suffix('/') {
                Some(anywhere) => format!("/{path}").contains(&format!("/{anywhere}/")),
                None => top == *folder,
            })
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_command_tell_its_role() {
        for (command, role) in [
            ("cargo +nightly nextest run", CommandRole::Test),
            ("RUST_LOG=1 timeout 60 cargo build", CommandRole::Check),
            ("npx vitest run", CommandRole::Test),
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
}
