//! `assize market`: several bidders compete for an issue, and the market records how reliable each of them is.

mod extract;
mod panel;
mod rank;
mod replay;
mod run;
mod simulate;
mod status;

use std::collections::BTreeSet;

use assize_engine::market::events;
use assize_market::event::MarketEvent;
use assize_market::reputation::Deltas;

use crate::config::Config;
use crate::exit::{Failure, Result};
use crate::host::Host;
use crate::output::Output;

/// Arguments of `assize market`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize market run --spec issue.md --check    check whether a run could begin
  assize market run --spec issue.md            let the configured bidders compete for the open boxes
  assize market status                         the record and the weight of each bidder")]
pub struct Arguments {
    #[command(subcommand)]
    action: MarketAction,
}

#[derive(Debug, clap::Subcommand)]
enum MarketAction {
    /// Say what a specification demands: its open boxes, their parts, and what the project demands of everything.
    Extract(extract::Arguments),
    /// Say which of several bids wins, and why.
    Rank(rank::Arguments),
    /// Have bidders compete for the open boxes, the winner implement, and the review court verify.
    Run(Box<run::Arguments>),
    /// Show the record and the weight of each bidder.
    Status(status::Arguments),
    /// Show the history: what each event did to which bidder.
    Replay(replay::Arguments),
    /// Simulate ways of choosing bidders with a table of each bidder's result for each task.
    Simulate(simulate::Arguments),
}

/// Runs `assize market`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match &arguments.action {
        MarketAction::Extract(arguments) => extract::run(arguments, host, output),
        MarketAction::Rank(arguments) => rank::run(arguments, host, output),
        MarketAction::Run(arguments) => run::run(arguments, host, output),
        MarketAction::Status(arguments) => status::run(arguments, host, output),
        MarketAction::Replay(arguments) => replay::run(arguments, host, output),
        MarketAction::Simulate(arguments) => simulate::run(arguments, host, output),
    }
}

/// What is known of the market of a project.
struct History {
    /// The bidders that take part: the configured ones or, where none is configured, all that events name.
    bidders: BTreeSet<String>,
    events: Vec<MarketEvent>,
    /// What outcomes do to a weight.
    deltas: Deltas,
}

impl History {
    fn of(host: &Host) -> Result<Self> {
        let config = Config::load(&host.project(), host.configuration.as_deref())?;
        let events = events::read(&host.shared()).map_err(|error| unreadable(&error))?;
        let mut bidders: BTreeSet<String> = config.market.bidders.into_iter().map(|bidder| bidder.id).collect();
        if bidders.is_empty() {
            bidders = events.iter().map(|event| event.bot_id.clone()).collect();
        }
        Ok(Self { bidders, events, deltas: config.market.measures.deltas })
    }
}

fn unreadable(error: &events::EventsError) -> Failure {
    Failure::new(error.to_string()).hint("fix the file or remove it; without it the weights are different")
}
