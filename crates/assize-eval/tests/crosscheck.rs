//! Every figure of a calibration against what other programs make of the same counts: what decides whether a judge is
//! believed must not be right by our own account alone.
//!
//! `data/crosscheck.json` holds the cases and what scikit-learn, irrCAC, statsmodels, scipy and ppi_py say of them.
//! Where no program has the formula, it was written once more, apart from ours. `made_with` names their versions. `null`
//! stands for a figure that is undefined: it has to be undefined here as well.

use std::fmt::Debug;

use assize_eval::calibration::agreement::{ac1, kappa};
use assize_eval::calibration::confusion::Confusion;
use assize_eval::calibration::interval::{Confidence, Estimate, share};
use assize_eval::calibration::paired::{holm, mcnemar_mid_p};
use assize_eval::calibration::rate::{Powered, Sample, prediction_powered, rogan_gladen};
use assize_eval::calibration::unpaired::{TwoGroups, fisher};
use assize_eval::judge_evaluation::calibrate::try_judge;
use assize_eval::judge_evaluation::rated_record::RatedRecord;
use assize_eval::rubric::Trust;
use serde::Deserialize;

/// How far two programs may be apart.
const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
struct Crosscheck {
    cases: CrosscheckCases,
}

#[derive(Deserialize)]
struct CrosscheckCases {
    shares: Vec<ShareCase>,
    errors: Vec<ErrorsCase>,
    kappa: Vec<AgreementCase>,
    kappa_near_minus_one: Vec<AgreementCase>,
    ac1: Vec<AgreementCase>,
    mcnemar: Vec<McNemarCase>,
    holm: Vec<HolmCase>,
    fisher: Vec<FisherCase>,
    rogan_gladen: Vec<RateCase>,
    prediction_powered: Vec<PoweredCase>,
}

#[derive(Debug, Deserialize)]
struct ShareCase {
    hits: u64,
    of: u64,
    confidence: Confidence,
    expected: Option<Estimate>,
}

