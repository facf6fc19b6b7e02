//! Runs the review court: copies the tree, runs the gates in the copies, asks judges, and returns the record.
//!
//! The user's own tree is only read. There are up to three copies: the *base*, to know what existed before; the
//! *change* as it was submitted; and the *held* copy if the change touches tests or their configuration. The held copy
//! has the code of the change and the tests of the base. Its results decide.

mod gate_session;
mod parsing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assize_check::schema::Declared;
use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_core::finding::Finding;
use assize_core::gathered::EvidencePart;
use assize_core::opinion::Opinion;
use assize_core::path::parent;
use assize_core::prompt::Question;
use assize_core::text::listed;
use assize_core::tree_paths::TreePaths;
use assize_ecosystem::{Language, is_code, is_setting, is_test};
use assize_gate::comparison::Moves;
use assize_gate::exec_report::{ExecReport, GateResult};
use assize_gate::gate::{Dimension, GATES, Gate, Project};
use assize_gate::mutation::MutationReport;
use assize_gate::plan::{GatePlan, PlanTerms};
use assize_gate::test_policy::{self, CopyPlan, Use, Used, Uses, WritableScope};
use assize_review::case::{PatchedFile, ReviewCase, ReviewInputs, ReviewPolicy, ReviewScope};
use assize_review::court::{ReviewCourt, ReviewEffect, ReviewEvent, ReviewRecord};
use assize_review::prompt::ReviewAttachments;
use assize_review::verdict::ReviewVerdict;
use assize_stop::directive::Directive;
use assize_stop::evidence::Evidence;
use assize_stop::rule::{self, RuleSettings};
use assize_stop::session::{Baseline, BaselineScope, SessionState};
use assize_syntax::inline_tests::{FILE_BYTES_MAX, with_tests_of};

pub use self::gate_session::MutationTerms;
use self::gate_session::{BaseLookup, GateSession};
use crate::brief;
use crate::evidence::{Sources, gather, shown_whole};
use crate::gate::preparation::{PreparationResult, PreparationTerms, SourceState};
use crate::gate::{BaseBuild, MANIFEST_BYTES_MAX, Planned, PreparedWorktree, RunTerms};
use crate::git::{GitError, Repository, odd_in_work_tree};
use crate::random::fresh_nonce;
use crate::sandbox::{Launcher, Sandbox, SandboxDemand, SandboxError, SandboxHost};
use crate::schema;
use crate::scratch::Scratch;
use crate::search_path::SearchPath;
use crate::security;
use crate::work_copy::{CopyError, WorkCopy};
use crate::work_tree::WorkTree;

/// Asks judges a question and passes on each opinion as it arrives.
pub type AskReviewJudges<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<ReviewVerdict>));

/// Everything that a change is judged by.
pub struct ReviewTerms {
    /// The policy.
    pub policy: ReviewPolicy,
    /// The levels of the rules.
    pub rules: RuleSettings,
    /// The ids of the model judges.
    pub judges: Vec<String>,
    /// The gates.
    pub gates: GateTerms,
    /// Decides after each gate whether the remaining gates can be skipped.
    pub hopeless: Option<Hopeless>,
}

/// Decides from the inputs so far whether further gates are useless.
pub type Hopeless = Arc<dyn Fn(&ReviewInputs) -> bool + Send + Sync>;

/// How gates are selected and run.
pub struct GateTerms {
    /// Gates that the project declares.
    pub declared: Vec<Box<dyn Gate>>,
    /// The schemas that the project declares for its documents.
    pub schemas: Vec<Declared>,
    /// The gates that are switched off, by the names that results show.
    pub off: BTreeSet<String>,
    /// The only gates that are to run, by the names that results show; all where it is empty.
    pub only: BTreeSet<String>,
    /// Whether gates run that the change cannot affect.
    pub all_packages: bool,
    /// The limits of each run.
    pub run: RunTerms,
    /// Which sandbox is required.
    pub sandbox: SandboxDemand,
    /// The words that mark tests of edge cases.
    pub edge_words: BTreeSet<String>,
    /// Tests that may fail, by their ids.
    pub known_red: BTreeSet<String>,
    /// How often newly failing tests are run again.
    pub reruns: u32,
    /// How far the tests of a change are tried on mutants.
    pub mutation: MutationTerms,
    /// The folders in which programs are found.
    pub search_path: String,
    /// The folder of cached base results.
    pub cache: Option<PathBuf>,
    /// How dependencies are installed.
    pub preparation: PreparationTerms,
    /// The build output of the base, where it is known already.
    pub base_build: Option<Arc<BaseBuild>>,
}

