//! The help of every command, as the program prints it.

use crate::shell::{Result, command, program, read};

/// Columns to which the program wraps its help.
const COLUMNS: &str = "100";

/// Returns the help of the program and of all its commands as Markdown.
pub fn of_program() -> Result<String> {
    let program = program()?;
    page(&mut |words| {
        let mut help = command(&program, words);
        // The environment would show in the help: it is where defaults come from.
        help.arg("--help").env_clear().env("COLUMNS", COLUMNS);
        read(help)
    })
}

/// Quotes the help of each command below the one that it belongs to; `help` is given the words behind the
/// program's name.
fn page(help: &mut impl FnMut(&[&str]) -> Result<String>) -> Result<String> {
    let mut text = String::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(words) = open.pop() {
        let parts: Vec<&str> = words.iter().map(String::as_str).collect();
        let printed = help(&parts)?;
        let name: String = std::iter::once("assize").chain(parts.iter().copied()).collect::<Vec<_>>().join(" ");
        let level = if words.len() > 1 { "###" } else { "##" };
        let lines: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        text.push_str(&format!("{level} `{name}`\n\n```text\n{}\n```\n\n", lines.join("\n")));
        let below = commands(&printed).into_iter().rev();
        open.extend(below.map(|command| [&words[..], &[command.to_owned()]].concat()));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(text)
}

/// The commands that a help lists, without `help` itself.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_asked_for_its_help() {
        let mut help = |words: &[&str]| {
            Ok(match words {
                [] => {
                    "Judges.\n\nCommands:\n  eval  Judge\n        a lot\n  stop  Stop\n  help  Help\n\nOptions:\n  -h\n"
                }
                ["eval"] => "Evals.\n\nCommands:\n  run   Run\n  help  Help\n",
                ["eval", "run"] => "Runs.  \n\n",
                _ => "Stops.\n",
            }
            .to_owned())
        };
        let page = page(&mut help).expect("a page");
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings, ["## `assize`", "## `assize eval`", "### `assize eval run`", "## `assize stop`"]);
        assert!(page.contains("```text\nRuns.\n```\n\n## `assize stop`\n\n```text\nStops.\n```\n"), "{page}");
    }
}
