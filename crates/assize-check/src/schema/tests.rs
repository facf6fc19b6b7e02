//! Whole trees: what is looked at in them, and what is wrong with it.

use super::*;

/// Returns the texts of a tree.
pub(super) fn texts(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Writes faults as `line code`, with a question mark where one is only likely.
pub(super) fn shown(faults: &[SchemaFault]) -> Vec<String> {
    let mark = |fault: &SchemaFault| if fault.certainty == Certainty::Likely { "?" } else { "" };
    faults
        .iter()
        .map(|fault| format!("{} {}{}", fault.found.line.unwrap_or(0), fault.found.code, mark(fault)))
        .collect()
}

/// Returns what one look says of a tree.
pub(super) fn looked(files: &[(&str, &str)], look: impl FnOnce(&SchemaTree<'_>, &mut Checked)) -> Vec<String> {
    let texts = texts(files);
    let paths = texts.keys().cloned().collect();
    let mut checked = Checked::default();
    look(&SchemaTree { texts: &texts, paths: &paths, changed: &BTreeSet::new(), declared: &[] }, &mut checked);
    shown(&checked.faults)
}

fn look(files: &[(&str, &str)], declared: &[Declared]) -> Checked {
    let texts = texts(files);
    let paths = texts.keys().cloned().collect();
    check(&SchemaTree { texts: &texts, paths: &paths, changed: &BTreeSet::new(), declared })
}

/// Writes faults as `path:line code`, with a question mark where one is only likely.
fn faults(files: &[(&str, &str)], declared: &[Declared]) -> Vec<String> {
    let shown = |fault: &SchemaFault| {
        let mark = if fault.certainty == Certainty::Likely { "?" } else { "" };
        let (path, line) = (fault.found.path.as_deref().unwrap_or_default(), fault.found.line.unwrap_or(0));
        format!("{path}:{line} {}{mark}", fault.found.code)
    };
    look(files, declared).faults.iter().map(shown).collect()
}

const GOOD: &str = "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"type\": \"object\",\n  \"properties\": {\n    \"port\": {\"type\": \"integer\"}\n  }\n}\n";

#[test]
fn schemas_are_known_by_their_word_their_name_and_their_place() {
    let bad = "{\n  \"type\": \"strng\"\n}\n";
    let sworn = "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"type\": \"strng\"}";
    let shaped = "{\n  \"type\": \"object\",\n  \"properties\": {\"a\": {\"type\": \"strng\"}}\n}\n";
    for (path, text, expected) in [
        ("a/b.json", sworn, &["a/b.json:2 invalid"][..]),
        ("a/order.schema.json", shaped, &["a/order.schema.json:3 invalid"]),
        ("schemas/order.json", shaped, &["schemas/order.json:3 invalid?"]),
        ("tests/data/b.json", sworn, &["tests/data/b.json:2 invalid?"]),
        ("a/order.json", shaped, &[]),
        ("a/order.schema.json", bad, &[]),
        ("a/order.schema.json", "{\"type\": \"object\",}", &["a/order.schema.json:1 not-strict?"]),
        ("a/order.schema.json", "{\n\"type\": \"object\"\n", &["a/order.schema.json:1 unreadable"]),
        (
            "a/order.schema.yaml",
            "type: object\nproperties:\n  a:\n    type: strng\n",
            &["a/order.schema.yaml:4 invalid"],
        ),
        ("a/b.json", GOOD, &[]),
    ] {
        assert_eq!(faults(&[(path, text)], &[]), expected, "{path} {text}");
    }
}

#[test]
fn references_that_lead_nowhere_are_faults_and_the_network_is_said_to_be_unjudged() {
    let of = |reference: &str| {
        format!("{{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"$ref\": \"{reference}\"}}")
    };
    assert_eq!(faults(&[("a.json", &of("#/definitions/none"))], &[]), ["a.json:2 broken-reference"]);
    assert_eq!(faults(&[("a.json", &of("none.json"))], &[]), ["a.json:2 broken-reference"]);
    let remote = look(&[("a.json", &of("https://elsewhere.example/s.json"))], &[]);
    assert_eq!((remote.faults.len(), remote.limits.len()), (0, 1));
    assert!(remote.limits[0].contains("network"), "{:?}", remote.limits);
}

#[test]
fn documents_are_found_in_every_way() {
    let schema = ("conf/app.schema.json", GOOD);
    let declared = [Declared { schema: schema.0.to_owned(), instances: Some("deploy/**/*.yaml".to_owned()) }];
    for (path, text, line) in [
        ("conf/app.json", "{\n\"port\": \"80\"}", 2),
        ("conf/app.yaml", "\nport: x\n", 2),
        ("conf/app.toml", "port = 'x'\n", 1),
        ("conf/app.jsonl", "{\"port\": 1}\n{\"port\": \"x\"}\n", 2),
        ("any/where.json", "{\"$schema\": \"../conf/app.schema.json\",\n\"port\": \"80\"}", 2),
        ("any/where.yaml", "# yaml-language-server: $schema=../conf/app.schema.json\nport: x\n", 2),
        ("any/where.toml", "#:schema ../conf/app.schema.json\nport = 'x'\n", 2),
        ("deploy/eu/app.yaml", "port: x\n", 1),
    ] {
        assert_eq!(faults(&[schema, (path, text)], &declared), [format!("{path}:{line} does-not-fit")], "{path}");
    }
    for other in ["other/app.json", "conf/app2.json", "deploy/app.json"] {
        assert_eq!(faults(&[schema, (other, "{\"port\": \"x\"}")], &declared), [""; 0], "{other}");
    }
    let settings = "{ // editor\n\"json.schemas\": [{\"fileMatch\": [\"*.conf.json\"], \"url\": \"./conf/app.schema.json\"}],\n\"yaml.schemas\": {\"./conf/app.schema.json\": [\"k8s/*.yml\"]}}";
    let files = [
        schema,
        (".vscode/settings.json", settings),
        ("deep/a.conf.json", "{\"port\": \"x\"}"),
        ("k8s/a.yml", "port: x\n"),
    ];
    assert_eq!(faults(&files, &[]), ["deep/a.conf.json:1 does-not-fit", "k8s/a.yml:1 does-not-fit"]);
}

#[test]
fn what_readers_do_not_agree_on_is_only_likely() {
    let schema = ("a.schema.json", "{\"properties\": {\"on\": {\"type\": \"boolean\"}}}");
    assert_eq!(faults(&[schema, ("a.yaml", "\"on\": yes\n")], &[]), ["a.yaml:1 does-not-fit?"]);
    assert_eq!(faults(&[schema, ("a.yaml", "\"on\": 'yes'\n")], &[]), ["a.yaml:1 does-not-fit"]);
    assert_eq!(faults(&[schema, ("a.yaml", "\"on\": true\n")], &[]), [""; 0]);
}

#[test]
fn schemas_elsewhere_are_not_looked_up() {
    let remote = look(&[("tsconfig.json", "{\"$schema\": \"https://json.schemastore.org/tsconfig\"}")], &[]);
    assert!(remote.faults.is_empty() && remote.limits[0].contains("network"), "{:?}", remote.limits);
    let gone = "{\"$schema\": \"./gone.schema.json\"}";
    assert_eq!(faults(&[("a.json", gone)], &[]), ["a.json:1 no-schema?"]);
    assert_eq!(faults(&[("a.json", "{\"$schema\": \"./node_modules/x/s.json\"}")], &[]), [""; 0]);
    // The network's name of a schema that is in the tree.
    let own = "{\"$id\": \"https://shop.example/s.json\", \"$schema\": \"http://json-schema.org/draft-07/schema#\", \"required\": [\"a\"]}";
    let named = "{\"$schema\": \"https://shop.example/s.json\"}";
    assert_eq!(faults(&[("s/s.json", own), ("b.json", named)], &[]), ["b.json:1 does-not-fit"]);
}

#[test]
fn what_cannot_be_held_against_a_schema_is_said() {
    let endless = ("a.schema.json", "{\"allOf\": [{\"$ref\": \"#\"}]}");
    let looked = look(&[endless, ("a.json", "{}")], &[]);
    assert!(looked.limits.iter().any(|limit| limit.contains("circle")), "{:?}", looked.limits);
    let remote = ("b.schema.json", "{\"allOf\": [{\"$ref\": \"https://elsewhere.example/x\"}]}");
    let looked = look(&[remote, ("b.json", "{}")], &[]);
    assert!(looked.limits.iter().any(|limit| limit.contains("outside")), "{:?}", looked.limits);
}

#[test]
fn of_one_document_a_few_faults_are_told() {
    let schema = ("a.schema.json", "{\"items\": {\"type\": \"string\"}}");
    let of = |count: usize| faults(&[schema, ("a.json", &format!("[{}1]", "1,".repeat(count - 1)))], &[]).len();
    assert_eq!((of(instance::FAULTS_MAX), of(instance::FAULTS_MAX + 1)), (instance::FAULTS_MAX, instance::FAULTS_MAX));
}

#[test]
fn documents_are_held_against_schemas_up_to_their_limit() {
    let of = |count: usize| {
        let mut files = vec![("settings.schema.json".to_owned(), GOOD.to_owned())];
        let told = r#"{"$schema": "settings.schema.json", "port": "no"}"#.to_owned();
        files.extend((0..count).map(|at| (format!("settings{at}.json"), told.clone())));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let checked = look(&files, &[]);
        (checked.faults.len(), checked.limits.len())
    };
    assert_eq!(of(instance::INSTANCES_MAX), (instance::INSTANCES_MAX, 0));
    assert_eq!(of(instance::INSTANCES_MAX + 1), (instance::INSTANCES_MAX, 1));
}
