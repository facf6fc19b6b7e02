//! The program: parses the command line, calls a command, prints what failed, and exits.

use std::process::ExitCode;

use clap::{ColorChoice, Command, CommandFactory as _, FromArgMatches as _};

use crate::command::{Cli, hook, sandbox_launch};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::is_whole;
use crate::output::{Output, print_failure};

/// Runs the program.
pub fn main() -> ExitCode {
    if let Some(status) = sandbox_launch::intercept() {
        return status;
    }
    let parse = || {
        let parsed = with_whole_numbers(Cli::command()).try_get_matches();
        parsed.and_then(|matches| Cli::from_arg_matches(&matches))
    };
    let cli = match plain_hook().map_or_else(parse, Ok) {
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
            print_failure(&failure);
            bad_input()
        }
    }
}

/// Reads the call that `init` writes into the settings of agents. Agents wait for it at each event, and to build the parser for all
/// commands takes longer than to answer many of them.
fn plain_hook() -> Option<Cli> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next().filter(|command| command == "hook");
    let agent = arguments.next()?.into_string().ok().filter(|agent| !agent.starts_with('-'))?;
    (command.is_some() && arguments.next().is_none()).then_some(Cli {
        format: None,
        config: None,
        directory: None,
        quiet: false,
        color: ColorChoice::Auto,
        command: crate::command::Command::Hook(hook::Arguments { agent }),
    })
}

/// Has a negative number, where a whole number is wanted, taken for a wrong value and not for an option.
fn with_whole_numbers(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let is_whole = is_whole(argument.get_value_parser());
        if is_whole { argument.allow_negative_numbers(true) } else { argument }
    });
    command.mut_subcommands(with_whole_numbers)
}

/// An agent takes exit code 2 of its hook for a block. A hook that was set up wrongly must not
/// block everything, so that it fails in another way.
fn bad_input() -> ExitCode {
    let is_hook = std::env::args_os().skip(1).any(|argument| argument == "hook");
    if is_hook { Exit::NotAccepted.into() } else { Exit::BadInput.into() }
}

fn run(cli: Cli) -> Result {
    let folder = match cli.directory {
        Some(folder) => {
            let wrong = |what: String| Failure::new(format!("-C {}: {what}", folder.display()));
            let found = folder.canonicalize().map_err(|error| wrong(error.to_string()))?;
            if !found.is_dir() {
                return Err(wrong("it is no folder".to_owned()).hint("name the folder to work in"));
            }
            found
        }
        None => std::env::current_dir().map_err(|error| Failure::new(format!("the current folder: {error}")))?,
    };
    let host = Host::new(folder, cli.config);
    let output = Output::new(cli.format, std::io::IsTerminal::is_terminal(&std::io::stdout()), cli.quiet);
    cli.command.run(&host, output)
}
