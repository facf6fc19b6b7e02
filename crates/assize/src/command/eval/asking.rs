//! Puts the questions of a run to the configured judges, and finds their replies.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use assize_core::opinion::PanelRule;
use assize_core::prompt::inquiry::Inquiry;
use assize_engine::court::eval::asking::AskingRun;
use assize_engine::court::eval::replies::{Readers, ReplyKey, ReplyStore};
use assize_engine::court::eval::request::{CompletionHandler, PreparedCase};
use assize_engine::court::eval::{AskingTerms, JudgePool, QuestionReply, nanousd, usd};
use assize_engine::judge::ask::{ATTEMPTS_MAX, BACKOFF_BASE, BACKOFF_MAX};
use assize_engine::judge::{Judge, JudgeAnswer, JudgeConfig};
use assize_engine::random::fresh_nonce;
use assize_eval::requests::{RequestEstimate, RequestTotals};
use assize_eval::court::repeat::REPEATS_MAX;
use assize_eval::court::scheduler::SchedulerTerms;
use assize_eval::court::{RecordOpinion, RubricRef};
use assize_eval::judge_evaluation::tally::RulingTally;
use assize_eval::prompt::record::RecordPrompt;
use assize_eval::record::Record;
use assize_eval::rubric::Rubric;
use assize_eval::run::{RunRecord, SeatedJudge};

use super::progress::Bar;
use crate::config::{Config, EVAL_CALLS_MAX, EvalSettings};
use crate::exit::{Failure, Result};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::number::whole;
use crate::output::Output;
use crate::record::StepLock;

/// Which judges are asked, and on what terms.
#[derive(Debug, Clone, clap::Args)]
pub struct JudgeArguments {
    /// Ask this judge of the configuration; can be given several times [default: those of `[eval]`, or all].
    #[arg(long = "judge", value_name = "ID")]
    judges: Vec<String>,
    /// Ask no judge: only clauses are computed.
    #[arg(long, conflicts_with_all = ["judges", "repeats"])]
    clauses_only: bool,
    /// Ask each judge so many times about a record; more than half of its replies decide [default: 1].
    #[arg(long, value_name = "N", value_parser = whole(1..=REPEATS_MAX))]
    repeats: Option<u32>,
    /// Calls at a time to one judge at most; fewer are made where more do not help [default: 64].
    #[arg(long, value_name = "N", value_parser = whole(1..=EVAL_CALLS_MAX))]
    calls: Option<usize>,
    /// Spend at most so many US dollars in this run, what was spent before it was interrupted included.
    #[arg(long, value_name = "USD", value_parser = amount)]
    budget_usd: Option<f64>,
    /// Ask again where a reply holds no verdict. What brought no reply at all is always asked again.
    #[arg(long)]
    again: bool,
}

fn amount(text: &str) -> std::result::Result<f64, String> {
    let usd: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if usd.is_finite() && usd >= 0.0 { Ok(usd) } else { Err("it is no amount".to_owned()) }
}

impl JudgeArguments {
    /// Returns whether judges are named, in the place of those of the configuration.
    pub fn names_judges(&self) -> bool {
        !self.judges.is_empty()
    }

    /// Returns whether no judge is to be asked.
    pub fn asks_nobody(&self) -> bool {
        self.clauses_only
    }

