//! Enters the namespaces that the kernel allows.

use super::capability;
use crate::{Missing, Network, Part, Plan};
use rustix::process::{getgid, getuid};
use rustix::thread::{UnshareFlags, set_thread_groups};
use std::fs;
use std::io;

/// Enters namespaces; says which parts are missing.
pub(super) fn enter(plan: &Plan) -> Vec<Missing> {
    let mut missing = Vec::new();
    let mut note = |part: Part, done: io::Result<()>| {
        if let Err(error) = done {
            missing.push(Missing::new(part, error));
        }
    };
    note(Part::UserNamespace, user());
    // The ipc and host name namespaces are there wherever the mount namespace is.
    let mount = UnshareFlags::NEWNS | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    note(Part::MountNamespace, unshare(mount));
    note(Part::PidNamespace, unshare(UnshareFlags::NEWPID));
    if plan.network == Network::None {
        note(Part::NetworkNamespace, unshare(UnshareFlags::NEWNET));
    }
    missing
}

/// A user namespace in which the user is the only one, under the same number.
fn user() -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    // Only root can, and only root must.
    let _ = set_thread_groups(&[]);
    unshare(UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    // The inner process makes the mounts, and it is started with `execve`, which
    // takes the rights of everybody but root.
    capability::keep_over_exec()
}

#[allow(deprecated, reason = "only the flag for files is unsafe, and it is not used here")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}