#[derive(Debug, Deserialize)]
struct ErrorsCase {
    counts: Confusion,
    sensitivity: Option<f64>,
    specificity: Option<f64>,
    agreement: Option<f64>,
    constant_guess: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct AgreementCase {
    counts: Confusion,
    confidence: Confidence,
    expected: Option<Estimate>,
}

#[derive(Debug, Deserialize)]
struct McNemarCase {
    only_first: u64,
    only_second: u64,
    expected: f64,
}

#[derive(Debug, Deserialize)]
struct HolmCase {
    tests: Vec<Option<f64>>,
    expected: Vec<Option<f64>>,
}

#[derive(Debug, Deserialize)]
struct FisherCase {
    first: [u64; 2],
    second: [u64; 2],
    expected: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct RateCase {
    sample: Sample,
    confidence: Confidence,
    expected: Option<Estimate>,
}

#[derive(Debug, Deserialize)]
struct PoweredCase {
    sample: Sample,
    confidence: Confidence,
    expected: Option<Powered>,
    /// The weight that ppi_py takes by itself.
    ppi_weight: Option<f64>,
}

/// Figures of one case by their names: ours and theirs.
type Figures = Vec<(&'static str, Option<f64>, Option<f64>)>;

fn cases() -> CrosscheckCases {
    let all: Crosscheck =
        serde_json::from_str(include_str!("data/crosscheck.json")).expect("the cases are of the shape of this test");
    all.cases
}

fn agree(ours: Option<f64>, theirs: Option<f64>) -> bool {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= TOLERANCE,
        (ours, theirs) => ours.is_none() && theirs.is_none(),
    }
}

fn compare<Case: Debug>(cases: &[Case], figures: impl Fn(&Case) -> Figures) {
    let mut wrong = Vec::new();
    for case in cases {
        for (figure, ours, theirs) in figures(case) {
            if !agree(ours, theirs) {
                wrong.push(format!("{figure} is {ours:?}, and not {theirs:?}, of {case:?}"));
            }
        }
    }
    assert!(!cases.is_empty(), "there is nothing to compare");
    assert!(wrong.is_empty(), "{} figures differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn of_estimates(ours: Option<Estimate>, theirs: Option<Estimate>) -> Figures {
    vec![
        ("value", ours.map(|one| one.value), theirs.map(|one| one.value)),
        ("low", ours.map(|one| one.low), theirs.map(|one| one.low)),
        ("high", ours.map(|one| one.high), theirs.map(|one| one.high)),
    ]
}

/// An interval that is not centred on its figure may leave it out; ours are then drawn out to it.
fn drawn_out(Estimate { value, low, high }: Estimate) -> Estimate {
    Estimate { value, low: low.min(value), high: high.max(value) }
}

#[test]
fn shares_are_those_of_statsmodels() {
    compare(&cases().shares, |case| of_estimates(share(case.hits, case.of, case.confidence), case.expected));
}

/// Records that give these counts in one mode.
fn seen(counts: &Confusion) -> Vec<RatedRecord> {
    let pairs = [
        (counts.both_fail, true, true),
        (counts.judge_only, true, false),
        (counts.person_only, false, true),
        (counts.both_pass, false, false),
    ];
    let records = |(count, judge, person): (u64, bool, bool)| {
        (0..count).map(move |_| RatedRecord {
            judge: vec![Some(judge)],
            person: vec![Some(person)],
            strata: Vec::new(),
        })
    };
    pairs.into_iter().flat_map(records).collect()
}

#[test]
fn errors_of_a_judge_are_those_of_scikit_learn() {
    compare(&cases().errors, |case| {
        let evaluation = try_judge(&["mode"], &[], &seen(&case.counts), &Trust::default());
        let part = evaluation.modes.first().expect("one mode was tried");
        let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
        vec![
            ("sensitivity", value(part.sensitivity), case.sensitivity),
            ("specificity", value(part.specificity), case.specificity),
            ("agreement", value(part.agreement), case.agreement),
            ("constant guess", part.constant_guess, case.constant_guess),
        ]
    });
}

#[test]
fn kappa_is_that_of_scikit_learn_with_the_interval_of_another_search() {
    compare(&cases().kappa, |case| of_estimates(kappa(&case.counts, case.confidence), case.expected));
}

#[test]
fn kappa_of_raters_who_nearly_always_differ_has_all_of_its_interval() {
    compare(&cases().kappa_near_minus_one, |case| of_estimates(kappa(&case.counts, case.confidence), case.expected));
}

#[test]
fn ac1_is_that_of_irrcac_with_the_interval_of_another_search() {
    compare(&cases().ac1, |case| of_estimates(ac1(&case.counts, case.confidence), case.expected));
}

#[test]
fn the_mid_p_of_mcnemar_is_that_of_scipy() {
    compare(&cases().mcnemar, |case| {
        vec![("mid-p", Some(mcnemar_mid_p(case.only_first, case.only_second)), Some(case.expected))]
    });
}

#[test]
fn tests_are_adjusted_as_by_statsmodels() {
    compare(&cases().holm, |case| {
        let ours = holm(&case.tests);
        assert_eq!(ours.len(), case.expected.len(), "each test stays in its place: {case:?}");
        ours.into_iter().zip(&case.expected).map(|(ours, theirs)| ("adjusted", ours, *theirs)).collect()
    });
}

#[test]
fn the_test_of_fisher_is_that_of_scipy() {
    compare(&cases().fisher, |case| {
        vec![("p", fisher(TwoGroups { first: case.first, second: case.second }), case.expected)]
    });
}

#[test]
fn rates_with_errors_taken_back_are_those_of_the_papers() {
    compare(&cases().rogan_gladen, |case| {
        of_estimates(rogan_gladen(&case.sample, case.confidence), case.expected.map(drawn_out))
    });
}

#[test]
fn rates_by_both_together_are_those_of_ppi_py() {
    compare(&cases().prediction_powered, |case| {
        let (ours, theirs) = (prediction_powered(&case.sample, case.confidence), case.expected);
        let mut figures = of_estimates(ours.map(|one| one.rate), theirs.map(|one| drawn_out(one.rate)));
        let labels = |powered: Option<Powered>| powered.map(|powered| powered.effective_labels);
        figures.push(("effective labels", labels(ours), labels(theirs)));
        figures.push(("weight", ours.map(|one| one.weight), theirs.map(|one| one.weight)));
        let of_ppi = ours.and_then(|one| as_in_ppi_py(&case.sample, one.weight));
        figures.push(("weight as in ppi_py", of_ppi, case.ppi_weight));
        figures
    });
}

/// The weight as ppi_py takes it: it measures how the judge's labels vary over all records, not over the labelled ones,
/// and cuts what lies below 0 or above 1. `None` where the judge says the same of all records, or where there are no
/// others.
fn as_in_ppi_py(sample: &Sample, weight: f64) -> Option<f64> {
    let (labelled, failed) = (sample.labelled.total() as f64, sample.labelled.judge_fails() as f64);
    let (all, failed_of_all) = (labelled + sample.others as f64, failed + sample.others_failed as f64);
    let spread = |hits: f64, of: f64| hits / of * (1.0 - hits / of);
    let of_all = spread(failed_of_all, all) * all / (all - 1.0);
    (sample.others > 0 && of_all > 0.0).then(|| (weight * spread(failed, labelled) / of_all).clamp(0.0, 1.0))
}
