//! C# and its relatives with .NET.

use super::{Ecosystem, TestPaths, install};
use crate::Language;
use crate::command::test_or_check;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "dotnet",
    languages: &[Language::CSharp],
    manifests: &["*.csproj", "*.sln"],
    lock_files: &["packages.lock.json"],
    // TestPaths have projects of their own: `Shop.Tests`.
    tests: TestPaths {
        names: &["*Test.cs", "*Tests.cs", "*IT.cs"],
        folders: &["*.Tests", "*.Test", "Tests", "Test", "test", "tests", "Fixtures"],
        ..TestPaths::NONE
    },
    role: |program, arguments| (program == "dotnet").then(|| test_or_check(arguments)),
    installs: &[
        install("NUGET_PACKAGES", ".nuget/packages", &[]),
        install("", ".dotnet", &["sdk", "shared", "host", "tools", "packs"]),
    ],
    ..Ecosystem::EMPTY
};
