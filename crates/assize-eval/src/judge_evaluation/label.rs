//! What people say of records.
//!
//! Labels are read from CSV, a row for each record (and rater) and a column for each mode, or from JSON lines. A label is 1 or `fail`
//! where the record fails, 0 or `pass` where it does not; blank where the person did not say. A column or a word that is not known is refused: a
//! label that is read as something else spoils every figure that is made of it.

use std::collections::BTreeMap;

use assize_core::text::quote;
use serde_json::{Map, Value};

use crate::record::{Record, RecordRef, read_json};
use crate::rubric::Rubric;

/// The rater of labels that name none.
pub const NAMELESS_RATER: &str = "person";
/// Largest file of labels, in bytes.
pub const LABELS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Columns and fields that say something about a label. The last two are for people.
const ABOUT: [&str; 5] = ["rater", "record", "rubric", "note", "at"];

/// What one person says of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLabels {
    /// The record.
    pub record: RecordRef,
    /// The hash of the rubric that it was labelled by, where it is known.
    pub rubric: Option<String>,
    /// Who says so.
    pub rater: String,
    /// For each mode, in the order of the rubric: whether the record fails; `None` where the person did not say.
    pub fails: Vec<Option<bool>>,
}

/// Reads a file of labels: JSON lines where it begins with a brace, else CSV.
///
/// # Errors
///
/// Names the first line that cannot be read, and why.
pub fn read(text: &str, rubric: &Rubric) -> Result<Vec<PersonLabels>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { read_lines(text, rubric) } else { read_table(text, rubric) }
}

fn read_lines(text: &str, rubric: &Rubric) -> Result<Vec<PersonLabels>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| {
        read_json(line).and_then(|value| of_object(value, rubric)).map_err(|error| format!("line {}: {error}", at + 1))
    };
    lines.map(read).collect()
}

fn of_object(value: Value, rubric: &Rubric) -> Result<PersonLabels, String> {
    let Value::Object(fields) = value else { return Err("is no object".to_owned()) };
    let known = |name: &str| name == "labels" || name == rubric.record.id || name == "assize" || ABOUT.contains(&name);
    if let Some(name) = fields.keys().find(|name| !known(name)) {
        return Err(format!("{} is no known field", quote(name)));
    }
    let mut fails = vec![None; rubric.modes.len()];
    let mut seen = vec![false; rubric.modes.len()];
    let mut set = |mode: &str, value: &Value| {
        let at = rubric.position(mode).ok_or_else(|| no_mode(mode, rubric))?;
        if std::mem::replace(&mut seen[at], true) {
            return Err(format!("{} has two labels", quote(mode)));
        }
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        fails[at] = if value.is_null() { None } else { label(&text)? };
        Ok::<(), String>(())
    };
    match fields.get("labels") {
        Some(Value::Object(labels)) => labels.iter().try_for_each(|(mode, value)| set(mode, value))?,
        Some(Value::Array(labels)) => {
            labels.iter().try_for_each(|each| match (each["mode"].as_str(), each.get("label")) {
                (Some(mode), Some(label)) => set(mode, label),
                _ => Err("a label has no `mode` or no `label`".to_owned()),
            })?;
        }
        _ => return Err("has no `labels`".to_owned()),
    }
    about(&fields, rubric, fails)
}

fn about(fields: &Map<String, Value>, rubric: &Rubric, fails: Vec<Option<bool>>) -> Result<PersonLabels, String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let named = Record::of(Value::Object(fields.clone()), &rubric.record.id)?;
    Ok(PersonLabels {
        record: RecordRef { id: named.id, hash: text("record") },
        rubric: text("rubric"),
        rater: text("rater").unwrap_or_else(|| NAMELESS_RATER.to_owned()),
        fails,
    })
}

fn read_table(text: &str, rubric: &Rubric) -> Result<Vec<PersonLabels>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    if !headers.iter().any(|name| name == rubric.record.id) {
        return Err(format!("line 1: there is no column {}", quote(&rubric.record.id)));
    }
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    for (column, name) in headers.iter().enumerate() {
        if headers.iter().filter(|other| *other == name).count() > 1 {
            return Err(format!("line 1: there are two columns {}", quote(name)));
        }
        match rubric.position(name) {
            Some(mode) => {
                columns.insert(column, mode);
            }
            None if name == rubric.record.id || ABOUT.contains(&name) => {}
            None => return Err(format!("line 1: {}", no_mode(name, rubric))),
        }
    }
    if columns.is_empty() {
        return Err(format!("line 1: no column is a mode; there are {}", modes(rubric)));
    }
    let mut read = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line);
        let at = |error: String| format!("line {line}: {error}");
        let mut fails = vec![None; rubric.modes.len()];
        for (column, mode) in &columns {
            let of = |error| at(format!("{}: {error}", quote(&rubric.modes[*mode].id)));
            fails[*mode] = label(row.get(*column).unwrap_or_default()).map_err(of)?;
        }
        let fields: Map<String, Value> =
            headers.iter().zip(row.iter()).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect();
        read.push(about(&fields, rubric, fails).map_err(at)?);
    }
    Ok(read)
}

