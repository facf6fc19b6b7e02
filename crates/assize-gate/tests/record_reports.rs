//! Records what real tools leave behind, for `recorded_reports.rs`.
//!
//! `cargo xtask record` installs the tools and runs this. What is run stands in `tests/reports/record.toml`; no recording is
//! made by hand. The expectations beside the recordings are copied from that plan, where a person wrote them.

#![expect(clippy::print_stdout, reason = "whoever records wants to see each case")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "record/expected.rs"]
mod expected;
#[path = "record/plan.rs"]
mod plan;

use expected::ExpectedGateRun;
use plan::{Done, RecordedRun, RecordingCase, RecordingPlan, write};

/// Names the folders of tools, one `NAME=FOLDER` a line.
const TOOLS_VARIABLE: &str = "ASSIZE_RECORD_TOOLS";
/// Words: only cases whose folder holds one of them are recorded.
const ONLY_VARIABLE: &str = "ASSIZE_RECORD_ONLY";

#[test]
#[ignore = "writes recordings anew with tools of many versions: `cargo xtask record`"]
fn record() {
    let text = std::env::var(TOOLS_VARIABLE).expect("`cargo xtask record` says where the tools are");
    let tools: BTreeMap<&str, &Path> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, folder)| (name, Path::new(folder))).collect();
    let only = std::env::var(ONLY_VARIABLE).unwrap_or_default();
    let only: Vec<&str> = only.split_whitespace().collect();
    let plan = RecordingPlan::load().unwrap();
    let top = std::env::temp_dir().join(format!("record-{}", std::process::id()));
    let mut wrong = Vec::new();
    for (case, tool, bin) in chosen(&plan, &tools, &only) {
        let folder = folder_of(case, tool);
        let faults = record_one(&plan, case, tool, bin, &top).unwrap_or_else(|error| vec![error.to_string()]);
        println!("{:5} {}", if faults.is_empty() { "ok" } else { "WRONG" }, folder.display());
        wrong.extend(faults.into_iter().map(|fault| format!("{}: {fault}", folder.display())));
    }
    let _ = fs::remove_dir_all(&top);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn chosen<'a>(
    plan: &'a RecordingPlan,
    tools: &BTreeMap<&str, &'a Path>,
    only: &[&str],
) -> Vec<(&'a RecordingCase, &'a str, &'a Path)> {
    let mut chosen = Vec::new();
    for case in &plan.case {
        for tool in &case.tools {
            let folder = folder_of(case, tool);
            let wanted = only.is_empty() || only.iter().any(|word| folder.to_string_lossy().contains(word));
            if let (true, Some(bin)) = (wanted, tools.get(tool.as_str())) {
                chosen.push((case, tool.as_str(), *bin));
            }
        }
    }
    chosen
}

/// The folder of a recording, relative to that of all.
fn folder_of(case: &RecordingCase, tool: &str) -> PathBuf {
    let version = tool.rsplit_once('-').map_or("", |(_, version)| version);
    case.folder.replace("{version}", version).into()
}

/// Records a case, and says what is not as the plan expects it.
fn record_one(plan: &RecordingPlan, case: &RecordingCase, tool: &str, bin: &Path, top: &Path) -> Done<Vec<String>> {
    let left = plan.carry_out(case, tool, bin, top)?;
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(folder_of(case, tool));
    let _ = fs::remove_dir_all(&out);
    keep(&left, &out, bin, top)?;
    let expected: ExpectedGateRun = left.expected.clone().try_into()?;
    let run = expected.read(&left.output);
    let mut faults = expected.differences(&run);
    if !faults.is_empty() {
        faults.push(format!("expected is {}, and the trouble is {:?}", expected.in_words(), run.trouble));
    }
    Ok(faults)
}

/// Writes what a run left, without the paths of this machine.
fn keep(left: &RecordedRun, out: &Path, bin: &Path, top: &Path) -> Done {
    let home = std::env::var("HOME").unwrap_or_default();
    let (work, reports) = (left.output.root.clone(), top.join("reports").to_string_lossy().into_owned());
    // The folder of the tool, unless the whole system is in it.
    let tool =
        if bin.starts_with("/usr") { None } else { bin.parent().map(|tool| tool.to_string_lossy().into_owned()) };
    let top = top.to_string_lossy().into_owned();
    let names = [
        (Some(work), "/project"),
        (Some(reports), "/reports"),
        (Some(top), "/build"),
        (tool, "/tool"),
        (Some(home), "/home"),
    ];
    let plain = |bytes: &[u8]| {
        let known = names.iter().filter_map(|(from, to)| Some((from.as_ref()?, to)));
        known.fold(bytes.to_vec(), |text, (from, to)| replace(&text, from.as_bytes(), to.as_bytes()))
    };
    let output = &left.output;
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            write(&out.join(name), plain(bytes))?;
        }
    }
    let status = match output.status {
        _ if output.timed_out => "timeout".to_owned(),
        Some(status) => status.to_string(),
        None => "signal".to_owned(),
    };
    write(&out.join("status"), format!("{status}\n"))?;
    for (name, bytes) in &output.reports {
        write(&out.join("reports").join(name), plain(bytes))?;
    }
    write(&out.join("expected.toml"), toml::to_string(&left.expected)?)
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    if from.is_empty() {
        return text.to_vec();
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}
