//! The settings of the market: `[market]` and `[[bidder]]`.

use std::collections::BTreeSet;
use std::time::Duration;

use assize_engine::judge::JudgeConfig;
use assize_engine::market::external_command::ProgramConfig;
use assize_engine::market::source::github::DEADLINE_DEFAULT;
use assize_market::event::{BIDDER_CHARS_MAX, is_bidder};
use assize_market::ranking::{Dimensions, Parts};
use assize_market::reputation::Deltas;
use assize_market::run::Measures;
use serde::Deserialize;

use super::select_judges;

/// Most iterations that bidders share.
pub const ITERATIONS_MAX: u32 = 1_000;
/// How often each judge is shown the bids, at most.
pub const SHOWINGS_MAX: u32 = 50;
/// Longest time that one call of `gh` may take, in seconds.
pub const CALL_S_MAX: u64 = 600;
/// Most bidders.
pub const BIDDERS_MAX: usize = 50;

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawMarket {
    iterations: u32,
    judges: Option<Vec<String>>,
    showings: u32,
    call_s_max: u64,
    coverage: Option<ProgramConfig>,
    dimensions: Dimensions,
    parts: Parts,
    deltas: Deltas,
}

impl Default for RawMarket {
    fn default() -> Self {
        let MarketSettings { iterations, showings, call_time_max, measures, .. } = MarketSettings::default();
        let call_s_max = call_time_max.as_secs();
        let Measures { dimensions, parts, deltas } = measures;
        Self { iterations, judges: None, showings, call_s_max, coverage: None, dimensions, parts, deltas }
    }
}

/// A bidder, as it is configured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BidderConfig {
    /// Its name.
    pub id: String,
    /// The model that bids.
    pub model: Option<Box<JudgeConfig>>,
    /// The program that bids.
    pub bid: Option<ProgramConfig>,
    /// The program that implements what it bids; without one, the model answers with a patch.
    pub implement: Option<ProgramConfig>,
}

/// How the market is held.
#[derive(Debug, Clone)]
pub struct MarketSettings {
    /// How many implementations all bidders have together in a run.
    pub iterations: u32,
    /// Who says how good bids are, and whether boxes are done.
    pub judges: Vec<JudgeConfig>,
    /// How often each judge is shown the bids, in another order each time.
    pub showings: u32,
    /// How long one call of `gh` may take.
    pub call_time_max: Duration,
    /// What prints the share of lines that tests cover.
    pub coverage: Option<ProgramConfig>,
    /// What bids and implementations are measured by.
    pub measures: Measures,
    /// Who bids.
    pub bidders: Vec<BidderConfig>,
}

impl Default for MarketSettings {
    fn default() -> Self {
        Self {
            iterations: 15,
            judges: Vec::new(),
            showings: 3,
            call_time_max: DEADLINE_DEFAULT,
            coverage: None,
            measures: Measures::default(),
            bidders: Vec::new(),
        }
    }
}

impl RawMarket {
    pub(super) fn settings(
        self,
        bidders: Vec<BidderConfig>,
        configured: Vec<JudgeConfig>,
    ) -> Result<MarketSettings, String> {
        for (setting, value, most) in [
            ("iterations", self.iterations.into(), ITERATIONS_MAX.into()),
            ("showings", self.showings.into(), SHOWINGS_MAX.into()),
            ("call_s_max", self.call_s_max, CALL_S_MAX),
        ] {
            if value == 0 || value > most {
                return Err(format!("[market] {setting} is {value}, not between 1 and {most}"));
            }
        }
        let measures = Measures { dimensions: self.dimensions, parts: self.parts, deltas: self.deltas };
        check_measures(&measures)?;
        if let Some(coverage) = &self.coverage {
            coverage.check().map_err(|what| format!("[market.coverage] {what}"))?;
        }
        if bidders.len() > BIDDERS_MAX {
            return Err(format!("there are {} bidders where {BIDDERS_MAX} is the most", bidders.len()));
        }
        let mut seen = BTreeSet::new();
        for bidder in &bidders {
            check_bidder(bidder).map_err(|what| format!("[[bidder]] `{}`: {what}", bidder.id))?;
            if !seen.insert(&bidder.id) {
                return Err(format!("[[bidder]] `{}`: there is another one of that name", bidder.id));
            }
        }
        Ok(MarketSettings {
            iterations: self.iterations,
            judges: select_judges(configured, self.judges, "market")?,
            showings: self.showings,
            call_time_max: Duration::from_secs(self.call_s_max),
            coverage: self.coverage,
            measures,
            bidders,
        })
    }
}

fn check_bidder(bidder: &BidderConfig) -> Result<(), String> {
    if !is_bidder(&bidder.id) {
        return Err(format!("its id has 1 to {BIDDER_CHARS_MAX} letters, digits, `-`, `_` or `.`"));
    }
    match (&bidder.model, &bidder.bid) {
        (Some(_), Some(_)) => return Err("it has both `model` and `bid`; one of them bids".to_owned()),
        (None, None) => return Err("it has neither `model` nor `bid`, so that it cannot bid".to_owned()),
        (None, Some(_)) if bidder.implement.is_none() => {
            return Err("it has no `implement`, so no command would do what it bids".to_owned());
        }
        _ => {}
    }
    for (name, program) in [("bid", &bidder.bid), ("implement", &bidder.implement)] {
        if let Some(program) = program {
            program.check().map_err(|what| format!("{name}: {what}"))?;
        }
    }
    Ok(())
}

