//! Reads a data set one record at a time: JSON lines, a JSON array, CSV, or Parquet.
//!
//! Only one record is in memory at a time, or a few hundred if many are processed in parallel. A record that cannot be
//! read ends the reading with its position, because skipping it would report on another data set. Imported verdicts
//! are read in the same way. This module must not know what a record is worth.

pub mod cell;
pub mod parquet;
pub mod table;

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};

use assize_core::text::quote;
use assize_eval::record::{RECORD_BYTES_MAX, read_json};
use assize_eval::rubric::clause::EVALUATION_STACK;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    /// An object on each line.
    JsonLines,
    /// A list of objects.
    JsonArray,
    /// A row for each record, with a header; every value is text.
    Csv,
    /// Parquet: a row for each record.
    Parquet,
}

impl DataFormat {
    /// Every format, with the ids that users type.
    pub const ALL: [(&'static str, Self); 4] =
        [("jsonl", Self::JsonLines), ("json", Self::JsonArray), ("csv", Self::Csv), ("parquet", Self::Parquet)];

    /// Returns the format with an id.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == id).map(|(_, format)| format)
    }

    /// Returns the format that a file's name implies, if any.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Why records cannot be read, with the position.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct RecordsError {
    /// The line or the item, counted from 1.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

/// The worker threads. Their stacks are large, because computing a clause on a fresh stack takes longer than the
/// clause itself. If no thread can be started, the calling thread does all the work.
static WORKERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    ThreadPoolBuilder::new().thread_name(|at| format!("records-{at}")).stack_size(2 * EVALUATION_STACK).build().ok()
});

/// The position of a record, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordPosition {
    /// In a file with lines.
    Line(u64),
    /// In a list.
    Item(u64),
    /// In a table without lines.
    Row(u64),
}

impl RecordPosition {
    fn error(self, what: String) -> RecordsError {
        RecordsError { place: self.to_string(), what }
    }
}

impl fmt::Display for RecordPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(at) => write!(formatter, "line {at}"),
            Self::Item(at) => write!(formatter, "item {at}"),
            Self::Row(at) => write!(formatter, "row {at}"),
        }
    }
}

/// One record as it is in its source.
pub struct RawRecord {
    place: RecordPosition,
    content: RawContent,
}

enum RawContent {
    /// JSON that was not parsed yet.
    Json(String),
    /// The cells of a row, with at least their size as JSON in bytes.
    Cells(Value, usize),
}

impl RawRecord {
    /// Returns its JSON, if the source is JSON.
    pub fn json(&self) -> Option<&str> {
        match &self.content {
            RawContent::Json(json) => Some(json),
            RawContent::Cells(..) => None,
        }
    }

    /// Parses it.
    ///
    /// # Errors
    ///
    /// Says why it cannot be read.
    pub fn value(self) -> Result<Value, String> {
        match self.content {
            RawContent::Json(json) => read_json(&json),
            RawContent::Cells(value, _) => Ok(value),
        }
    }

    /// Returns its approximate size.
    fn bytes(&self) -> usize {
        match &self.content {
            RawContent::Json(json) => json.len(),
            RawContent::Cells(_, bytes) => CELLS_BYTES + CELLS_FACTOR * bytes,
        }
    }
}

/// Receives an item. An error ends the reading.
pub type EachItem<'a> = &'a mut dyn FnMut(RawRecord) -> Result<(), RecordsError>;
/// Receives a record. An error ends the reading.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<(), String>;

/// The assumed size of a row in bytes, and the factor for each byte of it: a list of small numbers takes many times
/// the size of its text.
const CELLS_BYTES: usize = 512;
const CELLS_FACTOR: usize = 16;
/// The most records, and the most bytes, that one thread processes together.
const CHUNK_RECORDS: usize = 64;
const CHUNK_BYTES: usize = 1 << 20;
/// The most such chunks for each thread, and the most bytes in all of them, so that memory does not grow with the
/// number of records.
const CHUNKS_PER_THREAD: usize = 3;
const CHUNKS_BYTES: usize = 12 << 20;

/// The most bytes that are read from a file at a time.
const BUFFER_BYTES: usize = 256 * 1024;

/// Reads the records of a file one after the other. Without a format, the first bytes decide: Parquet has a magic
/// number, a bracket begins an array, a brace begins JSON lines, and anything else is a table.
///
/// # Errors
///
/// Says which record cannot be read, and why; also if `each` rejects one.
pub fn read_file(file: File, format: Option<DataFormat>, each: Each<'_>) -> Result<(), RecordsError> {
    items(file, format, &mut in_turn(each))
}

