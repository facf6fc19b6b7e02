//! `assize market run`: bidders compete for the open boxes of an issue, the winner implements, the review court verifies.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assize_engine::court::review::{ReviewTerms, sandbox_beside};
use assize_engine::git::Repository;
use assize_engine::ledger::Ledger;
use assize_engine::market::bidder::{Bidder, Means};
use assize_engine::market::branch::Branch;
use assize_engine::market::broker::{ATTENTION, Broker, BrokerError, MarketProgress, MarketTerms};
use assize_engine::market::commit_step::{CommitError, CommitStep};
use assize_engine::market::events;
use assize_engine::market::external_command::{CommandEnvironment, ProgramConfig};
use assize_engine::market::source::SpecificationSource;
use assize_engine::market::source::file::SpecificationFile;
use assize_engine::process::end_with_us;
use assize_engine::search_path::SearchPath;
use assize_ledger::event::LedgerEvent;
use assize_market::budget::allot;
use assize_market::checklist::{SPECIFICATION_BYTES_MAX, boxes};
use assize_market::envelope::{COURT, MarketRunEnvelope};
use assize_market::reputation::Reputations;
use assize_market::run::{BidderTerms, MarketEffect, MarketEnding, MarketRun, MarketStart, MarketStep, digest};
use serde_json::json;

use super::extract::{SpecificationArguments, github, guidelines};
use super::panel::Panel;
use crate::command::review::{GateArguments, failed as review_failed};
use crate::config::{Config, ITERATIONS_MAX};
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::{Judges, search_path};
use crate::number::{whole, whole_from};
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::record::{self, StepLock, OPEN_MAX, StepRecorder};
use crate::render::market::run::RunReport;
use crate::watch::ReviewProgress;

/// Arguments of `assize market run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    specification: SpecificationArguments,
    /// The branch that the work goes to [default: assize/issue-N, or assize/ and the name of the file].
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The branch that work leaves from [default: that of the remote, or else main or master].
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// How many implementations all bidders have together [default: that of `[market]`, 15].
    #[arg(long, value_name = "N", value_parser = whole(1..=ITERATIONS_MAX))]
    iterations: Option<u32>,
    /// The seed that draws the orders in which bids are shown; it is recorded [default: drawn].
    #[arg(long, value_name = "N", value_parser = whole_from(0_u64))]
    seed: Option<u64>,
    /// Only look whether a run could begin.
    #[arg(long)]
    check: bool,
    /// Start a new run even if an interrupted one could be resumed.
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    gates: GateArguments,
}

const EXAMPLES: &str = "\
Examples:
  assize market run --spec issue.md --check     look whether all is there, and do nothing
  assize market run --spec issue.md             boxes are ticked in the file
  assize market run --issue 12                  boxes are ticked in the GitHub issue, by `gh`

Who bids stands in assize.toml, as `[[bidder]]`; `[market]` says what bids are measured by. Bids and implementations are made in
copies, in the sandbox. What the review court accepts is committed to a branch of its own, with the repository's hooks; nothing is pushed.
Calling an interrupted run again resumes it.

Exit codes: 0 a part or all of it is done \u{b7} 1 it failed, and a person has to look \u{b7} 2 bad usage, configuration or input \u{b7} 3 there was no bid, or it could not be judged";

/// Returns the root of the repository.
fn root(host: &Host) -> Result<PathBuf> {
    let repository = Repository::discover(&host.folder).map_err(|error| Failure::new(error.to_string()))?;
    let repository = repository.ok_or_else(|| {
        Failure::new("there is no git repository here").hint("the market commits to a branch; call it in a repository")
    })?;
    Ok(repository.root().to_owned())
}