impl GateTerms {
    /// Plans the gates of a project. Where the files of a change are known, only what it can affect runs, unless all is
    /// asked for.
    pub fn plan(&self, project: &Project, changed: Option<&BTreeSet<String>>) -> GatePlan<'_> {
        let changed = changed.filter(|_| !self.all_packages);
        GatePlan::of(project, PlanTerms { declared: &self.declared, off: &self.off, only: &self.only, changed })
    }
}

/// The progress of a review.
#[derive(Debug, Clone, Copy)]
pub enum ReviewStep<'a> {
    /// Copies are being made.
    Copying,
    /// Dependencies are being installed.
    Preparing {
        /// The file that says which.
        because: &'a str,
        /// The last that the installation printed.
        printed: &'a str,
    },
    /// A gate is about to run.
    Gate {
        /// Its name.
        name: &'a str,
        /// The copy on which it runs.
        on: TreeState,
        /// How many gates have run before it.
        done: usize,
        /// How many gates there are, as far as is known.
        of: usize,
    },
    /// The running gate has printed something.
    Printed(&'a str),
    /// A gate has ended.
    Ended {
        /// Its result.
        result: &'a GateResult,
    },
    /// Judges are being asked.
    Judging,
}

/// A state of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeState {
    /// The base.
    Base,
    /// The code of the change with the tests of the base.
    Held,
    /// The change as it was submitted.
    Change,
    /// The change with small faults put into it.
    Mutants,
}

/// Why a review could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A copy of the tree cannot be made or used.
    #[error("a copy of the tree: {0}")]
    Copy(#[from] CopyError),
    /// The required sandbox is not available.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl ReviewError {
    /// Returns whether the change may be the cause, rather than this machine.
    pub fn is_about_the_change(&self) -> bool {
        match self {
            Self::Git(error) | Self::Copy(CopyError::Git(error)) => error.is_about_the_repository(),
            Self::Copy(_) => true,
            Self::Sandbox(_) => false,
        }
    }
}

