//! How the market is shown: what is demanded, how bidders stand, what each event did, and what policies would have come to.

pub mod run;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use assize_market::envelope::expected_delta;
use assize_market::policy::{PastOutcomes, Policy, PolicyResult};
use assize_market::ranking::{Ranked, TOTAL_MIN, selected};
use assize_market::reputation::{Deltas, ReputationStep, Reputations};
use assize_market::requirement::{ExtractedBy, Requirements};

use super::columns::Columns;
use super::comment::escape;
use super::{count, visible};
use crate::output::{STRONG, quiet, styled};

/// Heights of a line that shows how a weight went, from the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Weights that such a line shows at most: the last ones.
const BARS_MAX: usize = 24;
fn extracted(requirements: &Requirements, ticked: usize) -> String {
    let explicit = requirements.explicit_requirements.len();
    let implicit = requirements.implicit_requirements.len();
    let components = count(requirements.components(), "component", "components");
    let explicit = count(explicit, "explicit requirement", "explicit requirements");
    let implicit = count(implicit, "implicit requirement", "implicit requirements");
    let done =
        if ticked > 0 { format!(", {}", count(ticked, "box is ticked", "boxes are ticked")) } else { String::new() };
    format!("{explicit} ({components}), {implicit}{done}")
}

/// Says that rules read the requirements out of the text, where no judge did.
fn by_whom(requirements: &Requirements) -> Option<&'static str> {
    (requirements.extracted_by == ExtractedBy::Rules)
        .then_some("read by rules: boxes, the items below them or their sentences, and what guidelines say must be")
}

/// Shows what is demanded to a person.
pub fn requirements_human(requirements: &Requirements, ticked: usize) -> String {
    let mut text = format!("{}\n", styled(STRONG, &extracted(requirements, ticked)));
    for requirement in &requirements.explicit_requirements {
        let _ = writeln!(text, "\n  {}  {}", requirement.id, visible(&requirement.checkbox));
        for (at, component) in requirement.components.iter().enumerate() {
            let _ = writeln!(text, "    {}  {}", quiet(&requirement.component_id(at)), visible(component));
        }
    }
    if !requirements.implicit_requirements.is_empty() {
        text.push('\n');
    }
    for requirement in &requirements.implicit_requirements {
        let reason = quiet(&visible(&requirement.reasoning));
        let _ = writeln!(text, "  {}  {}\n    {reason}", requirement.id, visible(&requirement.text));
    }
    if let Some(by_whom) = by_whom(requirements) {
        let _ = writeln!(text, "\n{}", quiet(by_whom));
    }
    text
}

/// Shows what is demanded as a page.
pub fn requirements_markdown(requirements: &Requirements, ticked: usize) -> String {
    let mut text = format!("## {}\n\n", extracted(requirements, ticked));
    for requirement in &requirements.explicit_requirements {
        let _ = writeln!(text, "- `{}` {}", requirement.id, escape(&requirement.checkbox));
        for (at, component) in requirement.components.iter().enumerate() {
            let _ = writeln!(text, "  - `{}` {}", requirement.component_id(at), escape(component));
        }
    }
    for requirement in &requirements.implicit_requirements {
        let _ =
            writeln!(text, "- `{}` {} ({})", requirement.id, escape(&requirement.text), escape(&requirement.reasoning));
    }
    if let Some(by_whom) = by_whom(requirements) {
        let _ = writeln!(text, "\nThis was {by_whom}.");
    }
    text
}

fn ranking_headline(ranking: &[Ranked], files: &BTreeMap<String, String>) -> String {
    let bids = count(ranking.len(), "bid", "bids");
    match selected(ranking) {
        Some(first) => format!("{bids}: {} is taken", files.get(&first.proposal_id).map_or("-", String::as_str)),
        None => format!("{bids}: none reaches {TOTAL_MIN}, a person has to look"),
    }
}

const NO_JUDGE: &str = "quality and innovation were not judged: the other dimensions decide";

