//! What many phones weigh. A process of its own, so that nothing else is
//! weighed with them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, reason = "the weight is worth knowing")]

use clawperator_sim::phone::{DumpViews, Intent};
use clawperator_sim::{Handset, Setup, Welcome, serve};
use std::sync::Arc;
use tokio::net::TcpListener;

const PHONES: usize = 256;
/// The most one phone may weigh.
const MOST: usize = 1_000_000;

/// The process's memory, in bytes; none where the system does not say.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[tokio::test]
async fn two_hundred_and_fifty_six_phones_weigh_less_than_a_megabyte_each() {
    // The first one reads the app files, which all phones share.
    drop(Handset::new(Setup::default()));
    let Some(before) = memory() else { return };
    let mut phones = Vec::new();
    for number in 0..PHONES {
        let handset = Handset::new(Setup { serial: format!("SIM{number}"), ..Setup::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        tokio::spawn(serve(Arc::clone(&handset), listener, Welcome::default()));
        phones.push(handset);
    }
    tokio::task::yield_now().await;
    let resting = (memory().unwrap() - before) / PHONES;
    for handset in &phones {
        handset.with(|phone| {
            phone.start(&Intent::launch("com.android.settings")).unwrap();
            assert!(phone.dump(DumpViews::All).unwrap().len() > 50);
        });
    }
    let used = (memory().unwrap() - before) / PHONES;
    println!("a phone weighs {} KB at rest, {} KB with Settings open", resting / 1000, used / 1000);
    assert!(resting < MOST && used < MOST, "{resting} bytes at rest, {used} with an app open");
}
