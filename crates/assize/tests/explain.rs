//! `assize explain`: every id that a result names has a page, as text, as Markdown and as JSON.

use std::process::{Command, Output};

use assize_core::page::Page;
use serde_json::Value;

fn explain(arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().expect("a temporary folder");
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .arg("explain")
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .output()
        .expect("the program runs")
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn pages() -> Vec<Page> {
    assize_stop::rule::pages()
        .chain(assize_gate::gate::pages())
        .chain(assize_gate::pages::pages())
        .chain(assize_check::pages::pages())
        .chain(assize_brief::pages::pages())
        .chain(assize_eval::pages::pages())
        .chain(assize_core::pages::pages())
        .collect()
}

#[test]
fn every_rule_and_every_gate_explains_itself() {
    let rules = assize_stop::rule::RULES.iter().map(|rule| rule.id());
    let gates = assize_gate::gate::GATES.iter().map(|gate| gate.id());
    for id in rules.chain(gates) {
        let text = printed(&explain(&[id]));
        assert!(text.starts_with(&format!("# `{id}`\n")), "{id}: {text}");
    }
}

#[test]
fn all_ids_are_listed_with_what_they_are_about() {
    let text = printed(&explain(&[]));
    let (rules, gates) = (text.find("Rules\n"), text.find("Gates\n"));
    assert!(rules.is_some() && rules < gates, "{text}");
    for page in pages() {
        let listed = |line: &str| {
            let words = line.trim_start().strip_prefix(page.id());
            words.is_some_and(|rest| rest.trim_start() == page.summary())
        };
        assert!(text.lines().any(listed), "{}: {text}", page.id());
    }
    let markdown = printed(&explain(&["--format", "markdown"]));
    assert!(markdown.starts_with("## Rules\n\n- `"), "{markdown}");
}

#[test]
fn programs_get_a_document_for_each_page() {
    let text = printed(&explain(&["--format", "json"]));
    let documents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(documents.iter().all(|document| document["assize"] == 1), "{text}");
    let pages = pages();
    for page in &pages {
        let document = serde_json::json!({
            "assize": 1,
            "subject": page.subject.as_str(),
            "ids": page.ids,
            "summary": page.summary(),
            "text": page.text,
        });
        assert!(documents.contains(&document), "{}", page.id());
    }
    let one = printed(&explain(&[pages[0].id(), "--format", "json"]));
    assert_eq!(serde_json::from_str::<Value>(&one).expect("one document"), documents[0]);
}

#[test]
fn an_unknown_id_is_refused_and_near_ones_are_named() {
    for (id, near) in [("placeholder-aded", "there is `placeholder-added`; "), ("no-such-thing-at-all", "")] {
        let output = explain(&[id]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected =
            format!("error: no rule, gate or cause has the id `{id}`\n hint: {near}`assize explain` lists every id\n");
        assert_eq!(told, expected);
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn what_is_piped_is_plain_and_what_is_styled_was_asked_for() {
    for arguments in [&["pytest"][..], &[], &["--format", "markdown"], &["pytest", "--color", "never"]] {
        assert!(!printed(&explain(arguments)).contains('\u{1b}'), "{arguments:?}");
    }
    let page = pages().into_iter().find(|page| page.id() == "pytest").expect("a page");
    assert_eq!(printed(&explain(&["pytest"])), page.text);
    let styled = printed(&explain(&["pytest", "--color", "always"]));
    assert!(styled.contains("\u{1b}[1m`pytest`") && !styled.contains("```"), "{styled}");
}
