//! Coverage in Cobertura's XML.
//!
//! The lines decide; a rate that the report gives itself must not be better. It must not know which share is enough.

use std::collections::BTreeMap;

use super::lcov::percent;
use super::xml::{Element, XmlEvent, walk};
use super::{ToolReport, ReportError, message};

const FORMAT: &str = "Cobertura's XML";
/// By how much a report may round its own rate up, in per cent.
const ROUNDING_PCT: f64 = 1.0;

#[derive(Default)]
struct Coverage {
    path: Vec<String>,
    file: String,
    /// Rate that the root gives, in per cent.
    declared: Option<f64>,
    lines: BTreeMap<(String, u32), bool>,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, it lists no line, or its rate is better than its lines.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let mut coverage = Coverage::default();
    walk(FORMAT, bytes, |piece| match piece {
        XmlEvent::Open(element) => coverage.open(&element),
        XmlEvent::Text(_) => Ok(()),
        XmlEvent::Close => {
            coverage.path.pop();
            Ok(())
        }
    })?;
    if coverage.lines.is_empty() {
        // A rate without them cannot be told from one that somebody has written.
        return Err(ReportError::Malformed { format: FORMAT, detail: "it lists no line".to_owned() });
    }
    let hit = coverage.lines.values().filter(|hit| **hit).count();
    let coverage_pct = percent(hit, coverage.lines.len());
    if let (Some(declared), Some(counted)) = (coverage.declared, coverage_pct)
        && declared > counted + ROUNDING_PCT
    {
        return Err(ReportError::Contradictory(format!(
            "it says that {declared:.1} % of lines are covered, and its lines say {counted:.1} %"
        )));
    }
    Ok(ToolReport { coverage_pct, ..ToolReport::default() })
}

impl Coverage {
    fn open(&mut self, element: &Element) -> Result<(), ReportError> {
        let malformed = |detail: &str| ReportError::Malformed { format: FORMAT, detail: message(detail) };
        let parent = self.path.last().map_or("", String::as_str).to_owned();
        match element.name.as_str() {
            "coverage" if self.path.is_empty() => {
                self.declared = match element.get("line-rate") {
                    None => None,
                    Some(rate) => Some(
                        rate.parse::<f64>()
                            .ok()
                            .filter(|rate| (0.0..=1.0).contains(rate))
                            .ok_or_else(|| malformed(&format!("line-rate is `{rate}`")))?
                            * 100.0,
                    ),
                };
            }
            other if self.path.is_empty() => return Err(malformed(&format!("its root is `{other}`"))),
            "class" => self.file = element.get("filename").unwrap_or_default().to_owned(),
            "line" if parent == "lines" => {
                let number = element.get("number").and_then(|number| number.parse().ok());
                let hits = element.get("hits").and_then(|hits| hits.parse::<f64>().ok());
                let (Some(number), Some(hits)) = (number, hits) else {
                    return Err(malformed("a line has no number or no hits"));
                };
                *self.lines.entry((self.file.clone(), number)).or_default() |= hits > 0.0;
            }
            _ => {}
        }
        self.path.push(element.name.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(rate: &str) -> String {
        format!(
            r#"<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
            <coverage line-rate="{rate}"><packages><package><classes>
            <class filename="a.py"><methods><method><lines><line number="1" hits="1"/></lines></method></methods>
            <lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class>
            <class filename="b.py"><lines><line number="1" hits="3"/><line number="2" hits="0"/></lines></class>
            </classes></package></packages></coverage>"#
        )
    }

    #[test]
    fn lines_count_once_and_rates_are_held_to_them() {
        assert_eq!(parse(document("0.5").as_bytes()).unwrap().coverage_pct, Some(50.0));
        assert!(matches!(parse(document("0.9").as_bytes()), Err(ReportError::Contradictory(_))));
        assert!(matches!(parse(document("NaN").as_bytes()), Err(ReportError::Malformed { .. })));
        assert!(matches!(parse(b"<report/>"), Err(ReportError::Malformed { .. })));
        for without_lines in ["<coverage/>", r#"<coverage line-rate="0.9"><packages/></coverage>"#] {
            let Err(ReportError::Malformed { detail, .. }) = parse(without_lines.as_bytes()) else { panic!("{without_lines}") };
            assert_eq!(detail, "it lists no line");
        }
    }
}
