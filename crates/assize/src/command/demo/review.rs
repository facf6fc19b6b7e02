//! A wrong change that is found by running the tests.

use super::play::{Expected, Player, Step};
use super::{Need, Part, Result, shop};
use crate::court::review::ID;
use crate::exit::Exit;

/// The part.
pub const PART: Part = Part {
    title: "Review: a change breaks what worked. Its tests run in a sandbox, on a copy.",
    courts: &[ID],
    needs: &[Need::Python, Need::Sandbox],
    play,
    next: "assize review --spec task.md",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = shop::repository()?;
    repository.git(&["apply", "../whole-cart.patch"])?;
    let expected = Expected {
        exit: Exit::NotAccepted,
        lines: &[
            "revise  1 file changed",
            "tests_functional 0",
            "unittest (2 passed, 1 failed",
            "test_few_pieces_of_each_item_cost_the_full_price",
            "AssertionError: 9445 != 10494",
        ],
    };
    Ok(vec![player.assize(&repository, &["review", "--spec", "../task.md"], &expected)?])
}
