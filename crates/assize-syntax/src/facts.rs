//! What one file says, and nothing that depends on another file.
//!
//! The unit that is kept between runs, keyed by the hash of the contents. A tree of half a million
//! lines declares some hundred thousand names, so they are kept as rows over one table of texts
//! ([`NameTable`]): it is read back from a cache in one go and makes no allocation per name.

use std::fmt;

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

/// What one source file declares and imports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// Lines of the file.
    pub lines: u32,
    /// The package that the file says it belongs to (Java, Go).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Every name that it declares.
    pub names: NameTable,
    /// Every import, as it is written.
    pub imports: Vec<Import>,
    /// Files that its code takes in as they are (`include_str!`), as it writes their paths; not what only tests take in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// Whether the grammar found errors in it.
    pub has_errors: bool,
    /// Why nothing but its lines was read, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<SkipReason>,
}

/// Why a file was not read although its language is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It is larger than [`crate::language::FILE_BYTES_MAX`].
    TooLarge,
    /// Its lines are longer than a person writes them: [`crate::language::LINE_BYTES_MEAN_MAX`].
    Minified,
    /// It says that a program made it.
    Generated,
    /// The parser needed more than [`crate::language::PARSE_STEPS_PER_BYTE_MAX`].
    TooHard,
}

impl SkipReason {
    /// Says why, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::Minified => "minified",
            Self::Generated => "generated",
            Self::TooHard => "too hard to parse",
        }
    }
}

/// A declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeclaredName<'a> {
    /// The name, without marks such as `r#` or `#`.
    pub text: &'a str,
    /// The type that it belongs to, for what belongs to one.
    pub owner: Option<&'a str>,
    /// What it names.
    pub role: Role,
    /// Whether code outside can use it, by the rules of the language: `pub`, `export`, `public`, a
    /// capital letter, no leading underscore. What fulfils someone else's contract (a method of a
    /// trait, an override) is not public of itself.
    pub public: bool,
    /// The line, counted from 1.
    pub line: u32,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A free function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A struct, class, record or alias of a type.
    Type,
    /// An interface, trait or protocol.
    Interface,
    /// An enumeration.
    Enum,
    /// A member of an enumeration.
    Variant,
    /// A constant: what is assigned once, at the top of a file or type.
    Constant,
    /// A variable.
    Variable,
    /// A parameter.
    Parameter,
    /// A field, property or attribute.
    Field,
    /// A parameter of a type.
    TypeParameter,
    /// A module, namespace or package.
    Module,
    /// A test function.
    Test,
    /// A function that draws a part of a user interface: JSX wants it to begin with a capital
    /// letter, whatever other functions do.
    Component,
}

impl Role {
    /// Every role, in the order of its declaration.
    pub const ALL: [Self; 14] = [
        Self::Function,
        Self::Method,
        Self::Type,
        Self::Interface,
        Self::Enum,
        Self::Variant,
        Self::Constant,
        Self::Variable,
        Self::Parameter,
        Self::Field,
        Self::TypeParameter,
        Self::Module,
        Self::Test,
        Self::Component,
    ];

    /// The role's name, as it is written in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Parameter => "parameter",
            Self::Field => "field",
            Self::TypeParameter => "type_parameter",
            Self::Module => "module",
            Self::Test => "test",
            Self::Component => "component",
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// An import, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The path: `crate::a::b`, `a.b`, `./a`, `example.com/m/a`.
    ///
    /// Rust paths are relative to the module that the file is, also those within an inline module.
    pub path: String,
    /// The names that are taken out of it, as they are called there; `*` for all that it offers.
    /// Empty where the thing itself is meant.
    ///
    /// For a Rust `mod a;` under `#[path = "x.rs"]`: that path.
    pub names: Vec<String>,
    /// How it is imported.
    pub kind: ImportKind,
    /// The line, counted from 1.
    pub line: u32,
    /// Whether it holds in tests only, by what the file itself says (`#[cfg(test)]`).
    #[serde(default)]
    pub test_only: bool,
}

/// How something is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// An ordinary import, or a path in code that saves its import (`crate::a::b()`).
    Plain,
    /// For types alone.
    TypeOnly,
    /// It is passed on to others (`pub use`, `export from`).
    ReExport,
    /// It is loaded while the program runs (`import()`, `require` in a function).
    Dynamic,
    /// A child module is declared (`mod a;`).
    Declaration,
}

