//! The files that exist inside: a new root with what the plan and the system give,
//! a `/tmp` of its own, a few devices, and the processes of the namespace.

use crate::Plan;
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// What every program may read and execute.
pub(super) const SYSTEM: &[&str] = &[
    "/bin",
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/sbin",
    "/usr",
];

/// Devices that hold nothing.
pub(super) const DEVICES: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// Folders of the new root in which the program may do anything.
pub(super) const SCRATCH: &[&str] = &["/dev/shm", "/tmp"];

/// Where the old root is while the new one is made.
const OLD: &str = "/.old";

/// Makes the new root, and makes it the root of this process.
pub(super) fn change(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let size = plan.limits.scratch_bytes;
    let options = CString::new(format!("size={size},nr_inodes=65536,mode=755"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", "/tmp", "tmpfs", flags, options.as_c_str())?;
    fs::create_dir("/tmp/.old")?;
    pivot_root("/tmp", "/tmp/.old")?;
    std::env::set_current_dir("/")?;
    for folder in SCRATCH {
        fs::create_dir_all(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))?;
    }
    for file in DEVICES {
        place(Path::new(file), Access::Write)?;
    }
    for (name, target) in [
        ("fd", "fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
    ] {
        symlink(format!("/proc/self/{target}"), format!("/dev/{name}"))?;
    }
    // A folder comes before what is in it.
    let write: BTreeSet<&PathBuf> = plan.write.iter().collect();
    let system = SYSTEM.iter().map(PathBuf::from);
    let all: BTreeSet<PathBuf> = system
        .chain(plan.read.iter().cloned())
        .chain(plan.write.iter().cloned())
        .collect();
    for path in &all {
        let access = match write.contains(path) {
            true => Access::Write,
            false => Access::Read,
        };
        place(path, access)?;
    }
    processes();
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)
}

#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    Write,
}

/// Puts a file or folder of the old root into the new one.
fn place(path: &Path, access: Access) -> io::Result<()> {
    let Ok(below) = path.strip_prefix("/") else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let from = Path::new(OLD).join(below);
    let Ok(kind) = fs::symlink_metadata(&from) else {
        // What the system lacks is not there inside, either.
        return Ok(());
    };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    if kind.is_symlink() {
        return symlink(fs::read_link(&from)?, path);
    }
    if kind.is_dir() {
        fs::create_dir_all(path)?;
        mount_bind_recursive(&from, path)?;
    } else {
        if !path.exists() {
            fs::write(path, "")?;
        }
        mount_bind(&from, path)?;
    }
    if access == Access::Read {
        // Landlock is the wall before writing; this is a second one, and the
        // kernel refuses it for some mounts.
        let _ = mount_remount(path, read_only(path)?, c"");
    }
    Ok(())
}

/// The flags of a mount that is only read. Those that it has must stay.
fn read_only(path: &Path) -> io::Result<MountFlags> {
    let has = statvfs(path)?.f_flag;
    let table = [
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = table.iter().filter(|(had, _)| has.contains(*had));
    let base = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID;
    Ok(kept.fold(base, |flags, (_, keep)| flags | *keep))
}

/// The processes of the pid namespace. A container may forbid it: then there is
/// no `/proc` inside.
fn processes() {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if fs::create_dir_all("/proc").is_ok() {
        let _ = mount("proc", "/proc", "proc", flags, None);
    }
}
