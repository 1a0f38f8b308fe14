//! What an agent's hand needs over MCP: acts that are repeated, dialogs of the
//! phone's, budgets, and hints that name tools.

use crate::mcp_client::{McpClient, Told, tokens};
use crate::support::app;
use clawperator_agent::policy::Level;
use clawperator_server::{AgentTools, App};
use serde_json::{Value, json};
use std::sync::Arc;

async fn client(name: &str) -> McpClient {
    let app = Arc::new(App { agent: AgentTools::default().at(Some(Level::None)), ..app(name, &["phone-1"]) });
    McpClient::connect(&app).await
}

async fn step(client: &mut McpClient, step: Value) -> Told {
    client.call("act", json!({"steps": [step]})).await
}

#[tokio::test(start_paused = true)]
async fn a_step_is_repeated_until_what_it_is_for_is_there() {
    let mut client = client("mcp-count").await;
    client.call("open", json!({"app": "com.clawperator.conformance"})).await;
    for (more, said) in [
        (json!({"count": 2}), &["Counter: 2", "done 2 times"][..]),
        (json!({"until": "Counter: 3", "count": 9}), &["Counter: 3", "done once"]),
        // It is there before the first press.
        (json!({"until": "Counter: 3"}), &["no change", "not done: what until names is there already"]),
    ] {
        let mut tap = json!({"do": "tap", "on": "Increment"});
        tap.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let told = step(&mut client, tap).await;
        for part in said {
            assert!(!told.is_error && told.text.contains(part), "{part}: {told:?}");
        }
    }
    // The value was passed, so it never comes.
    let never = json!({"do": "tap", "on": "Increment", "until": "Counter: 1", "count": 2});
    let never = step(&mut client, never).await;
    for part in ["EFFECT_NOT_CONFIRMED: done 2 times; then ", "dispatched: yes", "Counter: 5"] {
        assert!(never.is_error && never.text.contains(part), "{part}: {never:?}");
    }
    for count in [json!(0), json!(-1), json!(101), json!(1.5), json!("2")] {
        let wrong = step(&mut client, json!({"do": "tap", "on": "Increment", "count": count})).await;
        let rule = "steps.0.count must be a whole number from 1 to 100";
        assert!(wrong.is_error && wrong.text.contains(rule), "{wrong:?}");
        let click = json!({"id": "a", "type": "click",
            "params": {"matcher": {"textEquals": "Increment"}, "count": count}});
        let wrong = client.call("execute", json!({"payload": {"actions": [click]}})).await;
        assert!(wrong.is_error && wrong.text.contains("actions.0.params.count "), "{wrong:?}");
    }
    let typed = step(&mut client, json!({"do": "type", "text": "x", "count": 2})).await;
    assert!(typed.text.contains("steps.0.count does not go with this step"), "{typed:?}");
    let seen = client.call("find", json!({"match": {"textContains": "Counter"}})).await;
    assert!(seen.text.contains("Counter: 5"), "{seen:?}");
}

