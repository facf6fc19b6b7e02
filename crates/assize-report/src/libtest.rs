//! What Rust's own test harness prints for people, of one or several programs of tests and of doc tests.
//!
//! The code under test writes to the same stream, and can write whatever it likes. So nothing is believed
//! that is said only once: the lines of the tests, the number announced at the beginning, the
//! list of failures and the sums at the end have to agree. It must not know how the programs were started.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::{Announced, ToolReport, ReportError, TestCase, TestOutcome, TestRun, message, plain::plain};

/// What one program of tests printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LibtestSection {
    /// How many tests it began with.
    pub announced: usize,
    /// The tests that have ended.
    pub cases: Vec<SectionCase>,
    /// The test that has begun and not ended, where the harness says so: only when it runs one at a time.
    pub running: Option<String>,
    /// Whether it came to its end, with sums that fit.
    pub complete: bool,
}

/// A test that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionCase {
    /// Its name, without notes such as `should panic`.
    pub name: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// What it printed, when it failed; why it is ignored, when it is.
    pub message: Option<String>,
}

/// Reads all that `cargo test` printed.
///
/// # Errors
///
/// A program did not come to its end, there is none at all, or what is said does not agree.
pub fn parse(output: &[u8]) -> Result<ToolReport, ReportError> {
    let sections = sections(&plain(output)?)?;
    if sections.is_empty() {
        return Err(ReportError::Empty);
    }
    let mut announced = Announced::default();
    let mut cases = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        if !section.complete {
            return Err(ReportError::Truncated(section.stopped()));
        }
        for case in &section.cases {
            // The stream does not say which program a section is of.
            let id = if sections.len() == 1 { case.name.clone() } else { format!("{} {}", index + 1, case.name) };
            cases.push(TestCase {
                id,
                path: None,
                outcome: case.outcome,
                message: case.message.clone(),
                time_ms: None,
            });
        }
        section.add_to(&mut announced);
    }
    Ok(ToolReport { tests: Some(TestRun { cases, announced: Some(announced), ..TestRun::default() }), ..ToolReport::default() })
}

impl LibtestSection {
    /// Adds its sums up.
    pub fn add_to(&self, sums: &mut Announced) {
        for case in &self.cases {
            match case.outcome {
                TestOutcome::Passed => sums.passed += 1,
                TestOutcome::Failed => sums.failed += 1,
                _ => sums.skipped += 1,
            }
        }
    }

    /// Says how far it came.
    pub fn stopped(&self) -> String {
        let ended = format!("{} of {} tests had ended", self.cases.len(), self.announced);
        match &self.running {
            Some(name) => format!("{ended}, {name} had begun"),
            None => ended,
        }
    }
}

/// Splits output into the sections of programs of tests, one after the other.
///
/// # Errors
///
/// Results stand outside of every section: they were printed by somebody else, or an end before them was.
pub fn sections(text: &str) -> Result<Vec<LibtestSection>, ReportError> {
    read(text, None)
}

fn read(text: &str, known: Option<&BTreeSet<&str>>) -> Result<Vec<LibtestSection>, ReportError> {
    let mut reader = LibtestReader { known, ..LibtestReader::default() };
    for line in text.lines() {
        reader.line(line)?;
    }
    Ok(reader.end())
}

/// Reads what exactly one program printed that was to run the tests of these names.
///
/// # Errors
///
/// It begins more than once, or results stand outside.
pub fn section(text: &str, names: &BTreeSet<&str>) -> Result<LibtestSection, ReportError> {
    let mut sections = read(text, Some(names))?;
    if sections.len() > 1 {
        return Err(ReportError::Contradictory("the program began its tests more than once".to_owned()));
    }
    Ok(sections.pop().unwrap_or_default())
}

