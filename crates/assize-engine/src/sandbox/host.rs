//! The parts of this machine that a job may see: system folders, toolchains, variables. Everything is an allow-list.
//!
//! The tables are here. This module must not know how anything is shown or hidden.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use assize_ecosystem::installs;

/// The path of a work copy inside the sandbox that cannot stand at its own place, if folders can be mounted.
pub(super) const WORK_INSIDE: &str = "/assize/work";
/// The path of the report folder inside the sandbox.
pub(super) const REPORTS_INSIDE: &str = "/assize/reports";
/// The path of the home folder inside the sandbox, if the user has none that can be hidden.
pub(super) const HOME_INSIDE: &str = "/assize/home";
/// The path of the launcher inside the sandbox, if it must be visible.
pub(super) const LAUNCHER_INSIDE: &str = "/assize/launcher";
/// Folders that the sandbox makes itself.
const OWN: &[&str] = &["/assize"];
/// Folders that the kernel fills.
const KERNEL: &[&str] = &["/proc", "/dev", "/sys"];
/// The part of them in which projects may lie.
const SHARED_MEMORY: &str = "/dev/shm";
/// The user name of every job inside the sandbox.
pub(super) const USER_INSIDE: &str = "assize";
/// The user and group id inside the sandbox. It is never 0, because programs treat root differently.
pub(super) const UID_INSIDE: u32 = 1000;

/// System folders that are shown. All others are missing, among them `/home`, `/root`, `/run`, `/var`, `/srv`, `/mnt`,
/// `/media`, `/boot` and `/sys`.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/home/linuxbrew/.linuxbrew",
];

/// Folders that are searched for files that not everybody may read, with the depth of the search. A job runs as the
/// current user outside, so it could read files that only this user or its groups may read.
const SECRET_SEARCH_DEPTHS: &[(&str, usize)] = &[("/etc", 12), ("/opt", 4), ("/usr/local/etc", 6)];
/// The most entries that are searched in all. A folder with more entries is not shown.
const SECRETS_ENTRIES_MAX: usize = 100_000;
/// The most entries of one folder that are hidden one by one. If there are more, the whole folder is hidden.
const SECRETS_IN_FOLDER_MAX: usize = 32;

/// Variables that a job inherits, in addition to `LC_*` and those of [`installs`].
const PASSED_VARIABLES: &[&str] = &["LANG", "LANGUAGE", "TZ", "JAVA_HOME", "GOROOT", "RUSTUP_TOOLCHAIN"];
/// The search path if `PATH` is not set.
const PATH_DEFAULT: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Entries of a tool's folder that may contain credentials. They are hidden if the folder is in a part of the system
/// that is shown.
const CREDENTIALS: &[&str] = &[
    "config",
    "config.toml",
    "credentials",
    "credentials.toml",
    "gradle.properties",
    "init.d",
    "init.gradle",
    "settings-security.xml",
    "settings.xml",
];

/// A part of the system that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SystemPart {
    /// A folder.
    Folder(PathBuf),
    /// A link, such as `/bin` to `usr/bin`.
    Link {
        /// Its path.
        at: PathBuf,
        /// Its target.
        target: PathBuf,
    },
}

/// A tool's installation that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolFolder {
    /// The tool's folder.
    pub(super) root: PathBuf,
    /// The shown parts: the folder itself, or folders in it.
    pub(super) shown: Vec<PathBuf>,
}

/// This machine and its user as the sandbox sees them.
#[derive(Debug, Clone)]
pub struct SandboxHost {
    /// The variables of this process.
    pub(super) environment: BTreeMap<String, String>,
    /// The home folder, which is replaced by an empty one inside the sandbox.
    pub(super) home: PathBuf,
    /// The parts of the system that are shown.
    pub(super) system: Vec<SystemPart>,
    /// The paths in them that are hidden.
    pub(super) hidden: Vec<PathBuf>,
    /// The tools that are shown.
    pub(super) tools: Vec<ToolFolder>,
    /// The folder for temporary folders.
    pub(super) temporary: PathBuf,
}

impl SandboxHost {
    /// Examines this machine with the variables of this process.
    pub fn of_this_process() -> Self {
        // A variable that is not text is in no table.
        let texts =
            std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
        Self::with_environment(texts.collect())
    }

