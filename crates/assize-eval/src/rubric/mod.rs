//! What records are judged by.
//!
//! A rubric says what its records are, how strict their judge is to be, and in which modes one can fail. A mode has criteria, which a
//! judge reads, and clauses, which are computed and which no judge is asked about. It is a TOML file that people write, so
//! that everything wrong with it is said at once. How a judge is reached, and where records come from, must not be known here.

pub mod clause;
pub mod lint;
mod sound;

use assize_core::violation::Violation;
use serde::{Deserialize, Serialize};

pub use clause::Clauses;

/// The rubrics that are built in: their names, and their TOML.
pub const BUILT_IN: [(&str, &str); 2] = [
    ("home-repair-strict", include_str!("../../rubrics/home-repair-strict.toml")),
    ("home-repair-lenient", include_str!("../../rubrics/home-repair-lenient.toml")),
];

/// The version that every rubric carries in its field `rubric`.
pub const VERSION: u32 = 1;
/// Largest rubric that is read, in bytes.
pub const RUBRIC_BYTES_MAX: usize = 256 * 1024;
/// Most modes.
pub const MODES_MAX: usize = 50;
/// Most criteria, clauses or examples of one mode.
pub const ITEMS_MAX: usize = 50;
/// Longest text, in characters.
pub const TEXT_CHARS_MAX: usize = 4_000;
/// Longest id, in characters.
pub const ID_CHARS_MAX: usize = 64;

/// The lowest and the highest score of a record.
pub const SCORES: std::ops::RangeInclusive<u8> = 1..=5;

/// What records are judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// The version of this shape: 1.
    pub rubric: u32,
    /// Its name: lower-case letters, digits, `-` and `_`.
    pub id: String,
    /// What a record is, such as "a guide that tells a homeowner how to do a repair".
    pub subject: String,
    /// How strict the judge is to be.
    #[serde(default)]
    pub strictness: Strictness,
    /// What the scores mean.
    #[serde(default)]
    pub score: Score,
    /// How its records look.
    #[serde(default)]
    pub record: RecordTerms,
    /// What it takes for the judge to be believed without a person.
    #[serde(default)]
    pub trust: Trust,
    /// The modes in which a record can fail.
    #[serde(rename = "mode", default)]
    pub modes: Vec<FailureMode>,
}

/// How strict the judge is to be. Models lean towards approval; each lever works against that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Strictness {
    /// Who the judge is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// What the judge should expect to find.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expectation: Option<String>,
    /// What the judge does where it is of two minds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// What the scores mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Score {
    /// A word for each score, the lowest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Where most records lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expectation: Option<String>,
}

/// How the records look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecordTerms {
    /// The field that names a record.
    pub id: String,
    /// The fields that a judge is shown; all of them where none is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// The fields by which records are told apart in a report, such as a category.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
}

impl Default for RecordTerms {
    fn default() -> Self {
        Self { id: "id".to_owned(), shown: Vec::new(), strata: Vec::new() }
    }
}

/// What it takes for the judge to be believed without a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Trust {
    /// The least agreement beyond chance, as Cohen's kappa.
    pub kappa_min: f64,
    /// The least share of failing records that the judge fails; not asked for where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity_min: Option<f64>,
    /// The least share of good records that the judge passes; not asked for where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specificity_min: Option<f64>,
    /// The fewest labelled records.
    pub labels_min: u64,
}

impl Default for Trust {
    fn default() -> Self {
        Self { kappa_min: 0.6, sensitivity_min: None, specificity_min: None, labels_min: 30 }
    }
}

/// One way in which a record can fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailureMode {
    /// Its name: lower-case letters, digits and `_`.
    pub id: String,
    /// The question that a passing record answers with yes.
    pub asks: String,
    /// What makes a record fail; one condition each. A judge reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails_if: Vec<String>,
    /// What makes a record fail, as can be computed. No judge is asked.
    #[serde(default, rename = "clause", skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<Clause>,
    /// Examples and counter-examples.
    #[serde(default, rename = "example", skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

impl FailureMode {
    /// Returns whether a judge is asked about it: where there is nothing but clauses, there is nothing to ask.
    pub fn is_asked(&self) -> bool {
        !self.fails_if.is_empty() || self.clauses.is_empty()
    }
}

/// A condition that is computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// When a record fails: an expression in CEL over `record`.
    pub fails: String,
    /// What is said of a record that fails by it.
    pub says: String,
}

/// A record, or a part of one, and what is right to say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What is looked at.
    pub shows: String,
    /// Whether it fails.
    pub fails: bool,
    /// Why.
    pub because: String,
}

impl Rubric {
    /// Reads a rubric and the clauses in it.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with it; of what is no TOML, or of another shape, the first fault.
    pub fn read(text: &str) -> Result<(Self, Clauses), Vec<Violation>> {
        if text.len() > RUBRIC_BYTES_MAX {
            let fault = format!("has {} bytes where {RUBRIC_BYTES_MAX} is the most", text.len());
            return Err(vec![Violation::new("", fault)]);
        }
        let rubric: Self = toml::from_str(text).map_err(|error| vec![Violation::new("", error.to_string())])?;
        let mut faults = sound::faults(&rubric);
        match Clauses::of(&rubric) {
            Ok(clauses) if faults.is_empty() => Ok((rubric, clauses)),
            Ok(_) => Err(faults),
            Err(of_clauses) => {
                faults.extend(of_clauses);
                Err(faults)
            }
        }
    }

