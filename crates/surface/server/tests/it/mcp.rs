//! MCP over a pipe: tools, views per reader, errors, progress, cancellation.

use crate::mcp_client::{McpClient, tokens, told};
use crate::support::{app, app_in, folder, phones::Phones};
use clawperator_agent::policy::Level;
use clawperator_server::{AgentTools, App};
use clawperator_sim::{HostKeys, Welcome, ask};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const CONFORMANCE: &str = "com.clawperator.conformance";

#[tokio::test(start_paused = true)]
async fn the_list_of_tools_is_small_and_every_tool_says_what_it_changes() {
    let app = Arc::new(app("mcp-list", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let list = client.ask("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    assert!(tools.len() <= 10, "{}", tools.len());
    let size = tokens(&json!(tools).to_string());
    println!("{} tools, {size} tokens", tools.len());
    assert!(size <= 1_500, "{size}");
    for tool in tools {
        let hints = tool["annotations"].as_object().unwrap();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints.contains_key(hint), "{tool}");
        }
        let schema = &tool["inputSchema"];
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(|name| name.as_str()) {
            assert!(schema["properties"].get(name).is_some(), "{tool}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_an_act_is_what_changed_for_this_reader() {
    let app = Arc::new(app("mcp-readers", &["phone-1"]));
    let (mut one, mut two) = (McpClient::connect(&app).await, McpClient::connect(&app).await);
    let first = one.call("open", json!({"app": CONFORMANCE})).await;
    assert!(first.text.starts_with("app: com.clawperator.conformance\n"), "{first:?}");
    let acted = one.call("act", json!({"steps": [{"do": "tap", "on": "Increment"}]})).await;
    assert!(acted.text.contains("Counter: 1") && !acted.text.contains("Open list"), "{acted:?}");
    assert!(acted.whole.get("isError").is_none() && acted.whole.get("structuredContent").is_none());
    // A new reader's first look is whole, whatever others saw.
    let other = two.call("act", json!({"steps": [{"do": "tap", "on": "Enabled"}]})).await;
    assert!(other.text.contains("Open list") && other.text.contains("\"Enabled\" checked"), "{other:?}");
    // What another reader did is news.
    let news = one.call("observe", json!({"diff": true})).await;
    assert!(news.text.contains("\"Enabled\" checked") && !news.text.contains("Open list"), "{news:?}");
    let nothing = two.call("observe", json!({"diff": true})).await;
    assert_eq!(nothing.text, "no change\napp: com.clawperator.conformance, page \"Conformance\"");
}

#[tokio::test(start_paused = true)]
async fn several_steps_are_one_call_and_refs_can_be_acted_on() {
    let app = Arc::new(app("mcp-steps", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    let found = client.call("find", json!({"on": "Increment"})).await;
    let (name, _) = found.text.split_once(' ').unwrap();
    assert!(name.starts_with("@e"), "{found:?}");
    let tap = json!({"do": "tap", "on": name});
    let once = client.call("act", json!({"steps": [tap]})).await;
    assert!(once.text.contains("Counter: 1"), "{once:?}");
    let steps = json!([{"do": "tap", "match": {"textContains": "incre"}}, {"do": "wait", "on": "Counter: 2"},
        {"do": "key", "key": "home"}]);
    let home = client.call("act", json!({"steps": steps})).await;
    assert!(home.text.starts_with("new screen\n"), "{home:?}");
}

#[tokio::test(start_paused = true)]
async fn text_goes_into_the_field_that_is_named_or_focused() {
    let app = Arc::new(app("mcp-type", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let steps = json!([{"do": "open", "on": "com.clawperator.form"}, {"do": "tap", "on": "Notes"}]);
    let form = client.call("act", json!({"steps": steps})).await;
    let line = form.text.lines().find(|line| line.contains(" textfield ")).unwrap();
    let name = line.split(' ').next().unwrap();
    let steps = json!([{"do": "tap", "on": name}, {"do": "type", "text": "Ada"}]);
    let typed = client.call("act", json!({"steps": steps})).await;
    assert!(typed.text.contains("= \"Ada\""), "{typed:?}");
    let typed = client.call("act", json!({"steps": [{"do": "type", "on": name, "text": "Grace"}]})).await;
    assert!(typed.text.contains("= \"Grace\""), "{typed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_says_why_and_what_the_screen_shows() {
    let app = Arc::new(app("mcp-errors", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    let missing = client
        .call("act", json!({"steps": [{"do": "tap", "on": "Increment"}, {"do": "tap", "on": "Incremnt"}]}))
        .await;
    assert!(missing.is_error);
    for part in ["NODE_NOT_FOUND: ", "step 2 of 2", "nearest: ", "Increment", "dispatched: no", "Counter: 1"]
    {
        assert!(missing.text.contains(part), "{part} is not in {missing:?}");
    }
    // Two elements fit; neither is touched.
    let ambiguous =
        client.call("act", json!({"steps": [{"do": "tap", "match": {"where": {"clickable": true}}}]})).await;
    assert!(ambiguous.is_error && ambiguous.text.contains("NODE_AMBIGUOUS"), "{ambiguous:?}");
    assert!(ambiguous.text.contains("candidates: ") && ambiguous.text.contains("no change"));
    for (tool, arguments, said) in [
        ("act", json!({}), "steps is missing"),
        ("act", json!({"steps": [{"do": "jump"}]}), "steps.0.do is \"jump\""),
        ("act", json!({"steps": [{"do": "tap", "onn": "x"}]}), "steps.0.onn is not an argument"),
        ("act", json!({"steps": [{"do": "tap"}]}), "steps.0.on is missing"),
        ("act", json!({"steps": [{"do": "tap", "match": {"txt": "x"}}]}), "steps.0.match"),
        ("observe", json!({"budget": "x"}), "budget must be a whole number"),
        ("device", json!({"use": "nobody"}), "DEVICE_NOT_FOUND"),
        ("execute", json!({"payload": {"actions": []}}), "actions"),
    ] {
        let answer = client.call(tool, arguments).await;
        assert!(answer.is_error && answer.text.contains(said), "{said} is not in {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_uses_the_phone_it_chose() {
    let app = Arc::new(app("mcp-device", &["phone-1", "phone-2"]));
    let mut client = McpClient::connect(&app).await;
    let list = client.call("device", json!({})).await;
    assert_eq!(list.text, "phone-1 device\nphone-2 device\nchoose one with use");
    assert_eq!(client.call("device", json!({"use": "phone-2"})).await.text, "using phone-2");
    client.call("open", json!({"app": CONFORMANCE})).await;
    let payload = json!({"actions": [{"id": "look", "type": "read_text", "params": {"matcher": {"textContains": "counter"}}}]});
    let ran = client.call("execute", json!({"payload": payload})).await;
    let data = &ran.whole["structuredContent"];
    assert_eq!(
        (data["deviceId"].as_str(), data["envelope"]["status"].as_str()),
        (Some("phone-2"), Some("success"))
    );
    assert!(client.call("device", json!({})).await.text.contains("phone-2 device (in use)"));
}

#[tokio::test(start_paused = true)]
async fn a_client_hears_of_steps_and_can_cancel() {
    let app = Arc::new(app("mcp-cancel", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    // A wait for what never comes, until the client has had enough.
    let id = client
        .send(
            "tools/call",
            json!({"name": "wait", "arguments": {"on": "Godot", "timeout_ms": 50_000},
            "_meta": {"progressToken": "p"}}),
        )
        .await;
    let progress = client.next_message().await;
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["message"], "wait_for_node", "{progress}");
    client.notify("notifications/cancelled", json!({"requestId": id})).await;
    // The next call finds the phone free.
    let after = client.call("observe", json!({})).await;
    assert!(after.text.contains("Increment"), "{after:?}");
    let events = client.notified.iter().filter(|event| event["id"] == json!(id));
    assert!(events.map(told).all(|told| told.text.contains("EXECUTION_CANCELLED")));
}

#[tokio::test(start_paused = true)]
async fn a_picture_comes_only_when_it_is_asked_for_and_is_small() {
    let app = Arc::new(app("mcp-picture", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let plain = client.call("observe", json!({})).await;
    assert_eq!(plain.whole["content"].as_array().unwrap().len(), 1);
    let mut sizes = Vec::new();
    for arguments in [json!({"picture": true}), json!({"picture": true, "marks": true})] {
        let shown = client.call("observe", arguments).await;
        let about = "\npicture: 1 pixel is 2 on the screen; tap its point x,y as \"x,y*2\"";
        assert_eq!(shown.text, format!("{}{about}", plain.text));
        let image = &shown.whole["content"][2];
        assert_eq!(image["mimeType"], "image/jpeg");
        let data = image["data"].as_str().unwrap();
        assert!(data.starts_with("/9j/") && data.len() < 100_000, "{}", data.len());
        sizes.push(data.len());
    }
    assert_ne!(sizes[0], sizes[1]);
    // No picture is left behind.
    assert_eq!(std::fs::read_dir(app.state.join("mcp")).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn screens_journals_and_reports_are_resources_and_a_prompt_teaches_the_loop() {
    let app = Arc::new(app("mcp-resources", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    let list = client.ask("resources/list", json!({})).await;
    let uris: Vec<&str> = list["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris[0], "clawperator://screen/phone-1");
    assert!(
        uris.len() >= 3 && uris[1].starts_with("clawperator://journal/") && uris[2].contains("://report/")
    );
    for (uri, part) in [(uris[0], "\"Increment\""), (uris[1], "open_app"), (uris[2], "<html")] {
        let read = client.ask("resources/read", json!({"uri": uri})).await;
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(part), "{uri}: {}", &text[..text.len().min(500)]);
    }
    for uri in [
        "clawperator://journal/../../etc/passwd",
        "clawperator://skill/../x",
        "file:///etc/passwd",
        "clawperator://screen/",
        "clawperator://screen/none",
    ] {
        let read = client.ask("resources/read", json!({"uri": uri})).await;
        assert!(read["error"]["message"].is_string(), "{uri}: {read}");
    }
    let templates = client.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 4);
    let prompts = client.ask("prompts/list", json!({})).await;
    let name = prompts["result"]["prompts"][0]["name"].clone();
    let prompt =
        client.ask("prompts/get", json!({"name": name, "arguments": {"task": "Turn on Wi-Fi"}})).await;
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("Turn on Wi-Fi"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_skill_is_found_and_run() {
    let mut app = app("mcp-skill", &["phone-1"]);
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    app.skills.named = Some(root.join("skills/skills-registry.json"));
    let mut client = McpClient::connect(&Arc::new(app)).await;
    let found = client.call("skill", json!({"search": "battery"})).await;
    let id = "com.android.settings.read-battery";
    assert!(found.text.starts_with(id), "{found:?}");
    let ran = client.call("skill", json!({"run": id})).await;
    assert!(!ran.is_error, "{ran:?}");
    let outputs = &ran.whole["structuredContent"]["outputs"];
    assert!(outputs.to_string().contains("85"), "{ran:?}");
    for (arguments, said) in [
        (json!({"run": "com.example.none"}), "SKILL_NOT_FOUND"),
        (json!({"run": id, "allow": ["everything"]}), "is no capability"),
    ] {
        let refused = client.call("skill", arguments).await;
        assert!(refused.is_error && refused.text.contains(said), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_drag_goes_from_a_ref_a_text_or_a_point_to_another() {
    let mut client = McpClient::connect(&Arc::new(app("mcp-drag", &["phone-1"]))).await;
    let opened = client.call("open", json!({"app": "Settings"})).await.text;
    let row = |text: &str| {
        let line = opened.lines().find(|line| line.contains(text)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    let (display, network) = (row("Display"), row("Network"));
    for step in [
        json!({"do": "drag", "on": display, "to": network}),
        json!({"do": "drag", "on": "540,600", "to": "540,1900", "hold": true}),
        json!({"do": "drag", "on": "Display", "to": "540,1900"}),
    ] {
        let moved = client.call("act", json!({"steps": [step]})).await;
        assert!(!moved.is_error, "{step}: {moved:?}");
        assert!(!moved.text.contains("no change"), "{step}: {moved:?}");
    }
    let lost = client.call("act", json!({"steps": [{"do": "drag", "on": "Display"}]})).await;
    assert!(lost.is_error && lost.text.contains("steps.0.to is missing"), "{lost:?}");
}

/// Starts the resident server on a phone.
async fn start_server(phones: &Phones, serial: &str) {
    let handset = Arc::clone(phones.handset(serial));
    let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
    tokio::spawn(async move {
        let line = "echo jar > /data/local/tmp/u2.jar; \
            CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";
        let _ = ask(&handset, &welcome, line).await;
    });
    // For a while it is believed that none runs.
    tokio::time::sleep(Duration::from_secs(6)).await;
}

#[tokio::test(start_paused = true)]
async fn a_toast_is_waited_for_on_the_resident_lane_and_told_with_a_view() {
    let phones = Phones::new(["phone-1".to_owned()]);
    let app = Arc::new(app_in(&folder("mcp-toast"), &phones));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": "com.clawperator.form"})).await;
    let refused = client.call("wait", json!({"toast": "picked"})).await;
    assert!(refused.text.starts_with("LANE_UNAVAILABLE: "), "{refused:?}");
    assert!(refused.text.contains("clawperator lane setup"), "{refused:?}");
    let both = client.call("wait", json!({"toast": "picked", "on": "Apple"})).await;
    assert!(both.text.contains("toast stands beside an element"), "{both:?}");
    start_server(&phones, "phone-1").await;
    client.call("act", json!({"steps": [{"do": "tap", "on": "Search"}]})).await;
    let picked = client.call("act", json!({"steps": [{"do": "tap", "on": "Apple"}]})).await;
    assert!(picked.text.contains("\ntoasts: [\"You picked Apple\"]"), "{picked:?}");
    let steps = json!({"steps": [{"do": "tap", "on": "Banana"}, {"do": "wait", "toast": "picked Banana"}]});
    let waited = client.call("act", steps).await;
    assert!(waited.text.contains("\ntoasts: [\"You picked Banana\"]"), "{waited:?}");
    let missed = client.call("wait", json!({"toast": "picked Apple", "timeout_ms": 300})).await;
    assert!(missed.text.starts_with("TOAST_NOT_SEEN: "), "{missed:?}");
}

/// An act and the look after it are two things.
#[tokio::test(start_paused = true)]
async fn an_act_was_done_although_the_screen_cannot_be_read_after_it() {
    let app = Arc::new(App {
        agent: AgentTools::default().at(Some(Level::None)),
        ..app("mcp-act-unseen", &["phone-1"])
    });
    let mut client = McpClient::connect(&app).await;
    let opened = client.call("open", json!({"app": "trouble://never_idle"})).await;
    assert!(!opened.is_error && opened.text.contains("the step was done"), "{opened:?}");
    let steps = json!({"steps": [{"do": "tap", "on": "500,500"}, {"do": "tap", "on": "500,500"}]});
    let tapped = client.call("act", steps).await;
    assert!(!tapped.is_error, "{tapped:?}");
    assert!(tapped.text.starts_with("all 2 steps were done; the screen could not be read: "), "{tapped:?}");
    // The picture is there instead, and the fast lane is offered once.
    assert_eq!(opened.whole["content"][1]["type"], "image", "{opened:?}");
    assert_eq!(tapped.whole["content"][1]["mimeType"], "image/jpeg");
    assert!(opened.text.contains("clawperator lane setup --device phone-1"), "{opened:?}");
    assert!(!tapped.text.contains("lane setup"), "{tapped:?}");
    for (tool, arguments) in [
        ("observe", json!({})),
        ("observe", json!({"picture": true})),
        ("find", json!({"on": "Still works"})),
        ("act", json!({"steps": [{"do": "tap", "on": "Still works"}]})),
    ] {
        let seen = client.call(tool, arguments).await;
        assert_eq!(seen.whole["content"][1]["type"], "image", "{tool}: {seen:?}");
        assert!(seen.text.contains("the screen never became idle"), "{seen:?}");
        assert!(!seen.text.contains("lane setup"), "{seen:?}");
    }
    // A step that fails after others that were done.
    let home = json!({"steps": [{"do": "key", "key": "home"}, {"do": "tap", "on": "Calculator"}, {"do": "tap", "on": "no such thing"}]});
    let failed = client.call("act", home).await;
    assert!(failed.is_error && failed.text.contains("(step 3 of 3, tap)"), "{failed:?}");
    assert!(failed.text.contains("steps done: 2"), "{failed:?}");
}

/// A screen that does not come to rest is not waited for long.
#[tokio::test(start_paused = true)]
async fn a_restless_screen_is_not_waited_for_long() {
    let app = Arc::new(App {
        agent: AgentTools::default().at(Some(Level::None)),
        ..app("mcp-restless", &["pixel-like"])
    });
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": "Calculator"})).await;
    let mut took = Vec::new();
    for (tool, arguments) in [
        ("open", json!({"app": "trouble://never_idle"})),
        ("observe", json!({})),
        ("act", json!({"steps": [{"do": "tap", "on": "540,700"}]})),
        ("act", json!({"steps": [{"do": "key", "key": "home"}]})),
    ] {
        let since = tokio::time::Instant::now();
        let told = client.call(tool, arguments).await;
        took.push((since.elapsed().as_millis(), told));
    }
    // An act waits for nothing; the picture takes half a second.
    let most = [4_500, 2_500, 2_500, 4_000];
    for ((ms, told), most) in took.iter().zip(most) {
        println!("{ms} ms: {}", told.text.lines().next().unwrap_or_default());
        assert!(*ms <= most && !told.is_error, "{ms} ms: {told:?}");
    }
    for (_, told) in &took[..3] {
        assert!(told.text.contains("observe with timeout_ms"), "{told:?}");
        assert_eq!(told.whole["content"][1]["type"], "image", "{told:?}");
    }
    // Another screen is read as ever.
    let (_, home) = &took[3];
    assert!(home.text.contains("@e"), "{home:?}");
}

/// A phone that needs longer for any look is waited for once it was seen to.
#[tokio::test(start_paused = true)]
async fn a_slow_phone_is_read_once_a_patient_look_has_seen_how_slow_it_is() {
    let app = Arc::new(app("mcp-slow", &["slow"]));
    let mut client = McpClient::connect(&app).await;
    let mut took = Vec::new();
    for (tool, arguments) in [
        ("open", json!({"app": CONFORMANCE})),
        ("observe", json!({})),
        ("observe", json!({"timeout_ms": 15_000})),
        ("observe", json!({})),
        ("act", json!({"steps": [{"do": "tap", "on": "Increment"}]})),
    ] {
        let since = tokio::time::Instant::now();
        let told = client.call(tool, arguments).await;
        assert!(!told.is_error, "{told:?}");
        took.push((since.elapsed().as_millis(), told));
    }
    let [opened, again, patient, usual, acted] = took.try_into().unwrap();
    for (ms, told) in [opened, again] {
        assert!(ms < 5_000 && told.text.contains("timeout_ms"), "{ms} ms: {told:?}");
        assert_eq!(told.whole["content"][1]["type"], "image", "{told:?}");
    }
    for (ms, told) in [patient, usual] {
        assert!(ms < 8_000 && told.text.contains("\"Increment\""), "{ms} ms: {told:?}");
    }
    assert!(acted.1.text.contains("Counter: 1"), "{acted:?}");
}

/// What scrolls can be named by `match` as by `on`; what is not there yet is
/// scrolled to.
#[tokio::test(start_paused = true)]
async fn a_scroll_takes_what_it_scrolls_from_match() {
    for server in [false, true] {
        let phones = Phones::new(["phone-1".to_owned()]);
        let app = Arc::new(app_in(&folder(&format!("mcp-scroll-{server}")), &phones));
        let mut client = McpClient::connect(&app).await;
        if server {
            start_server(&phones, "phone-1").await;
        }
        client.call("open", json!({"app": "trouble://pager"})).await;
        for (matcher, page) in
            [(json!({"resourceId": "view_pager"}), "Page 2 of 4"), (json!({"role": "pager"}), "Page 3 of 4")]
        {
            let step = json!({"do": "scroll", "match": matcher, "direction": "right"});
            let told = client.call("act", json!({"steps": [step]})).await;
            assert!(!told.is_error && told.text.contains(page), "{told:?}");
        }
        let back = json!({"do": "scroll", "match": {"role": "pager"}, "direction": "left", "count": 2});
        let told = client.call("act", json!({"steps": [back]})).await;
        assert!(told.text.contains("Page 1 of 4"), "{told:?}");
        client.call("open", json!({"app": "Settings"})).await;
        let steps = json!([{"do": "scroll", "match": {"textContains": "about ph"}}]);
        let told = client.call("act", json!({"steps": steps})).await;
        assert!(!told.is_error && told.text.contains("\"About phone\""), "{told:?}");
        // It is there, and is nothing that scrolls.
        let told = client.call("act", json!({"steps": steps})).await;
        assert!(told.is_error && told.text.starts_with("CONTAINER_NOT_SCROLLABLE"), "{told:?}");
    }
}

/// What cannot come is not waited for: the words are there in another case, the ref
/// lacks its sign, the button is disabled, the app is not there, the role is none.
#[tokio::test(start_paused = true)]
async fn what_cannot_come_fails_within_two_seconds() {
    let app = Arc::new(app("mcp-fast", &["pixel-like"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": "trouble://pager"})).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut late = Vec::new();
    for (tool, arguments, code) in [
        ("act", json!({"steps": [{"do": "tap", "on": "NEXT"}]}), "NODE_NOT_FOUND"),
        ("act", json!({"steps": [{"do": "long_press", "on": "next"}]}), "NODE_NOT_FOUND"),
        ("act", json!({"steps": [{"do": "tap", "on": "e3"}]}), "NODE_NOT_FOUND"),
        ("act", json!({"steps": [{"do": "tap", "on": "@e9999"}]}), "REF_STALE"),
        ("act", json!({"steps": [{"do": "tap", "on": "Previous"}]}), "NODE_NOT_CLICKABLE"),
        ("act", json!({"steps": [{"do": "type", "on": "NEXT", "text": "x"}]}), "NODE_NOT_FOUND"),
        ("act", json!({"steps": [{"do": "scroll", "match": {"role": "blah"}}]}), "NODE_NOT_FOUND"),
        ("act", json!({"steps": [{"do": "tap", "match": {"role": "buton"}}]}), "NODE_NOT_FOUND"),
        ("find", json!({"match": {"role": "buton"}}), "NODE_NOT_FOUND"),
        ("wait", json!({"match": {"role": "buton"}}), "NODE_NOT_FOUND"),
        ("wait", json!({"match": {"role": "buton"}, "gone": true}), "NODE_NOT_FOUND"),
        ("open", json!({"app": "Setings"}), "APP_NOT_STARTED"),
        ("open", json!({"app": "com.example.none"}), "APP_NOT_STARTED"),
        ("open", json!({"app": "nosuch://thing"}), "URI_NOT_HANDLED"),
    ] {
        let since = tokio::time::Instant::now();
        let told = client.call(tool, arguments.clone()).await;
        let ms = since.elapsed().as_millis();
        if ms > 2_000 || !told.is_error || !told.text.starts_with(code) {
            late.push(format!("{ms} ms: {arguments}: {}", told.text));
        }
        if arguments.to_string().contains("buton") {
            assert!(told.text.contains("the nearest is button"), "{told:?}");
        }
    }
    assert!(late.is_empty(), "{late:#?}");
}
