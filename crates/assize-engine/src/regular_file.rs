//! Opens regular files, and refuses anything else at their path.
//!
//! The author of a tree chose its contents: a link can lead anywhere, a pipe can block its reader, and a device may
//! never end. This module must not know whose files these are.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file without blocking and without following a link at its path.
///
/// # Errors
///
/// Fails if it is not a regular file, and with the error of the system.
pub fn open(path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(refused());
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // The path may have been replaced since it was checked.
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// Reads a regular file up to a limit, plus one byte if it is longer.
///
/// # Errors
///
/// Fails as [`open`] does.
pub fn read(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_its_limit_and_one_byte_beyond() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        for (bytes, length) in [(0, 0), (10, 10), (11, 11), (12, 11)] {
            std::fs::write(&file, vec![b'x'; bytes]).expect("written");
            assert_eq!(read(&file, 10).expect("read").len(), length);
        }
    }
}
