//! The configured judges, ready to be asked.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::verdict::Verdict;
use assize_engine::fixer::Fixer;
use assize_engine::fixer::command::CommandFixer;
use assize_engine::fixer::model::Model;
use assize_engine::judge::ask::{self, JudgeTerms, ReplyReuse};
use assize_engine::judge::{Judge, JudgeConfig, build};
use assize_engine::market::bidder::{Bidder, Means};
use assize_engine::market::external_command::ProgramConfig;
use assize_engine::process::end_with_us;
use assize_engine::search_path::{PATH_DEFAULT, SearchPath};

use crate::config::{BidderConfig, Config, FixerConfig};
use crate::exit::Failure;
use crate::host::{Host, now_ms};

/// Where programs that judge or fix are looked for: one of the judged tree must not judge it.
pub fn search_path(host: &Host) -> Option<String> {
    let system = host.variable("PATH").unwrap_or(PATH_DEFAULT);
    SearchPath::outside(OsStr::new(system), &host.project()).variable().into_string().ok()
}

fn built(judge: &JudgeConfig, host: &Host, path: Option<&str>) -> Result<Box<dyn Judge>, Failure> {
    let lookup =
        |name: &str| if name == "PATH" { path.map(str::to_owned) } else { host.variable(name).map(str::to_owned) };
    build(judge, &lookup).map_err(|error| Failure::new(error.to_string()))
}

/// The judges of a court.
pub struct Judges {
    judges: Vec<Box<dyn Judge>>,
    terms: JudgeTerms,
}

impl Judges {
    /// Builds the judges of the stop court. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says which judge's configuration is wrong.
    pub fn of_stop(config: &Config, host: &Host) -> Result<Self, Failure> {
        Self::new(&config.judges, config.deadline, config, host)
    }

    /// Builds the judges of the review court. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says which judge's configuration is wrong.
    pub fn of_review(config: &Config, host: &Host) -> Result<Self, Failure> {
        Self::new(&config.review_judges, config.review_deadline, config, host)
    }

    /// Builds judges of records. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says which judge's configuration is wrong.
    pub fn of_eval(judges: &[JudgeConfig], host: &Host) -> Result<Vec<Arc<dyn Judge>>, Failure> {
        // Without it an interrupted run would leave its judges at work, which costs and no more.
        let _ = end_with_us();
        let path = search_path(host);
        judges.iter().map(|judge| built(judge, host, path.as_deref()).map(Arc::from)).collect()
    }

    /// Builds the judges of the market. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says which judge's configuration is wrong.
    pub fn of_market(config: &Config, host: &Host) -> Result<Self, Failure> {
        Self::new(&config.market.judges, config.review_deadline, config, host)
    }

    /// Builds the bidders. None of them is contacted.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the configuration of one, and when it would be the only judge of its own work.
    pub fn bidders_of(config: &Config, host: &Host, courts: &[(&Self, &str)]) -> Result<Vec<Bidder>, Failure> {
        let path = search_path(host);
        let terms = JudgeTerms::new(config.review_deadline, host.cache(), config.budget_usd_per_day);
        let build = |configured: &BidderConfig| {
            let BidderConfig { id, model, bid, implement } = configured;
            let model_means = || -> Result<Option<Means>, Failure> {
                let Some(model) = model else { return Ok(None) };
                let model = built(model, host, path.as_deref())?;
                for (judges, court) in courts {
                    judges.check_apart(model.as_ref(), &format!("bidder `{id}`"), "its own work", court)?;
                }
                Ok(Some(Means::Model(model, terms.clone())))
            };
            let program = |program: &Option<ProgramConfig>| program.clone().map(Means::Program);
            let nothing = || Failure::new(format!("bidder `{id}` has no means"));
            let bids = model_means()?.or_else(|| program(bid)).ok_or_else(nothing)?;
            let implements = match program(implement) {
                Some(program) => program,
                None => model_means()?.ok_or_else(nothing)?,
            };
            Ok(Bidder { id: id.clone(), bids, implements })
        };
        config.market.bidders.iter().map(build).collect()
    }

    /// Refuses who would be the only judge of its own work. Another temperature makes no other judge.
    fn check_apart(&self, model: &dyn Judge, role: &str, work: &str, court: &str) -> Result<(), Failure> {
        let is_same = |judge: &dyn Judge| {
            judge.identity() == model.identity() || judge.model().is_some() && judge.model() == model.model()
        };
        if let [first, ..] = self.judges.as_slice()
            && self.judges.iter().map(AsRef::as_ref).all(is_same)
        {
            let what = format!("judge `{}` is the {role} as well, and would judge {work} alone", first.id());
            return Err(Failure::new(what).hint(format!("name another judge in {court} judges, or none")));
        }
        Ok(())
    }

    fn new(judges: &[JudgeConfig], deadline: Duration, config: &Config, host: &Host) -> Result<Self, Failure> {
        let path = search_path(host);
        let judges = judges.iter().map(|judge| built(judge, host, path.as_deref())).collect::<Result<Vec<_>, _>>()?;
        let terms = JudgeTerms::new(deadline, host.cache(), config.budget_usd_per_day);
        Ok(Self { judges, terms })
    }

    /// Builds the fixer that is configured; `None` where there is none. It is not contacted.
    ///
    /// # Errors
    ///
    /// Says what is wrong with its configuration, and when it would be the only judge of its own patches.
    pub fn fixer_of(
        config: &Config,
        host: &Host,
        judges: &Self,
        replies: ReplyReuse,
    ) -> Result<Option<Box<dyn Fixer>>, Failure> {
        let path = search_path(host);
        match &config.fixer {
            None => Ok(None),
            Some(FixerConfig::Command(program)) => Ok(Some(Box::new(CommandFixer::new(program.clone(), path)))),
            Some(FixerConfig::Model(model)) => {
                let model = built(model, host, path.as_deref())?;
                judges.check_apart(model.as_ref(), "fixer", "its own patches", "[review]")?;
                let terms = JudgeTerms::new(config.review_deadline, host.cache(), config.budget_usd_per_day);
                Ok(Some(Box::new(Model::new(model, JudgeTerms { replies, ..terms }, now_ms))))
            }
        }
    }

    /// Returns the ids, in order.
    pub fn ids(&self) -> Vec<String> {
        self.judges.iter().map(|judge| judge.id().to_owned()).collect()
    }

    /// Puts a question to the judges of these ids, all at once.
    pub fn ask<V: Verdict + Send>(&self, ids: &[String], question: &Question, each: &mut dyn FnMut(Opinion<V>)) {
        // Without it an interrupted court would leave its judges at work, which costs and no more.
        let _ = end_with_us();
        let asked: Vec<&dyn Judge> =
            self.judges.iter().map(AsRef::as_ref).filter(|judge| ids.iter().any(|id| id == judge.id())).collect();
        ask::ask_all(&asked, question, &self.terms, now_ms(), each);
    }
}
