//! Finds files that are no tests and belong to the tests all the same.
//!
//! A function that compares, written beside the tests and imported by them alone, decides as much as the tests do. So
//! does a file that the configuration of a runner names to be loaded first. The base tells both, by the imports between
//! its files. The hard part is not to take the code under test for a helper: as long as no other code uses it, only
//! tests import it as well. So imports alone do not decide, see [`test_helpers`]. This module must not know how imports
//! are found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::path::{file_name, within};
use assize_ecosystem::is_setting as is_tool_setting;
use assize_ecosystem::{
    ECOSYSTEMS, FileRole, calls_tools, holds_tests, is_code, is_runner_configuration, is_test, is_test_package,
};
use globset::GlobBuilder;
use regex::Regex;

use super::{is_held, tool};

/// How the files of a tree use each other, as far as their languages and the configuration of runners say so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uses {
    /// Every import that is known.
    pub imports: Vec<Use>,
    /// The texts of files that [`is_setting`] asks for.
    pub settings: BTreeMap<String, String>,
    /// Files whose paths say that they are for tests, and that the tree compiles into the program all the same.
    pub production: BTreeSet<String>,
    /// Files that the tree compiles for tests alone, though their paths do not say so.
    pub tests: BTreeSet<String>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The file that imports.
    pub from: String,
    /// What it imports.
    pub to: Used,
    /// Whether only tests within that file do so.
    pub in_test: bool,
}

/// What is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Used {
    /// A file of the tree.
    File(String),
    /// A package or module from elsewhere, by its name.
    Outside(String),
}

/// Returns whether the text of a file says which others are loaded for tests, which others are the entry points of a package, or which
/// tools are in use.
pub fn is_setting(path: &str) -> bool {
    names_files(path) || is_tool_setting(path)
}

/// Returns whether the text of a file says which others are loaded for tests.
fn names_files(path: &str) -> bool {
    is_runner_configuration(path)
        || matches!(file_name(path), "package.json" | "pyproject.toml" | "setup.cfg" | "tox.ini")
        || file_name(path).starts_with("vite.config.")
}

/// Words that only test helpers bear: as a folder or as the stem of a file, in lower case and without hyphens and the
/// like.
const HELPER_NAMES: [&str; 17] = [
    "setuptests",
    "testbase",
    "testcommon",
    "testfactories",
    "testfixtures",
    "testharness",
    "testhelper",
    "testhelpers",
    "testing",
    "testkit",
    "testlib",
    "testsetup",
    "testsupport",
    "testtools",
    "testutil",
    "testutilities",
    "testutils",
];

/// Words that aids of tests bear, and at times other code.
const AMBIGUOUS: [&str; 18] = [
    "asserts",
    "assertions",
    "doubles",
    "expectations",
    "expected",
    "factories",
    "fakes",
    "fixture",
    "fixtures",
    "golden",
    "harness",
    "helper",
    "helpers",
    "matchers",
    "mock",
    "mocks",
    "stubs",
    "support",
];

/// Folders in which the code of a project stands.
const SOURCES: [&str; 8] = ["app", "cmd", "internal", "lib", "pkg", "source", "sources", "src"];

/// Returns whether code imports assertions by this name that are not for tests alone.
fn is_assertion(name: &str) -> bool {
    ECOSYSTEMS.iter().any(|ecosystem| ecosystem.assertion_packages.contains(&name))
}

/// Lower case, without what joins words.
fn plain(word: &str) -> String {
    word.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.split('.').find(|part| !part.is_empty()).unwrap_or(name)
}

/// The words of a path: its folders, and its stem.
fn words(path: &str) -> impl Iterator<Item = String> {
    let folders = path.split('/').rev().skip(1);
    folders.chain([stem(path)]).map(plain)
}

/// Returns whether a file bears a name of aids: enough for a specification to open it by.
pub(super) fn is_named_as_helper(path: &str) -> bool {
    words(path).any(|word| HELPER_NAMES.contains(&word.as_str()) || AMBIGUOUS.contains(&word.as_str()))
}

