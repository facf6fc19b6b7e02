//! The system calls that a job may not make.
//!
//! The list names refused calls. All calls that are newer than the list are refused too, until they have been
//! reviewed. A refused call fails as on a kernel that lacks it or for a user without the right, so that programs fall
//! back. Only calls of a foreign architecture kill the process, because their numbers have other meanings.
//!
//! The tables contain data for two architectures, and both are tested on either. This module must not know what the
//! calls protect; it only builds filters.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::wire::CallFilter;

/// The numbers of a call on x86-64 and on aarch64; -1 if there is none.
type SyscallNumbers = (i64, i64);

const EPERM: u32 = 1;
const ENOSYS: u32 = 38;

/// The last reviewed call: `file_setattr`, of Linux 6.17. Newer ones do not exist for a job.
const REVIEWED_LAST: u32 = 469;
/// Calls of the x32 variant of x86-64 have this bit.
const X32_BIT: u32 = 0x4000_0000;

/// Calls that do not exist for a job: programs have an alternative for each.
const ABSENT: &[(&str, SyscallNumbers)] = &[
    // Their arguments are in memory, where a filter cannot see them.
    ("clone3", (435, 435)),
    ("openat2", (437, 437)),
    // Would allow most calls to bypass this filter.
    ("io_uring_setup", (425, 425)),
    ("io_uring_enter", (426, 426)),
    ("io_uring_register", (427, 427)),
];

/// Calls that are refused whatever their arguments are.
const REFUSED: &[(&str, SyscallNumbers)] = &[
    // Mounts and roots.
    ("mount", (165, 40)),
    ("umount2", (166, 39)),
    ("pivot_root", (155, 41)),
    ("chroot", (161, 51)),
    ("open_tree", (428, 428)),
    ("open_tree_attr", (467, 467)),
    ("move_mount", (429, 429)),
    ("fsopen", (430, 430)),
    ("fsconfig", (431, 431)),
    ("fsmount", (432, 432)),
    ("fspick", (433, 433)),
    ("mount_setattr", (442, 442)),
    ("swapon", (167, 224)),
    ("swapoff", (168, 225)),
    ("quotactl", (179, 60)),
    ("quotactl_fd", (443, 443)),
    ("nfsservctl", (180, 42)),
    // Namespaces.
    ("setns", (308, 268)),
    // Other processes.
    ("ptrace", (101, 117)),
    ("process_vm_readv", (310, 270)),
    ("process_vm_writev", (311, 271)),
    ("kcmp", (312, 272)),
    ("pidfd_getfd", (438, 438)),
    // The machine.
    ("kexec_load", (246, 104)),
    ("kexec_file_load", (320, 294)),
    ("init_module", (175, 105)),
    ("finit_module", (313, 273)),
    ("delete_module", (176, 106)),
    ("create_module", (174, -1)),
    ("query_module", (178, -1)),
    ("get_kernel_syms", (177, -1)),
    ("reboot", (169, 142)),
    ("iopl", (172, -1)),
    ("ioperm", (173, -1)),
    ("modify_ldt", (154, -1)),
    ("acct", (163, 89)),
    ("settimeofday", (164, 170)),
    ("clock_settime", (227, 112)),
    ("clock_adjtime", (305, 266)),
    ("adjtimex", (159, 171)),
    ("syslog", (103, 116)),
    ("sethostname", (170, 161)),
    ("setdomainname", (171, 162)),
    ("vhangup", (153, 58)),
    ("lookup_dcookie", (212, 18)),
    ("_sysctl", (156, -1)),
    ("uselib", (134, -1)),
    ("ustat", (136, -1)),
    ("sysfs", (139, -1)),
    // Attack surface of the kernel that no build needs.
    ("bpf", (321, 280)),
    ("perf_event_open", (298, 241)),
    ("userfaultfd", (323, 282)),
    ("fanotify_init", (300, 262)),
    ("name_to_handle_at", (303, 264)),
    ("open_by_handle_at", (304, 265)),
    ("move_pages", (279, 239)),
    ("migrate_pages", (256, 238)),
    // Keyrings belong to the user, not to a namespace.
    ("keyctl", (250, 219)),
    ("add_key", (248, 217)),
    ("request_key", (249, 218)),
];

