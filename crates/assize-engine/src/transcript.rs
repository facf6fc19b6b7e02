//! Reads transcripts from disk line by line, with constant memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use assize_stop::transcript::{FactsBuilder, StopMark, TranscriptFacts, TranscriptKind};
use serde::de::IgnoredAny;

use crate::regular_file;

/// The longest line that is read, in bytes. Longer ones are skipped and reported.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The largest transcript in a single-document format, in bytes.
pub const DOCUMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes and lines from which it is told whose transcript a file is, and which project it belongs to.
const HEAD_BYTES_MAX: u64 = 1024 * 1024;
const HEAD_LINES_MAX: usize = 50;
/// How long a transcript without the agent's final message is waited for.
pub const LAG_MAX: Duration = Duration::from_millis(500);
/// The time between two looks at a transcript that lags behind.
const LAG_STEP: Duration = Duration::from_millis(5);

/// Reads the facts of a transcript.
///
/// An agent's harness can call a hook before it has written what it tells: Claude Code 2.1.197
/// writes the last result and the final message 20 to 50 ms later. So a transcript that does not
/// end with `final_message` is read on as it grows, for at most [`LAG_MAX`].
///
/// # Errors
///
/// Fails if the file cannot be read, or is a document larger than [`DOCUMENT_BYTES_MAX`].
pub fn read_facts(path: &Path, kind: TranscriptKind, final_message: Option<&str>) -> io::Result<TranscriptFacts> {
    let lag = Lag { final_message, until: Instant::now() + LAG_MAX };
    read(path, kind, &lag, FactsBuilder::default).map(FactsBuilder::finish)
}

/// Reads a past session: its facts, and the places at which the agent stopped.
///
/// # Errors
///
/// Fails if the file cannot be read, or is a document larger than [`DOCUMENT_BYTES_MAX`].
pub fn read_session(path: &Path, kind: TranscriptKind) -> io::Result<(TranscriptFacts, Vec<StopMark>)> {
    let lag = Lag { final_message: None, until: Instant::now() };
    read(path, kind, &lag, FactsBuilder::of_all_stops).map(FactsBuilder::finish_with_stops)
}

/// Reads the first lines of a transcript, as far as they are JSON; a document is one line.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn first_lines(path: &Path) -> io::Result<Vec<serde_json::Value>> {
    let mut start = Vec::new();
    open(path)?.take(HEAD_BYTES_MAX).read_to_end(&mut start)?;
    let lines = start.split(|byte| *byte == b'\n').take(HEAD_LINES_MAX);
    let read: Vec<serde_json::Value> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if !read.is_empty() || !start.trim_ascii_start().starts_with(b"{") {
        return Ok(read);
    }
    let mut whole = Vec::new();
    open(path)?.take(DOCUMENT_BYTES_MAX).read_to_end(&mut whole)?;
    Ok(serde_json::from_slice(&whole).into_iter().collect())
}

fn read(path: &Path, kind: TranscriptKind, lag: &Lag<'_>, begin: fn() -> FactsBuilder) -> io::Result<FactsBuilder> {
    if kind.is_document() { read_document(path, kind, lag, begin) } else { read_lines(open(path)?, kind, lag, begin()) }
}

/// Opens a transcript, which may lie behind a link. A pipe or a device in its place would never end.
fn open(path: &Path) -> io::Result<File> {
    regular_file::open(&path.canonicalize()?)
}

/// What a transcript is waited for, and how long.
struct Lag<'a> {
    final_message: Option<&'a str>,
    until: Instant,
}

impl Lag<'_> {
    /// Waits a moment if the transcript lags behind; returns whether it is to be looked at again.
    fn waits(&self, facts: &FactsBuilder) -> bool {
        let lags = self.final_message.is_some_and(|message| !facts.ends_with(message));
        let again = lags && Instant::now() < self.until;
        if again {
            thread::sleep(LAG_STEP);
        }
        again
    }
}

fn read_document(
    path: &Path,
    kind: TranscriptKind,
    lag: &Lag<'_>,
    begin: fn() -> FactsBuilder,
) -> io::Result<FactsBuilder> {
    let mut bytes = Vec::new();
    loop {
        // A document may be replaced by another one.
        let file = open(path)?;
        let size = file.metadata()?.len();
        if size > DOCUMENT_BYTES_MAX {
            return Err(io::Error::other(format!("the transcript has {size} bytes, more than {DOCUMENT_BYTES_MAX}")));
        }
        bytes.clear();
        file.take(DOCUMENT_BYTES_MAX).read_to_end(&mut bytes)?;
        let mut facts = begin();
        kind.format().document(&bytes, &mut facts);
        if !lag.waits(&facts) {
            return Ok(facts);
        }
    }
}