    /// Returns the settings of the configuration, as far as they are not set here.
    ///
    /// # Errors
    ///
    /// Names a judge that is not configured.
    pub fn settings(&self, config: &Config) -> Result<EvalSettings> {
        let judges = match self.judges.as_slice() {
            _ if self.clauses_only => Vec::new(),
            [] => config.eval.judges.clone(),
            ids => ids.iter().map(|id| named(config, id, "--judge")).collect::<Result<Vec<_>>>()?,
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

/// Returns the judge of the configuration with an id; also one that `[eval]` leaves out.
///
/// # Errors
///
/// Says which there are.
pub fn named(config: &Config, id: &str, option: &str) -> Result<JudgeConfig> {
    let known = config.eval.judges.iter().chain(&config.all_judges).find(|judge| judge.id() == id);
    known.cloned().ok_or_else(|| {
        let ids: Vec<&str> = config.all_judges.iter().map(JudgeConfig::id).collect();
        let hint = if ids.is_empty() {
            "a [[judge]] in assize.toml makes one; docs/src/tasks/judges.md shows how".to_owned()
        } else {
            format!("there are {}", ids.join(", "))
        };
        Failure::new(format!("{option} {id}: no [[judge]] has that id")).hint(hint)
    })
}

/// Where replies are kept and money is counted, for one command at a time.
pub struct Registry {
    settings: EvalSettings,
    daily_usd: Option<f64>,
    /// Behind a lock, so that all of it can be shared among threads; they read by `readers`.
    replies: Mutex<ReplyStore>,
    readers: Readers,
    /// Whether no reply was kept when it was opened: then none has to be looked for before anybody is asked.
    is_new: bool,
    path: PathBuf,
    again: bool,
    now_ms: i64,
    /// Held, so that no other run asks the same.
    _lock: StepLock,
}

/// Judges, and the prompt that they are asked by.
pub struct PromptedJudges<P> {
    bench: JudgePool,
    prompt: Arc<P>,
    /// Tokens of a reply, about.
    reply_tokens: u64,
}

/// Looks up which replies about a case are there, and prepares the other requests. It is shared among threads.
pub struct RequestBuilder<'a, P> {
    registry: &'a Registry,
    judges: &'a PromptedJudges<P>,
    is_anything_stored: bool,
}

/// The stored answers about a case, each with its place, and the requests that are missing.
pub struct CaseLookup<T> {
    /// The stored answers.
    pub stored: Vec<(usize, QuestionReply<JudgeAnswer>)>,
    /// The missing requests; `None` where there are none.
    pub missing: Option<PreparedCase<T>>,
}

/// Submits a case: its number is higher than that of the one before, and the judges are asked where requests are prepared.
/// Waits while too many requests are open. An error ends the reading.
pub type Submit<'a, T> = &'a mut dyn FnMut(u64, Option<PreparedCase<T>>) -> std::result::Result<(), String>;

/// Reads the cases of a run, and submits the missing requests.
pub type Cases<'a, P> = &'a mut dyn FnMut(&RequestBuilder<'_, P>, Submit<'_, <P as Inquiry>::Reading>) -> Result<()>;

impl<P: Inquiry> RequestBuilder<'_, P> {
    /// Looks up the stored answers about a case, and prepares the missing requests.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn prepare(&self, case: &P::Case) -> std::result::Result<CaseLookup<P::Reading>, String> {
        let Self { registry, judges: PromptedJudges { bench, prompt, .. }, is_anything_stored } = self;
        let (mut stored, mut missing) = (Vec::new(), (0..bench.places()).collect::<Vec<_>>());
        // Where nothing is stored, nothing has to be looked up.
        if *is_anything_stored {
            let hash = prompt.hash(case);
            let keys = bench.keys(&hash);
            let look_up = |replies: &ReplyStore| {
                let found = missing.iter().map(|place| bench.stored_reply(replies, (*place, &keys[*place]), &hash));
                found.collect::<std::result::Result<Vec<_>, _>>()
            };
            let found = registry.readers.read(look_up).map_err(|error| error.to_string())?;
            stored = found.into_iter().enumerate().filter_map(|(place, said)| Some((place, said?))).collect();
            missing.retain(|place| stored.iter().all(|(there, _)| there != place));
        }
        let prepare = || bench.prepare(prompt, case, &missing, registry.is_limited());
        let missing = (!missing.is_empty()).then(prepare);
        Ok(CaseLookup { stored, missing })
    }
}

/// Tokens of a verdict, about: for the frame, and for each mode.
const TOKENS_OF_VERDICT: u64 = 20;
const TOKENS_OF_MODE: u64 = 45;
/// Bytes of a token, about.
pub const BYTES_OF_TOKEN: u64 = 4;

impl<P: Inquiry> PromptedJudges<P> {
    /// Builds the judges; `reply_tokens` is about how long a reply is.
    ///
    /// # Errors
    ///
    /// Says what is wrong with a judge.
    pub fn new(judges: &[JudgeConfig], prompt: P, repeats: u32, reply_tokens: u64, host: &Host) -> Result<Self> {
        let bench = JudgePool::new(Judges::of_eval(judges, host)?, repeats);
        if let Some((one, other)) = bench.alike() {
            let what =
                format!("judges `{one}` and `{other}` are one: the same model of the same server, on the same terms");
            return Err(
                Failure::new(what).hint("ask it several times with --repeats, or name one of them with --judge")
            );
        }
        Ok(Self { bench, prompt: Arc::new(prompt), reply_tokens })
    }

