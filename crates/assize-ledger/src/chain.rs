//! The shape of the ledger: a chain of events in which nothing can be changed unnoticed.
//!
//! Each entry carries the hash of the one before, over everything that is stored of it. This
//! module computes and checks; where entries are kept is the engine's business.

use serde::{Deserialize, Serialize};

/// A BLAKE3 hash.
pub type ChainHash = [u8; 32];

/// What an entry says of its event besides the payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// Position in the chain, from 1.
    pub seq: u64,
    /// When the event was recorded, in milliseconds since 1970.
    pub at_ms: i64,
    /// The court, or `-` for events outside any.
    pub court: String,
    /// The session, or `-`.
    pub session: String,
    /// The kind of the event.
    pub kind: String,
    /// The outcome, for a ruling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// Computes the hash of an entry from the hash before it, its header and its payload. Every part
/// is preceded by its length, so that no two entries share their bytes.
pub fn entry_hash(previous: &ChainHash, header: &Header, payload: &[u8]) -> ChainHash {
    let mut hasher = blake3::Hasher::new_derive_key("assize 2026 ledger entry v1");
    hasher.update(previous);
    hasher.update(&header.seq.to_le_bytes());
    hasher.update(&header.at_ms.to_le_bytes());
    let outcome = header.outcome.as_deref().unwrap_or_default();
    for part in [&header.court, &header.session, &header.kind, outcome] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(&[u8::from(header.outcome.is_some())]);
    hasher.update(&(payload.len() as u64).to_le_bytes());
    hasher.update(payload);
    *hasher.finalize().as_bytes()
}

/// The hash that the first entry carries as the one before it.
pub const GENESIS: ChainHash = [0; 32];

/// How an entry breaks the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// An entry is missing or out of order.
    #[error("entry {found} stands where entry {expected} belongs")]
    OutOfOrder {
        /// The position that comes next.
        expected: u64,
        /// The position that was found.
        found: u64,
    },
    /// The entry does not carry the hash of the one before it.
    #[error("entry {0} does not follow from the one before it")]
    Unlinked(u64),
    /// The entry's contents do not have its hash.
    #[error("entry {0} was changed after it was written")]
    Altered(u64),
}

/// Walks along a chain and finds the first damaged entry.
#[derive(Debug, Clone)]
pub struct Verifier {
    next: u64,
    previous: ChainHash,
}

impl Default for Verifier {
    fn default() -> Self {
        Self { next: 1, previous: GENESIS }
    }
}

impl Verifier {
    /// Checks the next entry.
    ///
    /// # Errors
    ///
    /// Names the damage; the walk must not go on after it.
    pub fn step(&mut self, header: &Header, payload: &[u8], previous: &[u8], hash: &[u8]) -> Result<(), Damage> {
        if header.seq != self.next {
            return Err(Damage::OutOfOrder { expected: self.next, found: header.seq });
        }
        if previous != self.previous {
            return Err(Damage::Unlinked(header.seq));
        }
        let computed = entry_hash(&self.previous, header, payload);
        if hash != computed {
            return Err(Damage::Altered(header.seq));
        }
        self.previous = computed;
        self.next += 1;
        Ok(())
    }

    /// Returns how many entries were found sound.
    pub fn count(&self) -> u64 {
        self.next - 1
    }

    /// Returns the hash of the last sound entry.
    pub fn head(&self) -> ChainHash {
        self.previous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(seq: u64) -> Header {
        Header { seq, at_ms: 5, court: "stop".into(), session: "s".into(), kind: "k".into(), outcome: None }
    }

    #[test]
    fn a_chain_verifies_and_each_damage_is_named() {
        let first = entry_hash(&GENESIS, &header(1), b"a");
        let second = entry_hash(&first, &header(2), b"b");
        let mut walk = Verifier::default();
        assert_eq!(walk.step(&header(1), b"a", &GENESIS, &first), Ok(()));
        assert_eq!(
            walk.clone().step(&header(3), b"b", &first, &second),
            Err(Damage::OutOfOrder { expected: 2, found: 3 })
        );
        assert_eq!(walk.clone().step(&header(2), b"b", &GENESIS, &second), Err(Damage::Unlinked(2)));
        assert_eq!(walk.clone().step(&header(2), b"x", &first, &second), Err(Damage::Altered(2)));
        assert_eq!(walk.step(&header(2), b"b", &first, &second), Ok(()));
        assert_eq!((walk.count(), walk.head()), (2, second));
    }

    #[test]
    fn every_part_of_a_header_counts() {
        let base = entry_hash(&GENESIS, &header(1), b"a");
        let changes: [fn(&mut Header); 6] = [
            |h| h.seq = 2,
            |h| h.at_ms = 6,
            |h| h.court = "eval".into(),
            |h| h.session = "t".into(),
            |h| h.kind = "l".into(),
            |h| h.outcome = Some(String::new()),
        ];
        for change in changes {
            let mut changed = header(1);
            change(&mut changed);
            assert_ne!(entry_hash(&GENESIS, &changed, b"a"), base, "{changed:?}");
        }
        let mut moved = header(1);
        (moved.court, moved.session) = ("stops".into(), String::new());
        assert_ne!(entry_hash(&GENESIS, &moved, b"a"), base);
    }
}
