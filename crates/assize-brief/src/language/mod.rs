//! Languages: one file each.
//!
//! A language says which files are its, which grammar reads them, and how the nodes of a tree become
//! names and imports. To add one, write `language/yours.rs` and add a line to `languages!`.
//! What is known here is one file's text; it must not look at another file.

mod generated;
mod script;
mod walk;

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::facts::{FileFacts, PassedOver};
use crate::path::{ending, is_declarations, is_script};
use walk::Notes;

pub use generated::GENERATED_HEAD_LINES;

/// Largest file that is parsed, in bytes.
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
trait Read {
    /// The extensions of its files, without the dot.
    const EXTENSIONS: &'static [&'static str];

    /// Words that mean something to the language itself, sorted.
    const KEYWORDS: &'static [&'static str];

    /// The grammar that parses it.
    fn grammar() -> tree_sitter::Language;

    /// Notes down what a tree declares and imports.
    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>);
}

macro_rules! languages {
    ($($module:ident: $language:ident,)*) => {
        $(mod $module;)*

        /// A language that can be read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub enum LanguageId {
            $(
                #[doc = concat!("As `language/", stringify!($module), ".rs` reads it.")]
                $language,
            )*
        }

        impl LanguageId {
            /// Every language.
            pub const ALL: &'static [Self] = &[$(Self::$language,)*];

            /// Its name, as it is written in JSON.
            pub fn id(self) -> &'static str {
                match self { $(Self::$language => stringify!($module),)* }
            }

            /// The extensions of its files, without the dot.
            pub fn extensions(self) -> &'static [&'static str] {
                match self { $(Self::$language => <$module::$language as Read>::EXTENSIONS,)* }
            }

            /// Words that mean something to the language itself, sorted.
            pub fn keywords(self) -> &'static [&'static str] {
                match self { $(Self::$language => <$module::$language as Read>::KEYWORDS,)* }
            }

            /// The grammar that parses it.
            pub fn grammar(self) -> tree_sitter::Language {
                match self { $(Self::$language => <$module::$language as Read>::grammar(),)* }
            }

            fn read<'t>(self, tree: &'t Tree, notes: &mut Notes<'t>) {
                match self { $(Self::$language => <$module::$language as Read>::read(tree, notes),)* }
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
}

impl fmt::Display for LanguageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

/// Tells the language of a file from its extension.
pub fn language_of(path: &str) -> Option<LanguageId> {
    let extension = ending(path)?;
    LanguageId::ALL.iter().find(|language| language.extensions().contains(&extension)).copied()
}

/// Returns whether the grammar's errors can be relied on: that of TypeScript stumbles over sound declaration files
/// (`export import a = b.c` and the like), which nothing but a type checker reads.
fn tells_errors(path: &str) -> bool {
    !(is_script(path) && is_declarations(path))
}

/// Reads what a file declares and imports; `None` where no language knows its extension.
pub fn read(path: &str, text: &str) -> Option<FileFacts> {
    Reader::new().read(path, text)
}

/// Parses a file; `None` where no language knows its extension, or where it is larger than
/// [`FILE_BYTES_MAX`] or takes more steps than [`PARSE_STEPS_PER_BYTE_MAX`].
pub fn parse(path: &str, text: &str) -> Option<Parsed> {
    Reader::new().parse(path, text)
}

/// Finds the first syntax errors of a file, each with its line and what stands there.
///
/// Empty where [`parse`] gives nothing, and for declarations of TypeScript, in which the grammar finds errors where there are
/// none.
pub fn errors(path: &str, text: &str) -> Vec<(u32, String)> {
    Reader::new().errors(path, text)
}

/// A parsed file.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// Its tree.
    pub tree: Tree,
    /// Its language.
    pub language: LanguageId,
}

impl Parsed {
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
pub struct Reader {
    /// By language.
    parsers: [Option<Parser>; LanguageId::ALL.len()],
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader {
    /// Makes a reader. A grammar is loaded only when a file needs it.
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`read`].
    pub fn read(&mut self, path: &str, text: &str) -> Option<FileFacts> {
        let language = language_of(path)?;
        let lines = line_count(text);
        let passed_over = |why| FileFacts { lines, passed_over: Some(why), ..FileFacts::default() };
        if let Some(why) = unfit(text, lines) {
            return Some(passed_over(why));
        }
        let Some(tree) = self.tree(language, text) else { return Some(passed_over(PassedOver::TooHard)) };
        let mut notes = Notes::new(path, text);
        language.read(&tree, &mut notes);
        Some(notes.finish(lines, tree.root_node().has_error() && tells_errors(path)))
    }

    /// As [`parse`].
    pub fn parse(&mut self, path: &str, text: &str) -> Option<Parsed> {
        let language = language_of(path).filter(|_| text.len() <= FILE_BYTES_MAX)?;
        Some(Parsed { tree: self.tree(language, text)?, language })
    }

    /// As [`errors`].
    pub fn errors(&mut self, path: &str, text: &str) -> Vec<(u32, String)> {
        if !tells_errors(path) {
            return Vec::new();
        }
        self.parse(path, text).map_or_else(Vec::new, |parsed| parsed.errors(text))
    }

    fn tree(&mut self, language: LanguageId, text: &str) -> Option<Tree> {
        let parser = self.parsers[language as usize].get_or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&language.grammar()).expect("the grammars are of a version that the library knows");
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
fn unfit(text: &str, lines: u32) -> Option<PassedOver> {
    if text.len() > FILE_BYTES_MAX {
        Some(PassedOver::TooLarge)
    } else if text.len() > LINE_BYTES_MEAN_MAX * lines as usize {
        Some(PassedOver::Minified)
    } else if generated::is_generated(text) {
        Some(PassedOver::Generated)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
