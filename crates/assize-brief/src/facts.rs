//! What one file says, and nothing that depends on another file.
//!
//! The unit that is kept between runs, keyed by the hash of the contents.

use serde::{Deserialize, Serialize};

/// What one source file declares and imports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// Lines of the file.
    pub lines: u32,
    /// The package that the file says it belongs to (Java, Go).
    pub package: Option<String>,
    /// Every name that it declares.
    pub names: Vec<Name>,
    /// Every import, as it is written.
    pub imports: Vec<Import>,
    /// Whether the grammar found errors in it.
    pub has_errors: bool,
}

/// A declared name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The name.
    pub text: String,
    /// What it names.
    pub role: Role,
    /// Whether code outside of the file can use it, by the rules of the language.
    pub public: bool,
    /// The line, counted from 1.
    pub line: u32,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
}

/// An import, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The path: `crate::a::b`, `a.b`, `./a`, `example.com/m/a`.
    pub path: String,
    /// The names that are taken out of it; empty where all of it is meant.
    pub names: Vec<String>,
    /// How it is imported.
    pub kind: ImportKind,
    /// The line, counted from 1.
    pub line: u32,
}

/// How something is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// An ordinary import.
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
