//! Progress of a run, on standard error: a bar that is rewritten on a terminal, a line now and then elsewhere.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use assize_engine::court::eval::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Output;

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// How often the bar is drawn anew.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// Whoever waits for a run.
pub struct Bar {
    bar: ProgressBar,
    output: Output,
    is_terminal: bool,
    questions: u64,
    begin: Instant,
    told: Instant,
}

impl Bar {
    /// Begins to watch a run of so many questions.
    pub fn new(output: Output, questions: u64) -> Self {
        let is_terminal = !output.quiet && std::io::stderr().is_terminal();
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(questions), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_bar} {msg} {eta}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, output, is_terminal, questions, begin: now, told: now }
    }

    /// Takes in how far the run is.
    pub fn see(&mut self, progress: Progress) {
        let every = if self.is_terminal { DRAW_EVERY } else { LINE_EVERY };
        if self.told.elapsed() < every {
            return;
        }
        self.told = Instant::now();
        let said = said(progress, self.begin.elapsed());
        if self.is_terminal {
            self.bar.set_position(progress.settled);
            self.bar.set_message(said);
        } else {
            self.output.note(&format!("{} of {} questions: {said}", progress.settled, self.questions));
        }
    }

    /// Ends; nothing is left on the terminal.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Says in a few words how a run goes.
fn said(progress: Progress, elapsed: Duration) -> String {
    let Progress { settled, failed, under_way, committed_usd, outage, .. } = progress;
    let mut said = format!("{:.0}/s", settled as f64 / elapsed.as_secs_f64().max(0.001));
    if committed_usd > 0.0 {
        let _ = write!(said, ", ${committed_usd:.2}");
    }
    let _ = write!(said, ", {under_way} under way");
    if failed > 0 {
        let _ = write!(said, ", {failed} failed");
    }
    if outage {
        said.push_str(", the judge does not reply");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_matters() {
        let second = Duration::from_secs(1);
        let quiet = Progress { settled: 40, under_way: 8, ..Progress::default() };
        assert_eq!(said(quiet, 2 * second), "20/s, 8 under way");
        let loud = Progress { failed: 3, committed_usd: 1.234, outage: true, ..quiet };
        assert_eq!(said(loud, second), "40/s, $1.23, 8 under way, 3 failed, the judge does not reply");
    }
}
