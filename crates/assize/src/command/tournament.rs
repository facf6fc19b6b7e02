//! `assize tournament`: which of several candidates is best?

use std::path::{Path, PathBuf};

use assize_core::court::review::ReviewCase;
use assize_core::court::tournament::{CANDIDATES_MAX, TournamentRecord};
use assize_core::patch::{Handed, Protection};
use assize_core::path::is_code;
use assize_core::prompt::fix::{FILES_SHOWN_MAX, FixExhibits, files_that_matter};
use assize_core::session::Event;
use assize_core::text::Untrusted;
use assize_engine::court::review;
use assize_engine::court::tournament::{Entrant, Progress, Source, TournamentTerms, hold};
use assize_engine::fixer::{Fixer, NoPatch, Request};
use assize_engine::ground::Ground;
use assize_engine::judge::ask::Replies;
use assize_engine::ledger::{Ledger, LedgerError};
use assize_engine::patch::PatchTerms;
use assize_engine::process::end_with_us;

use crate::cli::{Output, print};
use crate::command::patch::DOCUMENT_BYTES_MAX;
use crate::command::review::{GateArguments, SPECIFICATION_BYTES_MAX, failed, terms_of_base};
use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::own_file::{self, read_text};
use crate::render::{self, Format};
use crate::watch::Watch;

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