fn ranking_columns(ranking: &[Ranked], files: &BTreeMap<String, String>) -> Columns {
    let heading = ["bid", "total", "specification", "quality", "innovation", "risk", "efficiency"];
    let mut columns = Columns::new(&heading);
    for ranked in ranking {
        let score = |score: Option<f64>| score.map_or_else(|| "unjudged".to_owned(), |score| format!("{score:.3}"));
        let scores = ranked.scores;
        let file = files.get(&ranked.proposal_id).map_or("-", String::as_str);
        columns.row(vec![
            format!("{}. {}", ranked.rank, visible(file)),
            format!("{:.3}", ranked.total_score),
            score(scores.spec_alignment),
            score(scores.technical_quality),
            score(scores.innovation),
            score(scores.risk),
            score(scores.efficiency),
        ]);
    }
    columns
}

fn is_without_judge(ranking: &[Ranked]) -> bool {
    ranking.iter().any(|ranked| ranked.scores.technical_quality.is_none() || ranked.scores.innovation.is_none())
}

/// Shows a ranking to a person.
pub fn ranking_human(ranking: &[Ranked], files: &BTreeMap<String, String>) -> String {
    let mut text = format!("{}\n\n", styled(STRONG, &visible(&ranking_headline(ranking, files))));
    text.push_str(&ranking_columns(ranking, files).human());
    for ranked in ranking {
        let _ = writeln!(text, "\n  {}. {}", ranked.rank, quiet(&visible(&ranked.reasoning)));
    }
    if is_without_judge(ranking) {
        let _ = writeln!(text, "\n{}", quiet(NO_JUDGE));
    }
    text
}

/// Shows a ranking as a page.
pub fn ranking_markdown(ranking: &[Ranked], files: &BTreeMap<String, String>) -> String {
    let mut text = format!("## {}\n\n", escape(&ranking_headline(ranking, files)));
    text.push_str(&ranking_columns(ranking, files).markdown());
    text.push('\n');
    for ranked in ranking {
        let _ = writeln!(text, "{}. {}", ranked.rank, escape(&ranked.reasoning));
    }
    if is_without_judge(ranking) {
        let _ = writeln!(text, "\nHere {NO_JUDGE}.");
    }
    text
}

/// Draws how a weight went, between nothing and the whole.
fn bars(history: &[f64]) -> String {
    let last = history.iter().skip(history.len().saturating_sub(BARS_MAX));
    let highest = history.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let bar = |weight: &f64| BARS[((weight / highest * BARS.len() as f64) as usize).min(BARS.len() - 1)];
    last.map(bar).collect()
}

fn reputation_columns(reputations: &Reputations) -> Columns {
    let mut columns = Columns::new(&["bidder", "weight", "passed", "iterations", "efficiency", "Brier", "history"]);
    let mut bidders: Vec<_> = reputations.bidders.iter().collect();
    bidders.sort_by(|(_, one), (_, other)| other.weight.total_cmp(&one.weight));
    for (name, bidder) in bidders {
        columns.row(vec![
            name.clone(),
            format!("{:.3}", bidder.weight),
            format!("{} of {}", bidder.succeeded, bidder.implemented),
            bidder.iterations.to_string(),
            format!("{:.2}", bidder.efficiency),
            bidder.brier.map_or_else(|| "-".to_owned(), |brier| format!("{brier:.3} ({})", bidder.stated)),
            bars(&bidder.history),
        ]);
    }
    columns
}

fn reputation_headline(reputations: &Reputations, events: usize) -> String {
    let bidders = count(reputations.bidders.len(), "bidder", "bidders");
    format!("{bidders}, {}", count(events, "event", "events"))
}

const NO_EVENTS: &str = "nothing has happened yet: events are written to .assize/market/events";

