//! What a host sees of a command's two streams, packet by packet, and of a
//! reboot.

use crate::client::{connect, phone, soon};
use bytes::BytesMut;
use clawperator_adb::Device;
use clawperator_adb::shell::ShellPacket;
use clawperator_sim::{Setup, Welcome};

/// How often a race gets its chance.
const ROUNDS: usize = 40;

/// The packets of one command, as text: `1` or `2` for the stream, `x` for the
/// exit code.
async fn packets(device: &Device, service: &str) -> Vec<String> {
    let mut stream = device.open(service, soon()).await.unwrap();
    let (mut receiving, _sending) = stream.split();
    let (mut buffer, mut said) = (BytesMut::new(), Vec::new());
    while let Some(bytes) = receiving.receive().await.unwrap() {
        buffer.extend_from_slice(&bytes);
        while let Some(packet) = ShellPacket::decode(&mut buffer).unwrap() {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            said.push(match packet {
                ShellPacket::Stdout(bytes) => format!("1 {}", text(&bytes)),
                ShellPacket::Stderr(bytes) => format!("2 {}", text(&bytes)),
                ShellPacket::Exit(code) => format!("x {code}"),
                other => format!("{other:?}"),
            });
        }
    }
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_and_results_arrive_in_the_order_they_were_written() {
    let (_, address) = phone(Setup::default(), Welcome::default()).await;
    let device = connect(&address).await.unwrap();
    let cases: [(&str, &[&str]); 4] = [
        ("ls /nope; echo END", &["2 ls: /nope: No such file or directory\n", "1 END\n", "x 0"]),
        (
            "(echo a >&2; echo b) | cat; pm path no.such; echo c >&2; getprop ro.build.version.sdk",
            &["2 a\n", "1 b\n", "2 c\n", "1 34\n", "x 0"],
        ),
        ("{ echo a; echo b >&2; } 2>&1; echo c >&2", &["1 a\n", "1 b\n", "2 c\n", "x 0"]),
        (
            "sh -c 'echo a >&2; echo b'; nothing_here; exit 3",
            &["2 a\n", "1 b\n", "2 /system/bin/sh: nothing_here: inaccessible or not found\n", "x 3"],
        ),
    ];
    for _ in 0..ROUNDS {
        for (command, expected) in cases {
            let said = packets(&device, &format!("shell,v2,raw:{command}")).await;
            assert_eq!(said, expected, "{command}");
        }
    }
}

#[tokio::test]
async fn a_terminal_has_one_stream_and_ends_lines_with_both_signs() {
    let (_, address) = phone(Setup::default(), Welcome::default()).await;
    let device = connect(&address).await.unwrap();
    let said = packets(&device, "shell,v2,pty:echo a; echo b >&2; printf c").await;
    assert_eq!(said, ["1 a\r\n", "1 b\r\n", "1 c", "x 0"]);
    let said = packets(&device, "shell,v2,raw:printf 'a\\nb'").await;
    assert_eq!(said, ["1 a\nb", "x 0"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reboot_is_accepted_before_the_connection_ends() {
    let (_, address) = phone(Setup::default(), Welcome::default()).await;
    for round in 0..ROUNDS {
        let device = connect(&address).await.unwrap();
        let opened = device.open("reboot:", soon()).await;
        assert!(opened.is_ok(), "round {round}: {opened:?}");
        let ended = opened.unwrap().split().0.receive().await;
        assert!(!matches!(ended, Ok(Some(_))), "round {round}: {ended:?}");
    }
}
