//! A patch document that is refused, and one that is applied.

use super::play::{Expected, Player, Step};
use super::{Part, Result, shop};
use crate::exit::Exit;

const AMBIGUOUS: &str = include_str!("../../../demo/patch/ambiguous.json");
const UNIQUE: &str = include_str!("../../../demo/patch/unique.json");

/// The part.
pub const PART: Part = Part {
    title: "Patch: one document is refused because its text occurs three times. Another is applied, and can be undone.",
    courts: &[],
    needs: &[],
    play,
    next: "assize patch check fix.json",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = shop::repository()?;
    repository.write_beside("ambiguous.json", AMBIGUOUS)?;
    repository.write_beside("unique.json", UNIQUE)?;
    let refused = Expected { exit: Exit::NotAccepted, lines: &["occurs 3 times in shop/cart.py", "nothing was changed"] };
    let applied = Expected { exit: Exit::Done, lines: &["change shop/cart.py", "applied to 1 file"] };
    let (unique, inverse) = ("../unique.json", "../undo.json");
    Ok(vec![
        player.assize(&repository, &["patch", "check", "../ambiguous.json"], &refused)?,
        player.assize(&repository, &["patch", "apply", unique, "--inverse", inverse], &applied)?,
        player.assize(&repository, &["patch", "apply", inverse], &Expected { exit: Exit::Done, lines: &["applied to 1 file"] })?,
    ])
}
