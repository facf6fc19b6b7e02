use std::collections::HashSet;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dedup FILE");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("dedup: {path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut seen = HashSet::new();
    for line in text.lines().filter(|line| seen.insert(*line)) {
        println!("{line}");
    }
    ExitCode::SUCCESS
}
