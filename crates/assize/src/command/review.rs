//! `assize review`: may this change go in?

use std::path::PathBuf;

use assize_core::document::DocumentCheck;
use assize_core::text::{Untrusted, make_visible};
use assize_core::violation::Violation;
use assize_engine::court::review::{self, ReviewError};
use assize_engine::git::{GitError, Repository};
use assize_engine::ledger::Ledger;
use assize_engine::process::end_with_us;
use assize_engine::work_tree::WorkTree;
use assize_ledger::event::LedgerEvent;
use assize_patch::PatchLimits;
use assize_patch::validate::validate_patch;
use assize_review::case::{ReviewCase, ReviewPolicy, ReviewScope};
use assize_review::court::ReviewRecord;
use assize_review::envelope::ReviewEnvelope;
use assize_review::validate::{validate_both, validate_verdict};
use serde_json::json;

use crate::config::{Config, MUTANTS_MAX};
use crate::court::review::ID;
use crate::exit::{Exit, Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::number::whole;
use crate::output::{Format, Output, print};
use crate::own_file::{self, one_standard_input, read_text};
use crate::render::form::{self, Form};
use crate::render::{self, comment};
use crate::revision::unknown;
use crate::watch::ReviewProgress;

/// Largest specification, and largest file of notes, in bytes.
pub const SPECIFICATION_BYTES_MAX: u64 = 1024 * 1024;
/// Largest document that is checked, in bytes.
pub const DOCUMENT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Arguments of `assize review`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize review --spec task.md                      what differs from the last commit
  assize review --spec task.md --base origin/main   a branch, as in CI
  assize review --all                               the whole tree, as if nothing had been there
  assize review --output sarif=assize.sarif,markdown=comment.md
  assize review --check-verdict verdict.json        every fault of a verdict document")]
pub struct Arguments {
    /// What was asked for: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The revision that the change is measured from.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// Judge the whole tree, not only what is new.
    #[arg(long)]
    all: bool,
    /// What the author says of the change: a file, or `-` for standard input. It counts as a claim.
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
    #[arg(long, help = form::help(), value_name = "FORM=FILE", value_delimiter = ',', value_parser = output_file)]
    output: Vec<OutputFile>,
    /// Check a verdict document, a file or `-`, and list everything that is wrong with it, instead of judging.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "all", "notes", "output"])]
    check_verdict: Option<PathBuf>,
    /// Check a patch document, a file or `-`, and whether it fits the verdict where both are given.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "all", "notes", "output"])]
    check_patch: Option<PathBuf>,
    /// Most mutants on which new tests are tried, 0 to 100; 0 tries none [default: `mutants` of the settings].
    #[arg(long, value_name = "N", value_parser = whole(0..=MUTANTS_MAX as u8))]
    mutants: Option<u8>,
    #[command(flatten)]
    gates: GateArguments,
}

/// What `review` and `gates` have in common.
#[derive(Debug, Clone, clap::Args)]
pub struct GateArguments {
    /// How much of a sandbox is asked for: `require` refuses to run without one [default: prefer].
    #[arg(long, value_name = "DEMAND", value_parser = ["require", "prefer", "off"])]
    pub(super) sandbox: Option<String>,
    /// Do not run this gate; may be given several times.
    #[arg(long = "skip", value_name = "GATE")]
    pub(super) skip: Vec<String>,
    /// Take the settings from the work tree's assize.toml, not from that of the base.
    #[arg(long)]
    pub(super) trust_config: bool,
    /// Run the gates of packages that the change cannot affect as well.
    #[arg(long)]
    pub(super) all_packages: bool,
}

impl GateArguments {
    /// Returns the terms of a review: what the configuration says, and what was asked for on the command line.
    pub(super) fn terms(
        &self,
        config: &Config,
        host: &Host,
        judges: Vec<String>,
    ) -> std::result::Result<review::ReviewTerms, Failure> {
        let mut terms = config.review_terms(host, judges, &self.skip, self.sandbox.as_deref())?;
        terms.gates.all_packages = self.all_packages;
        Ok(terms)
    }
}

/// A file to write the review to, and in which form.
#[derive(Clone)]
struct OutputFile {
    form: &'static dyn Form,
    path: PathBuf,
}

impl std::fmt::Debug for OutputFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}={}", self.form.id(), self.path.display())
    }
}

