//! What `cargo test` writes when our runner stands between it and the programs of tests.
//!
//! First cargo's messages of the build, then for each program what our runner says of it, then what rustdoc's
//! harness prints of the doc tests. Who has printed what is certain but for the doc tests, so the list
//! of programs comes from cargo, the list of tests from the program, and what the tests printed is
//! read with both at hand. It must not know how the runner was put there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::libtest::{self, LibtestSection, SectionCase};
use super::rustc_json::{self, TestProgram};
use super::{Announced, ReportError, TestCase, TestOutcome, TestRun, ToolReport, json, message, plain::plain};

const FORMAT: &str = "the runner's lines";

#[derive(Deserialize)]
#[serde(tag = "assize", rename_all = "snake_case")]
enum RunnerLine {
    Binary { executable: String },
    Listed { names: Vec<String> },
    Ended { name: String },
    Run(Process),
    Whole(Process),
    Done,
}

/// One process of a program of tests.
#[derive(Deserialize)]
struct Process {
    /// The tests that it was to run; none when it was to run all of them.
    names: Vec<String>,
    status: Status,
    cut: bool,
    stdout: String,
}

#[derive(Deserialize, PartialEq)]
#[serde(untagged)]
enum Status {
    Code(i32),
    /// A signal, or that it hung.
    Other(String),
}

/// What the runner says of one program.
#[derive(Default)]
struct RunnerProgram {
    executable: String,
    listed: Option<Vec<String>>,
    ended: BTreeSet<String>,
    processes: Vec<Process>,
    whole: Option<Process>,
    done: bool,
}

/// Reads the whole output.
///
/// # Errors
///
/// The build's end or that of a program is missing, or what is said does not agree. A build that failed is no error:
/// its diagnostics are the report.
pub fn parse(stdout: &[u8]) -> Result<ToolReport, ReportError> {
    read(stdout, ProcessExtent::Whole)
}

/// Reads the output of a run that was ended from outside: what had not ended has failed.
///
/// # Errors
///
/// As [`parse`], but for what is missing.
pub fn parse_part(stdout: &[u8]) -> Result<ToolReport, ReportError> {
    read(stdout, ProcessExtent::Part)
}

#[derive(Clone, Copy, PartialEq)]
enum ProcessExtent {
    Whole,
    Part,
}

fn read(stdout: &[u8], extent: ProcessExtent) -> Result<ToolReport, ReportError> {
    let text = plain(stdout)?;
    let (build, rest) = rustc_json::parse_build(&text)?;
    let mut report = build.report;
    if !build.success {
        return Ok(report);
    }
    let before = &text[..text.len() - rest.len()];
    if before.lines().any(|line| line.starts_with(MARK)) {
        return Err(ReportError::Contradictory("tests are reported before they were built".to_owned()));
    }
    let (programs, printed) = programs(rest)?;
    let mut tests = TestCollector::default();
    for known in &build.tests {
        let found: Vec<&RunnerProgram> =
            programs.iter().filter(|program| program.executable == known.executable).collect();
        match found[..] {
            [program] if extent == ProcessExtent::Part && !program.done => tests.unfinished(known, program),
            [program] => tests.program(known, program)?,
            [] if extent == ProcessExtent::Part => {}
            [] if printed.contains("test result: ") && programs.is_empty() => {
                return Err(ReportError::Contradictory("the project brings a runner of its own".to_owned()));
            }
            [] => return Err(ReportError::Truncated(format!("{} was built and not run", known.id))),
            _ => return Err(ReportError::Contradictory(format!("{} was run more than once", known.id))),
        }
    }
    if programs.len() > build.tests.len() {
        return Err(ReportError::Contradictory("programs were run that cargo did not build".to_owned()));
    }
    tests.doc_tests(&libtest::sections(&printed)?, extent)?;
    report.tests = Some(tests.run);
    Ok(report)
}

const MARK: &str = "{\"assize\":\"";

