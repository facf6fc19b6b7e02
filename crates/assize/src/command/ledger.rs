//! `assize ledger`: the record of what was judged.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use assize_core::court::generation::{Generation, GenerationStep};
use assize_core::court::review::{self, ReviewRecord};
use assize_core::court::stop::{Disposition, Leave, StopRecord, decide};
use assize_core::court::tournament::{TournamentRecord, rank};
use assize_core::fix::record::FixEnd;
use assize_core::fix::rounds::{FixEffect, FixPolicy, Rounds};
use assize_core::opinion::Opinion;
use assize_core::ruling::{Cause, Outcome};
use assize_core::session::{Event, SessionState};
use assize_core::text::quote;
use assize_core::verdict::{Verdict, read};
use assize_engine::ledger::{Entry, Filter, Ledger, LedgerError};
use serde_json::json;
use serde_json::value::RawValue;

use crate::cli::{Output, print};
use crate::command::tournament::step_of;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::render::{self, Format, quiet, time};

/// Arguments of `assize ledger`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize ledger show --outcome revise --last 10
  assize ledger show 42           everything about entry 42
  assize ledger show --shadow     what would have been blocked
  assize ledger verify
  assize ledger export > ledger.jsonl
  assize ledger replay 42")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what was recorded.
    Show(Show),
    /// Walk along the chain of entries and name the first damaged one.
    Verify,
    /// Print every entry as a line of JSON.
    Export,
    /// Make a ruling again from what was recorded, without any model, and compare.
    Replay {
        /// The entry's number.
        id: u64,
    },
}