/// Runs the court for a tree.
///
/// # Errors
///
/// Fails without git, or if the required sandbox is not available. A gate that fails or cannot be run is not an error.
/// Neither is a tree that cannot be read or copied; such a change is unjudged.
pub fn hold(
    case: ReviewCase,
    terms: &ReviewTerms,
    work_tree: &WorkTree,
    watch: &mut dyn FnMut(ReviewStep<'_>),
    ask: AskReviewJudges<'_>,
) -> Result<ReviewRecord, ReviewError> {
    let (inputs, attachments) = match examine(case.clone(), terms, work_tree, watch) {
        Err(error) if error.is_about_the_change() => return Ok(unreadable(case, terms.policy.clone(), &error)),
        examined => examined?,
    };
    let mut court = ReviewCourt::new(terms.judges.clone(), fresh_nonce());
    let gathered = ReviewEvent::Gathered { inputs: Box::new(inputs), attachments: Box::new(attachments) };
    let mut effects = court.step(gathered);
    loop {
        let Some(effect) = effects.pop() else {
            // The time of the remaining judges is over.
            effects = court.step(ReviewEvent::DeadlinePassed);
            continue;
        };
        effects = match effect {
            ReviewEffect::Rule(record) => return Ok(*record),
            ReviewEffect::Ask { judges, question } => {
                watch(ReviewStep::Judging);
                let mut following = Vec::new();
                ask(&judges, &question, &mut |opinion| {
                    following.extend(court.step(ReviewEvent::OpinionReceived(Box::new(opinion))));
                });
                following
            }
        };
    }
}

/// Returns the record of a change that cannot be read: it is unjudged.
pub fn unreadable(case: ReviewCase, policy: ReviewPolicy, why: &dyn std::fmt::Display) -> ReviewRecord {
    let missing = vec![format!("the change cannot be read: {why}")];
    ReviewRecord::of(ReviewInputs { case, policy, missing, ..ReviewInputs::default() })
}

/// Gathers everything that the ruling depends on, except the opinions.
///
/// # Errors
///
/// Fails if the tree cannot be read or copied, and as [`hold`] does.
pub fn examine(
    mut case: ReviewCase,
    terms: &ReviewTerms,
    work_tree: &WorkTree,
    watch: &mut dyn FnMut(ReviewStep<'_>),
) -> Result<(ReviewInputs, ReviewAttachments), ReviewError> {
    watch(ReviewStep::Copying);
    let repository = work_tree.repository()?;
    let root = repository.as_ref().map_or(work_tree.folder(), Repository::root).to_owned();
    let home = repository.as_ref().map_or(work_tree.home(), Repository::home).to_owned();
    let sandbox = sandbox_beside(&home, terms.gates.sandbox)?;
    if repository.is_none() || case.scope == ReviewScope::Everything {
        case.base = None;
    }
    let paths = paths_of(&root, repository.as_ref())?;
    let evidence = evidence_of(&case, work_tree, repository.is_some(), &paths);
    let diff = evidence.diff.get().cloned().unwrap_or_default();
    case.opened = WritableScope::by(case.specification.inspect());
    let mut limits = diff.limits.clone();
    limits.extend(submodules_left_out(&root, &paths));
    // Only a judge's verdict is held to the tree: the gates name files that they saw.
    let tree = if terms.judges.is_empty() { TreePaths::default() } else { present(&root, paths.clone()) };
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let place = GateLocation { root: &root, home: &home, repository: repository.as_ref(), paths, build: build.path() };
    let mut worktrees = PreparedWorktrees::new(&case, &diff, place, terms, &mut limits)?;
    let reader = if terms.judges.is_empty() { brief::BriefAudience::Nobody } else { brief::BriefAudience::Judges };
    // Before any code of the change runs, because it could remove its traces from the copy.
    let secure = security::look(&security::SecurityScanContext {
        diff: &diff,
        root: &root,
        change: &worktrees.change.copy,
        base: worktrees.base.as_ref().map(|worktree| &worktree.copy),
        specification: case.specification.inspect(),
        rules: &terms.rules,
    });
    limits.extend(secure.limits);
    let mut findings = secure.findings;
    let survey = worktrees.survey.take();
    let look =
        brief::look(worktrees.base.as_ref().map(|worktree| &worktree.copy), survey, &worktrees.change.copy, reader);
    limits.extend(look.limit);
    let base_copy = worktrees.base.as_ref().map(|worktree| &worktree.copy);
    let schemas = schema::look(&diff, &worktrees.change.copy, base_copy, &terms.gates.schemas, &terms.gates.off);
    limits.extend(schemas.limits);
    findings.extend(schemas.findings);
    worktrees.prepare(&sandbox, terms, &mut limits, watch)?;
    let moves = Moves::of(&diff);
    let so_far = ReviewInputs { case: case.clone(), policy: terms.policy.clone(), ..ReviewInputs::default() };
    let place = (&sandbox, worktrees.base_tree.clone());
    let mut report = rule::run(&evidence, &terms.rules);
    let parsed = parsing::leave_out_parsed(&mut report.findings, &worktrees.change, &sandbox, &terms.gates.run)?;
    limits.extend(parsed);
    let mut session = GateSession::new(terms, place, (&diff, &moves), so_far, watch);
    session.weakened = report.findings.iter().filter(|it| WEAKENING.contains(&&*it.rule)).cloned().collect();
    session.of_tests = worktrees.protected().cloned().collect();
    let (mut results, removed) = session.run_all(&mut worktrees, &mut limits)?;
    let is_explained = |finding: &Finding| finding.path.as_deref().is_some_and(|path| session.explains_deletions(path));
    report.findings.retain(|finding| finding.rule != "test-deleted" || !is_explained(finding));
    let mutation = session.mutate(&worktrees, &results, &mut limits)?;
    findings.extend(mutation.iter().filter_map(MutationReport::finding));
    results.extend(schemas.results);
    findings.extend(removed);
    let about_change = |finding: &Finding| finding.rule != "nothing-changed";
    assize_check::security::join(&mut findings, report.findings.into_iter().filter(about_change).collect());
    let gates = terms.gates.declared.iter().map(Box::as_ref).chain(GATES.iter().copied());
    let looked_at: Vec<Dimension> = [Dimension::Compilation, Dimension::Security]
        .into_iter()
        .chain(look.has_boundaries.then_some(Dimension::Boundaries))
        .collect();
    let exec = ExecReport::of(results, Some(sandbox.level().sentence()))
        .with_mutation(mutation)
        .with_boundaries(&look.findings)
        .with_absent(gates, &terms.gates.off)
        .with_unknown(&looked_at);
    findings.extend(look.findings);
    let summed = |file: &FileChange| PatchedFile {
        path: file.path.clone(),
        added: file.added_count(),
        removed: file.removed_count(),
        gone: file.status == FileStatus::Deleted,
        held: worktrees.plan.held_restore.contains(&file.path) || worktrees.plan.held_remove.contains(&file.path),
    };
    let inputs = ReviewInputs {
        patch_summary: diff.files.iter().map(summed).collect(),
        fingerprint: evidence.fingerprint.clone(),
        exec,
        findings,
        looked_at,
        missing: evidence.diff.why_missing().map(|why| format!("diff: {why}")).into_iter().collect(),
        limits,
        policy: terms.policy.clone(),
        case,
        opinions: Vec::new(),
    };
    Ok((inputs, ReviewAttachments { diff, brief: look.brief, tree: Arc::new(tree) }))
}

/// What limits say of dependencies that could not be installed.
pub const NOT_INSTALLED: &str = "is not installed";

/// Returns whether a limit says that another version of Node ran than the one that is installed.
pub fn is_chosen_node(limit: &str) -> bool {
    limit.starts_with(gate_session::NODE_RAN)
}

/// Rules that say that a change makes tests weaker.
const WEAKENING: [&str; 3] = ["assertion-weakened", "test-deleted", "test-skipped"];

/// Gathers what a judge or fixer is shown in addition to the inputs of the ruling.
///
/// # Errors
///
/// Fails if the tree cannot be read or copied.
pub fn attachments(case: &ReviewCase, work_tree: &WorkTree) -> Result<ReviewAttachments, ReviewError> {
    let diff = diff(case, work_tree)?;
    let brief = brief::look(None, None, &base_of(case, work_tree)?, brief::BriefAudience::Judges).brief;
    Ok(ReviewAttachments { diff, brief, ..ReviewAttachments::default() })
}

/// Returns the diff of a change.
///
/// # Errors
///
/// Fails if the tree cannot be read.
pub fn diff(case: &ReviewCase, work_tree: &WorkTree) -> Result<Diff, ReviewError> {
    let repository = work_tree.repository()?;
    let root = repository.as_ref().map_or(work_tree.folder(), Repository::root).to_owned();
    let paths = paths_of(&root, repository.as_ref())?;
    Ok(evidence_of(case, work_tree, repository.is_some(), &paths).diff.get().cloned().unwrap_or_default())
}

/// Copies the base of a case; without a base commit, copies the current tree.
///
/// # Errors
///
/// Fails if the tree cannot be read or copied.
pub fn base_of(case: &ReviewCase, work_tree: &WorkTree) -> Result<WorkCopy, ReviewError> {
    let repository = work_tree.repository()?;
    let root = repository.as_ref().map_or(work_tree.folder(), Repository::root).to_owned();
    Ok(match (&repository, &case.base) {
        (Some(repository), Some(commit)) => WorkCopy::of_commit(repository, commit)?,
        _ => WorkCopy::of_folder(&root, paths_of(&root, repository.as_ref())?)?,
    })
}

/// Returns the best sandbox that works on this machine. The programs that set it up are never taken from the judged
/// tree.
pub fn sandbox_beside(root: &Path, demand: SandboxDemand) -> Result<Sandbox, SandboxError> {
    let mut environment: BTreeMap<String, String> =
        std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok())).collect();
    if let Ok(path) = SearchPath::of_process(root).variable().into_string() {
        environment.insert("PATH".to_owned(), path);
    }
    Sandbox::with(demand, &Launcher::of_this_process()?, &SandboxHost::with_environment(environment))
}