/// Runs `assize market run`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let home = root(host)?;
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let panel = Panel::of(&config, host)?;
    let bidders = Judges::bidders_of(&config, host, &[(&panel.market, "[market]"), (&panel.review, "[review]")])?;
    let branch = Branch::of(&home).map_err(|error| Failure::new(error.to_string()))?;
    let source = source_of(arguments, host)?;
    // Without it an interrupted run would leave bidders at work.
    let _ = end_with_us();
    let _lock = StepLock::take(host, COURT)?;
    let settings = settings_of(&config, &bidders, arguments);
    let ledger = record::ledger(host)?;
    let begun = if arguments.anew { None } else { open(&ledger, source.as_ref(), &settings)? };
    let name = match &begun {
        Some((_, start)) => start.branch.clone(),
        None => arguments.branch.clone().unwrap_or_else(|| branch_name(source.as_ref())),
    };
    let state = host.shared();
    let flight = PreFlight {
        branch: &branch,
        source: source.as_ref(),
        bidders: &bidders,
        name: &name,
        home: &home,
        state: &state,
    };
    flight.check(arguments.from.as_deref(), begun.is_some())?;
    let pool = arguments.iterations.unwrap_or(config.market.iterations);
    allotted(&bidders, &state, pool)?;
    if arguments.check {
        let count = crate::render::count(bidders.len(), "bidder", "bidders");
        output.note(&format!("all is there: {count}, branch {name}, {}", source.name()));
        return Ok(Exit::Done);
    }
    let review = arguments.gates.terms(&config, host, panel.review.ids())?;
    let yard = yard(&config, &review, host, &home, output)?;
    branch.switch(&name).map_err(|error| Failure::new(error.to_string()))?;
    let guidelines = guidelines(&arguments.specification, host)?;
    let terms = MarketTerms {
        bidders: &bidders,
        review: &review,
        judging: &panel,
        showings: config.market.showings,
        coverage: config.market.coverage.as_ref(),
        guidelines: &guidelines,
        rules_only: arguments.specification.rules_only,
        environment: &yard,
        state: &state,
        now,
    };
    let (start, mut record, earlier) = match begun {
        Some((open, start)) => {
            output.note(
                "a run for the same work is on record and is resumed with its settings; --anew begins again",
            );
            let (record, events) = StepRecorder::resume(ledger, COURT, &open.session)?;
            (start, record, steps(events))
        }
        None => {
            let base = branch.head().map_err(|error| Failure::new(error.to_string()))?;
            let (run, drawn) = drawn(&base);
            let start = MarketStart {
                run,
                source: source.name(),
                issue_number: source.number(),
                branch: name.clone(),
                base,
                seed: arguments.seed.unwrap_or(drawn),
                settings,
                // The history is that of the branch.
                bidders: allotted(&bidders, &state, pool)?,
                measures: config.market.measures,
            };
            abandon(&ledger, host, source.as_ref())?;
            let record = StepRecorder::begin(ledger, COURT, &LedgerEvent::MarketStarted(Box::new(start.clone())))?;
            (start, record, Vec::new())
        }
    };
    let broker = Broker::new(&terms, source.as_ref(), &branch, &home);
    let (mut run, first) = MarketRun::begin(start);
    let mut report = RunReport::new(&run, output.format == Format::Markdown);
    let ended = carry_out(&broker, &mut run, first, earlier, &mut record, &mut report, &state, output);
    let ending = ended.map_err(|error| {
        // The issue stays in progress, and somebody has to look; what another branch has of it is not ours to change.
        if !matches!(error, BrokerError::Commit(CommitError::Moved { .. })) {
            let _ = source.label(&[ATTENTION], &[]);
        }
        Failure::new(error.to_string()).hint("call `assize market run` again to resume it")
    })?;
    record.keep(&LedgerEvent::MarketEnded(Box::new(ending.clone()))).map_err(record::failed)?;
    print(&match output.format {
        Format::Json => format!("{}\n", json!(MarketRunEnvelope::of(&run, report.products(), &ending))),
        Format::Human | Format::Markdown => report.end(&run, &ending),
    });
    Ok(Exit::of(ending.outcome()))
}

