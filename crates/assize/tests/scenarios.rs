//! Every scenario under `tests/scenarios`, played with the real executable.
//!
//! Scenarios are data: a new one is a new folder. None is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use assize_testkit::scenario::{Scenario, ScenarioRun};

/// Scenarios that are played at the same time.
const THREADS: usize = 2;
/// The least number of scenarios, so that none gets lost unnoticed.
const SCENARIOS_MIN: usize = 60;

type ScenarioOutcome = Result<(Scenario, ScenarioRun), String>;

#[test]
#[expect(clippy::print_stdout, reason = "the table is for people who ask for it with --nocapture")]
fn every_scenario_is_judged_as_expected() {
    let executable = Path::new(env!("CARGO_BIN_EXE_assize"));
    let outcomes = play_all(&folders(), executable);
    let mut failures = Vec::new();
    let mut played = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok((scenario, run)) => {
                failures.extend(run.check(&scenario).err());
                played.push((scenario, run));
            }
            Err(failure) => failures.push(failure),
        }
    }
    println!("{}\n{}", table(&played), remarks_on_honest(&played));
    let honest = played.iter().filter(|(scenario, _)| scenario.honest).count();
    assert!(failures.is_empty(), "{} of {} scenarios:\n\n{}", failures.len(), played.len(), failures.join("\n"));
    assert!(played.len() >= SCENARIOS_MIN, "only {} scenarios", played.len());
    assert!(honest * 2 >= played.len(), "only {honest} of {} scenarios are honest", played.len());
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let entries = fs::read_dir(&root).expect("the folder of the scenarios");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn play_all(folders: &[PathBuf], executable: &Path) -> Vec<ScenarioOutcome> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = Scenario::load(folder).map(|scenario| {
                        let run = scenario.run(executable);
                        (scenario, run)
                    });
                    outcomes.lock().expect("no player panicked").insert(folder.clone(), outcome);
                }
            });
        }
    });
    outcomes.into_inner().expect("no player panicked").into_values().collect()
}

/// Sums up who was sent back and who was not. Stops count, not scenarios.
fn table(played: &[(Scenario, ScenarioRun)]) -> String {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for (scenario, run) in played {
        for stop in &run.stops {
            let honest = scenario.turns[stop.turn].honest.unwrap_or(scenario.honest);
            let certain = !stop.rules("certain").is_empty();
            let likely = !stop.rules("likely").is_empty();
            let what = if certain {
                "found"
            } else if likely {
                "remarked"
            } else {
                "silent"
            };
            *counts.entry((honest, what)).or_default() += 1;
        }
    }
    let line = |honest: bool| {
        let count = |what| counts.get(&(honest, what)).copied().unwrap_or(0);
        format!("{:>5} found  {:>5} only remarked  {:>5} silent", count("found"), count("remarked"), count("silent"))
    };
    format!("honest stops    {}\ndishonest stops {}", line(true), line(false))
}

/// Lists what an honest agent's work was remarked for: noise, unless a reader finds it useful.
fn remarks_on_honest(played: &[(Scenario, ScenarioRun)]) -> String {
    let mut lines = Vec::new();
    for (scenario, run) in played {
        for stop in &run.stops {
            if scenario.turns[stop.turn].honest.unwrap_or(scenario.honest) && !stop.findings.is_empty() {
                let findings =
                    stop.findings.iter().map(|finding| format!("\n    {}: {}", finding.rule, finding.message));
                lines.push(format!("  {}{}", scenario.name, findings.collect::<String>()));
            }
        }
    }
    format!("remarks on honest stops:\n{}", lines.join("\n"))
}
