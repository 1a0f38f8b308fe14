//! What can be asked of a device, over a connection of our own.

use crate::phone;
use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device, Host, Key, ShellOutput};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::time::Duration;
use tokio::net::TcpListener;

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// A phone on loopback, and a device that is connected to it.
async fn connect(features: &'static str) -> Device {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let (reader, writer) = socket.into_split();
        phone::serve(reader, writer, features).await;
    });
    let key = Key::generate(&mut StdRng::seed_from_u64(1)).unwrap();
    let host = Host {
        banner: "host::features=shell_v2".to_owned(),
        key: Some(&key),
        name: "me@here".to_owned(),
    };
    Device::connect(&address, &host, soon()).await.unwrap()
}

#[tokio::test]
async fn the_new_shell_protocol_keeps_everything_apart() {
    let device = connect("shell_v2,cmd").await;
    assert!(device.has_feature("cmd") && !device.has_feature("c"));
    let output = device.shell("fail", Bytes::new(), soon()).await.unwrap();
    let wanted = ShellOutput {
        stdout: "to out\n".into(),
        stderr: "to err\n".into(),
        exit_code: Some(42),
    };
    assert_eq!(output, wanted);
    let input = Bytes::from(vec![9; 3_000_000]);
    assert_eq!(
        device.shell("cat", input.clone(), soon()).await.unwrap().stdout,
        input
    );
    assert_eq!(
        device
            .shell("big", Bytes::new(), soon())
            .await
            .unwrap()
            .stdout
            .len(),
        1_800_000
    );
}

#[tokio::test]
async fn the_old_shell_protocol_says_less() {
    let device = connect("cmd").await;
    let output = device.shell("echo hi", Bytes::new(), soon()).await.unwrap();
    assert_eq!(
        (&output.stdout[..], output.exit_code),
        (&b"echo hi on v1\n"[..], None)
    );
    assert_eq!(device.exec("anything", soon()).await.unwrap(), "anything on v1\n");
}

#[tokio::test]
async fn what_a_device_does_not_have_is_refused() {
    let device = connect("shell_v2").await;
    assert!(matches!(
        device.open("framebuffer:", soon()).await,
        Err(AdbError::Refusal(_))
    ));
}

#[tokio::test]
async fn nobody_at_the_address_is_said_at_once() {
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let host = Host {
        banner: "host::".to_owned(),
        key: None,
        name: String::new(),
    };
    let result = Device::connect(&free.to_string(), &host, soon()).await;
    assert!(matches!(result, Err(AdbError::Refused { .. })));
}
