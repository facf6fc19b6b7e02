//! The records that a person labels, and the file that the labels stand in.
//!
//! A label is in the file before anybody is told that it is kept. Lines of other raters, and of other records, stay as they are. How labels
//! come in must not be known here.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assize_core::court::eval::RubricRef;
use assize_core::record::Record;
use assize_core::rubric::Rubric;
use assize_core::text::make_visible;
use assize_core::trial::label::{self, LABELS_BYTES_MAX, NAMELESS_RATER};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::exit::{Failure, Result};
use crate::host::{Host, now_ms};
use crate::own_file::{self, Draft};

/// Longest note, in characters.
pub const NOTE_CHARS_MAX: usize = 4_000;

/// What a person says of a record so far.
#[derive(Debug, Clone, PartialEq, Default)]
struct Said {
    labels: BTreeMap<String, Option<u8>>,
    note: String,
    at_ms: i64,
}

/// The records, and what is said of them.
pub struct Desk {
    host: Host,
    path: PathBuf,
    rubric: Rubric,
    reference: RubricRef,
    rater: String,
    records: Vec<Record>,
    said: BTreeMap<usize, Said>,
    /// Lines of the file that are not ours to change.
    others: Vec<String>,
    /// How often something was kept of a record: whoever speaks of an earlier state of it is told so.
    kept: BTreeMap<usize, u64>,
}

/// What became of labels that were handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Whether every mode of the record has a label.
    pub done: bool,
    /// How many records are not done.
    pub left: usize,
    /// The version of the record as it is now.
    pub version: u64,
}

/// Why labels were not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Something else was kept of the record since it was looked at.
    Overtaken,
    /// There is something wrong with them, or they cannot be written.
    Wrong(String),
}

