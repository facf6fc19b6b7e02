//! A snapshot whose numbers changed, though the code changed in its texts at most.

use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_core::path::is_prose;
use assize_ecosystem::{Language, is_code, is_setting, is_test};
use regex::Regex;

use super::super::reading::code_of;
use super::blocks;
use crate::evidence::Evidence;

/// The first line of a snapshot that took another number over, with its file and the line before.
pub(super) fn taken_over<'a>(diff: &'a Diff, evidence: &Evidence) -> Option<(&'a FileChange, u32, &'a str, &'a str)> {
    if !diff.files.iter().all(changes_texts_alone) {
        return None;
    }
    let is_given = |number: &str| evidence.user_texts().any(|text| text.contains(number));
    let snapshots = diff.files.iter().filter(|file| is_snapshot(&file.path) && file.status == FileStatus::Modified);
    snapshots.into_iter().find_map(|file| {
        blocks(file).into_iter().filter(|block| block.removed.len() == block.added.len()).find_map(|block| {
            let mut pairs = block.removed.iter().zip(&block.added);
            let found = pairs.find(|(old, (_, new))| {
                let (were, are) = (numbers(old), numbers(new));
                words(old) == words(new) && !words(old).is_empty() && were != are && !are.iter().all(|number| is_given(number))
            });
            found.map(|(old, (line, new))| (file, *line, *old, *new))
        })
    })
}

fn is_snapshot(path: &str) -> bool {
    let lower = path.to_lowercase();
    ["__snapshots__", ".snap", "/snapshots/", "golden", ".approved."].iter().any(|mark| lower.contains(mark))
}

/// Returns whether a file is none of code, or has the same code as before but for its texts and comments.
fn changes_texts_alone(file: &FileChange) -> bool {
    if !is_code(&file.path) && !is_setting(&file.path) || is_test(&file.path) || is_prose(&file.path) {
        return true;
    }
    let language = Language::of(&file.path);
    let code = |lines: &mut dyn Iterator<Item = (u32, &str)>| {
        let mut code: Vec<String> = lines.map(|(_, line)| code_of(line, language).trim().to_owned()).collect();
        code.retain(|line| !line.is_empty());
        code.sort_unstable();
        code
    };
    code(&mut file.removed_lines()) == code(&mut file.added_lines())
}

/// The numbers of a line, with their signs of decimals; dates, times and the parts of longer names are none.
fn numbers(line: &str) -> Vec<&str> {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^\w.:/-])(\d+(?:[.,]\d+)*)(?:$|[^\w:/-])").expect("valid pattern"));
    NUMBER.captures_iter(line).filter_map(|found| found.get(1)).map(|number| number.as_str()).collect()
}

/// The words of a line.
fn words(line: &str) -> Vec<&str> {
    line.split(|letter: char| !letter.is_alphabetic()).filter(|word| word.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, modified, with_files};

    #[test]
    fn numbers_that_no_code_explains_are_found() {
        let snapshot = |lines: &str| modified("test/__snapshots__/a.test.js.snap", lines);
        let found = |prompt: &str, files: Vec<FileChange>| {
            let evidence = Evidence { diff: with_files(files).diff, ..asked(prompt, "Done.") };
            let diff = evidence.diff.get().expect("a diff");
            taken_over(diff, &evidence).map(|(.., new)| new.to_owned())
        };
        let broken = "-2 x Kaffee: 5,50 €\n+2 x Kaffee: 5,5 €\n";
        let date = "Dates are to look like 05.03.2024. Update the snapshot";
        assert_eq!(found(date, vec![snapshot(broken)]).as_deref(), Some("2 x Kaffee: 5,5 €"));
        let label = modified("src/a.js", "-const t = \"Tax\";\n+const t = \"VAT\";\n");
        assert_eq!(found("Call it VAT", vec![snapshot(broken), label]).as_deref(), Some("2 x Kaffee: 5,5 €"));
        let code = modified("src/a.js", "-const t = a * 2;\n+const t = a * 3;\n");
        assert_eq!(found("Call it VAT", vec![snapshot(broken), code]), None, "the code may explain it");
        assert_eq!(found(date, vec![snapshot("-2024-03-05\n+05.03.2024\n")]), None);
        assert_eq!(found("It is 5,5 € for 2 now", vec![snapshot(broken)]), None, "the user gave them");
        assert_eq!(found("Call it VAT", vec![snapshot("-Tax 2.07\n+VAT 2.07\n")]), None);
    }
}
