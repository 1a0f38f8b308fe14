//! The stage itself: what is genuine on it, what asks the simulated phone, and that it ends.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![cfg(target_os = "linux")]

#[path = "../support/stage.rs"]
mod stage;

use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device, HostIdentity, ShellOutput};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, serve};
use stage::Stage;
use std::time::Duration;
use tokio::net::TcpListener;

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

/// A stage of a kind before a new phone.
async fn stage(kind: &[&str]) -> (Stage, Device) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let phone = listener.local_addr().unwrap().to_string();
    let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
    tokio::spawn(serve(Handset::new(Setup::default()), listener, welcome));
    let stage = Stage::open(&phone, kind).unwrap();
    let host = HostIdentity { banner: "host::features=shell_v2".to_owned(), key: None, name: String::new() };
    let device = Device::connect(&stage.address, &host, soon()).await.unwrap();
    (stage, device)
}

async fn run(device: &Device, line: &str) -> ShellOutput {
    device.shell(line, Bytes::from("typed\n"), soon()).await.unwrap()
}

/// Lines, their exit codes, and what is in their output or their errors.
const LINES: &[(&str, u8, &str)] = &[
    // The shell, the applets, the files and the processes are genuine.
    ("r() { echo reached; }; r", 1, "fc: history functions not available"),
    ("x='a  b'; set -- $x; echo $#", 0, "2"),
    ("echo $((2147483647 + 1))", 0, "-2147483648"),
    ("cat <<E\nhere\nE", 0, "here"),
    ("echo word | head -c 2", 0, "wo"),
    ("kill -INT $$", 130, ""),
    ("kill -TERM $$", 143, ""),
    ("id -un; echo $HOME $TMPDIR", 0, "shell\n/ /data/local/tmp"),
    ("env | grep -c LD_LIBRARY_PATH", 1, "0"),
    ("touch /system/x", 1, "Read-only file system"),
    ("ls /data", 1, "Permission denied"),
    ("echo x > /data/local/tmp/x && cat /data/local/tmp/x", 0, "x"),
    ("cat", 0, "typed"),
    ("ps -A", 0, "adbd"),
    // The framework is the simulated phone's.
    ("am start -n com.android.settings/.Settings; pidof com.android.settings", 0, "Starting: Intent"),
    ("dumpsys window | grep mCurrentFocus", 0, "com.android.settings"),
    ("ps -A -o ARGS", 0, "com.android.settings"),
    ("date +%Y-%m-%d", 0, "2026-01-01"),
    ("input tap 1", 255, "Argument expected"),
    ("settings put global device_name \"it's \\$x\"; settings get global device_name", 0, "it's $x"),
    ("uiautomator dump /sdcard/a.xml && head -n 1 /sdcard/a.xml", 0, "<hierarchy"),
    ("screencap -p /data/local/tmp/a.png && wc -c < /data/local/tmp/a.png", 0, "\n"),
    ("screencap -p /system/a.png", 1, "Read-only file system"),
    ("read line; input keyevent HOME; echo $line", 0, "typed"),
];

#[tokio::test]
async fn what_is_genuine_and_what_is_the_phone_s() {
    let (_stage, device) = stage(&[]).await;
    for (line, code, text) in LINES {
        let output = run(&device, line).await;
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.exit_code, Some(*code), "{line}: {said}");
        assert!(said.contains(text), "{line}: {said}");
    }
    let tree = device.exec("uiautomator dump /dev/tty", soon()).await.unwrap();
    assert!(tree.starts_with(b"<?xml"), "{tree:?}");
}

#[tokio::test]
async fn a_stage_like_android_7_lacks_what_that_lacks() {
    let (_stage, device) = stage(&["7"]).await;
    for (line, text) in [
        ("echo word | head -c 2", "Unknown option"),
        ("cat <<E\nhere\nE", "temporary file"),
        ("head -n", "head"),
    ] {
        let output = run(&device, line).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.exit_code != Some(0) && said.contains(text), "{line}: {said}");
    }
    assert_eq!(&run(&device, "echo word | head -n 1").await.stdout[..], b"word\n");
}

#[tokio::test]
async fn nothing_is_left_of_a_stage_whose_outer_process_was_killed() {
    let (mut stage, device) = stage(&[]).await;
    let folder = stage.folder();
    assert!(folder.is_dir());
    run(&device, "sleep 1000 >/dev/null 2>&1 </dev/null &").await;
    let shell = device.open("shell,v2,raw:cat /proc/1/ns/pid", soon()).await.unwrap();
    stage.kill();
    drop(shell);
    // The process that clears away goes last.
    let gone = async {
        while folder.exists() {
            tokio::task::yield_now().await;
        }
        Ok::<(), AdbError>(())
    };
    soon().run("the end of a stage", gone).await.unwrap();
    let ended = device.shell("true", Bytes::new(), soon()).await;
    assert!(ended.is_err(), "{ended:?}");
}
