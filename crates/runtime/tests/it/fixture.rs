//! A run on one phone, repeated on a phone that knows no more than the run's
//! journal.

use crate::trail::{Journals, run_with};
use crate::world::{plain, soon, world};
use clawperator_contract::Envelope;
use clawperator_runtime::fixture::{Fixture, fixture};
use clawperator_runtime::{Phone, Pictures};
use clawperator_sim::{Setup, app};
use serde_json::{Value, json};
use std::sync::Arc;

const CONFORMANCE: &str = "com.clawperator.conformance";

fn click(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "click", "params": {"matcher": {"textEquals": text}, "retry": {"maxAttempts": 2, "initialDelayMs": 10}}})
}

fn open(package: &str) -> Value {
    json!({"id": "open", "type": "open_app", "params": {"applicationId": package}})
}

/// Runs actions on a phone, makes a world of the journal, and runs its payload
/// there.
async fn twice(phone: &Phone, actions: Value) -> (Envelope, Envelope, Fixture) {
    let first = Journals::new(Pictures::Left);
    let before = first.run(phone, actions).await.unwrap();
    let made = fixture(&first.only()).unwrap();
    let apps = made.world.split("---\n").map(|file| match app::parse(file) {
        Ok(app) => Arc::new(app),
        Err(problems) => panic!("{problems:#?}\n{file}"),
    });
    let apps: Vec<_> = apps.collect();
    let again = world(Setup {
        apps,
        ..Setup::default()
    })
    .await;
    let payload: Value = serde_json::from_str(&made.payload).unwrap();
    let second = Journals::new(Pictures::Left);
    let after = run_with(&again.phone, payload["actions"].clone(), second.trail())
        .await
        .unwrap();
    (before, after, made)
}

/// What a run came to: how many steps, which was the last, and how it ended.
fn outcome(envelope: &Envelope) -> (usize, Option<&str>, Option<&str>) {
    let steps = &envelope.step_results;
    let code = envelope.error_code.as_deref();
    (steps.len(), steps.last().map(|step| step.id.as_str()), code)
}

#[tokio::test]
async fn a_failure_can_be_repeated_from_its_journal_alone() {
    let original = plain().await;
    let actions = json!([
        open("com.android.settings"),
        {"id": "nav", "type": "wait_for_navigation", "params": {"expectedPackage": "com.android.settings", "timeoutMs": 5000}},
        {"id": "about", "type": "scroll_until", "params": {"matcher": {"textEquals": "About phone"}, "clickAfter": true}},
        {"id": "read", "type": "read_key_value_pair", "params": {"labelMatcher": {"textEquals": "Model"}}},
        {"id": "back", "type": "press_key", "params": {"key": "back"}},
        {"id": "wait", "type": "wait_for_node", "params": {"matcher": {"textEquals": "About phone"}}},
        click("wrong", "Aboot phone"),
    ]);
    let (before, after, made) = twice(&original.phone, actions).await;
    assert_eq!(
        outcome(&before),
        (7, Some("wrong"), Some("NODE_NOT_FOUND")),
        "{before:?}"
    );
    assert_eq!(outcome(&after), outcome(&before), "{after:?}\n{:?}", made.unsure);
    // It is the recorded phone that answers, not the built-in app.
    assert_eq!(
        after.step_results[3].data["value"],
        before.step_results[3].data["value"]
    );
    assert_eq!(made.unsure, [""; 0]);
}

#[tokio::test]
async fn a_command_on_an_app_that_was_open_already_can_be_repeated() {
    let original = plain().await;
    original.phone.launch(CONFORMANCE, soon()).await.unwrap();
    let (before, after, made) = twice(&original.phone, json!([click("c", "Incremnt")])).await;
    assert_eq!(outcome(&before), (1, Some("c"), Some("NODE_NOT_FOUND")));
    assert_eq!(outcome(&after), outcome(&before));
    assert!(made.world.contains("front: true"));
}

#[tokio::test]
async fn typing_and_two_apps_can_be_repeated() {
    let original = plain().await;
    let actions = json!([
        open("com.clawperator.form"),
        {"id": "in", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.form:id/open_login"}}},
        {"id": "mail", "type": "enter_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_email"}, "text": "a@b.example"}},
        {"id": "word", "type": "enter_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_password"}, "text": "s3cr3t!"}},
        {"id": "other", "type": "open_app", "params": {"applicationId": CONFORMANCE}},
        click("more", "Increment"),
        click("wrong", "Decrement everything"),
    ]);
    let (before, after, made) = twice(&original.phone, actions).await;
    assert_eq!(
        outcome(&before),
        (7, Some("wrong"), Some("NODE_NOT_FOUND")),
        "{before:?}"
    );
    assert_eq!(outcome(&after), outcome(&before), "{after:?}");
    assert!(!made.payload.contains("s3cr3t") && made.payload.contains("a@b.example"));
    assert!(!made.world.contains("s3cr3t"));
    // Typing into a field that has the focus is no touch: the world shows it
    // after a moment, and says so.
    let doubts = made.unsure.join("\n");
    assert!(doubts.contains("types 7 letters"), "{doubts}");
}

#[tokio::test]
async fn what_was_started_and_never_seen_can_be_repeated() {
    let original = plain().await;
    let actions = json!([
        open("com.clawperator.form"),
        {"id": "nav", "type": "wait_for_navigation", "params": {"expectedPackage": "com.example.other", "timeoutMs": 700}},
    ]);
    let (before, after, _) = twice(&original.phone, actions).await;
    assert_eq!(outcome(&before), (2, Some("nav"), Some("NAVIGATION_TIMEOUT")));
    assert_eq!(outcome(&after), outcome(&before));
    assert_eq!(
        after.step_results[1].data["last_package"],
        before.step_results[1].data["last_package"]
    );
}

#[tokio::test]
async fn an_app_that_is_not_there_is_not_there_again() {
    let original = plain().await;
    original.phone.launch(CONFORMANCE, soon()).await.unwrap();
    let actions = json!([
        {"id": "see", "type": "wait_for_node", "params": {"matcher": {"textEquals": "Increment"}}},
        open("com.example.missing"),
    ]);
    let (before, after, made) = twice(&original.phone, actions).await;
    assert_eq!(outcome(&before), (2, Some("open"), Some("APP_NOT_STARTED")));
    assert_eq!(outcome(&after), outcome(&before));
    assert!(!made.world.contains("com.example.missing"));
}
