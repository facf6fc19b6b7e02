//! PHP with Composer.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, TestPaths, tool};
use crate::Language;
use crate::command::{CommandRole, names_tests, test_or_check};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::{File, Setting};
use crate::tool::ToolKind::{Linter, PackageManager, TestRunner};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "php",
    name: "PHP",
    languages: &[Language::Php],
    manifests: &["composer.json"],
    tools: &[
        tool("composer", &[PackageManager], &[File("composer.json")]),
        tool("phpstan", &[Linter], &[Setting("phpstan*.neon*")]),
        tool("psalm", &[Linter], &[Setting("psalm.xml*")]),
        tool("phpunit", &[TestRunner], &[Setting("phpunit.xml*")]),
    ],
    settings: &["phpstan.*"],
    lock_files: &["composer.lock"],
    dependency_folders: &["vendor"],
    vendored_folders: &["vendor"],
    tests: TestPaths {
        names: &["*Test.php", "*Tests.php", "*IT.php"],
        folders: &["tests", "Tests", "test", "Test"],
        outer_folders: &["spec", "Fixtures", "fixtures"],
        ..TestPaths::NONE
    },
    role: |program, arguments| {
        Some(match program {
            "phpunit" | "pest" => CommandRole::Test,
            "php" if arguments.contains(&"--test") || names_tests(arguments) => CommandRole::Test,
            "php" => CommandRole::Script,
            "composer" => test_or_check(arguments),
            _ => return None,
        })
    },
    markers: TestMarkers { skip, skip_hints: &["Skip", "skip", "Incomplete", "todo"], ..TestMarkers::NONE },
    ..Ecosystem::EMPTY
};

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"->markTest(?:Skipped|Incomplete)\(|^\s*\}?\)?->(?:skip|todo)\(").expect("valid pattern")
    });
    CALL.is_match(code).then_some(SkipMarker::Call)
}
