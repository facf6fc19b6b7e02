//! What our plug-ins for runners of JavaScript's tests write: one JSON object a line.
//!
//! A plug-in (`plugins/javascript`) is told by its runner what happens. Its lines go from `begin` to
//! `done`; a run without its end is none. What had begun and not ended is named, so that a test
//! without an end can be told from a runner that did not work. It must not know which runner it was.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::plain::plain;
use super::{CaseList, ReportError, TestCase, TestOutcome, TestRun, ToolReport, json, message};

const FORMAT: &str = "the events of a plug-in";

#[derive(Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum PluginEvent {
    Begin,
    Start { id: String, path: Option<String> },
    Close { id: String },
    End { id: String, path: Option<String>, outcome: TestOutcome, message: Option<String>, ms: Option<f64> },
    Fault { id: String, path: Option<String>, message: String },
    Unended { path: String, message: String },
    Done { passed: usize, failed: usize, skipped: usize },
}

/// Reads a whole run.
///
/// # Errors
///
/// It has no end, or its sums do not fit what was told before.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let run = PluginRun::read(bytes)?;
    if !run.done {
        return Err(ReportError::Truncated(run.stopped()));
    }
    run.report("it began, and its end was not reported")
}

/// Reads a run that was ended from outside: what had begun and not ended has failed.
///
/// # Errors
///
/// As [`parse`], but for a missing end.
pub fn parse_part(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    PluginRun::read(bytes)?.report("it had not ended")
}

#[derive(Default)]
struct PluginRun {
    cases: CaseList,
    /// What has begun, how often, and in which file.
    open: BTreeMap<String, (usize, Option<String>)>,
    /// Why files have failed as a whole, by their paths.
    unended: BTreeMap<String, String>,
    /// Ids of files that have a case of their own.
    failed: BTreeSet<String>,
    passed: usize,
    failures: usize,
    /// Ids of what went wrong outside of every test.
    faults: BTreeSet<String>,
    done: bool,
}

