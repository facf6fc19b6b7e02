//! What belongs to no single ecosystem: build tools, version managers, and languages of which little is known.

use super::{Ecosystem, GeneratedPaths, install, tool};
use crate::command::{CommandRole, names_tests, test_or_check};
use crate::tool::Sign::{Below, File, Setting};
use crate::tool::ToolKind::{Ci, Coverage, Formatter, Linter, SchemaTool};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "other",
    name: "",
    tools: &[
        tool("editorconfig", &[Formatter], &[File(".editorconfig")]),
        tool("pre-commit", &[Linter], &[File(".pre-commit-config.yaml")]),
        tool("sonar", &[Linter], &[Setting("sonar-project.properties")]),
        tool("codecov", &[Coverage], &[Setting("codecov.y*ml"), Setting(".codecov.y*ml")]),
        tool("protobuf", &[SchemaTool], &[File("*.proto")]),
        tool("buf", &[SchemaTool], &[File("buf.yaml"), File("buf.gen.yaml")]),
        tool("graphql", &[SchemaTool], &[File("*.graphql"), File("*.graphqls"), File("*.gql")]),
        tool("json schema", &[SchemaTool], &[File("*.schema.json")]),
        tool("openapi", &[SchemaTool], &[File("openapi.*"), File("swagger.*")]),
        tool("avro", &[SchemaTool], &[File("*.avsc")]),
        tool("github actions", &[Ci], &[Below(".github/workflows/")]),
        tool("gitlab", &[Ci], &[File(".gitlab-ci.yml")]),
        tool("circleci", &[Ci], &[Below(".circleci/")]),
        tool("azure pipelines", &[Ci], &[File("azure-pipelines*")]),
        tool("jenkins", &[Ci], &[File("Jenkinsfile")]),
        tool("travis", &[Ci], &[File(".travis.yml")]),
        tool("buildkite", &[Ci], &[Below(".buildkite/")]),
        tool("drone", &[Ci], &[File(".drone.yml")]),
        tool("woodpecker", &[Ci], &[Below(".woodpecker/"), File(".woodpecker.yml")]),
        tool("forgejo actions", &[Ci], &[Below(".forgejo/workflows/")]),
        tool("own script", &[Ci], &[Below(".ci/")]),
    ],
    lock_files: &["flake.lock"],
    vendored_folders: &["third_party"],
    generated: GeneratedPaths { names: &[], folders: &["generated"] },
    runner_files: &[".env"],
    wrappers: &[
        "sudo", "time", "env", "nice", "timeout", "xvfb-run", "nohup", "stdbuf", "command", "exec", "direnv", "mise",
    ],
    role,
    installs: &[
        install("PUB_CACHE", ".pub-cache", &["bin", "hosted"]),
        install("OPAMROOT", ".opam", &[]),
        install("ASDF_DATA_DIR", ".asdf", &[]),
        install("MISE_DATA_DIR", ".local/share/mise", &[]),
        install("", ".local/bin", &[]),
        install("", ".local/lib", &[]),
        install("", ".ghcup", &["bin", "ghc"]),
        install("", ".cabal", &["bin", "packages", "store"]),
        install("", ".stack", &["programs", "snapshots", "pantry"]),
        install("", ".nix-profile", &[]),
    ],
    ..Ecosystem::EMPTY
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    Some(match program {
        "prove" | "busted" | "elm-test" => CommandRole::Test,
        "make" | "just" | "task" | "mask" | "rake" | "ninja" | "bazel" | "nx" | "turbo" | "invoke" | "lerna"
        | "meson" => {
            let runs_tests = |word: &&str| word.contains("test") || word.contains("spec");
            if arguments.iter().any(runs_tests) { CommandRole::Test } else { CommandRole::Check }
        }
        "mix" | "flutter" | "dart" | "zig" | "stack" | "cabal" => test_or_check(arguments),
        "perl" if arguments.contains(&"--test") || names_tests(arguments) => CommandRole::Test,
        "perl" => CommandRole::Script,
        _ => return None,
    })
}
