//! Creates namespaces and mounts in the tier without bubblewrap.
//!
//! The new root is assembled below an empty folder of the old one, and then the old root is unmounted.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::sched::CloneFlags;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::{LaunchFailure, StepResult};
use crate::sandbox::host::UID_INSIDE;
use crate::sandbox::wire::Mount;

/// The capabilities that the second phase needs, in its own namespaces only. The kernel removes capabilities on exec,
/// unless they are ambient.
const NEEDED: [CapabilitySet; 4] =
    [CapabilitySet::SYS_ADMIN, CapabilitySet::NET_ADMIN, CapabilitySet::SETPCAP, CapabilitySet::SYS_RESOURCE];
/// The host name inside.
const HOST_NAME: &[u8] = b"assize";
/// Devices that every program expects.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
/// The flags of every mount: files in it cannot grant rights and are not devices.
const OWN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);
/// The most files and folders in a memory file system: each takes memory that its size does not count.
const MEMORY_ENTRIES_MAX: u64 = 1_000_000;

/// Moves this process into new namespaces; the PID namespace begins with its first child. The user is unchanged
/// outside and another one inside.
pub(super) fn separate(user: (u32, u32), network: bool) -> io::Result<()> {
    let mut kinds = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    kinds.set(CloneFlags::CLONE_NEWNET, !network);
    nix::sched::unshare(kinds)?;
    // An ordinary user may map groups only after this.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{UID_INSIDE} {} 1", user.0))?;
    fs::write("/proc/self/gid_map", format!("{UID_INSIDE} {} 1", user.1))?;
    rustix::system::sethostname(HOST_NAME)?;
    let needed = NEEDED.into_iter().fold(CapabilitySet::empty(), CapabilitySet::union);
    let sets = CapabilitySets { effective: needed, permitted: needed, inheritable: needed };
    rustix::thread::set_capabilities(None, sets)?;
    for capability in NEEDED {
        rustix::thread::configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// The Linux version from which a PID namespace has its own highest process id. Before, there is one for the machine.
const OWN_HIGHEST_ID_SINCE: (u32, u32) = (6, 14);
/// Process ids that are used only once before the count wraps around.
const RESERVED_IDS: u64 = 300;

/// Mounts what the job sees, and makes it the root.
pub(super) fn furnish(base: &Path, mounts: &[Mount], processes: u64) -> Result<(), LaunchFailure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).step("detach the mounts")?;
    let there = mounted().step("read the mounts")?;
    memory(base, 16 * 1024 * 1024).step("mount a new root")?;
    for step in mounts {
        take(base, step, &there).step(&format!("mount {step:?}"))?;
        if *step == Mount::Processes {
            restrict_namespaces(&base.join("proc/sys"), processes);
        }
    }
    let old = base.join(".old");
    fs::create_dir(&old).step("make room for the old root")?;
    rustix::process::pivot_root(base, &old).step("change the root")?;
    rustix::process::chdir("/").step("enter the new root")?;
    unmount("/.old", UnmountFlags::DETACH).step("leave the old root")?;
    fs::remove_dir("/.old").step("leave the old root")?;
    seal(Path::new("/"), OWN).step("seal the new root")
}

/// Returns the path of a mount point while the new root is not yet the root.
fn at(base: &Path, inside: &Path) -> PathBuf {
    base.join(inside.strip_prefix("/").unwrap_or(inside))
}

fn take(base: &Path, step: &Mount, there: &[(PathBuf, MountFlags)]) -> io::Result<()> {
    match step {
        Mount::Bind { from, to, write } => bind(from, &at(base, to), *write, there),
        Mount::Memory { to, bytes } => {
            let to = at(base, to);
            fs::create_dir_all(&to)?;
            memory(&to, *bytes)
        }
        Mount::Folder { to } => fs::create_dir_all(at(base, to)),
        Mount::Link { to, target } => {
            let to = at(base, to);
            to.parent().map_or(Ok(()), fs::create_dir_all)?;
            symlink(target, to)
        }
        Mount::Processes => {
            let to = base.join("proc");
            fs::create_dir_all(&to)?;
            Ok(mount("proc", &to, "proc", OWN | MountFlags::NOEXEC, None)?)
        }
        Mount::Devices => devices(&base.join("dev")),
        Mount::Seal { to } => seal(&at(base, to), OWN | MountFlags::NOEXEC),
    }
}

