//! How a tournament is shown: as a table at a terminal, as JSON, and as a page.

use std::fmt::Write as _;

use assize_core::ruling::{Outcome, Unjudged};
use assize_core::text::{head, make_visible};
use assize_review::fix::cost::Spending;
use assize_review::fix::rounds::Proposed;
use assize_review::ranking_key::{Criterion, Measure, RankingKey, UNCOUNTED};
use assize_review::tournament::generation::{Attempt, Generated, GenerationStep};
use assize_review::tournament::{CandidateRank, TournamentInputs, TournamentRecord};
use minijinja::{AutoEscape, Environment, context};

use super::comment::escape;
use super::fix::proposal_line;
use super::{costs, outcome, spent};
use crate::output::{BAD, DOUBTFUL, GOOD, STRONG, quiet, styled};

const PAGE: &str = include_str!("../../templates/tournament.html");
/// Bytes of a reason in a table.
const REASON_BYTES_MAX: usize = 110;
/// Columns of the table with a count of faults.
const COUNTED: [Criterion; 7] = [
    Criterion::Applies,
    Criterion::Builds,
    Criterion::Regressions,
    Criterion::TargetTests,
    Criterion::EdgeTests,
    Criterion::SecurityAndBoundaries,
    Criterion::OtherFaults,
];

/// Says in one line who won.
pub fn headline(record: &TournamentRecord) -> String {
    let ranking = &record.ranking;
    let name = |index: usize| visible(&record.inputs.candidates[index].name);
    let Some(winner) = ranking.winner_index else {
        let is_empty = record.inputs.candidates.is_empty();
        return if is_empty { "there is no candidate" } else { "no candidate can be laid out" }.to_owned();
    };
    let good = match ranking.outcome {
        Outcome::Accept => "",
        Outcome::Unjudged => ", unjudged",
        Outcome::Revise | Outcome::Reject => ", but is not accepted",
    };
    if ranking.tied.is_empty() {
        return format!("{} is best{good}", name(winner));
    }
    let others: Vec<String> = ranking.tied.iter().map(|index| name(*index)).collect();
    format!("nothing tells {} from {}{good}", name(winner), others.join(", "))
}

/// Says in one line how many of the candidates that a fixer was asked for could be made, and what they cost.
fn made(generated: &Generated) -> String {
    let Generated { asked_for, made, .. } = generated;
    let candidates = if *asked_for == 1 { "candidate" } else { "candidates" };
    format!("{made} of {asked_for} {candidates} could be made: {}", costs(&generated.costs))
}

/// Lists the candidates that could not be made: the name of each, and why.
fn missing(record: &TournamentRecord) -> Vec<(String, String)> {
    let missing = record.generated.iter().flat_map(Generated::missing);
    let said = |(attempt, why): (&Attempt, &Unjudged)| {
        let tried = if attempt.costs.requests > 0 { format!(" ({})", costs(&attempt.costs)) } else { String::new() };
        (format!("generated-{}", attempt.number), visible(&format!("could not be made: {}{tried}", why.detail)))
    };
    missing.map(said).collect()
}

/// Shows what a candidate cost; `None` where no fixer made candidates.
fn cost(record: &TournamentRecord, place: &CandidateRank) -> Option<String> {
    let costs = record.generated.as_ref()?.costs_of(place.index);
    Some(match costs.map(|costs| costs.spent.cost_usd) {
        None => "-".to_owned(),
        Some(None) => "?".to_owned(),
        Some(Some(cost)) => format!("${cost:.4}"),
    })
}

/// Says why a candidate stands where it does, and what it cost.
fn why_and_cost(record: &TournamentRecord, place: &CandidateRank, bytes_max: usize) -> String {
    format!("{}{}", head(&why(&record.inputs, place), bytes_max), in_brackets(record, place))
}

/// Says in brackets what a candidate cost; nothing where no fixer made it.
fn in_brackets(record: &TournamentRecord, place: &CandidateRank) -> String {
    let known = record.generated.as_ref().and_then(|generated| generated.costs_of(place.index));
    known.map(|known| format!(" ({})", costs(known))).unwrap_or_default()
}

/// Shows on a line that a fixer was asked for a candidate.
pub fn step_line(step: &GenerationStep) -> String {
    let Proposed { proposal, time_ms, cost_usd } = &step.proposed;
    let proposal = proposal_line(proposal, step.patch.as_ref(), step.fixer.as_ref());
    let spent = spent(&Spending { time_ms: *time_ms, cost_usd: *cost_usd });
    format!("candidate {}: {proposal}  {}", step.number, quiet(&format!("({spent})")))
}

