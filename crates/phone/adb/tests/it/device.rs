//! What can be asked of a device, over a connection of our own.

use crate::phone;
use bytes::Bytes;
use clawperator_adb::sync::{FileEntry, FileStat, receive_2, send_2};
use clawperator_adb::{
    AdbError, Connection, Deadline, Device, FileTarget, HostIdentity, PrivateKey, ShellOutput, Transfer,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Made once: it takes a while.
static KEY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::generate(&mut StdRng::seed_from_u64(1)).unwrap());

pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// A phone on loopback, and a device that is connected to it.
pub(crate) async fn connect(features: &'static str) -> Device {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let (reader, writer) = socket.into_split();
        phone::serve(reader, writer, features).await;
    });
    let host = HostIdentity {
        banner: "host::features=shell_v2".to_owned(),
        key: Some(&KEY),
        name: "me@here".to_owned(),
    };
    Device::connect(&address, &host, soon()).await.unwrap()
}

#[tokio::test]
async fn the_new_shell_protocol_keeps_everything_apart() {
    let device = connect("shell_v2,cmd").await;
    assert!(device.has_feature("cmd") && !device.has_feature("c"));
    let output = device.shell("fail", Bytes::new(), soon()).await.unwrap();
    let wanted = ShellOutput { stdout: "to out\n".into(), stderr: "to err\n".into(), exit_code: Some(42) };
    assert_eq!(output, wanted);
    let input = Bytes::from(vec![9; 3_000_000]);
    assert_eq!(device.shell("cat", input.clone(), soon()).await.unwrap().stdout, input);
    assert_eq!(device.shell("big", Bytes::new(), soon()).await.unwrap().stdout.len(), 1_800_000);
}

#[tokio::test]
async fn the_old_shell_protocol_says_less() {
    let device = connect("cmd").await;
    let output = device.shell("echo hi", Bytes::new(), soon()).await.unwrap();
    assert_eq!((&output.stdout[..], output.exit_code), (&b"echo hi on v1\n"[..], None));
    assert_eq!(device.exec("anything", soon()).await.unwrap(), "anything on v1\n");
    // A stream that ends before the command has said so is no end of a command.
    let cut = device.shell("cut", Bytes::new(), soon()).await;
    assert!(matches!(cut, Err(AdbError::Closed)), "{cut:?}");
}

/// Moves files both ways and back; through a server or not, the same holds.
pub(crate) async fn move_files(device: &Device) {
    let contents: Vec<u8> = (0..5_000_003_u32).map(|i| (i * 7 % 251) as u8).collect();
    let target = |path| FileTarget { path, permissions: 0o640, modified: 1_700_000_000 };
    let mut seen = Vec::new();
    let transfer = Transfer { deadline: soon(), progress: |bytes| seen.push(bytes) };
    let pushed = device.push(&contents[..], target("/sdcard/a b,c.bin"), transfer).await.unwrap();
    assert_eq!((pushed, seen.last()), (5_000_003, Some(&5_000_003)));
    assert!(seen.is_sorted());

    let stat = device.stat("/sdcard/a b,c.bin", soon()).await.unwrap().unwrap();
    assert_eq!(stat, FileStat { mode: 0o100_640, size: 5_000_003, modified: 1_700_000_000 });
    assert_eq!(device.stat("/sdcard/none", soon()).await.unwrap(), None);
    let listed = device.list("/sdcard", soon()).await.unwrap();
    assert_eq!(listed, [FileEntry { name: "a b,c.bin".to_owned(), stat }]);
    assert_eq!(device.list("/nowhere", soon()).await.unwrap(), []);

    let mut back = Vec::new();
    let transfer = Transfer { deadline: soon(), progress: |_| {} };
    device.pull("/sdcard/a b,c.bin", &mut back, transfer).await.unwrap();
    assert!(back == contents);

    let refused = device.push(&b"x"[..], target("/data/x"), transfer).await;
    assert!(matches!(refused, Err(AdbError::Refusal(reason)) if reason.contains("Permission denied")));
    let missing = device.pull("/sdcard/none", &mut back, transfer).await;
    assert!(matches!(missing, Err(AdbError::Refusal(reason)) if reason.contains("No such file")));
    let long = "x".repeat(2000);
    assert!(matches!(device.stat(&long, soon()).await, Err(AdbError::Refusal(_))));
}

