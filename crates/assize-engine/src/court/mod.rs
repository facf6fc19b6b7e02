//! Courts at work: carries out what they ask for, and reports back.

pub mod eval;
pub mod generation;
pub mod review;
pub mod stop;
pub mod tournament;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use assize_core::prompt::Nonce;

/// Makes a nonce that the judged party cannot know.
pub fn fresh_nonce() -> Nonce {
    Nonce::new(fresh_bytes())
}

/// Makes a word that the judged party cannot know, of small letters alone.
pub fn fresh_word() -> String {
    fresh_bytes().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(b'a' + half)).collect()
}

/// Each is as good as the key of this process, which nobody else knows: a run needs one for each of a million records.
fn fresh_bytes() -> [u8; 16] {
    static KEY: LazyLock<[u8; 32]> = LazyLock::new(key);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::keyed_hash(&KEY, &count.to_le_bytes()).as_bytes()[..16]);
    bytes
}

/// Without a source of randomness the process's own addresses and clock have to do: a fence is then
/// weaker, but the court still sits.
fn key() -> [u8; 32] {
    let mut key = [0; 32];
    if getrandom::fill(&mut key).is_err() {
        let state =
            std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), std::process::id());
        key[..8].copy_from_slice(&state.to_le_bytes());
    }
    key
}