/// Reads one label; `None` for a blank.
fn label(text: &str) -> Result<Option<bool>, String> {
    match text.to_lowercase().as_str() {
        "" => Ok(None),
        "0" | "pass" => Ok(Some(false)),
        "1" | "fail" => Ok(Some(true)),
        _ => Err(format!("{} is no label; 1 or fail, 0 or pass, or nothing", quote(text))),
    }
}

/// Makes one label of what several raters say of a record in each mode; returns on how many modes they differ. Where they do, there is no
/// label: which rater is right is for people to settle.
pub fn consensus(of_raters: &[Vec<Option<bool>>]) -> (Vec<Option<bool>>, usize) {
    let modes = of_raters.iter().map(Vec::len).max().unwrap_or_default();
    let mut disputed = 0;
    let agreed = (0..modes).map(|mode| {
        let mut said = of_raters.iter().filter_map(|labels| labels.get(mode).copied().flatten());
        let first = said.next()?;
        let differs = said.any(|other| other != first);
        disputed += usize::from(differs);
        (!differs).then_some(first)
    });
    (agreed.collect(), disputed)
}

fn no_mode(name: &str, rubric: &Rubric) -> String {
    format!("{} is no mode of the rubric; there are {}", quote(name), modes(rubric))
}

fn modes(rubric: &Rubric) -> String {
    rubric.modes.iter().map(|mode| mode.id.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;

    fn labels(text: &str) -> Result<Vec<PersonLabels>, String> {
        read(text, &Rubric::read(SMALL).expect("sound").0)
    }

    #[test]
    fn a_table_is_read() {
        let read = labels("\u{feff}id,vague,too_long,note\r\na, 1,pass,\"so, so\"\r\nb,,FAIL,\r\n").expect("labels");
        assert_eq!(read.iter().map(|one| one.record.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read[0].fails, [Some(false), Some(true)], "in the order of the rubric");
        assert_eq!(read[1].fails, [Some(true), None]);
        assert_eq!(read[0].rater, NAMELESS_RATER);
    }

    #[test]
    fn lines_are_read() {
        let text = concat!(
            r#"{"id":"a","record":"00","rater":"Ada","labels":{"vague":1,"too_long":null}}"#,
            "\n\n",
            r#"{"id":"b","labels":[{"mode":"vague","label":"pass"}]}"#,
        );
        let read = labels(text).expect("labels");
        assert_eq!(read[0].fails, [None, Some(true)]);
        assert_eq!((read[0].rater.as_str(), read[0].record.hash.as_deref()), ("Ada", Some("00")));
        assert_eq!(read[1].fails, [None, Some(false)]);
    }

    #[test]
    fn raters_that_differ_make_no_label() {
        let (yes, no) = (Some(true), Some(false));
        let raters = [vec![yes, yes, None, None], vec![yes, no, no, None], vec![yes, yes, None, None]];
        assert_eq!(consensus(&raters), (vec![yes, None, no, None], 1));
        assert_eq!(consensus(&[]), (vec![], 0));
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line() {
        for (text, says) in [
            ("id,rude\na,1\n", "line 1: `rude` is no mode"),
            ("id,note\na,1\n", "line 1: no column is a mode"),
            ("id,vague,vague\na,1,1\n", "line 1: there are two columns `vague`"),
            ("id,vague\na,1\nb,yes\n", "line 3: `vague`: `yes` is no label"),
            ("id,vague\na,1,2\n", "found record with 3 fields"),
            ("name,vague\na,1\n", "line 1: there is no column `id`"),
            ("id,vague\n,1\n", "line 2: has a blank `id`"),
            ("{\"id\":\"a\",\"labels\":{\"vague\":2}}", "line 1: `2` is no label"),
            ("{\"id\":\"a\",\"labels\":{\"vague\":true}}", "line 1: `true` is no label"),
            ("{\"id\":\"a\",\"labels\":{\"rude\":1}}", "line 1: `rude` is no mode"),
            (
                "{\"id\":\"a\",\"labels\":[{\"mode\":\"vague\",\"label\":1},{\"mode\":\"vague\",\"label\":1}]}",
                "line 1: `vague` has two labels",
            ),
            ("{\"id\":\"a\"}", "line 1: has no `labels`"),
            ("{\"id\":\"a\",\"label\":{}}", "line 1: `label` is no known field"),
            ("{\"id\"", "line 1: "),
        ] {
            let error = labels(text).expect_err(text);
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