    /// Returns how often a question is put, to whomever.
    pub fn places(&self) -> usize {
        self.bench.places()
    }

    /// Returns the key of a run: of these judges, and of what the run is about. A run resumes where an earlier run with
    /// the same key stopped.
    pub fn run(&self, about: &str) -> ReplyKey {
        self.bench.run(about)
    }

    /// Returns what is asked.
    pub fn prompt(&self) -> &P {
        &self.prompt
    }

    /// Returns the same judges, asked something else.
    pub fn asked_by<Q: Inquiry>(&self, prompt: Q, reply_tokens: u64) -> PromptedJudges<Q> {
        PromptedJudges { bench: self.bench.clone(), prompt: Arc::new(prompt), reply_tokens }
    }

    /// Returns the judges as the ledger names them.
    pub fn judges(&self) -> impl Iterator<Item = SeatedJudge> {
        let named = |judge: &Arc<dyn Judge>| SeatedJudge { id: judge.id().to_owned(), identity: judge.identity() };
        self.bench.judges().iter().map(named)
    }
}

impl PromptedJudges<RecordPrompt> {
    /// Builds the judges of records; `None` where no judge is asked, or about nothing.
    ///
    /// # Errors
    ///
    /// Says what is wrong with a judge.
    pub fn of_records(judges: &[JudgeConfig], rubric: &Rubric, repeats: u32, host: &Host) -> Result<Option<Self>> {
        let Some(prompt) = RecordPrompt::of(rubric).filter(|_| !judges.is_empty()) else { return Ok(None) };
        let reply_tokens = TOKENS_OF_VERDICT + rubric.asked().count() as u64 * TOKENS_OF_MODE;
        Self::new(judges, prompt, repeats, reply_tokens, host).map(Some)
    }

