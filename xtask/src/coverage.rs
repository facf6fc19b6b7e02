//! How often the intervals of calibration hold the true figure: `cargo xtask coverage`.
//!
//! A judge and a person are made up with known rates, labels are drawn again and again, and it is counted how often each interval holds
//! what is true. An interval of 95 % should do so in 94 to 96 of a hundred. The numbers are drawn from a seed, so that everybody sees
//! the same table.

use std::collections::HashMap;

use assize_core::calibration::agreement::{ac1, kappa};
use assize_core::calibration::confusion::Confusion;
use assize_core::calibration::interval::{Confidence, Estimate};
use assize_core::calibration::rate::{Sample, human_only, prediction_powered, rogan_gladen};
use fastrand::Rng;

use crate::shell::Result;

/// What is asked of `cargo xtask coverage`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// How often labels are drawn for each row.
    #[arg(long, default_value_t = 4_000)]
    draws: u32,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How many records fail, how the judge errs, and how many records nobody labelled.
struct Setting {
    prevalence: f64,
    sensitivity: f64,
    specificity: f64,
    others: u64,
}

const SETTINGS: [Setting; 6] = [
    Setting { prevalence: 0.365, sensitivity: 0.875, specificity: 0.908, others: 500 },
    Setting { prevalence: 0.80, sensitivity: 0.90, specificity: 0.60, others: 200 },
    Setting { prevalence: 0.20, sensitivity: 0.65, specificity: 0.90, others: 500 },
    Setting { prevalence: 0.50, sensitivity: 0.80, specificity: 0.80, others: 300 },
    Setting { prevalence: 0.10, sensitivity: 0.70, specificity: 0.95, others: 1_000 },
    Setting { prevalence: 0.30, sensitivity: 0.97, specificity: 0.98, others: 2_000 },
];
const LABELS: [u64; 4] = [30, 50, 100, 200];
const ESTIMATORS: [&str; 5] = ["people alone", "PPI++", "Rogan–Gladen", "kappa", "AC1"];

/// Prints the table.
pub fn run(arguments: &Arguments) -> Result {
    println!("{} draws a row, seed {}; in brackets the mean width", arguments.draws, arguments.seed);
    println!(
        "{:32} {:>6}  {}",
        "prevalence, sens., spec., others",
        "labels",
        ESTIMATORS.map(|name| format!("{name:>15}")).join(" ")
    );
    let mut rng = Rng::with_seed(arguments.seed);
    for setting in &SETTINGS {
        for labels in LABELS {
            let cells = row(setting, labels, arguments.draws, &mut rng).map(|cell| format!("{cell:>15}"));
            let Setting { prevalence, sensitivity, specificity, others } = setting;
            let name = format!("{prevalence}, {sensitivity}, {specificity}, {others}");
            println!("{name:32} {labels:>6}  {}", cells.join(" "));
        }
    }
    Ok(())
}

fn row(setting: &Setting, labels: u64, draws: u32, rng: &mut Rng) -> [String; 5] {
    let truth = truth(setting);
    let confidence = Confidence::USUAL;
    let mut held = [(0_u32, 0_u32, 0.0_f64); 5];
    let mut known: HashMap<Confusion, [Option<Estimate>; 2]> = HashMap::new();
    for _ in 0..draws {
        let sample = drawn(setting, labels, rng);
        let counts = sample.labelled;
        let [kappa, ac1] =
            *known.entry(counts).or_insert_with(|| [kappa(&counts, confidence), ac1(&counts, confidence)]);
        let powered = prediction_powered(&sample, confidence).map(|powered| powered.rate);
        let found = [human_only(&sample, confidence), powered, rogan_gladen(&sample, confidence), kappa, ac1];
        for ((count, of, width), (found, truth)) in held.iter_mut().zip(found.into_iter().zip(truth)) {
            if let Some(found) = found {
                *of += 1;
                *count += u32::from(found.holds(truth));
                *width += found.width();
            }
        }
    }
    held.map(|(count, of, width)| {
        let of = f64::from(of.max(1));
        format!("{:.3} ({:.2})", f64::from(count) / of, width / of)
    })
}

/// What each estimator is after.
fn truth(setting: &Setting) -> [f64; 5] {
    let [both_fail, judge_only, person_only, both_pass] = cells(setting);
    let (judge, person) = (both_fail + judge_only, both_fail + person_only);
    let agreed = both_fail + both_pass;
    let beyond = |chance: f64| (agreed - chance) / (1.0 - chance);
    let fails = f64::midpoint(judge, person);
    let rate = setting.prevalence;
    [rate, rate, rate, beyond(judge * person + (1.0 - judge) * (1.0 - person)), beyond(2.0 * fails * (1.0 - fails))]
}

/// The probabilities: both fail, the judge only, the person only, both pass.
fn cells(setting: &Setting) -> [f64; 4] {
    let Setting { prevalence, sensitivity, specificity, .. } = *setting;
    let good = 1.0 - prevalence;
    [prevalence * sensitivity, good * (1.0 - specificity), prevalence * (1.0 - sensitivity), good * specificity]
}

fn drawn(setting: &Setting, labels: u64, rng: &mut Rng) -> Sample {
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
