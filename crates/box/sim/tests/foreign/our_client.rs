//! Our own client, through an adb server that we did not write, on both shell
//! protocols.

use crate::bench::{Bench, Program, text};
use crate::command_line::{centre_of, size_of_png};
use bytes::Bytes;
use clawperator_adb::{Deadline, Device, DeviceState, FileTarget, Transfer};
use clawperator_sim::Welcome;
use std::time::Duration;

/// Makes every case a test on a phone of today and one on a phone of old.
macro_rules! cases {
    ($($case:ident,)+) => {
        mod new_protocol {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(&super::new_phone(stringify!($case)).await).await;
            })+
        }
        mod old_protocol {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(&super::old_phone(stringify!($case)).await).await;
            })+
        }
    };
}

cases! {
    commands_run,
    files_are_moved_and_listed,
    the_screen_is_seen_and_touched,
}

async fn new_phone(name: &str) -> Bench {
    Bench::new(&format!("new-{name}"), Program::Debian).await
}

/// A phone without the newer shell and file protocols.
async fn old_phone(name: &str) -> Bench {
    let welcome = Welcome { features: "cmd".to_owned(), ..Welcome::default() };
    Bench::with(&format!("old-{name}"), Program::Debian, welcome).await
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

async fn device(bench: &Bench) -> Device {
    Device::on_server(bench.server(), &bench.serial, soon()).await.unwrap()
}

/// What a command prints.
async fn said(device: &Device, command: &str) -> String {
    text(&device.shell(command, Bytes::new(), soon()).await.unwrap().stdout)
}

async fn commands_run(bench: &Bench) {
    let listed = bench.server().devices(soon()).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0].serial, &listed[0].state), (&bench.serial, &DeviceState::Device));
    let device = device(bench).await;
    let ended = device.shell("echo out; echo err >&2; exit 42", Bytes::new(), soon()).await.unwrap();
    let seen = (ended.exit_code, text(&ended.stdout), text(&ended.stderr));
    let wanted = if device.has_feature("shell_v2") {
        (Some(42), "out\n".to_owned(), "err\n".to_owned())
    } else {
        (None, "out\nerr\n".to_owned(), String::new())
    };
    assert_eq!(seen, wanted);
    let input = Bytes::from((0..1_000_000_u32).map(|i| (i % 253) as u8).collect::<Vec<_>>());
    let back = device.shell("head -c 1000000", input.clone(), soon()).await.unwrap();
    assert!(back.stdout == input, "{} bytes came back", back.stdout.len());
    assert_eq!(device.exec("echo raw", soon()).await.unwrap(), "raw\n");
}

async fn files_are_moved_and_listed(bench: &Bench) {
    let device = device(bench).await;
    let contents: Vec<u8> = (0..5_242_880_u32).map(|i| (i * 7 % 255) as u8).collect();
    let target =
        FileTarget { path: "/sdcard/Download/ours.bin", permissions: 0o644, modified: 1_767_225_600 };
    let transfer = || Transfer { deadline: soon(), progress: |_| {} };
    device.push(&contents[..], target, transfer()).await.unwrap();
    let stat = device.stat(target.path, soon()).await.unwrap().unwrap();
    assert_eq!((stat.size, stat.modified), (5_242_880, 1_767_225_600));
    let listed = device.list("/sdcard/Download", soon()).await.unwrap();
    assert!(listed.iter().any(|entry| entry.name == "ours.bin"));
    let mut back = Vec::new();
    device.pull(target.path, &mut back, transfer()).await.unwrap();
    assert!(back == contents);
    assert_eq!(device.stat("/sdcard/none", soon()).await.unwrap(), None);
    assert!(device.pull("/sdcard/none", &mut back, transfer()).await.is_err());
}

async fn the_screen_is_seen_and_touched(bench: &Bench) {
    let device = device(bench).await;
    said(&device, "am start -W -n com.clawperator.conformance/.MainActivity").await;
    let dump = async || text(&device.exec("uiautomator dump /dev/tty", soon()).await.unwrap());
    let (x, y) = centre_of(&dump().await, "btn_increment");
    said(&device, &format!("input tap {x} {y}")).await;
    assert!(dump().await.contains("Counter: 1"));
    let png = device.exec("screencap -p", soon()).await.unwrap();
    assert_eq!(size_of_png(&png), (1080, 2400));
}