/// Reads records from a stream as [`read_file`] does. Parquet can only be read from a file.
///
/// # Errors
///
/// Says which record cannot be read, and why; also if `each` rejects one.
pub fn read(source: impl Read, format: Option<DataFormat>, each: Each<'_>) -> Result<(), RecordsError> {
    read_text(BufReader::with_capacity(BUFFER_BYTES, source), format, &mut in_turn(each))
}

fn in_turn(each: Each<'_>) -> impl FnMut(RawRecord) -> Result<(), RecordsError> {
    move |item| {
        let place = item.place;
        item.value().and_then(&mut *each).map_err(|what| place.error(what))
    }
}

/// Reads the records of a file and processes many of them in parallel. `map` receives an unparsed record and its
/// number, counted from 0. `each` receives the results in their order.
///
/// # Errors
///
/// Says which record is the first that cannot be read, and why; also if `map` or `each` rejects one.
pub fn map_file<T: Send>(
    file: File,
    format: Option<DataFormat>,
    map: &(dyn Fn(usize, RawRecord) -> Result<T, String> + Sync),
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    let one = |(at, item): (usize, RawRecord)| (item.place, map(at, item));
    let Some(workers) = &*WORKERS else {
        let mut at = 0;
        return items(file, format, &mut |item| {
            at += 1;
            hand_on([one((at - 1, item))], each)
        });
    };
    let chunks_max = CHUNKS_PER_THREAD * workers.current_num_threads();
    workers.in_place_scope(|scope| {
        // Each chunk is processed by one thread. Meanwhile further chunks are read, and earlier results are passed on.
        let mut at_work: VecDeque<(usize, Receiver<Mapped<T>>)> = VecDeque::with_capacity(chunks_max);
        let (mut done, mut bytes_at_work) = (0, 0);
        let mut begin = |chunk: Vec<RawRecord>, bytes: usize| {
            let (first, (sender, receiver)) = (done, channel());
            done += chunk.len();
            scope.spawn(move |_| {
                // If an earlier record was rejected, the receiver no longer exists.
                let _ = sender.send((first..).zip(chunk).map(one).collect());
            });
            at_work.push_back((bytes, receiver));
            bytes_at_work += bytes;
            while (at_work.len() >= chunks_max || bytes_at_work >= CHUNKS_BYTES)
                && let Some((bytes, oldest)) = at_work.pop_front()
            {
                bytes_at_work -= bytes;
                hand_on_from(&oldest, each).inspect_err(|_| at_work.clear())?;
            }
            Ok(())
        };
        let read = chunks(file, format, &mut begin);
        // If reading failed, a record before that may have failed too, and is reported first.
        at_work.iter().try_for_each(|(_, last)| hand_on_from(last, each)).and(read)
    })
}

/// The results of a chunk.
type Mapped<T> = Vec<(RecordPosition, Result<T, String>)>;

/// Passes on the results of a chunk. A worker that panicked sends none, and its panic continues at the end of the
/// scope.
fn hand_on_from<T>(
    at_work: &Receiver<Mapped<T>>,
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    let broke_off = |_| RecordsError { place: "in between".to_owned(), what: "a worker broke off".to_owned() };
    hand_on(at_work.recv().map_err(broke_off)?, each)
}

fn hand_on<T>(
    mapped: impl IntoIterator<Item = (RecordPosition, Result<T, String>)>,
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    mapped.into_iter().try_for_each(|(place, made)| made.and_then(&mut *each).map_err(|what| place.error(what)))
}

/// Reads a file in chunks with their size in bytes. If reading fails, the items before that are passed on as well.
fn chunks(
    file: File,
    format: Option<DataFormat>,
    each: &mut dyn FnMut(Vec<RawRecord>, usize) -> Result<(), RecordsError>,
) -> Result<(), RecordsError> {
    let (mut chunk, mut bytes) = (Vec::with_capacity(CHUNK_RECORDS), 0);
    let read = items(file, format, &mut |item| {
        bytes += item.bytes();
        chunk.push(item);
        if chunk.len() < CHUNK_RECORDS && bytes < CHUNK_BYTES {
            return Ok(());
        }
        each(std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK_RECORDS)), std::mem::take(&mut bytes))
    });
    each(chunk, bytes).and(read)
}

