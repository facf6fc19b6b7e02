//! `tap`: a runner of tests for JavaScript that runs each file in a process of its own.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use assize_core::path::{parent, within};
use assize_ecosystem::FileRole;
use assize_report::tap::{TapPoint, parse_as};
use assize_report::{ReportError, ToolReport};

use super::javascript::{self, NodePackage};
use super::runner::{self, ASSERTED, JavaScriptRunner, PositionalMeaning, ending};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript and TypeScript.
pub struct Tap;

/// The stream of the run, in the folder of reports.
const STREAM: &str = "run.tap";

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "tap",
    is_call: |step: &ScriptStep| step.head() == "tap" && !is_subcommand(step),
    first: &["--disable-coverage", "--allow-empty-coverage", "--output-file={reports}/run.tap", "--reporter=terse", "--timeout={package_seconds}"],
    last: &[],
    dropped: &[
        "--100",
        "--allow-empty-coverage",
        "--allow-incomplete-coverage",
        "--bail",
        "--branches",
        "--check-coverage",
        "--color",
        "--cov",
        "--coverage",
        "--coverage-report",
        "--disable-coverage",
        "--functions",
        "--lines",
        "--no-check-coverage",
        "--no-color",
        "--no-cov",
        "--no-coverage",
        "--output-file",
        "--reporter",
        "--show-full-coverage",
        "--snapshot",
        "--statements",
        "--timeout",
        "--watch",
        "-R",
        "-S",
        "-b",
        "-c",
        "-o",
        "-t",
        "-w",
    ],
    valued: &[
        "--after",
        "--before",
        "--branches",
        "--coverage-map",
        "--coverage-report",
        "--exclude",
        "--functions",
        "--grep",
        "--include",
        "--jobs",
        "--lines",
        "--node-arg",
        "--nyc-arg",
        "--output-file",
        "--plugin",
        "--rcfile",
        "--reporter",
        "--statements",
        "--test-arg",
        "--test-env",
        "--test-ignore",
        "--test-regex",
        "--timeout",
        "-R",
        "-g",
        "-j",
        "-o",
        "-t",
    ],
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs")],
    canary: |word, module, _| asserting(word, module),
    names: &ASSERTED,
    named: PositionalMeaning::Paths,
    picks: &["--grep", "--only", "-O", "-g"],
};

/// The same before version 18, which measured what tests cover with nyc.
const BEFORE_18: JavaScriptRunner = JavaScriptRunner {
    first: &[
        "--no-check-coverage",
        "--no-coverage",
        "--output-file={reports}/run.tap",
        "--reporter=terse",
        "--timeout={package_seconds}",
    ],
    ..RUNNER
};

/// Returns whether a call does not run tests but builds, lists or sets up something.
fn is_subcommand(step: &ScriptStep) -> bool {
    const OTHERS: [&str; 9] =
        ["build", "config", "debug", "dump-config", "list", "plugin", "report", "repl", "versions"];
    step.arguments().first().is_some_and(|word| OTHERS.contains(&word.text.as_str()))
}

/// The runner as the package's version of it is to be called. `None` before version 15, which knows other options.
fn runner(package: &NodePackage) -> Option<&'static JavaScriptRunner> {
    let digits = |range: &str| {
        let start = range.trim_start_matches(|character: char| !character.is_ascii_digit());
        start.split(|character: char| !character.is_ascii_digit()).next().and_then(|number| number.parse::<u32>().ok())
    };
    match package.range("tap").and_then(digits) {
        Some(..15) => None,
        Some(15..18) => Some(&BEFORE_18),
        _ => Some(&RUNNER),
    }
}