fn output_file(text: &str) -> std::result::Result<OutputFile, String> {
    let (form, path) = text.split_once('=').ok_or("write it as FORM=FILE, such as sarif=assize.sarif")?;
    let form = form::form(form)?;
    if path.is_empty() { Err("the file has no name".to_owned()) } else { Ok(OutputFile { form, path: PathBuf::from(path) }) }
}

/// Runs `assize review`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    if arguments.check_verdict.is_some() || arguments.check_patch.is_some() {
        return check(arguments, host, output);
    }
    one_standard_input([("--spec", arguments.spec.as_ref()), ("--notes", arguments.notes.as_ref())])?;
    let specification = match &arguments.spec {
        Some(path) => read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX)?,
        None => String::new(),
    };
    let notes =
        arguments.notes.as_ref().map(|path| read_text(host, path, "--notes", SPECIFICATION_BYTES_MAX)).transpose()?;
    let case = ReviewCase {
        specification: Untrusted::new(specification),
        scope: if arguments.all { ReviewScope::Everything } else { ReviewScope::Change },
        notes: notes.map(Untrusted::new),
        ..ReviewCase::default()
    };
    let record = match terms_of_base(host, &arguments.base, &arguments.gates, output) {
        Ok((base, config)) => judge(ReviewCase { base, ..case }, &config, arguments, host, output)?,
        Err(Obstacle::Wrong(failure)) => return Err(failure),
        // The author of the change may have made the repository unreadable as well. That does not avoid a ruling.
        Err(Obstacle::Unreadable(error)) => review::unreadable(case, ReviewPolicy::default(), &error),
    };
    if let Err(error) = record_it(host, &record) {
        output.note(&format!("this was not recorded: {error}"));
    }
    for OutputFile { form, path } in &arguments.output {
        let text = form.write(&record)?;
        own_file::write(host, path, &text)
            .map_err(|error| Failure::new(format!("--output {}: {error}", path.display())))?;
    }
    print(&match output.format {
        Format::Human => render::review::human(&record),
        Format::Json => format!("{}\n", json!(ReviewEnvelope::of(&record))),
        Format::Markdown => comment::review(&record),
    });
    Ok(Exit::of(record.ruling.outcome))
}

/// Holds the court.
fn judge(
    case: ReviewCase,
    config: &Config,
    arguments: &Arguments,
    host: &Host,
    output: Output,
) -> Result<ReviewRecord> {
    let judges = Judges::of_review(config, host)?;
    let mut terms = arguments.gates.terms(config, host, judges.ids())?;
    terms.gates.mutation = config.mutation_terms();
    if let Some(most) = arguments.mutants {
        terms.gates.mutation.mutants_max = most.into();
    }
    // Without it an interrupted review would leave its gates at work.
    let _ = end_with_us();
    let mut watch = ReviewProgress::new(output);
    let held = review::hold(
        case,
        &terms,
        &WorkTree::project(&host.folder),
        &mut |step| watch.see(step),
        &mut |ids, question, each| {
            judges.ask(ids, question, each);
        },
    );
    watch.finish();
    held.map_err(failed)
}

fn record_it(host: &Host, record: &ReviewRecord) -> std::result::Result<(), assize_engine::ledger::LedgerError> {
    let mut ledger = Ledger::open(&host.ledger())?;
    let session = format!("{ID}/{}", now_ms());
    ledger.append(now_ms(), ID, &session, &LedgerEvent::ReviewRuled(Box::new(record.clone()))).map(|_| ())
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
pub(super) fn failed(error: ReviewError) -> Failure {
    let hint = match &error {
        ReviewError::Sandbox(_) => Some("install bubblewrap, or ask for less with `sandbox = \"prefer\"`".to_owned()),
        _ => None,
    };
    Failure { what: error.to_string(), hint }
}

/// Why it cannot be said what a change is judged by.
pub(super) enum Obstacle {
    /// The person has to fix something.
    Wrong(Failure),
    /// The repository cannot be read.
    Unreadable(GitError),
}

impl From<GitError> for Obstacle {
    fn from(error: GitError) -> Self {
        if error.is_about_the_repository() {
            Self::Unreadable(error)
        } else {
            Self::Wrong(Failure::new(error.to_string()))
        }
    }
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        Self::Wrong(failure)
    }
}

