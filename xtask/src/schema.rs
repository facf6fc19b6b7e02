//! The JSON Schemas under `schemas/`, made from the Rust types.
//!
//! [`PUBLISHED`] is the one list of them. The page in the folder, the page of the book, and the test that runs the
//! commands (`crates/assize/tests/schemas.rs`) all come from it.

use std::fs;
use std::path::Path;

use assize_brief::brief::BriefEnvelope;
use assize_core::envelope::Envelope;
use assize_eval::court::RecordRuling;
use assize_eval::rubric::Rubric;
use assize_gate::exec_report::ExecReport;
use assize_ledger::event::LedgerEvent;
use assize_market::bid::Bid;
use assize_market::envelope::{
    HistoryEnvelope, MarketRunEnvelope, RankingEnvelope, ReputationsEnvelope, RequirementsEnvelope, SimulationEnvelope,
};
use assize_market::event::MarketEvent;
use assize_patch::Patch;
use assize_review::envelope::ReviewEnvelope;
use assize_review::fix::envelope::{FixEnvelope, ResumableFixes};
use assize_review::tournament::envelope::TournamentEnvelope;
use assize_review::verdict::ReviewVerdict;
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
        schema: read::<Envelope<StopVerdict>>,
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
];

/// Lists the schemas as a table in Markdown.
pub fn table() -> String {
    let mut text = "| schema | describes | printed by |\n|---|---|---|\n".to_owned();
    for Published { name, describes, printed_by, .. } in PUBLISHED {
        let commands: Vec<String> = printed_by.iter().map(|command| format!("`assize {command}`")).collect();
        text.push_str(&format!("| `{name}.json` | {describes} | {} |\n", commands.join(", ")));
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
