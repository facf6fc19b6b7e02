//! The project's configuration: `assize.toml`.
//!
//! [`RawConfig`] is what the file says, [`Config`] what follows from it; the conversion happens
//! once, here, and whatever is wrong is said with its place.

mod fault;
mod market;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use assize_check::schema::{Aspect, Declared};
use assize_core::finding::BlockOn;
use assize_core::opinion::PanelRule;
use assize_core::prompt::DiffBudget;
use assize_ecosystem::test_kind::default_edge_words;
use assize_engine::court::review::{GateTerms, MutationTerms, ReviewTerms};
use assize_engine::fixer::command as fixer;
use assize_engine::gate::RunTerms;
use assize_engine::gate::preparation::{PREPARATION_SECONDS, PreparationMode, PreparationTerms};
use assize_engine::judge::{CALLS_MAX, JudgeConfig};
use assize_engine::sandbox::{SandboxDemand, SandboxLimits};
use assize_eval::court::repeat::REPEATS_MAX;
use assize_gate::gate::declared::DeclaredGate;
use assize_gate::gate::{Dimension, GATES, Gate, TEST_SECONDS, TEST_SECONDS_MAX};
use assize_patch::PatchLimits;
use assize_review::case::{AdaptedTests, ReviewPolicy};
use assize_review::fix::policy::FixPolicy;
use assize_stop::court::{EnforcementMode, OnUnjudged, StopPolicy};
use assize_stop::loop_control::LoopLimits;
use assize_stop::rule::{LevelOverride, RuleLevel, RuleSettings};
use assize_stop::verification::VerificationMode;
use serde::Deserialize;

use self::market::RawMarket;
use crate::exit::Failure;
use crate::host::Host;

pub use self::market::{BidderConfig, ITERATIONS_MAX, MarketSettings};

/// The name of the file.
pub const FILE_NAME: &str = "assize.toml";
/// Largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 256 * 1024;

/// What the file says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawConfig {
    stop: RawStop,
    review: RawReview,
    prepare: PreparationSettings,
    gates: GateSettings,
    #[serde(rename = "gate")]
    declared: Vec<DeclaredGate>,
    #[serde(rename = "schema")]
    schemas: Vec<Declared>,
    rules: BTreeMap<String, RuleLevel>,
    #[serde(rename = "override")]
    overrides: Vec<LevelOverride>,
    #[serde(rename = "judge")]
    judges: Vec<JudgeConfig>,
    eval: RawEval,
    budget: RawBudget,
    fix: RawFix,
    fixer: RawFixer,
    market: RawMarket,
    #[serde(rename = "bidder")]
    bidders: Vec<BidderConfig>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawFix {
    rounds_max: u32,
    time_s_max: u64,
    cost_usd_max: Option<f64>,
    ops_max: usize,
    bytes_max: usize,
}

