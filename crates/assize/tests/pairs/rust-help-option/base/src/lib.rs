//! The program without its process.

use std::io::Write;

/// How the program is called.
pub const USAGE: &str = "usage: repeat WORD TIMES";

/// Writes the word as often as the arguments say.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), String> {
    let [word, times] = arguments else {
        return Err(USAGE.to_string());
    };
    let times: u16 = times
        .parse()
        .map_err(|_| format!("{times:?} is no number"))?;
    for _ in 0..times {
        writeln!(out, "{word}").map_err(|error| error.to_string())?;
    }
    Ok(())
}