impl PluginRun {
    fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        let malformed = |detail: String| ReportError::Malformed { format: FORMAT, detail: message(&detail) };
        let text = plain(bytes)?;
        if text.trim().is_empty() {
            return Err(ReportError::Empty);
        }
        let mut run = Self::default();
        let mut begun = false;
        // What stands after the last line feed is half a line.
        let whole = text.rfind('\n').map_or("", |at| &text[..at]);
        for line in whole.lines() {
            let event: PluginEvent = json::value(line).map_err(|error| malformed(error.to_string()))?;
            if begun == matches!(event, PluginEvent::Begin) || run.done {
                return Err(malformed("it begins or ends more than once".to_owned()));
            }
            begun = true;
            run.take(event)?;
        }
        if begun { Ok(run) } else { Err(ReportError::Truncated("it did not begin".to_owned())) }
    }

    fn take(&mut self, event: PluginEvent) -> Result<(), ReportError> {
        match event {
            PluginEvent::Begin => {}
            PluginEvent::Start { id, path } => self.open.entry(id).or_insert((0, path)).0 += 1,
            PluginEvent::Close { id } => {
                if let Some((times, _)) = self.open.get_mut(&id) {
                    *times = times.saturating_sub(1);
                }
            }
            PluginEvent::End { id, path, outcome, message: text, ms } => {
                self.passed += usize::from(outcome == TestOutcome::Passed);
                self.failures += usize::from(outcome == TestOutcome::Failed);
                // What the runner says of a file whose process was left is not worth more than that.
                match self.unended.remove(&id) {
                    Some(left) if outcome != TestOutcome::Failed => {
                        self.add(id, path, TestOutcome::Failed, Some(left), ms)?;
                    }
                    _ => self.add(id, path, outcome, text, ms)?,
                }
            }
            PluginEvent::Fault { id, path, message: text } => {
                self.failures += 1;
                // A file that fails may hide its tests.
                if path.as_ref() != Some(&id) {
                    self.faults.insert(id.clone());
                }
                self.add(id, path, TestOutcome::Failed, Some(text), None)?;
            }
            PluginEvent::Unended { path, message } => {
                self.unended.insert(path, message);
            }
            PluginEvent::Done { passed, failed, skipped } => {
                let told = self.cases.len();
                if (passed, failed, passed + failed + skipped) != (self.passed, self.failures, told) {
                    return Err(ReportError::Contradictory(format!(
                        "its end says {passed} passed and {failed} failed, before {} and {} of {told} were told",
                        self.passed, self.failures
                    )));
                }
                self.done = true;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        id: String,
        path: Option<String>,
        outcome: TestOutcome,
        text: Option<String>,
        ms: Option<f64>,
    ) -> Result<(), ReportError> {
        if outcome == TestOutcome::Failed {
            self.failed.insert(id.clone());
        }
        let time_ms = ms.filter(|ms| *ms >= 0.0).map(|ms| ms as u64);
        self.cases.add(TestCase { id, path, outcome, message: text.map(|text| message(&text)), time_ms })
    }

    /// Names what had begun, the innermost first.
    fn stopped(&self) -> String {
        let open = self.open.iter().filter(|(_, (times, _))| *times > 0).map(|(id, _)| id.as_str());
        let mut open: Vec<&str> = open.collect();
        open.sort_by_key(|id| std::cmp::Reverse(id.matches(" > ").count()));
        open.truncate(3);
        let told = self.cases.len();
        if open.is_empty() { format!("{told} tests had ended") } else { format!("{} had begun", open.join(", ")) }
    }

    fn report(mut self, why: &str) -> Result<ToolReport, ReportError> {
        // A file that was left is told of by its own process, and by the runner where that noticed.
        for (path, text) in std::mem::take(&mut self.unended) {
            if !self.failed.contains(&path) {
                self.add(path.clone(), Some(path), TestOutcome::Failed, Some(text), None)?;
            }
        }
        for (id, (times, path)) in std::mem::take(&mut self.open) {
            if times > 0 && !self.failed.contains(&id) {
                self.add(id, path, TestOutcome::Failed, Some(why.to_owned()), None)?;
            }
        }
        let run = TestRun { cases: self.cases.finish(), faults: self.faults, ..TestRun::default() };
        Ok(ToolReport { tests: Some(run), ..ToolReport::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = r#"{"is":"begin","runner":"vitest","version":"3"}"#;

    fn end(id: &str, outcome: &str) -> String {
        format!(r#"{{"is":"end","id":"{id}","path":"a.js","outcome":"{outcome}","message":"m","ms":1.5}}"#)
    }

    fn done(passed: usize, failed: usize, skipped: usize) -> String {
        format!(r#"{{"is":"done","passed":{passed},"failed":{failed},"skipped":{skipped}}}"#)
    }

    fn lines(lines: &[&str]) -> String {
        std::iter::once(BEGIN).chain(lines.iter().copied()).map(|line| format!("{line}\n")).collect()
    }

    fn word(report: Result<ToolReport, ReportError>) -> Result<String, String> {
        let run = report.map_err(|error| error.to_string())?.tests.unwrap();
        run.check().map_err(|error| error.to_string())?;
        Ok(run.cases.iter().map(|case| format!("{}:{:?}", case.id, case.outcome)).collect::<Vec<_>>().join(" "))
    }

    const START: &str = r#"{"is":"start","id":"a.js > x","path":"a.js"}"#;
    const CLOSE: &str = r#"{"is":"close","id":"a.js > x"}"#;
    const FAULT: &str = r#"{"is":"fault","id":"a.js","path":"a.js","message":"no"}"#;
    const UNENDED: &str = r#"{"is":"unended","path":"a.js","message":"it was left"}"#;

    #[test]
    fn runs_are_read() {
        let (a, b, c, d) = (end("a", "passed"), end("a", "failed"), end("c", "skipped"), end("d", "deselected"));
        for (text, expected) in [
            (lines(&[&done(0, 0, 0)]), ""),
            (lines(&[&a, &b, &c, &d, &done(1, 1, 2)]), "a:Passed a #2:Failed c:Skipped d:Deselected"),
            (lines(&[START, CLOSE, &a, &done(1, 0, 0)]), "a:Passed"),
            (lines(&[&a, FAULT, &done(1, 1, 0)]), "a:Passed a.js:Failed"),
            // What had begun must have ended.
            (lines(&[START, &a, &done(1, 0, 0)]), "a:Passed a.js > x:Failed"),
            // A process that was left has failed, once.
            (lines(&[&a, UNENDED, &done(1, 0, 0)]), "a:Passed a.js:Failed"),
            (lines(&[&a, UNENDED, FAULT, &done(1, 1, 0)]), "a:Passed a.js:Failed"),
            (lines(&[UNENDED, &end("a.js", "passed"), &done(1, 0, 0)]), "a.js:Failed"),
            (lines(&[UNENDED, &end("a.js", "skipped"), &done(0, 0, 1)]), "a.js:Failed"),
            (lines(&[UNENDED, &end("a.js", "failed"), &done(0, 1, 0)]), "a.js:Failed"),
        ] {
            assert_eq!(word(parse(text.as_bytes())).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_goes_wrong_outside_of_tests_is_no_test() {
        let hook = r#"{"is":"fault","id":"a.js > x (hook)","path":"a.js","message":"no"}"#;
        let run = parse(lines(&[FAULT, hook, &end("a", "failed"), &done(0, 3, 0)]).as_bytes()).expect("a run").tests;
        let faults: Vec<String> = run.expect("tests").faults.into_iter().collect();
        assert_eq!(faults, ["a.js > x (hook)"], "a file that fails has tests");
    }

    #[test]
    fn a_run_that_cannot_be_believed_is_none() {
        let a = end("a", "passed");
        for (text, says) in [
            (String::new(), "empty"),
            (BEGIN.to_owned(), "did not begin"),
            (format!("{}\n", done(0, 0, 0)), "more than once"),
            (lines(&[BEGIN]), "more than once"),
            (lines(&[&done(0, 0, 0), &a]), "more than once"),
            (lines(&[START]), "a.js > x had begun"),
            (lines(&[&a]), "1 tests had ended"),
            (lines(&[&a, &done(2, 0, 0)]), "contradicts"),
            (lines(&[&a, &done(0, 1, 0)]), "contradicts"),
            (lines(&[&a, &done(1, 0, 1)]), "contradicts"),
            (lines(&[FAULT, &done(0, 0, 1)]), "contradicts"),
            (lines(&["hello", &done(0, 0, 0)]), "cannot be read"),
            (lines(&[&end("a", "great"), &done(1, 0, 0)]), "cannot be read"),
        ] {
            let found = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(says), "{text}: {found}");
        }
    }

    #[test]
    fn no_beginning_of_a_run_is_a_run() {
        let text = lines(&[START, CLOSE, &end("a", "passed"), &done(1, 0, 0)]);
        for cut in 0..text.len() {
            assert!(parse(&text.as_bytes()[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_run_that_was_ended_names_what_had_not_ended() {
        let text = format!("{}{}", lines(&[&end("a", "passed"), START]), r#"{"is":"en"#);
        assert_eq!(word(parse_part(text.as_bytes())).as_deref(), Ok("a:Passed a.js > x:Failed"));
    }
}
