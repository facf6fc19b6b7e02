//! Reads a list, line by line.

use std::error::Error;
use std::fmt;

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is for.
    pub name: String,
    /// How much it is.
    pub amount: i64,
}

/// Why a list cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl Error for ParseError {}

/// Reads a list. Blank lines are passed over.
///
/// # Errors
///
/// Fails at the first line that has no amount at its end.
pub fn parse(text: &str) -> Result<Vec<Entry>, ParseError> {
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let line_number = at + 1;
        let entry = entry(line).map_err(|reason| ParseError {
            line: line_number,
            reason,
        })?;
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(line: &str) -> Result<Entry, String> {
    let (name, amount) = line
        .rsplit_once(char::is_whitespace)
        .ok_or_else(|| "there is no amount".to_owned())?;
    let amount = amount
        .parse()
        .map_err(|_| format!("`{amount}` is no amount"))?;
    Ok(Entry {
        name: name.trim_end().to_owned(),
        amount,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_of(name: &str, amount: i64) -> Entry {
        Entry {
            name: name.to_owned(),
            amount,
        }
    }

    #[test]
    fn each_line_is_an_entry() {
        let entries = parse("rent 700\n\nnew shoes  -85\n");
        assert_eq!(
            entries,
            Ok(vec![entry_of("rent", 700), entry_of("new shoes", -85)])
        );
    }

    #[test]
    fn a_name_may_hold_underscores() {
        assert_eq!(parse("night_train 3"), Ok(vec![entry_of("night_train", 3)]));
    }

    #[test]
    fn a_line_without_an_amount_is_refused() {
        let error = parse("rent 700\nshoes many\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: `many` is no amount");
        assert_eq!(parse("rent").unwrap_err().reason, "there is no amount");
    }
}