/// Takes the runner's lines and all others apart.
fn programs(text: &str) -> Result<(Vec<RunnerProgram>, String), ReportError> {
    let malformed = |detail: String| ReportError::Malformed { format: FORMAT, detail };
    let mut programs: Vec<RunnerProgram> = Vec::new();
    let mut printed = String::new();
    for line in text.lines() {
        if !line.starts_with(MARK) {
            printed.push_str(line);
            printed.push('\n');
            continue;
        }
        let parsed: RunnerLine = json::value(line).map_err(|error| malformed(error.to_string()))?;
        if let RunnerLine::Binary { executable } = parsed {
            programs.push(RunnerProgram { executable, ..RunnerProgram::default() });
            continue;
        }
        let Some(program) = programs.last_mut().filter(|program| !program.done) else {
            return Err(malformed("a line of no program".to_owned()));
        };
        match parsed {
            RunnerLine::Listed { names } => program.listed = Some(names),
            RunnerLine::Ended { name } => {
                program.ended.insert(name);
            }
            RunnerLine::Run(process) => program.processes.push(process),
            RunnerLine::Whole(process) => program.whole = Some(process),
            RunnerLine::Done | RunnerLine::Binary { .. } => program.done = true,
        }
    }
    Ok((programs, printed))
}

#[derive(Default)]
struct TestCollector {
    run: TestRun,
    /// How often a doc test's name was seen: two of one item differ by their line alone.
    seen: BTreeMap<String, usize>,
}

impl TestCollector {
    fn add(&mut self, id: String, outcome: TestOutcome, message: Option<String>) {
        let announced = self.run.announced.get_or_insert_with(Announced::default);
        match outcome {
            TestOutcome::Passed => announced.passed += 1,
            TestOutcome::Failed => announced.failed += 1,
            _ => announced.skipped += 1,
        }
        self.run.cases.push(TestCase { id, path: None, outcome, message, time_ms: None });
    }

    fn program(&mut self, known: &TestProgram, program: &RunnerProgram) -> Result<(), ReportError> {
        if !program.done {
            return Err(ReportError::Truncated(program.stopped(&known.id)));
        }
        if let Some(process) = &program.whole {
            let sound = process.status == Status::Code(0);
            let said = process.end().unwrap_or_else(|| "it ended with status 0".to_owned());
            let outcome = if sound { TestOutcome::Passed } else { TestOutcome::Failed };
            let text = message(&format!("{said}\n{}", assize_core::text::tail(&process.stdout, 2_000)));
            self.add(format!("{} (whole program)", known.id), outcome, (!sound).then_some(text));
            return Ok(());
        }
        let Some(listed) = &program.listed else {
            return Err(ReportError::Truncated(format!("{} was not asked for its tests", known.id)));
        };
        let outcomes = program.outcomes(listed, &known.id)?;
        for name in listed {
            let (outcome, message) = outcomes.cases.get(name.as_str()).cloned().unwrap_or_else(|| {
                let why = outcomes.unexplained.as_deref().unwrap_or("the program was given up before it");
                (TestOutcome::Failed, Some(format!("it came to no result: {why}")))
            });
            self.add(format!("{} {name}", known.id), outcome, message);
        }
        let unexplained = outcomes.unexplained.filter(|_| outcomes.cases.len() == listed.len());
        if let Some(fault) = outcomes.fault.or(unexplained) {
            self.add(format!("{} (whole program)", known.id), TestOutcome::Failed, Some(fault));
        }
        Ok(())
    }

    /// A program that was ended in the midst of its tests.
    fn unfinished(&mut self, known: &TestProgram, program: &RunnerProgram) {
        let listed = program.listed.iter().flatten().filter(|name| !program.ended.contains(*name));
        for name in listed {
            self.add(format!("{} {name}", known.id), TestOutcome::Failed, Some("it had not ended".to_owned()));
        }
    }

