//! `assize market simulate TABLE`: what ways of choosing bidders would have come to.

use std::path::PathBuf;

use assize_market::envelope::SimulationEnvelope;
use serde_json::json;
use assize_market::policy::{PastOutcomes, Policy, simulate};

use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::{whole, whole_from};
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Largest table, in bytes.
const TABLE_BYTES_MAX: u64 = 64 << 20;
/// Most orders in which the tasks are played.
const RUNS_MAX: u32 = 10_000;

/// Arguments of `assize market simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The table, in CSV: a column that names the task, and one for each bidder with 1 where it passed and 0 where it did not; `-` for
    /// standard input.
    table: PathBuf,
    /// In how many orders the tasks are played.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = whole(1..=RUNS_MAX)
    )]
    runs: u32,
    /// The seed that draws the orders; the same seed draws the same ones.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_from(0_u64))]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  assize market simulate outcomes.csv
  assize market simulate outcomes.csv --runs 100 --seed 7 --format json

Regret is how many more tasks for each round the one bidder would have passed that was best throughout.";

/// Runs `assize market simulate`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let text = own_file::read_text(host, &arguments.table, "the table", TABLE_BYTES_MAX)?;
    let wrong =
        |error: &dyn std::fmt::Display| Failure::new(format!("the table {}: {error}", arguments.table.display()));
    let table = PastOutcomes::read(&text).map_err(|error| wrong(&error))?;
    let deltas = Config::load(&host.project(), host.configuration.as_deref())?.market.measures.deltas;
    let play = |policy| simulate(&table, policy, &deltas, arguments.runs, arguments.seed);
    let simulated = Policy::ALL.map(play);
    print(&match output.format {
        Format::Json => format!("{}\n", json!(SimulationEnvelope::of(&table, &simulated))),
        Format::Human => render::market::simulated_human(&table, &simulated),
        Format::Markdown => render::market::simulated_markdown(&table, &simulated),
    });
    Ok(Exit::Done)
}
