//! `assize explain`: the page of a rule, a gate or a cause.

use assize_core::document::PageDocument;
use assize_core::page::Page;
use serde_json::json;

use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{Format, Output, is_styled, print};
use crate::{pages, render};

/// Arguments of `assize explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize explain                        list every rule, gate and cause
  assize explain placeholder-added      the page of a rule, as findings name it in brackets
  assize explain pytest                 the page of a gate")]
pub struct Arguments {
    /// The id of a rule, a gate or a cause [default: list all of them].
    id: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, _host: &Host, output: Output) -> Result {
    let output = output.or_human();
    let Some(id) = &arguments.id else {
        print(&listed(&pages::all(), output.format));
        return Ok(Exit::Done);
    };
    let found = pages::about(id);
    if found.is_empty() {
        return Err(unknown(id));
    }
    let pages: Vec<String> = found.iter().map(|page| shown(page, output.format)).collect();
    print(&pages.join(if output.format == Format::Json { "" } else { "\n" }));
    Ok(Exit::Done)
}

fn unknown(id: &str) -> Failure {
    let near: Vec<String> = pages::similar(id).iter().map(|id| format!("`{id}`")).collect();
    let list = "`assize explain` lists every id";
    let hint = if near.is_empty() { list.to_owned() } else { format!("there is {}; {list}", near.join(", ")) };
    Failure::new(format!("no rule, gate or cause has the id `{id}`")).hint(hint)
}

fn listed(pages: &[Page], format: Format) -> String {
    match format {
        Format::Json => pages.iter().map(|page| format!("{}\n", json!(PageDocument::of(page)))).collect(),
        Format::Human => render::page::list_human(pages),
        Format::Markdown => render::page::list_markdown(pages),
    }
}

fn shown(page: &Page, format: Format) -> String {
    match format {
        Format::Json => format!("{}\n", json!(PageDocument::of(page))),
        Format::Human if is_styled() => render::page::human(page),
        // What a program reads, or a file keeps, is the Markdown as it is.
        Format::Human | Format::Markdown => page.text.to_owned(),
    }
}
