pub mod local;
pub mod s3;

/// A place for blobs.
pub trait Blob {
    fn get(&self, key: &str) -> std::io::Result<Option<Vec<u8>>>;
    fn put(&self, key: &str, data: &[u8]) -> std::io::Result<()>;
    fn delete(&self, key: &str) -> std::io::Result<bool>;
}