    /// Examines this machine with other variables.
    pub fn with_environment(environment: BTreeMap<String, String>) -> Self {
        let home = home(environment.get("HOME").map(Path::new));
        let system: Vec<_> = SYSTEM.iter().filter_map(|path| system_part(Path::new(path))).collect();
        let tools = tool_folders(&home, &environment);
        let mut hidden = Vec::new();
        let mut entries = 0;
        for (root, depth) in SECRET_SEARCH_DEPTHS {
            not_for_everybody(Path::new(root), *depth, &mut entries, &mut hidden);
        }
        let shown =
            |path: &Path| system.iter().any(|part| matches!(part, SystemPart::Folder(at) if path.starts_with(at)));
        for tool in tools.iter().filter(|tool| shown(&tool.root)) {
            hidden.extend(CREDENTIALS.iter().map(|name| tool.root.join(name)).filter(|path| path.exists()));
        }
        Self { home, system, hidden, tools, temporary: std::env::temp_dir(), environment }
    }

    /// Returns whether a path is shown as a part of the system.
    pub(super) fn is_system(&self, path: &Path) -> bool {
        self.system.iter().any(|part| matches!(part, SystemPart::Folder(at) if path.starts_with(at)))
    }

    /// Returns whether a work copy can be mounted at a path: it must be absolute, and cover neither the home folder nor
    /// a part of the system or the sandbox.
    pub(super) fn can_hold_work(&self, place: &Path) -> bool {
        let is_plain = place.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
        let covers = |path: &Path| path.starts_with(place);
        place.is_absolute()
            && is_plain
            && place.to_str().is_some()
            && !OWN.iter().any(|own| place.starts_with(own) && place != Path::new(WORK_INSIDE))
            && !OWN.iter().chain(KERNEL).any(|path| covers(Path::new(path)))
            && !KERNEL.iter().any(|path| place.starts_with(path) && !place.starts_with(SHARED_MEMORY))
            && ![&self.home, &self.temporary].into_iter().any(|path| covers(path))
            && !self.system.iter().any(|part| match part {
                SystemPart::Folder(path) => covers(path),
                SystemPart::Link { at, .. } => covers(at) || place.starts_with(at),
            })
            && !self.hidden.iter().any(|path| place.starts_with(path))
    }

    /// Returns the variables of a job: inherited ones by allow-list, fixed ones, and its own.
    pub(super) fn variables(
        &self,
        home: &Path,
        temporary: &Path,
        own: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let known = |name: &str| {
            PASSED_VARIABLES.contains(&name) || name.starts_with("LC_") || installs().any(|tool| tool.variable == name)
        };
        let mut variables: BTreeMap<_, _> = self
            .environment
            .iter()
            .filter(|(name, value)| known(name) && !value.is_empty())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let path = self.environment.get("PATH").map_or(PATH_DEFAULT, String::as_str);
        let absolute: Vec<_> = path.split(':').filter(|folder| folder.starts_with('/')).collect();
        // As in a pipeline, no terminal is named: one that is named "dumb" would make tests of colours fail.
        let fixed = [
            ("PATH", absolute.join(":")),
            ("HOME", home.display().to_string()),
            ("TMPDIR", temporary.display().to_string()),
            ("USER", USER_INSIDE.to_owned()),
            ("LOGNAME", USER_INSIDE.to_owned()),
            ("SHELL", "/bin/sh".to_owned()),
            ("CI", "1".to_owned()),
        ];
        variables.extend(fixed.map(|(name, value)| (name.to_owned(), value)));
        variables.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
        variables
    }
}

/// Returns the home folder, unless hiding it would hide the system.
fn home(path: Option<&Path>) -> PathBuf {
    let usable = path.filter(|path| {
        path.is_absolute() && !SYSTEM.iter().any(|system| Path::new(system).starts_with(path)) && path.is_dir()
    });
    usable.map_or_else(|| PathBuf::from(HOME_INSIDE), Path::to_owned)
}

