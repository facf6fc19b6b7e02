//! The same change, fixed by a program that stands in for a model or a coding agent.

use super::play::{Expected, Player, Step};
use super::{Need, Part, Result, shop};
use crate::court::fix::ID;
use crate::exit::Exit;

const FIXER: &str = include_str!("../../../demo/change/fixer.sh");

/// The part.
pub const PART: Part = Part {
    title: "Fix: a fixer, here a script, corrects that change in a copy. Only what the court accepts is written back.",
    courts: &[ID],
    needs: &[Need::Python, Need::Sandbox],
    play,
    next: "assize fix --tools-only",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = shop::repository()?;
    repository.git(&["apply", "../whole-cart.patch"])?;
    repository.write_beside("fixer.sh", FIXER)?;
    let fixer = toml::Value::from(repository.beside("fixer.sh").display().to_string());
    let settings = format!("[gates]\nsandbox = \"require\"\n\n[fixer.command]\nargv = [\"sh\", {fixer}]\n");
    repository.write_beside("fix.toml", &settings)?;
    let expected = Expected {
        exit: Exit::Done,
        lines: &["accept  it is accepted", "1. tools", "2. fixer", "better in: no regression", "written to 2 files"],
    };
    let arguments = ["fix", "--config", "../fix.toml", "--spec", "../task.md", "--yes"];
    Ok(vec![player.assize(&repository, &arguments, &expected)?])
}
