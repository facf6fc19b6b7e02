//! Definitions in SQL: whether tables can be read, and whether what they refer to is there.
//!
//! The crate `sqlparser` reads, each statement by itself and in the dialect that takes it. Only statements about tables are
//! looked at: a dialect has more in it than any parser knows. Files of migrations build on what other means may have made,
//! so that in them little is certain.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::quote;
use sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, CreateTable, ForeignKeyConstraint, ObjectName, RenameTableNameKind,
    Statement, TableConstraint,
};
use sqlparser::dialect::{Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::{Aspect, Checked, SchemaTree};

/// Most statements of one file that are looked at.
pub const STATEMENTS_MAX: usize = 5_000;
/// How deep expressions may be nested.
pub const DEPTH_MAX: usize = 60;
/// Longest statement that is parsed, in tokens.
pub const STATEMENT_TOKENS_MAX: usize = 50_000;

/// A table as a file defines it.
#[derive(Debug, Default)]
struct SqlTable {
    /// Its columns in lower case; nothing where they cannot be known.
    columns: Option<BTreeSet<String>>,
}

/// A foreign key.
#[derive(Debug)]
struct ForeignKey {
    path: String,
    line: u32,
    table: String,
    columns: Vec<String>,
    qualified: bool,
    in_migration: bool,
}

/// What all files define together.
#[derive(Debug, Default)]
struct SqlDefinitions {
    tables: BTreeMap<String, SqlTable>,
    keys: Vec<ForeignKey>,
    /// Whether there are statements about tables that could not be read.
    gaps: bool,
    /// How many there are that no dialect reads.
    unread: usize,
}

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let mut known = SqlDefinitions::default();
    for (path, text) in tree.texts.iter().filter(|(path, _)| path.ends_with(".sql") || path.ends_with(".ddl")) {
        // What is filled in later is no SQL yet.
        if ["{{", "{%", "${", "<%"].iter().any(|mark| text.contains(mark)) || !mentions_table(text) {
            continue;
        }
        let Some(statements) = statements(text) else {
            known.gaps = true;
            checked.limit(format!("{} was not looked at: no dialect of SQL reads its words", quote(path)));
            continue;
        };
        checked.saw(Aspect::Sql);
        if statements.len() > STATEMENTS_MAX {
            known.gaps = true;
            let count = statements.len();
            checked.limit(format!("only {STATEMENTS_MAX} of {count} statements of {} were looked at", quote(path)));
        }
        file(path, statements, &mut known, checked);
    }
    keys(&known, checked);
    if known.unread > 0 {
        checked.limit(format!("{} statements about tables are in no dialect of SQL that is read here", known.unread));
    }
}

fn mentions_table(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["create", "alter"].iter().any(|word| lower.contains(word)) && lower.contains("table")
}

/// The dialects that are tried, in the order in which a text's quotes speak for them.
fn dialects(text: &str) -> Vec<Box<dyn Dialect>> {
    let mut dialects: Vec<Box<dyn Dialect>> = vec![
        Box::new(PostgreSqlDialect {}),
        Box::new(SQLiteDialect {}),
        Box::new(MySqlDialect {}),
        Box::new(MsSqlDialect {}),
        Box::new(GenericDialect {}),
    ];
    if text.contains('`') {
        dialects.swap(0, 2);
    } else if text.contains("[dbo]") || text.lines().any(|line| line.trim().eq_ignore_ascii_case("go")) {
        dialects.swap(0, 3);
    }
    dialects
}

/// One statement: its words, and the line at which it begins.
struct SqlStatement {
    tokens: Vec<TokenWithSpan>,
    line: u32,
}

/// Takes a file apart into statements, in the first dialect that knows its words.
fn statements(text: &str) -> Option<Vec<SqlStatement>> {
    let read = |dialect: &dyn Dialect| Tokenizer::new(dialect, text).tokenize_with_location().ok();
    let tokens = dialects(text).iter().find_map(|dialect| read(dialect.as_ref()))?;
    let mut statements = Vec::new();
    let mut current: Vec<TokenWithSpan> = Vec::new();
    for token in tokens {
        let ends = token.token == Token::SemiColon
            || matches!(&token.token, Token::Word(word) if word.value.eq_ignore_ascii_case("go") && word.quote_style.is_none()
                && current.last().is_some_and(|before| before.span.end.line < token.span.start.line));
        if ends {
            statements.extend(words(std::mem::take(&mut current)));
        } else if !matches!(token.token, Token::Whitespace(_)) {
            current.push(token);
        }
    }
    statements.extend(words(current));
    Some(statements)
}

