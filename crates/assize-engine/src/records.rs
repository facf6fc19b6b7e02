//! Reads a data set, one record at a time: JSON lines, a JSON array, CSV, or Parquet.
//!
//! Whatever the size of a data set, one record is held at a time, or a few hundred where many are worked on together. What cannot be read ends the reading with its place: to leave
//! one out would be to report on another data set. Verdicts that were made elsewhere are read by the same means. What a
//! record is worth must not be known here.

pub mod parquet;
pub mod table;

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};

use assize_core::record::{RECORD_BYTES_MAX, read_json};
use assize_core::rubric::clause::EVALUATION_STACK;
use assize_core::text::quote;
use rayon::{ThreadPool, ThreadPoolBuilder};
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
    /// Parquet: a row a record.
    Parquet,
}

impl DataFormat {
    /// Every form, with the ids that users type.
    pub const ALL: [(&'static str, Self); 4] =
        [("jsonl", Self::JsonLines), ("json", Self::JsonArray), ("csv", Self::Csv), ("parquet", Self::Parquet)];

    /// Returns the form with an id.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == id).map(|(_, format)| format)
    }

    /// Returns the form that a file's name stands for, where it stands for one.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
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

/// Who works on them. A clause is computed on a stack of its own where the thread's does not suffice, which takes longer than the clause.
/// Where no thread can be had, everything is done by the one that asks.
static WORKERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    ThreadPoolBuilder::new().thread_name(|at| format!("records-{at}")).stack_size(2 * EVALUATION_STACK).build().ok()
});

/// Where a record stands, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a line.
    Line(u64),
    /// In a list.
    Item(u64),
    /// In a table without lines.
    Row(u64),
}

impl Place {
    fn error(self, what: String) -> RecordsError {
        RecordsError { place: self.to_string(), what }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(at) => write!(formatter, "line {at}"),
            Self::Item(at) => write!(formatter, "item {at}"),
            Self::Row(at) => write!(formatter, "row {at}"),
        }
    }
}

/// One record as it stands in its source.
pub struct Item {
    place: Place,
    content: Content,
}

enum Content {
    /// JSON that nobody has read yet.
    Json(String),
    /// The cells of a row, and how many bytes they have, as JSON or more.
    Cells(Value, usize),
}