/// Finds the files of a base that belong to its tests, though they are no tests by their paths.
///
/// Such a file is imported, and only by tests and other helpers. It is no entry point of its package (`main`, `exports`
/// and `bin` of a `package.json`, `index`, `main` and `lib` at the top of the sources). No test bears its name, which
/// would make it the code under test. And one of these holds:
///
/// - It imports a runner of tests.
/// - It bears a name that only helpers bear.
/// - It stands outside of the folders of sources, and either has a name that helpers often bear or imports assertions.
/// - It stands within them, has such a name *and* imports assertions.
///
/// A file that the configuration of a runner loads belongs to the tests as well, unless other code imports it too. So does one
/// that a runner is told to run, if nothing imports it.
pub fn test_helpers(base_files: &BTreeSet<String>, uses: &Uses) -> BTreeSet<String> {
    let graph = Graph::of(base_files, uses);
    let loaded = loaded(base_files, &uses.settings);
    let mut told_to_run = told_to_run(base_files, &uses.settings);
    told_to_run.retain(|path| !graph.importers.contains_key(path.as_str()) && !graph.is_entry_point(path, false));
    let mut found: BTreeSet<&str> = base_files
        .iter()
        .map(String::as_str)
        .filter(|path| !is_held(path) && !names_files(path))
        .filter(|path| {
            loaded.contains(*path) && !graph.entry_points.contains(*path)
                || told_to_run.contains(*path)
                || graph.speaks_for(path)
        })
        .collect();
    // Every importer of a helper is a test or a helper. The rest drops out, one after the other.
    loop {
        let stays = |path: &&str| {
            let importers = graph.importers.get(path).into_iter().flatten();
            importers.into_iter().all(|(from, in_test)| *in_test || is_test(from) || found.contains(from))
        };
        let kept: BTreeSet<&str> = found.iter().copied().filter(stays).collect();
        if kept.len() == found.len() {
            return kept.into_iter().map(str::to_owned).collect();
        }
        found = kept;
    }
}

/// Returns whether a new file could be taken for one of the aids: a module is found by its name without an ending, and a
/// folder may take a file's place.
pub(super) fn shadows(path: &str, test_helpers: &BTreeSet<String>) -> bool {
    let bare = |path: &str| path.rsplit_once('.').map_or(path, |(bare, _)| bare).to_owned();
    test_helpers.iter().any(|helper| {
        let own = bare(helper);
        let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        helper != path && (bare(path) == own || path == own || (below(&own) || below(helper)) && is_code(path))
    })
}

/// The imports, by what is imported.
struct Graph<'a> {
    importers: BTreeMap<&'a str, BTreeSet<(&'a str, bool)>>,
    outside: BTreeMap<&'a str, BTreeSet<&'a str>>,
    entry_points: BTreeSet<String>,
    /// Folders that are packages of Python.
    packages: BTreeSet<&'a str>,
}

impl<'a> Graph<'a> {
    fn of(base_files: &'a BTreeSet<String>, uses: &'a Uses) -> Self {
        let mut importers: BTreeMap<&str, BTreeSet<(&str, bool)>> = BTreeMap::new();
        let mut outside: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for link in &uses.imports {
            match &link.to {
                Used::File(to) => {
                    importers.entry(to).or_default().insert((link.from.as_str(), link.in_test));
                }
                Used::Outside(name) if !link.in_test => {
                    outside.entry(&link.from).or_default().insert(name);
                }
                Used::Outside(_) => {}
            }
        }
        let packages = base_files.iter().filter_map(|path| path.strip_suffix("/__init__.py")).collect();
        Self { importers, outside, entry_points: entry_points(&uses.settings), packages }
    }

