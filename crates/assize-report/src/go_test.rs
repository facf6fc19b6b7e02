//! The events of `go test -json`.
//!
//! A program under test may print any text between them, and in old versions lines of its own become
//! events. So a failure is kept, whatever other events say of the test, and everything that began must have
//! ended. The harness of a package that passed must have said so itself, since a process that ends by
//! `exit(0)` leaves `ok` behind as well. This module must not know how the packages were chosen.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::plain::plain;
use super::{CaseList, ToolReport, ReportError, TestCase, TestOutcome, TestRun, message, json};

const FORMAT: &str = "the events of go test";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoTestEvent {
    action: String,
    package: Option<String>,
    import_path: Option<String>,
    test: Option<String>,
    output: Option<String>,
    output_type: Option<String>,
    elapsed: Option<f64>,
    failed_build: Option<String>,
}

#[derive(Default)]
struct GoTestPackage {
    tests: Vec<GoTestCase>,
    by_name: BTreeMap<String, usize>,
    /// Whether the harness said `PASS` at its own end.
    said_pass: bool,
    said_pass_in_a_frame: bool,
    end: Option<GoTestEnd>,
    output: Tail,
    failed_build: Option<String>,
}

struct GoTestCase {
    name: String,
    ends: Vec<GoTestEnd>,
    elapsed: Option<f64>,
    output: Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GoTestEnd {
    Pass,
    Fail,
    Skip,
}

/// The last part of what was printed.
#[derive(Default)]
struct Tail(String);

impl Tail {
    fn push(&mut self, text: &str) {
        self.0.push_str(text);
        if self.0.len() > 2 * super::MESSAGE_BYTES_MAX {
            self.0 = assize_core::text::tail(&self.0, super::MESSAGE_BYTES_MAX).to_owned();
        }
    }

    fn words(&self) -> String {
        ending(&self.0)
    }

    /// What a test printed, without what its harness says of when it ran.
    fn own_words(&self) -> String {
        let is_own = |line: &&str| !line.starts_with("=== ");
        ending(&self.0.lines().filter(is_own).collect::<Vec<_>>().join("\n"))
    }
}

fn ending(text: &str) -> String {
    assize_core::text::tail(text.trim(), super::MESSAGE_BYTES_MAX).to_owned()
}

/// Reads the events.
///
/// # Errors
///
/// There is none, or one is cut off.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    parse_with_builds(bytes, b"")
}

/// Reads the events, and from the standard error why packages were not built: old versions say it there alone.
///
/// # Errors
///
/// There is no event, or one is cut off.
pub fn parse_with_builds(bytes: &[u8], stderr: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut run = GoTestRun { builds: builds(&String::from_utf8_lossy(stderr)), ..GoTestRun::default() };
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        if !line.starts_with('{') {
            run.line(line);
            continue;
        }
        match json::value::<GoTestEvent>(line) {
            Ok(event) => run.event(event),
            Err(error) if index + 1 == lines.len() => return Err(ReportError::Truncated(error.to_string())),
            Err(error) => {
                let detail = format!("line {}: {error}", index + 1);
                return Err(ReportError::Malformed { format: FORMAT, detail: message(&detail) });
            }
        }
    }
    run.report()
}

/// Reads what the builder prints, by what it built: `# path` or `# path [path.test]` stands above it.
fn builds(stderr: &str) -> BTreeMap<String, Tail> {
    let mut found: BTreeMap<String, Tail> = BTreeMap::new();
    let mut of = None;
    for line in stderr.lines() {
        if let Some(heading) = line.strip_prefix("# ") {
            of = Some(heading.trim().to_owned());
        } else if let Some(of) = &of {
            found.entry(of.clone()).or_default().push(&format!("{line}\n"));
        }
    }
    found
}

#[derive(Default)]
struct GoTestRun {
    packages: BTreeMap<String, GoTestPackage>,
    /// What the builder said, by what it built.
    builds: BTreeMap<String, Tail>,
    /// Builds that failed.
    failed_builds: Vec<String>,
    /// Whether this version marks what the harness itself prints.
    has_frames: bool,
    events: usize,
}

impl GoTestRun {
    /// Old versions say in plain words that a package did not build.
    fn line(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("FAIL\t") else { return };
        let (name, why) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let package = self.packages.entry(name.to_owned()).or_default();
        package.end = Some(GoTestEnd::Fail);
        package.output.push(why);
        self.events += 1;
    }

