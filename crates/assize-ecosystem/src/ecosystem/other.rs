//! What belongs to no single ecosystem: build tools, version managers, and languages of which little is known.

use super::{Ecosystem, GeneratedPaths, install};
use crate::command::{CommandRole, names_tests, test_or_check};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "other",
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
