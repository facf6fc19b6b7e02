//! The JSON Schemas under `schemas/`, made from the Rust types.
//!
//! [`PUBLISHED`] is the one list of them. The page in the folder, the page of the book, and the test that runs the
//! commands (`crates/assize/tests/schemas.rs`) all come from it.

use std::fs;
use std::path::Path;

use assize_brief::brief::{BriefEnvelope, ImportsDocument, PromptBrief};
use assize_core::document::{DemoDocument, DoctorReport, DocumentCheck, InitDocument, PageDocument};
use assize_eval::court::RecordRuling;
use assize_eval::envelope::{
    ComparisonEnvelope, CorrectingEnvelope, CorrectionEnvelope, DriftEnvelope, EvaluationEnvelope, LabelLine,
    LintEnvelope, NeedEnvelope, PlanEnvelope, TallyEnvelope,
};
use assize_eval::judge_evaluation::report::EvalReport;
use assize_eval::rubric::Rubric;
use assize_gate::document::GateList;
use assize_gate::exec_report::ExecReport;
use assize_ledger::document::{ApprovalDocument, LedgerCheck, LedgerLine, MarkDocument, ReplayDocument, ShadowSummary};
use assize_ledger::event::LedgerEvent;
use assize_market::bid::Bid;
use assize_market::envelope::{
    HistoryEnvelope, MarketRunEnvelope, RankingEnvelope, ReputationsEnvelope, RequirementsEnvelope, SimulationEnvelope,
};
use assize_market::event::MarketEvent;
use assize_patch::{Patch, PatchDocument};
use assize_review::envelope::{GatesEnvelope, ReviewEnvelope};
use assize_review::fix::envelope::{FixEnvelope, ResumableFixes};
use assize_review::tournament::envelope::TournamentEnvelope;
use assize_review::verdict::ReviewVerdict;
use assize_stop::envelope::{
    AuditEnvelope, CalibrationEnvelope, PauseDocument, ResumeDocument, RuleDocument, StopEnvelope,
};
use assize_stop::verdict::StopVerdict;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::shell::{Result, root};

/// The page of the folder.
const PAGE: &str = "README.md";

/// A schema that is published.
struct Published {
    /// The name of the file, without its ending.
    name: &'static str,
    /// What a document of it is, in one line.
    describes: &'static str,
    /// The commands that print such documents, as they are typed behind `assize`.
    printed_by: &'static [&'static str],
    schema: fn() -> Schema,
}

/// Describes what the program prints: what it always prints is required.
fn printed<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Describes what the program reads: what has a default can be left out.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

