//! Small trees for tests, written down as the lines that matter.

use crate::facts::{DeclaredName, FileFacts, Import, ImportKind, Role};
use crate::language::{FactsReader, ResolutionFamily};
use crate::manifest::wants_text;
use crate::schema_type::SchemaFile;
use crate::tree::{SourceTree, TreeFile};

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
                names.push(DeclaredName { text: rest, owner: None, role, public: true, line: line_number });
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
            let facts = ResolutionFamily::of(path).map(|_| facts(text));
            (path.to_owned(), facts, wants_text(path).then(|| text.to_owned()))
        };
        Self { files: files.iter().map(file).collect() }
    }

    /// Returns the tree over it.
    pub fn tree(&self) -> SourceTree<'_> {
        SourceTree::new(self.files.iter().map(|(path, facts, text)| TreeFile {
            path,
            facts: facts.as_ref(),
            schema: None,
            text: text.as_deref(),
            lines: None,
        }))
    }
}

/// A small project with sources as they are written: a shop in Python with a web page in TypeScript.
pub fn shop() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = [
        (
            "pyproject.toml",
            "[project]\nname = 'shop'\ndependencies = ['requests']\n[tool.ruff]\n[tool.pytest.ini_options]\n",
        ),
        ("src/shop/__init__.py", "from .cart.line import Line\n"),
        ("src/shop/cart/__init__.py", ""),
        (
            "src/shop/cart/line.py",
            "import json\nimport requests\nfrom shop.text.format import show_price\n\n\
             class CartLine:\n    def total_price(self):\n        return show_price(1)\n",
        ),
        ("src/shop/cart/total.py", "from .line import CartLine\nfrom ..text.format import show_price\n"),
        ("src/shop/text/__init__.py", ""),
        ("src/shop/text/format.py", "def show_price(cart_price):\n    return str(cart_price)\n"),
        ("tests/test_cart.py", "from shop.web.page0 import open_page\n\ndef test_total():\n    assert open_page()\n"),
        ("api/order.proto", "syntax = \"proto3\";\nmessage Order { string id = 1; }\n"),
        (".github/workflows/ci.yml", "on: push\n"),
    ]
    .into_iter()
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .collect();
    for number in 0..12 {
        let text = format!(
            "from shop.cart.line import CartLine\nfrom shop.text.format import show_price\n\n\
             def open_page():\n    return CartLine()\n\ndef page_title_{number}():\n    return show_price(2)\n"
        );
        files.push((format!("src/shop/web/page{number}.py"), text));
    }
    files
}

/// A project that owns what is read of its texts.
pub struct TestProject {
    files: Vec<(String, String, Option<FileFacts>, Option<SchemaFile>)>,
}

impl TestProject {
    /// Reads every file as the walker of a tree would.
    pub fn read(files: Vec<(String, String)>) -> Self {
        let mut reader = FactsReader::new();
        let mut read = |(path, text): (String, String)| {
            let facts = reader.read(&path, &text);
            let schema = crate::schema_type::read(&path, &text);
            (path, text, facts, schema)
        };
        Self { files: files.into_iter().map(&mut read).collect() }
    }

    /// Returns the tree over it.
    pub fn tree(&self) -> SourceTree<'_> {
        SourceTree::new(self.files.iter().map(|(path, text, facts, schema)| TreeFile {
            path,
            facts: facts.as_ref(),
            schema: schema.as_ref(),
            text: wants_text(path).then_some(text.as_str()),
            lines: None,
        }))
    }
}
