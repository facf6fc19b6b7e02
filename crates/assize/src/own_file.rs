//! Files that a person names and that may lie in the judged tree.
//!
//! Outside of the tree, a name means what it says: a device, a pipe of the shell, a link. Within the tree, the author
//! of the change chose what lies there. A link would make us read a secret or overwrite a file elsewhere, and a pipe
//! would keep us waiting.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use assize_engine::regular_file;
use tempfile::NamedTempFile;

use crate::exit::Failure;
use crate::host::Host;

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Bytes that are held before they are written to a file.
const BUFFER_BYTES: usize = 256 * 1024;

/// Opens a file to be read. In the tree it has to be a regular one that is reached without links.
///
/// # Errors
///
/// Fails when it is not, or cannot be opened.
pub fn open(host: &Host, path: &Path) -> io::Result<File> {
    let full = named(host, path);
    let Some(project) = tree_of(host, &full)? else { return File::open(full) };
    straight(&project, &full)?;
    regular_file::open(&full)
}

/// Returns the path that a name means. Where it begins by leading up, it does so from the folder that the command works
/// in, which is reached without links: nothing of the tree is passed on the way.
fn named(host: &Host, path: &Path) -> PathBuf {
    let mut folder = host.folder.clone();
    let mut rest = path;
    while let Ok(below) = rest.strip_prefix("..") {
        folder.pop();
        rest = below;
    }
    folder.join(rest)
}

/// Reads a file that an option names, or standard input for `-`.
///
/// # Errors
///
/// Says for which option what cannot be read, or is too large.
pub fn read(host: &Host, path: &Path, option: &str, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let wrong = |what: String| Failure::new(format!("{option} {}: {what}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(bytes_max + 1).read_to_end(&mut bytes)
    } else {
        let file = open(host, path).map_err(|error| wrong(error.to_string()))?;
        file.take(bytes_max + 1).read_to_end(&mut bytes)
    };
    let size = read.map_err(|error| wrong(error.to_string()))?;
    if size as u64 > bytes_max { Err(wrong(format!("it has more than {bytes_max} bytes"))) } else { Ok(bytes) }
}

/// Reads a text that an option names, or standard input for `-`.
///
/// # Errors
///
/// Says for which option what cannot be read, is too large, or is no text.
pub fn read_text(host: &Host, path: &Path, option: &str, bytes_max: u64) -> Result<String, Failure> {
    let bytes = read(host, path, option, bytes_max)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(format!("{option} {}: it is no UTF-8 at byte {at}", path.display()))
    })
}

/// Refuses standard input where two options name it: it can be read once.
///
/// # Errors
///
/// Names both options.
pub fn one_standard_input(files: [(&str, Option<&PathBuf>); 2]) -> Result<(), Failure> {
    let [one, other] = files;
    let is_standard_input = |(_, file): (&str, Option<&PathBuf>)| file.is_some_and(|path| path == Path::new("-"));
    if is_standard_input(one) && is_standard_input(other) {
        return Err(Failure::new(format!("only one of {} and {} can be standard input", one.0, other.0)));
    }
    Ok(())
}

/// Writes a file. In the tree it takes the place of what lies there, a link included.
///
/// # Errors
///
/// Fails when it cannot be written, or its folder is reached through a link of the tree.
pub fn write(host: &Host, path: &Path, text: &str) -> io::Result<()> {
    let full = named(host, path);
    if tree_of(host, &full)?.is_none() {
        return fs::write(full, text);
    }
    let mut draft = PendingFile::begin(host, path)?;
    draft.write_all(text.as_bytes())?;
    draft.keep()
}

/// A file that is written beside its place, and takes it when it is whole: of what is dropped before, nothing is left.
pub struct PendingFile {
    file: BufWriter<NamedTempFile>,
    full: PathBuf,
}

impl PendingFile {
    /// Begins a file. In the tree, its place must not be reached through a link.
    ///
    /// # Errors
    ///
    /// Fails when it is, or when nothing can be written there.
    pub fn begin(host: &Host, path: &Path) -> io::Result<Self> {
        let full = named(host, path);
        if let Some(project) = tree_of(host, &full)? {
            straight(&project, &full)?;
        }
        let folder = full.parent().ok_or_else(|| refused("it has no folder"))?;
        let mode = fs::Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(".assize-").permissions(mode).tempfile_in(folder)?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER_BYTES, file), full })
    }

    /// Brings what is written so far to the disk, so that less is left to be done at the end.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn settle(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().as_file().sync_data()
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// Fails when not all of it can be written.
    pub fn keep(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.full).map_err(|error| error.error)?;
        Ok(())
    }
}

