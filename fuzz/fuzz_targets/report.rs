//! Reports of tools: whatever the bytes are, nothing panics, a test that is read as failed stays failed, and what is offered
//! makes a patch within its limits of any file.
#![no_main]

use assize_review::fix::mechanical;
use assize_gate::gate::declared::DeclaredGate;
use assize_gate::gate::{Dimension, GateOutput, GateRun, GateState, Setup};
use assize_patch::{FileContent, PatchLimits};
use assize_report::tap::{TapPoint, parse_as};
use assize_report::{DIAGNOSTICS_MAX, FORMATS, TestOutcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else { return };
    let format = &FORMATS[usize::from(*first) % FORMATS.len()];
    let Ok(report) = (format.parse)(bytes) else { return };
    assert!(report.diagnostics.len() <= DIAGNOSTICS_MAX);
    let limits = PatchLimits::default();
    let patch = mechanical::patch(&report.diagnostics, &limits, &|_| Some(FileContent::plain(bytes)));
    assert_eq!(limits.check(&patch), []);
    let failed = report.tests.as_ref().map_or(0, |run| run.count(TestOutcome::Failed));
    if failed == 0 {
        return;
    }
    if format.name == "tap" {
        let whole = parse_as(bytes, TapPoint::Assertion).ok().and_then(|report| report.tests);
        assert!(whole.is_none_or(|run| run.count(TestOutcome::Failed) > 0), "an assertion failed, and no test");
    }
    let gate = DeclaredGate {
        id: "fuzz".to_owned(),
        command: vec!["true".to_owned()],
        dimension: Dimension::TestsFunctional,
        report: format.name.to_owned(),
        folder: String::new(),
    };
    let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
    for status in [0, 1] {
        let output = GateOutput { status: Some(status), stdout: bytes.to_vec(), ..GateOutput::default() };
        let run = GateRun::of(&gate, &setup, &output, None);
        assert_ne!(run.state, GateState::Passed, "{failed} failed tests and status {status}");
        if let Some(tests) = run.report.and_then(|report| report.tests) {
            assert!(tests.count(TestOutcome::Failed) >= failed, "failed tests were lost");
        }
    }
});