    /// Doc tests are named by what they document; lines move, so they are only counted. Those that are not run are examples
    /// and no tests.
    fn doc_tests(&mut self, sections: &[LibtestSection], extent: ProcessExtent) -> Result<(), ReportError> {
        for section in sections {
            let place = |case: &SectionCase| {
                let (name, line) = case.name.rsplit_once(" (line ").unwrap_or((&case.name, ""));
                let line = line.trim_end_matches(')').parse::<u32>().unwrap_or_default();
                (documented(name), name.to_owned(), line)
            };
            // They come as they end; what is counted has to be in order.
            let mut cases: Vec<&SectionCase> =
                section.cases.iter().filter(|case| case.outcome.was_executed()).collect();
            cases.sort_by_key(|case| place(case));
            for case in cases {
                let (name, ..) = place(case);
                let count = self.seen.entry(name.clone()).or_insert(0);
                *count += 1;
                let id = if *count == 1 { format!("doc {name}") } else { format!("doc {name} #{count}") };
                self.add(id, case.outcome, case.message.clone());
            }
            if !section.complete && extent == ProcessExtent::Whole {
                return Err(ReportError::Truncated(format!("doc tests: {}", section.stopped())));
            }
        }
        Ok(())
    }
}

/// The item that a doc test documents, with the package that it belongs to. Items move to other files, and for a text that a
/// module includes the edition says whether it is named by its own file or by the one that includes it.
fn documented(name: &str) -> String {
    let Some((file, item)) = name.split_once(" -") else { return name.to_owned() };
    let folders: Vec<&str> = file.split('/').take_while(|part| !matches!(*part, "src" | "..")).collect();
    let package = if folders.len() == file.split('/').count() { &folders[..folders.len() - 1] } else { &folders[..] };
    let item = if item.trim().is_empty() { "the package" } else { item.trim() };
    if package.is_empty() { item.to_owned() } else { format!("{} - {item}", package.join("/")) }
}

/// What came of a program's tests.
#[derive(Default)]
struct Outcomes<'a> {
    cases: BTreeMap<&'a str, (TestOutcome, Option<String>)>,
    /// What is wrong with the program as a whole.
    fault: Option<String>,
    /// Why processes ended in the midst of several tests, until one of those is found to be the cause.
    unexplained: Option<String>,
}

impl RunnerProgram {
    fn outcomes<'a>(&'a self, listed: &'a [String], id: &str) -> Result<Outcomes<'a>, ReportError> {
        let mut outcomes = Outcomes::default();
        for process in &self.processes {
            if process.cut {
                return Err(ReportError::TooLarge(format!("what the output of {id} may be")));
            }
            let asked_for = if process.names.is_empty() { listed } else { &process.names[..] };
            let asked: BTreeSet<&str> = asked_for.iter().map(String::as_str).collect();
            let section = libtest::section(&plain(process.stdout.as_bytes())?, &asked)?;
            let end = process.end();
            let alone = if let [name] = asked_for { Some(name.as_str()) } else { None };
            if let (false, Some(name)) = (section.complete, alone) {
                let known = listed.iter().find(|listed| *listed == name);
                let name = known.ok_or_else(|| ReportError::Contradictory(format!("{id} has no test {name}")))?;
                let said = end.unwrap_or_else(|| "the process ended with status 0 in it".to_owned());
                outcomes.cases.insert(name, (TestOutcome::Failed, Some(said)));
                outcomes.unexplained = None;
                continue;
            }
            let failed = section.cases.iter().any(|case| case.outcome == TestOutcome::Failed);
            if !section.complete {
                outcomes.unexplained = Some(end.unwrap_or_else(|| "the process ended before its tests".to_owned()));
            } else if process.status != Status::Code(if failed { 101 } else { 0 }) {
                let end = end.unwrap_or_else(|| "it ended with status 0 after failures".to_owned());
                outcomes.fault = Some(format!("after its tests: {end}"));
            }
            for case in section.cases {
                let known = listed.iter().find(|listed| **listed == case.name).map_or("", String::as_str);
                // One that was run again: the worse outcome stands.
                let failed = outcomes.cases.get(known).is_some_and(|(outcome, _)| *outcome == TestOutcome::Failed);
                if !failed {
                    outcomes.cases.insert(known, (case.outcome, case.message));
                }
            }
        }
        Ok(outcomes)
    }

