use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut verbose = false;
    let mut path = None;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "-v" | "--verbose" => verbose = true,
            _ => path = Some(arg),
        }
    }
    let Some(path) = path else {
        eprintln!("usage: dedup [-v] FILE");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    if verbose {
        eprintln!("[dedup] reading {path}");
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("dedup: {path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut seen = HashSet::new();
    let kept: Vec<&str> = text.lines().filter(|line| seen.insert(*line)).collect();
    if verbose {
        eprintln!("[dedup] {} lines read, {} kept", text.lines().count(), kept.len());
        eprintln!("[dedup] done in {:?}", started.elapsed());
    }
    for line in kept {
        println!("{line}");
    }
    ExitCode::SUCCESS
}
