//! How often the intervals of calibration hold the true figure: `cargo xtask coverage`.
//!
//! A judge and a person are made up with known rates, labels are drawn again and again, and it is counted how often each interval holds
//! what is true. An interval of 95 % should do so in 94 to 96 of a hundred. The numbers are drawn from a seed, so that everybody sees
//! the same table.

use std::collections::HashMap;

use assize_eval::calibration::agreement::{ac1, kappa};
use assize_eval::calibration::confusion::Confusion;
use assize_eval::calibration::interval::{Confidence, Estimate};
use assize_eval::calibration::rate::{Sample, human_only, prediction_powered};
use assize_eval::judge_evaluation::calibrate::{LABELS_FOR_AGREEMENT_MIN, LABELS_OF_PEOPLE_MIN, both_hold};
use fastrand::Rng;

use crate::shell::Result;

/// What is asked of `cargo xtask coverage`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// How often labels are drawn for each row.
    #[arg(long, default_value_t = 100_000)]
    draws: u32,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is right for an interval of 95 %.
const RIGHT: std::ops::RangeInclusive<f64> = 0.94..=0.96;
/// Fewest draws by which a row is judged: of fewer the share says little.
const COUNTED_MIN: u32 = 1_000;

/// How many records fail, how the judge errs, and how many records no person labelled.
struct CoverageSetting {
    prevalence: f64,
    sensitivity: f64,
    specificity: f64,
    others: u64,
}

const SETTINGS: [CoverageSetting; 6] = [
    CoverageSetting { prevalence: 0.365, sensitivity: 0.875, specificity: 0.908, others: 500 },
    CoverageSetting { prevalence: 0.80, sensitivity: 0.90, specificity: 0.60, others: 200 },
    CoverageSetting { prevalence: 0.20, sensitivity: 0.65, specificity: 0.90, others: 500 },
    CoverageSetting { prevalence: 0.50, sensitivity: 0.80, specificity: 0.80, others: 300 },
    CoverageSetting { prevalence: 0.10, sensitivity: 0.70, specificity: 0.95, others: 1_000 },
    CoverageSetting { prevalence: 0.30, sensitivity: 0.97, specificity: 0.98, others: 2_000 },
];
const LABELS: [u64; 4] = [30, 50, 100, 200];
const ESTIMATORS: [&str; 5] = ["people alone", "PPI++", "Rogan–Gladen", "kappa", "AC1"];

/// Prints the table.
pub fn run(arguments: &Arguments) -> Result {
    println!(
        "{} draws a row, seed {}; in brackets the mean width, and in how many of a hundred draws the figure is recommended.\n\
         What is counted are the draws in which it is; `!` marks what does not lie within {} to {}.",
        arguments.draws,
        arguments.seed,
        RIGHT.start(),
        RIGHT.end()
    );
    println!(
        "{:32} {:>6}  {}",
        "prevalence, sens., spec., others",
        "labels",
        ESTIMATORS.map(|name| format!("{name:>19}")).join(" ")
    );
    let mut rng = Rng::with_seed(arguments.seed);
    let (mut right, mut judged) = (0, 0);
    for setting in &SETTINGS {
        for labels in LABELS {
            let counted = row(setting, labels, arguments.draws, &mut rng);
            let cells = counted.map(|counted| format!("{:>19}", counted.cell(arguments.draws)));
            for counted in counted.iter().filter(|counted| counted.of >= COUNTED_MIN) {
                judged += 1;
                right += u32::from(RIGHT.contains(&counted.share()));
            }
            let CoverageSetting { prevalence, sensitivity, specificity, others } = setting;
            let name = format!("{prevalence}, {sensitivity}, {specificity}, {others}");
            println!("{name:32} {labels:>6}  {}", cells.join(" "));
        }
    }
    println!("{right} of {judged} figures that are recommended hold what they promise");
    Ok(())
}

/// How often an interval held what is true, among the draws in which it is recommended.
#[derive(Debug, Clone, Copy, Default)]
struct CoverageCount {
    held: u32,
    of: u32,
    width: f64,
}