/// Shows a tournament to a person.
pub fn human(record: &TournamentRecord) -> String {
    let mut text = format!("{}  {}\n", outcome(record.ranking.outcome), headline(record));
    if let Some(generated) = &record.generated {
        let _ = writeln!(text, "  {}", quiet(&made(generated)));
    }
    text.push('\n');
    if !record.ranking.places.is_empty() {
        text.push_str(&table(record));
        text.push('\n');
    }
    for place in &record.ranking.places {
        let name = visible(&record.inputs.candidates[place.index].name);
        let _ = writeln!(text, "  {} {}", styled(STRONG, &name), why_and_cost(record, place, REASON_BYTES_MAX));
    }
    for (name, why) in missing(record) {
        let _ = writeln!(text, "  {} {why}", styled(STRONG, &name));
    }
    text
}

fn table(record: &TournamentRecord) -> String {
    let mut text = String::new();
    let names = record.inputs.candidates.iter().map(|candidate| visible(&candidate.name).chars().count());
    let width = names.max().unwrap_or_default().max("candidate".len());
    let mut heading = format!("  {:>4}  {:width$}  {:10}", "rank", "candidate", "ruling");
    for criterion in COUNTED {
        let _ = write!(heading, "  {:>w$}", short(criterion), w = short(criterion).len());
    }
    let _ = write!(heading, "  {:>5}  {:>5}", "conv.", "lines");
    if record.generated.is_some() {
        let _ = write!(heading, "  {:>8}", "cost");
    }
    let _ = writeln!(text, "{}", quiet(&heading));
    for place in &record.ranking.places {
        let name = visible(&record.inputs.candidates[place.index].name);
        let wins = record.ranking.winner_index == Some(place.index);
        let name = if wins { styled(STRONG, &format!("{name:width$}")) } else { format!("{name:width$}") };
        let ruling = ruling(&record.inputs, place);
        let pad = " ".repeat(10_usize.saturating_sub(ruling.chars().count()));
        let _ = write!(text, "  {:>4}  {name}  {}{pad}", place.rank, styled(tone(place), &ruling));
        for criterion in COUNTED {
            let (cell, style) = cell(measure(&place.ranking_key, criterion));
            let pad = " ".repeat(short(criterion).len().saturating_sub(cell.chars().count()));
            let _ = write!(text, "  {pad}{}", styled(style, &cell));
        }
        let cost = cost(record, place).map(|cost| format!("  {cost:>8}")).unwrap_or_default();
        let _ = writeln!(text, "  {:>5}  {:>5}{cost}", convention(&record.inputs, place), size(&place.ranking_key));
    }
    text
}

/// Shows a tournament as Markdown.
pub fn markdown(record: &TournamentRecord) -> String {
    let mut text = format!("## Assize: {}\n\n{}\n\n", record.ranking.outcome, escape(&headline(record)));
    if let Some(generated) = &record.generated {
        let _ = writeln!(text, "{}.\n", made(generated));
    }
    let names: Vec<&str> = COUNTED.into_iter().map(short).collect();
    if !record.ranking.places.is_empty() {
        let (heading, line) = if record.generated.is_some() { (" cost |", "---|") } else { ("", "") };
        let _ = writeln!(text, "| rank | candidate | ruling | {} | conv. | lines |{heading}", names.join(" | "));
        let _ = writeln!(text, "|---|---|---|{}---|---|{line}", "---|".repeat(names.len()));
    }
    for place in &record.ranking.places {
        let name = escape(&record.inputs.candidates[place.index].name);
        let cells: Vec<String> =
            COUNTED.into_iter().map(|criterion| cell(measure(&place.ranking_key, criterion)).0).collect();
        let (ruling, cells) = (ruling(&record.inputs, place), cells.join(" | "));
        let (convention, size) = (convention(&record.inputs, place), size(&place.ranking_key));
        let cost = cost(record, place).map(|cost| format!(" {cost} |")).unwrap_or_default();
        let _ = writeln!(text, "| {} | {name} | {ruling} | {cells} | {convention} | {size} |{cost}", place.rank);
    }
    text.push('\n');
    for place in &record.ranking.places {
        let name = escape(&record.inputs.candidates[place.index].name);
        let why = escape(&why(&record.inputs, place));
        let _ = writeln!(text, "- **{name}**: {why}{}", in_brackets(record, place));
    }
    for (name, why) in missing(record) {
        let _ = writeln!(text, "- **{name}**: {}", escape(&why));
    }
    text
}

