//! The list of runs, and what is kept of those that ended.

use crate::folder;
use crate::support::{Phones, count, engine, open_counter, request, run};
use clawperator_engine::{FoundRun, OutcomeKind, RUNS_KEPT, Request, RunState};
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_run_is_found_while_it_runs_and_after_it_ended() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("runs_found"), None);
    let slow = json!([{"id": "s", "type": "sleep", "params": {"durationMs": 5000}}]);
    let first = engine.execute(request("phone-1", "first", &slow));
    let second = engine.execute(request("phone-1", "second", &open_counter()));
    let listed: Vec<_> = engine.runs().into_iter().map(|run| run.state).collect();
    assert_eq!(listed, [RunState::Waiting; 2]);
    let found = engine.find_run(&first.id.to_string()).await.unwrap();
    assert!(matches!(found, Some(FoundRun::Active(run)) if run.command_id == "first"));
    assert_eq!(engine.active_runs(), 2);
    let (first_id, second_id) = (first.id.to_string(), second.id.to_string());
    tokio::join!(first.outcome, second.outcome);
    engine.idle().await;
    let runs = engine.runs();
    let ids: Vec<_> = runs.iter().map(|run| run.run_id.to_string()).collect();
    assert_eq!(ids, [second_id.clone(), first_id]);
    assert!(runs.iter().all(|run| run.status == Some(OutcomeKind::Success)));
    assert_eq!(runs[0].device_id.as_deref(), Some("phone-1"));
    let Some(FoundRun::Ended(ended)) = engine.find_run(&second_id).await.unwrap() else {
        panic!("it ended");
    };
    assert!(ended.outcome.json.contains("\"status\":\"success\""));
    assert!(engine.find_run("run-0").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn who_reads_too_late_learns_how_many_runs_were_lost() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("runs_lost"), None);
    let nothing = json!([{"id": "s", "type": "sleep", "params": {"durationMs": 1}}]);
    let missing =
        |id: &str| Request { device: Some("nobody".to_owned()), ..request("phone-1", id, &nothing) };
    let most = RUNS_KEPT as u64;
    for number in 0..most + 3 {
        run(&engine, missing(&format!("c{number}"))).await;
    }
    assert_eq!(engine.last_ended(), most + 3);
    let next = |number| engine.next_ended(number).map(|next| (next.lost, next.run.number));
    assert_eq!(next(0), Some((3, 4)));
    assert_eq!(next(2), Some((1, 4)));
    assert_eq!(next(3), Some((0, 4)));
    assert_eq!(next(most + 2), Some((0, most + 3)));
    assert_eq!(next(most + 3), None);
    assert_eq!(next(u64::MAX), None);
    assert_eq!(engine.run_counts().error, most + 3);
    assert_eq!(engine.runs().len(), RUNS_KEPT);
    let (_, ended) = tokio::join!(engine.ended_beyond(most + 3), run(&engine, missing("one more")));
    assert_eq!(ended.kind(), OutcomeKind::Error);
}

#[tokio::test(start_paused = true)]
async fn another_process_knows_the_outcome_of_a_run_with_a_key() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let folder = folder("runs_recorded");
    let first = engine(&phones, &folder, None);
    run(&first, request("phone-1", "open", &open_counter())).await;
    let keyed = Request { key: Some("k".to_owned()), ..request("phone-1", "c", &count()) };
    let running = first.execute(keyed);
    let id = running.id.to_string();
    let outcome = running.outcome.await.outcome;
    let second = engine(&phones, &folder, None);
    let Some(FoundRun::Recorded(recorded)) = second.find_run(&id).await.unwrap() else {
        panic!("it is recorded");
    };
    assert_eq!(recorded.json, serde_json::to_string(&outcome).unwrap());
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_not_kept_with_a_run() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("runs_typed"), None);
    let typing = json!([{"id": "t", "type": "enter_text",
        "params": {"matcher": {"textEquals": "x"}, "text": "hunter2"}}]);
    let asked = Request { device: Some("nobody".to_owned()), ..request("phone-1", "t", &typing) };
    run(&engine, asked).await;
    let kept = engine.next_ended(0).unwrap().run;
    assert!(kept.execution.contains("enter_text") && !kept.execution.contains("hunter2"));
}
