//! Tables, views and types that SQL declares, and the changes of tables, whatever the dialect.
//!
//! Statements are found by their first words, and each is read as far as all dialects agree: names, columns with their
//! types, keys that refer to other tables. A dialect's other words are passed over. Whether a server would take a
//! statement is not known here.

mod token;

use std::collections::BTreeSet;

use super::{SchemaType, SchemaTypeKind, Types};
use token::{SqlToken, SqlTokenKind, Tokens, entries, joined, tokens};

/// Words between `CREATE` and what is created.
const QUALIFIERS: &[&str] = &[
    "or",
    "replace",
    "global",
    "local",
    "temp",
    "temporary",
    "unlogged",
    "external",
    "foreign",
    "virtual",
    "transient",
    "materialized",
    "recursive",
];

/// Qualifiers of a table that may be there already, or in another session only.
const TENTATIVE: &[&str] = &["or", "temp", "temporary", "local", "global"];

/// Words that a column's type ends before.
const AFTER_TYPE: &[&str] = &[
    "as",
    "auto_increment",
    "autoincrement",
    "charset",
    "check",
    "collate",
    "comment",
    "constraint",
    "default",
    "deferrable",
    "encode",
    "generated",
    "identity",
    "invisible",
    "key",
    "not",
    "null",
    "on",
    "primary",
    "references",
    "rowguidcol",
    "sparse",
    "stored",
    "unique",
    "virtual",
];

/// Words that begin something other than a column in one dialect and name a column in another.
const AMBIGUOUS: &[&str] = &[
    "check",
    "constraint",
    "exclude",
    "family",
    "foreign",
    "fulltext",
    "index",
    "inverted",
    "key",
    "like",
    "period",
    "primary",
    "projection",
    "sort",
    "spatial",
    "supplemental",
    "unique",
    "vector",
];

/// Changes of a table that add no column to it.
const KEEPS_COLUMNS: &[&str] = &[
    "alter",
    "attach",
    "auto_increment",
    "check",
    "cluster",
    "comment",
    "convert",
    "default",
    "detach",
    "disable",
    "drop",
    "enable",
    "engine",
    "modify",
    "nocheck",
    "owner",
    "replica",
    "reset",
    "row_format",
    "set",
    "validate",
    "with",
];

/// The statements of a file that are about tables, views and types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SqlFile {
    /// They, in the order of the file.
    pub statements: Vec<SqlStatement>,
    /// Whether every quote and comment is closed. Where one is not, what follows it is not seen.
    pub is_closed: bool,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlStatement {
    /// The line that it begins in, counted from 1.
    pub line: u32,
    /// What no dialect means, or few.
    pub fault: Option<SqlFault>,
    /// What it does.
    pub action: SqlAction,
}

/// What is wrong with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlFault {
    /// Brackets do not fit, or nothing stands between two commas: no dialect means that.
    Unbalanced,
    /// A comma stands before a closing bracket: GoogleSQL, DuckDB and ClickHouse take that, most others do not.
    TrailingComma,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlAction {
    /// Declares something.
    Create(SqlDefinition),
    /// Changes a table.
    Alter(SqlChange),
    /// Frees names for reuse: removes something, or switches to another schema or database.
    MakesRoom,
    /// Declares or changes a table in a way that is not understood.
    Unknown,
}

/// A table, view or type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlDefinition {
    /// Its name, with that of its schema.
    pub name: SqlName,
    /// What it is.
    pub kind: SchemaTypeKind,
    /// Its columns, or the values of an enumeration.
    pub columns: Vec<SqlColumn>,
    /// Its keys into other tables.
    pub foreign_keys: Vec<SqlForeignKey>,
    /// What it inherits from, is like, or is another name for.
    pub parts: Vec<String>,
    /// Whether it has columns that do not stand here.
    pub has_other_columns: bool,
    /// Whether it may be there already, or is not there for everybody.
    pub is_tentative: bool,
}

/// A change of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlChange {
    /// The table.
    pub table: SqlName,
    /// The columns that it adds.
    pub columns: Vec<SqlColumn>,
    /// The keys that it adds.
    pub foreign_keys: Vec<SqlForeignKey>,
    /// Columns that it makes the primary key.
    pub primary_key: Vec<String>,
    /// New names of columns, or columns that take the place of others.
    pub renamed_columns: Vec<String>,
    /// The table's new name.
    pub renamed: Option<SqlName>,
    /// Whether it adds columns that do not stand here.
    pub has_other_columns: bool,
}

