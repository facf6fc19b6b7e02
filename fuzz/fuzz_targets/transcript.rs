//! Any bytes as a transcript of every agent: no format falls over it, and memory stays bounded.
#![no_main]

use assize_stop::transcript::{COMMANDS_MAX, EDITS_MAX, FactsBuilder, MESSAGE_BYTES_MAX, TODOS_MAX, TranscriptFacts, TranscriptKind};
use libfuzzer_sys::fuzz_target;

const KINDS: [TranscriptKind; 5] = [
    TranscriptKind::ClaudeCode,
    TranscriptKind::Codex,
    TranscriptKind::Gemini,
    TranscriptKind::Copilot,
    TranscriptKind::Cursor,
];

fuzz_target!(|bytes: &[u8]| {
    for kind in KINDS {
        let mut builder = FactsBuilder::default();
        kind.format().document(bytes, &mut builder);
        check(&builder.finish());
        let mut builder = FactsBuilder::default();
        let mut format = kind.format();
        bytes.split(|byte| *byte == b'\n').for_each(|line| format.line(line, &mut builder));
        check(&builder.finish());
    }
});

fn check(facts: &TranscriptFacts) {
    assert!(facts.commands.len() <= COMMANDS_MAX);
    assert!(facts.edits.len() <= EDITS_MAX);
    assert!(facts.todos.len() <= TODOS_MAX);
    assert!(facts.last_message.as_ref().is_none_or(|message| message.len() <= MESSAGE_BYTES_MAX));
    assert!(facts.test_runs().count() <= facts.commands.len());
    serde_json::to_string(facts).expect("facts serialize");
}
