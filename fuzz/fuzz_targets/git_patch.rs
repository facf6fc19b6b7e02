//! Any bytes as the output of `git diff`: every line has a number, and no file grows without end.
#![no_main]

use assize_core::diff::{FILE_LINES_MAX, LINE_BYTES_MAX, parse_git_patch};
use libfuzzer_sys::fuzz_target;

/// Bytes of the replacement for a byte that is not UTF-8.
const REPLACEMENT_BYTES: usize = 3;

fuzz_target!(|patch: &[u8]| {
    for file in parse_git_patch(patch) {
        let lines = file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>();
        assert!(lines <= FILE_LINES_MAX);
        assert!(file.added_lines().count() + file.removed_lines().count() <= lines);
        assert_eq!(file.added_lines().count(), file.added_count());
        assert_eq!(file.removed_lines().count(), file.removed_count());
        let texts = file.added_lines().chain(file.removed_lines());
        assert!(texts.map(|(_, text)| text.len()).max().unwrap_or(0) <= LINE_BYTES_MAX * REPLACEMENT_BYTES);
    }
});
