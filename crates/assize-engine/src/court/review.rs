//! Holds the review court: makes copies of the tree, runs the gates in them, asks judges, returns what is to be
//! recorded.
//!
//! The user's own tree is only read. There are up to three copies: the *base*, to know what was there before; the
//! *change* as it was handed in; and, where it touches tests or what configures them, the *held* copy: the code of
//! the change with the tests of the base. The held copy decides.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assize_brief::inline_tests::{FILE_BYTES_MAX, with_tests_of};
use assize_core::comparison::Moves;
use assize_core::court::review::{
    PatchedFile, ReviewCase, ReviewCourt, ReviewEffect, ReviewEvent, ReviewInputs, ReviewPolicy, ReviewRecord, Scope,
};
use assize_core::court::tournament::STOPPED_EARLY;
use assize_core::diff::{Diff, FileChange};
use assize_core::directive::Directive;
use assize_core::evidence::{Evidence, Part};
use assize_core::exec_report::{Circumstances, ExecReport, GateResult, TestsOf, no_tests_yet};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::gate::{Dimension, GATES, Gate, GateRun, GateState, Setup, is_manifest};
use assize_core::opinion::Opinion;
use assize_core::path::is_test;
use assize_core::prompt::Question;
use assize_core::prompt::review::ReviewExhibits;
use assize_core::rule::{self, RuleSettings};
use assize_core::schema_check::Declared;
use assize_core::session::{Baseline, Measured, SessionState};
use assize_core::test_policy::{self, Opened, Plan, Uses};
use assize_core::verdict::ReviewVerdict;

use crate::brief;
use crate::court::{fresh_nonce, fresh_word};
use crate::evidence::{Sources, gather, shown_whole};
use crate::gate::{BaseCache, Bench, MANIFEST_BYTES_MAX, Planned, Ran, RunTerms, detect};
use crate::git::{GitError, Repository, odd_in_work_tree};
use crate::ground::Ground;
use crate::sandbox::{Demand, Host, Launcher, Sandbox, SandboxError};
use crate::schema;
use crate::scratch::Scratch;
use crate::search_path::SearchPath;
use crate::security;
use crate::work_copy::{CopyError, WorkCopy};

/// Puts a question to judges and hands on each opinion as it comes in.
pub type Ask<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<ReviewVerdict>));

/// Everything that a change is judged by.
pub struct Terms {
    /// The policy.
    pub policy: ReviewPolicy,
    /// The levels of the rules.
    pub rules: RuleSettings,
    /// Ids of the model judges.
    pub judges: Vec<String>,
    /// The gates.
    pub gates: GateTerms,
    /// Says after each gate, of what is known by then, whether it is of no use to go on.
    pub hopeless: Option<Hopeless>,
}

/// Says of what is known so far whether it is of no use to go on.
pub type Hopeless = Arc<dyn Fn(&ReviewInputs) -> bool + Send + Sync>;

/// How gates are chosen and run.
pub struct GateTerms {
    /// Gates that the project declares itself.
    pub declared: Vec<Box<dyn Gate>>,
    /// Which documents belong to which schemas, as the project declares it.
    pub schemas: Vec<Declared>,
    /// Ids of gates that are not run.
    pub off: BTreeSet<String>,
    /// What each run may take.
    pub run: RunTerms,
    /// How much of a sandbox is asked for.
    pub sandbox: Demand,
    /// The words that mark tests of edge cases.
    pub edge_words: BTreeSet<String>,
    /// Where programs are looked for.
    pub search_path: String,
    /// Where what was found out about bases is kept.
    pub cache: Option<PathBuf>,
    /// What build tools made of the base: every copy begins with it.
    pub seed: Option<PathBuf>,
}

/// What is going on, for whoever waits.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Copies are being made.
    Copying,
    /// A gate runs.
    Gate {
        /// Its name.
        name: &'a str,
        /// Which state of the tree it runs on.
        on: Tree,
        /// How many have run before it.
        done: usize,
        /// How many there are in all, as far as is known.
        of: usize,
    },
    /// A gate prints something.
    Printed(&'a str),
    /// A gate has ended.
    Ended {
        /// What it says.
        result: &'a GateResult,
    },
    /// Judges are being asked.
    Judging,
}

/// A state of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// The base.
    Base,
    /// The code of the change with the tests of the base.
    Held,
    /// The change as it was handed in.
    Change,
}

