//! A review as SARIF 2.1.0 (OASIS, 2020), for code scanning.
//!
//! The few objects that are needed are written out here: the crates for SARIF make all of its
//! hundred types from the schema at build time.

use assize_core::court::review::ReviewRecord;
use assize_core::finding::Severity;
use assize_core::text::make_visible;
use serde_json::{Value, json};

use super::review::category;

/// Makes the SARIF log of a review.
pub fn log(record: &ReviewRecord) -> Value {
    let mut results = Vec::new();
    for gate in &record.inputs.exec.gates {
        for found in &gate.new {
            let rule = format!("{}/{}", gate.id, found.code);
            results.push(result(&rule, found.severity, &found.message, found.path.as_deref(), found.line));
        }
        for test in gate.tests.iter().flat_map(|tests| &tests.failing) {
            let message = test.message.as_deref().unwrap_or("the test failed");
            let rule = format!("{}/failed-test", gate.id);
            results.push(result(
                &rule,
                Severity::Error,
                &format!("{}: {message}", test.id),
                test.path.as_deref(),
                None,
            ));
        }
    }
    for finding in &record.inputs.findings {
        let rule = format!("{}/{}", category(finding), finding.rule);
        results.push(result(&rule, finding.severity, &finding.message, finding.path.as_deref(), finding.line));
    }
    let mut ids: Vec<&str> = results.iter().filter_map(|result: &Value| result["ruleId"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids.into_iter().map(|id| json!({"id": id})).collect();
    let came_to_no_result: Vec<Value> = record
        .inputs
        .exec
        .gates
        .iter()
        .filter_map(|gate| {
            let trouble = gate.trouble.as_ref()?;
            let text = format!("{}: {}", gate.name(), visible(&trouble.detail));
            Some(json!({"level": "error", "message": {"text": text}}))
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "assize",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": record.ruling.unjudged.is_none(),
                "toolExecutionNotifications": came_to_no_result,
            }],
            "results": results,
            "properties": {"outcome": record.ruling.outcome},
        }],
    })
}

fn visible(text: &str) -> String {
    make_visible(text).into_owned()
}

fn result(rule: &str, severity: Severity, message: &str, path: Option<&str>, line: Option<u32>) -> Value {
    let level = match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut result = json!({"ruleId": rule, "level": level, "message": {"text": visible(message)}});
    if let Some(path) = path {
        let mut place = json!({"artifactLocation": {"uri": uri(path), "uriBaseId": "%SRCROOT%"}});
        if let Some(line) = line.filter(|line| *line > 0) {
            place["region"] = json!({"startLine": line});
        }
        result["locations"] = json!([{"physicalLocation": place}]);
    }
    result
}

/// Writes a path as a relative URI reference (RFC 3986, section 4.2).
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::review::tests::record;

    #[test]
    fn every_fault_is_a_result_with_its_place() {
        let log = log(&record());
        let results = log["runs"][0]["results"].as_array().expect("results");
        let rules: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
        assert_eq!(rules, ["pytest/failed-test", "ruff-check/F401", "security/secret"]);
        assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
        assert_eq!(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a%7Cb.py");
        assert_eq!(log["runs"][0]["properties"]["outcome"], "revise");
    }
}
