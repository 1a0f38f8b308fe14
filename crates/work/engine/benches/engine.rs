//! One engine, 64 simulated phones, 1,000 requests in flight:
//! `cargo bench -p clawperator-engine`. Every outcome and the order of each
//! phone's requests are checked; times, memory and limits are printed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    dead_code,
    reason = "a benchmark talks to people and stops at what is wrong"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use bytes::Bytes;
use clawperator_engine::{Engine, IDLE_LIMIT, Request};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{Phones, count, engine, execution, open_counter, request, run, text};

/// How long the host may take for a click on a warm phone.
const CLICK_LIMIT: Duration = Duration::from_millis(1);
/// How much memory the process may have, with all phones in it.
const MEMORY_LIMIT_MB: f64 = 200.0;

struct Scale {
    phones: usize,
    requests: usize,
    clicks: usize,
}

#[tokio::main]
async fn main() {
    // `cargo test` runs this too: a little is enough to see that it works.
    let scale = if std::env::args().any(|word| word == "--bench") {
        Scale { phones: 64, requests: 1_000, clicks: 2_000 }
    } else {
        Scale { phones: 2, requests: 10, clicks: 2 }
    };
    let folder = std::env::temp_dir().join(format!("clawperator-engine-{}", std::process::id()));
    let names: Vec<String> = (0..scale.phones).map(|number| format!("phone-{number:02}")).collect();
    let phones = Phones::new(names.iter().cloned());
    let engine = engine(&phones, &folder, Some(IDLE_LIMIT));
    for name in &names {
        run(&engine, request(name, "open", &open_counter())).await;
    }
    in_flight(&engine, &names, &scale).await;
    assert_eq!(phones.connections.load(Ordering::Relaxed), scale.phones, "one connection for each phone");
    clicks(&engine, &phones, &scale).await;
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Sends all requests at once, and checks what comes of each.
async fn in_flight(engine: &Engine, names: &[String], scale: &Scale) {
    let began = Instant::now();
    let done = Arc::new(AtomicU64::new(0));
    let mut running = Vec::new();
    for number in 0..scale.requests {
        let name = &names[number % names.len()];
        let turn = number / names.len() + 1;
        let one = engine.execute(request(name, &format!("c{number}"), &count()));
        drop(one.events);
        let (outcome, done) = (one.outcome, done.clone());
        running.push(tokio::spawn(async move {
            let finished = outcome.await;
            // The n-th request of a phone must count to n: in order, none lost,
            // none doubled.
            assert_eq!(text(&finished.outcome), format!("Counter: {turn}"));
            done.fetch_add(1, Ordering::Relaxed);
        }));
    }
    let accepted = began.elapsed();
    for one in running {
        one.await.unwrap();
    }
    let took = began.elapsed();
    assert_eq!(done.load(Ordering::Relaxed), scale.requests as u64);
    println!(
        "engine/in flight   {} requests on {} phones: all exact and in order, accepted in {:.1} ms, done in \
         {:.0} ms ({:.0} a second)",
        scale.requests,
        names.len(),
        accepted.as_secs_f64() * 1e3,
        took.as_secs_f64() * 1e3,
        scale.requests as f64 / took.as_secs_f64(),
    );
    if let Some(mb) = resident_mb() {
        let verdict = if mb <= MEMORY_LIMIT_MB { "ok" } else { "TOO MUCH" };
        println!(
            "engine/memory      {mb:.0} MB resident with all phones (limit {MEMORY_LIMIT_MB:.0} MB: {verdict})"
        );
    }
}

/// Clicks one after the other: what the engine adds to the phone's own time.
async fn clicks(engine: &Engine, phones: &Arc<Phones>, scale: &Scale) {
    let click = json!([{"id": "c", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}}]);
    let mut whole = times(scale.clicks, || request_of(engine, &click)).await;
    report("click, whole", &mut whole, None);
    // The same two commands, sent as they are: what the phone and the link
    // take. The rest is the host's.
    let asked = phones.asked("phone-00");
    let [.., look, tap] = &asked[..] else {
        panic!("a click sends two commands: {asked:?}");
    };
    let (look, tap) = (look.strip_prefix("exec:").unwrap(), tap.strip_prefix("shell,v2,raw:").unwrap());
    let device = phones.link("phone-00", soon()).await.unwrap();
    let mut own = times(scale.clicks, || async {
        device.exec(look, soon()).await.unwrap();
        device.shell(tap, Bytes::new(), soon()).await.unwrap();
    })
    .await;
    report("click, phone", &mut own, None);
    let mut host: Vec<_> = whole.iter().zip(&own).map(|(whole, own)| whole.saturating_sub(*own)).collect();
    report("click, host", &mut host, Some(CLICK_LIMIT));
}

fn soon() -> clawperator_phone::Deadline {
    clawperator_phone::Deadline::after(Duration::from_secs(30))
}

async fn request_of(engine: &Engine, actions: &Value) {
    let request = Request { device: Some("phone-00".to_owned()), ..Request::new(execution("c", actions)) };
    let running = engine.execute(request);
    drop(running.events);
    let finished = running.outcome.await;
    assert!(matches!(finished.outcome, clawperator_engine::Outcome::Ran(_)));
}

async fn times<F: Future<Output = ()>>(number: usize, once: impl Fn() -> F) -> Vec<Duration> {
    let mut times = Vec::with_capacity(number);
    for _ in 0..number {
        let began = Instant::now();
        once().await;
        times.push(began.elapsed());
    }
    times
}

/// Sorts times and prints two of them.
fn report(what: &str, times: &mut [Duration], limit: Option<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let limit = limit.map_or(String::new(), |limit| {
        let verdict = if at(0.5) <= limit.as_secs_f64() * 1e3 { "ok" } else { "TOO SLOW" };
        format!(" (limit {} ms: {verdict})", limit.as_millis())
    });
    println!("engine/{what:<18} p50 {:.3} ms, p99 {:.3} ms of {}{limit}", at(0.5), at(0.99), times.len());
}

fn resident_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}
