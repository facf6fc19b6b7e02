//! What statements say, and where they break.

use super::*;

/// A line for each statement: its line, what it does, columns, keys and what else is known.
fn shown(text: &str) -> Vec<String> {
    let columns = |columns: &[SqlColumn]| {
        let names =
            columns.iter().map(|column| format!("{}{}", column.name, if column.is_doubtful { "?" } else { "" }));
        names.collect::<Vec<_>>().join(" ")
    };
    let keys = |keys: &[SqlForeignKey]| -> String {
        keys.iter().map(|key| format!(" -> {}({})", key.table.parts.join("."), key.columns.join(" "))).collect()
    };
    let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
    let line = |statement: SqlStatement| {
        let what = match statement.action {
            SqlAction::Create(of) => format!(
                "create {} [{}]{}{}{}",
                of.name.parts.join("."),
                columns(&of.columns),
                keys(&of.foreign_keys),
                mark(of.has_other_columns, " +"),
                mark(of.is_tentative, " ~"),
            ),
            SqlAction::Alter(change) => format!(
                "alter {} [{}]{}{}{}{}",
                change.table.parts.join("."),
                columns(&change.columns),
                keys(&change.foreign_keys),
                change.renamed_columns.iter().map(|name| format!(" = {name}")).collect::<String>(),
                change.renamed.map(|name| format!(" to {}", name.own())).unwrap_or_default(),
                mark(change.has_other_columns, " +"),
            ),
            SqlAction::MakesRoom => "room".to_owned(),
            SqlAction::Unknown => "unknown".to_owned(),
        };
        let fault = statement.fault.map(|fault| format!(" {fault:?}")).unwrap_or_default();
        format!("{}:{what}{fault}", statement.line)
    };
    read(text).statements.into_iter().map(line).collect()
}

#[test]
fn tables_have_columns_and_keys() {
    for (text, expected) in [
        (
            "create table a (b int references c (d), foreign key (b, e) references f.g (h, i));",
            "1:create a [b] -> c(d) -> f.g(h i)",
        ),
        ("create table a (b int references c);", "1:create a [b] -> c()"),
        ("create table if not exists a (b int);", "1:create a [b] ~"),
        ("create temporary table a (b int);", "1:create a [b] ~"),
        ("create table a as select 1 as b;", "1:create a [] +"),
        ("create table a (like b including all, c int);", "1:create a [c] +"),
        ("create table a partition of b for values in (1);", "1:create a [] +"),
        ("create table a (b int, key c (b), index d using btree (b), unique (b));", "1:create a [b]"),
        ("create table a (key text, index int, unique bool);", "1:create a [key? index? unique?]"),
        ("create table a$b (c$d int);", "1:create a$b [c$d]"),
        ("create table #a (b int);", "1:unknown"),
        ("drop index a;", "1:room"),
        ("create hybrid table a (b int);", "1:unknown"),
        ("if object_id('a') is null create table a (b int);", "1:unknown"),
        ("create schema a create table b (c int);", "1:unknown"),
        ("use shop;", "1:room"),
        ("set search_path = shop;", "1:room"),
        ("create table a (b map<string, int>, c struct<d int, e array<f>>, g int);", "1:create a [b c g]"),
        ("create table a (b int, # one) two\n c int // d, e\n);", "1:create a [b c]"),
        ("create table a (b int,\ngo boolean);", "1:create a [b go]"),
        ("create table a (b int[], check (b[array_length(b[1:2], 1)] = 3), c int);", "1:create a [b c]"),
        (
            "create table a (references text, b int, foreign key (b, period c) references d (e, period f));",
            "1:create a [references b] -> d(e f)",
        ),
        ("create table a (family b (c), b.c int);", "1:create a [family? b?]"),
    ] {
        assert_eq!(shown(text), [expected], "{text}");
    }
}

#[test]
fn changes_of_tables_are_read_one_by_one() {
    for (text, expected) in [
        ("alter table a add b int, add column c int references d(e);", "1:alter a [b c] -> d(e)"),
        ("alter table a add (b int, c int);", "1:alter a [b c]"),
        ("alter table only a add constraint b foreign key (c) references d (e);", "1:alter a [] -> d(e)"),
        ("alter table a with check add constraint b foreign key (c) references d (e);", "1:alter a [] -> d(e)"),
        ("alter table a rename column b to c, rename to d;", "1:alter a [] = c to d"),
        ("alter table a change b c int;", "1:alter a [] = c"),
        ("alter table a drop column b, alter column c set not null;", "1:alter a []"),
        // SQL Server takes several columns after one `ADD`.
        ("alter table a add b int, c int;", "1:alter a [b] +"),
        ("alter table 3;", "1:unknown"),
    ] {
        assert_eq!(shown(text), [expected], "{text}");
    }
}

#[test]
fn statements_end_as_each_dialect_ends_them() {
    for (text, expected) in [
        ("create table a (b int)\ngo\ncreate table c (d int)\nGO\n", &["1:create a [b]", "3:create c [d]"][..]),
        ("create table a (b int)\n\ncreate table c (d int)", &["1:create a [b]", "3:create c [d] ~"]),
        (
            "if not exists (select 1)\ncreate table a (b int);\ncreate table c (d int);",
            &["2:create a [b] ~", "3:create c [d]"],
        ),
        (
            "\\connect shop\ncreate table a (b int);\n# a note; it's one\ncreate table c (d int);",
            &["2:create a [b]", "4:create c [d]"],
        ),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn a_backslash_is_what_closes_all_quotes() {
    for text in [
        r"insert into b values ('C:\'); create table a (b int);",
        r"insert into b values ('it\'s (;'); create table a (b int);",
        r"insert into b values (E'it\'s (;', 'C:\'); create table a (b int);",
        r"insert into b values ('it''s (;'); create table a (b int);",
    ] {
        assert_eq!(shown(text), ["1:create a [b]"], "{text}");
        assert!(read(text).is_closed, "{text}");
    }
    // Both readings close every quote here.
    let either = r"create table a (b int default 'it\'s one', c int default 'it\'s two');";
    assert!(!read(either).is_closed);
    assert_eq!(shown(&either.replace("table a", "table `a`")), ["1:create a [b c]"]);
    for text in ["create table a (b int); select 'c", "/* create table a (b int);", "do $x$ create table a (b int);"] {
        assert!(!read(text).is_closed, "{text}");
    }
}

#[test]
fn brackets_and_commas_that_do_not_fit_are_told() {
    for (text, expected) in [
        ("create table a (b int", Some(SqlFault::Unbalanced)),
        ("create table a (b int));", Some(SqlFault::Unbalanced)),
        ("create table a (b int,, c int);", Some(SqlFault::Unbalanced)),
        ("create table a (b int,);", Some(SqlFault::TrailingComma)),
        ("create table a (b int default ')');", None),
        ("create table a (b int[] default '{}', c int[3]);", None),
    ] {
        let faults: Vec<_> = read(text).statements.iter().map(|statement| statement.fault).collect();
        assert_eq!(faults, [expected], "{text}");
    }
}
