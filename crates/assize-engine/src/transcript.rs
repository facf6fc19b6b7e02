//! Reads transcripts from disk line by line, with constant memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use assize_stop::transcript::{FactsBuilder, TranscriptFacts, TranscriptKind};

/// The longest line that is read, in bytes. Longer ones are skipped and reported.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The largest transcript in a single-document format, in bytes.
pub const DOCUMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Reads the facts of a transcript.
///
/// # Errors
///
/// Fails if the file cannot be read, or is a document larger than [`DOCUMENT_BYTES_MAX`].
pub fn read_facts(path: &Path, kind: TranscriptKind) -> io::Result<TranscriptFacts> {
    let file = File::open(path)?;
    let mut facts = FactsBuilder::default();
    let mut format = kind.format();
    if kind.is_document() {
        let size = file.metadata()?.len();
        if size > DOCUMENT_BYTES_MAX {
            return Err(io::Error::other(format!("the transcript has {size} bytes, more than {DOCUMENT_BYTES_MAX}")));
        }
        let mut bytes = Vec::new();
        file.take(DOCUMENT_BYTES_MAX).read_to_end(&mut bytes)?;
        format.line(&bytes, &mut facts);
        return Ok(facts.finish());
    }
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(facts.finish());
        }
        if read > LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            facts.limit(format!("lines longer than {LINE_BYTES_MAX} bytes were passed over"));
            skip_line(&mut reader)?;
            continue;
        }
        format.line(&line, &mut facts);
    }
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
    use std::io::Write as _;

    const LINE: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#;

    fn facts(contents: &[u8]) -> TranscriptFacts {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(contents).expect("written");
        read_facts(file.path(), TranscriptKind::ClaudeCode).expect("readable")
    }

    fn last(facts: &TranscriptFacts) -> Option<&str> {
        facts.last_message.as_ref().map(|message| message.inspect())
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
