//! Finds the descendants and the ancestors of a process, and ends processes reliably.
//!
//! Without `/proc` no descendant is found. This module must not know what the processes are for.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The most processes that are stopped in one round.
const KILLED_MAX: usize = 10_000;

/// The most ancestors of a process that are looked at.
const ANCESTORS_MAX: usize = 64;

/// Returns the children of a process, over all of its threads.
pub fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Returns the descendants of a process, up to a count. The count bounds the time that a fork bomb can cost.
pub fn descendants(root: u32, most: usize) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        for child in children(pid) {
            if found.len() == most {
                return found;
            }
            if seen.insert(child) {
                found.push(child);
                waiting.push(child);
            }
        }
    }
    found
}

/// Returns the names of the programs that this process descends from, the nearest first. Where there is no `/proc`, `ps` is asked.
pub fn ancestors() -> Vec<String> {
    let mut found = Vec::new();
    let mut pid = std::process::id();
    while found.len() < ANCESTORS_MAX {
        match parent(pid).filter(|parent| *parent > 0) {
            Some(parent) => pid = parent,
            None => break,
        }
        let program = fs::read_link(format!("/proc/{pid}/exe")).ok();
        let name = program.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        found.push(name.or_else(|| asked_of_ps(pid, "comm=")).unwrap_or_default());
    }
    found
}

/// Returns the parent of a process.
fn parent(pid: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    // The name of the program, in brackets, may hold anything.
    let of_proc =
        text.as_deref().and_then(|text| text.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok());
    of_proc.or_else(|| asked_of_ps(pid, "ppid=")?.parse().ok())
}

fn asked_of_ps(pid: u32, field: &str) -> Option<String> {
    if std::path::Path::new("/proc/self/stat").exists() {
        return None;
    }
    let output = std::process::Command::new("/bin/ps").args(["-o", field, "-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Kills what `find` returns until `none_left` confirms that nothing remains. First all are stopped, so that none can
/// start a replacement for a killed one. Returns whether nothing remains.
///
/// Processes are found one after the other. A chain of processes in which each starts the next and ends can be missed
/// by every search, so `none_left` must have another way to know.
pub fn end_all(
    mut find: impl FnMut(usize) -> Vec<u32>,
    mut none_left: impl FnMut() -> bool,
    deadline: Instant,
) -> bool {
    while Instant::now() < deadline {
        let mut stopped = HashSet::new();
        loop {
            let found = find(KILLED_MAX);
            if found.is_empty() && none_left() {
                return true;
            }
            let before = stopped.len();
            for pid in found {
                if stopped.insert(pid) {
                    signal(pid, Signal::STOP);
                }
            }
            if stopped.len() == before || Instant::now() >= deadline {
                break;
            }
        }
        for pid in stopped {
            signal(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Sends a signal to a process. Ignores that it may have ended.
pub fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Returns whether a process is dead, including one whose parent has not yet collected its status.
pub fn is_dead(pid: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    text.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_programs_above_us_are_named() {
        let above = ancestors();
        assert!(!above.is_empty() && above.iter().all(|name| !name.contains('/')), "{above:?}");
        let own = std::process::id();
        let mut shell = Command::new("sh").args(["-c", "sleep 30"]).stdout(Stdio::null()).spawn().expect("sh");
        assert_eq!(parent(shell.id()), Some(own));
        shell.kill().and_then(|()| shell.wait()).expect("ended");
    }

    #[test]
    fn processes_are_found_below_ours() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 30 & sleep 30"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh");
        let deadline = Instant::now() + Duration::from_secs(10);
        while descendants(shell.id(), 9).len() < 2 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let found = descendants(shell.id(), 9);
        assert_eq!(found.len(), 2);
        assert_eq!(descendants(shell.id(), 2).len(), 2, "at the limit");
        assert_eq!(descendants(shell.id(), 1).len(), 1, "one past it");
        let alive = |most| descendants(shell.id(), most).into_iter().filter(|pid| !is_dead(*pid)).collect();
        assert!(end_all(alive, || true, deadline));
        // What is killed dies a moment later.
        while !found.iter().all(|pid| is_dead(*pid)) {
            assert!(Instant::now() < deadline, "{found:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        shell.wait().expect("ended");
    }
}
