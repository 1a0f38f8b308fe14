//! Debian's adb, unmodified, against our device side over TCP on loopback.
//!
//! `cargo xtask test` runs these in a network namespace that has loopback only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

#[path = "../support/phone.rs"]
mod phone;

use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device, DeviceState, ServerAddress, ServerClient, Transfer};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

/// An adb of our own: its server on a port of its own, its key in a folder of
/// its own.
struct Adb {
    home: PathBuf,
    server_port: u16,
    serial: String,
    /// The server, in the foreground: a test ends what it starts, by its id.
    server: std::process::Child,
}

/// A free port for an adb server. It is below the range that the system gives
/// out, so a listener of another test cannot get it before the server does.
async fn server_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(20_000);
    loop {
        let port = NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).await.is_ok() {
            return port;
        }
    }
}

impl Adb {
    /// Starts the device and connects adb to it.
    async fn connect(name: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let serial = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                let (reader, writer) = socket.into_split();
                tokio::spawn(phone::serve(reader, writer, "shell_v2,cmd,stat_v2,ls_v2"));
            }
        });
        let free = server_port().await;
        let home = std::env::temp_dir().join(format!("clawperator-foreign-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let mut server = std::process::Command::new("adb");
        server.args(["-P", &free.to_string(), "server", "nodaemon"]);
        server.env("HOME", &home).stdin(Stdio::null());
        server.stdout(Stdio::null()).stderr(Stdio::null());
        let adb = Self { server: server.spawn().unwrap(), home, server_port: free, serial };
        adb.answers().await;
        // The first time adb shows its key it says that it is not authorised
        // yet, even if the owner accepts at once; so does a real phone's.
        let said = text(&adb.run(&["connect", &adb.serial], b"").await.stdout);
        let known = ["connected to", "failed to authenticate"];
        assert!(known.iter().any(|words| said.contains(words)), "{said}");
        adb.run(&["-s", &adb.serial, "wait-for-device"], b"").await;
        adb
    }

    /// Waits until the server listens; a client that came too early would
    /// start a server of its own.
    async fn answers(&self) {
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", self.server_port)).await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the adb server did not start");
    }

    async fn run(&self, args: &[&str], stdin: &[u8]) -> Output {
        use tokio::io::AsyncWriteExt;
        let mut child = Command::new("adb")
            .args(args)
            .env("HOME", &self.home)
            .env("ANDROID_ADB_SERVER_PORT", self.server_port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stdin).await.unwrap();
        let waiting = child.wait_with_output();
        tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap().unwrap()
    }

    /// Runs a command on the device.
    async fn shell(&self, command: &str, stdin: &[u8]) -> Output {
        self.run(&["-s", &self.serial, "shell", command], stdin).await
    }

    /// Our own client to the same server.
    fn server(&self) -> ServerClient {
        ServerClient::new(ServerAddress::new("127.0.0.1", self.server_port), "adb".into())
    }
}

