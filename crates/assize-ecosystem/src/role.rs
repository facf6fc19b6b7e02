//! The part that a file plays in its project, as far as its path says so.
//!
//! Each ecosystem says which names and folders its runners take for tests. This is the only place that answers the question. Where the tree
//! says more than a path (a module under `#[cfg(test)]`, a helper that only tests import), the test policy asks the tree as well.

use assize_core::path::{file_name, parent};

use crate::ecosystem::{ECOSYSTEMS, Ecosystem, TestPaths};
use crate::pattern::{any, fits};
use crate::{Language, of_language};

/// The part that a file plays in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileRole {
    /// Code that the project consists of.
    Production,
    /// Tests and their helpers.
    Test,
    /// What tests read: code that stands for somebody else's, expected outputs.
    Fixture,
    /// Examples, demonstrations and the code of the documentation.
    Example,
    /// Measurements.
    Benchmark,
    /// The set-up of tools, written as code: `build.rs`, `setup.py`, `vite.config.ts`.
    Tooling,
    /// Written by a tool.
    Generated,
    /// A copy of somebody else's code.
    Vendored,
}

/// Folders in which the code of a product stands.
const SOURCE_FOLDERS: [&str; 5] = ["src", "lib", "app", "source", "sources"];

/// Folders that hold what tests expect or read, whatever the language.
const FIXTURE_FOLDERS: [&str; 10] = [
    "__snapshots__",
    "__image_snapshots__",
    "__fixtures__",
    "tap-snapshots",
    "snapshots",
    "scenarios",
    "testdata",
    "test_data",
    "test-data",
    "fixtures",
];
const BENCH_FOLDERS: [&str; 5] = ["jmh", "bench", "benches", "benchmark", "benchmarks"];
const EXAMPLE_FOLDERS: [&str; 9] =
    ["example", "examples", "demo", "demos", "docs", "doc", "samples", "sample", "__storybook__"];

/// Folders whose packages are there to try a project.
const TRYING_FOLDERS: [&str; 3] = ["e2e", "playground", "playgrounds"];

/// Where the packages of a Java source folder begin: from there on a folder may have any name, `com.example` above all.
const JAVA_PACKAGES: [&str; 8] = ["java", "javax", "com", "org", "net", "io", "edu", "dev"];

/// Folders of data that only tests read, for files that are no source code.
const DATA_FOLDERS: [&str; 17] = [
    "test",
    "tests",
    "Test",
    "Tests",
    "__tests__",
    "__mocks__",
    "spec",
    "specs",
    "e2e",
    "testing",
    "testdata",
    "fixtures",
    "integration-tests",
    "integration_tests",
    "golden",
    "goldens",
    "expected",
];

impl FileRole {
    /// Tells the part from the path. What stands further out decides: a vendored tree has tests of its own.
    pub fn of(path: &str) -> Self {
        let name = file_name(path);
        let language = Language::of(path);
        let ecosystem = language.map(of_language);
        match (Folders { path, language, ecosystem }).part() {
            // Runners collect tests of examples and of measurements as well.
            Some(Self::Example | Self::Benchmark) if ecosystem.is_some_and(|it| any(it.tests.names, name)) => {
                return Self::Test;
            }
            // Neither do folders for fixtures keep them away, but for those that the runner itself passes over.
            Some(Self::Fixture)
                if ecosystem.is_some_and(|it| any(it.tests.names, name) && (it.tests.collects)(path, true)) =>
            {
                return Self::Test;
            }
            Some(part) => return part,
            None => {}
        }
        if ECOSYSTEMS.iter().any(|ecosystem| any(ecosystem.generated.names, name)) {
            return Self::Generated;
        }
        let Some(ecosystem) = ecosystem else { return Self::Production };
        let is_named = any(ecosystem.tests.names, name) || any(ecosystem.tests.companions, name);
        if is_named && !is_in_set(path, ecosystem.tests.product_sets) {
            return Self::Test;
        }
        if is_tooling(ecosystem, language, name) {
            return Self::Tooling;
        }
        let marked = |mark: &str| name.split_once('.').is_some_and(|(_, rest)| rest.starts_with(mark));
        if marked("stories.") {
            Self::Example
        } else if marked("bench.") {
            Self::Benchmark
        } else {
            Self::Production
        }
    }

