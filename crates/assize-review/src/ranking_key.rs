//! The rank of a change among others that answer the same specification.
//!
//! A tournament ranks changes by this key, and a fix loop uses it to see whether a round got better. The criteria are
//! compared one after the other, so that a lower criterion never makes up for a higher one. For example, a change that
//! fails a test never wins by its names. The values come from the record of the review court and from the convention
//! score; no model is asked.

use std::cmp::{Ordering, Reverse};

use assize_core::finding::Finding;
use assize_core::ruling::Outcome;
use assize_gate::exec_report::{FailingTest, GateResult, TestsOf};
use assize_gate::gate::{Dimension, GateState};
use serde::{Deserialize, Serialize};

use crate::case::ReviewInputs;
use crate::court::{blocks, dimension_of, vanished_tests};

/// The result of one criterion. An unknown count ranks below zero faults and above one or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// It has this many faults, at least one.
    Faults(u32),
    /// The number of faults is unknown.
    #[default]
    Unknown,
    /// It has none.
    Holds,
}

/// The count for faults that could not be counted: nothing is shown to work.
pub const UNCOUNTED: u32 = u32::MAX;

impl Measure {
    /// Returns what a count of faults amounts to.
    pub fn of(faults: usize) -> Self {
        if faults == 0 { Self::Holds } else { Self::Faults(u32::try_from(faults).unwrap_or(UNCOUNTED)) }
    }

    /// Returns the sum of two counts. What is not known stays so, unless there is a fault.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Faults(one), Self::Faults(two)) => Self::Faults(one.saturating_add(two)),
            (Self::Faults(faults), _) | (_, Self::Faults(faults)) => Self::Faults(faults),
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Holds, Self::Holds) => Self::Holds,
        }
    }

    fn rank(self) -> (u8, Reverse<u32>) {
        match self {
            Self::Faults(faults) => (0, Reverse(faults)),
            Self::Unknown => (1, Reverse(0)),
            Self::Holds => (2, Reverse(0)),
        }
    }
}

impl Ord for Measure {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Names the criteria in the order in which they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// The patch fits the tree.
    Applies,
    /// It compiles, and types agree.
    Builds,
    /// What passed on the base passes still, and no test was tampered with.
    Regressions,
    /// The tests pass that failed or were missing on the base.
    TargetTests,
    /// The tests of edge cases pass.
    EdgeTests,
    /// Security, boundaries and schemas.
    SecurityAndBoundaries,
    /// The review court's outcome.
    Ruling,
    /// Everything else that was objected to, such as style.
    OtherFaults,
    /// How well it fits the project's conventions.
    Convention,
    /// How small the change is.
    Size,
}

impl Criterion {
    /// All of them, in the order in which they count.
    pub const ALL: [Self; 10] = [
        Self::Applies,
        Self::Builds,
        Self::Regressions,
        Self::TargetTests,
        Self::EdgeTests,
        Self::SecurityAndBoundaries,
        Self::Ruling,
        Self::OtherFaults,
        Self::Convention,
        Self::Size,
    ];

    /// Returns the name that is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applies => "applies",
            Self::Builds => "builds",
            Self::Regressions => "no regression",
            Self::TargetTests => "target tests",
            Self::EdgeTests => "edge tests",
            Self::SecurityAndBoundaries => "security, boundaries",
            Self::Ruling => "ruling",
            Self::OtherFaults => "other faults",
            Self::Convention => "convention",
            Self::Size => "size",
        }
    }
}

/// Where a change stands. The greater one is better; criteria are compared from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankingKey {
    /// Whether its patch fits the tree.
    pub applies: Measure,
    /// Faults of compilers and type checkers.
    pub builds: Measure,
    /// Tests that passed on the base and do not now, and findings of tampering with tests.
    pub regressions: Measure,
    /// Other tests that fail, edge cases left out.
    pub target_tests: Measure,
    /// Tests of edge cases that fail and did not pass on the base.
    pub edge_tests: Measure,
    /// Findings of security, boundaries and schemas that block.
    pub security_and_boundaries: Measure,
    /// What the review court arrives at.
    pub ruling: Outcome,
    /// Objections that are none of the above.
    pub other_faults: Measure,
    /// How well it fits the project's conventions, in millionths.
    pub convention: u32,
    /// Lines that the change adds and removes; `None` where they were not counted.
    pub size: Option<u64>,
}

impl RankingKey {
    /// Where a change stands whose patch does not fit, with this many faults.
    pub fn unfit(faults: usize) -> Self {
        Self {
            applies: Measure::of(faults.max(1)),
            builds: Measure::Unknown,
            regressions: Measure::Unknown,
            target_tests: Measure::Unknown,
            edge_tests: Measure::Unknown,
            security_and_boundaries: Measure::Unknown,
            ruling: Outcome::Unjudged,
            other_faults: Measure::Unknown,
            convention: 0,
            size: None,
        }
    }

