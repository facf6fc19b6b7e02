//! The test policy has no opinion of its own on what a test is: it holds what `assize-ecosystem` calls one, and no other code.

use std::collections::BTreeSet;

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_ecosystem::is_checker_setting;
use assize_ecosystem::{is_runner_configuration, is_test};
use assize_gate::test_policy::{Uses, WritableScope, plan};
use proptest::prelude::*;

/// Paths out of parts that sound like tests, and of others.
fn path() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec![
        "src",
        "lib",
        "tests",
        "test",
        "testing",
        "spec",
        "e2e",
        "__tests__",
        "fixtures",
        "testdata",
        "examples",
        "pkg",
        "main",
        "java",
        "Tests",
        "api",
        "latest",
    ]);
    let stem = prop::sample::select(vec![
        "test",
        "tests",
        "test_list",
        "list_test",
        "load_tests",
        "conftest",
        "ListTest",
        "TestList",
        "ListIT",
        "latest",
        "contest",
        "list.test",
        "list.spec",
        "list_spec",
        "testing",
        "mod",
        "index",
        "fixtures",
    ]);
    let ending = prop::sample::select(vec![
        "rs", "py", "ts", "tsx", "js", "mjs", "go", "java", "kt", "swift", "rb", "php", "cs", "c", "sh", "json", "txt",
    ]);
    (prop::collection::vec(folder, 0..4), stem, ending).prop_map(|(folders, stem, ending)| {
        let mut parts: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        parts.push(format!("{stem}.{ending}"));
        parts.join("/")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn the_policy_holds_what_the_ecosystems_call_a_test(path in path()) {
        let diff = Diff { files: vec![FileChange::new(path.clone(), FileStatus::Modified)], ..Diff::default() };
        let base = BTreeSet::from([path.clone()]);
        let plan = plan(&diff, &base, &Uses::default(), &WritableScope::None);
        let from_base = plan.held_restore.contains(&path) || plan.restore.contains(&path);
        let expected = is_test(&path) || is_runner_configuration(&path) || is_checker_setting(&path);
        prop_assert_eq!(from_base, expected, "{}", path);
    }
}