/// The names of a file: rows over a table of texts.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "PackedNames", into = "PackedNames")]
pub struct NameTable {
    /// All distinct texts, one after the other.
    texts: String,
    /// Where each text ends.
    ends: Vec<u32>,
    rows: Vec<NameRow>,
}

/// A name, its texts given by their place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NameRow {
    text: u32,
    /// One more than the place; 0 where there is none.
    owner: u32,
    line: u32,
    role: Role,
    public: bool,
}

/// The form in which [`NameTable`] are kept: as they are, rows as numbers.
#[derive(Serialize, Deserialize)]
struct PackedNames {
    texts: String,
    ends: Vec<u32>,
    /// Text, owner, line, and twice the role plus one if it is public.
    rows: Vec<(u32, u32, u32, u8)>,
}

impl From<NameTable> for PackedNames {
    fn from(names: NameTable) -> Self {
        let row = |row: &NameRow| (row.text, row.owner, row.line, row.role as u8 * 2 + u8::from(row.public));
        let rows = names.rows.iter().map(row).collect();
        Self { texts: names.texts, ends: names.ends, rows }
    }
}

impl TryFrom<PackedNames> for NameTable {
    type Error = &'static str;

    fn try_from(packed: PackedNames) -> Result<Self, Self::Error> {
        let PackedNames { texts, ends, rows } = packed;
        let within = ends.last().map_or(0, |end| *end as usize) == texts.len();
        if !within || !ends.is_sorted() || !ends.iter().all(|end| texts.is_char_boundary(*end as usize)) {
            return Err("the texts of names do not end where they should");
        }
        let known = ends.len() as u32;
        let mut names = Self { texts, ends, rows: Vec::with_capacity(rows.len()) };
        for (text, owner, line, code) in rows {
            let role = Role::from_code(code / 2).ok_or("a name has a role that does not exist")?;
            if text >= known || owner > known {
                return Err("a name has a text that does not exist");
            }
            names.rows.push(NameRow { text, owner, line, role, public: code % 2 == 1 });
        }
        Ok(names)
    }
}

impl NameTable {
    /// How many names there are, repeated ones included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The names, in the order of the file.
    pub fn iter(&self) -> Iter<'_> {
        Iter { names: self, rows: self.rows.iter() }
    }

    /// The distinct texts.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|index| self.text(index))
    }

    /// The names with the place of their text within [`NameTable::texts`]: work that depends on the text
    /// alone is done once for each text.
    pub fn indexed(&self) -> impl ExactSizeIterator<Item = (usize, DeclaredName<'_>)> {
        self.rows.iter().map(|row| (row.text as usize, self.name(row)))
    }

    fn name(&self, row: &NameRow) -> DeclaredName<'_> {
        DeclaredName {
            text: self.text(row.text as usize),
            owner: row.owner.checked_sub(1).map(|owner| self.text(owner as usize)),
            role: row.role,
            public: row.public,
            line: row.line,
        }
    }

    fn text(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[index] as usize]
    }

    fn intern_new(&mut self, text: &str) -> u32 {
        let index = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.texts.push_str(text);
        self.ends.push(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        index
    }
}

impl fmt::Debug for NameTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a NameTable {
    type Item = DeclaredName<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> FromIterator<DeclaredName<'a>> for NameTable {
    fn from_iter<I: IntoIterator<Item = DeclaredName<'a>>>(names: I) -> Self {
        let mut builder = NamesBuilder::default();
        for name in names {
            builder.push(name);
        }
        builder.finish()
    }
}