    /// Tells the part of a file that product code imports. The names of folders for fixtures then say nothing: a module
    /// of the product may be called `scenarios`. Where the tools of an ecosystem build any folder, those for tests say
    /// nothing either.
    pub fn of_imported(path: &str) -> Self {
        let tests = Language::of(path).map_or(TestPaths::NONE, |language| of_language(language).tests);
        let means_nothing = |folder: &str| {
            FIXTURE_FOLDERS.contains(&folder) && !folder.starts_with("__")
                || tests.fixture_folders.is_some() && tests.outer_folders.contains(&folder)
        };
        let folders = path.split('/').filter(|folder| !means_nothing(folder));
        Self::of(&folders.collect::<Vec<_>>().join("/"))
    }

    /// Tells the part from the folders alone; `None` where they say nothing.
    pub fn of_folders(path: &str) -> Option<Self> {
        let language = Language::of(path);
        (Folders { path, language, ecosystem: language.map(of_language) }).part()
    }

    /// Returns whether such files are tests, or what tests read.
    pub fn is_for_tests(self) -> bool {
        matches!(self, Self::Test | Self::Fixture)
    }

    /// Returns whether the project consists of such files.
    pub fn is_production(self) -> bool {
        self == Self::Production
    }
}

/// What the folders above a file say.
struct Folders<'p> {
    path: &'p str,
    language: Option<Language>,
    ecosystem: Option<&'static Ecosystem>,
}

impl Folders<'_> {
    fn part(&self) -> Option<FileRole> {
        let tests = self.ecosystem.map_or(TestPaths::NONE, |ecosystem| ecosystem.tests);
        if is_in_set(self.path, tests.product_sets) {
            return None;
        }
        let (mut in_source, mut found) = (false, None);
        let mut before = "";
        for folder in parent(self.path).split('/') {
            if self.language == Some(Language::Java) && JAVA_PACKAGES.contains(&folder) {
                break;
            }
            let is_set = tests.source_sets.contains(&(before, folder));
            let part = if is_set { Some(FileRole::Test) } else { self.of_folder(folder, in_source, &tests) };
            match (part, found) {
                (Some(FileRole::Fixture), None | Some(FileRole::Test)) => return Some(FileRole::Fixture),
                (_, Some(_)) => {}
                (Some(part), None) => found = Some(part),
                (None, None) => in_source |= SOURCE_FOLDERS.contains(&folder),
            }
            before = folder;
        }
        found
    }

    fn of_folder(&self, folder: &str, in_source: bool, tests: &TestPaths) -> Option<FileRole> {
        let of_any = |folders: fn(&Ecosystem) -> &'static [&'static str]| {
            ECOSYSTEMS.iter().any(|ecosystem| folders(ecosystem).contains(&folder))
        };
        if of_any(|ecosystem| ecosystem.vendored_folders) && (folder != "vendor" || self.is_vendored_here()) {
            return Some(FileRole::Vendored);
        }
        if folder != "target" && of_any(|ecosystem| ecosystem.generated.folders) {
            return Some(FileRole::Generated);
        }
        let is_fixture = tests.fixture_folders.unwrap_or(&FIXTURE_FOLDERS).contains(&folder);
        match self.language {
            // What is no code belongs to the tests wherever its folder says so.
            None if is_fixture => return Some(FileRole::Fixture),
            None if DATA_FOLDERS.contains(&folder) && (!in_source || is_of_tests_anywhere(folder)) => {
                return Some(FileRole::Test);
            }
            None => {}
            // A module of the product may be called `fixtures` or `scenarios`.
            Some(_) if is_fixture && (!in_source || folder.starts_with("__")) => return Some(FileRole::Fixture),
            Some(_) if any(tests.folders, folder) => return Some(FileRole::Test),
            Some(_) if !in_source && any(tests.outer_folders, folder) => return Some(FileRole::Test),
            Some(_) => {}
        }
        if in_source {
            None
        } else if BENCH_FOLDERS.contains(&folder) {
            Some(FileRole::Benchmark)
        } else if EXAMPLE_FOLDERS.contains(&folder) {
            Some(FileRole::Example)
        } else {
            None
        }
    }

    /// `vendor` holds others' code where the ecosystem vendors, and at the top of every tree.
    fn is_vendored_here(&self) -> bool {
        let vendors = |ecosystem: &Ecosystem| ecosystem.vendored_folders.contains(&"vendor");
        self.path.starts_with("vendor/") || self.ecosystem.is_some_and(vendors)
    }
}