    /// Returns a hash of everything that a ruling depends on. What it takes to be believed, and how a report is laid out, is left out.
    pub fn hash(&self) -> String {
        let ruling =
            serde_json::json!([self.rubric, self.subject, self.strictness, self.score, self.record.shown, self.modes]);
        blake3::hash(ruling.to_string().as_bytes()).to_hex()[..32].to_owned()
    }

    /// Returns the modes that a judge is asked about.
    pub fn asked(&self) -> impl Iterator<Item = &FailureMode> {
        self.modes.iter().filter(|mode| mode.is_asked())
    }

    /// Returns the place of a mode.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.modes.iter().position(|mode| mode.id == id)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const SMALL: &str = r#"
rubric = 1
id = "guides"
subject = "a guide"

[[mode]]
id = "too_long"
asks = "Is it short enough for a beginner?"
fails_if = ["A beginner would lose the thread."]

[[mode.clause]]
fails = 'record.difficulty == "beginner" && size(record.steps) > 8'
says = "more than 8 steps for a beginner"

[[mode]]
id = "vague"
asks = "Does it name what it speaks of?"
fails_if = ["It would fit any other appliance as well."]
"#;

    fn faults(text: &str) -> Vec<String> {
        Rubric::read(text).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rubric_is_read_with_what_it_leaves_out() {
        let (rubric, _) = Rubric::read(SMALL).expect("sound");
        assert_eq!(rubric.record.id, "id");
        assert_eq!(rubric.trust, Trust::default());
        assert_eq!(rubric.position("vague"), Some(1));
        assert!(rubric.modes.iter().all(FailureMode::is_asked));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let text = SMALL
            .replace("rubric = 1", "rubric = 2")
            .replace("\"vague\"", "\"too_long\"")
            .replace("size(record.steps) > 8", "size(record.steps) >")
            .replace("subject = \"a guide\"", "subject = \"\"");
        let faults = faults(&text);
        assert_eq!(faults.len(), 4, "{faults:#?}");
        assert!(faults[0].starts_with("rubric: is 2"), "{faults:#?}");
        assert!(faults.iter().any(|fault| fault.starts_with("mode[1].id: ")), "{faults:#?}");
        assert!(faults.iter().any(|fault| fault.starts_with("mode[0].clause[0].fails: ")), "{faults:#?}");
    }

    #[test]
    fn what_is_unknown_is_refused_with_its_place() {
        let faults = faults(&SMALL.replace("asks = \"Is it", "question = \"Is it"));
        assert!(faults[0].contains("question") && faults[0].contains("line 8"), "{faults:#?}");
    }

    #[test]
    fn a_rubric_is_read_up_to_its_limits() {
        let modes = |count: usize| {
            let mode =
                |at: usize| format!("[[mode]]\nid = \"m{at}\"\nasks = \"Is it?\"\nfails_if = [\"It is not.\"]\n");
            format!("rubric = 1\nid = \"r\"\nsubject = \"a\"\n{}", (0..count).map(mode).collect::<String>())
        };
        assert_eq!(faults(&modes(MODES_MAX)), [] as [String; 0]);
        assert_eq!(faults(&modes(MODES_MAX + 1)).len(), 1);
        assert_eq!(faults(&modes(0)), ["mode: there is none"]);
        let padded = |bytes: usize| {
            let text = modes(1);
            format!("{text}#{}", "x".repeat(bytes - text.len() - 1))
        };
        assert_eq!(faults(&padded(RUBRIC_BYTES_MAX)), [] as [String; 0]);
        assert_eq!(faults(&padded(RUBRIC_BYTES_MAX + 1)).len(), 1);
        let subject = |chars: usize| modes(1).replace("\"a\"", &format!("\"{}\"", "é".repeat(chars)));
        assert_eq!(faults(&subject(TEXT_CHARS_MAX)), [] as [String; 0]);
        assert_eq!(faults(&subject(TEXT_CHARS_MAX + 1)).len(), 1);
        let id = |chars: usize| modes(1).replace("\"m0\"", &format!("\"{}\"", "m".repeat(chars)));
        assert_eq!(faults(&id(ID_CHARS_MAX)), [] as [String; 0]);
        assert_eq!(faults(&id(ID_CHARS_MAX + 1)).len(), 1);
        let criteria =
            |count: usize| modes(1).replace("[\"It is not.\"]", &format!("[{}]", "\"It is not.\",".repeat(count)));
        assert_eq!(faults(&criteria(ITEMS_MAX)), [] as [String; 0]);
        assert_eq!(faults(&criteria(ITEMS_MAX + 1)).len(), 1);
    }

    #[test]
    fn the_hash_is_of_what_a_ruling_depends_on() {
        let hash = |text: &str| Rubric::read(text).expect("sound").0.hash();
        assert_eq!(hash(SMALL), hash(&format!("# said aside\n{SMALL}")));
        assert_eq!(
            hash(SMALL),
            hash(&SMALL.replace("[[mode]]\nid = \"too", "[trust]\nkappa_min = 0.8\n[[mode]]\nid = \"too"))
        );
        assert_ne!(hash(SMALL), hash(&SMALL.replace("> 8", "> 9")));
        assert_ne!(hash(SMALL), hash(&SMALL.replace("any other appliance", "any appliance")));
    }
}