/// A name with that of its schema, as it is written but for quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlName {
    /// Its parts, the last of which is its own; one at least.
    pub parts: Vec<String>,
    /// The line, counted from 1.
    pub line: u32,
}

impl SqlName {
    /// The name without that of its schema.
    pub fn own(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its type; empty where it has none.
    pub type_text: String,
    /// Whether it always has a value.
    pub is_required: bool,
    /// Whether it may be a constraint that some dialect writes like this.
    pub is_doubtful: bool,
    /// The line, counted from 1.
    pub line: u32,
}

/// A key into another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlForeignKey {
    /// The table that it refers to.
    pub table: SqlName,
    /// The columns that it refers to; none where it is the primary key.
    pub columns: Vec<String>,
    /// The line of the column or constraint, counted from 1.
    pub line: u32,
}

/// Reads the statements of a file that are about tables, views and types.
pub fn read(text: &str) -> SqlFile {
    let (list, is_closed) = tokens(text);
    SqlFile { statements: pieces(&list).filter_map(statement).collect(), is_closed }
}

/// Makes types of what a file declares. Columns that it adds later belong to their table; what other files change is
/// not known here.
pub(super) fn types(text: &str) -> Types {
    let mut types = Types::default();
    for statement in read(text).statements {
        match statement.action {
            SqlAction::Create(definition) => {
                let mut found =
                    SchemaType::new(&definition.name.parts.join("."), definition.kind, definition.name.line);
                definition.columns.iter().for_each(|column| found.column(column));
                definition.parts.iter().for_each(|part| found.part(part));
                types.push(found);
            }
            SqlAction::Alter(change) => {
                let name = change.table.parts.join(".");
                let Some(table) = types.list.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&name)) else {
                    continue;
                };
                change.columns.iter().for_each(|column| table.column(column));
                for field in &mut table.fields {
                    field.required |= change.primary_key.iter().any(|key| key.eq_ignore_ascii_case(&field.name));
                }
            }
            SqlAction::MakesRoom | SqlAction::Unknown => {}
        }
    }
    types
}

impl SchemaType {
    fn column(&mut self, column: &SqlColumn) {
        self.field(&column.name, &column.type_text, column.is_required, column.line);
    }
}

/// A part of a file between what ends statements.
#[derive(Clone, Copy)]
struct Piece<'a, 't> {
    tokens: &'a [SqlToken<'t>],
    /// Whether it begins within a statement, as in `IF … CREATE TABLE`.
    is_within: bool,
}

/// Takes a file apart. Some dialects end a statement with a line `GO` or with nothing.
fn pieces<'a, 't>(list: &'a [SqlToken<'t>]) -> impl Iterator<Item = Piece<'a, 't>> {
    let mut start = 0;
    let mut is_within = false;
    std::iter::from_fn(move || {
        let rest = list.get(start..).filter(|rest| !rest.is_empty())?;
        let mut depth = 0_usize;
        for (at, token) in rest.iter().enumerate() {
            depth = token.depth_after(depth);
            let opens_line = at > 0 && rest[at - 1].line < token.line;
            let follows = |word: &str| rest.get(at + 1).is_some_and(|next| next.says(word));
            // `GO` stands alone, or with how often; a column may have that name.
            let next = rest.get(at + 1).filter(|next| next.line == token.line);
            let goes = opens_line
                && token.says("go")
                && next.is_none_or(|next| !next.is_name() && next.kind == SqlTokenKind::Word);
            let begins = opens_line && depth == 0 && (token.says("create") || token.says("alter") && follows("table"));
            if token.is(";") || goes || begins {
                let piece = Piece { tokens: &rest[..at], is_within };
                start += at + usize::from(!begins);
                is_within = begins && !piece.tokens.is_empty();
                return Some(piece);
            }
        }
        start = list.len();
        Some(Piece { tokens: rest, is_within })
    })
}

