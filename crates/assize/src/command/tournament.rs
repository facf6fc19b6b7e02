//! `assize tournament`: which of several candidates is best?

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use assize_core::text::Untrusted;
use assize_engine::court::tournament::{CandidateInput, CandidateSource, TournamentProgress, TournamentTerms, hold};
use assize_engine::fix::FixError;
use assize_engine::fixer::Fixer;
use assize_engine::generation::{self, GenerationTerms, Generator};
use assize_engine::judge::ask::ReplyReuse;
use assize_engine::ledger::{Ledger, LedgerError};
use assize_engine::patch::PatchTerms;
use assize_engine::process::end_with_us;
use assize_engine::work_tree::WorkTree;
use assize_ledger::event::LedgerEvent;
use assize_patch::{Patch, PatchForm, PatchInput, Protection};
use assize_review::case::ReviewCase;
use assize_review::fix::policy::FixPolicy;
use assize_review::tournament::envelope::TournamentEnvelope;
use assize_review::tournament::generation::{Generated, Generation, GenerationStep};
use serde_json::json;
use assize_review::tournament::{CANDIDATES_MAX, TournamentRecord};

use crate::command::patch::DOCUMENT_BYTES_MAX;
use crate::command::review::{GateArguments, SPECIFICATION_BYTES_MAX, failed, terms_of_base};
use crate::config::{Config, check_fix_policy};
use crate::court::tournament::{ID, step_of};
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::number::whole_from;
use crate::output::{Format, Output, print, quiet};
use crate::own_file::{self, read_text};
use crate::record::{self, StepLock, StepRecorder};
use crate::render;
use crate::watch::ReviewProgress;

/// Most candidates that are made.
pub const GENERATED_MAX: usize = 50;

/// Arguments of `assize tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize tournament a.patch b.json c.diff --spec task.md      patches of the base, in any format of `assize patch`
  assize tournament ../try-1 ../try-2                         folders with a whole tree each
  assize tournament origin/a origin/b --base main --html ranking.html
  assize tournament --generate 4 --spec task.md               candidates that the configured fixer makes
  assize tournament --generate 4 --spec task.md --max-cost 2  as many of them as that pays for

A tournament that is called again after an interruption uses the candidates that were already made.

Exit codes: 0 the best is accepted \u{b7} 1 it is not \u{b7} 2 bad usage, configuration or input \u{b7} 3 unjudged")]
pub struct Arguments {
    /// The candidates: patches, folders, or revisions.
    #[arg(value_name = "CANDIDATE", required_unless_present = "generate")]
    candidates: Vec<PathBuf>,
    /// Have the configured fixer make so many candidates besides.
    #[arg(long, value_name = "N", value_parser = whole_from(0_usize))]
    generate: Option<usize>,
    /// Most seconds of making candidates, looked at before each is asked for [default: 1800].
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "generate",
        value_parser = whole_from(0_u64)
    )]
    time: Option<u64>,
    /// Most US dollars of making candidates, looked at before each is asked for.
    #[arg(long, value_name = "USD", requires = "generate")]
    max_cost: Option<f64>,
    /// Make all candidates again instead of using those of an interrupted tournament.
    #[arg(long, requires = "generate")]
    anew: bool,
    /// What was asked for: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The revision that candidates are laid over and measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// How many candidates are judged at a time [default: as many as there are processors].
    #[arg(long, short, value_name = "N", value_parser = whole_from(0_usize))]
    jobs: Option<usize>,
    /// Write the ranking as a page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    gates: GateArguments,
}