    /// Returns whether something says that a file is an aid of tests, and nothing that it is what they test.
    fn speaks_for(&self, path: &str) -> bool {
        let Some(importers) = self.importers.get(path).filter(|importers| !importers.is_empty()) else { return false };
        let words: BTreeSet<String> = words(path).collect();
        let has = |list: &[&str]| list.iter().any(|word| words.contains(*word));
        let imports = |test: &dyn Fn(&str) -> bool| self.outside.get(path).into_iter().flatten().any(|name| test(name));
        let only_helpers = has(&HELPER_NAMES);
        if self.is_entry_point(path, only_helpers) || importers.iter().any(|(from, _)| bears_name_of(from, path)) {
            return false;
        }
        let asserts = imports(&is_assertion);
        only_helpers
            || imports(&is_test_package)
            || if self.is_source(path) { has(&AMBIGUOUS) && asserts } else { has(&AMBIGUOUS) || asserts }
    }

    /// Returns whether a file stands where the code of a project does.
    fn is_source(&self, path: &str) -> bool {
        let folders = || path.match_indices('/').map(|(at, _)| &path[..at]);
        folders().any(|folder| SOURCES.contains(&file_name(folder)) || self.packages.contains(folder))
    }

    /// Returns whether others come in by a file: the manifest says so, or its name does.
    fn is_entry_point(&self, path: &str, only_helpers: bool) -> bool {
        let named = matches!(stem(path), "index" | "main" | "lib" | "__main__");
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let at_top = folder.is_empty() || SOURCES.contains(&file_name(folder));
        named && at_top && !only_helpers
            || self.entry_points.contains(path)
            || self.entry_points.contains(stem(path)) && self.is_source(path)
    }
}

/// Returns whether a file in a folder for fixtures is code under test: a test of the base bears its name.
pub(super) fn is_under_test(path: &str, base_files: &BTreeSet<String>) -> bool {
    FileRole::of(path) == FileRole::Fixture
        && is_code(path)
        && FileRole::of_imported(path).is_production()
        && base_files.iter().any(|test| holds_tests(test) && bears_name_of(test, path))
}

/// Returns whether a test is the one of a file, by its name: `test_merge.py` is that of `merge.py`.
fn bears_name_of(test: &str, path: &str) -> bool {
    if !is_test(test) {
        return false;
    }
    let own = plain(stem(path));
    let of_folder = matches!(own.as_str(), "index" | "mod" | "lib" | "init");
    let folder = path.rsplit('/').nth(1).map(plain).unwrap_or_default();
    let is_meant = |name: &str| !name.is_empty() && (name == own || of_folder && name == folder);
    // The mark of a test stands before or after the name, which may begin or end like it: `testing`, `testkit`.
    let name = plain(stem(test));
    let bare = ["tests", "test", ""].iter().filter_map(|mark| name.strip_prefix(mark));
    bare.flat_map(|name| ["tests", "test", "spec", ""].iter().filter_map(|mark| name.strip_suffix(mark))).any(is_meant)
}

/// The files that packages hand out by their manifests: by their paths, and by their stems, since what is handed out may be
/// built from sources that lie elsewhere.
fn entry_points(settings: &BTreeMap<String, String>) -> BTreeSet<String> {
    const KEYS: [&str; 8] = ["main", "module", "browser", "types", "typings", "bin", "exports", "imports"];
    let mut found = BTreeSet::new();
    for (path, text) in settings.iter().filter(|(path, _)| file_name(path) == "package.json") {
        let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let mut open: Vec<&serde_json::Value> = KEYS.iter().filter_map(|key| manifest.get(key)).collect();
        while let Some(value) = open.pop() {
            match value {
                serde_json::Value::String(text) => {
                    let inner = text.trim_start_matches("./");
                    found.insert(format!("{folder}{inner}"));
                    found.insert(stem(inner).to_owned());
                }
                serde_json::Value::Object(all) => open.extend(all.values()),
                serde_json::Value::Array(all) => open.extend(all),
                _ => {}
            }
        }
    }
    found
}

