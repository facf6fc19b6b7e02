//! A stop that is blocked, and then allowed.

use assize_core::ruling::Outcome;

use super::play::{Player, Step};
use super::{Part, Result};
use crate::command::hook::rehearse;
use crate::court::stop::ID;
use crate::demo_repository::{DemoRepository, DemoSession};

/// What the user asks for.
pub const TASK: &str =
    "Add a function `parse_duration` to src/duration.rs that reads \"1h30m\" into seconds, and test it.";
/// A package without the function.
pub const FILES: [(&str, &str); 2] =
    [("Cargo.toml", include_str!("../../../demo/stop/Cargo.toml.txt")), ("src/lib.rs", "pub mod duration;\n")];
/// The function and its test.
pub const WORK: &str = include_str!("../../../demo/stop/duration.rs.txt");
/// What the last run of the tests printed.
pub const PASSED: &str = include_str!("../../../demo/stop/tests-passed.txt");
const STUB: &str = include_str!("../../../demo/stop/duration-stub.rs.txt");
const FAILED: &str = include_str!("../../../demo/stop/tests-failed.txt");

/// The part.
pub const PART: Part = Part {
    title: "Stop: the agent says that it is done. The function is a stub, and the last test run failed.",
    courts: &[ID],
    needs: &[],
    play,
    next: "assize init",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = DemoRepository::new(&FILES)?;
    let host = player.host(&repository);
    let mut session = DemoSession::new(repository, &host, rehearse, "demo-stop");
    session.prompt(TASK)?;
    session.edits("src/duration.rs", STUB)?;
    session.runs("cargo test", FAILED, true)?;
    session.stops("I've added `parse_duration`. All tests pass.")?;
    let blocked = session.last_ruling()?;
    session.edits("src/duration.rs", WORK)?;
    session.runs("cargo test", PASSED, false)?;
    session.stops("`parse_duration` reads hours, minutes and seconds, and has a test. All tests pass.")?;
    let allowed = session.last_ruling()?;
    Ok(vec![
        player.hook(
            "the agent stops",
            &blocked,
            Outcome::Revise,
            &["revise  blocked", "[contradicted-claim]", "[placeholder-added]"],
        ),
        player.hook(
            "the agent did the work, ran the tests and stops again",
            &allowed,
            Outcome::Accept,
            &["accept  allowed", "no finding that blocks"],
        ),
    ])
}
