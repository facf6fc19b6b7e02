//! `assize market rank --spec FILE BID…`: which of several bids wins, and why.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assize_engine::brief;
use assize_engine::court::review::project_copy;
use assize_engine::market::bid_scoring::{BidScoring, ScoredBids, affected};
use assize_engine::market::survey_lookup::SurveyLookup;
use assize_engine::work_copy::WorkCopy;
use assize_market::envelope::RankingEnvelope;
use serde_json::json;
use assize_market::bid::{BID_BYTES_MAX, Bid};
use assize_market::ranking::selected;

use super::extract::{Demanded, SpecificationArguments, requirements};
use super::panel::Panel;

use crate::command::review::failed as review_failed;
use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::whole_from;
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::render;

/// Arguments of `assize market rank`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The bids, in the order in which they came: each a file with `approach`, `changes`, `estimated_lines`, `risk` and
    /// `success_probability`.
    #[arg(required = true, value_name = "BID")]
    bids: Vec<PathBuf>,
    #[command(flatten)]
    specification: SpecificationArguments,
    /// The seed that draws in which order the bids are looked at; it stands in the result.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_from(0_u64))]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  assize market rank --spec issue.md fast.json careful.json
  assize market rank --spec issue.md bids/*.json --format json

What a bid covers, touches and may break is computed from the files and requirements that it names. The judges of `[market]` say how good and how elegant it is,
each of them several times and in another order each time; without judges the other dimensions decide.

Exit codes: 0 a bid is taken \u{b7} 1 none reaches 0.5: a person has to look \u{b7} 2 something cannot be read";

/// A bid and the file that holds it.
struct BidFile {
    file: String,
    bid: Bid,
}

/// Runs `assize market rank`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let panel = Panel::of(&config, host)?;
    let Demanded { requirements, no_box, .. } = requirements(&arguments.specification, host, &panel)?;
    if let Some(failure) = no_box {
        return Err(failure);
    }
    let bids = arguments.bids.iter().map(|path| read(host, path)).collect::<Result<Vec<BidFile>>>()?;
    let copy = copy(host)?;
    let survey = brief::survey_copy(&copy);
    let scoring = BidScoring {
        seed: arguments.seed,
        purpose: "bids",
        showings: config.market.showings,
        measures: &config.market.measures,
        judging: &panel,
    };
    let came: Vec<(u64, &Bid)> = bids.iter().enumerate().map(|(at, file)| (at as u64, &file.bid)).collect();
    let affected = affected(&copy, bids.iter().flat_map(|file| &file.bid.changes));
    let ScoredBids { named, ranking, .. } = scoring.rank(&came, &requirements, &SurveyLookup::of(&survey), &affected);
    let files: BTreeMap<String, String> = named.into_iter().map(|(name, at)| (name, bids[at].file.clone())).collect();
    print(&match output.format {
        Format::Json => format!("{}\n", json!(RankingEnvelope::of(&ranking, &files, arguments.seed))),
        Format::Human => render::market::ranking_human(&ranking, &files),
        Format::Markdown => render::market::ranking_markdown(&ranking, &files),
    });
    Ok(if selected(&ranking).is_some() { Exit::Done } else { Exit::NotAccepted })
}

fn read(host: &Host, path: &Path) -> Result<BidFile> {
    let text = own_file::read_text(host, path, "the bid", BID_BYTES_MAX as u64)?;
    let bid = Bid::read(&text).map_err(|error| Failure::new(format!("the bid {}: {error}", path.display())))?;
    Ok(BidFile { file: path.display().to_string(), bid })
}

fn copy(host: &Host) -> Result<WorkCopy> {
    project_copy(&host.project()).map_err(review_failed)
}