/// The files of code that the configuration of a runner has loaded for tests.
fn loaded(base_files: &BTreeSet<String>, settings: &BTreeMap<String, String>) -> BTreeSet<String> {
    static KEYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)["']?\b(?:setupFiles(?:AfterEnv)?|setupTestFrameworkScriptFile|globalSetup|globalTeardown|snapshotSerializers
               |snapshotEnvironment|testEnvironment|testRunner|reporters?|require|file|pytest_plugins)["']?\s*[:=]\s*
               (?P<value>\[[^\]]*\]|\([^)]*\)|["'][^"'\n]*["']|(?:\s*-\s+\S+\n?)+|[^\s,"'\[]+)"#,
        )
        .expect("valid pattern")
    });
    static CALLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:\b(?:node|tsx|mocha|jest|vitest|pytest)\b|\baddopts\s*=)[^&|;\n]*").expect("valid pattern")
    });
    static OPTIONS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\s(?:--require|--import|--loader|--experimental-loader|--file|-r|-p)[ =]\s*(?P<value>[\w@./-]+)")
            .expect("valid pattern")
    });
    static NAMES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\w@./<>-]+").expect("valid pattern"));
    let mut found = BTreeSet::new();
    for (path, text) in settings.iter().filter(|(path, _)| names_files(path)) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = if file_name(path) == "package.json" { about_tests(text) } else { text.clone() };
        let options = CALLS.find_iter(&text).flat_map(|call| OPTIONS.captures_iter(call.as_str()));
        let values = KEYS.captures_iter(&text).chain(options).filter_map(|captures| captures.name("value"));
        for name in values.flat_map(|value| NAMES.find_iter(value.as_str())) {
            let places = places(folder, name.as_str()).into_iter();
            found.extend(places.filter(|place| is_code(place) && base_files.contains(place)));
        }
    }
    found
}

/// The files of code that runners are told to run: they hold tests, though their paths may not say so.
fn told_to_run(base_files: &BTreeSet<String>, settings: &BTreeMap<String, String>) -> BTreeSet<String> {
    static PATTERNS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)["']?\b(?:testMatch|spec|python_files)["']?\s*[:=]\s*
               (?P<value>\[[^\]]*\]|["'][^"'\n]*["']|(?:\s*-\s+\S+\n?)+|[^"'\[\n]+(?:\n[ \t]+\S[^\n]*)*)"#,
        )
        .expect("valid pattern")
    });
    static CALLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[\s'])(?:node|tsx|ts-node|mocha|tape|ava|jasmine|uvu|borp|tap|pytest)(?P<value>\s[^&|;\n]*)")
            .expect("valid pattern")
    });
    /// What comes before the tests is no test.
    const STEPS: [&str; 7] = ["build", "bundle", "clean", "compile", "generate", "prepare", "setup"];
    let mut found = BTreeSet::new();
    for (path, text) in settings.iter().filter(|(path, _)| names_files(path) || calls_tools(path)) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_manifest = file_name(path) == "package.json";
        let text = if is_manifest { about_tests(text) } else { text.clone() };
        // A pipeline is not in the folder of what it calls.
        let folder = if calls_tools(path) { "" } else { folder };
        let values = PATTERNS.captures_iter(&text).chain(CALLS.captures_iter(&text));
        let is_end = |character: char| character.is_whitespace() || "\"',[]()".contains(character);
        let names = values.filter_map(|captures| captures.name("value")).flat_map(|value| value.as_str().split(is_end));
        for name in names.map(|name| name.trim_start_matches("<rootDir>/").trim_start_matches("./")) {
            // `check_*.py` alone is the name of files wherever they are.
            let anywhere = if name.contains('*') && !name.contains('/') { "**/" } else { "" };
            let Ok(glob) =
                GlobBuilder::new(&within(folder, &format!("{anywhere}{name}"))).literal_separator(true).build()
            else {
                continue;
            };
            let glob = glob.compile_matcher();
            let entry = within(folder, &format!("{name}/index.js"));
            let is_step = |path: &str| STEPS.iter().any(|step| stem(path).starts_with(step));
            let is_meant = |file: &&String| is_code(file) && (glob.is_match(file) || **file == entry) && !is_step(file);
            found.extend(base_files.iter().filter(is_meant).cloned());
        }
    }
    found
}