fn read_lines(file: File, kind: TranscriptKind, lag: &Lag<'_>, mut facts: FactsBuilder) -> io::Result<FactsBuilder> {
    let mut format = kind.format();
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    loop {
        let room = (LINE_BYTES_MAX + 1 - line.len()) as u64;
        (&mut reader).take(room).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            facts.next_line();
            format.line(&line, &mut facts);
        } else if line.len() > LINE_BYTES_MAX {
            facts.next_line();
            facts.limit(format!("lines longer than {LINE_BYTES_MAX} bytes were passed over"));
            skip_line(&mut reader)?;
        } else if !line.is_empty() && is_whole(&line) {
            // The end of the file, whose last line may do without a line feed.
            facts.next_line();
            format.line(&line, &mut facts);
        } else if lag.waits(&facts) {
            continue;
        } else {
            if !line.is_empty() {
                format.line(&line, &mut facts);
            }
            return Ok(facts);
        }
        line.clear();
    }
}

/// Returns whether a line at the end of a file has been written to its end.
fn is_whole(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(index) => (index + 1, true),
            None => (buffer.len(), false),
        };
        reader.consume(used);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write as _;

    const LINE: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#;

    fn facts(contents: &[u8]) -> TranscriptFacts {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(contents).expect("written");
        read_facts(file.path(), TranscriptKind::ClaudeCode, None).expect("readable")
    }

    fn last(facts: &TranscriptFacts) -> Option<&str> {
        facts.last_message.as_ref().map(|message| message.inspect())
    }

    #[test]
    fn a_transcript_is_read_whether_it_is_one_document_or_lines() {
        let messages = r#"{"id":"u1","type":"user","content":"go"},{"id":"g1","type":"gemini","content":"Done."}"#;
        let lines = messages.replace("},{", "}\n{");
        for contents in [format!(r#"{{"sessionId":"s","messages":[{messages}]}}"#), lines] {
            let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
            file.write_all(contents.as_bytes()).expect("written");
            let facts = read_facts(file.path(), TranscriptKind::Gemini, None).expect("readable");
            assert_eq!((last(&facts), facts.last_prompt_step), (Some("Done."), 1), "{contents}");
        }
    }

    /// Writes a transcript whose last line comes late, in two pieces, and reads it meanwhile.
    fn late(kind: TranscriptKind, early: &str, whole: &str, awaited: &str) -> TranscriptFacts {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(early.as_bytes()).expect("written");
        let path = file.path().to_owned();
        thread::scope(|scope| {
            scope.spawn(|| {
                let rest = &whole[early.len()..];
                let (first, second) = rest.split_at(rest.len() / 2);
                for piece in [first, second] {
                    thread::sleep(LAG_STEP * 4);
                    file.write_all(piece.as_bytes()).expect("written");
                }
            });
            read_facts(&path, kind, Some(awaited)).expect("readable")
        })
    }

    #[test]
    fn a_transcript_that_lags_behind_is_waited_for() {
        let earlier = LINE;
        let early = format!("{earlier}\n{}\n", r#"{"type":"user","message":{"content":"And the tests?"}}"#);
        let facts = late(TranscriptKind::ClaudeCode, &early, &format!("{early}{LINE}\n"), " Done.\n");
        assert_eq!((last(&facts), &facts.limits[..]), (Some("Done."), &[][..]));
        let document =
            r#"{"messages":[{"id":"u1","type":"user","content":"go"},{"id":"g1","type":"gemini","content":"Done."}]}"#;
        let facts = late(TranscriptKind::Gemini, "", document, "Done.");
        assert_eq!((last(&facts), facts.last_prompt_step), (Some("Done."), 1));
    }

    #[test]
    fn a_document_that_is_replaced_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("now.json"), r#"{"messages":[]}"#).expect("written");
        let document = r#"{"messages":[{"id":"g1","type":"gemini","content":"Done."}]}"#;
        let facts = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(LAG_STEP * 4);
                fs::write(at("next.json"), document).expect("written");
                fs::rename(at("next.json"), at("now.json")).expect("replaced");
            });
            read_facts(&at("now.json"), TranscriptKind::Gemini, Some("Done.")).expect("readable")
        });
        assert_eq!(last(&facts), Some("Done."));
    }

    #[test]
    fn a_message_that_never_comes_is_not_waited_for_without_end() {
        let whole = format!("{LINE}\n");
        let begun = Instant::now();
        let facts = late(TranscriptKind::ClaudeCode, &whole, &whole, "Something else.");
        assert_eq!(last(&facts), Some("Done."));
        assert!(begun.elapsed() >= LAG_MAX);
    }

    #[test]
    fn the_last_line_counts_without_a_line_feed() {
        assert_eq!(last(&facts(LINE.as_bytes())), Some("Done."));
        assert_eq!(last(&facts(format!("\r\n{LINE}\r\n").as_bytes())), Some("Done."));
    }

    #[test]
    fn a_line_is_read_up_to_its_limit_and_passed_over_beyond_it() {
        let padded = |bytes: usize| {
            let mut text = LINE.to_owned();
            text.push_str(&" ".repeat(bytes - LINE.len() - 1));
            text.push('\n');
            text
        };
        assert_eq!(last(&facts(padded(LINE_BYTES_MAX).as_bytes())), Some("Done."));
        let over = facts(format!("{}x\n{{}}\n", padded(LINE_BYTES_MAX + 1).trim_end_matches('\n')).as_bytes());
        assert_eq!((last(&over), over.limits.len()), (None, 1));
    }
}
