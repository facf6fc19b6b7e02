//! A data set that is judged by recorded verdicts, and the evaluation of the judge that gave them.

use assize_eval::court::COURT;

use super::play::{Expected, Player, Step};
use super::{Part, Result};
use crate::demo_repository::DemoRepository;
use crate::exit::Exit;

const GUIDES: &str = include_str!("../../../demo/guides/guides.jsonl");
const VERDICTS: &str = include_str!("../../../demo/guides/verdicts.jsonl");
const LABELS: &str = include_str!("../../../demo/guides/labels.csv");

/// The part.
pub const PART: Part = Part {
    title: "Data set: twelve repair guides, judged by a rubric with recorded verdicts. Labels say how far to trust the judge.",
    courts: &[COURT],
    needs: &[],
    play,
    next: "assize eval lint rubric.toml",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let files = [("guides.jsonl", GUIDES), ("verdicts.jsonl", VERDICTS), ("labels.csv", LABELS)];
    let repository = DemoRepository::new(&files)?;
    let judged = Expected {
        exit: Exit::NotAccepted,
        lines: &["4 accepted, 7 rejected, 1 unjudged", "unjudged: 1 × malformed", "[count-contradicted]"],
    };
    let evaluated = Expected {
        exit: Exit::Unjudged,
        lines: &[
            "inconclusive  handed-in",
            "judged and labelled: 11 where 30 are asked for",
            "no rate of all records can be relied on",
        ],
    };
    let run = ["eval", "run", "home-repair-strict", "guides.jsonl", "--verdicts", "verdicts.jsonl"];
    let calibrate =
        ["eval", "calibrate", "home-repair-strict", "guides.jsonl", "--verdicts", "verdicts.jsonl", "--labels", "labels.csv"];
    Ok(vec![player.assize(&repository, &run, &judged)?, player.assize(&repository, &calibrate, &evaluated)?])
}
