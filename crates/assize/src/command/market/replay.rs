//! `assize market replay`: what each event did to whom.

use assize_market::envelope::HistoryEnvelope;
use serde_json::json;
use assize_market::reputation::Reputations;

use super::History;

use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::output::{Format, Output, print};
use crate::render;

/// Arguments of `assize market replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Show only the events of this bidder.
    #[arg(long, value_name = "ID")]
    bidder: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  assize market replay
  assize market replay --bidder fast --format json";

/// Runs `assize market replay`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let History { bidders, events, deltas } = History::of(host)?;
    let mut steps = Vec::new();
    Reputations::told(&bidders, events, &mut |step| {
        if arguments.bidder.as_ref().is_none_or(|bidder| *bidder == step.event.bot_id) {
            steps.push(step);
        }
    });
    let names: Vec<&str> = bidders.iter().map(String::as_str).collect();
    print(&match output.format {
        Format::Json => format!("{}\n", json!(HistoryEnvelope::of(&names, &steps, &deltas))),
        Format::Human => render::market::steps_human(&names, &steps, &deltas),
        Format::Markdown => render::market::steps_markdown(&names, &steps, &deltas),
    });
    Ok(Exit::Done)
}