impl CoverageCount {
    fn add(&mut self, found: Option<Estimate>, truth: f64) {
        let Some(found) = found else { return };
        self.of += 1;
        self.held += u32::from(found.holds(truth));
        self.width += found.width();
    }

    fn share(&self) -> f64 {
        f64::from(self.held) / f64::from(self.of.max(1))
    }

    fn cell(&self, draws: u32) -> String {
        let recommended = f64::from(self.of) / f64::from(draws) * 100.0;
        if self.of < COUNTED_MIN {
            return format!("- ({recommended:.0})");
        }
        let mark = if RIGHT.contains(&self.share()) { "" } else { "!" };
        format!("{mark}{:.3} ({:.2}, {recommended:.0})", self.share(), self.width / f64::from(self.of))
    }
}

fn row(setting: &CoverageSetting, labels: u64, draws: u32, rng: &mut Rng) -> [CoverageCount; 5] {
    let truth = truth(setting);
    let confidence = Confidence::USUAL;
    let mut counted = [CoverageCount::default(); 5];
    let mut known: HashMap<Confusion, [Option<Estimate>; 2]> = HashMap::new();
    for _ in 0..draws {
        let sample = drawn(setting, labels, rng);
        let counts = sample.labelled;
        let [kappa, ac1] =
            *known.entry(counts).or_insert_with(|| [kappa(&counts, confidence), ac1(&counts, confidence)]);
        let errors = counts.judge_only + counts.person_only;
        let found = [
            human_only(&sample, confidence).filter(|_| labels >= LABELS_OF_PEOPLE_MIN),
            prediction_powered(&sample, confidence).filter(|_| both_hold(labels, errors)).map(|powered| powered.rate),
            // It covers more than it promises, and is never recommended.
            None,
            kappa.filter(|_| labels >= LABELS_FOR_AGREEMENT_MIN),
            ac1.filter(|_| labels >= LABELS_FOR_AGREEMENT_MIN),
        ];
        counted
            .iter_mut()
            .zip(found.into_iter().zip(truth))
            .for_each(|(counted, (found, truth))| counted.add(found, truth));
    }
    counted
}

/// What each estimator is after.
fn truth(setting: &CoverageSetting) -> [f64; 5] {
    let [both_fail, judge_only, person_only, both_pass] = cells(setting);
    let (judge, person) = (both_fail + judge_only, both_fail + person_only);
    let agreed = both_fail + both_pass;
    let beyond = |chance: f64| (agreed - chance) / (1.0 - chance);
    let fails = f64::midpoint(judge, person);
    let rate = setting.prevalence;
    [rate, rate, rate, beyond(judge * person + (1.0 - judge) * (1.0 - person)), beyond(2.0 * fails * (1.0 - fails))]
}

/// The probabilities: both fail, the judge only, the person only, both pass.
fn cells(setting: &CoverageSetting) -> [f64; 4] {
    let CoverageSetting { prevalence, sensitivity, specificity, .. } = *setting;
    let good = 1.0 - prevalence;
    [prevalence * sensitivity, good * (1.0 - specificity), prevalence * (1.0 - sensitivity), good * specificity]
}

fn drawn(setting: &CoverageSetting, labels: u64, rng: &mut Rng) -> Sample {
    let [both_fail, judge_only, person_only, _] = cells(setting);
    let mut labelled = Confusion::default();
    for _ in 0..labels {
        let at = rng.f64();
        let cell = if at < both_fail {
            &mut labelled.both_fail
        } else if at < both_fail + judge_only {
            &mut labelled.judge_only
        } else if at < both_fail + judge_only + person_only {
            &mut labelled.person_only
        } else {
            &mut labelled.both_pass
        };
        *cell += 1;
    }
    let others_failed = (0..setting.others).filter(|_| rng.f64() < both_fail + judge_only).count() as u64;
    Sample { labelled, others_failed, others: setting.others }
}
