//! Any text as a prompt: what is kept is bounded, and what it names stands in it.
#![no_main]

use assize_stop::directive::{DIRECTIVE_BYTES_MAX, Directive, DirectiveKind, REFERENTS_MAX, at_files, overrules, referents, slash_command, user_words};
use libfuzzer_sys::fuzz_target;

/// Room for the statement that a directive was cut.
const CUT_NOTE_BYTES_MAX: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let prompt = String::from_utf8_lossy(bytes);
    let words = user_words(&prompt);
    assert!(words.is_some() || !overrules(&prompt));
    assert!(at_files(&prompt).iter().all(|file| prompt.contains(file)));
    if let Some((name, arguments)) = slash_command(&prompt) {
        assert!(!name.is_empty() && prompt.contains(arguments));
    }
    for ordinal in [1, 2] {
        let Some(directive) = Directive::from_prompt(&prompt, ordinal, Vec::new()) else {
            // Who only lets the state pass asks for nothing.
            assert!(words.is_none() || overrules(&prompt));
            continue;
        };
        assert!(directive.text.len() <= DIRECTIVE_BYTES_MAX + CUT_NOTE_BYTES_MAX);
        assert_eq!(directive.kind == DirectiveKind::Initial, ordinal == 1);
        let named = referents(std::slice::from_ref(&directive));
        assert!(named.len() <= REFERENTS_MAX);
        assert!(named.iter().all(|referent| directive.text.inspect().contains(&referent.name)));
    }
});
