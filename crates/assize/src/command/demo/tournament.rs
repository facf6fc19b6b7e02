//! Three candidates, of which one works.

use super::play::{Expected, Player, Step};
use super::{Need, Part, Result, shop};
use crate::court::tournament::ID;
use crate::exit::Exit;

const STALE: &str = include_str!("../../../demo/change/stale.patch");

/// The part.
pub const PART: Part = Part {
    title: "Tournament: of three candidates one breaks a test, one does not fit, and one works.",
    courts: &[ID],
    needs: &[Need::Python, Need::Sandbox],
    play,
    next: "assize tournament a.patch b.patch --spec task.md",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = shop::repository()?;
    repository.write_beside("stale.patch", STALE)?;
    let candidates = ["../whole-cart.patch", "../stale.patch", "../each-item.patch"];
    let arguments = [&["tournament"], &candidates[..], &["--spec", "../task.md"]].concat();
    let expected = Expected {
        exit: Exit::Done,
        lines: &["../each-item.patch is best", "rank  candidate", "1  ../each-item.patch", "2  ../whole-cart.patch", "3  ../stale.patch"],
    };
    Ok(vec![player.assize(&repository, &arguments, &expected)?])
}
