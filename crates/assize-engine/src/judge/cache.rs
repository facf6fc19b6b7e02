//! The cache of replies.
//!
//! Each reply is one file, named by a hash of everything that shapes it. An entry that is damaged or belongs to
//! another key counts as absent and is replaced. This module must not know what makes a reply good: callers store only
//! readable replies, and parse them again when they are read.

use std::io;
use std::path::Path;

use assize_core::prompt::Question;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::folder::{Durable, PrivateFolder};
use super::{Judge, JudgeAnswer};

/// The most bytes of an entry that are read.
pub const ENTRY_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The cache of replies.
#[derive(Debug)]
pub struct Cache {
    folder: PrivateFolder,
}

/// An entry on disk.
#[derive(Serialize, Deserialize)]
struct CachedReply {
    assize: u32,
    key: String,
    /// The hash of the key and the answer, as written.
    check: String,
    answer: Box<RawValue>,
}

impl Cache {
    /// Opens the cache below a folder.
    ///
    /// # Errors
    ///
    /// Fails if there is no folder that only the current user can write to.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: PrivateFolder::open(folder.join("replies"))? })
    }

    /// Returns the key of a judge's reply to a question. The id is part of it, because two judges with the same
    /// configuration give two opinions.
    pub fn key(judge: &dyn Judge, question: &Question) -> String {
        hash(&[&judge.identity(), judge.id(), &question.prompt_hash, question.schema_name])
    }

    /// Looks up an answer. Its cost was paid the first time.
    pub fn get(&self, key: &str) -> Option<JudgeAnswer> {
        let bytes = self.folder.read(&file_name(key), ENTRY_BYTES_MAX).ok()??;
        let entry: CachedReply = serde_json::from_slice(&bytes).ok()?;
        if entry.assize != 1 || entry.key != key || entry.check != hash(&[key, entry.answer.get()]) {
            return None;
        }
        let answer: JudgeAnswer = serde_json::from_str(entry.answer.get()).ok()?;
        Some(JudgeAnswer { tokens_in: 0, tokens_out: 0, cost_usd: Some(0.0), ..answer })
    }

    /// Stores an answer, unless it is too large to be read again.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn put(&self, key: &str, answer: &JudgeAnswer) -> io::Result<()> {
        let answer = serde_json::value::to_raw_value(answer)?;
        let check = hash(&[key, answer.get()]);
        let bytes = serde_json::to_vec(&CachedReply { assize: 1, key: key.to_owned(), check, answer })?;
        if bytes.len() > ENTRY_BYTES_MAX {
            return Ok(());
        }
        self.folder.write(&file_name(key), &bytes, Durable::No)
    }
}

fn file_name(key: &str) -> String {
    format!("{key}.json")
}

/// Hashes parts so that different lists of parts never have the same input.
pub(super) fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::judge::testing::{self, GOOD, answer, question};

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::open(folder.path()).expect("a new cache");
        (folder, cache)
    }

    #[test]
    fn cached_replies_cost_nothing() {
        let (_folder, cache) = cache();
        assert_eq!(cache.get("k"), None);
        cache.put("k", &answer(GOOD)).expect("kept");
        let cached = cache.get("k").expect("an entry");
        assert_eq!((cached.reply, cached.model), (answer(GOOD).reply, answer(GOOD).model));
        assert_eq!((cached.tokens_in, cached.tokens_out, cached.cost_usd), (0, 0, Some(0.0)));
        assert_eq!(cache.get("other"), None);
    }

    #[test]
    fn every_damage_makes_an_entry_absent() {
        let (_folder, cache) = cache();
        cache.put("k", &answer(GOOD)).expect("kept");
        let path = cache.folder.file("k.json");
        let whole = fs::read(&path).expect("readable");
        for index in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[index] ^= 0x01;
            fs::write(&path, &bytes).expect("written");
            assert_eq!(cache.get("k"), None, "byte {index}: {}", String::from_utf8_lossy(&bytes));
            fs::write(&path, &whole[..index]).expect("written");
            assert_eq!(cache.get("k"), None, "cut at {index}");
        }
        fs::write(&path, &whole).expect("written");
        fs::copy(&path, cache.folder.file("other.json")).expect("copied");
        assert_eq!(cache.get("other"), None);
        fs::write(&path, b"{").expect("written");
        cache.put("k", &answer(GOOD)).expect("replaced");
        assert!(cache.get("k").is_some());
    }

    #[test]
    fn entries_are_stored_up_to_a_limit() {
        let (_folder, cache) = cache();
        cache.put("k", &answer("")).expect("kept");
        let wrapping = fs::metadata(cache.folder.file("k.json")).expect("kept").len() as usize;
        let reply = |bytes: usize| answer(&"x".repeat(bytes));
        cache.put("at", &reply(ENTRY_BYTES_MAX - wrapping - 1)).expect("kept");
        assert!(cache.get("at").is_some());
        cache.put("past", &reply(ENTRY_BYTES_MAX - wrapping + 1)).expect("skipped");
        assert_eq!(cache.get("past"), None);
        assert!(!cache.folder.file("past.json").exists());
    }

    #[test]
    fn everything_that_shapes_a_reply_is_in_the_key() {
        let base = json!({"id": "a", "kind": "openai", "model": "m", "temperature": 0.0});
        let with = |changes: serde_json::Value| {
            Cache::key(&*testing::judge(&testing::with(base.clone(), changes)), &question())
        };
        let mut keys = BTreeSet::new();
        for changes in [
            json!({}),
            json!({"id": "b"}),
            json!({"temperature": 0.5}),
            json!({"model": "m2"}),
            json!({"base_url": "http://localhost:8080/v1"}),
            json!({"max_tokens": 10}),
            json!({"response_format": "none"}),
            json!({"kind": "anthropic"}),
        ] {
            assert!(keys.insert(with(changes.clone())), "{changes}");
        }
        // Settings that do not shape a reply must not change the key.
        assert!(!keys.insert(with(json!({"api_key_env": "TEST_KEY", "price_in_usd_per_mtok": 1.0}))));
        let key = |change: fn(&mut Question)| {
            let mut question = question();
            change(&mut question);
            Cache::key(&*testing::judge(&base), &question)
        };
        assert!(keys.insert(key(|question| question.prompt_hash.push('0'))));
        assert!(keys.insert(key(|question| question.schema_name = "other")));
        // Two prompts with the same hash can differ only in their nonce.
        assert!(!keys.insert(key(|question| question.prompt.push('0'))));
    }
}
