//! What schemas declare, format by format.

use proptest::prelude::*;

use super::document::DEPTH_MAX;
use super::*;

/// A line for each type: its kind, name, fields (a star on required ones) and parts.
fn shown(path: &str, text: &str) -> Vec<String> {
    let found = read(path, text).expect("it is a schema");
    assert_eq!(found.unread, None);
    let field = |field: &SchemaField| {
        let mark = if field.required { "*" } else { "" };
        let of = if field.type_text.is_empty() { String::new() } else { format!(": {}", field.type_text) };
        format!("{}{mark}{of}", field.name)
    };
    let line = |found: &SchemaType| {
        let kind = serde_json::to_value(found.kind).expect("a kind is a text");
        let fields: Vec<String> = found.fields.iter().map(field).collect();
        let parts = if found.parts.is_empty() { String::new() } else { format!(" of {}", found.parts.join(" & ")) };
        format!("{}:{} {} {{{}}}{parts}", found.line, kind.as_str().unwrap_or_default(), found.name, fields.join(", "))
    };
    found.types.iter().map(line).collect()
}

const JSON_SCHEMA: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Order",
  "type": "object",
  "required": ["id", "lines"],
  "properties": {
    "id": { "type": "string", "format": "uuid" },
    "lines": { "type": "array", "items": { "$ref": "#/$defs/Line" } },
    "note": { "type": ["string", "null"] },
    "tags": { "type": "object", "additionalProperties": { "type": "string" } },
    "price": { "oneOf": [{ "type": "integer" }, { "$ref": "money.schema.json" }] },
    "many": { "type": "array", "items": { "type": ["string", "null"] } },
    "free": {}
  },
  "$defs": {
    "Line": { "allOf": [{ "$ref": "#/$defs/Base" }, { "properties": { "sku": { "type": "string" } }, "required": ["sku"] }] },
    "Base": { "type": "object" },
    "State": { "enum": ["open", "paid", 3] },
    "Either": { "anyOf": [{ "$ref": "#/$defs/Line" }, { "$ref": "#/$defs/Base" }] },
    "Short": { "type": "string", "maxLength": 3 }
  }
}"##;

#[test]
fn json_schema_declares_its_root_and_its_definitions() {
    assert_eq!(
        shown("order.json", JSON_SCHEMA),
        [
            "1:object Order {id*: string(uuid), lines*: Line[], note: string | null, tags: map<string>, \
             price: integer | money, many: (string | null)[], free: any}",
            "16:object Line {sku*: string} of Base",
            "17:object Base {}",
            "18:enum State {open, paid, 3}",
            "19:union Either {} of Line & Base",
            "20:scalar Short {} of string",
        ]
    );
}

#[test]
fn a_choice_is_told_by_what_sets_it_apart() {
    let text = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Shape", "oneOf": [
        {"title": "Round", "type": "object"}, {"enum": ["none", "any"]}, {"const": "all"},
        {"type": "object", "properties": {"side": {}, "angle": {}}}, {"$ref": "#/definitions/Other"}, {"type": "null"}
    ]}"##;
    assert_eq!(
        shown("shape.json", text),
        ["1:union Shape {} of Round & none | any & all & {side, angle} & Other & null"]
    );
}

#[test]
fn a_schema_may_be_yaml_and_be_known_by_its_name_alone() {
    let yaml = "type: object\nproperties:\n  name: {type: string}\n  age:\n    type: integer\nrequired: [name]\n";
    for path in ["user.schema.yaml", "schemas/user.yml", "a/schema/user.yaml"] {
        assert_eq!(shown(path, yaml), ["1:object user {name*: string, age: integer}"], "{path}");
    }
    assert_eq!(read("user.yaml", yaml), None);
    let field = &read("user.schema.yaml", yaml).expect("a schema").types[0].fields[1];
    assert_eq!(field.line, 4);
}