/// What a `package.json` says of tests: the settings of runners, and the scripts that run them, a line each.
fn about_tests(manifest: &str) -> String {
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
    let settings = tool::runner_tables("package.json").filter_map(|keys| manifest.get(keys.first()?));
    let scripts = manifest.get("scripts").and_then(serde_json::Value::as_object).into_iter().flatten();
    let of_tests = |name: &str| ["test", "unit", "spec", "e2e"].iter().any(|word| name.contains(word));
    let scripts = scripts.filter(|(name, _)| of_tests(name)).filter_map(|(_, text)| text.as_str().map(str::to_owned));
    settings.map(ToString::to_string).chain(scripts).collect::<Vec<_>>().join("\n")
}

/// The places that a name in the configuration may mean.
fn places(folder: &str, name: &str) -> Vec<String> {
    let name = name.trim_start_matches("<rootDir>").trim_start_matches("./").trim_start_matches('/');
    let endings = ["", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".tsx"];
    let mut found: Vec<String> = endings.iter().map(|ending| within(folder, &format!("{name}{ending}"))).collect();
    let module = name.replace('.', "/");
    found.extend([".py", "/__init__.py"].iter().map(|ending| within(folder, &format!("{module}{ending}"))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(imports: &[(&str, &str)], settings: &[(&str, &str)]) -> Uses {
        let link = |(from, to): &(&str, &str)| {
            let (from, in_test) = from.strip_prefix('#').map_or((*from, false), |from| (from, true));
            let to = to.strip_prefix('<').map_or_else(
                || Used::File((*to).to_owned()),
                |name| Used::Outside(name.trim_end_matches('>').to_owned()),
            );
            Use { from: from.to_owned(), to, in_test }
        };
        Uses {
            imports: imports.iter().map(link).collect(),
            settings: settings.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
            ..Uses::default()
        }
    }

    /// Files are those that imports and settings name.
    fn found(imports: &[(&str, &str)], settings: &[(&str, &str)], more: &[&str]) -> String {
        let names = imports.iter().flat_map(|(from, to)| [*from, *to]).chain(settings.iter().map(|(path, _)| *path));
        let names = names.chain(more.iter().copied()).map(|name| name.trim_start_matches('#'));
        let files = names.filter(|name| !name.starts_with('<')).map(str::to_owned).collect();
        test_helpers(&files, &uses(imports, settings)).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_helper_is_imported_by_tests_and_its_name_or_imports_show_it() {
        for (imports, expected) in [
            // By its name.
            (&[("test/a.test.js", "support/same.js")][..], "support/same.js"),
            (&[("tests/test_a.py", "helpers/compare.py")], "helpers/compare.py"),
            (&[("src/a.test.ts", "src/testUtils.ts")], "src/testUtils.ts"),
            (&[("a_test.go", "internal/testutil/same.go")], "internal/testutil/same.go"),
            (&[("#src/lib.rs", "crates/testkit/src/lib.rs")], "crates/testkit/src/lib.rs"),
            // By what it imports.
            (&[("test/a.test.js", "src/render.ts"), ("src/render.ts", "<vitest>")], "src/render.ts"),
            (&[("tests/test_a.py", "a/compare.py"), ("a/compare.py", "<unittest>")], "a/compare.py"),
            (&[("test/a.test.js", "tools/same.js"), ("tools/same.js", "<node:assert>")], "tools/same.js"),
            (&[("src/a.test.ts", "src/helpers/same.ts"), ("src/helpers/same.ts", "<assert>")], "src/helpers/same.ts"),
            // Through others of its kind.
            (
                &[("test/a.test.js", "support/index.js"), ("support/index.js", "support/same.js")],
                "support/index.js support/same.js",
            ),
        ] {
            assert_eq!(found(imports, &[], &[]), expected, "{imports:?}");
        }
    }

    #[test]
    fn the_code_under_test_is_no_helper() {
        for imports in [
            // A library: only its tests import it.
            &[("test/a.test.js", "lib/split.js")][..],
            &[("test/a.test.js", "src/index.ts")],
            &[("test/a.test.js", "index.js")],
            &[("tests/test_total.py", "spans/total.py")],
            // Its checks are made with `assert`, and it stands with the sources.
            &[("test/a.test.js", "lib/split.js"), ("lib/split.js", "<node:assert>")],
            // The name of an aid is not enough among the sources.
            &[("test/a.test.js", "src/helpers/text.ts")],
            &[("test/a.test.js", "lib/support.js")],
            // A test bears its name.
            &[("test/same.test.js", "support/same.js")],
            &[("tests/test_compare.py", "helpers/compare.py")],
            &[("test/helpers.test.js", "helpers/index.js")],
            &[("src/render.test.ts", "src/render.ts"), ("src/render.ts", "<vitest>")],
            // Others import it as well, or something that only they import does.
            &[("test/a.test.js", "support/same.js"), ("bin/cents.js", "support/same.js")],
            &[("test/a.test.js", "lib/a.js"), ("lib/a.js", "support/same.js")],
            &[("test/a.test.js", "support/a.js"), ("examples/x.js", "support/a.js")],
            // No file imports it.
            &[("support/same.js", "<node:assert>")],
        ] {
            assert_eq!(found(imports, &[], &[]), "", "{imports:?}");
        }
    }

    #[test]
    fn code_under_test_may_lie_in_a_folder_for_fixtures() {
        let base = ["tests/test_core.py", "pkg/fixtures/core.py", "pkg/fixtures/other.py", "tests/fixtures/core.py"];
        let base: BTreeSet<String> = base.map(str::to_owned).into();
        let under_test: Vec<&str> = base.iter().map(String::as_str).filter(|path| is_under_test(path, &base)).collect();
        assert_eq!(under_test, ["pkg/fixtures/core.py"]);
        let imports = [("testkit/testkit_test.go", "testkit/testkit.go"), ("tests/test_testing.py", "pkg/testing.py")];
        assert_eq!(found(&imports, &[], &[]), "", "a test bears the name");
    }

    #[test]
    fn entry_points_of_a_package_are_no_helpers() {
        let imports = [("test/a.test.js", "testing/../kit/testkit.js"), ("test/a.test.js", "support/index.js")];
        assert_eq!(found(&imports[1..], &[], &[]), "support/index.js");
        for manifest in [
            r#"{"main":"./support/index.js"}"#,
            r#"{"exports":{".":{"import":"./support/index.js"}}}"#,
            r#"{"bin":{"x":"support/index.js"}}"#,
        ] {
            assert_eq!(found(&imports[1..], &[("package.json", manifest)], &[]), "", "{manifest}");
        }
        let matchers = [("test/a.test.js", "src/matchers.ts"), ("src/matchers.ts", "<chai>")];
        assert_eq!(
            found(&matchers, &[("package.json", r#"{"exports":{"./matchers":"./dist/matchers.js"}}"#)], &[]),
            ""
        );
        assert_eq!(
            found(&matchers, &[("package.json", r#"{"exports":{".":"./dist/api.js"}}"#)], &[]),
            "src/matchers.ts"
        );
    }

    #[test]
    fn what_a_runner_is_told_to_run_belongs_to_the_tests() {
        let files = [
            "verify.js",
            "checks/total.js",
            "checks/check_total.py",
            "build.js",
            "index.js",
            "src/total.js",
            "run/index.js",
        ];
        let imports = [("verify.js", "src/total.js"), ("checks/total.js", "src/total.js")];
        for (path, text, expected) in [
            ("package.json", r#"{"scripts":{"test":"node build.js && node verify.js"}}"#, "verify.js"),
            ("package.json", r#"{"scripts":{"test":"c8 node ./verify.js","start":"node index.js"}}"#, "verify.js"),
            ("package.json", r#"{"scripts":{"test":"node --test checks/*.js"}}"#, "checks/total.js"),
            ("package.json", r#"{"scripts":{"unit":"mocha 'checks/**/*.js' --exit"}}"#, "checks/total.js"),
            ("package.json", r#"{"scripts":{"test":"node run"}}"#, "run/index.js"),
            ("package.json", r#"{"jest":{"testMatch":["<rootDir>/checks/*.js"]}}"#, "checks/total.js"),
            ("package.json", r#"{"scripts":{"test":"node src/total.js"}}"#, ""),
            ("package.json", r#"{"scripts":{"test":"node index.js"}}"#, ""),
            ("package.json", r#"{"scripts":{"start":"node verify.js"}}"#, ""),
            (".mocharc.yml", "spec:\n  - checks/*.js\n", "checks/total.js"),
            ("setup.cfg", "[tool:pytest]\npython_files = test_*.py check_*.py\n", "checks/check_total.py"),
            ("pyproject.toml", "[tool.pytest.ini_options]\npython_files = [\"check_*.py\"]\n", "checks/check_total.py"),
            (".github/workflows/ci.yml", "    - run: pytest checks/check_total.py\n", "checks/check_total.py"),
        ] {
            assert_eq!(found(&imports, &[(path, text)], &files), expected, "{path}: {text}");
        }
    }

    #[test]
    fn what_a_runner_is_told_to_load_belongs_to_the_tests() {
        let files = ["setup.ts", "conf/hooks.js", "kit/plugin.py", "src/index.ts", "lib/index.js", "src/polyfill.ts"];
        for (path, text, expected) in [
            ("vitest.config.ts", "export default { test: { setupFiles: ['./setup.ts'] } }", "setup.ts"),
            ("vite.config.ts", "test: { globalSetup: './setup' }", "setup.ts"),
            ("jest.config.js", "setupFilesAfterEnv: [\n '<rootDir>/conf/hooks.js',\n]", "conf/hooks.js"),
            ("package.json", r#"{"jest":{"setupFiles":["./conf/hooks.js"]}}"#, "conf/hooks.js"),
            (".mocharc.yml", "require:\n  - ./conf/hooks.js\nspec: test", "conf/hooks.js"),
            (".mocharc.json", r#"{"require": "conf/hooks"}"#, "conf/hooks.js"),
            ("package.json", r#"{"scripts":{"test":"node -r ./conf/hooks.js --test"}}"#, "conf/hooks.js"),
            ("pytest.ini", "[pytest]\naddopts = -q -p kit.plugin\n", "kit/plugin.py"),
            ("conftest.py", "pytest_plugins = ['kit.plugin']", "kit/plugin.py"),
            // Not what others are handed, what is built, what is started, or what is no code.
            ("package.json", r#"{"exports":{"require":"./lib/index.js"}}"#, ""),
            ("package.json", r#"{"scripts":{"test":"tsc -p src && cp -r src x && node --test"}}"#, ""),
            ("package.json", r#"{"scripts":{"start":"node -r ./conf/hooks.js ."}}"#, ""),
            ("vitest.config.ts", "resolve: { alias: { cents: './src/index.ts' } }", ""),
            ("vitest.config.ts", "test: { setupFiles: ['tsconfig.json'] }", ""),
            (".c8rc.json", r#"{"reporter": ["./lib/index.js"]}"#, ""),
        ] {
            assert_eq!(found(&[], &[(path, text)], &files), expected, "{path}: {text}");
        }
        let shared = [("src/main.ts", "src/polyfill.ts")];
        let config = [("vitest.config.ts", "setupFiles: ['src/polyfill.ts']")];
        assert_eq!(found(&shared, &config, &[]), "");
        assert_eq!(found(&[], &config, &["src/polyfill.ts"]), "src/polyfill.ts");
    }

    #[test]
    fn a_new_file_must_not_take_the_place_of_a_helper() {
        let test_helpers = BTreeSet::from(["support/same.ts".to_owned()]);
        for (path, expected) in [
            ("support/same.js", true),
            ("support/same", true),
            ("support/same/index.js", true),
            ("support/same.ts/index.js", true),
            ("support/same.ts", false),
            ("support/other.js", false),
            ("lib/same.js", false),
            ("support/same-too.js", false),
        ] {
            assert_eq!(shadows(path, &test_helpers), expected, "{path}");
        }
    }
}