Exit codes: 0 the best is accepted \u{b7} 1 it is not \u{b7} 2 bad usage, configuration or input \u{b7} 3 unjudged")]
pub struct Arguments {
    /// The candidates: patches, folders, or revisions.
    #[arg(value_name = "CANDIDATE", required_unless_present = "generate")]
    candidates: Vec<PathBuf>,
    /// Have the configured fixer make so many candidates besides.
    #[arg(long, value_name = "N")]
    generate: Option<usize>,
    /// What was asked for: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The revision that candidates are laid over and measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// How many candidates are judged at a time [default: as many as there are processors].
    #[arg(long, short, value_name = "N")]
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
    let review = config.review_terms(host, Vec::new(), &gates.skip, gates.sandbox.as_deref())?;
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
    if let Some(count) = arguments.generate {
        entrants.extend(generated(count, &case, &review, &config, host, &judges, output)?);
    }
    let terms = TournamentTerms {
        review,
        patches: PatchTerms { limits: config.patch_limits, protection, ..PatchTerms::default() },
        judges: judges.ids(),
        jobs: arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let mut watch = Watch::new(output);
    let held = hold(
        &case,
        &entrants,
        terms,
        &host.project(),
        &mut |progress| see(&mut watch, &progress),
        &mut |ids, question, each| judges.ask(ids, question, each),
    );
    watch.finish();
    let record = held.map_err(failed)?;
    if let Err(error) = record_it(host, &record) {
        output.note(&format!("this was not recorded: {error}"));
    }
    if let Some(path) = &arguments.html {
        let page = render::tournament::page(&record).map_err(|error| Failure::new(error.to_string()))?;
        own_file::write(host, path, &page)
            .map_err(|error| Failure::new(format!("--html {}: {error}", path.display())))?;
    }
    print(&match output.format {
        Format::Json => format!("{}\n", render::tournament::envelope(&record)),
        Format::Human => render::tournament::human(&record),
        Format::Markdown => render::tournament::markdown(&record),
    });
    Ok(Exit::of(record.ranking.outcome))
}

fn see(watch: &mut Watch, progress: &Progress<'_>) {
    match progress {
        Progress::Base => watch.doing("finding out about the base"),
        Progress::Began(name) => watch.doing(&format!("judging {name}")),
        Progress::Ended { name, standing, done, of } => {
            watch.say(format!(
                "{} {name} {}",
                render::outcome(standing.ruling),
                render::quiet(&format!("{done}/{of}"))
            ));
        }
        Progress::Comparing(first, second) => watch.doing(&format!("comparing {first} with {second}")),
    }
}

/// Finds out what a candidate is: a folder, a file with a patch, or a revision.
fn entrant(host: &Host, path: &Path, config: &Config) -> Result<Entrant> {
    let name = path.display().to_string();
    let full = host.folder.join(path);
    let source = if full.is_dir() {
        let folder = full.canonicalize().map_err(|error| Failure::new(format!("{name}: {error}")))?;
        Source::Folder(folder)
    } else if full.exists() || name == "-" {
        let document = own_file::read(host, path, "the candidate", DOCUMENT_BYTES_MAX)?;
        match Handed::read(&document, None, &config.patch_limits) {
            Ok(handed) => Source::Patch(handed),
            Err(faults) => Source::Unreadable(faults.iter().map(ToString::to_string).collect()),
        }
    } else {
        let repository = Ground::project(&host.folder).repository().map_err(|error| Failure::new(error.to_string()))?;
        if repository.is_none_or(|repository| repository.resolve(&name).is_err()) {
            return Err(Failure::new(format!("{name} is neither a file, nor a folder, nor a revision")));
        }
        Source::Commit(name.clone())
    };
    Ok(Entrant { name, source })
}

/// Has the configured fixer make candidates of the base.
fn generated(
    count: usize,
    case: &ReviewCase,
    terms: &review::Terms,
    config: &Config,
    host: &Host,
    judges: &Judges,
    output: Output,
) -> Result<Vec<Entrant>> {
    if count == 0 || count > GENERATED_MAX {
        return Err(Failure::new(format!("--generate is {count}, not between 1 and {GENERATED_MAX}")));
    }
    let fixer = Judges::fixer_of(config, host, judges, Replies::Fresh)?.ok_or_else(|| {
        Failure::new("--generate: no fixer is configured")
            .hint("[fixer.model] or [fixer.command] in assize.toml names one")
    })?;
    let project = Ground::project(&host.project());
    let base = review::base_of(case, &project).map_err(failed)?;
    let ground = Ground::copy(&base.path(), &host.project());
    let mut watch = Watch::new(output);
    watch.doing("finding out what is missing");
    let nobody: review::Ask<'_> = &mut |_, _, _| {};
    let record = review::hold(case.clone(), terms, &ground, &mut |step| watch.see(step), nobody).map_err(failed)?;
    let exhibits = FixExhibits {
        review: review::exhibits(case, &ground).map_err(failed)?,
        // Nothing has changed yet: what may have to change is the code.
        files: files_that_matter(&record)
            .into_iter()
            .chain(base.files().iter().map(String::as_str).filter(|path| is_code(path)))
            .take(FILES_SHOWN_MAX)
            .filter_map(|path| Some((path.to_owned(), Untrusted::new(base.text(path, DOCUMENT_BYTES_MAX)?))))
            .collect(),
        ..FixExhibits::default()
    };
    let mut entrants = Vec::new();
    for number in 1..=count {
        watch.doing(&format!("asking for candidate {number} of {count}"));
        let scratch = base.again().map_err(|error| Failure::new(error.to_string()))?;
        let (tree, original) = (scratch.path(), base.path());
        let request = Request {
            tree: &tree,
            original: &original,
            record: &record,
            exhibits: &exhibits,
            limits: config.patch_limits,
        };
        entrants.push(Entrant { name: format!("generated-{number}"), source: made(fixer.as_ref(), &request) });
    }
    watch.finish();
    Ok(entrants)
}

fn made(fixer: &dyn Fixer, request: &Request<'_>) -> Source {
    match fixer.ask(request).patch {
        Ok(handed) => Source::Patch(handed),
        Err(NoPatch::Nothing) => Source::Unreadable(vec!["the fixer offers nothing".to_owned()]),
        Err(NoPatch::Unreadable(faults)) => Source::Unreadable(faults),
        Err(NoPatch::Unavailable(why)) => Source::Unreadable(vec![why.to_string()]),
    }
}

fn record_it(host: &Host, record: &TournamentRecord) -> std::result::Result<(), LedgerError> {
    let mut ledger = Ledger::open(&host.ledger())?;
    let session = format!("tournament/{}", now_ms());
    ledger.append(now_ms(), "tournament", &session, &Event::TournamentRuled(Box::new(record.clone()))).map(|_| ())
}
