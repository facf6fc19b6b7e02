//! `assize completions`: completions for a shell.

use clap::CommandFactory as _;

use super::Cli;
use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::output::{Output, print};

/// Arguments of `assize completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  assize completions bash > ~/.local/share/bash-completion/completions/assize")]
pub struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments, _host: &Host, _output: Output) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "assize", &mut script);
    print(&String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
