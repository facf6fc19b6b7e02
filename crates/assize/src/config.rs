//! The project's configuration: `assize.toml`.
//!
//! [`RawConfig`] is what the file says, [`Config`] what follows from it; the conversion happens
//! once, here, and whatever is wrong is said with its place.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use assize_core::court::stop::{Mode, StopPolicy};
use assize_core::rule::{Level, LevelOverride, RuleSettings};
use assize_engine::judge::JudgeConfig;
use serde::Deserialize;

use crate::exit::Failure;

/// The name of the file.
pub const FILE_NAME: &str = "assize.toml";
/// Largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 256 * 1024;

/// What the file says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawConfig {
    stop: RawStop,
    rules: BTreeMap<String, Level>,
    #[serde(rename = "override")]
    overrides: Vec<LevelOverride>,
    #[serde(rename = "judge")]
    judges: Vec<JudgeConfig>,
    budget: RawBudget,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
struct RawStop {
    #[serde(flatten)]
    policy: toml::Table,
    judges: Option<Vec<String>>,
    deadline_s: u64,
}

impl Default for RawStop {
    fn default() -> Self {
        Self { policy: toml::Table::new(), judges: None, deadline_s: DEADLINE_S }
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
    /// What judges may cost a day, in US dollars.
    pub budget_usd_per_day: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            stop: StopPolicy::default(),
            rules: RuleSettings::default(),
            judges: Vec::new(),
            deadline: Duration::from_secs(DEADLINE_S),
            budget_usd_per_day: None,
        }
    }
}

/// How long the stop court waits for its judges unless it is told otherwise, in seconds.
const DEADLINE_S: u64 = 90;

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
        let raw: RawConfig = toml::from_str(text).map_err(|error| Failure::new(format!("{name}: {error}")))?;
        let wrong = |what: String| Failure::new(format!("{name}: {what}"));
        let stop: StopPolicy = raw
            .stop
            .policy
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| wrong(format!("[stop]: {}", error.message())))?;
        if raw.stop.deadline_s == 0 || raw.stop.deadline_s > DEADLINE_S_MAX {
            return Err(wrong(format!(
                "[stop] deadline_s is {}, not between 1 and {DEADLINE_S_MAX}",
                raw.stop.deadline_s
            )));
        }
        for (name, limit) in
            [("same_blocks_max", stop.limits.same_blocks_max), ("prompt_blocks_max", stop.limits.prompt_blocks_max)]
        {
            if limit == 0 && stop.mode == Mode::Enforce {
                return Err(wrong(format!(
                    "[stop.limits] {name} is 0, with which nothing is ever sent back; mode = \"shadow\" says that better"
                )));
            }
        }
        if let Some(budget) = raw.budget.usd_per_day
            && !(budget.is_finite() && budget >= 0.0)
        {
            return Err(wrong(format!("[budget] usd_per_day is {budget}, not an amount")));
        }
        let rules = RuleSettings::new(raw.rules, raw.overrides).map_err(|error| wrong(error.to_string()))?;
        let judges = select_judges(raw.judges, raw.stop.judges).map_err(wrong)?;
        Ok(Self {
            stop,
            rules,
            judges,
            deadline: Duration::from_secs(raw.stop.deadline_s),
            budget_usd_per_day: raw.budget.usd_per_day,
        })
    }
}

/// Reads the text of the configuration; empty where there is no file.
///
/// # Errors
///
/// Fails when a file was named that does not exist, or one cannot be read.
pub fn read(project: &Path, named: Option<&Path>) -> Result<String, Failure> {
    let path = named.map_or_else(|| project.join(FILE_NAME), Path::to_owned);
    let failed = |detail: String| Failure::new(format!("{}: {detail}", path.display()));
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(String::new()),
        Err(error) => Err(failed(error.to_string())),
        Ok(meta) if meta.len() > FILE_BYTES_MAX => {
            Err(failed(format!("the file has {} bytes, more than {FILE_BYTES_MAX}", meta.len())))
        }
        Ok(_) => fs::read_to_string(&path).map_err(|error| failed(error.to_string())),
    }
}

/// Without a choice all judges sit, in the order of the file.
fn select_judges(configured: Vec<JudgeConfig>, chosen: Option<Vec<String>>) -> Result<Vec<JudgeConfig>, String> {
    let mut ids = Vec::new();
    for judge in &configured {
        if judge.id() == assize_core::court::stop::EVIDENCE_JUDGE {
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
        .filter(|id| *id != assize_core::court::stop::EVIDENCE_JUDGE)
        .map(|id| {
            let found = configured.iter().find(|judge| judge.id() == id);
            found.cloned().ok_or_else(|| format!("[stop] judges names `{id}`, but no [[judge]] has that id"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
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
        assert_eq!((config.stop.mode, config.stop.limits.same_blocks_max), (Mode::Shadow, 1));
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
    fn the_deadline_has_limits() {
        let deadline = |seconds: u64| Config::parse(&format!("[stop]\ndeadline_s = {seconds}\n"), "assize.toml");
        assert!(deadline(1).is_ok() && deadline(DEADLINE_S_MAX).is_ok());
        assert!(deadline(0).is_err() && deadline(DEADLINE_S_MAX + 1).is_err());
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
}
