//! What `cargo nextest run --message-format libtest-json-plus` prints: an event a line for the tests, and its sum for
//! people.
//!
//! Its JUnit report lies where tests can write; these lines come from nextest alone. Their own sums begin
//! anew whenever all tests of a program have ended for the moment, so the sum for people is what the events
//! have to fit. It must not know how nextest was called.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::{Announced, CaseList, ToolReport, ReportError, TestCase, TestOutcome, TestRun, message, plain::plain, json};

const FORMAT: &str = "nextest's events";

#[derive(Deserialize)]
struct NextestEvent {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: String,
    stdout: Option<String>,
    reason: Option<String>,
    exec_time: Option<f64>,
}

/// How much of a run there has to be.
#[derive(Clone, Copy, PartialEq)]
enum NextestExtent {
    Whole,
    Part,
}

/// Reads both streams, one after the other.
///
/// # Errors
///
/// The sum is missing, or the events do not fit it.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    read(bytes, NextestExtent::Whole)
}

/// Reads a run that was ended from outside: what had not ended has failed.
///
/// # Errors
///
/// As [`parse`], but for the sum.
pub fn parse_part(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    read(bytes, NextestExtent::Part)
}

fn read(bytes: &[u8], extent: NextestExtent) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    let mut running: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases = CaseList::default();
    let mut announced = Announced::default();
    let mut sum = None;
    for line in text.lines() {
        if !line.starts_with("{\"type\":\"") {
            sum = summed(line).or(sum);
            continue;
        }
        let event: NextestEvent = json::value(line)
            .map_err(|error| ReportError::Malformed { format: FORMAT, detail: error.to_string() })?;
        if event.kind != "test" {
            continue;
        }
        let id = id(&event.name);
        let outcome = match event.event.as_str() {
            "started" => {
                *running.entry(id).or_default() += 1;
                continue;
            }
            "ok" => TestOutcome::Passed,
            "ignored" => TestOutcome::Skipped,
            _ => TestOutcome::Failed,
        };
        match running.get_mut(&id) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Err(ReportError::Contradictory(format!("{id} has ended and not begun"))),
        }
        count(&mut announced, outcome);
        cases.add(case(id, outcome, &event))?;
    }
    let unfinished: Vec<String> = running.into_iter().filter(|(_, count)| *count > 0).map(|(id, _)| id).collect();
    match (extent, sum) {
        (NextestExtent::Whole, None) => return Err(ReportError::Truncated("nextest gave no sum".to_owned())),
        (NextestExtent::Whole, Some(sum)) => check(sum, announced, &unfinished)?,
        (NextestExtent::Part, _) => {}
    }
    for id in unfinished {
        let message = Some("it had not ended".to_owned());
        cases.add(TestCase { id, path: None, outcome: TestOutcome::Failed, message, time_ms: None })?;
    }
    let tests = TestRun { cases: cases.finish(), ..TestRun::default() };
    Ok(ToolReport { tests: Some(tests), ..ToolReport::default() })
}

fn count(announced: &mut Announced, outcome: TestOutcome) {
    match outcome {
        TestOutcome::Passed => announced.passed += 1,
        TestOutcome::Failed => announced.failed += 1,
        _ => announced.skipped += 1,
    }
}

fn check(sum: (usize, usize), found: Announced, unfinished: &[String]) -> Result<(), ReportError> {
    if let Some(id) = unfinished.first() {
        return Err(ReportError::Contradictory(format!("{id} has begun and not ended")));
    }
    let (run, passed) = sum;
    if run != found.passed + found.failed || passed != found.passed {
        return Err(ReportError::Contradictory(format!(
            "{} tests ran and {} passed, its sum says {run} and {passed}",
            found.passed + found.failed,
            found.passed
        )));
    }
    Ok(())
}

fn case(id: String, outcome: TestOutcome, event: &NextestEvent) -> TestCase {
    let text = [event.reason.as_deref(), event.stdout.as_deref()];
    let text: Vec<&str> = text.into_iter().flatten().filter(|text| !text.trim().is_empty()).collect();
    TestCase {
        id,
        path: None,
        outcome,
        message: (outcome == TestOutcome::Failed).then(|| message(&text.join("\n"))),
        time_ms: event.exec_time.filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0) as u64),
    }
}

