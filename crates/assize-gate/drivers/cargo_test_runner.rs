//! Stands between cargo and a program of tests.
//!
//! `cargo test` starts it as its runner, with the program and its arguments (`cargo nextest` as well: see
//! [`TestProgramRunner::run_one`]). The program gets a pipe for
//! its standard output, so that only this process writes to cargo's: one JSON object a line, from
//! `binary` to `done`. What the tests printed is passed on within those lines, unread.
//!
//! The harness has no limit for a single test, and a test that ends the process takes the others along.
//! So the tests are listed first; when none has ended for too long, or the process has ended without
//! its result, the tests that can have been at work are run one by one, and the rest after them.
//!
//! It is compiled alone, with nothing but the standard library, where the tests are run: by the toolchain of the
//! project, which may be as old as Rust 1.63.

use std::collections::{BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Seconds that a test may take by default.
const TEST_SECONDS: f64 = 30.0;
/// What is not one test (listing, a program that is no harness) may take so many times as long.
const PATIENCE: u32 = 10;
/// Tests that may hang in one program before the rest is left.
const HANGS_MAX: usize = 3;
/// Times that a program may end in the midst of its tests before the rest is left.
const CRASHES_MAX: usize = 20;
/// Longest output that is passed on of one process, in bytes.
const OUTPUT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most bytes of names that one command line takes.
const NAMES_BYTES_MAX: usize = 100_000;
/// Names the program of many doc tests to the processes of each of them.
const DOC_TESTS: &str = "ASSIZE_DOC_TESTS";
/// How long output may still come after a process has ended.
const DRAIN: Duration = Duration::from_millis(500);

fn main() {
    let seconds = std::env::var("ASSIZE_TEST_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(TEST_SECONDS);
    let limit = Duration::from_millis((seconds.clamp(0.1, 1e6) * 1000.0) as u64);
    let mut arguments = std::env::args().skip(1);
    let sound = match (arguments.next(), std::env::var(DOC_TESTS)) {
        (Some(program), _) => {
            let runner = TestProgramRunner { program, rest: arguments.collect(), limit };
            if runner.is_doc_test() {
                runner.doc_tests()
            } else if runner.asks("--list") {
                runner.pass_through(limit * PATIENCE, &[])
            } else if runner.asks("--exact") {
                runner.run_one()
            } else {
                runner.run()
            }
        }
        // A program of many doc tests starts itself anew for each of them, or so it believes.
        (None, Ok(program)) => TestProgramRunner { program, rest: Vec::new(), limit }.pass_through(limit, &[]),
        (None, Err(_)) => {
            eprintln!("usage: runner PROGRAM [ARGUMENT]...");
            false
        }
    };
    std::process::exit(if sound { 0 } else { 101 });
}

struct TestProgramRunner {
    program: String,
    rest: Vec<String>,
    limit: Duration,
}

/// How a process ended, and what it printed.
struct ProcessEnd {
    status: Option<ExitStatus>,
    output: Vec<u8>,
    cut: bool,
}

impl TestProgramRunner {
    fn asks(&self, option: &str) -> bool {
        self.rest.iter().any(|argument| argument == option)
    }

    /// Runs the one test that `cargo nextest` asks for. It goes by the exit status alone, and so an end in the midst of
    /// the test would be a pass.
    fn run_one(&self) -> bool {
        let mut told = true;
        let mut out = std::io::stdout().lock();
        let ended = self.start(&[], self.limit, &mut |line| {
            told &= out.write_all(line).and_then(|()| out.flush()).is_ok();
            false
        });
        drop(out);
        let text = String::from_utf8_lossy(&ended.output);
        let status = match ended.status {
            Some(status) => status,
            None => {
                eprintln!("it was not done within {} s", self.limit.as_secs_f64());
                return false;
            }
        };
        if status.success() && text.contains("running 1 test\n") && !text.contains("test result: ok. 1 passed") {
            eprintln!("the process ended with status 0 in it");
            return false;
        }
        if !status.success() {
            std::process::exit(status.code().unwrap_or(101));
        }
        told
    }

    /// Doc tests are reported by rustdoc, which starts them with us as well.
    fn is_doc_test(&self) -> bool {
        let parent = Path::new(&self.program).parent().and_then(Path::file_name);
        parent.map_or(false, |name| name.to_string_lossy().starts_with("rustdoctest"))
    }

    fn doc_tests(&self) -> bool {
        let folder = Path::new(&self.program).parent().unwrap_or(Path::new("."));
        let is_bundle = |name: &str| name.starts_with("doctest_bundle") || name.starts_with("doctest_runner");
        let bundled = std::fs::read_dir(folder).map_or(false, |mut entries| {
            entries.any(|entry| entry.map_or(false, |entry| is_bundle(&entry.file_name().to_string_lossy())))
        });
        let us = std::env::current_exe().unwrap_or_else(|_| self.program.clone().into());
        let us = us.to_string_lossy();
        if bundled {
            let variables = [("RUSTDOC_DOCTEST_BIN_PATH", &*us), (DOC_TESTS, &self.program)];
            self.pass_through(self.limit * PATIENCE, &variables)
        } else {
            self.pass_through(self.limit, &[])
        }
    }

    /// Lets the program write where we write, and limits its time.
    fn pass_through(&self, limit: Duration, variables: &[(&str, &str)]) -> bool {
        let mut command = Command::new(&self.program);
        let mut child = match command.args(&self.rest).envs(variables.iter().copied()).spawn() {
            Ok(child) => child,
            Err(error) => {
                eprintln!("it could not be started: {error}");
                return false;
            }
        };
        let end = Instant::now() + limit;
        while Instant::now() < end {
            match child.try_wait() {
                Ok(Some(status)) => std::process::exit(status.code().unwrap_or(101)),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(_) => break,
            }
        }
        eprintln!("it was not done within {} s", limit.as_secs_f64());
        let _ = child.kill();
        let _ = child.wait();
        false
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.rest).args(more).stdin(Stdio::null());
        // What the tests are judged with is none of their business.
        command.env_remove("ASSIZE_TEST_SECONDS").env_remove("ASSIZE_MARKERS");
        command
    }

    /// Lists and runs the tests; returns whether all is well.
    fn run(&self) -> bool {
        say("binary", &[("executable", quoted(&self.program))]);
        let listed = self.start(&["--list"], self.limit * PATIENCE, &mut |_| false);
        let names = match names(&listed.output) {
            Some(names) => names,
            None => {
                // No harness that can be asked: what it does, it does when nothing is asked of it.
                let ended = self.start(&[], self.limit * PATIENCE, &mut |_| false);
                tell("whole", &[], &ended);
                say("done", &[]);
                return ended.status.map_or(false, |status| status.success());
            }
        };
        let list: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        say("listed", &[("names", format!("[{}]", list.join(",")))]);
        let sound = if names.is_empty() { true } else { self.run_all(&names) };
        say("done", &[]);
        sound
    }

    fn run_all(&self, names: &[String]) -> bool {
        let mut remaining: Vec<String> = names.to_vec();
        let mut sound = true;
        let (mut hangs, mut crashes) = (0, 0);
        let mut first = true;
        while !remaining.is_empty() && hangs < HANGS_MAX && crashes <= CRASHES_MAX {
            let batch = if first { remaining.clone() } else { batch(&remaining) };
            let (ended, complete) = self.run_some(&batch, first);
            sound &= complete && ended.status.map_or(false, |status| status.success());
            first = false;
            let done: HashSet<String> = ended_tests(&ended.output, &batch);
            let mut left: Vec<String> = batch.iter().filter(|name| !done.contains(*name)).cloned().collect();
            remaining.drain(..batch.len());
            if complete {
                continue;
            }
            hangs += usize::from(ended.status.is_none());
            crashes += usize::from(ended.status.is_some());
            // The harness starts tests in the order in which it lists them.
            let suspects: Vec<String> = left.drain(..threads().min(left.len())).collect();
            if batch.len() > 1 {
                for suspect in &suspects {
                    if hangs > HANGS_MAX {
                        break;
                    }
                    let (alone, complete) = self.run_some(std::slice::from_ref(suspect), false);
                    if !complete && alone.status.is_none() {
                        hangs += 1;
                    }
                }
                // The first of them was counted with the batch.
                hangs = hangs.saturating_sub(usize::from(ended.status.is_none()));
            }
            left.extend(std::mem::take(&mut remaining));
            remaining = left;
        }
        sound
    }

    /// Runs some tests in one process; returns how it ended and whether it came to its result.
    fn run_some(&self, names: &[String], all: bool) -> (ProcessEnd, bool) {
        let threads = threads().to_string();
        let mut arguments: Vec<&str> = Vec::new();
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            arguments.extend(["--test-threads", threads.as_str()]);
        }
        if !all {
            arguments.push("--exact");
            arguments.extend(names.iter().map(String::as_str));
        }
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let ended = self.start(&arguments, self.limit, &mut |line| {
            let name = ended_test(&String::from_utf8_lossy(line)).filter(|name| known.contains(&**name));
            if let Some(name) = &name {
                say("ended", &[("name", quoted(name))]);
            }
            name.is_some()
        });
        let text = String::from_utf8_lossy(&ended.output);
        let complete = ended.status.is_some() && text.lines().any(|line| counted(line) == Some(names.len()));
        tell("run", if all { &[] } else { names }, &ended);
        (ended, complete)
    }

    /// Starts the program and waits until it ends, or until for as long as the limit no line says that it gets
    /// on.
    fn start(&self, arguments: &[&str], limit: Duration, gets_on: &mut dyn FnMut(&[u8]) -> bool) -> ProcessEnd {
        let mut ended = ProcessEnd { status: None, output: Vec::new(), cut: false };
        let mut child = match self.command(arguments).stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => {
                ended.output = error.to_string().into_bytes();
                return ended;
            }
        };
        let lines = read_lines(&mut child);
        let mut deadline = Instant::now() + limit;
        loop {
            match lines.recv_timeout(Duration::from_millis(20)) {
                Ok(line) => {
                    if gets_on(&line) {
                        deadline = Instant::now() + limit;
                    }
                    ended.keep(&line);
                    if Instant::now() < deadline {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(2)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            match child.try_wait() {
                Ok(Some(status)) => {
                    ended.status = Some(status);
                    break;
                }
                Ok(None) if Instant::now() < deadline => {}
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break;
                }
            }
        }
        // A process that was left behind may hold the pipe open for ever.
        let end = Instant::now() + DRAIN;
        while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            gets_on(&line);
            ended.keep(&line);
        }
        ended
    }
}

