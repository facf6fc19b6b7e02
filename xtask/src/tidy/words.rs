//! Words that have a better one: `words.txt` lists them for names and for texts.

use std::collections::BTreeSet;
use std::fmt;

use regex::Regex;
use tree_sitter::Node;

use crate::shell::Result;
use crate::syntax::{RustSource, line};

const LIST: &str = include_str!("words.txt");

/// A word, and what to write instead.
#[derive(Debug)]
struct Banned {
    word: String,
    instead: String,
    /// Identifiers, and beginnings of paths, for which it is not banned.
    kept: Vec<String>,
    /// What finds it in texts; `None` for a word of names.
    pattern: Option<Regex>,
}

impl Banned {
    fn is_kept(&self, path: &str, identifier: &str) -> bool {
        self.kept.iter().any(|kept| kept == identifier || (kept.contains('/') && path.starts_with(kept.as_str())))
    }
}

/// A place where a banned word is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BannedWord {
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
    /// The word, as the list has it.
    pub word: String,
    /// What is there.
    pub found: String,
    /// What to write instead.
    pub instead: String,
}

impl fmt::Display for BannedWord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: `{}`; instead: {}", self.path, self.line, self.found, self.instead)
    }
}

/// Finds the banned words of sources, and of Markdown and TOML files, given as paths and texts. An identifier counts
/// once in a file.
pub fn find(sources: &[RustSource], texts: &[(String, String)]) -> Result<Vec<BannedWord>> {
    find_of(&list(LIST)?, sources, texts)
}

fn find_of(list: &[Banned], sources: &[RustSource], texts: &[(String, String)]) -> Result<Vec<BannedWord>> {
    let mut found = Vec::new();
    for source in sources {
        in_names(list, source, &mut found);
        if !source.is_test {
            in_literals(list, source, &mut found);
            in_comments(list, source, &mut found);
        }
    }
    for (path, text) in texts {
        in_text(list, path, text, 1, &mut found);
    }
    found.sort();
    Ok(found)
}

fn list(text: &str) -> Result<Vec<Banned>> {
    let mut in_texts = false;
    let mut list = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            in_texts = line == "[texts]";
            continue;
        }
        let mut parts = line.split('\t');
        let (Some(word), Some(instead)) = (parts.next(), parts.next()) else {
            return Err(format!("words.txt: `{line}` does not say what to write instead"));
        };
        let kept = parts.next().map(|kept| kept.split(',').map(|kept| kept.trim().to_owned()).collect());
        // The lines of a literal end in a backslash.
        let pattern = format!("(?i)\\b(?:{})\\b", word.replace(' ', "[\\s\\\\]+"));
        let pattern = in_texts.then(|| Regex::new(&pattern).map_err(|error| error.to_string())).transpose()?;
        list.push(Banned {
            word: word.to_owned(),
            instead: instead.to_owned(),
            kept: kept.unwrap_or_default(),
            pattern,
        });
    }
    Ok(list)
}

fn in_names(list: &[Banned], source: &RustSource, found: &mut Vec<BannedWord>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    source.visit(&mut |node| {
        let name = source.of(node);
        if !matches!(node.kind(), "identifier" | "type_identifier" | "field_identifier" | "shorthand_field_identifier")
            || !seen.insert(name)
        {
            return true;
        }
        let words = words_of(name);
        let is_type = name.starts_with(char::is_uppercase) && !name.contains('_');
        for banned in list.iter().filter(|banned| banned.pattern.is_none() && !banned.is_kept(&source.path, name)) {
            let whole_type = banned.word.starts_with(char::is_uppercase);
            let is_word = |word: &String| *word == banned.word || word.strip_suffix('s') == Some(&banned.word);
            if if whole_type { is_type && name == banned.word } else { words.iter().any(is_word) } {
                found.push(place(banned, &source.path, line(node), name));
            }
        }
        true
    });
}

/// The words of a name, in lower case: those of `snake_case` and of `CamelCase`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        after_small = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// Looks at the string literals outside of tests.
fn in_literals(list: &[Banned], source: &RustSource, found: &mut Vec<BannedWord>) {
    source.visit(&mut |node| {
        if matches!(node.kind(), "string_literal" | "raw_string_literal") {
            in_text(list, &source.path, source.of(node), line(node), found);
        }
        !is_test_item(source, node)
    });
}

/// Looks at comments, each with its neighbours, since a phrase may begin on one line and end on the next.
fn in_comments(list: &[Banned], source: &RustSource, found: &mut Vec<BannedWord>) {
    let mut lines = source.text.lines().map(|line| line.trim_start().strip_prefix("//")).enumerate().peekable();
    while let Some((index, comment)) = lines.next() {
        let Some(comment) = comment else { continue };
        let mut text = comment.to_owned();
        while let Some((_, Some(next))) = lines.next_if(|(_, next)| next.is_some()) {
            text.push('\n');
            text.push_str(next.trim_start_matches(['/', '!']));
        }
        in_text(list, &source.path, &text, index + 1, found);
    }
}

