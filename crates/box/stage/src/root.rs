//! The files of a stage, in memory: genuine programs, stand-ins for the phone's framework, and the
//! places that a phone's shell may write to.

use crate::namespace::{ROOT, SHELL};
use crate::outer::PHONE;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount as mount_new, mount_bind, mount_bind_recursive, mount_change,
    mount_remount,
};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socket_with};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, Error};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the packages are on the stage.
const PACKAGES: &str = "/opt";
/// The program that is all stand-ins.
const STANDIN: &str = "/stand-in";
/// adbd on the stage.
pub(crate) const ADBD: &str = "/opt/usr/lib/android-sdk/platform-tools/adbd";
/// The socket on the stage that leads to the simulated phone.
pub(crate) const SOCKET: &str = "/dev/socket/phone";
/// What adbd is started with.
pub(crate) const ENVIRONMENT: [(&str, &str); 6] = [
    ("PATH", "/system/bin:/system/xbin"),
    ("ANDROID_ROOT", "/system"),
    ("ANDROID_DATA", "/data"),
    ("ANDROID_STORAGE", "/storage"),
    ("EXTERNAL_STORAGE", "/sdcard"),
    ("TZ", "GMT0"),
];
/// Commands of the phone's framework.
const STANDINS: &str = "am app_process app_process32 app_process64 appops bmgr bugreport cmd content date \
    device_config dpm dumpsys getenforce getevent getprop ime input locksettings log logcat media monkey pidof \
    pm ps reboot run-as screencap screenrecord sendevent service setprop settings simctl start stop svc telecom \
    uiautomator wm";
/// The only applet that a stage like Android 7 has otherwise.
pub(crate) const HEAD: &str = "head";
/// Applets that a phone has and Debian's toybox lacks, from this computer. Its `timeout` answers
/// 127 now and then.
const OWN: &[&str] = &["awk", "bc", "dd", "diff", "expr", "gzip", "stty", "timeout", "tr"];
/// Applets that a phone lacks.
const LACKED: &str = "arch ascii base32 count crc32 factor ftpget halt help host httpd killall5 link login \
    mkpasswd passwd poweroff pwdx reset rev sha3sum shred su timeout unicode w watchdog wget who";
const FOLDERS: &[&str] = &[
    "bin",
    "data",
    "dev",
    "etc",
    "lib",
    "lib64",
    "mnt",
    "opt",
    "proc",
    "storage",
    "sys",
    "system/bin",
    "system/etc",
    "system/xbin",
    "usr",
];
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
/// A request to the kernel: the first network device, which is loopback, goes up.
const LOOPBACK_UP: [u32; 8] = [32, 16 | 1 << 16, 0, 0, 0, 1, 1, 1];

/// Whether a command is a stand-in.
pub(crate) fn is_standin(name: &str) -> bool {
    STANDINS.split_whitespace().chain([HEAD]).any(|known| known == name)
}

/// Makes the stage in its folder and enters it.
pub(crate) fn mount(folder: &str, packages: &str, kind: &[&str]) -> io::Result<()> {
    let root = &Path::new(folder).join(ROOT);
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    memory(root, "mode=755")?;
    for folder in FOLDERS {
        fs::create_dir_all(root.join(folder))?;
    }
    for name in ["usr", "lib", "lib64"] {
        place(&Path::new("/").join(name), &root.join(name))?;
    }
    place(Path::new(packages), &root.join(&PACKAGES[1..]))?;
    fs::write(root.join(&STANDIN[1..]), "")?;
    place(&std::env::current_exe()?, &root.join(&STANDIN[1..]))?;
    // Where it is refused, as in some containers, the outer one is there.
    if mount_new("proc", root.join("proc"), "proc", MountFlags::empty(), None).is_err() {
        place(Path::new("/proc"), &root.join("proc"))?;
    }
    devices(&root.join("dev"), &Path::new(folder).join(PHONE))?;
    programs(root, packages, kind)?;
    writable(root)?;
    // As on a phone, nothing else can be written to by any user.
    mount_remount(root, MountFlags::BIND | MountFlags::RDONLY, c"")?;
    loopback()?;
    rustix::system::sethostname(b"localhost")?;
    std::os::unix::fs::chroot(root)?;
    std::env::set_current_dir("/")
}

fn memory(path: &Path, options: &str) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    Ok(mount_new("tmpfs", path, "tmpfs", MountFlags::empty(), options.as_c_str())?)
}

/// Shows a file or folder of the computer on the stage.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    let done = if from.is_dir() { mount_bind_recursive(from, to) } else { mount_bind(from, to) };
    done.map_err(|error| Error::other(format!("{} cannot be shown: {error}", from.display())))
}