/// Why a review could not be held.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A copy of the tree cannot be made or used.
    #[error("a copy of the tree: {0}")]
    Copy(#[from] CopyError),
    /// The sandbox that was demanded cannot be had.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl ReviewError {
    /// Returns whether the change may be the cause, and not this machine.
    pub fn is_about_the_change(&self) -> bool {
        match self {
            Self::Git(error) | Self::Copy(CopyError::Git(error)) => error.is_about_the_repository(),
            Self::Copy(_) => true,
            Self::Sandbox(_) => false,
        }
    }
}

/// Holds the court over a tree.
///
/// # Errors
///
/// Fails when there is no git, or the sandbox that was demanded cannot be had. That a gate fails or cannot be run
/// is no error, nor is a tree that cannot be read or copied: nobody can say anything of such a change.
pub fn hold(
    case: ReviewCase,
    terms: &Terms,
    ground: &Ground,
    watch: &mut dyn FnMut(Step<'_>),
    ask: Ask<'_>,
) -> Result<ReviewRecord, ReviewError> {
    let (inputs, exhibits) = match examine(case.clone(), terms, ground, watch) {
        Err(error) if error.is_about_the_change() => return Ok(unreadable(case, terms.policy.clone(), &error)),
        examined => examined?,
    };
    let mut court = ReviewCourt::new(terms.judges.clone(), fresh_nonce());
    let gathered = ReviewEvent::Gathered { inputs: Box::new(inputs), exhibits: Box::new(exhibits) };
    let mut effects = court.step(gathered);
    loop {
        let Some(effect) = effects.pop() else {
            // Judges are still out: their time is over.
            effects = court.step(ReviewEvent::DeadlinePassed);
            continue;
        };
        effects = match effect {
            ReviewEffect::Rule(record) => return Ok(*record),
            ReviewEffect::Ask { judges, question } => {
                watch(Step::Judging);
                let mut following = Vec::new();
                ask(&judges, &question, &mut |opinion| {
                    following.extend(court.step(ReviewEvent::Heard(Box::new(opinion))));
                });
                following
            }
        };
    }
}

/// Rules over a change that cannot be read: it is unjudged.
pub fn unreadable(case: ReviewCase, policy: ReviewPolicy, why: &dyn std::fmt::Display) -> ReviewRecord {
    let missing = vec![format!("the change cannot be read: {why}")];
    ReviewRecord::of(ReviewInputs { case, policy, missing, ..ReviewInputs::default() })
}

/// Gathers everything that a ruling depends on, but for the opinions.
///
/// # Errors
///
/// Fails when the tree cannot be read or copied, and as [`hold`].
pub fn examine(
    mut case: ReviewCase,
    terms: &Terms,
    ground: &Ground,
    watch: &mut dyn FnMut(Step<'_>),
) -> Result<(ReviewInputs, ReviewExhibits), ReviewError> {
    watch(Step::Copying);
    let repository = ground.repository()?;
    let root = repository.as_ref().map_or(ground.folder(), Repository::root).to_owned();
    let home = repository.as_ref().map_or(ground.home(), Repository::home).to_owned();
    let sandbox = sandbox_beside(&home, terms.gates.sandbox)?;
    if repository.is_none() || case.scope == Scope::Everything {
        case.base = None;
    }
    let paths = paths_of(&root, repository.as_ref())?;
    let evidence = evidence_of(&case, ground, repository.is_some(), &paths);
    let diff = evidence.diff.get().cloned().unwrap_or_default();
    case.opened = Opened::by(case.specification.inspect());
    let mut limits = diff.limits.clone();
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let place = Place { root: &root, home: &home, repository: repository.as_ref(), paths, build: build.path() };
    let mut benches = Benches::new(&case, &diff, place, terms, &mut limits)?;
    let reader = if terms.judges.is_empty() { brief::Reader::Nobody } else { brief::Reader::Judges };
    // Before anything of the change has run: its code could otherwise tidy up after itself in the copy.
    let secure = security::look(&security::Scene {
        diff: &diff,
        root: &root,
        change: &benches.change.copy,
        base: benches.base.as_ref().map(|bench| &bench.copy),
        specification: case.specification.inspect(),
        rules: &terms.rules,
    });
    limits.extend(secure.limits);
    let mut findings = secure.findings;
    let survey = benches.survey.take();
    let look = brief::look(benches.base.as_ref().map(|bench| &bench.copy), survey, &benches.change.copy, reader);
    limits.extend(look.limit);
    let base_copy = benches.base.as_ref().map(|bench| &bench.copy);
    let schemas = schema::look(&diff, &benches.change.copy, base_copy, &terms.gates.schemas, &terms.gates.off);
    limits.extend(schemas.limits);
    findings.extend(schemas.findings);
    let moves = Moves::of(&diff);
    let mut session = GateSession {
        terms,
        sandbox: &sandbox,
        moves: &moves,
        base_tree: benches.base_tree.clone(),
        so_far: ReviewInputs { case: case.clone(), policy: terms.policy.clone(), ..ReviewInputs::default() },
        watch,
    };
    let (mut results, removed) = session.run_all(&mut benches, &mut limits)?;
    results.extend(schemas.results);
    findings.extend(removed);
    let report = rule::run(&evidence, &terms.rules);
    let about_change = |finding: &Finding| finding.rule != "nothing-changed";
    assize_core::security::join(&mut findings, report.findings.into_iter().filter(about_change).collect());
    let known = terms.gates.declared.iter().map(Box::as_ref).chain(GATES.iter().copied());
    let exec = ExecReport::of(results, Some(sandbox.level().sentence()))
        .with_boundaries(&look.findings)
        .with_absent(known, &terms.gates.off);
    findings.extend(look.findings);
    let summed = |file: &FileChange| PatchedFile {
        path: file.path.clone(),
        added: file.added_count(),
        removed: file.removed_count(),
    };
    let inputs = ReviewInputs {
        patch_summary: diff.files.iter().map(summed).collect(),
        fingerprint: evidence.fingerprint.clone(),
        exec,
        findings,
        looked_at: [Dimension::Compilation, Dimension::Security]
            .into_iter()
            .chain(look.has_boundaries.then_some(Dimension::Boundaries))
            .collect(),
        missing: evidence.diff.why_missing().map(|why| format!("diff: {why}")).into_iter().collect(),
        limits,
        policy: terms.policy.clone(),
        case,
        opinions: Vec::new(),
    };
    Ok((inputs, ReviewExhibits { diff, brief: look.brief }))
}

/// Gathers what a judge or fixer is shown beside what the ruling depends on.
///
/// # Errors
///
/// Fails when the tree cannot be read or copied.
pub fn exhibits(case: &ReviewCase, ground: &Ground) -> Result<ReviewExhibits, ReviewError> {
    let diff = diff(case, ground)?;
    let brief = brief::look(None, None, &base_of(case, ground)?, brief::Reader::Judges).brief;
    Ok(ReviewExhibits { diff, brief })
}

/// Returns what a change changes.
///
/// # Errors
///
/// Fails when the tree cannot be read.
pub fn diff(case: &ReviewCase, ground: &Ground) -> Result<Diff, ReviewError> {
    let repository = ground.repository()?;
    let root = repository.as_ref().map_or(ground.folder(), Repository::root).to_owned();
    let paths = paths_of(&root, repository.as_ref())?;
    Ok(evidence_of(case, ground, repository.is_some(), &paths).diff.get().cloned().unwrap_or_default())
}

/// Copies the tree that a change is measured from; where there is no such commit, the tree as it is.
///
/// # Errors
///
/// Fails when the tree cannot be read or copied.
pub fn base_of(case: &ReviewCase, ground: &Ground) -> Result<WorkCopy, ReviewError> {
    let repository = ground.repository()?;
    let root = repository.as_ref().map_or(ground.folder(), Repository::root).to_owned();
    Ok(match (&repository, &case.base) {
        (Some(repository), Some(commit)) => WorkCopy::of_commit(repository, commit)?,
        _ => WorkCopy::of_folder(&root, paths_of(&root, repository.as_ref())?)?,
    })
}

/// Returns the best sandbox that works here. The programs that set it up are not looked for in the judged tree.
pub fn sandbox_beside(root: &Path, demand: Demand) -> Result<Sandbox, SandboxError> {
    let mut environment: BTreeMap<String, String> =
        std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok())).collect();
    if let Ok(path) = SearchPath::of_process(root).variable().into_string() {
        environment.insert("PATH".to_owned(), path);
    }
    Sandbox::with(demand, &Launcher::of_this_process()?, &Host::with_environment(environment))
}

