//! The command line: what can be typed, and where results and errors go.

use std::path::PathBuf;
use std::process::ExitCode;

use anstream::eprintln;
use anstyle::AnsiColor;
use clap::{ColorChoice, CommandFactory as _, Parser, Subcommand};

use crate::command::{
    brief, completions, demo, doctor, eval, fix, hook, init, ledger, market, patch, pause, review, stop, tournament,
};
use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::render::{Format, styled};

/// A strict judge for work that machines hand in.
#[derive(Debug, Parser)]
#[command(
    name = "assize",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 accepted or done · 1 judged and not accepted · 2 bad usage, configuration or input · 3 unjudged

Examples:
  assize init                     set up the hooks of the agents that are used here
  assize review --spec task.md    judge the change that lies here
  assize demo                     see an agent sent back, one let go, and one unjudged
  assize ledger show --last 20    what was ruled, and why
  assize doctor                   prove that the gate is up"
)]
struct Cli {
    /// In which form results are printed [default: human on a terminal, else json].
    #[arg(long, global = true, value_enum)]
    format: Option<Format>,
    /// Configuration file [default: assize.toml of the project].
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Work in this folder instead of the current one.
    #[arg(short = 'C', global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Say nothing but the result.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Set up the hooks of coding agents, or remove them again.
    Init(init::Arguments),
    /// Answer an agent's hook: event JSON in, reply JSON out. Agents call this.
    Hook(hook::Arguments),
    /// Judge by hand whether an agent may stop.
    Stop(stop::Arguments),
    /// Judge whether a change may go in: runs the project's own checks in a sandbox.
    Review(review::Arguments),
    /// Put a change right: judge, ask for a patch, try it in a copy, until it is accepted.
    Fix(fix::Arguments),
    /// Find the best of several candidates: patches, folders or revisions.
    Tournament(tournament::Arguments),
    /// Run the project's own checks, or list them.
    Gates(review::GatesArguments),
    /// Show what the project says of itself: structure, names, words, tools, schemas.
    Brief(brief::Arguments),
    /// Check a patch, or put it in: whole, or not at all.
    Patch(patch::Arguments),
    /// Judge the records of a data set, and try the judge itself.
    Eval(eval::Arguments),
    /// Let bidders compete for an issue, and learn whom to believe.
    Market(market::Arguments),
    /// Read, check, export or replay the record of what was judged.
    Ledger(ledger::Arguments),
    /// Let every agent of this project stop unjudged until told otherwise.
    Pause(pause::PauseArguments),
    /// Judge again after a pause.
    #[command(after_help = "Example:\n  assize resume")]
    Resume,
    /// Prove that the gate is up: a known-bad case goes through the judges that are configured.
    Doctor(doctor::Arguments),
    /// Show the court at work on bundled sessions; needs no key and no network.
    Demo(demo::Arguments),
    /// Print completions for a shell.
    Completions(completions::Arguments),
}

/// How a command prints.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// The form of results.
    pub format: Format,
    /// Whether only the result is wanted.
    pub quiet: bool,
}

impl Output {
    /// Says something about progress on standard error.
    pub fn note(self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    if let Some(status) = crate::command::sandbox_launch::intercept() {
        return status;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let asked_for = error.exit_code() == 0;
            // Nothing is left to tell when the terminal is gone.
            let _ = error.print();
            return if asked_for { Exit::Done.into() } else { bad_input() };
        }
    };
    match cli.color {
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
        ColorChoice::Auto => {}
    }
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("{} {}", styled(AnsiColor::Red.on_default().bold(), "error:"), failure.what);
            if let Some(hint) = failure.hint {
                eprintln!("{} {hint}", styled(AnsiColor::Cyan.on_default().bold(), " hint:"));
            }
            bad_input()
        }
    }
}

/// An agent takes exit code 2 of its hook for a block. A hook that was set up wrongly must not
/// block everything, so that it fails in another way.
fn bad_input() -> ExitCode {
    let is_hook = std::env::args_os().skip(1).any(|argument| argument == "hook");
    if is_hook { Exit::NotAccepted.into() } else { Exit::BadInput.into() }
}

fn run(cli: Cli) -> Result {
    let folder = match cli.directory {
        Some(folder) => folder
            .canonicalize()
            .map_err(|error| crate::exit::Failure::new(format!("-C {}: {error}", folder.display())))?,
        None => std::env::current_dir()
            .map_err(|error| crate::exit::Failure::new(format!("the current folder: {error}")))?,
    };
    let host = Host::new(folder, cli.config);
    let on_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let format = cli.format.unwrap_or(if on_terminal { Format::Human } else { Format::Json });
    let output = Output { format, quiet: cli.quiet };
    match cli.command {
        Command::Init(arguments) => {
            init::run(&arguments, &host, Output { format: cli.format.unwrap_or(Format::Human), ..output })
        }
        Command::Hook(arguments) => hook::run(&arguments, &host),
        Command::Stop(arguments) => stop::run(&arguments, &host, output),
        Command::Review(arguments) => review::run(&arguments, &host, output),
        Command::Fix(arguments) => fix::run(&arguments, &host, output),
        Command::Tournament(arguments) => tournament::run(&arguments, &host, output),
        Command::Gates(arguments) => review::gates(&arguments, &host, output),
        Command::Brief(arguments) => {
            let format = if arguments.is_for_prompt() { cli.format.unwrap_or(Format::Human) } else { format };
            brief::run(&arguments, &host, Output { format, ..output })
        }
        Command::Patch(arguments) => patch::run(&arguments, &host, output),
        Command::Market(arguments) => market::run(&arguments, &host, output),
        Command::Eval(arguments) => eval::run(&arguments, &host, output),
        Command::Ledger(arguments) => ledger::run(&arguments, &host, output),
        Command::Pause(arguments) => pause::pause(&arguments, &host, output),
        Command::Resume => pause::resume(&host, output),
        Command::Doctor(arguments) => doctor::run(&arguments, &host, output),
        Command::Demo(arguments) => {
            demo::run(&arguments, &host, Output { format: cli.format.unwrap_or(Format::Human), ..output })
        }
        Command::Completions(arguments) => completions::run(&arguments, &mut Cli::command()),
    }
}

/// Prints a result. A reader that went away has seen enough; any other failure would pass off a
/// part for the whole.
pub fn print(text: &str) {
    use std::io::Write as _;

    let mut out = anstream::stdout().lock();
    ended(write!(out, "{text}").and_then(|()| out.flush()));
}

/// Prints bytes as they are.
pub fn print_bytes(bytes: &[u8]) {
    use std::io::Write as _;

    let mut out = std::io::stdout().lock();
    ended(out.write_all(bytes).and_then(|()| out.flush()));
}

fn ended(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("{} standard output: {error}", styled(AnsiColor::Red.on_default().bold(), "error:"));
            std::process::exit(2);
        }
    }
}
