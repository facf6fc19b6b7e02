//! Progress of long work, on standard error: one line that is rewritten on a terminal, one line for each gate elsewhere,
//! nothing when only the result is wanted.

use std::io::IsTerminal as _;
use std::time::Duration;

use anstream::eprintln;
use assize_core::exec_report::GateResult;
use assize_core::gate::GateState;
use assize_core::text::{head, make_visible};
use assize_engine::court::review::{Step, Tree};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Output;
use crate::render::{gate_mark, quiet};

/// Longest piece of a tool's own output that is shown beside its name, in bytes.
const SAID_BYTES_MAX: usize = 60;

/// Whoever waits for a review.
pub struct Watch {
    bar: Option<ProgressBar>,
    loud: bool,
    doing: String,
}

impl Watch {
    /// Begins to watch.
    pub fn new(output: Output) -> Self {
        let live = !output.quiet && std::io::stderr().is_terminal();
        let bar = live.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, loud: !output.quiet, doing: String::new() }
    }

    /// Takes in what is going on.
    pub fn see(&mut self, step: Step<'_>) {
        match step {
            Step::Copying => self.say("copying the tree".to_owned()),
            Step::Judging => self.say("waiting for the judges".to_owned()),
            Step::Gate { name, on: Tree::Base, .. } => self.say(format!("{name} on the base, to compare")),
            Step::Gate { name, on, done, of } => {
                let tests = if on == Tree::Held { " with the tests of the base" } else { "" };
                self.say(format!("{}/{of} {name}{tests}", done + 1));
            }
            Step::Printed(text) => self.hear(text),
            Step::Ended { result } => self.ended(result),
        }
    }

    /// Ends; nothing is left on the terminal.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&mut self, doing: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(doing.clone());
        }
        self.doing = doing;
    }

    fn hear(&self, text: &str) {
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        if let (Some(bar), Some(line)) = (&self.bar, last) {
            // Tools bring colours and cursors of their own.
            let plain = anstream::adapter::strip_str(line.trim()).to_string();
            bar.set_message(format!("{}  {}", self.doing, quiet(head(&make_visible(&plain), SAID_BYTES_MAX))));
        }
    }

    fn ended(&self, result: &GateResult) {
        if result.state == GateState::Absent {
            return;
        }
        let seconds = result.time_ms as f64 / 1_000.0;
        let line = format!("{} {} {}", gate_mark(result.state), result.name(), quiet(&format!("{seconds:.1} s")));
        match &self.bar {
            Some(bar) => bar.println(line),
            None if self.loud => eprintln!("{line}"),
            None => {}
        }
    }
}
