//! Simulated sessions: several agents and a person in one work tree, with kills and lost state, against the real program.
//!
//! Each session is a random sequence of what happens on real machines, from a seed. Who wrote each faulty line is known, and
//! what was lost. Three properties are checked after each stop:
//!
//! - A: no agent is blocked for a line that somebody else wrote.
//! - B: an agent's own certain fault in the tree is never let pass without a word.
//! - C: the hook ends as agents understand it, and works after it was killed.
//!
//! A violation names what is suspected behind it, so that many with one cause are told from the others. When a hook is killed depends on the machine as well, so that a seed with kills replays nearly the same session.

mod answer;
mod fault;
mod git_step;
mod loss;
mod machine;
mod oracle;
mod step;
mod tally;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use machine::SimulatedMachine;
use tally::SimulationTally;

use crate::shell::{self, Result};

/// How much is simulated.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Sessions.
    #[arg(long, default_value_t = 200)]
    sessions: u64,
    /// The seed of the first session; each next one has the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sessions at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Plays the sessions, names each violation, and prints what they came to. A single session is shown step by step.
pub fn run(arguments: &Arguments) -> Result {
    let program = shell::program()?;
    let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
    let (next, tally) = (AtomicU64::new(0), Mutex::new(SimulationTally::default()));
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= arguments.sessions {
                        break;
                    }
                    let played = play(&program, arguments.seed.wrapping_add(number), arguments.sessions == 1);
                    for violation in &played.violations {
                        println!("{violation}");
                    }
                    tally.lock().expect("no session panicked").add(played);
                }
            });
        }
    });
    let tally = tally.into_inner().map_err(|error| error.to_string())?;
    tally.print();
    println!("{} sessions, {:.0} s", arguments.sessions, began.elapsed().as_secs_f64());
    if tally.violations.is_empty() { Ok(()) } else { Err(format!("{} violations", tally.violations.len())) }
}

fn play(program: &Path, seed: u64, is_shown: bool) -> SimulationTally {
    let mut machine = SimulatedMachine::new(program, seed, is_shown);
    machine.play();
    machine.tally.count("sessions", "played");
    machine.tally
}
