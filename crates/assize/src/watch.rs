//! Progress of long work, on standard error: one line that is rewritten on a terminal, with a line that stays for each
//! gate that has ended; nothing elsewhere, nor when only the result is wanted.

use std::io::IsTerminal as _;
use std::time::Duration;

use assize_core::text::{beginning, make_visible};
use assize_engine::court::review::{ReviewStep, TreeState};
use assize_gate::exec_report::GateResult;
use assize_gate::gate::GateState;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{Output, quiet};
use crate::render::gate_mark;

/// Longest piece of a tool's own output that is shown beside its name, in characters.
const OUTPUT_CHARS_MAX: usize = 60;

/// Shows the progress of a review.
pub struct ReviewProgress {
    bar: ProgressBar,
    doing: String,
}

/// What a step puts on the terminal.
#[derive(Debug, PartialEq, Eq)]
enum ProgressText {
    /// Until the next one.
    Passing(String),
    /// For good.
    Lasting(String),
}

impl ReviewProgress {
    /// Begins to show progress.
    pub fn new(output: Output) -> Self {
        if output.quiet || !std::io::stderr().is_terminal() {
            return Self::on(ProgressDrawTarget::hidden());
        }
        let watch = Self::on(ProgressDrawTarget::stderr());
        watch.bar.enable_steady_tick(Duration::from_millis(120));
        watch
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        Self { bar, doing: String::new() }
    }

    /// Shows a step.
    pub fn see(&mut self, step: ReviewStep<'_>) {
        match line(&mut self.doing, step) {
            Some(ProgressText::Passing(line)) => self.bar.set_message(line),
            Some(ProgressText::Lasting(line)) => self.bar.println(line),
            None => {}
        }
    }

    /// Prints a line that stays.
    pub fn say(&self, line: String) {
        self.bar.println(line);
    }

    /// Hides the progress while `act` prints a part of the result.
    pub fn aside(&self, act: impl FnOnce()) {
        self.bar.suspend(act);
    }

    /// Shows what is being done, until the next step.
    pub fn doing(&mut self, what: &str) {
        what.clone_into(&mut self.doing);
        self.bar.set_message(self.doing.clone());
    }

    /// Ends; only the lines that stay are left on the terminal.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Returns what a step puts on the terminal, and updates what is being done.
fn line(doing: &mut String, step: ReviewStep<'_>) -> Option<ProgressText> {
    *doing = match step {
        ReviewStep::Copying => "copying the tree".to_owned(),
        ReviewStep::Preparing { because, printed } => {
            let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            format!("installing what {because} names  {}", make_visible(last))
        }
        ReviewStep::Judging => "waiting for the judges".to_owned(),
        ReviewStep::Gate { name, on: TreeState::Base, .. } => format!("{name} on the base, to compare"),
        ReviewStep::Gate { name, on: TreeState::Mutants, done, of } => {
            format!("{}/{of} {name} on mutants: do the new tests notice faults?", done + 1)
        }
        ReviewStep::Gate { name, on, done, of } => {
            let tests = if on == TreeState::Held { " with the tests of the base" } else { "" };
            format!("{}/{of} {name}{tests}", done + 1)
        }
        ReviewStep::Printed(text) => {
            return last_line(text).map(|line| ProgressText::Passing(format!("{doing}  {}", quiet(&line))));
        }
        ReviewStep::Ended { result } => return ended(result).map(ProgressText::Lasting),
    };
    Some(ProgressText::Passing(doing.clone()))
}

/// Returns the last line that a tool printed, shortened; `None` where it printed nothing.
fn last_line(text: &str) -> Option<String> {
    // What a tool writes for programs tells a person nothing.
    let last = text.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with('{'))?;
    // Tools bring colours and cursors of their own.
    let plain = anstream::adapter::strip_str(last.trim()).to_string();
    Some(beginning(&make_visible(&plain), OUTPUT_CHARS_MAX).into_owned())
}

