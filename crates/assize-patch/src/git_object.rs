//! The ids that git gives to the contents of files.

/// Returns the id of the object that git makes of contents, in a repository with SHA-1.
pub fn git_object(contents: &[u8]) -> String {
    let mut digest = sha1_smol::Sha1::new();
    digest.update(format!("blob {}\0", contents.len()).as_bytes());
    digest.update(contents);
    digest.digest().to_string()
}
