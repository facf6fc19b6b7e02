//! TypeScript.

use std::sync::LazyLock;

use tree_sitter::Tree;

use super::{LanguageReader, ResolutionFamily};
use super::script::{self, ScriptGrammar};
use super::walk::{Grammar, Notes};

static GRAMMAR: LazyLock<ScriptGrammar> = LazyLock::new(|| Grammar::new(&TypeScript::grammar()));

/// TypeScript.
pub(super) struct TypeScript;

impl LanguageReader for TypeScript {
    const KEYWORDS: &'static [&'static str] = script::KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Script;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        script::read(&GRAMMAR, tree, notes);
    }
}
