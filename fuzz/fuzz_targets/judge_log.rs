//! Logs of other programs that judge: nothing panics, whatever they hold, and what is read has a verdict or a cause.
#![no_main]

use std::sync::LazyLock;

use assize_eval::rubric::Rubric;
use assize_eval::judge_evaluation::import;
use libfuzzer_sys::fuzz_target;

static RUBRIC: LazyLock<Rubric> = LazyLock::new(|| {
    let mode = |id: &str| format!("[[mode]]\nid = \"{id}\"\nasks = \"Is it?\"\nfails_if = [\"It is not.\"]\n");
    let text = format!("rubric = 1\nid = \"r\"\nsubject = \"a\"\n{}{}", mode("too_long"), mode("vague"));
    Rubric::read(&text).expect("a sound rubric").0
});

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(document) = serde_json::from_str::<serde_json::Value>(&import::without_nan(text)) else { return };
    if let Some(Ok(handed)) = import::read(&document, &RUBRIC) {
        for handed in handed {
            assert!(!handed.opinions.is_empty() && !handed.record.id.is_empty());
        }
    }
});
