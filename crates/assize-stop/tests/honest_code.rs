//! Secrets and hidden characters in code that nobody would object to: whole packages, as if every line were new.
//!
//! `ASSIZE_HONEST_CODE=FOLDER[:FOLDER…] cargo test -p assize-stop --test honest_code -- --ignored --nocapture` prints every
//! finding and how many lines there were.

#![expect(clippy::print_stdout, reason = "whoever runs it wants to see each finding")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use assize_core::diff::{Diff, FileChange};
use assize_core::finding::Certainty;
use assize_core::gathered::EvidencePart;
use assize_ecosystem::is_generated;
use assize_stop::evidence::Evidence;
use assize_stop::rule::{RuleSettings, run_only};

const FOLDERS_VARIABLE: &str = "ASSIZE_HONEST_CODE";
/// Lines that are looked at, at most.
const LINES_MAX: usize = 12_000_000;

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_symlink()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
#[ignore = "needs folders of honest code: see the first lines of this file"]
fn honest_code_has_next_to_no_findings() {
    let folders = std::env::var(FOLDERS_VARIABLE).expect("the variable says where the code is");
    let (mut lines, mut counts) = (0_usize, BTreeMap::<(String, Certainty), usize>::new());
    let began = Instant::now();
    for folder in folders.split(':').map(Path::new) {
        let mut files = Vec::new();
        files_below(folder, &mut files);
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let path = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
            if is_generated(&path) || lines > LINES_MAX {
                continue;
            }
            let change = FileChange::added(path, &text);
            lines += change.added_count();
            let diff = EvidencePart::Gathered(Diff { files: vec![change], ..Diff::default() });
            let evidence = Evidence { diff, ..Evidence::missing("") };
            for finding in run_only(&["secret", "hidden-character"], &evidence, &RuleSettings::default()) {
                println!("{:?} {} {finding}", finding.certainty, finding.rule);
                *counts.entry((finding.rule, finding.certainty)).or_default() += 1;
            }
        }
    }
    println!("{lines} lines, {:.1} s: {counts:?}", began.elapsed().as_secs_f64());
    let certain = counts.iter().filter(|((_, certainty), _)| *certainty == Certainty::Certain).map(|(_, count)| count);
    // One in half a million lines may be a real one.
    assert!(certain.sum::<usize>() * 500_000 <= lines, "{counts:?}");
}

#[test]
fn a_hundred_thousand_lines_are_looked_at_quickly() {
    let line = |index: usize| match index % 10 {
        0 => format!("    let token_{index} = parse(&input[{index}..], Options::default())?;"),
        1 => format!("    # see https://docs.example.org/page/{index}"),
        2 => format!("    password_field_{index}: Option<String>,"),
        _ => format!("    let value_{index} = compute(left, right) + {index};"),
    };
    let text = (0..100_000).map(line).collect::<Vec<_>>().join("\n");
    let change = FileChange::added("src/a.rs", &text);
    let evidence = Evidence {
        diff: EvidencePart::Gathered(Diff { files: vec![change], ..Diff::default() }),
        ..Evidence::missing("")
    };
    let began = Instant::now();
    let found = run_only(&["secret"], &evidence, &RuleSettings::default());
    let took = began.elapsed();
    println!("100000 lines: {took:?}");
    assert!(found.is_empty(), "{found:?}");
    // Without optimization, on a machine that does other things as well.
    assert!(took.as_secs() < 20, "{took:?}");
}
