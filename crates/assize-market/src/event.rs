//! What became of a bidder in a round: one file each, named and shaped so that branches which are merged never collide.
//!
//! A file is written once and never changed. Its name begins with its time, so that a listing is the history; two files that say
//! the same are the same file. What an event does to anybody's standing must not be known here.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// Longest name of a bidder, in characters.
pub const BIDDER_CHARS_MAX: usize = 64;
/// Largest file of an event, in bytes.
pub const EVENT_BYTES_MAX: usize = 16 * 1024;
/// Digits of a file's content in its name.
const CONTENT_DIGITS: usize = 8;

/// What became of a bidder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarketOutcome {
    /// Its bid won the first round, and its implementation passed.
    RankedFirstSuccess,
    /// Its bid won the first round, and its implementation failed.
    RankedFirstFailure,
    /// Another bid won, and that implementation passed.
    NotSelected,
    /// Its bid won the round after a failure, and its implementation passed.
    ReplanSuccess,
    /// Its bid won the round after a failure, and its implementation failed as well.
    ReplanFailure,
    /// No bidder's implementation passed.
    CollectiveFailure,
    /// It handed in the same bid again after it had failed.
    Resubmitted,
}

impl MarketOutcome {
    /// Every outcome.
    pub const ALL: [Self; 7] = [
        Self::RankedFirstSuccess,
        Self::RankedFirstFailure,
        Self::NotSelected,
        Self::ReplanSuccess,
        Self::ReplanFailure,
        Self::CollectiveFailure,
        Self::Resubmitted,
    ];

    /// Returns its id.
    pub fn id(self) -> &'static str {
        match self {
            Self::RankedFirstSuccess => "ranked_first_success",
            Self::RankedFirstFailure => "ranked_first_failure",
            Self::NotSelected => "not_selected",
            Self::ReplanSuccess => "replan_success",
            Self::ReplanFailure => "replan_failure",
            Self::CollectiveFailure => "collective_failure",
            Self::Resubmitted => "resubmitted",
        }
    }

    /// Returns whether a bid of the bidder was implemented, and if so, whether that passed.
    pub fn implemented(self) -> Option<bool> {
        match self {
            Self::RankedFirstSuccess | Self::ReplanSuccess => Some(true),
            Self::RankedFirstFailure | Self::ReplanFailure => Some(false),
            Self::NotSelected | Self::CollectiveFailure | Self::Resubmitted => None,
        }
    }

    /// Returns the word for it in the name of a file.
    fn word(self) -> &'static str {
        match self {
            Self::RankedFirstSuccess => "success",
            Self::RankedFirstFailure => "failure",
            Self::NotSelected => "not-selected",
            Self::ReplanSuccess => "replan-success",
            Self::ReplanFailure => "replan-failure",
            Self::CollectiveFailure => "collective-failure",
            Self::Resubmitted => "resubmitted",
        }
    }
}

/// What an implementation came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MarketMetrics {
    /// Whether all tests passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<bool>,
    /// Whether every other check passed: format, lints, types, dead code, complexity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_quality_passed: Option<bool>,
    /// By how much the coverage changed, in points of a hundred; `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_delta: Option<f64>,
    /// Lines added and removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_changed: Option<u64>,
    /// Files added, changed and removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_affected: Option<u64>,
}

/// One event, as its file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MarketEvent {
    /// When, in UTC: `2026-01-29T10:30:00Z`, or with a fraction and `+00:00`.
    pub timestamp: String,
    /// The issue, where the work came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_number: Option<u64>,
    /// The run of the market that it happened in: what one run says of a bidder is said once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The bidder.
    pub bot_id: String,
    /// What became of it.
    pub outcome: MarketOutcome,
    /// How good its bid was found to be, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_score: Option<f64>,
    /// How good its implementation was found to be, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation_score: Option<f64>,
    /// How near the one was to the other: 1 less their distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// How probable it had called its success, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_probability: Option<f64>,
    /// What is added to its weight before all weights are brought back to a sum of 1.
    pub weight_delta: f64,
    /// Iterations that its implementation took.
    #[serde(default)]
    pub iteration_count: u32,
    /// What its implementation came to.
    #[serde(default)]
    pub metrics: MarketMetrics,
}

