//! Work on paths: joining, stems, and what a path says about the part that its file plays.
//!
//! Paths are relative to the root of the tree, with forward slashes. It must not know whether a
//! file exists.

/// The part that a file plays in its project, as far as its path says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Code that the project consists of.
    Production,
    /// Tests and their helpers.
    Test,
    /// What tests read: code that stands for somebody else's, expected outputs.
    Fixture,
    /// Examples, demonstrations and the code of the documentation.
    Example,
    /// Measurements.
    Bench,
    /// The set-up of tools, written as code: `build.rs`, `setup.py`, `vite.config.ts`.
    Tooling,
    /// Written by a tool.
    Generated,
    /// A copy of somebody else's code.
    Vendored,
}

/// Tells what part the files below a folder play, where its name says it.
fn part_of_folder(name: &str) -> Option<Part> {
    Some(match name {
        "node_modules" | "bower_components" | "third_party" | "site-packages" => Part::Vendored,
        "__generated__" | "generated" | "dist" => Part::Generated,
        "test" | "tests" | "__tests__" | "__mocks__" | "e2e" | "integration-tests" | "testFixtures" | "androidTest"
        | "integrationTest" => Part::Test,
        "__snapshots__" | "snapshots" | "scenarios" | "__fixtures__" | "testdata" | "test_data" | "test-data"
        | "fixtures" => Part::Fixture,
        "jmh" | "bench" | "benches" | "benchmark" | "benchmarks" => Part::Bench,
        "example" | "examples" | "demo" | "demos" | "docs" | "doc" | "samples" | "sample" | "__storybook__" => {
            Part::Example
        }
        _ => return None,
    })
}

/// Where the packages of a Java source folder begin.
const JAVA_ROOTS: &[&str] = &["java", "javax", "com", "org", "net", "io", "edu", "dev"];

/// Endings of file names that only tools write.
const GENERATED_ENDINGS: &[&str] = &[
    ".pb.go",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    ".pb.rs",
    ".pb.ts",
    "_pb.ts",
    "_pb.js",
    "_pb.d.ts",
    ".min.js",
    ".bundle.js",
    ".generated.ts",
    ".generated.tsx",
    ".generated.js",
    ".gen.ts",
    ".gen.go",
    ".gen.rs",
    "_gen.go",
    "_generated.go",
    "_generated.rs",
    ".generated.rs",
    "_string.go",
];

impl Part {
    /// Tells the part from the path. What stands further out decides: a vendored tree has tests of its own.
    pub fn of(path: &str) -> Self {
        let mut in_source = false;
        let mut found = None;
        for folder in parent(path).split('/') {
            // Packages of Java carry any name, `com.example` above all.
            if path.ends_with(".java") && JAVA_ROOTS.contains(&folder) {
                break;
            }
            match (part_of_folder(folder), found) {
                (Some(Self::Fixture), None | Some(Self::Test)) => return Self::Fixture,
                (_, Some(_)) => {}
                (Some(Self::Example | Self::Bench), None) if in_source => {}
                (Some(part), None) => found = Some(part),
                (None, None) if matches!(folder, "spec" | "specs") && is_script(path) => found = Some(Self::Test),
                (None, None) => in_source |= folder == "src",
            }
        }
        if let Some(part) = found {
            return part;
        }
        if path.starts_with("vendor/") || path.contains("/vendor/") && path.ends_with(".go") {
            return Self::Vendored;
        }
        let name = file_name(path);
        if GENERATED_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Self::Generated;
        }
        if is_test_name(name) {
            return Self::Test;
        }
        if is_tooling_name(name) {
            return Self::Tooling;
        }
        let marked = |mark: &str| name.split_once('.').is_some_and(|(_, rest)| rest.starts_with(mark));
        if marked("stories.") {
            Self::Example
        } else if marked("bench.") {
            Self::Bench
        } else {
            Self::Production
        }
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

/// Returns whether a file's own name says that it sets up a tool.
fn is_tooling_name(name: &str) -> bool {
    let known = ["build.rs", "setup.py", "noxfile.py", "fabfile.py", "gulpfile.js", "Gulpfile.js", "Gruntfile.js"];
    known.contains(&name)
        || name.starts_with('.')
        || is_script(name) && name.split('.').skip(1).any(|part| matches!(part, "config" | "conf" | "setup"))
}

/// Returns whether the file belongs to the JavaScript family.
pub fn is_script(path: &str) -> bool {
    matches!(ending(path), Some("js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte"))
}

/// Returns whether a file holds the types of others and nothing that runs.
pub fn is_declarations(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".pyi"].iter().any(|ending| path.ends_with(ending))
}

/// Returns whether a file's own name says that it holds tests.
fn is_test_name(name: &str) -> bool {
    let (stem, rest) = name.split_once('.').unwrap_or((name, ""));
    match rest.rsplit('.').next().unwrap_or_default() {
        "py" | "pyi" => {
            stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "conftest" | "tests" | "test")
        }
        "rs" => matches!(stem, "tests" | "test") || stem.ends_with("_tests") || stem.ends_with("_test"),
        "go" => stem.ends_with("_test"),
        "java" => {
            stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT") || stem.ends_with("TestCase")
        }
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            ["test.", "spec.", "test-d.", "cy.", "e2e."].iter().any(|mark| rest.starts_with(mark))
                || rest.contains(".test.")
                || rest.contains(".spec.")
        }
        _ => false,
    }
}

