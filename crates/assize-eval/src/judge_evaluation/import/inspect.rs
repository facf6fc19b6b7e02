//! What Inspect logs as JSON (`--log-format json`, or `inspect log dump` of a log of its own form; seen with 0.3, version 2).
//!
//! A scorer has a value and no word for pass or fail: `C` and `I` stand for correct and incorrect, as 1 and 0 and true and false do. Anything between
//! them says neither.

use serde_json::Value;

use super::{ImportedCase, ImportedScore, name, named, text};

/// Reads the samples; `None` where it is no such file.
pub(super) fn cases(document: &Value, id: &str) -> Option<Result<Vec<ImportedCase>, String>> {
    let samples = document["samples"].as_array().filter(|_| document["eval"].is_object())?;
    let judge = document["eval"]["model"].as_str().unwrap_or("inspect");
    Some(samples.iter().enumerate().map(|(at, sample)| case(sample, judge, at + 1, id)).collect())
}

fn case(sample: &Value, judge: &str, place: usize, id: &str) -> Result<ImportedCase, String> {
    let places = [&sample["metadata"][id], &sample["id"]];
    let scores = sample["scores"].as_object().into_iter().flatten();
    let failed = sample["error"]["message"].as_str();
    Ok(ImportedCase {
        id: named(places.into_iter().find_map(name), place, id)?,
        judge: judge.to_owned(),
        said: scores.map(|(name, score)| said(name, score)).collect(),
        error: failed.map(|failed| error_of_model(sample).unwrap_or(failed).to_owned()),
    })
}

/// What the model's call said of its failure: the sample itself repeats only that it was given up.
fn error_of_model(sample: &Value) -> Option<&str> {
    let events = sample["events"].as_array()?;
    events.iter().rev().filter(|event| event["event"] == "model").find_map(|event| event["error"].as_str())
}

fn said(name: &str, score: &Value) -> ImportedScore {
    let value = &score["value"];
    let passes = match (value.as_str(), value.as_f64(), value.as_bool()) {
        (Some("C"), ..) | (.., Some(true)) => Ok(true),
        (Some("I"), ..) | (.., Some(false)) => Ok(false),
        (_, Some(1.0), _) => Ok(true),
        (_, Some(0.0), _) => Ok(false),
        _ => Err(format!("its value {value} says neither pass nor fail")),
    };
    ImportedScore { name: name.to_owned(), passes, reason: text(&score["explanation"]), score: value.as_f64() }
}