const PUBLISHED: &[Published] = &[
    Published {
        name: "brief",
        describes: "the project brief",
        printed_by: &["brief"],
        schema: read::<BriefEnvelope<'_>>,
    },
    Published {
        name: "stop-verdict",
        describes: "the verdict of the stop court, and the verdict that a judge returns",
        printed_by: &[],
        schema: read::<StopVerdict>,
    },
    Published {
        name: "stop-envelope",
        describes: "the ruling on a stop",
        printed_by: &["stop"],
        schema: read::<StopEnvelope>,
    },
    Published {
        name: "review-verdict",
        describes: "the verdict on a change; `assize review --check-verdict` checks such a document",
        printed_by: &[],
        schema: read::<ReviewVerdict>,
    },
    Published {
        name: "review-envelope",
        describes: "the ruling on a change; also what `--output json=F` writes",
        printed_by: &["review"],
        schema: read::<ReviewEnvelope>,
    },
    Published {
        name: "exec-report",
        describes: "the results of the gates: `exec` in a review and in `assize gates`",
        printed_by: &[],
        schema: read::<ExecReport>,
    },
    Published { name: "patch", describes: "a patch document", printed_by: &[], schema: read::<Patch> },
    Published {
        name: "record-ruling",
        describes: "one line of what `assize eval run --output` writes",
        printed_by: &[],
        schema: read::<RecordRuling>,
    },
    Published { name: "rubric", describes: "a rubric", printed_by: &[], schema: read::<Rubric> },
    Published {
        name: "ledger-event",
        describes: "`payload` of a line of `assize ledger export`",
        printed_by: &[],
        schema: read::<LedgerEvent>,
    },
    Published {
        name: "fix",
        describes: "the result of a fix",
        printed_by: &["fix"],
        schema: printed::<FixEnvelope<'_>>,
    },
    Published {
        name: "fix-resumable",
        describes: "the fixes that can be resumed",
        printed_by: &["fix --resume"],
        schema: printed::<ResumableFixes<'_>>,
    },
    Published {
        name: "tournament",
        describes: "the result of a tournament",
        printed_by: &["tournament"],
        schema: printed::<TournamentEnvelope<'_>>,
    },
    Published {
        name: "market-requirements",
        describes: "what an issue demands",
        printed_by: &["market extract"],
        schema: printed::<RequirementsEnvelope<'_>>,
    },
    Published {
        name: "market-bid",
        describes: "a bid, as bidders write it and `assize market rank` reads it",
        printed_by: &[],
        schema: read::<Bid>,
    },
    Published {
        name: "market-ranking",
        describes: "the ranking of bids",
        printed_by: &["market rank"],
        schema: printed::<RankingEnvelope<'_>>,
    },
    Published {
        name: "market-run",
        describes: "the result of a run of the market",
        printed_by: &["market run"],
        schema: printed::<MarketRunEnvelope<'_>>,
    },
    Published {
        name: "market-event",
        describes: "an event: a file in `.assize/market/events/`",
        printed_by: &[],
        schema: read::<MarketEvent>,
    },
    Published {
        name: "market-reputations",
        describes: "the reputation of each bidder",
        printed_by: &["market status"],
        schema: printed::<ReputationsEnvelope<'_>>,
    },
    Published {
        name: "market-history",
        describes: "what each event did to the weights of the bidders",
        printed_by: &["market replay"],
        schema: printed::<HistoryEnvelope<'_>>,
    },
    Published {
        name: "market-simulation",
        describes: "what policies of choosing bidders come to on past outcomes",
        printed_by: &["market simulate"],
        schema: printed::<SimulationEnvelope<'_>>,
    },
    Published {
        name: "eval-lint",
        describes: "what a rubric is warned of",
        printed_by: &["eval lint"],
        schema: printed::<LintEnvelope<'_>>,
    },
    Published {
        name: "eval-run",
        describes: "the counts of a run",
        printed_by: &["eval run"],
        schema: printed::<TallyEnvelope<'_>>,
    },
    Published {
        name: "eval-need",
        describes: "what a run would ask, and what that costs",
        printed_by: &["eval run --dry-run", "eval correct --dry-run"],
        schema: printed::<NeedEnvelope<'_>>,
    },
    Published {
        name: "eval-evaluation",
        describes: "how far a judge agrees with people",
        printed_by: &["eval calibrate"],
        schema: printed::<EvaluationEnvelope<'_>>,
    },
    Published {
        name: "eval-comparison",
        describes: "two judgements of the same records side by side",
        printed_by: &["eval compare"],
        schema: printed::<ComparisonEnvelope<'_>>,
    },
    Published {
        name: "eval-drift",
        describes: "what differs from a baseline",
        printed_by: &["eval compare --against"],
        schema: printed::<DriftEnvelope<'_>>,
    },
    Published {
        name: "eval-plan",
        describes: "how many records people should label, and which",
        printed_by: &["eval plan"],
        schema: printed::<PlanEnvelope<'_>>,
    },
    Published {
        name: "eval-correction",
        describes: "what a correction came to",
        printed_by: &["eval correct"],
        schema: printed::<CorrectionEnvelope<'_>>,
    },
    Published {
        name: "eval-correcting",
        describes: "what a corrector did, and what came of it",
        printed_by: &["eval correct --corrector"],
        schema: printed::<CorrectingEnvelope<'_>>,
    },
    Published {
        name: "eval-report",
        describes: "the report of a run",
        printed_by: &["eval report"],
        schema: printed::<EvalReport>,
    },
    Published {
        name: "eval-label",
        describes: "one line of the file that `assize eval label` writes; its name stands under the field that the rubric names",
        printed_by: &[],
        schema: printed::<LabelLine<'_>>,
    },
    Published {
        name: "gates",
        describes: "what the gates and the checks without a run found",
        printed_by: &["gates"],
        schema: printed::<GatesEnvelope<'_>>,
    },
    Published {
        name: "gates-list",
        describes: "the gates that the project uses, and all others",
        printed_by: &["gates --list"],
        schema: printed::<GateList<'_>>,
    },
    Published {
        name: "patch-check",
        describes: "whether a patch fits, and what it changes",
        printed_by: &["patch check", "patch apply"],
        schema: printed::<PatchDocument<'_>>,
    },
    Published {
        name: "document-check",
        describes: "everything that is wrong with a verdict or a patch",
        printed_by: &["review --check-verdict", "review --check-patch"],
        schema: printed::<DocumentCheck<'_>>,
    },
    Published {
        name: "brief-imports",
        describes: "every import, and what it leads to",
        printed_by: &["brief --imports"],
        schema: printed::<ImportsDocument<'_>>,
    },
    Published {
        name: "brief-prompt",
        describes: "the part of the brief that fits a prompt",
        printed_by: &["brief --for-prompt"],
        schema: printed::<PromptBrief>,
    },
    Published {
        name: "stop-rule",
        describes: "one line: a rule of the stop court",
        printed_by: &["stop --rules"],
        schema: printed::<RuleDocument>,
    },
    Published {
        name: "stop-audit",
        describes: "what agents claimed in past sessions, and what those show",
        printed_by: &["stop audit"],
        schema: printed::<AuditEnvelope>,
    },
    Published {
        name: "stop-calibration",
        describes: "how often people overruled the rules and judges of a project",
        printed_by: &["stop calibrate"],
        schema: printed::<CalibrationEnvelope>,
    },
    Published {
        name: "approvals",
        describes: "what is approved",
        printed_by: &["approve"],
        schema: printed::<ApprovalDocument>,
    },
    Published {
        name: "ledger-mark",
        describes: "what a person said of a ruling",
        printed_by: &["ledger mark"],
        schema: printed::<MarkDocument>,
    },
    Published {
        name: "pause",
        describes: "that the stop court is paused",
        printed_by: &["pause"],
        schema: printed::<PauseDocument>,
    },
    Published {
        name: "resume",
        describes: "that the stop court judges again",
        printed_by: &["resume"],
        schema: printed::<ResumeDocument>,
    },
    Published {
        name: "ledger-line",
        describes: "one line: an entry of the ledger",
        printed_by: &["ledger show", "ledger export"],
        schema: printed::<LedgerLine<'_, LedgerEvent>>,
    },
    Published {
        name: "ledger-shadow",
        describes: "what would have been blocked",
        printed_by: &["ledger show --shadow"],
        schema: printed::<ShadowSummary>,
    },
    Published {
        name: "ledger-check",
        describes: "whether the chain of the ledger holds",
        printed_by: &["ledger verify", "ledger anchor"],
        schema: printed::<LedgerCheck>,
    },
    Published {
        name: "ledger-replay",
        describes: "whether a recorded ruling comes out the same again",
        printed_by: &["ledger replay"],
        schema: printed::<ReplayDocument<'_>>,
    },
    Published {
        name: "page",
        describes: "one line: a page about a rule, a gate or a cause",
        printed_by: &["explain"],
        schema: printed::<PageDocument<'_>>,
    },
    Published {
        name: "doctor",
        describes: "whether the gate is up, by its checks",
        printed_by: &["doctor"],
        schema: printed::<DoctorReport<'_>>,
    },
    Published {
        name: "init",
        describes: "the hooks that were set up",
        printed_by: &["init"],
        schema: printed::<InitDocument<'_>>,
    },
    Published {
        name: "demo",
        describes: "what every command of the demo printed",
        printed_by: &["demo"],
        schema: printed::<DemoDocument<'_>>,
    },
];

