//! Regular files, and nothing else that lies in the place of one.
//!
//! Whoever made a tree chose what lies in it: a link leads anywhere, a pipe keeps whoever opens it waiting, a device
//! never ends. It must not know whose files these are.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file without waiting for anybody and without following a link in its place.
///
/// # Errors
///
/// Fails when it is none, and with what the system says.
pub fn open(path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(refused());
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // Something else may have taken its place meanwhile.
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// Reads a regular file up to a limit, and one byte beyond it where there is more.
///
/// # Errors
///
/// As [`open`].
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
