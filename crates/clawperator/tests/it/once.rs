//! `exec --once`: whatever happens to the process, an execution runs once, and
//! its outcome is true. The truth is the counter on the phone's screen.

use super::sim::Place;
use serde_json::{Value, json};
use std::process::{Child, Output, Stdio};

/// How many processes are killed; the variable asks for more.
const KILLS: usize = 15;

fn payload(id: &str, clicks: usize) -> String {
    let click = |number: usize| {
        json!({"id": format!("click-{}", number + 1), "type": "click",
            "params": {"matcher": {"textEquals": "Increment"}}})
    };
    let actions: Vec<Value> = (0..clicks).map(click).collect();
    json!({"commandId": id, "taskId": "t", "source": "test", "expectedFormat": "android-ui-automator",
        "timeoutMs": 30_000, "actions": actions})
    .to_string()
}

fn once(place: &Place, payload: &str) -> Output {
    let mut command = place.program();
    command.args(["exec", "--once", "--device", "sim", payload]);
    command.output().unwrap()
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn counter(place: &Place) -> u64 {
    let mut command = place.program();
    command.args(["read", "--text-contains", "Counter", "--device", "sim"]);
    let read = answer(&command.output().unwrap());
    let text = read["envelope"]["stepResults"][0]["data"]["text"].as_str().unwrap();
    text.strip_prefix("Counter: ").unwrap().parse().unwrap()
}

fn open_counter(place: &Place) {
    let mut command = place.program();
    command.args(["open", "com.clawperator.conformance", "--device", "sim"]);
    assert_eq!(answer(&command.output().unwrap())["envelope"]["status"], "success");
}

#[test]
fn the_same_id_runs_once_and_only_with_the_same_payload() {
    let place = Place::new();
    open_counter(&place);
    let first = once(&place, &payload("k", 1));
    assert_eq!(first.status.code(), Some(0));
    let again = once(&place, &payload("k", 1));
    assert_eq!((&again.stdout, again.status.code()), (&first.stdout, Some(0)));
    assert_eq!(counter(&place), 1);
    let other = once(&place, &payload("k", 2));
    assert_eq!((&answer(&other)["code"], other.status.code()), (&json!("IDEMPOTENCY_CONFLICT"), Some(1)));
    // Without the flag it runs again.
    let mut command = place.program();
    command.args(["exec", "--device", "sim", &payload("k", 1)]);
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    assert_eq!(counter(&place), 2);
}

#[test]
fn a_killed_run_is_never_run_again_and_its_outcome_is_true() {
    let place = Place::new();
    open_counter(&place);
    let mut measured = spawn(&place, &payload("measured", 2));
    let whole = turns(&mut measured, u64::MAX);
    assert_eq!(measured.wait_with_output().unwrap().status.code(), Some(0));
    // Some are killed before they begin, and some have ended.
    let longest = whole + whole / 5;
    let kills = std::env::var("CLAWPERATOR_KILLS").ok().and_then(|number| number.parse().ok());
    let (mut random, mut tally) = (0x2545_f491_4f6c_dd1d_u64, [0; 3]);
    for round in 0..kills.unwrap_or(KILLS) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let kind = killed_once(&place, &format!("killed-{round}"), random % longest);
        tally[kind] += 1;
    }
    println!(
        "ran on the retry or before the kill: {}, unknown: {}, of them unsent: {}",
        tally[0],
        tally[1] + tally[2],
        tally[2]
    );
}

fn spawn(place: &Place, payload: &str) -> Child {
    let mut command = place.program();
    command.args(["exec", "--once", "--device", "sim", payload]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Gives up its turn on the processor, so often at the most, until a process
/// has ended; tells how often. This is how moments are chosen without a clock.
fn turns(child: &mut Child, most: u64) -> u64 {
    (0..most)
        .find(|_| {
            std::thread::yield_now();
            child.try_wait().unwrap().is_some()
        })
        .unwrap_or(most)
}

/// Kills a run after some turns, asks again, and compares with the phone.
fn killed_once(place: &Place, id: &str, delay: u64) -> usize {
    let (payload, before) = (payload(id, 2), counter(place));
    let mut child = spawn(place, &payload);
    turns(&mut child, delay);
    child.kill().unwrap();
    let killed = child.wait_with_output().unwrap();
    let retried = once(place, &payload);
    let clicks = counter(place) - before;
    let told = answer(&retried);
    if !killed.stdout.is_empty() {
        assert_eq!(killed.stdout, retried.stdout, "the caller got this before");
    }
    // Now and for ever, and without another click.
    assert_eq!(once(place, &payload).stdout, retried.stdout);
    assert_eq!(counter(place) - before, clicks);
    let about = format!("{id} after {delay} turns: {clicks} clicks, {told}");
    if told["envelope"]["status"] == "success" {
        assert_eq!(clicks, 2, "{about}");
        return 0;
    }
    assert_eq!(told["code"], "EXECUTION_OUTCOME_UNKNOWN", "{about}");
    let details = &told["details"];
    let truth = match (details["lastActionId"].as_str(), details["lastActionPhase"].as_str()) {
        (None, None) => 0..=0,
        (Some("click-1"), Some("began")) => 0..=1,
        (Some("click-1"), Some("ended")) => 1..=1,
        (Some("click-2"), Some("began")) => 1..=2,
        (Some("click-2"), Some("ended")) => 2..=2,
        other => panic!("{other:?}: {about}"),
    };
    assert!(truth.contains(&clicks), "{about}");
    if details["dispatched"] == "no" { 2 } else { 1 }
}
