//! Progress of a run, on standard error: a bar that is rewritten on a terminal, a line now and then elsewhere.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use assize_engine::court::eval::AskingProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// How often the bar is drawn anew.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// Shows how far a run is.
pub struct Bar {
    bar: ProgressBar,
    output: Output,
    is_terminal: bool,
    questions: u64,
    begin: Instant,
    shown: Instant,
}

impl Bar {
    /// Begins to show a run of so many questions.
    pub fn new(output: Output, questions: u64) -> Self {
        let is_terminal = !output.quiet && std::io::stderr().is_terminal();
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(questions), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_bar} {msg} {eta}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, output, is_terminal, questions, begin: now, shown: now }
    }

    /// Shows how far the run is, unless it did so a moment ago.
    pub fn see(&mut self, progress: AskingProgress) {
        let every = if self.is_terminal { DRAW_EVERY } else { LINE_EVERY };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let status = status(progress, self.begin.elapsed());
        if self.is_terminal {
            self.bar.set_position(progress.completed);
            self.bar.set_message(status);
        } else {
            self.output.note(&format!("{} of {} questions: {status}", progress.completed, self.questions));
        }
    }

    /// Removes the bar from the terminal.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Sums up how a run goes.
fn status(progress: AskingProgress, elapsed: Duration) -> String {
    let AskingProgress { completed, failed, under_way, committed_usd, outage, .. } = progress;
    let mut status = format!("{:.0}/s", completed as f64 / elapsed.as_secs_f64().max(0.001));
    if committed_usd > 0.0 {
        let _ = write!(status, ", ${committed_usd:.2}");
    }
    let _ = write!(status, ", {under_way} under way");
    if failed > 0 {
        let _ = write!(status, ", {failed} failed");
    }
    if outage {
        status.push_str(", the judge does not reply");
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_matters() {
        let second = Duration::from_secs(1);
        let quiet = AskingProgress { completed: 40, under_way: 8, ..AskingProgress::default() };
        assert_eq!(status(quiet, 2 * second), "20/s, 8 under way");
        let loud = AskingProgress { failed: 3, committed_usd: 1.234, outage: true, ..quiet };
        assert_eq!(status(loud, second), "40/s, $1.23, 8 under way, 3 failed, the judge does not reply");
    }
}