    /// Says how far it came.
    fn stopped(&self, id: &str) -> String {
        let Some(listed) = &self.listed else { return format!("{id} had not said which tests it has") };
        let left: Vec<&str> =
            listed.iter().filter(|name| !self.ended.contains(*name)).map(String::as_str).take(3).collect();
        match left[..] {
            [] => format!("{id} had not ended after its tests"),
            _ => {
                format!("{id}: {} of {} tests had ended, next were {}", self.ended.len(), listed.len(), left.join(", "))
            }
        }
    }
}

impl Process {
    /// Says how it ended, when it did not end well.
    fn end(&self) -> Option<String> {
        match &self.status {
            Status::Code(0) => None,
            Status::Code(code) => Some(format!("the process ended with status {code} in it")),
            Status::Other(hung) if hung == "hung" => Some("it was not done in time".to_owned()),
            Status::Other(signal) => Some(format!("the process was ended in it ({signal})")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILT: &str = concat!(
        r#"{"reason":"compiler-artifact","package_id":"p#one@1.0.0","target":{"kind":["lib"],"name":"one","src_path":"/p/src/lib.rs"},"profile":{"test":true},"executable":"/t/one-1"}"#,
        "\n",
        r#"{"reason":"build-finished","success":true}"#,
        "\n"
    );
    const BEGIN: &str = "{\"assize\":\"binary\",\"executable\":\"/t/one-1\"}\n";
    const DONE: &str = "{\"assize\":\"done\"}\n";

    fn listed(names: &[&str]) -> String {
        format!("{{\"assize\":\"listed\",\"names\":{names:?}}}\n")
    }

    fn process(names: &[&str], status: &str, stdout: &str) -> String {
        let stdout = serde_json::to_string(stdout).unwrap();
        format!("{{\"assize\":\"run\",\"names\":{names:?},\"status\":{status},\"cut\":false,\"stdout\":{stdout}}}\n")
    }

    fn ok(names: &[&str]) -> String {
        let lines: Vec<String> = names.iter().map(|name| format!("test {name} ... ok\n")).collect();
        format!(
            "\nrunning {0} tests\n{1}\ntest result: ok. {0} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            names.len(),
            lines.concat()
        )
        .replace("running 1 tests", "running 1 test")
    }

    fn read(rest: &str) -> Result<String, String> {
        let report = parse(format!("{BUILT}{rest}").as_bytes()).map_err(|error| error.to_string())?;
        let run = report.tests.ok_or("no tests")?;
        run.check().map_err(|error| error.to_string())?;
        let word = |case: &TestCase| {
            let said = case.message.as_deref().map(|text| format!("={text}")).unwrap_or_default();
            format!("{}:{:?}{said}", case.id, case.outcome)
        };
        Ok(run.cases.iter().map(word).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn programs_and_doc_tests_are_read() {
        let text = format!("{BEGIN}{}{}{DONE}", listed(&["a", "b"]), process(&[], "0", &ok(&["a", "b"])));
        assert_eq!(read(&text).unwrap(), "one a:Passed; one b:Passed");
        let doc =
            ok(&["src/lib.rs - x (line 10)", "src/lib.rs - x (line 9)", "src/lib.rs - y (line 1) - compile fail"]);
        assert_eq!(
            read(&format!("{text}{doc}")).unwrap(),
            "one a:Passed; one b:Passed; doc x:Passed; doc x #2:Passed; doc y:Passed"
        );
        for (name, expected) in [
            ("src/lib.rs - Readme (line 253)", "doc Readme"),
            ("src/../README.md - Readme (line 23)", "doc Readme"),
            ("src/lib.rs - (line 3)", "doc the package"),
            ("crates/a/src/b/mod.rs - b::c (line 3)", "doc crates/a - b::c"),
            ("crates/a/src/../../../README.md - (line 3)", "doc crates/a - the package"),
            ("lib.rs - x (line 3)", "doc x"),
            ("a/lib.rs - x (line 3)", "doc a - x"),
            ("a/../README.md - x (line 3)", "doc a - x"),
        ] {
            assert_eq!(
                read(&format!("{text}{}", ok(&[name]))).unwrap(),
                format!("one a:Passed; one b:Passed; {expected}:Passed")
            );
        }
        assert_eq!(read(&format!("{BEGIN}{}{DONE}", listed(&[]))).unwrap(), "");
    }

    #[test]
    fn an_example_that_is_not_run_is_no_doc_test() {
        let doc = "\nrunning 3 tests\ntest src/lib.rs - x (line 1) ... ok\ntest src/lib.rs - x (line 5) ... ignored\n\
                   test src/lib.rs - x (line 9) ... ok\n\n\
                   test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(read(&format!("{BEGIN}{}{DONE}{doc}", listed(&[]))).unwrap(), "doc x:Passed; doc x #2:Passed");
    }

    #[test]
    fn a_test_that_takes_the_process_down_is_named() {
        let begun = "\nrunning 3 tests\n";
        let text = format!(
            "{BEGIN}{}{}{}{}{}{}{DONE}",
            listed(&["a", "b", "c"]),
            process(&[], "\"hung\"", begun),
            process(&["a"], "\"hung\"", "\nrunning 1 test\n"),
            process(&["b"], "0", "\nrunning 1 test\n"),
            process(&["c"], "\"signal: 6 (SIGABRT)\"", "\nrunning 1 test\n"),
            "",
        );
        assert_eq!(
            read(&text).unwrap(),
            "one a:Failed=it was not done in time; one b:Failed=the process ended with status 0 in it; \
             one c:Failed=the process was ended in it (signal: 6 (SIGABRT))"
        );
    }

    #[test]
    fn a_crash_that_no_test_explains_is_that_of_the_program() {
        let text = format!(
            "{BEGIN}{}{}{}{}{DONE}",
            listed(&["a", "b"]),
            process(&[], "0", "\nrunning 2 tests\n"),
            process(&["a"], "0", &ok(&["a"])),
            process(&["b"], "0", &ok(&["b"])),
        );
        assert_eq!(
            read(&text).unwrap(),
            "one a:Passed; one b:Passed; one (whole program):Failed=the process ended before its tests"
        );
        let text = format!("{BEGIN}{}{}{DONE}", listed(&["a"]), process(&[], "\"signal: 11\"", &ok(&["a"])));
        assert!(
            read(&text)
                .unwrap()
                .ends_with("one (whole program):Failed=after its tests: the process was ended in it (signal: 11)")
        );
    }

    #[test]
    fn tests_that_were_not_run_have_failed() {
        let text = format!(
            "{BEGIN}{}{}{}{DONE}",
            listed(&["a", "b"]),
            process(&[], "\"hung\"", "\nrunning 2 tests\n"),
            process(&["a"], "\"hung\"", "\nrunning 1 test\n"),
        );
        assert!(read(&text).unwrap().contains("one b:Failed=it came to no result: the program was given up before it"));
        // Somebody else's words, and then nothing.
        let text = format!("{BEGIN}{}{}{DONE}", listed(&["a", "b"]), process(&[], "0", &ok(&["x", "y"])));
        assert_eq!(read(&text).unwrap().matches("came to no result: the process ended before its tests").count(), 2);
    }

    #[test]
    fn of_two_outcomes_the_worse_stands() {
        let (good, bad) = (process(&[], "0", &ok(&["a"])), process(&["a"], "0", "running 1 test\n"));
        for text in [format!("{good}{bad}"), format!("{bad}{good}")] {
            let text = format!("{BEGIN}{}{text}{DONE}", listed(&["a"]));
            assert!(read(&text).unwrap().starts_with("one a:Failed"), "{text}");
        }
    }

    #[test]
    fn a_program_without_a_harness_is_one_test() {
        let whole = |status: &str| {
            format!(
                "{BEGIN}{{\"assize\":\"whole\",\"names\":[],\"status\":{status},\"cut\":false,\"stdout\":\"hi\"}}\n{DONE}"
            )
        };
        assert_eq!(read(&whole("0")).unwrap(), "one (whole program):Passed");
        assert!(read(&whole("1")).unwrap().starts_with("one (whole program):Failed"));
        assert!(read(&whole("\"hung\"")).unwrap().starts_with("one (whole program):Failed=it was not done in time"));
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let run = process(&[], "0", &ok(&["a"]));
        let list = listed(&["a"]);
        for (text, says) in [
            (String::new(), "was built and not run"),
            (ok(&["a"]), "a runner of its own"),
            (BEGIN.to_owned(), "had not said which tests it has"),
            (format!("{BEGIN}{list}"), "next were a"),
            (format!("{BEGIN}{list}{run}"), "next were a"),
            (format!("{BEGIN}{list}{run}{DONE}{BEGIN}{list}{run}{DONE}"), "more than once"),
            (format!("{BEGIN}{list}{run}{DONE}{DONE}"), "a line of no program"),
            (format!("{BEGIN}{list}{run}{DONE}{{\"assize\":\"done\"\n"), "cannot be read"),
            (format!("{BEGIN}{list}{run}{DONE}test b ... FAILED\n"), "outside of every run"),
            (format!("{BEGIN}{list}{run}{DONE}\nrunning 1 test\n"), "doc tests: 0 of 1"),
            (format!("{BEGIN}{list}{run}{DONE}{}{DONE}", BEGIN.replace("one", "two")), "did not build"),
            (format!("{BEGIN}{list}{}{DONE}", run.replace("\"cut\":false", "\"cut\":true")), "larger"),
        ] {
            let found = read(&text).unwrap_err();
            assert!(found.contains(says), "{text}: {found}");
        }
        let early = format!("{BEGIN}{DONE}{BUILT}");
        assert!(parse(early.as_bytes()).unwrap_err().to_string().contains("before they were built"));
    }

    #[test]
    fn a_run_that_was_ended_names_what_had_not_ended() {
        let ended = "{\"assize\":\"ended\",\"name\":\"a\"}\n";
        let text = format!("{BUILT}{BEGIN}{}{ended}", listed(&["a", "b"]));
        assert!(parse(text.as_bytes()).is_err());
        let run = parse_part(text.as_bytes()).unwrap().tests.unwrap();
        let ids: Vec<&str> = run.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!((ids, run.count(TestOutcome::Failed)), (vec!["one b"], 1));
    }

    #[test]
    fn a_build_that_failed_is_a_report() {
        let report = parse(b"{\"reason\":\"build-finished\",\"success\":false}\n").unwrap();
        assert_eq!((report.diagnostics.len(), report.tests), (1, None));
    }

    #[test]
    fn no_beginning_of_a_red_run_is_green() {
        let red = ok(&["a", "b"]).replace("b ... ok", "b ... FAILED").replace(
            "test result: ok. 2 passed; 0 failed",
            "failures:\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed",
        );
        let text = format!("{BEGIN}{}{}{DONE}", listed(&["a", "b"]), process(&[], "101", &red));
        assert_eq!(read(&text).unwrap(), "one a:Passed; one b:Failed");
        for (at, _) in text.match_indices('\n').filter(|(at, _)| *at + 1 < text.len()) {
            assert!(read(&text[..=at]).is_err(), "{at}");
        }
    }
}
