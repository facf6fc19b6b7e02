//! Where notes are kept.

use std::path::PathBuf;

#[derive(Debug)]
pub enum StoreError {
    Io(std::io::Error),
    Corrupt(String),
}

pub trait Store {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError>;
    fn remove(&mut self, key: &str) -> Result<bool, StoreError>;
}

/// Keeps everything in memory.
#[derive(Default)]
pub struct MemoryStore {
    // your fields here
}

impl Store for MemoryStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        todo!()
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        todo!()
    }

    fn remove(&mut self, key: &str) -> Result<bool, StoreError> {
        todo!()
    }
}

/// Keeps one file per key below a folder.
pub struct FileStore {
    pub root: PathBuf,
}

impl Store for FileStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        todo!()
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        todo!()
    }

    fn remove(&mut self, key: &str) -> Result<bool, StoreError> {
        todo!()
    }
}