/// Reads the items of a file one after the other.
fn items(file: File, format: Option<DataFormat>, each: EachItem<'_>) -> Result<(), RecordsError> {
    let mut source = BufReader::with_capacity(BUFFER_BYTES, &file);
    let names_itself =
        format.is_none() && source.fill_buf().map_err(|error| at_start(&error))?.starts_with(parquet::MAGIC);
    if names_itself || format == Some(DataFormat::Parquet) {
        return parquet::read(file, each);
    }
    read_text(source, format, each)
}

fn read_text(mut source: impl BufRead, format: Option<DataFormat>, each: EachItem<'_>) -> Result<(), RecordsError> {
    if source.fill_buf().map_err(|error| at_start(&error))?.starts_with(b"\xef\xbb\xbf") {
        source.consume(3);
    }
    let start = source.fill_buf().map_err(|error| at_start(&error))?;
    let format = match format {
        Some(format) => format,
        None if start.starts_with(parquet::MAGIC) => DataFormat::Parquet,
        None => match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'[') => DataFormat::JsonArray,
            Some(b'{') | None => DataFormat::JsonLines,
            Some(_) => DataFormat::Csv,
        },
    };
    match format {
        DataFormat::JsonLines => lines(source, each),
        DataFormat::JsonArray => array(source, each),
        DataFormat::Csv => table(source, each),
        DataFormat::Parquet => {
            let what = "Parquet is read from a file alone, since its end is read first".to_owned();
            Err(RecordsError { place: "as a whole".to_owned(), what })
        }
    }
}

fn at_start(error: &io::Error) -> RecordsError {
    RecordsError { place: "at its beginning".to_owned(), what: error.to_string() }
}

fn lines(mut source: impl BufRead, each: EachItem<'_>) -> Result<(), RecordsError> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        let place = RecordPosition::Line(number);
        let at = |what: String| place.error(what);
        line.clear();
        // Room for a record and its line end.
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
            each(RawRecord { place, content: RawContent::Json(text.to_owned()) })?;
        }
    }
    Ok(())
}

fn array(source: impl Read, each: EachItem<'_>) -> Result<(), RecordsError> {
    let mut items = Items { each, number: 0, refused: None };
    let mut json = serde_json::Deserializer::from_reader(source);
    let read = (&mut items).deserialize(&mut json).and_then(|()| json.end());
    let place = RecordPosition::Item(items.number);
    match (items.refused, read) {
        (Some(refused), _) => Err(refused),
        (None, Err(error)) => Err(place.error(format!("is no JSON: {error}"))),
        (None, Ok(())) => Ok(()),
    }
}

/// The items of an array, passed on as they are read.
struct Items<'a> {
    each: EachItem<'a>,
    number: u64,
    refused: Option<RecordsError>,
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
            let item = RawRecord {
                place: RecordPosition::Item(self.number),
                content: RawContent::Json(item.get().to_owned()),
            };
            if let Err(refused) = (self.each)(item) {
                self.refused = Some(refused);
                return Err(serde::de::Error::custom("refused"));
            }
            self.number += 1;
        }
        Ok(())
    }
}

