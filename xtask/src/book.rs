//! The book: assembled from `docs/src` and from what the program says of itself, checked, and built with mdBook.
//!
//! What is generated is not committed: a page for each rule, gate and cause, their lists, and the help of each command.

mod assemble;
mod builder;
mod exit_codes;
mod help;
mod html;
mod ids;
mod links;
mod markdown;
mod widths;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::page::Page;

use crate::shell::{Result, root, target};
use crate::syntax::parse_all;
use crate::{files, schema};

/// Files at the root that link into the book and to each other.
const AT_ROOT: [&str; 4] = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"];

/// The folder of the written pages.
const DOCS: &str = "docs/src/";

/// Assembles, checks and builds the book.
pub fn run() -> Result {
    let pages = pages();
    let generated = [(assemble::COMMANDS, help::of_program()?), (assemble::SCHEMAS, schema::table())];
    let book = assemble::book(&docs()?, &pages, &generated)?;
    let folder = target("book");
    assemble::write(&book, &folder.join("src"))?;
    let mut wrong = Vec::new();
    check_ids(&pages, &mut wrong)?;
    check_exit_codes(&mut wrong)?;
    println!("book: settings: crates/assize/tests/book.rs compares them with the program");
    check_widths(&mut wrong)?;
    check_links(&book, &mut wrong)?;
    builder::build(&folder)?;
    let broken = html::broken(&folder.join("html"))?;
    println!("book: broken links of the built pages: {}", broken.len());
    wrong.extend(broken);
    if wrong.is_empty() { Ok(()) } else { Err(format!("book:\n  {}", wrong.join("\n  "))) }
}

/// Every page about a rule, a gate or a cause.
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

/// The written part of the book: texts by their paths below `docs/src`.
fn docs() -> Result<BTreeMap<String, String>> {
    let files = files::texts(files::listed("docs/src/*")?)?;
    let below = |path: &str| path.trim_start_matches(DOCS).to_owned();
    Ok(files.into_iter().map(|(path, text)| (below(&path), text)).collect())
}

fn check_ids(pages: &[Page], wrong: &mut Vec<String>) -> Result {
    let sources = parse_all(&files::texts(files::sources()?)?)?;
    let drivers = files::texts(files::listed("crates/*/drivers/*.py")?)?;
    let ids = ids::of_program(&sources, &drivers)?;
    let faults = ids::faults(&ids, pages);
    println!("book: pages {} of {} ids", ids.len() - faults.missing.len(), ids.len());
    wrong.extend(faults.missing);
    wrong.extend(faults.stale);
    wrong.extend(ids::trouble_faults(pages));
    Ok(())
}

fn check_exit_codes(wrong: &mut Vec<String>) -> Result {
    let program = exit_codes::of_program(&files::text(exit_codes::SOURCE)?)?;
    let faults = exit_codes::faults(&program, &files::text(exit_codes::PAGE)?);
    println!("book: exit codes: {}, wrong: {}", program.len(), faults.len());
    wrong.extend(faults);
    Ok(())
}

fn check_widths(wrong: &mut Vec<String>) -> Result {
    let pages = files::texts(files::listed("*.md")?)?;
    let wide: Vec<String> = pages.iter().flat_map(|(path, text)| widths::too_wide(path, text)).collect();
    println!("book: Markdown lines over {} characters: {}", widths::WIDTH_MAX, wide.len());
    wrong.extend(wide);
    Ok(())
}

fn check_links(book: &BTreeMap<String, String>, wrong: &mut Vec<String>) -> Result {
    let place = |path: &str| {
        let written = format!("docs/src/{path}");
        let generated = path == assemble::SUMMARY || !root().join(&written).is_file();
        if generated { format!("target/book/src/{path}") } else { written }
    };
    let mut broken = links::broken(book, book.keys().map(String::as_str), place);
    let mut committed: BTreeMap<String, String> =
        files::listed("*")?.into_iter().map(|path| (path, String::new())).collect();
    committed.extend(files::texts(files::markdown()?)?);
    // On the forge, readers see the files of the book as they are committed, without what is generated.
    let written = committed.keys().map(String::as_str).filter(|path| path.starts_with(DOCS));
    broken.extend(links::broken(&committed, AT_ROOT.into_iter().chain(written), str::to_owned));
    let broken: BTreeSet<String> = broken.into_iter().collect();
    println!("book: broken links: {}", broken.len());
    wrong.extend(broken);
    Ok(())
}