#[derive(Debug, clap::Args)]
struct Show {
    /// Show this entry in full.
    id: Option<u64>,
    /// Only entries of this session.
    #[arg(long)]
    session: Option<String>,
    /// Only entries of this court.
    #[arg(long)]
    court: Option<String>,
    /// Only rulings with this outcome: accept, revise, reject or unjudged.
    #[arg(long, value_parser = ["accept", "revise", "reject", "unjudged"])]
    outcome: Option<String>,
    /// Only the latest entries, this many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    last: u32,
    /// Go on and show what is recorded from now on.
    #[arg(long)]
    follow: bool,
    /// Sum up what was judged in shadow and would have been blocked.
    #[arg(long, conflicts_with_all = ["id", "follow"])]
    shadow: bool,
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn failed(error: LedgerError) -> Failure {
    let hint = matches!(error, LedgerError::Absent { .. })
        .then(|| "it begins with an agent's first event, once `assize init` has set up its hooks".to_owned());
    Failure { what: error.to_string(), hint }
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let ledger = Ledger::open_read_only(&host.ledger()).map_err(failed)?;
    match &arguments.command {
        Command::Show(show) if show.shadow => sum_up_shadow(&ledger, show, output),
        Command::Show(show) => match show.id {
            Some(id) => show_one(&ledger, id, output),
            None => show_all(&ledger, show, output),
        },
        Command::Verify => verify(&ledger, host, output),
        Command::Export => export(&ledger),
        Command::Replay { id } => replay(&ledger, *id, output),
    }
}

/// A session may be named as it is shown: cut short, and without its agent.
fn whole_session(ledger: &Ledger, named: &str) -> Result<String> {
    let known = ledger.sessions().map_err(failed)?;
    let id = |session: &str| session.split_once('/').map_or(session.to_owned(), |(_, id)| id.to_owned());
    let matching: Vec<&String> =
        known.iter().filter(|session| session.starts_with(named) || id(session).starts_with(named)).collect();
    match matching[..] {
        [one] => Ok(one.clone()),
        [] => Err(Failure::new(format!("no session is called `{named}`")).hint("`assize ledger show` lists them")),
        _ if known.iter().any(|session| session == named) => Ok(named.to_owned()),
        _ => Err(Failure::new(format!("{} sessions begin with `{named}`", matching.len())).hint("give more of its id")),
    }
}

fn filter(ledger: &Ledger, show: &Show) -> Result<Filter> {
    Ok(Filter {
        session: show.session.as_deref().map(|named| whole_session(ledger, named)).transpose()?,
        court: show.court.clone(),
        outcome: show.outcome.clone(),
        after: 0,
        last: Some(show.last),
    })
}

fn show_all(ledger: &Ledger, show: &Show, output: Output) -> Result {
    let mut filter = filter(ledger, show)?;
    if show.last == 0 {
        let newest = ledger.entries(&Filter { last: Some(1), ..Filter::default() }).map_err(failed)?;
        filter.after = newest.last().map_or(0, |entry| entry.header.seq);
    }
    let mut shown = 0_usize;
    loop {
        for entry in ledger.entries(&filter).map_err(failed)? {
            filter.after = entry.header.seq;
            shown += 1;
            print_entry(ledger, &entry, output)?;
        }
        if shown == 0 && !show.follow {
            output.note("no entry matches");
        }
        if !show.follow {
            return Ok(Exit::Done);
        }
        filter.last = None;
        thread::sleep(Duration::from_millis(300));
    }
}

fn print_entry(ledger: &Ledger, entry: &Entry, output: Output) -> Result<()> {
    if output.format == Format::Json {
        print(&json_line(entry)?);
        return Ok(());
    }
    let header = &entry.header;
    // An entry of a later version must not hide the others.
    let what = ledger.event(entry).map_or_else(|error| error.to_string(), |event| describe(&event));
    print(&format!(
        "{:>5}  {}  {}  {what}\n",
        format!("#{}", header.seq),
        quiet(&time(header.at_ms)),
        quiet(&short(&header.session))
    ));
    Ok(())
}

fn describe(event: &Event) -> String {
    match event {
        Event::StopRuled(record) => {
            let ruling = &record.decision.ruling;
            let why = match (&ruling.verdict, &ruling.unjudged) {
                (Some(verdict), _) => verdict.missing_items.first().unwrap_or(&verdict.reason).clone(),
                (None, Some(unjudged)) => unjudged.to_string(),
                (None, None) => String::new(),
            };
            format!(
                "{}  {}  {}",
                render::outcome(ruling.outcome),
                render::disposition(&record.decision.disposition),
                quote(&why)
            )
        }
        Event::ReviewRuled(record) => {
            let ruling = &record.ruling;
            let why = match (&ruling.verdict, &ruling.unjudged) {
                (Some(verdict), _) => verdict.explanations.root_cause.clone(),
                (None, Some(unjudged)) => unjudged.to_string(),
                (None, None) => String::new(),
            };
            format!("{}  {}", render::outcome(ruling.outcome), quote(&why))
        }
        Event::FixStarted(start) => format!("fix began  {}", quote(start.case.specification.inspect())),
        Event::FixStepped(step) => render::fix::step_line(step),
        Event::FixEnded(end) => {
            let kept = if end.written { "written into the tree" } else { "nothing written" };
            format!("{}  {}; {kept}", render::outcome(end.outcome), end.ending.sentence())
        }
        Event::MarketStarted(start) => format!("market began  {} on {}", start.source, start.branch),
        Event::MarketStepped(step) => render::market::run::step_line(step),
        Event::MarketEnded(ending) => {
            format!("{}  {}", render::outcome(ending.outcome()), quote(&ending.sentence()))
        }
        Event::TournamentStarted(start) => format!(
            "tournament began  {} candidates asked for  {}",
            start.asked_for,
            quote(start.specification.inspect())
        ),
        Event::TournamentStepped(step) => render::tournament::step_line(step),
        Event::TournamentRuled(record) => {
            format!("{}  {}", render::outcome(record.ranking.outcome), quote(&render::tournament::headline(record)))
        }
        Event::EvalRuled(record) => format!("{}  {}", render::outcome(record.outcome), record.headline()),
        Event::EvalCorrected(record) => format!("{}  {}", render::outcome(record.outcome), record.headline()),
        Event::PatchIntended { patch, .. } => format!("patch to be applied  {} operations", patch.ops.len()),
        Event::PatchApplied { patch, .. } => format!("patch applied  {} operations", patch.ops.len()),
        Event::Prompted { directive, overrules, .. } => {
            let words = directive
                .as_ref()
                .map(|directive| format!("{} {}", directive.kind.as_str(), quote(directive.text.inspect())));
            let overruled = overrules.then(|| "a person lets the present state pass".to_owned());
            format!("asked  {}", [words, overruled].into_iter().flatten().collect::<Vec<_>>().join("; "))
        }
        Event::SessionStarted { agent, source, .. } => format!("session of {agent} ({source})"),
        Event::SessionEnded { reason } => format!("session ended ({reason})"),
        Event::Paused { until_ms: Some(until) } => format!("paused until {}", time(*until)),
        Event::Paused { until_ms: None } => "paused".to_owned(),
        Event::Resumed => "resumed".to_owned(),
        Event::Unknown => "an event of a later version of Assize".to_owned(),
        Event::EventMalformed { agent, error, .. } => format!("{agent} sent what cannot be read: {}", quote(error)),
    }
}

fn short(session: &str) -> String {
    match session.split_once('/') {
        Some((agent, id)) => format!("{agent}/{}", id.chars().take(8).collect::<String>()),
        None => session.to_owned(),
    }
}

fn json_line(entry: &Entry) -> Result<String> {
    let payload: &RawValue = serde_json::from_str(&entry.payload)
        .map_err(|error| Failure::new(format!("entry {} is no JSON: {error}", entry.header.seq)))?;
    #[derive(serde::Serialize)]
    struct Line<'a> {
        assize: u32,
        #[serde(flatten)]
        header: &'a assize_core::ledger::Header,
        hash: String,
        payload: &'a RawValue,
    }
    let hash = entry.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let line = Line { assize: 1, header: &entry.header, hash, payload };
    serde_json::to_string(&line).map(|line| line + "\n").map_err(|error| Failure::new(error.to_string()))
}