/// Copies the tree of a project, as it is.
///
/// # Errors
///
/// Fails when the tree cannot be read or copied.
pub fn project_copy(home: &Path) -> Result<WorkCopy, ReviewError> {
    let repository = Ground::project(home).repository()?;
    let root = repository.as_ref().map_or(home, Repository::root).to_owned();
    Ok(WorkCopy::of_folder(&root, paths_of(&root, repository.as_ref())?)?)
}

/// Finds the gates that the tree of a folder uses, without running any.
///
/// # Errors
///
/// Fails when the tree cannot be read or copied.
pub fn used_gates<'a>(terms: &'a Terms, folder: &Path) -> Result<Vec<(&'a dyn Gate, Setup)>, ReviewError> {
    let repository = Repository::discover(folder)?;
    let root = repository.as_ref().map_or(folder, Repository::root).to_owned();
    let copy = project_copy(folder)?;
    let bench = Bench::new(copy, &root, &terms.gates.search_path, PathBuf::new());
    Ok(detect(&bench.project, &terms.gates.declared, &terms.gates.off))
}

/// The evidence that needs no gate: what changed, seen with the rules' eyes.
fn evidence_of(case: &ReviewCase, ground: &Ground, in_repository: bool, paths: &[String]) -> Evidence {
    let directive = Directive::from_prompt(case.specification.inspect(), 1, Vec::new());
    let commit = case.base.clone();
    let baseline = Baseline { commit, measured: Measured::Repository, ..Baseline::default() };
    let session =
        SessionState { baseline: Some(baseline), active: directive.into_iter().collect(), ..SessionState::default() };
    let notes = case.notes.as_ref().map(|notes| notes.inspect().to_owned());
    let sources = Sources { ground: ground.clone(), final_message: notes, ..Sources::default() };
    let mut evidence = gather(&sources, &session);
    if !in_repository {
        evidence.diff = Part::Gathered(shown_whole(ground.folder(), paths));
    }
    evidence
}

