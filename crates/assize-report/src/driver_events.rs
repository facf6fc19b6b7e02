//! What our own driver of Python's test runners writes: one JSON object a line.
//!
//! The process that writes it (`drivers/supervise.py`) runs none of the judged code. Its lines go from `begin` to
//! `end`; whatever is missing between is missing for a reason that it states, or the report is none. It must
//! not know which runner was driven.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Severity;
use serde::Deserialize;

use super::{Diagnostic, ReportError, TestCase, TestOutcome, TestRun, ToolReport, json, message, plain::plain};

const FORMAT: &str = "the driver's lines";
/// The id of what no test and no file is the cause of.
pub const WHOLE: &str = "(the run)";

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum DriverEvent {
    Begin,
    Collected {
        ids: Vec<String>,
    },
    Deselected {
        ids: Vec<String>,
    },
    Start {
        id: String,
    },
    Test {
        id: String,
        outcome: TestOutcome,
        message: Option<String>,
        seconds: Option<f64>,
    },
    Broken {
        id: String,
        message: String,
    },
    Tampered {
        id: Option<String>,
        what: String,
    },
    /// What tells against the code whatever its tests say; the base may have it as well.
    Objection {
        code: String,
        path: String,
        line: Option<u32>,
        message: String,
        /// An error where nothing is said: a driver has to say that there may be a good reason.
        #[serde(default = "error")]
        severity: Severity,
    },
    Trouble {
        kind: DriverTrouble,
        message: String,
    },
    End {
        tests: usize,
    },
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum DriverTrouble {
    MissingTool,
    Unusable,
    Forged,
}

fn error() -> Severity {
    Severity::Error
}

/// Reads a whole run.
///
/// # Errors
///
/// It has no end, the runner is missing or unusable, somebody else wrote into the channel, or the lines do not agree.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let run = DriverRun::read(bytes)?;
    match run.end {
        None => Err(ReportError::Truncated(run.stopped())),
        Some(tests) if tests != run.outcomes.len() => Err(ReportError::Contradictory(format!(
            "{} tests have ended, at the end there were {tests}",
            run.outcomes.len()
        ))),
        Some(_) => Ok(run.report("it has no outcome")),
    }
}

/// Reads a run that was ended from outside: what had not ended has failed.
///
/// # Errors
///
/// As [`parse`], but for a missing end.
pub fn parse_part(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    Ok(DriverRun::read(bytes)?.report("it had not ended"))
}

#[derive(Default)]
struct DriverRun {
    collected: Vec<String>,
    started: BTreeSet<String>,
    deselected: BTreeSet<String>,
    outcomes: BTreeMap<String, (TestOutcome, Option<String>, Option<u64>)>,
    broken: BTreeMap<String, String>,
    /// What was replaced in the course of which test.
    tampered: BTreeMap<String, Vec<String>>,
    objections: Vec<Diagnostic>,
    end: Option<usize>,
}