    /// Returns the opinions of the judges on a record.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn opinions(&self, registry: &Registry, record: &Record) -> std::result::Result<Vec<RecordOpinion>, String> {
        Ok(registry.said(self, record)?.into_iter().map(|said| self.opinion(said, record)).collect())
    }

    /// Reads what a judge answered about a record.
    pub fn opinion(&self, said: QuestionReply<JudgeAnswer>, record: &Record) -> RecordOpinion {
        let QuestionReply { judge, what: verdict } = said.read(|answer| self.prompt.read(&answer.reply, record));
        RecordOpinion { judge, verdict }
    }

    /// Makes what the ledger keeps of a run.
    pub fn record(
        &self,
        registry: &Registry,
        rubric: &RubricRef,
        digest: &str,
        asked: &RequestTotals,
        tally: &RulingTally,
    ) -> RunRecord {
        RunRecord {
            rubric: rubric.clone(),
            data: digest.to_owned(),
            judges: self.judges().collect(),
            repeats: registry.settings.repeats,
            panel: registry.settings.panel,
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
}

impl Registry {
    /// Opens the registry, where no other command has.
    ///
    /// # Errors
    ///
    /// Says that another run is at work, or that replies cannot be kept.
    pub fn open(arguments: &JudgeArguments, settings: EvalSettings, config: &Config, host: &Host) -> Result<Self> {
        let lock = StepLock::take(host, "eval")?;
        let path = host.shared().join("eval.db");
        let replies = ReplyStore::open(&path).map_err(|error| Failure::new(error.to_string()))?;
        let is_new = replies.is_empty().map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self {
            settings,
            daily_usd: config.budget_usd_per_day,
            replies: Mutex::new(replies),
            readers: Readers::new(&path),
            is_new,
            path,
            again: arguments.again,
            now_ms: now_ms(),
            _lock: lock,
        })
    }

    /// Returns how the opinions of the judges become one.
    pub fn panel(&self) -> PanelRule {
        self.settings.panel
    }

    fn replies(&mut self) -> &mut ReplyStore {
        self.replies.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_limited(&self) -> bool {
        self.settings.budget_usd.is_some() || self.daily_usd.is_some()
    }

    /// Returns the stored reply of each judge about a case.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read.
    pub fn said<P: Inquiry>(
        &self,
        judges: &PromptedJudges<P>,
        case: &P::Case,
    ) -> std::result::Result<Vec<QuestionReply<JudgeAnswer>>, String> {
        let hash = judges.prompt.hash(case);
        self.readers.read(|replies| judges.bench.stored_replies(replies, &hash)).map_err(|error| error.to_string())
    }

    /// Returns whether what a case takes depends on what it holds, beyond its hash.
    pub fn weighs_content(&self, dry_run: bool) -> bool {
        dry_run || self.is_limited() || (self.again && !self.is_new)
    }

    /// Finds out what a case takes: what it costs only where that is asked for, or where there is a budget. Where it is to be asked
    /// again, replies that do not count are forgotten, but for a dry run.
    ///
    /// # Errors
    ///
    /// Fails when the replies cannot be read, or not be forgotten.
    pub fn weigh<P: Inquiry>(
        &self,
        judges: &PromptedJudges<P>,
        case: &P::Case,
        dry_run: bool,
    ) -> std::result::Result<RequestEstimate, String> {
        let missing = if self.again && !self.is_new {
            let stale = self.stale(judges, case)?;
            if !dry_run && !stale.is_empty() {
                let keys: Vec<ReplyKey> = stale.iter().map(|(_, key)| *key).collect();
                let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
                replies.forget(&keys, true).map_err(|error| error.to_string())?;
            }
            stale.into_iter().map(|(at, _)| at).collect()
        } else {
            self.missing(judges, case)?
        };
        let mut need = RequestEstimate::nothing();
        need.questions = judges.places() as u64;
        need.answered = (judges.places() - missing.len()) as u64;
        if !dry_run && !self.is_limited() {
            return Ok(need);
        }
        let Ok(question) = judges.prompt.question(case, &fresh_nonce()) else { return Ok(need) };
        let bytes = question.system.len() + question.prompt.len() + question.schema.to_string().len();
        let tokens_in = bytes as u64 / BYTES_OF_TOKEN;
        for at in missing {
            let judge = judges.bench.judge_at(at);
            need.tokens_in += tokens_in;
            let low = judge.cost_usd(tokens_in, judges.reply_tokens);
            let worst = judge.worst_cost_usd(&question);
            if worst.is_none() {
                need.priceless = Some((judge.id().to_owned(), judge.price_settings()));
            }
            need.usd_low = need.usd_low.zip(low).map(|(sum, usd)| sum + usd);
            need.usd_high = need.usd_high.zip(worst).map(|(sum, usd)| sum + 2.0 * usd);
        }
        Ok(need)
    }

    /// Returns the places at which a question has no reply.
    fn missing<P: Inquiry>(&self, judges: &PromptedJudges<P>, case: &P::Case) -> std::result::Result<Vec<usize>, String> {
        if self.is_new {
            return Ok((0..judges.places()).collect());
        }
        let keys = judges.bench.keys(&judges.prompt.hash(case));
        let missing = |replies: &ReplyStore| {
            let mut missing = Vec::new();
            for (at, key) in keys.iter().enumerate() {
                if !replies.has(key)? {
                    missing.push(at);
                }
            }
            Ok(missing)
        };
        self.readers.read(missing).map_err(|error| error.to_string())
    }

    /// Returns the places at which a question has no reply that counts, and what such a reply is kept under.
    fn stale<P: Inquiry>(&self, judges: &PromptedJudges<P>, case: &P::Case) -> std::result::Result<Vec<(usize, ReplyKey)>, String> {
        let keys = judges.bench.keys(&judges.prompt.hash(case)).into_iter().enumerate();
        let Ok(question) = judges.prompt.question(case, &fresh_nonce()) else { return Ok(Vec::new()) };
        let parse = Arc::clone(&judges.prompt).verdict_parser(case, &Arc::new(question));
        let counts = |said: &QuestionReply<JudgeAnswer>| said.what.as_ref().is_ok_and(|answer| parse(&answer.reply).is_ok());
        let said = self.said(judges, case)?;
        Ok(said.iter().zip(keys).filter(|(said, _)| !counts(said)).map(|(_, place)| place).collect())
    }

    /// Refuses a budget that cannot be kept, since a price is not known.
    ///
    /// # Errors
    ///
    /// Names the judge, and what would make its price known.
    pub fn check_prices(&self, need: &RequestEstimate) -> Result<()> {
        let Some((judge, settings)) = need.priceless.as_ref().filter(|_| self.is_limited()) else { return Ok(()) };
        let what = format!("there is a budget, and the price of judge `{judge}` is not known");
        Err(Failure::new(what).hint(format!("set {settings} of that judge")))
    }

    /// Asks in every case that `cases` hands over; `hears` is told of each question that has ended, when that is on the disk.
    ///
    /// # Errors
    ///
    /// Fails when the price is not known that a budget needs, when replies cannot be kept, and when the cases cannot be read.
    pub fn ask<P: Inquiry>(
        &mut self,
        (judges, run): (&PromptedJudges<P>, ReplyKey),
        need: &RequestEstimate,
        (host, output): (&Host, Output),
        hears: CompletionHandler<P::Reading>,
        cases: Cases<'_, P>,
    ) -> Result<RequestTotals> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
        self.check_prices(need)?;
        let now_ms = self.now_ms;
        let stood = self.replies().resume(&run, now_ms).map_err(|error| failed(&error))?;
        let terms = self.terms(stood.spent_nanousd, host)?;
        let mut asked = RequestTotals {
            questions: need.questions,
            answered_before: need.answered,
            interrupted: stood.lost,
            ..RequestTotals::default()
        };
        if need.answered < need.questions {
            let asking = AskingRun::begin(judges.bench.clone(), &self.path, run, terms, hears);
            let asking = asking.map_err(|error| failed(&error))?;
            let mut bar = Bar::new(output, need.questions - need.answered);
            let builder = RequestBuilder { registry: self, judges, is_anything_stored: need.answered > 0 };
            let read = cases(&builder, &mut |case, prepared| {
                bar.see(asking.progress());
                let Some(prepared) = prepared else {
                    asking.wait_for(case, &mut |progress| bar.see(progress));
                    return Ok(());
                };
                let put = asking.put(case, prepared, &mut |progress| bar.see(progress));
                put.map_err(|error| error.to_string())
            });
            // Why a run broke off is known at its end.
            if read.is_err() && !asking.is_over() {
                return read.map(|()| asked);
            }
            let ended = asking.finish(&mut |progress| bar.see(progress));
            bar.finish();
            ended.map_err(|error| failed(&error))?;
        }
        // From now on there are replies to be found.
        self.is_new = false;
        let mut stood = self.replies().resume(&run, now_ms).map_err(|error| failed(&error))?;
        asked.calls = stood.calls;
        asked.spent_usd = usd(stood.spent_nanousd);
        asked.stuck = stood.lost.split_off(asked.interrupted.len());
        Ok(asked)
    }

    /// Asks in some cases that are at hand; what was said is found afterwards.
    ///
    /// # Errors
    ///
    /// See [`Registry::ask`].
    pub fn ask_all<'c, P: Inquiry>(
        &mut self,
        of: (&PromptedJudges<P>, ReplyKey),
        need: &RequestEstimate,
        to: (&Host, Output),
        cases: impl IntoIterator<Item = &'c P::Case>,
    ) -> Result<RequestTotals>
    where
        P::Case: 'c,
    {
        let mut numbered = (0..).zip(cases);
        self.ask(of, need, to, Box::new(drop), &mut |builder, submit| {
            let mut each = |(number, case)| submit(number, builder.prepare(case)?.missing);
            numbered.by_ref().try_for_each(&mut each).map_err(Failure::new)
        })
    }

    fn terms(&self, spent_nanousd: u64, host: &Host) -> Result<AskingTerms> {
        let daily = match self.daily_usd {
            Some(usd) => Some((host.cache().ok_or_else(|| Failure::new(NO_FOLDER))?, usd)),
            None => None,
        };
        let scheduler = SchedulerTerms {
            attempts_max: ATTEMPTS_MAX,
            backoff_base: BACKOFF_BASE,
            backoff_max: BACKOFF_MAX,
            call_time_max: self.settings.call_time_max,
            outage_max: self.settings.outage_max,
            budget_nanousd: self.settings.budget_usd.map(nanousd),
        };
        Ok(AskingTerms {
            scheduler,
            calls_max: self.settings.calls_max,
            spent_nanousd,
            daily,
            now_ms: self.now_ms,
        })
    }
}

const NO_FOLDER: &str = "there is a budget, and no folder in which to count what is spent: HOME is not set";