    /// Reads out of a review where a change stands that fits. `convention` runs from 0 to 1; where there is nothing to
    /// measure, no convention is broken.
    pub fn of(inputs: &ReviewInputs, outcome: Outcome, convention: Option<f64>) -> Self {
        let tests = TestMeasures::of(inputs);
        let found = |wanted: &dyn Fn(&Finding) -> bool| {
            let blocking = inputs.findings.iter().filter(|finding| blocks(finding, &inputs.policy));
            Measure::of(blocking.filter(|finding| wanted(finding)).count())
        };
        let of = |dimensions: &'static [Dimension]| {
            found(&move |finding| dimension_of(&finding.rule).is_some_and(|found| dimensions.contains(&found)))
        };
        let style_and_rest = found(&|finding| matches!(dimension_of(&finding.rule), None | Some(Dimension::Style)));
        let secured = [Dimension::Security, Dimension::Boundaries, Dimension::Schema];
        let lines: usize = inputs.patch_summary.iter().map(|file| file.added + file.removed).sum();
        Self {
            applies: Measure::Holds,
            builds: objections(inputs, &[Dimension::Compilation, Dimension::Types])
                .unwrap_or_default()
                .and(of(&[Dimension::Compilation, Dimension::Types])),
            regressions: tests.regressions.and(of(&[Dimension::TestsFunctional, Dimension::TestsEdge])),
            target_tests: tests.target,
            edge_tests: tests.edge,
            security_and_boundaries: objections(inputs, &secured).unwrap_or(UNASKED).and(of(&[
                Dimension::Security,
                Dimension::Boundaries,
                Dimension::Schema,
            ])),
            ruling: outcome,
            other_faults: objections(inputs, &[Dimension::Style]).unwrap_or(UNASKED).and(style_and_rest),
            convention: convention.map_or(1_000_000, millionths),
            size: Some(lines as u64),
        }
    }

    /// Returns the first criterion in which two differ; `None` where they stand alike.
    pub fn differs(&self, other: &Self) -> Option<Criterion> {
        Criterion::ALL.into_iter().find(|criterion| self.against(other, *criterion).is_ne())
    }

    /// Returns the best that a change can still come to of which only a part is known: what is not known may hold.
    #[must_use]
    pub fn at_best(&self) -> Self {
        let hoped = |measure: Measure| if matches!(measure, Measure::Faults(_)) { measure } else { Measure::Holds };
        let blamed = [
            self.builds,
            self.regressions,
            self.target_tests,
            self.edge_tests,
            self.security_and_boundaries,
            self.other_faults,
        ];
        let faultless = blamed.iter().all(|measure| !matches!(measure, Measure::Faults(_)));
        Self {
            applies: hoped(self.applies),
            builds: hoped(self.builds),
            regressions: hoped(self.regressions),
            target_tests: hoped(self.target_tests),
            edge_tests: hoped(self.edge_tests),
            security_and_boundaries: hoped(self.security_and_boundaries),
            ruling: if faultless { Outcome::Accept } else { self.ruling.max(Outcome::Revise) },
            other_faults: hoped(self.other_faults),
            convention: 1_000_000,
            size: Some(0),
        }
    }

    /// Returns what is known of a criterion that counts faults; `None` for the others.
    pub fn measure(&self, criterion: Criterion) -> Option<Measure> {
        Some(match criterion {
            Criterion::Applies => self.applies,
            Criterion::Builds => self.builds,
            Criterion::Regressions => self.regressions,
            Criterion::TargetTests => self.target_tests,
            Criterion::EdgeTests => self.edge_tests,
            Criterion::SecurityAndBoundaries => self.security_and_boundaries,
            Criterion::OtherFaults => self.other_faults,
            Criterion::Ruling | Criterion::Convention | Criterion::Size => return None,
        })
    }

    fn against(&self, other: &Self, criterion: Criterion) -> Ordering {
        match criterion {
            Criterion::Ruling => self.ruling.cmp(&other.ruling),
            Criterion::Convention => self.convention.cmp(&other.convention),
            Criterion::Size => other.size.unwrap_or(u64::MAX).cmp(&self.size.unwrap_or(u64::MAX)),
            counted => self.measure(counted).cmp(&other.measure(counted)),
        }
    }

    /// Returns in what a state is a step forward from another; `None` where it is none. Taste and size are no step, nor is
    /// that a judge did not answer this time. A state without a ruling is better where fewer faults are left: a missing tool
    /// does not hide them.
    pub fn improves_on(&self, best: &Self) -> Option<Criterion> {
        match self.differs(best)? {
            Criterion::Convention | Criterion::Size => None,
            Criterion::Ruling if self.ruling == Outcome::Unjudged => {
                (self.other_faults > best.other_faults).then_some(Criterion::OtherFaults)
            }
            criterion => (self > best).then_some(criterion),
        }
    }

    /// Returns whether two stand alike in everything that evidence decides: only taste can tell them apart.
    pub fn ties_with(&self, other: &Self) -> bool {
        self.differs(other).is_none_or(|criterion| criterion >= Criterion::Convention)
    }
}

