//! The exit codes of the program, and the page about them.

use std::collections::BTreeSet;

use crate::shell::Result;
use crate::syntax::RustSource;

/// Where the program defines them.
pub const SOURCE: &str = "crates/assize/src/exit.rs";

/// Where the book lists them.
pub const PAGE: &str = "docs/src/reference/exit-codes.md";

/// What a shell reports of a program that was interrupted.
const INTERRUPTED: u32 = 130;

/// Reads the codes of the enum `Exit`.
pub fn of_program(text: &str) -> Result<BTreeSet<u32>> {
    let source = RustSource::parse(SOURCE, text.to_owned())?;
    let mut codes = BTreeSet::new();
    source.visit(&mut |node| {
        if let Some(value) = node.child_by_field_name("value").filter(|_| node.kind() == "enum_variant") {
            codes.extend(source.of(value).parse::<u32>());
        }
        true
    });
    if codes.is_empty() { Err(format!("{SOURCE}: no exit code was found")) } else { Ok(codes) }
}

/// Says which codes the page lacks, and which the program does not have.
pub fn faults(program: &BTreeSet<u32>, page: &str) -> Vec<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse::<u32>().ok());
    let listed: BTreeSet<u32> = cells.collect();
    let expected: BTreeSet<u32> = program.iter().copied().chain([INTERRUPTED]).collect();
    let missing = expected.difference(&listed).map(|code| format!("{PAGE}: the exit code {code} is missing"));
    let stale = listed.difference(&expected).map(|code| format!("{PAGE}: the program has no exit code {code}"));
    missing.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_codes_of_the_program() {
        let codes = of_program("/// Ends.\npub enum Exit {\n    /// Done: 0.\n    Done = 0,\n    Bad = 2,\n}\n");
        let codes = codes.expect("codes");
        assert_eq!(codes, BTreeSet::from([0, 2]));
        assert_eq!(faults(&codes, "| code | meaning |\n|---|---|\n| 0 | done |\n| 2 | bad |\n| 130 | it |\n"), [""; 0]);
        let found = faults(&codes, "| 0 | done |\n| 4 | new |\n| 130 | it |\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(of_program("pub enum Exit { Done }").is_err());
    }
}
