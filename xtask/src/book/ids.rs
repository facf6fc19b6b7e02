//! Every id that the program reports has a page, and every page is about an id that the program reports.
//!
//! Most ids are asked of the program. Those of findings stand in its sources, as the text that a function is
//! given: the table [`SITES`] says which functions of which files, and what they put before it.

use std::collections::{BTreeMap, BTreeSet};

use assize_brief::convention::RemarkTopic;
use assize_check::schema::Aspect;
use assize_check::weakness::{self, WeaknessFamily};
use assize_core::page::{Page, Subject};
use assize_core::ruling::Cause;
use assize_gate::gate::{GATES, GateTrouble};
use assize_stop::rule::RULES;
use regex::Regex;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use tree_sitter::Node;

use crate::shell::Result;
use crate::syntax::{RustSource, line};

/// Gates that run no command and are not kinds of schemas.
const WITHOUT_A_RUN: [&str; 3] = ["boundaries", "schema", "security"];

/// Pages that are about a group of codes, or about what is shown without an id.
const GROUPS: [&str; 4] = ["failed-test", "gate-trouble", "tool-default-codes", "vanished-tests"];

/// The page that lists why gates come to no result.
const TROUBLE_PAGE: &str = "gate-trouble";

/// Functions that are given the id of a finding.
struct Site {
    /// The file, or the beginning of the paths of the files.
    files: &'static str,
    functions: &'static [&'static str],
    /// What stands before the text. Where there are several, each makes an id; where there is none, the call
    /// names an aspect.
    prefixes: &'static [&'static str],
}

const SITES: [Site; 9] = [
    Site {
        files: "crates/assize-check/src/security/",
        functions: &["note", "warn", "fault", "file"],
        prefixes: &["security-"],
    },
    Site {
        files: "crates/assize-check/src/schema.rs",
        functions: &["fault", "wrong"],
        prefixes: &["schema-json-", "schema-openapi-"],
    },
    Site {
        files: "crates/assize-check/src/schema/protobuf.rs",
        functions: &["fault"],
        prefixes: &["schema-protobuf-"],
    },
    Site {
        files: "crates/assize-check/src/schema/open_api.rs",
        functions: &["say", "push", "wrong"],
        prefixes: &["schema-openapi-"],
    },
    Site { files: "crates/assize-check/src/schema/", functions: &["fault", "wrong"], prefixes: &[] },
    Site { files: "crates/assize-check/src/record_type/drift.rs", functions: &["say"], prefixes: &["schema-types-"] },
    Site { files: "crates/assize-eval/src/rubric/lint.rs", functions: &["warning", "note"], prefixes: &[""] },
    Site { files: "crates/assize-engine/src/brief/structure.rs", functions: &["finding"], prefixes: &[""] },
    // The constructor of findings.
    Site { files: "crates/", functions: &["general"], prefixes: &[""] },
];

/// The ids that the program reports, each with where it was found.
pub type ReportedIds = BTreeMap<(Subject, String), String>;

/// What is wrong between ids and pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IdFaults {
    /// Ids without a page.
    pub missing: Vec<String>,
    /// Ids of pages that the program does not report.
    pub stale: Vec<String>,
}

