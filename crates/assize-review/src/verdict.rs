//! The verdict of the review court.

use assize_core::ruling::Outcome;
use assize_core::tree_paths::{AtPath, TreePaths};
use assize_core::verdict::{Verdict, at_most, check_text};
use assize_core::violation::Violation;
use assize_gate::gate::Dimension;
use assize_patch::check_path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most characters of an explanation.
pub const EXPLANATION_CHARS_MAX: usize = 8_000;
/// Most steps of a fix plan.
pub const STEPS_MAX: usize = 50;
/// Most characters of what a step says.
pub const STEP_CHARS_MAX: usize = 1_000;
/// Most characters of a path.
pub const PATH_CHARS_MAX: usize = 1_000;

/// Characters of an explanation that a judge is asked for at most.
pub const EXPLANATION_CHARS_ASKED: usize = 600;
/// Steps that a judge is asked for at most.
pub const STEPS_ASKED: usize = 8;
/// Characters of a step that a judge is asked for at most.
pub const STEP_CHARS_ASKED: usize = 200;

/// Whether a change may go in, how it does in each dimension, and what would have to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewVerdict {
    /// Whether the change may go in.
    pub verdict: ReviewOutcome,
    /// How it does in each dimension.
    pub scores: Scores,
    /// Why.
    pub explanations: Explanations,
    /// What has to be done, file by file; empty for an acceptance.
    #[schemars(length(max = STEPS_MAX))]
    pub fix_plan: Vec<FixPlanStep>,
}

/// What a reviewer can arrive at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewOutcome {
    /// The change may go in.
    Accept,
    /// It can be fixed.
    Revise,
    /// It is not what was asked for.
    Reject,
}

/// How a change does, from 0 (there is an error) to 1 (nothing is wrong). `null` where nothing has measured it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = require_scores)]
pub struct Scores {
    /// It compiles.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub compilation: Option<f64>,
    /// Tests of what it does pass.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tests_functional: Option<f64>,
    /// Tests of edge cases pass.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tests_edge: Option<f64>,
    /// The type checker has no objection.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub types: Option<f64>,
    /// Linters and formatters have no objection.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub style: Option<f64>,
    /// Nothing in it endangers its users.
    #[serde(deserialize_with = "stated")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub security: Option<f64>,
    /// Imports keep to the layers, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub boundaries: Option<f64>,
    /// Schemas hold, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub schema: Option<f64>,
}

/// Reads a score that has to be stated, be it as `null`.
fn stated<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(value)
}

/// Says in a schema which scores have to be stated.
fn require_scores(schema: &mut schemars::Schema) {
    schema.insert("required".to_owned(), json!(Scores::STATED.map(Dimension::as_str)));
}

/// Why a change does as it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanations {
    /// What is behind the faults.
    #[schemars(length(min = 1, max = EXPLANATION_CHARS_MAX))]
    pub root_cause: String,
    /// The smallest change that would fix it.
    #[schemars(length(min = 1, max = EXPLANATION_CHARS_MAX))]
    pub minimal_fix: String,
}

/// One step of a fix plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixPlanStep {
    /// The file, relative to the root.
    #[schemars(length(min = 1, max = PATH_CHARS_MAX))]
    pub file: String,
    /// What is done with the file.
    pub operation: FixOperation,
    /// What is changed in it.
    #[schemars(length(min = 1, max = STEP_CHARS_MAX))]
    pub brief: String,
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FixOperation {
    /// It is changed.
    Edit,
    /// It is made.
    Add,
    /// It is taken away.
    Remove,
}

impl ReviewOutcome {
    /// Returns the outcome in the order in which outcomes bound each other.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Accept => Outcome::Accept,
            Self::Revise => Outcome::Revise,
            Self::Reject => Outcome::Reject,
        }
    }

    /// Returns the word for an outcome; `None` where nothing was judged.
    pub fn of(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Accept => Some(Self::Accept),
            Outcome::Revise => Some(Self::Revise),
            Outcome::Reject => Some(Self::Reject),
            Outcome::Unjudged => None,
        }
    }
}

impl Scores {
    /// The names of the dimensions, in the order in which they are printed.
    pub const DIMENSIONS: [Dimension; 8] = [
        Dimension::Compilation,
        Dimension::TestsFunctional,
        Dimension::TestsEdge,
        Dimension::Types,
        Dimension::Style,
        Dimension::Security,
        Dimension::Boundaries,
        Dimension::Schema,
    ];