impl Desk {
    /// Reads what is labelled so far.
    ///
    /// # Errors
    ///
    /// Says what in the file cannot be read.
    pub fn open(host: &Host, path: &Path, rubric: Rubric, records: Vec<Record>, rater: &str) -> Result<Self> {
        let wrong = |what: String| Failure::new(format!("--labels {}: {}", path.display(), make_visible(&what)));
        let text = if host.folder.join(path).exists() {
            own_file::read_text(host, path, "--labels", LABELS_BYTES_MAX as u64)?
        } else {
            String::new()
        };
        if !text.trim().is_empty() {
            if !text.trim_start().starts_with('{') {
                return Err(wrong("it is a table; labels of the page are kept as JSON lines".to_owned())
                    .hint("name another file; `calibrate` reads either"));
            }
            label::read(&text, &rubric).map_err(wrong)?;
        }
        let reference = RubricRef::of(&rubric);
        let mut desk = Self {
            host: host.clone(),
            path: path.to_owned(),
            rubric,
            reference,
            rater: rater.to_owned(),
            records,
            said: BTreeMap::new(),
            others: Vec::new(),
            kept: BTreeMap::new(),
        };
        text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| desk.take_over(line));
        Ok(desk)
    }

    /// Takes over a line of the file: what is said of these very records by this rubric can be changed, all else stays.
    fn take_over(&mut self, line: &str) {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        let ours =
            value["rater"].as_str().unwrap_or(NAMELESS_RATER) == self.rater && text("rubric") == self.reference.hash;
        let at = self
            .records
            .iter()
            .position(|record| record.id == id_of(&value, &self.rubric) && record.hash == text("record"));
        match (at.filter(|_| ours), value["labels"].as_object()) {
            (Some(at), Some(labels)) => {
                let label = |value: &Value| value.as_u64().map(|label| u8::from(label == 1));
                let labels = labels.iter().map(|(mode, value)| (mode.clone(), label(value))).collect();
                let at_ms = value["at"].as_str().and_then(|at| at.parse().ok()).unwrap_or_default();
                self.said.insert(at, Said { labels, note: text("note").to_owned(), at_ms });
            }
            _ => self.others.push(line.to_owned()),
        }
    }

    /// Returns how many records are done, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        ((0..self.records.len()).filter(|at| self.is_done(*at)).count(), self.records.len())
    }

    fn is_done(&self, at: usize) -> bool {
        let said = self.said.get(&at);
        let has = |mode: &str| said.and_then(|said| *said.labels.get(mode)?).is_some();
        self.rubric.asked().all(|mode| has(&mode.id))
    }

    /// What is to be labelled, and how.
    pub fn task(&self) -> Value {
        let modes: Vec<Value> = self
            .rubric
            .asked()
            .map(|mode| json!({"id": mode.id, "asks": mode.asks, "fails_if": mode.fails_if, "examples": mode.examples}))
            .collect();
        let records: Vec<Value> =
            (0..self.records.len()).map(|at| json!({"id": self.records[at].id, "done": self.is_done(at)})).collect();
        json!({
            "rubric": {"id": self.rubric.id, "subject": self.rubric.subject, "modes": modes},
            "rater": self.rater,
            "records": records,
        })
    }

    /// A record, and what is said of it; `None` where there is none.
    pub fn record(&self, at: usize) -> Option<Value> {
        let record = self.records.get(at)?;
        let said = self.said.get(&at).cloned().unwrap_or_default();
        let labels: Map<String, Value> = self
            .rubric
            .asked()
            .map(|mode| (mode.id.clone(), json!(said.labels.get(&mode.id).copied().flatten())))
            .collect();
        let version = self.version(at);
        Some(json!({"id": record.id, "fields": record.fields, "labels": labels, "note": said.note, "version": version}))
    }

    /// Returns how often something was kept of a record since the page is served.
    fn version(&self, at: usize) -> u64 {
        self.kept.get(&at).copied().unwrap_or_default()
    }

    /// Keeps what a person says of a record; when this returns, it is in the file. `seen` is the version that the person looked at.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it, that it was said of an earlier version, or why it cannot be kept; then nothing has changed.
    pub fn keep(
        &mut self,
        at: usize,
        labels: &Map<String, Value>,
        note: &str,
        seen: Option<u64>,
    ) -> std::result::Result<Kept, Refused> {
        if at >= self.records.len() {
            return Err(Refused::Wrong("there is no such record".to_owned()));
        }
        if seen.is_some_and(|seen| seen != self.version(at)) {
            return Err(Refused::Overtaken);
        }
        if note.chars().count() > NOTE_CHARS_MAX {
            return Err(Refused::Wrong(format!("the note has more than {NOTE_CHARS_MAX} characters")));
        }
        let mut said = Said { labels: BTreeMap::new(), note: note.to_owned(), at_ms: now_ms() };
        for (mode, value) in labels {
            if self.rubric.asked().all(|known| known.id != *mode) {
                return Err(Refused::Wrong(format!("`{mode}` is no mode that is asked about")));
            }
            let label = match value {
                Value::Null => None,
                value => match value.as_u64() {
                    Some(label @ (0 | 1)) => u8::try_from(label).ok(),
                    _ => return Err(Refused::Wrong(format!("the label of `{mode}` is neither 0, 1 nor null"))),
                },
            };
            said.labels.insert(mode.clone(), label);
        }
        let before = self.said.insert(at, said);
        if let Err(error) = self.write() {
            // What is not in the file is not kept.
            match before {
                Some(before) => self.said.insert(at, before),
                None => self.said.remove(&at),
            };
            return Err(Refused::Wrong(format!("{}: {error}", self.path.display())));
        }
        *self.kept.entry(at).or_default() += 1;
        let (done, all) = self.progress();
        Ok(Kept { done: self.is_done(at), left: all - done, version: self.version(at) })
    }

    fn write(&self) -> std::io::Result<()> {
        let mut draft = Draft::begin(&self.host, &self.path)?;
        for line in &self.others {
            writeln!(draft, "{line}")?;
        }
        for (at, said) in &self.said {
            writeln!(draft, "{}", self.line(&self.records[*at], said))?;
        }
        draft.keep()
    }

    fn line(&self, record: &Record, said: &Said) -> Value {
        let mut line = json!({});
        line[&self.rubric.record.id] = record.id.clone().into();
        line["record"] = record.hash.clone().into();
        line["rubric"] = self.reference.hash.clone().into();
        line["rater"] = self.rater.clone().into();
        line["labels"] = json!(said.labels);
        if !said.note.is_empty() {
            line["note"] = said.note.clone().into();
        }
        line["at"] = said.at_ms.to_string().into();
        line
    }
}

fn id_of(value: &Value, rubric: &Rubric) -> String {
    let id = &value[&rubric.record.id];
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