impl From<Obstacle> for Failure {
    fn from(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::Wrong(failure) => failure,
            Obstacle::Unreadable(error) => Self::new(error.to_string()),
        }
    }
}

/// Returns the commit that a change is measured from, and the settings that hold.
pub(super) fn terms_of_base(
    host: &Host,
    revision: &str,
    arguments: &GateArguments,
    output: Output,
) -> std::result::Result<(Option<String>, Config), Obstacle> {
    let base = base_of(host, revision)?;
    let config = config_of(host, base.as_deref(), arguments, output)?;
    Ok((base, config))
}

/// Returns the commit that a revision names; `None` where there is no repository or no commit yet.
pub(super) fn base_of(host: &Host, revision: &str) -> std::result::Result<Option<String>, Obstacle> {
    let Some(repository) = Repository::discover(&host.folder)? else { return Ok(None) };
    if revision == "HEAD" {
        return Ok(repository.head_to_compare()?);
    }
    match repository.resolve(revision) {
        Err(GitError::Failed { .. }) => Err(Obstacle::Wrong(unknown("--base", revision, &repository))),
        resolved => Ok(Some(resolved?)),
    }
}

/// Reads the settings. They are those of the base: a change does not choose what it is judged by.
fn config_of(
    host: &Host,
    base: Option<&str>,
    arguments: &GateArguments,
    output: Output,
) -> std::result::Result<Config, Obstacle> {
    if host.configuration.is_some() || arguments.trust_config {
        return Ok(Config::load(&host.project(), host.configuration.as_deref())?);
    }
    let of_base = match base {
        Some(base) => committed(host, base)?,
        None => String::new(),
    };
    match crate::config::read(&host.project(), None) {
        Ok(text) if text == of_base => {}
        Ok(_) if base.is_none() => output.note(
            "there is no commit to compare with, so the default settings apply; --trust-config applies the assize.toml of the work tree",
        ),
        Ok(_) => output.note(
            "assize.toml differs from the base; the settings of the base apply (--trust-config applies those of the work tree)",
        ),
        Err(failure) => output.note(&format!("{failure}; the settings of the base apply")),
    }
    Ok(Config::parse(&of_base, "assize.toml of the base")?)
}

/// Returns the text of the settings in a commit; empty where it has none.
pub(super) fn committed(host: &Host, commit: &str) -> std::result::Result<String, GitError> {
    let repository = Repository::discover(&host.folder)?;
    let text = repository.map(|repository| repository.contents(commit, crate::config::FILE_NAME)).transpose()?;
    Ok(text.flatten().unwrap_or_default())
}

/// Checks documents and lists everything that is wrong with them.
fn check(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let verdict = ("--check-verdict", arguments.check_verdict.as_ref());
    let patch = ("--check-patch", arguments.check_patch.as_ref());
    one_standard_input([verdict, patch])?;
    let document = |(option, file): (&str, Option<&PathBuf>)| {
        file.map(|path| read_text(host, path, option, DOCUMENT_BYTES_MAX)).transpose()
    };
    let (verdict, patch) = (document(verdict)?, document(patch)?);
    let limits = PatchLimits::default();
    // A verdict is about the tree that it was given on. Where there is no repository, no tree is known.
    let repository = Repository::discover(&host.folder).map_err(|error| failed(error.into()))?;
    let tree = repository.map(|repository| review::tree_paths(repository.root(), Some(&repository)));
    let tree = tree.transpose().map_err(failed)?;
    let faults = match (&verdict, &patch) {
        (Some(verdict), Some(patch)) => validate_both(verdict, patch, &limits, tree.as_ref()).err(),
        (Some(verdict), None) => validate_verdict(verdict, tree.as_ref()).err(),
        (None, Some(patch)) => validate_patch(patch, &limits).err(),
        (None, None) => None,
    };
    let faults = faults.unwrap_or_default();
    print(&match output.format {
        Format::Json => format!("{}\n", json!(DocumentCheck::of(&faults))),
        _ if faults.is_empty() => "nothing is wrong with it\n".to_owned(),
        _ => faults.iter().map(|fault: &Violation| format!("{}\n", make_visible(&fault.to_string()))).collect(),
    });
    Ok(if faults.is_empty() { Exit::Done } else { Exit::NotAccepted })
}