fn show_one(ledger: &Ledger, id: u64, output: Output) -> Result {
    let entry = find(ledger, id)?;
    if output.format == Format::Json {
        print(&json_line(&entry)?);
        return Ok(Exit::Done);
    }
    match ledger.event(&entry).map_err(failed)? {
        Event::StopRuled(record) if output.format == Format::Markdown => print(&render::stop_markdown(&record)),
        Event::StopRuled(record) => {
            print_entry(ledger, &entry, output)?;
            print(&render::stop_record(&record));
        }
        Event::ReviewRuled(record) if output.format == Format::Markdown => print(&render::comment::review(&record)),
        Event::ReviewRuled(record) => {
            print_entry(ledger, &entry, output)?;
            print(&render::review::human(&record));
        }
        Event::TournamentRuled(record) => {
            print_entry(ledger, &entry, output)?;
            print(&render::tournament::human(&record));
        }
        Event::FixStepped(step) if step.review.is_some() => {
            print_entry(ledger, &entry, output)?;
            step.review.iter().for_each(|record| print(&render::review::human(record)));
        }
        _ => {
            print_entry(ledger, &entry, output)?;
            print(&format!("{}\n", entry.payload));
        }
    }
    Ok(Exit::Done)
}

fn find(ledger: &Ledger, id: u64) -> Result<Entry> {
    ledger
        .entry(id)
        .map_err(failed)?
        .ok_or_else(|| Failure::new(format!("the ledger has no entry {id}")).hint("`assize ledger show` lists them"))
}

fn export(ledger: &Ledger) -> Result {
    let mut trouble = None;
    ledger
        .walk(&Filter::default(), &mut |entry, _| {
            match json_line(&entry) {
                Ok(line) => print(&line),
                Err(failure) => trouble = Some(failure),
            }
            Ok(trouble.is_none())
        })
        .map_err(failed)?;
    trouble.map_or(Ok(Exit::Done), Err)
}

fn verify(ledger: &Ledger, host: &Host, output: Output) -> Result {
    match ledger.verify() {
        Ok(sound) => {
            let head: String = sound.head.iter().map(|byte| format!("{byte:02x}")).collect();
            print(&match output.format {
                Format::Json => {
                    format!("{}\n", json!({"assize": 1, "sound": true, "entries": sound.entries, "head": head}))
                }
                _ => format!("{} entries, all sound\nhead {head}\n", sound.entries),
            });
            Ok(Exit::Done)
        }
        Err(LedgerError::Chain { damage, .. }) => {
            print(&match output.format {
                Format::Json => format!("{}\n", json!({"assize": 1, "sound": false, "damage": damage.to_string()})),
                _ => format!("damaged: {damage}\nin {}\n", host.ledger().display()),
            });
            Ok(Exit::NotAccepted)
        }
        Err(error) => Err(failed(error)),
    }
}

fn no_ruling(id: u64) -> Failure {
    Failure::new(format!("entry {id} is no ruling")).hint("`assize ledger show` lists the rulings")
}