/// Returns the last component.
pub fn file_name(path: &str) -> &str {
    last_slash(path).map_or(path, |slash| &path[slash + 1..])
}

/// Finds the last slash. Names are short: going through them byte by byte is faster than to search.
fn last_slash(path: &str) -> Option<usize> {
    path.bytes().rposition(|byte| byte == b'/')
}

/// Returns the folder that holds the file or folder; the root is the empty string.
pub fn parent(path: &str) -> &str {
    last_slash(path).map_or("", |slash| &path[..slash])
}

/// Returns the folders above, the nearest first, the root (the empty string) last.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = (!path.is_empty()).then_some(path);
    std::iter::from_fn(move || {
        let folder = parent(rest?);
        rest = (!folder.is_empty()).then_some(folder);
        Some(folder)
    })
}

/// Returns the file's ending without the dot, in the sense of the last dot of its name.
pub fn ending(path: &str) -> Option<&str> {
    let name = file_name(path);
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    (dot > 0).then(|| &name[dot + 1..])
}

/// Returns the path without its ending. `a/b.d.ts` becomes `a/b`.
pub fn without_ending(path: &str) -> &str {
    let Some(ending) = ending(path) else { return path };
    let stem = &path[..path.len() - ending.len() - 1];
    match stem.strip_suffix(".d") {
        Some(declared) if matches!(ending, "ts" | "mts" | "cts") && !file_name(declared).is_empty() => declared,
        _ => stem,
    }
}

/// Returns whether a path lies in a folder or is it; everything lies in the root.
pub fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Joins a folder and a relative path, with `.` and `..` worked out.
///
/// `None` means that the path leads out of the tree.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = if folder.is_empty() { Vec::new() } else { folder.split('/').collect() };
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns whether the path is one that a tree can hold: relative, and without `.`, `..` and empty parts.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_follows_from_the_path() {
        let cases = [
            ("src/lib.rs", Part::Production),
            ("tests/api.rs", Part::Test),
            ("src/rule/tests.rs", Part::Test),
            ("src/contest.rs", Part::Production),
            ("a/benches/b.rs", Part::Bench),
            ("examples/x/src/main.rs", Part::Example),
            ("tests/data/a.rs", Part::Test),
            ("tests/fixtures/app/main.py", Part::Fixture),
            ("crates/a/tests/scenarios/1/src/lib.rs", Part::Fixture),
            ("pkg/testdata/a.go", Part::Fixture),
            ("node_modules/x/fixtures/a.js", Part::Vendored),
            ("pkg/test_a.py", Part::Test),
            ("pkg/conftest.py", Part::Test),
            ("pkg/testing.py", Part::Production),
            ("src/a.test.ts", Part::Test),
            ("src/a.spec.tsx", Part::Test),
            ("src/a.stories.tsx", Part::Example),
            ("src/latest.ts", Part::Production),
            ("src/__tests__/a.ts", Part::Test),
            ("node_modules/x/test/a.js", Part::Vendored),
            ("vendor/github.com/a/b.go", Part::Vendored),
            ("api/v1/a.pb.go", Part::Generated),
            ("api/a_pb2.py", Part::Generated),
            ("src/test/java/a/BTest.java", Part::Test),
            ("src/main/java/a/Latest.java", Part::Production),
            ("src/main/java/a/BIT.java", Part::Test),
            ("src/main/java/com/example/test/A.java", Part::Production),
            ("vite.config.ts", Part::Tooling),
            (".eslintrc.js", Part::Tooling),
            ("crates/a/build.rs", Part::Tooling),
            ("src/config.ts", Part::Production),
            ("src/docs/page.rs", Part::Production),
            ("docs/conf.py", Part::Example),
            ("src/spec/a.rs", Part::Production),
            ("spec/a.js", Part::Test),
            ("cmd/a_test.go", Part::Test),
            ("src/tests.rs", Part::Test),
            ("LedgerTest.java", Part::Test),
            ("Contest.java", Part::Production),
            ("contest.py", Part::Production),
            ("attest/a.go", Part::Production),
            ("test", Part::Production),
        ];
        for (path, expected) in cases {
            assert_eq!(Part::of(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_are_joined_and_stay_within() {
        let cases = [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c", Some("a/c")),
            ("a", "..", Some("")),
            ("a", "../..", None),
            ("", "x//y/./z", Some("x/y/z")),
        ];
        for (folder, relative, expected) in cases {
            assert_eq!(join(folder, relative).as_deref(), expected, "{folder} {relative}");
        }
    }

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(folders_above("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(folders_above("c.rs").collect::<Vec<_>>(), [""]);
        assert_eq!(folders_above("").count(), 0);
        assert_eq!(without_ending("a/b.d.ts"), "a/b");
        assert_eq!(without_ending("a/b.test.ts"), "a/b.test");
        assert_eq!(without_ending("a.b/c"), "a.b/c");
        assert_eq!(without_ending("a/.d.ts"), "a/.d");
        assert_eq!(ending(".gitignore"), None);
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("a", "") && !is_within("ab", "a"));
        for path in ["", "/a", "a//b", "a/../b", "./a", "a/"] {
            assert!(!is_plain(path), "{path}");
        }
        assert!(is_plain("a/b.c"));
    }
}
