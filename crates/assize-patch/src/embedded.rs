//! A patch document as models hand it in: in a code fence of any language, with words above and below.
//!
//! A text may hold one document only: of two, it is unclear which one is meant. This module does not check
//! whether the document is sound.

use assize_core::violation::Violation;
use serde_json::Value;

/// Most places of a text at which a document may begin that are tried.
const BEGINNINGS_MAX: usize = 100;

/// Finds the document in a text; nothing if there is none.
///
/// # Errors
///
/// Says that there are several.
pub(super) fn embedded(text: &str) -> Result<Option<&str>, Violation> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    if memchr::memmem::find(text.as_bytes(), b"\"ops\"").is_none() {
        return Ok(None);
    }
    let mut from = 0;
    for _ in 0..BEGINNINGS_MAX {
        let Some(at) = text.get(from..).and_then(beginning).map(|at| from + at) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let end = at + values.byte_offset();
                if value.get("ops").is_some() {
                    found.push((&text[at..end], text[..at].matches('\n').count() + 1));
                }
                from = end;
            }
            _ => from = at + 1,
        }
    }
    match found.as_slice() {
        [] => Ok(None),
        [(document, _)] => Ok(Some(document)),
        [_, (_, line), ..] => {
            Err(Violation::new(format!("line {line}"), "a second patch document begins; hand them in one by one"))
        }
    }
}

/// Returns where an object may begin: with a brace that is the first of its line, or that stands behind words with a colon.
fn beginning(text: &str) -> Option<usize> {
    let is_first = |at: usize| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let words = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        words.is_empty() || words.ends_with(':') && !words.contains(['{', '[', '"'])
    };
    memchr::memchr_iter(b'{', text.as_bytes()).find(|at| is_first(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "{\"ops\": [{\"kind\": \"remove\", \"path\": \"a\"}]}";

    #[test]
    fn one_document_is_found_among_words_and_fences() {
        for text in [
            PATCH.to_owned(),
            format!("```json\n{PATCH}\n```\n"),
            format!("````\n  {PATCH}\n````"),
            format!("Here it is:\n\n{PATCH}\n\nIt removes `a`."),
            format!("Here it is: {PATCH}\nIt removes `a`."),
            format!("A map is `{{}}`.\n{{\"a\": 1}}\n~~~jsonc\n{PATCH}\n~~~"),
        ] {
            assert_eq!(embedded(&text), Ok(Some(PATCH)), "{text}");
        }
    }

    #[test]
    fn none_and_several_are_told_apart() {
        for text in [
            "",
            "words",
            "{\"a\": 1}",
            "{\"ops\": [",
            "in a line {\"ops\": []}",
            "{\"a\": {\"ops\": []}",
            "\"a\": {\"ops\": []}",
        ] {
            assert_eq!(embedded(text), Ok(None), "{text}");
        }
        for second in [PATCH.to_owned(), PATCH.replace("\"a\"", "\"b\"")] {
            assert_eq!(embedded(&format!("{PATCH}\n{second}")).expect_err("two").at, "line 2");
        }
    }
}
