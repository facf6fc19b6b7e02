//! `assize ledger`: the record of what was judged.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use assize_core::ruling::Outcome;
use assize_engine::ledger::{Filter, Ledger, LedgerEntry, LedgerError, Verified};
use assize_ledger::document::{LedgerCheck, LedgerLine, MarkDocument, ReplayDocument, ShadowSummary, hexadecimal};
use assize_ledger::event::LedgerEvent;
use assize_stop::calibration::Answer;
use assize_stop::court::{AllowReason, Disposition};
use serde_json::json;
use serde_json::value::RawValue;

use super::pause::only_for_a_person;
use crate::court::{self, Again, COURTS};
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::number::whole_from;
use crate::output::{Format, Output, print, quiet};
use crate::render::{self, time};

/// Arguments of `assize ledger`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize ledger show --outcome revise --last 10
  assize ledger show 42           everything about entry 42
  assize ledger show --shadow     what would have been blocked
  assize ledger mark 42 wrong     that block should not have been
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
    #[command(after_help = "Example:\n  assize ledger verify")]
    Verify,
    /// Take the ledger as it is, where entries of it were removed or restored on purpose.
    #[command(after_help = "Example:\n  assize ledger anchor")]
    Anchor,
    /// Print every entry as a line of JSON.
    #[command(after_help = "Example:\n  assize ledger export > ledger.jsonl")]
    Export,
    /// Say whether a ruling of the stop court was right; `assize stop calibrate` sums up.
    #[command(after_help = "Example:\n  assize ledger mark 42 wrong")]
    Mark {
        /// The entry's number.
        #[arg(value_parser = whole_from(1_u64))]
        id: u64,
        /// What of it.
        #[arg(value_parser = ["right", "wrong"])]
        answer: String,
    },
    /// Make a ruling again from what was recorded, without any model, and compare.
    #[command(after_help = "Example:\n  assize ledger replay 42")]
    Replay {
        /// The entry's number.
        #[arg(value_parser = whole_from(1_u64))]
        id: u64,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize ledger show --last 20
  assize ledger show 42                                  everything about entry 42
  assize ledger show --court review --outcome revise
  assize ledger show --session 17954176 --follow         new entries of one session
  assize ledger show --shadow                            what would have been blocked")]
struct Show {
    /// Show this entry in full.
    #[arg(value_parser = whole_from(1_u64))]
    id: Option<u64>,
    /// Only entries of this session.
    #[arg(long)]
    session: Option<String>,
    /// Only entries of this court.
    #[arg(long, value_parser = court::ids())]
    court: Option<String>,
    /// Only rulings with this outcome: accept, revise, reject or unjudged.
    #[arg(long, value_parser = ["accept", "revise", "reject", "unjudged"])]
    outcome: Option<String>,
    /// Only the latest entries, this many.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        value_parser = whole_from(0_u32)
    )]
    last: u32,
    /// Continue, and show new entries as they are recorded.
    #[arg(long)]
    follow: bool,
    /// Sum up what was judged in shadow and would have been blocked.
    #[arg(long, conflicts_with_all = ["id", "follow"])]
    shadow: bool,
}