fn statement(piece: Piece<'_, '_>) -> Option<SqlStatement> {
    let line = piece.tokens.first()?.line;
    let mut tokens = Tokens::new(piece.tokens);
    // `BEGIN … CREATE TABLE`, `CREATE HYBRID TABLE`
    let hidden = || creates_table(piece.tokens).then_some(SqlAction::Unknown);
    let Some(first) = tokens.take_any(&["create", "alter", "drop", "use", "set"]) else {
        return hidden().map(|action| SqlStatement { line, fault: None, action });
    };
    let action = match first {
        "create" => create(&mut tokens, piece.is_within).or_else(hidden)?,
        "drop" | "use" => SqlAction::MakesRoom,
        "set" if tokens.take_any(&["search_path"]).is_some() => SqlAction::MakesRoom,
        "alter" if tokens.take_words(&["table"]) => alter(&mut tokens).map_or(SqlAction::Unknown, SqlAction::Alter),
        _ => return None,
    };
    let fault = if matches!(action, SqlAction::MakesRoom | SqlAction::Unknown) { None } else { fault(piece.tokens) };
    Some(SqlStatement { line, fault, action })
}

/// Returns whether a table is created anywhere in a statement.
fn creates_table(tokens: &[SqlToken<'_>]) -> bool {
    let after = |at: usize| tokens.iter().skip(at + 1).take(4);
    tokens.iter().enumerate().any(|(at, token)| token.says("create") && after(at).any(|next| next.says("table")))
}

fn fault(tokens: &[SqlToken<'_>]) -> Option<SqlFault> {
    let mut found = None;
    let mut depth = 0_usize;
    let mut after_comma = false;
    for token in tokens {
        let (opens, closes, is_comma) = (token.is("("), token.is(")"), token.is(","));
        if after_comma && is_comma || closes && depth == 0 {
            return Some(SqlFault::Unbalanced);
        }
        if after_comma && closes {
            found = Some(SqlFault::TrailingComma);
        }
        depth = depth + usize::from(opens) - usize::from(closes);
        after_comma = is_comma;
    }
    if depth > 0 { Some(SqlFault::Unbalanced) } else { found }
}

fn create(tokens: &mut Tokens<'_, '_>, is_within: bool) -> Option<SqlAction> {
    let mut is_tentative = is_within;
    while let Some(word) = tokens.take_any(QUALIFIERS) {
        is_tentative |= TENTATIVE.contains(&word);
    }
    let kind = match tokens.take_any(&["table", "view", "type", "domain"])? {
        "table" => SchemaTypeKind::Table,
        "view" => SchemaTypeKind::View,
        "type" => SchemaTypeKind::Object,
        _ => SchemaTypeKind::Scalar,
    };
    is_tentative |= tokens.take_words(&["if", "not", "exists"]);
    let Some(name) = name(tokens) else {
        return (kind == SchemaTypeKind::Table).then_some(SqlAction::Unknown);
    };
    let mut found = SqlDefinition {
        name,
        kind,
        columns: Vec::new(),
        foreign_keys: Vec::new(),
        parts: Vec::new(),
        has_other_columns: false,
        is_tentative,
    };
    match kind {
        SchemaTypeKind::Table => table(tokens, &mut found),
        SchemaTypeKind::View => view(tokens, &mut found),
        SchemaTypeKind::Scalar => {
            tokens.take_any(&["as"]);
            let of = tokens.take_until(&[]);
            found.parts.push(joined(&of[..type_end(of)]));
        }
        _ => composite(tokens, &mut found),
    }
    Some(SqlAction::Create(found))
}

/// `(id int, …) INHERITS (one, other)`, `PARTITION OF other …`, `USING fts5 (title)`, `AS SELECT …`
fn table(tokens: &mut Tokens<'_, '_>, found: &mut SqlDefinition) {
    if tokens.take_words(&["partition", "of"]) {
        found.parts.extend(name(tokens).map(|of| of.parts.join(".")));
        found.has_other_columns = true;
        return;
    }
    if tokens.take_any(&["using"]).is_some() {
        tokens.take_name();
        found.has_other_columns = true;
    }
    for entry in tokens.take_brackets().into_iter().flat_map(entries) {
        table_entry(entry, found);
    }
    if tokens.take_any(&["inherits"]).is_some() {
        for of in tokens.take_brackets().into_iter().flat_map(entries) {
            found.parts.extend(name(&mut Tokens::new(of)).map(|of| of.parts.join(".")));
        }
    }
    let selects =
        tokens.rest().iter().any(|token| ["as", "select", "like", "clone"].iter().any(|word| token.says(word)));
    found.has_other_columns |= selects || !found.parts.is_empty() || found.columns.is_empty();
}

fn view(tokens: &mut Tokens<'_, '_>, found: &mut SqlDefinition) {
    found.has_other_columns = true;
    for entry in tokens.take_brackets().into_iter().flat_map(entries) {
        if let Some(name) = entry.first().filter(|name| name.is_name()) {
            found.columns.push(SqlColumn::named(name, ""));
        }
    }
}

/// `AS ENUM ('a')`, `AS (id int)`, or a type that another language defines
fn composite(tokens: &mut Tokens<'_, '_>, found: &mut SqlDefinition) {
    tokens.take_any(&["as"]);
    if tokens.take_any(&["enum"]).is_some() {
        found.kind = SchemaTypeKind::Enum;
        let values = tokens.take_brackets().unwrap_or_default().iter();
        found
            .columns
            .extend(values.filter(|value| value.kind == SqlTokenKind::Text).map(|value| SqlColumn::named(value, "")));
    } else if let Some(attributes) = tokens.take_brackets() {
        found.columns.extend(entries(attributes).filter_map(column));
    } else {
        found.kind = SchemaTypeKind::Scalar;
    }
}

/// `ALTER TABLE name ADD COLUMN …, ADD CONSTRAINT …`
fn alter(tokens: &mut Tokens<'_, '_>) -> Option<SqlChange> {
    tokens.take_words(&["if", "exists"]);
    tokens.take_any(&["only"]);
    let mut change = SqlChange {
        table: name(tokens)?,
        columns: Vec::new(),
        foreign_keys: Vec::new(),
        primary_key: Vec::new(),
        renamed_columns: Vec::new(),
        renamed: None,
        has_other_columns: false,
    };
    if tokens.take_any(&["with"]).is_some() {
        // `WITH CHECK ADD CONSTRAINT …`
        tokens.take_any(&["check", "nocheck"]);
    }
    for operation in entries(tokens.take_until(&[])) {
        altered(&mut Tokens::new(operation), &mut change);
    }
    Some(change)
}

/// One change of several.
fn altered(tokens: &mut Tokens<'_, '_>, change: &mut SqlChange) {
    match tokens.take_any(&["add", "rename", "change"]) {
        Some("add") => {
            let is_column = tokens.take_any(&["column"]).is_some();
            tokens.take_words(&["if", "not", "exists"]);
            let entry = tokens.rest();
            match tokens.take_brackets() {
                Some(several) => entries(several).for_each(|entry| added(entry, is_column, change)),
                None => added(entry, is_column, change),
            }
        }
        Some("rename") => {
            if tokens.take_any(&["to", "as"]).is_some() {
                change.renamed = name(tokens);
            } else if tokens.take_any(&["constraint", "index", "key"]).is_none() {
                let new =
                    tokens.rest().iter().position(|token| token.says("to")).and_then(|at| tokens.rest().get(at + 1));
                change.renamed_columns.extend(new.map(|new| new.text.to_owned()));
            }
        }
        Some(_) => {
            // `CHANGE [COLUMN] old new int`
            tokens.take_any(&["column"]);
            tokens.take_name();
            change.renamed_columns.extend(tokens.take_name().map(|new| new.text.to_owned()));
        }
        None => change.has_other_columns |= tokens.take_any(KEEPS_COLUMNS).is_none(),
    }
}

fn added(entry: &[SqlToken<'_>], is_column: bool, change: &mut SqlChange) {
    change.foreign_keys.extend(foreign_key(entry));
    match table_part(entry) {
        _ if is_column => change.columns.extend(column(entry)),
        TablePart::Column => change.columns.extend(column(entry)),
        TablePart::PrimaryKey(columns) => change.primary_key.extend(columns),
        TablePart::Like(_) | TablePart::Constraint => {}
    }
}

/// Takes a name with that of its schema.
fn name(tokens: &mut Tokens<'_, '_>) -> Option<SqlName> {
    let first = tokens.take_name()?;
    let mut parts = vec![first.text.to_owned()];
    while tokens.take_sign(".") {
        parts.push(tokens.take_name()?.text.to_owned());
    }
    Some(SqlName { parts, line: first.line })
}

/// A column, or a constraint of several.
fn table_entry(entry: &[SqlToken<'_>], found: &mut SqlDefinition) {
    found.foreign_keys.extend(foreign_key(entry));
    match table_part(entry) {
        TablePart::Column => found.columns.extend(column(entry)),
        TablePart::PrimaryKey(columns) => {
            let keys: BTreeSet<String> = columns.iter().map(|key| key.to_ascii_lowercase()).collect();
            for column in &mut found.columns {
                column.is_required |= keys.contains(&column.name.to_ascii_lowercase());
            }
        }
        TablePart::Like(of) => found.parts.push(of),
        TablePart::Constraint => {}
    }
}

/// What stands between two commas of a table.
enum TablePart {
    Column,
    PrimaryKey(Vec<String>),
    Like(String),
    Constraint,
}

fn table_part(entry: &[SqlToken<'_>]) -> TablePart {
    let mut tokens = Tokens::new(entry);
    if tokens.take_any(&["constraint"]).is_some() {
        tokens.take_name();
    }
    if tokens.take_words(&["primary", "key"]) {
        let columns = entry.iter().position(|token| token.is("(")).map(|at| &entry[at..]).unwrap_or_default();
        let columns = Tokens::new(columns).take_brackets().unwrap_or_default();
        return TablePart::PrimaryKey(
            columns.iter().filter(|column| column.is_name()).map(|column| column.text.to_owned()).collect(),
        );
    }
    match tokens.rest().split_first() {
        Some((first, _)) if first.says("like") => {
            tokens.take();
            name(&mut tokens).map_or(TablePart::Constraint, |of| TablePart::Like(of.parts.join(".")))
        }
        Some((first, rest)) if !is_constraint(first, rest.first(), entry) => TablePart::Column,
        _ => TablePart::Constraint,
    }
}

/// Returns whether an entry is no column. `key` and `index` are the names of columns as well: `key varchar(20)` has a
/// number in its brackets where `KEY name (column)` has a name.
fn is_constraint(first: &SqlToken<'_>, next: Option<&SqlToken<'_>>, entry: &[SqlToken<'_>]) -> bool {
    let next_is = |text: &str| next.is_some_and(|next| next.is(text) || next.says(text));
    if entry.first().is_some_and(|first| first.says("constraint")) {
        return true;
    }
    let of_columns = || {
        let inner = entry.iter().position(|token| token.is("(")).and_then(|at| entry.get(at + 1));
        inner.is_some_and(SqlToken::is_name)
    };
    match first.text.to_ascii_lowercase().as_str() {
        _ if first.kind != SqlTokenKind::Word => false,
        "check" | "exclude" => next_is("(") || next_is("using"),
        "foreign" => next_is("key"),
        "unique" => next_is("(") || next_is("key") || next_is("index") || next_is("clustered") || of_columns(),
        "period" => next_is("for"),
        "fulltext" | "spatial" | "key" | "index" => of_columns(),
        _ => false,
    }
}

/// `… REFERENCES other (id)`, of a column or of a constraint
fn foreign_key(entry: &[SqlToken<'_>]) -> Option<SqlForeignKey> {
    let line = entry.first()?.line;
    // The first word is a column's name, whatever it is.
    let at = entry.iter().skip(1).position(|token| token.says("references"))? + 1;
    let mut tokens = Tokens::new(&entry[at + 1..]);
    let table = name(&mut tokens)?;
    // `(id, PERIOD at)`
    let last = |entry: &[SqlToken<'_>]| entry.last().filter(|name| name.is_name()).map(|name| name.text.to_owned());
    let columns = tokens.take_brackets().into_iter().flat_map(entries).filter_map(last).collect();
    Some(SqlForeignKey { table, columns, line })
}

impl SqlColumn {
    fn named(name: &SqlToken<'_>, type_text: &str) -> Self {
        Self {
            name: name.text.to_owned(),
            type_text: type_text.to_owned(),
            is_required: false,
            is_doubtful: false,
            line: name.line,
        }
    }
}

fn column(entry: &[SqlToken<'_>]) -> Option<SqlColumn> {
    let (name, rest) = entry.split_first().filter(|(name, _)| name.is_name())?;
    // `tokenize = 'porter'` is an option and no column.
    if rest.first().is_some_and(|next| next.is("=")) {
        return None;
    }
    let says = |first: &str, second: &str| rest.windows(2).any(|pair| pair[0].says(first) && pair[1].says(second));
    Some(SqlColumn {
        is_required: says("not", "null") || says("primary", "key"),
        is_doubtful: AMBIGUOUS.iter().any(|word| name.says(word)) || rest.first().is_some_and(|next| next.is(".")),
        ..SqlColumn::named(name, &joined(&rest[..type_end(rest)]))
    })
}

/// Where a column's type ends.
fn type_end(rest: &[SqlToken<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in rest.iter().enumerate() {
        depth = token.depth_after(depth);
        let is_character_set = token.says("character") && rest.get(at + 1).is_some_and(|next| next.says("set"));
        if depth == 0 && (is_character_set || AFTER_TYPE.iter().any(|word| token.says(word))) {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests;