impl ProcessEnd {
    fn keep(&mut self, line: &[u8]) {
        if self.output.len() + line.len() > OUTPUT_BYTES_MAX {
            self.cut = true;
        } else {
            self.output.extend_from_slice(line);
        }
    }
}

/// Reads a process' output in a thread, line by line.
fn read_lines(child: &mut Child) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(1000);
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                // A line without an end comes in pieces.
                match reader.by_ref().take(1 << 20).read_until(b'\n', &mut line) {
                    Ok(length) if length > 0 && sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
    }
    receiver
}

/// How many tests the harness runs at the same time.
fn threads() -> usize {
    let wished =
        std::env::var("RUST_TEST_THREADS").ok().and_then(|text| text.parse().ok()).filter(|wished| *wished > 0);
    wished.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The names that a harness lists; `None` when that is no list. A sum that fits makes up for what others print.
fn names(output: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(output);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut sum, mut noise) = (None, false);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(name) = line.strip_suffix(": test").or_else(|| line.strip_suffix(": benchmark")) {
            if seen.insert(name.to_owned()) {
                names.push(name.to_owned());
            }
        } else if let Some(found) = summed(line) {
            sum = Some(found);
        } else {
            noise = true;
        }
    }
    let is_list = match sum {
        Some(sum) => sum == names.len(),
        None => !noise && !names.is_empty(),
    };
    is_list.then_some(names)
}

