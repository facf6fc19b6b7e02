//! x
use tree_sitter::Node;
use super::Found;
pub(super) fn search<'t>(_root: Node<'t>, _text: &'t str, _path: &str, _found: &mut Found<'t>) {}
