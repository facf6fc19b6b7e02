//! Build output of base trees, with which the builds of a change begin.
//!
//! Build tools find out by themselves what they have to build anew: by times of files, or by contents. So a change to one
//! file does not cost the build of everything that the project depends on. Only runs on the base write what is kept: what
//! a change builds is never used for another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::work_copy::{CopyError, WorkCopy, copy_tree};

/// The largest build output of one tree that is kept, in bytes.
pub const BUILD_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
/// The most bytes that all kept build output takes. What was used longest ago goes first.
pub const STORE_BYTES_MAX: u64 = 6 * 1024 * 1024 * 1024;
/// A file of an entry whose time says when its build began.
const BEGUN: &str = "begun";
/// A file of an entry whose time says when it was used last, and whose text how many bytes the entry has.
const USED: &str = "used";
/// The folder of an entry with the output.
const OUTPUT: &str = "output";
/// What the names of entries begin with that are not complete.
const INCOMPLETE: &str = ".incomplete-";
/// After so many seconds no process works on an incomplete entry any more.
const INCOMPLETE_SECONDS_MAX: u64 = 24 * 60 * 60;

/// The build output of a base tree.
#[derive(Debug)]
pub struct BaseBuild {
    /// Where it is.
    folder: PathBuf,
    /// When the build began: files that it used are not younger.
    begun: SystemTime,
    contents: BTreeMap<String, blake3::Hash>,
    links: BTreeSet<(String, PathBuf)>,
}

impl BaseBuild {
    /// Describes the build output in a folder; `base` is the tree that was built.
    pub fn new(folder: PathBuf, begun: SystemTime, base: &WorkCopy) -> Self {
        Self { folder, begun, contents: base.digests(), links: base.links() }
    }

    /// Lets the builds of copies that share the empty folder `build` begin with it. If the output cannot be copied, or
    /// would not be right for one of the copies, they begin with nothing.
    ///
    /// # Errors
    ///
    /// Fails if the folder or a copy cannot be used.
    pub fn give_to<'c>(
        &self,
        copies: impl Iterator<Item = &'c WorkCopy> + Clone,
        build: &Path,
    ) -> Result<(), CopyError> {
        // Tools follow links, and see times that are not set here.
        if !copies.clone().all(|copy| copy.links() == self.links) {
            return Ok(());
        }
        if copy_tree(&self.folder, build).is_err() {
            let failed = |error| CopyError::Io { path: build.to_owned(), error };
            fs::remove_dir_all(build).map_err(failed)?;
            return fs::create_dir_all(build).map_err(failed);
        }
        copies.into_iter().try_for_each(|copy| copy.date(&self.contents, self.begun))
    }
}

/// What the store has of the build of a base tree.
#[derive(Debug)]
pub enum StoredBuild {
    /// Its output.
    Stored(BaseBuild),
    /// The note that it is too large to be kept.
    TooLarge,
    /// Nothing.
    Unknown,
}

/// The build output that is kept from review to review.
#[derive(Debug)]
pub struct BuildStore {
    folder: Option<PathBuf>,
    entry_bytes_max: u64,
    bytes_max: u64,
}

impl BuildStore {
    /// Opens the store in a cache. Without one, nothing is kept.
    pub fn new(cache: Option<&Path>) -> Self {
        let folder = cache.map(|cache| cache.join("builds-1"));
        Self { folder, entry_bytes_max: BUILD_BYTES_MAX, bytes_max: STORE_BYTES_MAX }
    }

    /// Finds the output that is kept under a key, and notes that it is used.
    pub fn get(&self, key: &str, base: &WorkCopy) -> StoredBuild {
        let Some(entry) = self.folder.as_ref().map(|store| store.join(key)).filter(|entry| entry.exists()) else {
            return StoredBuild::Unknown;
        };
        // If this fails, the entry only goes earlier.
        let _ =
            fs::File::options().write(true).open(entry.join(USED)).and_then(|it| it.set_modified(SystemTime::now()));
        match fs::metadata(entry.join(BEGUN)).and_then(|meta| meta.modified()) {
            Ok(begun) => StoredBuild::Stored(BaseBuild::new(entry.join(OUTPUT), begun, base)),
            Err(_) => StoredBuild::TooLarge,
        }
    }

    /// Keeps the output of a build under a key. If that fails, the next review only takes longer.
    pub fn put(&self, key: &str, build: &BaseBuild) {
        if let Some(store) = &self.folder {
            let _ = self.keep(store, key, build);
        }
    }

    fn keep(&self, store: &Path, key: &str, build: &BaseBuild) -> io::Result<()> {
        if store.join(key).exists() {
            return Ok(());
        }
        let bytes = Some(bytes_of(&build.folder)?).filter(|bytes| *bytes <= self.entry_bytes_max);
        fs::create_dir_all(store)?;
        self.make_room(store, bytes.unwrap_or(0))?;
        let entry = tempfile::Builder::new().prefix(INCOMPLETE).tempdir_in(store)?;
        fs::write(entry.path().join(USED), bytes.unwrap_or(0).to_string())?;
        if bytes.is_some() {
            copy_tree(&build.folder, &entry.path().join(OUTPUT))?;
            fs::File::create(entry.path().join(BEGUN))?.set_modified(build.begun)?;
        }
        fs::rename(entry.path(), store.join(key))?;
        // It has another name now.
        let _ = entry.keep();
        Ok(())
    }

