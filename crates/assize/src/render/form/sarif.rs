//! A review as SARIF 2.1.0 (OASIS, 2020), for code scanning.
//!
//! The few objects that are needed are written out here: the crates for SARIF make all of its
//! hundred types from the schema at build time.

use assize_core::finding::Severity;
use assize_gate::exec_report::TestSummary;
use assize_review::court::{ReviewRecord, blocks};
use serde_json::{Value, json};

use super::Form;
use crate::exit::Failure;
use crate::pages::about;
use crate::render::review::category;
use crate::render::visible;

/// SARIF 2.1.0.
pub struct Sarif;

impl Form for Sarif {
    fn id(&self) -> &'static str {
        "sarif"
    }

    fn write(&self, record: &ReviewRecord) -> Result<String, Failure> {
        Ok(format!("{:#}\n", log(record)))
    }
}

/// Makes the SARIF log of a review.
fn log(record: &ReviewRecord) -> Value {
    let mut results = Vec::new();
    for gate in &record.inputs.exec.gates {
        for found in &gate.new {
            let rule = format!("{}/{}", gate.id, found.code);
            results.push(result(&rule, found.severity, &found.message, found.path.as_deref(), found.line));
        }
        for test in gate.tests.iter().flat_map(TestSummary::held) {
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
        // An error is what keeps the change from being accepted.
        let is_heavy = finding.severity == Severity::Error && !blocks(finding, &record.inputs.policy);
        let severity = if is_heavy { Severity::Warning } else { finding.severity };
        results.push(result(&rule, severity, &finding.message, finding.path.as_deref(), finding.line));
    }
    let mut ids: Vec<&str> = results.iter().filter_map(|result: &Value| result["ruleId"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids.into_iter().map(rule).collect();
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

/// Describes a rule by its page: the sentence that sums it up, and the whole of it as help.
fn rule(id: &str) -> Value {
    let Some(page) = about(id).into_iter().next() else { return json!({"id": id}) };
    let summary = page.summary();
    json!({
        "id": id,
        "shortDescription": {"text": summary},
        "help": {"text": format!("{summary} `assize explain {id}` says more."), "markdown": page.text},
    })
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
        let help = log["runs"][0]["tool"]["driver"]["rules"][2]["help"]["markdown"].as_str();
        assert!(help.is_some_and(|help| help.starts_with("# `secret`")), "{help:?}");
    }

    /// What SARIF 2.1.0 says of the objects that are written here, and no field more.
    fn essentials() -> Value {
        let text = json!({"type": "object", "required": ["text"], "additionalProperties": false,
            "properties": {"text": {"type": "string", "minLength": 1}}});
        let level = json!({"enum": ["none", "note", "warning", "error"]});
        // No colon: nothing in it is taken for a scheme.
        let uri = json!({"type": "string", "pattern": "^(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+$"});
        let place = json!({"type": "object", "required": ["artifactLocation"], "additionalProperties": false,
        "properties": {
            "artifactLocation": {"type": "object", "required": ["uri"], "additionalProperties": false,
                "properties": {"uri": uri, "uriBaseId": {"const": "%SRCROOT%"}}},
            "region": {"type": "object", "additionalProperties": false, "required": ["startLine"],
                "properties": {"startLine": {"type": "integer", "minimum": 1}}},
        }});
        let result = json!({"type": "object", "required": ["message", "ruleId"], "additionalProperties": false,
            "properties": {"ruleId": {"type": "string"}, "level": level, "message": text,
                "locations": {"type": "array", "items": {"type": "object", "required": ["physicalLocation"],
                    "additionalProperties": false, "properties": {"physicalLocation": place}}}}});
        let driver = json!({"type": "object", "required": ["name"], "additionalProperties": false,
            "properties": {"name": {"type": "string"}, "version": {"type": "string"},
                "rules": {"type": "array", "uniqueItems": true, "items": {"type": "object", "required": ["id"],
                    "additionalProperties": false, "properties": {"id": {"type": "string"}, "shortDescription": text,
                        "help": {"type": "object", "required": ["text"], "additionalProperties": false,
                            "properties": {"text": {"type": "string", "minLength": 1}, "markdown": {"type": "string"}}}}}}}});
        let notification = json!({"type": "object", "required": ["message"], "additionalProperties": false,
            "properties": {"level": level, "message": text}});
        let invocation = json!({"type": "object", "required": ["executionSuccessful"], "additionalProperties": false,
            "properties": {"executionSuccessful": {"type": "boolean"},
                "toolExecutionNotifications": {"type": "array", "items": notification}}});
        let run = json!({"type": "object", "required": ["tool"], "additionalProperties": false,
        "properties": {
            "tool": {"type": "object", "required": ["driver"], "additionalProperties": false,
                "properties": {"driver": driver}},
            "invocations": {"type": "array", "items": invocation},
            "results": {"type": "array", "items": result},
            "properties": {"type": "object"},
        }});
        json!({"type": "object", "required": ["version", "runs"], "additionalProperties": false,
            "properties": {"$schema": {"type": "string"}, "version": {"const": "2.1.0"},
                "runs": {"type": "array", "items": run}}})
    }

    #[test]
    fn the_log_has_the_shape_of_sarif() {
        let essentials = jsonschema::validator_for(&essentials()).expect("a schema");
        let faults = |log: &Value| -> Vec<String> {
            let told = |fault: jsonschema::ValidationError<'_>| format!("{}: {fault}", fault.instance_path());
            essentials.iter_errors(log).map(told).collect()
        };
        let mut odd = record();
        odd.inputs.findings[0].path = Some("a b/c:d/é%.py".to_owned());
        odd.inputs.findings[0].line = Some(0);
        for record in [record(), odd, ReviewRecord::of(assize_review::case::ReviewInputs::default())] {
            assert_eq!(faults(&log(&record)), [""; 0], "{:#}", log(&record));
        }
        // It does find what is out of shape.
        for (place, value) in [
            ("/runs/0/results/1/locations/0/physicalLocation/region/startLine", json!(0)),
            ("/runs/0/results/0/level", json!("fatal")),
            ("/runs/0/results/2/message", json!("a text")),
            ("/version", json!("2.0.0")),
        ] {
            let mut bad = log(&record());
            *bad.pointer_mut(place).expect(place) = value;
            assert_eq!(faults(&bad).len(), 1, "{place}");
        }
    }
}
