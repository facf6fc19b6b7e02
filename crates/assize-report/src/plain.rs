//! The text of what a tool wrote to a terminal, without what only a terminal needs.
//!
//! Colours, carriage returns and bytes that are no UTF-8 must not decide how a report is read. This
//! module must not know any format.

use std::borrow::Cow;

use super::{REPORT_BYTES_MAX, ReportError};

/// Decodes output, and takes out escape sequences and carriage returns at the ends of lines.
///
/// # Errors
///
/// The output is larger than [`REPORT_BYTES_MAX`].
pub fn plain(bytes: &[u8]) -> Result<String, ReportError> {
    if bytes.len() > REPORT_BYTES_MAX {
        return Err(ReportError::TooLarge(format!("{REPORT_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(without_escapes(text).into_owned())
}

/// Returns a text without what only a terminal understands.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\r']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('\r') { carriage_return(rest) } else { escape(rest) };
        if length == 0 {
            // A carriage return within a line begins the line anew; what follows stands on a line of its own.
            plain.push('\n');
            rest = &rest[1..];
        }
        rest = &rest[length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Length of a carriage return that only ends a line; 0 when it stands within one.
fn carriage_return(text: &str) -> usize {
    let returns = text.len() - text.trim_start_matches('\r').len();
    let ends = text[returns..].is_empty() || text[returns..].starts_with('\n');
    if ends { returns } else { 0 }
}

/// Length of the escape sequence that a text begins with.
fn escape(text: &str) -> usize {
    let body = &text[1..];
    let Some(kind) = body.chars().next() else { return 1 };
    match kind {
        // A control sequence: parameters, then one final character.
        '[' => body[1..].find(|c: char| ('@'..='~').contains(&c)).map_or(text.len(), |at| at + 3),
        // A title or a link: up to a bell or a string terminator.
        ']' => match (body.find('\u{7}'), body.find("\u{1b}\\")) {
            (Some(bell), Some(end)) if end < bell => end + 3,
            (Some(bell), _) => bell + 2,
            (None, Some(end)) => end + 3,
            (None, None) => 1,
        },
        // Choosing a set of characters, such as `ESC ( B`.
        '(' | ')' => body[1..].chars().next().map_or(2, |set| 2 + set.len_utf8()),
        _ => 1 + kind.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_terminal_needs_is_taken_out() {
        for (bytes, text) in [
            (&b"plain\n"[..], "plain\n"),
            (b"\x1b[31mtest a\x1b[0m ... \x1b[1;31mFAILED\x1b[m\x1b(B\r\n", "test a ... FAILED\n"),
            (b"\x1b]8;;file:///a\x1b\\a.py\x1b]8;;\x1b\\:1", "a.py:1"),
            (b"\x1b]0;title\x07x", "x"),
            (b"a\r\r\nb\r", "a\nb"),
            (b"10%\r100%\n", "10%\n100%\n"),
            (b"\xef\xbb\xbf[]", "[]"),
            (b"\xff\x1b", "\u{fffd}"),
            (b"\x1b[31", ""),
            (b"\x1b(", ""),
        ] {
            assert_eq!(plain(bytes).unwrap(), text, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn output_is_read_up_to_its_limit() {
        assert!(plain(&vec![b'a'; REPORT_BYTES_MAX]).is_ok());
        assert!(matches!(plain(&vec![b'a'; REPORT_BYTES_MAX + 1]), Err(ReportError::TooLarge(_))));
    }
}
