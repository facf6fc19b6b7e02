//! `assize fix`: puts a change right, in a copy, and writes back what is accepted.

use std::fs::TryLockError;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use anstream::eprint;
use assize_core::court::review::ReviewCase;
use assize_core::envelope::ReviewEnvelope;
use assize_core::fix::record::{FixStart, FixStep};
use assize_core::fix::rounds::FixPolicy;
use assize_core::patch::{Handed, PatchLimits, Protection, unified};
use assize_core::ruling::Outcome;
use assize_core::session::Event;
use assize_core::text::{Untrusted, make_visible};
use assize_engine::fix::{Fix, FixError, FixTerms, Fixed, Progress};
use assize_engine::judge::ask::Replies;
use assize_engine::ledger::{Filter, Ledger, LedgerError, make_folder};
use assize_engine::patch::{PatchError, PatchTerms, Patcher, check};
use assize_engine::process::end_with_us;
use rustix::fs::OFlags;
use serde_json::json;

use crate::cli::{Output, print};
use crate::command::review::{GateArguments, SPECIFICATION_BYTES_MAX, failed as review_failed, terms_of_base};
use crate::config::check_fix_policy;
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::own_file::read_text;
use crate::render::{self, Format, quiet};
use crate::watch::Watch;

/// Arguments of `assize fix`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize fix --spec task.md                     judge, fix and judge again, until it is accepted
  assize fix --tools-only                       only what compilers, linters and formatters offer; free
  assize fix --spec task.md --dry-run           show the diff, write nothing
  assize fix --spec task.md --rounds 5 --max-cost 0.50 --yes

All of it happens in a copy. What is accepted is shown as a diff and then written into the tree, whole or not at all.
A fix that was interrupted goes on where it stopped when it is called again.

Exit codes: 0 accepted \u{b7} 1 not accepted \u{b7} 2 bad usage, configuration or input \u{b7} 3 unjudged")]
pub struct Arguments {
    /// What was asked for: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The revision that the change is measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// Most rounds of the configured fixer [default: 3].
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Most seconds in all, looked at between steps [default: 1800].
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Most US dollars in all, looked at before somebody is paid.
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,
    /// Ask no fixer but the tools themselves.
    #[arg(long)]
    tools_only: bool,
    /// Write back the best state also when it is not accepted.
    #[arg(long)]
    keep_best: bool,
    /// Show the diff and write nothing.
    #[arg(long, conflicts_with_all = ["keep_best", "yes"])]
    dry_run: bool,
    /// Write without asking.
    #[arg(long, short)]
    yes: bool,
    /// Begin anew, also where an interrupted fix could go on.
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    gates: GateArguments,
}

/// Runs `assize fix`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let specification = match &arguments.spec {
        Some(path) => read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX)?,
        None => String::new(),
    };
    let (base, config) = terms_of_base(host, &arguments.base, &arguments.gates, output)?;
    let judges = Judges::of_review(&config, host)?;
    let fixer = if arguments.tools_only { None } else { Judges::fixer_of(&config, host, &judges, Replies::Kept)? };
    let review = config.review_terms(host, judges.ids(), &arguments.gates.skip, arguments.gates.sandbox.as_deref())?;
    let policy = FixPolicy {
        rounds_max: arguments.rounds.unwrap_or(config.fix.rounds_max),
        time_s_max: arguments.time.unwrap_or(config.fix.time_s_max),
        cost_usd_max: arguments.max_cost.or(config.fix.cost_usd_max),
    };
    check_fix_policy(&policy, "").map_err(Failure::new)?;
    let terms = FixTerms { review: &review, policy, limits: config.patch_limits, fixer: fixer.as_deref() };
    let protection = Protection::by(&specification);
    let case = ReviewCase { specification: Untrusted::new(specification), base, ..ReviewCase::default() };
    // Without it an interrupted fix would leave its gates at work.
    let _ = end_with_us();
    let project = host.project();
    let settings = format!("{config:?} {:?}", arguments.gates);
    let (fix, start) = Fix::new(case, &terms, &project, &settings).map_err(failed)?;
    // Held to the end: two fixes of one tree would take each other for an interrupted one.
    let _lock = Lock::take(host)?;
    let mut record = Record::open(host, &start, arguments.anew)?;
    if !record.earlier.is_empty() {
        output.note("a fix of this very tree is on record and goes on where it stopped; --anew begins again");
    }
    let fixed = carry_out(fix, &mut record, &judges, output)?;
    let pins = Some(fixed.pins.clone());
    let patches = PatchTerms { limits: PatchLimits::NONE, protection, pins, ..PatchTerms::default() };
    settle(fixed, &patches, arguments, output, &mut record)
}