static BEGINS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^running (\d{1,9}) tests?$").expect("valid pattern"));
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; (\d{1,9}) filtered out(?:; finished in [\d.]+s)?$",
    )
    .expect("valid pattern")
});
/// A doc test's name has blanks in it, any other's has none.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^test (\S.* - .*\(line \d+\)|\S+)((?: - (?:should panic|compile fail|compile))*) \.\.\. (.*)$")
        .expect("valid pattern")
});
static DETAILS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^---- (.+) stdout ----$").expect("valid pattern"));

#[derive(Default, PartialEq)]
enum LibtestState {
    /// No program has begun.
    #[default]
    Outside,
    /// Tests run.
    Progress,
    /// Tests have ended; what the failed ones printed is shown.
    Details,
}

#[derive(Default)]
struct LibtestReader<'a> {
    /// The names of all tests, where they are known; what has another name is no test.
    known: Option<&'a BTreeSet<&'a str>>,
    sections: Vec<LibtestSection>,
    state: LibtestState,
    current: LibtestSection,
    names: BTreeSet<String>,
    /// The outcome that stands at the end of what followed the running test.
    trailing: Option<TestOutcome>,
    /// What the failed tests printed, by name.
    printed: BTreeMap<String, String>,
    printing: Option<String>,
    /// The latest list of failures.
    listed: BTreeSet<String>,
    listing: bool,
}