impl Drop for Adb {
    /// `adb kill-server` waits for a server that may never answer, so the
    /// server is ended as the process it is.
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn adb_connects_with_its_key_and_lists_the_device() {
    let adb = Adb::connect("list").await;
    let listed = text(&adb.run(&["devices", "-l"], b"").await.stdout);
    assert!(
        listed.contains(&format!("{} ", adb.serial)) && listed.contains("device product:foreign model:Test"),
        "{listed}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exit_codes_and_errors_stay_apart() {
    let adb = Adb::connect("exit").await;
    let failed = adb.shell("fail", b"").await;
    assert_eq!(failed.status.code(), Some(42));
    assert_eq!((text(&failed.stdout).as_str(), text(&failed.stderr).as_str()), ("to out\n", "to err\n"));
    let fine = adb.shell("echo hello", b"").await;
    assert_eq!((fine.status.code(), text(&fine.stdout).as_str()), (Some(0), "echo hello\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_output_and_input_arrive_whole() {
    let adb = Adb::connect("large").await;
    let big = adb.shell("big", b"").await;
    assert_eq!(big.stdout.len(), 1_800_000);
    assert!(big.stdout[..900_000].iter().all(|byte| *byte == b'x'));
    let input: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
    let back = adb.shell("cat", &input).await;
    assert!(back.stdout == input, "{} bytes came back", back.stdout.len());
    let raw = adb.run(&["-s", &adb.serial, "exec-out", "anything"], b"").await;
    assert_eq!(text(&raw.stdout), "anything on v1\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_client_works_through_adb_s_server() {
    let adb = Adb::connect("server").await;
    let server = adb.server();
    let soon = || Deadline::after(Duration::from_secs(10));
    assert!(server.version(soon()).await.unwrap() >= 41);
    let listed = server.devices(soon()).await.unwrap();
    let ours = listed.iter().find(|entry| entry.serial == adb.serial).unwrap();
    assert_eq!(ours.state, DeviceState::Device);
    assert!(ours.details.contains(&("model".to_owned(), "Test".to_owned())));

    let device = Device::on_server(server.clone(), &adb.serial, soon()).await.unwrap();
    assert!(device.has_feature("shell_v2"));
    let failed = device.shell("fail", Bytes::new(), soon()).await.unwrap();
    assert_eq!(
        (failed.exit_code, &failed.stdout[..], &failed.stderr[..]),
        (Some(42), &b"to out\n"[..], &b"to err\n"[..])
    );
    let input = Bytes::from((0..3_000_000_u32).map(|i| (i % 253) as u8).collect::<Vec<_>>());
    assert_eq!(device.shell("cat", input.clone(), soon()).await.unwrap().stdout, input);
    assert_eq!(device.exec("anything", soon()).await.unwrap(), "anything on v1\n");

    let unknown = Device::on_server(server.clone(), "no-such-phone", soon()).await;
    assert!(matches!(unknown, Err(AdbError::Refusal(reason)) if reason.contains("not found")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_not_there_is_started() {
    let port = server_port().await;
    let address = ServerAddress::new("127.0.0.1", port);
    let missing = ServerClient::new(address.clone(), "/nowhere/adb".into());
    let result = missing.version(Deadline::after(Duration::from_secs(5))).await;
    assert!(matches!(result, Err(AdbError::NoProgram(_))), "{result:?}");
    let server = ServerClient::new(address, "adb".into());
    assert!(server.version(Deadline::after(Duration::from_secs(15))).await.is_ok());
    assert!(end_server(port), "no server of ours runs");
}

/// Ends the server that adb started in the background on a port; whether there
/// was one.
fn end_server(port: u16) -> bool {
    let address = format!("tcp:{port}");
    let is_ours = |process: &std::path::Path| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == address.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter(|entry| is_ours(&entry.path())).map(|entry| entry.file_name());
    let ended = ids.map(|id| std::process::Command::new("kill").arg("-9").arg(id).status());
    ended.fold(false, |any, status| any | status.unwrap().success())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_megabytes_are_pushed_and_pulled_byte_for_byte() {
    let adb = Adb::connect("files").await;
    let (here, back) = (adb.home.join("here.bin"), adb.home.join("back.bin"));
    let contents: Vec<u8> = (0..5_242_880_u32).map(|i| (i * 31 % 257) as u8).collect();
    std::fs::write(&here, &contents).unwrap();
    let (here, back) = (here.to_str().unwrap(), back.to_str().unwrap());
    let pushed = adb.run(&["-s", &adb.serial, "push", here, "/sdcard/there.bin"], b"").await;
    assert!(pushed.status.success(), "{pushed:?}");
    let listed = adb.run(&["-s", &adb.serial, "ls", "/sdcard"], b"").await;
    assert!(
        text(&listed.stdout).contains("00500000") && text(&listed.stdout).contains("there.bin"),
        "{listed:?}"
    );
    let pulled = adb.run(&["-s", &adb.serial, "pull", "/sdcard/there.bin", back], b"").await;
    assert!(pulled.status.success(), "{pulled:?}");
    assert!(std::fs::read(back).unwrap() == contents);
    let refused = adb.run(&["-s", &adb.serial, "push", here, "/data/x"], b"").await;
    // Older ones say it on standard output, newer ones on standard error.
    let said = text(&[refused.stdout, refused.stderr].concat());
    assert!(!refused.status.success() && said.contains("Permission denied"), "{said}");

    // Our own client through the same server reads what adb wrote.
    let soon = || Deadline::after(Duration::from_secs(20));
    let device = Device::on_server(adb.server(), &adb.serial, soon()).await.unwrap();
    let mut read = Vec::new();
    let transfer = Transfer { deadline: soon(), progress: |_| {} };
    device.pull("/sdcard/there.bin", &mut read, transfer).await.unwrap();
    assert!(read == contents);
    assert_eq!(device.stat("/sdcard/there.bin", soon()).await.unwrap().unwrap().size, 5_242_880);
}