fn carry_out(fix: Fix<'_>, record: &mut Record, judges: &Judges, output: Output) -> Result<Fixed> {
    let watch = std::cell::RefCell::new(Watch::new(output));
    let earlier = std::mem::take(&mut record.earlier);
    let fixed = fix.run(
        earlier,
        &mut |step| record.keep(&Event::FixStepped(Box::new(step.clone()))).map_err(|error| error.to_string()),
        &mut |progress| {
            let mut watch = watch.borrow_mut();
            match progress {
                Progress::Judging(step) => watch.see(step),
                Progress::Asking { again, .. } => {
                    watch.doing(if again { "asking for the patch once more" } else { "asking for a patch" });
                }
                Progress::Came(round) => {
                    watch.say(quiet(&format!("{}: {}", render::fix::by(round.by), render::fix::came(&round.came))));
                }
            }
        },
        &mut |ids, question, each| judges.ask(ids, question, each),
    );
    watch.into_inner().finish();
    fixed.map_err(failed)
}

/// Shows what the fix came to, and writes it back where it may.
fn settle(
    mut fixed: Fixed,
    patches: &PatchTerms,
    arguments: &Arguments,
    output: Output,
    record: &mut Record,
) -> Result {
    let project = fixed.home.clone();
    let is_good = fixed.end.outcome == Outcome::Accept || arguments.keep_best;
    let handed = Handed::Operations(fixed.end.patch.clone());
    if !fixed.end.patch.ops.is_empty() {
        let prepared = check(&project, patches, &handed).map_err(|error| {
            let faults = match &error {
                PatchError::Unfit(faults) => {
                    faults.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>().join("; ")
                }
                error => error.to_string(),
            };
            Failure::new(format!("{}; nothing was written", make_visible(&faults)))
        })?;
        let diff = match unified(&prepared.plan, &prepared.tree) {
            Ok(diff) => render::diff(&String::from_utf8_lossy(&diff)),
            Err(faults) => faults.iter().map(|fault| format!("{}\n", make_visible(&fault.to_string()))).collect(),
        };
        // Whoever is asked has to see what about.
        let asks = is_good && at_terminal() && !arguments.yes && !arguments.dry_run;
        if asks && !(std::io::stdout().is_terminal() && output.format != Format::Json) {
            eprint!("{diff}");
        }
        if output.format != Format::Json {
            print(&diff);
        }
        if is_good && !arguments.dry_run && (arguments.yes || agreed(fixed.end.outcome)?) {
            if !fixed.is_current().map_err(review_failed)? {
                return Err(Failure::new(
                    "the tree was changed meanwhile, and the ruling holds for what it was; nothing was written",
                )
                .hint("call `assize fix` again"));
            }
            let patcher = Patcher::open(&project).map_err(|error| Failure::new(error.to_string()))?;
            let applied = patcher.apply(patches, &handed).map_err(|error| Failure::new(error.to_string()))?;
            fixed.end.written = true;
            let event = Event::PatchApplied { patch: applied.patch, inverse: applied.inverse };
            record.keep(&event).map_err(|error| Failure::new(format!("the ledger: {error}")))?;
        }
    }
    // What could have been written and was not can still be taken by another call.
    let is_settled = fixed.end.written || fixed.end.patch.ops.is_empty();
    if is_settled {
        record
            .keep(&Event::FixEnded(Box::new(fixed.end.clone())))
            .map_err(|error| Failure::new(format!("the ledger: {error}")))?;
    }
    print(&match output.format {
        Format::Json => {
            let review = ReviewEnvelope::of(&fixed.review);
            format!(
                "{}\n",
                json!({"assize": 1, "court": "fix", "outcome": fixed.end.outcome, "fix": fixed.end, "review": review})
            )
        }
        Format::Human | Format::Markdown => {
            let mut text = render::fix::human(&fixed.end, arguments.dry_run || is_good);
            if fixed.end.outcome != Outcome::Accept {
                text.push('\n');
                text.push_str(&render::review::human(&fixed.review));
            }
            text
        }
    });
    Ok(Exit::of(fixed.end.outcome))
}

fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at the terminal; where there is none, nobody is to be asked.
fn agreed(outcome: Outcome) -> Result<bool> {
    if !at_terminal() {
        return Ok(true);
    }
    let mut answer = String::new();
    let is = if outcome == Outcome::Accept { "It is accepted." } else { "It is better, and not accepted." };
    let asked =
        write!(std::io::stderr(), "{is} Write it into the tree? [y/N] ").and_then(|()| std::io::stderr().flush());
    asked
        .and_then(|()| std::io::stdin().lock().read_line(&mut answer))
        .map_err(|error| Failure::new(format!("standard input: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn failed(error: FixError) -> Failure {
    match error {
        FixError::Review(error) => review_failed(error),
        error => Failure::new(error.to_string()).hint("--anew begins again"),
    }
}

/// Held while a fix of a project is at work.
struct Lock(#[expect(dead_code, reason = "it is held, not read")] std::fs::File);

impl Lock {
    fn take(host: &Host) -> Result<Self> {
        let path = host.ledger().with_file_name("fix.lock");
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(|error| failed(&error))?;
        }
        let file = std::fs::File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Failure::new("another `assize fix` is at work in this project")),
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }
}

/// The record of one fix.
struct Record {
    ledger: Ledger,
    session: String,
    /// The steps of an interrupted fix that goes on.
    earlier: Vec<FixStep>,
}

impl Record {
    /// Opens the ledger, and takes up the last fix where that began with the very same and has not ended.
    fn open(host: &Host, start: &FixStart, anew: bool) -> Result<Self> {
        let failed = |error: LedgerError| Failure::new(format!("the ledger: {error}"));
        let ledger = Ledger::open(&host.ledger()).map_err(failed)?;
        let newest = Filter { court: Some("fix".to_owned()), last: Some(1), ..Filter::default() };
        let newest = ledger.entries(&newest).map_err(failed)?.into_iter().next().filter(|_| !anew);
        if let Some(session) = newest.map(|entry| entry.header.session) {
            let events = ledger.session_events(&session, None).map_err(failed)?;
            let is_same = matches!(events.first(), Some(Event::FixStarted(earlier)) if **earlier == *start);
            let is_over = events.iter().any(|event| matches!(event, Event::FixEnded(_) | Event::PatchApplied { .. }));
            if is_same && !is_over {
                let steps = events.into_iter().filter_map(|event| match event {
                    Event::FixStepped(step) => Some(*step),
                    _ => None,
                });
                return Ok(Self { earlier: steps.collect(), ledger, session });
            }
        }
        let mut record = Self { ledger, session: format!("fix/{}", now_ms()), earlier: Vec::new() };
        record.keep(&Event::FixStarted(Box::new(start.clone()))).map_err(failed)?;
        Ok(record)
    }

    fn keep(&mut self, event: &Event) -> std::result::Result<(), LedgerError> {
        self.ledger.append(now_ms(), "fix", &self.session, event).map(|_| ())
    }
}
