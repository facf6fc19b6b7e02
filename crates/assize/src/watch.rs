//! Progress of long work, on standard error: one line that is rewritten on a terminal, with a line that stays for each
//! gate that has ended; nothing elsewhere, nor when only the result is wanted.

use std::io::IsTerminal as _;
use std::time::Duration;

use assize_core::exec_report::GateResult;
use assize_core::gate::GateState;
use assize_core::text::{beginning, make_visible};
use assize_engine::court::review::{Step, Tree};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Output;
use crate::render::{gate_mark, quiet};

/// Longest piece of a tool's own output that is shown beside its name, in characters.
const SAID_CHARS_MAX: usize = 60;

/// Whoever waits for a review.
pub struct Watch {
    bar: ProgressBar,
    doing: String,
}

/// What a step puts on the terminal.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// Until the next one.
    Passing(String),
    /// For good.
    Lasting(String),
}

impl Watch {
    /// Begins to watch.
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

    /// Takes in what is going on.
    pub fn see(&mut self, step: Step<'_>) {
        match line(&mut self.doing, step) {
            Some(Line::Passing(line)) => self.bar.set_message(line),
            Some(Line::Lasting(line)) => self.bar.println(line),
            None => {}
        }
    }

    /// Says something that stays.
    pub fn say(&self, line: String) {
        self.bar.println(line);
    }

    /// Does something with the terminal to itself, such as printing a part of the result.
    pub fn aside(&self, act: impl FnOnce()) {
        self.bar.suspend(act);
    }

    /// Says what is being done, until the next step.
    pub fn doing(&mut self, what: &str) {
        what.clone_into(&mut self.doing);
        self.bar.set_message(self.doing.clone());
    }

    /// Ends; nothing but what stays is left on the terminal.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Says what a step puts on the terminal, and keeps what is being done.
fn line(doing: &mut String, step: Step<'_>) -> Option<Line> {
    *doing = match step {
        Step::Copying => "copying the tree".to_owned(),
        Step::Judging => "waiting for the judges".to_owned(),
        Step::Gate { name, on: Tree::Base, .. } => format!("{name} on the base, to compare"),
        Step::Gate { name, on, done, of } => {
            let tests = if on == Tree::Held { " with the tests of the base" } else { "" };
            format!("{}/{of} {name}{tests}", done + 1)
        }
        Step::Printed(text) => return said(text).map(|said| Line::Passing(format!("{doing}  {}", quiet(&said)))),
        Step::Ended { result } => return ended(result).map(Line::Lasting),
    };
    Some(Line::Passing(doing.clone()))
}

/// The last thing that a tool has said, short; `None` where it said nothing.
fn said(text: &str) -> Option<String> {
    // What a tool writes for programs tells a person nothing.
    let last = text.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with('{'))?;
    // Tools bring colours and cursors of their own.
    let plain = anstream::adapter::strip_str(last.trim()).to_string();
    Some(beginning(&make_visible(&plain), SAID_CHARS_MAX).into_owned())
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

    fn plain(line: Option<Line>) -> Option<Line> {
        let strip = |text: String| anstream::adapter::strip_str(&text).to_string();
        line.map(|line| match line {
            Line::Passing(text) => Line::Passing(strip(text)),
            Line::Lasting(text) => Line::Lasting(strip(text)),
        })
    }

    #[test]
    fn each_step_is_one_line() {
        let gates = record().inputs.exec.gates;
        let absent = GateResult { state: GateState::Absent, ..gates[0].clone() };
        let gate = |on| Step::Gate { name: "pytest", on, done: 1, of: 4 };
        let passing = |text: &str| Some(Line::Passing(text.to_owned()));
        let lasting = |text: &str| Some(Line::Lasting(text.to_owned()));
        let (fits, past) = ("x".repeat(SAID_CHARS_MAX), "x".repeat(SAID_CHARS_MAX + 1));
        let long = passing(&format!("2/4 pytest  {fits}"));
        let mut doing = String::new();
        for (step, expected) in [
            (Step::Copying, passing("copying the tree")),
            (gate(Tree::Base), passing("pytest on the base, to compare")),
            (gate(Tree::Held), passing("2/4 pytest with the tests of the base")),
            (gate(Tree::Change), passing("2/4 pytest")),
            (Step::Printed("one\n\u{1b}[31mtwo\u{1b}[0m \n\n"), passing("2/4 pytest  two")),
            (Step::Printed("a\u{202e}b"), passing("2/4 pytest  a⟨U+202E⟩b")),
            (Step::Printed(&fits), long),
            (Step::Printed(&past), passing(&format!("2/4 pytest  {}…", &fits[1..]))),
            (Step::Printed(" \n"), None),
            (Step::Ended { result: &gates[0] }, lasting("✗ pytest 1.2 s")),
            (Step::Ended { result: &gates[2] }, lasting("? mypy 1.2 s")),
            (Step::Ended { result: &absent }, None),
            (Step::Printed("still"), passing("2/4 pytest  still")),
            (Step::Judging, passing("waiting for the judges")),
        ] {
            assert_eq!(plain(line(&mut doing, step)), expected, "{step:?}");
        }
    }

    /// A terminal that keeps what is written to it.
    #[derive(Debug, Clone, Default)]
    struct Narrow(Arc<Mutex<Vec<String>>>);

    impl Narrow {
        const WIDTH: u16 = 40;

        fn keep(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("no thread failed").push(anstream::adapter::strip_str(text).to_string());
            Ok(())
        }
    }

    impl TermLike for Narrow {
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
        let terminal = Narrow::default();
        let mut watch = Watch::on(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        watch.see(Step::Gate { name: "pytest", on: Tree::Held, done: 0, of: 12 });
        watch.see(Step::Printed(&"collected 12 items ".repeat(9)));
        watch.see(Step::Ended { result: &record().inputs.exec.gates[0] });
        watch.finish();
        let written = terminal.0.lock().expect("no thread failed");
        assert!(written.iter().any(|text| text.contains("1/12 pytest with")), "{written:?}");
        assert!(written.iter().any(|text| text.contains("✗ pytest 1.2 s")), "{written:?}");
        for text in written.iter() {
            assert!(text.trim_end().chars().count() <= usize::from(Narrow::WIDTH), "{text:?}");
        }
    }
}