fn memory(to: &Path, bytes: u64) -> io::Result<()> {
    let options = format!("mode=0755,size={bytes},nr_inodes={MEMORY_ENTRIES_MAX}\0");
    let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).map_err(io::Error::other)?;
    Ok(mount("tmpfs", to, "tmpfs", OWN, options)?)
}

/// Sets limits of the new namespaces, if the kernel has such settings. Other barriers enforce the same, so none of
/// this has to succeed.
fn restrict_namespaces(settings: &Path, processes: u64) {
    // No nested namespaces, whatever the system call filter allows.
    let _ = fs::write(settings.join("user/max_user_namespaces"), "0");
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    if version(&release) >= OWN_HIGHEST_ID_SINCE {
        // The only limit of processes that applies to root if no control group can be created.
        let _ = fs::write(settings.join("kernel/pid_max"), processes.saturating_add(RESERVED_IDS).to_string());
    }
}

fn version(release: &str) -> (u32, u32) {
    let mut numbers = release.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn devices(to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    memory(to, 1024 * 1024)?;
    for name in DEVICES {
        let from = Path::new("/dev").join(name);
        fs::write(to.join(name), "")?;
        mount_bind(&from, to.join(name))?;
    }
    let terminals = to.join("pts");
    fs::create_dir(&terminals)?;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    mount("devpts", &terminals, "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, options)?;
    let links = [
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ];
    for (name, target) in links {
        symlink(target, to.join(name))?;
    }
    fs::create_dir(to.join("shm"))
}

fn bind(from: &Path, to: &Path, write: bool, there: &[(PathBuf, MountFlags)]) -> io::Result<()> {
    let from = fs::canonicalize(from)?;
    if from.is_dir() {
        fs::create_dir_all(to)?;
    } else if fs::symlink_metadata(to).is_err() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, "")?;
    }
    mount_bind_recursive(&from, to)?;
    for (below, had) in parts(there, &from) {
        // The kernel requires that existing flags are kept.
        let mut flags = had | OWN;
        flags.set(MountFlags::RDONLY, !write || had.contains(MountFlags::RDONLY));
        let place = if below.as_os_str().is_empty() { to.to_owned() } else { to.join(&below) };
        match mount_remount(&place, flags | MountFlags::BIND, c"") {
            Ok(()) => {}
            // What this user cannot access, the job cannot access either.
            Err(rustix::io::Errno::ACCESS) if !below.as_os_str().is_empty() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the mounts that make up a folder: the one that contains it, and those below it, with their flags. Each
/// remains a separate mount when the folder is mounted elsewhere.
fn parts(there: &[(PathBuf, MountFlags)], folder: &Path) -> Vec<(PathBuf, MountFlags)> {
    // Of several mounts at one place, the last one is visible.
    let holds = there.iter().filter(|(place, _)| folder.starts_with(place));
    let holds = holds.max_by_key(|(place, _)| place.components().count());
    let mut parts = vec![(PathBuf::new(), holds.map_or(MountFlags::empty(), |(_, flags)| *flags))];
    for (place, flags) in there {
        match place.strip_prefix(folder) {
            Ok(below) if !below.as_os_str().is_empty() => parts.push((below.to_owned(), *flags)),
            _ => {}
        }
    }
    parts
}

/// Makes a mount read-only. Mounts inside it are not changed.
fn seal(to: &Path, flags: MountFlags) -> io::Result<()> {
    Ok(mount_remount(to, flags | MountFlags::RDONLY | MountFlags::BIND, c"")?)
}

/// Returns all mounts with their flags.
fn mounted() -> io::Result<Vec<(PathBuf, MountFlags)>> {
    Ok(read_mounts(&fs::read_to_string("/proc/self/mountinfo")?).collect())
}

fn read_mounts(text: &str) -> impl Iterator<Item = (PathBuf, MountFlags)> {
    text.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(4);
        let (place, options) = (fields.next()?, fields.next()?);
        let flags = options.split(',').map(|option| match option {
            "ro" => MountFlags::RDONLY,
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            "nosymfollow" => MountFlags::NOSYMFOLLOW,
            _ => MountFlags::empty(),
        });
        Some((unescape(place), flags.fold(MountFlags::empty(), MountFlags::union)))
    })
}

/// Decodes the octal escapes of the mount table.
fn unescape(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;

    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..3).filter(|_| *first == b'\\').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// Brings up the loopback interface of a new network namespace, because test suites use it.
pub(super) fn wake_loopback() -> io::Result<()> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    /// The first interface of every namespace.
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;
    let socket =
        // Protocol 0 is the one for interfaces.
        rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let header = [&32_u32.to_ne_bytes()[..], &NEW_LINK.to_ne_bytes(), &REQUEST_AND_ACKNOWLEDGE.to_ne_bytes(), &[0; 8]];
    let link = [&[0; 4][..], &LOOPBACK.to_ne_bytes(), &UP.to_ne_bytes(), &UP.to_ne_bytes()];
    rustix::net::send(&socket, &[header.concat(), link.concat()].concat(), SendFlags::empty())?;
    let mut answer = [0_u8; 64];
    let (length, _) = rustix::net::recv(&socket, &mut answer[..], rustix::net::RecvFlags::empty())?;
    let code =
        answer.get(16..20).filter(|_| length >= 20).and_then(|code| code.try_into().ok()).map(i32::from_ne_bytes);
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::other("the kernel gave no answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_table_is_read() {
        let text = "\
36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
37 35 98:0 / /mnt ro,nosuid,nodev,noexec,relatime - ext3 /dev/root rw
";
        let read: Vec<_> = read_mounts(text).collect();
        let strict =
            MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RELATIME;
        assert_eq!(read, [(PathBuf::from("/mnt 2"), MountFlags::NOATIME), (PathBuf::from("/mnt"), strict)]);
    }

    #[test]
    fn a_folder_is_made_of_the_mounts_in_it() {
        let (plain, strict) = (MountFlags::RELATIME, MountFlags::RELATIME | MountFlags::NOEXEC);
        let there = [("/", plain), ("/usr", strict), ("/usr/local", plain), ("/usr/local", strict), ("/usr2", strict)]
            .map(|(place, flags)| (PathBuf::from(place), flags));
        let of = |folder: &str| parts(&there, Path::new(folder));
        assert_eq!(of("/etc"), [(PathBuf::new(), plain)]);
        assert_eq!(of("/usr/bin"), [(PathBuf::new(), strict)]);
        assert_eq!(of("/usr/local/lib"), [(PathBuf::new(), strict)], "the last one is seen");
        let whole = of("/usr");
        assert_eq!(whole[0], (PathBuf::new(), strict));
        assert_eq!(
            whole[1..].iter().map(|(below, _)| below.to_str()).collect::<Vec<_>>(),
            [Some("local"), Some("local")]
        );
    }

    #[test]
    fn versions_are_compared_by_number() {
        for (release, since) in [("6.14.0-37-generic", true), ("6.18.44-fc", true), ("7.0-rc1", true)] {
            assert_eq!(version(release) >= OWN_HIGHEST_ID_SINCE, since, "{release}");
        }
        for release in ["6.1.0-28-amd64", "6.9.12", "5.15.0", "strange", ""] {
            assert!(version(release) < OWN_HIGHEST_ID_SINCE, "{release}");
        }
    }

    #[test]
    fn only_escapes_are_decoded() {
        for (text, path) in [("/a\\040b", "/a b"), ("/a\\134b", "/a\\b"), ("/a\\9", "/a\\9"), ("/a\\", "/a\\")] {
            assert_eq!(unescape(text), Path::new(path));
        }
    }
}