/// Calls that reach other processes of this machine if no namespace separates them.
const REFUSED_SHARED: &[(&str, SyscallNumbers)] =
    &[("shmget", (29, 194)), ("msgget", (68, 186)), ("semget", (64, 190)), ("mq_open", (240, 180))];

const SHMGET: SyscallNumbers = (29, 194);
/// The largest shared memory segment if nothing else limits memory. There may be 4096 segments, and unmapped ones are
/// attributed to no process.
const SEGMENT_BYTES_MAX: u64 = 1024 * 1024;

const SOCKET: SyscallNumbers = (41, 198);
const CLONE: SyscallNumbers = (56, 220);
const UNSHARE: SyscallNumbers = (272, 97);
const PERSONALITY: SyscallNumbers = (135, 92);
const IOCTL: SyscallNumbers = (16, 29);

/// Flags of `clone` and `unshare` that create a namespace.
const NAMESPACES: &[u64] = &[0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
/// The same for time, which has another meaning for `clone`.
const NAMESPACE_TIME: u64 = 0x80;

/// The allowed kinds of sockets: Unix, IPv4, IPv6 and netlink.
const SOCKETS: &[u64] = &[1, 2, 10, NETLINK];
const NETLINK: u64 = 16;
/// The only allowed netlink family: the network interfaces of the job's namespace.
const NETLINK_ROUTE: u64 = 0;

/// The allowed personalities: the plain ones, those that only change what `uname` reports, the one without address
/// randomisation that sanitizers need, and the query.
const PERSONALITIES: &[u64] = &[0, 8, 0x2_0000, 0x2_0008, 0x4_0000, 0xffff_ffff];

/// Requests to a terminal that insert input or act on a console.
const TERMINAL_REQUESTS: &[u64] = &[0x5412, 0x541c, 0x541d];

/// The set-user-id and set-group-id bits. A job's files belong to the user outside, so such a program would give that
/// user's rights to anyone who runs it.
const LENDING: &[u64] = &[0o4000, 0o2000];
/// Calls that set a mode, and the argument with the mode.
const MODES: &[(&str, SyscallNumbers, u8)] = &[
    ("chmod", (90, -1), 1),
    ("fchmod", (91, 52), 1),
    ("fchmodat", (268, 53), 2),
    ("fchmodat2", (452, 452), 2),
    ("creat", (85, -1), 1),
    ("mknod", (133, -1), 1),
    ("mknodat", (259, 33), 2),
];
/// Calls that set a mode if a flag in the argument before it says so.
const OPENS: &[(&str, SyscallNumbers, u8)] = &[("open", (2, -1), 2), ("openat", (257, 56), 3)];
/// Those flags: the call creates a file, with or without a name.
const MAKES: &[u64] = &[0o100, 0o20_000_000];
/// Calls that create a device, and the argument that says so.
const DEVICES: &[(SyscallNumbers, u8)] = &[((133, -1), 1), ((259, 33), 2)];
const MODE_KIND: u64 = 0o170_000;
const KINDS_OF_DEVICES: &[u64] = &[0o020_000, 0o060_000];

fn on(arch: TargetArch, numbers: SyscallNumbers) -> Option<i64> {
    let number = if arch == TargetArch::x86_64 { numbers.0 } else { numbers.1 };
    (number >= 0).then_some(number)
}

type SeccompRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Makes a rule from conditions on a call's arguments. Sizes are 64 bits wide; for all other arguments, the kernel and
/// this filter use 32 bits.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    let conditions: Result<Vec<_>, _> = conditions
        .iter()
        .map(|(argument, operator, value)| {
            let is_size = matches!(operator, SeccompCmpOp::Gt);
            let width = if is_size { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
            SeccompCondition::new(*argument, width, operator.clone(), *value)
        })
        .collect();
    SeccompRule::new(conditions?)
}

fn bit(bit: u64) -> SeccompCmpOp {
    SeccompCmpOp::MaskedEq(bit)
}

fn refused(arch: TargetArch, calls: CallFilter) -> Result<SeccompRules, BackendError> {
    let mut rules = SeccompRules::new();
    let shared = if matches!(calls, CallFilter::Contained { .. }) { &[] } else { REFUSED_SHARED };
    for (_, numbers) in REFUSED.iter().chain(shared) {
        rules.extend(on(arch, *numbers).map(|number| (number, Vec::new())));
    }
    let mut add = |numbers: SyscallNumbers, rule: SeccompRule| {
        if let Some(number) = on(arch, numbers) {
            rules.entry(number).or_default().push(rule);
        }
    };
    for flag in NAMESPACES {
        add(CLONE, rule(&[(0, bit(*flag), *flag)])?);
        add(UNSHARE, rule(&[(0, bit(*flag), *flag)])?);
    }
    add(UNSHARE, rule(&[(0, bit(NAMESPACE_TIME), NAMESPACE_TIME)])?);
    add(PERSONALITY, rule(&PERSONALITIES.iter().map(|known| (0, SeccompCmpOp::Ne, *known)).collect::<Vec<_>>())?);
    for request in TERMINAL_REQUESTS {
        add(IOCTL, rule(&[(1, SeccompCmpOp::Eq, *request)])?);
    }
    for lending in LENDING {
        for (_, numbers, mode) in MODES {
            add(*numbers, rule(&[(*mode, bit(*lending), *lending)])?);
        }
        for (_, numbers, mode) in OPENS {
            for makes in MAKES {
                add(*numbers, rule(&[(*mode - 1, bit(*makes), *makes), (*mode, bit(*lending), *lending)])?);
            }
        }
    }
    for (numbers, mode) in DEVICES {
        for kind in KINDS_OF_DEVICES {
            add(*numbers, rule(&[(*mode, bit(MODE_KIND), *kind)])?);
        }
    }
    if calls == (CallFilter::Contained { memory_held: false }) {
        add(SHMGET, rule(&[(1, SeccompCmpOp::Gt, SEGMENT_BYTES_MAX)])?);
    }
    if calls == (CallFilter::Shared { network: false }) {
        // Without a network namespace, every socket leads out.
        rules.extend(on(arch, SOCKET).map(|number| (number, Vec::new())));
    } else {
        add(SOCKET, rule(&SOCKETS.iter().map(|known| (0, SeccompCmpOp::Ne, *known)).collect::<Vec<_>>())?);
        add(SOCKET, rule(&[(0, SeccompCmpOp::Eq, NETLINK), (2, SeccompCmpOp::Ne, NETLINK_ROUTE)])?);
    }
    Ok(rules)
}

/// Returns the filters for an architecture, to be applied in order. The kernel runs all of them and applies the
/// strictest result.
pub(super) fn filters(arch: TargetArch, calls: CallFilter) -> Result<Vec<BpfProgram>, BackendError> {
    let absent = ABSENT.iter().filter_map(|(_, numbers)| Some((on(arch, *numbers)?, Vec::new()))).collect();
    let build = |rules, errno| {
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), arch)
            .and_then(BpfProgram::try_from)
    };
    Ok(vec![build(refused(arch, calls)?, EPERM)?, build(absent, ENOSYS)?, unknown()])
}