    fn event(&mut self, event: GoTestEvent) {
        self.events += 1;
        let frame = event.output_type.as_deref() == Some("frame");
        self.has_frames |= frame;
        let Some(name) = event.package else {
            let build = event.import_path.unwrap_or_default();
            match event.action.as_str() {
                "build-output" => self.builds.entry(build).or_default().push(event.output.as_deref().unwrap_or("")),
                "build-fail" => self.failed_builds.push(build),
                _ => {}
            }
            return;
        };
        let package = self.packages.entry(name).or_default();
        package.failed_build = event.failed_build.or(package.failed_build.take());
        let output = event.output.as_deref().unwrap_or_default();
        let end = match event.action.as_str() {
            "pass" => Some(GoTestEnd::Pass),
            "fail" => Some(GoTestEnd::Fail),
            "skip" => Some(GoTestEnd::Skip),
            _ => None,
        };
        match event.test {
            Some(test) => {
                let test = package.test(test);
                test.output.push(output);
                test.elapsed = event.elapsed.or(test.elapsed);
                test.ends.extend(end);
            }
            None => {
                package.output.push(output);
                package.said_pass |= output == "PASS\n";
                package.said_pass_in_a_frame |= output == "PASS\n" && frame;
                if end.is_some() && package.end != Some(GoTestEnd::Fail) {
                    package.end = end;
                }
            }
        }
    }

    fn report(self) -> Result<ToolReport, ReportError> {
        if self.events == 0 {
            return Err(ReportError::Malformed { format: FORMAT, detail: "it has no event".to_owned() });
        }
        let mut cases = CaseList::default();
        let mut faults = BTreeSet::new();
        for (name, package) in &self.packages {
            let mut failed = 0;
            for test in &package.tests {
                let case = test.case(name);
                failed += usize::from(case.outcome == TestOutcome::Failed);
                cases.add(case)?;
            }
            if let Some(why) = self.trouble(name, package, failed) {
                if package.is_unbuilt() {
                    faults.insert(name.clone());
                }
                cases.add(TestCase {
                    id: name.clone(),
                    path: None,
                    outcome: TestOutcome::Failed,
                    message: Some(message(&why)),
                    time_ms: None,
                })?;
            }
        }
        let blamed = |build: &&String| self.packages.values().any(|it| it.failed_build.as_ref() == Some(build));
        for build in self.failed_builds.iter().filter(|build| !blamed(build)) {
            let words = self.builds.get(build).map(Tail::words).unwrap_or_default();
            cases.add(TestCase {
                id: build.clone(),
                path: None,
                outcome: TestOutcome::Failed,
                message: Some(message(&format!("it does not build\n{words}"))),
                time_ms: None,
            })?;
        }
        let tests = TestRun { cases: cases.finish(), faults, ..TestRun::default() };
        Ok(ToolReport { tests: Some(tests), ..ToolReport::default() })
    }

    /// What the builder said of a package with its tests, of its tests from outside, or of itself.
    fn build_of_tests(&self, name: &str) -> Option<&Tail> {
        let names = [format!("{name} [{name}.test]"), format!("{name}_test [{name}.test]"), name.to_owned()];
        names.iter().find_map(|name| self.builds.get(name))
    }

    /// Says what is wrong with a package besides its tests that failed.
    fn trouble(&self, name: &str, package: &GoTestPackage, failed: usize) -> Option<String> {
        let said_pass = if self.has_frames { package.said_pass_in_a_frame } else { package.said_pass };
        match package.end {
            Some(GoTestEnd::Skip) => None,
            Some(GoTestEnd::Pass) if said_pass => None,
            Some(GoTestEnd::Pass) => Some(format!("its process ended before its tests did\n{}", package.output.words())),
            Some(GoTestEnd::Fail) if failed > 0 => None,
            Some(GoTestEnd::Fail) => {
                let build = package.failed_build.as_ref().and_then(|build| self.builds.get(build));
                let build = build.or_else(|| self.build_of_tests(name).filter(|_| package.is_unbuilt()));
                Some(build.map_or_else(|| package.output.words(), Tail::words))
            }
            None => Some(format!("it was begun and has no end\n{}", package.output.words())),
        }
    }
}

impl GoTestPackage {
    /// Returns whether it came to no test because it could not be built.
    fn is_unbuilt(&self) -> bool {
        let says = |words: &str| self.output.0.trim_end().ends_with(words);
        self.tests.is_empty() && (self.failed_build.is_some() || says("[build failed]") || says("[setup failed]"))
    }

    fn test(&mut self, name: String) -> &mut GoTestCase {
        let index = *self.by_name.entry(name.clone()).or_insert_with(|| {
            self.tests.push(GoTestCase { name, ends: Vec::new(), elapsed: None, output: Tail::default() });
            self.tests.len() - 1
        });
        &mut self.tests[index]
    }
}