impl LibtestReader<'_> {
    fn line(&mut self, line: &str) -> Result<(), ReportError> {
        if let Some(begins) = BEGINS.captures(line)
            && self.state != LibtestState::Details
        {
            self.close();
            self.current.announced = begins[1].parse().unwrap_or_default();
            self.state = LibtestState::Progress;
            return Ok(());
        }
        match self.state {
            LibtestState::Outside => outside(line, self.known),
            LibtestState::Progress => {
                self.progress(line);
                Ok(())
            }
            LibtestState::Details => {
                self.details(line);
                Ok(())
            }
        }
    }

    fn progress(&mut self, line: &str) {
        if line == "failures:" {
            self.settle();
            self.state = LibtestState::Details;
        } else if ENDS.is_match(line) {
            let running = self.current.running.clone();
            self.settle();
            if !self.ends(line) {
                // Somebody else's words; the test still runs.
                self.current.running = running;
            }
        } else if let Some((name, rest)) = test_line(line, self.known) {
            self.settle();
            match outcome(&rest) {
                Some((outcome, reason)) => self.add(name, outcome, reason),
                None => {
                    self.trailing = trailing(&rest);
                    self.current.running = Some(name);
                }
            }
        } else if self.current.running.is_some()
            && let Some(outcome) = trailing(line)
        {
            self.trailing = Some(outcome);
        } else if !line.trim().is_empty() {
            self.trailing = None;
        }
    }

    /// Gives the test that was running the outcome that stood last before the next line of the harness.
    fn settle(&mut self) {
        let trailing = self.trailing.take();
        if let Some(name) = self.current.running.take()
            && let Some(outcome) = trailing
        {
            self.add(name, outcome, None);
        }
    }

    fn add(&mut self, name: String, outcome: TestOutcome, reason: Option<String>) {
        if self.names.insert(name.clone()) {
            self.current.cases.push(SectionCase { name, outcome, message: reason });
        } else if let Some(case) = self.current.cases.iter_mut().find(|case| case.name == name) {
            // Named twice: the sums cannot agree any more, and the worse of both is kept.
            if outcome == TestOutcome::Failed {
                case.outcome = outcome;
            }
        }
    }

    fn details(&mut self, line: &str) {
        if line == "failures:" {
            self.listed.clear();
            self.listing = true;
            self.printing = None;
        } else if let Some(found) = DETAILS.captures(line) {
            self.listing = false;
            self.printing = Some(found[1].to_owned());
        } else if ENDS.is_match(line) && self.ends(line) {
            // The section is closed.
        } else if self.listing && line.starts_with("    ") {
            self.listed.insert(without_note(line.trim()).to_owned());
        } else if let Some(name) = &self.printing {
            let text = self.printed.entry(name.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }

    /// Ends the section if the line's sums are those of the tests that were seen.
    fn ends(&mut self, line: &str) -> bool {
        let Some(found) = ENDS.captures(line) else { return false };
        let number = |index: usize| found[index].parse::<usize>().unwrap_or(usize::MAX);
        let count = |outcome| self.current.cases.iter().filter(|case| case.outcome == outcome).count();
        let failed: BTreeSet<String> = self
            .current
            .cases
            .iter()
            .filter(|case| case.outcome == TestOutcome::Failed)
            .map(|case| case.name.clone())
            .collect();
        let agrees = count(TestOutcome::Passed) == number(2).saturating_add(number(5))
            && failed.len() == number(3)
            && count(TestOutcome::Skipped) == number(4)
            && self.current.cases.len() == self.current.announced
            && failed == self.listed
            && (&found[1] == "ok") == failed.is_empty();
        if agrees {
            self.current.complete = true;
            self.close();
        }
        agrees
    }

    fn close(&mut self) {
        let outside = std::mem::take(&mut self.state) == LibtestState::Outside;
        let reader = std::mem::take(self);
        (self.sections, self.known) = (reader.sections, reader.known);
        if outside {
            return;
        }
        let mut section = reader.current;
        for case in &mut section.cases {
            if let Some(printed) = reader.printed.get(&case.name) {
                case.message = Some(message(printed));
            }
        }
        self.sections.push(section);
    }

    fn end(mut self) -> Vec<LibtestSection> {
        if self.state == LibtestState::Progress {
            let running = self.current.running.clone();
            self.settle();
            self.current.running = running.filter(|name| !self.names.contains(name));
        }
        self.close();
        self.sections
    }
}

/// Returns an error for a line outside of every section that reports a test or the end of a run.
fn outside(line: &str, known: Option<&BTreeSet<&str>>) -> Result<(), ReportError> {
    let reports = ENDS.is_match(line) || test_line(line, known).is_some_and(|(_, rest)| outcome(&rest).is_some());
    if reports {
        return Err(ReportError::Contradictory(format!("{line:?} stands outside of every run of tests")));
    }
    Ok(())
}

/// Finds the harness' words in a line that the code under test may have begun: the name and what stands after it.
fn test_line(line: &str, known: Option<&BTreeSet<&str>>) -> Option<(String, String)> {
    let at = |start: usize| {
        let found = TEST.captures(&line[start..])?;
        let is_test = known.is_none_or(|known| known.contains(&found[1]));
        // The pattern is greedy: a name with the separator in it is two lines in one.
        (is_test && !found[1].contains(" ... ")).then(|| (found[1].to_owned(), found[3].to_owned()))
    };
    // Why a test is ignored is said in the project's own words, up to the end of the line.
    if let Some(ignored) = at(0).filter(|(_, rest)| rest.starts_with("ignored, ")) {
        return Some(ignored);
    }
    let mut starts: Vec<usize> = line.match_indices("test ").map(|(start, _)| start).collect();
    starts.reverse();
    starts.into_iter().find_map(at)
}

/// Reads what stands after `test name ... `; `None` when that is not the end of it.
fn outcome(rest: &str) -> Option<(TestOutcome, Option<String>)> {
    static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" <[\d.]+s>$").expect("valid pattern"));
    let rest = TIME.replace(rest, "");
    match rest.as_ref() {
        "ok" => Some((TestOutcome::Passed, None)),
        "FAILED" | "FAILED (time limit exceeded)" => Some((TestOutcome::Failed, None)),
        "ignored" => Some((TestOutcome::Skipped, None)),
        other if other.starts_with("bench: ") => Some((TestOutcome::Passed, None)),
        other => other.strip_prefix("ignored, ").map(|reason| (TestOutcome::Skipped, Some(message(reason)))),
    }
}

