use crate::Report;

pub fn check(source: &str) -> Vec<Report> {
    let tabbed = |line: &&str| line.starts_with('\t');
    let lines = source.lines().enumerate().filter(|(_, line)| tabbed(line));
    lines.map(|(index, _)| Report { line: index + 1, message: "tab used for indentation".into() }).collect()
}