/// The copies, each with what is needed to run gates in it.
struct Benches {
    base: Option<Bench>,
    /// What was seen of the base.
    survey: Option<brief::Survey>,
    base_tree: Option<String>,
    held: Option<Bench>,
    change: Bench,
}

/// Where the tree lies, what belongs to it, and where build tools may put what they make.
struct Place<'a> {
    root: &'a Path,
    /// Where its dependencies are.
    home: &'a Path,
    repository: Option<&'a Repository>,
    paths: Vec<String>,
    build: &'a Path,
}

impl Benches {
    fn new(
        case: &ReviewCase,
        diff: &Diff,
        place: Place<'_>,
        terms: &Terms,
        limits: &mut Vec<String>,
    ) -> Result<Self, ReviewError> {
        let Place { root, home, repository, paths, build } = place;
        let base_copy = match (repository, &case.base) {
            (Some(repository), Some(commit)) => Some(WorkCopy::of_commit(repository, commit)?),
            _ => None,
        };
        let mut change = WorkCopy::of_folder(root, paths)?;
        let survey = base_copy.as_ref().and_then(brief::survey_copy_within_limit);
        let plan = match &base_copy {
            Some(base) => {
                let uses = uses_of(base, survey.as_ref(), limits);
                test_policy::plan(diff, base.files(), &uses, &case.opened)
            }
            None => Plan::default(),
        };
        if !plan.aids.is_empty() {
            let aids: Vec<&str> = plan.aids.iter().map(String::as_str).collect();
            limits.push(format!("tests ran with the base's {}, which only they use", aids.join(", ")));
        }
        let unread = replace_large_manifests(&mut change, base_copy.as_ref(), limits)?;
        let mut inline = Vec::new();
        if let Some(base) = &base_copy {
            restore(&mut change, base, &plan, &unread, limits)?;
            inline = inline_tests(&change, base, diff, &case.opened, limits);
        }
        let held = match &base_copy {
            Some(base) if plan.apart || !inline.is_empty() => Some(hold_tests(&change, base, &plan, &inline)?),
            _ => None,
        };
        let folder = |name: &str| {
            let path = build.join(name);
            std::fs::create_dir_all(&path).map_err(|error| CopyError::Io { path: path.clone(), error })?;
            Ok::<_, CopyError>(path)
        };
        let bench = |copy, build| Bench::new(copy, home, &terms.gates.search_path, build);
        let base_tree = match (repository, &case.base) {
            (Some(repository), Some(commit)) => Some(repository.tree_of(commit)?),
            _ => None,
        };
        let (of_base, of_change) = (folder("base")?, folder("change")?);
        let copies = || [Some(&change), held.as_ref()].into_iter().flatten();
        if let (Some(seed), Some(base)) = (&terms.gates.seed, &base_copy)
            && copies().all(|copy| copy.has_the_links_of(base))
            && seeded(seed, &of_change)?
        {
            // Build tools go by the times of files: what differs from the base has to look new.
            for copy in copies() {
                copy.freshen(base)?;
            }
        }
        Ok(Self {
            base: base_copy.map(|copy| bench(copy, of_base)),
            survey,
            base_tree,
            held: held.map(|copy| bench(copy, of_change.clone())),
            change: bench(change, of_change),
        })
    }
}

