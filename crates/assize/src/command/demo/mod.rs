//! `assize demo`: every court at work on bundled inputs, without a key and without network.
//!
//! Each part calls what a user or an agent calls: `assize` itself, in a temporary repository with a home folder of its
//! own, or the function behind an agent's hook. What is printed are lines of the real output, and each part says which
//! exit code and which lines it expects. One part is one file; to add one, write the file and add it to `parts!` below.

mod play;
mod shop;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use assize_core::document::{DemoDocument, DemoPart, DemoStep};
use assize_engine::court::review::sandbox_beside;
use assize_engine::sandbox::SandboxDemand;
use assize_engine::search_path::SearchPath;
use serde_json::json;

use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{BAD, DOUBTFUL, Format, GOOD, Output, STRONG, print, quiet, styled};
use play::{Player, Step};

/// Arguments of `assize demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  assize demo

Exit codes: 0 every court behaved as expected · 1 one did not · 2 the demo could not begin · 3 a part could not be shown on this machine")]
pub struct Arguments {}

/// Declares the parts: their modules and the list of them, in the order in which they are shown.
macro_rules! parts {
    ($($module:ident,)*) => {
        $(mod $module;)*

        static PARTS: &[Part] = &[$($module::PART),*];
    };
}

parts! {
    stop,
    review,
    fix,
    patch,
    tournament,
    eval,
    market,
    unjudged,
}

/// One part of the demonstration.
struct Part {
    /// What happens.
    title: &'static str,
    /// The courts that are shown, by their ids.
    courts: &'static [&'static str],
    /// What this machine has to have.
    needs: &'static [Need],
    /// Plays it.
    play: fn(&Player<'_>) -> Result<Vec<Step>>,
    /// What a user types to get the same in a project of theirs.
    next: &'static str,
}

/// What a part needs of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Python 3.
    Python,
    /// A sandbox with namespaces.
    Sandbox,
}

/// What this machine lacks.
type Lacking = Vec<(Need, String)>;

/// Finds the folder of the Python that `python3` runs: version managers put a script in its place, which needs the home
/// folder of its user.
fn python(host: &Host) -> std::result::Result<PathBuf, String> {
    let path = SearchPath::of_process(&host.folder).find("python3");
    let python = path.ok_or_else(|| "python3 is not on the search path".to_owned())?;
    let output = Command::new(&python).args(["-I", "-c", "import sys; print(sys.executable)"]).output();
    let output = output.map_err(|error| format!("{}: {error}", python.display()))?;
    let executable = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let folder = executable.parent().filter(|_| output.status.success() && executable.is_absolute());
    folder.map(Path::to_owned).ok_or_else(|| format!("{} does not run", python.display()))
}

/// How a part ended.
enum Ended {
    /// It was played.
    Played(Vec<Step>),
    /// It could not be played to its end.
    Broken(Failure),
    /// This machine lacks what it needs.
    LeftOut(String),
}

impl Ended {
    /// Lists what is not as expected.
    fn unexpected(&self) -> Vec<String> {
        match self {
            Self::Played(steps) => steps.iter().flat_map(Step::unexpected).collect(),
            Self::Broken(failure) => vec![failure.to_string()],
            Self::LeftOut(_) => Vec::new(),
        }
    }
}

/// Runs the command.
pub fn run(_arguments: &Arguments, host: &Host, output: Output) -> Result {
    let output = output.or_human();
    let (python, sandbox) = (python(host), sandbox_beside(&host.folder, SandboxDemand::Require));
    let no_python = python.as_ref().err().map(|why| (Need::Python, why.clone()));
    let no_sandbox = sandbox.err().map(|error| (Need::Sandbox, error.to_string()));
    let lacking: Lacking = no_python.into_iter().chain(no_sandbox).collect();
    let player = Player::new(host, python.ok().as_deref(), output.format)?;
    let mut all = Vec::new();
    play_all(&player, &lacking, &mut |at, ended| {
        if output.format != Format::Json {
            print(&shown(at, &PARTS[at], &ended, output.format));
        }
        all.push(ended);
    });
    if output.format == Format::Json {
        let parts = PARTS.iter().zip(&all).map(|(part, ended)| document(part, ended)).collect();
        print(&format!("{}\n", json!(DemoDocument::of(parts))));
    } else {
        print(&summary(&all));
    }
    Ok(if all.iter().any(|ended| !ended.unexpected().is_empty()) {
        Exit::NotAccepted
    } else if all.iter().any(|ended| matches!(ended, Ended::LeftOut(_))) {
        Exit::Unjudged
    } else {
        Exit::Done
    })
}

/// Plays every part, as many at a time as there are processors, and hands them over in their order.
fn play_all(player: &Player<'_>, lacking: &Lacking, each: &mut dyn FnMut(usize, Ended)) {
    let next = AtomicUsize::new(0);
    let (sender, ended): (Sender<(usize, Ended)>, Receiver<_>) = channel();
    let sender = Mutex::new(sender);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from).min(PARTS.len()) {
            let Ok(sender) = sender.lock().map(|sender| sender.clone()) else { return };
            let next = &next;
            scope.spawn(move || {
                while let Some((at, part)) = PARTS.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = play(part, player, lacking);
                    // The receiver is gone, so the other parts are not needed any more.
                    if sender.send((at, ended)).is_err() {
                        return;
                    }
                }
            });
        }
        let mut waiting: Vec<Option<Ended>> = PARTS.iter().map(|_| None).collect();
        for shown in 0..PARTS.len() {
            while waiting[shown].is_none() {
                let Ok((at, ended)) = ended.recv() else { return };
                waiting[at] = Some(ended);
            }
            if let Some(ended) = waiting[shown].take() {
                each(shown, ended);
            }
        }
    });
}

