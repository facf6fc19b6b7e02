//! Go.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, GeneratedPaths, TestPaths, install, prepare, tool};
use crate::Language;
use crate::command::{CommandRole, subcommand};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::{File, Setting};
use crate::tool::ToolKind::{Formatter, Linter, PackageManager, TestRunner, TypeChecker};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "go",
    name: "Go",
    languages: &[Language::Go],
    manifests: &["go.mod", "go.work"],
    tools: &[
        tool("go", &[PackageManager, TypeChecker], &[File("go.mod")]),
        tool("gofmt", &[Formatter], &[File("go.mod")]),
        tool("go vet", &[Linter], &[File("go.mod")]),
        tool("golangci-lint", &[Linter], &[Setting(".golangci.*")]),
        tool("go test", &[TestRunner], &[File("go.mod")]),
    ],
    project_files: &["go.mod"],
    preparations: &[prepare("go.mod", "go mod download all")],
    lock_files: &["go.sum", "go.work.sum"],
    dependency_folders: &["vendor"],
    vendored_folders: &["vendor"],
    generated: GeneratedPaths {
        names: &["*.pb.go", "*.gen.go", "*_gen.go", "*_generated.go", "*_string.go"],
        folders: &[],
    },
    // `go test` collects `*_test.go`. It passes over `testdata` and over names that begin with `_` or `.`, and builds what lies in any
    // other folder.
    tests: TestPaths {
        names: &["*_test.go"],
        folders: &["testdata"],
        outer_folders: &["test", "tests", "e2e"],
        fixture_folders: Some(&["testdata"]),
        collects: |path, is_named| {
            is_named && !path.split('/').any(|part| part == "testdata" || part.starts_with(['_', '.']))
        },
        ..TestPaths::NONE
    },
    test_packages: &["github.com/onsi/ginkgo", "github.com/onsi/gomega", "github.com/stretchr/testify", "testing"],
    role,
    installs: &[install("GOPATH", "go", &["bin", "pkg/mod"])],
    registries: &["proxy.golang.org"],
    markers: TestMarkers {
        skip,
        skip_hints: &["Skip", "ignore"],
        focus,
        focus_hints: &["FIt", "FDescribe", "FContext", "FSpecify", "FEntry"],
    },
    ..Ecosystem::EMPTY
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    Some(match program {
        "gotestsum" => CommandRole::Test,
        "go" => match subcommand(arguments) {
            "test" => CommandRole::Test,
            "build" | "vet" => CommandRole::Check,
            "run" => CommandRole::Script,
            _ => CommandRole::Other,
        },
        "golangci-lint" | "gofmt" => CommandRole::Check,
        _ => return None,
    })
}

fn skip(code: &str, raw: &str) -> Option<SkipMarker> {
    static CALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:t|b|s\.T\(\)|suite\.T\(\))\.Skip(?:f|Now)?\(").expect("valid pattern"));
    if raw.starts_with("//go:build ignore") || raw.starts_with("// +build ignore") {
        return Some(SkipMarker::Always);
    }
    CALL.is_match(code).then_some(SkipMarker::Call)
}

/// Tells the marks of Ginkgo.
fn focus(code: &str) -> bool {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:var\s+_\s*=\s*)?F(?:It|Describe|Context|Specify|Entry|DescribeTable)\(\x22")
            .expect("valid pattern")
    });
    MARKER.is_match(code)
}
