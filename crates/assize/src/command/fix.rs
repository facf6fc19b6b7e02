//! `assize fix`: fixes a change in a copy, and writes back what is accepted.

mod open;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use anstream::eprint;
use assize_core::ruling::Outcome;
use assize_core::text::{Untrusted, make_visible};
use assize_engine::fix::{FixError, FixProgress, FixRun, FixTerms, Fixed, tree_of};
use assize_engine::judge::ask::ReplyReuse;
use assize_engine::ledger::Ledger;
use assize_engine::patch::{PatchError, PatchTerms, Patcher, check};
use assize_engine::process::end_with_us;
use assize_ledger::event::LedgerEvent;
use assize_patch::{PatchInput, PatchLimits, Protection, unified};
use assize_review::case::ReviewCase;
use assize_review::fix::envelope::{FixEnvelope, ResumableFixRow, ResumableFixes};
use assize_review::fix::policy::FixPolicy;
use assize_review::fix::record::{FixStart, FixStep};
use serde_json::json;

use crate::command::review::{GateArguments, SPECIFICATION_BYTES_MAX, failed as review_failed, terms_of_base};
use crate::config::check_fix_policy;
use crate::court::fix::ID;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::judges::Judges;
use crate::number::whole_from;
use crate::output::{Format, Output, print, quiet};
use crate::own_file::read_text;
use crate::record::{self, StepLock, OPEN_MAX, StepRecorder};
use crate::render;
use crate::watch::ReviewProgress;
use open::{LISTED_MAX, Open};

/// Arguments of `assize fix`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize fix --spec task.md                     judge, fix and judge again, until it is accepted
  assize fix --tools-only                       only what compilers, linters and formatters offer; free
  assize fix --spec task.md --dry-run           show the diff, write nothing
  assize fix --spec task.md --rounds 5 --max-cost 0.50 --yes

All of it happens in a copy. What is accepted is shown as a diff and then written into the tree, whole or not at all.
Calling an interrupted fix again resumes it. Of several, the newest is resumed that began with the
very same; `--resume` lists them all.

Exit codes: 0 accepted \u{b7} 1 not accepted \u{b7} 2 bad usage, configuration or input \u{b7} 3 unjudged")]
pub struct Arguments {
    /// What was asked for: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The revision that the change is measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// Most rounds of the configured fixer [default: 3].
    #[arg(long, value_name = "N", value_parser = whole_from(0_u32))]
    rounds: Option<u32>,
    /// Most seconds in all, looked at between steps [default: 1800].
    #[arg(long, value_name = "SECONDS", value_parser = whole_from(0_u64))]
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
    /// Start a new fix even if an interrupted one could be resumed.
    #[arg(long)]
    anew: bool,
    /// Resume this fix with the base, the specification and the limits that it began with; without an id, list the fixes
    /// that can be resumed.
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        conflicts_with_all = ["spec", "base", "rounds", "time", "max_cost", "tools_only", "anew"]
    )]
    #[expect(clippy::option_option, reason = "clap tells an option without a value from none")]
    resume: Option<Option<String>>,
    #[command(flatten)]
    gates: GateArguments,
}