fn words(tokens: Vec<TokenWithSpan>) -> Option<SqlStatement> {
    let line = u32::try_from(tokens.first()?.span.start.line).unwrap_or(u32::MAX);
    Some(SqlStatement { tokens, line })
}

impl SqlStatement {
    fn says(&self, at: usize, word: &str) -> bool {
        matches!(self.tokens.get(at).map(|token| &token.token), Some(Token::Word(found)) if found.value.eq_ignore_ascii_case(word))
    }

    /// Returns whether it defines or changes a table.
    fn is_about_table(&self) -> bool {
        let mut at = 1;
        if self.says(0, "alter") {
            return self.says(1, "table");
        }
        if !self.says(0, "create") {
            return false;
        }
        while ["or", "replace", "temp", "temporary", "global", "local", "unlogged"]
            .iter()
            .any(|word| self.says(at, word))
        {
            at += 1;
        }
        self.says(at, "table")
    }

    /// Returns whether a bracket stands open at its end, or nothing stands after a comma: no dialect means that.
    fn is_plainly_broken(&self) -> bool {
        let mut depth = 0_i64;
        let mut before = None;
        for token in &self.tokens {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen if before == Some(&Token::Comma) => return true,
                Token::RParen => depth -= 1,
                Token::Comma if before == Some(&Token::Comma) => return true,
                _ => {}
            }
            if depth < 0 {
                return true;
            }
            before = Some(&token.token);
        }
        depth != 0
    }

    fn parse(&self) -> Option<Vec<Statement>> {
        if self.tokens.len() > STATEMENT_TOKENS_MAX {
            return None;
        }
        let backticks =
            self.tokens.iter().any(|token| matches!(&token.token, Token::Word(word) if word.quote_style == Some('`')));
        dialects(if backticks { "`" } else { "" }).iter().find_map(|dialect| {
            let parser = Parser::new(dialect.as_ref()).with_recursion_limit(DEPTH_MAX);
            parser.with_tokens_with_locations(self.tokens.clone()).parse_statements().ok()
        })
    }

    fn line_of(&self, name: &sqlparser::ast::Ident) -> u32 {
        match u32::try_from(name.span.start.line) {
            Ok(line) if line > 0 => line,
            _ => self.line,
        }
    }
}

fn file(path: &str, statements: Vec<SqlStatement>, known: &mut SqlDefinitions, checked: &mut Checked) {
    let mut own: BTreeSet<String> = BTreeSet::new();
    let mut unread = 0;
    for words in statements.into_iter().take(STATEMENTS_MAX) {
        if words.says(0, "drop") {
            // It may come again.
            own.clear();
            continue;
        }
        if !words.is_about_table() {
            continue;
        }
        let Some(parsed) = words.parse() else {
            known.gaps = true;
            if words.is_plainly_broken() {
                let message = "this statement cannot be read: its brackets or commas do not fit".to_owned();
                checked.fault(Aspect::Sql, "unreadable", (path, words.line), Certainty::Certain, message);
            } else {
                unread += 1;
            }
            continue;
        };
        for statement in parsed {
            match statement {
                Statement::CreateTable(table) => create(path, &table, &words, &mut own, known, checked),
                Statement::AlterTable(alter) => {
                    for operation in &alter.operations {
                        change(path, &alter.name, operation, &words, known);
                    }
                }
                _ => known.gaps = true,
            }
        }
    }
    known.unread += unread;
}

fn create(
    path: &str,
    table: &CreateTable,
    words: &SqlStatement,
    own: &mut BTreeSet<String>,
    known: &mut SqlDefinitions,
    checked: &mut Checked,
) {
    let name = table_name(&table.name);
    let full = table.name.to_string().to_ascii_lowercase();
    if !own.insert(full) && !table.if_not_exists && !table.temporary && !table.or_replace {
        let message = format!("the table {} is defined twice in this file", quote(&name));
        checked.fault(Aspect::Sql, "duplicate-table", (path, words.line), Certainty::Certain, message);
    }
    let mut columns = BTreeSet::new();
    for column in &table.columns {
        if !columns.insert(column.name.value.to_ascii_lowercase()) {
            let message = format!("the table {} has two columns {}", quote(&name), quote(&column.name.value));
            let place = (path, words.line_of(&column.name));
            checked.fault(Aspect::Sql, "duplicate-column", place, Certainty::Certain, message);
        }
        column_keys(path, column, words, known);
    }
    for constraint in &table.constraints {
        if let TableConstraint::ForeignKey(key) = constraint {
            note(path, key, words.line, known);
        }
    }
    let complete = table.query.is_none() && table.like.is_none() && table.inherits.is_none() && !columns.is_empty();
    let entry = known.tables.entry(name).or_insert_with(|| SqlTable { columns: Some(BTreeSet::new()) });
    match &mut entry.columns {
        Some(all) if complete => all.extend(columns),
        all => *all = None,
    }
}

