//! What a step costs in a warm process with a phone that answers at once:
//! `cargo bench -p clawperator-run`. The phone's own work is in the times.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark talks to people and stops at what is wrong"
)]

use clawperator_adb::{Deadline, Device, HostIdentity};
use clawperator_contract::{Execution, accept};
use clawperator_events::{Clock, EventLog, LogSetup, Pictures, Redactions};
use clawperator_journal::JournalFolder;
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_run::{RunOptions, Strictness};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, serve};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// How long the host may take for a step.
const LIMIT: Duration = Duration::from_millis(2);
const STEPS: usize = 1_000;

#[tokio::main]
async fn main() {
    // `cargo test` runs this too: once is enough to see that it works.
    let steps = if std::env::args().any(|word| word == "--bench") { STEPS } else { 1 };
    let mut lease = PhoneLease::new(phone().await, LeaseOptions::default());
    once(&mut lease, &execution("open_app", &json!({"applicationId": "com.clawperator.conformance"})), None)
        .await;
    let mut all = Vec::new();
    let mut noted = Vec::new();
    let mut now_ms = 0;
    let journals = std::env::temp_dir().join(format!("clawperator-bench-{}", std::process::id()));
    for (kind, params) in [
        ("click", json!({"matcher": {"textEquals": "Increment"}})),
        ("read_text", json!({"matcher": {"textContains": "Counter"}})),
        ("wait_for_node", json!({"matcher": {"textEquals": "Increment"}})),
        ("snapshot_ui", json!({})),
        ("press_key", json!({"key": "recents"})),
        ("sleep", json!({"durationMs": 0})),
    ] {
        let execution = execution(kind, &params);
        let mut times = Vec::with_capacity(steps);
        for _ in 0..steps {
            let began = Instant::now();
            once(&mut lease, &execution, None).await;
            times.push(began.elapsed());
        }
        report(kind, &mut times);
        all.append(&mut times);
        for _ in 0..steps {
            now_ms += 1;
            let log = EventLog::new(LogSetup {
                version: "bench",
                clock: Clock::new(move || now_ms),
                pictures: Pictures::Left,
                journal: Some(Box::new(JournalFolder::new(&journals))),
                skill_run: None,
                redactions: Redactions::default(),
                subscribers: None,
            });
            let began = Instant::now();
            once(&mut lease, &execution, Some(Arc::new(log))).await;
            times.push(began.elapsed());
        }
        report(&format!("{kind} + journal"), &mut times);
        noted.append(&mut times);
    }
    report("all of them", &mut all);
    report("all + journal", &mut noted);
    std::fs::remove_dir_all(&journals).unwrap();
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let median = times[times.len() / 2];
    println!(
        "steps/{what:<23} median {:7.3} ms of {} (limit {} ms: {:.3} of it)",
        median.as_secs_f64() * 1e3,
        times.len(),
        LIMIT.as_millis(),
        median.as_secs_f64() / LIMIT.as_secs_f64(),
    );
}

async fn phone() -> Phone {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
    tokio::spawn(serve(Handset::new(Setup::default()), listener, welcome));
    let host =
        HostIdentity { banner: "host::features=shell_v2".to_owned(), key: None, name: "me@here".to_owned() };
    let soon = Deadline::after(Duration::from_secs(30));
    let device = Device::connect(&address, &host, soon).await.unwrap();
    Phone::new(device, address)
}

fn execution(kind: &str, params: &Value) -> Execution {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "bench", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": [{"id": "s", "type": kind, "params": params}]});
    accept(payload.to_string().as_bytes()).unwrap().execution
}

async fn once(lease: &mut PhoneLease, execution: &Execution, event_log: Option<Arc<EventLog>>) {
    let options = RunOptions {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 1,
        event_log,
        ..RunOptions::default()
    };
    let ran = clawperator_run::run(lease, execution, &options, Box::pin(std::future::pending())).await;
    let envelope = ran.unwrap();
    assert!(envelope.error.is_none(), "{envelope:?}");
}
