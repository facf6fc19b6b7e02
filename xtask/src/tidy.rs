//! Checks that no compiler makes: layers, circles, names, words, sizes.

mod circles;
mod layers;
mod names;
mod source;
mod words;

use assize_stop::rule::RULES;

use crate::files;
use crate::shell::{Result, root};
use crate::syntax::{RustSource, parse_all};

/// How many places of a check that is only reported are shown, unless all are asked for.
const SHOWN: usize = 20;

/// Runs every check and reports all that is wrong. Of the checks that do not fail yet, it shows the first
/// places, or all.
pub fn run(all: bool) -> Result {
    let shown = if all { usize::MAX } else { SHOWN };
    let mut wrong = Vec::new();
    layers::check(&mut wrong)?;
    rules(&mut wrong);
    let sources = files::sources()?;
    let circles = circles::circles(&sources)?;
    println!("tidy: circles of modules: {}", circles.len());
    wrong.extend(circles);
    let sources = files::texts(sources)?;
    for (path, text) in &sources {
        source::check(path, text, &mut wrong);
    }
    let sources = parse_all(&sources)?;
    type_names(&sources, shown, &mut wrong);
    banned_words(&sources, shown, &mut wrong)?;
    if wrong.is_empty() { Ok(()) } else { Err(format!("tidy:\n  {}", wrong.join("\n  "))) }
}

/// A rule is one file, named by its id.
fn rules(wrong: &mut Vec<String>) {
    let folder = root().join("crates/assize-stop/src/rule");
    for rule in RULES {
        let file = folder.join(format!("{}.rs", rule.id().replace('-', "_")));
        if !file.is_file() {
            wrong.push(format!("the rule {} has no file {}", rule.id(), file.display()));
        }
    }
}

fn type_names(sources: &[RustSource], shown: usize, wrong: &mut Vec<String>) {
    let found = names::duplicates(sources);
    println!("tidy: type names with two meanings: {}", found.len());
    report(found, names::IS_ERROR, shown, wrong);
}

fn banned_words(sources: &[RustSource], shown: usize, wrong: &mut Vec<String>) -> Result {
    let found = words::find(sources, &files::texts(files::markdown()?)?)?;
    let counts: Vec<String> = words::counts(&found).iter().map(|(word, count)| format!("{word} {count}")).collect();
    println!("tidy: banned words: {}{}", found.len(), if found.is_empty() { "" } else { ", by word:" });
    if !counts.is_empty() {
        println!("  {}", counts.join(" · "));
    }
    let lines = found.iter().map(|it| format!("{}:{}: `{}`; instead: {}", it.path, it.line, it.found, it.instead));
    report(lines.collect(), words::IS_ERROR, shown, wrong);
    Ok(())
}

/// Adds what was found to what is wrong, or only shows the first of it.
fn report(found: Vec<String>, is_error: bool, shown: usize, wrong: &mut Vec<String>) {
    if is_error {
        wrong.extend(found);
        return;
    }
    for line in found.iter().take(shown) {
        println!("  {line}");
    }
    if found.len() > shown {
        println!("  … and {} more", found.len() - shown);
    }
}
