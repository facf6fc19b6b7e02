//! C and C++.

use super::{Ecosystem, TestPaths};
use crate::Language;
use crate::command::CommandRole;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "native",
    languages: &[Language::Cpp],
    manifests: &["CMakeLists.txt", "meson.build"],
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
    ..Ecosystem::EMPTY
};