/// Walks over [`NameTable`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    names: &'a NameTable,
    rows: std::slice::Iter<'a, NameRow>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = DeclaredName<'a>;

    fn next(&mut self) -> Option<DeclaredName<'a>> {
        self.rows.next().map(|row| self.names.name(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

/// Collects [`NameTable`], each text once.
#[derive(Debug, Default)]
pub(crate) struct NamesBuilder<'t> {
    names: NameTable,
    places: HashMap<&'t str, u32>,
}

impl<'t> NamesBuilder<'t> {
    /// Adds a name and returns its row. One that is empty or holds a line break is none and left
    /// out.
    pub(crate) fn push(&mut self, name: DeclaredName<'t>) -> Option<usize> {
        let unfit = |text: &str| text.is_empty() || text.contains('\n');
        if unfit(name.text) || name.owner.is_some_and(unfit) {
            return None;
        }
        let row = NameRow {
            text: self.intern(name.text),
            owner: name.owner.map_or(0, |owner| self.intern(owner) + 1),
            line: name.line,
            role: name.role,
            public: name.public,
        };
        self.names.rows.push(row);
        Some(self.names.rows.len() - 1)
    }

    fn intern(&mut self, text: &'t str) -> u32 {
        let names = &mut self.names;
        *self.places.entry(text).or_insert_with(|| names.intern_new(text))
    }

    /// Decides a name's role and whether it is public anew.
    pub(crate) fn revise(&mut self, row: usize, revision: impl FnOnce(DeclaredName<'_>) -> (Role, bool)) {
        if let Some(present) = self.names.rows.get(row) {
            let (role, public) = revision(self.names.name(present));
            self.names.rows[row].role = role;
            self.names.rows[row].public = public;
        }
    }

    /// Hides what belongs to a type of this file that is hidden itself.
    pub(crate) fn hide_members_of_hidden_types(&mut self) {
        let is_type = |row: &&NameRow| matches!(row.role, Role::Type | Role::Interface | Role::Enum);
        let mut hidden: HashSet<u32> =
            self.names.rows.iter().filter(is_type).filter(|row| !row.public).map(|row| row.text).collect();
        for row in self.names.rows.iter().filter(is_type).filter(|row| row.public) {
            hidden.remove(&row.text);
        }
        for row in &mut self.names.rows {
            row.public &= row.owner == 0 || !hidden.contains(&(row.owner - 1));
        }
    }

    /// Returns what was collected.
    pub(crate) fn finish(self) -> NameTable {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str, role: Role, line: u32) -> DeclaredName<'_> {
        DeclaredName { text, owner: None, role, public: line.is_multiple_of(2), line }
    }

    #[test]
    fn roles_stand_in_the_order_of_their_codes() {
        for (code, role) in Role::ALL.iter().enumerate() {
            assert_eq!(*role as usize, code);
            assert_eq!(serde_json::to_value(role).expect("a role is a text"), role.id());
        }
        assert_eq!(Role::from_code(14), None);
    }

    #[test]
    fn names_come_out_as_they_went_in() {
        let list = [
            name("open", Role::Function, 1),
            DeclaredName { owner: Some("Ledger"), ..name("open", Role::Method, 2) },
            name("Ledger", Role::Type, 3),
            name("größe", Role::Variable, 4),
        ];
        let names: NameTable = list.into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), list);
        assert_eq!(names.texts().collect::<Vec<_>>(), ["open", "Ledger", "größe"]);
        assert_eq!(names.indexed().map(|(index, _)| index).collect::<Vec<_>>(), [0, 0, 1, 2]);
        assert_eq!(names.len(), 4);
        let kept = serde_json::to_string(&names).expect("names are JSON");
        assert_eq!(serde_json::from_str::<NameTable>(&kept).expect("it reads back"), names, "{kept}");
    }

    #[test]
    fn what_is_no_name_is_left_out() {
        let names: NameTable =
            [name("", Role::Type, 1), name("a\nb", Role::Type, 2), name("a", Role::Type, 3)].into_iter().collect();
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn a_damaged_table_is_refused() {
        for (kept, sound) in [
            (r#"{"texts":"ab","ends":[1,2],"rows":[[1,2,7,5]]}"#, true),
            (r#"{"texts":"ab","ends":[1,2],"rows":[[2,0,7,5]]}"#, false),
            (r#"{"texts":"ab","ends":[1,2],"rows":[[1,3,7,5]]}"#, false),
            (r#"{"texts":"ab","ends":[1,2],"rows":[[1,0,7,28]]}"#, false),
            (r#"{"texts":"","ends":[],"rows":[[0,0,7,0]]}"#, false),
            (r#"{"texts":"","ends":[],"rows":[]}"#, true),
            (r#"{"texts":"ab","ends":[1],"rows":[]}"#, false),
            (r#"{"texts":"ab","ends":[2,1,2],"rows":[]}"#, false),
            (r#"{"texts":"ß","ends":[1,2],"rows":[]}"#, false),
        ] {
            assert_eq!(serde_json::from_str::<NameTable>(kept).is_ok(), sound, "{kept}");
        }
    }

    #[test]
    fn facts_of_an_older_form_still_read() {
        let kept = r#"{"lines":1,"names":{"texts":"","ends":[],"rows":[]},"imports":
            [{"path":"a","names":[],"kind":"plain","line":1}],"has_errors":false}"#;
        let facts: FileFacts = serde_json::from_str(kept).expect("missing fields have defaults");
        assert!(!facts.imports[0].test_only);
        assert_eq!((facts.package, facts.passed_over), (None, None));
    }
}