/// The ref of a choice in the line that names what is in the way.
fn choice(told: &Told, kind: &str, label: &str) -> String {
    let line = told.text.lines().find_map(|line| line.strip_prefix("in the way: "));
    let line = line.unwrap_or_else(|| panic!("{told:?}"));
    assert!(line.starts_with(kind), "{line}");
    let (_, choices) = line.split_once("; choices: ").unwrap();
    let named = choices.split(", ").find(|named| named.ends_with(&format!("{label:?}")));
    named.unwrap_or_else(|| panic!("{line}")).split(' ').next().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn what_came_in_the_way_is_told_with_the_act_and_its_choices_work() {
    let mut client = client("mcp-in-the-way").await;
    client.call("open", json!({"app": "trouble://permission"})).await;
    let asked = step(&mut client, json!({"do": "tap", "on": "Use the camera"})).await;
    choice(&asked, "permission dialog: ", "Only this time");
    // What is below the dialog cannot be touched, and the answer says why.
    let below = step(&mut client, json!({"do": "tap", "on": "Camera: unknown"})).await;
    assert!(below.is_error && below.text.contains("dispatched: no"), "{below:?}");
    let deny = choice(&below, "permission dialog: ", "Don’t allow");
    let denied = step(&mut client, json!({"do": "tap", "on": deny})).await;
    assert!(denied.text.contains("Camera: denied"), "{denied:?}");
    for (row, kind, label, after) in [
        ("Not responding", "an app isn't responding: ", "Wait", "Never idle"),
        ("Crash", "an app has stopped: ", "Close app", "new screen"),
    ] {
        let open = json!({"app": "com.clawperator.trouble", "fresh": true});
        let opened = client.call("open", open).await;
        assert!(!opened.text.contains("resumed: "), "{opened:?}");
        let told = step(&mut client, json!({"do": "tap", "on": row})).await;
        let answer = choice(&told, kind, label);
        let answered = step(&mut client, json!({"do": "tap", "on": answer})).await;
        assert!(!answered.is_error && answered.text.contains(after), "{row}: {answered:?}");
    }
    step(&mut client, json!({"do": "key", "key": "home"})).await;
    let led = step(&mut client, json!({"do": "tap", "on": "Settings"})).await;
    let another = "in the way: another app is in front: com.android.settings";
    assert!(led.text.contains(another), "{led:?}");
}

#[tokio::test(start_paused = true)]
async fn an_app_says_that_it_was_resumed_unless_it_is_fresh() {
    let mut client = client("mcp-fresh").await;
    let app = "com.clawperator.trouble";
    client.call("open", json!({"app": app})).await;
    step(&mut client, json!({"do": "tap", "on": "Pager", "direction": "down"})).await;
    step(&mut client, json!({"do": "key", "key": "home"})).await;
    let again = client.call("open", json!({"app": app})).await;
    assert!(again.text.contains("resumed: ") && again.text.contains("Page 1"), "{again:?}");
    let fresh = client.call("open", json!({"app": app, "fresh": true})).await;
    assert!(!fresh.text.contains("resumed: ") && fresh.text.contains("Never idle"), "{fresh:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_about_5000_elements_stays_small_and_says_how_to_get_more() {
    let mut client = client("mcp-budget").await;
    let opened = client.call("open", json!({"app": "trouble://many"})).await;
    let observed = client.call("observe", json!({})).await;
    for view in [&opened, &observed] {
        assert!(tokens(&view.text) <= 1_000, "{}: {view:?}", tokens(&view.text));
        assert!(
            view.text.contains("omitted: ")
                && view.text.contains("(for the rest: observe with a larger budget, or find)"),
            "{view:?}"
        );
    }
    let found = client.call("find", json!({"match": {"textContains": "1"}})).await;
    assert!(tokens(&found.text) <= 1_000 && found.text.contains("; a larger limit lists more"), "{found:?}");
    let query = json!({"actions": [{"id": "q", "type": "query"}]});
    let listed = client.call("execute", json!({"payload": query})).await;
    assert!(tokens(&listed.text) <= 1_000, "{}", tokens(&listed.text));
    assert!(listed.text.contains("a larger limit, up to 1000, lists more"), "{listed:?}");
}

#[tokio::test(start_paused = true)]
async fn hints_name_tools_and_no_commands() {
    let mut client = client("mcp-hints").await;
    client.call("open", json!({"app": "trouble://overlap"})).await;
    let doubtful = step(&mut client, json!({"do": "tap", "on": "Under glass"})).await;
    assert!(!doubtful.is_error && doubtful.text.contains("may cover it"), "{doubtful:?}");
    let missing = step(&mut client, json!({"do": "tap", "on": "Nothing like it"})).await;
    let unknown = client.call("open", json!({"app": "Nothing like it"})).await;
    assert!(unknown.text.contains("device with apps: true"), "{unknown:?}");
    let stale = step(&mut client, json!({"do": "tap", "on": "@e999999"})).await;
    for told in [missing, unknown, stale] {
        assert!(told.is_error && told.text.contains("hint: "), "{told:?}");
        for word in ["clawperator ", "--", "for a person"] {
            assert!(!told.text.contains(word), "{word}: {told:?}");
        }
    }
}
