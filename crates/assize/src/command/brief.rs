//! `assize brief`: what the project says of itself.
//!
//! A page for people, JSON for programs, and as much as fits into a number of tokens for a prompt.

use assize_brief::brief::{Analysis, BriefEnvelope, ImportsDocument, PromptBrief};
use assize_brief::budget::{for_any_task, for_task};
use assize_brief::render;
use assize_engine::brief::{change_history, survey};
use serde_json::json;

use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::whole_from;
use crate::output::{Format, Output, print};

/// Arguments of `assize brief`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize brief                          the page, for people
  assize brief --for-prompt 1500        the best 1500 tokens of it, for a prompt
  assize brief --for-prompt 1500 --task 'Fix rounding of totals'
                                        the same, with the files that this is likely about first
  assize brief --format json            everything, for programs
  assize brief --imports                every import and what it leads to, one on each line
  assize -C ../other brief --no-cache   another project, read anew

What git ignores is left out. What a file says is kept below the user's cache folder, so that only files that changed are
read the next time. Every limit that was reached is shown.")]
pub struct Arguments {
    /// Print the most valuable part that fits into this many tokens.
    #[arg(long, value_name = "TOKENS", value_parser = whole_from(1_usize))]
    for_prompt: Option<usize>,
    /// What is to be done, in a sentence or more: files that it is likely about come first in the prompt.
    #[arg(long, value_name = "TEXT", requires = "for_prompt")]
    task: Option<String>,
    /// Print every import and what it leads to, instead of the brief.
    #[arg(long, conflicts_with = "for_prompt")]
    imports: bool,
    /// Read every file anew and keep nothing.
    #[arg(long)]
    no_cache: bool,
}

impl Arguments {
    /// Returns whether plain text is wanted, also where the output is no terminal.
    fn is_for_prompt(&self) -> bool {
        self.for_prompt.is_some() || self.imports
    }
}

/// Tokens into which the beginning of every brief fits: its shortest one names what is left out.
const BEGINNING_TOKENS_MAX: usize = 1_024;

/// Finds the least number of tokens for which something is printed, where it is more than `tokens`.
fn least_tokens(tokens: usize, text_of: impl Fn(usize) -> String) -> Option<usize> {
    let (mut too_few, mut enough) = (tokens, BEGINNING_TOKENS_MAX);
    if too_few >= enough || text_of(enough).is_empty() {
        return None;
    }
    while too_few + 1 < enough {
        let middle = too_few.midpoint(enough);
        if text_of(middle).is_empty() { too_few = middle } else { enough = middle }
    }
    Some(enough)
}

/// Says that nothing fits, and what does.
fn nothing_fits(tokens: usize, text_of: impl Fn(usize) -> String) -> Failure {
    let failure = Failure::new(format!("--for-prompt {tokens}: nothing of the brief fits into so few tokens"));
    match least_tokens(tokens, text_of) {
        Some(least) => failure.hint(format!("--for-prompt {least} is the least that prints something")),
        None => failure,
    }
}

/// Runs `assize brief`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let output = if arguments.is_for_prompt() { output.or_human() } else { output };
    let root = host.project();
    if !root.is_dir() {
        return Err(Failure::new(format!("{}: no such folder", root.display())));
    }
    let cache = host.cache().filter(|_| !arguments.no_cache).map(|cache| cache.join("brief"));
    let survey = survey(&root, cache.as_deref());
    if arguments.imports {
        let tree = survey.tree();
        let imports = Analysis::of(&tree).followed();
        print(&match output.format {
            Format::Json => format!("{}\n", json!(ImportsDocument::of(&imports))),
            Format::Human | Format::Markdown => render::followed(&imports),
        });
        return Ok(Exit::Done);
    }
    let (brief, files) = match (&arguments.task, arguments.for_prompt) {
        (None, None) => (survey.brief(), Vec::new()),
        (task, _) => survey.brief_for_task(&change_history(&root), task.as_deref().unwrap_or_default()),
    };
    if brief.summary.files == 0 {
        return Err(Failure::new(format!("{}: there are no files to read", root.display()))
            .hint("name another folder with -C; what git ignores is left out"));
    }
    let chosen = if arguments.task.is_some() { for_task } else { for_any_task };
    let within = |tokens: usize| chosen(&brief, &files, tokens);
    let text = match (arguments.for_prompt, output.format) {
        (Some(tokens), _) if within(tokens).is_empty() => return Err(nothing_fits(tokens, within)),
        (Some(tokens), Format::Json) => format!("{}\n", json!(PromptBrief::of(tokens, within(tokens)))),
        (Some(tokens), _) => within(tokens),
        (None, Format::Json) => {
            let text = serde_json::to_string(&BriefEnvelope::of(&brief))
                .map_err(|error| Failure::new(format!("the brief: {error}")))?;
            format!("{text}\n")
        }
        (None, Format::Human | Format::Markdown) => render::markdown(&brief),
    };
    print(&text);
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_prints_something_is_found() {
        let from = |least: usize| move |tokens: usize| if tokens < least { String::new() } else { "a".to_owned() };
        for least in [2, 17, BEGINNING_TOKENS_MAX] {
            for tokens in [1, least - 1] {
                assert_eq!(least_tokens(tokens, from(least)), Some(least), "{tokens}");
            }
        }
        assert_eq!(least_tokens(1, from(BEGINNING_TOKENS_MAX + 1)), None);
        assert_eq!(least_tokens(BEGINNING_TOKENS_MAX, from(usize::MAX)), None);
    }
}