/// Commands without a JSON document, and what they print.
const WITHOUT: &[(&str, &str)] = &[
    ("hook", "the reply that the agent expects, in the agent's own form"),
    ("init --uninstall", "a line for each agent"),
    ("patch diff", "a unified diff, whatever `--format` is"),
    ("eval label", "the address of the page that it serves"),
    ("completions", "a script for the shell"),
];

/// Lists the schemas as a table in Markdown.
pub fn table() -> String {
    let mut text = "| schema | describes | printed by |\n|---|---|---|\n".to_owned();
    for Published { name, describes, printed_by, .. } in PUBLISHED {
        let commands: Vec<String> = printed_by.iter().map(|command| format!("`assize {command}`")).collect();
        text.push_str(&format!("| `{name}.json` | {describes} | {} |\n", commands.join(", ")));
    }
    text.push_str("\nThese commands have no JSON document:\n\n| command | prints |\n|---|---|\n");
    for (command, prints) in WITHOUT {
        text.push_str(&format!("| `assize {command}` | {prints} |\n"));
    }
    text
}

fn page() -> String {
    format!("# JSON Schemas\n\n`cargo xtask schema` writes this folder from the types of the program.\n\n{}", table())
}

/// Writes the schemas, or checks that they are fresh.
pub fn run(check: bool) -> Result {
    let folder = root().join("schemas");
    let mut files = vec![(PAGE.to_owned(), page())];
    for Published { name, schema, .. } in PUBLISHED {
        let text = serde_json::to_string_pretty(&schema()).map_err(|error| error.to_string())? + "\n";
        files.push((format!("{name}.json"), text));
    }
    for (name, text) in &files {
        write_or_check(&folder.join(name), text, check)?;
    }
    for entry in fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten() {
        if !files.iter().any(|(name, _)| entry.file_name() == name.as_str()) {
            return Err(format!("{} is made from no type", entry.path().display()));
        }
    }
    Ok(())
}

fn write_or_check(path: &Path, text: &str, check: bool) -> Result {
    if !check {
        return fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()));
    }
    if fs::read_to_string(path).unwrap_or_default() != text {
        return Err(format!("{} is not fresh; run `cargo xtask schema`", path.display()));
    }
    Ok(())
}
