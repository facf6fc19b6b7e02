//! The records that a person labels, and the file of the labels.
//!
//! A label is in the file before the page reports it as stored. Lines of other raters, and of other records, stay as they are.
//! This module does not know how labels come in.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assize_core::text::make_visible;
use assize_eval::envelope::LabelLine;
use assize_eval::court::RubricRef;
use assize_eval::judge_evaluation::label::{self, LABELS_BYTES_MAX, NAMELESS_RATER};
use assize_eval::record::Record;
use assize_eval::rubric::Rubric;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::exit::{Failure, Result};
use crate::host::{Host, now_ms};
use crate::own_file::{self, PendingFile};

/// Longest note, in characters.
pub const NOTE_CHARS_MAX: usize = 4_000;

/// The labels that a person gave a record, and the note beside them.
#[derive(Debug, Clone, PartialEq, Default)]
struct RecordLabels {
    labels: BTreeMap<String, Option<u8>>,
    note: String,
    at_ms: i64,
}

/// The records and their labels.
pub struct LabelStore {
    host: Host,
    path: PathBuf,
    rubric: Rubric,
    reference: RubricRef,
    rater: String,
    records: Vec<Record>,
    labels: BTreeMap<usize, RecordLabels>,
    /// Lines of the file that are not ours to change.
    others: Vec<String>,
    /// The version of each record: how often labels of it were stored. A request that names an earlier version is refused.
    versions: BTreeMap<usize, u64>,
}

/// The state of a record after its labels were stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stored {
    /// Whether every mode of the record has a label.
    pub done: bool,
    /// How many records are not done.
    pub left: usize,
    /// The version of the record as it is now.
    pub version: u64,
}

/// Why labels were not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Other labels of the record were stored since it was read.
    Overtaken,
    /// The labels are invalid, or they cannot be written.
    Wrong(String),
}

impl LabelStore {
    /// Reads the labels that are in the file.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub fn open(host: &Host, path: &Path, rubric: Rubric, records: Vec<Record>, rater: &str) -> Result<Self> {
        let wrong = |what: String| Failure::new(format!("--labels {}: {}", path.display(), make_visible(&what)));
        let text = if host.folder.join(path).exists() {
            own_file::read_text(host, path, "--labels", LABELS_BYTES_MAX as u64)?
        } else {
            String::new()
        };
        if !text.trim().is_empty() {
            if !text.trim_start().starts_with('{') {
                return Err(wrong("it is a table; the page writes labels as JSON lines".to_owned())
                    .hint("name another file; `calibrate` reads either"));
            }
            label::read(&text, &rubric).map_err(wrong)?;
        }
        let reference = RubricRef::of(&rubric);
        let mut store = Self {
            host: host.clone(),
            path: path.to_owned(),
            rubric,
            reference,
            rater: rater.to_owned(),
            records,
            labels: BTreeMap::new(),
            others: Vec::new(),
            versions: BTreeMap::new(),
        };
        text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| store.read_line(line));
        Ok(store)
    }

    /// Reads a line of the file: labels of these records by this rater and rubric can be changed, any other line stays.
    fn read_line(&mut self, line: &str) {
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
                self.labels.insert(at, RecordLabels { labels, note: text("note").to_owned(), at_ms });
            }
            _ => self.others.push(line.to_owned()),
        }
    }

    /// Returns how many records are done, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        ((0..self.records.len()).filter(|at| self.is_done(*at)).count(), self.records.len())
    }

    fn is_done(&self, at: usize) -> bool {
        let given = self.labels.get(&at);
        let has = |mode: &str| given.and_then(|given| *given.labels.get(mode)?).is_some();
        self.rubric.asked().all(|mode| has(&mode.id))
    }

    /// Describes the task for the page: the modes, the rater and the records.
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

    /// Describes a record and its labels for the page; `None` where there is no such record.
    pub fn record(&self, at: usize) -> Option<Value> {
        let record = self.records.get(at)?;
        let given = self.labels.get(&at).cloned().unwrap_or_default();
        let labels: Map<String, Value> = self
            .rubric
            .asked()
            .map(|mode| (mode.id.clone(), json!(given.labels.get(&mode.id).copied().flatten())))
            .collect();
        let version = self.version(at);
        Some(json!({"id": record.id, "fields": record.fields, "labels": labels, "note": given.note, "version": version}))
    }

    /// Returns how often labels of a record were stored since the page is served.
    fn version(&self, at: usize) -> u64 {
        self.versions.get(&at).copied().unwrap_or_default()
    }

    /// Stores the labels of a record; when this returns, they are in the file. `seen` is the version that the person saw.
    ///
    /// # Errors
    ///
    /// Fails when the labels are invalid, name an earlier version or cannot be written; then nothing has changed.
    pub fn store(
        &mut self,
        at: usize,
        labels: &Map<String, Value>,
        note: &str,
        seen: Option<u64>,
    ) -> std::result::Result<Stored, Refused> {
        if at >= self.records.len() {
            return Err(Refused::Wrong("no such record".to_owned()));
        }
        if seen.is_some_and(|seen| seen != self.version(at)) {
            return Err(Refused::Overtaken);
        }
        if note.chars().count() > NOTE_CHARS_MAX {
            return Err(Refused::Wrong(format!("the note has more than {NOTE_CHARS_MAX} characters")));
        }
        let mut given = RecordLabels { labels: BTreeMap::new(), note: note.to_owned(), at_ms: now_ms() };
        for (mode, value) in labels {
            if self.rubric.asked().all(|known| known.id != *mode) {
                return Err(Refused::Wrong(format!("the rubric asks about no mode `{mode}`")));
            }
            let label = match value {
                Value::Null => None,
                value => match value.as_u64() {
                    Some(label @ (0 | 1)) => u8::try_from(label).ok(),
                    _ => return Err(Refused::Wrong(format!("the label of `{mode}` must be 0, 1 or null"))),
                },
            };
            given.labels.insert(mode.clone(), label);
        }
        let before = self.labels.insert(at, given);
        if let Err(error) = self.write() {
            // What is not in the file is not stored.
            match before {
                Some(before) => self.labels.insert(at, before),
                None => self.labels.remove(&at),
            };
            return Err(Refused::Wrong(format!("{}: {error}", self.path.display())));
        }
        *self.versions.entry(at).or_default() += 1;
        let (done, all) = self.progress();
        Ok(Stored { done: self.is_done(at), left: all - done, version: self.version(at) })
    }

    fn write(&self) -> std::io::Result<()> {
        let mut draft = PendingFile::begin(&self.host, &self.path)?;
        for line in &self.others {
            writeln!(draft, "{line}")?;
        }
        for (at, given) in &self.labels {
            writeln!(draft, "{}", self.line(&self.records[*at], given))?;
        }
        draft.keep()
    }

    fn line(&self, record: &Record, given: &RecordLabels) -> Value {
        json!(LabelLine {
            id: [(self.rubric.record.id.as_str(), record.id.as_str())].into(),
            record: &record.hash,
            rubric: &self.reference.hash,
            rater: &self.rater,
            labels: &given.labels,
            note: &given.note,
            at: given.at_ms.to_string(),
        })
    }
}

fn id_of(value: &Value, rubric: &Rubric) -> String {
    let id = &value[&rubric.record.id];
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