    /// Removes what was used longest ago until there is room, and what was never completed.
    fn make_room(&self, store: &Path, bytes: u64) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(store)?.flatten() {
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with(INCOMPLETE) {
                let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
                if age.is_some_and(|age| age.as_secs() > INCOMPLETE_SECONDS_MAX) {
                    let _ = fs::remove_dir_all(path);
                }
                continue;
            }
            let used = fs::metadata(path.join(USED)).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            let bytes = fs::read_to_string(path.join(USED)).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
            entries.push((used, bytes, path));
        }
        entries.sort();
        let mut sum = bytes + entries.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
        for (_, bytes, path) in entries {
            if sum <= self.bytes_max {
                break;
            }
            fs::remove_dir_all(path)?;
            sum -= bytes;
        }
        Ok(())
    }
}

/// The bytes of all files below a folder.
pub(super) fn bytes_of(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let meta = fs::symlink_metadata(&path)?;
        sum += if meta.is_dir() { bytes_of(&path)? } else { meta.len() };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    /// A copy of a tree with one file.
    fn tree(text: &str) -> WorkCopy {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.rs"), text).expect("written");
        WorkCopy::of_folder(folder.path(), ["a.rs".to_owned()]).expect("copied")
    }

    fn long_ago() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
    }

    fn modified(path: &Path) -> SystemTime {
        fs::metadata(path).and_then(|meta| meta.modified()).expect("dated")
    }

    #[test]
    fn output_comes_with_its_times_and_links_and_the_sources_are_dated_by_it() {
        let (output, build) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        fs::create_dir_all(output.path().join("debug/deps")).expect("made");
        let built = output.path().join("debug/deps/lib.rlib");
        fs::write(&built, "built").expect("written");
        fs::File::options().write(true).open(&built).and_then(|file| file.set_modified(long_ago())).expect("dated");
        symlink("lib.rlib", output.path().join("debug/deps/link")).expect("a link");
        let (same, other) = (tree("a"), tree("b"));
        let base_build = BaseBuild::new(output.path().to_owned(), long_ago(), &tree("a"));
        base_build.give_to([&same, &other].into_iter(), build.path()).expect("copied");
        let copied = build.path().join("debug/deps/lib.rlib");
        assert_eq!(modified(&copied), long_ago());
        assert_eq!(fs::read_link(build.path().join("debug/deps/link")).expect("a link"), Path::new("lib.rlib"));
        assert_eq!(modified(&same.path().join("a.rs")), long_ago(), "it was built");
        assert!(modified(&other.path().join("a.rs")) > long_ago() + Duration::from_secs(1), "it has to be built");
    }

    #[test]
    fn a_build_begins_with_nothing_where_the_output_cannot_be_copied_or_links_differ() {
        let build = tempfile::tempdir().expect("a folder");
        let gone = BaseBuild::new(build.path().join("gone"), long_ago(), &tree("a"));
        gone.give_to([&tree("a")].into_iter(), build.path()).expect("emptied");
        assert_eq!(fs::read_dir(build.path()).expect("there").count(), 0);

        let output = tempfile::tempdir().expect("a folder");
        fs::write(output.path().join("built"), "").expect("written");
        let linked = tempfile::tempdir().expect("a folder");
        symlink("elsewhere", linked.path().join("a.rs")).expect("a link");
        let linked = WorkCopy::of_folder(linked.path(), ["a.rs".to_owned()]).expect("copied");
        let base_build = BaseBuild::new(output.path().to_owned(), long_ago(), &tree("a"));
        base_build.give_to([&linked].into_iter(), build.path()).expect("left");
        assert_eq!(fs::read_dir(build.path()).expect("there").count(), 0);
    }

    #[test]
    fn what_is_kept_is_limited_and_what_was_used_longest_ago_goes() {
        let (cache, output) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        fs::write(output.path().join("built"), "12345").expect("written");
        let base = tree("a");
        let build = BaseBuild::new(output.path().to_owned(), long_ago(), &base);
        let store = |entry_bytes_max, bytes_max| BuildStore {
            entry_bytes_max,
            bytes_max,
            ..BuildStore::new(Some(cache.path()))
        };
        store(4, 100).put("large", &build);
        assert!(matches!(store(4, 100).get("large", &base), StoredBuild::TooLarge), "one byte too many");
        store(5, 10).put("first", &build);
        store(5, 10).put("second", &build);
        let used = |key: &str| cache.path().join("builds-1").join(key).join(USED);
        for (key, seconds) in [("first", 2), ("second", 1)] {
            let file = fs::File::options().write(true).open(used(key)).expect("it is there");
            file.set_modified(long_ago() + Duration::from_secs(seconds)).expect("dated");
        }
        store(5, 10).put("third", &build);
        let kept = |key: &str| match store(5, 10).get(key, &base) {
            StoredBuild::Stored(build) => Some((build.begun, build.folder.join("built").exists())),
            StoredBuild::TooLarge | StoredBuild::Unknown => None,
        };
        let there = Some((long_ago(), true));
        assert_eq!([kept("first"), kept("second"), kept("third")], [there, None, there]);
        assert!(matches!(BuildStore::new(None).get("first", &base), StoredBuild::Unknown), "without a cache");
    }
}
