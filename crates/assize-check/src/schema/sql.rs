//! Definitions in SQL: whether tables can be read, and whether what they refer to is there.
//!
//! Only statements about tables are looked at: a dialect has more in it than any reader knows. Files of migrations build on
//! what other means may have made, so that in them little is certain.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::quote;
use assize_syntax::schema_type::SchemaTypeKind;
use assize_syntax::schema_type::sql::{
    SqlAction, SqlChange, SqlColumn, SqlDefinition, SqlFault, SqlForeignKey, SqlName, SqlStatement, read,
};

use super::{Aspect, Checked, SchemaTree};

/// Most statements of one file that are looked at.
pub const STATEMENTS_MAX: usize = 5_000;

/// A table as a file defines it.
#[derive(Debug, Default)]
struct SqlTable {
    /// Its columns in lower case; nothing where they cannot be known.
    columns: Option<BTreeSet<String>>,
}

/// A foreign key, and where it stands.
#[derive(Debug)]
struct PlacedKey {
    path: String,
    in_migration: bool,
    key: SqlForeignKey,
}

/// What all files define together.
#[derive(Debug, Default)]
struct SqlDefinitions {
    tables: BTreeMap<String, SqlTable>,
    keys: Vec<PlacedKey>,
    /// Changes of tables; the file that defines one may come after the file that changes it.
    changes: Vec<SqlChange>,
    /// Whether there are statements about tables that could not be read.
    gaps: bool,
    /// How many there are.
    unread: usize,
}

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let is_unread = |path: &&String| path.ends_with(".sql") && !tree.texts.contains_key(*path);
    let mut known =
        SqlDefinitions { gaps: tree.paths.iter().any(|path| is_unread(&path)), ..SqlDefinitions::default() };
    for (path, text) in tree.texts.iter().filter(|(path, _)| path.ends_with(".sql") || path.ends_with(".ddl")) {
        // What is filled in later is no SQL yet.
        if !mentions_table(text) {
            continue;
        }
        if ["{{", "{%", "${", "<%"].iter().any(|mark| text.contains(mark)) {
            known.gaps = true;
            continue;
        }
        let file = read(text);
        if !file.is_closed {
            known.gaps = true;
            checked.limit(format!("{} was not looked at: a quote or comment in it has no end", quote(path)));
            continue;
        }
        checked.saw(Aspect::Sql);
        let mut statements = file.statements;
        statements.retain(|statement| is_about_table(&statement.action));
        let count = statements.len();
        if count > STATEMENTS_MAX {
            known.gaps = true;
            checked.limit(format!("only {STATEMENTS_MAX} of {count} statements of {} were looked at", quote(path)));
            statements.truncate(STATEMENTS_MAX);
        }
        statements_of(path, statements, &mut known, checked);
    }
    for change in std::mem::take(&mut known.changes) {
        apply(&change, &mut known);
    }
    keys(&known, checked);
    if known.unread > 0 {
        checked.limit(format!("{} statements about tables are in no dialect of SQL that is read here", known.unread));
    }
}

fn statements_of(path: &str, statements: Vec<SqlStatement>, known: &mut SqlDefinitions, checked: &mut Checked) {
    let mut own: BTreeSet<String> = BTreeSet::new();
    for statement in statements {
        if let Some(fault) = statement.fault {
            known.gaps = true;
            let (certainty, what) = match fault {
                SqlFault::Unbalanced => (Certainty::Certain, "its brackets or commas do not fit"),
                SqlFault::TrailingComma => (Certainty::Likely, "a comma stands before a closing bracket"),
            };
            let message = format!("this statement cannot be read: {what}");
            checked.fault(Aspect::Sql, "unreadable", (path, statement.line), certainty, message);
            continue;
        }
        match statement.action {
            // It may come again.
            SqlAction::MakesRoom => own.clear(),
            SqlAction::Create(table) => create((path, statement.line), table, &mut own, known, checked),
            SqlAction::Alter(change) => {
                if change.renamed.is_some() {
                    own.clear();
                }
                alter(path, change, known);
            }
            SqlAction::Unknown => {
                known.gaps = true;
                known.unread += 1;
            }
        }
    }
}

fn mentions_table(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["create", "alter"].iter().any(|word| lower.contains(word)) && lower.contains("table")
}

fn is_about_table(action: &SqlAction) -> bool {
    match action {
        SqlAction::Create(definition) => definition.kind == SchemaTypeKind::Table,
        SqlAction::Alter(_) | SqlAction::MakesRoom | SqlAction::Unknown => true,
    }
}

fn create(
    place: (&str, u32),
    table: SqlDefinition,
    own: &mut BTreeSet<String>,
    known: &mut SqlDefinitions,
    checked: &mut Checked,
) {
    let (path, _) = place;
    let name = table.name.own();
    let full = table.name.parts.join(".");
    if !own.insert(full) && !table.is_tentative {
        let message = format!("the table {} is defined twice in this file", quote(&name.to_ascii_lowercase()));
        checked.fault(Aspect::Sql, "duplicate-table", place, Certainty::Certain, message);
    }
    let mut columns = BTreeSet::new();
    let mut spelled = BTreeSet::new();
    for column in &table.columns {
        let is_same = !spelled.insert(&column.name);
        if !columns.insert(lower(column)) && !column.is_doubtful {
            let message =
                format!("the table {} has two columns {}", quote(&name.to_ascii_lowercase()), quote(&column.name));
            // In some dialects names that differ in case are two.
            let certainty = if is_same { Certainty::Certain } else { Certainty::Likely };
            checked.fault(Aspect::Sql, "duplicate-column", (path, column.line), certainty, message);
        }
    }
    let entry =
        known.tables.entry(table_name(&table.name)).or_insert_with(|| SqlTable { columns: Some(BTreeSet::new()) });
    match &mut entry.columns {
        Some(all) if !table.has_other_columns => all.extend(columns),
        all => *all = None,
    }
    note(path, table.foreign_keys, known);
}

