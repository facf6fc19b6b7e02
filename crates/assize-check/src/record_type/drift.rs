//! Comparison of types in code with types in schemas, to find pairs that mean the same and no longer agree.
//!
//! Two types mean the same when code was generated from the schema, or when they have one name and most of their fields
//! in common. Types with less in common are not compared: a shared name such as `Item` proves nothing. This module does
//! not know which of the two came first, or whether they differed before.

use std::collections::{BTreeMap, BTreeSet};

use assize_syntax::schema_type::{SchemaFile, SchemaFormat, SchemaType, SchemaTypeKind};

use super::{FieldShape, RecordField, RecordFile, RecordType};

/// Fewest fields that types by hand have in common.
pub const COMMON_MIN: usize = 3;
/// Least share of all their fields that they have in common, in per cent.
pub const COMMON_SHARE_MIN: usize = 60;
/// Most fields of one pair that are told.
pub const TOLD_MAX: usize = 20;

/// What a comparison gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaDrifts {
    /// How many files of code have a type that a schema describes.
    pub files: usize,
    /// The pairs that agree in everything.
    pub in_step: BTreeSet<TypePair>,
    /// Where pairs differ.
    pub found: Vec<SchemaDrift>,
}

/// A type of a schema and the type of code that means the same, by their names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypePair {
    /// The file of code.
    pub code: String,
    /// The type in it.
    pub record: String,
    /// The schema's file.
    pub schema: String,
}

/// A place where code and schema differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaDrift {
    /// What differs from what.
    pub pair: TypePair,
    /// The kind of difference.
    pub code: &'static str,
    /// The line in the file of code, counted from 1.
    pub line: u32,
    /// What differs.
    pub message: String,
    /// Whether the file was generated from the schema.
    pub generated: bool,
    /// Whether code may well have it otherwise, such as a field of its own that need not be there.
    pub tolerable: bool,
}

/// Compares types.
pub fn find(code: &BTreeMap<String, RecordFile>, schemas: &BTreeMap<String, SchemaFile>) -> SchemaDrifts {
    let index = SchemaTypeIndex::of(schemas);
    let mut drifted = SchemaDrifts::default();
    for (path, file) in code {
        let mut matched = false;
        for record in &file.types {
            let Some((schema, generated)) = index.meant(path, file, record) else { continue };
            matched = true;
            let pair = TypePair { code: path.clone(), record: record.name.clone(), schema: schema.path.to_owned() };
            let found = compare(&pair, record, &schema, generated);
            if found.is_empty() {
                drifted.in_step.insert(pair);
            }
            drifted.found.extend(found.into_iter().take(TOLD_MAX));
        }
        drifted.files += usize::from(matched);
    }
    drifted
}

/// A schema's type, with the fields that it takes over from others of its file.
#[derive(Debug, Clone)]
struct Described<'s> {
    path: &'s str,
    format: SchemaFormat,
    name: &'s str,
    fields: BTreeMap<String, ExpectedField<'s>>,
    /// Whether it has fields that stand elsewhere.
    open: bool,
}

#[derive(Debug, Clone, Copy)]
struct ExpectedField<'s> {
    name: &'s str,
    shape: FieldShape,
}

/// The types of all schemas, by what they are called.
struct SchemaTypeIndex<'s> {
    by_name: BTreeMap<String, Vec<Described<'s>>>,
}

impl<'s> SchemaTypeIndex<'s> {
    fn of(schemas: &'s BTreeMap<String, SchemaFile>) -> Self {
        let mut by_name: BTreeMap<String, Vec<Described<'s>>> = BTreeMap::new();
        for (path, file) in schemas.iter().filter(|(_, file)| file.format != SchemaFormat::Sql) {
            for of in &file.types {
                let has_fields =
                    matches!(of.kind, SchemaTypeKind::Object | SchemaTypeKind::Input | SchemaTypeKind::Interface);
                if has_fields && !of.fields.is_empty() {
                    let described = described(path, file, of);
                    by_name.entry(plain(last(&of.name))).or_default().push(described);
                }
            }
        }
        Self { by_name }
    }

    /// The schema's type that a type of code means, and whether it was generated from it.
    fn meant(&self, path: &str, file: &RecordFile, record: &RecordType) -> Option<(Described<'s>, bool)> {
        let named = self.by_name.get(&plain(&record.name))?;
        if file.generated {
            let from = |of: &&Described<'s>| file.sources.iter().any(|source| is_source(path, source, of.path));
            let mut sources = named.iter().filter(from);
            let only = sources.next().filter(|_| sources.next().is_none());
            return only.filter(|of| share(record, of).0 * 2 >= record.fields.len()).map(|of| (of.clone(), true));
        }
        let mut alike = named.iter().filter(|of| is_alike(record, of));
        alike.next().filter(|_| alike.next().is_none()).map(|of| (of.clone(), false))
    }
}

