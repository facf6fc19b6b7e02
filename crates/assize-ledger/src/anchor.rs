//! The anchor of a ledger: how many entries it has and the hash of the last one, kept apart from it and sealed.
//!
//! The chain shows that an entry was changed or removed from the middle. It does not show that the last entries are gone,
//! or all of them; that takes a copy of its head in another place. The seal is a keyed BLAKE3 hash. It shows that the
//! anchor was written by someone who can read the key; only the place of the key keeps others from it.

use serde::{Deserialize, Serialize};

use crate::chain::{ChainHash, GENESIS};
use crate::document::hexadecimal;

/// The key of the seal.
pub type SealKey = [u8; 32];

/// The version of the written form.
const VERSION: u32 = 1;

/// How far a ledger has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// How many entries it has.
    pub entries: u64,
    /// The hash of the last one, or [`GENESIS`].
    pub head: ChainHash,
}

impl Default for Anchor {
    fn default() -> Self {
        Self { entries: 0, head: GENESIS }
    }
}

/// An anchor as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SealedAnchor {
    assize: u32,
    /// The path of the ledger.
    ledger: String,
    entries: u64,
    head: String,
    seal: String,
}

/// Why an anchor cannot be relied on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnchorDamage {
    /// It is not what Assize writes.
    #[error("it is no anchor: {0}")]
    Malformed(String),
    /// It belongs to another ledger.
    #[error("it is the anchor of {0}")]
    OtherLedger(String),
    /// The seal does not fit the key: one of the two was changed.
    #[error("it was changed, or its key was")]
    NotSealed,
}

/// How a ledger contradicts its anchor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnchorBreach {
    /// Entries are gone from its end.
    #[error("the ledger has {found} entries, and had {anchored}")]
    Shrunken {
        /// How many there were.
        anchored: u64,
        /// How many there are.
        found: u64,
    },
    /// It is another chain.
    #[error("entry {0} of the ledger is not the one that was there")]
    Replaced(u64),
    /// There are entries, and no anchor.
    #[error("the ledger has {found} entries, and its anchor is gone")]
    Unanchored {
        /// How many entries there are.
        found: u64,
    },
}

impl Anchor {
    /// Writes the anchor of a ledger, sealed with a key.
    pub fn sealed(&self, ledger: &str, key: &SealKey) -> String {
        let sealed = SealedAnchor {
            assize: VERSION,
            ledger: ledger.to_owned(),
            entries: self.entries,
            head: hexadecimal(&self.head),
            seal: self.seal(ledger, key).to_hex().to_string(),
        };
        serde_json::to_string(&sealed).unwrap_or_default() + "\n"
    }

    /// Reads the anchor of a ledger.
    ///
    /// # Errors
    ///
    /// See [`AnchorDamage`].
    pub fn parse(text: &str, ledger: &str, key: &SealKey) -> Result<Self, AnchorDamage> {
        let malformed = |detail: &dyn std::fmt::Display| AnchorDamage::Malformed(detail.to_string());
        let read: SealedAnchor = serde_json::from_str(text).map_err(|error| malformed(&error))?;
        if read.assize != VERSION {
            return Err(malformed(&format!("version {}", read.assize)));
        }
        let head = blake3::Hash::from_hex(&read.head).map_err(|error| malformed(&error))?;
        let seal = blake3::Hash::from_hex(&read.seal).map_err(|error| malformed(&error))?;
        let anchor = Self { entries: read.entries, head: *head.as_bytes() };
        // The comparison of two hashes takes the same time wherever they differ.
        if anchor.seal(&read.ledger, key) != seal {
            return Err(AnchorDamage::NotSealed);
        }
        if read.ledger != ledger {
            return Err(AnchorDamage::OtherLedger(read.ledger));
        }
        Ok(anchor)
    }

    fn seal(&self, ledger: &str, key: &SealKey) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(b"assize 2026 ledger anchor v1");
        hasher.update(&(ledger.len() as u64).to_le_bytes()).update(ledger.as_bytes());
        hasher.update(&self.entries.to_le_bytes()).update(&self.head);
        hasher.finalize()
    }

    /// Compares a ledger with its anchor. `entries` is how many it has, and `at_anchor` the hash of the entry that the
    /// anchor names. More entries than the anchor knows of are no breach: the last one may just have been written.
    ///
    /// # Errors
    ///
    /// See [`AnchorBreach`].
    pub fn compare(anchor: Option<&Self>, entries: u64, at_anchor: Option<ChainHash>) -> Result<(), AnchorBreach> {
        match anchor {
            None if entries == 0 => Ok(()),
            None => Err(AnchorBreach::Unanchored { found: entries }),
            Some(Self { entries: anchored, .. }) if entries < *anchored => {
                Err(AnchorBreach::Shrunken { anchored: *anchored, found: entries })
            }
            Some(Self { entries: 0, .. }) => Ok(()),
            Some(Self { entries: anchored, head }) if at_anchor != Some(*head) => {
                Err(AnchorBreach::Replaced(*anchored))
            }
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: SealKey = [7; 32];

    fn anchor(entries: u64) -> Anchor {
        Anchor { entries, head: [3; 32] }
    }

    #[test]
    fn what_is_sealed_is_read_and_each_change_is_seen() {
        let text = anchor(12).sealed("/a/ledger.db", &KEY);
        assert_eq!(Anchor::parse(&text, "/a/ledger.db", &KEY), Ok(anchor(12)));
        assert_eq!(Anchor::parse(&text, "/a/ledger.db", &[8; 32]), Err(AnchorDamage::NotSealed));
        let other = AnchorDamage::OtherLedger("/a/ledger.db".to_owned());
        assert_eq!(Anchor::parse(&text, "/b/ledger.db", &KEY), Err(other));
        assert_eq!(Anchor::parse(&text.replace("/a/", "/b/"), "/b/ledger.db", &KEY), Err(AnchorDamage::NotSealed));
        assert_eq!(Anchor::parse(&text.replace("12", "11"), "/a/ledger.db", &KEY), Err(AnchorDamage::NotSealed));
        assert_eq!(Anchor::parse(&text.replace("0303", "0304"), "/a/ledger.db", &KEY), Err(AnchorDamage::NotSealed));
        for malformed in
            ["", "{}", "[]", &text[1..], &text.replace("\"assize\":1", "\"assize\":2"), &text.replace("0303", "zz")]
        {
            let read = Anchor::parse(malformed, "/a/ledger.db", &KEY);
            assert!(matches!(read, Err(AnchorDamage::Malformed(_))), "{malformed}: {read:?}");
        }
    }

    #[test]
    fn a_ledger_may_be_ahead_of_its_anchor_and_never_behind() {
        let compare = |anchor: Option<Anchor>, entries| {
            let at_anchor = anchor.and_then(|anchor| (anchor.entries == 12).then_some([3; 32]));
            Anchor::compare(anchor.as_ref(), entries, at_anchor)
        };
        assert_eq!(compare(Some(anchor(12)), 12), Ok(()));
        assert_eq!(compare(Some(anchor(12)), 13), Ok(()));
        assert_eq!(compare(Some(anchor(12)), 11), Err(AnchorBreach::Shrunken { anchored: 12, found: 11 }));
        assert_eq!(compare(Some(anchor(11)), 12), Err(AnchorBreach::Replaced(11)));
        assert_eq!(compare(Some(Anchor::default()), 12), Ok(()));
        assert_eq!(compare(None, 0), Ok(()));
        assert_eq!(compare(None, 1), Err(AnchorBreach::Unanchored { found: 1 }));
    }
}