fn table(source: impl Read, each: EachItem<'_>) -> Result<(), RecordsError> {
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
        let place = RecordPosition::Line(row.position().map_or(0, csv::Position::line));
        if row.as_slice().len() > RECORD_BYTES_MAX {
            return Err(place.error(format!("has more than {RECORD_BYTES_MAX} bytes")));
        }
        let fields: Map<String, Value> =
            headers.iter().zip(row.iter()).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect();
        let bytes = row.as_slice().len();
        each(RawRecord { place, content: RawContent::Cells(Value::Object(fields), bytes) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;
    use assize_eval::record::Record;

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
    fn the_format_is_detected_from_the_first_bytes() {
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

    /// Maps numbered records. Returns the numbers that were passed on, and the error.
    fn mapped(text: &str, map: &(dyn Fn(usize) -> Result<usize, String> + Sync), last: usize) -> (Vec<usize>, String) {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text.as_bytes()).and_then(|()| file.rewind()).expect("it is written");
        let mut received = Vec::new();
        let map = |at: usize, item: RawRecord| item.value().and_then(|_| map(at));
        let ended = map_file(file, None, &map, &mut |at| {
            received.push(at);
            if at == last { Err("enough".to_owned()) } else { Ok(()) }
        });
        (received, ended.map_or_else(|error| error.to_string(), |()| String::new()))
    }

    #[test]
    fn the_first_fault_ends_it_wherever_it_is_found() {
        let lines = |count: usize| (0..count).map(|at| format!("{{\"id\":\"{at}\"}}\n")).collect::<String>();
        let many = 5 * CHUNK_RECORDS + 7;
        let sound = |at: usize| Ok(at);
        let all: Vec<usize> = (0..many).collect();
        assert_eq!(mapped(&lines(many), &sound, many), (all.clone(), String::new()));
        assert_eq!(mapped("", &sound, 0), (Vec::new(), String::new()));
        for at in [0, 1, CHUNK_RECORDS - 1, CHUNK_RECORDS, 3 * CHUNK_RECORDS + 1, many - 1] {
            let fault = |is: usize| if is >= at { Err("is wrong".to_owned()) } else { Ok(is) };
            let line = at + 1;
            assert_eq!(mapped(&lines(many), &fault, many), (all[..at].to_vec(), format!("line {line}: is wrong")));
            assert_eq!(mapped(&lines(many), &sound, at), (all[..=at].to_vec(), format!("line {line}: enough")));
            // An unreadable record after readable ones is reported only if they are accepted.
            let broken = lines(many) + "{";
            assert_eq!(mapped(&broken, &fault, many).1, format!("line {line}: is wrong"));
            assert!(mapped(&broken, &sound, many).1.starts_with(&format!("line {}: is no JSON", many + 1)));
        }
    }

    #[test]
    fn no_record_follows_a_failed_worker() {
        let lines: String = (0..6 * CHUNK_RECORDS).map(|at| format!("{{\"id\":\"{at}\"}}\n")).collect();
        let received = std::sync::Mutex::new(Vec::new());
        let run = || {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(lines.as_bytes()).and_then(|()| file.rewind()).expect("it is written");
            let map =
                |at: usize, _: RawRecord| if at == CHUNK_RECORDS + 3 { panic!("a fault of ours") } else { Ok(at) };
            map_file(file, None, &map, &mut |at| {
                received.lock().expect("one thread").push(at);
                Ok(())
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        assert_eq!(received.into_inner().expect("one thread"), (0..CHUNK_RECORDS).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_place() {
        for (text, expected_message) in [
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
            assert!(error.contains(expected_message), "{text:?}: {error}");
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
    fn what_is_worked_on_at_a_time_comes_in_order_and_its_first_fault_is_named() {
        let file = |lines: &[String]| {
            let mut file = tempfile::tempfile().expect("a file");
            io::Write::write_all(&mut file, lines.join("\n").as_bytes()).expect("written");
            io::Seek::rewind(&mut file).expect("rewound");
            file
        };
        let mapped = |file: File, refuses: usize| {
            let mut seen = Vec::new();
            let map = |at: usize, item: RawRecord| {
                let value = item.value()?;
                if at == refuses { Err("no".to_owned()) } else { Ok((at, value["id"].clone())) }
            };
            let read = map_file(file, None, &map, &mut |one| {
                seen.push(one);
                Ok(())
            });
            (seen, read.err().map(|error| error.to_string()))
        };
        let mut lines: Vec<String> = (0..100 * CHUNK_RECORDS + 1).map(|at| format!("{{\"id\":{at}}}")).collect();
        let (seen, error) = mapped(file(&lines), usize::MAX);
        assert_eq!(error, None);
        assert_eq!(seen, (0..lines.len()).map(|at| (at, Value::from(at))).collect::<Vec<_>>());
        let (seen, error) = mapped(file(&lines), 300);
        assert_eq!((seen.len(), error.as_deref()), (300, Some("line 301: no")));
        // More bytes than may be in memory.
        let large = "x".repeat(RECORD_BYTES_MAX - 100);
        let large: Vec<String> = (0..16).map(|at| format!("{{\"id\":{at},\"text\":\"{large}\"}}")).collect();
        assert!(large.iter().map(String::len).sum::<usize>() > CHUNKS_BYTES);
        let (seen, error) = mapped(file(&large), usize::MAX);
        assert_eq!((seen, error), ((0..16).map(|at| (at, Value::from(at))).collect::<Vec<_>>(), None));
        // The line that is not valid text comes after one that is not a record.
        lines[3] = "{".to_owned();
        lines[5] = "x".repeat(RECORD_BYTES_MAX + 10);
        let (seen, error) = mapped(file(&lines), usize::MAX);
        assert_eq!(seen.len(), 3);
        assert!(error.is_some_and(|error| error.starts_with("line 4: is no JSON")));
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