fn described<'s>(path: &'s str, file: &'s SchemaFile, of: &'s SchemaType) -> Described<'s> {
    let mut found =
        Described { path, format: file.format, name: &of.name, fields: BTreeMap::new(), open: of.fields_left_out > 0 };
    let mut due = vec![of];
    let mut seen = BTreeSet::new();
    while let Some(of) = due.pop() {
        if !seen.insert(&of.name) {
            continue;
        }
        for field in &of.fields {
            let expected =
                ExpectedField { name: &field.name, shape: FieldShape::of_schema(file.format, &field.type_text) };
            found.fields.entry(plain(&field.name)).or_insert(expected);
        }
        // What a GraphQL type implements it writes out itself.
        for part in of.parts.iter().filter(|_| file.format != SchemaFormat::Graphql) {
            match file.types.iter().find(|other| last(&other.name) == part) {
                Some(other) => due.push(other),
                None => found.open = true,
            }
        }
    }
    found
}

/// Names are compared without what casing adds.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns whether a generated file's word for its source means a schema's file.
fn is_source(path: &str, source: &str, schema: &str) -> bool {
    let bare = source.trim_start_matches("../").trim_start_matches("./");
    let beside = path.rsplit_once('/').map_or_else(|| bare.to_owned(), |(folder, _)| format!("{folder}/{bare}"));
    schema == bare || schema == beside || schema.ends_with(&format!("/{bare}"))
}

/// How many fields both have, and how many there are in all.
fn share(record: &RecordType, of: &Described<'_>) -> (usize, usize) {
    let own: BTreeSet<String> = record.fields.iter().map(|field| plain(&field.name)).collect();
    let common = own.iter().filter(|name| of.fields.contains_key(*name)).count();
    (common, own.len() + of.fields.len() - common)
}

fn is_alike(record: &RecordType, of: &Described<'_>) -> bool {
    let (common, all) = share(record, of);
    common >= COMMON_MIN && common * 100 >= all * COMMON_SHARE_MIN
}

/// Fields that belong to a format and to no type.
fn is_technical(name: &str) -> bool {
    name.starts_with(['$', '@']) || name.starts_with("__")
}

