//! What a path says about the role of its file.
//!
//! Pure string work on repository-relative paths with forward slashes; it must not know whether
//! the file exists.

/// A programming language, as far as rules tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// C#.
    CSharp,
    /// C or C++.
    Cpp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Swift.
    Swift,
    /// POSIX-like shell.
    Shell,
}

impl Language {
    /// Tells the language from the file's extension.
    pub fn of(path: &str) -> Option<Self> {
        let extension = file_name(path).rsplit_once('.')?.1;
        Some(match extension {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "cs" => Self::CSharp,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" => Self::Cpp,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "swift" => Self::Swift,
            "sh" | "bash" | "zsh" => Self::Shell,
            _ => return None,
        })
    }

    /// Returns whether the language belongs to the JavaScript family.
    pub fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }
}

/// Returns the last component of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/')
}

/// Returns whether the file holds source code.
pub fn is_code(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Returns whether the file holds tests or their fixtures, by the conventions of its language.
pub fn is_test(path: &str) -> bool {
    let in_test_folder = components(path).rev().skip(1).any(|folder| {
        matches!(folder, "Test" | "Tests" | "Fixtures")
            || folder.ends_with(".Tests")
            || folder.ends_with(".Test")
            || matches!(
                folder,
                "test"
                    | "tests"
                    | "__tests__"
                    | "spec"
                    | "specs"
                    | "testdata"
                    | "fixtures"
                    | "__mocks__"
                    | "e2e"
                    | "testing"
            )
    });
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    in_test_folder
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem == "tests"
        || stem == "test" && is_code(path)
        || stem == "conftest"
        || (name.ends_with(".java")
            || name.ends_with(".kt")
            || name.ends_with(".cs")
            || name.ends_with(".swift")
            || name.ends_with(".php"))
            && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT"))
        || name.ends_with("_spec.rb")
}

/// Returns whether the file is documentation or prose.
pub fn is_prose(path: &str) -> bool {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    [".md", ".mdx", ".rst", ".txt", ".adoc"].iter().any(|ending| lower.ends_with(ending))
        || lower.starts_with("license")
        || lower.starts_with("changelog")
        || lower == "readme"
}

/// Returns whether the file is an example, benchmark, script or demonstration, where stand-ins
/// and printing are ordinary.
pub fn is_example(path: &str) -> bool {
    components(path).rev().skip(1).any(|folder| {
        matches!(
            folder,
            "example"
                | "examples"
                | "bench"
                | "benches"
                | "benchmarks"
                | "demo"
                | "demos"
                | "scripts"
                | "samples"
                | "stories"
                | "playground"
        )
    }) || file_name(path).contains(".stories.")
}

/// Returns whether the file configures continuous integration.
pub fn is_ci(path: &str) -> bool {
    path.starts_with(".github/workflows/")
        || path.starts_with(".github/actions/")
        || path.starts_with(".circleci/")
        || path.starts_with(".buildkite/")
        || path.starts_with(".ci/")
        || matches!(
            path,
            ".gitlab-ci.yml"
                | "azure-pipelines.yml"
                | "Jenkinsfile"
                | ".travis.yml"
                | "bitbucket-pipelines.yml"
                | ".pre-commit-config.yaml"
                | "codecov.yml"
                | ".codecov.yml"
        )
        || path.starts_with(".husky/")
}

/// Returns whether the file is written by a tool: lock files, snapshots, minified or vendored code.
pub fn is_generated(path: &str) -> bool {
    let name = file_name(path);
    matches!(
        name,
        "Cargo.lock"
            | "package-lock.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "poetry.lock"
            | "uv.lock"
            | "go.sum"
            | "Gemfile.lock"
            | "composer.lock"
            | "bun.lock"
            | "bun.lockb"
            | "flake.lock"
    ) || name.contains(".min.")
        || name.ends_with(".snap")
        || name.ends_with(".pb.go")
        || name.ends_with("_pb2.py")
        || components(path).any(|folder| {
            matches!(folder, "node_modules" | "vendor" | "third_party" | "dist" | "__generated__" | "target")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_conventions() {
        for path in [
            "tests/api.rs",
            "src/parse_test.go",
            "src/a.test.ts",
            "test_x.py",
            "src/tests.rs",
            "web/__tests__/a.tsx",
            "src/FooTest.java",
            "spec/a_spec.rb",
            "pkg/testdata/a.json",
            "conftest.py",
            "src/parser/test.rs",
            "tests.py",
            "src/UserTest.php",
            "Tests/Unit/User.php",
            "Shop.Tests/CartFacts.cs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["test.json", "src/Contest.php", "src/Latest/a.php", "src/My.Testing/a.cs"] {
            assert!(!is_test(path), "{path}");
        }
        for path in ["src/attest.rs", "src/latest.py", "src/contest.ts", "src/testimony.rs", "src/Greatest.java"] {
            assert!(!is_test(path), "{path}");
        }
        assert!(is_ci(".github/workflows/ci.yml") && !is_ci(".github/CODEOWNERS"));
        assert!(is_prose("README") && is_prose("docs/a.md") && !is_prose("src/readme.rs.in"));
        assert!(is_generated("a/Cargo.lock") && !is_generated("Cargo.toml"));
        assert_eq!(Language::of("a/b.tsx"), Some(Language::Tsx));
        assert_eq!(Language::of("Makefile"), None);
    }
}
