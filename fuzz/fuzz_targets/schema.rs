//! Schemas and the documents that belong to them: whatever the bytes are, nothing panics, everything ends, and what did not
//! change breaks nothing.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use assize_check::schema::{Declared, SchemaTree, check, protobuf};
use libfuzzer_sys::fuzz_target;

const SCHEMAS: [&str; 9] = [
    "a.schema.json",
    "a.schema.yaml",
    "api.yaml",
    "api.json",
    "a.proto",
    "a.graphql",
    "a.sql",
    "schemas/a.json",
    ".vscode/settings.json",
];
const DOCUMENTS: [&str; 5] = ["a.json", "a.yaml", "a.toml", "a.jsonl", "b.json"];

fuzz_target!(|data: &[u8]| {
    let [first, second, rest @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    // A zero sets the schema apart from the document.
    let (schema, document) = text.split_once('\0').unwrap_or((text, "{}"));
    let path = SCHEMAS[usize::from(*first) % SCHEMAS.len()];
    let texts = BTreeMap::from([
        (path.to_owned(), schema.to_owned()),
        (DOCUMENTS[usize::from(*second) % DOCUMENTS.len()].to_owned(), document.to_owned()),
    ]);
    let paths: BTreeSet<String> = texts.keys().cloned().collect();
    let declared = [Declared { schema: path.to_owned(), instances: Some("b.*".to_owned()) }];
    let tree = SchemaTree { texts: &texts, paths: &paths, changed: &paths, declared: &declared };
    let checked = check(&tree);
    for fault in &checked.faults {
        assert!(fault.found.path.as_ref().is_some_and(|path| paths.contains(path)), "{fault:?}");
        assert!(fault.found.line.is_some_and(|line| line > 0) && !fault.found.message.is_empty(), "{fault:?}");
    }
    assert!(protobuf::breaks(&tree, &tree).is_empty(), "what did not change breaks something");
});