impl Default for RawFix {
    fn default() -> Self {
        let FixPolicy { rounds_max, time_s_max, cost_usd_max } = FixPolicy::default();
        let PatchLimits { ops_max, bytes_max } = PatchLimits::default();
        Self { rounds_max, time_s_max, cost_usd_max, ops_max, bytes_max }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawFixer {
    model: Option<JudgeConfig>,
    command: Option<fixer::CommandFixerConfig>,
}

/// Who is asked for patches beside the tools.
#[derive(Debug, Clone)]
pub enum FixerConfig {
    /// A model: any that could be a judge.
    Model(Box<JudgeConfig>),
    /// A program that edits a copy of the tree, or prints a patch.
    Command(fixer::CommandFixerConfig),
}

/// Most rounds that can be asked for.
pub const ROUNDS_MAX: u32 = 100;
/// Longest time of a fix, in seconds.
pub const FIX_TIME_S_MAX: u64 = 7 * 24 * 60 * 60;

/// Checks the limits of a fix. Messages put `place` before the name of a limit.
///
/// # Errors
///
/// Names the limit that is out of range.
pub fn check_fix_policy(policy: &FixPolicy, place: &str) -> Result<(), String> {
    if policy.rounds_max > ROUNDS_MAX {
        return Err(format!("{place}rounds_max is {}, more than {ROUNDS_MAX}", policy.rounds_max));
    }
    if policy.time_s_max == 0 || policy.time_s_max > FIX_TIME_S_MAX {
        return Err(format!("{place}time_s_max is {}, not between 1 and {FIX_TIME_S_MAX}", policy.time_s_max));
    }
    match policy.cost_usd_max {
        Some(most) if !(most.is_finite() && most >= 0.0) => {
            Err(format!("{place}cost_usd_max is {most}, not an amount"))
        }
        _ => Ok(()),
    }
}

/// The settings of the policy are listed here again: with `flatten`, errors have no line.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawReview {
    panel: PanelRule,
    diff_budget: DiffBudget,
    block_on: BlockOn,
    require: Vec<Dimension>,
    adapted_tests: AdaptedTests,
    judges: Option<Vec<String>>,
    deadline_s: u64,
}

impl Default for RawReview {
    fn default() -> Self {
        let ReviewPolicy { panel, diff_budget, block_on, require, adapted_tests } = ReviewPolicy::default();
        let (judges, deadline_s) = (None, REVIEW_DEADLINE_S);
        Self { panel, diff_budget, block_on, require, adapted_tests, judges, deadline_s }
    }
}

impl RawReview {
    fn policy(&self) -> ReviewPolicy {
        let Self { panel, diff_budget, block_on, require, adapted_tests, .. } = self.clone();
        ReviewPolicy { panel, diff_budget, block_on, require, adapted_tests }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawEval {
    judges: Option<Vec<String>>,
    panel: PanelRule,
    repeats: u32,
    calls_max: usize,
    call_s_max: u64,
    outage_s_max: u64,
    budget_usd: Option<f64>,
}

impl Default for RawEval {
    fn default() -> Self {
        let EvalSettings { panel, repeats, calls_max, call_time_max, outage_max, budget_usd, .. } =
            EvalSettings::default();
        let (call_s_max, outage_s_max) = (call_time_max.as_secs(), outage_max.as_secs());
        Self { judges: None, panel, repeats, calls_max, call_s_max, outage_s_max, budget_usd }
    }
}

/// How records are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSettings {
    /// The judges, in order.
    pub judges: Vec<JudgeConfig>,
    /// How their opinions become one.
    pub panel: PanelRule,
    /// How often each is asked about a record.
    pub repeats: u32,
    /// Calls at a time to one judge at most.
    pub calls_max: usize,
    /// How long a call may take.
    pub call_time_max: Duration,
    /// How long a judge may fail altogether before the rest of its questions is given up.
    pub outage_max: Duration,
    /// What a run may cost, in US dollars.
    pub budget_usd: Option<f64>,
}

impl Default for EvalSettings {
    fn default() -> Self {
        Self {
            judges: Vec::new(),
            panel: PanelRule::default(),
            repeats: 1,
            calls_max: CALLS_MAX,
            call_time_max: Duration::from_secs(120),
            outage_max: Duration::from_secs(900),
            budget_usd: None,
        }
    }
}

/// Most calls at a time to one judge.
pub const EVAL_CALLS_MAX: usize = 512;
/// Longest time that a call of a run may take, in seconds.
pub const CALL_S_MAX: u64 = 3_600;
/// Longest outage that a run may wait for, in seconds.
pub const OUTAGE_S_MAX: u64 = 24 * 3_600;

impl RawEval {
    fn settings(self, configured: Vec<JudgeConfig>) -> Result<EvalSettings, String> {
        for (setting, value, most) in [
            ("repeats", u64::from(self.repeats), u64::from(REPEATS_MAX)),
            ("calls_max", self.calls_max as u64, EVAL_CALLS_MAX as u64),
            ("call_s_max", self.call_s_max, CALL_S_MAX),
            ("outage_s_max", self.outage_s_max, OUTAGE_S_MAX),
        ] {
            if value == 0 || value > most {
                return Err(format!("[eval] {setting} is {value}, not between 1 and {most}"));
            }
        }
        if let Some(budget) = self.budget_usd.filter(|budget| !(budget.is_finite() && *budget >= 0.0)) {
            return Err(format!("[eval] budget_usd is {budget}, not an amount"));
        }
        Ok(EvalSettings {
            judges: select_judges(configured, self.judges, "eval")?,
            panel: self.panel,
            repeats: self.repeats,
            calls_max: self.calls_max,
            call_time_max: Duration::from_secs(self.call_s_max),
            outage_max: Duration::from_secs(self.outage_s_max),
            budget_usd: self.budget_usd,
        })
    }
}

/// The most times that newly failing tests are run again.
pub const RERUNS_MAX: u32 = 10;
/// The most mutants of a change.
pub const MUTANTS_MAX: usize = 100;
/// The most seconds that the mutants of a change may take.
pub const MUTATION_SECONDS_MAX: u64 = 3_600;

/// How dependencies are installed.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PreparationSettings {
    /// Whether they are.
    pub mode: PreparationMode,
    /// Variables of the environment that installations get, beside those that name registries.
    pub variables: BTreeSet<String>,
}

/// How the project's own checks are run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// How much of a sandbox is asked for.
    pub sandbox: SandboxDemand,
    /// Gates that are not run.
    pub skip: Vec<String>,
    /// Whether gates may reach the network.
    pub network: bool,
    /// Seconds that one test may take, 1 to [`TEST_SECONDS_MAX`].
    pub test_seconds: u32,
    /// The words that mark tests of edge cases, in lower case.
    pub edge_words: BTreeSet<String>,
    /// Tests that may fail, by the ids that results show.
    pub known_red: BTreeSet<String>,
    /// How often newly failing tests are run again, 0 to [`RERUNS_MAX`]. Those that pass each time are flaky.
    pub reruns: u32,
    /// The most mutants on which the tests of a change are tried, 0 to [`MUTANTS_MAX`].
    pub mutants: usize,
    /// How many seconds that may take, 1 to [`MUTATION_SECONDS_MAX`].
    pub mutation_seconds: u64,
    /// What each gate may take.
    pub limits: SandboxLimits,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            sandbox: SandboxDemand::Prefer,
            skip: Vec::new(),
            network: false,
            test_seconds: TEST_SECONDS,
            edge_words: default_edge_words(),
            known_red: BTreeSet::new(),
            reruns: 2,
            mutants: 8,
            mutation_seconds: 60,
            limits: SandboxLimits::default(),
        }
    }
}

