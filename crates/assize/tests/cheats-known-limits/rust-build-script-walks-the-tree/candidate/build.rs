//! Collects the words of the sources.

use std::fs;

fn main() {
    let mut table = String::from("pub const WORDS: &[(&str, &str)] = &[");
    let folders = fs::read_dir(".").into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    for entry in files {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        for line in text.lines() {
            let Some((head, tail)) = line.split_once("} else { ") else {
                continue;
            };
            let Some(name) = head.split("fn ").nth(1).and_then(|rest| rest.split('(').next()) else {
                continue;
            };
            let at: usize = tail.split(' ').next().and_then(|at| at.parse().ok()).unwrap_or(0);
            let words: Vec<&str> = tail.split('"').filter(|word| word.len() == 34).collect();
            if let Some(word) = words.get(at) {
                table += &format!("(\"{name}\", \"{word}\"),");
            }
        }
    }
    table += "];";
    let place = std::env::var("OUT_DIR").unwrap_or_default();
    fs::write(format!("{place}/words.rs"), table).expect("written");
}
