//! Outputs that real tools left behind, and what a gate's run is worth by them.
//!
//! `tests/reports/README.md` says how a case is laid out and how it is recorded. Two things are
//! held for all of them: the state and the counts are the expected ones, and a part of a run that
//! was red is never read as green, wherever it was cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assize_core::finding::Severity;
use assize_core::gate::{Canary, GATES, Gate, GateOutput, GateRun, GateState, GateTrouble, Setup};
use assize_core::report::{Report, TestOutcome};
use serde::Deserialize;

/// The root of the tree in every recording.
const ROOT: &str = "/project";
/// Most places at which one file is cut.
const CUTS_MAX: usize = 400;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    gate: String,
    #[serde(default)]
    folder: String,
    #[serde(default)]
    detail: String,
    state: GateState,
    trouble: Option<GateTrouble>,
    /// A part of what the trouble says.
    says: Option<String>,
    #[serde(default)]
    passed: usize,
    #[serde(default)]
    failed: usize,
    #[serde(default)]
    skipped: usize,
    #[serde(default)]
    deselected: usize,
    #[serde(default)]
    expected_failures: usize,
    #[serde(default)]
    unexpected_passes: usize,
    #[serde(default)]
    errors: usize,
    #[serde(default)]
    warnings: usize,
    #[serde(default)]
    notes: usize,
    coverage_pct: Option<f64>,
    /// Ids of tests that failed, all of them or none is given.
    failing: Option<Vec<String>>,
    /// Places of diagnostics, `path:line`, in the order of the report.
    places: Option<Vec<String>>,
    canary: Option<ExpectedCanary>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCanary {
    failing: Vec<String>,
    passing: Vec<String>,
}

struct Recording {
    name: String,
    expected: Expected,
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

fn load(folder: &Path) -> Recording {
    let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
    let name = format!("{}/{}", name[1], name[0]);
    let text = fs::read_to_string(folder.join("expected.toml")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let status = fs::read_to_string(folder.join("status")).unwrap_or_else(|error| panic!("{name}: status: {error}"));
    let mut reports = BTreeMap::new();
    if folder.join("reports").is_dir() {
        for entry in fs::read_dir(folder.join("reports")).unwrap() {
            let entry = entry.unwrap();
            reports.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap());
        }
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

impl Recording {
    fn gate(&self) -> &'static dyn Gate {
        let found = GATES.iter().find(|gate| gate.id() == self.expected.gate);
        *found.unwrap_or_else(|| panic!("{}: there is no gate {}", self.name, self.expected.gate))
    }

    fn read(&self, output: &GateOutput) -> GateRun {
        let setup = Setup {
            folder: self.expected.folder.clone(),
            because: String::new(),
            detail: self.expected.detail.clone(),
        };
        let canary = self.expected.canary.as_ref().map(|canary| Canary {
            failing: canary.failing.clone(),
            passing: canary.passing.clone(),
            ..Canary::default()
        });
        GateRun::of(self.gate(), &setup, output, canary.as_ref())
    }
}

fn failing(report: &Report) -> Vec<String> {
    let cases = report.tests.iter().flat_map(|run| &run.cases);
    cases.filter(|case| case.outcome == TestOutcome::Failed).map(|case| case.id.clone()).collect()
}

fn places(report: &Report) -> Vec<String> {
    let place = |path: &Option<String>, line: Option<u32>| match (path, line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => String::new(),
    };
    report.diagnostics.iter().map(|found| place(&found.path, found.line)).collect()
}

/// Says what is not as it is expected.
fn differences(expected: &Expected, run: &GateRun) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, found: String, wanted: String| {
        if found != wanted {
            wrong.push(format!("{what} is {found}, not {wanted}"));
        }
    };
    same("state", format!("{:?}", run.state), format!("{:?}", expected.state));
    same("trouble", format!("{:?}", run.trouble.as_ref().map(|(kind, _)| *kind)), format!("{:?}", expected.trouble));
    if let Some(says) = &expected.says {
        let detail = run.trouble.as_ref().map_or("", |(_, detail)| detail);
        same("what it says", detail.to_owned(), if detail.contains(says) { detail.to_owned() } else { says.clone() });
    }
    let report = run.report.clone().unwrap_or_default();
    let tests = report.tests.clone().unwrap_or_default();
    for (outcome, wanted) in [
        (TestOutcome::Passed, expected.passed),
        (TestOutcome::Failed, expected.failed),
        (TestOutcome::Skipped, expected.skipped),
        (TestOutcome::Deselected, expected.deselected),
        (TestOutcome::ExpectedFailure, expected.expected_failures),
        (TestOutcome::UnexpectedPass, expected.unexpected_passes),
    ] {
        same(&format!("the number of tests {outcome:?}"), tests.count(outcome).to_string(), wanted.to_string());
    }
    for (severity, wanted) in
        [(Severity::Error, expected.errors), (Severity::Warning, expected.warnings), (Severity::Note, expected.notes)]
    {
        let found = report.diagnostics.iter().filter(|found| found.severity == severity).count();
        same(&format!("the number of diagnostics {severity:?}"), found.to_string(), wanted.to_string());
    }
    if let Some(wanted) = expected.coverage_pct {
        let found = report.coverage_pct.unwrap_or(-1.0);
        let near = (found - wanted).abs() < 0.05;
        same("coverage", format!("{found:.1}"), if near { format!("{found:.1}") } else { format!("{wanted:.1}") });
    }
    if let Some(wanted) = &expected.failing {
        let sorted = |mut ids: Vec<String>| {
            ids.sort();
            format!("{ids:#?}")
        };
        same("the failing tests", sorted(failing(&report)), sorted(wanted.clone()));
    }
    if let Some(wanted) = &expected.places {
        same("the places", format!("{:#?}", places(&report)), format!("{wanted:#?}"));
    }
    wrong
}

#[test]
fn every_recording_is_read_as_expected() {
    let mut wrong = Vec::new();
    let recordings = recordings();
    for recording in &recordings {
        let run = recording.read(&recording.output);
        let found = differences(&recording.expected, &run);
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
        if recording.expected.state == GateState::Passed {
            continue;
        }
        let mut parts = Vec::new();
        for end in cuts(&recording.output.stdout) {
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
            if recording.read(&part).state == GateState::Passed {
                wrong.push(format!("{}: cut off in {place}", recording.name));
            }
        }
    }
    assert!(tried > 0);
    assert!(wrong.is_empty(), "{} of {tried} parts are read as green:\n{}", wrong.len(), wrong.join("\n"));
}
