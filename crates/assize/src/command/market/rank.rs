//! `assize market rank --spec FILE BID…`: which of several bids wins, and why.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assize_core::market::bid::{BID_BYTES_MAX, Bid, Measured};
use assize_core::market::blind::{order, proposal_id};
use assize_core::market::ranking::{Dimensions, Entry, Parts, explained, objective, rank, selected};
use assize_engine::brief;
use assize_engine::market::known::Known;

use super::extract::{SpecificationArguments, requirements};
use crate::cli::{Output, print};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::own_file;
use crate::render::{self, Format};

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
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  assize market rank --spec issue.md fast.json careful.json
  assize market rank --spec issue.md bids/*.json --format json

What a bid covers, touches and may break is computed from the files and requirements that it names. No judge is asked: quality and
innovation are unjudged, and the other dimensions decide.

Exit codes: 0 a bid is taken \u{b7} 1 none reaches 0.5: a person has to look \u{b7} 2 something cannot be read";

/// A bid and the file that it came in.
struct Handed {
    file: String,
    bid: Bid,
}

/// Runs `assize market rank`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let requirements = requirements(&arguments.specification, host)?.requirements;
    let bids = arguments.bids.iter().map(|path| read(host, path)).collect::<Result<Vec<Handed>>>()?;
    let survey = brief::survey(&host.project(), host.cache().as_deref());
    let known = Known::of(&survey);
    let (mut entries, mut files) = (Vec::new(), BTreeMap::new());
    for (place, came) in order(arguments.seed, "bids", bids.len()).into_iter().enumerate() {
        let Handed { file, bid } = &bids[came];
        let measured = Measured::of(bid, &requirements, &known);
        let proposal_id = proposal_id(place);
        files.insert(proposal_id.clone(), file.clone());
        entries.push(Entry {
            proposal_id,
            submitted_ms: came as u64,
            scores: objective(bid, &measured, &requirements, &Parts::default()),
            reasoning: explained(bid, &measured, &requirements),
        });
    }
    let ranking = rank(entries, &Dimensions::default());
    print(&match output.format {
        Format::Json => render::market::ranking_envelope(&ranking, &files, arguments.seed).to_string() + "\n",
        Format::Human => render::market::ranking_human(&ranking, &files),
        Format::Markdown => render::market::ranking_markdown(&ranking, &files),
    });
    Ok(if selected(&ranking).is_some() { Exit::Done } else { Exit::NotAccepted })
}

fn read(host: &Host, path: &Path) -> Result<Handed> {
    let text = own_file::read_text(host, path, "the bid", BID_BYTES_MAX as u64)?;
    let bid = Bid::read(&text).map_err(|error| Failure::new(format!("the bid {}: {error}", path.display())))?;
    Ok(Handed { file: path.display().to_string(), bid })
}