/// Reads `3 tests, 1 benchmark`.
fn summed(line: &str) -> Option<usize> {
    let (tests, benchmarks) = line.split_once(", ")?;
    let number = |text: &str, word: &str| text.trim_end_matches('s').strip_suffix(word)?.parse::<usize>().ok();
    Some(number(tests, " test")? + number(benchmarks, " benchmark")?)
}

/// How many tests a result is of.
fn counted(line: &str) -> Option<usize> {
    let sums = line.rsplit_once("test result: ")?.1.split_once(". ")?.1;
    let number = |part: &str| part.trim().split(' ').next()?.parse::<usize>().ok();
    // Passed, failed, ignored, measured; those that were filtered out did not run.
    sums.split(';').take(4).map(number).sum()
}

/// The test that a line of the harness says has ended.
fn ended_test(line: &str) -> Option<String> {
    let line = line.trim_end();
    let (before, after) = line.rsplit_once(" ... ")?;
    let word = after.split([',', ' ']).next().unwrap_or(after);
    if !["ok", "FAILED", "ignored", "bench:"].contains(&word) {
        return None;
    }
    let name = &before[before.rfind("test ")? + "test ".len()..];
    Some(name.strip_suffix(" - should panic").unwrap_or(name).to_owned())
}

fn ended_tests(output: &[u8], names: &[String]) -> HashSet<String> {
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let text = String::from_utf8_lossy(output);
    text.lines().filter_map(ended_test).filter(|name| known.contains(&**name)).collect()
}

