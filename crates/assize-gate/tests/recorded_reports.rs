//! Outputs that real tools left behind, and what a gate's run is worth by them.
//!
//! `tests/reports/README.md` says how a case is laid out and how it is recorded. What is held for all of
//! them: the state and the counts are the expected ones; a part of a run that was red is never read as
//! green, wherever it was cut; nor is a red run in any order of its lines, whatever the code under test
//! prints between them; and the table in `docs/src/reference/reports.md` says what they come to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assize_gate::gate::{GateOutput, GateState};
use assize_report::TestOutcome;

#[path = "record/expected.rs"]
mod expected;
#[path = "record/noise.rs"]
mod noise;
#[path = "record/table.rs"]
mod table;

use expected::ExpectedGateRun;
use noise::{NoiseRng, disturbed};

/// The root of the tree in every recording.
const ROOT: &str = "/project";
/// Most places at which one file is cut.
const CUTS_MAX: usize = 400;

struct Recording {
    name: String,
    expected: ExpectedGateRun,
    output: GateOutput,
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn bytes(path: &Path) -> Vec<u8> {
    if path.exists() { fs::read(path).unwrap() } else { Vec::new() }
}

fn add_files(found: &mut BTreeMap<String, Vec<u8>>, folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            add_files(found, &entry.path(), &format!("{name}/"));
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

fn load(folder: &Path) -> Recording {
    let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
    let name = format!("{}/{}", name[1], name[0]);
    let text = fs::read_to_string(folder.join("expected.toml")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let status = fs::read_to_string(folder.join("status")).unwrap_or_else(|error| panic!("{name}: status: {error}"));
    let mut reports = BTreeMap::new();
    if folder.join("reports").is_dir() {
        add_files(&mut reports, &folder.join("reports"), "");
    }
    let output = GateOutput {
        status: match status.trim() {
            "signal" | "timeout" => None,
            number => Some(number.parse().unwrap_or_else(|error| panic!("{name}: status: {error}"))),
        },
        timed_out: status.trim() == "timeout",
        limit: None,
        stdout: bytes(&folder.join("stdout")),
        stderr: bytes(&folder.join("stderr")),
        cut: false,
        reports,
        root: ROOT.to_owned(),
    };
    Recording { name, expected, output }
}

fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports");
    let cases = folders(&root).iter().flat_map(|tool| folders(tool)).collect::<Vec<_>>();
    cases.iter().map(|case| load(case)).collect()
}

#[test]
fn every_recording_is_read_as_expected() {
    let mut wrong = Vec::new();
    let recordings = recordings();
    for recording in &recordings {
        let run = recording.expected.read(&recording.output);
        let found = recording.expected.differences(&run);
        if !found.is_empty() {
            wrong.push(format!("{}:\n  {}\n  {:?}", recording.name, found.join("\n  "), run.trouble));
        }
    }
    assert!(!recordings.is_empty());
    assert!(wrong.is_empty(), "{} of {} are misread:\n{}", wrong.len(), recordings.len(), wrong.join("\n"));
}

/// Ends of lines, spread evenly where there are too many of them.
fn cuts(text: &[u8]) -> Vec<usize> {
    let ends =
        std::iter::once(0).chain(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
    let ends: Vec<usize> = ends.filter(|end| *end < text.len()).collect();
    let step = ends.len().div_ceil(CUTS_MAX).max(1);
    ends.into_iter().step_by(step).collect()
}

#[test]
fn a_part_of_a_red_run_is_never_green() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for recording in recordings() {
        if recording.expected.read(&recording.output).state == GateState::Passed {
            continue;
        }
        let mut parts = Vec::new();
        // A clean run of this tool is empty and has the same status: of nothing at all it cannot be told.
        let silent = recording.name.starts_with("gofmt/");
        for end in cuts(&recording.output.stdout).into_iter().filter(|end| *end > 0 || !silent) {
            let stdout = recording.output.stdout[..end].to_vec();
            parts.push((format!("stdout at {end}"), GateOutput { stdout, ..recording.output.clone() }));
        }
        for end in cuts(&recording.output.stderr) {
            let stderr = recording.output.stderr[..end].to_vec();
            parts.push((format!("stderr at {end}"), GateOutput { stderr, ..recording.output.clone() }));
        }
        for (name, report) in &recording.output.reports {
            for end in cuts(report) {
                let mut part = recording.output.clone();
                part.reports.insert(name.clone(), report[..end].to_vec());
                parts.push((format!("{name} at {end}"), part));
            }
        }
        for (place, part) in parts {
            tried += 1;
            if recording.expected.read(&part).state == GateState::Passed {
                wrong.push(format!("{}: cut off in {place}", recording.name));
            }
        }
    }
    assert!(tried > 0);
    assert!(wrong.is_empty(), "{} of {tried} parts are read as green:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many ways each stream of a red run is disturbed.
const DISTURBANCES: u64 = 24;

/// Whether tests failed, so that the run is red whatever its status is. Code under test can see to a status of 0; it does
/// not run in compilers and linters.
fn has_failed_tests(recording: &Recording) -> bool {
    let report = recording.expected.read(&recording.output).report;
    report.and_then(|report| report.tests).is_some_and(|tests| tests.count(TestOutcome::Failed) > 0)
}

#[test]
fn a_red_run_is_never_green_in_any_order_of_words() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for recording in recordings() {
        let output = &recording.output;
        if recording.expected.read(output).state == GateState::Passed {
            continue;
        }
        let lied = (output.status.is_some() && has_failed_tests(&recording)).then_some(Some(0));
        for seed in 0..DISTURBANCES {
            let mut dice = NoiseRng::new(seed);
            let changed = GateOutput {
                stdout: disturbed(&output.stdout, &mut dice),
                stderr: disturbed(&output.stderr, &mut dice),
                ..output.clone()
            };
            for status in [Some(output.status), lied].into_iter().flatten() {
                tried += 1;
                let changed = GateOutput { status, ..changed.clone() };
                if recording.expected.read(&changed).state == GateState::Passed {
                    wrong.push(format!("{}: seed {seed}, status {status:?}", recording.name));
                }
            }
        }
    }
    assert!(tried > 0);
    assert!(wrong.is_empty(), "{} of {tried} are read as green:\n{}", wrong.len(), wrong.join("\n"));
}

/// Set to write the table anew, as `cargo xtask record` does.
const WRITE_VARIABLE: &str = "ASSIZE_RECORD_TABLE";

#[test]
fn the_table_of_recordings_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/reports.md");
    let text = fs::read_to_string(&path).unwrap();
    let rows = recordings().iter().map(|recording| (recording.name.clone(), recording.expected.in_words())).collect();
    let fresh = table::put_in(&text, &rows).expect("the page has a place for the table");
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    let fresh_now = fs::read_to_string(&path).unwrap() == fresh;
    assert!(
        fresh_now,
        "docs/src/reference/reports.md is stale; {WRITE_VARIABLE}=1 cargo test -p assize-gate --test recorded_reports writes it"
    );
}
