//! Checks that no compiler makes: layers, circles, names, words, sizes.

mod circles;
mod layers;
mod names;
mod source;
mod test_patterns;
mod words;

use assize_stop::rule::RULES;

use crate::files;
use crate::shell::{Result, root};
use crate::syntax::parse_all;

/// Runs every check and reports all that is wrong.
pub fn run() -> Result {
    let mut wrong = Vec::new();
    layers::check(&mut wrong)?;
    rules(&mut wrong);
    let sources = files::sources()?;
    add("circles of modules", &circles::circles(&sources)?, &mut wrong);
    let sources = files::texts(sources)?;
    for (path, text) in &sources {
        source::check(path, text, &mut wrong);
    }
    let sources = parse_all(&sources)?;
    add("type names with two meanings", &names::duplicates(&sources), &mut wrong);
    let texts = files::texts([files::markdown()?, files::toml()?].concat())?;
    add("banned words", &words::find(&sources, &texts)?, &mut wrong);
    add("second answers to what is a test", &test_patterns::find(&sources), &mut wrong);
    if wrong.is_empty() { Ok(()) } else { Err(format!("tidy:\n  {}", wrong.join("\n  "))) }
}

/// Prints how much of something was found, and adds it to what is wrong.
fn add(what: &str, found: &[impl ToString], wrong: &mut Vec<String>) {
    println!("tidy: {what}: {}", found.len());
    wrong.extend(found.iter().map(ToString::to_string));
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