impl Item {
    /// Returns its JSON, where it stands there as such.
    pub fn json(&self) -> Option<&str> {
        match &self.content {
            Content::Json(json) => Some(json),
            Content::Cells(..) => None,
        }
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// Says why it cannot be read.
    pub fn value(self) -> Result<Value, String> {
        match self.content {
            Content::Json(json) => read_json(&json),
            Content::Cells(value, _) => Ok(value),
        }
    }

    /// Returns how much it holds, about.
    fn bytes(&self) -> usize {
        match &self.content {
            Content::Json(json) => json.len(),
            Content::Cells(_, bytes) => CELLS_BYTES + CELLS_FACTOR * bytes,
        }
    }
}

/// What is done with an item. An error ends the reading.
pub type EachItem<'a> = &'a mut dyn FnMut(Item) -> Result<(), RecordsError>;
/// What is done with a record. An error ends the reading.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<(), String>;

/// What a row of a table counts for, in bytes, and each byte of it: a list of small numbers takes many times its text.
const CELLS_BYTES: usize = 512;
const CELLS_FACTOR: usize = 16;
/// Records that one thread works on together, and bytes of them.
const CHUNK_RECORDS: usize = 64;
const CHUNK_BYTES: usize = 1 << 20;
/// How many such chunks there may be for each thread, and bytes in all of them: what is held does not grow with the number of records.
const CHUNKS_PER_THREAD: usize = 3;
const CHUNKS_BYTES: usize = 12 << 20;

/// Bytes that are read from a file at a time.
const BUFFER_BYTES: usize = 256 * 1024;

/// Reads the records of a file one after the other. Without a format it is told by the first bytes: Parquet names itself, a bracket
/// begins an array, a brace a line, and anything else a table.
///
/// # Errors
///
/// Says which record cannot be read, and why; also where `each` refuses one.
pub fn read_file(file: File, format: Option<DataFormat>, each: Each<'_>) -> Result<(), RecordsError> {
    items(file, format, &mut in_turn(each))
}

/// Reads records out of a stream, as [`read_file`] does; Parquet is read from a file alone.
///
/// # Errors
///
/// Says which record cannot be read, and why; also where `each` refuses one.
pub fn read(source: impl Read, format: Option<DataFormat>, each: Each<'_>) -> Result<(), RecordsError> {
    read_text(BufReader::with_capacity(BUFFER_BYTES, source), format, &mut in_turn(each))
}

fn in_turn(each: Each<'_>) -> impl FnMut(Item) -> Result<(), RecordsError> {
    move |item| {
        let place = item.place;
        item.value().and_then(&mut *each).map_err(|what| place.error(what))
    }
}

/// Reads the records of a file and works on many of them at a time, on all processors; `map` is given a record, which nobody has read yet,
/// and its number, counted from 0, and `each` what came of it, in their order.
///
/// # Errors
///
/// Says which record is the first that cannot be read, and why; also where `map` or `each` refuses one.
pub fn map_file<T: Send>(
    file: File,
    format: Option<DataFormat>,
    map: &(dyn Fn(usize, Item) -> Result<T, String> + Sync),
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    let one = |(at, item): (usize, Item)| (item.place, map(at, item));
    let Some(workers) = &*WORKERS else {
        let mut at = 0;
        return items(file, format, &mut |item| {
            at += 1;
            hand_on([one((at - 1, item))], each)
        });
    };
    let chunks_max = CHUNKS_PER_THREAD * workers.current_num_threads();
    workers.in_place_scope(|scope| {
        // Each chunk is one thread's work; the next are read, and those before handed on, meanwhile.
        let mut at_work: VecDeque<(usize, Receiver<Mapped<T>>)> = VecDeque::with_capacity(chunks_max);
        let (mut done, mut bytes_at_work) = (0, 0);
        let mut begin = |chunk: Vec<Item>| {
            let (first, (sender, receiver)) = (done, channel());
            done += chunk.len();
            let bytes: usize = chunk.iter().map(Item::bytes).sum();
            scope.spawn(move |_| {
                // Nobody waits for it where an earlier one was refused.
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
        // Where the reading broke off, what was read before may have a fault of its own, and an earlier one.
        at_work.iter().try_for_each(|(_, last)| hand_on_from(last, each)).and(read)
    })
}

/// What came of the items of a chunk.
type Mapped<T> = Vec<(Place, Result<T, String>)>;

/// Hands on what comes of a chunk. Of a worker that broke off nothing comes, and its panic goes on at the end of the scope.
fn hand_on_from<T>(
    at_work: &Receiver<Mapped<T>>,
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    let broke_off = |_| RecordsError { place: "in between".to_owned(), what: "a worker broke off".to_owned() };
    hand_on(at_work.recv().map_err(broke_off)?, each)
}

fn hand_on<T>(
    mapped: impl IntoIterator<Item = (Place, Result<T, String>)>,
    each: &mut dyn FnMut(T) -> Result<(), String>,
) -> Result<(), RecordsError> {
    mapped.into_iter().try_for_each(|(place, made)| made.and_then(&mut *each).map_err(|what| place.error(what)))
}

/// Reads what stands in a file, many items at a time. Where it breaks off, what was read before comes all the same.
fn chunks(
    file: File,
    format: Option<DataFormat>,
    each: &mut dyn FnMut(Vec<Item>) -> Result<(), RecordsError>,
) -> Result<(), RecordsError> {
    let (mut chunk, mut bytes) = (Vec::with_capacity(CHUNK_RECORDS), 0);
    let read = items(file, format, &mut |item| {
        bytes += item.bytes();
        chunk.push(item);
        if chunk.len() < CHUNK_RECORDS && bytes < CHUNK_BYTES {
            return Ok(());
        }
        bytes = 0;
        each(std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK_RECORDS)))
    });
    each(chunk).and(read)
}

/// Reads what stands in a file, one item after the other.
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
        let place = Place::Line(number);
        let at = |what: String| place.error(what);
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
            each(Item { place, content: Content::Json(text.to_owned()) })?;
        }
    }
    Ok(())
}