fn ended(result: &GateResult) -> Option<String> {
    let seconds = result.time_ms as f64 / 1_000.0;
    let used = result.state != GateState::Absent;
    used.then(|| format!("{} {} {}", gate_mark(result.state), result.name(), quiet(&format!("{seconds:.1} s"))))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;
    use crate::render::review::tests::record;

    fn plain(line: Option<ProgressText>) -> Option<ProgressText> {
        let strip = |text: String| anstream::adapter::strip_str(&text).to_string();
        line.map(|line| match line {
            ProgressText::Passing(text) => ProgressText::Passing(strip(text)),
            ProgressText::Lasting(text) => ProgressText::Lasting(strip(text)),
        })
    }

    #[test]
    fn each_step_is_one_line() {
        let gates = record().inputs.exec.gates;
        let absent = GateResult { state: GateState::Absent, ..gates[0].clone() };
        let gate = |on| ReviewStep::Gate { name: "pytest", on, done: 1, of: 4 };
        let passing = |text: &str| Some(ProgressText::Passing(text.to_owned()));
        let lasting = |text: &str| Some(ProgressText::Lasting(text.to_owned()));
        let (fits, past) = ("x".repeat(OUTPUT_CHARS_MAX), "x".repeat(OUTPUT_CHARS_MAX + 1));
        let long = passing(&format!("2/4 pytest  {fits}"));
        let mut doing = String::new();
        for (step, expected) in [
            (ReviewStep::Copying, passing("copying the tree")),
            (gate(TreeState::Base), passing("pytest on the base, to compare")),
            (gate(TreeState::Mutants), passing("2/4 pytest on mutants: do the new tests notice faults?")),
            (gate(TreeState::Held), passing("2/4 pytest with the tests of the base")),
            (gate(TreeState::Change), passing("2/4 pytest")),
            (ReviewStep::Printed("one\n\u{1b}[31mtwo\u{1b}[0m \n\n"), passing("2/4 pytest  two")),
            (ReviewStep::Printed("a\u{202e}b"), passing("2/4 pytest  a⟨U+202E⟩b")),
            (ReviewStep::Printed(&fits), long),
            (ReviewStep::Printed(&past), passing(&format!("2/4 pytest  {}…", &fits[1..]))),
            (ReviewStep::Printed(" \n"), None),
            (ReviewStep::Ended { result: &gates[0] }, lasting("✗ pytest 1.2 s")),
            (ReviewStep::Ended { result: &gates[2] }, lasting("! mypy 1.2 s")),
            (ReviewStep::Ended { result: &absent }, None),
            (ReviewStep::Printed("still"), passing("2/4 pytest  still")),
            (ReviewStep::Judging, passing("waiting for the judges")),
        ] {
            assert_eq!(plain(line(&mut doing, step)), expected, "{step:?}");
        }
    }

    /// A terminal that keeps what is written to it.
    #[derive(Debug, Clone, Default)]
    struct NarrowTerminal(Arc<Mutex<Vec<String>>>);

    impl NarrowTerminal {
        const WIDTH: u16 = 40;

        fn keep(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("no thread failed").push(anstream::adapter::strip_str(text).to_string());
            Ok(())
        }
    }

    impl TermLike for NarrowTerminal {
        fn width(&self) -> u16 {
            Self::WIDTH
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.keep(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.keep(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_never_wider_than_the_terminal() {
        let terminal = NarrowTerminal::default();
        let mut watch = ReviewProgress::on(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        watch.see(ReviewStep::Gate { name: "pytest", on: TreeState::Held, done: 0, of: 12 });
        watch.see(ReviewStep::Printed(&"collected 12 items ".repeat(9)));
        watch.see(ReviewStep::Ended { result: &record().inputs.exec.gates[0] });
        watch.finish();
        let written = terminal.0.lock().expect("no thread failed");
        assert!(written.iter().any(|text| text.contains("1/12 pytest with")), "{written:?}");
        assert!(written.iter().any(|text| text.contains("✗ pytest 1.2 s")), "{written:?}");
        for text in written.iter() {
            assert!(text.trim_end().chars().count() <= usize::from(NarrowTerminal::WIDTH), "{text:?}");
        }
    }
}
