//! Python: data classes, models of pydantic, typed dictionaries, named tuples and their like.

use std::collections::BTreeMap;

use assize_ecosystem::Language;
use tree_sitter::Node;

use super::{FieldShape, RecordField, RecordType, children, field_text, line, of, within};

/// Reads the record types of a file. A class inherits the fields of records that stand in the same file.
pub(super) fn read(root: Node<'_>, text: &str) -> Vec<RecordType> {
    let mut types: Vec<RecordType> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    within(root, &["module", "decorated_definition", "if_statement", "block"], &mut |node| {
        if node.kind() != "class_definition" {
            return;
        }
        let name = field_text(node, "name", text).to_owned();
        let bases = node.child_by_field_name("superclasses").map(children).unwrap_or_default();
        let mut kind = decorated(node, text);
        let mut open = false;
        let mut inherited = Vec::new();
        let mut total = true;
        for base in &bases {
            if base.kind() == "keyword_argument" {
                total &= !(field_text(*base, "name", text) == "total" && field_text(*base, "value", text) == "False");
                continue;
            }
            let written = of(*base, text);
            let last = written.split('[').next().unwrap_or(written).rsplit('.').next().unwrap_or(written);
            match last {
                "BaseModel" | "SQLModel" | "Struct" | "BaseSettings" => kind = kind.or(Some(PythonRecordKind::Model)),
                "TypedDict" => kind = kind.or(Some(PythonRecordKind::Dictionary)),
                "NamedTuple" => kind = kind.or(Some(PythonRecordKind::Model)),
                "Generic" | "Protocol" | "ABC" | "object" => {}
                _ => match places.get(last) {
                    Some(place) => {
                        kind = kind.or(Some(PythonRecordKind::Model));
                        inherited.extend(types[*place].fields.iter().cloned());
                        open |= types[*place].open;
                    }
                    None => open = true,
                },
            }
        }
        let (Some(kind), Some(body)) = (kind, node.child_by_field_name("body")) else { return };
        let mut fields = inherited;
        for field in own_fields(body, kind, total, text) {
            fields.retain(|known: &RecordField| known.name != field.name);
            fields.push(field);
        }
        let configured = of(body, text);
        // A generator of aliases gives every field another name.
        open |= configured.contains("alias_generator")
            || configured.contains("extra=\"allow\"")
            || configured.contains("rename=");
        places.insert(name.clone(), types.len());
        types.push(RecordType { public: !name.starts_with('_'), name, line: line(node), open, fields });
    });
    types
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PythonRecordKind {
    /// A field without a default is required.
    Model,
    /// A field is required unless it says that it is not.
    Dictionary,
}

/// `@dataclass`, `@attrs.define` and their like.
fn decorated(class: Node<'_>, text: &str) -> Option<PythonRecordKind> {
    let parent = class.parent().filter(|parent| parent.kind() == "decorated_definition")?;
    let marks = children(parent).into_iter().filter(|child| child.kind() == "decorator").any(|decorator| {
        let written = of(decorator, text).trim_start_matches('@');
        let name = written.split('(').next().unwrap_or(written).trim();
        matches!(name.rsplit('.').next(), Some("dataclass" | "define" | "frozen" | "mutable" | "attrs" | "attr_s"))
    });
    marks.then_some(PythonRecordKind::Model)
}

fn own_fields(body: Node<'_>, kind: PythonRecordKind, total: bool, text: &str) -> Vec<RecordField> {
    let mut fields = Vec::new();
    for statement in children(body) {
        let Some(assignment) = children(statement).first().copied().filter(|inner| inner.kind() == "assignment") else {
            continue;
        };
        let (Some(left), Some(annotation)) =
            (assignment.child_by_field_name("left"), assignment.child_by_field_name("type"))
        else {
            continue;
        };
        let name = of(left, text);
        let annotation = of(annotation, text);
        if left.kind() != "identifier"
            || name.starts_with('_')
            || name == "model_config"
            || annotation.contains("ClassVar")
        {
            continue;
        }
        let value = assignment.child_by_field_name("right");
        let required = match kind {
            PythonRecordKind::Model => value.is_none_or(|value| is_required_marker(value, text)),
            PythonRecordKind::Dictionary if annotation.contains("NotRequired[") => false,
            PythonRecordKind::Dictionary => total || annotation.contains("Required["),
        };
        let alias = value.and_then(|value| alias_of(value, text));
        let shape = FieldShape::of_code(Language::Python, annotation);
        fields.push(RecordField { name: alias.unwrap_or(name).to_owned(), required, shape, line: line(statement) });
    }
    fields
}

/// `Field(...)`, and `Field(alias="x")` without a default.
fn is_required_marker(value: Node<'_>, text: &str) -> bool {
    let called = field_text(value, "function", text).rsplit('.').next().unwrap_or_default();
    if value.kind() != "call" || !matches!(called, "Field" | "field" | "attrib" | "ib") {
        return of(value, text) == "...";
    }
    let arguments = value.child_by_field_name("arguments").map(children).unwrap_or_default();
    let given = |name: &str| {
        arguments
            .iter()
            .any(|argument| argument.kind() == "keyword_argument" && field_text(*argument, "name", text) == name)
    };
    match arguments.first().filter(|first| first.kind() != "keyword_argument") {
        Some(first) => of(*first, text) == "...",
        None => !given("default") && !given("default_factory") && !given("factory"),
    }
}

/// The name in the document, where a field gives one of its own.
fn alias_of<'t>(value: Node<'_>, text: &'t str) -> Option<&'t str> {
    let arguments = value.child_by_field_name("arguments").filter(|_| value.kind() == "call")?;
    let named = |name: &str| {
        let found = children(arguments)
            .into_iter()
            .find(|argument| argument.kind() == "keyword_argument" && field_text(*argument, "name", text) == name)?;
        let value = found.child_by_field_name("value").filter(|value| value.kind() == "string")?;
        Some(of(value, text).trim_matches(['"', '\'']))
    };
    named("serialization_alias").or_else(|| named("alias")).or_else(|| named("validation_alias"))
}
