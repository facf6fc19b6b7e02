//! `assize completions`: completions for a shell.

use crate::exit::{Exit, Result};

/// Arguments of `assize completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  assize completions bash > ~/.local/share/bash-completion/completions/assize")]
pub struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments, cli: &mut clap::Command) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, cli, "assize", &mut script);
    crate::cli::print(&String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