/// Runs `assize tournament`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    if arguments.jobs == Some(0) {
        return Err(Failure::new("--jobs is 0; at least one candidate has to be judged at a time"));
    }
    let specification = match &arguments.spec {
        Some(path) => read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX)?,
        None => String::new(),
    };
    let (base, config) = terms_of_base(host, &arguments.base, &arguments.gates, output)?;
    let judges = Judges::of_review(&config, host)?;
    let gates = &arguments.gates;
    let review = gates.terms(&config, host, Vec::new())?;
    let protection = Protection::by(&specification);
    let case = ReviewCase { specification: Untrusted::new(specification), base, ..ReviewCase::default() };
    // Without it an interrupted tournament would leave its gates at work.
    let _ = end_with_us();
    let count = arguments.candidates.len() + arguments.generate.unwrap_or_default();
    if count > CANDIDATES_MAX {
        return Err(Failure::new(format!("{count} candidates where {CANDIDATES_MAX} are the most")));
    }
    let mut entrants =
        arguments.candidates.iter().map(|path| entrant(host, path, &config)).collect::<Result<Vec<_>>>()?;
    let patches = PatchTerms { limits: config.patch_limits, protection, ..PatchTerms::default() };
    let fixer = arguments.generate.map(|asked_for| fixer(asked_for, &config, host, &judges)).transpose()?;
    // Held to the end: two tournaments of one base would take each other for an interrupted one.
    let _lock = fixer.as_ref().map(|_| StepLock::take(host, ID)).transpose()?;
    let made = match fixer.as_deref().zip(arguments.generate) {
        None => None,
        Some((fixer, asked_for)) => {
            let policy = arguments.policy(config.fix)?;
            let terms = GenerationTerms { review: &review, patches: &patches, policy, fixer, asked_for };
            Some(generated(&case, &terms, entrants.len(), arguments.anew, host, output)?)
        }
    };
    let (mut ledger, generated) = match made {
        None => (None, None),
        Some(Made { record, generated, patches }) => {
            entrants.extend(patches.into_iter().map(|(number, patch)| CandidateInput {
                name: format!("generated-{number}"),
                source: CandidateSource::Patch(PatchInput::Operations(patch)),
            }));
            (Some(record), Some(generated))
        }
    };
    let terms = TournamentTerms {
        review,
        patches,
        judges: judges.ids(),
        jobs: arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let mut watch = ReviewProgress::new(output);
    let held = hold(
        &case,
        &entrants,
        terms,
        &host.project(),
        &mut |progress| see(&mut watch, &progress),
        &mut |ids, question, each| judges.ask(ids, question, each),
    );
    watch.finish();
    let record = TournamentRecord { generated, ..held.map_err(failed)? };
    if let Err(error) = record_it(host, ledger.as_mut(), &record) {
        output.note(&format!("this was not recorded: {error}"));
    }
    if let Some(path) = &arguments.html {
        let page = render::tournament::page(&record).map_err(|error| Failure::new(error.to_string()))?;
        own_file::write(host, path, &page)
            .map_err(|error| Failure::new(format!("--html {}: {error}", path.display())))?;
    }
    print(&match output.format {
        Format::Json => format!("{}\n", json!(TournamentEnvelope::of(&record))),
        Format::Human => render::tournament::human(&record),
        Format::Markdown => render::tournament::markdown(&record),
    });
    Ok(Exit::of(record.ranking.outcome))
}

impl Arguments {
    fn policy(&self, configured: FixPolicy) -> Result<FixPolicy> {
        let policy = FixPolicy {
            time_s_max: self.time.unwrap_or(configured.time_s_max),
            cost_usd_max: self.max_cost.or(configured.cost_usd_max),
            ..configured
        };
        check_fix_policy(&policy, "").map_err(Failure::new)?;
        Ok(policy)
    }
}

fn see(watch: &mut ReviewProgress, progress: &TournamentProgress<'_>) {
    match progress {
        TournamentProgress::Base => watch.doing("finding out about the base"),
        TournamentProgress::Began(name) => watch.doing(&format!("judging {name}")),
        TournamentProgress::Ended { name, ranking_key, done, of } => {
            watch.say(format!("{} {name} {}", render::outcome(ranking_key.ruling), quiet(&format!("{done}/{of}"))));
        }
        TournamentProgress::Comparing(first, second) => watch.doing(&format!("comparing {first} with {second}")),
    }
}

/// Finds out what a candidate is: a folder, a file with a patch, or a revision.
fn entrant(host: &Host, path: &Path, config: &Config) -> Result<CandidateInput> {
    let name = path.display().to_string();
    let full = host.folder.join(path);
    let source = if full.is_dir() {
        let folder = full.canonicalize().map_err(|error| Failure::new(format!("{name}: {error}")))?;
        CandidateSource::Folder(folder)
    } else if full.exists() || name == "-" {
        let document = own_file::read(host, path, "the candidate", DOCUMENT_BYTES_MAX)?;
        match PatchInput::read(&document, PatchForm::Guessed, &config.patch_limits) {
            Ok(handed) => CandidateSource::Patch(handed),
            Err(unsound) => CandidateSource::Unreadable(unsound.faults.iter().map(ToString::to_string).collect()),
        }
    } else {
        let repository =
            WorkTree::project(&host.folder).repository().map_err(|error| Failure::new(error.to_string()))?;
        if repository.is_none_or(|repository| repository.resolve(&name).is_err()) {
            return Err(Failure::new(format!("{name} is neither a file, nor a folder, nor a revision")));
        }
        CandidateSource::Commit(name.clone())
    };
    Ok(CandidateInput { name, source })
}