fn compare(pair: &TypePair, record: &RecordType, of: &Described<'_>, generated: bool) -> Vec<SchemaDrift> {
    let mut found = Vec::new();
    let own: BTreeMap<String, &RecordField> = record.fields.iter().map(|field| (plain(&field.name), field)).collect();
    let called = format!("`{}` in {}", of.name, pair.schema);
    let mut say = |code, line, message, tolerable| {
        found.push(SchemaDrift { pair: pair.clone(), code, line, message, generated, tolerable });
    };
    for (key, expected) in of.fields.iter().filter(|(_, expected)| !is_technical(expected.name)) {
        match own.get(key) {
            None if record.open => {}
            None => {
                let message = format!("`{}` has no field `{}`, which {called} has", record.name, expected.name);
                say("field-missing", record.line, message, false);
            }
            // Whole numbers are texts in what GraphQL and protobuf make of JSON.
            Some(field) if field.shape.contradicts(expected.shape) => {
                let message = format!(
                    "`{}` of `{}` is {}; in {called} it is {}",
                    field.name,
                    record.name,
                    field.shape.shown(),
                    expected.shape.shown()
                );
                say("field-type", field.line, message, false);
            }
            Some(_) => {}
        }
    }
    for (key, field) in &own {
        if !of.open && !of.fields.contains_key(key) && !is_technical(&field.name) {
            let message = format!("`{}` has a field `{}`, which {called} does not have", record.name, field.name);
            let own_matter = !field.required || of.format == SchemaFormat::Graphql;
            say("field-extra", field.line, message, own_matter && !generated);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Order", "type": "object",
        "required": ["id", "total"], "properties": {"id": {"type": "string"}, "total": {"type": "integer"},
        "note": {"type": ["string", "null"]}, "lines": {"type": "array", "items": {}}}}"##;

    fn drift(code: (&str, &str), schemas: &[(&str, &str)]) -> Vec<String> {
        let read =
            |(path, text): &(&str, &str)| Some(((*path).to_owned(), assize_syntax::schema_type::read(path, text)?));
        let schemas = schemas.iter().filter_map(read).collect();
        let file = super::super::read(code.0, code.1).expect("code");
        let drifted = find(&BTreeMap::from([(code.0.to_owned(), file)]), &schemas);
        let mut shown: Vec<String> = drifted.in_step.iter().map(|pair| format!("{} in step", pair.record)).collect();
        let mark = |drift: &SchemaDrift| if drift.tolerable { "?" } else { "" };
        let sure = |drift: &SchemaDrift| if drift.generated { "!" } else { "" };
        shown.extend(
            drifted.found.iter().map(|drift| format!("{} {}{}{}", drift.line, drift.code, mark(drift), sure(drift))),
        );
        shown
    }

    #[test]
    fn types_of_every_language_are_held_against_their_schema() {
        for (path, text, expected) in [
            (
                "a.ts",
                "interface Order { id: string; total: number; note?: string; lines: Line[] }",
                &["Order in step"][..],
            ),
            ("a.ts", "interface Order { id: string; total: number; note?: string }", &["1 field-missing"]),
            (
                "a.ts",
                "interface Order {\n id: string; total: string; note?: string; lines: Line[] }",
                &["2 field-type"],
            ),
            (
                "a.ts",
                "interface Order {\n id: string; total: number; note: string; lines: Line[];\n more: string }",
                &["3 field-extra"],
            ),
            (
                "a.ts",
                "interface Order {\n id: string; total: number; note: string; lines: Line[];\n more?: string }",
                &["3 field-extra?"],
            ),
            (
                "a.py",
                "class Order(BaseModel):\n    id: str\n    total: int\n    note: str | None\n    lines: list[Line]\n",
                &["Order in step"],
            ),
            (
                "a.py",
                "class Order(BaseModel):\n    id: int\n    total: int\n    note: str | None\n    lines: list[Line]\n",
                &["2 field-type"],
            ),
            (
                "a.rs",
                "#[derive(Serialize)]\nstruct Order { id: String, total: u64, note: Option<String>, lines: Vec<Line> }",
                &["Order in step"],
            ),
            (
                "a.go",
                "package a\ntype Order struct {\n\tID string `json:\"id\"`\n\tTotal int64 `json:\"total\"`\n\tNote *string `json:\"note\"`\n}\n",
                &["2 field-missing"],
            ),
            (
                "A.java",
                "public record Order(String id, long total, @Nullable String note, List<Line> lines) {}",
                &["Order in step"],
            ),
            (
                "A.java",
                "record Order(@JsonProperty(\"id\") String key, long total, String note, List<Line> lines) {}",
                &["Order in step"],
            ),
        ] {
            assert_eq!(drift((path, text), &[("order.json", SCHEMA)]), expected, "{text}");
        }
    }

    #[test]
    fn what_may_mean_something_else_is_left_alone() {
        for text in [
            "interface Order { id: string; by: string; direction: string }",
            "interface Order { id: string }",
            "interface Sorting { id: string; total: number; note?: string; lines: Line[] }",
            "interface Order extends Base { id: string; total: number; note: string }",
        ] {
            assert!(
                drift(("a.ts", text), &[("order.json", SCHEMA)]).iter().all(|found| found.contains("step")),
                "{text}"
            );
        }
        // Two schemas of that name.
        let text = "interface Order { id: string; total: number; note?: string }";
        assert_eq!(drift(("a.ts", text), &[("order.json", SCHEMA), ("b/order.json", SCHEMA)]), [""; 0]);
    }

    #[test]
    fn generated_code_belongs_to_the_schema_that_it_names() {
        let of = |source: &str| {
            format!(
                "// Generated by x from {source}. Do not edit.\nexport interface Order {{ id: string; total: number }}\n"
            )
        };
        let schemas = [("schemas/order.json", SCHEMA), ("old/order.json", SCHEMA)];
        let found = ["2 field-missing!", "2 field-missing!"];
        assert_eq!(drift(("src/order.ts", &of("../schemas/order.json")), &schemas), found);
        assert_eq!(drift(("src/order.ts", &of("elsewhere.json")), &schemas), [""; 0]);
    }

    #[test]
    fn protobuf_and_graphql_describe_types_as_well() {
        let proto = "message Order { string id = 1; int64 total_cents = 2; bool paid = 3; repeated Line lines = 4; }";
        let text = "interface Order { id: string; totalCents: string; paid: boolean; lines: Line[] }";
        assert_eq!(drift(("a.ts", text), &[("order.proto", proto)]), ["Order in step"]);
        let graphql = "type Order { id: ID!, total: Int!, paid: Boolean, lines: [Line!]! }";
        let text = "interface Order { id: string; total: number; paid: string; lines: Line[] }";
        assert_eq!(drift(("a.ts", text), &[("order.graphql", graphql)]), ["1 field-type"]);
    }

    #[test]
    fn a_pair_tells_a_limited_number_of_fields() {
        let of = |count: usize| {
            let fields: Vec<String> =
                (0..count).map(|index| format!("\"f{index}\": {{\"type\": \"string\"}}")).collect();
            let text =
                format!("{{\"title\": \"Order\", \"type\": \"object\", \"properties\": {{{}}}}}", fields.join(","));
            let code = (0..count).map(|index| format!("f{index}: number")).collect::<Vec<_>>().join("; ");
            drift(("a.ts", &format!("interface Order {{ {code} }}")), &[("order.schema.json", &text)]).len()
        };
        assert_eq!((of(TOLD_MAX), of(TOLD_MAX + 1)), (TOLD_MAX, TOLD_MAX));
    }
}
