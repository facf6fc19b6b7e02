//! Swift with SwiftPM or Xcode.

use super::{Ecosystem, TestPaths};
use crate::Language;
use crate::command::test_or_check;
use crate::marker::{SkipMarker, TestMarkers};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "swift",
    name: "Swift",
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
    markers: TestMarkers {
        skip: |code, _| match code {
            _ if code.contains("XCTSkipIf(") || code.contains("XCTSkipUnless(") => Some(SkipMarker::Sometimes),
            _ if code.contains("XCTSkip(") => Some(SkipMarker::Call),
            _ => code.contains("@Test(.disabled(").then_some(SkipMarker::Always),
        },
        skip_hints: &["XCTSkip", "disabled"],
        ..TestMarkers::NONE
    },
    ..Ecosystem::EMPTY
};