fn devices(dev: &Path, phone: &Path) -> io::Result<()> {
    memory(dev, "mode=755")?;
    for name in DEVICES {
        fs::write(dev.join(name), "")?;
        place(&Path::new("/dev").join(name), &dev.join(name))?;
    }
    fs::create_dir(dev.join("pts"))?;
    let terminals = c"newinstance,ptmxmode=0666,mode=620";
    mount_new("devpts", dev.join("pts"), "devpts", MountFlags::empty(), terminals)?;
    symlink("pts/ptmx", dev.join("ptmx"))?;
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(format!("/proc/self/{target}"), dev.join(name))?;
    }
    fs::create_dir(dev.join("socket"))?;
    fs::write(dev.join("socket/phone"), "")?;
    place(phone, &dev.join("socket/phone"))?;
    fs::set_permissions(dev, Permissions::from_mode(0o555))
}

fn programs(root: &Path, packages: &str, kind: &[&str]) -> io::Result<()> {
    let bin = root.join("system/bin");
    let is_old = kind.first().is_some_and(|version| *version == "7");
    let link = |name: &str, target: &Path| symlink(target, bin.join(name));
    link("mksh", &Path::new(PACKAGES).join("bin/mksh"))?;
    link("sh", Path::new("mksh"))?;
    link("toybox", &Path::new(PACKAGES).join("bin/toybox"))?;
    let standins = || STANDINS.split_whitespace().chain(is_old.then_some(HEAD));
    for name in standins() {
        link(name, Path::new(STANDIN))?;
    }
    let toybox = Command::new(Path::new(packages).join("bin/toybox")).output()?;
    let applets = String::from_utf8_lossy(&toybox.stdout);
    let taken: BTreeSet<&str> =
        LACKED.split_whitespace().chain(standins()).chain(OWN.iter().copied()).collect();
    for name in applets.split_whitespace().filter(|name| !taken.contains(name)) {
        link(name, Path::new("toybox"))?;
    }
    for name in OWN {
        // On the stage there is no folder of alternatives.
        let found = ["/usr/bin", "/bin"]
            .iter()
            .find_map(|folder| fs::canonicalize(Path::new(folder).join(name)).ok());
        found
            .as_deref()
            .map_or(Ok(()), |target: &Path| link(name, &Path::new("/usr/bin").join(base(target))))?;
    }
    fs::write(root.join("bin/sh"), shell(kind))?;
    fs::set_permissions(root.join("bin/sh"), Permissions::from_mode(0o755))?;
    let users = format!("root:x:0:0::/:/system/bin/sh\nshell:x:{SHELL}:{SHELL}::/:/system/bin/sh\n");
    fs::write(root.join("etc/passwd"), users)?;
    fs::write(root.join("etc/group"), format!("root:x:0:\nshell:x:{SHELL}:\n"))?;
    symlink("/storage/emulated/0", root.join("sdcard"))
}

fn base(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

/// What adbd starts as a shell; a phone's has another path. The script of a stage that is made to
/// be wrong changes what the shell is given.
fn shell(kind: &[&str]) -> String {
    let unset = match kind {
        ["7", ..] => "LD_LIBRARY_PATH TMPDIR",
        _ => "LD_LIBRARY_PATH",
    };
    let planted = match kind {
        [_, script, ..] => {
            let script = script.replace('\'', r"'\''");
            format!(
                "[ \"$1\" != -c ] || set -- -c \"$(/system/bin/toybox echo -n \"$2\" | /system/bin/toybox sed '{script}')\"\n"
            )
        }
        _ => String::new(),
    };
    format!("#!/system/bin/mksh\nunset {unset}\n{planted}exec -a /system/bin/sh /system/bin/sh \"$@\"\n")
}

fn writable(root: &Path) -> io::Result<()> {
    for (name, inside) in [("data", "local/tmp"), ("storage", "emulated/0")] {
        memory(&root.join(name), "mode=755")?;
        fs::create_dir_all(root.join(name).join(inside))?;
    }
    let modes = [("data/local/tmp", 0o771), ("data/local", 0o111), ("data", 0o111), ("storage", 0o555)];
    for (name, mode) in modes {
        fs::set_permissions(root.join(name), Permissions::from_mode(mode))?;
    }
    Ok(())
}

fn loopback() -> io::Result<()> {
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let request = LOOPBACK_UP.map(u32::to_ne_bytes).concat();
    send(&kernel, &request, SendFlags::empty())?;
    Ok(())
}
