//! The mount plan as arguments of bubblewrap.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::host::{LAUNCHER_INSIDE, UID_INSIDE};
use super::launch::LauncherPhase;
use super::wire::Mount;

/// Finds bubblewrap in `PATH`. Relative entries are skipped, because they may belong to the candidate.
pub(super) fn find(path: Option<&str>) -> Option<PathBuf> {
    let folders = path.unwrap_or("/usr/bin:/bin").split(':').filter(|folder| folder.starts_with('/'));
    folders.map(|folder| Path::new(folder).join("bwrap")).find(|program| program.is_file())
}

/// Returns the arguments of bubblewrap. `again` are those of the launcher.
///
/// Fails with a path that is not text.
pub(super) fn arguments(mounts: &[Mount], again: &[OsString], network: bool) -> Result<Vec<String>, PathBuf> {
    let mut list = BubblewrapArguments(Vec::new());
    list.words(&["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
    if !network {
        list.words(&["--unshare-net"]);
    }
    let id = UID_INSIDE.to_string();
    list.words(&["--uid", &id, "--gid", &id, "--hostname", "assize", "--cap-drop", "ALL"]);
    // The launcher is the first process: its parent ends when every other process is dead.
    list.words(&["--as-pid-1", "--die-with-parent", "--new-session"]);
    for mount in mounts {
        match mount {
            Mount::Bind { from, to, write } => {
                list.words(&[if *write { "--bind" } else { "--ro-bind" }]);
                list.path(from)?;
                list.path(to)?;
            }
            Mount::Memory { to, bytes } => {
                list.words(&["--perms", "0755", "--size", &bytes.to_string(), "--tmpfs"]);
                list.path(to)?;
            }
            Mount::Folder { to } => {
                list.words(&["--dir"]);
                list.path(to)?;
            }
            Mount::Link { to, target } => {
                list.words(&["--symlink"]);
                list.path(target)?;
                list.path(to)?;
            }
            Mount::Processes => list.words(&["--proc", "/proc"]),
            Mount::Devices => list.words(&["--dev", "/dev"]),
            Mount::Seal { to } => {
                list.words(&["--remount-ro"]);
                list.path(to)?;
            }
        }
    }
    list.words(&["--remount-ro", "/", "--chdir", "/", "--", LAUNCHER_INSIDE]);
    for argument in again {
        list.path(Path::new(argument))?;
    }
    list.words(&[LauncherPhase::Tend.name()]);
    Ok(list.0)
}

struct BubblewrapArguments(Vec<String>);

impl BubblewrapArguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|&word| word.to_owned()));
    }

    fn path(&mut self, path: &Path) -> Result<(), PathBuf> {
        self.0.push(path.to_str().ok_or_else(|| path.to_owned())?.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_words() {
        let path = PathBuf::from;
        let mounts = [
            Mount::Bind { from: path("/usr"), to: path("/usr"), write: false },
            Mount::Link { to: path("/bin"), target: path("usr/bin") },
            Mount::Memory { to: path("/tmp"), bytes: 7 },
            Mount::Bind { from: path("/a"), to: path("/assize/work"), write: true },
            Mount::Seal { to: path("/proc") },
        ];
        let again = [OsString::from("sandbox-launch")];
        let words = arguments(&mounts, &again, false).expect("texts").join(" ");
        for part in [
            "--unshare-net",
            "--ro-bind /usr /usr --symlink usr/bin /bin --perms 0755 --size 7 --tmpfs /tmp --bind /a /assize/work",
            "--remount-ro /proc --remount-ro / --chdir /",
            "-- /assize/launcher sandbox-launch tend",
        ] {
            assert!(words.contains(part), "{part} in {words}");
        }
        let with_network = arguments(&mounts, &again, true).expect("texts");
        assert!(!with_network.contains(&"--unshare-net".to_owned()));
    }

    #[test]
    fn only_absolute_folders_are_searched() {
        assert_eq!(find(Some("bin:.::relative/usr/bin")), None);
    }
}
