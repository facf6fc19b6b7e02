//! JavaScript, JSX included.

use std::sync::LazyLock;

use tree_sitter::Tree;

use super::{LanguageReader, ResolutionFamily};
use super::script::{self, ScriptGrammar};
use super::walk::{Grammar, Notes};

static GRAMMAR: LazyLock<ScriptGrammar> = LazyLock::new(|| Grammar::new(&JavaScript::grammar()));

/// JavaScript, JSX included.
pub(super) struct JavaScript;

impl LanguageReader for JavaScript {
    const KEYWORDS: &'static [&'static str] = script::KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Script;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_javascript::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        script::read(&GRAMMAR, tree, notes);
    }
}