impl Gate for Tap {
    fn id(&self) -> &'static str {
        "tap"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript and TypeScript tests with node-tap"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["tap"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let called = |package: &NodePackage| {
            let runner = runner(package)?;
            runner.called(project, package).filter(|setup| runner.is_called_once(setup, package))
        };
        javascript::packages(project).iter().filter_map(called).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "tap");
        let runner = runner(&javascript::package(project, &setup.folder)).unwrap_or(&RUNNER);
        runner.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "tap");
        let runner = runner(&javascript::package(project, &setup.folder)).unwrap_or(&RUNNER);
        runner.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        if let Some(unbuilt) = JavaScriptRunner::unbuilt(setup, output) {
            return unbuilt;
        }
        let report = parse_as(output.report(STREAM)?, TapPoint::Assertion)?;
        let mut report = javascript::place(report, setup, output);
        for case in report.tests.iter_mut().flat_map(|tests| &mut tests.cases) {
            case.path = case.id.split(" > ").next().map(str::to_owned);
        }
        Ok(report)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        if RUNNER.names_files(setup, project) {
            return Some(RUNNER.canary(setup, project, word, &RUNNER.beside(setup, project, word)?));
        }
        if chooses_files(setup, project) {
            return None;
        }
        let (folder, ending) = most_tests(setup, project)?;
        Some(RUNNER.canary(setup, project, word, &within(&folder, &format!("{word}{ending}"))))
    }
}

/// Returns whether settings name other files of tests than those that tap finds without any.
fn chooses_files(setup: &Setup, project: &Project) -> bool {
    const CHOICES: [&str; 5] = ["exclude", "files", "include", "test-ignore", "test-regex"];
    let package = javascript::package(project, &setup.folder);
    let by_key = package.key("tap").is_some_and(|settings| CHOICES.iter().any(|key| settings.get(key).is_some()));
    let file = project.manifests.get(&within(&setup.folder, ".taprc"));
    let by_file = file.is_some_and(|text| CHOICES.iter().any(|key| text.contains(key)));
    by_key || by_file
}

/// The folder with most of the files that tap takes for tests without settings, and how their names end: besides those that
/// are named as tests, all that lie in a folder for tests.
fn most_tests(setup: &Setup, project: &Project) -> Option<(String, String)> {
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let is_test = |path: &&str| javascript::is_code(path) && FileRole::of(path) == FileRole::Test;
    for path in javascript::files(project, &setup.folder).filter(is_test) {
        *places.entry((parent(path), ending(path))).or_default() += 1;
    }
    let ((folder, ending), _) = places.into_iter().max_by_key(|((folder, _), count)| (*count, Reverse(folder.len())))?;
    Some((folder.to_owned(), ending.to_owned()))
}

