//! Every command shows examples in its help, and the program understands each of them.

use std::process::{Command, Output};

use assize_report::FORMATS;

/// Runs the program with words and `--help` behind them.
fn help_behind(words: &[String]) -> Output {
    let home = tempfile::tempdir().expect("a temporary folder");
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(words)
        .arg("--help")
        .env_clear()
        .env("HOME", home.path())
        .env("COLUMNS", "100")
        .current_dir(home.path())
        .output()
        .expect("the program runs")
}

fn help(words: &[String]) -> String {
    String::from_utf8(help_behind(words).stdout).expect("text")
}

/// The program and all of its commands with their helps, as the helps list them.
fn commands(words: &[String]) -> Vec<(Vec<String>, String)> {
    let text = help(words);
    let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help");
    let below: Vec<_> = names.flat_map(|name| commands(&[words, &[name.to_owned()]].concat())).collect();
    [vec![(words.to_vec(), text)], below].concat()
}

/// The examples of a help, each on one line: the help is wrapped.
fn examples(help: &str) -> Vec<String> {
    let is_title = |line: &&str| ["Example:", "Examples:"].contains(line);
    let lines = help.lines().skip_while(|line| !is_title(line)).skip(1);
    let mut examples: Vec<String> = Vec::new();
    for line in lines.take_while(|line| line.is_empty() || line.starts_with("  ")) {
        let text = line.trim();
        match examples.last_mut() {
            Some(last) if !text.starts_with("assize ") && !text.contains("| assize ") => {
                // A line that is indented further tells what the example does.
                last.push_str(if line.starts_with("   ") { "  " } else { " " });
                last.push_str(text);
            }
            _ => examples.push(text.to_owned()),
        }
    }
    examples
}

/// The words behind the program's name in an example, without what the shell does and what it is an example of.
fn words(example: &str) -> Vec<String> {
    let at = example.find("assize ").unwrap_or_else(|| panic!("{example}"));
    let end = ["  ", " | ", " > ", " < "].iter().filter_map(|end| example[at..].find(end)).min();
    let call = end.map_or(&example[at..], |end| &example[at..at + end]);
    shlex::split(call).unwrap_or_else(|| panic!("{example}")).split_off(1)
}

#[test]
fn every_command_has_an_example() {
    let all = commands(&[]);
    assert!(all.len() > 35, "{}", all.len());
    for (command, help) in &all {
        let examples = examples(help);
        let is_of_command = |example: &String| words(example).starts_with(command);
        assert!(examples.iter().any(is_of_command), "no example calls `assize {}`: {help}", command.join(" "));
        for example in examples {
            // Whatever stands before `--help` is read, too.
            let output = help_behind(&words(&example));
            assert_eq!(output.status.code(), Some(0), "{example}: {output:?}");
        }
    }
}

#[test]
fn formats_of_reports_are_listed_where_the_template_points_to() {
    let template = include_str!("../assize.template.toml");
    assert!(template.contains("`assize gates --help` lists the formats of reports"));
    let help = help(&["gates".to_owned()]);
    let (_, list) = help.split_once("one of these formats:").expect("a list");
    let listed: Vec<&str> = list.split([',', ' ', '\n']).filter(|name| !name.is_empty()).collect();
    assert_eq!(listed, FORMATS.iter().map(|format| format.name).collect::<Vec<_>>());
}
