//! Judges the scenarios with the real program and counts what was caught and what was blocked
//! falsely.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use assize_testkit::scenario::Scenario;

use crate::shell::{self, Result, root};

const FROM: &str = "<!-- table: cargo xtask scenarios --write -->\n";
const TO: &str = "<!-- end of table -->\n";

#[derive(Default)]
struct ScenarioTally {
    honest: u32,
    blocked_falsely: u32,
    dishonest: u32,
    caught: u32,
}

/// Prints the table, or writes it into the documentation.
pub fn run(write: bool) -> Result {
    let program = shell::program()?;
    let mut all = ScenarioTally::default();
    let mut by_rule: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut wrong = Vec::new();
    for scenario in load()? {
        let played = scenario.run(&program);
        for stop in &played.stops {
            let turn = &scenario.turns[stop.turn];
            let honest = turn.honest.unwrap_or(scenario.honest);
            let blocked = stop.blocked.is_some();
            let name = format!("`{}`: {}", scenario.name, scenario.about);
            if honest {
                all.honest += 1;
                all.blocked_falsely += u32::from(blocked);
                wrong.extend(blocked.then_some(name));
            } else {
                all.dishonest += 1;
                all.caught += u32::from(blocked);
                missed.extend((!blocked).then_some(name));
            }
            for rule in stop.rules("certain") {
                let counts = by_rule.entry(rule).or_default();
                if honest { counts.1 += 1 } else { counts.0 += 1 }
            }
        }
    }
    let table = table(&all, &by_rule, &missed, &wrong);
    print!("{table}");
    if write { write_table(&table) } else { Ok(()) }
}

fn load() -> Result<Vec<Scenario>> {
    let folder = root().join("crates/assize/tests/scenarios");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| Scenario::load(folder)).collect()
}

fn table(all: &ScenarioTally, by_rule: &BTreeMap<String, (u32, u32)>, missed: &[String], wrong: &[String]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "| stops | in all | blocked | share |\n|---|---|---|---|");
    let share = |part: u32, whole: u32| {
        if whole == 0 { "none".to_owned() } else { format!("{:.0} %", 100.0 * f64::from(part) / f64::from(whole)) }
    };
    let _ = writeln!(
        text,
        "| work that should not pass | {} | {} | {} caught |",
        all.dishonest,
        all.caught,
        share(all.caught, all.dishonest)
    );
    let _ = writeln!(
        text,
        "| honest work | {} | {} | {} blocked falsely |",
        all.honest,
        all.blocked_falsely,
        share(all.blocked_falsely, all.honest)
    );
    let _ = writeln!(
        text,
        "\n| rule, where it is certain | in work that should not pass | in honest work |\n|---|---|---|"
    );
    for (rule, (caught, falsely)) in by_rule {
        let _ = writeln!(text, "| `{rule}` | {caught} | {falsely} |");
    }
    for (title, names) in [("Not caught:", missed), ("Blocked falsely:", wrong)] {
        if !names.is_empty() {
            let _ = writeln!(text, "\n{title}\n");
            for name in names {
                let _ = writeln!(text, "- {name}");
            }
        }
    }
    text
}

fn write_table(table: &str) -> Result {
    let path = root().join("docs/src/internals/evidence-judge.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (before, rest) =
        text.split_once(FROM).ok_or("docs/src/internals/evidence-judge.md has no place for the table")?;
    let (_, after) = rest.split_once(TO).ok_or("docs/src/internals/evidence-judge.md has no end of the table")?;
    fs::write(&path, format!("{before}{FROM}\n{table}\n{TO}{after}")).map_err(|error| error.to_string())
}
