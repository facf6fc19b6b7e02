//! Reads a data set, one record at a time: JSON lines, a JSON array, or CSV.
//!
//! Whatever the size of a data set, one record is held at a time. What cannot be read ends the reading with its place: to leave
//! one out would be to report on another data set. Verdicts that were made elsewhere are read by the same means. What a
//! record is worth must not be known here.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use assize_core::record::{RECORD_BYTES_MAX, read_json};
use assize_core::text::quote;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// In which form records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    /// An object a line.
    JsonLines,
    /// A list of objects.
    JsonArray,
    /// A row a record, with a header; every value is a text.
    Csv,
}

impl DataFormat {
    /// Every form, with the ids that users type.
    pub const ALL: [(&'static str, Self); 3] =
        [("jsonl", Self::JsonLines), ("json", Self::JsonArray), ("csv", Self::Csv)];

    /// Returns the form with an id.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == id).map(|(_, format)| format)
    }

    /// Returns the form that a file's name stands for, where it stands for one.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// Why records cannot be read, with the place.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct RecordsError {
    /// The line or the item, counted from 1.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

/// What is done with a record. An error ends the reading.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<(), String>;

/// Reads records one after the other. Without a format it is told by the first character: a bracket begins an array, a brace a
/// line, and anything else a table.
///
/// # Errors
///
/// Says which record cannot be read, and why; also where `each` refuses one.
pub fn read(source: impl Read, format: Option<DataFormat>, each: Each<'_>) -> Result<(), RecordsError> {
    let mut source = BufReader::with_capacity(256 * 1024, source);
    let at_start = |error: io::Error| RecordsError { place: "at its beginning".to_owned(), what: error.to_string() };
    if source.fill_buf().map_err(at_start)?.starts_with(b"\xef\xbb\xbf") {
        source.consume(3);
    }
    let format = match format {
        Some(format) => format,
        None => match source.fill_buf().map_err(at_start)?.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'[') => DataFormat::JsonArray,
            Some(b'{') | None => DataFormat::JsonLines,
            Some(_) => DataFormat::Csv,
        },
    };
    match format {
        DataFormat::JsonLines => lines(source, each),
        DataFormat::JsonArray => array(source, each),
        DataFormat::Csv => table(source, each),
    }
}

fn lines(mut source: impl BufRead, each: Each<'_>) -> Result<(), RecordsError> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        let at = |what: String| RecordsError { place: format!("line {number}"), what };
        line.clear();
        // Room for a record, and for the end of its line.
        let most = RECORD_BYTES_MAX as u64 + 2;
        if source.by_ref().take(most).read_until(b'\n', &mut line).map_err(|error| at(error.to_string()))? == 0 {
            return Ok(());
        }
        if line.len() as u64 == most && !line.ends_with(b"\n") {
            return Err(at(format!("has more than {RECORD_BYTES_MAX} bytes")));
        }
        let text =
            std::str::from_utf8(&line).map_err(|error| at(format!("is no UTF-8 at byte {}", error.valid_up_to())))?;
        let text = text.trim();
        if !text.is_empty() {
            read_json(text).and_then(&mut *each).map_err(at)?;
        }
    }
    Ok(())
}

fn array(source: impl Read, each: Each<'_>) -> Result<(), RecordsError> {
    let mut items = Items { each, number: 0, refused: None };
    let mut json = serde_json::Deserializer::from_reader(source);
    let read = (&mut items).deserialize(&mut json).and_then(|()| json.end());
    let place = format!("item {}", items.number);
    match (items.refused, read) {
        (Some(what), _) => Err(RecordsError { place, what }),
        (None, Err(error)) => Err(RecordsError { place, what: format!("is no JSON: {error}") }),
        (None, Ok(())) => Ok(()),
    }
}

/// The items of an array, handed on as they are read.
struct Items<'a> {
    each: Each<'a>,
    number: u64,
    refused: Option<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Items<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Items<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of records")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        self.number = 1;
        while let Some(item) = items.next_element::<Box<RawValue>>()? {
            if let Err(what) = read_json(item.get()).and_then(&mut *self.each) {
                self.refused = Some(what);
                return Err(serde::de::Error::custom("refused"));
            }
            self.number += 1;
        }
        Ok(())
    }
}

