//! What an agent reads after an act: nothing that is untrue, and nothing that makes
//! it look again.

use crate::mcp_client::McpClient;
use crate::support::app;
use clawperator_agent::policy::Level;
use clawperator_server::{AgentTools, App};
use serde_json::{Value, json};
use std::sync::Arc;

async fn client(name: &str) -> McpClient {
    let app = Arc::new(App { agent: AgentTools::default().at(Some(Level::None)), ..app(name, &["phone-1"]) });
    McpClient::connect(&app).await
}

/// Does steps, and returns the answer.
async fn act(client: &mut McpClient, steps: Value) -> String {
    client.call("act", json!({ "steps": steps })).await.text
}

fn has(text: &str, parts: &[&str], not: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    for part in not {
        assert!(!text.contains(part), "{part} is in:\n{text}");
    }
}

/// The ref in front of a line with these words.
fn name_of<'t>(text: &'t str, words: &str) -> &'t str {
    let line = text.lines().find(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("{words} is not in:\n{text}"));
    line.trim_start_matches(['+', '~', ' ']).split(' ').next().unwrap()
}

#[tokio::test(start_paused = true)]
async fn until_is_met_by_a_text_that_says_it() {
    let mut client = client("mcp-until").await;
    let opened = client.call("open", json!({"app": "Smart home"})).await.text;
    let plus = name_of(&opened, "Raise the target of Living room");
    let raised = act(&mut client, json!([{"do": "tap", "on": plus, "until": "23.5", "count": 6}])).await;
    has(&raised, &["23.5°C", "done 3 times"], &["24.0"]);
    // What is a part of another number is not it.
    let missed = act(&mut client, json!([{"do": "tap", "on": plus, "until": "4.0", "count": 2}])).await;
    has(
        &missed,
        &["EFFECT_NOT_CONFIRMED", "nearest: \"24.5°C\"", "the screen now:", "24.5°C"],
        &["snapshot"],
    );
}

#[tokio::test(start_paused = true)]
async fn a_screen_after_one_that_was_not_read_is_new() {
    let mut client = client("mcp-unread").await;
    client.call("open", json!({"app": "Trouble"})).await;
    act(&mut client, json!([{"do": "tap", "on": "Never idle"}])).await;
    let three = act(&mut client, json!([{"do": "tap", "on": "193,618", "count": 3}])).await;
    has(&three, &["done 3 times", "could not be read"], &[]);
    let back = act(&mut client, json!([{"do": "key", "key": "back"}])).await;
    has(
        &back,
        &["new screen (the one before could not be read)\napp: com.clawperator.trouble", "Duplicate labels"],
        &["no change"],
    );
    // Once; then the answer has changes as ever.
    let again = client.call("observe", json!({"diff": true})).await.text;
    assert_eq!(again, "no change\napp: com.clawperator.trouble, page \"Trouble\"");
}

#[tokio::test(start_paused = true)]
async fn the_keyboard_is_a_change() {
    let mut client = client("mcp-keyboard").await;
    client.call("open", json!({"app": "Trouble"})).await;
    let steps = json!([{"do": "tap", "on": "Field at the bottom", "direction": "down"}]);
    let opened = act(&mut client, steps).await;
    let field = name_of(&opened, "#bottom_field");
    let typed = act(&mut client, json!([{"do": "type", "on": field, "text": "hello"}])).await;
    has(&typed, &["= \"hello\" focused", "keyboard: shown"], &["or hint"]);
    let closed = act(&mut client, json!([{"do": "key", "key": "back"}])).await;
    has(&closed, &["keyboard: closed"], &["no change"]);
    assert_eq!(closed.matches("keyboard").count(), 1, "{closed}");
    let shown = act(&mut client, json!([{"do": "tap", "on": field}])).await;
    has(&shown, &["keyboard: shown"], &["no change"]);
    // The app's own button works at once, beside the keyboard.
    let left = act(&mut client, json!([{"do": "tap", "on": "Navigate up"}])).await;
    has(&left, &["new screen", "keyboard: closed"], &["Field at the bottom\" (title)"]);
}

#[tokio::test(start_paused = true)]
async fn a_toast_that_cannot_be_seen_is_not_called_no_change() {
    let mut client = client("mcp-unseen-toast").await;
    client.call("open", json!({"app": "Trouble"})).await;
    let steps = json!([{"do": "tap", "on": "Toast", "direction": "down"}]);
    let scrolled = act(&mut client, steps).await;
    has(&scrolled, &["clicked"], &[]);
    let again = act(&mut client, json!([{"do": "tap", "on": "Toast"}])).await;
    assert_eq!(again, "no change in the tree; a toast would not show in it, but may in a picture");
    let waited = client.call("wait", json!({"toast": "Saved"})).await.text;
    has(&waited, &["LANE_UNAVAILABLE", "A picture right after the act"], &[]);
}