/// Where an event stands in the history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPlace {
    /// To the billionth of a second, so that the order of the letters is that of the times.
    at: String,
    bot_id: String,
    outcome: MarketOutcome,
    content: String,
}

/// Why an event is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MarketEventError(String);

impl MarketEvent {
    /// Reads the file of an event.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn read(json: &str) -> Result<Self, MarketEventError> {
        let wrong = |what: String| Err(MarketEventError(what));
        if json.len() > EVENT_BYTES_MAX {
            return wrong(format!("has more than {EVENT_BYTES_MAX} bytes"));
        }
        let event: Self = match serde_json::from_str(json) {
            Ok(event) => event,
            Err(error) => return wrong(format!("is no event: {error}")),
        };
        match event.fault() {
            Some(fault) => wrong(fault),
            None => Ok(event),
        }
    }

    fn fault(&self) -> Option<String> {
        if !is_bidder(&self.bot_id) {
            return Some(format!(
                "`bot_id` is no name of a bidder: it has 1 to {BIDDER_CHARS_MAX} letters, digits, `-`, `_` or `.`"
            ));
        }
        if moment(&self.timestamp).is_none() {
            return Some("`timestamp` is no time in UTC such as 2026-01-29T10:30:00Z".to_owned());
        }
        let shares = [
            ("proposal_score", self.proposal_score),
            ("implementation_score", self.implementation_score),
            ("accuracy", self.accuracy),
            ("stated_probability", self.stated_probability),
        ];
        let outside = |(_, share): &(&str, Option<f64>)| share.is_some_and(|share| !(0.0..=1.0).contains(&share));
        if let Some((name, _)) = shares.into_iter().find(outside) {
            return Some(format!("`{name}` lies between 0 and 1"));
        }
        (!(-1.0..=1.0).contains(&self.weight_delta)).then(|| "`weight_delta` lies between -1 and 1".to_owned())
    }

    /// Returns its place in the history: by its time, and where that is the same for several, by who and what it is about and by its
    /// content, so that every machine tells the same history whatever order the files came in.
    pub fn place(&self) -> EventPlace {
        let at = moment(&self.timestamp).unwrap_or_default();
        EventPlace { at, bot_id: self.bot_id.clone(), outcome: self.outcome, content: self.content() }
    }

    /// Returns the name of its file. Events that differ have names that differ.
    pub fn file_name(&self) -> String {
        format!("{}-{}-{}-{}.json", self.timestamp, self.bot_id, self.outcome.word(), self.content())
    }

    /// Returns the first digits of the hash of its content.
    fn content(&self) -> String {
        blake3::hash(self.to_json().as_bytes()).to_hex()[..CONTENT_DIGITS].to_owned()
    }

    /// Writes it down as its file holds it.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an event is written as JSON") + "\n"
    }
}

/// Writes a time in UTC so that an earlier one comes before a later one in the order of letters; `None` where it is none.
fn moment(timestamp: &str) -> Option<String> {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        let date = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])";
        let time = r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)";
        Regex::new(&format!(r"^({date}T{time})(?:\.(\d{{1,9}}))?(?:Z|\+00:00)$")).expect("valid pattern")
    });
    let parts = TIME.captures(timestamp)?;
    Some(format!("{}.{:0<9}", &parts[1], parts.get(2).map_or("", |fraction| fraction.as_str())))
}

