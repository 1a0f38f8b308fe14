//! A small machine to run scripts on.

use clawperator_userland::{
    Actor, Call, DeviceFile, ExitResult, FileSystem, Identity, Kernel, Machine, Ownership, Pid, Program,
    ShellResult, Zone, run,
};
use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// 2026-11-15 06:00:00 UTC.
pub(crate) const NOW: Duration = Duration::from_secs(1_794_722_400);

/// A machine with a few files, and one program of its own.
pub(crate) struct World {
    kernel: Kernel,
    zone: Zone,
}

impl Machine for World {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn program(&self, name: &str) -> Option<Arc<dyn Program>> {
        match name {
            "getprop" => Some(Arc::new(getprop as fn(&mut Call) -> BoxFuture<'_, ExitResult>)),
            "logcat" => Some(Arc::new(logcat as fn(&mut Call) -> BoxFuture<'_, ExitResult>)),
            _ => None,
        }
    }

    fn now(&self) -> Duration {
        NOW
    }

    fn zone(&self) -> Zone {
        self.zone.clone()
    }

    fn uptime(&self) -> Duration {
        Duration::from_secs(93_784)
    }

    fn refresh(&self, path: &str, pid: Pid) {
        if path.starts_with("/proc") {
            let root = Identity::root();
            let actor = Actor { who: &root, umask: 0, now: NOW };
            let mut made = FileSystem::new(1 << 10);
            made.write(&actor, "/uptime", &b"93784.00 90000.00\n"[..]).unwrap();
            made.symlink(&actor, &pid.to_string(), "/self").unwrap();
            self.kernel.files.with(|files| files.graft("/proc", &made));
        }
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// A program a machine adds.
fn getprop(call: &mut Call) -> BoxFuture<'_, ExitResult> {
    Box::pin(async move {
        let value =
            if call.args.get(1).is_some_and(|name| name == "sys.boot_completed") { "1\n" } else { "\n" };
        call.out(value).await?;
        Ok(0)
    })
}

/// A program that never ends by itself.
fn logcat(call: &mut Call) -> BoxFuture<'_, ExitResult> {
    Box::pin(async move {
        for line in 0u64.. {
            call.out(format!("line {line}\n")).await?;
        }
        Ok(0)
    })
}

/// The user an adb shell has.
pub(crate) fn user() -> Identity {
    Identity::new(2000, 2000, &[1004, 1007, 1011, 1015, 1028, 3003])
}

/// Files like a phone's.
pub(crate) fn files() -> FileSystem {
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: NOW };
    let mut files = FileSystem::new(8 << 20);
    for (path, mode) in [
        ("/dev", 0o755),
        ("/proc", 0o555),
        ("/system/bin", 0o755),
        ("/system/etc", 0o755),
        ("/data/local/tmp", 0o771),
        ("/data/secret", 0o700),
        ("/sdcard", 0o770),
    ] {
        files.create_dir_all(&actor, path, mode).unwrap();
    }
    files.chown(&actor, "/data/local/tmp", Ownership { uid: Some(2000), gid: Some(2000) }).unwrap();
    files.chown(&actor, "/sdcard", Ownership { uid: Some(10_012), gid: Some(1015) }).unwrap();
    for (name, device) in [
        ("null", DeviceFile::Null),
        ("zero", DeviceFile::Zero),
        ("tty", DeviceFile::Terminal),
        ("urandom", DeviceFile::Random),
    ] {
        files.create_device(&actor, &format!("/dev/{name}"), device).unwrap();
    }
    files.write(&actor, "/system/etc/hosts", &b"127.0.0.1 localhost\n"[..]).unwrap();
    files.write(&actor, "/system/bin/notes", &b"not a program\n"[..]).unwrap();
    files.chmod(&actor, "/system/bin/notes", 0o644).unwrap();
    files.set_read_only("/system");
    files
}

/// A machine of its own.
pub(crate) fn machine() -> Arc<World> {
    machine_in(Zone { minutes_east: 0, name: "GMT".to_owned() })
}

/// The same in a time zone.
pub(crate) fn machine_in(zone: Zone) -> Arc<World> {
    Arc::new(World { kernel: Kernel::new(files()), zone })
}

/// Runs a script as the shell's user on a fresh machine.
pub(crate) async fn finish(script: &str, stdin: &[u8]) -> ShellResult {
    run(machine(), user(), script, stdin).await
}
