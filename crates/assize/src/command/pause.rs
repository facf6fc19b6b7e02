//! `assize pause`: a person switches the stop court off for a while.

use assize_engine::ledger::Ledger;
use assize_ledger::event::LedgerEvent;
use assize_stop::envelope::PauseDocument;
use serde_json::json;

use crate::court::stop::ID;
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::number::whole;
use crate::output::{Format, Output, print};

/// Longest pause that ends on its own, in minutes: a week.
const MINUTES_MAX: u32 = 10_080;

/// Arguments of `assize pause`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  assize pause              until `assize resume`\n  assize pause --minutes 30")]
pub struct Arguments {
    /// For how long [default: until `assize resume`].
    #[arg(long, value_name = "N", value_parser = whole(1..=MINUTES_MAX))]
    minutes: Option<u32>,
}

/// Pauses the court.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let now = now_ms();
    let until_ms = arguments.minutes.map(|minutes| now + i64::from(minutes) * 60_000);
    record(host, now, &LedgerEvent::Paused { until_ms })?;
    if output.format == Format::Json {
        print(&format!("{}\n", json!(PauseDocument::until(until_ms))));
        return Ok(Exit::Done);
    }
    print(&match arguments.minutes {
        Some(minutes) => format!("paused for {minutes} minutes; `assize resume` ends it earlier\n"),
        None => "paused until `assize resume`\n".to_owned(),
    });
    Ok(Exit::Done)
}

/// Records that a person paused or resumed the court. An agent that could pause its own court has none.
///
/// # Errors
///
/// Fails in a shell that an agent started, and when the ledger cannot be written.
pub fn record(host: &Host, now: i64, event: &LedgerEvent) -> Result<()> {
    only_for_a_person(host)?;
    let failed = |error: assize_engine::ledger::LedgerError| Failure::new(error.to_string());
    Ledger::open(&host.ledger()).map_err(failed)?.append(now, ID, "-", event).map_err(failed)?;
    Ok(())
}

/// Refuses what an agent must not do to the court that judges it.
///
/// # Errors
///
/// Fails in a shell that an agent started.
pub fn only_for_a_person(host: &Host) -> Result<()> {
    host.inside_agent().map_or(Ok(()), |agent| {
        Err(Failure::new(format!("this is for a person to decide, and this shell was started by {agent}"))
            .hint("run the command in a terminal of your own"))
    })
}

/// Returns whether the court is paused at a time, by the last event that says so.
pub fn is_paused(last: Option<&LedgerEvent>, now: i64) -> bool {
    match last {
        Some(LedgerEvent::Paused { until_ms }) => until_ms.is_none_or(|until| now < until),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_at_its_time() {
        let timed = LedgerEvent::Paused { until_ms: Some(10) };
        assert!(is_paused(Some(&timed), 9) && !is_paused(Some(&timed), 10));
        assert!(is_paused(Some(&LedgerEvent::Paused { until_ms: None }), i64::MAX));
        assert!(!is_paused(Some(&LedgerEvent::Resumed), 0) && !is_paused(None, 0));
    }
}
