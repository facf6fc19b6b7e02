//! Swift with SwiftPM or Xcode.

use super::{Ecosystem, TestPaths};
use crate::Language;
use crate::command::test_or_check;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "swift",
    languages: &[Language::Swift],
    manifests: &["Package.swift"],
    lock_files: &["Package.resolved"],
    // SwiftPM takes the targets of tests from `Tests`, Xcode from folders of that ending.
    tests: TestPaths {
        names: &["*Test.swift", "*Tests.swift"],
        folders: &["Tests", "*Tests", "Fixtures"],
        outer_folders: &["test", "tests"],
        ..TestPaths::NONE
    },
    tooling: &["Package.swift"],
    role: |program, arguments| (program == "swift").then(|| test_or_check(arguments)),
    ..Ecosystem::EMPTY
};