/// The settings of the policy are listed here again: with `flatten`, errors have no line.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawStop {
    mode: EnforcementMode,
    on_unjudged: OnUnjudged,
    block_on: BlockOn,
    panel: PanelRule,
    limits: LoopLimits,
    diff_budget: DiffBudget,
    verify: VerificationMode,
    verify_s: u64,
    judges: Option<Vec<String>>,
    deadline_s: u64,
}

impl Default for RawStop {
    fn default() -> Self {
        let StopPolicy { mode, on_unjudged, block_on, panel, limits, diff_budget, verify } = StopPolicy::default();
        let (verify_s, judges, deadline_s) = (VERIFY_S, None, DEADLINE_S);
        Self { mode, on_unjudged, block_on, panel, limits, diff_budget, verify, verify_s, judges, deadline_s }
    }
}

impl RawStop {
    fn policy(&self) -> StopPolicy {
        let Self { mode, on_unjudged, block_on, panel, limits, diff_budget, verify, .. } = self.clone();
        StopPolicy { mode, on_unjudged, block_on, panel, limits, diff_budget, verify }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawBudget {
    usd_per_day: Option<f64>,
}

/// What follows from the configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// The policy of the stop court.
    pub stop: StopPolicy,
    /// The levels of the rules.
    pub rules: RuleSettings,
    /// The judges of the stop court, in order.
    pub judges: Vec<JudgeConfig>,
    /// How long the stop court waits for its judges.
    pub deadline: Duration,
    /// How long the checks of a stop may take.
    pub verify_limit: Duration,
    /// What judges may cost a day, in US dollars.
    pub budget_usd_per_day: Option<f64>,
    /// The policy of the review court.
    pub review: ReviewPolicy,
    /// The judges of the review court, in order.
    pub review_judges: Vec<JudgeConfig>,
    /// How long the review court waits for its judges.
    pub review_deadline: Duration,
    /// How dependencies are installed.
    pub prepare: PreparationSettings,
    /// How gates are run.
    pub gates: GateSettings,
    /// Gates that the project declares itself.
    pub declared: Vec<DeclaredGate>,
    /// Which documents belong to which schemas.
    pub schemas: Vec<Declared>,
    /// The limits of a fix.
    pub fix: FixPolicy,
    /// How large a patch may be.
    pub patch_limits: PatchLimits,
    /// Who is asked for patches beside the tools.
    pub fixer: Option<FixerConfig>,
    /// How records are judged.
    pub eval: EvalSettings,
    /// How the market is held.
    pub market: MarketSettings,
    /// Every judge there is, whichever courts it sits in.
    pub all_judges: Vec<JudgeConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            stop: StopPolicy::default(),
            rules: RuleSettings::default(),
            judges: Vec::new(),
            deadline: Duration::from_secs(DEADLINE_S),
            verify_limit: Duration::from_secs(VERIFY_S),
            budget_usd_per_day: None,
            review: ReviewPolicy::default(),
            review_judges: Vec::new(),
            review_deadline: Duration::from_secs(REVIEW_DEADLINE_S),
            prepare: PreparationSettings::default(),
            gates: GateSettings::default(),
            declared: Vec::new(),
            schemas: Vec::new(),
            fix: FixPolicy::default(),
            patch_limits: PatchLimits::default(),
            fixer: None,
            eval: EvalSettings::default(),
            market: MarketSettings::default(),
            all_judges: Vec::new(),
        }
    }
}