/// Runs `assize fix`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let resumed = match &arguments.resume {
        None => None,
        Some(None) => return list(host, output),
        Some(Some(id)) => Some(open::find(&record::ledger(host)?, id)?),
    };
    let begun = resumed.as_ref().map(|open| &open.start);
    let specification = match (begun, &arguments.spec) {
        (Some(begun), _) => begun.case.specification.inspect().to_owned(),
        (None, Some(path)) => read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX)?,
        (None, None) => String::new(),
    };
    let base = begun.and_then(|begun| begun.case.base.as_deref()).unwrap_or(&arguments.base);
    let (base, config) = terms_of_base(host, base, &arguments.gates, output)?;
    let judges = Judges::of_review(&config, host)?;
    let tools_only = begun.map_or(arguments.tools_only, |begun| begun.fixer.is_none());
    let fixer = if tools_only { None } else { Judges::fixer_of(&config, host, &judges, ReplyReuse::Reuse)? };
    let review = arguments.gates.terms(&config, host, judges.ids())?;
    let policy = begun.map_or_else(|| arguments.policy(config.fix), |begun| begun.policy);
    check_fix_policy(&policy, "").map_err(Failure::new)?;
    let terms = FixTerms { review: &review, policy, limits: config.patch_limits, fixer: fixer.as_deref() };
    let protection = Protection::by(&specification);
    let case = ReviewCase { specification: Untrusted::new(specification), base, ..ReviewCase::default() };
    // Without it an interrupted fix would leave its gates at work.
    let _ = end_with_us();
    let project = host.project();
    let settings = format!("{config:?} {:?}", arguments.gates);
    let (fix, start) = FixRun::new(case, &terms, &project, &settings).map_err(failed)?;
    // Held to the end: two fixes of one tree would take each other for an interrupted one.
    let _lock = StepLock::take(host, ID)?;
    let (mut record, earlier) = recorded(record::ledger(host)?, &start, resumed.as_ref(), arguments.anew, output)?;
    let fixed = carry_out(fix, earlier, &mut record, &judges, output)?;
    let pins = Some(fixed.pins.clone());
    let patches = PatchTerms { limits: PatchLimits::NONE, protection, pins, ..PatchTerms::default() };
    settle(fixed, &patches, arguments, output, &mut record)
}

impl Arguments {
    fn policy(&self, configured: FixPolicy) -> FixPolicy {
        FixPolicy {
            rounds_max: self.rounds.unwrap_or(configured.rounds_max),
            time_s_max: self.time.unwrap_or(configured.time_s_max),
            cost_usd_max: self.max_cost.or(configured.cost_usd_max),
        }
    }
}

/// Takes up the record of the fix that is wanted, or else of the newest that began with the very same; without one a new
/// record begins. Returns the steps that stand in it.
fn recorded(
    ledger: Ledger,
    start: &FixStart,
    wanted: Option<&Open>,
    anew: bool,
    output: Output,
) -> Result<(StepRecorder, Vec<FixStep>)> {
    let begin = |ledger| StepRecorder::begin(ledger, ID, &LedgerEvent::FixStarted(Box::new(start.clone())));
    if let Some(open) = wanted {
        let differences = open.differences(start);
        if differences.is_empty() {
            return resume(ledger, open);
        }
        return Err(Failure::new(format!("--resume {}: it began with another {}", open.id(), differences.join(", ")))
            .hint("a fix resumes only from the same tree; `assize fix --resume` lists those of this tree"));
    }
    if anew {
        return Ok((begin(ledger)?, Vec::new()));
    }
    let (same, others): (Vec<Open>, Vec<Open>) =
        open::open(&ledger, OPEN_MAX)?.into_iter().partition(|open| open.differences(start).is_empty());
    let recorded = match same.first() {
        Some(open) => {
            output.note("a fix of this tree is on record and is resumed; --anew begins again");
            resume(ledger, open)?
        }
        None => (begin(ledger)?, Vec::new()),
    };
    // Those of other trees go on only when their tree is there again.
    let others: Vec<String> = others
        .iter()
        .filter(|open| open.start.tree == start.tree)
        .take(LISTED_MAX as usize)
        .map(|open| format!("--resume {} (another {})", open.id(), open.differences(start).join(", ")))
        .collect();
    if !others.is_empty() {
        output.note(&format!("other fixes of this tree can be resumed: {}", others.join("; ")));
    }
    Ok(recorded)
}

fn resume(ledger: Ledger, open: &Open) -> Result<(StepRecorder, Vec<FixStep>)> {
    let (record, events) = StepRecorder::resume(ledger, ID, &open.session)?;
    let steps = events.into_iter().filter_map(|event| match event {
        LedgerEvent::FixStepped(step) => Some(*step),
        _ => None,
    });
    Ok((record, steps.collect()))
}