fn is_test_item(source: &RustSource, node: Node<'_>) -> bool {
    matches!(node.kind(), "mod_item" | "function_item") && source.is_test_only(node)
}

fn in_text(list: &[Banned], path: &str, text: &str, first_line: usize, found: &mut Vec<BannedWord>) {
    for banned in list.iter().filter(|banned| !banned.is_kept(path, "")) {
        let Some(pattern) = &banned.pattern else { continue };
        for hit in pattern.find_iter(text) {
            let line = first_line + text[..hit.start()].matches('\n').count();
            found.push(place(banned, path, line, hit.as_str()));
        }
    }
}

fn place(banned: &Banned, path: &str, line: usize, found: &str) -> BannedWord {
    let (path, found) = (path.to_owned(), found.split_whitespace().collect::<Vec<_>>().join(" "));
    BannedWord { path, line, word: banned.word.clone(), found, instead: banned.instead.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_all;

    const WORDS: &str = "[identifiers]\ndesk\thandler\tdesk_lamp\nSaid\treply\n[texts]\nput right\tfix\tdocs/old/\n";

    fn found(rust: &str, markdown: &str) -> Vec<String> {
        let sources = parse_all(&[("a.rs".to_owned(), rust.to_owned())]).expect("parsed");
        let pages = [("docs/a.md".to_owned(), markdown.to_owned()), ("docs/old/a.md".to_owned(), markdown.to_owned())];
        let found = find_of(&list(WORDS).expect("a list"), &sources, &pages).expect("found");
        found.iter().map(|it| format!("{}:{} {}", it.path, it.line, it.found)).collect()
    }

    #[test]
    fn names_are_taken_apart_and_types_are_whole() {
        for (rust, expected) in [
            (
                "struct ReviewDesk; fn f(desk: Desk) {}\nfn g(desk: u8) {}",
                &["a.rs:1 Desk", "a.rs:1 ReviewDesk", "a.rs:1 desk"][..],
            ),
            ("fn desks_open() {}\nmod new_desk {}", &["a.rs:1 desks_open", "a.rs:2 new_desk"]),
            ("fn desktop() {} fn f(desk_lamp: u8) {}", &[]),
            ("enum A { Said }\nfn f(said: u8, is_said: u8) {} struct SaidOnce;", &["a.rs:1 Said"]),
            ("// desk\nconst A: &str = \"desk Said\";", &[]),
        ] {
            assert_eq!(found(rust, ""), expected, "{rust}");
        }
    }

    #[test]
    fn phrases_are_found_in_literals_and_in_pages_across_lines() {
        let product = "const A: &str = \"it is\\n put \\\n right\";\nfn put_right() {}\n";
        let test = "#[cfg(test)]\nmod tests { const B: &str = \"put right\"; }";
        let rust = format!("{product}{test}");
        assert_eq!(found(&rust, ""), ["a.rs:1 put \\ right"]);
        assert_eq!(found("", "One.\nHe Put\nright it, output rights.\n"), ["docs/a.md:2 Put right"]);
    }

    #[test]
    fn phrases_are_found_in_comments_across_lines() {
        let rust = "fn f() {}\n    /// It is put\n    /// right here.\nfn g() {} // put\n// Right.\n";
        assert_eq!(found(rust, ""), ["a.rs:2 put right"]);
        assert_eq!(
            found("//! One.\n//! Put right.\nfn f() {}\n// put right", ""),
            ["a.rs:2 Put right", "a.rs:4 put right"]
        );
    }

    #[test]
    fn a_phrase_may_have_its_object_in_the_middle() {
        let list = list(LIST).expect("a list");
        for (text, expected) in [
            ("Put a change right: judge it", &["Put a change right"][..]),
            ("put it\nright or remove it", &["put it right"]),
            ("it puts the old file right", &["puts the old file right"]),
            ("learn whom to believe", &["whom to believe"]),
            ("put the words on the right, put the right one first", &[]),
            ("put it in the right place", &[]),
        ] {
            let pages = [("docs/a.md".to_owned(), text.to_owned())];
            let found = find_of(&list, &[], &pages).expect("found");
            assert_eq!(found.iter().map(|it| it.found.as_str()).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn every_line_of_the_list_can_be_read() {
        assert!(list(LIST).expect("a list").len() > 40);
        assert!(list("[texts]\nalone\n").is_err());
        assert!(list("[texts]\n(\topen\n").is_err());
    }
}