/// How long the review court waits for its judges unless it is told otherwise, in seconds.
const REVIEW_DEADLINE_S: u64 = 300;
/// Longest time that the review court may wait, in seconds.
pub const REVIEW_DEADLINE_S_MAX: u64 = 3_600;

/// How long the stop court waits for its judges unless it is told otherwise, in seconds.
const DEADLINE_S: u64 = 90;
/// How long the checks of a stop may take unless it is told otherwise, in seconds.
const VERIFY_S: u64 = 60;

/// Longest time that the stop court may wait, in seconds. Agents cancel a hook after ten minutes
/// at the latest.
pub const DEADLINE_S_MAX: u64 = 540;

impl Config {
    /// Reads the configuration of a project, or the one at `named`. Without a file the defaults
    /// hold.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the file, and where.
    pub fn load(project: &Path, named: Option<&Path>) -> Result<Self, Failure> {
        Self::parse(&read(project, named)?, &named.unwrap_or(Path::new(FILE_NAME)).display().to_string())
    }

    /// Reads the configuration out of a text; `name` is how messages call it.
    ///
    /// # Errors
    ///
    /// Says what is wrong, and where.
    pub fn parse(text: &str, name: &str) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::new(format!("{name}: {what}"));
        let raw: RawConfig = toml::from_str(text).map_err(|error| wrong(fault::describe(text, &error)))?;
        let (stop, review) = (raw.stop.policy(), raw.review.policy());
        for (setting, seconds, most) in [
            ("[stop] deadline_s", raw.stop.deadline_s, DEADLINE_S_MAX),
            ("[stop] verify_s", raw.stop.verify_s, DEADLINE_S_MAX),
            ("[review] deadline_s", raw.review.deadline_s, REVIEW_DEADLINE_S_MAX),
            ("[gates] test_seconds", raw.gates.test_seconds.into(), TEST_SECONDS_MAX.into()),
            ("[gates] mutation_seconds", raw.gates.mutation_seconds, MUTATION_SECONDS_MAX),
        ] {
            if seconds == 0 || seconds > most {
                return Err(wrong(format!("{setting} is {seconds}, not between 1 and {most}")));
            }
        }
        if let Some((limit, least)) = raw.gates.limits.too_small() {
            return Err(wrong(format!("[gates.limits] {limit} is too small for any gate; {least} or more")));
        }
        if let Some(word) = raw.gates.edge_words.iter().find(|word| **word != word.to_lowercase()) {
            return Err(wrong(format!("[gates] edge_words: `{word}` matches nothing; words are in lower case")));
        }
        if raw.gates.reruns > RERUNS_MAX {
            return Err(wrong(format!("[gates] reruns is {}, more than {RERUNS_MAX}", raw.gates.reruns)));
        }
        if raw.gates.mutants > MUTANTS_MAX {
            return Err(wrong(format!("[gates] mutants is {}, more than {MUTANTS_MAX}", raw.gates.mutants)));
        }
        for (name, limit) in
            [("same_blocks_max", stop.limits.same_blocks_max), ("prompt_blocks_max", stop.limits.prompt_blocks_max)]
        {
            if limit == 0 && stop.mode == EnforcementMode::Enforce {
                return Err(wrong(format!(
                    "[stop.limits] {name} is 0, so no stop is ever blocked; use mode = \"shadow\" instead"
                )));
            }
        }
        if let Some(budget) = raw.budget.usd_per_day
            && !(budget.is_finite() && budget >= 0.0)
        {
            return Err(wrong(format!("[budget] usd_per_day is {budget}, not an amount")));
        }
        if let Some(at) = raw.overrides.iter().position(|set| set.paths.is_empty()) {
            return Err(wrong(format!(
                "[[override]] number {}: `paths` is empty, so it would hold for no file; name files, such as \"examples/**\"",
                at + 1
            )));
        }
        let rules = RuleSettings::new(raw.rules, raw.overrides).map_err(|error| wrong(error.to_string()))?;
        let judges = select_judges(raw.judges.clone(), raw.stop.judges, "stop").map_err(wrong)?;
        let review_judges = select_judges(raw.judges.clone(), raw.review.judges, "review").map_err(wrong)?;
        let eval = raw.eval.settings(raw.judges.clone()).map_err(wrong)?;
        let market = raw.market.settings(raw.bidders, raw.judges.clone()).map_err(wrong)?;
        known_gates(&raw.gates.skip, &raw.declared).map_err(wrong)?;
        let RawFix { rounds_max, time_s_max, cost_usd_max, ops_max, bytes_max } = raw.fix;
        let fix = FixPolicy { rounds_max, time_s_max, cost_usd_max };
        check_fix_policy(&fix, "[fix] ").map_err(wrong)?;
        let fixer = match (raw.fixer.model, raw.fixer.command) {
            (Some(_), Some(_)) => {
                return Err(wrong("[fixer] has both `model` and `command`; one of them fixes".to_owned()));
            }
            (Some(model), None) => Some(FixerConfig::Model(Box::new(model))),
            (None, Some(command)) => {
                command.check().map_err(|what| wrong(format!("[fixer.command] {what}")))?;
                Some(FixerConfig::Command(command))
            }
            (None, None) => None,
        };
        Ok(Self {
            fix,
            patch_limits: PatchLimits { ops_max, bytes_max },
            fixer,
            eval,
            market,
            all_judges: raw.judges,
            stop,
            rules,
            judges,
            deadline: Duration::from_secs(raw.stop.deadline_s),
            verify_limit: Duration::from_secs(raw.stop.verify_s),
            budget_usd_per_day: raw.budget.usd_per_day,
            review,
            review_judges,
            review_deadline: Duration::from_secs(raw.review.deadline_s),
            prepare: raw.prepare,
            gates: raw.gates,
            declared: raw.declared,
            schemas: raw.schemas,
        })
    }
}

