//! Ruby with Bundler.

use super::{Ecosystem, TestPaths, install};
use crate::Language;
use crate::command::{CommandRole, names_tests, test_or_check};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "ruby",
    languages: &[Language::Ruby],
    manifests: &["Gemfile", "*.gemspec"],
    lock_files: &["Gemfile.lock"],
    dependency_folders: &["vendor"],
    vendored_folders: &["vendor"],
    tests: TestPaths {
        names: &["*_spec.rb", "*_test.rb", "test_*.rb"],
        folders: &["spec", "test", "tests"],
        outer_folders: &["fixtures"],
        ..TestPaths::NONE
    },
    wrappers: &["bundle"],
    role: |program, arguments| {
        Some(match program {
            "rspec" => CommandRole::Test,
            "ruby" if arguments.contains(&"--test") || names_tests(arguments) => CommandRole::Test,
            "ruby" => CommandRole::Script,
            "rails" => test_or_check(arguments),
            _ => return None,
        })
    },
    installs: &[install("RBENV_ROOT", ".rbenv", &[]), install("", ".gem", &["ruby"])],
    ..Ecosystem::EMPTY
};