impl Ord for RankingKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.differs(other).map_or(Ordering::Equal, |criterion| self.against(other, criterion))
    }
}

impl PartialOrd for RankingKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The measure of a criterion that no gate looks at. It favours no change, and a project without linters is no worse
/// for it. A gate that came to no result is a different case.
const UNASKED: Measure = Measure::Holds;

fn millionths(share: f64) -> u32 {
    // A share of at most 1 fits.
    (share.clamp(0.0, 1.0) * 1e6).round() as u32
}

/// Counts the objections of gates that concern one of these dimensions and run no tests; `None` where no gate looks at
/// them.
fn objections(inputs: &ReviewInputs, dimensions: &[Dimension]) -> Option<Measure> {
    let concerned = inputs.exec.used().filter(|gate| {
        !gate.is_test_runner() && gate.dimensions.iter().any(|dimension| dimensions.contains(dimension))
    });
    let looked = dimensions.iter().any(|dimension| inputs.looked_at.contains(dimension));
    let first = if looked { Some(Measure::Holds) } else { None };
    let measures = concerned.map(objections_of);
    first.into_iter().chain(measures).reduce(Measure::and)
}

fn objections_of(gate: &GateResult) -> Measure {
    match gate.state {
        GateState::Passed => Measure::Holds,
        GateState::Failed => Measure::of((gate.new.len() + gate.new_left_out).max(1)),
        GateState::Errored => Measure::Faults(UNCOUNTED),
        GateState::NotReady | GateState::Absent => Measure::Unknown,
    }
}

/// What the tests say.
struct TestMeasures {
    regressions: Measure,
    target: Measure,
    edge: Measure,
}

impl TestMeasures {
    fn of(inputs: &ReviewInputs) -> Self {
        let unknown = Self { regressions: Measure::Unknown, target: Measure::Unknown, edge: Measure::Unknown };
        let runners = inputs.exec.used().filter(|gate| gate.is_test_runner()).map(Self::of_runner);
        let all = runners.reduce(|one, other| Self {
            regressions: one.regressions.and(other.regressions),
            target: one.target.and(other.target),
            edge: one.edge.and(other.edge),
        });
        let mut tests = all.unwrap_or(unknown);
        let gone = vanished_tests(inputs).count();
        if gone > 0 {
            tests.regressions = tests.regressions.and(Measure::of(gone));
        }
        tests
    }

    fn of_runner(gate: &GateResult) -> Self {
        let all = |measure| Self { regressions: measure, target: measure, edge: measure };
        let Some(tests) = &gate.tests else {
            return all(match gate.state {
                GateState::Passed => Measure::Holds,
                GateState::Failed => Measure::Faults(UNCOUNTED),
                GateState::Errored => Measure::Faults(UNCOUNTED),
                GateState::NotReady | GateState::Absent => Measure::Unknown,
            });
        };
        // What a runner counted before it came to grief proves nothing.
        match gate.state {
            GateState::Errored => return all(Measure::Faults(UNCOUNTED)),
            GateState::NotReady => return all(Measure::Unknown),
            GateState::Passed | GateState::Failed | GateState::Absent => {}
        }
        let count = |wanted: &dyn Fn(&FailingTest) -> bool| tests.failing.iter().filter(|test| wanted(test)).count();
        let broke = |test: &FailingTest| test.passed_before && gate.tests_of == TestsOf::Base;
        // Failing tests beyond those that are named, and objections without a test, count as targets.
        let unnamed = tests.failed.saturating_sub(tests.failing.len());
        let beside = if tests.failed == 0 && gate.state == GateState::Failed { gate.new.len().max(1) } else { 0 };
        Self {
            regressions: Measure::of(count(&broke)),
            target: Measure::of(count(&|test| !broke(test) && !test.edge) + unnamed + beside),
            edge: Measure::of(count(&|test| !broke(test) && test.edge)),
        }
    }
}

#[cfg(test)]
mod tests;