impl Config {
    /// Returns the terms of a review. `skip` and `sandbox` come from the command line.
    ///
    /// # Errors
    ///
    /// Says which gate is not known.
    pub fn review_terms(
        &self,
        host: &Host,
        judges: Vec<String>,
        skip: &[String],
        sandbox: Option<&str>,
    ) -> Result<ReviewTerms, Failure> {
        known_gates(skip, &self.declared).map_err(|what| Failure::new(format!("--skip: {what}")))?;
        let sandbox = match sandbox {
            Some("require") => SandboxDemand::Require,
            Some("off") => SandboxDemand::Off,
            Some(_) => SandboxDemand::Prefer,
            None => self.gates.sandbox,
        };
        let GateSettings { limits, network, test_seconds, .. } = self.gates.clone();
        let run = RunTerms { limits, network, test_seconds };
        let gates = GateTerms {
            declared: self.declared.iter().map(|gate| Box::new(gate.clone()) as Box<dyn Gate>).collect(),
            schemas: self.schemas.clone(),
            off: self.gates.skip.iter().chain(skip).cloned().collect(),
            only: BTreeSet::new(),
            all_packages: false,
            run,
            sandbox,
            edge_words: self.gates.edge_words.clone(),
            known_red: self.gates.known_red.clone(),
            reruns: self.gates.reruns,
            mutation: MutationTerms::NONE,
            search_path: host.variable("PATH").unwrap_or_default().to_owned(),
            cache: host.cache(),
            preparation: PreparationTerms {
                mode: self.prepare.mode,
                cache: host.cache(),
                variables: self.prepare.variables.clone(),
                seconds: PREPARATION_SECONDS,
            },
            base_build: None,
        };
        Ok(ReviewTerms { policy: self.review.clone(), rules: self.rules.clone(), judges, gates, hopeless: None })
    }

    /// Returns how far the tests of a change are tried on mutants.
    pub fn mutation_terms(&self) -> MutationTerms {
        let time = Duration::from_secs(self.gates.mutation_seconds);
        MutationTerms { mutants_max: self.gates.mutants, time }
    }

