use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file so that readers see all of it or nothing.
pub fn write_whole(path: &Path, chunks: &[&[u8]]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    for chunk in chunks {
        file.write_all(chunk)?;
    }
    file.sync_all()?;
    fs::rename(&temporary, path)
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
}