/// Shows how bidders stand to a person.
pub fn reputations_human(reputations: &Reputations, events: usize) -> String {
    if events == 0 {
        return format!("{NO_EVENTS}\n");
    }
    format!(
        "{}\n\n{}",
        styled(STRONG, &reputation_headline(reputations, events)),
        reputation_columns(reputations).human()
    )
}

/// Shows how bidders stand as a page.
pub fn reputations_markdown(reputations: &Reputations, events: usize) -> String {
    if events == 0 {
        return format!("{NO_EVENTS}\n");
    }
    format!("## {}\n\n{}", reputation_headline(reputations, events), reputation_columns(reputations).markdown())
}

fn steps_columns(bidders: &[&str], steps: &[ReputationStep], deltas: &Deltas) -> Columns {
    let mut columns = Columns::new(&["time", "bidder", "outcome", "delta", "weight before", "after", ""]);
    for step in steps {
        let at = bidders.iter().position(|name| *name == step.event.bot_id);
        let weight = |weights: &[f64]| {
            at.and_then(|at| weights.get(at)).map_or_else(String::new, |weight| format!("{weight:.3}"))
        };
        columns.row(vec![
            visible(&step.event.timestamp),
            step.event.bot_id.clone(),
            step.event.outcome.id().to_owned(),
            format!("{:+.2}", step.event.weight_delta),
            weight(&step.before),
            weight(&step.after),
            expected_delta(step, deltas).map_or_else(String::new, |delta| format!("the market gives {delta:+.2}")),
        ]);
    }
    columns
}

/// Shows what each event did to a person.
pub fn steps_human(bidders: &[&str], steps: &[ReputationStep], deltas: &Deltas) -> String {
    if steps.is_empty() {
        return format!("{NO_EVENTS}\n");
    }
    steps_columns(bidders, steps, deltas).human()
}

/// Shows what each event did as a page.
pub fn steps_markdown(bidders: &[&str], steps: &[ReputationStep], deltas: &Deltas) -> String {
    if steps.is_empty() {
        return format!("{NO_EVENTS}\n");
    }
    steps_columns(bidders, steps, deltas).markdown()
}

fn simulated_headline(table: &PastOutcomes) -> String {
    let (best, passed) = table.best();
    let share = 100.0 * passed as f64 / table.tasks() as f64;
    let (tasks, bidders) = (count(table.tasks(), "task", "tasks"), count(table.bidders().len(), "bidder", "bidders"));
    format!("{tasks}, {bidders}; the best throughout is {} with {share:.1} %", visible(&table.bidders()[best]))
}

fn simulated_columns(simulated: &[PolicyResult]) -> Columns {
    let rounds: Vec<String> = simulated.first().map_or_else(Vec::new, |first| {
        first.regret.iter().map(|after| format!("regret after {}", after.rounds)).collect()
    });
    let heading: Vec<&str> =
        ["policy", "passed", "with replan"].into_iter().chain(rounds.iter().map(String::as_str)).collect();
    let mut columns = Columns::new(&heading);
    for of in simulated {
        let name = match of.policy {
            Policy::Market => "market",
            Policy::Leader => "leader",
            Policy::Ucb1 => "ucb1",
            Policy::Random => "random",
        };
        let shares =
            [name.to_owned(), format!("{:.1} %", 100.0 * of.first), format!("{:.1} %", 100.0 * of.with_replan)];
        columns
            .row(shares.into_iter().chain(of.regret.iter().map(|after| format!("{:.3}", after.per_round))).collect());
    }
    columns
}

/// Shows what policies would have come to to a person.
pub fn simulated_human(table: &PastOutcomes, simulated: &[PolicyResult]) -> String {
    format!("{}\n\n{}", styled(STRONG, &simulated_headline(table)), simulated_columns(simulated).human())
}

/// Shows what policies would have come to as a page.
pub fn simulated_markdown(table: &PastOutcomes, simulated: &[PolicyResult]) -> String {
    format!("## {}\n\n{}", escape(&simulated_headline(table)), simulated_columns(simulated).markdown())
}