#[tokio::test(start_paused = true)]
async fn a_scroll_says_how_often_it_moved() {
    let mut client = client("mcp-edge").await;
    client.call("open", json!({"app": "Trouble"})).await;
    let once = act(&mut client, json!([{"do": "scroll", "direction": "down"}])).await;
    has(&once, &["left the view, the first: @e"], &["end is reached", "done"]);
    assert!(once.lines().filter(|line| line.starts_with('-')).count() <= 2, "{once}");
    let end = act(&mut client, json!([{"do": "scroll", "direction": "down", "count": 9}])).await;
    has(&end, &["times\nthe end is reached"], &["done 9"]);
    let none = act(&mut client, json!([{"do": "scroll", "direction": "down", "count": 2}])).await;
    has(&none, &["nothing moved", "the end is reached"], &["done"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_to_find_says_where_one_is_and_what_is_near() {
    let mut client = client("mcp-where").await;
    client.call("open", json!({"app": "trouble://endless"})).await;
    let steps = json!([{"do": "wait", "on": "Endless list"}, {"do": "scroll", "direction": "down", "to": "Entry 45"}]);
    let missed = act(&mut client, steps).await;
    has(
        &missed,
        &["NODE_NOT_FOUND", "(step 2 of 2, scroll)", "nearest: ", "\"Item "],
        &["scroll_and_click", "snapshot"],
    );
    client.call("open", json!({"app": "trouble://keyboard"})).await;
    let steps = json!([{"do": "tap", "on": "Two dialogs", "direction": "up"}]);
    let nothing = act(&mut client, steps).await;
    has(
        &nothing,
        &["CONTAINER_NOT_FOUND", "no change\napp: com.clawperator.trouble, page \"Field at the bottom\""],
        &["hint: "],
    );
}

#[tokio::test(start_paused = true)]
async fn a_row_and_its_label_are_one_target() {
    let mut client = client("mcp-one-target").await;
    client.call("open", json!({"app": "Messenger"})).await;
    let opened = act(&mut client, json!([{"do": "tap", "on": "Grace Hopper"}])).await;
    has(&opened, &["new screen", "\"Grace Hopper\" (title)"], &["NODE_AMBIGUOUS"]);
    client.call("open", json!({"app": "trouble://duplicates"})).await;
    let several = act(&mut client, json!([{"do": "tap", "on": "OK"}])).await;
    has(&several, &["NODE_AMBIGUOUS", "candidates: @e", "hint: Name one of the candidates by its ref."], &[]);
}

#[tokio::test(start_paused = true)]
async fn a_field_that_takes_no_text_says_so() {
    let mut client = client("mcp-no-text").await;
    let opened = client.call("open", json!({"app": "Calculator"})).await.text;
    let display = name_of(&opened, "textfield");
    let typed =
        act(&mut client, json!([{"do": "type", "on": display, "text": "127×38"}, {"do": "tap", "on": "="}]))
            .await;
    has(
        &typed,
        &[
            "TEXT_NOT_ENTERED",
            "takes no typed text; then press the app's own keys",
            "dispatched: unknown",
            "(step 1 of 2, type)",
        ],
        &["expected_text", "actual_text"],
    );
}

#[tokio::test(start_paused = true)]
async fn the_first_lines_of_a_new_screen_outlive_the_budget() {
    let mut client = client("mcp-small").await;
    client.call("open", json!({"app": "Trouble"})).await;
    let steps = json!([{"do": "key", "key": "home"}]);
    let home = client.call("act", json!({"steps": steps, "budget": 40})).await.text;
    has(&home, &["new screen\napp: com.google.android.apps.nexuslauncher", "omitted: "], &[]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_is_chosen_and_its_apps_are_listed_in_one_call() {
    let app = Arc::new(app("mcp-use-apps", &["phone-1", "phone-2"]));
    let mut client = McpClient::connect(&app).await;
    let both = client.call("device", json!({"use": "phone-2", "apps": true})).await.text;
    has(&both, &["using phone-2\n", "com.android.settings \"Settings\""], &[]);
}

#[tokio::test(start_paused = true)]
async fn a_question_to_a_person_names_the_tool_and_the_time() {
    let app = Arc::new(app("mcp-asked", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": "trouble://same_text"})).await;
    let asked = act(
        &mut client,
        json!([{"do": "tap", "match": {"resourceId": "com.clawperator.trouble:id/card_button"}}]),
    )
    .await;
    has(
        &asked,
        &["APPROVAL_REQUIRED", "hint: The user is asked; approval with this id", "The user has 5 minutes"],
        &["agent act", "--approve", "clawperator approvals"],
    );
}