fn column_keys(path: &str, column: &ColumnDef, words: &SqlStatement, known: &mut SqlDefinitions) {
    for option in &column.options {
        if let ColumnOption::ForeignKey(key) = &option.option {
            note(path, key, words.line_of(&column.name), known);
        }
    }
}

fn note(path: &str, key: &ForeignKeyConstraint, line: u32, known: &mut SqlDefinitions) {
    known.keys.push(ForeignKey {
        path: path.to_owned(),
        line,
        table: table_name(&key.foreign_table),
        columns: key.referred_columns.iter().map(|column| column.value.to_ascii_lowercase()).collect(),
        qualified: key.foreign_table.0.len() > 1,
        in_migration: is_migration(path),
    });
}

fn change(
    path: &str,
    table: &ObjectName,
    operation: &AlterTableOperation,
    words: &SqlStatement,
    known: &mut SqlDefinitions,
) {
    let name = table_name(table);
    let mut add = |column: String| {
        if let Some(SqlTable { columns: Some(columns) }) = known.tables.get_mut(&name) {
            columns.insert(column);
        }
    };
    match operation {
        AlterTableOperation::AddColumn { column_def, .. } => {
            add(column_def.name.value.to_ascii_lowercase());
            column_keys(path, column_def, words, known);
        }
        AlterTableOperation::RenameColumn { new_column_name, .. } => add(new_column_name.value.to_ascii_lowercase()),
        AlterTableOperation::ChangeColumn { new_name, .. } => add(new_name.value.to_ascii_lowercase()),
        AlterTableOperation::AddConstraint { constraint: TableConstraint::ForeignKey(key), .. } => {
            note(path, key, words.line, known);
        }
        AlterTableOperation::RenameTable { table_name: new } => {
            let (RenameTableNameKind::As(new) | RenameTableNameKind::To(new)) = new;
            known.tables.entry(table_name(new)).or_default();
        }
        _ => {}
    }
}

/// The name of a table without that of its schema, in lower case.
fn table_name(name: &ObjectName) -> String {
    let last = name.0.last().and_then(|part| part.as_ident());
    last.map_or_else(|| name.to_string(), |name| name.value.clone()).to_ascii_lowercase()
}

/// Returns whether a file is one step of many, by its folder or the number that its name begins with.
fn is_migration(path: &str) -> bool {
    let name = assize_core::path::file_name(path);
    let numbered = name.trim_start_matches(['V', 'U', 'v']).starts_with(|first: char| first.is_ascii_digit());
    let folder = path.to_ascii_lowercase();
    numbered
        || ["migration", "migrate", "alembic", "flyway", "liquibase", "changelog"]
            .iter()
            .any(|word| folder.contains(word))
}