/// Returns whether a text can name a bidder: it becomes a part of a file's name.
pub fn is_bidder(name: &str) -> bool {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    (1..=BIDDER_CHARS_MAX).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with('.')
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn event(bot_id: &str, at: &str, outcome: MarketOutcome, weight_delta: f64) -> MarketEvent {
        MarketEvent {
            timestamp: at.to_owned(),
            issue_number: Some(7),
            run: None,
            bot_id: bot_id.to_owned(),
            outcome,
            proposal_score: None,
            implementation_score: None,
            accuracy: None,
            stated_probability: None,
            weight_delta,
            iteration_count: 0,
            metrics: MarketMetrics::default(),
        }
    }

    const SEEN: &str = r#"{
        "timestamp": "2026-01-29T10:30:00.123456+00:00", "issue_number": 12, "bot_id": "bidder_2",
        "outcome": "ranked_first_success", "proposal_score": 0.87, "implementation_score": 0.85, "accuracy": 0.98,
        "weight_delta": 0.15, "iteration_count": 3,
        "metrics": {"tests_passed": true, "code_quality_passed": true, "coverage_delta": 2.5, "lines_changed": 45, "files_affected": 3}
    }"#;

    #[test]
    fn an_event_is_read_and_written() {
        let event = MarketEvent::read(SEEN).expect("an event");
        assert_eq!((event.bot_id.as_str(), event.outcome), ("bidder_2", MarketOutcome::RankedFirstSuccess));
        assert_eq!(MarketEvent::read(&event.to_json()), Ok(event.clone()));
        let name = event.file_name();
        assert!(
            name.starts_with("2026-01-29T10:30:00.123456+00:00-bidder_2-success-") && name.ends_with(".json"),
            "{name}"
        );
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for (from, to, says) in [
            ("bidder_2", "../b", "name of a bidder"),
            ("bidder_2", ".b", "name of a bidder"),
            ("bidder_2", "", "name of a bidder"),
            ("2026-01-29T10:30:00.123456+00:00", "yesterday", "no time"),
            ("0.87", "1.01", "`proposal_score`"),
            ("0.98", "-0.01", "`accuracy`"),
            ("0.15", "1.5", "`weight_delta`"),
            ("ranked_first_success", "won", "no event"),
            ("\"issue_number\": 12", "\"issue\": 12", "no event"),
        ] {
            let error = MarketEvent::read(&SEEN.replace(from, to)).expect_err(to).to_string();
            assert!(error.contains(says), "{to}: {error}");
        }
        let long = |bytes: usize| format!("{}{}", " ".repeat(bytes - SEEN.len()), SEEN);
        assert!(MarketEvent::read(&long(EVENT_BYTES_MAX)).is_ok());
        assert!(MarketEvent::read(&long(EVENT_BYTES_MAX + 1)).is_err());
        assert!(is_bidder(&"x".repeat(BIDDER_CHARS_MAX)) && !is_bidder(&"x".repeat(BIDDER_CHARS_MAX + 1)));
    }

    #[test]
    fn events_that_differ_have_names_that_differ() {
        let one = event("a", "2026-01-29T10:30:00Z", MarketOutcome::NotSelected, -0.02);
        let other = MarketEvent { weight_delta: -0.03, ..one.clone() };
        assert_ne!(one.file_name(), other.file_name());
        assert_eq!(one.file_name(), one.clone().file_name());
        assert!(
            one.place() != other.place()
                && one.place() < event("a", "2026-01-29T10:30:01Z", MarketOutcome::NotSelected, 0.0).place()
        );
    }

    #[test]
    fn times_are_told_apart_to_the_fraction() {
        let order = [
            "2026-01-29T10:30:00Z",
            "2026-01-29T10:30:00.000001+00:00",
            "2026-01-29T10:30:00.1Z",
            "2026-01-29T10:30:00.12+00:00",
            "2026-01-29T10:30:01+00:00",
            "2026-12-31T23:59:60Z",
        ];
        let moments: Vec<String> = order.iter().map(|time| moment(time).expect("a time")).collect();
        assert!(moments.is_sorted(), "{moments:?}");
        assert_eq!(moment("2026-01-29T10:30:00Z"), moment("2026-01-29T10:30:00.000+00:00"));
        for none in [
            "",
            "2026-01-29",
            "2026-13-01T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
        ] {
            assert_eq!(moment(none), None, "{none}");
        }
    }

    #[test]
    fn outcomes_have_ids() {
        for outcome in MarketOutcome::ALL {
            assert_eq!(serde_json::to_value(outcome).expect("JSON"), outcome.id());
        }
    }
}