/// Returns the fixer that is configured.
fn fixer(asked_for: usize, config: &Config, host: &Host, judges: &Judges) -> Result<Box<dyn Fixer>> {
    if asked_for == 0 || asked_for > GENERATED_MAX {
        return Err(Failure::new(format!("--generate is {asked_for}, not between 1 and {GENERATED_MAX}")));
    }
    Judges::fixer_of(config, host, judges, ReplyReuse::Fresh)?.ok_or_else(|| {
        Failure::new("--generate: no fixer is configured")
            .hint("[fixer.model] or [fixer.command] in assize.toml names one")
    })
}

/// Candidates that a fixer made, and the record in which their tournament is continued.
struct Made {
    record: StepRecorder,
    generated: Generated,
    /// By their numbers.
    patches: Vec<(usize, Patch)>,
}

/// Has the fixer make candidates of the base, and takes up those that it has made already.
fn generated(
    case: &ReviewCase,
    terms: &GenerationTerms<'_>,
    handed_in: usize,
    anew: bool,
    host: &Host,
    output: Output,
) -> Result<Made> {
    let (generator, start) = Generator::new(case, terms, &host.project()).map_err(failed)?;
    let start = LedgerEvent::TournamentStarted(Box::new(start));
    let ledger = record::ledger(host)?;
    // A tournament whose candidates were all handed in is ruled upon as soon as it is on record.
    let open = record::open(&ledger, ID, ["tournament_ruled"; 2], record::OPEN_MAX)?;
    let same = open.into_iter().find(|open| open.start == start).filter(|_| !anew);
    let (mut record, earlier) = match same {
        Some(open) => StepRecorder::resume(ledger, ID, &open.session)?,
        None => (StepRecorder::begin(ledger, ID, &start)?, Vec::new()),
    };
    let earlier: Vec<GenerationStep> = earlier.into_iter().filter_map(step_of).collect();
    if !earlier.is_empty() {
        let (made, of) = (Generation::begin(terms.policy, terms.asked_for, &earlier).made(), terms.asked_for);
        output.note(&format!(
            "{made} of {of} candidates taken up from the tournament that was interrupted; --anew makes all of them again"
        ));
    }
    let watch = RefCell::new(ReviewProgress::new(output));
    let ran = generator.run(
        &earlier,
        handed_in,
        &mut |step| {
            let said = render::tournament::step_line(step);
            watch.borrow().say(quiet(&said));
            record.keep(&LedgerEvent::TournamentStepped(Box::new(step.clone()))).map_err(|error| error.to_string())
        },
        &mut |progress| {
            let mut watch = watch.borrow_mut();
            match progress {
                generation::GenerationProgress::Judging(step) => watch.see(step),
                generation::GenerationProgress::Asking { number, again } => {
                    let again = if again { " once more" } else { "" };
                    watch.doing(&format!("asking for candidate {number} of {}{again}", terms.asked_for));
                }
            }
        },
    );
    watch.into_inner().finish();
    let (generated, patches) = ran.map_err(|error| match error {
        FixError::Review(error) => failed(error),
        error => Failure::new(error.to_string()),
    })?;
    Ok(Made { record, generated, patches })
}

/// Puts the result on record, where candidates were made beside the steps of that.
fn record_it(
    host: &Host,
    begun: Option<&mut StepRecorder>,
    record: &TournamentRecord,
) -> std::result::Result<(), LedgerError> {
    let event = LedgerEvent::TournamentRuled(Box::new(record.clone()));
    match begun {
        Some(begun) => begun.keep(&event),
        None => {
            Ledger::open(&host.ledger())?.append(now_ms(), ID, &format!("{ID}/{}", now_ms()), &event).map(|_| ())
        }
    }
}