fn system_part(path: &Path) -> Option<SystemPart> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    if kind.is_symlink() {
        return Some(SystemPart::Link { at: path.to_owned(), target: fs::read_link(path).ok()? });
    }
    kind.is_dir().then(|| SystemPart::Folder(path.to_owned()))
}

fn tool_folders(home: &Path, environment: &BTreeMap<String, String>) -> Vec<ToolFolder> {
    let mut folders = Vec::new();
    for tool in installs() {
        let named = environment.get(tool.variable).filter(|value| !value.is_empty());
        let roots: Vec<PathBuf> = match named {
            // `GOPATH` may name several folders.
            Some(value) => value.split(':').map(PathBuf::from).filter(|path| path.is_absolute()).collect(),
            None => vec![home.join(tool.folder)],
        };
        // A variable must not expose the home folder or its parents.
        for root in roots.into_iter().filter(|root| !home.starts_with(root) && root.components().count() > 2) {
            let parts = if tool.parts.is_empty() { &[""][..] } else { tool.parts };
            let shown: Vec<_> = parts.iter().map(|part| root.join(part)).filter(|path| path.exists()).collect();
            if !shown.is_empty() {
                folders.push(ToolFolder { root, shown });
            }
        }
    }
    folders
}

/// Collects the entries of a folder that not everybody may read. The target of a link is examined at its own place.
fn not_for_everybody(folder: &Path, depth: usize, entries: &mut usize, hidden: &mut Vec<PathBuf>) {
    let Ok(listing) = fs::read_dir(folder) else { return };
    let before = hidden.len();
    let mut here = 0;
    for entry in listing.flatten() {
        *entries += 1;
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let mode = metadata.permissions().mode();
        let needed = if metadata.is_dir() { 0o005 } else { 0o004 };
        if !metadata.file_type().is_symlink() && mode & needed != needed {
            hidden.push(path);
            here += 1;
        } else if metadata.is_dir() && depth > 0 {
            not_for_everybody(&path, depth - 1, entries, hidden);
        }
        if *entries > SECRETS_ENTRIES_MAX || here > SECRETS_IN_FOLDER_MAX {
            hidden.truncate(before);
            hidden.push(folder.to_owned());
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn host(home: &Path, variables: &[(&str, &str)]) -> SandboxHost {
        let mut environment: BTreeMap<_, _> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        environment.insert("HOME".to_owned(), home.display().to_string());
        SandboxHost::with_environment(environment)
    }

    #[test]
    fn variables_come_by_allow_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let expected = [("LANG", "C.UTF-8"), ("LC_ALL", "C"), ("TZ", "UTC"), ("CARGO_HOME", "/opt/cargo")];
        let dropped =
            [("AWS_SECRET_ACCESS_KEY", "x"), ("SSH_AUTH_SOCK", "x"), ("LD_PRELOAD", "x"), ("PYTHONPATH", "x")];
        let host = host(
            folder.path(),
            &[&expected[..], &dropped[..], &[("PATH", "/usr/bin:.::bin:/bin"), ("TERM", "xterm")]].concat(),
        );
        let own = BTreeMap::from([("RUST_LOG".to_owned(), "debug".to_owned()), ("CI".to_owned(), "true".to_owned())]);
        let inside = host.variables(folder.path(), Path::new("/tmp"), &own);
        for (name, value) in expected {
            assert_eq!(inside.get(name).map(String::as_str), Some(value), "{name}");
        }
        for (name, _) in dropped {
            assert_eq!(inside.get(name), None, "{name}");
        }
        let mut names: Vec<_> = inside.keys().map(String::as_str).collect();
        names.retain(|name| !expected.iter().any(|(other, _)| other == name));
        assert_eq!(names, ["CI", "HOME", "LOGNAME", "PATH", "RUST_LOG", "SHELL", "TMPDIR", "USER"]);
        assert_eq!(inside["PATH"], "/usr/bin:/bin");
        assert_eq!(inside["CI"], "true", "what a job sets itself counts");
    }

    #[test]
    fn tools_are_shown_and_their_credentials_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        for path in
            [".cargo/bin", ".cargo/registry", ".rustup/toolchains", ".m2/repository", ".local/bin", ".ssh", ".aws"]
        {
            fs::create_dir_all(home.join(path)).expect("a folder");
        }
        fs::write(home.join(".cargo/credentials.toml"), "x").expect("a file");
        let host = host(home, &[]);
        let shown: BTreeSet<_> = host.tools.iter().flat_map(|tool| &tool.shown).collect();
        let expected =
            [".cargo/bin", ".cargo/registry", ".rustup/", ".local/bin/", ".m2/repository"].map(|path| home.join(path));
        assert_eq!(shown, expected.iter().collect::<BTreeSet<_>>());
    }

    #[test]
    fn no_table_shows_credentials() {
        let secret = [".ssh", ".aws", ".config", ".netrc", ".npmrc", ".docker", ".gnupg", ".git-credentials", ".kube"];
        for tool in installs() {
            assert!(!secret.iter().any(|name| Path::new(tool.folder).starts_with(name)), "{}", tool.folder);
            assert!(!tool.parts.iter().any(|part| CREDENTIALS.contains(part)), "{}", tool.folder);
        }
    }

    #[test]
    fn a_variable_does_not_open_the_home_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("pkg/mod")).expect("a folder");
        for value in [folder.path().to_str().expect("text"), "/", "/home", "relative", ""] {
            let host = host(folder.path(), &[("PYENV_ROOT", value), ("GOPATH", value)]);
            assert_eq!(host.tools, [], "{value}");
        }
    }

    #[test]
    fn a_home_that_is_the_system_is_none() {
        for path in ["/", "/usr", "/nix", "relative", "/no/such/folder"] {
            assert_eq!(home(Some(Path::new(path))), Path::new(HOME_INSIDE), "{path}");
        }
        assert_eq!(home(None), Path::new(HOME_INSIDE));
    }

    #[test]
    fn work_stands_where_it_covers_nothing_else() {
        let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
        let host = host(folder.path(), &[]);
        let own = folder.path().join("code/project");
        for place in [
            own.as_path(),
            Path::new("/srv/x"),
            Path::new("/tmp/x"),
            Path::new("/usr/src/app"),
            Path::new("/dev/shm/x"),
        ] {
            assert!(host.can_hold_work(place), "{}", place.display());
        }
        let home = folder.path().parent().expect("a parent");
        for place in
            ["/", "/usr", "/tmp", "/assize", "/assize/reports", "/proc/x", "/dev", "/dev/x", "x", "/srv/../usr"]
        {
            assert!(!host.can_hold_work(Path::new(place)), "{place}");
        }
        assert!(!host.can_hold_work(folder.path()) && !host.can_hold_work(home));
    }

    #[test]
    fn what_not_everybody_may_read_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "x").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        fs::create_dir_all(folder.path().join("open/deep")).expect("a folder");
        fs::create_dir(folder.path().join("closed")).expect("a folder");
        fs::set_permissions(folder.path().join("closed"), fs::Permissions::from_mode(0o750)).expect("a mode");
        for (name, mode) in [("passwd", 0o644), ("shadow", 0o640), ("open/key", 0o600), ("open/deep/key", 0o600)] {
            make(name, mode);
        }
        let found = |depth, mut entries| {
            let mut hidden = Vec::new();
            not_for_everybody(folder.path(), depth, &mut entries, &mut hidden);
            hidden.sort();
            hidden
                .iter()
                .map(|path| path.strip_prefix(folder.path()).expect("below").display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(found(1, 0), ["closed", "open/key", "shadow"]);
        for number in 2..SECRETS_IN_FOLDER_MAX {
            make(&format!("secret-{number}"), 0o600);
        }
        assert_eq!(found(0, 0).len(), SECRETS_IN_FOLDER_MAX, "at the limit");
        make("secret-more", 0o600);
        assert_eq!(found(0, 0), [""], "one past it, the folder itself is hidden");
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            if entry.file_name().to_string_lossy().starts_with("secret-") {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
        assert_eq!(found(2, 0), ["closed", "open/deep/key", "open/key", "shadow"]);
        assert!(!found(2, SECRETS_ENTRIES_MAX - 7).contains(&String::new()), "seven entries are at the limit");
        assert!(found(2, SECRETS_ENTRIES_MAX - 6).contains(&String::new()), "of a folder with more, nothing is shown");
    }
}