fn alter(path: &str, mut change: SqlChange, known: &mut SqlDefinitions) {
    note(path, std::mem::take(&mut change.foreign_keys), known);
    known.changes.push(change);
}

fn apply(change: &SqlChange, known: &mut SqlDefinitions) {
    if let Some(table) = known.tables.get_mut(&table_name(&change.table)) {
        match &mut table.columns {
            Some(columns) if !change.has_other_columns => {
                columns.extend(change.columns.iter().map(lower));
                columns.extend(change.renamed_columns.iter().map(|name| name.to_ascii_lowercase()));
            }
            columns => *columns = None,
        }
    }
    if let Some(new) = &change.renamed {
        known.tables.entry(table_name(new)).or_default();
    }
}

fn note(path: &str, keys: Vec<SqlForeignKey>, known: &mut SqlDefinitions) {
    let in_migration = is_migration(path);
    known.keys.extend(keys.into_iter().map(|key| PlacedKey { path: path.to_owned(), in_migration, key }));
}

fn lower(column: &SqlColumn) -> String {
    column.name.to_ascii_lowercase()
}

/// The name of a table without that of its schema, in lower case.
fn table_name(name: &SqlName) -> String {
    name.own().to_ascii_lowercase()
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
    for PlacedKey { path, in_migration, key } in &known.keys {
        let doubtful = known.gaps || *in_migration || key.table.parts.len() > 1;
        let certainty = if doubtful { Certainty::Likely } else { Certainty::Certain };
        let place = (path.as_str(), key.line);
        let table = table_name(&key.table);
        match known.tables.get(&table) {
            None => {
                let message = format!("a foreign key refers to the table {}, which no file defines", quote(&table));
                checked.fault(Aspect::Sql, "unknown-table", place, certainty, message);
            }
            Some(SqlTable { columns: Some(columns) }) => {
                let referred = key.columns.iter().map(|column| column.to_ascii_lowercase());
                for column in referred.filter(|column| !columns.contains(column)) {
                    let message = format!(
                        "a foreign key refers to the column {} of {}, which no file defines",
                        quote(&column),
                        quote(&table)
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
    use crate::schema::FILE_FAULTS_MAX;
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
            ("CREATE TABLE a (id int,);", &["1 unreadable?"]),
            ("CREATE TABLE a (id int,, b int);", &["1 unreadable"]),
            ("CREATE TABLE a (id int));", &["1 unreadable"]),
            ("CREATE TABLE a (id int wibble wobble (3) 4 5);", &[]),
            ("CREATE TABLE a (id int);\nCREATE TABLE a (id int);", &["2 duplicate-table"]),
            ("CREATE TABLE a (\nid int,\nid int);", &["3 duplicate-column"]),
            ("CREATE TABLE a (\nid int,\nID int);", &["3 duplicate-column?"]),
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
        let later = [
            ("a.sql", "ALTER TABLE b ADD COLUMN id int;\nCREATE TABLE a (b_id int REFERENCES b(id));"),
            ("b.sql", "CREATE TABLE b (x int);"),
        ];
        assert_eq!(look(&later), [""; 0]);
        let filled_in =
            [("a.sql", "CREATE TABLE a (b_id int REFERENCES b(id));"), ("b.sql", "CREATE TABLE ${b} (id int);")];
        assert_eq!(look(&filled_in), ["1 unknown-table?"]);
        let step = ("db/migrations/002_a.sql", "CREATE TABLE a (b_id int REFERENCES b(id));");
        assert_eq!(look(&[step]), ["1 unknown-table?"]);
    }

    #[test]
    fn faults_of_a_file_are_told_up_to_their_limit() {
        let twice =
            |count: usize| look(&[("a.sql", &format!("CREATE TABLE a (b int{});", ",b int".repeat(count)))]).len();
        assert_eq!((twice(FILE_FAULTS_MAX), twice(FILE_FAULTS_MAX + 1)), (FILE_FAULTS_MAX, FILE_FAULTS_MAX));
    }

    #[test]
    fn limits_hold() {
        let deep =
            |depth: usize| format!("CREATE TABLE a (id int DEFAULT {}1{});", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(look(&[("a.sql", &deep(10))]), [""; 0]);
        assert_eq!(look(&[("a.sql", &deep(50_000))]), [""; 0]);
        let many = |count: usize| format!("{}CREATE TABLE a (id int,);", "DROP TABLE b;".repeat(count - 1));
        assert_eq!(look(&[("a.sql", &many(STATEMENTS_MAX))]).len(), 1);
        assert_eq!(look(&[("a.sql", &many(STATEMENTS_MAX + 1))]).len(), 0);
    }
}