/// Says where bidders and implementers work. Where they cannot be kept apart from this machine, a person is told.
fn yard(config: &Config, review: &ReviewTerms, host: &Host, home: &Path, output: Output) -> Result<CommandEnvironment> {
    let sandbox = sandbox_beside(home, review.gates.sandbox).map_err(|error| review_failed(error.into()))?;
    if !sandbox.level().tier.has_namespaces() {
        output.note(&format!("bidders and implementers run in a weaker sandbox: {}", sandbox.level().sentence()));
    }
    Ok(CommandEnvironment {
        sandbox,
        limits: config.gates.limits.clone(),
        search_path: search_path(host).unwrap_or_default(),
        home: home.to_owned(),
        variable,
    })
}

#[expect(clippy::too_many_arguments, reason = "each of them is something else of one run")]
fn carry_out(
    broker: &Broker<'_>,
    run: &mut MarketRun,
    first: MarketEffect,
    earlier: Vec<MarketStep>,
    record: &mut StepRecorder,
    report: &mut RunReport,
    state: &Path,
    output: Output,
) -> std::result::Result<MarketEnding, BrokerError> {
    let watch = RefCell::new(ReviewProgress::new(output));
    let ended = broker.run(
        run,
        first,
        earlier,
        &mut |step| record.keep(&LedgerEvent::MarketStepped(Box::new(step.clone()))).map_err(|error| error.to_string()),
        &mut |progress| {
            let mut watch = watch.borrow_mut();
            match progress {
                MarketProgress::Doing(what) => watch.doing(what),
                MarketProgress::Judging(step) => watch.see(step),
                MarketProgress::Came(run, step) => {
                    let text = report.report(run, step, &|| reputations(run, state));
                    if output.format != Format::Json && !text.is_empty() {
                        watch.aside(|| print(&text));
                    }
                }
            }
        },
    );
    watch.into_inner().finish();
    ended
}

/// Returns how the bidders of a run stand.
fn reputations(run: &MarketRun, state: &Path) -> Reputations {
    let names: BTreeSet<String> = run.start().bidders.iter().map(|terms| terms.bidder.clone()).collect();
    Reputations::of(&names, events::read(state).unwrap_or_default())
}

fn steps(events: Vec<LedgerEvent>) -> Vec<MarketStep> {
    let step = |event| match event {
        LedgerEvent::MarketStepped(step) => Some(*step),
        _ => None,
    };
    events.into_iter().filter_map(step).collect()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn now() -> (i64, String) {
    let now_ms = now_ms();
    let at = chrono::DateTime::from_timestamp_millis(now_ms).unwrap_or_default();
    (now_ms, at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}

fn source_of(arguments: &Arguments, host: &Host) -> Result<Box<dyn SpecificationSource>> {
    let from = &arguments.specification.from;
    match (&from.spec, from.issue) {
        (Some(path), _) if path.as_os_str() == "-" => {
            Err(Failure::new("--spec -: boxes are ticked in the specification").hint("name a file, or --issue N"))
        }
        (Some(path), _) => {
            // What is no such file is said with its name.
            own_file::read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX as u64)?;
            let place = host.folder.join(path);
            // Whatever folder it is called from, it is the same work.
            Ok(Box::new(SpecificationFile::new(&place.canonicalize().unwrap_or(place))))
        }
        (None, Some(number)) => Ok(Box::new(github(host, number)?)),
        (None, None) => Err(Failure::new("neither --spec nor --issue is given")),
    }
}

fn branch_name(source: &dyn SpecificationSource) -> String {
    let stem = source.place().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let name = match (source.number(), stem) {
        (Some(number), _) => format!("issue-{number}"),
        (None, stem) => stem.unwrap_or_default(),
    };
    let plain = |character: char| if character.is_ascii_alphanumeric() || character == '-' { character } else { '-' };
    let plain: String = name.chars().map(plain).collect();
    match plain.trim_matches('-') {
        // A name without a letter that a branch can have.
        "" => format!("assize/{}", digest(&source.name()).get(..8).unwrap_or_default()),
        plain => format!("assize/{plain}"),
    }
}

/// Everything that shapes what a run comes to, beside the work itself.
fn settings_of(config: &Config, bidders: &[Bidder], arguments: &Arguments) -> String {
    let means: Vec<(&str, String, String)> = bidders
        .iter()
        .map(|bidder| (bidder.id.as_str(), bidder.bids.identity(), bidder.implements.identity()))
        .collect();
    let market = &config.market;
    let all = format!(
        "{means:?} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        market.measures,
        market.showings,
        market.judges,
        market.coverage,
        config.review,
        config.gates,
        arguments.gates,
        arguments.specification.rules_only
    );
    digest(&all)
}

/// Lists the runs of the same work that were interrupted, the newest first.
fn interrupted(ledger: &Ledger, source: &dyn SpecificationSource) -> Result<Vec<(record::ResumableCase, MarketStart)>> {
    let all = record::open(ledger, COURT, ["market_ended", "market_ended"], OPEN_MAX)?;
    let same = all.into_iter().filter_map(|open| match open.start.clone() {
        LedgerEvent::MarketStarted(start) if start.source == source.name() => Some((open, *start)),
        _ => None,
    });
    Ok(same.collect())
}

/// Finds the interrupted run of the same work that this call resumes.
fn open(
    ledger: &Ledger,
    source: &dyn SpecificationSource,
    settings: &str,
) -> Result<Option<(record::ResumableCase, MarketStart)>> {
    match interrupted(ledger, source)?.into_iter().next() {
        Some((_, start)) if start.settings != settings => Err(Failure::new(format!(
            "the run for {} that was interrupted had other bidders or settings",
            start.source
        ))
        .hint("put them back to go on with it, or begin again with --anew")),
        found => Ok(found),
    }
}

/// What has to be there before a run begins.
struct PreFlight<'a> {
    branch: &'a Branch,
    source: &'a dyn SpecificationSource,
    bidders: &'a [Bidder],
    /// The branch that the work goes to.
    name: &'a str,
    home: &'a Path,
    /// The folder of the project's state.
    state: &'a Path,
}