/// Goes through the recorded steps of a fix once more.
fn fix_again(end: &FixEnd, before: &[Event]) -> Result<Again> {
    let start = before.iter().find_map(|event| if let Event::FixStarted(start) = event { Some(start) } else { None });
    let start = start.ok_or_else(|| Failure::new("the beginning of this fix is not in the ledger"))?;
    let (mut rounds, mut effect) = Rounds::begin(start.policy, start.fixer.is_some(), start.tree.clone());
    for event in before {
        if let Event::FixStepped(step) = event {
            effect = rounds.step(step.event.clone());
        }
    }
    let mut differences = Vec::new();
    // A limit may have ended what went on after its fixer could not be asked.
    if ![effect, rounds.retry()].contains(&FixEffect::End(end.ending.clone())) {
        differences.push(format!("it does not end because {}", end.ending.sentence()));
    }
    if rounds.best() != end.best {
        differences.push(format!("state {} is best, not {}", rounds.best(), end.best));
    }
    let outcome = rounds.judged(rounds.best()).map_or(Outcome::Unjudged, |judged| judged.standing.ruling);
    if outcome != end.outcome {
        differences.push(format!("the outcome is {outcome}, not {}", end.outcome));
    }
    Ok(Again { outcome, differences })
}

/// Says in what the candidates that a fixer made are others than its recorded answers come to.
fn generated_again(record: &TournamentRecord, before: Vec<Event>) -> Vec<String> {
    let Some(generated) = &record.generated else { return Vec::new() };
    let steps: Vec<GenerationStep> = before.into_iter().filter_map(step_of).collect();
    let handed_in = record.inputs.candidates.len().saturating_sub(generated.made);
    // What was asked for in the end says the record; a limit ends nothing here.
    let policy = FixPolicy { time_s_max: u64::MAX, cost_usd_max: None, ..FixPolicy::default() };
    let (again, patches) = Generation::begin(policy, generated.asked_for, &steps).end(handed_in);
    let mut differences = Vec::new();
    for (attempt, again) in generated.attempts.iter().zip(&again.attempts) {
        let patch = patches.iter().find(|(number, _)| *number == attempt.number).map(|(_, patch)| patch);
        let judged = attempt.index.and_then(|index| record.inputs.candidates.get(index)?.patch.as_ref());
        if attempt.index != again.index || judged.is_some_and(|judged| Some(judged) != patch) {
            differences.push(format!("candidate {} is another one than the fixer made", attempt.number));
        } else if attempt.costs.requests != again.costs.requests {
            let (requests, told) = (again.costs.requests, attempt.costs.requests);
            differences.push(format!("candidate {} was asked for {requests} times, not {told}", attempt.number));
        }
    }
    differences
}

fn tournament_again(record: &TournamentRecord, before: Vec<Event>) -> Again {
    let ranking = rank(&record.inputs);
    let mut differences = Vec::new();
    if ranking.winner_index != record.ranking.winner_index {
        let name = |index: Option<usize>| index.map_or("nobody".to_owned(), |index| format!("candidate {index}"));
        differences.push(format!("{} wins, not {}", name(ranking.winner_index), name(record.ranking.winner_index)));
    } else if ranking != record.ranking {
        differences.push("the order of the candidates is another one".to_owned());
    }
    differences.extend(generated_again(record, before));
    Again { outcome: ranking.outcome, differences }
}

/// What a ruling comes out as when it is made again.
struct Again {
    outcome: Outcome,
    differences: Vec<String>,
}

fn replay(ledger: &Ledger, id: u64, output: Output) -> Result {
    let entry = find(ledger, id)?;
    let Again { outcome, differences } = match ledger.event(&entry).map_err(failed)? {
        Event::StopRuled(record) => {
            let before = ledger.session_events(&entry.header.session, Some(id)).map_err(failed)?;
            stop_again(&record, &SessionState::of(&before))
        }
        Event::ReviewRuled(record) => review_again(&record),
        Event::TournamentRuled(record) => {
            let before = ledger.session_events(&entry.header.session, Some(id)).map_err(failed)?;
            tournament_again(&record, before)
        }
        Event::FixStepped(step) => match &step.review {
            Some(record) => review_again(record),
            None => return Err(no_ruling(id)),
        },
        Event::FixEnded(end) => {
            let before = ledger.session_events(&entry.header.session, Some(id)).map_err(failed)?;
            fix_again(&end, &before)?
        }
        _ => return Err(no_ruling(id)),
    };
    let same = differences.is_empty();
    print(&match output.format {
        Format::Json => format!(
            "{}\n",
            json!({"assize": 1, "entry": id, "same": same, "outcome": outcome, "differences": differences})
        ),
        _ if same => format!("entry {id}: the same ruling again: {}\n", render::outcome(outcome)),
        _ => format!(
            "entry {id} comes out differently:\n{}",
            differences.iter().map(|line| format!("  {line}\n")).collect::<String>()
        ),
    });
    Ok(if same { Exit::Done } else { Exit::NotAccepted })
}

