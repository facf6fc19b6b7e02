//! `assize resume`: ends a pause.

use assize_ledger::event::LedgerEvent;
use assize_stop::envelope::ResumeDocument;
use serde_json::json;

use super::pause::record;
use crate::exit::{Exit, Result};
use crate::host::{Host, now_ms};
use crate::output::{Format, Output, print};

/// Arguments of `assize resume`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  assize resume")]
pub struct Arguments {}

/// Ends a pause.
pub fn run(_arguments: &Arguments, host: &Host, output: Output) -> Result {
    record(host, now_ms(), &LedgerEvent::Resumed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ResumeDocument::default())),
        _ => "judging again\n".to_owned(),
    });
    Ok(Exit::Done)
}
