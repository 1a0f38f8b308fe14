//! Hosts of a pool on a stage: what they hold on a phone, and the lines that compare it before each
//! touch, are run by Google's adbd, mksh and toybox. docs/genuine.md.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, reason = "what a host says is shown if it is asked for")]
#![cfg(target_os = "linux")]

#[path = "../../../../work/engine/tests/support/mod.rs"]
#[allow(dead_code, reason = "the engine's tests use more of it")]
mod engine_support;
#[path = "../it/memory.rs"]
#[allow(dead_code, reason = "the tests in memory use more of it")]
mod memory;
#[path = "../../../../box/stage/tests/support/stage.rs"]
mod stage;
#[path = "../it/support.rs"]
#[allow(dead_code, reason = "the tests in memory use more of it")]
mod support;

use clawperator_engine::OutcomeKind;
use clawperator_pool::RosterPhone;
use clawperator_sim::{HostKeys, Welcome, serve};
use engine_support::Phones;
use memory::MemoryBroker;
use stage::Stage;
use std::sync::Arc;
use std::time::Duration;
use support::{EPOCH_MS, HostSetup, any, caller, counting, roster_phone, worker};
use tokio::net::TcpListener;
use tokio::time::timeout;

const JOBS: usize = 4;

#[tokio::test]
async fn two_hosts_share_a_phone_and_touch_it_one_at_a_time() {
    let folder = std::env::temp_dir().join(format!("clawperator-pool-genuine-{}", std::process::id()));
    let (broker, phones) = (MemoryBroker::new(EPOCH_MS), Phones::new(["a".to_owned()]));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let phone = listener.local_addr().unwrap().to_string();
    let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
    tokio::spawn(serve(Arc::clone(phones.handset("a")), listener, welcome));
    let stage = Stage::open(&phone, &[]).unwrap();
    let serving: Vec<_> = ["one", "other"]
        .into_iter()
        .map(|host| {
            let phones = Phones::clone_of(&phones, "a");
            phones.behind.set("a", &stage.address);
            let roster = vec![RosterPhone { hardware: Some("the phone".to_owned()), ..roster_phone("a") }];
            let broker = Arc::new(broker.clone());
            let worker = worker(HostSetup { host, broker, phones, roster, folder: &folder });
            tokio::spawn(async move { worker.run(Box::pin(std::future::pending())).await.unwrap() })
        })
        .collect();
    let caller = caller(&broker);
    let mut jobs = Vec::new();
    for number in 0..JOBS {
        jobs.push(caller.submit(counting(&format!("job-{number}")), &any("pixel")).await.unwrap());
    }
    for job in &jobs {
        let ended = timeout(Duration::from_secs(60), caller.result(job)).await.unwrap().unwrap();
        assert_eq!(ended.ended.outcome.kind, OutcomeKind::Success, "{}", ended.ended.outcome.json);
    }
    let taps = phones.asked("a").iter().filter(|asked| asked.contains("input 'tap'")).count();
    assert_eq!(taps, JOBS * 3);
    serving.iter().for_each(tokio::task::JoinHandle::abort);
    std::fs::remove_dir_all(&folder).unwrap();
}