/// The files of the tree: what git tracks and what it would; without git, everything but what is ignored.
pub(crate) fn paths_of(root: &Path, repository: Option<&Repository>) -> Result<Vec<String>, ReviewError> {
    let ours = |path: &String| {
        ![".assize", ".git"]
            .iter()
            .any(|own| path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    if let Some(repository) = repository {
        return Ok(repository.files()?.into_iter().map(|file| file.path).filter(ours).collect());
    }
    if let Some(path) = odd_in_work_tree(root) {
        return Err(GitError::Waits(path).into());
    }
    let walk = ignore::WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .ignore(false)
        .git_exclude(false)
        .build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir()));
    let relative = |path: &Path| Some(path.strip_prefix(root).ok()?.to_str()?.to_owned());
    Ok(files.filter_map(|entry| relative(entry.path())).filter(ours).take(crate::work_copy::FILES_MAX + 1).collect())
}

/// Says how the files of the base use each other. Where nobody looked, no file is known to be an aid of the tests.
fn uses_of(base: &WorkCopy, survey: Option<&brief::Survey>, limits: &mut Vec<String>) -> Uses {
    if survey.is_none() {
        let most = brief::COPY_FILES_MAX;
        limits.push(format!("the aids of tests are those of the change: the base has more than {most} files"));
    }
    survey.map(|survey| brief::uses(base, survey)).unwrap_or_default()
}

/// Gives a copy the base's manifests where its own are too large to be read: otherwise whoever makes one large enough
/// chooses by which gates and settings it is judged. Returns which are.
fn replace_large_manifests(
    change: &mut WorkCopy,
    base: Option<&WorkCopy>,
    limits: &mut Vec<String>,
) -> Result<BTreeSet<String>, CopyError> {
    let is_large = |copy: &WorkCopy, path: &str| {
        let meta = std::fs::symlink_metadata(copy.path().join(path));
        meta.is_ok_and(|meta| meta.is_file() && meta.len() > MANIFEST_BYTES_MAX)
    };
    let large: BTreeSet<String> =
        change.files().iter().filter(|path| is_manifest(path) && is_large(change, path)).cloned().collect();
    for path in &large {
        let base = base.filter(|base| base.files().contains(path));
        if let Some(base) = base {
            change.take_from(base, path)?;
        }
        let instead = if base.is_some() { "gates ran with the base's" } else { "no gate was recognized by it" };
        limits.push(format!("{path} is larger than {MANIFEST_BYTES_MAX} bytes: {instead}"));
    }
    Ok(large)
}

/// Gives a copy back the base's configuration of checks. `done` are manifests that are the base's already.
fn restore(
    change: &mut WorkCopy,
    base: &WorkCopy,
    plan: &Plan,
    done: &BTreeSet<String>,
    limits: &mut Vec<String>,
) -> Result<(), CopyError> {
    let mut restored: Vec<&str> = Vec::new();
    for path in &plan.restore {
        change.take_from(base, path)?;
        restored.push(path);
    }
    for path in plan.merge.difference(done) {
        if !change.files().contains(path) {
            continue;
        }
        let text = |copy: &WorkCopy| {
            let text = copy.text(path, MANIFEST_BYTES_MAX)?;
            // Tools pass over the mark; none of it is left to hide settings behind.
            Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
        };
        let Some((before, after)) = text(base).zip(text(change)) else {
            change.take_from(base, path)?;
            limits.push(format!("{path} cannot be read as text: gates ran with the base's"));
            continue;
        };
        if let Some(merged) = test_policy::merge(path, &before, &after) {
            change.write(path, &merged)?;
            restored.push(path);
        }
    }
    if !restored.is_empty() {
        limits.push(format!("gates ran with the base's settings for tests and checks in {}", restored.join(", ")));
    }
    Ok(())
}