#[tokio::test]
async fn files_are_moved_whole_on_all_forms() {
    for features in ["shell_v2", "shell_v2,stat_v2,ls_v2", "sendrecv_v2"] {
        move_files(&connect(features).await).await;
    }
}

#[tokio::test]
async fn what_comes_compressed_is_refused_and_the_stream_goes_on() {
    let device = connect("sendrecv_v2").await;
    let mut stream = device.open("sync:", soon()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    // The last number of each is its flags.
    let mut receive = receive_2("/sdcard/x").to_vec();
    *receive.iter_mut().rev().nth(3).unwrap() = 1;
    let mut send = send_2("/sdcard/x", 0o100_644).to_vec();
    *send.iter_mut().rev().nth(3).unwrap() = 2;
    send.extend_from_slice(b"DATA\x03\0\0\0abcDONE\0\0\0\0");
    for (said, wanted) in [
        (receive, &b"FAIL\x17\0\0\0brotli is not supported"[..]),
        (send, b"FAIL\x14\0\0\0lz4 is not supported"),
        (send_2("/sdcard/y", 0o100_644).to_vec(), b""),
        (b"DONE\0\0\0\0".to_vec(), b"OKAY\0\0\0\0"),
    ] {
        writer.send(said.into()).await.unwrap();
        let mut heard = Vec::new();
        while heard.len() < wanted.len() {
            heard.extend(reader.receive().await.unwrap().unwrap());
        }
        assert_eq!(heard, wanted);
    }
    assert_eq!(device.stat("/sdcard/x", soon()).await.unwrap(), None);
    assert!(device.stat("/sdcard/y", soon()).await.unwrap().is_some());
}

#[tokio::test]
async fn what_a_device_does_not_have_is_refused() {
    let device = connect("shell_v2").await;
    assert!(matches!(device.open("jdwp:1", soon()).await, Err(AdbError::NotOpened(_))));
}

#[tokio::test]
async fn a_refused_connection_is_reported_at_once() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let host = HostIdentity { banner: "host::".to_owned(), key: None, name: String::new() };
    let result = Device::connect(&free.to_string(), &host, soon()).await;
    assert!(matches!(result, Err(AdbError::Refused { .. })));
}

#[tokio::test]
async fn a_lost_phone_is_said_at_once_and_never_called_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // It answers one command, and is gone in the middle of the next.
    let phone = tokio::spawn(async move {
        let (reader, writer) = listener.accept().await.unwrap().0.into_split();
        let (device, _) = Connection::from_host(reader, writer, "device::", None).await.unwrap();
        let answered = device.accept().await.unwrap().accept().unwrap();
        answered.send("fine".into()).await.unwrap();
        answered.flush().await.unwrap();
        drop(answered);
        let _unanswered = device.accept().await.unwrap().accept().unwrap();
        drop(device);
        listener
    });
    let host = HostIdentity { banner: "host::".to_owned(), key: None, name: String::new() };
    let device = Device::connect(&address, &host, soon()).await.unwrap();
    assert_eq!(device.exec("one", soon()).await.unwrap(), "fine");
    for _ in 0..3 {
        let lost = device.exec("two", soon()).await;
        assert!(matches!(lost, Err(AdbError::Closed)), "{lost:?}");
    }
    let lost = device.shell("three", Bytes::new(), soon()).await;
    assert!(matches!(lost, Err(AdbError::Closed)), "{lost:?}");
    assert!(matches!(device.list("/", soon()).await, Err(AdbError::Closed)));
    let listener = phone.await.unwrap();
    // Connections are accepted in the order they were made.
    let ours = TcpStream::connect(&address).await.unwrap();
    let (_, first) = listener.accept().await.unwrap();
    assert_eq!(first, ours.local_addr().unwrap(), "the phone was called back");
}