/// Copies the current tree of a project.
///
/// # Errors
///
/// Fails if the tree cannot be read or copied.
pub fn project_copy(home: &Path) -> Result<WorkCopy, ReviewError> {
    let repository = WorkTree::project(home).repository()?;
    let root = repository.as_ref().map_or(home, Repository::root).to_owned();
    Ok(WorkCopy::of_folder(&root, paths_of(&root, repository.as_ref())?)?)
}

/// Plans the gates for the tree of a folder, or for what it has changed since a commit, without running any.
///
/// # Errors
///
/// Fails if the tree cannot be read or copied.
pub fn planned_gates<'a>(
    terms: &'a ReviewTerms,
    folder: &Path,
    base: Option<&str>,
) -> Result<(GatePlan<'a>, Project), ReviewError> {
    let repository = Repository::discover(folder)?;
    let root = repository.as_ref().map_or(folder, Repository::root).to_owned();
    let copy = project_copy(folder)?;
    let worktree = PreparedWorktree::new(copy, &root, &terms.gates.search_path, PathBuf::new());
    let changed = match (&repository, base) {
        (Some(repository), Some(base)) => Some(repository.changed_paths(Some(base))?.into_iter().collect()),
        _ => None,
    };
    Ok((terms.gates.plan(&worktree.project, changed.as_ref()), worktree.project))
}

