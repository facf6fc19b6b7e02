//! Go.

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::{CommandRole, subcommand};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "go",
    languages: &[Language::Go],
    manifests: &["go.mod", "go.work"],
    lock_files: &["go.sum", "go.work.sum"],
    dependency_folders: &["vendor"],
    vendored_folders: &["vendor"],
    generated: GeneratedPaths { names: &["*.pb.go", "*.gen.go", "*_gen.go", "*_generated.go", "*_string.go"], folders: &[] },
    // `go test` collects `*_test.go`. It passes over `testdata` and over names that begin with `_` or `.`.
    tests: TestPaths {
        names: &["*_test.go"],
        folders: &["testdata"],
        outer_folders: &["test", "tests", "e2e", "fixtures"],
        collects: |path, is_named| {
            is_named && !path.split('/').any(|part| part == "testdata" || part.starts_with(['_', '.']))
        },
        ..TestPaths::NONE
    },
    role,
    installs: &[install("GOPATH", "go", &["bin", "pkg/mod"])],
    registries: &["proxy.golang.org"],
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
