//! The names of the tests that a runner says failed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Reads the names in an output; each runner has its own way to mark them.
pub(in crate::rule) fn failed_names(output: &str) -> BTreeSet<&str> {
    static FAILED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m)^(?:FAILED|ERROR) (\S+)|^\s*(?:×|✕|✗|✘) (.+?)(?:\s+\(?[\d.]+ ?m?s\)?)?$|^\s*--- FAIL: (\S+)|^test (\S+) \.\.\. FAILED|^(\S.* > .*?)(?:\(\))? FAILED$|",
            r"^\[ERROR\]\s+([\w.]+?)(?::\d+\b|\s+--)|^not ok \d+ - (.+?)(?: # .*)?$|^rspec (\S+)|^\d+\) ([\w\\]+::\w+)$|^\s*\d+/\d+ Test +#\d+: (\S+) \.*\*{3}Failed|^\s*Failed (\S+) \[",
        ))
        .expect("valid pattern")
    });
    FAILED.captures_iter(output).filter_map(|found| Some(found.iter().skip(1).flatten().next()?.as_str().trim())).collect()
}

/// Returns whether a text speaks of a test by its name, or by the last part of it.
pub(super) fn speaks_of(text: &str, name: &str) -> bool {
    let last = name.rsplit([':', '>', '.', '/']).map(str::trim).find(|part| !part.is_empty()).unwrap_or(name);
    text.contains(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runner_marks_what_failed() {
        for (output, expected) in [
            ("FAILED test_album.py::test_no_caption - Assertion\n1 failed", "test_album.py::test_no_caption"),
            (" ❯ test/slug.test.ts (3)\n   ✓ plain\n   × decomposed umlauts 12ms\n     AssertionError", "decomposed umlauts"),
            ("--- FAIL: TestSlug (0.00s)", "TestSlug"),
            ("test wraps_around ... FAILED", "wraps_around"),
            ("SequenceFileTest > neverTwice() FAILED", "SequenceFileTest > neverTwice"),
            ("[ERROR] JobQueueTest.drain:27", "JobQueueTest.drain"),
            ("not ok 3 - writes a row", "writes a row"),
            ("  ✕ two items (6 ms)", "two items"),
            ("2/3 Test #2: slash ....................***Failed    0.00 sec", "slash"),
            ("  Failed Dispatch.LabelTests.GoesOn [12 ms]", "Dispatch.LabelTests.GoesOn"),
        ] {
            assert_eq!(failed_names(output).into_iter().collect::<Vec<_>>(), [expected], "{output}");
        }
        assert!(failed_names("3 passed").is_empty());
        assert!(speaks_of("the only red test is `drain`", "JobQueueTest.drain"));
    }
}
