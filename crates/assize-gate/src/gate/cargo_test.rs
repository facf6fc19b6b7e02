//! `cargo test`: builds, then runs unit tests, integration tests and doc tests.
//!
//! The harness prints for people, on the stream that the tests write to as well, and its JSON needs
//! `RUSTC_BOOTSTRAP`, which would also reach the compilers that tests start. So the programs of
//! tests are started by a runner of ours (`drivers/cargo_test_runner.rs`), which is compiled where it
//! is needed: it keeps cargo's output to itself, limits each test's time and tells which test took
//! its process down. Where `cargo nextest` is set up, that runs instead, and doc tests do not run.

use assize_report::{ToolReport, ReportError, cargo_test};

use super::{
    Canary, Dimension, Gate, GateCommand, GateOutput, Project, REPORTS, Setup, ONE_TEST, TEST_SECONDS_VARIABLE,
    cargo, completion_marker,
};

/// Rust's own runner of tests.
pub struct CargoTest;

/// Most packages of one workspace that get tests of ours: each costs a link.
pub const CANARY_PACKAGES_MAX: usize = 8;

impl Gate for CargoTest {
    fn id(&self) -> &'static str {
        "cargo-test"
    }

    fn summary(&self) -> &'static str {
        "builds and runs all tests of a Cargo workspace, doc tests included"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        cargo::TEST_CALLS
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("cargo")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let setups = cargo::setups(project, "there is a Cargo.toml");
        setups.into_iter().filter(|setup| !cargo::uses_nextest(project, &setup.folder)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let arguments = ["test", "--workspace", "--no-fail-fast", "--message-format=json", "--config", RUNNER];
        with_runner(cargo::command(setup, project, &arguments))
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        cargo::only(self.command(setup, project), setup, project, files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let report =
            if output.timed_out { cargo_test::parse_part(&output.stdout)? } else { cargo_test::parse(&output.stdout)? };
        Ok(cargo::place(cargo::explain(report, output), setup, output))
    }

    fn instead(&self, setup: &Setup, command: &GateCommand, output: &GateOutput) -> Option<GateCommand> {
        let report = self.parse(setup, output).ok()?;
        cargo::without_features(command, &report).or_else(|| cargo::despite_lints(command, &report))
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        canary(setup, project, word)
    }

    fn test_ids(&self, setup: &Setup, project: &Project, tests: &[(String, String)]) -> Vec<Vec<String>> {
        cargo::test_ids(setup, project, tests)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        &[0, 101]
    }
}

/// Has cargo start programs of tests through the runner. Cargo's own key for every platform; a runner that the project
/// names for one platform goes before it, and is noticed.
pub(super) const RUNNER: &str = "target.'cfg(all())'.runner=['sh','{reports}/cargo_test_runner.sh']";

/// Brings the runner along.
pub(super) fn with_runner(mut command: GateCommand) -> GateCommand {
    command.environment.insert(TEST_SECONDS_VARIABLE.to_owned(), ONE_TEST.to_owned());
    command.environment.insert(completion_marker::VARIABLE.to_owned(), format!("{REPORTS}/{}", completion_marker::REPORT));
    let files = [
        ("cargo_test_runner.sh", include_str!("../../drivers/cargo_test_runner.sh")),
        ("cargo_test_runner.rs", include_str!("../../drivers/cargo_test_runner.rs")),
    ];
    command.provided.extend(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    command
}

/// A file of tests of ours for the packages of a workspace.
pub(super) fn canary(setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
    let root = cargo::roots(project).into_iter().find(|root| root.folder == setup.folder)?;
    let packages = root.packages(project).into_iter().filter(|package| package.finds_tests);
    let name = format!("checks_{word}");
    let mut canary = Canary::default();
    for package in packages.take(CANARY_PACKAGES_MAX) {
        let path = [package.folder.as_str(), "tests", &format!("{name}.rs")];
        let path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
        canary.files.insert(path.join("/"), CANARY.to_owned());
        let id = |test: &&str| format!("{}::{name} {test}", package.name);
        canary
            .failing
            .extend(["fails_by_assertion", "fails_by_error", "fails_by_panic", "fails_to_panic"].iter().map(id));
        canary.passing.extend(["passes", "passes_by_panic"].iter().map(id));
    }
    (!canary.files.is_empty()).then_some(canary)
}

const CANARY: &str = r#"//! Put here for one run, to see that failures are reported.

#[test]
fn fails_by_assertion() {
    assert_eq!(1 + 1, 3);
}

#[test]
fn fails_by_error() -> Result<(), String> {
    Err("as it must".to_owned())
}

#[test]
fn fails_by_panic() {
    panic!("as it must");
}

#[test]
#[should_panic]
fn fails_to_panic() {}

#[test]
fn passes() {
    assert_eq!(1 + 1, 2);
}

#[test]
#[should_panic]
fn passes_by_panic() {
    panic!("as it must");
}
"#;

#[cfg(test)]
mod tests {
    use super::super::cargo::tests::project;
    use super::*;

    fn setup() -> Setup {
        Setup { folder: String::new(), because: String::new(), detail: String::new() }
    }

    #[test]
    fn nextest_runs_instead_where_it_is_set_up() {
        let package = ("Cargo.toml", "[package]\nname = \"p\"\n");
        assert_eq!(CargoTest.detect(&project(&[package], &[])).len(), 1);
        assert!(CargoTest.detect(&project(&[package], &[".config/nextest.toml"])).is_empty());
    }

    #[test]
    fn every_test_has_a_limit() {
        let command = CargoTest.command(&setup(), &project(&[], &[])).with_test_seconds(7);
        assert_eq!(command.environment[TEST_SECONDS_VARIABLE], "7");
        assert!(command.provided["cargo_test_runner.sh"].contains("cargo_test_runner.rs"));
    }

    #[test]
    fn packages_get_canaries_up_to_a_limit() {
        let workspace = ("Cargo.toml", "[workspace]\nmembers = [\"*\"]\n");
        for (count, expected) in
            [(1, 1), (CANARY_PACKAGES_MAX, CANARY_PACKAGES_MAX), (CANARY_PACKAGES_MAX + 1, CANARY_PACKAGES_MAX)]
        {
            let names: Vec<String> = (0..count).map(|index| format!("p{index}")).collect();
            let paths: Vec<String> = names.iter().map(|name| format!("{name}/Cargo.toml")).collect();
            let texts: Vec<String> =
                names.iter().map(|name| format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n")).collect();
            let mut manifests = vec![workspace];
            manifests.extend(paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
            let canary = CargoTest.canary(&setup(), &project(&manifests, &[]), "w").unwrap();
            assert_eq!(
                (canary.files.len(), canary.failing.len(), canary.passing.len()),
                (expected, expected * 4, expected * 2)
            );
        }
        let off = ("Cargo.toml", "[package]\nname = \"p\"\nedition = \"2021\"\nautotests = false\n");
        assert_eq!(CargoTest.canary(&setup(), &project(&[off], &[]), "w"), None);
    }

    #[test]
    fn a_canary_is_named_as_it_will_be_reported() {
        let package = ("a/Cargo.toml", "[package]\nname = \"my-p\"\nedition = \"2021\"\n");
        let setup = Setup { folder: "a".to_owned(), ..setup() };
        let canary = CargoTest.canary(&setup, &project(&[package], &[]), "abc").unwrap();
        assert_eq!(canary.files.keys().collect::<Vec<_>>(), ["a/tests/checks_abc.rs"]);
        assert_eq!(canary.failing[0], "my-p::checks_abc fails_by_assertion");
    }
}
