//! TypeScript: interfaces and aliases of object types.

use assize_ecosystem::Language;
use tree_sitter::Node;

use super::{FieldShape, RecordField, RecordType, children, field_text, line, of, within};

/// Reads the record types of a file.
pub(super) fn read(root: Node<'_>, text: &str) -> Vec<RecordType> {
    let mut types = Vec::new();
    let containers =
        ["program", "export_statement", "ambient_declaration", "internal_module", "module", "statement_block"];
    within(root, &containers, &mut |node| {
        let body = match node.kind() {
            "interface_declaration" => node.child_by_field_name("body"),
            "type_alias_declaration" => node.child_by_field_name("value").filter(|value| value.kind() == "object_type"),
            _ => return,
        };
        let Some(body) = body else { return };
        let extends = children(node).iter().any(|child| child.kind() == "extends_type_clause");
        let public = node.parent().is_some_and(|parent| parent.kind() == "export_statement");
        let (fields, open) = members(body, text);
        types.push(RecordType {
            name: field_text(node, "name", text).to_owned(),
            line: line(node),
            public,
            open: open || extends || node.child_by_field_name("type_parameters").is_some(),
            fields,
        });
    });
    types
}

/// The properties of an object type, and whether it may have others. Methods are no data.
fn members(body: Node<'_>, text: &str) -> (Vec<RecordField>, bool) {
    let mut fields = Vec::new();
    let mut open = false;
    for member in children(body) {
        match member.kind() {
            "property_signature" => {
                let Some(name) = member.child_by_field_name("name") else { continue };
                if name.kind() == "computed_property_name" {
                    open = true;
                    continue;
                }
                let kind = field_text(member, "type", text);
                let mut cursor = member.walk();
                let marked = member.children(&mut cursor).any(|child| child.kind() == "?");
                let undefined = kind.split('|').any(|part| part.trim_start_matches(':').trim() == "undefined");
                fields.push(RecordField {
                    name: of(name, text).trim_matches(['"', '\'']).to_owned(),
                    required: !marked && !undefined,
                    shape: FieldShape::of_code(Language::TypeScript, kind),
                    line: line(member),
                });
            }
            "index_signature" | "call_signature" | "construct_signature" => open = true,
            _ => {}
        }
    }
    (fields, open)
}