/// Lists the ids that the program reports: those that it can be asked for, those in its sources, and those in
/// the drivers that run inside of tools.
pub fn of_program(sources: &[RustSource], drivers: &[(String, String)]) -> Result<ReportedIds> {
    let mut ids = ReportedIds::new();
    let mut add = |subject, id: &str, place: &str| ids.insert((subject, id.to_owned()), place.to_owned());
    for rule in RULES {
        add(Subject::Rule, rule.id(), "the rules of the stop court");
    }
    for rule in weakness::RULES {
        let family = match rule.family {
            WeaknessFamily::Weakness => "security",
            WeaknessFamily::Interference => "interference",
        };
        add(Subject::Rule, &format!("{family}-{}", rule.id), "the weaknesses");
    }
    add(Subject::Rule, &format!("security-{}", weakness::UNREAD), "the weaknesses");
    for name in names::<RemarkTopic>() {
        add(Subject::Rule, &name, "the remarks about conventions");
    }
    for gate in GATES {
        add(Subject::Gate, gate.id(), "the gates");
    }
    for id in Aspect::ALL.map(Aspect::id).into_iter().chain(WITHOUT_A_RUN) {
        add(Subject::Gate, id, "the gates that run nothing");
    }
    for name in names::<Cause>() {
        add(Subject::Cause, &name, "the causes");
    }
    for source in sources.iter().filter(|source| !source.is_test) {
        for (id, line) in in_source(source) {
            add(Subject::Rule, &id, &format!("{}:{line}", source.path));
        }
    }
    let object = Regex::new(r#"\.object\(\s*"([a-z-]+)""#).map_err(|error| error.to_string())?;
    for (path, text) in drivers {
        for found in object.captures_iter(text) {
            add(Subject::Rule, &found[1], path);
        }
    }
    Ok(ids)
}

/// Compares the ids with the pages.
pub fn faults(ids: &ReportedIds, pages: &[Page]) -> IdFaults {
    let known: BTreeSet<(Subject, &str)> =
        pages.iter().flat_map(|page| page.ids.iter().map(|id| (page.subject, *id))).collect();
    let missing = ids.iter().filter(|((subject, id), _)| !known.contains(&(*subject, id)));
    let is_reported = |subject: Subject, id: &str| ids.contains_key(&(subject, id.to_owned()));
    let stale = known.iter().filter(|(subject, id)| !GROUPS.contains(id) && !is_reported(*subject, id));
    IdFaults {
        missing: missing
            .map(|((subject, id), place)| format!("{place}: the {} `{id}` has no page", subject.as_str()))
            .collect(),
        stale: stale
            .map(|(subject, id)| format!("nothing reports the {} `{id}`, which has a page", subject.as_str()))
            .collect(),
    }
}

/// Compares the kinds of trouble that results name with the first column of the table on their page.
pub fn trouble_faults(pages: &[Page]) -> Vec<String> {
    let page = pages.iter().find(|page| page.id() == TROUBLE_PAGE).map_or("", |page| page.text);
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> = cells.map(str::to_owned).collect();
    let kinds: BTreeSet<String> = names::<GateTrouble>().into_iter().collect();
    let missing = kinds.difference(&listed).map(|kind| format!("the page `{TROUBLE_PAGE}` lacks the kind `{kind}`"));
    let stale =
        listed.difference(&kinds).map(|kind| format!("no result has the kind `{kind}` of the page `{TROUBLE_PAGE}`"));
    missing.chain(stale).collect()
}

/// The names of an enum, as they are stored.
fn names<T: JsonSchema>() -> Vec<String> {
    fn collect(value: &Value, names: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                names.extend(object.get("const").and_then(Value::as_str).map(str::to_owned));
                let list = object.get("enum").and_then(Value::as_array).into_iter().flatten();
                names.extend(list.filter_map(Value::as_str).map(str::to_owned));
                object.values().for_each(|value| collect(value, names));
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    collect(schema_for!(T).as_value(), &mut names);
    names
}

/// The ids of findings that a source file creates, with their lines.
fn in_source(source: &RustSource) -> Vec<(String, usize)> {
    let sites: Vec<&Site> = SITES.iter().filter(|site| source.path.starts_with(site.files)).collect();
    let mut found = Vec::new();
    source.visit(&mut |node| {
        if matches!(node.kind(), "mod_item" | "function_item") && source.is_test_only(node) {
            return false;
        }
        match node.kind() {
            "call_expression" => found.extend(of_call(source, node, &sites)),
            "field_initializer" => found.extend(of_field(source, node)),
            _ => {}
        }
        true
    });
    found
}

fn of_call(source: &RustSource, call: Node<'_>, sites: &[&Site]) -> Vec<(String, usize)> {
    let (Some(function), Some(arguments)) =
        (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
    else {
        return Vec::new();
    };
    let name = source.of(function).rsplit(['.', ':']).next().unwrap_or_default();
    let Some(site) = sites.iter().find(|site| site.functions.contains(&name)) else { return Vec::new() };
    let Some((id, at)) = literal(source, arguments) else { return Vec::new() };
    let words = source.of(arguments);
    let aspect = Aspect::ALL.into_iter().find(|aspect| words.contains(&format!("Aspect::{aspect:?}")));
    let prefixes: Vec<String> = match aspect {
        Some(aspect) => vec![format!("{}-", aspect.id())],
        None => site.prefixes.iter().map(|prefix| (*prefix).to_owned()).collect(),
    };
    prefixes.into_iter().map(|prefix| (format!("{prefix}{id}"), at)).collect()
}

/// The id in `rule: "id".to_owned()`.
fn of_field(source: &RustSource, field: Node<'_>) -> Option<(String, usize)> {
    let (name, value) = (field.child_by_field_name("field")?, field.child_by_field_name("value")?);
    let receiver = value.child_by_field_name("function")?.child_by_field_name("value")?;
    let text = source.of(receiver).trim_matches('"');
    let is_id = source.of(name) == "rule" && receiver.kind() == "string_literal" && is_id(text);
    is_id.then(|| (text.to_owned(), line(receiver)))
}

/// The first argument that is an id, which may stand in a tuple.
fn literal<'t>(source: &'t RustSource, arguments: Node<'t>) -> Option<(&'t str, usize)> {
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).find_map(|argument| match argument.kind() {
        "string_literal" => {
            let text = source.of(argument).trim_matches('"');
            is_id(text).then(|| (text, line(argument)))
        }
        "tuple_expression" => literal(source, argument),
        _ => None,
    })
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_all;

    #[test]
    fn ids_are_found_where_they_are_made() {
        let check = "crates/assize-check/src/";
        for (path, code, expected) in [
            ("security/a.rs", "report.warn(\n\"registry\", path, m)", &["security-registry"][..]),
            ("security/a.rs", "report.other(\"registry\")", &[]),
            ("schema.rs", "checked.fault(aspect, \"odd\", p)", &["schema-json-odd", "schema-openapi-odd"]),
            ("schema.rs", "checked.wrong(Aspect::JsonSchema, \"odd\", p)", &["schema-json-odd"]),
            ("schema/sql.rs", "checked.fault(Aspect::Sql, \"odd\", p)", &["schema-sql-odd"]),
            ("schema/protobuf.rs", "self.fault(\"odd\", p)", &["schema-protobuf-odd"]),
            ("schema/open_api.rs", "self.wrong.push((\"odd\", found))", &["schema-openapi-odd"]),
            ("schema/open_api.rs", "self.say(\"odd\", &at, format!(\"{} is odd\", a))", &["schema-openapi-odd"]),
            ("record_type/drift.rs", "say(\"odd\", 1)", &["schema-types-odd"]),
            ("a.rs", "Finding::general(\"odd\", s)", &["odd"]),
            ("a.rs", "Finding { rule: \"odd\".to_owned(), path: \"even\".to_owned() }", &["odd"]),
        ] {
            let in_test = "#[cfg(test)]\nmod tests { fn g() { Finding::general(\"test-only\", s); } }";
            let text = format!("fn f() {{ {code}; }}\n{in_test}\n");
            let sources = parse_all(&[(format!("{check}{path}"), text)]).expect("parsed");
            let found: Vec<String> = in_source(&sources[0]).into_iter().map(|(id, _)| id).collect();
            assert_eq!(found, expected, "{path}: {code}");
        }
    }

    #[test]
    fn ids_and_pages_are_compared_both_ways() {
        let ids = |ids: &[(Subject, &str)]| -> ReportedIds {
            ids.iter().map(|(subject, id)| ((*subject, (*id).to_owned()), "a.rs:1".to_owned())).collect()
        };
        let page = |subject, id| Page { subject, ids: vec![id], text: "" };
        let pages = [page(Subject::Rule, "secret"), page(Subject::Cause, "forged"), page(Subject::Rule, GROUPS[0])];
        let found = faults(&ids(&[(Subject::Rule, "secret"), (Subject::Rule, "forged")]), &pages);
        assert_eq!(found.missing, ["a.rs:1: the rule `forged` has no page"]);
        assert_eq!(found.stale, ["nothing reports the cause `forged`, which has a page"]);
    }

    #[test]
    fn every_kind_of_trouble_stands_on_its_page() {
        let real: Vec<Page> = assize_gate::pages::pages().collect();
        assert_eq!(trouble_faults(&real), [""; 0]);
        let text = real.iter().find(|page| page.id() == TROUBLE_PAGE).expect("a page").text;
        let other = text.replace("| `machine` |", "| `bad_luck` |").leak();
        let page = Page { subject: Subject::Rule, ids: vec![TROUBLE_PAGE], text: other };
        let expected = [
            "the page `gate-trouble` lacks the kind `machine`",
            "no result has the kind `bad_luck` of the page `gate-trouble`",
        ];
        assert_eq!(trouble_faults(&[page]), expected);
    }

    #[test]
    fn what_the_program_can_be_asked_for_is_asked() {
        let ids =
            of_program(&[], &[("a.py".to_owned(), "run.object(\"passes-anyway\", path)".to_owned())]).expect("ids");
        for (subject, id) in [
            (Subject::Rule, "contradicted-claim"),
            (Subject::Rule, "security-weak-hash"),
            (Subject::Rule, "interference-always-equal"),
            (Subject::Rule, "file_pattern"),
            (Subject::Rule, "passes-anyway"),
            (Subject::Gate, "pytest"),
            (Subject::Gate, "schema-sql"),
            (Subject::Gate, "security"),
            (Subject::Cause, "over_budget"),
        ] {
            assert!(ids.contains_key(&(subject, id.to_owned())), "{id}");
        }
    }
}