impl GoTestCase {
    fn case(&self, package: &str) -> TestCase {
        let (outcome, words) = if self.ends.contains(&GoTestEnd::Fail) {
            (TestOutcome::Failed, Some(self.output.own_words()))
        } else {
            match self.ends.last() {
                Some(GoTestEnd::Skip) => (TestOutcome::Skipped, Some(self.output.words())),
                Some(_) => (TestOutcome::Passed, None),
                None => (TestOutcome::Failed, Some(format!("it was begun and has no end\n{}", self.output.own_words()))),
            }
        };
        let elapsed = self.elapsed.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        TestCase {
            id: format!("{package}.{}", self.name),
            path: None,
            outcome,
            message: words.map(|words| message(&words)),
            time_ms: elapsed.map(|seconds| (seconds * 1000.0).round() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(lines: &[&str]) -> Vec<(String, TestOutcome)> {
        let run = parse(lines.join("\n").as_bytes()).unwrap().tests.unwrap();
        run.cases.into_iter().map(|case| (case.id, case.outcome)).collect()
    }

    const RUN: &str = r#"{"Action":"run","Package":"p","Test":"TestA"}"#;
    const PASS: &str = r#"{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.01}"#;
    const FAIL: &str = r#"{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0}"#;
    const SAID: &str = r#"{"Action":"output","Package":"p","Output":"PASS\n"}"#;
    const OK: &str = r#"{"Action":"pass","Package":"p","Elapsed":0.01}"#;

    #[test]
    fn a_package_passes_when_it_said_so() {
        use TestOutcome::{Failed, Passed};
        let test = |outcome| ("p.TestA".to_owned(), outcome);
        let package = || ("p".to_owned(), Failed);
        assert_eq!(outcomes(&[RUN, PASS, SAID, OK]), [test(Passed)]);
        assert_eq!(outcomes(&[RUN, PASS, OK]), [test(Passed), package()], "it ended before the harness did");
        assert_eq!(outcomes(&[RUN, PASS, SAID]), [test(Passed), package()], "the package has no end");
        assert_eq!(outcomes(&[RUN, SAID, OK]), [test(Failed)], "the test has no end");
        assert_eq!(outcomes(&[RUN, FAIL, PASS, SAID, OK]), [test(Failed)], "a failure is kept");
        assert_eq!(outcomes(&[RUN, PASS, FAIL, SAID, OK]), [test(Failed)], "a failure is kept");
        let framed =
            r#"{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN TestA\n","OutputType":"frame"}"#;
        assert_eq!(outcomes(&[RUN, framed, PASS, SAID, OK]), [test(Passed), package()], "the program printed PASS");
    }

    #[test]
    fn builds_that_fail_are_failures() {
        let old = ["FAIL\tp [build failed]", RUN, PASS, SAID, r#"{"Action":"skip","Package":"q"}"#];
        assert_eq!(
            outcomes(&old),
            [("p.TestA".to_owned(), TestOutcome::Passed), ("p".to_owned(), TestOutcome::Failed)]
        );
        let new = [
            r#"{"ImportPath":"p [p.test]","Action":"build-output","Output":"a.go:1:1: bad\n"}"#,
            r#"{"ImportPath":"p [p.test]","Action":"build-fail"}"#,
            r#"{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p [p.test]"}"#,
        ];
        let run = parse(new.join("\n").as_bytes()).unwrap().tests.unwrap();
        assert_eq!(run.cases.len(), 1);
        assert_eq!(run.cases[0].message.as_deref(), Some("a.go:1:1: bad"));
        assert_eq!(run.faults, ["p".to_owned()].into(), "no test of it ran");
        let failed = parse(b"FAIL\tp [build failed]\n{\"Action\":\"fail\",\"Package\":\"q\"}").unwrap().tests.unwrap();
        assert_eq!(failed.faults, ["p".to_owned()].into(), "q was built");
        let said = b"# p [p.test]\n./a.go:1:1: bad\n# q_test [q.test]\n./q.go:1:1: worse\n";
        for (package, message) in [("p", "./a.go:1:1: bad"), ("q", "./q.go:1:1: worse"), ("r", "[build failed]")] {
            let run = parse_with_builds(format!("FAIL\t{package} [build failed]\n").as_bytes(), said).unwrap().tests.unwrap();
            assert_eq!(run.cases[0].message.as_deref(), Some(message));
        }
        assert_eq!(outcomes(&new[..2]), [("p [p.test]".to_owned(), TestOutcome::Failed)]);
    }

    #[test]
    fn packages_without_tests_are_nothing() {
        assert_eq!(outcomes(&[r#"{"Action":"skip","Package":"q","Elapsed":0}"#]), []);
        assert_eq!(outcomes(&[SAID, OK]), [], "no tests to run");
    }

    #[test]
    fn what_holds_no_event_is_refused() {
        assert_eq!(parse(b"\n"), Err(ReportError::Empty));
        assert!(matches!(parse(b"go: no such tool\n"), Err(ReportError::Malformed { .. })));
        assert!(matches!(parse(b"{\"Action\":\"ru"), Err(ReportError::Truncated(_))));
        assert!(matches!(parse(b"{\"Action\":\"ru\n{}\n"), Err(ReportError::Malformed { .. })));
    }
}
