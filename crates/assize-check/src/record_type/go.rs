//! Go: structs whose fields have tags for JSON.

use assize_ecosystem::Language;
use tree_sitter::Node;

use super::{FieldShape, RecordField, RecordType, children, field_text, line, of, within};

/// Reads the record types of a file. A struct without any tag for JSON is none.
pub(super) fn read(root: Node<'_>, text: &str) -> Vec<RecordType> {
    let mut types = Vec::new();
    within(root, &["source_file", "type_declaration"], &mut |node| {
        if node.kind() != "type_spec" {
            return;
        }
        let Some(body) = node.child_by_field_name("type").filter(|body| body.kind() == "struct_type") else { return };
        let list = children(body).first().map(|list| children(*list)).unwrap_or_default();
        let name = field_text(node, "name", text).to_owned();
        let mut open = node.child_by_field_name("type_parameters").is_some();
        let mut tagged = false;
        let mut fields = Vec::new();
        for member in list {
            let tag = json_tag(field_text(member, "tag", text));
            tagged |= tag.is_some();
            let mut cursor = member.walk();
            let names: Vec<&str> =
                member.children_by_field_name("name", &mut cursor).map(|name| of(name, text)).collect();
            if names.is_empty() {
                // What is embedded brings its fields along.
                open |= tag.is_none_or(|(name, _)| name.is_empty());
                continue;
            }
            for plain in names.into_iter().filter(|name| name.starts_with(char::is_uppercase)) {
                let (written, optional) = tag.unwrap_or(("", false));
                if written == "-" {
                    continue;
                }
                let name = if written.is_empty() { plain } else { written };
                let shape = FieldShape::of_code(Language::Go, field_text(member, "type", text));
                fields.push(RecordField { name: name.to_owned(), required: !optional, shape, line: line(member) });
            }
        }
        if tagged {
            types.push(RecordType {
                public: name.starts_with(char::is_uppercase),
                name,
                line: line(node),
                open,
                fields,
            });
        }
    });
    types
}

/// The name in `json:"name,omitempty"`, and whether the field may be left out.
fn json_tag(tag: &str) -> Option<(&str, bool)> {
    let start = tag.find("json:\"")? + "json:\"".len();
    let rest = &tag[start..];
    let list = &rest[..rest.find('"')?];
    let (name, options) = list.split_once(',').unwrap_or((list, ""));
    let optional = options.split(',').any(|option| matches!(option, "omitempty" | "omitzero"));
    // `json:"-,"` names a field `-`, which no author means.
    Some((name, optional))
}
