//! The files that exist inside: a new root with what the plan and the system give,
//! a `/tmp` of its own, a few devices, and the processes of the namespace.

use crate::runnable::forbid_start;
use crate::wire::LaunchOrder;
use crate::{Plan, Programs};
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
pub(crate) const SYSTEM: &[&str] = &[
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

pub(super) const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// Folders of the new root in which the program may do anything.
pub(super) const SCRATCH: &[&str] = &["/dev/shm", "/tmp"];

/// Where the old root is while the new one is made.
const OLD: &str = "/.old";

/// Mounts what becomes the new root. If that fails, nothing has changed.
pub(super) fn begin(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let size = plan.limits.scratch_bytes;
    let options = CString::new(format!("size={size},nr_inodes=65536,mode=755"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | not_run(plan);
    Ok(mount("tmpfs", "/tmp", "tmpfs", flags, options.as_c_str())?)
}

/// Makes the root that was begun the root of this process.
pub(super) fn change(order: &LaunchOrder) -> io::Result<()> {
    let plan = &order.plan;
    fs::create_dir("/tmp/.old")?;
    pivot_root("/tmp", "/tmp/.old")?;
    std::env::set_current_dir("/")?;
    for folder in SCRATCH {
        fs::create_dir_all(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))?;
    }
    for file in DEVICES {
        // They can be written to all the same; their rights and times cannot.
        place(Path::new(file), MountFlags::RDONLY)?;
    }
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(format!("/proc/self/{target}"), format!("/dev/{name}"))?;
    }
    // A folder comes before what is in it.
    let write: BTreeSet<&PathBuf> = plan.write.iter().collect();
    let system = SYSTEM.iter().map(PathBuf::from);
    let all: BTreeSet<PathBuf> =
        system.chain(plan.read.iter().cloned()).chain(plan.write.iter().cloned()).collect();
    let is_system = |path: &Path| SYSTEM.iter().any(|system| path == Path::new(system));
    for path in &all {
        let mut flags = if write.contains(path) { MountFlags::empty() } else { MountFlags::RDONLY };
        if !is_system(path) {
            flags |= not_run(plan);
        }
        place(path, flags)?;
    }
    let loaders = order.runnable.iter().flat_map(|runnable| &runnable.loaders);
    for loader in loaders.filter(|loader| loader.exists()) {
        guard(loader)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", loader.display())))?;
    }
    processes();
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)
}

/// What keeps code in a mount from running if only listed programs may run: without
/// it, the system's loader runs any file that can be read.
fn not_run(plan: &Plan) -> MountFlags {
    match plan.programs {
        Programs::All => MountFlags::empty(),
        Programs::Only(_) => MountFlags::NOEXEC,
    }
}

/// Puts a copy of a loader in its place that cannot be started itself.
fn guard(loader: &Path) -> io::Result<()> {
    let copy = Path::new("/.loader");
    fs::copy(loader, copy)?;
    fs::set_permissions(copy, fs::Permissions::from_mode(0o755))?;
    forbid_start(&fs::File::options().read(true).write(true).open(copy)?)?;
    mount_bind(copy, loader)?;
    let flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
    mount_remount(loader, flags, c"")?;
    fs::remove_file(copy)
}

/// Puts a file or folder of the old root into the new one.
fn place(path: &Path, flags: MountFlags) -> io::Result<()> {
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
    if flags.is_empty() {
        return Ok(());
    }
    let done = mount_remount(path, flags | mount_flags(path)?, c"");
    if flags.contains(MountFlags::NOEXEC) {
        Ok(done?)
    } else {
        // Landlock is the wall before writing; this is a second one, and the
        // kernel refuses it for some mounts.
        Ok(())
    }
}

/// The flags of a mount, which must stay.
fn mount_flags(path: &Path) -> io::Result<MountFlags> {
    let has = statvfs(path)?.f_flag;
    let table = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = table.iter().filter(|(had, _)| has.contains(*had));
    let mut base = MountFlags::BIND | MountFlags::NOSUID;
    if !has.intersects(StatVfsMountFlags::NOATIME | StatVfsMountFlags::RELATIME) {
        // Without a word the kernel takes the second, which is a change.
        base |= MountFlags::STRICTATIME;
    }
    Ok(kept.fold(base, |flags, (_, keep)| flags | *keep))
}

/// The processes of the pid namespace. A container may forbid it: then there is no `/proc` inside.
fn processes() {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if fs::create_dir_all("/proc").is_ok() {
        let _ = mount("proc", "/proc", "proc", flags, None);
    }
}