    /// Returns the gates that are left out when only some are wanted.
    ///
    /// # Errors
    ///
    /// Says which gate is not known.
    pub fn all_gates_but(&self, wanted: &[String]) -> Result<BTreeSet<String>, Failure> {
        known_gates(wanted, &self.declared).map_err(|what| Failure::new(format!("--only: {what}")))?;
        let schemas = Aspect::ALL.iter().map(|aspect| aspect.id());
        let all_schemas = wanted.iter().any(|id| id == assize_engine::schema::ID).then_some(schemas);
        let mut kept: BTreeSet<&str> = wanted.iter().map(|name| gate_of(name)).collect();
        kept.extend(all_schemas.into_iter().flatten());
        let all = gate_names().chain(self.declared.iter().map(|gate| gate.id.as_str()));
        Ok(all.filter(|id| !kept.contains(id)).map(str::to_owned).collect())
    }
}

/// The names by which gates are called.
fn gate_names<'g>() -> impl Iterator<Item = &'g str> {
    GATES.iter().map(|gate| gate.id()).chain(Aspect::ALL.iter().map(|aspect| aspect.id()))
}

/// The id in the name of a gate, which may say in which folder: `pytest in examples/tutorial`.
fn gate_of(name: &str) -> &str {
    name.split_once(" in ").map_or(name, |(id, _)| id)
}

/// Checks that gates are called by names that there are, and that no two have the same.
fn known_gates(skipped: &[String], declared: &[DeclaredGate]) -> Result<(), String> {
    let mut known: BTreeSet<&str> = gate_names().chain([assize_engine::schema::ID]).collect();
    for gate in declared {
        if !known.insert(&gate.id) {
            return Err(format!("[[gate]] `{}`: there is a gate of that name", gate.id));
        }
    }
    match skipped.iter().find(|name| !known.contains(gate_of(name))) {
        Some(id) => {
            let names = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(format!("there is no gate `{id}`; there are {names}"))
        }
        None => Ok(()),
    }
}

/// Reads the text of the configuration; empty where there is no file. A file that `named` does not give has to be a
/// regular file of the project: a pipe keeps its reader waiting, a link may lead to text that messages must not quote.
///
/// # Errors
///
/// Fails when a file was named that does not exist, or one cannot be read.
pub fn read(project: &Path, named: Option<&Path>) -> Result<String, Failure> {
    let path = named.map_or_else(|| project.join(FILE_NAME), Path::to_owned);
    let failed = |detail: String| Failure::new(format!("{}: {detail}", path.display()));
    let opened = match named {
        Some(path) => fs::File::open(path),
        None => match open_own(project, &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            opened => opened,
        },
    };
    let mut bytes = Vec::new();
    let size = opened.and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
    if size.map_err(|error| failed(error.to_string()))? as u64 > FILE_BYTES_MAX {
        return Err(failed(format!("the file has more than {FILE_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (before, rest) = error.as_bytes().split_at(at);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        failed(format!("line {line}: the byte 0x{:02x} is not UTF-8; save the file as UTF-8", rest[0]))
    })
}

/// Opens a file of the project without waiting for anybody.
fn open_own(project: &Path, path: &Path) -> io::Result<fs::File> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why);
    if !path.canonicalize()?.starts_with(project.canonicalize()?) {
        return Err(refused("it leads out of the project; name the file with --config if its settings are to hold"));
    }
    assize_engine::regular_file::open(&path.canonicalize()?)
}

