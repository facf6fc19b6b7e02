//! Ruby with Bundler.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, TestPaths, install, tool};
use crate::Language;
use crate::command::{CommandRole, names_tests, test_or_check};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::{File, Setting};
use crate::tool::ToolKind::{Coverage, Linter, PackageManager, TestRunner};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "ruby",
    name: "Ruby",
    languages: &[Language::Ruby],
    manifests: &["Gemfile", "*.gemspec"],
    tools: &[
        tool("bundler", &[PackageManager], &[File("Gemfile")]),
        tool("rubocop", &[Linter], &[Setting(".rubocop.yml")]),
        tool("rspec", &[TestRunner], &[Setting(".rspec")]),
        tool("simplecov", &[Coverage], &[Setting(".simplecov")]),
    ],
    settings: &["spec_helper.rb", "test_helper.rb"],
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
    markers: TestMarkers {
        skip,
        skip_hints: &["skip", "pending", "xit", "xdescribe", "xcontext", "xspecify", "xscenario"],
        focus,
        focus_hints: &["fit", "fdescribe", "fcontext", "fspecify", "fexample", "focus"],
    },
    ..Ecosystem::EMPTY
};

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\s*x(?:it|describe|context|specify|scenario)\b",
            r"|,\s*(?:skip|pending):\s*(?:true|[\x22'])|,\s*:(?:skip|pending)\b",
        ))
        .expect("valid pattern")
    });
    static CALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:skip|pending)\b\s*(?:[(\x22']|$|if\b|unless\b)").expect("valid pattern"));
    let call = CALL.is_match(code).then_some(SkipMarker::Call);
    call.or_else(|| ALWAYS.is_match(code).then_some(SkipMarker::Always))
}

fn focus(code: &str) -> bool {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*f(?:it|describe|context|specify|example)\b\s*[('\x22]|\b(?:it|describe|context|specify|scenario)\b.*,\s*(?::focus\b|focus:\s*true)")
            .expect("valid pattern")
    });
    MARKER.is_match(code)
}