/// Makes a self-contained page: no script, nothing from elsewhere.
///
/// # Errors
///
/// Fails when the page cannot be rendered, which would be a fault of ours.
pub fn page(record: &TournamentRecord) -> Result<String, minijinja::Error> {
    let inputs = &record.inputs;
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let candidates: Vec<minijinja::Value> = record
        .ranking
        .places
        .iter()
        .map(|place| {
            let cells: Vec<minijinja::Value> = COUNTED
                .into_iter()
                .map(|criterion| {
                    let measure = measure(&place.ranking_key, criterion);
                    let tone = match measure {
                        Measure::Faults(_) => "bad",
                        Measure::Unknown => "doubt",
                        Measure::Holds => "good",
                    };
                    context! { text => cell(measure).0, tone }
                })
                .collect();
            context! {
                name => visible(&inputs.candidates[place.index].name),
                rank => place.rank,
                wins => record.ranking.winner_index == Some(place.index),
                ruling => ruling(inputs, place),
                tone => match place.ranking_key.ruling {
                    _ if inputs.candidates[place.index].tree.is_err() => "bad",
                    Outcome::Accept => "good",
                    Outcome::Unjudged => "doubt",
                    Outcome::Revise | Outcome::Reject => "bad",
                },
                cells,
                convention => convention(inputs, place),
                size => size(&place.ranking_key),
                total => total(inputs, place),
                why => why_and_cost(record, place, usize::MAX),
                cost => cost(record, place),
                remarks => remarks(inputs, place),
            }
        })
        .collect();
    environment.render_str(
        PAGE,
        context! {
            headline => headline(record),
            base => inputs.base.as_ref().map(|base| base.chars().take(12).collect::<String>()),
            specification => visible(inputs.specification.inspect()),
            criteria => COUNTED.map(Criterion::name),
            number => candidates.len(),
            candidates,
            made => record.generated.as_ref().map(made),
            missing => missing(record),
        },
    )
}

fn short(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Applies => "fits",
        Criterion::Builds => "builds",
        Criterion::Regressions => "regr.",
        Criterion::TargetTests => "target",
        Criterion::EdgeTests => "edge",
        Criterion::SecurityAndBoundaries => "secur.",
        Criterion::OtherFaults => "other",
        Criterion::Ruling | Criterion::Convention | Criterion::Size => "",
    }
}

/// What is known of a column.
fn measure(ranking_key: &RankingKey, criterion: Criterion) -> Measure {
    ranking_key.measure(criterion).unwrap_or_default()
}

fn cell(measure: Measure) -> (String, anstyle::Style) {
    match measure {
        Measure::Faults(UNCOUNTED) => ("✗".to_owned(), BAD),
        Measure::Faults(count) => (format!("✗{count}"), BAD),
        Measure::Unknown => ("?".to_owned(), DOUBTFUL),
        Measure::Holds => ("✓".to_owned(), GOOD),
    }
}

fn tone(place: &CandidateRank) -> anstyle::Style {
    match place.ranking_key.ruling {
        Outcome::Accept => GOOD,
        Outcome::Unjudged => DOUBTFUL,
        Outcome::Revise | Outcome::Reject => BAD,
    }
}

fn ruling(inputs: &TournamentInputs, place: &CandidateRank) -> String {
    if inputs.candidates[place.index].tree.is_err() {
        return "unfit".to_owned();
    }
    let stopped = inputs.assessment(place.index);
    if stopped.is_some_and(|known| known.stopped.is_some()) {
        "stopped".to_owned()
    } else {
        place.ranking_key.ruling.to_string()
    }
}

fn convention(inputs: &TournamentInputs, place: &CandidateRank) -> String {
    let known = inputs.assessment(place.index);
    known.and_then(|known| known.convention.fit).map_or("-".to_owned(), |fit| format!("{fit:.2}"))
}

fn total(inputs: &TournamentInputs, place: &CandidateRank) -> String {
    let known = inputs.assessment(place.index);
    known.and_then(|known| known.convention.total).map_or("-".to_owned(), |total| format!("{total:.3}"))
}

fn size(ranking_key: &RankingKey) -> String {
    ranking_key.size.map_or("-".to_owned(), |lines| lines.to_string())
}

/// Says in one line why a candidate stands where it does.
fn why(inputs: &TournamentInputs, place: &CandidateRank) -> String {
    if let Some(original) = place.duplicate_of {
        return format!("is the same as {}", visible(&inputs.candidates[original].name));
    }
    if let Err(faults) = &inputs.candidates[place.index].tree {
        return visible(&faults.join("; "));
    }
    let Some(known) = inputs.assessment(place.index) else { return String::new() };
    let ruling = &known.review.ruling;
    let said = match (&ruling.verdict, &ruling.unjudged) {
        (Some(verdict), _) => verdict.explanations.root_cause.clone(),
        (None, Some(unjudged)) => unjudged.to_string(),
        (None, None) => String::new(),
    };
    let stopped = known.stopped.as_ref().map(|why| format!("{why}. ")).unwrap_or_default();
    visible(&format!("{stopped}{said}"))
}

fn remarks(inputs: &TournamentInputs, place: &CandidateRank) -> Vec<String> {
    let known = inputs.assessment(place.index);
    let remarks = known.and_then(|known| known.convention.parts["remarks"].as_array());
    remarks.into_iter().flatten().filter_map(|remark| remark["message"].as_str()).map(visible).collect()
}

fn visible(text: &str) -> String {
    make_visible(text).replace('\n', " ")
}
