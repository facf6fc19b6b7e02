//! Binary files as `git diff --binary` writes them.
//!
//! Each file has two blocks: how the new content is made, and how the old one is. The second proves that a file is the one that is
//! meant. A block is a whole content or the steps from the other one, compressed, in base 85. What is unpacked has a limit: a
//! short text can stand for a very long one.

use std::ops::Range;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::trust::is_blob;
use crate::plan::FILE_BYTES_MAX;

/// Digits of a hash in full.
const HASH_DIGITS: usize = 40;
/// The digits of base 85 as git has them.
const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// How one content of a file becomes another, and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryChange {
    forward: BinaryBlock,
    backward: BinaryBlock,
    /// How git calls the old content and the new one, where the header says it in full.
    hashes: Option<(String, String)>,
}

/// How a content is made.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BinaryBlock {
    /// It is this.
    Whole(Vec<u8>),
    /// By these steps out of another.
    Steps(Vec<u8>),
}

impl BinaryChange {
    /// Reads the blocks of a file, from `GIT binary patch` on.
    ///
    /// # Errors
    ///
    /// Says what is wrong with them.
    pub(super) fn read(text: &[u8], hashes: Option<&[u8]>) -> Result<Self, String> {
        let mut lines = text.split(|byte| *byte == b'\n').skip(1);
        let forward = BinaryBlock::read(&mut lines)?;
        let backward = BinaryBlock::read(&mut lines)?;
        let hashes = hashes.map(String::from_utf8_lossy);
        let hashes = hashes.as_deref().and_then(|hashes| hashes.split_whitespace().next()?.split_once(".."));
        let hashes = hashes.filter(|(old, new)| old.len() == HASH_DIGITS && new.len() == HASH_DIGITS);
        let hashes = hashes.map(|(old, new)| (old.to_owned(), new.to_owned()));
        Ok(Self { forward, backward, hashes })
    }

    /// Returns the new content; nothing where the old one is not what is meant.
    pub fn apply(&self, old: &[u8]) -> Option<Vec<u8>> {
        let is_it = self.hashes.as_ref().is_none_or(|(hash, _)| is_named(old, hash));
        let new = self.forward.made_of(old).filter(|_| is_it)?;
        (self.backward.made_of(&new)? == old).then_some(new)
    }

    /// Returns the old content; nothing where the new one is not what is meant.
    pub fn revert(&self, new: &[u8]) -> Option<Vec<u8>> {
        let is_it = self.hashes.as_ref().is_none_or(|(_, hash)| is_named(new, hash));
        let old = self.backward.made_of(new).filter(|_| is_it)?;
        (self.forward.made_of(&old)? == new).then_some(old)
    }
}

/// Whether git calls a content so. Nothing is called by zeros.
fn is_named(bytes: &[u8], hash: &str) -> bool {
    if hash.bytes().all(|digit| digit == b'0') { bytes.is_empty() } else { is_blob(bytes, hash) }
}

impl BinaryBlock {
    fn read<'t>(lines: &mut impl Iterator<Item = &'t [u8]>) -> Result<Self, String> {
        let cut = || "its binary patch is cut".to_owned();
        let head = lines.by_ref().find(|line| !line.is_empty()).ok_or_else(cut)?;
        let head = String::from_utf8_lossy(head);
        let (kind, size) = head.split_once(' ').ok_or_else(cut)?;
        let size: usize = size.parse().map_err(|_| format!("{size:?} is no number of bytes"))?;
        if size > FILE_BYTES_MAX {
            return Err(format!("a block of it has {size} bytes, where {FILE_BYTES_MAX} is the most"));
        }
        let mut packed = Vec::new();
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            packed.extend(decoded_line(line).ok_or("a line of its binary patch is damaged")?);
        }
        let unpacked = decompress_to_vec_zlib_with_limit(&packed, size).map_err(|_| "its binary patch is damaged")?;
        match kind {
            _ if unpacked.len() != size => Err(cut()),
            "literal" => Ok(Self::Whole(unpacked)),
            "delta" => Ok(Self::Steps(unpacked)),
            _ => Err(format!("{kind:?} is no block of a binary patch")),
        }
    }

    fn made_of(&self, other: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Whole(bytes) => Some(bytes.clone()),
            Self::Steps(steps) => carried_out(steps, other),
        }
    }
}

