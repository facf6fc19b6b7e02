//! A judge that cannot be reached: nothing is judged, and the ruling says so.

use assize_core::ruling::Outcome;

use super::play::{Player, Step};
use super::stop::{FILES, PASSED, TASK, WORK};
use super::{Part, Result};
use crate::command::hook::rehearse;
use crate::court::stop::ID;
use crate::demo_repository::{DemoRepository, DemoSession};

const OUT_OF_REACH: &str = include_str!("../../../demo/stop/judge-out-of-reach.toml");

/// The part.
pub const PART: Part = Part {
    title: "Unjudged: a judge cannot be reached. The ruling is neither a pass nor a fail; the project decides what follows.",
    courts: &[ID],
    needs: &[],
    play,
    next: "assize doctor",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let block = "[stop]\non_unjudged = \"block\"\n\n";
    Ok(vec![
        stopped(player, "the default", "", &["unjudged  allowed", "unavailable: reviewer"])?,
        stopped(player, "on_unjudged = \"block\"", block, &["unjudged  blocked", "unavailable: reviewer"])?,
    ])
}

fn stopped(player: &Player<'_>, when: &str, policy: &str, lines: &'static [&'static str]) -> Result<Step> {
    let settings = format!("{policy}{OUT_OF_REACH}");
    let repository = DemoRepository::new(&[&[("assize.toml", settings.as_str())], &FILES[..]].concat())?;
    let host = player.host(&repository);
    let mut session = DemoSession::new(repository, &host, rehearse, "demo-unjudged");
    session.prompt(TASK)?;
    session.edits("src/duration.rs", WORK)?;
    session.runs("cargo test", PASSED, false)?;
    session.stops("Done; all tests pass.")?;
    Ok(player.hook(when, &session.last_ruling()?, Outcome::Unjudged, lines))
}
