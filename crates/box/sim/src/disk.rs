//! The files of a new phone.

use clawperator_userland::{Actor, DeviceFile, FileSystem, Identity, Ownership};
use std::sync::LazyLock;
use std::time::Duration;

/// How much a phone can store.
pub(crate) const CAPACITY: u64 = 512 << 20;

/// How large a phone says that a part of its storage is, and how full.
pub(crate) struct StorageSize {
    pub(crate) total_kb: u64,
    pub(crate) used_kb: u64,
}

/// What Settings shows: 53.8 of 128 GB are used, 74.2 are free.
pub(crate) const DATA: StorageSize = StorageSize { total_kb: 115_343_360, used_kb: 42_882_422 };
/// What came with the phone.
pub(crate) const SYSTEM: StorageSize = StorageSize { total_kb: 3_145_728, used_kb: 2_940_928 };

/// A folder, its permissions, its owner and its group.
type FolderSpec = (&'static str, u32, u32, u32);

const FOLDERS: &[FolderSpec] = &[
    ("/acct", 0o755, 0, 0),
    ("/apex", 0o755, 0, 0),
    ("/cache", 0o770, 1000, 2001),
    ("/data", 0o771, 1000, 1000),
    ("/data/app", 0o771, 1000, 1000),
    ("/data/data", 0o771, 1000, 1000),
    ("/data/local", 0o751, 0, 0),
    ("/data/local/tmp", 0o771, 2000, 2000),
    ("/data/misc", 0o1771, 1000, 9998),
    ("/data/system", 0o775, 1000, 1000),
    ("/dev", 0o755, 0, 0),
    ("/dev/input", 0o755, 0, 0),
    ("/mnt", 0o755, 0, 1000),
    ("/odm", 0o755, 0, 0),
    ("/proc", 0o555, 0, 0),
    ("/product", 0o755, 0, 0),
    ("/storage", 0o755, 1000, 1000),
    ("/storage/emulated", 0o771, 1023, 1023),
    ("/storage/emulated/0", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Alarms", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Android", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Android/data", 0o2770, 2000, 1015),
    ("/storage/emulated/0/DCIM", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Documents", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Download", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Movies", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Music", 0o2770, 2000, 1015),
    ("/storage/emulated/0/Pictures", 0o2770, 2000, 1015),
    ("/storage/self", 0o755, 0, 0),
    ("/sys", 0o755, 0, 0),
    ("/system", 0o755, 0, 0),
    ("/system/app", 0o755, 0, 0),
    ("/system/bin", 0o751, 0, 2000),
    ("/system/etc", 0o755, 0, 0),
    ("/system/framework", 0o755, 0, 0),
    ("/vendor", 0o755, 0, 2000),
    ("/vendor/bin", 0o751, 0, 2000),
];

const LINKS: &[(&str, &str)] = &[
    ("/sdcard", "/storage/self/primary"),
    ("/storage/self/primary", "/storage/emulated/0"),
    ("/mnt/sdcard", "/storage/self/primary"),
    ("/bin", "/system/bin"),
    ("/etc", "/system/etc"),
    ("/d", "/sys"),
];

const DEVICES: &[(&str, DeviceFile)] = &[
    ("/dev/null", DeviceFile::Null),
    ("/dev/zero", DeviceFile::Zero),
    ("/dev/full", DeviceFile::Full),
    ("/dev/random", DeviceFile::Random),
    ("/dev/urandom", DeviceFile::Random),
    ("/dev/tty", DeviceFile::Terminal),
];

const FILES: &[(&str, &str)] = &[
    ("/system/build.prop", "ro.build.version.sdk=34\nro.product.model=Sim Phone\n"),
    ("/system/etc/hosts", "127.0.0.1 localhost\n"),
];

/// The files of a new phone; a copy shares its contents with all others.
pub(crate) fn fresh() -> FileSystem {
    static FRESH: LazyLock<FileSystem> = LazyLock::new(make);
    FRESH.clone()
}

fn make() -> FileSystem {
    let mut files = FileSystem::new(CAPACITY);
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::from_secs(1_767_225_600) };
    // Root can do all of this on an empty disk; a test looks at the result.
    for (path, mode, owner, group) in FOLDERS {
        let _ = files.create_dir_all(&actor, path, *mode);
        let _ = files.chmod(&actor, path, *mode);
        let _ = files.chown(&actor, path, Ownership { uid: Some(*owner), gid: Some(*group) });
    }
    for (path, target) in LINKS {
        let _ = files.symlink(&actor, target, path);
    }
    for (path, device) in DEVICES {
        let _ = files.create_device(&actor, path, *device);
    }
    for (path, contents) in FILES {
        let _ = files.write(&actor, path, contents.as_bytes());
    }
    // Commands are found by name; their files are there to be seen.
    for name in clawperator_userland::basic_commands().into_iter().chain(crate::command::names()) {
        let path = format!("/system/bin/{name}");
        let _ = files.write(&actor, &path, &b""[..]);
        let _ = files.chmod(&actor, &path, 0o755);
    }
    for path in ["/system", "/proc", "/sys", "/vendor", "/apex", "/product"] {
        files.set_read_only(path);
    }
    files
}