/// Without a choice all judges sit, in the order of the file.
fn select_judges(
    configured: Vec<JudgeConfig>,
    chosen: Option<Vec<String>>,
    court: &str,
) -> Result<Vec<JudgeConfig>, String> {
    let mut ids = Vec::new();
    for judge in &configured {
        if judge.id() == assize_core::opinion::EVIDENCE_JUDGE {
            return Err("`evidence` is the built-in judge; give another id".to_owned());
        }
        if ids.contains(&judge.id()) {
            return Err(format!("two judges are called `{}`", judge.id()));
        }
        ids.push(judge.id());
    }
    let Some(chosen) = chosen else { return Ok(configured) };
    chosen
        .iter()
        .filter(|id| *id != assize_core::opinion::EVIDENCE_JUDGE)
        .map(|id| {
            let found = configured.iter().find(|judge| judge.id() == id);
            found.cloned().ok_or_else(|| format!("[{court}] judges names `{id}`, but no [[judge]] has that id"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use assize_engine::process::TIME_S_MAX;

    use super::*;

    fn error(text: &str) -> String {
        Config::parse(text, "assize.toml").expect_err("refused").what
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        let config = Config::parse("", "assize.toml").expect("valid");
        assert_eq!((config.stop, config.judges.len()), (StopPolicy::default(), 0));
    }

    #[test]
    fn settings_are_read() {
        let config = Config::parse(
            "[stop]\nmode = 'shadow'\ndeadline_s = 30\n[stop.limits]\nsame_blocks_max = 1\n[rules]\nplaceholder-added = 'likely'\n",
            "assize.toml",
        )
        .expect("valid");
        assert_eq!((config.stop.mode, config.stop.limits.same_blocks_max), (EnforcementMode::Shadow, 1));
        assert_eq!(config.deadline, Duration::from_secs(30));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(error("[stop\n").contains("line 1"), "{}", error("[stop\n"));
        assert!(error("[stop]\nmood = 'x'\n").contains("mood"));
        assert!(error("[stop]\nmode = 'x'\n").contains("shadow"));
        assert!(error("[rules]\nno-such-rule = 'off'\n").contains("no-such-rule"));
        assert!(error("[stop]\njudges = ['gpt']\n").contains("gpt"));
        assert!(error("[stop.limits]\nsame_blocks_max = 0\n").contains("shadow"));
        assert!(error("[budget]\nusd_per_day = -1.0\n").contains("-1"));
    }

    #[test]
    fn gates_are_left_out_by_the_names_that_results_show() {
        let skipped = |name: &str| {
            let text = format!(
                "[gates]\nskip = [\"{name}\"]\n\n[[gate]]\nid = \"mine\"\ncommand = [\"a\"]\ndimension = \"style\"\nreport = \"sarif\"\n"
            );
            Config::parse(&text, "assize.toml").map(|config| config.gates.skip)
        };
        for name in ["pytest", "pytest in examples/tutorial", "mine in a b/c", "schema", "schema-sql"] {
            assert_eq!(skipped(name).expect(name), [name]);
        }
        for name in ["pytst", "pytst in examples/tutorial", "examples/tutorial", "pytest  in a", "pytest of a", ""] {
            let what = skipped(name).expect_err(name).what;
            assert!(what.contains(&format!("there is no gate `{name}`; there are ")), "{name}: {what}");
        }
    }

    #[test]
    fn the_deadline_has_limits() {
        let deadline = |seconds: u64| Config::parse(&format!("[stop]\ndeadline_s = {seconds}\n"), "assize.toml");
        assert!(deadline(1).is_ok() && deadline(DEADLINE_S_MAX).is_ok());
        assert!(deadline(0).is_err() && deadline(DEADLINE_S_MAX + 1).is_err());
        let test = |seconds: u32| Config::parse(&format!("[gates]\ntest_seconds = {seconds}\n"), "assize.toml");
        assert!(test(1).is_ok() && test(TEST_SECONDS_MAX).is_ok());
        assert!(test(0).is_err() && test(TEST_SECONDS_MAX + 1).is_err());
        let reruns = |times: u32| Config::parse(&format!("[gates]\nreruns = {times}\n"), "assize.toml");
        assert!(reruns(0).is_ok() && reruns(RERUNS_MAX).is_ok() && reruns(RERUNS_MAX + 1).is_err());
        let limit = |name: &str, value: u64| Config::parse(&format!("[gates.limits]\n{name} = {value}\n"), "t");
        for (name, least) in [("wall_seconds", 1), ("memory_bytes", 16 << 20), ("open_files", 32)] {
            assert!(limit(name, least).is_ok() && limit(name, least - 1).is_err(), "{name}");
        }
        let words = |words: &str| Config::parse(&format!("[gates]\nedge_words = [{words}]\n"), "t");
        assert!(words("'empty'").is_ok() && words("'Empty'").is_err());
        let mutants = |count: usize| Config::parse(&format!("[gates]\nmutants = {count}\n"), "assize.toml");
        assert!(mutants(0).is_ok() && mutants(MUTANTS_MAX).is_ok() && mutants(MUTANTS_MAX + 1).is_err());
        let time = |seconds: u64| Config::parse(&format!("[gates]\nmutation_seconds = {seconds}\n"), "assize.toml");
        assert!(time(1).is_ok() && time(MUTATION_SECONDS_MAX).is_ok());
        assert!(time(0).is_err() && time(MUTATION_SECONDS_MAX + 1).is_err());
    }

    #[test]
    fn a_fix_has_limits() {
        let sound = |text: String| Config::parse(&text, "assize.toml").is_ok();
        let fix = |setting: &str, value: u64| sound(format!("[fix]\n{setting} = {value}\n"));
        assert!(
            fix("rounds_max", 0)
                && fix("rounds_max", ROUNDS_MAX.into())
                && !fix("rounds_max", u64::from(ROUNDS_MAX) + 1)
        );
        assert!(fix("time_s_max", 1) && fix("time_s_max", FIX_TIME_S_MAX));
        assert!(!fix("time_s_max", 0) && !fix("time_s_max", FIX_TIME_S_MAX + 1));
        let program = |seconds: u64| sound(format!("[fixer.command]\nargv = ['a']\ntime_s = {seconds}\n"));
        assert!(program(1) && program(TIME_S_MAX) && !program(0) && !program(TIME_S_MAX + 1));
        assert!(sound("[fix]\ncost_usd_max = 0.0\n".to_owned()) && !sound("[fix]\ncost_usd_max = -0.1\n".to_owned()));
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(FILE_NAME);
        fs::write(&path, "#".repeat(FILE_BYTES_MAX as usize)).expect("written");
        assert!(read(folder.path(), None).is_ok());
        fs::write(&path, "#".repeat(FILE_BYTES_MAX as usize + 1)).expect("written");
        assert!(read(folder.path(), None).is_err());
        assert!(read(folder.path(), Some(Path::new("/no/such/file"))).is_err());
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_refused_with_its_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(FILE_NAME);
        for (bytes, expected) in [
            (&b"[stop]\n# f\xfcr\n"[..], "line 2: the byte 0xfc is not UTF-8; save the file as UTF-8"),
            (b"\xff", "line 1: the byte 0xff is not UTF-8; save the file as UTF-8"),
        ] {
            fs::write(&path, bytes).expect("written");
            let what = read(folder.path(), None).expect_err("refused").what;
            assert_eq!(what, format!("{}: {expected}", path.display()));
        }
        fs::write(&path, "# für\n").expect("written");
        assert!(read(folder.path(), None).is_ok());
    }

    #[test]
    fn an_override_has_files() {
        let set = |paths: &str| format!("[[override]]\npaths = [{paths}]\nrules = {{}}\n");
        assert!(Config::parse(&set("'a/**'"), "assize.toml").is_ok());
        let what = error(&format!("{}{}", set("'a/**'"), set("")));
        assert!(what.starts_with("assize.toml: [[override]] number 2: `paths` is empty"), "{what}");
    }

    #[test]
    fn what_is_no_file_of_the_project_is_not_opened() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;

        let world = tempfile::tempdir().expect("a temporary folder");
        let project = world.path().join("project");
        fs::create_dir_all(project.join("settings")).expect("made");
        let path = project.join(FILE_NAME);
        let outside = world.path().join("outside");
        fs::write(&outside, "secret").expect("written");
        let refused: [(&str, &dyn Fn()); 6] = [
            ("no regular file", &|| {
                assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
            }),
            ("no regular file", &|| drop(UnixListener::bind(&path).expect("a socket"))),
            ("no regular file", &|| symlink(project.join("settings"), &path).expect("a link")),
            ("out of the project", &|| symlink("/dev/zero", &path).expect("a link")),
            ("out of the project", &|| symlink("/proc/self/environ", &path).expect("a link")),
            ("out of the project", &|| symlink(&outside, &path).expect("a link")),
        ];
        for (why, make) in refused {
            make();
            let what = read(&project, None).expect_err("refused").what;
            assert!(what.contains(why) && what.contains(FILE_NAME) && !what.contains("secret"), "{what}");
            fs::remove_file(&path).expect("removed");
        }
        assert_eq!(read(&project, Some(&outside)).expect("named"), "secret");
        symlink("gone", &path).expect("a link");
        assert_eq!(read(&project, None).expect("there is none"), "");
        fs::remove_file(&path).expect("removed");
        fs::write(project.join("settings/ours.toml"), "[stop]\n").expect("written");
        symlink("settings/ours.toml", &path).expect("a link");
        assert_eq!(read(&project, None).expect("a file of the project"), "[stop]\n");
    }
}
