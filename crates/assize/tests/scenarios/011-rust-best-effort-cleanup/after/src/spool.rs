use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file so that readers see all of it or nothing.
pub fn write_whole(path: &Path, chunks: &[&[u8]]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let written = write_chunks(&temporary, chunks).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the caller must see why the write failed, not why the cleanup did.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_chunks(path: &Path, chunks: &[&[u8]]) -> io::Result<()> {
    let mut file = File::create(path)?;
    for chunk in chunks {
        file.write_all(chunk)?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_appears_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_whole(&path, &[b"one", b"two"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"onetwo");
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(write_whole(&path, &[b"x"]).is_err());
        assert!(!path.with_extension("tmp").exists());
    }
}
