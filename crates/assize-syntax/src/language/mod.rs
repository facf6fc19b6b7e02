//! Languages: one file each.
//!
//! A language says which files are its, which grammar reads them, and how the nodes of a tree become
//! names and imports. To add one, write `language/yours.rs` and add a line to `languages!`.
//! What is known here is one file's text; it must not look at another file.

mod generated;
mod grammar_gaps;
mod script;
mod walk;

use std::fmt;
use std::ops::ControlFlow;

use assize_core::path::is_declarations;
use assize_ecosystem::{Language, is_script};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::facts::{FileFacts, SkipReason};
use walk::Notes;

pub use generated::GENERATED_HEAD_LINES;

/// Largest file that is parsed, in bytes; for some languages it is less, see [`bytes_max`].
pub const FILE_BYTES_MAX: usize = 1024 * 1024;
/// Longest mean line of a file that is read, in bytes. Above, it was not written by a person.
pub const LINE_BYTES_MEAN_MAX: usize = 500;
/// Syntax errors that are reported of one file.
pub const ERRORS_MAX: usize = 3;
/// Longest part of a line that is shown with a syntax error, in bytes.
pub const ERROR_BYTES_MAX: usize = 200;
/// Parser steps that a file may take for each of its bytes. Sound code takes less than one;
/// only text that is made to confuse a parser takes many.
pub const PARSE_STEPS_PER_BYTE_MAX: usize = 50;
/// Parser steps that every file may take, however small.
pub const PARSE_STEPS_BASE: usize = 100_000;

/// What a language's file offers.
trait LanguageReader {
    /// Words that mean something to the language itself, sorted.
    const KEYWORDS: &'static [&'static str];
    /// Whose rules say what its imports lead to.
    const FAMILY: ResolutionFamily;
    /// Whether its grammar finds no errors in sound code. Where it does, an error tells nothing.
    const ERRORS_ARE_RELIABLE: bool = true;
    /// Largest file that is parsed, in bytes. Less where the time that a parser takes grows faster than the text.
    const BYTES_MAX: usize = FILE_BYTES_MAX;

    /// The grammar that parses it.
    fn grammar() -> tree_sitter::Language;

    /// Notes down what a tree declares and imports.
    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>);
}

/// Languages that share their rules of resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResolutionFamily {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    Script,
    /// Go.
    Go,
    /// Java.
    Java,
}

impl ResolutionFamily {
    /// Tells the family from the ending of the path.
    pub fn of(path: &str) -> Option<Self> {
        // No grammar reads the components of Vue and Svelte, and other scripts import them.
        language_of(path).and_then(family).or_else(|| is_script(path).then_some(Self::Script))
    }
}

macro_rules! languages {
    ($($module:ident: $language:ident,)*) => {
        $(mod $module;)*

        /// The languages that can be read, in the order in which they are shown.
        pub const READ: &[Language] = &[$(Language::$language),*];

        /// Returns the words that mean something to the language itself, sorted; none for one that cannot be read.
        pub fn keywords(language: Language) -> &'static [&'static str] {
            match language {
                $(Language::$language => <$module::$language as LanguageReader>::KEYWORDS,)*
                _ => &[],
            }
        }

        /// Returns the grammar that parses a language; `None` for one that cannot be read.
        pub fn grammar(language: Language) -> Option<tree_sitter::Language> {
            match language {
                $(Language::$language => Some(<$module::$language as LanguageReader>::grammar()),)*
                _ => None,
            }
        }

        fn family(language: Language) -> Option<ResolutionFamily> {
            match language {
                $(Language::$language => Some(<$module::$language as LanguageReader>::FAMILY),)*
                _ => None,
            }
        }

        fn has_reliable_errors(language: Language) -> bool {
            match language {
                $(Language::$language => <$module::$language as LanguageReader>::ERRORS_ARE_RELIABLE,)*
                _ => false,
            }
        }

        /// Returns the largest file of a language that is parsed, in bytes; 0 for one that cannot be read.
        pub fn bytes_max(language: Language) -> usize {
            match language {
                $(Language::$language => <$module::$language as LanguageReader>::BYTES_MAX,)*
                _ => 0,
            }
        }

        /// The sample of each language, from its module's file in `samples/`.
        #[cfg(test)]
        const SAMPLES: &[(Language, &str)] =
            &[$((Language::$language, include_str!(concat!("samples/", stringify!($module), ".txt")))),*];

        fn read_tree<'t>(language: Language, tree: &'t Tree, notes: &mut Notes<'t>) {
            match language {
                $(Language::$language => <$module::$language as LanguageReader>::read(tree, notes),)*
                _ => {}
            }
        }
    };
}

languages! {
    rust: Rust,
    python: Python,
    javascript: JavaScript,
    typescript: TypeScript,
    tsx: Tsx,
    go: Go,
    java: Java,
    kotlin: Kotlin,
}

/// Tells the language of a file that can be read, from its extension.
pub fn language_of(path: &str) -> Option<Language> {
    Language::of(path).filter(|language| READ.contains(language))
}

/// Returns whether the grammar's errors can be relied on. That of TypeScript stumbles over sound declaration files
/// (`export import a = b.c` and the like), which nothing but a type checker reads.
fn tells_errors(path: &str) -> bool {
    language_of(path).is_some_and(has_reliable_errors) && !(is_script(path) && is_declarations(path))
}

/// Reads what a file declares and imports; `None` where no language knows its extension.
pub fn read(path: &str, text: &str) -> Option<FileFacts> {
    FactsReader::new().read(path, text)
}

