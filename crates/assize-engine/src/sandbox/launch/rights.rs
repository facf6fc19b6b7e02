//! Drops descriptors, capabilities and resources of a process, irrevocably.

use std::fs;
use std::io;

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::sandbox::wire::Resources;

/// Closes all descriptors except the three standard ones. All others were inherited at this point.
pub(super) fn close_inherited() -> io::Result<()> {
    let listing = fs::read_dir("/proc/self/fd")?;
    // Collected first, because the listing itself is an open descriptor until then.
    let open: Vec<i32> = listing.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        match nix::unistd::close(descriptor) {
            Ok(()) | Err(nix::errno::Errno::EBADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Asks the kernel to kill this process when its parent dies. `parent` is the expected parent, which may have died
/// before.
pub(super) fn die_with(parent: Option<u32>) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let now = rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
    match parent {
        Some(_) if now != parent => Err(io::Error::other("our parent is gone")),
        _ => Ok(()),
    }
}

/// Prevents other processes of the same user from inspecting or tracing this one.
pub(super) fn hide_ourselves() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Drops all capabilities, and the possibility to gain any by executing a program.
pub(super) fn drop_capabilities() -> io::Result<()> {
    let own = rustix::thread::capabilities(None)?;
    rustix::thread::clear_ambient_capability_set()?;
    if own.effective.contains(CapabilitySet::SETPCAP) {
        for bit in 0..u64::BITS {
            match rustix::thread::remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit)) {
                Ok(()) => {}
                // There is no capability with this number.
                Err(rustix::io::Errno::INVAL) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    // Required even if the bounding set could not be emptied.
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Sets kernel limits, which cannot be raised again.
pub(super) fn limit(resources: &Resources) -> io::Result<()> {
    let limits = [
        (Resource::Core, 0),
        (Resource::Cpu, resources.cpu_seconds),
        (Resource::Fsize, resources.file_bytes),
        (Resource::Nofile, resources.open_files),
        (Resource::Nproc, resources.processes),
        // Locked memory, queues and signals use memory of the kernel.
        (Resource::Memlock, 8 * 1024 * 1024),
        (Resource::Msgqueue, 1024 * 1024),
        (Resource::Rtprio, 0),
        (Resource::Nice, 0),
    ];
    for (resource, value) in limits {
        let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let value = Some(value.min(most));
        rustix::process::setrlimit(resource, Rlimit { current: value, maximum: value })?;
    }
    Ok(())
}