#[test]
fn what_only_looks_like_a_schema_is_none() {
    for (path, text) in [
        ("package.json", r#"{"name": "a", "type": "module"}"#),
        ("tsconfig.json", r#"{"$schema": "https://json.schemastore.org/tsconfig", "compilerOptions": {}}"#),
        ("a.json", r#"{"text": "openapi and json-schema.org"}"#),
        ("a.json", "not json, and no schema"),
        ("schemas/index.json", r#"{"files": ["a", "b"]}"#),
        ("package-lock.json", JSON_SCHEMA),
        ("openapi.yaml", "openapi: 3.1.0\ninfo: {}\npaths: {}\n"),
        ("chart/values.yaml", "{{ if .openapi }}\n"),
        ("a.txt", JSON_SCHEMA),
        (".json", JSON_SCHEMA),
        ("a.graphql", "query Open { order { id } }"),
        ("a.sql", "SELECT 'CREATE TABLE a (b int)';"),
        ("a.proto", "syntax = \"proto3\";"),
    ] {
        assert_eq!(read(path, text), None, "{path}: {text}");
    }
}

#[test]
fn open_api_declares_its_components() {
    let new = "openapi: 3.0.3\ninfo: {title: Shop}\npaths: {}\ncomponents:\n  schemas:\n    Order:\n      type: object\n      \
               required: [id]\n      properties:\n        id: {type: integer, format: int64}\n        \
               owner: {$ref: '#/components/schemas/User', nullable: true}\n    User: {type: string, enum: [a, b]}\n";
    assert_eq!(
        shown("api.yaml", new),
        ["6:object Order {id*: integer(int64), owner: User | null}", "12:enum User {a, b}"]
    );
    let old = r##"{"swagger": "2.0", "paths": {}, "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}}}"##;
    assert_eq!(shown("api.json", old), ["1:object Pet {name: string}"]);
    assert_eq!(read("api.json", old).map(|file| file.format), Some(SchemaFormat::OpenApi));
}

#[test]
fn aliases_of_yaml_are_not_followed() {
    let mut text = "openapi: '3'\npaths: {}\ncomponents:\n  schemas:\n    A0: &a0 {type: string}\n".to_owned();
    for level in 1..60 {
        text += &format!("    A{level}: &a{level} {{oneOf: [*a{}, *a{}]}}\n", level - 1, level - 1);
    }
    let found = read("api.yaml", &text).expect("it is a schema");
    assert_eq!((found.unread, found.types.len()), (None, 60));
}

#[test]
fn protobuf_declares_messages_enumerations_and_services() {
    let text = r#"
// message No {}
syntax = "proto2";
package shop.v1;
import "google/protobuf/timestamp.proto";
option java_package = "com.shop";
message Order {
  option deprecated = true;
  required string id = 1;
  repeated Line lines = 2 [packed = true, (x).y = { a: 1 }];
  optional .google.protobuf.Timestamp at = 3;
  map<string, Line> by_sku = 4;
  oneof payment { Card card = 5; string iban = 6; }
  reserved 7, 9 to 11;
  message Line { int32 count = 1; enum State { option allow_alias = true; OPEN = 0; PAID = -1 [deprecated = true]; } }
  repeated group Extra = 8 { optional string key = 1; }
  extensions 100 to max;
}
extend Order { optional int32 more = 126; }
service Shop {
  rpc Open (stream OpenRequest) returns (Order) { option (http) = { get: "/v1" }; }
  rpc Close(CloseRequest) returns (stream shop.v1.Order);
}
"#;
    assert_eq!(
        shown("shop.proto", text),
        [
            "7:object Order {id*: string, lines: repeated Line, at: .google.protobuf.Timestamp, \
             by_sku: map<string, Line>, card: Card, iban: string, Extra: Extra}",
            "15:object Order.Line {count: int32}",
            "15:enum Order.Line.State {OPEN, PAID}",
            "16:object Order.Extra {key: string}",
            "20:service Shop {Open: stream OpenRequest -> Order, Close: CloseRequest -> stream shop.v1.Order}",
        ]
    );
}

#[test]
fn graphql_declares_types_of_every_kind() {
    let text = r#"
schema { query: Query }
directive @auth(type: Role = ADMIN) repeatable on OBJECT | FIELD_DEFINITION
"""
type No { a: Int }
"""
type Query { order(id: ID!, deep: [Int!] = [1]): Order @deprecated(reason: "old") }
"An order" type Order implements Node & Timed @key(fields: "id") {
  "Its id" id: ID!
  lines(first: Int = 10): [Line!]!
  type: String
}
interface Node { id: ID! }
input NewOrder { note: String = "x {", at: Date!, count: Int! = 3 }
enum State { OPEN @deprecated PAID }
union Found = | Order | Line
scalar Date @specifiedBy(url: "x")
extend type Order { paid: Boolean }
fragment F on Order { id }
type Line { sku: String! }
"#;
    assert_eq!(
        shown("schema.graphql", text),
        [
            "7:object Query {order: Order}",
            "8:object Order {id*: ID!, lines*: [Line!]!, type: String, paid: Boolean} of Node & Timed",
            "13:interface Node {id*: ID!}",
            "14:input NewOrder {note: String, at*: Date!, count: Int!}",
            "15:enum State {OPEN, PAID}",
            "16:union Found {} of Order & Line",
            "17:scalar Date {}",
            "20:object Line {sku*: String!}",
        ]
    );
}

#[test]
fn sql_declares_tables_whatever_the_dialect() {
    for (text, expected) in [
        (
            "CREATE TABLE IF NOT EXISTS public.\"Order\" (\n  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),\n  \
             total numeric(10, 2) NOT NULL CHECK (total > 0),\n  at timestamp with time zone DEFAULT now() NOT NULL,\n  \
             tags text[], key varchar(20), note character varying(255) COLLATE \"C\",\n  \
             CONSTRAINT one UNIQUE (id, total), FOREIGN KEY (id) REFERENCES b (id), CHECK (id <> total)\n) INHERITS (base);",
            "1:table public.Order {id*: uuid, total*: numeric(10, 2), at*: timestamp with time zone, tags: text[], \
             key: varchar(20), note: character varying(255)} of base",
        ),
        (
            "CREATE TABLE `line` (`id` int unsigned NOT NULL AUTO_INCREMENT, `state` enum('a','b''c') DEFAULT 'a', \
             name varchar(9) CHARACTER SET utf8mb4, PRIMARY KEY (`id`), UNIQUE KEY `n` (`name`), KEY idx (name)) ENGINE=InnoDB;",
            "1:table line {id*: int unsigned, state: enum(a, b''c), name: varchar(9)}",
        ),
        (
            "-- CREATE TABLE no (a int);\nCREATE TABLE [dbo].[User] ([Id] int IDENTITY(1,1) NOT NULL, [Name] nvarchar(max) NULL)\nGO\n",
            "2:table dbo.User {Id*: int, Name: nvarchar(max)}",
        ),
        ("create table t(a, b integer primary key, primary key(a, b)) without rowid;", "1:table t {a*, b*: integer}"),
        ("CREATE VIRTUAL TABLE docs USING fts5(title, body, tokenize = 'porter');", "1:table docs {title, body}"),
        (
            "CREATE TABLE a (id int); ALTER TABLE ONLY a ADD COLUMN b text NOT NULL, ADD CONSTRAINT p PRIMARY KEY (id);",
            "1:table a {id*: int, b*: text}",
        ),
        ("CREATE TYPE state AS ENUM ('open', 'paid');", "1:enum state {open, paid}"),
        ("CREATE DOMAIN email AS text CHECK (value ~ '@');", "1:scalar email {} of text"),
        ("CREATE OR REPLACE VIEW open_order (id, total) AS SELECT 1, 2;", "1:view open_order {id, total}"),
        ("CREATE TABLE c (LIKE a INCLUDING ALL);", "1:table c {} of a"),
        (
            "COPY a FROM stdin;\nit's; CREATE TABLE no (a int);\n\\.\nDO $x$ CREATE TABLE no (a int); $x$;\nCREATE TABLE d (a int);",
            "5:table d {a: int}",
        ),
        ("INSERT INTO a VALUES ('it\\'s; (', 'x''y'); CREATE TABLE e (a int);", "1:table e {a: int}"),
    ] {
        assert_eq!(shown("a.sql", text), [expected], "{text}");
    }
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let padded = |bytes: usize| {
        let text = "message A { string b = 1; }";
        format!("{text}{}", " ".repeat(bytes - text.len()))
    };
    assert_eq!(read("a.proto", &padded(SCHEMA_BYTES_MAX)).and_then(|file| file.unread), None);
    assert_eq!(
        read("a.proto", &padded(SCHEMA_BYTES_MAX + 1)).and_then(|file| file.unread),
        Some(SchemaUnread::TooLarge)
    );
}

#[test]
fn types_fields_and_texts_are_kept_up_to_their_limits() {
    let types = |count: usize| {
        let found = read("a.proto", &"message A {}\n".repeat(count)).expect("it declares types");
        (found.types.len(), found.types_left_out)
    };
    assert_eq!(types(TYPES_MAX), (TYPES_MAX, 0));
    assert_eq!(types(TYPES_MAX + 1), (TYPES_MAX, 1));
    let fields = |count: usize| {
        let found = read("a.proto", &format!("message A {{ {} }}", "string b = 1; ".repeat(count)))
            .expect("it declares a type");
        (found.types[0].fields.len(), found.types[0].fields_left_out)
    };
    assert_eq!(fields(FIELDS_MAX), (FIELDS_MAX, 0));
    assert_eq!(fields(FIELDS_MAX + 1), (FIELDS_MAX, 1));
    assert_eq!(shortened(&"ä".repeat(TEXT_CHARS_MAX)), "ä".repeat(TEXT_CHARS_MAX));
    let cut = shortened(&"ä".repeat(TEXT_CHARS_MAX + 1));
    assert_eq!((cut.chars().count(), cut.ends_with('…')), (TEXT_CHARS_MAX, true));
}

#[test]
fn documents_are_nested_up_to_a_limit_and_say_where_they_break() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    for parse in [document::from_json, document::from_yaml] {
        assert!(parse(&nested(DEPTH_MAX)).is_ok());
        assert!(parse(&nested(DEPTH_MAX + 1)).is_err());
    }
    for (path, text, expected) in [
        ("a.schema.json", "{\n  \"type\": \"object\",\n  oops\n}", 3),
        ("a.schema.yaml", "type: object\nproperties: [\n", 3),
    ] {
        match read(path, text).and_then(|file| file.unread) {
            Some(SchemaUnread::Malformed { line, message }) => {
                assert_eq!(line, expected, "{path}: {message}");
                assert!(!message.is_empty());
            }
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn files_that_may_hold_a_schema_are_told_by_their_name() {
    for (path, expected) in [
        ("a.json", true),
        ("b/a.yml", true),
        ("a.proto", true),
        ("a.gql", true),
        ("a.sql", true),
        ("pnpm-lock.yaml", false),
        ("Cargo.toml", false),
        ("json", false),
    ] {
        assert_eq!(may_be_schema(path), expected, "{path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_text_holds_it_is_read(
        text in "\\PC{0,200}|([a-z]{1,3}|[(){}\\[\\];:.,'\"#@=!<>$`|\\\\\n -]|message|oneof|CREATE TABLE|type|enum|rpc|é){0,80}",
    ) {
        for path in ["a.proto", "a.graphql", "a.sql", "a.schema.json", "a.schema.yaml"] {
            read(path, &text);
            read(path, &format!("openapi: 3\nCREATE TABLE a ({text}"));
        }
    }
}
