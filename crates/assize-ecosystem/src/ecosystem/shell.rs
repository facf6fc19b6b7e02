//! Scripts for a shell.

use super::{Ecosystem, TestPaths};
use crate::Language;
use crate::command::{CommandRole, names_tests};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "shell",
    languages: &[Language::Shell],
    tests: TestPaths {
        names: &["test_*.sh", "*_test.sh", "test.sh", "*.bats"],
        folders: &["test", "tests"],
        outer_folders: &["spec", "e2e", "fixtures", "testdata"],
        ..TestPaths::NONE
    },
    role: |program, arguments| {
        Some(match program {
            "bats" => CommandRole::Test,
            "bash" | "sh" | "zsh" if arguments.contains(&"--test") || names_tests(arguments) => CommandRole::Test,
            "bash" | "sh" | "zsh" => CommandRole::Script,
            "shellcheck" => CommandRole::Check,
            _ => return None,
        })
    },
    ..Ecosystem::EMPTY
};