/// Finds files in which tests stand beside the code and differ from those of the base, and returns them with its tests.
fn inline_tests(
    change: &WorkCopy,
    base: &WorkCopy,
    diff: &Diff,
    opened: &Opened,
    limits: &mut Vec<String>,
) -> Vec<(String, String)> {
    let closed = !opened.opens_tests();
    let code = diff.files.iter().filter(|file| closed && file.path.ends_with(".rs") && !is_test(&file.path));
    let mut found = Vec::new();
    for FileChange { path, old_path, .. } in code.filter(|file| change.files().contains(&file.path)) {
        let old_path = old_path.as_deref().unwrap_or(path);
        let [before, after] =
            [(base, old_path), (change, path)].map(|(copy, path)| copy.text(path, FILE_BYTES_MAX as u64));
        match before.as_deref().zip(after.as_deref()) {
            Some((before, after)) => found.extend(with_tests_of(before, after).map(|text| (path.clone(), text))),
            // Nothing is kept back where the base is known to have no tests there.
            None if before.as_deref().is_some_and(|before| with_tests_of(before, "").is_none()) => {}
            None if base.files().contains(old_path) => {
                let most = FILE_BYTES_MAX;
                limits.push(format!(
                    "{path} is no text of at most {most} bytes: tests within it are those of the change"
                ));
            }
            None => {}
        }
    }
    found
}

/// Makes the copy with the code of the change and the tests of the base.
fn hold_tests(
    change: &WorkCopy,
    base: &WorkCopy,
    plan: &Plan,
    inline: &[(String, String)],
) -> Result<WorkCopy, CopyError> {
    let mut held = change.again()?;
    for (path, text) in inline {
        held.write(path, text)?;
    }
    for path in &plan.held_remove {
        held.remove(path)?;
    }
    for path in &plan.held_restore {
        held.take_from(base, path)?;
    }
    Ok(held)
}

/// Gives build tools what they made of the base, with its times. Where that cannot be copied they begin with nothing; says
/// which it is.
fn seeded(seed: &Path, build: &Path) -> Result<bool, CopyError> {
    if copy_build(seed, build).is_ok() {
        return Ok(true);
    }
    let failed = |error| CopyError::Io { path: build.to_owned(), error };
    std::fs::remove_dir_all(build).map_err(failed)?;
    std::fs::create_dir_all(build).map_err(failed)?;
    Ok(false)
}

fn copy_build(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let meta = std::fs::symlink_metadata(&source)?;
        if meta.is_dir() {
            std::fs::create_dir_all(&target)?;
            copy_build(&source, &target)?;
        } else if meta.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &target)?;
        } else if meta.is_file() {
            std::fs::copy(&source, &target)?;
            meta.modified().and_then(|time| std::fs::File::open(&target)?.set_modified(time))?;
        }
    }
    Ok(())
}

/// Runs every gate on the base, and keeps what they say and what build tools make in `build`: for several changes of
/// the same base.
///
/// # Errors
///
/// Fails when the base cannot be read or copied, and when the sandbox that was demanded cannot be had.
pub fn prepare_base(
    case: &ReviewCase,
    terms: &Terms,
    project: &Ground,
    build: &Path,
    watch: &mut dyn FnMut(Step<'_>),
) -> Result<(), ReviewError> {
    let (Some(repository), Some(commit)) = (project.repository()?, &case.base) else { return Ok(()) };
    let home = repository.home().to_owned();
    let sandbox = sandbox_beside(&home, terms.gates.sandbox)?;
    let copy = WorkCopy::of_commit(&repository, commit)?;
    let mut bench = Bench::new(copy, &home, &terms.gates.search_path, build.to_owned());
    let base_tree = Some(repository.tree_of(commit)?);
    let moves = Moves::default();
    let so_far = ReviewInputs::default();
    let mut session = GateSession { terms, sandbox: &sandbox, moves: &moves, base_tree, so_far, watch };
    for (gate, setup) in detect(&bench.project, &terms.gates.declared, &terms.gates.off) {
        session.find_out(&mut bench, gate, &setup, Known::FoundOutAnew)?;
    }
    Ok(())
}

/// Whether what was found out about a base before will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is taken.
    Taken,
    /// The gate runs: what it builds is wanted as well.
    FoundOutAnew,
}

