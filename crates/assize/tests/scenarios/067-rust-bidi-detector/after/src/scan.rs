//! Finds characters that are not seen.

/// Finds invisible characters; returns byte offsets and names.
pub fn invisible(text: &str) -> Vec<(usize, &'static str)> {
    text.char_indices().filter_map(|(offset, c)| name(c).map(|name| (offset, name))).collect()
}

fn name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{200B}' => "zero width space",
        '\u{200C}' => "zero width non-joiner",
        '\u{200D}' => "zero width joiner",
        '\u{FEFF}' => "byte order mark",
        '\u{202A}'..='\u{202E}' => "bidi embedding or override",
        '\u{2066}'..='\u{2069}' => "bidi isolate",
        '\u{E0000}'..='\u{E007F}' => "tag character",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_an_override() {
        assert_eq!(invisible("a\u{202E}b"), [(1, "bidi embedding or override")]);
    }

    #[test]
    fn finds_tags_and_zero_widths() {
        let names: Vec<_> = invisible("\u{E0041}\u{200B}").into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["tag character", "zero width space"]);
    }

    #[test]
    fn plain_text_is_clean() {
        assert!(invisible("plain, naïve, 日本語").is_empty());
    }
}