/// Gathers the evidence that needs no gate.
fn evidence_of(case: &ReviewCase, work_tree: &WorkTree, in_repository: bool, paths: &[String]) -> Evidence {
    let directive = Directive::from_prompt(case.specification.inspect(), 1, Vec::new());
    let commit = case.base.clone();
    let baseline = Baseline { commit, measured: BaselineScope::Repository, ..Baseline::default() };
    let session =
        SessionState { baseline: Some(baseline), active: directive.into_iter().collect(), ..SessionState::default() };
    let notes = case.notes.as_ref().map(|notes| notes.inspect().to_owned());
    let sources = Sources { work_tree: work_tree.clone(), final_message: notes, ..Sources::default() };
    let mut evidence = gather(&sources, &session);
    if !in_repository {
        evidence.diff = EvidencePart::Gathered(shown_whole(work_tree.folder(), paths));
    }
    evidence
}

/// The copies, each prepared for running gates in it.
struct PreparedWorktrees {
    base: Option<PreparedWorktree>,
    /// The survey of the base.
    survey: Option<brief::TreeSurvey>,
    base_tree: Option<String>,
    /// What is known of the source whose dependencies are installed.
    source: SourceState,
    held: Option<PreparedWorktree>,
    change: PreparedWorktree,
    plan: CopyPlan,
    /// Whether what the held copy has otherwise are files of tests that no other file uses.
    touches_tests_alone: bool,
    /// The user's tree and its files.
    origin: (PathBuf, Vec<String>),
    /// Files of code whose tests beside the code differ between base and change.
    inline: Vec<String>,
}

/// The tree, its project, and the folder for build output.
struct GateLocation<'a> {
    root: &'a Path,
    /// Where its dependencies are.
    home: &'a Path,
    repository: Option<&'a Repository>,
    paths: Vec<String>,
    build: &'a Path,
}

impl PreparedWorktrees {
    fn new(
        case: &ReviewCase,
        diff: &Diff,
        place: GateLocation<'_>,
        terms: &ReviewTerms,
        limits: &mut Vec<String>,
    ) -> Result<Self, ReviewError> {
        let GateLocation { root, home, repository, paths, build } = place;
        let base_copy = match (repository, &case.base) {
            (Some(repository), Some(commit)) => Some(WorkCopy::of_commit(repository, commit)?),
            _ => None,
        };
        let mut change = WorkCopy::of_folder(root, paths.iter().cloned())?;
        let survey = base_copy.as_ref().and_then(brief::survey_copy_within_limit);
        let uses = base_copy.as_ref().map(|base| uses_of(base, survey.as_ref(), &change, diff, limits));
        let uses = uses.unwrap_or_default();
        let plan = base_copy.as_ref().map(|base| test_policy::plan(diff, base.files(), &uses, &case.opened));
        let plan = plan.unwrap_or_default();
        if !plan.test_helpers.is_empty() {
            let test_helpers: Vec<&str> = plan.test_helpers.iter().map(String::as_str).collect();
            limits.push(format!("tests ran with the base's {}, which only they use", test_helpers.join(", ")));
        }
        if !plan.product.is_empty() {
            let product: Vec<&str> = plan.product.iter().map(String::as_str).collect();
            limits
                .push(format!("part of the product, by the base: {}; tests ran with the change's", product.join(", ")));
        }
        let unread = replace_large_manifests(&mut change, base_copy.as_ref(), limits)?;
        let mut inline = Vec::new();
        if let Some(base) = &base_copy {
            restore(&mut change, base, &plan, &unread, limits)?;
            let tests_protected = !case.opened.opens_tests();
            let is_code = |path: &str| path.ends_with(".rs") && (!is_test(path) || uses.production.contains(path));
            let code = diff.files.iter().filter(|file| tests_protected && is_code(&file.path));
            inline = inline_tests(&change, base, code, limits);
        }
        let held = match &base_copy {
            Some(base) if plan.apart || !inline.is_empty() => Some(hold_tests(&change, base, &plan, &inline)?),
            _ => None,
        };
        let touches_tests_alone = survey.is_some() && touches_tests_alone(&plan, &inline, &uses);
        let folder = |name: &str| {
            let path = build.join(name);
            std::fs::create_dir_all(&path).map_err(|error| CopyError::Io { path: path.clone(), error })?;
            Ok::<_, CopyError>(path)
        };
        let worktree = |copy, build| PreparedWorktree::new(copy, home, &terms.gates.search_path, build);
        let base_tree = match (repository, &case.base) {
            (Some(repository), Some(commit)) => Some(repository.tree_of(commit)?),
            _ => None,
        };
        let (of_base, of_change) = (folder("base")?, folder("change")?);
        let base = base_copy.map(|copy| worktree(copy, of_base));
        let of_change = |copy: WorkCopy| {
            let mut worktree = worktree(copy, of_change.clone());
            if let Some(base) = &base {
                worktree.calls_as(base);
            }
            worktree
        };
        let (held, change) = (held.map(of_change), of_change(change));
        Ok(Self {
            base,
            survey,
            base_tree,
            source: source_state(repository, case.base.as_deref()),
            held,
            change,
            plan,
            touches_tests_alone,
            origin: (root.to_owned(), paths),
            inline: inline.into_iter().map(|(path, _)| path).collect(),
        })
    }
}