/// Reads every recorded reply again, and says which of them reads differently.
fn read_again<V: Verdict + PartialEq>(opinions: &mut [Opinion<V>]) -> Vec<String> {
    let mut differences = Vec::new();
    for opinion in opinions {
        let Some(reply) = &opinion.reply else { continue };
        let read = read::<V>(reply, &[]);
        // That a verdict was planted shows only beside the judged material, which is not recorded.
        let planted = matches!(&opinion.verdict, Err(unjudged) if unjudged.cause == Cause::Forged);
        if !planted && read != opinion.verdict {
            differences.push(format!("the reply of {} reads differently", opinion.judge.id));
            opinion.verdict = read;
        }
    }
    differences
}

fn changed_outcome(was: Outcome, is: Outcome) -> String {
    if was == is {
        format!("the ruling is {is} again, for other reasons")
    } else {
        format!("the ruling was {was} and is now {is}")
    }
}

fn stop_again(record: &StopRecord, session: &SessionState) -> Again {
    let mut inputs = record.inputs.clone();
    let mut differences = read_again(&mut inputs.opinions);
    let decision = decide(&inputs, session);
    if decision.ruling != record.decision.ruling {
        differences.push(changed_outcome(record.decision.ruling.outcome, decision.ruling.outcome));
    } else if decision.disposition != record.decision.disposition {
        differences.push(format!(
            "the agent was {} and would now be {}",
            render::disposition(&record.decision.disposition),
            render::disposition(&decision.disposition)
        ));
    }
    Again { outcome: decision.ruling.outcome, differences }
}

fn review_again(record: &ReviewRecord) -> Again {
    let mut inputs = record.inputs.clone();
    let mut differences = read_again(&mut inputs.opinions);
    let ruling = review::decide(&inputs);
    if ruling != record.ruling {
        differences.push(changed_outcome(record.ruling.outcome, ruling.outcome));
    }
    Again { outcome: ruling.outcome, differences }
}

fn sum_up_shadow(ledger: &Ledger, show: &Show, output: Output) -> Result {
    let everything = Filter { last: None, ..filter(ledger, show)? };
    let (mut judged, mut blocks, mut unjudged) = (0_u64, Vec::new(), 0_u64);
    for entry in ledger.entries(&everything).map_err(failed)? {
        let Event::StopRuled(record) = ledger.event(&entry).map_err(failed)? else { continue };
        match &record.decision.disposition {
            Disposition::Allow { leave: Leave::Shadow, .. } => blocks.push((entry, record)),
            _ if record.decision.ruling.outcome == Outcome::Unjudged && record.inputs.evidence.is_some() => {
                unjudged += 1;
            }
            _ => {}
        }
        judged += 1;
    }
    if output.format == Format::Json {
        let entries: Vec<u64> = blocks.iter().map(|(entry, _)| entry.header.seq).collect();
        print(&format!("{}\n", json!({"assize": 1, "stops": judged, "would_block": entries, "unjudged": unjudged})));
        return Ok(Exit::Done);
    }
    let mut text =
        format!("{judged} stops; {} would have been sent back, {unjudged} could not be judged\n", blocks.len());
    let mut by_rule: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for (_, record) in &blocks {
        for finding in &record.inputs.findings {
            *by_rule.entry(&finding.rule).or_default() += 1;
        }
    }
    for (rule, count) in by_rule {
        let _ = writeln!(text, "  {count:>4}  {rule}");
    }
    print(&text);
    for (entry, _) in &blocks {
        print_entry(ledger, entry, output)?;
    }
    Ok(Exit::Done)
}
