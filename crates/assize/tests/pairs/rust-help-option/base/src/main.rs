//! Prints a word several times.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match repeat::run(&arguments, &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("repeat: {message}");
            ExitCode::from(2)
        }
    }
}
