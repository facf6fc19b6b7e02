//! Properties of object literals in settings that are written as code.

use crate::language::parse;
use tree_sitter::Node;

/// Returns whether the value of a property of this name, the outermost one, is another in the second of two texts, white space aside; also
/// where it came or went. `false` where one of them cannot be parsed.
pub fn changes_property(path: &str, name: &str, before: &str, after: &str) -> bool {
    let value = |text: &str| Some(property(parse(path, text)?.tree.root_node(), name, text));
    match (value(before), value(after)) {
        (Some(before), Some(after)) => before != after,
        _ => false,
    }
}

/// The text of the outermost value of a property, without white space.
fn property(root: Node<'_>, name: &str, text: &str) -> Option<String> {
    let mut level = vec![root];
    while !level.is_empty() {
        let is_it = |node: &Node<'_>| {
            let key = node.child_by_field_name("key").and_then(|key| text.get(key.byte_range()));
            node.kind() == "pair" && key.is_some_and(|key| key.trim_matches(['"', '\'']) == name)
        };
        if let Some(found) = level.iter().find(|node| is_it(node)) {
            let value = found.child_by_field_name("value").and_then(|value| text.get(value.byte_range()))?;
            return Some(value.chars().filter(|character| !character.is_whitespace()).collect());
        }
        level = level.iter().flat_map(|node| (0..node.child_count()).filter_map(|at| node.child(at))).collect();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_property_counts() {
        let text = |test: &str| format!("export default defineConfig({{ server: {{ test: 1 }}, test: {test} }});\n");
        let changes = |before: &str, after: &str| changes_property("vite.config.ts", "test", before, after);
        assert!(changes(&text("{ include: ['a'] }"), &text("{ include: [] }")));
        assert!(!changes(&text("{ include: ['a'] }"), &text("{\n include: ['a']\n}")));
        assert!(!changes(&text("{}"), &text("{}").replace("server: { test: 1 }", "server: { test: 2 }")));
        let without = "export default defineConfig({ plugins: [] });\n";
        assert!(changes(&text("{}"), without) && changes(without, &text("{}")) && !changes(without, without));
    }
}
