//! Small trees for tests, written down as the lines that matter.

use crate::facts::{FileFacts, Import, ImportKind, Name, Role};
use crate::import::Family;
use crate::manifest::wants_text;
use crate::tree::{Tree, TreeFile};

/// A plain import of all of something.
pub fn import(path: &str) -> Import {
    Import { path: path.to_owned(), names: Vec::new(), kind: ImportKind::Plain, line: 1, test_only: false }
}

/// Reads facts from lines: `use PATH {a, b}`, with `pub`, `type`, `dyn`, `mod` or `test` instead of
/// `use` for the other kinds; `package P`; `def NAME`, `class NAME` and `module NAME` for
/// public names.
pub fn facts(text: &str) -> FileFacts {
    let mut facts = FileFacts { lines: text.lines().count() as u32, ..FileFacts::default() };
    let mut names = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index as u32 + 1;
        let Some((word, rest)) = line.trim().split_once(' ') else { continue };
        let (path, inner) = match rest.split_once(" {") {
            Some((path, inner)) => (path, inner.trim_end_matches('}')),
            None => (rest, ""),
        };
        let kind = match word {
            "use" | "test" => ImportKind::Plain,
            "pub" => ImportKind::ReExport,
            "type" => ImportKind::TypeOnly,
            "dyn" => ImportKind::Dynamic,
            "mod" => ImportKind::Declaration,
            "package" => {
                facts.package = Some(rest.to_owned());
                continue;
            }
            "def" | "class" | "module" => {
                let role = match word {
                    "def" => Role::Function,
                    "class" => Role::Type,
                    _ => Role::Module,
                };
                names.push(Name { text: rest, owner: None, role, public: true, line: line_number });
                continue;
            }
            _ => panic!("{word} begins no line that is known here: {line}"),
        };
        facts.imports.push(Import {
            path: path.to_owned(),
            names: inner.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            kind,
            line: line_number,
            test_only: word == "test",
        });
    }
    facts.names = names.into_iter().collect();
    facts
}

/// A tree that owns its texts and facts.
pub struct Fixture {
    files: Vec<(String, Option<FileFacts>, Option<String>)>,
}

impl Fixture {
    /// Takes paths with their texts: manifests as they are, sources as [`facts`] reads them.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| {
            let facts = Family::of(path).map(|_| facts(text));
            (path.to_owned(), facts, wants_text(path).then(|| text.to_owned()))
        };
        Self { files: files.iter().map(file).collect() }
    }

    /// Returns the tree over it.
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(self.files.iter().map(|(path, facts, text)| TreeFile {
            path,
            facts: facts.as_ref(),
            text: text.as_deref(),
            lines: None,
        }))
    }
}
