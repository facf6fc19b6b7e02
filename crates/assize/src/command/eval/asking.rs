//! Asks the configured judges about the records of a run, and finds what they have said.

use std::path::PathBuf;
use std::sync::Arc;

use assize_core::court::eval::docket::DocketTerms;
use assize_core::court::eval::repeat::REPEATS_MAX;
use assize_core::court::eval::run::{RunRecord, SeatedJudge};
use assize_core::court::eval::{RecordOpinion, RubricRef};
use assize_core::prompt::record::RecordPrompt;
use assize_core::record::Record;
use assize_core::rubric::Rubric;
use assize_core::trial::tally::Tally;
use assize_engine::court::eval::replies::{Key, Lost, Replies};
use assize_engine::court::eval::{Asking, AskingTerms, Bench, nanousd, usd};
use assize_engine::judge::ask::{ATTEMPTS_MAX, BACKOFF_BASE, BACKOFF_MAX};
use assize_engine::judge::{Judge, JudgeConfig};
use serde::Serialize;

use super::progress::Bar;
use crate::cli::Output;
use crate::config::{Config, EVAL_CALLS_MAX, EvalSettings};
use crate::exit::{Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::record::Lock;

/// Which judges are asked, and on what terms.
#[derive(Debug, Clone, clap::Args)]
pub struct JudgeArguments {
    /// Ask this judge of the configuration; can be given several times [default: those of `[eval]`, or all].
    #[arg(long = "judge", value_name = "ID")]
    judges: Vec<String>,
    /// Ask nobody: clauses alone are computed.
    #[arg(long, conflicts_with_all = ["judges", "repeats", "calls", "budget_usd", "again"])]
    clauses_only: bool,
    /// Ask each judge so many times about a record; more than half of its replies decide [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    repeats: Option<u32>,
    /// Calls at a time to one judge at most; fewer are made where more do not help [default: 64].
    #[arg(long, value_name = "N", value_parser = calls)]
    calls: Option<usize>,
    /// Spend at most so many US dollars in this run, what was spent before it was interrupted included.
    #[arg(long, value_name = "USD", value_parser = amount)]
    budget_usd: Option<f64>,
    /// Ask again where a reply holds no verdict. What brought no reply at all is always asked again.
    #[arg(long)]
    again: bool,
}

fn calls(text: &str) -> std::result::Result<usize, String> {
    let count: usize = text.parse().map_err(|_| "it is no number".to_owned())?;
    let sound = (1..=EVAL_CALLS_MAX).contains(&count);
    if sound { Ok(count) } else { Err(format!("it lies between 1 and {EVAL_CALLS_MAX}")) }
}

fn amount(text: &str) -> std::result::Result<f64, String> {
    let usd: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if usd.is_finite() && usd >= 0.0 { Ok(usd) } else { Err("it is no amount".to_owned()) }
}

impl JudgeArguments {
    /// Returns the settings of the configuration, as far as they are not set here.
    fn settings(&self, config: &Config) -> Result<EvalSettings> {
        let configured = &config.eval.judges;
        let named = |id: &String| {
            // What `[eval]` leaves out can still be named.
            let known = configured.iter().chain(&config.all_judges).find(|judge| judge.id() == id);
            known.cloned().ok_or_else(|| {
                let ids: Vec<&str> = config.all_judges.iter().map(JudgeConfig::id).collect();
                let hint = if ids.is_empty() {
                    "a [[judge]] in assize.toml makes one; docs/judges.md shows how".to_owned()
                } else {
                    format!("there are {}", ids.join(", "))
                };
                Failure::new(format!("--judge {id}: no [[judge]] has that id")).hint(hint)
            })
        };
        let judges = match self.judges.as_slice() {
            _ if self.clauses_only => Vec::new(),
            [] => configured.clone(),
            ids => ids.iter().map(named).collect::<Result<Vec<_>>>()?,
        };
        Ok(EvalSettings {
            judges,
            repeats: self.repeats.unwrap_or(config.eval.repeats),
            calls_max: self.calls.unwrap_or(config.eval.calls_max),
            budget_usd: self.budget_usd.or(config.eval.budget_usd),
            ..config.eval.clone()
        })
    }
}

/// The judges of a run, ready to be asked.
pub struct Seated {
    bench: Bench,
    settings: EvalSettings,
    daily_usd: Option<f64>,
    replies: Replies,
    path: PathBuf,
    again: bool,
    /// Modes that judges are asked about.
    modes: u64,
    now_ms: i64,
    /// Held, so that no other run asks the same.
    _lock: Lock,
}

/// What a run would take, or has taken, of judges.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Need {
    /// Questions: one for each record, judge and repeat.
    pub questions: u64,
    /// How many have a reply already.
    pub answered: u64,
    /// Tokens that one call for each of the others sends, about.
    pub tokens_in: u64,
    /// What that costs at least, about, in US dollars; `None` where a price is not known.
    pub usd_low: Option<f64>,
    /// What that costs at most: every reply as long as it may be, and every question asked twice.
    pub usd_high: Option<f64>,
    /// A judge whose price is not known, and the settings that would make it known.
    #[serde(skip)]
    priceless: Option<(String, &'static str)>,
}

impl Need {
    /// Nothing so far.
    pub fn nothing() -> Self {
        Self { usd_low: Some(0.0), usd_high: Some(0.0), ..Self::default() }
    }
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Asked {
    /// Questions: one for each record, judge and repeat.
    pub questions: u64,
    /// How many had a reply before.
    pub answered_before: u64,
    /// Calls of this run, those of before it was interrupted included.
    pub calls: u64,
    /// What they cost, in US dollars; calls whose cost is not known count with the most that they can cost.
    pub spent_usd: f64,
    /// Calls that were under way when the run was interrupted: they may have been paid for, and are made again.
    pub interrupted: Vec<Lost>,
    /// Calls that nobody answered while others did: they may have been paid for.
    pub stuck: Vec<Lost>,
}

/// What is done with a record. An error ends the reading.
pub type EachRecord<'a> = &'a mut dyn FnMut(&Record) -> std::result::Result<(), String>;

/// Tokens of a reply, about: for the frame, and for each mode.
const TOKENS_OF_REPLY: u64 = 20;
const TOKENS_OF_MODE: u64 = 45;
/// Bytes of a token, about.
const BYTES_OF_TOKEN: u64 = 4;

impl Seated {
    /// Seats the judges of a run; `None` where nobody is to be asked.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the configuration, or that replies cannot be kept.
    pub fn new(arguments: &JudgeArguments, rubric: &Rubric, host: &Host) -> Result<Option<Self>> {
        let config = Config::load(&host.project(), host.configuration.as_deref())?;
        let settings = arguments.settings(&config)?;
        let Some(prompt) = RecordPrompt::of(rubric).filter(|_| !settings.judges.is_empty()) else { return Ok(None) };
        let judges = Judges::of_eval(&settings.judges, host)?;
        let daily_usd = config.budget_usd_per_day;
        let lock = Lock::take(host, "eval")?;
        let path = host.ledger().with_file_name("eval.db");
        let replies = Replies::open(&path).map_err(|error| Failure::new(error.to_string()))?;
        let bench = Bench::new(judges, Arc::new(prompt), settings.repeats);
        let (again, modes) = (arguments.again, rubric.asked().count() as u64);
        Ok(Some(Self { bench, settings, daily_usd, replies, path, again, modes, now_ms: now_ms(), _lock: lock }))
    }

    /// Returns how the opinions of the judges become one.
    pub fn panel(&self) -> assize_core::opinion::Panel {
        self.settings.panel
    }

    fn is_limited(&self) -> bool {
        self.settings.budget_usd.is_some() || self.daily_usd.is_some()
    }

    /// Adds to what the run takes: what it costs only where that is asked for, or where there is a budget.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn count(&self, record: &Record, need: &mut Need, priced: bool) -> std::result::Result<(), String> {
        let missing = self.missing(record)?;
        need.questions += self.bench.questions() as u64;
        need.answered += (self.bench.questions() - missing.len()) as u64;
        if !priced && !self.is_limited() {
            return Ok(());
        }
        let Ok(question) = self.bench.question(record) else { return Ok(()) };
        let bytes = question.system.len() + question.prompt.len() + question.schema.to_string().len();
        let tokens_in = bytes as u64 / BYTES_OF_TOKEN;
        for at in missing {
            let judge = &self.bench.judges()[at / self.settings.repeats as usize];
            need.tokens_in += tokens_in;
            let low = judge.cost_usd(tokens_in, TOKENS_OF_REPLY + self.modes * TOKENS_OF_MODE);
            let worst = judge.worst_cost_usd(&question);
            if worst.is_none() {
                need.priceless = Some((judge.id().to_owned(), judge.price_settings()));
            }
            need.usd_low = need.usd_low.zip(low).map(|(sum, usd)| sum + usd);
            need.usd_high = need.usd_high.zip(worst).map(|(sum, usd)| sum + 2.0 * usd);
        }
        Ok(())
    }

    /// Returns the places of the questions about a record that have no reply.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn missing(&self, record: &Record) -> std::result::Result<Vec<usize>, String> {
        let mut missing = Vec::new();
        for (at, key) in self.bench.keys(record).iter().enumerate() {
            if !self.replies.has(key).map_err(|error| error.to_string())? {
                missing.push(at);
            }
        }
        Ok(missing)
    }

    /// Returns what the judges have said of a record.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn opinions(&self, record: &Record) -> std::result::Result<Vec<RecordOpinion>, String> {
        self.bench.opinions(&self.replies, record).map_err(|error| error.to_string())
    }

    /// Forgets what stands in the way of asking about a record again.
    ///
    /// # Errors
    ///
    /// Fails when that cannot be written.
    pub fn prepare(&mut self, record: &Record) -> std::result::Result<(), String> {
        if !self.again {
            return Ok(());
        }
        let opinions = self.opinions(record)?;
        let keys = self.bench.keys(record);
        let silent = opinions.iter().zip(keys).filter(|(opinion, _)| opinion.verdict.is_err());
        let keys: Vec<Key> = silent.map(|(_, key)| key).collect();
        self.replies.forget(&keys, true).map_err(|error| error.to_string())
    }

    /// Makes what the ledger keeps of a run.
    pub fn record(&self, rubric: &RubricRef, digest: &str, asked: &Asked, tally: &Tally) -> RunRecord {
        let judge = |judge: &Arc<dyn Judge>| SeatedJudge { id: judge.id().to_owned(), identity: judge.identity() };
        RunRecord {
            rubric: rubric.clone(),
            data: digest.to_owned(),
            judges: self.bench.judges().iter().map(judge).collect(),
            repeats: self.settings.repeats,
            panel: self.settings.panel,
            calls: asked.calls,
            spent_usd: asked.spent_usd,
            lost: (asked.interrupted.len() + asked.stuck.len()) as u64,
            outcome: tally.outcome(),
            records: tally.records,
            accepted: tally.accepted,
            rejected: tally.rejected,
            unjudged: tally.unjudged,
            modes: tally.modes.clone(),
        }
    }

    /// Asks about every record that `records` hands over.
    ///
    /// # Errors
    ///
    /// Fails when the price is not known that a budget needs, when replies cannot be kept, and when the records cannot be read.
    pub fn ask(
        &mut self,
        (rubric, digest): (&RubricRef, &str),
        need: &Need,
        host: &Host,
        output: Output,
        records: &mut dyn FnMut(EachRecord<'_>) -> Result<()>,
    ) -> Result<Asked> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
        if let Some((judge, settings)) = need.priceless.as_ref().filter(|_| self.is_limited()) {
            let what = format!("there is a budget, and the price of judge `{judge}` is not known");
            return Err(Failure::new(what).hint(format!("set {settings} of that judge")));
        }
        let run = self.bench.run(&format!("{} {digest}", rubric.hash));
        let stood = self.replies.go_on(&run, self.now_ms).map_err(|error| failed(&error))?;
        let daily = match self.daily_usd {
            Some(usd) => Some((host.cache().ok_or_else(|| failed(&NO_FOLDER))?, usd)),
            None => None,
        };
        let terms = AskingTerms {
            docket: DocketTerms {
                attempts_max: ATTEMPTS_MAX,
                backoff_base: BACKOFF_BASE,
                backoff_max: BACKOFF_MAX,
                call_time_max: self.settings.call_time_max,
                outage_max: self.settings.outage_max,
                budget_nanousd: self.settings.budget_usd.map(nanousd),
            },
            calls_max: self.settings.calls_max,
            spent_nanousd: stood.spent_nanousd,
            daily,
            now_ms: self.now_ms,
        };
        let mut asked = Asked {
            questions: need.questions,
            answered_before: need.answered,
            interrupted: stood.lost,
            ..Asked::default()
        };
        if need.answered < need.questions {
            let mut asking =
                Asking::begin(self.bench.clone(), &self.path, run, terms).map_err(|error| failed(&error))?;
            let mut bar = Bar::new(output, need.questions - need.answered);
            let all: Vec<usize> = (0..self.bench.questions()).collect();
            records(&mut |record| {
                // Where nothing was kept, nothing has to be looked up.
                let missing = if need.answered == 0 { all.clone() } else { self.missing(record)? };
                if !missing.is_empty() {
                    asking.put(record, &missing).map_err(|error| error.to_string())?;
                }
                bar.see(asking.progress());
                Ok(())
            })?;
            let ended = asking.finish(&mut |progress| bar.see(progress));
            bar.finish();
            ended.map_err(|error| failed(&error))?;
        }
        let mut stood = self.replies.go_on(&run, self.now_ms).map_err(|error| failed(&error))?;
        asked.calls = stood.calls;
        asked.spent_usd = usd(stood.spent_nanousd);
        asked.stuck = stood.lost.split_off(asked.interrupted.len());
        Ok(asked)
    }
}

const NO_FOLDER: &str = "there is a budget, and no folder in which to count what is spent: HOME is not set";
