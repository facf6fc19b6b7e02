//! The configured judges, ready to be asked.

use std::ffi::OsStr;
use std::time::Duration;

use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_core::verdict::Verdict;
use assize_engine::judge::ask::{self, Terms};
use assize_engine::judge::{Judge, JudgeConfig, build};
use assize_engine::process::end_with_us;
use assize_engine::search_path::{PATH_DEFAULT, SearchPath};

use crate::config::Config;
use crate::exit::Failure;
use crate::host::{Host, now_ms};

/// The judges of a court.
pub struct Judges {
    judges: Vec<Box<dyn Judge>>,
    terms: Terms,
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

    fn new(judges: &[JudgeConfig], deadline: Duration, config: &Config, host: &Host) -> Result<Self, Failure> {
        let system = host.variable("PATH").unwrap_or(PATH_DEFAULT);
        // A program of the judged tree must not judge it.
        let path = SearchPath::outside(OsStr::new(system), &host.project()).variable().into_string().ok();
        let lookup = |name: &str| if name == "PATH" { path.clone() } else { host.variable(name).map(str::to_owned) };
        let judges = judges
            .iter()
            .map(|judge| build(judge, &lookup).map_err(|error| Failure::new(error.to_string())))
            .collect::<Result<Vec<_>, _>>()?;
        let terms = Terms::new(deadline, host.cache(), config.budget_usd_per_day);
        Ok(Self { judges, terms })
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
