//! What a phone costs: starting one, and a tap and a dump on a plain screen,
//! each against its limit. `cargo bench -p clawperator-sim`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark talks to people and stops at what is wrong"
)]

use clawperator_adb::{Deadline, Device, HostIdentity};
use clawperator_sim::phone::{DumpViews, Intent};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, serve};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// The median of many runs.
fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..runs)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

fn report(what: &str, took: Duration, limit: Duration) {
    let part = took.as_secs_f64() / limit.as_secs_f64();
    println!(
        "phone/{what:<28} median {:8.3} ms (limit {} ms: {part:.3} of it)",
        took.as_secs_f64() * 1e3,
        limit.as_millis()
    );
}

fn main() {
    // `cargo test` runs this too: once is enough to see that it works.
    let runs = if std::env::args().any(|word| word == "--bench") { 201 } else { 1 };
    let began = Instant::now();
    drop(Handset::new(Setup::default()));
    println!(
        "phone/first of a process: {:.1} ms, reading the app files",
        began.elapsed().as_secs_f64() * 1e3
    );
    let start = median(runs, || drop(Handset::new(Setup::default())));
    report("start", start, Duration::from_millis(5));

    let handset = Handset::new(Setup::default());
    handset.with(|phone| phone.start(&Intent::launch("com.clawperator.conformance")).unwrap());
    let tap = median(runs, || {
        handset.with(|phone| {
            phone.tap(clawperator_ui::Point::new(150, 430));
            let tree = phone.dump(DumpViews::All).unwrap();
            assert!(clawperator_ui::write(&tree, clawperator_ui::Attributes::Usual).contains("Counter: "));
        });
    });
    report("tap and dump", tap, Duration::from_millis(2));
    let picture = median(runs.min(21), || {
        drop(handset.with(|phone| phone.picture().unwrap().to_png()));
    });
    println!("phone/{:<28} median {:8.3} ms", "picture as PNG", picture.as_secs_f64() * 1e3);
    over_adb(runs);
}

/// The same tap and dump through adb's bytes over loopback.
fn over_adb(runs: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        let serving = tokio::spawn(serve(Arc::clone(&Handset::new(Setup::default())), listener, welcome));
        let host =
            HostIdentity { banner: "host::features=shell_v2".to_owned(), key: None, name: String::new() };
        let soon = || Deadline::after(Duration::from_secs(10));
        let device = Device::connect(&address, &host, soon()).await.unwrap();
        device
            .shell("am start -n com.clawperator.conformance/.MainActivity", bytes::Bytes::new(), soon())
            .await
            .unwrap();
        let mut times = Vec::new();
        for _ in 0..runs {
            let began = Instant::now();
            let command = "input tap 150 430 && uiautomator dump /dev/tty";
            let output = device.shell(command, bytes::Bytes::new(), soon()).await.unwrap();
            assert!(output.stdout.ends_with(b"/dev/tty\n"));
            times.push(began.elapsed());
        }
        times.sort();
        report("tap and dump over adb", times[runs / 2], Duration::from_millis(2));
        serving.abort();
    });
}
