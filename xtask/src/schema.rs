//! The JSON Schemas under `schemas/`, made from the Rust types.

use std::fs;

use assize_brief::brief::BriefEnvelope;
use assize_core::envelope::Envelope;
use assize_eval::court::RecordRuling;
use assize_eval::rubric::Rubric;
use assize_gate::exec_report::ExecReport;
use assize_ledger::event::LedgerEvent;
use assize_patch::Patch;
use assize_review::envelope::ReviewEnvelope;
use assize_review::verdict::ReviewVerdict;
use assize_stop::verdict::StopVerdict;
use schemars::{Schema, schema_for};

use crate::shell::{Result, root};

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("brief", schema_for!(BriefEnvelope<'_>)),
        ("stop-verdict", schema_for!(StopVerdict)),
        ("stop-envelope", schema_for!(Envelope<StopVerdict>)),
        ("review-verdict", schema_for!(ReviewVerdict)),
        ("review-envelope", schema_for!(ReviewEnvelope)),
        ("exec-report", schema_for!(ExecReport)),
        ("patch", schema_for!(Patch)),
        ("record-ruling", schema_for!(RecordRuling)),
        ("rubric", schema_for!(Rubric)),
        ("ledger-event", schema_for!(LedgerEvent)),
    ]
}

/// Writes the schemas, or checks that they are fresh.
pub fn run(check: bool) -> Result {
    let folder = root().join("schemas");
    let mut known = Vec::new();
    for (name, schema) in schemas() {
        let path = folder.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())? + "\n";
        if check && fs::read_to_string(&path).unwrap_or_default() != text {
            return Err(format!("{} is not fresh; run `cargo xtask schema`", path.display()));
        }
        if !check {
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        known.push(path);
    }
    for entry in fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten() {
        if !known.contains(&entry.path()) {
            return Err(format!("{} is made from no type", entry.path().display()));
        }
    }
    Ok(())
}
