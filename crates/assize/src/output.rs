//! Where results and messages go, and how they are styled.
//!
//! Results go to standard output, everything else to standard error. This module knows no command and no court.

use anstream::eprintln;
use anstyle::{AnsiColor, Style};

use crate::exit::Failure;

/// In which form results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a person at a terminal.
    Human,
    /// One JSON document, or one a line.
    Json,
    /// For a comment or a report.
    Markdown,
}

/// How a command prints.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// The form of results.
    pub format: Format,
    /// Whether only the result is wanted.
    pub quiet: bool,
    /// The form that was asked for, if any was.
    asked: Option<Format>,
}

impl Output {
    /// Prints in the form that was asked for; without one, for a person at a terminal and for a program elsewhere.
    pub fn new(asked: Option<Format>, on_terminal: bool, quiet: bool) -> Self {
        let format = asked.unwrap_or(if on_terminal { Format::Human } else { Format::Json });
        Self { format, quiet, asked }
    }

    /// The same, for a command that prints text for people wherever it goes, unless another form was asked for.
    pub fn or_human(self) -> Self {
        Self { format: self.asked.unwrap_or(Format::Human), ..self }
    }

    /// Prints a line about progress on standard error.
    pub fn note(self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}

/// For what is accepted or passed.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// For what is not accepted or failed.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// For what is unjudged or likely.
pub const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
/// For headings.
pub const STRONG: Style = Style::new().bold();
/// For details.
pub const QUIET: Style = Style::new().dimmed();

/// Styles a text.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Shows a text less prominently.
pub fn quiet(text: &str) -> String {
    styled(QUIET, text)
}

/// Returns whether standard output shows styles: on a terminal, unless `NO_COLOR` or `--color` says otherwise.
pub fn is_styled() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
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

/// Prints a failure and its hint on standard error.
pub fn print_failure(failure: &Failure) {
    eprintln!("{} {}", styled(BAD, "error:"), failure.what);
    if let Some(hint) = &failure.hint {
        eprintln!("{} {hint}", styled(AnsiColor::Cyan.on_default().bold(), " hint:"));
    }
}

fn ended(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("{} standard output: {error}", styled(BAD, "error:"));
            std::process::exit(2);
        }
    }
}
