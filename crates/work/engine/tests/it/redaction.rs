//! What a step reads and must not show is in no outcome, event, journal or page.

use crate::folder;
use crate::support::{Phones, engine, open_counter, request};
use clawperator_contract::ErrorCode;
use clawperator_engine::{IDLE_LIMIT, Journal, Outcome, Request};
use clawperator_events::{Event, Pictures, StreamItem};
use clawperator_journal::{JournalFolder, StoredJournal, report};
use clawperator_redact::Redaction;
use serde_json::{Value, json};
use std::path::Path;

/// What the counter of the conformance app says, however it says it.
const SECRET: &str = "Counter: 0";

/// Opens the app, reads the counter, and looks at the screen twice.
fn reading(more: &Value) -> Value {
    let mut actions = open_counter().as_array().unwrap().clone();
    actions.push(json!({"id": "before", "type": "snapshot_ui"}));
    actions.push(
        json!({"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter:"}}}),
    );
    actions.push(json!({"id": "after", "type": "snapshot_ui"}));
    actions.extend(more.as_array().unwrap().clone());
    Value::from(actions)
}

/// Everything that a journal has, and its page and text.
fn told(state: &Path) -> String {
    let found = JournalFolder::new(state.join("state/journal")).list().unwrap();
    let kept = StoredJournal::open(&found[0]).unwrap();
    assert!(kept.judgement().holds());
    let mut all = String::from_utf8_lossy(&kept.text).into_owned();
    for entry in &kept.entries {
        if let Event::Look(look) = &entry.event {
            all += &kept.tree(&look.tree).unwrap();
        }
    }
    all + &report::page(&kept) + &report::text(&kept)
}

#[tokio::test]
async fn what_a_step_reads_is_shown_nowhere_but_as_it_may_be() {
    for (way, journal, shown) in [
        (Redaction::None, true, Some(SECRET)),
        (Redaction::Mask, true, Some("[10 letters]")),
        (Redaction::Drop, true, None),
        (Redaction::Mask, false, Some("[10 letters]")),
    ] {
        let place = folder("redaction");
        let engine = engine(&Phones::new(["phone-0".to_owned()]), &place, Some(IDLE_LIMIT));
        let running = engine.execute(Request {
            journal: if journal { Journal::On(Pictures::Left) } else { Journal::Off },
            redactions: [("read".to_owned(), way)].into(),
            ..request("phone-0", "c", &reading(&json!([])))
        });
        let mut events = running.events;
        let finished = running.outcome.await;
        let Outcome::Ran(result) = &finished.outcome else {
            panic!("{:?}", finished.outcome);
        };
        let read = result.envelope.step_results.iter().find(|step| step.id == "read").unwrap();
        assert_eq!(read.data.get("text").map(String::as_str), shown);
        let mut all = serde_json::to_string(&finished.outcome).unwrap();
        while let Some(StreamItem::Event(event)) = events.next().await {
            all += &serde_json::to_string(&event.event).unwrap();
            if let Event::End(_) = event.event {
                break;
            }
        }
        if journal {
            all += &told(&place);
        }
        assert_eq!(all.contains(SECRET), way == Redaction::None, "{way:?}");
        // The rest of the screen is as it was.
        assert!(all.contains("Increment"), "{way:?}");
    }
}

#[tokio::test]
async fn a_run_that_fails_shows_no_more() {
    let place = folder("redaction-failed");
    let engine = engine(&Phones::new(["phone-0".to_owned()]), &place, Some(IDLE_LIMIT));
    // The matcher of the last step is nearly that of the counter.
    let more = json!([{"id": "x", "type": "click", "params": {"matcher": {"textEquals": "Counter: 7"}, "retry": {"maxAttempts": 1}}}]);
    let running = engine.execute(Request {
        journal: Journal::On(Pictures::Left),
        redactions: [("read".to_owned(), Redaction::Hash)].into(),
        ..request("phone-0", "c", &reading(&more))
    });
    let finished = running.outcome.await;
    let all = serde_json::to_string(&finished.outcome).unwrap() + &told(&place);
    assert!(all.contains(ErrorCode::NodeNotFound.name()), "{all}");
    assert!(!all.contains(SECRET), "{all}");
}