/// Returns a filter for calls that were not reviewed, which rules about single calls cannot express. The other filters
/// have already checked the architecture.
fn unknown() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_NUMBER, 0, 0, 0),
        step(JUMP_IF_GREATER_OR_EQUAL, 0, 1, X32_BIT),
        step(RETURN, 0, 0, SeccompAction::KillProcess.into()),
        step(JUMP_IF_GREATER_OR_EQUAL, 0, 1, REVIEWED_LAST + 1),
        step(RETURN, 0, 0, SeccompAction::Errno(ENOSYS).into()),
        step(RETURN, 0, 0, SeccompAction::Allow.into()),
    ]
}

/// Refuses the calls to this process and to everything that it becomes or starts.
pub(super) fn refuse(calls: CallFilter) -> Result<(), String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    if !matches!(arch, TargetArch::x86_64 | TargetArch::aarch64) {
        return Err(format!("the system calls of {} are in no table", std::env::consts::ARCH));
    }
    for filter in filters(arch, calls).map_err(|error| error.to_string())? {
        seccompiler::apply_filter(&filter).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCHES: [(TargetArch, u32); 2] = [(TargetArch::x86_64, 0xc000_003e), (TargetArch::aarch64, 0xc000_00b7)];
    const CONTAINED: CallFilter = CallFilter::Contained { memory_held: true };
    const ALLOW: u32 = 0x7fff_0000;
    const KILL: u32 = 0x8000_0000;
    const REFUSE: u32 = 0x0005_0000 | EPERM;
    const LACK: u32 = 0x0005_0000 | ENOSYS;

    /// Runs a filter as the kernel does. Supports only the instructions that these filters use.
    fn run(program: &[sock_filter], number: u32, arch: u32, arguments: &[u64]) -> u32 {
        let mut data = vec![number, arch, 0, 0];
        for index in 0..6 {
            let argument = arguments.get(index).copied().unwrap_or(0);
            data.extend([argument as u32, (argument >> 32) as u32]);
        }
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let jump = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            match step.code {
                0x20 => accumulator = data[step.k as usize / 4],
                0x54 => accumulator &= step.k,
                0x05 => at += step.k as usize,
                0x15 => at += jump(accumulator == step.k),
                0x25 => at += jump(accumulator > step.k),
                0x35 => at += jump(accumulator >= step.k),
                0x06 => return step.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    fn decide(arch: TargetArch, calls: CallFilter, number: u32, audit: u32, arguments: &[u64]) -> u32 {
        let answers = filters(arch, calls).expect("filters").into_iter();
        let strictness = |answer: u32| match answer {
            KILL => 0,
            ALLOW => 2,
            _ => 1,
        };
        answers
            .map(|filter| run(&filter, number, audit, arguments))
            .min_by_key(|answer| strictness(*answer))
            .expect("one")
    }

    /// Checks a call by its numbers on both architectures; the result must be the same.
    fn asked(calls: CallFilter, numbers: SyscallNumbers, arguments: &[u64]) -> u32 {
        let answers: Vec<_> = ARCHES
            .iter()
            .filter_map(|(arch, audit)| {
                Some(decide(*arch, calls, u32::try_from(on(*arch, numbers)?).ok()?, *audit, arguments))
            })
            .collect();
        assert!(!answers.is_empty() && answers.iter().all(|answer| *answer == answers[0]), "{numbers:?} {answers:?}");
        answers[0]
    }

    #[test]
    fn what_is_listed_is_refused_and_the_rest_is_not() {
        for (name, numbers) in REFUSED {
            assert_eq!(asked(CONTAINED, *numbers, &[]), REFUSE, "{name}");
        }
        for (name, numbers) in ABSENT {
            assert_eq!(asked(CONTAINED, *numbers, &[]), LACK, "{name}");
        }
        let plain = [
            ("read", (0, 63)),
            ("write", (1, 64)),
            ("execve", (59, 221)),
            ("exit_group", (231, 94)),
            ("kill", (62, 129)),
        ];
        for (name, numbers) in plain.into_iter().chain(REFUSED_SHARED.iter().copied()) {
            assert_eq!(asked(CONTAINED, numbers, &[]), ALLOW, "{name}");
        }
        for (name, numbers) in REFUSED_SHARED {
            assert_eq!(asked(CallFilter::Shared { network: true }, *numbers, &[]), REFUSE, "{name}");
        }
    }

    #[test]
    fn arguments_decide_where_they_matter() {
        const CHMOD: SyscallNumbers = (91, 52);
        const OPENAT: SyscallNumbers = (257, 56);
        const MKNODAT: SyscallNumbers = (259, 33);
        let high = 0xdead_beef_0000_0000;
        let table: &[(&str, SyscallNumbers, &[u64], u32)] = &[
            ("a thread", CLONE, &[0x003d_0f00], ALLOW),
            ("fork", CLONE, &[0x0120_0011], ALLOW),
            ("clone with a user namespace", CLONE, &[0x1000_0011], REFUSE),
            ("clone with a mount namespace", CLONE, &[0x0002_0000], REFUSE),
            ("clone with a namespace and bits above", CLONE, &[high | 0x4000_0000], REFUSE),
            ("unshare of files", UNSHARE, &[0x0400], ALLOW),
            ("unshare of the user", UNSHARE, &[0x1000_0000], REFUSE),
            ("unshare of time", UNSHARE, &[0x80], REFUSE),
            ("personality as it is", PERSONALITY, &[0xffff_ffff], ALLOW),
            ("personality as it is, sign extended", PERSONALITY, &[u64::MAX], ALLOW),
            ("personality without randomisation", PERSONALITY, &[0x4_0000], ALLOW),
            ("personality that executes data", PERSONALITY, &[0x40_0000], REFUSE),
            ("window size", IOCTL, &[0, 0x5413], ALLOW),
            ("typing into a terminal", IOCTL, &[0, 0x5412], REFUSE),
            ("typing with bits above", IOCTL, &[0, high | 0x5412], REFUSE),
            ("console", IOCTL, &[0, 0x541c], REFUSE),
            ("Unix socket", SOCKET, &[1, 1, 0], ALLOW),
            ("IPv4", SOCKET, &[2, 1, 0], ALLOW),
            ("IPv6", SOCKET, &[10, 2, 17], ALLOW),
            ("netlink for interfaces", SOCKET, &[16, 3, 0], ALLOW),
            ("netlink for audit", SOCKET, &[16, 3, 9], REFUSE),
            ("kernel cryptography", SOCKET, &[38, 5, 0], REFUSE),
            ("virtual machine", SOCKET, &[40, 1, 0], REFUSE),
            ("packets", SOCKET, &[17, 3, 0], REFUSE),
            ("mode", CHMOD, &[0, 0o755], ALLOW),
            ("set-user-id", CHMOD, &[0, 0o4755], REFUSE),
            ("set-group-id", CHMOD, &[0, 0o2755], REFUSE),
            ("sticky", CHMOD, &[0, 0o1777], ALLOW),
            ("open", OPENAT, &[0, 0, 0, 0o6777], ALLOW),
            ("make", OPENAT, &[0, 0, 0o101, 0o644], ALLOW),
            ("make set-user-id", OPENAT, &[0, 0, 0o101, 0o4755], REFUSE),
            ("make set-user-id without a name", OPENAT, &[0, 0, 0o20_200_001, 0o4755], REFUSE),
            ("pipe", MKNODAT, &[0, 0, 0o010_644], ALLOW),
            ("character device", MKNODAT, &[0, 0, 0o020_644], REFUSE),
            ("block device", MKNODAT, &[0, 0, 0o060_644], REFUSE),
            ("set-user-id file", MKNODAT, &[0, 0, 0o104_755], REFUSE),
        ];
        for (what, numbers, arguments, expected) in table {
            assert_eq!(asked(CONTAINED, *numbers, arguments), *expected, "{what}");
        }
        let unheld = CallFilter::Contained { memory_held: false };
        for (calls, size, expected) in [
            (unheld, SEGMENT_BYTES_MAX, ALLOW),
            (unheld, SEGMENT_BYTES_MAX + 1, REFUSE),
            (unheld, 1 << 32, REFUSE),
            (CONTAINED, 1 << 32, ALLOW),
        ] {
            assert_eq!(asked(calls, SHMGET, &[0, size, 0o600]), expected, "{size}");
        }
        assert_eq!(asked(CallFilter::Shared { network: false }, SOCKET, &[1, 1, 0]), REFUSE);
        assert_eq!(asked(CallFilter::Shared { network: true }, SOCKET, &[2, 1, 0]), ALLOW);
    }

    #[test]
    fn unlisted_calls_are_refused_as_missing() {
        for (arch, audit) in ARCHES {
            let answer = |number| decide(arch, CONTAINED, number, audit, &[]);
            assert_eq!(answer(REVIEWED_LAST), ALLOW);
            assert_eq!(answer(REVIEWED_LAST + 1), LACK);
            assert_eq!(answer(X32_BIT - 1), LACK);
            assert_eq!(answer(X32_BIT), KILL, "x32");
            assert_eq!(answer(u32::MAX), KILL);
        }
    }

    #[test]
    fn a_foreign_architecture_kills() {
        for (arch, audit) in ARCHES {
            for foreign in [0x4000_0003, 0x4000_0028, 0xc000_003e, 0xc000_00b7] {
                if foreign != audit {
                    assert_eq!(decide(arch, CONTAINED, 0, foreign, &[]), KILL, "{foreign:#x}");
                }
            }
        }
    }

    #[test]
    fn names_are_listed_once_and_numbers_mean_one_call() {
        let all: Vec<_> = REFUSED.iter().chain(ABSENT).chain(REFUSED_SHARED).copied().collect();
        for (index, (name, numbers)) in all.iter().enumerate() {
            for (other, others) in &all[index + 1..] {
                assert_ne!(name, other);
                assert!(numbers.0 < 0 || numbers.0 != others.0, "{name} {other}");
                assert!(numbers.1 < 0 || numbers.1 != others.1, "{name} {other}");
            }
        }
    }
}
