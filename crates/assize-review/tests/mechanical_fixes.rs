//! What real tools offer, made a patch of and carried out: the recordings under `tests/mechanical_fixes`.
//!
//! Each holds files, the report of a tool on them as its gate has it run, and the files that come of one round (those
//! alone that change). To record one anew: lay out its files and settings in a folder, run its command there, and write
//! machine paths as `/project` and `/target`. The expectations are written by hand, and where one round is enough they are
//! what the tool itself makes of the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assize_gate::gate::{GATES, GateOutput, Setup};
use assize_patch::{FileContent, Op, PatchLimits, PathState, Snapshot, plan};
use assize_review::fix::mechanical::patch;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MechanicalRecording {
    /// What was run, in the folder.
    #[serde(rename = "command")]
    _command: String,
    gate: String,
    folder: String,
    /// Files of settings that lay in the folder.
    #[serde(rename = "settings")]
    _settings: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    report: String,
    expected: BTreeMap<String, String>,
}

/// Carries out one round, and says what is not as it should be.
fn check(case: &MechanicalRecording) -> Result<usize, String> {
    let gate = GATES.iter().find(|gate| gate.id() == case.gate).ok_or("no such gate")?;
    let setup = Setup { folder: case.folder.clone(), because: String::new(), detail: String::new() };
    let bytes = case.report.clone().into_bytes();
    let output = GateOutput {
        status: Some(1),
        stdout: bytes.clone(),
        reports: [("eslint.json".to_owned(), bytes)].into(),
        root: "/project".to_owned(),
        ..GateOutput::default()
    };
    let report = gate.parse(&setup, &output).map_err(|error| error.to_string())?;
    if report.diagnostics.is_empty() {
        return Err("there is no fault".to_owned());
    }
    let files = case.files.iter().map(|(path, text)| (path.clone(), FileContent::plain(text.as_str())));
    let tree = Snapshot::of_files(files);
    let read = |path: &str| match tree.entry(path) {
        PathState::File(file) => Some(file.clone()),
        _ => None,
    };
    let made = patch(&report.diagnostics, &PatchLimits::default(), &read);
    let mut found = BTreeMap::new();
    if !made.ops.is_empty() {
        let plan = plan(&made, &tree).map_err(|faults| format!("{faults:?}"))?;
        for change in plan.changes {
            let bytes = change.after.ok_or("a file is gone")?.bytes;
            found.insert(change.path, String::from_utf8(bytes).map_err(|error| error.to_string())?);
        }
    }
    if found != case.expected {
        return Err(format!("made {found:#?}"));
    }
    if made.ops.iter().any(|op| !matches!(op, Op::Splice { .. } | Op::Edit { .. })) {
        return Err(format!("more than a few lines: {made:?}"));
    }
    Ok(made.ops.len())
}

#[test]
fn what_tools_offer_is_carried_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mechanical_fixes");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let (mut wrong, mut ops) = (Vec::new(), 0);
    for path in &paths {
        let name = path.file_stem().unwrap().to_string_lossy();
        let case: MechanicalRecording = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        match check(&case) {
            Ok(count) => ops += count,
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not as expected:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
    assert!(paths.len() >= 50 && ops >= 40, "{} recordings, {ops} operations", paths.len());
}