impl io::Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Returns the root of the tree where a path names something in it.
fn tree_of(host: &Host, full: &Path) -> io::Result<Option<PathBuf>> {
    let full = std::path::absolute(full)?;
    let project = std::path::absolute(host.project())?;
    if full.starts_with(&project) {
        return Ok(Some(project));
    }
    // The tree may be named by another way than the file.
    let Some(folder) = full.parent() else { return Ok(None) };
    Ok(folder
        .canonicalize()
        .ok()
        .zip(project.canonicalize().ok())
        .and_then(|(folder, project)| folder.starts_with(&project).then_some(project)))
}

/// Refuses a path of the tree that passes through a link on its way.
fn straight(project: &Path, full: &Path) -> io::Result<()> {
    let full = std::path::absolute(full)?;
    let below = full.strip_prefix(project).unwrap_or(Path::new(""));
    let mut at = project.to_owned();
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, Component::Normal(_)) {
            return Err(refused("its name leads up and down in the judged tree; name it directly"));
        }
        at.push(part);
        if parts.peek().is_some() && fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink()) {
            return Err(refused(&format!("{} is a link in the judged tree", at.display())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project, and a folder beside it with a secret in it.
    fn world() -> (tempfile::TempDir, Host) {
        let world = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(world.path().join("tree/.git")).expect("made");
        fs::create_dir_all(world.path().join("tree/docs")).expect("made");
        fs::create_dir_all(world.path().join("outside")).expect("made");
        fs::write(world.path().join("outside/secret"), "secret").expect("written");
        fs::write(world.path().join("tree/docs/task.md"), "task").expect("written");
        let tree = world.path().join("tree");
        symlink(world.path().join("outside/secret"), tree.join("linked.md")).expect("a link");
        symlink(world.path().join("outside"), tree.join("linked")).expect("a link");
        symlink("/dev/zero", tree.join("endless.md")).expect("a link");
        symlink(&tree, world.path().join("alias")).expect("a link");
        let piped = std::process::Command::new("mkfifo").arg(tree.join("pipe.md")).status();
        assert!(piped.expect("mkfifo").success());
        let host = Host { folder: tree, configuration: None, environment: BTreeMap::new() };
        (world, host)
    }

    fn read(host: &Host, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        open(host, path)?.take(100).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn only_plain_files_of_the_tree_are_read() {
        let (world, host) = world();
        let alias = world.path().join("alias");
        for path in ["linked.md", "linked/secret", "endless.md", "pipe.md", "docs", "docs/../linked.md"] {
            for full in [PathBuf::from(path), host.folder.join(path), alias.join(path)] {
                // The last one of these leads out of the tree before anything can be said of it.
                let through_alias = full.starts_with(&alias) && path == "linked/secret";
                assert!(through_alias || read(&host, &full).is_err(), "{}", full.display());
            }
        }
        assert_eq!(read(&host, Path::new("docs/task.md")).expect("read"), "task");
        assert_eq!(read(&host, &alias.join("docs/task.md")).expect("read"), "task");
        assert_eq!(read(&host, &world.path().join("outside/secret")).expect("named by the person"), "secret");
    }

    #[test]
    fn a_name_may_begin_by_leading_up() {
        let (_world, host) = world();
        let below = host.at(&host.folder.join("docs"));
        for (path, text) in
            [("../docs/task.md", "task"), ("../../outside/secret", "secret"), ("../../tree/docs/task.md", "task")]
        {
            assert_eq!(read(&below, Path::new(path)).expect(path), text);
        }
        for path in ["../linked.md", "../../tree/linked.md", "../docs/../linked.md"] {
            assert!(read(&below, Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn nothing_is_written_through_the_tree() {
        let (world, host) = world();
        let kept = || fs::read_to_string(world.path().join("outside/secret")).expect("there");
        write(&host, Path::new("linked.md"), "out").expect("in the place of the link");
        write(&host, Path::new("pipe.md"), "out").expect("in the place of the pipe");
        write(&host, Path::new("docs/new.md"), "out").expect("written");
        write(&host, Path::new("docs/task.md"), "out").expect("written anew");
        assert!(write(&host, Path::new("linked/secret"), "out").is_err());
        assert!(PendingFile::begin(&host, Path::new("linked/new")).is_err());
        drop(PendingFile::begin(&host, Path::new("docs/dropped.md")).expect("begun"));
        assert_eq!(fs::read_dir(host.folder.join("docs")).expect("there").count(), 2, "nothing is left of it");
        for path in ["linked.md", "pipe.md", "docs/new.md", "docs/task.md"] {
            let file = host.folder.join(path);
            assert!(fs::symlink_metadata(&file).expect("there").is_file());
            assert_eq!(fs::read_to_string(file).expect("read"), "out");
        }
        assert_eq!(kept(), "secret");
        write(&host, &world.path().join("outside/secret"), "mine").expect("named by the person");
        assert_eq!(kept(), "mine");
    }
}
