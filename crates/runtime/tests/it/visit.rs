//! A phone is found, taken, used and let go of, whoever asks.

use crate::adb_server::serve_list;
use crate::world::{World, connect_again, plain, soon};
use clawperator_adb::ServerEnvironment;
use clawperator_contract::{ErrorCode, Execution, Failure, Status, accept};
use clawperator_runtime::{Locks, Ran, Reach, RunOptions, Visit, list, run_on};
use serde_json::json;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PHONES: &str = "sim-1  device product:sim\nsim-2  offline\nsim-3  unauthorized\n";

/// The locks of one test.
fn locks(name: &str) -> Locks {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("visit-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    Locks::new(folder)
}

async fn server(world: &World) -> ServerEnvironment {
    serve_list(PHONES, connect_again(world).await).await
}

fn reach(environment: &ServerEnvironment) -> Reach<'_> {
    Reach {
        environment,
        key_file: Path::new("/no/such/key"),
        name: "me@here",
    }
}

fn execution(kind: &str) -> Execution {
    let params = match kind {
        "sleep" => json!({"durationMs": 1}),
        _ => json!({}),
    };
    let payload = json!({"commandId": "mine", "taskId": "t", "source": "test", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator", "actions": [{"id": "a", "type": kind, "params": params}]});
    accept(payload.to_string().as_bytes()).unwrap().execution
}

fn host() -> RunOptions {
    RunOptions::default()
}

async fn run(visit: &Visit<'_>, kind: &str) -> Result<Ran, Failure> {
    Box::pin(run_on(visit, &execution(kind), &host(), pending())).await
}

#[tokio::test]
async fn one_at_a_time_has_a_phone_and_lets_go_of_it() {
    let environment = server(&plain().await).await;
    let visit = Visit {
        wanted: None,
        reach: reach(&environment),
        locks: locks("turns"),
        wait: None,
        memory: None,
    };
    for _ in 0..2 {
        let ran = run(&visit, "sleep").await.unwrap();
        assert_eq!(
            (ran.serial.as_str(), ran.envelope.status),
            ("sim-1", Status::Success)
        );
    }
    let _theirs = visit.locks.take("sim-1", "theirs", None).await.unwrap();
    let failure = run(&visit, "sleep").await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::ExecutionConflict);
    let owner = failure.details.unwrap().owner.unwrap();
    assert_eq!(
        (owner.pid, owner.command_id.as_str()),
        (std::process::id(), "theirs")
    );
    // To stop a recording nobody's turn is needed.
    let ran = run(&visit, "stop_recording").await.unwrap();
    assert_eq!(ran.envelope.error_code.as_deref(), Some("RECORDING_UNAVAILABLE"));
}

#[tokio::test(start_paused = true)]
async fn who_is_stopped_while_he_waits_has_sent_nothing() {
    let world = plain().await;
    let environment = server(&world).await;
    let visit = Visit {
        wanted: Some("sim-1"),
        reach: reach(&environment),
        locks: locks("stopped"),
        wait: Some(Duration::from_secs(20)),
        memory: None,
    };
    let _theirs = visit.locks.take("sim-1", "theirs", None).await.unwrap();
    let before = world.handset.asked().len();
    let stop = tokio::time::sleep(Duration::from_millis(200));
    let stopped = Box::pin(run_on(&visit, &execution("snapshot_ui"), &host(), stop)).await;
    let failure = stopped.unwrap_err();
    assert_eq!(failure.code, ErrorCode::ExecutionCancelled, "{failure:?}");
    assert!(failure.message.contains("nothing was sent"), "{failure:?}");
    assert_eq!(world.handset.asked().len(), before);
}

#[tokio::test]
async fn what_there_is_is_told_to_who_names_no_phone() {
    let world = plain().await;
    let environment = serve_list("b  device\na  device\nc  offline\n", connect_again(&world).await).await;
    let reach = reach(&environment);
    let listed = list(&reach, soon()).await.unwrap();
    let listed: Vec<_> = listed
        .iter()
        .map(|phone| (phone.serial.as_str(), phone.state.to_string()))
        .collect();
    let told = |serial, state: &str| (serial, state.to_owned());
    assert_eq!(
        listed,
        [told("b", "device"), told("a", "device"), told("c", "offline")]
    );
    let visit = |wanted| Visit {
        wanted,
        reach,
        locks: locks("several"),
        wait: None,
        memory: None,
    };
    let failure = visit(None).reached(soon()).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::MultipleDevices);
    let details = failure.details.unwrap();
    assert_eq!(details.devices, ["b", "a"]);
    assert_eq!(
        details.hint.as_deref(),
        Some(ErrorCode::MultipleDevices.row().hint)
    );
    let failure = visit(Some("d")).reached(soon()).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::DeviceNotFound);
    assert_eq!(failure.details.unwrap().connected, ["b", "a"]);
}
