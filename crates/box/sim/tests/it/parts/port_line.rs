//! Tests of `port/line.rs`.

use crate::client::{in_memory, soon};
use crate::resident::{HELPER, ends, installed, out};
use clawperator_sim::Setup;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_connection_is_listed_until_a_minute_after_its_end() {
    let setup = Setup { apps: vec![installed(HELPER)], ..Setup::default() };
    let (_handset, device) = in_memory(setup).await;
    // The helper waits for a request for ever.
    let runner = format!("am instrument -w -e sessionPort 4000 {HELPER}/.SnapshotInstrumentation");
    out(&device, &format!("{runner} >/dev/null 2>&1 &")).await;
    let mut stream = loop {
        match device.open("tcp:4000", soon()).await {
            Ok(stream) => break stream,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let uid = out(&device, "grep ':0FA0 .* 0A ' /proc/net/tcp6").await;
    let uid = uid.split_whitespace().nth(7).unwrap();
    let both = "cat /proc/net/tcp /proc/net/tcp6 | grep ':0FA0 ' | grep -v ' 0A '";
    let connected = async || out(&device, both).await.lines().map(ends).collect::<Vec<_>>();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let open = ["8000 0FA0 01 2000".to_owned(), format!("0FA0 8000 01 {uid}")];
    assert_eq!(connected().await, open);
    let (mut receiving, mut sending) = stream.split();
    sending.send("viewport v-1\n".into()).await.unwrap();
    // The helper goes first.
    while receiving.receive().await.unwrap().is_some() {}
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert_eq!(connected().await, ["0FA0 8000 06 0"]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(connected().await, Vec::<String>::new());
}
