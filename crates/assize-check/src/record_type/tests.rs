//! Records as each language writes them.

use super::*;

/// Writes types as `Name(open)?: field, field?`.
fn shown(path: &str, text: &str) -> Vec<String> {
    let file = read(path, text).expect("a language with record types");
    let field = |field: &RecordField| format!("{}{}", field.name, if field.required { "" } else { "?" });
    file.types
        .iter()
        .map(|record| {
            let fields: Vec<String> = record.fields.iter().map(field).collect();
            let mark = if record.open { "+" } else { "" };
            format!("{}{mark}: {}", record.name, fields.join(", "))
        })
        .collect()
}

#[test]
fn interfaces_and_aliases_of_typescript() {
    for (text, expected) in [
        (
            "export interface Order { id: string; note?: string; 'total-sum': number; paid: Date | undefined }",
            "Order: id, note?, total-sum, paid?",
        ),
        ("export type Order = { id: string; cancel(): void };", "Order: id"),
        ("interface Order extends Base { id: string }", "Order+: id"),
        ("interface Order { [key: string]: unknown; id: string }", "Order+: id"),
        ("declare namespace shop { interface Order { id: string } }", "Order: id"),
        ("export interface Page<T> { items: T[] }", "Page+: items"),
    ] {
        assert_eq!(shown("a.ts", text), [expected], "{text}");
    }
    assert_eq!(shown("a.ts", "type Id = string; type Both = A & B; class Order { id = 1 }"), [""; 0]);
}

#[test]
fn classes_of_python() {
    for (text, expected) in [
        (
            "@dataclass\nclass Order:\n    id: str\n    note: str = ''\n    KINDS: ClassVar[int] = 3\n",
            "Order: id, note?",
        ),
        (
            "@dataclasses.dataclass(frozen=True)\nclass Order:\n    id: str\n    lines: list = field(default_factory=list)\n",
            "Order: id, lines?",
        ),
        (
            "class Order(BaseModel):\n    id: str = Field(..., alias='orderId')\n    note: str | None = None\n    sum: int = Field(gt=0)\n",
            "Order: orderId, note?, sum",
        ),
        ("class Order(TypedDict):\n    id: str\n    note: NotRequired[str]\n", "Order: id, note?"),
        ("class Order(TypedDict, total=False):\n    id: Required[str]\n    note: str\n", "Order: id, note?"),
        ("class Order(NamedTuple):\n    id: str\n    note: str = ''\n", "Order: id, note?"),
        ("class Order(pydantic.BaseModel, Mixin):\n    id: str\n", "Order+: id"),
        (
            "class Order(BaseModel):\n    model_config = ConfigDict(alias_generator=to_camel)\n    order_id: str\n",
            "Order+: order_id",
        ),
        ("@attrs.define\nclass Order:\n    id: str\n    _cache: int = 0\n    def total(self): ...\n", "Order: id"),
    ] {
        assert_eq!(shown("a.py", text), [expected], "{text}");
    }
    let inherited = "class Base(BaseModel):\n    id: str\n\nclass Order(Base):\n    note: str = ''\n";
    assert_eq!(shown("a.py", inherited), ["Base: id", "Order: id, note?"]);
    assert_eq!(shown("a.py", "class Order:\n    id: str\n"), [""; 0]);
}

#[test]
fn structs_of_rust() {
    for (text, expected) in [
        ("#[derive(Serialize)]\npub struct Order { pub id: String, note: Option<String> }", "Order: id, note?"),
        (
            "#[derive(Debug, serde::Deserialize)]\n#[serde(rename_all = \"camelCase\")]\nstruct Order { order_id: String, #[serde(rename = \"sum\")] total: u64 }",
            "Order: orderId, sum",
        ),
        (
            "#[derive(Deserialize)]\nstruct Order { #[serde(default)] id: String, #[serde(skip)] cache: u8, #[serde(flatten)] rest: Rest }",
            "Order+: id?",
        ),
        ("#[derive(Serialize)]\n#[serde(default, deny_unknown_fields)]\nstruct Order { id: String }", "Order: id?"),
        (
            "#[derive(Serialize)]\nstruct Order { r#type: String, #[serde(skip_serializing_if = \"Vec::is_empty\")] lines: Vec<Line> }",
            "Order: type, lines?",
        ),
        ("mod inner { #[derive(Serialize)] pub struct Order { id: u64 } }", "Order: id"),
        (
            "#[derive(Serialize)]\n#[serde(rename_all = \"SCREAMING-KEBAB-CASE\")]\nstruct Order { order_id: u64 }",
            "Order: ORDER-ID",
        ),
    ] {
        assert_eq!(shown("a.rs", text), [expected], "{text}");
    }
    let none = "#[derive(Debug)]\nstruct A { a: u8 }\n#[derive(Serialize)]\nstruct B(u8);\n#[derive(Serialize)]\n#[serde(transparent)]\nstruct C { c: u8 }\n";
    assert_eq!(shown("a.rs", none), [""; 0]);
}

#[test]
fn structs_of_go() {
    let text = "package a\ntype Order struct {\n\tID string `json:\"id\"`\n\tNote *string `json:\"note,omitempty\" yaml:\"n\"`\n\tCache int `json:\"-\"`\n\thidden int\n\tPlain int\n}\ntype Wide struct {\n\tBase\n\tID string `json:\"id\"`\n}\ntype Bare struct { ID string }\n";
    assert_eq!(shown("a.go", text), ["Order: id, note?, Plain", "Wide+: id"]);
}

#[test]
fn a_head_says_where_a_file_comes_from() {
    for (text, generated, sources) in [
        (
            "// Code generated by protoc-gen-go. DO NOT EDIT.\n// source: shop/order.proto\n",
            true,
            &["shop/order.proto"][..],
        ),
        (
            "/**\n * This file was automatically generated by json-schema-to-typescript from ./schemas/order.json.\n */\n",
            true,
            &["schemas/order.json"],
        ),
        ("# generated by datamodel-codegen:\n#   filename:  order.schema.json\n", true, &["order.schema.json"]),
        ("// Orders, see docs/order.json\n", false, &["docs/order.json"]),
        ("const a = 'generated from order.json';\n", false, &[]),
    ] {
        assert_eq!(head(text), (generated, sources.iter().map(|source| (*source).to_owned()).collect()), "{text}");
    }
    let padded = |lines: usize| format!("{}// generated from order.json\n", "//\n".repeat(lines));
    assert!(head(&padded(HEAD_LINES_MAX - 1)).0 && !head(&padded(HEAD_LINES_MAX)).0);
}

#[test]
fn types_and_fields_are_kept_up_to_their_limits() {
    let wide = |count: usize| {
        let fields: Vec<String> = (0..count).map(|index| format!("f{index}: string")).collect();
        let file = read("a.ts", &format!("interface Wide {{ {} }}", fields.join("; "))).expect("read");
        (file.types[0].fields.len(), file.types[0].open)
    };
    assert_eq!((wide(FIELDS_MAX), wide(FIELDS_MAX + 1)), ((FIELDS_MAX, false), (FIELDS_MAX, true)));
    let many = |count: usize| {
        let types: Vec<String> = (0..count).map(|index| format!("interface T{index} {{ a: string }}")).collect();
        read("a.ts", &types.join("\n")).expect("read").types.len()
    };
    assert_eq!((many(TYPES_MAX), many(TYPES_MAX + 1)), (TYPES_MAX, TYPES_MAX));
}