/// Reads how many tests ran and how many of them passed.
fn summed(line: &str) -> Option<(usize, usize)> {
    static SUM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^ {2,}Summary \[ *[\d.]+s\] (\d{1,9})(?:/\d{1,9})? tests? run: (\d{1,9}) passed")
            .expect("valid pattern")
    });
    let found = SUM.captures(line)?;
    Some((found[1].parse().ok()?, found[2].parse().ok()?))
}

/// Makes `one::api$tests::x#2` into `one::api tests::x`, as `cargo test` has it: the last attempt is the one that counts,
/// and a library is called by its package alone.
fn id(name: &str) -> String {
    let name = match name.rsplit_once('#') {
        Some((name, attempt)) if attempt.chars().all(|digit| digit.is_ascii_digit()) => name,
        _ => name,
    };
    let Some((program, test)) = name.split_once('$') else { return name.to_owned() };
    match program.split_once("::") {
        Some((package, target)) if package.replace('-', "_") == target => format!("{package} {test}"),
        _ => format!("{program} {test}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, name: &str) -> String {
        format!("{{\"type\":\"test\",\"event\":\"{kind}\",\"name\":\"{name}\",\"stdout\":\"s\",\"exec_time\":0.5}}\n")
    }

    fn both(kind: &str, name: &str) -> String {
        format!("{}{}", event("started", name), event(kind, name))
    }

    fn sum(run: usize, passed: usize) -> String {
        format!("────────────\n     Summary [   2.019s] {run} tests run: {passed} passed, 8 failed, 2 skipped\n")
    }

    fn word(report: Result<ToolReport, ReportError>) -> Result<String, String> {
        let run = report.map_err(|error| error.to_string())?.tests.unwrap();
        Ok(run.cases.iter().map(|case| format!("{}:{:?}", case.id, case.outcome)).collect::<Vec<_>>().join("; "))
    }

    fn read(text: &str) -> Result<String, String> {
        word(parse(text.as_bytes()))
    }

    #[test]
    fn events_that_fit_the_sum_are_a_run() {
        for (text, expected) in [
            (format!("{}{}", both("ok", "a-b::a_b$t::x"), sum(1, 1)), "a-b t::x:Passed"),
            (
                format!("{}{}{}", both("failed", "a::api$t#3"), both("ignored", "a::a$i"), sum(1, 0)),
                "a::api t:Failed; a i:Skipped",
            ),
            (format!("{}{}", both("timeout", "a::a$t"), sum(1, 0)), "a t:Failed"),
            // A library and a program of the same name.
            (format!("{}{}{}", both("ok", "a::a$t"), both("failed", "a::a$t"), sum(2, 1)), "a t:Passed; a t #2:Failed"),
            (sum(0, 0), ""),
            (
                format!(
                    "{}     Summary [   0.280s] 1/2 tests run: 1 passed (1 flaky), 2 skipped\n",
                    event("started", "a::a$t#1") + &event("ok", "a::a$t#2")
                ),
                "a t:Passed",
            ),
        ] {
            assert_eq!(read(&text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let ok = both("ok", "a::a$t");
        for text in [
            String::new(),
            ok.clone(),
            format!("{ok}{}", sum(2, 1)),
            format!("{ok}{}", sum(1, 0)),
            format!("{}{}", both("failed", "a::a$t"), sum(1, 1)),
            format!("{}{}", event("ok", "a::a$t"), sum(1, 1)),
            format!("{ok}{}{}", event("started", "a::a$u"), sum(1, 1)),
            // What a test prints is indented by more, or not at all.
            format!("{ok}Summary [ 0.1s] 1 tests run: 1 passed\n"),
            format!("{ok}{{\"type\":\"test\"\n{}", sum(1, 1)),
        ] {
            assert!(read(&text).is_err(), "{text}: {:?}", read(&text));
        }
    }

    #[test]
    fn a_run_that_was_ended_names_what_had_not_ended() {
        let text = format!("{}{}", both("ok", "a::a$t"), event("started", "a::a$u"));
        assert_eq!(word(parse_part(text.as_bytes())).as_deref(), Ok("a t:Passed; a u:Failed"));
    }
}
