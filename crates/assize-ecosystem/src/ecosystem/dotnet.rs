//! C# and its relatives with .NET.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, TestPaths, install};
use crate::Language;
use crate::command::test_or_check;
use crate::marker::{SkipMarker, TestMarkers};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "dotnet",
    name: "C#",
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
    markers: TestMarkers { skip, skip_hints: &["Ignore", "Inconclusive", "Skip", "Explicit"], ..TestMarkers::NONE },
    ..Ecosystem::EMPTY
};

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\[[A-Za-z]*(?:Fact|Theory)\s*\(.*\bSkip\s*=|\[(?:Ignore|Explicit)\s*[(\]]").expect("valid pattern")
    });
    if code.contains("Assert.Ignore(") || code.contains("Assert.Inconclusive(") {
        return Some(SkipMarker::Call);
    }
    ALWAYS.is_match(code).then_some(SkipMarker::Always)
}
