//! Nonces and words that the judged party cannot know.
//!
//! They are drawn from a key that only this process has. This module must not know what they are used for.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use assize_core::prompt::Nonce;

/// Returns a nonce that the judged party cannot know.
pub fn fresh_nonce() -> Nonce {
    Nonce::new(fresh_bytes())
}

/// Returns a word of 32 lower-case letters that the judged party cannot know.
pub fn fresh_word() -> String {
    fresh_bytes().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(b'a' + half)).collect()
}

/// Hashes a counter with the key of this process. That is fast enough for a nonce for each of a million records.
fn fresh_bytes() -> [u8; 16] {
    static KEY: LazyLock<[u8; 32]> = LazyLock::new(key);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::keyed_hash(&KEY, &count.to_le_bytes()).as_bytes()[..16]);
    bytes
}

/// Without a source of randomness, the key comes from the standard library's hash seed and the process id. A fence is
/// weaker then, but the court can still work.
fn key() -> [u8; 32] {
    let mut key = [0; 32];
    if getrandom::fill(&mut key).is_err() {
        let state =
            std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), std::process::id());
        key[..8].copy_from_slice(&state.to_le_bytes());
    }
    key
}
