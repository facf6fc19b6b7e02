//! `assize pause` and `assize resume`: a person tells the court to stand aside.

use assize_core::session::Event;
use assize_engine::ledger::Ledger;

use serde_json::json;

use crate::cli::{Output, print};
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::render::Format;

/// Arguments of `assize pause`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  assize pause              until `assize resume`\n  assize pause --minutes 30")]
pub struct PauseArguments {
    /// For how long [default: until `assize resume`].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_080))]
    minutes: Option<u32>,
}

/// Pauses the court.
pub fn pause(arguments: &PauseArguments, host: &Host, output: Output) -> Result {
    let now = now_ms();
    let until_ms = arguments.minutes.map(|minutes| now + i64::from(minutes) * 60_000);
    record(host, now, &Event::Paused { until_ms })?;
    if output.format == Format::Json {
        print(&format!("{}\n", json!({"assize": 1, "paused": true, "until_ms": until_ms})));
        return Ok(Exit::Done);
    }
    print(&match arguments.minutes {
        Some(minutes) => format!("paused for {minutes} minutes; `assize resume` ends it earlier\n"),
        None => "paused until `assize resume`\n".to_owned(),
    });
    Ok(Exit::Done)
}

/// Ends a pause.
pub fn resume(host: &Host, output: Output) -> Result {
    record(host, now_ms(), &Event::Resumed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!({"assize": 1, "paused": false})),
        _ => "judging again\n".to_owned(),
    });
    Ok(Exit::Done)
}

/// Only a person may do this: an agent that could pause its own court has none.
fn record(host: &Host, now: i64, event: &Event) -> Result<()> {
    if let Some(agent) = host.inside_agent() {
        return Err(Failure::new(format!("this is for a person to decide, and this shell was started by {agent}"))
            .hint("run the command in a terminal of your own"));
    }
    let failed = |error: assize_engine::ledger::LedgerError| Failure::new(error.to_string());
    Ledger::open(&host.ledger()).map_err(failed)?.append(now, "stop", "-", event).map_err(failed)?;
    Ok(())
}

/// Returns whether the court is paused at a time, by the last event that says so.
pub fn is_paused(last: Option<&Event>, now: i64) -> bool {
    match last {
        Some(Event::Paused { until_ms }) => until_ms.is_none_or(|until| now < until),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_at_its_time() {
        let timed = Event::Paused { until_ms: Some(10) };
        assert!(is_paused(Some(&timed), 9) && !is_paused(Some(&timed), 10));
        assert!(is_paused(Some(&Event::Paused { until_ms: None }), i64::MAX));
        assert!(!is_paused(Some(&Event::Resumed), 0) && !is_paused(None, 0));
    }
}
