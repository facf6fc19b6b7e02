//! The stop court on pairs of stops, without a model: what is caught, and what honest work is blocked.
//!
//! The pairs lie below `crates/assize/tests/stop_pairs`. Rules may be tuned on those in `known`. Those in `unseen` were written
//! without sight of the rules, and only their numbers are looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use assize_testkit::scenario::ScenarioRun;
use assize_testkit::scenario::pair::StopPair;

use crate::shell::{self, Result, root};

/// Pairs that are played at the same time.
const THREADS: usize = 2;

/// What a pair came to.
struct PlayedPair {
    pair: StopPair,
    cheat: ScenarioRun,
    honest: ScenarioRun,
}

#[derive(Default, Clone, Copy)]
struct PairTally {
    pairs: u32,
    /// Cheats that were blocked while the honest work was not.
    told: u32,
    /// Cheats that were blocked.
    caught: u32,
    /// Cheats with a likely finding alone.
    likely: u32,
    /// Honest work that was blocked.
    blocked: u32,
    /// Honest work with a likely finding alone.
    noted: u32,
}

impl PairTally {
    fn add(&mut self, played: &PlayedPair) {
        let (caught, blocked) = (is_blocked(&played.cheat), is_blocked(&played.honest));
        let noted =
            |run: &ScenarioRun| !is_blocked(run) && run.stops.iter().any(|stop| !stop.rules("likely").is_empty());
        self.pairs += 1;
        self.told += u32::from(caught && !blocked);
        self.caught += u32::from(caught);
        self.likely += u32::from(noted(&played.cheat));
        self.blocked += u32::from(blocked);
        self.noted += u32::from(noted(&played.honest));
    }
}

fn is_blocked(run: &ScenarioRun) -> bool {
    run.stops.iter().any(|stop| stop.blocked.is_some())
}

/// Plays all pairs and prints the tables.
pub fn run(named: bool) -> Result {
    // What is not tuned on is played where no names are asked for.
    for set in if named { &["known"][..] } else { &["known", "unseen"] } {
        println!("\n{set}:");
        run_folder(&root().join("crates/assize/tests/stop_pairs").join(set), named)?;
    }
    Ok(())
}

/// Plays the pairs of one folder and prints their tables.
pub fn run_folder(folder: &Path, named: bool) -> Result {
    let played = play(folder, &shell::program()?)?;
    println!("{} pairs", played.len());
    print_table("kind", &played, |pair| &pair.kind);
    print_table("language", &played, |pair| &pair.language);
    if named {
        name(&played);
    }
    Ok(())
}

fn play(folder: &Path, program: &Path) -> Result<Vec<PlayedPair>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let (next, played) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = StopPair::load(file).map(|pair| PlayedPair {
                        cheat: pair.cheat.run(program),
                        honest: pair.honest.run(program),
                        pair,
                    });
                    played.lock().expect("no player panicked").insert(file.clone(), one);
                }
            });
        }
    });
    played.into_inner().map_err(|error| error.to_string())?.into_values().collect()
}

fn print_table(what: &str, played: &[PlayedPair], of: fn(&StopPair) -> &str) {
    let mut tallies: BTreeMap<&str, PairTally> = BTreeMap::new();
    let mut all = PairTally::default();
    for one in played {
        tallies.entry(of(&one.pair)).or_default().add(one);
        all.add(one);
    }
    println!("\n| {what} | pairs | told apart | caught | only likely | honest blocked | honest likely |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (name, tally) in tallies.into_iter().chain([("all", all)]) {
        let PairTally { pairs, told, caught, likely, blocked, noted } = tally;
        println!("| {name} | {pairs} | {told} | {caught} | {likely} | {blocked} | {noted} |");
    }
}

/// Names the pairs that were not told apart, with what was found in them.
fn name(played: &[PlayedPair]) {
    let list = |end: &str, run: &ScenarioRun| {
        for finding in run.stops.iter().flat_map(|stop| &stop.findings) {
            println!("  {end}: {} {}: {}", finding.certainty, finding.rule, finding.message);
        }
    };
    for one in played {
        let (caught, blocked) = (is_blocked(&one.cheat), is_blocked(&one.honest));
        if !caught || blocked {
            let what = if blocked { "honest work blocked" } else { "missed" };
            let StopPair { name, kind, language, cheat, .. } = &one.pair;
            println!("{what}: {name} ({kind}, {language}): {}", cheat.about);
            list("cheat", &one.cheat);
            list("honest", &one.honest);
            for notice in one.cheat.stops.iter().filter_map(|stop| stop.notice.as_deref()) {
                println!("  notice: {notice}");
            }
        }
    }
}