/// Says why the ledger cannot be used, and what to do where there is none yet.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
pub fn failed(error: LedgerError) -> Failure {
    let hint = matches!(error, LedgerError::Absent { .. })
        .then(|| "it begins with an agent's first event, once `assize init` has set up its hooks".to_owned());
    Failure { what: error.to_string(), hint }
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let ledger = || Ledger::open_read_only(&host.ledger()).map_err(failed);
    match &arguments.command {
        Command::Show(show) if show.shadow => sum_up_shadow(&ledger()?, show, output),
        Command::Show(show) => match show.id {
            Some(id) => show_one(&ledger()?, id, output),
            None => show_all(&ledger()?, show, output),
        },
        Command::Verify => verify(host, output),
        Command::Anchor => anchor(host, output),
        Command::Export => export(&ledger()?),
        Command::Mark { id, answer } => mark(host, *id, answer, output),
        Command::Replay { id } => replay(&ledger()?, *id, output),
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

fn print_entry(ledger: &Ledger, entry: &LedgerEntry, output: Output) -> Result<()> {
    if output.format == Format::Json {
        print(&json_line(entry)?);
        return Ok(());
    }
    let header = &entry.header;
    // An entry of a later version must not hide the others.
    let what = ledger.event(entry).map_or_else(|error| error.to_string(), |event| court::line(&event));
    print(&format!(
        "{:>5}  {}  {}  {what}\n",
        format!("#{}", header.seq),
        quiet(&time(header.at_ms)),
        quiet(&short(&header.session))
    ));
    Ok(())
}

fn short(session: &str) -> String {
    match session.split_once('/') {
        Some((agent, id)) => format!("{agent}/{}", id.chars().take(8).collect::<String>()),
        None => session.to_owned(),
    }
}

fn json_line(entry: &LedgerEntry) -> Result<String> {
    let payload: &RawValue = serde_json::from_str(&entry.payload)
        .map_err(|error| Failure::new(format!("entry {} is no JSON: {error}", entry.header.seq)))?;
    let line = LedgerLine::of(&entry.header, &entry.hash, payload);
    serde_json::to_string(&line).map(|line| line + "\n").map_err(|error| Failure::new(error.to_string()))
}

fn show_one(ledger: &Ledger, id: u64, output: Output) -> Result {
    let entry = find(ledger, id)?;
    if output.format == Format::Json {
        print(&json_line(&entry)?);
        return Ok(Exit::Done);
    }
    let event = ledger.event(&entry).map_err(failed)?;
    let markdown = COURTS.iter().find_map(|court| court.markdown(&event));
    if let Some(text) = markdown.filter(|_| output.format == Format::Markdown) {
        print(&text);
        return Ok(Exit::Done);
    }
    print_entry(ledger, &entry, output)?;
    let human = COURTS.iter().find_map(|court| court.human(&event));
    print(&human.unwrap_or_else(|| format!("{}\n", entry.payload)));
    Ok(Exit::Done)
}

fn find(ledger: &Ledger, id: u64) -> Result<LedgerEntry> {
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

fn verify(host: &Host, output: Output) -> Result {
    let place = host.ledger();
    let damage = match Ledger::open_read_only(&place).and_then(|ledger| ledger.verify()) {
        Ok(sound) => {
            print_sound(sound, output);
            return Ok(Exit::Done);
        }
        Err(LedgerError::Chain { damage, .. }) => damage.to_string(),
        Err(LedgerError::Breach { breach, .. }) => breach.to_string(),
        Err(LedgerError::Anchor(error)) => error.to_string(),
        Err(error) => return Err(failed(error)),
    };
    print(&match output.format {
        Format::Json => format!("{}\n", json!(LedgerCheck::damaged(damage))),
        _ => format!("damaged: {damage}\nin {}\n", place.file().display()),
    });
    Ok(Exit::NotAccepted)
}

fn print_sound(sound: Verified, output: Output) {
    print(&match output.format {
        Format::Json => format!("{}\n", json!(LedgerCheck::sound(sound.entries, &sound.head))),
        _ => {
            let entries = if sound.entries == 1 { "1 entry, sound".to_owned() } else { format!("{} entries, all sound", sound.entries) };
            format!("{entries}\nhead {}\n", hexadecimal(&sound.head))
        }
    });
}

/// Takes the ledger as it is. That this was done, and what was not as it had been, is its next entry.
fn anchor(host: &Host, output: Output) -> Result {
    only_for_a_person(host)?;
    let place = host.ledger();
    let breach = match Ledger::open(&place) {
        Err(LedgerError::Breach { breach, .. }) => Some(breach.to_string()),
        Err(LedgerError::Anchor(error)) => Some(error.to_string()),
        Err(error) => return Err(failed(error)),
        Ok(_) => None,
    };
    Ledger::anchor_anew(&place).map_err(failed)?;
    let mut ledger = Ledger::open(&place).map_err(failed)?;
    ledger.append(now_ms(), "-", "-", &LedgerEvent::AnchoredAnew { breach }).map_err(failed)?;
    print_sound(ledger.verify().map_err(failed)?, output);
    Ok(Exit::Done)
}

/// Records what a person says of a ruling of the stop court.
fn mark(host: &Host, id: u64, answer: &str, output: Output) -> Result {
    only_for_a_person(host)?;
    // A number that names nothing makes no ledger.
    let ledger = Ledger::open_read_only(&host.ledger()).map_err(failed)?;
    let entry = find(&ledger, id)?;
    if !matches!(ledger.event(&entry).map_err(failed)?, LedgerEvent::StopRuled(_)) {
        return Err(Failure::new(format!("entry {id} is no ruling of the stop court"))
            .hint("`assize ledger show --court stop` lists them"));
    }
    let mut ledger = Ledger::open(&host.ledger()).map_err(failed)?;
    let said = if answer == "right" { Answer::Right } else { Answer::Wrong };
    ledger.append(now_ms(), court::stop::ID, "-", &LedgerEvent::Marked { entry: id, answer: said }).map_err(failed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!(MarkDocument::of(id, said))),
        _ => format!("entry {id} is called {answer}; `assize stop calibrate` sums up\n"),
    });
    Ok(Exit::Done)
}

fn no_ruling(id: u64) -> Failure {
    Failure::new(format!("entry {id} is no ruling")).hint("`assize ledger show` lists the rulings")
}

fn replay(ledger: &Ledger, id: u64, output: Output) -> Result {
    let entry = find(ledger, id)?;
    let event = ledger.event(&entry).map_err(failed)?;
    let before = || ledger.session_events(&entry.header.session, Some(id)).map_err(failed);
    let again = COURTS.iter().find_map(|court| court.again(&event, &before));
    let Again { outcome, differences } = again.ok_or_else(|| no_ruling(id))??;
    let same = differences.is_empty();
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ReplayDocument::of(id, outcome, &differences))),
        _ if same => format!("entry {id}: the same ruling again: {}\n", render::outcome(outcome)),
        _ => format!(
            "entry {id} comes out differently:\n{}",
            differences.iter().map(|line| format!("  {line}\n")).collect::<String>()
        ),
    });
    Ok(if same { Exit::Done } else { Exit::NotAccepted })
}

fn sum_up_shadow(ledger: &Ledger, show: &Show, output: Output) -> Result {
    let everything = Filter { last: None, ..filter(ledger, show)? };
    let (mut judged, mut blocks, mut unjudged) = (0_u64, Vec::new(), 0_u64);
    for entry in ledger.entries(&everything).map_err(failed)? {
        let LedgerEvent::StopRuled(record) = ledger.event(&entry).map_err(failed)? else { continue };
        match &record.decision.disposition {
            Disposition::Allow { leave: AllowReason::Shadow, .. } => blocks.push((entry, record)),
            _ if record.decision.ruling.outcome == Outcome::Unjudged && record.inputs.evidence.is_some() => {
                unjudged += 1;
            }
            _ => {}
        }
        judged += 1;
    }
    if output.format == Format::Json {
        let entries: Vec<u64> = blocks.iter().map(|(entry, _)| entry.header.seq).collect();
        print(&format!("{}\n", json!(ShadowSummary::of(judged, entries, unjudged))));
        return Ok(Exit::Done);
    }
    let mut text =
        format!("{judged} stops; {} would have been blocked, {unjudged} could not be judged\n", blocks.len());
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
