//! Seccomp: the system calls that the program does not get.

use super::rules::Own;
use crate::{Network, Plan, Programs};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use std::collections::BTreeMap;
use std::error::Error;

/// Calls that are refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    // Files, other than through a path.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Mounts and namespaces.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // Large parts of the kernel that a script does not need.
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_fanotify_init,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_perf_event_open,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    // The computer itself.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // A server.
    libc::SYS_listen,
];

/// Files that have no path, which Landlock lets everybody execute.
const PATHLESS: &[libc::c_long] = &[libc::SYS_memfd_create, libc::SYS_memfd_secret];

/// Memory, messages and semaphores that all programs of a computer share, unless
/// they are in a namespace of their own.
const SHARED: &[libc::c_long] = &[
    libc::SYS_mq_open,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// The flags of `clone` that make a namespace.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Bits of a file that make others run it with its owner's rights.
const AS_OWNER: [u64; 2] = [0o4000, 0o2000];
/// Calls that take such bits, and which argument has them.
const MODES: &[(libc::c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];
const FCHMODAT2: libc::c_long = 452;
/// Calls that take them if they make a file, and which arguments say that and which has them.
const OPENING: &[(libc::c_long, u8, u8)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];
const MAKING: [u64; 2] = [libc::O_CREAT as u64, 0o20_000_000];

/// Terminal calls that type for somebody else.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Which part of `type` in `socket` is the type.
const TYPE_MASK: u64 = 0xf;

type SeccompRules = BTreeMap<i64, Vec<SeccompRule>>;
type Fallible<T> = Result<T, Box<dyn Error>>;

/// Takes the calls away from this thread and all that it starts.
pub(super) fn apply(plan: &Plan, own: Own) -> Fallible<()> {
    // Their flags are out of a filter's sight. Programs that do not find them use
    // `clone` and `openat`.
    let newer = SeccompRules::from([libc::SYS_clone3, libc::SYS_openat2].map(|call| (call, Vec::new())));
    let absent = program(newer, libc::ENOSYS)?;
    apply_filter(&program(rules(plan, own)?, libc::EPERM)?)?;
    Ok(apply_filter(&absent)?)
}

fn program(rules: SeccompRules, error: libc::c_int) -> Fallible<BpfProgram> {
    let filter = SeccompFilter::new(
        both_tables(rules),
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

fn rules(plan: &Plan, own: Own) -> Fallible<SeccompRules> {
    let pathless = match plan.programs {
        Programs::All => &[],
        Programs::Only(_) => PATHLESS,
    };
    let shared = if own.root { &[] } else { SHARED };
    let mut rules: SeccompRules = [REFUSED, REFUSED_HERE, pathless, shared]
        .concat()
        .into_iter()
        .map(|call| (call, Vec::new()))
        .collect();
    let clone = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        when(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])
    });
    rules.insert(libc::SYS_clone, clone.collect::<Fallible<_>>()?);
    let typing = TYPING.map(|call| when(&[(1, SeccompCmpOp::Eq, call)]));
    rules.insert(libc::SYS_ioctl, typing.into_iter().collect::<Fallible<_>>()?);
    let set = |argument: u8, bits: u64| (argument, SeccompCmpOp::MaskedEq(bits), bits);
    for (call, mode) in MODES {
        let bits = AS_OWNER.map(|bit| when(&[set(*mode, bit)]));
        rules.insert(*call, bits.into_iter().collect::<Fallible<_>>()?);
    }
    for (call, flags, mode) in OPENING {
        let made = MAKING
            .iter()
            .flat_map(|making| AS_OWNER.map(|bit| when(&[set(*flags, *making), set(*mode, bit)])));
        rules.insert(*call, made.collect::<Fallible<_>>()?);
    }
    match &plan.network {
        Network::None => {
            rules.insert(libc::SYS_socket, Vec::new());
        }
        Network::TcpPorts(_) => tcp_only(&mut rules)?,
    }
    Ok(rules)
}

/// Only sockets that Landlock's rules of ports hold for: plain TCP, opened with `connect`.
fn tcp_only(rules: &mut SeccompRules) -> Fallible<()> {
    let (v4, v6) = (libc::AF_INET as u64, libc::AF_INET6 as u64);
    let (stream, tcp) = (libc::SOCK_STREAM as u64, libc::IPPROTO_TCP as u64);
    let mut socket = vec![
        when(&[(0, SeccompCmpOp::Ne, v4), (0, SeccompCmpOp::Ne, v6)])?,
        when(&[(2, SeccompCmpOp::Ne, 0), (2, SeccompCmpOp::Ne, tcp)])?,
    ];
    for kind in (0..=TYPE_MASK).filter(|kind| *kind != stream) {
        socket.push(when(&[(1, SeccompCmpOp::MaskedEq(TYPE_MASK), kind)])?);
    }
    rules.insert(libc::SYS_socket, socket);
    let fast = libc::MSG_FASTOPEN as u64;
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        rules.insert(call, vec![when(&[(flags, SeccompCmpOp::MaskedEq(fast), fast)])?]);
    }
    Ok(())
}

/// A rule: all of these arguments are so.
fn when(arguments: &[(u8, SeccompCmpOp, u64)]) -> Fallible<SeccompRule> {
    let conditions = arguments.iter().map(|(argument, op, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, op.clone(), *value)
    });
    Ok(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?)
}

/// The rules for both tables of calls that a 64-bit process of this computer can use. The second
/// one (x32) has the same calls under other numbers, and a few twice.
#[cfg(target_arch = "x86_64")]
fn both_tables(rules: SeccompRules) -> SeccompRules {
    const SECOND: i64 = 0x4000_0000;
    const TWICE: std::ops::RangeInclusive<i64> = 512..=547;
    let second = rules.clone().into_iter();
    let mut all: SeccompRules = second.map(|(call, rule)| (call | SECOND, rule)).collect();
    all.extend(TWICE.map(|call| (call | SECOND, Vec::new())));
    all.extend(rules);
    all
}

#[cfg(not(target_arch = "x86_64"))]
fn both_tables(rules: SeccompRules) -> SeccompRules {
    rules
}