/// The gates of one review at work.
struct GateSession<'a> {
    terms: &'a Terms,
    sandbox: &'a Sandbox,
    moves: &'a Moves,
    base_tree: Option<String>,
    /// What is known by now, but for the gates.
    so_far: ReviewInputs,
    watch: &'a mut dyn FnMut(Step<'_>),
}

/// A gate, how it is used, and on which copy it runs.
type Due<'a> = (&'a dyn Gate, Setup, Tree);

impl<'a> GateSession<'a> {
    fn run_all(
        &mut self,
        benches: &mut Benches,
        limits: &mut Vec<String>,
    ) -> Result<(Vec<GateResult>, Vec<Finding>), ReviewError> {
        let of = |bench: &Bench| detect(&bench.project, &self.terms.gates.declared, &self.terms.gates.off);
        let on_change = of(&benches.change);
        let on_held = benches.held.as_ref().map(of);
        let on_base = benches.base.as_ref().map(of).unwrap_or_default();
        let due = due(on_change, on_held);
        let findings = removed(&on_base, &due);
        let mut results = Vec::new();
        let mut last = Tree::Base;
        for (number, (gate, setup, tree)) in due.iter().enumerate() {
            benches.freshen(*tree, last)?;
            last = *tree;
            let name = name_of(*gate, setup);
            (self.watch)(Step::Gate { name: &name, on: *tree, done: number, of: due.len() });
            let word = fresh_word();
            let word = (*tree != Tree::Base && is_test_runner(*gate)).then_some(word.as_str());
            let ran = self.run_on(benches.get(*tree), *gate, setup, word)?;
            let base = self.base_run(benches, &on_base, *gate, setup, &ran)?;
            let result =
                self.result(*gate, setup, *tree, &ran, base.as_ref().map(|base| &base.run), benches.held.is_some());
            let came_with_change = *tree == Tree::Held && no_tests_yet(&ran.run, base.as_ref().map(|base| &base.run));
            if came_with_change {
                limits.push(format!("the base has no tests for {name}: those of the change are the only ones"));
                continue;
            }
            (self.watch)(Step::Ended { result: &result });
            results.push(result);
            if number + 1 < due.len() && self.is_hopeless(&results) {
                limits.push(STOPPED_EARLY.to_owned());
                break;
            }
        }
        Ok((results, findings))
    }

    fn is_hopeless(&self, results: &[GateResult]) -> bool {
        let Some(hopeless) = &self.terms.hopeless else { return false };
        let exec = ExecReport::of(results.to_vec(), None);
        hopeless(&ReviewInputs { exec, ..self.so_far.clone() })
    }

    fn run_on(
        &mut self,
        bench: &mut Bench,
        gate: &'a dyn Gate,
        setup: &Setup,
        word: Option<&str>,
    ) -> Result<Ran, CopyError> {
        let watch = &mut *self.watch;
        bench.run(Planned { gate, setup }, self.sandbox, &self.terms.gates.run, word, &mut |text| {
            watch(Step::Printed(text));
        })
    }