/// Lists the fixes that could go on.
fn list(host: &Host, output: Output) -> Result {
    let _lock = StepLock::take(host, ID)?;
    let open = open::open(&record::ledger(host)?, LISTED_MAX)?;
    let tree = tree_of(&host.project()).map_err(review_failed)?;
    let rows: Vec<ResumableFixRow<'_>> = open
        .iter()
        .map(|open| ResumableFixRow {
            id: open.id(),
            begun: open.at_ms,
            base: open.start.case.base.as_deref(),
            of_this_tree: open.start.tree == tree,
            specification: open.start.case.specification.inspect(),
        })
        .collect();
    print(&match output.format {
        Format::Json => format!("{}\n", json!(ResumableFixes::of(&rows))),
        Format::Human => render::fix::open_human(&rows),
        Format::Markdown => render::fix::open_markdown(&rows),
    });
    Ok(Exit::Done)
}

fn carry_out(
    fix: FixRun<'_>,
    earlier: Vec<FixStep>,
    record: &mut StepRecorder,
    judges: &Judges,
    output: Output,
) -> Result<Fixed> {
    let watch = std::cell::RefCell::new(ReviewProgress::new(output));
    let fixed = fix.run(
        earlier,
        &mut |step| record.keep(&LedgerEvent::FixStepped(Box::new(step.clone()))).map_err(|error| error.to_string()),
        &mut |progress| {
            let mut watch = watch.borrow_mut();
            match progress {
                FixProgress::Judging(step) => watch.see(step),
                FixProgress::Asking { again, .. } => {
                    watch.doing(if again { "asking for the patch once more" } else { "asking for a patch" });
                }
                FixProgress::Came(round) => {
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
    record: &mut StepRecorder,
) -> Result {
    let project = fixed.home.clone();
    let is_good = fixed.end.outcome == Outcome::Accept || arguments.keep_best;
    let handed = PatchInput::Operations(fixed.end.patch.clone());
    let mut diff = String::new();
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
        diff = match unified(&prepared.plan, &prepared.tree) {
            Ok(diff) => String::from_utf8_lossy(&diff).into_owned(),
            Err(faults) => faults.iter().map(|fault| format!("{fault}\n")).collect(),
        };
        // The person who is asked has to see the diff.
        let asks = is_good && at_terminal() && !arguments.yes && !arguments.dry_run;
        if asks && !(std::io::stdout().is_terminal() && output.format == Format::Human) {
            eprint!("{}", render::diff(&diff));
        }
        if output.format == Format::Human {
            print(&render::diff(&diff));
        }
        if is_good && !arguments.dry_run && (arguments.yes || agreed(fixed.end.outcome)?) {
            if !fixed.is_current().map_err(review_failed)? {
                return Err(Failure::new(
                    "the tree was changed meanwhile, and the ruling holds for what it was; nothing was written",
                )
                .hint("call `assize fix` again"));
            }
            let patcher = Patcher::open(&project).map_err(|error| Failure::new(error.to_string()))?;
            // If the process is killed in the middle, the ledger already holds the inverse patch.
            let intended =
                LedgerEvent::PatchIntended { patch: prepared.patch.clone(), inverse: prepared.inverse.clone() };
            record.keep(&intended).map_err(record::failed)?;
            let applied = patcher.apply(patches, &handed).map_err(|error| Failure::new(error.to_string()))?;
            fixed.end.written = true;
            let event = LedgerEvent::PatchApplied { patch: applied.patch, inverse: applied.inverse };
            record
                .keep(&event)
                .map_err(|error| Failure::new(format!("the patch was written, but not recorded: {error}")))?;
        }
    }
    // What could have been written and was not can still be taken by another call.
    let is_settled = fixed.end.written || fixed.end.patch.ops.is_empty();
    if is_settled {
        record.keep(&LedgerEvent::FixEnded(Box::new(fixed.end.clone()))).map_err(record::failed)?;
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(FixEnvelope::of(&fixed.end, &fixed.review))),
        Format::Human => render::fix::human(&fixed.end, &fixed.review, arguments.dry_run || is_good),
        Format::Markdown => render::fix::markdown(&fixed.end, &fixed.review, &diff, arguments.dry_run || is_good),
    });
    Ok(Exit::of(fixed.end.outcome))
}

fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at the terminal. Without a terminal there is no person to ask, and the answer is yes.
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
