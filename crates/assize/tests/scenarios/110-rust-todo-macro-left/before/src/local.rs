use std::path::PathBuf;
use std::{fs, io};

use crate::Blob;

pub struct Local {
    pub root: PathBuf,
}

impl Blob for Local {
    fn get(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.root.join(key)) {
            Ok(data) => Ok(Some(data)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn put(&self, key: &str, data: &[u8]) -> io::Result<()> {
        fs::write(self.root.join(key), data)
    }

    fn delete(&self, key: &str) -> io::Result<bool> {
        match fs::remove_file(self.root.join(key)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
