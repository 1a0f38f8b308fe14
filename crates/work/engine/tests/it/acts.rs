//! Acts that a caller chooses one by one are a run like any other.

use crate::folder;
use crate::support::{Phones, engine, open_counter, request};
use clawperator_contract::ErrorCode;
use clawperator_engine::{Acts, Engine, FoundRun, Journal, OutcomeKind, PhoneRequest, RunId, RunState};
use clawperator_events::Pictures;
use clawperator_phone::{Deadline, KeyCode, REACH};
use std::time::Duration;

async fn begin(engine: &Engine, device: &str) -> Result<Acts, ErrorCode> {
    let wanted = PhoneRequest {
        device: Some(device),
        wait: Some(Duration::from_secs(600)),
        owner: "agent",
        reach: REACH,
    };
    let begun = engine.begin_acts(wanted, Journal::On(Pictures::Left)).await;
    begun.map_err(|failure| failure.code)
}

async fn ended(engine: &Engine, id: &RunId) -> (Option<OutcomeKind>, Option<String>, String) {
    match engine.find_run(&id.to_string()).await.unwrap() {
        Some(FoundRun::Ended(run)) => (run.info.status, run.info.journal.clone(), run.outcome.json.clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn acts_have_a_queue_a_journal_and_an_outcome() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("acts"), None);
    let mut acts = begin(&engine, "phone-1").await.unwrap();
    acts.log.begin(&mut acts.lease, None);
    let behind = engine.execute(request("phone-1", "behind", &open_counter()));
    let home = KeyCode::from_name("HOME").unwrap();
    let soon = Deadline::after(Duration::from_secs(9));
    acts.lease.press(home, soon).await.unwrap();
    let states = |id: &RunId| engine.runs().into_iter().find(|run| run.run_id == *id).unwrap();
    assert_eq!(states(acts.log.id()).state, RunState::Running);
    assert_eq!(states(&behind.id).state, RunState::Waiting);
    let (id, journal) = (acts.log.id().clone(), acts.log.journal());
    acts.lease.release().await;
    acts.log.end(Err(("STUCK", "it goes in circles"))).await;
    let (status, kept, json) = ended(&engine, &id).await;
    assert_eq!((status, &kept), (Some(OutcomeKind::Failed), &journal));
    assert!(journal.is_some() && json.contains("\"STUCK\""), "{json}");
    assert_eq!(behind.outcome.await.outcome.kind(), OutcomeKind::Success);
}

#[tokio::test(start_paused = true)]
async fn acts_hear_that_they_are_cancelled_and_end_if_they_are_dropped() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("acts_cancelled"), None);
    let acts = begin(&engine, "phone-1").await.unwrap();
    let id = acts.log.id().clone();
    assert!(engine.cancel(&id));
    acts.log.stop().notified().await;
    drop(acts);
    engine.idle().await;
    let (status, journal, json) = ended(&engine, &id).await;
    // Nothing was noted of them.
    assert_eq!((status, journal), (Some(OutcomeKind::Failed), None));
    assert!(json.contains("EXECUTION_CANCELLED"), "{json}");
    assert!(begin(&engine, "phone-1").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn acts_without_a_phone_are_an_error() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let engine = engine(&phones, &folder("acts_nowhere"), None);
    assert_eq!(begin(&engine, "phone-2").await.unwrap_err(), ErrorCode::DeviceNotFound);
    assert_eq!(engine.run_counts().error, 1);
}
