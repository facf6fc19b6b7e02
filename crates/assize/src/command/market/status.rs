//! `assize market status`: how the bidders stand.

use assize_market::envelope::ReputationsEnvelope;
use serde_json::json;
use assize_market::reputation::Reputations;

use super::History;

use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize market status`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  assize market status
  assize market status --format json

The weights are computed from the files in .assize/market/events; git merges them without conflict.";

/// Runs `assize market status`.
pub fn run(_: &Arguments, host: &Host, output: Output) -> Result {
    let History { bidders, events, .. } = History::of(host)?;
    let count = events.len();
    let reputations = Reputations::of(&bidders, events);
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ReputationsEnvelope::of(&reputations))),
        Format::Human => render::market::reputations_human(&reputations, count),
        Format::Markdown => render::market::reputations_markdown(&reputations, count),
    });
    Ok(Exit::Done)
}