/// Parses a file; `None` where no language knows its extension, or where it is larger than
/// [`FILE_BYTES_MAX`] or takes more steps than [`PARSE_STEPS_PER_BYTE_MAX`].
pub fn parse(path: &str, text: &str) -> Option<ParsedFile> {
    FactsReader::new().parse(path, text)
}

/// Finds the first syntax errors of a file, each with its line and what stands there.
///
/// Empty where [`parse`] gives nothing, and where the grammar finds errors in sound code, as in
/// declarations of TypeScript.
pub fn errors(path: &str, text: &str) -> Vec<(u32, String)> {
    FactsReader::new().errors(path, text)
}

/// Finds the first syntax errors that a change makes of a sound file, as [`errors`] does, in declarations of TypeScript as well: in such a
/// file the grammar's errors tell something where it found none before.
pub fn errors_in_changed(path: &str, before: &str, after: &str) -> Vec<(u32, String)> {
    if tells_errors(path) {
        return errors(path, after);
    }
    let of = |text: &str| {
        parse(path, text).filter(|_| is_script(path)).map(|parsed| parsed.errors(text)).unwrap_or_default()
    };
    if of(before).is_empty() { of(after) } else { Vec::new() }
}

/// A parsed file.
#[derive(Debug, Clone)]
pub struct ParsedFile {
    /// Its tree.
    pub tree: Tree,
    /// Its language.
    pub language: Language,
}

impl ParsedFile {
    /// The first [`ERRORS_MAX`] syntax errors, each with its line and what stands there.
    pub fn errors(&self, text: &str) -> Vec<(u32, String)> {
        let root = self.tree.root_node();
        if !root.has_error() {
            return Vec::new();
        }
        broken_nodes(root)
            .into_iter()
            .map(|node| {
                let line = text.lines().nth(node.start_position().row).unwrap_or_default().trim();
                (walk::line(node), line[..line.floor_char_boundary(ERROR_BYTES_MAX)].to_owned())
            })
            .collect()
    }
}

fn broken_nodes(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        if found.len() == ERRORS_MAX {
            break;
        }
        if node.is_error() || node.is_missing() {
            found.push(node);
            continue;
        }
        let place = left.len();
        left.extend(walk::children(node).filter(|child| child.has_error() || child.is_missing()));
        left[place..].reverse();
    }
    found
}

/// Reads files, one after the other: it keeps its parsers. Each thread has its own.
#[derive(Default)]
pub struct FactsReader {
    /// By language.
    parsers: [Option<Parser>; Language::ALL.len()],
}

impl fmt::Debug for FactsReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl FactsReader {
    /// Makes a reader. A grammar is loaded only when a file needs it.
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`read`].
    pub fn read(&mut self, path: &str, text: &str) -> Option<FileFacts> {
        let language = language_of(path)?;
        let lines = line_count(text);
        let passed_over = |why| FileFacts { lines, passed_over: Some(why), ..FileFacts::default() };
        if let Some(why) = unfit(language, text, lines) {
            return Some(passed_over(why));
        }
        let Some(tree) = self.tree(language, text) else { return Some(passed_over(SkipReason::TooHard)) };
        let mut notes = Notes::new(path, text);
        read_tree(language, &tree, &mut notes);
        Some(notes.finish(lines, tree.root_node().has_error() && tells_errors(path)))
    }

    /// As [`parse`].
    pub fn parse(&mut self, path: &str, text: &str) -> Option<ParsedFile> {
        let language = language_of(path).filter(|language| text.len() <= bytes_max(*language))?;
        Some(ParsedFile { tree: self.tree(language, text)?, language })
    }

    /// As [`errors`].
    pub fn errors(&mut self, path: &str, text: &str) -> Vec<(u32, String)> {
        if !tells_errors(path) {
            return Vec::new();
        }
        let Some(parsed) = self.parse(path, text) else { return Vec::new() };
        let errors = parsed.errors(text);
        if errors.is_empty() {
            return errors;
        }
        // What the grammar is known not to read is no error.
        let masked = grammar_gaps::masked(parsed.language, text);
        match masked.and_then(|masked| self.tree(parsed.language, &masked)) {
            Some(tree) => ParsedFile { tree, language: parsed.language }.errors(text),
            None => errors,
        }
    }

    fn tree(&mut self, language: Language, text: &str) -> Option<Tree> {
        let grammar = grammar(language)?;
        let parser = self.parsers[language as usize].get_or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&grammar).expect("the grammars are of a version that the library knows");
            parser
        });
        let tree = parse_within(parser, text, steps_max(text));
        if tree.is_none() {
            // It would go on with the present text otherwise.
            parser.reset();
        }
        tree
    }
}

/// How many steps a parser may take for a text.
fn steps_max(text: &str) -> usize {
    PARSE_STEPS_BASE + text.len() * PARSE_STEPS_PER_BYTE_MAX
}

/// Parses a text unless that takes more steps. The parser reports each hundred of them.
fn parse_within(parser: &mut Parser, text: &str, steps_max: usize) -> Option<Tree> {
    const STEPS_PER_REPORT: usize = 100;
    let mut left = steps_max / STEPS_PER_REPORT;
    let mut report = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut report);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

fn line_count(text: &str) -> u32 {
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))).unwrap_or(u32::MAX)
}

/// Why a file is not worth parsing, if so.
fn unfit(language: Language, text: &str, lines: u32) -> Option<SkipReason> {
    if text.len() > bytes_max(language) {
        Some(SkipReason::TooLarge)
    } else if text.len() > LINE_BYTES_MEAN_MAX * lines as usize {
        Some(SkipReason::Minified)
    } else if generated::is_generated(text) {
        Some(SkipReason::Generated)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