impl PreFlight<'_> {
    /// Looks whether a run can begin, or go on.
    fn check(&self, from: Option<&str>, goes_on: bool) -> Result<()> {
        if self.bidders.is_empty() {
            return Err(Failure::new("there is no bidder: assize.toml has no [[bidder]]").hint(
                "add some, such as\n[[bidder]]\nid = \"careful\"\nbid = { argv = [\"my-agent\", \"bid\"] }\nimplement = { argv = [\"my-agent\", \"implement\"] }",
            ));
        }
        programs_are_there(self.bidders, self.home)?;
        let current = self.check_branch(from)?;
        self.check_tree(&current, goes_on)?;
        self.check_source()
    }

    fn check_branch(&self, from: Option<&str>) -> Result<String> {
        let Self { branch, name, .. } = self;
        branch
            .check_identity()
            .map_err(|error| wrong(&error).hint("git has to know who commits: git config user.name and user.email"))?;
        branch
            .head()
            .map_err(|_| Failure::new("the repository has no commit yet").hint("commit what there is first"))?;
        if !branch.is_name(name).map_err(|error| wrong(&error))? {
            return Err(Failure::new(format!("no branch can be called `{name}`")).hint("name another with --branch"));
        }
        let current = branch.current().map_err(|error| wrong(&error))?;
        let current =
            current.ok_or_else(|| Failure::new("no branch is checked out").hint("check the default branch out"))?;
        let default = match from {
            Some(from) => Some(from.to_owned()),
            None => branch.default_branch().map_err(|error| wrong(&error))?,
        };
        if default.as_deref() == Some(*name) {
            return Err(Failure::new(format!("work leaves from `{name}`, and goes to a branch of its own"))
                .hint("name another with --branch"));
        }
        match default {
            Some(default) if current != *name && default != current => {
                Err(Failure::new(format!("`{current}` is checked out, and work leaves from `{default}`"))
                    .hint(format!("git switch {default}, or say --from {current}")))
            }
            _ => Ok(current),
        }
    }

    fn check_tree(&self, current: &str, goes_on: bool) -> Result<()> {
        let commit_step = CommitStep::new(self.branch, self.home, self.state, self.source);
        let dirty = self.branch.dirty().map_err(|error| wrong(&error))?;
        let dirty: Vec<String> = dirty.into_iter().filter(|path| !commit_step.is_own(path)).collect();
        // Changes that an interrupted run left on its own branch are looked at when the run resumes.
        if dirty.is_empty() || goes_on && current == self.name {
            return Ok(());
        }
        let shown: Vec<&str> = dirty.iter().take(5).map(String::as_str).collect();
        let more = if dirty.len() > shown.len() { ", \u{2026}" } else { "" };
        Err(Failure::new(format!("the tree has changes that are not committed: {}{more}", shown.join(", ")))
            .hint("commit or stash them: what is judged is measured from the last commit"))
    }

    fn check_source(&self) -> Result<()> {
        let issue = self.source.read().map_err(|error| wrong(&error))?;
        if !issue.is_open {
            return Err(
                Failure::new(format!("{} is closed", self.source.name())).hint("open it again, or take another")
            );
        }
        if boxes(&issue.body).map_err(|error| wrong(&error))?.is_empty() {
            let hint = "write what is demanded as items such as `- [ ] Add the endpoint`";
            return Err(Failure::new(format!("{} has no box", self.source.name())).hint(hint));
        }
        Ok(())
    }
}

