//! Our own client against the phone, straight over TCP, on both shell
//! protocols.

use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device, FileTarget, HostIdentity, PrivateKey, Transfer};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, link, serve};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::net::TcpListener;

/// Made once: it takes a while.
static KEY: LazyLock<PrivateKey> = LazyLock::new(|| {
    use rand::SeedableRng;
    PrivateKey::generate(&mut rand::rngs::StdRng::seed_from_u64(1)).unwrap()
});

const OLD: &str = "cmd";
const NEW: &str = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,sendrecv_v2";

pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// A phone on loopback, and where.
pub(crate) async fn phone(setup: Setup, welcome: Welcome) -> (Arc<Handset>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let handset = Handset::new(setup);
    tokio::spawn(serve(Arc::clone(&handset), listener, welcome));
    (handset, address)
}

pub(crate) async fn connect(address: &str) -> Result<Device, AdbError> {
    let host = HostIdentity {
        banner: "host::features=shell_v2".to_owned(),
        key: Some(&KEY),
        name: "me@here".to_owned(),
    };
    Device::connect(address, &host, soon()).await
}

/// A phone and a connection to it in memory, for tests that stop the clock.
pub(crate) async fn in_memory(setup: Setup) -> (Arc<Handset>, Device) {
    let handset = Handset::new(setup);
    let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
    let device = link(&handset, &Arc::new(welcome)).await.unwrap();
    (handset, device)
}

/// Waits on a stopped clock until no process has this text in its name.
pub(crate) async fn until_gone(device: &Device, name: &str) {
    for _ in 0..1_000 {
        if !out(device, "ps -A").await.contains(name) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{name} goes on");
}

async fn connected(features: &str) -> Device {
    let welcome = Welcome { features: features.to_owned(), ..Welcome::default() };
    let (_, address) = phone(Setup::default(), welcome).await;
    connect(&address).await.unwrap()
}

async fn out(device: &Device, command: &str) -> String {
    let output = device.shell(command, Bytes::new(), soon()).await.unwrap();
    String::from_utf8(output.stdout.to_vec()).unwrap()
}

#[tokio::test]
async fn idle_connections_shut_nobody_out() {
    let (_, address) = phone(Setup::default(), Welcome::default()).await;
    let used = connect(&address).await.unwrap();
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(tokio::net::TcpStream::connect(&address).await.unwrap());
    }
    let late = connect(&address).await.unwrap();
    for device in [&late, &used] {
        assert_eq!(out(device, "echo here").await, "here\n");
    }
    let mut first = Vec::new();
    assert_eq!(tokio::io::AsyncReadExt::read_to_end(&mut idle[0], &mut first).await.unwrap(), 0);
}

#[tokio::test]
async fn exit_codes_and_errors_stay_apart_on_the_new_protocol() {
    let device = connected(NEW).await;
    let failed = device.shell("echo out; echo err >&2; exit 42", Bytes::new(), soon()).await.unwrap();
    assert_eq!(
        (&failed.stdout[..], &failed.stderr[..], failed.exit_code),
        (&b"out\n"[..], &b"err\n"[..], Some(42))
    );
    let echoed = device.shell("cat", Bytes::from_static(b"typed"), soon()).await.unwrap();
    assert_eq!(&echoed.stdout[..], b"typed");
    let unknown = device.shell("no_such_command", Bytes::new(), soon()).await.unwrap();
    assert_eq!(unknown.exit_code, Some(127));
}

#[tokio::test]
async fn the_old_protocol_says_everything_in_one_stream() {
    let device = connected(OLD).await;
    let both = device.shell("echo out; echo err >&2; exit 42", Bytes::new(), soon()).await.unwrap();
    assert_eq!((&both.stdout[..], both.exit_code), (&b"out\nerr\n"[..], None));
    assert_eq!(out(&device, "false; echo X4EXIT:$?").await, "X4EXIT:1\n");
}

#[tokio::test]
async fn a_session_reads_what_is_typed() {
    let device = connected(NEW).await;
    let session = device.shell("", Bytes::from_static(b"A=5\necho $A\nexit 3\n"), soon()).await.unwrap();
    assert_eq!((&session.stdout[..], session.exit_code), (&b"5\n"[..], Some(3)));
}