fn array(source: impl Read, each: EachItem<'_>) -> Result<(), RecordsError> {
    let mut items = Items { each, number: 0, refused: None };
    let mut json = serde_json::Deserializer::from_reader(source);
    let read = (&mut items).deserialize(&mut json).and_then(|()| json.end());
    let place = Place::Item(items.number);
    match (items.refused, read) {
        (Some(refused), _) => Err(refused),
        (None, Err(error)) => Err(place.error(format!("is no JSON: {error}"))),
        (None, Ok(())) => Ok(()),
    }
}

/// The items of an array, handed on as they are read.
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
            let item = Item { place: Place::Item(self.number), content: Content::Json(item.get().to_owned()) };
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
        let place = Place::Line(row.position().map_or(0, csv::Position::line));
        if row.as_slice().len() > RECORD_BYTES_MAX {
            return Err(place.error(format!("has more than {RECORD_BYTES_MAX} bytes")));
        }
        let fields: Map<String, Value> =
            headers.iter().zip(row.iter()).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect();
        let bytes = row.as_slice().len();
        each(Item { place, content: Content::Cells(Value::Object(fields), bytes) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

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

    /// Maps records that are numbered; returns the numbers that were handed on, and what ended it.
    fn mapped(text: &str, map: &(dyn Fn(usize) -> Result<usize, String> + Sync), last: usize) -> (Vec<usize>, String) {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text.as_bytes()).and_then(|()| file.rewind()).expect("it is written");
        let mut handed_on = Vec::new();
        let map = |at: usize, item: Item| item.value().and_then(|_| map(at));
        let ended = map_file(file, None, &map, &mut |at| {
            handed_on.push(at);
            if at == last { Err("enough".to_owned()) } else { Ok(()) }
        });
        (handed_on, ended.map_or_else(|error| error.to_string(), |()| String::new()))
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
            // What cannot be read comes later than what was read before it, and is told where that is sound.
            let broken = lines(many) + "{";
            assert_eq!(mapped(&broken, &fault, many).1, format!("line {line}: is wrong"));
            assert!(mapped(&broken, &sound, many).1.starts_with(&format!("line {}: is no JSON", many + 1)));
        }
    }

    #[test]
    fn nothing_is_handed_on_behind_a_worker_that_broke_off() {
        let lines: String = (0..6 * CHUNK_RECORDS).map(|at| format!("{{\"id\":\"{at}\"}}\n")).collect();
        let handed_on = std::sync::Mutex::new(Vec::new());
        let run = || {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(lines.as_bytes()).and_then(|()| file.rewind()).expect("it is written");
            let map = |at: usize, _: Item| if at == CHUNK_RECORDS + 3 { panic!("a fault of ours") } else { Ok(at) };
            map_file(file, None, &map, &mut |at| {
                handed_on.lock().expect("one thread").push(at);
                Ok(())
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        assert_eq!(handed_on.into_inner().expect("one thread"), (0..CHUNK_RECORDS).collect::<Vec<_>>());
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
    fn what_is_worked_on_at_a_time_comes_in_order_and_its_first_fault_is_named() {
        let file = |lines: &[String]| {
            let mut file = tempfile::tempfile().expect("a file");
            io::Write::write_all(&mut file, lines.join("\n").as_bytes()).expect("written");
            io::Seek::rewind(&mut file).expect("rewound");
            file
        };
        let mapped = |file: File, refuses: usize| {
            let mut seen = Vec::new();
            let map = |at: usize, item: Item| {
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
        // More bytes than there may be at work.
        let large = "x".repeat(RECORD_BYTES_MAX - 100);
        let large: Vec<String> = (0..16).map(|at| format!("{{\"id\":{at},\"text\":\"{large}\"}}")).collect();
        assert!(large.iter().map(String::len).sum::<usize>() > CHUNKS_BYTES);
        let (seen, error) = mapped(file(&large), usize::MAX);
        assert_eq!((seen, error), ((0..16).map(|at| (at, Value::from(at))).collect::<Vec<_>>(), None));
        // The line that cannot be read as a text comes after one that is no record.
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