    /// Runs the same gate on the base, where that tells anything: for tests to know which there were, for all others
    /// only when there is an objection.
    fn base_run(
        &mut self,
        benches: &mut Benches,
        on_base: &[(&'a dyn Gate, Setup)],
        gate: &'a dyn Gate,
        setup: &Setup,
        ran: &Ran,
    ) -> Result<Option<Ran>, CopyError> {
        let Some(bench) = &mut benches.base else { return Ok(None) };
        let quiet = ran.run.state == GateState::Passed && !is_test_runner(gate);
        let same = |(other, of): &&(&dyn Gate, Setup)| other.id() == gate.id() && of.folder == setup.folder;
        let Some((_, setup)) = on_base.iter().find(same).filter(|_| !quiet) else { return Ok(None) };
        self.find_out(bench, gate, setup, Known::Taken).map(Some)
    }

    /// Finds out what a gate says of the base, and keeps it.
    fn find_out(
        &mut self,
        bench: &mut Bench,
        gate: &'a dyn Gate,
        setup: &Setup,
        known: Known,
    ) -> Result<Ran, CopyError> {
        let cache = BaseCache::new(self.terms.gates.cache.as_deref());
        let tier = self.sandbox.level().tier.to_string();
        let variable = |name: &str| std::env::var(name).ok();
        let key = self.base_tree.as_ref().and_then(|tree| {
            BaseCache::key(tree, Planned { gate, setup }, bench, &self.terms.gates.run, &tier, &variable)
        });
        let kept = key.as_ref().filter(|_| known == Known::Taken).and_then(|key| cache.get(key));
        if let Some(ran) = kept {
            return Ok(ran);
        }
        let name = name_of(gate, setup);
        (self.watch)(Step::Gate { name: &name, on: Tree::Base, done: 0, of: 0 });
        let ran = self.run_on(bench, gate, setup, None)?;
        if let Some(key) = key {
            cache.put(&key, &ran);
        }
        Ok(ran)
    }

    fn result(
        &self,
        gate: &dyn Gate,
        setup: &Setup,
        tree: Tree,
        ran: &Ran,
        base: Option<&GateRun>,
        apart: bool,
    ) -> GateResult {
        let tests_of =
            if tree == Tree::Change && apart && is_test_runner(gate) { TestsOf::Change } else { TestsOf::Base };
        let about = Circumstances {
            id: gate.id(),
            folder: &setup.folder,
            because: &setup.because,
            dimensions: gate.dimensions(),
            fails_at: gate.fails_at(),
            tests_of,
            time_ms: ran.time_ms,
            command: ran.command.clone(),
            output: &ran.output,
            edge_words: &self.terms.gates.edge_words,
        };
        GateResult::of(&ran.run, base, self.moves, &about)
    }
}

impl Benches {
    fn get(&mut self, tree: Tree) -> &mut Bench {
        match tree {
            Tree::Held => self.held.as_mut().unwrap_or(&mut self.change),
            Tree::Base | Tree::Change => &mut self.change,
        }
    }

    /// The held copy and that of the change share what build tools make. They go by the times of files: what differs
    /// from the copy that was built last has to look new.
    fn freshen(&self, next: Tree, last: Tree) -> Result<(), CopyError> {
        match (&self.held, next, last) {
            (Some(held), Tree::Held, Tree::Change) => held.copy.freshen(&self.change.copy),
            (Some(held), Tree::Change, Tree::Held) => self.change.copy.freshen(&held.copy),
            _ => Ok(()),
        }
    }
}

/// Says what runs where: everything on the change, but tests first with those of the base.
fn due<'a>(on_change: Vec<(&'a dyn Gate, Setup)>, on_held: Option<Vec<(&'a dyn Gate, Setup)>>) -> Vec<Due<'a>> {
    let (tests, checks): (Vec<_>, Vec<_>) = on_change.into_iter().partition(|(gate, _)| is_test_runner(*gate));
    let held = on_held.into_iter().flatten().filter(|(gate, _)| is_test_runner(*gate));
    let on = |tree| move |(gate, setup)| (gate, setup, tree);
    checks
        .into_iter()
        .map(on(Tree::Change))
        .chain(held.map(on(Tree::Held)))
        .chain(tests.into_iter().map(on(Tree::Change)))
        .collect()
}

/// Gates that the base uses and the change does not any more.
fn removed(on_base: &[(&dyn Gate, Setup)], due: &[Due<'_>]) -> Vec<Finding> {
    let gone = on_base
        .iter()
        .filter(|(gate, setup)| !due.iter().any(|(other, of, _)| other.id() == gate.id() && of.folder == setup.folder));
    gone.map(|(gate, setup)| Finding {
        rule: "gate-removed".to_owned(),
        severity: Severity::Error,
        certainty: Certainty::Likely,
        path: None,
        line: None,
        message: format!("The base uses {} ({}); the change does so no more.", name_of(*gate, setup), setup.because),
    })
    .collect()
}

fn is_test_runner(gate: &dyn Gate) -> bool {
    gate.dimensions().contains(&Dimension::TestsFunctional)
}

fn name_of(gate: &dyn Gate, setup: &Setup) -> String {
    if setup.folder.is_empty() { gate.id().to_owned() } else { format!("{} in {}", gate.id(), setup.folder) }
}
