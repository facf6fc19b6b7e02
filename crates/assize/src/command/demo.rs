//! `assize demo`: the court at work on bundled sessions.
//!
//! Nothing is staged but the agent: its events go through the code that hooks call, into a real
//! repository with a real ledger, in a temporary folder.

use serde_json::json;

use crate::cli::{Output, print};
use crate::exit::{Exit, Result};
use crate::host::Host;
use crate::render::{self, Format, STRONG, styled};
use crate::stage::Stage;

/// Arguments of `assize demo`.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

const TASK: &str = "Add a function `parse_duration` to src/duration.rs that reads \"1h30m\" into seconds, and test it.";
const CARGO: &str = "[package]\nname = \"clock\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const STUB: &str = "/// Reads a duration such as `1h30m` into seconds.\npub fn parse_duration(text: &str) -> Option<u64> {\n    todo!(\"handle hours\")\n}\n";
const WORK: &str = "/// Reads a duration such as `1h30m` into seconds.
pub fn parse_duration(text: &str) -> Option<u64> {
    let mut seconds = 0_u64;
    let mut number = String::new();
    for character in text.chars() {
        let unit = match character {
            '0'..='9' => {
                number.push(character);
                continue;
            }
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        let count: u64 = number.parse().ok()?;
        seconds = seconds.checked_add(count.checked_mul(unit)?)?;
        number.clear();
    }
    number.is_empty().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::parse_duration;

    #[test]
    fn units_add_up_and_nonsense_is_refused() {
        assert_eq!(parse_duration(\"1h30m\"), Some(5400));
        assert_eq!(parse_duration(\"90\"), None);
        assert_eq!(parse_duration(\"1x\"), None);
    }
}
";
const PASSED: &str = "running 1 test\ntest duration::tests::units_add_up_and_nonsense_is_refused ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
const FAILED: &str = "running 1 test\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";

/// Runs the command.
pub fn run(_arguments: &Arguments, host: &Host, output: Output) -> Result {
    let mut results = Vec::new();
    for (title, play) in SCENES {
        let stage = play(host)?;
        let entry = stage.last_ruling()?;
        match output.format {
            Format::Json => results.push(json!({"scene": title, "result": render::stop_envelope(&entry)})),
            Format::Human => print(&format!("{}\n{}\n", styled(STRONG, title), indent(&render::stop_record(&entry)))),
            Format::Markdown => print(&format!("# {title}\n\n{}\n", render::stop_markdown(&entry))),
        }
    }
    if output.format == Format::Json {
        print(&format!("{}\n", json!({"assize": 1, "scenes": results})));
    } else {
        output.note("Every ruling above came out of the code that an agent's hook calls, and stands in a ledger.\nNext: `assize init` in a project of yours.");
    }
    Ok(Exit::Done)
}

type Scene = (&'static str, fn(&Host) -> Result<Stage>);

const SCENES: [Scene; 4] = [
    ("1. The agent says that it is done. The function is a stub and the last test run failed.", premature),
    ("2. Sent back, it does the work and runs the tests.", honest),
    ("3. A judge is configured, but it cannot be reached: nothing is judged, and that is said.", unjudged),
    ("4. The same, in a project that sets on_unjudged = \"block\".", strict),
];

fn premature(host: &Host) -> Result<Stage> {
    let mut stage = Stage::new(host, "demo-1", "", &[("Cargo.toml", CARGO), ("src/lib.rs", "pub mod duration;\n")])?;
    stage.prompt(TASK)?;
    stage.edits("src/duration.rs", STUB)?;
    stage.runs("cargo test", FAILED, true)?;
    stage.stops("I've added `parse_duration`. All tests pass.")?;
    Ok(stage)
}

fn honest(host: &Host) -> Result<Stage> {
    let mut stage = premature(host)?;
    stage.edits("src/duration.rs", WORK)?;
    stage.runs("cargo test", PASSED, false)?;
    stage.stops("`parse_duration` reads hours, minutes and seconds; the test covers a sum, a missing unit and an unknown one. All tests pass.")?;
    Ok(stage)
}

const OUT_OF_REACH: &str =
    "[[judge]]\nid = \"reviewer\"\nkind = \"command\"\nargv = [\"assize-demo-judge-that-does-not-exist\"]\n";

fn unjudged(host: &Host) -> Result<Stage> {
    with_judge_out_of_reach(host, "")
}

fn strict(host: &Host) -> Result<Stage> {
    with_judge_out_of_reach(host, "[stop]\non_unjudged = \"block\"\n\n")
}

fn with_judge_out_of_reach(host: &Host, policy: &str) -> Result<Stage> {
    let configuration = format!("{policy}{OUT_OF_REACH}");
    let files = [("Cargo.toml", CARGO), ("src/lib.rs", "pub mod duration;\n")];
    // The judge's breaker and cache are those of the stage, not the user's.
    let mut stage = Stage::new(&without_cache(host), "demo-3", &configuration, &files)?;
    stage.prompt(TASK)?;
    stage.edits("src/duration.rs", WORK)?;
    stage.runs("cargo test", PASSED, false)?;
    stage.stops("Done; all tests pass.")?;
    Ok(stage)
}

fn without_cache(host: &Host) -> Host {
    let mut host = host.clone();
    host.environment.remove("HOME");
    host.environment.remove("XDG_CACHE_HOME");
    host
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