fn play(part: &Part, player: &Player<'_>, lacking: &Lacking) -> Ended {
    if let Some((_, why)) = lacking.iter().find(|(need, _)| part.needs.contains(need)) {
        return Ended::LeftOut(why.clone());
    }
    match (part.play)(player) {
        Ok(steps) => Ended::Played(steps),
        Err(failure) => Ended::Broken(failure),
    }
}

/// Shows a part: its title, what was typed and printed, what is not as expected, and what to type next.
fn shown(at: usize, part: &Part, ended: &Ended, format: Format) -> String {
    let title = format!("{}. {}", at + 1, part.title);
    let markdown = format == Format::Markdown;
    let mut text = if markdown { format!("## {title}\n\n```text\n") } else { format!("{}\n", styled(STRONG, &title)) };
    match ended {
        Ended::Played(steps) => {
            for step in steps {
                text.push_str(&format!("  {}\n", quiet(&format!("$ {}", step.command))));
                text.extend(step.lines.iter().map(|line| format!("  {line}\n")));
            }
        }
        Ended::Broken(_) => {}
        Ended::LeftOut(why) => text.push_str(&format!("  {} {why}\n", styled(DOUBTFUL, "left out:"))),
    }
    for what in ended.unexpected() {
        text.push_str(&format!("  {} {what}\n", styled(BAD, "not as expected:")));
    }
    if markdown {
        text.push_str("```\n\n");
    }
    text.push_str(&if markdown { format!("Next: `{}`\n\n", part.next) } else { format!("  Next: {}\n\n", part.next) });
    text
}

fn document<'a>(part: &Part, ended: &'a Ended) -> DemoPart<'a> {
    let step = |step: &'a Step| DemoStep { command: &step.command, exit: step.exit, result: &step.result };
    let (mut steps, mut error, mut left_out) = (None, None, None);
    match ended {
        Ended::Played(played) => steps = Some(played.iter().map(step).collect()),
        Ended::Broken(failure) => error = Some(failure.to_string()),
        Ended::LeftOut(why) => left_out = Some(why.as_str()),
    }
    let as_expected = steps.is_some() && ended.unexpected().is_empty();
    DemoPart { title: part.title, courts: part.courts, as_expected, steps, error, left_out }
}

/// Says how many parts behaved as expected, and names the others.
fn summary(all: &[Ended]) -> String {
    let numbers = |which: &dyn Fn(&Ended) -> bool| {
        let numbers = all.iter().enumerate().filter(|(_, ended)| which(ended)).map(|(at, _)| (at + 1).to_string());
        numbers.collect::<Vec<_>>().join(", ")
    };
    let wrong = numbers(&|ended| !ended.unexpected().is_empty());
    let left_out = numbers(&|ended| matches!(ended, Ended::LeftOut(_)));
    if wrong.is_empty() && left_out.is_empty() {
        return format!("{} every court behaved as expected\n", styled(GOOD, "✓"));
    }
    let mut text = String::new();
    if !wrong.is_empty() {
        text.push_str(&format!("{} not as expected: {wrong}\n", styled(BAD, "✗")));
    }
    if !left_out.is_empty() {
        text.push_str(&format!("{} left out on this machine: {left_out}\n", styled(DOUBTFUL, "?")));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::court::COURTS;

    #[test]
    fn every_court_has_a_part() {
        let shown: BTreeSet<&str> = PARTS.iter().flat_map(|part| part.courts).copied().collect();
        let courts: BTreeSet<&str> = COURTS.iter().map(|court| court.id()).collect();
        assert!(courts.is_subset(&shown), "{courts:?} {shown:?}");
    }

    #[test]
    fn what_is_not_as_expected_or_left_out_is_named() {
        let broken = || Ended::Broken(Failure::new("the disk is full"));
        let left_out = || Ended::LeftOut("python3 is not on the search path".to_owned());
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain(summary(&[Ended::Played(Vec::new())])), "✓ every court behaved as expected\n");
        let all = [broken(), left_out(), Ended::Played(Vec::new()), broken()];
        assert_eq!(plain(summary(&all)), "✗ not as expected: 1, 4\n? left out on this machine: 2\n");
        let part = Part { title: "A part", courts: &[], needs: &[], play: |_| Ok(Vec::new()), next: "assize init" };
        let expected = "1. A part\n  not as expected: the disk is full\n  Next: assize init\n\n";
        assert_eq!(plain(shown(0, &part, &broken(), Format::Human)), expected);
        let expected = "2. A part\n  left out: python3 is not on the search path\n  Next: assize init\n\n";
        assert_eq!(plain(shown(1, &part, &left_out(), Format::Human)), expected);
        assert_eq!(document(&part, &left_out()).left_out, Some("python3 is not on the search path"));
        assert!(!document(&part, &left_out()).as_expected);
    }
}