/// Tests of ours with the assertions of tap.
fn asserting(word: &str, module: bool) -> String {
    let load = if module { "import t from 'tap';\n" } else { "const t = require('tap');\n" };
    format!(
        "// Put here for one run, to see that failures are reported.\n{load}\
         t.test('{word} equal fails', async (t) => {{ t.equal(1 + 1, 3); }});\n\
         t.test('{word} equal passes', async (t) => {{ t.equal(1 + 1, 2); }});\n\
         t.test('{word} deepStrictEqual fails', async (t) => {{ t.same({{ a: [1] }}, {{ a: [2] }}); }});\n\
         t.test('{word} deepStrictEqual passes', async (t) => {{ t.same({{ a: [1] }}, {{ a: [1] }}); }});\n\
         t.test('{word} throws fails', async (t) => {{ t.throws(() => 1); }});\n\
         t.test('{word} throws passes', async (t) => {{ t.throws(() => {{ throw new Error('as it must'); }}); }});\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    fn called(package: &str) -> Option<String> {
        let project = project(&[("package.json", package)], &["test/a.js", "tap-snapshots/test/a.js.test.cjs"], &[]);
        let setup = Tap.detect(&project).into_iter().next()?;
        let command = Tap.command(&setup, &project).arguments.pop()?;
        command.lines().find(|line| line.contains("tap")).map(str::to_owned)
    }

    #[test]
    fn what_a_version_does_not_know_is_not_asked_of_it() {
        let ours = "--output-file={reports}/run.tap --reporter=terse --timeout={package_seconds}";
        for (range, coverage) in [
            ("^16.0.1", "--no-check-coverage --no-coverage"),
            (">=15 <18", "--no-check-coverage --no-coverage"),
            ("18", "--disable-coverage --allow-empty-coverage"),
            ("^21.1.1", "--disable-coverage --allow-empty-coverage"),
            ("latest", "--disable-coverage --allow-empty-coverage"),
        ] {
            let package = format!(r#"{{"scripts":{{"test":"tap -t 9 --100 test/*.js"}},"devDependencies":{{"tap":"{range}"}}}}"#);
            let line = called(&package).expect("a call");
            assert!(line.starts_with(&format!("tap {coverage} {ours} test/*.js")), "{range}: {line}");
        }
    }

    #[test]
    fn versions_with_other_options_are_left_to_their_script() {
        for (range, is_taken) in [("~0.4.0", false), ("^14.11.0", false), ("^15.0.0", true)] {
            let package = format!(r#"{{"scripts":{{"test":"tap test/*.js"}},"devDependencies":{{"tap":"{range}"}}}}"#);
            assert_eq!(called(&package).is_some(), is_taken, "{range}");
        }
    }

    #[test]
    fn one_call_that_runs_tests_is_taken() {
        for (script, is_taken) in [
            ("tap", true),
            ("npm run build && tap --jobs=2", true),
            ("tap build", false),
            ("tap test/a.js && tap test/b.js", false),
            ("mocha", false),
        ] {
            let package = format!(r#"{{"scripts":{{"test":"{script}"}}}}"#);
            assert_eq!(called(&package).is_some(), is_taken, "{script}");
        }
    }

    #[test]
    fn tests_of_ours_stand_beside_the_project_s_own() {
        let place = |package: &str, more: &[(&str, &str)]| {
            let manifests = [&[("package.json", package)], more].concat();
            let files = ["test/a.js", "test/b.js", "test/c/d.js", "test/e.ts", "tap-snapshots/test/a.js.test.cjs"];
            let project = project(&manifests, &files, &[]);
            let canary = Tap.canary(&Tap.detect(&project)[0], &project, "word")?;
            assert!(canary.failing.iter().any(|id| id.ends_with(".js > word equal fails")), "{:?}", canary.failing);
            canary.files.into_keys().next()
        };
        let plain = r#"{"scripts":{"test":"tap"}}"#;
        assert_eq!(place(plain, &[]).as_deref(), Some("test/word.js"));
        assert_eq!(place(plain, &[(".taprc", "check-coverage: false\n")]).as_deref(), Some("test/word.js"));
        assert_eq!(place(plain, &[(".taprc", "include:\n  - unit/*.js\n")]), None);
        assert_eq!(place(r#"{"scripts":{"test":"tap"},"tap":{"test-regex":"x"}}"#, &[]), None);
        let named = r#"{"scripts":{"test":"tap test/*.js"}}"#;
        assert_eq!(place(named, &[]).as_deref(), Some("test/word.js"));
    }

    #[test]
    fn a_stream_is_read_by_its_subtests() {
        let stream = "TAP version 13\n# Subtest: test/a.js\n    # Subtest: adds\n        ok 1 - took 3 ms\n        1..1\n    \
                      ok 1 - adds # time=3.6ms\n    1..1\nok 1 - test/a.js # time=9ms\n1..1\n";
        let output = GateOutput { reports: [(STREAM.to_owned(), stream.into())].into(), ..GateOutput::default() };
        let setup = Setup { folder: "sub".to_owned(), because: String::new(), detail: "test".to_owned() };
        let cases = Tap.parse(&setup, &output).expect("a report").tests.expect("tests").cases;
        let found: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.path.as_deref())).collect();
        assert_eq!(found, [("sub/test/a.js > adds", Some("sub/test/a.js"))]);
        assert!(matches!(Tap.parse(&setup, &GateOutput::default()), Err(ReportError::Empty)));
    }
}
