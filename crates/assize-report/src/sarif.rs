//! SARIF 2.1.0, the interchange format of analyzers.
//!
//! What the report itself says to be settled (suppressed, absent, not a failure) is no objection;
//! what it says of the base is not asked: comparing is done elsewhere, alike for all gates. It must
//! not know which tool wrote it.

use std::collections::BTreeMap;

use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, json, message};

const FORMAT: &str = "SARIF 2.1.0";

#[derive(Deserialize)]
struct SarifLog {
    version: String,
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: SarifTool,
    /// Absent or `null` when the run has no results because it did not analyze anything.
    results: Option<Vec<SarifResult>>,
    #[serde(default)]
    invocations: Vec<Invocation>,
    #[serde(default)]
    artifacts: Vec<SarifArtifact>,
}

#[derive(Deserialize)]
struct SarifTool {
    driver: Component,
    #[serde(default)]
    extensions: Vec<Component>,
}

#[derive(Deserialize)]
struct Component {
    name: String,
    #[serde(default)]
    rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: String,
    default_configuration: Option<Configuration>,
    #[serde(default)]
    message_strings: BTreeMap<String, SarifMessage>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<SarifLevel>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum SarifLevel {
    None,
    Note,
    Warning,
    Error,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SarifMessage {
    text: Option<String>,
    markdown: Option<String>,
    id: Option<String>,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    rule_index: Option<i64>,
    rule: Option<RuleReference>,
    kind: Option<String>,
    level: Option<SarifLevel>,
    #[serde(default)]
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
    baseline_state: Option<String>,
    #[serde(default)]
    suppressions: Option<Vec<Suppression>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleReference {
    id: Option<String>,
    index: Option<i64>,
    tool_component: Option<ComponentReference>,
}

#[derive(Deserialize)]
struct ComponentReference {
    index: Option<i64>,
}

#[derive(Deserialize)]
struct Suppression {
    status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: Option<Physical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Option<ArtifactLocation>,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct SarifArtifact {
    location: Option<ArtifactLocation>,
}

#[derive(Deserialize)]
struct ArtifactLocation {
    uri: Option<String>,
    index: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: Option<bool>,
    #[serde(default)]
    tool_execution_notifications: Vec<Notification>,
    #[serde(default)]
    tool_configuration_notifications: Vec<Notification>,
}

#[derive(Deserialize)]
struct Notification {
    level: Option<SarifLevel>,
    #[serde(default)]
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, of another version, or without any run.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let log: SarifLog = json::document(FORMAT, bytes)?;
    let malformed = |detail: String| ReportError::Malformed { format: FORMAT, detail: message(&detail) };
    if log.version != "2.1.0" {
        return Err(malformed(format!("its version is {}", log.version)));
    }
    if log.runs.is_empty() {
        return Err(malformed("it has no run".to_owned()));
    }
    let mut report = ToolReport::default();
    for run in &log.runs {
        let Some(results) = &run.results else {
            return Err(malformed(format!("{} analyzed nothing", run.tool.driver.name)));
        };
        for found in results.iter().filter(|found| found.stands()) {
            report_result(run, found, &mut report);
        }
        for invocation in &run.invocations {
            notifications(run, invocation, &mut report);
        }
    }
    Ok(report)
}

/// Adds a result, unless it has the level `none`.
fn report_result(run: &SarifRun, found: &SarifResult, report: &mut ToolReport) {
    let rule = run.rule(found);
    let level = found.level.or_else(|| rule?.default_configuration.as_ref()?.level).unwrap_or(SarifLevel::Warning);
    let id =
        found.rule_id.as_deref().or_else(|| found.rule.as_ref()?.id.as_deref()).or(rule.map(|rule| rule.id.as_str()));
    let Some(severity) = level.severity() else { return };
    report.object(Diagnostic {
        code: id.unwrap_or(&run.tool.driver.name).to_owned(),
        severity,
        path: run.path(&found.locations),
        line: line(&found.locations),
        message: message(&found.message.words(rule)),
        offer: None,
    });
}

/// Adds what kept the tool from doing its work.
fn notifications(run: &SarifRun, invocation: &Invocation, report: &mut ToolReport) {
    let all = invocation.tool_execution_notifications.iter().chain(&invocation.tool_configuration_notifications);
    let mut said = false;
    for notification in all.filter(|it| it.level == Some(SarifLevel::Error)) {
        said = true;
        report.object(Diagnostic {
            code: run.tool.driver.name.clone(),
            severity: Severity::Error,
            path: run.path(&notification.locations),
            line: line(&notification.locations),
            message: message(&notification.message.words(None)),
            offer: None,
        });
    }
    if invocation.execution_successful == Some(false) && !said {
        report.object(Diagnostic {
            code: run.tool.driver.name.clone(),
            severity: Severity::Error,
            path: None,
            line: None,
            message: "the tool says that it did not run to its end".to_owned(),
            offer: None,
        });
    }
}

impl SarifLevel {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::None => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

impl SarifResult {
    /// Returns whether it is a failure that is present and not suppressed.
    fn stands(&self) -> bool {
        let failure = self.kind.as_deref().is_none_or(|kind| kind == "fail");
        let there = self.baseline_state.as_deref() != Some("absent");
        // A suppression counts when it was accepted, which it is unless it says otherwise.
        let settled = self.suppressions.iter().flatten();
        let suppressed = settled.clone().count() > 0
            && settled.clone().all(|it| it.status.as_deref().is_none_or(|status| status == "accepted"));
        failure && there && !suppressed
    }
}

impl SarifRun {
    fn rule(&self, found: &SarifResult) -> Option<&SarifRule> {
        let reference = found.rule.as_ref();
        let component = reference.and_then(|rule| rule.tool_component.as_ref()?.index);
        let component = match component.and_then(|index| usize::try_from(index).ok()) {
            Some(index) => self.tool.extensions.get(index)?,
            None => &self.tool.driver,
        };
        let index = reference.and_then(|rule| rule.index).or(found.rule_index);
        if let Some(rule) = index.and_then(|index| component.rules.get(usize::try_from(index).ok()?)) {
            return Some(rule);
        }
        let id = found.rule_id.as_deref().or_else(|| reference?.id.as_deref())?;
        // `CA1000/1` is the rule `CA1000`, told apart further.
        let parent = id.rsplit_once('/').map_or(id, |(parent, _)| parent);
        component
            .rules
            .iter()
            .find(|rule| rule.id == id)
            .or_else(|| component.rules.iter().find(|rule| rule.id == parent))
    }

    fn path(&self, locations: &[SarifLocation]) -> Option<String> {
        let location = locations.first()?.physical_location.as_ref()?.artifact_location.as_ref()?;
        let listed = || self.artifacts.get(usize::try_from(location.index?).ok()?)?.location.as_ref()?.uri.as_deref();
        location.uri.as_deref().or_else(listed).map(path)
    }
}

impl SarifMessage {
    fn words(&self, rule: Option<&SarifRule>) -> String {
        let own = self.text.as_deref().or(self.markdown.as_deref());
        let of_rule = || rule?.message_strings.get(self.id.as_deref()?)?.text.as_deref();
        let mut words = own.or_else(of_rule).unwrap_or_default().to_owned();
        for (index, argument) in self.arguments.iter().enumerate() {
            words = words.replace(&format!("{{{index}}}"), argument);
        }
        words
    }
}

fn line(locations: &[SarifLocation]) -> Option<u32> {
    locations.first()?.physical_location.as_ref()?.region.as_ref()?.start_line.filter(|line| *line > 0)
}

/// The path that a URI stands for.
fn path(uri: &str) -> String {
    let bare = uri.strip_prefix("file://localhost/").or_else(|| uri.strip_prefix("file:///"));
    let bare = match bare {
        Some(rest) => format!("/{rest}"),
        None => uri.strip_prefix("file:").unwrap_or(uri).to_owned(),
    };
    let mut bytes = Vec::with_capacity(bare.len());
    let mut rest = bare.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(results: &str, more: &str) -> String {
        format!(
            r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"tool","rules":[
            {{"id":"A","defaultConfiguration":{{"level":"error"}},"messageStrings":{{"m":{{"text":"{{0}} is {{1}}"}}}}}},{{"id":"B"}}]}},
            "extensions":[{{"name":"more","rules":[{{"id":"X","defaultConfiguration":{{"level":"note"}}}}]}}]}},
            "artifacts":[{{"location":{{"uri":"src/listed.c"}}}}],"results":[{results}]{more}}}]}}"#
        )
    }

    /// Code, severity, path, line and message of a diagnostic.
    type DiagnosticTuple = (String, Severity, Option<String>, Option<u32>, String);

    fn seen(text: &str) -> Vec<DiagnosticTuple> {
        let found = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).diagnostics;
        found.into_iter().map(|it| (it.code, it.severity, it.path, it.line, it.message)).collect()
    }

    #[test]
    fn levels_come_from_results_then_rules() {
        let text = log(
            r#"{"ruleId":"A","message":{"id":"m","arguments":["x","odd"]},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///p/a%20b.c"},"region":{"startLine":3}}}]},
            {"ruleIndex":1,"message":{"text":"t"},"locations":[{"physicalLocation":{"artifactLocation":{"index":0}}}]},
            {"rule":{"index":0,"toolComponent":{"index":0}},"message":{"text":"t"}},
            {"ruleId":"A/2","level":"note","message":{"text":"t"}}"#,
            "",
        );
        assert_eq!(
            seen(&text),
            [
                ("A".into(), Severity::Error, Some("/p/a b.c".into()), Some(3), "x is odd".into()),
                ("B".into(), Severity::Warning, Some("src/listed.c".into()), None, "t".into()),
                ("X".into(), Severity::Note, None, None, "t".into()),
                ("A/2".into(), Severity::Note, None, None, "t".into()),
            ]
        );
    }

    #[test]
    fn what_is_settled_is_no_objection() {
        for (result, stands) in [
            (r#"{"message":{"text":"t"}}"#, true),
            (r#"{"message":{"text":"t"},"kind":"fail"}"#, true),
            (r#"{"message":{"text":"t"},"kind":"pass"}"#, false),
            (r#"{"message":{"text":"t"},"level":"none"}"#, false),
            (r#"{"message":{"text":"t"},"baselineState":"absent"}"#, false),
            (r#"{"message":{"text":"t"},"baselineState":"unchanged"}"#, true),
            (r#"{"message":{"text":"t"},"suppressions":[]}"#, true),
            (r#"{"message":{"text":"t"},"suppressions":[{"kind":"inSource"}]}"#, false),
            (r#"{"message":{"text":"t"},"suppressions":[{"kind":"external","status":"accepted"}]}"#, false),
            (r#"{"message":{"text":"t"},"suppressions":[{"kind":"external","status":"rejected"}]}"#, true),
            (r#"{"message":{"text":"t"},"suppressions":[{"kind":"external","status":"underReview"}]}"#, true),
        ] {
            assert_eq!(seen(&log(result, "")).len(), usize::from(stands), "{result}");
        }
    }

    #[test]
    fn a_tool_that_did_not_work_objects_to_that() {
        let failed = log("", r#","invocations":[{"executionSuccessful":false}]"#);
        assert_eq!(seen(&failed)[0].1, Severity::Error);
        let told = log(
            "",
            r#","invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"no memory"}},{"level":"note","message":{"text":"fine"}}]}]"#,
        );
        assert_eq!(seen(&told).into_iter().map(|it| it.4).collect::<Vec<_>>(), ["no memory"]);
    }

    #[test]
    fn what_is_no_whole_report_is_refused() {
        for (text, part) in [
            (r#"{"version":"2.0.0","runs":[]}"#, "version is 2.0.0"),
            (r#"{"version":"2.1.0","runs":[]}"#, "no run"),
            (r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}}}]}"#, "analyzed nothing"),
            (r#"{"version":"2.1.0","runs":[{"results":[]}]}"#, "missing field"),
            (r#"{"version":"2.1.0","runs":[{"#, "stops before its end"),
            (r#"{"version":"2.1.0","version":"2.1.0","runs":[]}"#, "duplicate field"),
            ("", "empty"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
