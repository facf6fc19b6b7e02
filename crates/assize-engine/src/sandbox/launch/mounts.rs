//! Namespaces, and what is mounted in them, where bubblewrap doesn't do it.
//!
//! The new root is put together below an empty folder of the old one, and then the old one goes.

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

use super::{Failure, Step};
use crate::sandbox::host::UID_INSIDE;
use crate::sandbox::plan::Mount;

/// What the second stage needs to do its work, in its own namespaces only. The kernel takes
/// capabilities from who executes a program, unless they are ambient.
const NEEDED: [CapabilitySet; 3] = [CapabilitySet::SYS_ADMIN, CapabilitySet::NET_ADMIN, CapabilitySet::SETPCAP];
/// The host name inside.
const HOST_NAME: &[u8] = b"assize";
/// Devices that every program expects.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
/// Files and folders that a folder in memory may hold: each takes memory that its size doesn't count.
const MEMORY_ENTRIES_MAX: u64 = 1_000_000;

/// Puts this process into new namespaces; the PID namespace begins with its first child. It is the
/// same user outside, and another one inside.
pub(super) fn separate(user: (u32, u32), network: bool) -> io::Result<()> {
    let mut kinds = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    kinds.set(CloneFlags::CLONE_NEWNET, !network);
    nix::sched::unshare(kinds)?;
    // An ordinary user may map groups only after giving up to change them.
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

/// Since when a PID namespace has a highest process id of its own. Before, it is the machine's.
const OWN_HIGHEST_ID_SINCE: (u32, u32) = (6, 14);
/// Process ids that are used only once before the count begins anew.
const RESERVED_IDS: u64 = 300;

/// Mounts what the job sees and makes it the root.
pub(super) fn furnish(base: &Path, mounts: &[Mount], processes: u64) -> Result<(), Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).step("detach the mounts")?;
    memory(base, 16 * 1024 * 1024).step("mount a new root")?;
    for step in mounts {
        take(base, step).step(&format!("mount {step:?}"))?;
        if *step == Mount::Processes {
            limit_ids(&base.join("proc"), processes);
        }
    }
    let old = base.join(".old");
    fs::create_dir(&old).step("make room for the old root")?;
    rustix::process::pivot_root(base, &old).step("change the root")?;
    rustix::process::chdir("/").step("enter the new root")?;
    unmount("/.old", UnmountFlags::DETACH).step("leave the old root")?;
    fs::remove_dir("/.old").step("leave the old root")?;
    seal(Path::new("/"), true).step("seal the new root")
}

/// Returns where something is while the new root is not yet the root.
fn at(base: &Path, inside: &Path) -> PathBuf {
    base.join(inside.strip_prefix("/").unwrap_or(inside))
}

fn take(base: &Path, step: &Mount) -> io::Result<()> {
    match step {
        Mount::Bind { from, to, write } => bind(from, &at(base, to), *write),
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
            Ok(mount("proc", &to, "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)?)
        }
        Mount::Devices => devices(&base.join("dev")),
        Mount::Seal { to } => seal(&at(base, to), false),
    }
}

fn memory(to: &Path, bytes: u64) -> io::Result<()> {
    let options = format!("mode=0755,size={bytes},nr_inodes={MEMORY_ENTRIES_MAX}\0");
    let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).map_err(io::Error::other)?;
    Ok(mount("tmpfs", to, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)?)
}

/// Limits the processes of the namespace by their ids: the only such limit of the kernel that binds
/// root where no control group can be made.
fn limit_ids(proc: &Path, processes: u64) {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version >= OWN_HIGHEST_ID_SINCE {
        // What it limits is watched as well.
        let _ = fs::write(proc.join("sys/kernel/pid_max"), (processes + RESERVED_IDS).to_string());
    }
}

fn devices(to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    memory(to, 1024 * 1024)?;
    for name in DEVICES {
        let from = Path::new("/dev").join(name);
        fs::write(to.join(name), "")?;
        mount_bind(&from, &to.join(name))?;
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

fn bind(from: &Path, to: &Path, write: bool) -> io::Result<()> {
    if fs::metadata(from)?.is_dir() {
        fs::create_dir_all(to)?;
    } else if fs::symlink_metadata(to).is_err() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, "")?;
    }
    mount_bind_recursive(from, to)?;
    // Each mount in it is one of its own. What came from outside keeps what it had: the kernel
    // insists.
    let canonical = fs::canonicalize(to)?;
    for (place, had) in mounted(&canonical)? {
        let mut flags = had | MountFlags::NOSUID | MountFlags::NODEV;
        flags.set(MountFlags::RDONLY, !write || had.contains(MountFlags::RDONLY));
        match mount_remount(&place, flags | MountFlags::BIND, c"") {
            Ok(()) => {}
            // It is closed to us, and so it is to the job.
            Err(rustix::io::Errno::ACCESS) if place != canonical => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Makes a mount read-only; what is mounted in it stays as it is.
fn seal(to: &Path, root: bool) -> io::Result<()> {
    let canonical = fs::canonicalize(to)?;
    let had = mounted(&canonical)?.into_iter().rev().find(|(place, _)| *place == canonical).map(|(_, flags)| flags);
    let had = had.ok_or_else(|| io::Error::other("nothing is mounted there"))?;
    let own = if root { MountFlags::NOSUID | MountFlags::NODEV } else { MountFlags::NOSUID };
    Ok(mount_remount(&canonical, had | own | MountFlags::RDONLY | MountFlags::BIND, c"")?)
}

/// Returns what is mounted at and below a place, with its flags.
fn mounted(place: &Path) -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let text =
        fs::read_to_string("/proc/self/mountinfo").or_else(|_| fs::read_to_string("/proc/thread-self/mountinfo"))?;
    Ok(read_mounts(&text).filter(|(at, _)| at.starts_with(place)).collect())
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

/// Undoes the octal escapes of the mount table.
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

/// Sets the loopback interface of a new network namespace up: test suites talk to themselves.
pub(super) fn wake_loopback() -> io::Result<()> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    /// The first interface of every namespace.
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;
    let socket =
        // Without a protocol it is the one about interfaces.
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
    fn escapes_are_undone_and_what_is_none_is_left() {
        for (text, path) in [("/a\\040b", "/a b"), ("/a\\134b", "/a\\b"), ("/a\\9", "/a\\9"), ("/a\\", "/a\\")] {
            assert_eq!(unescape(text), Path::new(path));
        }
    }
}