/// Checks that weights can be weights and deltas deltas.
fn check_measures(measures: &Measures) -> Result<(), String> {
    let Measures { dimensions, parts, deltas } = measures;
    let of_dimensions = [
        ("spec_alignment", dimensions.spec_alignment),
        ("technical_quality", dimensions.technical_quality),
        ("innovation", dimensions.innovation),
        ("risk", dimensions.risk),
        ("efficiency", dimensions.efficiency),
    ];
    let of_parts = [
        ("boxes", parts.boxes),
        ("components", parts.components),
        ("implicit", parts.implicit),
        ("tests", parts.tests),
        ("coverage", parts.coverage),
    ];
    for (table, weights) in [("dimensions", &of_dimensions[..]), ("parts", &of_parts[..])] {
        if let Some((name, weight)) = weights.iter().find(|(_, weight)| !(0.0..=1.0).contains(weight)) {
            return Err(format!("[market.{table}] {name} is {weight}, not between 0 and 1"));
        }
    }
    let sum: f64 = of_dimensions.iter().map(|(_, weight)| weight).sum();
    if (sum - 1.0).abs() > 1e-9 {
        // What computing with floating-point numbers adds is rounded off.
        let sum = (sum * 1e9).round() / 1e9;
        return Err(format!("[market.dimensions] add up to {sum}, not to 1"));
    }
    let of_deltas = [
        ("success", deltas.success),
        ("accuracy_bonus", deltas.accuracy_bonus),
        ("not_selected", deltas.not_selected),
        ("failure", deltas.failure),
        ("replan_success", deltas.replan_success),
        ("repeated_failure", deltas.repeated_failure),
        ("collective_failure", deltas.collective_failure),
        ("resubmitted", deltas.resubmitted),
    ];
    match of_deltas.iter().find(|(_, delta)| !(-0.5..=0.5).contains(delta)) {
        Some((name, delta)) => Err(format!("[market.deltas] {name} is {delta}, not between -0.5 and 0.5")),
        None if !(0.0..=1.0).contains(&deltas.accuracy_above) => {
            Err(format!("[market.deltas] accuracy_above is {}, not between 0 and 1", deltas.accuracy_above))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    fn read(text: &str) -> Result<super::MarketSettings, String> {
        Config::parse(text, "assize.toml").map(|config| config.market).map_err(|failure| failure.what)
    }

    const PROGRAM: &str = "{ argv = [\"bidder\", \"bid\"] }";

    fn bidder(lines: &str) -> String {
        format!("[[bidder]]\nid = \"a\"\n{lines}\n")
    }

    #[test]
    fn a_bidder_bids_by_one_means_and_has_one_to_implement() {
        let both = format!("bid = {PROGRAM}\nimplement = {PROGRAM}");
        let settings = read(&bidder(&both)).expect("a bidder");
        assert_eq!((settings.bidders.len(), settings.iterations, settings.showings), (1, 15, 3));
        let model = "model = { id = \"m\", kind = \"openai\", model = \"m\", base_url = \"http://127.0.0.1:1/v1\" }";
        assert!(read(&bidder(model)).is_ok(), "{:?}", read(&bidder(model)).err());
        for (text, says) in [
            (bidder(""), "neither `model` nor `bid`"),
            (bidder(&format!("bid = {PROGRAM}")), "no `implement`"),
            (bidder(&format!("{model}\n{both}")), "both `model` and `bid`"),
            (format!("{0}{0}", bidder(&both)), "another one of that name"),
            (bidder(&both).replace("\"a\"", "\"a b\""), "its id has"),
            (bidder("bid = { argv = [] }\nimplement = { argv = [\"x\"] }"), "bid: argv names no program"),
            (bidder("bid = { argv = [\"x\"], read = [\"y\"] }\nimplement = { argv = [\"x\"] }"), "no absolute path"),
        ] {
            let error = read(&text).expect_err("wrong");
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn settings_have_limits_on_both_sides() {
        for (text, is_right) in [
            ("[market]\niterations = 1000\nshowings = 50\n", true),
            ("[market]\niterations = 1001\n", false),
            ("[market]\niterations = 0\n", false),
            ("[market]\nshowings = 51\n", false),
            ("[market]\ncall_s_max = 600\n", true),
            ("[market]\ncall_s_max = 601\n", false),
            ("[market]\ncall_s_max = 0\n", false),
            ("[market.deltas]\nsuccess = 0.5\n", true),
            ("[market.deltas]\nsuccess = 0.51\n", false),
            ("[market.deltas]\naccuracy_above = 1.1\n", false),
            ("[market.dimensions]\nspec_alignment = 0.42\ntechnical_quality = 0.12\n", true),
            ("[market.dimensions]\nspec_alignment = 0.42\n", false),
            ("[market.parts]\ntests = 1.5\n", false),
            ("[market]\njudges = [\"nobody\"]\n", false),
        ] {
            assert_eq!(read(text).is_ok(), is_right, "{text}: {:?}", read(text).err());
        }
        let sum = read("[market.dimensions]\nspec_alignment = 0.92\nefficiency = 0.19\n").expect_err("too much");
        assert_eq!(sum, "assize.toml: [market.dimensions] add up to 1.69, not to 1");
    }
}
