//! What `promptfoo eval --output results.json` writes (seen with 0.123).
//!
//! A failed call of the grader looks like a failed assertion; only a mark in the component's metadata tells. An `assert-set` names its members twice, of
//! which those without an assertion are passed over. The results stand in the order in which they were done.

use serde_json::Value;

use super::{ImportedCase, ImportedScore, name, named, text};

/// Failure reasons of a result: the call of the target failed.
const TARGET_FAILED: u64 = 2;

/// Reads the results; `None` where it is no such file.
pub(super) fn cases(document: &Value, id: &str) -> Option<Result<Vec<ImportedCase>, String>> {
    let results = document["results"]["results"].as_array()?;
    let mut ordered: Vec<&Value> = results.iter().collect();
    ordered.sort_by_key(|result| result["testIdx"].as_u64());
    Some(ordered.iter().enumerate().map(|(at, result)| case(result, at + 1, id)).collect())
}

fn case(result: &Value, place: usize, id: &str) -> Result<ImportedCase, String> {
    let places = [&result["vars"][id], &result["testCase"]["metadata"][id], &result["metadata"][id]];
    let failed = result["failureReason"].as_u64() == Some(TARGET_FAILED);
    let components = result["gradingResult"]["componentResults"].as_array().into_iter().flatten();
    Ok(ImportedCase {
        id: named(places.into_iter().find_map(name), place, id)?,
        judge: "promptfoo".to_owned(),
        said: components.filter(|component| component["assertion"].is_object()).map(said).collect(),
        error: failed.then(|| text(&result["error"])),
    })
}

fn said(component: &Value) -> ImportedScore {
    let reason = text(&component["reason"]);
    let is_error = component["metadata"]["graderError"] == true;
    let passes = match component["pass"].as_bool() {
        _ if is_error => Err(reason.clone()),
        Some(passes) => Ok(passes),
        None => Err("it says neither pass nor fail".to_owned()),
    };
    ImportedScore { name: text(&component["assertion"]["metric"]), passes, reason, score: component["score"].as_f64() }
}