/// As many names as fit into one command line.
fn batch(names: &[String]) -> Vec<String> {
    let mut bytes = 0;
    let fits = |name: &&String| {
        bytes += name.len() + 1;
        bytes <= NAMES_BYTES_MAX
    };
    let batch: Vec<String> = names.iter().take_while(fits).cloned().collect();
    if batch.is_empty() {
        names[..1].to_vec()
    } else {
        batch
    }
}

/// Passes on what a process left behind.
fn tell(event: &str, names: &[String], ended: &ProcessEnd) {
    let list: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let status = match &ended.status {
        None => "\"hung\"".to_owned(),
        Some(status) => status.code().map_or_else(|| quoted(&status.to_string()), |code| code.to_string()),
    };
    say(
        event,
        &[
            ("names", format!("[{}]", list.join(","))),
            ("status", status),
            ("cut", ended.cut.to_string()),
            ("stdout", quoted(&String::from_utf8_lossy(&ended.output))),
        ],
    );
}

/// Writes one line to cargo's standard output; the values are JSON already.
fn say(event: &str, fields: &[(&str, String)]) {
    let mut line = format!("{{\"assize\":{}", quoted(event));
    for (name, value) in fields {
        line.push_str(&format!(",\"{name}\":{value}"));
    }
    line.push_str("}\n");
    let mut out = std::io::stdout().lock();
    if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(102);
    }
}

/// Writes a text as JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_from_other_output() {
        let read = |text: &str| names(text.as_bytes()).map(|names| names.join(" "));
        for (text, expected) in [
            ("a: test\nb::c: test\nd: benchmark\n\n2 tests, 1 benchmark\n", Some("a b::c d")),
            ("\n0 tests, 0 benchmarks\n", Some("")),
            ("a: test\n", Some("a")),
            ("src/lib.rs - x (line 3): test\n1 test, 0 benchmarks\n", Some("src/lib.rs - x (line 3)")),
            // What others print does not matter where the sum fits.
            ("hello\na: test\n1 test, 0 benchmarks\n", Some("a")),
            ("hello\na: test\n", None),
            ("a: test\n2 tests, 0 benchmarks\n", None),
            ("", None),
            ("all is well\n", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{}", text);
        }
    }

    #[test]
    fn the_end_of_a_test_is_seen() {
        for (line, expected) in [
            ("test a ... ok", Some("a")),
            ("leaktest a::b ... FAILED\n", Some("a::b")),
            ("test a - should panic ... ok", Some("a")),
            ("test a ... ignored, slow", Some("a")),
            ("test a ... ", None),
            ("test a ... maybe", None),
            ("ok", None),
        ] {
            assert_eq!(ended_test(line).as_deref(), expected, "{}", line);
        }
    }

    #[test]
    fn a_result_says_of_how_many_tests_it_is() {
        let end = "0 measured; 7 filtered out; finished in 0.00s";
        for (line, expected) in [
            (format!("test result: ok. 2 passed; 1 failed; 3 ignored; {}", end), Some(6)),
            (format!("xtest result: FAILED. 2 passed; 1 failed; 3 ignored; {}", end), Some(6)),
            ("test result: ok. many passed".to_owned(), None),
            ("nothing".to_owned(), None),
        ] {
            assert_eq!(counted(&line), expected, "{}", line);
        }
    }

    #[test]
    fn text_becomes_json() {
        assert_eq!(quoted("a\"b\\c\n\u{1b}é"), "\"a\\\"b\\\\c\\n\\u001bé\"");
    }

    #[test]
    fn a_command_line_takes_names_up_to_a_limit() {
        let names = vec!["x".repeat(NAMES_BYTES_MAX / 2 - 1); 3];
        assert_eq!(batch(&names).len(), 2);
        let names = vec!["x".repeat(NAMES_BYTES_MAX / 2); 3];
        assert_eq!(batch(&names).len(), 1);
        // One is always taken.
        assert_eq!(batch(&["x".repeat(NAMES_BYTES_MAX + 1)]).len(), 1);
    }

    #[test]
    fn output_is_kept_up_to_a_limit() {
        let mut ended = ProcessEnd { status: None, output: Vec::new(), cut: false };
        ended.keep(&vec![b'x'; OUTPUT_BYTES_MAX]);
        assert_eq!((ended.output.len(), ended.cut), (OUTPUT_BYTES_MAX, false));
        ended.keep(b"x");
        assert_eq!((ended.output.len(), ended.cut), (OUTPUT_BYTES_MAX, true));
    }
}
