//! JavaScript, JSX included.

use std::sync::LazyLock;

use tree_sitter::Tree;

use super::Read;
use super::script::{self, ScriptGrammar};
use super::walk::{Grammar, Notes};

static GRAMMAR: LazyLock<ScriptGrammar> = LazyLock::new(|| Grammar::new(&JavaScript::grammar()));

/// JavaScript, JSX included.
pub(super) struct JavaScript;

impl Read for JavaScript {
    const EXTENSIONS: &'static [&'static str] = &["js", "jsx", "mjs", "cjs"];
    const KEYWORDS: &'static [&'static str] = script::KEYWORDS;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_javascript::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        script::read(&GRAMMAR, tree, notes);
    }
}
