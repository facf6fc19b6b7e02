//! What DeepEval keeps of a test run, and what its `evaluate` returns (seen with 4.3).
//!
//! A metric that could not be computed counts as failed there; only its error tells. GEval puts its own name behind that of a metric.

use serde_json::Value;

use super::{ImportedCase, ImportedScore, name, named, text};

/// What GEval puts behind a metric's name.
const SUFFIX: &str = " [GEval]";

/// Reads the test cases; `None` where it is no such file.
pub(super) fn cases(document: &Value, id: &str) -> Option<Result<Vec<ImportedCase>, String>> {
    let places = [&document["testCases"], &document["testRunData"]["testCases"], &document["test_results"]];
    let cases = places.into_iter().find_map(Value::as_array)?;
    Some(cases.iter().enumerate().map(|(at, of)| case(of, at + 1, id)).collect())
}

/// A field under either of the names that the two forms have for it.
fn either<'a>(value: &'a Value, camel: &str, snake: &str) -> &'a Value {
    value.get(camel).unwrap_or(&value[snake])
}

fn case(case: &Value, place: usize, id: &str) -> Result<ImportedCase, String> {
    let places = [&case["metadata"][id], &case["name"]];
    let metrics = either(case, "metricsData", "metrics_data").as_array().into_iter().flatten();
    let judge = |metric: &Value| either(metric, "evaluationModel", "evaluation_model").as_str().map(str::to_owned);
    Ok(ImportedCase {
        id: named(places.into_iter().find_map(name), place, id)?,
        judge: metrics.clone().find_map(judge).unwrap_or_else(|| "deepeval".to_owned()),
        said: metrics.map(said).collect(),
        error: None,
    })
}

fn said(metric: &Value) -> ImportedScore {
    let name = text(&metric["name"]);
    let passes = match (metric["error"].as_str(), metric["success"].as_bool()) {
        (Some(error), _) => Err(error.to_owned()),
        (None, Some(passes)) => Ok(passes),
        (None, None) => Err("it says neither success nor failure".to_owned()),
    };
    ImportedScore {
        name: name.strip_suffix(SUFFIX).unwrap_or(&name).to_owned(),
        passes,
        reason: text(&metric["reason"]),
        score: metric["score"].as_f64(),
    }
}
