//! Measures what a tournament costs beside the gates that it runs.
//!
//! Eight candidates of one project, whose tests take their time, are judged on as many processors as there are. What the
//! gates themselves took is what the results say of each run, the doubled runs that put tests to the test included; the
//! same test command without Assize stands beside it.

use assize_testkit::repo::Repo;
use serde_json::{Value, json};

use super::{TimedRun, timed};
use crate::shell::{self, Result};

const CANDIDATES: usize = 8;
/// How long a test counts. With it a run takes a second or two.
const STEPS: u64 = 120_000_000;

/// Makes the project, holds the tournament and prints the table.
pub fn run() -> Result {
    let repo = project();
    let patches: Vec<String> = (0..CANDIDATES)
        .map(|number| {
            let name = repo.outside().join(format!("candidate-{number}.json"));
            let replace = format!("total = (total + {} + {number}) % modulus", "step");
            let ops = json!({"ops": [{"kind": "edit", "path": "src/count.js", "find": "total = (total + step) % modulus", "replace": replace}]});
            std::fs::write(&name, ops.to_string()).map(|()| name.to_string_lossy().into_owned())
        })
        .collect::<std::io::Result<_>>()
        .map_err(|error| error.to_string())?;
    let in_shell = |line: &str| timed(&repo.path(), repo.outside(), line);
    let plain = in_shell("node --test")?;
    let assize = shell::release_program()?;
    let call = format!("'{}' tournament --format json {}", assize.display(), quoted(&patches));
    let TimedRun { wall, processor, printed } = in_shell(&call)?;
    let result: Value = serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))?;
    let results = result["results"].as_array().ok_or("there are no results")?;
    let gates = results.iter().flat_map(|result| result["report"]["gates"].as_array().into_iter().flatten());
    let gates: u64 = gates.filter_map(|gate| gate["time_ms"].as_u64()).sum();
    let (gates, cores) = (gates as f64 / 1_000.0, std::thread::available_parallelism().map_or(1, usize::from) as f64);
    let judged = results.iter().filter(|result| result["outcome"] == "accept").count();
    if judged != CANDIDATES {
        return Err(format!("{judged} of {CANDIDATES} candidates were accepted: {printed}"));
    }
    println!("\n{CANDIDATES} candidates on {cores} processors");
    let row = |name: &str, wall: f64, cpu: f64| println!("{name:64} {wall:>8.1} s {cpu:>8.1} s");
    println!("{:64} {:>10} {:>10}", "", "wall", "processor");
    row("node --test, once", plain.wall, plain.processor);
    row("assize tournament", wall, processor);
    println!("{:64} {gates:>8.1} s", "all runs of gates on candidates, added up");
    println!("{:64} {:>10.2}", "the tournament's time on all processors, of the gates' own time", wall * cores / gates);
    println!(
        "{:64} {:>10.2}",
        "its processor time, of the plain commands' for all candidates",
        processor / (plain.processor * CANDIDATES as f64)
    );
    Ok(())
}

fn project() -> Repo {
    let count = "export function count(steps) {\n  const modulus = 1000003;\n  let total = 0;\n  for (let step = 0; step < steps; step++) {\n    total = (total + step) % modulus;\n  }\n  return total;\n}\n";
    let test = |name: &str| {
        format!(
            "import {{ test }} from 'node:test';\nimport assert from 'node:assert/strict';\nimport {{ count }} from '../src/count.js';\n\ntest('{name}', () => {{\n  const total = count({STEPS});\n  assert.equal(total >= 0 && total < 1000003, true);\n}});\n"
        )
    };
    Repo::with_commit(&[
        ("package.json", "{\"type\":\"module\",\"scripts\":{\"test\":\"node --test\"}}\n"),
        ("src/count.js", count),
        ("test/first.test.js", &test("counts")),
        ("test/second.test.js", &test("counts again")),
    ])
}

fn quoted(paths: &[String]) -> String {
    paths.iter().map(|path| format!("'{path}'")).collect::<Vec<_>>().join(" ")
}
