//! `assize market`: several bidders compete for an issue, and the market learns whom to believe.

mod extract;
mod panel;
mod rank;
mod replay;
mod run;
mod simulate;
mod status;

use std::collections::BTreeSet;

use assize_core::market::event::MarketEvent;
use assize_engine::market::events;

use crate::cli::Output;
use crate::exit::{Failure, Result};
use crate::host::Host;

/// Arguments of `assize market`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Say what a specification demands: its open boxes, their parts, and what the project demands of everything.
    Extract(extract::Arguments),
    /// Say which of several bids wins, and why.
    Rank(rank::Arguments),
    /// Have bidders compete for the open boxes, the winner implement, and the review court verify.
    Run(Box<run::Arguments>),
    /// Say how the bidders stand.
    Status(status::Arguments),
    /// Tell the history again, and what each event did to whom.
    Replay(replay::Arguments),
    /// Play ways of choosing bidders over a table of what each of them did with each task.
    Simulate(simulate::Arguments),
}

/// Runs `assize market`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    match &arguments.action {
        Action::Extract(arguments) => extract::run(arguments, host, output),
        Action::Rank(arguments) => rank::run(arguments, host, output),
        Action::Run(arguments) => run::run(arguments, host, output),
        Action::Status(arguments) => status::run(arguments, host, output),
        Action::Replay(arguments) => replay::run(arguments, host, output),
        Action::Simulate(arguments) => simulate::run(arguments, host, output),
    }
}

/// Reads the history of the project, and says who takes part: everybody whom it names.
fn history(host: &Host) -> Result<(BTreeSet<String>, Vec<MarketEvent>)> {
    let state = host.project().join(".assize");
    let events = events::read(&state).map_err(|error| unreadable(&error))?;
    Ok((events.iter().map(|event| event.bot_id.clone()).collect(), events))
}

fn unreadable(error: &events::EventsError) -> Failure {
    Failure::new(error.to_string()).hint("put the file right or take it away: without it the weights are others")
}
