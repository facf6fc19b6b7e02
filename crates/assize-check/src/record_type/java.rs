//! Java: records, with the names that Jackson or Gson give their parts.

use assize_ecosystem::Language;
use tree_sitter::Node;

use super::{FieldShape, RecordField, RecordType, children, field_text, line, of, within};

/// Reads the record types of a file.
pub(super) fn read(root: Node<'_>, text: &str) -> Vec<RecordType> {
    let mut types = Vec::new();
    let containers =
        ["program", "class_declaration", "class_body", "interface_declaration", "interface_body", "record_declaration"];
    within(root, &containers, &mut |node| {
        if node.kind() != "record_declaration" {
            return;
        }
        let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
        let mut fields = Vec::new();
        for part in parameters.into_iter().filter(|part| part.kind() == "formal_parameter") {
            let modifiers = children(part).into_iter().find(|child| child.kind() == "modifiers");
            let marks = modifiers.map_or("", |modifiers| of(modifiers, text));
            let kind = field_text(part, "type", text);
            let optional = kind.starts_with("Optional<") || marks.contains("Nullable");
            let name = renamed(marks).unwrap_or_else(|| field_text(part, "name", text));
            let shape = FieldShape::of_code(Language::Java, kind);
            fields.push(RecordField { name: name.to_owned(), required: !optional, shape, line: line(part) });
        }
        let modifiers = children(node).into_iter().find(|child| child.kind() == "modifiers");
        let marks = modifiers.map_or("", |modifiers| of(modifiers, text));
        types.push(RecordType {
            name: field_text(node, "name", text).to_owned(),
            line: line(node),
            public: marks.contains("public"),
            // A strategy of naming gives every part another name.
            open: node.child_by_field_name("type_parameters").is_some() || marks.contains("@JsonNaming"),
            fields,
        });
    });
    types
}

/// The name in `@JsonProperty("name")` or `@SerializedName("name")`.
fn renamed(marks: &str) -> Option<&str> {
    ["@JsonProperty(", "@SerializedName(", "@Json("].iter().find_map(|mark| {
        let rest = &marks[marks.find(mark)? + mark.len()..];
        let rest = rest[..rest.find(')')?].trim_start_matches("value").trim_start_matches("name");
        let name = rest.trim_start_matches([' ', '=']).split(',').next()?.trim();
        name.strip_prefix('"')?.strip_suffix('"')
    })
}