/// Decodes a line: a letter for its length, and five digits for every four bytes.
fn decoded_line(line: &[u8]) -> Option<Vec<u8>> {
    let (length, digits) = line.split_first()?;
    let length = match length {
        b'A'..=b'Z' => length - b'A' + 1,
        b'a'..=b'z' => length - b'a' + 27,
        _ => return None,
    };
    let mut bytes = Vec::with_capacity(digits.len());
    for group in digits.chunks(5) {
        let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte).and_then(|at| u32::try_from(at).ok());
        let number = (group.len() == 5).then_some(()).and_then(|()| {
            group.iter().try_fold(0_u32, |number, byte| number.checked_mul(85)?.checked_add(digit(byte)?))
        })?;
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    let length = usize::from(length);
    (length.div_ceil(4) * 4 == bytes.len()).then(|| bytes[..length].to_vec())
}

/// Carries out steps: to copy a part of the other content, or to put bytes in.
fn carried_out(steps: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let mut steps = DeltaSteps { steps };
    let (from, to) = (steps.size()?, steps.size()?);
    if from != other.len() || to > FILE_BYTES_MAX {
        return None;
    }
    let mut made = Vec::new();
    while let Some(step) = steps.byte() {
        let part = match step {
            0 => return None,
            1..=0x7F => steps.take(usize::from(step))?,
            _ => other.get(steps.copied(step)?)?,
        };
        made.extend_from_slice(part);
        if made.len() > to {
            return None;
        }
    }
    (made.len() == to).then_some(made)
}

struct DeltaSteps<'s> {
    steps: &'s [u8],
}

impl<'s> DeltaSteps<'s> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.steps.split_first()?;
        self.steps = rest;
        Some(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'s [u8]> {
        let (taken, rest) = self.steps.split_at_checked(count)?;
        self.steps = rest;
        Some(taken)
    }

    /// Reads a number of seven bits a byte, the lowest first.
    fn size(&mut self) -> Option<usize> {
        let mut size = 0_usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            size |= usize::from(byte & 0x7F).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(size);
            }
        }
        None
    }

    /// Reads which part is copied: the bits of a step say which bytes of its place and its length follow.
    fn copied(&mut self, step: u8) -> Option<Range<usize>> {
        let mut number = |bits: Range<u32>| -> Option<usize> {
            let mut number = 0_usize;
            for (place, bit) in bits.enumerate() {
                if step & (1 << bit) != 0 {
                    number |= usize::from(self.byte()?) << (8 * place);
                }
            }
            Some(number)
        };
        let start = number(0..4)?;
        let length = number(4..7)?;
        let length = if length == 0 { 0x1_0000 } else { length };
        Some(start..start.checked_add(length)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `git diff --binary` prints of `\0\1` that becomes nothing.
    const REMOVED: &[u8] = b"GIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 2\nJcmZQz1ONa700IC2\n\n";

    #[test]
    fn blocks_are_read_up_to_their_size() {
        let change = BinaryChange::read(REMOVED, None);
        let change = change.expect("a change");
        assert_eq!(change.apply(b"\0\x01"), Some(Vec::new()));
        assert_eq!(change.apply(b"\0\x02"), None, "another file is meant");
        assert_eq!(change.revert(b""), Some(b"\0\x01".to_vec()));
    }

    #[test]
    fn what_is_damaged_or_too_large_is_refused() {
        let text = String::from_utf8(REMOVED.to_vec()).expect("text");
        for (from, to) in [
            ("literal 2", "literal 3"),
            ("literal 2", "literal 1"),
            ("literal 2", "literal 99999999999"),
            ("literal 2", "whole 2"),
            ("literal 2\nJcmZQz1ONa700IC2\n\n", ""),
            ("JcmZ", "Jcm{"),
            ("JcmZ", "Kcm"),
        ] {
            assert!(BinaryChange::read(text.replace(from, to).as_bytes(), None).is_err(), "{to}");
        }
    }

    #[test]
    fn steps_are_carried_out_within_both_contents() {
        let other = b"0123456789";
        for (steps, expected) in [
            (&b"\x0A\x05\x91\x02\x03\x02ab"[..], Some(&b"234ab"[..])),
            (b"\x0A\x04\x91\x02\x03\x02ab", None),
            (b"\x09\x05\x91\x02\x03\x02ab", None),
            (b"\x0A\x05\x91\x09\x03\x02ab", None),
            (b"\x0A\x05\x91\x02\x03\x03ab", None),
            (b"\x0A\x00\x00", None),
            (b"\x0A\x00", Some(b"")),
            (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", None),
            (b"", None),
        ] {
            assert_eq!(carried_out(steps, other).as_deref(), expected, "{steps:?}");
        }
    }
}
