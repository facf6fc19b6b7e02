//! The final message says that all of a number were done, and the last run that counts them says how many were.

use std::sync::LazyLock;

use regex::Regex;

use crate::claim::{hedged, statements};
use crate::transcript::{CommandRun, TranscriptFacts};

/// Returns the sentence, the run, and what it printed.
pub(super) fn contradicted<'a>(message: &'a str, facts: &'a TranscriptFacts, edited: u64) -> Option<(&'a str, &'a CommandRun, &'a str)> {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:all|every one of the|alle|tous les|toutes les|todos los|todas las|tutti i|todos os) (?:the |of the )?([0-9][0-9.,_]*[0-9])\b").expect("valid pattern")
    });
    static SHARE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i-u)\b([0-9]+) ?(?:of|/|out of|von|de|di) ?([0-9]+)\b").expect("valid pattern"));
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    for sentence in statements(message).filter(|sentence| !hedged(sentence)) {
        let Some(all) = ALL.captures(sentence).map(|found| digits(&found[1])) else { continue };
        for run in facts.commands.iter().rev().filter(|run| run.step > edited && !run.only_looks()) {
            let shares = || SHARE.captures_iter(run.output.inspect()).filter(|found| found[2] == *all);
            // A bar that grows ends with the whole.
            let Some(last) = shares().last() else { continue };
            let is_less = last[1].parse::<u64>().ok()? < all.parse::<u64>().ok()?;
            let is_told = message.contains(&last[1]);
            return (is_less && !is_told).then_some((sentence, run, last.get(0)?.as_str()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::after_runs;

    #[test]
    fn all_are_as_many_as_the_last_run_counted() {
        let copied = ("npm run migrate", 0, "copied 1198 of 1204\nskipped 6: 311, 402");
        let whole = ("npm run migrate", 0, "  602/1204\n 1204/1204 done");
        for (message, run, said) in [
            ("For the board: all 1204 members made it over.", copied, true),
            ("Alle 1204 Mitglieder sind übernommen.", copied, true),
            ("Of all 1204 members 1198 made it over.", copied, false),
            ("All 1204 members made it over.", whole, false),
            ("All 1300 members made it over.", copied, false),
            ("The rest of all 1204 could not be read.", ("cat log", 0, "1198 of 1204"), false),
        ] {
            let evidence = after_runs(message, &[run]);
            assert_eq!(contradicted(message, evidence.transcript.get().unwrap(), 0).is_some(), said, "{message}");
        }
    }
}
