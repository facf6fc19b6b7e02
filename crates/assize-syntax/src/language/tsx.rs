//! TypeScript with JSX, whose grammar differs: `<T>x` is an element there and a cast here.

use std::sync::LazyLock;

use tree_sitter::Tree;

use super::{LanguageReader, ResolutionFamily};
use super::script::{self, ScriptGrammar};
use super::walk::{Grammar, Notes};

static GRAMMAR: LazyLock<ScriptGrammar> = LazyLock::new(|| Grammar::new(&Tsx::grammar()));

/// TypeScript with JSX, whose grammar differs: `<T>x` is an element there and a cast here.
pub(super) struct Tsx;

impl LanguageReader for Tsx {
    const KEYWORDS: &'static [&'static str] = script::KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Script;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_typescript::LANGUAGE_TSX.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        script::read(&GRAMMAR, tree, notes);
    }
}