fn table(source: impl Read, each: Each<'_>) -> Result<(), RecordsError> {
    let mut reader = csv::Reader::from_reader(source);
    let wrong = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        RecordsError { place: format!("line {line}"), what: error.to_string() }
    };
    let headers = reader.headers().map_err(wrong)?.clone();
    if let Some(twice) = headers.iter().find(|name| headers.iter().filter(|other| other == name).count() > 1) {
        return Err(RecordsError {
            place: "line 1".to_owned(),
            what: format!("there are two columns {}", quote(twice)),
        });
    }
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        let line = row.position().map_or(0, csv::Position::line);
        let at = |what: String| RecordsError { place: format!("line {line}"), what };
        if row.as_slice().len() > RECORD_BYTES_MAX {
            return Err(at(format!("has more than {RECORD_BYTES_MAX} bytes")));
        }
        let fields: Map<String, Value> =
            headers.iter().zip(row.iter()).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect();
        each(Value::Object(fields)).map_err(at)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::record::Record;

    fn ids(text: &str) -> Result<Vec<String>, String> {
        let mut ids = Vec::new();
        let mut each = |value: Value| {
            ids.push(Record::of(value, "id")?.id);
            Ok(())
        };
        read(text.as_bytes(), None, &mut each).map_err(|error| error.to_string())?;
        Ok(ids)
    }

    #[test]
    fn the_form_is_told_by_its_beginning() {
        for text in [
            "{\"id\":\"a\"}\n\n{\"id\":\"b\"}",
            "\u{feff}{\"id\":\"a\"}\r\n{\"id\":\"b\"}\r\n",
            " [\n{\"id\":\"a\"},\n{\"id\":\"b\"}]\n",
            "id,text\na,\"x\ny\"\nb,\n",
        ] {
            assert_eq!(ids(text), Ok(vec!["a".to_owned(), "b".to_owned()]), "{text:?}");
        }
        assert_eq!(ids(""), Ok(Vec::new()));
        assert_eq!(ids("[]"), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_place() {
        for (text, says) in [
            ("{\"id\":\"a\"}\n{\"id\":", "line 2: is no JSON"),
            ("{\"id\":\"a\",\"id\":\"b\"}", "line 1: is no JSON"),
            ("{\"id\":\"a\"}\n[1]", "line 2: is a list, not an object"),
            ("{\"id\":\"a\"}\n{\"key\":1}", "line 2: has no field `id`"),
            ("[{\"id\":\"a\"},{}]", "item 2: has no field `id`"),
            ("[{\"id\":\"a\"},", "item 2: is no JSON"),
            ("[{\"id\":\"a\"}] {}", "is no JSON"),
            ("id,text\na,1\nb,1,2\n", "line 3: "),
            ("id,text\n,1\n", "line 2: has a blank `id`"),
            ("id,text,text\na,1,2\n", "line 1: there are two columns `text`"),
        ] {
            let error = ids(text).expect_err(text);
            assert!(error.contains(says), "{text:?}: {error}");
        }
        assert!(read(&b"{\"id\":\"\xff\"}"[..], None, &mut |_| Ok(())).expect_err("no text").what.contains("UTF-8"));
    }

    #[test]
    fn a_record_has_a_largest_size() {
        let of = |bytes: usize| {
            let frame = r#"{"id":"a","text":""}"#.len();
            format!(r#"{{"id":"a","text":"{}"}}"#, "x".repeat(bytes - frame))
        };
        for around in [["", "\n"], ["[", "]"]] {
            let text = |bytes: usize| format!("{}{}{}", around[0], of(bytes), around[1]);
            assert_eq!(ids(&text(RECORD_BYTES_MAX)), Ok(vec!["a".to_owned()]));
            assert!(ids(&text(RECORD_BYTES_MAX + 1)).expect_err("too large").contains("has more than"));
        }
    }

    #[test]
    fn whoever_takes_records_can_refuse_one() {
        let mut seen = 0;
        let mut each = |_: Value| {
            seen += 1;
            if seen == 2 { Err("enough".to_owned()) } else { Ok(()) }
        };
        let error = read("[{\"id\":1},{\"id\":2},{\"id\":3}]".as_bytes(), None, &mut each).expect_err("refused");
        assert_eq!(error.to_string(), "item 2: enough");
        assert_eq!(seen, 2);
    }
}
