//! C and C++.

use super::{Ecosystem, TestPaths, tool};
use crate::Language;
use crate::command::CommandRole;
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::Setting;
use crate::tool::ToolKind::Formatter;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "native",
    name: "C or C++",
    languages: &[Language::Cpp],
    manifests: &["CMakeLists.txt", "meson.build"],
    tools: &[tool("clang-format", &[Formatter], &[Setting(".clang-format")])],
    tests: TestPaths {
        names: &["test_*", "*_test.c", "*_test.cc", "*_test.cpp", "*_tests.cpp", "*_unittest.cc", "*_unittest.cpp"],
        folders: &["test", "tests"],
        outer_folders: &["testdata", "fixtures", "spec"],
        ..TestPaths::NONE
    },
    role: |program, _| match program {
        "ctest" => Some(CommandRole::Test),
        "gcc" | "g++" | "clang" | "clang++" | "cmake" => Some(CommandRole::Check),
        _ => None,
    },
    markers: TestMarkers {
        skip: |code, _| match code {
            _ if code.contains("GTEST_SKIP(") => Some(SkipMarker::Call),
            _ => code.contains("DISABLED_").then_some(SkipMarker::Always),
        },
        skip_hints: &["GTEST_SKIP", "DISABLED_"],
        ..TestMarkers::NONE
    },
    ..Ecosystem::EMPTY
};