#[tokio::test]
async fn files_are_moved_byte_for_byte() {
    for features in [OLD, NEW] {
        let device = connected(features).await;
        let contents = Bytes::from((0..5_242_880_u32).map(|i| (i * 31 % 257) as u8).collect::<Vec<_>>());
        let mut seen = 0;
        let transfer = Transfer { deadline: soon(), progress: |bytes| seen = bytes };
        let target = FileTarget { path: "/sdcard/new/five.bin", permissions: 0o644, modified: 1_700_000_000 };
        device.push(&mut &contents[..], target, transfer).await.unwrap();
        assert_eq!(seen, 5_242_880);
        let stat = device.stat("/sdcard/new/five.bin", soon()).await.unwrap().unwrap();
        assert_eq!((stat.size, stat.modified), (5_242_880, 1_700_000_000));
        let names: Vec<_> =
            device.list("/sdcard/new", soon()).await.unwrap().into_iter().map(|entry| entry.name).collect();
        assert!(names.contains(&"five.bin".to_owned()));
        let mut back = Vec::new();
        let transfer = Transfer { deadline: soon(), progress: |_| {} };
        device.pull("/sdcard/new/five.bin", &mut back, transfer).await.unwrap();
        assert!(back == contents, "{} bytes came back", back.len());
        let target = FileTarget { path: "/system/x", permissions: 0o644, modified: 0 };
        let transfer = Transfer { deadline: soon(), progress: |_| {} };
        let refused = device.push(&mut &b"x"[..], target, transfer).await;
        assert!(matches!(refused, Err(AdbError::Refusal(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn what_the_kernel_makes_up_is_pulled() {
    let device = connected(NEW).await;
    let transfer = Transfer { deadline: soon(), progress: |_| {} };
    let mut pulled = Vec::new();
    device.pull("/proc/stat", &mut pulled, transfer).await.unwrap();
    assert!(pulled.starts_with(b"cpu  "), "{pulled:?}");
    let listed = device.list("/proc/1", soon()).await.unwrap();
    assert!(listed.iter().any(|entry| entry.name == "cmdline"), "{listed:?}");
}

#[tokio::test]
async fn the_screen_is_dumped_pictured_and_changed() {
    let device = connected(NEW).await;
    out(&device, "am start -n com.clawperator.conformance/.MainActivity").await;
    let dump = device.exec("uiautomator dump /dev/tty", soon()).await.unwrap();
    let dump = String::from_utf8(dump.to_vec()).unwrap();
    assert!(dump.ends_with("UI hierchary dumped to: /dev/tty\n"), "{dump}");
    let tree = clawperator_ui::read(&dump).unwrap();
    let (_, button) = tree.nodes().find(|(_, node)| node.text == "Increment").unwrap();
    let clawperator_ui::Point { x, y } = button.bounds.center();
    out(&device, &format!("input tap {x} {y}")).await;
    assert!(out(&device, "uiautomator dump /dev/tty").await.contains("Counter: 1"));
    let png = device.exec("screencap -p", soon()).await.unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!(&png[16..24], [1080_u32.to_be_bytes(), 2400_u32.to_be_bytes()].concat());
    let picture = service(&device, "framebuffer:").await;
    let size = [1080_u32, 2400].map(u32::to_le_bytes).concat();
    assert_eq!(picture.get(16..24), Some(&size[..]));
    assert_eq!(picture.len(), 56 + 1080 * 2400 * 4);
}

/// All that a service says.
async fn service(device: &Device, name: &str) -> Vec<u8> {
    let mut stream = device.open(name, soon()).await.unwrap();
    let (mut reader, _) = stream.split();
    let mut said = Vec::new();
    while let Some(data) = reader.receive().await.unwrap() {
        said.extend_from_slice(&data);
    }
    said
}

#[tokio::test]
async fn ports_lead_into_the_phone() {
    let device = connected(NEW).await;
    let mut stream = device.open("tcp:7", soon()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    writer.send("echo".into()).await.unwrap();
    assert_eq!(reader.receive().await.unwrap().unwrap(), "echo");
}

#[tokio::test]
async fn a_reverse_is_listed_until_it_is_removed() {
    let device = connected(NEW).await;
    let exit_code = async || {
        let command = "nc 127.0.0.1 8081 </dev/null";
        let output = device.shell(command, Bytes::new(), soon()).await.unwrap();
        output.exit_code
    };
    assert_ne!(exit_code().await, Some(0));
    let made = service(&device, "reverse:forward:tcp:8081;tcp:9").await;
    assert_eq!(made, b"OKAY00048081");
    let listed = service(&device, "reverse:list-forward").await;
    assert_eq!(listed, b"0014host tcp:8081 tcp:9\n");
    assert_eq!(exit_code().await, Some(0));
    let removed = service(&device, "reverse:killforward:tcp:8081").await;
    assert_eq!(removed, b"OKAY");
    assert_ne!(exit_code().await, Some(0));
}

#[tokio::test]
async fn a_key_that_is_not_accepted_is_unauthorized() {
    let welcome = Welcome { keys: HostKeys::Refused, ..Welcome::default() };
    let (_, address) = phone(Setup::default(), welcome).await;
    let host = HostIdentity { banner: "host::".to_owned(), key: Some(&KEY), name: "me@here".to_owned() };
    let deadline = Deadline::after(Duration::from_millis(800));
    let refused = Device::connect(&address, &host, deadline).await;
    assert!(matches!(refused, Err(AdbError::Unauthorized | AdbError::TimedOut { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_reboot_ends_the_connection_and_the_phone_comes_back() {
    let (_, address) = phone(Setup::default(), Welcome::default()).await;
    let device = connect(&address).await.unwrap();
    out(&device, "am start -n com.clawperator.conformance/.MainActivity; echo kept > /sdcard/kept").await;
    // The answer may be lost with the connection.
    let _ = device.shell("reboot", Bytes::new(), soon()).await;
    let lost = device.shell("echo", Bytes::new(), soon()).await;
    assert!(lost.is_err(), "{lost:?}");
    let again = connect(&address).await.unwrap();
    assert!(!out(&again, "dumpsys window").await.contains("com.clawperator.conformance"));
    assert_eq!(out(&again, "cat /sdcard/kept").await, "kept\n");
}

#[tokio::test(start_paused = true)]
async fn a_command_ends_with_its_caller() {
    let (_handset, device) = in_memory(Setup::default()).await;
    let endless = device.shell(
        "while true; do sleep 1; done",
        Bytes::new(),
        Deadline::after(Duration::from_millis(300)),
    );
    assert!(matches!(endless.await, Err(AdbError::TimedOut { .. })));
    until_gone(&device, " sleep").await;
    until_gone(&device, "while true").await;
}