/// Returns whether packages in a folder of this name are no part of their project: they are there to try it, or to be copied.
pub fn is_tried_or_copied(folder: &str) -> bool {
    let is_template = |name: &str| matches!(name, "template" | "templates") || name.starts_with("template-");
    TRYING_FOLDERS.contains(&folder) || is_template(folder)
}

/// Returns whether a folder among the sources holds tests, and is no module of the product.
fn is_of_tests_anywhere(folder: &str) -> bool {
    matches!(folder, "test" | "tests" | "Test" | "Tests") || folder.starts_with("__")
}

/// Returns whether a path lies in one of these source sets.
fn is_in_set(path: &str, sets: &[(&str, &str)]) -> bool {
    let folders = || parent(path).split('/');
    folders().zip(folders().skip(1)).any(|pair| sets.contains(&pair))
}

/// Returns whether a source file's own name says that it sets up a tool.
fn is_tooling(ecosystem: &Ecosystem, language: Option<Language>, name: &str) -> bool {
    let configures = |part: &str| matches!(part, "config" | "conf" | "setup");
    name.starts_with('.')
        || ecosystem.tooling.iter().any(|pattern| fits(pattern, name))
        || language.is_some_and(Language::is_script) && name.split('.').skip(1).any(configures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_follows_from_the_path() {
        let cases = [
            ("src/lib.rs", FileRole::Production),
            ("tests/api.rs", FileRole::Test),
            ("src/rule/tests.rs", FileRole::Test),
            ("src/contest.rs", FileRole::Production),
            ("a/benches/b.rs", FileRole::Benchmark),
            ("examples/x/src/main.rs", FileRole::Example),
            ("examples/tests.rs", FileRole::Example),
            ("examples/test_a.py", FileRole::Test),
            ("benchmarks/a_test.go", FileRole::Test),
            ("tests/data/a.rs", FileRole::Test),
            ("tests/fixtures/app/main.py", FileRole::Fixture),
            ("crates/a/tests/scenarios/1/src/lib.rs", FileRole::Fixture),
            ("pkg/testdata/a.go", FileRole::Fixture),
            ("pkg/testdata/a_test.go", FileRole::Fixture),
            ("pkg/scenarios/a_test.go", FileRole::Test),
            ("snapshots/snap.go", FileRole::Production),
            ("snapshots/snap.json", FileRole::Fixture),
            ("tap-snapshots/test/a.js.test.cjs", FileRole::Fixture),
            ("golden/total.txt", FileRole::Test),
            ("src/golden/total.txt", FileRole::Production),
            ("golden/total.go", FileRole::Production),
            ("tests/scenarios/test_login.py", FileRole::Test),
            ("tests/scenarios/login.py", FileRole::Fixture),
            ("node_modules/x/fixtures/a.js", FileRole::Vendored),
            ("pkg/test_a.py", FileRole::Test),
            ("pkg/conftest.py", FileRole::Test),
            ("pkg/testing.py", FileRole::Production),
            ("src/a.test.ts", FileRole::Test),
            ("src/a.spec.tsx", FileRole::Test),
            ("src/a.stories.tsx", FileRole::Example),
            ("src/latest.ts", FileRole::Production),
            ("src/__tests__/a.ts", FileRole::Test),
            ("node_modules/x/test/a.js", FileRole::Vendored),
            ("vendor/github.com/a/b.go", FileRole::Vendored),
            ("api/v1/a.pb.go", FileRole::Generated),
            ("api/a_pb2.py", FileRole::Generated),
            ("src/test/java/a/BTest.java", FileRole::Test),
            ("src/test/java/a/Helper.java", FileRole::Test),
            ("src/main/java/a/Latest.java", FileRole::Production),
            ("src/main/java/a/BIT.java", FileRole::Production),
            ("src/main/java/com/example/test/A.java", FileRole::Production),
            ("src/commonTest/kotlin/A.kt", FileRole::Test),
            ("vite.config.ts", FileRole::Tooling),
            (".eslintrc.js", FileRole::Tooling),
            ("crates/a/build.rs", FileRole::Tooling),
            ("src/config.ts", FileRole::Production),
            ("src/docs/page.rs", FileRole::Production),
            ("docs/conf.py", FileRole::Example),
            ("src/spec/a.rs", FileRole::Production),
            ("spec/a.js", FileRole::Test),
            ("cmd/a_test.go", FileRole::Test),
            ("src/tests.rs", FileRole::Test),
            ("LedgerTest.java", FileRole::Test),
            ("Contest.java", FileRole::Production),
            ("contest.py", FileRole::Production),
            ("attest/a.go", FileRole::Production),
            ("test", FileRole::Production),
            ("Tests/ShopTests/CartTests.swift", FileRole::Test),
            ("Sources/Shop/Cart.swift", FileRole::Production),
        ];
        for (path, expected) in cases {
            assert_eq!(FileRole::of(path), expected, "{path}");
        }
    }

    #[test]
    fn product_code_that_is_imported_may_lie_in_a_folder_for_fixtures() {
        for path in ["shop/scenarios/core.py", "fixtures/src/index.js", "snapshots/take.js", "e2e/run.go"] {
            assert!(FileRole::of(path).is_for_tests() && FileRole::of_imported(path).is_production(), "{path}");
        }
        for path in
            ["tests/fixtures/a.py", "src/__fixtures__/a.ts", "fixtures/conftest.py", "e2e/run.ts", "e2e/run_test.go"]
        {
            assert!(!FileRole::of_imported(path).is_production(), "{path}");
        }
    }

    /// Names that sound like tests. The runners of each language collect what is called a test here and nothing else of these.
    #[test]
    fn what_sounds_like_a_test_is_one_where_its_runner_says_so() {
        for (language, tests) in [
            ("rs", &[][..]),
            ("py", &["src/test_list", "src/load_test"]),
            ("ts", &[]),
            ("js", &[]),
            ("go", &["src/load_test"]),
            ("java", &[]),
        ] {
            for stem in [
                "src/test_list",
                "src/load_test",
                "src/testing/mod",
                "src/spec/mod",
                "src/fixtures/mod",
                "src/e2e/mod",
                "src/attest",
                "src/latest",
                "src/testimony",
            ] {
                assert_eq!(crate::is_test(&format!("{stem}.{language}")), tests.contains(&stem), "{stem}.{language}");
            }
        }
    }

    /// `cargo xtask collection` compares many more with the runners themselves.
    #[test]
    fn files_hold_tests_where_a_runner_collects_from_them() {
        for path in [
            "tests/api.rs",
            "tests/suite/main.rs",
            "src/a/tests.rs",
            "docs/test_a.py",
            "src/a.spec.mjs",
            "src/spec.tsx",
            "__tests__/deep/a.ts",
            "examples/a_test.go",
            "tests/fixtures/test_a.py",
            "snapshots/a_test.go",
            "src/test/java/Testing.java",
            "src/test/java/AITCase.java",
            "ATest.java",
        ] {
            assert!(crate::holds_tests(path), "{path}");
        }
        for path in [
            "tests/common/mod.rs",
            "examples/tests.rs",
            "tests/conftest.py",
            "src/a.test.helper.ts",
            "tests/helper.ts",
            "src/testdata/a_test.go",
            "_old/a_test.go",
            "_test.go",
            "src/main/java/ATest.java",
            "Testing.java",
        ] {
            assert!(!crate::holds_tests(path), "{path}");
        }
    }

    #[test]
    fn tests_follow_the_conventions_of_their_language() {
        for path in [
            "src/parse_test.go",
            "test_x.py",
            "web/__tests__/a.tsx",
            "spec/a_spec.rb",
            "pkg/testdata/a.json",
            "src/test/resources/a.yml",
            "src/parser/test.rs",
            "tests.py",
            "src/UserTest.php",
            "Tests/Unit/User.php",
            "Shop.Tests/CartFacts.cs",
            "test/a.c",
            "e2e/login.ts",
        ] {
            assert!(crate::is_test(path), "{path}");
        }
        for path in ["test.json", "src/Contest.php", "src/Latest/a.php", "src/My.Testing/a.cs", "src/Greatest.java"] {
            assert!(!crate::is_test(path), "{path}");
        }
    }
}
