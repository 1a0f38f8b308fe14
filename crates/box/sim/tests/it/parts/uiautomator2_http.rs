//! Tests of `uiautomator2/http.rs`, over the server's port.

use crate::client::soon;
use crate::resident::phone;
use clawperator_adb::{Device, ServiceStream};
use clawperator_sim::Setup;
use proptest::prelude::*;
use std::time::Duration;

/// The longest head of a request.
const MAX_HEAD: usize = 16 << 10;

/// What the server says on a stopped clock; none while it waits for more.
async fn said(stream: &mut ServiceStream) -> Option<String> {
    let (mut receiving, _) = stream.split();
    let received = tokio::time::timeout(Duration::from_millis(1), receiving.receive()).await.ok()?;
    // A server that hangs up without a word has failed.
    let bytes = received.unwrap().unwrap();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

/// What the server says to the first bytes of a connection.
async fn answer(device: &Device, bytes: &[u8]) -> Option<String> {
    let mut stream = device.open("tcp:9008", soon()).await.unwrap();
    stream.split().1.send(bytes.to_vec().into()).await.unwrap();
    said(&mut stream).await
}

#[tokio::test(start_paused = true)]
async fn a_request_is_read_in_any_pieces() {
    let (_handset, device) = phone(Setup::default()).await;
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"isScreenOn"}"#;
    let length = body.len();
    let request = format!("POST /jsonrpc/0?x HTTP/1.1\r\nContent-Length: {length}\r\nA: b\r\n\r\n{body}");
    let mut stream = device.open("tcp:9008", soon()).await.unwrap();
    let (last, before) = request.as_bytes().split_last().unwrap();
    for (end, byte) in before.iter().enumerate() {
        stream.split().1.send(vec![*byte].into()).await.unwrap();
        assert_eq!(said(&mut stream).await, None, "{end}");
    }
    // What comes behind a request is the beginning of the next one.
    stream.split().1.send([&[*last], &b"GET"[..]].concat().into()).await.unwrap();
    let first = said(&mut stream).await.unwrap();
    assert!(first.contains("\r\nConnection: keep-alive\r\n"), "{first}");
    let told: serde_json::Value = serde_json::from_str(first.rsplit("\r\n\r\n").next().unwrap()).unwrap();
    assert_eq!((&told["id"], &told["result"]), (&7.into(), &true.into()));
    assert_eq!(said(&mut stream).await, None);
    stream.split().1.send(" /ping HTTP/1.1\r\n\r\n".into()).await.unwrap();
    assert!(said(&mut stream).await.unwrap().ends_with("\r\n\r\npong"));
}

#[tokio::test(start_paused = true)]
async fn what_is_too_much_is_refused() {
    let (_handset, device) = phone(Setup::default()).await;
    let cases: [(&[u8], u16); 6] = [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nnonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        (&[b'a'; MAX_HEAD], 431),
    ];
    for (bytes, status) in cases {
        let said = answer(&device, bytes).await.unwrap();
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{said}");
    }
}

#[test]
fn any_bytes_are_read_or_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap();
    let (_handset, device) = runtime.block_on(phone(Setup::default()));
    proptest!(|(bytes in prop::collection::vec(any::<u8>(), 0..300))| {
        let said = runtime.block_on(answer(&device, &bytes));
        prop_assert!(said.is_none_or(|said| said.starts_with("HTTP/1.1 ")));
    });
}