/// The outcome at the end of a line that a test has begun.
fn trailing(line: &str) -> Option<TestOutcome> {
    if line.ends_with("FAILED") {
        Some(TestOutcome::Failed)
    } else if line.ends_with("ok") {
        Some(TestOutcome::Passed)
    } else {
        None
    }
}

/// Takes notes such as ` - should panic` off a name.
fn without_note(name: &str) -> &str {
    [" - should panic", " - compile fail", " - compile"].iter().find_map(|note| name.strip_suffix(note)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &str = "0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";

    /// What is read: outcomes by name, or the error.
    fn read(text: &str) -> Result<String, String> {
        let report = parse(text.as_bytes()).map_err(|error| error.to_string())?;
        let run = report.tests.ok_or("no tests")?;
        run.check().map_err(|error| error.to_string())?;
        let word = |case: &TestCase| format!("{}:{:?}", case.id, case.outcome);
        Ok(run.cases.iter().map(word).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn runs_are_read() {
        for (text, expected) in [
            (format!("\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; {OK}"), "a:Passed"),
            (format!("\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; {OK}"), ""),
            (
                "running 3 tests\ntest a::b - should panic ... ok\ntest c ... ignored, slow ... ok\ntest d ... ignored\n\n\
                 test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n"
                    .to_owned(),
                "a::b:Passed c:Skipped d:Skipped",
            ),
            (
                format!(
                    "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nboom\n\n\nfailures:\n    a\n\n\
                     test result: FAILED. 0 passed; 1 failed; {OK}"
                ),
                "a:Failed",
            ),
            (
                format!(
                    "running 1 test\ntest src/lib.rs - test (line 3) - compile fail ... ok\n\n\
                     test result: ok. 1 passed; 0 failed; {OK}\n\nrunning 1 test\ntest b ... bench:  5 ns/iter (+/- 1)\n\n\
                     test result: ok. 0 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out\n"
                ),
                "1 src/lib.rs - test (line 3):Passed 2 b:Passed",
            ),
            (
                format!("running 1 test\ntest a ... ok <0.001s>\n\ntest result: ok. 1 passed; 0 failed; {OK}"),
                "a:Passed",
            ),
        ] {
            assert_eq!(read(&text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn words_of_the_tests_are_not_the_harness_words() {
        for (text, expected) in [
            // Without a line feed, in front of the harness' line.
            (format!("running 1 test\nhellotest a ... ok\n\ntest result: ok. 1 passed; 0 failed; {OK}"), "a:Passed"),
            // One test at a time: the name comes before what the test prints.
            (
                format!(
                    "running 2 tests\ntest a ... hi\nok\nok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; {OK}"
                ),
                "a:Passed b:Passed",
            ),
            (
                format!(
                    "running 1 test\ntest a ... ok\nFAILED\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; {OK}"
                ),
                "",
            ),
            (
                format!(
                    "running 1 test\ntest a ... ignored, test b ... ok\n\ntest result: ok. 0 passed; 0 failed; 1{}",
                    &OK[1..]
                ),
                "a:Skipped",
            ),
            // What a failed test printed says nothing of others.
            (
                format!(
                    "running 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\ntest a ... ok\n\
                     running 4 tests\ntest result: ok. 2 passed; 0 failed; {OK}failures:\n    none\n\n\nfailures:\n    a\n\n\
                     test result: FAILED. 1 passed; 1 failed; {OK}"
                ),
                "a:Failed b:Passed",
            ),
        ] {
            let found = read(&text);
            if expected.is_empty() {
                assert!(found.is_err(), "{text}: {found:?}");
            } else {
                assert_eq!(found.as_deref(), Ok(expected), "{text}");
            }
        }
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let end = |passed: usize, failed: usize| {
            let word = if failed > 0 { "FAILED" } else { "ok" };
            format!("\ntest result: {word}. {passed} passed; {failed} failed; {OK}")
        };
        for text in [
            // Nothing, half of it, an end of somebody else.
            String::new(),
            "error: could not compile\n".to_owned(),
            "running 2 tests\ntest a ... ok\n".to_owned(),
            "running 1 test\ntest a ... ok\n".to_owned(),
            format!("running 2 tests\ntest a ... ok\n{}", end(1, 0)),
            format!("running 1 test\ntest a ... ok\n{}", end(2, 0)),
            format!("running 1 test\ntest a ... FAILED\n{}", end(1, 0)),
            format!("running 1 test\ntest a ... FAILED\n{}", end(0, 1)),
            format!("running 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n    b\n{}", end(1, 1)),
            // The same test twice.
            format!("running 2 tests\ntest a ... ok\ntest a ... ok\n{}", end(2, 0)),
            format!("running 1 test\ntest a ... ok\ntest a ... FAILED\n{}", end(1, 0)),
            // An end that was printed before the real one.
            format!(
                "running 2 tests\ntest a ... ok\ntest b ... ok\n{}test b ... FAILED\n\nfailures:\n    b\n{}",
                end(2, 0),
                end(1, 1)
            ),
            format!("running 1 test\ntest a ... ok\n{}{}", end(1, 0), end(0, 1)),
            format!("test a ... FAILED\nrunning 1 test\ntest a ... ok\n{}", end(1, 0)),
            // A program that crashed before the next began.
            format!("running 2 tests\ntest a ... ok\nrunning 1 test\ntest c ... ok\n{}", end(1, 0)),
            // The word for the whole is wrong.
            format!("running 1 test\ntest a ... ok\n\ntest result: FAILED. 1 passed; 0 failed; {OK}"),
        ] {
            assert!(read(&text).is_err(), "{text}: {:?}", read(&text));
        }
    }

    #[test]
    fn a_failed_test_says_what_it_printed() {
        let text = format!(
            "running 2 tests\ntest a ... FAILED\ntest b - should panic ... FAILED\n\nfailures:\n\n---- a stdout ----\nleft: 1\n\n\
             ---- b stdout ----\nnote: test did not panic as expected\n\nfailures:\n    a\n    b\n\n\
             test result: FAILED. 0 passed; 2 failed; {OK}"
        );
        let section = section(&text, &BTreeSet::from(["a", "b"])).unwrap();
        let messages: Vec<&str> = section.cases.iter().filter_map(|case| case.message.as_deref()).collect();
        assert_eq!(messages, ["left: 1", "note: test did not panic as expected"]);
    }

    #[test]
    fn a_section_says_how_far_it_came() {
        let found =
            section("running 3 tests\ntest a ... ok\ntest b ... half", &BTreeSet::from(["a", "b", "c"])).unwrap();
        assert!(!found.complete);
        assert_eq!(found.stopped(), "1 of 3 tests had ended, b had begun");
        // What is no test of the program is somebody's words.
        assert_eq!(section("running 1 test\ntest x ... ok\n", &BTreeSet::from(["a"])).unwrap().cases, []);
        assert!(section("running 1 test\nrunning 1 test\n", &BTreeSet::from(["a"])).is_err());
        assert_eq!(section("", &BTreeSet::new()).unwrap(), LibtestSection::default());
    }

    #[test]
    fn no_beginning_of_a_red_run_is_green() {
        let text = format!(
            "running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- b stdout ----\n\
             test result: ok. 3 passed; 0 failed; {OK}\nfailures:\n    b\n\ntest result: FAILED. 2 passed; 1 failed; {OK}"
        );
        for (at, _) in text.char_indices().filter(|(at, _)| *at < text.len() - 1) {
            let found = read(&text[..at]);
            assert!(found.is_err() || found == Ok("a:Passed b:Failed c:Passed".to_owned()), "{at}: {found:?}");
        }
    }
}
