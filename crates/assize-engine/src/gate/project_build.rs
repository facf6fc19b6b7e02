//! Build output of a project that is kept where it is made, from one verification to the next.
//!
//! Unlike [`BaseBuild`](super::BaseBuild), it also holds what the judged work has built. So no review begins with it: it only
//! makes the next check of the same work faster.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::base_build::{BUILD_BYTES_MAX, bytes_of};
use crate::private_file;
use crate::work_copy::{CopyError, WorkCopy};

/// The build output of one project.
#[derive(Debug)]
pub struct ProjectBuild {
    folder: PathBuf,
    /// Held as long as the output is used.
    _lock: File,
}

/// What the output was built from.
#[derive(Debug, Default, Serialize, Deserialize)]
struct BuiltSources {
    /// When the last build began, in milliseconds since 1970.
    begun_ms: u64,
    /// Hashes of the files, in hexadecimal digits.
    contents: BTreeMap<String, String>,
    links: BTreeSet<(String, PathBuf)>,
}

impl ProjectBuild {
    /// Opens the output that is kept under a key. `None` where it cannot be kept, or where another process uses it.
    pub fn open(cache: &Path, key: &str) -> Option<Self> {
        let folder = cache.join("project-builds-1").join(key);
        fs::create_dir_all(folder.join(OUTPUT)).ok()?;
        let lock = private_file::try_lock(&folder.join("lock")).ok()??;
        Some(Self { folder, _lock: lock })
    }

    /// The folder for build output.
    pub fn output(&self) -> PathBuf {
        self.folder.join(OUTPUT)
    }

    /// Sets the times of a copy's files so that build tools see which ones differ from those that were built.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn date(&self, copy: &WorkCopy) -> Result<(), CopyError> {
        let path = self.folder.join(SOURCES);
        let sources: BuiltSources =
            fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        // Tools follow links, and see times that are not set here.
        if sources.links != copy.links() {
            let output = self.output();
            let failed = |error| CopyError::Io { path: output.clone(), error };
            fs::remove_dir_all(&output).map_err(failed)?;
            return fs::create_dir_all(&output).map_err(failed);
        }
        let hash = |(path, hex): (String, String)| Some((path, blake3::Hash::from_hex(hex).ok()?));
        let contents = sources.contents.into_iter().filter_map(hash).collect();
        copy.date(&contents, UNIX_EPOCH + Duration::from_millis(sources.begun_ms))
    }

    /// Notes what the output is built from now. Output that has become too large is removed.
    pub fn built(&self, copy: &WorkCopy, begun: SystemTime) {
        let hex = |(path, hash): (String, blake3::Hash)| (path, hash.to_hex().to_string());
        let sources = BuiltSources {
            begun_ms: begun.duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(0)),
            contents: copy.digests().into_iter().map(hex).collect(),
            links: copy.links(),
        };
        let is_fit = bytes_of(&self.output()).is_ok_and(|bytes| bytes <= BUILD_BYTES_MAX);
        let bytes = serde_json::to_vec(&sources).unwrap_or_default();
        if !is_fit || private_file::replace(&self.folder.join(SOURCES), &bytes).is_err() {
            // The next build begins with nothing.
            let _ = fs::remove_dir_all(self.output());
            let _ = fs::remove_file(self.folder.join(SOURCES));
        }
    }
}

/// The folder of an entry with the output.
const OUTPUT: &str = "output";
/// The file of an entry that says what the output was built from.
const SOURCES: &str = "sources.json";

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> WorkCopy {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.rs"), text).expect("written");
        fs::write(folder.path().join("b.rs"), "b").expect("written");
        WorkCopy::of_folder(folder.path(), ["a.rs".to_owned(), "b.rs".to_owned()]).expect("copied")
    }

    fn modified(copy: &WorkCopy, path: &str) -> SystemTime {
        fs::metadata(copy.path().join(path)).and_then(|meta| meta.modified()).expect("dated")
    }

    #[test]
    fn what_was_not_built_yet_is_younger_than_the_output() {
        let cache = tempfile::tempdir().expect("a folder");
        let build = ProjectBuild::open(cache.path(), "p").expect("a build");
        assert!(ProjectBuild::open(cache.path(), "p").is_none(), "one process at a time");
        let begun = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        build.built(&tree("one"), begun);
        fs::write(build.output().join("artifact"), "x").expect("written");
        drop(build);
        let build = ProjectBuild::open(cache.path(), "p").expect("a build");
        let copy = tree("two");
        build.date(&copy).expect("dated");
        assert!(modified(&copy, "a.rs") > begun);
        assert_eq!(modified(&copy, "b.rs"), begun);
        assert!(build.output().join("artifact").is_file());
    }

    #[test]
    fn output_that_links_would_make_wrong_is_not_used() {
        let cache = tempfile::tempdir().expect("a folder");
        let build = ProjectBuild::open(cache.path(), "p").expect("a build");
        build.built(&tree("one"), SystemTime::now());
        fs::write(build.output().join("artifact"), "x").expect("written");
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("elsewhere", folder.path().join("c")).expect("a link");
        build.date(&WorkCopy::of_folder(folder.path(), ["c".to_owned()]).expect("copied")).expect("dated");
        assert!(build.output().is_dir() && !build.output().join("artifact").exists());
    }
}
