//! What a run of a gate is expected to be worth.

use assize_core::finding::Severity;
use assize_gate::gate::declared::DeclaredGate;
use assize_gate::gate::{Canary, GATES, Gate, GateOutput, GateRun, GateState, GateTrouble, Setup};
use assize_report::{TestOutcome, ToolReport};
use serde::Deserialize;

/// `expected.toml`; `tests/reports/README.md` explains it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedGateRun {
    gate: String,
    declared: Option<DeclaredGate>,
    #[serde(default)]
    folder: String,
    #[serde(default)]
    detail: String,
    state: GateState,
    trouble: Option<GateTrouble>,
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
    failing: Option<Vec<String>>,
    places: Option<Vec<String>>,
    canary: Option<ExpectedCanary>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCanary {
    failing: Vec<String>,
    passing: Vec<String>,
}

impl ExpectedGateRun {
    /// Reads what a command left behind with the gate that it is of.
    pub fn read(&self, output: &GateOutput) -> GateRun {
        let setup = Setup { folder: self.folder.clone(), because: String::new(), detail: self.detail.clone() };
        let canary = self.canary.as_ref().map(|canary| Canary {
            failing: canary.failing.clone(),
            passing: canary.passing.clone(),
            ..Canary::default()
        });
        GateRun::of(self.gate(), &setup, output, canary.as_ref())
    }

    /// The gate that the recording is of.
    pub fn gate(&self) -> &dyn Gate {
        if let Some(declared) = &self.declared {
            return declared;
        }
        let found = GATES.iter().find(|gate| gate.id() == self.gate);
        *found.unwrap_or_else(|| panic!("there is no gate {}", self.gate))
    }

    /// Says in a few words what the run is worth.
    pub fn in_words(&self) -> String {
        let state = format!("{:?}", self.state).to_lowercase();
        let mut counts = Vec::new();
        for (count, what) in [
            (self.failed, "failed"),
            (self.passed, "passed"),
            (self.skipped, "skipped"),
            (self.deselected, "deselected"),
            (self.expected_failures, "expected to fail"),
            (self.unexpected_passes, "passed unexpectedly"),
            (self.errors, "errors"),
            (self.warnings, "warnings"),
            (self.notes, "notes"),
        ] {
            if count > 0 {
                counts.push(format!("{count} {what}"));
            }
        }
        counts.extend(self.coverage_pct.map(|share| format!("{share} % covered")));
        let kind =
            self.trouble.map(|kind| serde_json::to_string(&kind).expect("a word").replace(['"'], "").replace('_', " "));
        let why: Vec<String> = kind.into_iter().chain(counts).collect();
        if why.is_empty() { format!("**{state}**") } else { format!("**{state}** ({})", why.join(", ")) }
    }

    /// Says what is not as it is expected; nothing when all is.
    pub fn differences(&self, run: &GateRun) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut same = |what: &str, found: String, wanted: String| {
            if found != wanted {
                wrong.push(format!("{what} is {found}, not {wanted}"));
            }
        };
        same("state", format!("{:?}", run.state), format!("{:?}", self.state));
        same("trouble", format!("{:?}", run.trouble.as_ref().map(|(kind, _)| *kind)), format!("{:?}", self.trouble));
        if let Some(says) = &self.says {
            let detail = run.trouble.as_ref().map_or("", |(_, detail)| detail).to_owned();
            let wanted = if detail.contains(says) { detail.clone() } else { says.clone() };
            same("what it says", detail, wanted);
        }
        let report = run.report.clone().unwrap_or_default();
        let tests = report.tests.clone().unwrap_or_default();
        for (outcome, wanted) in [
            (TestOutcome::Passed, self.passed),
            (TestOutcome::Failed, self.failed),
            (TestOutcome::Skipped, self.skipped),
            (TestOutcome::Deselected, self.deselected),
            (TestOutcome::ExpectedFailure, self.expected_failures),
            (TestOutcome::UnexpectedPass, self.unexpected_passes),
        ] {
            same(&format!("the number of tests {outcome:?}"), tests.count(outcome).to_string(), wanted.to_string());
        }
        for (severity, wanted) in
            [(Severity::Error, self.errors), (Severity::Warning, self.warnings), (Severity::Note, self.notes)]
        {
            let found = report.diagnostics.iter().filter(|found| found.severity == severity).count();
            same(&format!("the number of diagnostics {severity:?}"), found.to_string(), wanted.to_string());
        }
        if let Some(wanted) = self.coverage_pct {
            let found = report.coverage_pct.unwrap_or(-1.0);
            let near = (found - wanted).abs() < 0.05;
            same("coverage", format!("{found:.1}"), if near { format!("{found:.1}") } else { format!("{wanted:.1}") });
        }
        if let Some(wanted) = &self.failing {
            let sorted = |mut ids: Vec<String>| {
                ids.sort();
                format!("{ids:#?}")
            };
            same("the failing tests", sorted(failing(&report)), sorted(wanted.clone()));
        }
        if let Some(wanted) = &self.places {
            same("the places", format!("{:#?}", places(&report)), format!("{wanted:#?}"));
        }
        wrong
    }
}

fn failing(report: &ToolReport) -> Vec<String> {
    let cases = report.tests.iter().flat_map(|run| &run.cases);
    cases.filter(|case| case.outcome == TestOutcome::Failed).map(|case| case.id.clone()).collect()
}

fn places(report: &ToolReport) -> Vec<String> {
    let place = |path: &Option<String>, line: Option<u32>| match (path, line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => String::new(),
    };
    report.diagnostics.iter().map(|found| place(&found.path, found.line)).collect()
}
