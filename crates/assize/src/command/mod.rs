//! The commands, one file each, named by what users type.
//!
//! To add one: write the file with `Arguments` and `run`, and add it to `commands!` below.

pub mod sandbox_launch;

use std::path::PathBuf;

use clap::{ColorChoice, Parser, Subcommand};

use crate::exit::Result;
use crate::host::Host;
use crate::output::{Format, Output};

/// Declares the commands: their modules, what is typed, and which function runs.
macro_rules! commands {
    ($($(#[doc = $help:literal])+ $name:ident($module:ident),)*) => {
        $(pub mod $module;)*

        /// What is typed after `assize`.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[doc = $help])+ $name($module::Arguments),)*
        }

        impl Command {
            /// Runs the command.
            pub fn run(&self, host: &Host, output: Output) -> Result {
                match self {
                    $(Self::$name(arguments) => $module::run(arguments, host, output),)*
                }
            }
        }
    };
}

commands! {
    /// Set up the hooks of coding agents, or remove them again.
    Init(init),
    /// Answer an agent's hook: event JSON in, reply JSON out. Agents call this.
    Hook(hook),
    /// Judge by hand whether an agent may stop.
    Stop(stop),
    /// Judge whether a change may go in: runs the project's own checks in a sandbox.
    Review(review),
    /// Fix a change: judge it, ask for a patch and try the patch in a copy, until the change is accepted.
    Fix(fix),
    /// Find the best of several candidates: patches, folders or revisions.
    Tournament(tournament),
    /// Run the project's own checks, or list them.
    Gates(gates),
    /// Show what the project says of itself: structure, names, words, tools, schemas.
    Brief(brief),
    /// Check a patch, or apply it: all of it or nothing.
    Patch(patch),
    /// Judge the records of a data set, and evaluate the judge.
    Eval(eval),
    /// Let bidders compete for an issue, and record how reliable each of them is.
    Market(market),
    /// Explain a rule, a gate or a cause: what it means, an example, how to fix it or switch it off.
    Explain(explain),
    /// Read, check, export or replay the record of what was judged.
    Ledger(ledger),
    /// Let a finding stand: written down with a reason and a last day.
    Approve(approve),
    /// Let every agent of this project stop unjudged until told otherwise.
    Pause(pause),
    /// Judge again after a pause.
    Resume(resume),
    /// Prove that the gate is up: a known-bad case goes through the judges that are configured.
    Doctor(doctor),
    /// Show every court at work on bundled inputs; needs no key and no network.
    Demo(demo),
    /// Print completions for a shell.
    Completions(completions),
}

/// A strict judge for work that machines hand in.
#[derive(Debug, Parser)]
#[command(
    name = "assize",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 accepted or done · 1 judged and not accepted · 2 bad usage, configuration or input · 3 unjudged · 130 interrupted

Examples:
  assize init                     set up the hooks of the agents that are used here
  assize review --spec task.md    judge the change that lies here
  assize demo                     see every court at work on bundled inputs
  assize ledger show --last 20    what was ruled, and why
  assize doctor                   prove that the gate is up"
)]
pub struct Cli {
    /// Output format [default: human on a terminal, else json].
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// Configuration file [default: assize.toml of the project].
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Work in this folder instead of the current one.
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Say nothing but the result.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    #[command(subcommand)]
    /// What to do.
    pub command: Command,
}
