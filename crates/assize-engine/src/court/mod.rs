//! Courts at work: carries out what they ask for, and reports back.

pub mod eval;
pub mod generation;
pub mod review;
pub mod stop;
pub mod tournament;

use assize_core::prompt::Nonce;

/// Makes a nonce that the judged party cannot know.
pub fn fresh_nonce() -> Nonce {
    Nonce::new(fresh_bytes())
}

/// Makes a word that the judged party cannot know, of small letters alone.
pub fn fresh_word() -> String {
    fresh_bytes().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(b'a' + half)).collect()
}

/// Without a source of randomness the process's own addresses and clock have to do: a fence is then
/// weaker, but the court still sits.
fn fresh_bytes() -> [u8; 16] {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        let state =
            std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), std::process::id());
        bytes[..8].copy_from_slice(&state.to_le_bytes());
    }
    bytes
}