fn wrong(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// Looks whether the programs of bidders can be found. Those that are named below the tree are looked for there.
fn programs_are_there(bidders: &[Bidder], home: &Path) -> Result<()> {
    let path = SearchPath::of_process(home);
    let is_there = |program: &ProgramConfig| {
        let name = program.argv.first().map(String::as_str).unwrap_or_default();
        if name.contains('/') { home.join(name).is_file() } else { path.find(name).is_some() }
    };
    for bidder in bidders {
        for (what, means) in [("bid", &bidder.bids), ("implement", &bidder.implements)] {
            if let Means::Program(program) = means
                && !is_there(program)
            {
                let name = program.argv.first().map(String::as_str).unwrap_or_default();
                return Err(Failure::new(format!("[[bidder]] `{}`: `{name}` is not there", bidder.id))
                    .hint(format!("`{what}.argv` begins with the program, by its path or as PATH has it")));
            }
        }
    }
    Ok(())
}

/// Shares the iterations out, by weight and efficiency.
fn allotted(bidders: &[Bidder], state: &Path, pool: u32) -> Result<Vec<BidderTerms>> {
    let names: BTreeSet<String> = bidders.iter().map(|bidder| bidder.id.clone()).collect();
    let history = events::read(state).map_err(|error| super::unreadable(&error))?;
    let reputations = Reputations::of(&names, history);
    let stands = |bidder: &Bidder| reputations.bidders.get(&bidder.id).cloned().unwrap_or_default();
    let shares: Vec<f64> = bidders.iter().map(stands).map(|stands| stands.weight * stands.efficiency).collect();
    let iterations = allot(pool, &shares)
        .map_err(|error| Failure::new(error.to_string()).hint("give more with --iterations, or [market] iterations"))?;
    let terms = |(bidder, iterations): (&Bidder, u32)| BidderTerms {
        bidder: bidder.id.clone(),
        weight: stands(bidder).weight,
        iterations,
    };
    Ok(bidders.iter().zip(iterations).map(terms).collect())
}

/// Draws the id of a run, and its seed.
fn drawn(base: &str) -> (String, u64) {
    let fresh = digest(&format!("{base} {} {}", now().0, std::process::id()));
    let seed = fresh.get(16..).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
    (fresh.get(..16).unwrap_or(&fresh).to_owned(), seed)
}

/// Says of runs of the same work that were interrupted that another one takes their place.
fn abandon(ledger: &Ledger, host: &Host, source: &dyn SpecificationSource) -> Result<()> {
    for (open, _) in interrupted(ledger, source)? {
        let (mut record, _) = StepRecorder::resume(record::ledger(host)?, COURT, &open.session)?;
        record.keep(&LedgerEvent::MarketEnded(Box::new(MarketEnding::Abandoned))).map_err(record::failed)?;
    }
    Ok(())
}
