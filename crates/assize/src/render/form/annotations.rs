//! A review as annotations of a pull request: workflow commands of GitHub Actions, one a line.
//!
//! GitHub shows ten of each level for a step, so what keeps the change from being accepted comes first.

use assize_core::finding::Severity;
use assize_gate::exec_report::TestSummary;
use assize_review::court::{ReviewRecord, blocks};

use super::Form;
use crate::exit::Failure;
use crate::render::visible;

/// Workflow commands.
pub struct Annotations;

impl Form for Annotations {
    fn id(&self) -> &'static str {
        "annotations"
    }

    fn write(&self, record: &ReviewRecord) -> Result<String, Failure> {
        Ok(lines(record).iter().map(|line| format!("{line}\n")).collect())
    }
}

/// One annotation.
struct Annotation<'a> {
    level: &'static str,
    title: String,
    path: Option<&'a str>,
    line: Option<u32>,
    message: String,
}

fn lines(record: &ReviewRecord) -> Vec<String> {
    let mut all = Vec::new();
    for gate in &record.inputs.exec.gates {
        for test in gate.tests.iter().flat_map(TestSummary::held) {
            let message = test.message.as_deref().unwrap_or("the test failed");
            let title = format!("{}: {}", gate.name(), test.id);
            all.push(Annotation { level: "error", title, path: test.path.as_deref(), line: None, message: message.to_owned() });
        }
        for found in &gate.new {
            let title = format!("{}: {}", gate.name(), found.code);
            let (path, message) = (found.path.as_deref(), found.message.clone());
            all.push(Annotation { level: "error", title, path, line: found.line, message });
        }
        if let Some(trouble) = &gate.trouble {
            let title = format!("{} came to no result", gate.name());
            all.push(Annotation { level: "warning", title, path: None, line: None, message: trouble.detail.clone() });
        }
    }
    for finding in &record.inputs.findings {
        let level = match finding.severity {
            _ if blocks(finding, &record.inputs.policy) => "error",
            Severity::Note => "notice",
            Severity::Warning | Severity::Error => "warning",
        };
        let (path, message) = (finding.path.as_deref(), finding.message.clone());
        all.push(Annotation { level, title: finding.rule.clone(), path, line: finding.line, message });
    }
    all.sort_by_key(|annotation| annotation.level);
    all.iter().map(Annotation::command).collect()
}

impl Annotation<'_> {
    fn command(&self) -> String {
        let place = self.path.map(|path| format!("file={},", property(path)));
        let line = self.line.filter(|line| *line > 0 && self.path.is_some()).map(|line| format!("line={line},"));
        let (place, line) = (place.unwrap_or_default(), line.unwrap_or_default());
        format!("::{} {place}{line}title={}::{}", self.level, property(&self.title), data(&self.message))
    }
}

/// Writes a message, as the runner reads it back.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| visible(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// Writes the value of a property; it must not end the property or the list of them.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::review::tests::record;

    #[test]
    fn what_blocks_comes_first_and_nothing_ends_a_command() {
        let mut record = record();
        record.inputs.findings[0].message = "50 % of it,\nand ::error::more".to_owned();
        let lines = lines(&record);
        assert!(lines[0].starts_with("::error file=test_a.py,title=pytest%3A test_a.py%3A%3Atest_zero::"), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("line=3,title=ruff-check%3A F401::")), "{lines:?}");
        assert!(lines.iter().any(|line| line.ends_with("::50 %25 of it,%0Aand ::error::more")), "{lines:?}");
        let levels: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
        assert!(levels.is_sorted(), "{lines:?}");
    }
}
