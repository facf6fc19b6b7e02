//! PHP with Composer.

use super::{Ecosystem, TestPaths};
use crate::Language;
use crate::command::{CommandRole, names_tests, test_or_check};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "php",
    languages: &[Language::Php],
    manifests: &["composer.json"],
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
    ..Ecosystem::EMPTY
};
