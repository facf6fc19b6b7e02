//! Faults of the machine, told by what tools of every kind print when they meet one.
//!
//! They say nothing of the code. A run that came to no result is asked about, and a test that fails on the base as well: one that
//! fails with the change alone because of such a fault is a test that fails. This module must not know any tool.

use super::{GateOutput, GateTrouble};

/// What tools print, in small letters, and what it means.
const SIGNS: &[(&str, &str)] = &[
    ("read-only file system", "it writes to a folder that is read-only in the sandbox"),
    ("erofs:", "it writes to a folder that is read-only in the sandbox"),
    ("os error 30", "it writes to a folder that is read-only in the sandbox"),
    ("no space left on device", "the disk, or the sandbox's part of it, is full"),
    ("disk quota exceeded", "the disk quota is used up"),
    ("cannot allocate memory", "the memory is used up"),
    ("temporary failure in name resolution", "it needs the network"),
    ("could not resolve host", "it needs the network"),
    ("name or service not known", "it needs the network"),
    ("network is unreachable", "it needs the network"),
    ("getaddrinfo eai_again", "it needs the network"),
    ("getaddrinfo enotfound", "it needs the network"),
    ("eai_again", "it needs the network"),
    ("enotcached", "a package is not in the local cache"),
    ("dial tcp: lookup", "it needs the network"),
    ("module lookup disabled by goproxy=off", "a module is not in the local cache"),
    ("unknownhostexception", "it needs the network"),
    ("in offline mode and the artifact", "an artifact is not in the local repository"),
    ("no cached version", "a package is not in the local cache"),
    ("attempting to make an http request, but --offline was specified", "a package is not in the local cache"),
    ("perhaps you need to fetch it with `cargo fetch`", "a package is not in the local cache"),
    ("you may want to use the `--offline` flag", "it needs the network"),
    ("is not installed for the toolchain", "a component of the toolchain is not installed"),
    ("rustup could not choose a version of", "no toolchain is chosen"),
];

/// The most bytes of an output that are searched, from its end.
const SEARCHED_BYTES_MAX: usize = 64 * 1024;

/// Says which fault of the machine kept a run from a result, with the line that tells; `None` where it was something
/// else.
pub(super) fn fault(trouble: GateTrouble, output: &GateOutput) -> Option<String> {
    let kept = matches!(
        trouble,
        GateTrouble::Crashed | GateTrouble::NoReport | GateTrouble::NoTests | GateTrouble::Contradiction
    );
    if kept { sign(output) } else { None }
}

/// Returns whether an output tells of a fault of the machine.
pub(super) fn is_at_fault(output: &GateOutput) -> bool {
    sign(output).is_some()
}

/// Returns whether a text tells of a fault of the machine.
pub(crate) fn is_said_in(text: &str) -> bool {
    let small = text.to_lowercase();
    SIGNS.iter().any(|(sign, _)| small.contains(sign))
}

fn sign(output: &GateOutput) -> Option<String> {
    [&output.stderr, &output.stdout].into_iter().find_map(|stream| {
        let end = &stream[stream.len().saturating_sub(SEARCHED_BYTES_MAX)..];
        let text = String::from_utf8_lossy(end);
        text.lines().find_map(|line| {
            let small = line.to_lowercase();
            let (_, meaning) = SIGNS.iter().find(|(sign, _)| small.contains(sign))?;
            Some(format!("{meaning}: {}", assize_core::text::beginning(line.trim(), 200)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_result_is_asked_and_no_other() {
        let output = |stderr: &str| GateOutput { stderr: stderr.into(), ..GateOutput::default() };
        let full = output("note: x\nerror: could not write: No space left on device (os error 28)\n");
        let says = "the disk, or the sandbox's part of it, is full: error: could not write: No space left on device (os error 28)";
        assert_eq!(fault(GateTrouble::Crashed, &full).as_deref(), Some(says));
        for other in [GateTrouble::Forged, GateTrouble::TimedOut, GateTrouble::OverLimit, GateTrouble::MissingTool] {
            assert_eq!(fault(other, &full), None, "{other:?}");
        }
        assert_eq!(fault(GateTrouble::Crashed, &output("thread 'main' panicked")), None);
    }

    #[test]
    fn an_output_is_searched_from_its_end() {
        let at = |after: usize| {
            let stdout = format!("EROFS: x{}", " ".repeat(after)).into_bytes();
            fault(GateTrouble::NoReport, &GateOutput { stdout, ..GateOutput::default() }).is_some()
        };
        assert!(at(SEARCHED_BYTES_MAX - 8) && !at(SEARCHED_BYTES_MAX - 7));
    }
}
