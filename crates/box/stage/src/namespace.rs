//! The process between: it enters the namespaces, starts the first process in them, and clears
//! away what is left of a stage.

use crate::first::FIRST;
use rustix::mount::{UnmountFlags, unmount};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set, set_capabilities,
    set_thread_groups,
};
use std::fs::{create_dir, remove_dir_all, write};
use std::io::{self, Error};
use std::path::Path;
use std::process::Command;

/// The argument that makes a program this process.
pub(crate) const ENTER: &str = "enter";
/// Where the stage's files are mounted, in its folder.
pub(crate) const ROOT: &str = "root";
/// The user and the group of a phone's shell.
pub(crate) const SHELL: u32 = 2000;

/// Enters the namespaces, and waits for the first process in them.
pub(crate) fn enter(folder: &str, rest: &[&str]) -> io::Result<()> {
    let root = Path::new(folder).join(ROOT);
    create_dir(&root)?;
    let ended = begin().and_then(|()| {
        let mut first = Command::new("/proc/self/exe");
        // Its standard input is what listens, its output who waits for a word.
        first.arg(FIRST).arg(folder).args(rest).status()
    });
    let _ = unmount(&root, UnmountFlags::DETACH);
    remove_dir_all(folder)?;
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::other(format!("the first process of the stage ended with {status}"))),
        Err(error) => Err(error),
    }
}

#[allow(deprecated, reason = "only the flag for files is unsafe, and it is not used here")]
fn begin() -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    // Only root can, and only root must.
    let _ = set_thread_groups(&[]);
    let refused = |error| Error::other(format!("namespaces are refused: {error}"));
    rustix::thread::unshare(
        UnshareFlags::NEWUSER
            | UnshareFlags::NEWNS
            | UnshareFlags::NEWPID
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWUTS
            | UnshareFlags::NEWIPC,
    )
    .map_err(refused)?;
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", format!("{SHELL} {user} 1"))?;
    write("/proc/self/gid_map", format!("{SHELL} {group} 1"))?;
    // The first process mounts; without this it would lose the right at its start.
    let has = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: has.permitted, ..has })?;
    for one in has.permitted.iter() {
        configure_capability_in_ambient_set(one, true)?;
    }
    Ok(())
}
