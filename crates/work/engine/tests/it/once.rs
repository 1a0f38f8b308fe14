//! With a key an execution runs once.

use crate::folder;
use crate::support::{Phones, code, count, engine, open_counter, request, run, text};
use clawperator_contract::ErrorCode;
use clawperator_engine::{Engine, Outcome, OutcomeKind, Request};
use clawperator_events::{Event, StreamItem};
use clawperator_phone::PackageName;
use clawperator_run::Strictness;
use clawperator_run::operator::RouteWish;
use serde_json::json;
use std::path::Path;

fn keyed(id: &str, actions: &serde_json::Value) -> Request {
    Request { key: Some(id.to_owned()), ..request("phone-0", id, actions) }
}

async fn counting(place: &Path) -> Engine {
    let engine = engine(&Phones::new(["phone-0".to_owned(), "phone-1".to_owned()]), place, None);
    run(&engine, request("phone-0", "open", &open_counter())).await;
    engine
}

async fn counter(engine: &Engine) -> String {
    let read = json!([{"id": "r", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}]);
    text(&run(engine, request("phone-0", "read", &read)).await)
}

#[tokio::test]
async fn the_same_key_returns_the_first_outcome_and_no_other_payload() {
    let engine = counting(&folder("once")).await;
    let first = run(&engine, keyed("k", &count())).await;
    let again = run(&engine, keyed("k", &count())).await;
    assert!(matches!(again, Outcome::Stored(_)));
    assert_eq!(again.kind(), OutcomeKind::Success);
    let written = |outcome: &Outcome| serde_json::to_string(outcome).unwrap();
    assert_eq!(written(&first), written(&again));
    let other = run(&engine, keyed("k", &open_counter())).await;
    assert_eq!(code(&other), ErrorCode::IdempotencyConflict);
    let elsewhere = Request { device: Some("phone-1".to_owned()), ..keyed("k", &count()) };
    assert_eq!(code(&run(&engine, elsewhere).await), ErrorCode::IdempotencyConflict);
    // Without a key the same id runs again.
    run(&engine, request("phone-0", "k", &count())).await;
    assert_eq!(counter(&engine).await, "Counter: 2");
}

#[tokio::test]
async fn a_step_that_failed_is_an_outcome_and_a_phone_that_is_missing_is_none() {
    let engine = counting(&folder("failed")).await;
    let nowhere = json!([{"id": "c", "type": "click", "params": {"matcher": {"textEquals": "Nowhere"},
        "retry": {"maxAttempts": 1}}}]);
    let first = run(&engine, keyed("k", &nowhere)).await;
    assert_eq!(first.kind(), OutcomeKind::Failed);
    let again = run(&engine, keyed("k", &nowhere)).await;
    assert!(matches!(&again, Outcome::Stored(stored) if stored.kind == OutcomeKind::Failed));
    let missing = Request { device: Some("phone-9".to_owned()), ..keyed("later", &count()) };
    for _ in 0..2 {
        assert_eq!(code(&run(&engine, missing.clone()).await), ErrorCode::DeviceNotFound);
    }
    // Nothing was sent, so the key is free.
    let now = run(&engine, keyed("later", &count())).await;
    assert_eq!(text(&now), "Counter: 1");
}

#[tokio::test]
async fn the_same_request_twice_at_once_runs_once() {
    let engine = counting(&folder("twice")).await;
    let all: Vec<_> = (0..10).map(|_| engine.execute(keyed("k", &count()))).collect();
    // The last one is asked first: a run that nobody has asked for yet must not
    // keep its key.
    for running in all.into_iter().rev() {
        let outcome = running.outcome.await.outcome;
        assert_eq!(outcome.kind(), OutcomeKind::Success);
        assert!(serde_json::to_string(&outcome).unwrap().contains("Counter: 1"));
    }
    assert_eq!(counter(&engine).await, "Counter: 1");
}

#[tokio::test]
async fn a_request_that_waits_for_its_key_can_be_cancelled() {
    let engine = counting(&folder("key-cancel")).await;
    let sleep = json!([{"id": "wait", "type": "sleep", "params": {"durationMs": 20_000}}]);
    let mut first = engine.execute(keyed("k", &sleep));
    while let Some(StreamItem::Event(event)) = first.events.next().await {
        if matches!(event.event, Event::StepBegin(_)) {
            break;
        }
    }
    let second = engine.execute(keyed("k", &sleep));
    assert!(engine.cancel(&second.id));
    let second = second.outcome.await.outcome;
    assert_eq!(code(&second), ErrorCode::ExecutionCancelled);
    assert!(engine.cancel(&first.id), "the first one still runs");
    let first = first.outcome.await.outcome;
    assert_eq!(code(&first), ErrorCode::ExecutionCancelled);
    // A step began, so this is the outcome.
    let again = run(&engine, keyed("k", &sleep)).await;
    assert!(matches!(again, Outcome::Stored(_)), "{again:?}");
}

#[tokio::test]
async fn an_outcome_that_could_not_be_stored_says_so_in_its_json() {
    for (place, is_cancelled) in [("unstored", false), ("unstored-error", true)] {
        let place = folder(place);
        let engine = counting(&place).await;
        let sleep = json!([{"id": "wait", "type": "sleep", "params": {"durationMs": 700}}]);
        let mut running = engine.execute(keyed("k", &sleep));
        while let Some(StreamItem::Event(event)) = running.events.next().await {
            if matches!(event.event, Event::StepBegin(_)) {
                break;
            }
        }
        let ledger = rusqlite::Connection::open(place.join("state/ledger/ledger.sqlite3")).unwrap();
        ledger.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        ledger.execute_batch("DROP TABLE request").unwrap();
        if is_cancelled {
            assert!(engine.cancel(&running.id));
        }
        let said = serde_json::to_value(running.outcome.await.outcome).unwrap();
        let why = match is_cancelled {
            false => &said["warnings"][0]["code"],
            true => &said["details"]["notStored"],
        };
        assert!(why.as_str().is_some_and(|why| !why.is_empty()), "{said}");
    }
}

#[tokio::test]
async fn a_request_that_the_operator_route_refuses_leaves_its_key_free() {
    let engine = counting(&folder("refused")).await;
    let by_app = |key: &str, package: &str| Request {
        route: RouteWish::Operator(PackageName::parse(package).unwrap()),
        ..keyed(key, &count())
    };
    let absent = by_app("absent", "com.example.absent");
    let other_variant = by_app("variant", "com.clawperator.operator.dev");
    let unrunnable =
        Request { strictness: Strictness::Unique, ..by_app("strict", "com.clawperator.operator") };
    for (number, refused) in [absent, other_variant, unrunnable].into_iter().enumerate() {
        let key = refused.key.clone().unwrap();
        let first = run(&engine, refused).await;
        assert!(matches!(first, Outcome::Error(_)), "{key}: {first:?}");
        let now = run(&engine, keyed(&key, &count())).await;
        assert_eq!(text(&now), format!("Counter: {}", number + 1), "{key}");
    }
}

#[tokio::test]
async fn without_a_key_no_ledger_is_opened() {
    let place = folder("unopened");
    let engine = counting(&place).await;
    assert!(!place.join("state/ledger").exists());
    run(&engine, keyed("k", &count())).await;
    assert!(place.join("state/ledger/ledger.sqlite3").is_file());
}