impl DriverRun {
    fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        let malformed = |detail: String| ReportError::Malformed { format: FORMAT, detail };
        let text = plain(bytes)?;
        if text.trim().is_empty() {
            return Err(ReportError::Empty);
        }
        let mut run = Self::default();
        let mut begun = false;
        // What stands after the last line feed is half a line.
        let whole = text.rfind('\n').map_or("", |at| &text[..at]);
        for line in whole.lines() {
            let event: DriverEvent = json::value(line).map_err(|error| malformed(error.to_string()))?;
            if begun == matches!(event, DriverEvent::Begin) || run.end.is_some() {
                return Err(malformed("it begins or ends more than once".to_owned()));
            }
            begun = true;
            run.take(event)?;
        }
        if begun { Ok(run) } else { Err(ReportError::Truncated("it did not begin".to_owned())) }
    }

    fn take(&mut self, event: DriverEvent) -> Result<(), ReportError> {
        match event {
            DriverEvent::Begin => {}
            DriverEvent::Collected { ids } => self.collected.extend(ids),
            DriverEvent::Deselected { ids } => self.deselected.extend(ids),
            DriverEvent::Start { id } => {
                self.started.insert(id);
            }
            DriverEvent::Test { id, outcome, message, seconds } => {
                let time = seconds.filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0) as u64);
                // Of two outcomes of one test the worse stands.
                let known = self.outcomes.get(&id).is_some_and(|(known, ..)| *known == TestOutcome::Failed);
                if !known {
                    self.outcomes.insert(id, (outcome, message, time));
                }
            }
            DriverEvent::Broken { id, message } => {
                self.broken.insert(id, message);
            }
            DriverEvent::Tampered { id, what } => {
                self.tampered.entry(id.unwrap_or_else(|| WHOLE.to_owned())).or_default().push(what);
            }
            DriverEvent::Objection { code, path, line, message, severity } => {
                let message = super::message(&message);
                self.objections.push(Diagnostic { code, severity, path: Some(path), line, message, offer: None });
            }
            DriverEvent::Trouble { kind, message } => {
                let message = super::message(&message);
                return Err(match kind {
                    DriverTrouble::MissingTool => ReportError::MissingTool(message),
                    DriverTrouble::Unusable => ReportError::Malformed { format: FORMAT, detail: message },
                    DriverTrouble::Forged => {
                        ReportError::Contradictory(format!("somebody else wrote into the channel: {message}"))
                    }
                });
            }
            DriverEvent::End { tests } => self.end = Some(tests),
        }
        Ok(())
    }

    /// Says how far it came.
    fn stopped(&self) -> String {
        let running: Vec<&str> =
            self.started.iter().map(String::as_str).filter(|id| !self.outcomes.contains_key(*id)).collect();
        let ended = format!("{} of {} tests had ended", self.outcomes.len(), self.collected.len());
        if running.is_empty() { ended } else { format!("{ended}, {} had begun", running.join(", ")) }
    }

    /// Makes a report of it; `why` says why a test that was collected has no outcome.
    fn report(mut self, why: &str) -> ToolReport {
        let known = std::mem::take(&mut self.collected).into_iter().chain(std::mem::take(&mut self.started));
        for id in known.filter(|id| !self.deselected.contains(id)) {
            self.outcomes.entry(id).or_insert_with(|| (TestOutcome::Failed, Some(why.to_owned()), None));
        }
        for (id, what) in std::mem::take(&mut self.tampered) {
            self.fail(id, &format!("it replaces what outcomes rest on: {}", what.join(", ")));
        }
        for (id, message) in std::mem::take(&mut self.broken) {
            self.fail(id, &message);
        }
        for id in std::mem::take(&mut self.deselected) {
            self.outcomes.entry(id).or_insert((TestOutcome::Deselected, None, None));
        }
        let case = |(id, (outcome, text, time_ms)): (String, (TestOutcome, Option<String>, Option<u64>))| TestCase {
            path: id.split("::").next().filter(|path| path.ends_with(".py")).map(str::to_owned),
            id,
            outcome,
            message: text.map(|text| message(&text)),
            time_ms,
        };
        let cases = self.outcomes.into_iter().map(case).collect();
        let mut report = ToolReport { tests: Some(TestRun { cases, ..TestRun::default() }), ..ToolReport::default() };
        for objection in self.objections {
            report.object(objection);
        }
        report
    }

    fn fail(&mut self, id: String, text: &str) {
        let entry = self.outcomes.entry(id).or_insert((TestOutcome::Failed, None, None));
        let before = entry.1.take().map(|before| format!("{before}\n")).unwrap_or_default();
        entry.0 = TestOutcome::Failed;
        entry.1 = Some(format!("{before}{text}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "{\"event\":\"begin\",\"runner\":\"pytest\",\"python\":\"3.12.1\"}\n";

    fn test(id: &str, outcome: &str) -> String {
        format!("{{\"event\":\"test\",\"id\":\"{id}\",\"outcome\":\"{outcome}\",\"seconds\":0.25,\"message\":\"m\"}}\n")
    }

    fn start(id: &str) -> String {
        format!("{{\"event\":\"start\",\"id\":\"{id}\"}}\n")
    }

    fn collected(ids: &[&str]) -> String {
        format!("{{\"event\":\"collected\",\"ids\":{ids:?}}}\n")
    }

    fn end(tests: usize) -> String {
        format!("{{\"event\":\"end\",\"tests\":{tests}}}\n")
    }

    fn word(report: Result<ToolReport, ReportError>) -> Result<String, String> {
        let run = report.map_err(|error| error.to_string())?.tests.unwrap();
        run.check().map_err(|error| error.to_string())?;
        Ok(run.cases.iter().map(|case| format!("{}:{:?}", case.id, case.outcome)).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn runs_are_read() {
        for (lines, expected) in [
            (format!("{}{}{}{}", collected(&["a"]), start("a"), test("a", "passed"), end(1)), "a:Passed"),
            (end(0), ""),
            (
                format!(
                    "{}{}{}{}{}{}",
                    test("a", "skipped"),
                    test("b", "expected_failure"),
                    test("c", "unexpected_pass"),
                    test("d", "failed"),
                    "{\"event\":\"deselected\",\"ids\":[\"e\"]}\n",
                    end(4)
                ),
                "a:Skipped b:ExpectedFailure c:UnexpectedPass d:Failed e:Deselected",
            ),
            // Of two outcomes the worse.
            (format!("{}{}{}", test("a", "passed"), test("a", "failed"), end(1)), "a:Failed"),
            (format!("{}{}{}", test("a", "failed"), test("a", "passed"), end(1)), "a:Failed"),
            // Collected and begun, and then nothing.
            (format!("{}{}", collected(&["a", "b"]), end(0)), "a:Failed b:Failed"),
            (format!("{}{}", start("a"), end(0)), "a:Failed"),
            // Begun in a run that settled nothing, under a name that the next run does not have.
            (format!("{}{}{}", start("a"), "{\"event\":\"deselected\",\"ids\":[\"a\"]}\n", end(0)), "a:Deselected"),
            (
                format!(
                    "{{\"event\":\"broken\",\"id\":\"t.py\",\"message\":\"no\"}}\n{}{}",
                    test("a", "passed"),
                    end(1)
                ),
                "a:Passed t.py:Failed",
            ),
            (
                format!(
                    "{}{}{}",
                    test("a", "passed"),
                    "{\"event\":\"tampered\",\"id\":\"a\",\"what\":\"builtins.len\"}\n",
                    end(1)
                ),
                "a:Failed",
            ),
            (format!("{}{}", "{\"event\":\"tampered\",\"what\":\"builtins.len\"}\n", end(0)), "(the run):Failed"),
        ] {
            assert_eq!(word(parse(format!("{BEGIN}{lines}").as_bytes())).as_deref(), Ok(expected), "{lines}");
        }
    }

    #[test]
    fn what_tells_against_the_code_stands_beside_its_tests() {
        let said =
            "{\"event\":\"objection\",\"code\":\"passes-anyway\",\"path\":\"t.py\",\"line\":3,\"message\":\"m\"}\n";
        let report = parse(format!("{BEGIN}{}{said}{}", test("t.py::a", "passed"), end(1)).as_bytes()).unwrap();
        assert_eq!(report.tests.unwrap().count(TestOutcome::Passed), 1);
        let [only] = report.diagnostics.as_slice() else { panic!("{:?}", report.diagnostics) };
        assert_eq!((only.code.as_str(), only.path.as_deref(), only.line), ("passes-anyway", Some("t.py"), Some(3)));
        assert_eq!(only.severity, Severity::Error);
        for (word, expected) in [("error", Some(Severity::Error)), ("warning", Some(Severity::Warning)), ("odd", None)]
        {
            let said = said.replace("\"message\"", &format!("\"severity\":\"{word}\",\"message\""));
            let report = parse(format!("{BEGIN}{said}{}", end(0)).as_bytes());
            assert_eq!(report.ok().map(|report| report.diagnostics[0].severity), expected, "{word}");
        }
        let unsaid = said.replace("\"path\":\"t.py\",", "");
        assert!(parse(format!("{BEGIN}{unsaid}{}", end(0)).as_bytes()).is_err(), "no place");
    }

    #[test]
    fn a_run_that_cannot_be_believed_is_none() {
        let whole = format!("{}{}", test("a", "passed"), end(1));
        for (text, says) in [
            (String::new(), "empty"),
            (whole.clone(), "more than once"),
            (BEGIN.to_owned(), "stops before its end"),
            (BEGIN.trim_end().to_owned(), "did not begin"),
            (format!("{BEGIN}{}{}", collected(&["a", "b"]), start("a")), "0 of 2 tests had ended, a had begun"),
            (format!("{BEGIN}{whole}{}", end(1)), "more than once"),
            (format!("{BEGIN}{BEGIN}{whole}"), "more than once"),
            (format!("{BEGIN}{}", end(3)), "at the end there were 3"),
            (format!("{BEGIN}hello\n{whole}"), "cannot be read"),
            (format!("{BEGIN}{}{}", test("a", "great"), end(1)), "cannot be read"),
            (
                format!(
                    "{BEGIN}{{\"event\":\"trouble\",\"kind\":\"missing_tool\",\"message\":\"pytest is not installed\"}}\n"
                ),
                "not installed",
            ),
            (
                format!("{BEGIN}{{\"event\":\"trouble\",\"kind\":\"forged\",\"message\":\"m\"}}\n{whole}"),
                "somebody else",
            ),
            (
                format!("{BEGIN}{{\"event\":\"trouble\",\"kind\":\"unusable\",\"message\":\"m\"}}\n{whole}"),
                "cannot be read",
            ),
        ] {
            let found = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(says), "{text}: {found}");
        }
    }

    #[test]
    fn no_beginning_of_a_run_is_a_run() {
        let text = format!("{BEGIN}{}{}{}", test("a", "passed"), test("b", "passed"), end(2));
        for cut in 0..text.len() {
            assert!(parse(&text.as_bytes()[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_run_that_was_ended_names_what_had_not_ended() {
        let text = format!("{BEGIN}{}{}{}{{\"event\":\"te", collected(&["a", "b"]), test("a", "passed"), start("b"));
        assert_eq!(word(parse_part(text.as_bytes())).as_deref(), Ok("a:Passed b:Failed"));
    }

    #[test]
    fn a_case_has_its_file_and_time() {
        let text = format!("{BEGIN}{}{}", test("tests/test_a.py::test_x", "passed"), end(1));
        let run = parse(text.as_bytes()).unwrap().tests.unwrap();
        assert_eq!((run.cases[0].path.as_deref(), run.cases[0].time_ms), (Some("tests/test_a.py"), Some(250)));
    }
}