    /// The dimensions that every verdict states, be it as unknown.
    pub const STATED: [Dimension; 6] = Dimension::STATED;

    /// Makes scores out of what is known of each dimension.
    pub fn of(score: impl Fn(Dimension) -> Option<f64>) -> Self {
        Self {
            compilation: score(Dimension::Compilation),
            tests_functional: score(Dimension::TestsFunctional),
            tests_edge: score(Dimension::TestsEdge),
            types: score(Dimension::Types),
            style: score(Dimension::Style),
            security: score(Dimension::Security),
            boundaries: score(Dimension::Boundaries),
            schema: score(Dimension::Schema),
        }
    }

    /// Returns the score of a dimension; `None` where there is none.
    pub fn get(&self, dimension: Dimension) -> Option<f64> {
        match dimension {
            Dimension::Compilation => self.compilation,
            Dimension::TestsFunctional => self.tests_functional,
            Dimension::TestsEdge => self.tests_edge,
            Dimension::Types => self.types,
            Dimension::Style => self.style,
            Dimension::Security => self.security,
            Dimension::Boundaries => self.boundaries,
            Dimension::Schema => self.schema,
        }
    }

    /// Bounds scores by others, dimension by dimension: the lower one holds. What only one of them knows of is kept.
    pub fn bounded_by(&self, bound: &Self) -> Self {
        Self::of(|dimension| match (self.get(dimension), bound.get(dimension)) {
            (Some(score), Some(bound)) => Some(score.min(bound)),
            (score, bound) => score.or(bound),
        })
    }

    /// Returns the dimensions in which there is an error.
    pub fn zeroed(&self) -> impl Iterator<Item = Dimension> {
        Self::DIMENSIONS.into_iter().filter(|dimension| self.get(*dimension) == Some(0.0))
    }
}

impl Verdict for ReviewVerdict {
    const NAME: &'static str = "review_verdict";
    const MARK: &'static str = "fix_plan";