fn keys(known: &SqlDefinitions, checked: &mut Checked) {
    for key in &known.keys {
        let doubtful = known.gaps || key.in_migration || key.qualified;
        let certainty = if doubtful { Certainty::Likely } else { Certainty::Certain };
        let place = (key.path.as_str(), key.line);
        match known.tables.get(&key.table) {
            None => {
                let message = format!("a foreign key refers to the table {}, which no file defines", quote(&key.table));
                checked.fault(Aspect::Sql, "unknown-table", place, certainty, message);
            }
            Some(SqlTable { columns: Some(columns) }) => {
                for column in key.columns.iter().filter(|column| !columns.contains(*column)) {
                    let message = format!(
                        "a foreign key refers to the column {} of {}, which no file defines",
                        quote(column),
                        quote(&key.table)
                    );
                    checked.fault(Aspect::Sql, "unknown-column", place, certainty, message);
                }
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::looked;

    fn look(files: &[(&str, &str)]) -> Vec<String> {
        looked(files, check)
    }

    #[test]
    fn tables_are_read_in_any_dialect() {
        for text in [
            "CREATE TABLE a (id serial PRIMARY KEY, tags text[] DEFAULT '{}', at timestamptz NOT NULL DEFAULT now());",
            "CREATE TABLE `a` (`id` int unsigned NOT NULL AUTO_INCREMENT, PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;",
            "CREATE TABLE IF NOT EXISTS a (id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT) WITHOUT ROWID;",
            "CREATE TABLE [dbo].[a] ([id] INT IDENTITY(1,1) NOT NULL PRIMARY KEY)\nGO\nCREATE TABLE b (id INT)\nGO\n",
            "CREATE TABLE a (id int GENERATED ALWAYS AS IDENTITY, CONSTRAINT c CHECK (id > 0));\nCREATE FUNCTION f() RETURNS trigger AS $$ BEGIN; END; $$ LANGUAGE plpgsql;",
            "CREATE TABLE a (id int);\nDROP TABLE a;\nCREATE TABLE a (id int);",
            "-- no table at all\nSELECT 1 FROM;",
            "CREATE TABLE {{ name }} (id int,);",
        ] {
            assert_eq!(look(&[("a.sql", text)]), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_broken_is_told() {
        for (text, expected) in [
            ("\nCREATE TABLE a (id int, b text;", &["2 unreadable"][..]),
            ("CREATE TABLE a (id int,);", &["1 unreadable"]),
            ("CREATE TABLE a (id int wibble wobble (3) 4 5);", &[]),
            ("CREATE TABLE a (id int);\nCREATE TABLE a (id int);", &["2 duplicate-table"]),
            ("CREATE TABLE a (\nid int,\nID int);", &["3 duplicate-column"]),
            ("CREATE TABLE a (\nb_id int REFERENCES b(id));", &["2 unknown-table"]),
            ("CREATE TABLE a (b_id int REFERENCES auth.b(id));", &["1 unknown-table?"]),
            ("CREATE TABLE b (id int);\nCREATE TABLE a (\nb_id int REFERENCES b(no));", &["3 unknown-column"]),
            ("CREATE TABLE b (id int);\nCREATE TABLE a (b_id int, FOREIGN KEY (b_id) REFERENCES b (id));", &[]),
            (
                "CREATE TABLE b (x int);\nALTER TABLE b ADD COLUMN id int;\nCREATE TABLE a (b_id int REFERENCES b(id));",
                &[],
            ),
            (
                "CREATE TABLE b (x int);\nALTER TABLE b ADD CONSTRAINT c FOREIGN KEY (x) REFERENCES d (id);",
                &["2 unknown-table"],
            ),
            ("CREATE TABLE a (b_id int REFERENCES b(id));\nCREATE TABLE b (id int);", &[]),
            ("CREATE TABLE b AS SELECT 1 AS id;\nCREATE TABLE a (b_id int REFERENCES b(id));", &[]),
        ] {
            assert_eq!(look(&[("a.sql", text)]), expected, "{text}");
        }
        let two = [("a.sql", "CREATE TABLE a (b_id int REFERENCES b(id));"), ("b.sql", "CREATE TABLE b (id int);")];
        assert_eq!(look(&two), [""; 0]);
        let step = ("db/migrations/002_a.sql", "CREATE TABLE a (b_id int REFERENCES b(id));");
        assert_eq!(look(&[step]), ["1 unknown-table?"]);
    }

    #[test]
    fn limits_hold() {
        let deep =
            |depth: usize| format!("CREATE TABLE a (id int DEFAULT {}1{});", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(look(&[("a.sql", &deep(10))]), [""; 0]);
        assert_eq!(look(&[("a.sql", &deep(50_000))]), [""; 0]);
        let many = |count: usize| format!("{}CREATE TABLE a (id int,);", "SELECT 1;".repeat(count - 1));
        assert_eq!(look(&[("a.sql", &many(STATEMENTS_MAX))]).len(), 1);
        assert_eq!(look(&[("a.sql", &many(STATEMENTS_MAX + 1))]).len(), 0);
    }

    #[test]
    fn a_statement_is_parsed_up_to_its_limit_in_tokens() {
        // `CREATE TABLE a (c0 int)` is seven tokens; each further column and its comma are three.
        let with = |more: usize| {
            let columns: Vec<String> = (1..more).map(|at| format!("c{at} int")).collect();
            format!("CREATE TABLE a (c0 int,{},c0 int)", columns.join(","))
        };
        let fitting = (STATEMENT_TOKENS_MAX - 7) / 3;
        assert_eq!(look(&[("a.sql", &with(fitting))]).len(), 1);
        assert_eq!(look(&[("a.sql", &with(fitting + 1))]).len(), 0);
    }
}