/// Installs what the gates of a copy depend on.
fn prepare(
    worktree: &mut PreparedWorktree,
    sandbox: &Sandbox,
    terms: &ReviewTerms,
    of: (&SourceState, Option<&WorkCopy>),
    watch: &mut dyn FnMut(ReviewStep<'_>),
) -> Result<Vec<PreparationResult>, CopyError> {
    let plans = worktree.plans(&terms.gates.plan(&worktree.project, None).due);
    worktree.prepare(&plans, sandbox, &terms.gates.preparation, of, &mut |plan, printed| {
        watch(ReviewStep::Preparing { because: &plan.because, printed });
    })
}

/// Says what could not be installed.
fn not_installed(results: Vec<PreparationResult>) -> BTreeSet<String> {
    let said = |result: PreparationResult| {
        let why = result.failure?;
        Some(format!("what {} names {NOT_INSTALLED}: {why}", result.plan.because))
    };
    results.into_iter().filter_map(said).collect()
}

/// Says which submodules are not part of a copy: git lists them like files, and they are folders.
fn submodules_left_out(root: &Path, paths: &[String]) -> Option<String> {
    const SHOWN: usize = 5;
    let is_folder = |path: &&String| root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let folders: Vec<&str> = paths.iter().filter(is_folder).map(String::as_str).collect();
    (!folders.is_empty()).then(|| format!("submodules are left out: {}", listed(&folders, SHOWN)))
}

/// Returns the files of a project's work tree, those that git ignores left out.
///
/// # Errors
///
/// Fails if git does.
pub fn tree_paths(root: &Path, repository: Option<&Repository>) -> Result<TreePaths, ReviewError> {
    Ok(present(root, paths_of(root, repository)?))
}

/// Leaves out what git lists and the work tree lacks.
fn present(root: &Path, paths: Vec<String>) -> TreePaths {
    paths.into_iter().filter(|path| root.join(path).symlink_metadata().is_ok()).collect()
}

/// Returns the files of a tree: tracked files and those that git would add. Without a repository, all files that are
/// not ignored.
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

/// The age from which on the newest commit says what was published when it was written, in seconds: two weeks.
const AGE_MIN: u64 = 14 * 24 * 60 * 60;

/// Returns what is known of a source: the version of its base, and how old it is. What is being worked on is of today.
pub(crate) fn source_state(repository: Option<&Repository>, base: Option<&str>) -> SourceState {
    let Some(repository) = repository else { return SourceState::default() };
    let is_clean = repository.changed_paths(Some("HEAD")).is_ok_and(|paths| paths.is_empty());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let written = repository.day_of("HEAD").filter(|(seconds, _)| is_clean && seconds + AGE_MIN < now);
    SourceState { version: repository.version_of(base.unwrap_or("HEAD")), day: written.map(|(_, day)| day) }
}

/// Returns how the files of the base use each other. Without a survey, no file counts as a test helper.
fn uses_of(
    base: &WorkCopy,
    survey: Option<&brief::TreeSurvey>,
    change: &WorkCopy,
    diff: &Diff,
    limits: &mut Vec<String>,
) -> Uses {
    let Some(survey) = survey else {
        let most = brief::COPY_FILES_MAX;
        limits.push(format!("the test helpers are those of the change: the base has more than {most} files"));
        return Uses::default();
    };
    let mut uses = brief::uses(base, survey);
    let is_new_module = |file: &FileChange| {
        let is_rust = Language::of(&file.path) == Some(Language::Rust);
        is_rust && is_test(&file.path) && !base.files().contains(&file.path)
    };
    // The base knows nothing of a new module: the change says whether it is part of the program.
    if diff.files.iter().any(is_new_module) {
        let after = brief::uses(change, &brief::survey_copy_like(change, survey));
        uses.production.extend(after.production.into_iter().filter(|path| !base.files().contains(path)));
    }
    uses
}

/// Replaces manifests that are too large to be read with those of the base. Otherwise a change could choose its gates
/// and settings by making a manifest large. Returns the replaced files.
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
        change.files().iter().filter(|path| is_setting(path) && is_large(change, path)).cloned().collect();
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

/// Restores the base's configuration of tests and checks. `done` are manifests that are already those of the base.
fn restore(
    change: &mut WorkCopy,
    base: &WorkCopy,
    plan: &CopyPlan,
    done: &BTreeSet<String>,
    limits: &mut Vec<String>,
) -> Result<(), CopyError> {
    let mut restored: Vec<&str> = Vec::new();
    for path in &plan.restore {
        change.take_from(base, path)?;
        restored.push(path);
    }
    // Tools ignore the byte order mark. It is removed, so that no settings can be hidden behind it.
    let text = |copy: &WorkCopy, path: &str| {
        let text = copy.text(path, MANIFEST_BYTES_MAX)?;
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    };
    for path in plan.merge.difference(done) {
        // What a manifest that is gone told tools still holds where a new one would tell them something else.
        let is_gone = !change.files().contains(path);
        let is_replaced = test_policy::is_ini(path) && plan.overruling.keys().any(|new| parent(new) == parent(path));
        let after = if is_gone && is_replaced { Some(String::new()) } else { text(change, path) };
        let Some((before, after)) = text(base, path).zip(after) else {
            if !is_gone {
                change.take_from(base, path)?;
                limits.push(format!("{path} cannot be read as text: gates ran with the base's"));
            }
            continue;
        };
        if let Some(merged) = test_policy::merge(path, &before, &after) {
            change.write(path, &merged)?;
            restored.push(path);
        }
    }
    for (path, tools) in plan.overruling.iter().filter(|(path, _)| !done.contains(*path)) {
        let Some(before) = text(change, path) else { continue };
        if let Some(after) = test_policy::without_tools(path, &before, tools) {
            change.write(path, &after)?;
            restored.push(path);
        }
    }
    if !restored.is_empty() {
        limits.push(format!("gates ran with the base's settings for tests and checks in {}", restored.join(", ")));
    }
    Ok(())
}

/// Finds changed files that contain tests beside the code, and returns them with the tests of the base.
fn inline_tests<'d>(
    change: &WorkCopy,
    base: &WorkCopy,
    code: impl Iterator<Item = &'d FileChange>,
    limits: &mut Vec<String>,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for FileChange { path, old_path, .. } in code.filter(|file| change.files().contains(&file.path)) {
        let old_path = old_path.as_deref().unwrap_or(path);
        let [before, after] =
            [(base, old_path), (change, path)].map(|(copy, path)| copy.text(path, FILE_BYTES_MAX as u64));
        match before.as_deref().zip(after.as_deref()) {
            Some((before, after)) => found.extend(with_tests_of(before, after).map(|text| (path.clone(), text))),
            // The base has no tests in this file, so nothing is lost.
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

/// Returns whether a copy with the tests of the base differs from the change only in files of tests that no file uses
/// that is the same in both. Tests within files of code are used by nothing.
fn touches_tests_alone(plan: &CopyPlan, inline: &[(String, String)], uses: &Uses) -> bool {
    let touched: BTreeSet<&str> = plan.held_restore.iter().chain(&plan.held_remove).map(String::as_str).collect();
    let is_used_elsewhere = |one: &Use| match &one.to {
        Used::File(path) => touched.contains(path.as_str()) && !touched.contains(one.from.as_str()),
        Used::Outside(_) => false,
    };
    (!touched.is_empty() || !inline.is_empty())
        && touched.iter().all(|path| is_code(path) && is_test(path))
        && !uses.imports.iter().any(is_used_elsewhere)
}

/// Makes the copy with the code of the change and the tests of the base.
fn hold_tests(
    change: &WorkCopy,
    base: &WorkCopy,
    plan: &CopyPlan,
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

/// Runs every gate on the base and caches the results. Returns the build output, which is in `build` unless it was kept.
/// Used before several changes of the same base are reviewed.
///
/// # Errors
///
/// Fails if the base cannot be read or copied, and if the required sandbox is not available.
pub fn prepare_base(
    case: &ReviewCase,
    terms: &ReviewTerms,
    project: &WorkTree,
    build: &Path,
    watch: &mut dyn FnMut(ReviewStep<'_>),
) -> Result<Option<BaseBuild>, ReviewError> {
    let (Some(repository), Some(commit)) = (project.repository()?, &case.base) else { return Ok(None) };
    let home = repository.home().to_owned();
    let sandbox = sandbox_beside(&home, terms.gates.sandbox)?;
    let copy = WorkCopy::of_commit(&repository, commit)?;
    let mut worktree = PreparedWorktree::new(copy, &home, &terms.gates.search_path, build.to_owned());
    let source = SourceState { version: repository.version_of(commit), day: None };
    prepare(&mut worktree, &sandbox, terms, (&source, None), watch)?;
    let base_tree = Some(repository.tree_of(commit)?);
    let moves = Moves::default();
    let so_far = ReviewInputs::default();
    let diff = Diff::default();
    let mut session = GateSession::new(terms, (&sandbox, base_tree), (&diff, &moves), so_far, watch);
    let due = terms.gates.plan(&worktree.project, None).due;
    let gates: Vec<Planned<'_>> = due.iter().map(|(gate, setup)| Planned { gate: *gate, setup }).collect();
    let base_build = session.base_build(&mut worktree, &gates, BaseLookup::FoundOutAnew)?;
    for planned in gates {
        session.find_out(&mut worktree, planned, BaseLookup::Taken)?;
    }
    Ok(base_build)
}

impl PreparedWorktrees {
    /// Installs what the copies depend on, for the base first: what is the same for the change is not installed by it.
    fn prepare(
        &mut self,
        sandbox: &Sandbox,
        terms: &ReviewTerms,
        limits: &mut Vec<String>,
        watch: &mut dyn FnMut(ReviewStep<'_>),
    ) -> Result<(), CopyError> {
        let source = &self.source;
        let mut results = match &mut self.base {
            Some(base) => prepare(base, sandbox, terms, (source, None), watch)?,
            None => Vec::new(),
        };
        let base = self.base.as_ref().map(|base| &base.copy);
        for worktree in self.held.iter_mut().chain([&mut self.change]) {
            results.extend(prepare(worktree, sandbox, terms, (source, base), watch)?);
        }
        limits.extend(not_installed(results));
        Ok(())
    }

    fn get(&mut self, tree: TreeState) -> &mut PreparedWorktree {
        match tree {
            TreeState::Held => self.held.as_mut().unwrap_or(&mut self.change),
            TreeState::Base | TreeState::Change | TreeState::Mutants => &mut self.change,
        }
    }

    /// Makes the copy with the change as it was submitted, its own settings for checks included. `None` where these are
    /// those of the base.
    fn with_own_settings(&self) -> Result<Option<WorkCopy>, CopyError> {
        if self.plan.restore.is_empty() && self.plan.merge.is_empty() && self.plan.overruling.is_empty() {
            return Ok(None);
        }
        let (root, paths) = &self.origin;
        WorkCopy::of_folder(root, paths.iter().cloned()).map(Some)
    }

    /// The files that come from the base where its tests run, or are not there.
    fn protected(&self) -> impl Iterator<Item = &String> {
        self.plan.held_restore.iter().chain(&self.plan.held_remove)
    }

    /// Returns the files of tests that the change touches.
    fn touched_tests(&self) -> BTreeSet<String> {
        self.protected().chain(&self.inline).cloned().collect()
    }

    /// Makes the copy with the code of the base and the tests of the change; `more` are files of tests that the change may
    /// alter freely.
    fn swapped<'p>(&'p self, more: impl IntoIterator<Item = &'p str>) -> Result<Option<WorkCopy>, CopyError> {
        let Some(base) = self.base.as_ref().map(|worktree| &worktree.copy) else { return Ok(None) };
        let change = &self.change.copy;
        let mut swapped = base.again()?;
        let protected = self.protected().map(String::as_str);
        for path in protected.chain(more).filter(|path| !self.inline.iter().any(|inline| inline == path)) {
            if change.files().contains(path) {
                swapped.take_from(change, path)?;
            } else {
                swapped.remove(path)?;
            }
        }
        for path in &self.inline {
            let text = |copy: &WorkCopy| copy.text(path, FILE_BYTES_MAX as u64);
            let both = text(change).zip(text(base)).and_then(|(tests, code)| with_tests_of(&tests, &code));
            if let Some(both) = both {
                swapped.write(path, &both)?;
            }
        }
        Ok(Some(swapped))
    }

    /// The held copy and the change share their build output. Build tools compare times of files, so files that differ
    /// from the copy built last must look new.
    fn freshen(&self, next: TreeState, last: TreeState) -> Result<(), CopyError> {
        match (&self.held, next, last) {
            (Some(held), TreeState::Held, TreeState::Change) => held.copy.freshen(&self.change.copy),
            (Some(held), TreeState::Change, TreeState::Held) => self.change.copy.freshen(&held.copy),
            _ => Ok(()),
        }
    }
}
