//! Scripts for a shell.

use super::{Ecosystem, TestPaths, tool};
use crate::Language;
use crate::command::{CommandRole, names_tests};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::Setting;
use crate::tool::ToolKind::Linter;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "shell",
    name: "Shell",
    languages: &[Language::Shell],
    tools: &[tool("shellcheck", &[Linter], &[Setting(".shellcheckrc")])],
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
    markers: TestMarkers {
        skip: |code, _| (code.trim() == "skip" || code.trim_start().starts_with("skip \"")).then_some(SkipMarker::Call),
        skip_hints: &["skip"],
        ..TestMarkers::NONE
    },
    ..Ecosystem::EMPTY
};