    /// Asks for less than is accepted, and for scores in tenths: see the stop court's verdict.
    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        let tenths = json!([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
        if let Some(scores) = schema["$defs"]["Scores"]["properties"].as_object_mut() {
            let mut with_null = vec![serde_json::Value::Null];
            with_null.extend(tenths.as_array().into_iter().flatten().cloned());
            for (_, score) in scores {
                *score = json!({"type": ["number", "null"], "enum": with_null});
            }
        }
        if let Some(texts) = schema["$defs"]["Explanations"]["properties"].as_object_mut() {
            for (_, text) in texts {
                text["maxLength"] = json!(EXPLANATION_CHARS_ASKED);
            }
        }
        schema["properties"]["fix_plan"]["maxItems"] = json!(STEPS_ASKED);
        if let Some(length_max) = schema.pointer_mut("/$defs/FixPlanStep/properties/brief/maxLength") {
            *length_max = json!(STEP_CHARS_ASKED);
        }
        schema
    }

    fn check(&self) -> Result<(), String> {
        for dimension in Scores::DIMENSIONS {
            if let Some(score) = self.scores.get(dimension)
                && (!(0.0..=1.0).contains(&score) || score.is_sign_negative())
            {
                return Err(format!("`scores.{}` is {score}, not between 0 and 1", dimension.as_str()));
            }
        }
        check_text("explanations.root_cause", &self.explanations.root_cause, EXPLANATION_CHARS_MAX)?;
        check_text("explanations.minimal_fix", &self.explanations.minimal_fix, EXPLANATION_CHARS_MAX)?;
        at_most("fix_plan", self.fix_plan.len(), STEPS_MAX)?;
        for step in &self.fix_plan {
            check_text("fix_plan.file", &step.file, PATH_CHARS_MAX)?;
            check_path(&step.file).map_err(|fault| format!("`fix_plan.file` {fault}"))?;
            check_text("fix_plan.brief", &step.brief, STEP_CHARS_MAX)?;
        }
        if self.verdict == ReviewOutcome::Accept
            && let Some(fault) = against_acceptance(self.scores.zeroed(), self.fix_plan.len()).next()
        {
            return Err(format!("`{}` {}", fault.at, fault.message));
        }
        Ok(())
    }

    fn check_files(&self, tree: &TreePaths) -> Result<(), String> {
        let mut steps = self.fix_plan.iter();
        match steps.find_map(|step| misplaced(&step.file, step.operation, tree)) {
            Some(fault) => Err(format!("`fix_plan.file` {fault}")),
            None => Ok(()),
        }
    }
}

/// Says why a step of a fix plan cannot be carried out in a tree; `None` where it can.
pub(super) fn misplaced(file: &str, operation: FixOperation, tree: &TreePaths) -> Option<String> {
    let fault = match (tree.at(file), operation) {
        (AtPath::File, FixOperation::Edit | FixOperation::Remove) | (AtPath::Nothing, FixOperation::Add) => {
            return None;
        }
        (AtPath::File, FixOperation::Add) => "exists, so that it is an `edit`".to_owned(),
        (AtPath::Folder, _) => "is a folder; each step is about one file".to_owned(),
        (AtPath::BelowFile(above), _) => format!("cannot exist: {above:?} is a file"),
        (AtPath::Nothing, FixOperation::Edit | FixOperation::Remove) => "does not exist".to_owned(),
    };
    Some(format!("{file:?} {fault}"))
}

/// Names what speaks against an acceptance, each at its place: a dimension with an error, something left to do.
pub(super) fn against_acceptance(
    zeroed: impl IntoIterator<Item = Dimension>,
    steps: usize,
) -> impl Iterator<Item = Violation> {
    let fault = |at, what: &str| Violation::new(at, format!("{what} although `verdict` is accept"));
    let zeroed = zeroed.into_iter().map(move |dimension| fault(format!("scores.{}", dimension.as_str()), "is 0"));
    zeroed.chain((steps > 0).then(|| fault("fix_plan".to_owned(), "is not empty")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(change: impl FnOnce(&mut ReviewVerdict)) -> Result<(), String> {
        let step = FixPlanStep { file: "a.rs".to_owned(), operation: FixOperation::Edit, brief: "b".to_owned() };
        let mut verdict = ReviewVerdict {
            verdict: ReviewOutcome::Revise,
            scores: Scores::of(|_| Some(1.0)),
            explanations: Explanations { root_cause: "r".to_owned(), minimal_fix: "m".to_owned() },
            fix_plan: vec![step],
        };
        change(&mut verdict);
        verdict.check()
    }

    #[test]
    fn every_limit_holds_at_the_limit_and_one_past_it() {
        let text = |count: usize| "é".repeat(count);
        assert_eq!(verdict(|v| v.explanations.root_cause = text(EXPLANATION_CHARS_MAX)), Ok(()));
        assert!(verdict(|v| v.explanations.root_cause = text(EXPLANATION_CHARS_MAX + 1)).is_err());
        assert_eq!(verdict(|v| v.explanations.minimal_fix = text(EXPLANATION_CHARS_MAX)), Ok(()));
        assert!(verdict(|v| v.explanations.minimal_fix = text(EXPLANATION_CHARS_MAX + 1)).is_err());
        assert_eq!(verdict(|v| v.fix_plan = vec![v.fix_plan[0].clone(); STEPS_MAX]), Ok(()));
        assert!(verdict(|v| v.fix_plan = vec![v.fix_plan[0].clone(); STEPS_MAX + 1]).is_err());
        assert_eq!(verdict(|v| v.fix_plan[0].brief = text(STEP_CHARS_MAX)), Ok(()));
        assert!(verdict(|v| v.fix_plan[0].brief = text(STEP_CHARS_MAX + 1)).is_err());
        let path: String = (0..PATH_CHARS_MAX).map(|index| if index % 90 == 89 { '/' } else { 'é' }).collect();
        assert_eq!(verdict(|v| v.fix_plan[0].file = path), Ok(()));
        assert!(verdict(|v| v.fix_plan[0].file = text(PATH_CHARS_MAX + 1)).is_err());
        for path in ["/etc/passwd", "../x", "a/../../x", ".git/hooks/pre-commit", "./a.py", "a//b"] {
            assert!(verdict(|v| v.fix_plan[0].file = path.to_owned()).is_err(), "{path}");
        }
        for score in [-0.0, -0.001, 1.001, f64::NAN, f64::INFINITY] {
            assert!(verdict(|v| v.scores.types = Some(score)).is_err(), "{score}");
            assert!(verdict(|v| v.scores.schema = Some(score)).is_err(), "{score}");
        }
    }

    #[test]
    fn a_step_is_about_a_file_that_can_be_there() {
        use FixOperation::{Add, Edit, Remove};
        let tree: TreePaths = ["src/a.py", "src/b.py"].into_iter().collect();
        let cases = [
            ("src/a.py", Edit, Ok(())),
            ("src/a.py", Remove, Ok(())),
            ("src/c.py", Add, Ok(())),
            ("src", Edit, Err("`fix_plan.file` \"src\" is a folder; each step is about one file")),
            ("src", Remove, Err("`fix_plan.file` \"src\" is a folder; each step is about one file")),
            ("src/a.py", Add, Err("`fix_plan.file` \"src/a.py\" exists, so that it is an `edit`")),
            ("src/c.py", Edit, Err("`fix_plan.file` \"src/c.py\" does not exist")),
            ("src/c.py", Remove, Err("`fix_plan.file` \"src/c.py\" does not exist")),
            ("src/a.py/c", Add, Err("`fix_plan.file` \"src/a.py/c\" cannot exist: \"src/a.py\" is a file")),
        ];
        for (file, operation, expected) in cases {
            let step = FixPlanStep { file: file.to_owned(), operation, brief: "b".to_owned() };
            let verdict = ReviewVerdict {
                verdict: ReviewOutcome::Revise,
                scores: Scores::of(|_| Some(1.0)),
                explanations: Explanations { root_cause: "r".to_owned(), minimal_fix: "m".to_owned() },
                fix_plan: vec![step],
            };
            assert_eq!(verdict.check_files(&tree), expected.map_err(str::to_owned), "{file} {operation:?}");
        }
    }

    #[test]
    fn an_acceptance_has_no_error_and_nothing_to_fix() {
        let accept = |v: &mut ReviewVerdict| v.verdict = ReviewOutcome::Accept;
        assert!(verdict(accept).is_err());
        assert_eq!(
            verdict(|v| {
                accept(v);
                v.fix_plan.clear();
            }),
            Ok(())
        );
        for dimension in Scores::DIMENSIONS {
            assert!(
                verdict(|v| {
                    accept(v);
                    v.fix_plan.clear();
                    v.scores = Scores::of(|other| Some(if other == dimension { 0.0 } else { 1.0 }));
                })
                .is_err(),
                "{dimension:?}"
            );
        }
    }

    #[test]
    fn the_lower_score_holds_in_each_dimension() {
        let mine = Scores::of(|dimension| match dimension {
            Dimension::Types => Some(0.0),
            Dimension::Boundaries => Some(0.5),
            Dimension::Schema => None,
            _ => Some(1.0),
        });
        let bound = Scores::of(|dimension| match dimension {
            Dimension::Style => Some(0.0),
            Dimension::Boundaries => None,
            _ => Some(1.0),
        });
        let bounded = mine.bounded_by(&bound);
        assert_eq!(
            (bounded.types, bounded.style, bounded.boundaries, bounded.schema),
            (Some(0.0), Some(0.0), Some(0.5), Some(1.0))
        );
        assert_eq!(bounded.zeroed().collect::<Vec<_>>(), [Dimension::Types, Dimension::Style]);
    }

    #[test]
    fn judges_are_asked_for_the_verdict_first_and_for_no_more_than_is_accepted() {
        let schema = ReviewVerdict::schema();
        let fields: Vec<&str> = schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect();
        assert_eq!(fields, ["verdict", "scores", "explanations", "fix_plan"]);
        assert_eq!(schema["properties"]["fix_plan"]["maxItems"], STEPS_ASKED);
        assert_eq!(schema["$defs"]["Scores"]["properties"]["types"]["enum"][2], 0.1);
        assert_eq!(schema["$defs"]["Explanations"]["properties"]["root_cause"]["maxLength"], EXPLANATION_CHARS_ASKED);
        assert_eq!(schema["$defs"]["FixPlanStep"]["properties"]["brief"]["maxLength"], STEP_CHARS_ASKED);
        let derived: serde_json::Value = schemars::schema_for!(ReviewVerdict).into();
        let types = |schema: &serde_json::Value| schema["$defs"].as_object().expect("types").len();
        assert_eq!(types(&schema), types(&derived), "no other type is added");
        const {
            assert!(EXPLANATION_CHARS_ASKED <= EXPLANATION_CHARS_MAX && STEPS_ASKED <= STEPS_MAX);
            assert!(STEP_CHARS_ASKED <= STEP_CHARS_MAX);
        };
    }
}
