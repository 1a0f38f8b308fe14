//! The Operator app: what it is sent by broadcast, and what it answers through
//! the log. Time is paused, so that every wait ends at once.

use clawperator_sim::{Handset, Setup, TimeKind, shell_user};
use clawperator_userland::{Machine, ShellResult, run};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const PACKAGE: &str = "com.clawperator.operator";
const MARKER: &str = "[Clawperator-Result] ";
const APP: &str = "com.clawperator.conformance";

async fn on(handset: &Arc<Handset>, script: &str) -> ShellResult {
    run(Arc::clone(handset) as Arc<dyn Machine>, shell_user(), script, b"").await
}

/// A phone whose accessibility service is on.
async fn phone() -> Arc<Handset> {
    let handset = Handset::new(Setup::default());
    on(&handset, "settings put secure accessibility_enabled 1").await;
    handset
}

async fn broadcast(handset: &Arc<Handset>, payload: &str) {
    let quoted = payload.replace('\'', "'\"'\"'");
    let script = format!(
        "am broadcast -a 'app.clawperator.operator.ACTION_AGENT_COMMAND' -p '{PACKAGE}' --es 'payload' '{quoted}' --receiver-foreground"
    );
    let finished = on(handset, &script).await;
    assert_eq!(finished.code, 0, "{:?}", finished.stderr);
}

fn execution(id: &str, actions: &[Value]) -> Value {
    let named = actions.iter().enumerate().map(|(number, action)| {
        let mut action = action.clone();
        action["id"] = json!(format!("a{number}"));
        action
    });
    json!({ "commandId": id, "taskId": "task", "source": "test", "timeoutMs": 60_000,
        "actions": named.collect::<Vec<_>>(), "expectedFormat": "android-ui-automator" })
}

fn act(name: &str, params: impl Into<Value>) -> Value {
    json!({ "type": name, "params": params.into() })
}

fn lines(handset: &Handset, part: &str) -> Vec<String> {
    handset.with(|phone| {
        let lines = phone.log.since(0).map(|entry| entry.text.clone());
        lines.filter(|text| text.contains(part)).collect()
    })
}

fn answers(handset: &Handset) -> Vec<Value> {
    let lines = lines(handset, MARKER);
    let parsed = lines.iter().map(|line| serde_json::from_str(line.strip_prefix(MARKER).unwrap()).unwrap());
    parsed.collect()
}

async fn answer(handset: &Handset, id: &str) -> Value {
    for _ in 0..4_000 {
        let found = answers(handset).into_iter().find(|answer| answer["commandId"] == id);
        if let Some(found) = found {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no answer to {id}")
}

/// Runs actions and returns the whole answer.
async fn ask(handset: &Arc<Handset>, actions: &[Value]) -> Value {
    let id = format!("c{}", answers(handset).len());
    broadcast(handset, &execution(&id, actions).to_string()).await;
    answer(handset, &id).await
}

/// Runs actions that all run, and returns what each says.
async fn steps(handset: &Arc<Handset>, actions: &[Value]) -> Vec<Value> {
    let answer = ask(handset, actions).await;
    assert_eq!(answer["status"], "success", "{answer}");
    assert_eq!(answer["error"], Value::Null);
    assert!(answer.get("errorCode").is_none());
    let steps = answer["stepResults"].as_array().unwrap().clone();
    assert_eq!(steps.len(), actions.len());
    steps
}

async fn error(handset: &Arc<Handset>, actions: &[Value]) -> String {
    let answer = ask(handset, actions).await;
    assert_eq!(answer["status"], "failed");
    assert_eq!(answer["stepResults"], json!([]));
    answer["error"].as_str().unwrap().to_owned()
}

fn id(name: &str) -> Value {
    json!({ "matcher": { "resourceId": format!("{APP}:id/{name}") } })
}

fn text(text: &str) -> Value {
    json!({ "matcher": { "textEquals": text } })
}

fn open(package: &str) -> Value {
    act("open_app", json!({ "applicationId": package }))
}

#[tokio::test(start_paused = true)]
async fn a_command_is_answered_step_by_step() {
    let phone = phone().await;
    let said = ask(
        &phone,
        &[
            open(APP),
            act("wait_for_node", text("Increment")),
            act("click", id("btn_increment")),
            act("read_text", id("txt_counter")),
        ],
    )
    .await;
    let expected = json!({
        "commandId": "c0", "taskId": "task", "status": "success",
        "stepResults": [
            { "id": "a0", "actionType": "open_app", "success": true, "data": { "application_id": APP } },
            { "id": "a1", "actionType": "wait_for_node", "success": true,
              "data": { "resource_id": format!("{APP}:id/btn_increment"), "label": "Increment" } },
            { "id": "a2", "actionType": "click", "success": true, "data": { "click_types": "click" } },
            { "id": "a3", "actionType": "read_text", "success": true,
              "data": { "text": "Counter: 1", "validator": "none" } },
        ],
        "error": null,
    });
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn what_needs_no_screen_answers_too() {
    let phone = phone().await;
    let began = phone.time().uptime();
    let steps = steps(
        &phone,
        &[
            act("close_app", json!({ "applicationId": APP })),
            act("take_screenshot", json!({})),
            act("sleep", json!({ "durationMs": 1500 })),
            act("press_key", json!({ "key": "HOME" })),
            act("key_press", json!({ "key": "recents" })),
        ],
    )
    .await;
    let pinged = ask(&phone, &[act("doctor_ping", json!({}))]).await;
    assert_eq!(steps[0]["success"], false);
    assert_eq!(steps[0]["data"]["error"], "UNSUPPORTED_RUNTIME_CLOSE");
    assert_eq!(steps[1]["data"]["error"], "UNSUPPORTED_RUNTIME_SCREENSHOT");
    assert_eq!(steps[2]["data"], json!({ "duration_ms": "1500" }));
    assert!((phone.time().uptime() - began).as_millis() >= 1500);
    assert_eq!(steps[3]["data"], json!({ "key": "home" }));
    assert_eq!(steps[4]["actionType"], "press_key");
    let ping = &pinged["stepResults"][0];
    assert_eq!(ping["actionType"], "doctor_ping");
    let keys: Vec<_> = ping["data"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["developer_options_enabled", "usb_debugging_enabled"]);
}

#[tokio::test(start_paused = true)]
async fn clicks_come_in_every_kind() {
    let phone = phone().await;
    let center = steps(&phone, &[open(APP), act("wait_for_node", id("btn_increment"))]).await;
    assert_eq!(center[1]["success"], true);
    let clawperator_ui::Point { x, y } = phone.with(|phone| {
        let tree = phone.tree(clawperator_sim::phone::DumpViews::All).unwrap();
        let mut nodes = tree.nodes();
        nodes.find(|(_, node)| node.text == "Increment").unwrap().1.bounds.center()
    });
    let long = |params: Value| {
        let mut params = params;
        params["clickType"] = json!("long_click");
        params
    };
    let steps = steps(
        &phone,
        &[
            act("click", json!({ "coordinate": { "x": x, "y": y } })),
            act("click", long(id("btn_increment"))),
            act("read_text", id("txt_counter")),
            // What cannot be clicked is clicked all the same, in vain.
            act("click", id("txt_counter")),
        ],
    )
    .await;
    assert_eq!(steps[0]["data"], json!({ "click_types": "click", "coordinate": format!("({x},{y})") }));
    assert_eq!(steps[1]["data"], json!({ "click_types": "long_click" }));
    assert_eq!(steps[2]["data"]["text"], "Counter: 2");
    assert_eq!(steps[3]["success"], true);
}

#[tokio::test(start_paused = true)]
async fn text_replaces_what_was_there() {
    let phone = phone().await;
    let field = json!({ "resourceId": "com.clawperator.form:id/input_email" });
    let write =
        |text: &str| json!({ "matcher": field, "text": text, "submit": text == "b@c.de", "clear": false });
    let steps = steps(
        &phone,
        &[
            act("open_uri", json!({ "uri": "clawform://login" })),
            act("enter_text", write("a very long one")),
            act("type_text", write("b@c.de")),
            act("read_text", json!({ "matcher": field })),
            act("click", json!({ "matcher": field, "clickType": "focus" })),
        ],
    )
    .await;
    assert_eq!(steps[0]["data"], json!({ "uri": "clawform://login" }));
    assert_eq!(steps[1]["data"], json!({ "text": "a very long one", "submit": "false" }));
    assert_eq!(steps[2]["data"], json!({ "text": "b@c.de", "submit": "true" }));
    assert_eq!(steps[3]["data"]["text"], "b@c.de");
    assert_eq!(steps[4]["data"]["click_types"], "focus");
}

#[tokio::test(start_paused = true)]
async fn scrolls_tell_what_moved() {
    let phone = phone().await;
    let list = json!({ "resourceId": format!("{APP}:id/list_main") });
    let up = json!({ "direction": "up", "container": list });
    let mut until = text("Row 40");
    until["clickAfter"] = json!(true);
    until["maxDurationMs"] = json!(60_000);
    let steps = steps(
        &phone,
        &[
            open(APP),
            act("click", id("btn_open_list")),
            act("scroll", json!({})),
            act("scroll", up.clone()),
            act("scroll", up),
            act("scroll", json!({ "container": { "textEquals": "nowhere" } })),
            act("scroll_until", until),
            act("read_text", id("txt_selected_row")),
        ],
    )
    .await;
    assert_eq!(
        steps[2]["data"],
        json!({ "scroll_outcome": "moved", "direction": "down", "distance_ratio": "0.7",
            "settle_delay_ms": "250", "resolved_container": format!("{APP}:id/list_main") })
    );
    assert_eq!(steps[3]["data"]["scroll_outcome"], "moved");
    assert_eq!(steps[4]["data"]["scroll_outcome"], "edge_reached");
    assert_eq!(
        steps[5]["data"],
        json!({ "error": "CONTAINER_NOT_FOUND", "direction": "down", "settle_delay_ms": "250" })
    );
    assert_eq!(steps[6]["data"]["termination_reason"], "TARGET_FOUND");
    assert_eq!(steps[6]["data"]["click_after"], "true");
    assert_eq!(steps[7]["data"]["text"], "Selected row: 40");
}

#[tokio::test(start_paused = true)]
async fn a_search_that_ends_in_vain_says_how() {
    let phone = phone().await;
    let until = |mut params: Value, name: &str, value: Value| {
        params[name] = value;
        params["distanceRatio"] = json!(1.0);
        act("scroll_until", params)
    };
    let nothing = text("nothing says this");
    let steps = steps(
        &phone,
        &[
            until(nothing.clone(), "container", json!({ "textEquals": "nowhere" })),
            open(APP),
            act("click", id("btn_open_list")),
            until(nothing.clone(), "maxScrolls", json!(2)),
            until(nothing, "maxDurationMs", json!(1000)),
            until(json!({ "direction": "up" }), "maxScrolls", json!(200)),
        ],
    )
    .await;
    let said = |step: &Value| {
        let data = &step["data"];
        json!([data["termination_reason"], data["error"], step["success"]])
    };
    assert_eq!(said(&steps[0]), json!(["CONTAINER_NOT_FOUND", "CONTAINER_NOT_FOUND", false]));
    assert_eq!(said(&steps[3]), json!(["MAX_SCROLLS_REACHED", "TARGET_NOT_FOUND", false]));
    assert_eq!(said(&steps[4]), json!(["MAX_DURATION_REACHED", "TARGET_NOT_FOUND", false]));
    assert_eq!(said(&steps[5]), json!(["EDGE_REACHED", null, true]));
}

#[tokio::test(start_paused = true)]
async fn scroll_and_click_finds_and_clicks() {
    let phone = phone().await;
    let mut find = text("Row 30");
    find["maxSwipes"] = json!(50);
    let steps = steps(
        &phone,
        &[
            open(APP),
            act("click", id("btn_open_list")),
            act("scroll_and_click", find),
            act("read_text", id("txt_selected_row")),
            act("press_key", json!({ "key": "back" })),
        ],
    )
    .await;
    assert_eq!(
        steps[2]["data"],
        json!({ "max_swipes": "50", "direction": "Down", "click_types": "click", "click_after": "true" })
    );
    assert_eq!(steps[3]["data"]["text"], "Selected row: 30");
    let mut find = text("Row 999");
    find["maxSwipes"] = json!(1);
    let why = error(&phone, &[act("scroll_and_click", find)]).await;
    assert!(why.starts_with("Task execution failed: Node not found"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn texts_are_read_alone_together_and_by_their_label() {
    let phone = phone().await;
    let home = "com.clawperator.smarthome";
    let read = |params: Value| act("read_text", params);
    let counter = id("txt_counter")["matcher"].clone();
    let list = json!({ "resourceId": format!("{APP}:id/list_main") });
    let steps = steps(
        &phone,
        &[
            open(home),
            read(json!({ "matcher": { "textContains": "°c" }, "validator": "temperature" })),
            open(APP),
            read(json!({ "matcher": counter, "validator": "regex", "validatorPattern": "Counter: \\d" })),
            read(json!({ "matcher": counter, "validator": "version" })),
            read(json!({ "matcher": counter, "container": { "textEquals": "nowhere" } })),
            read(json!({ "matcher": { "textEquals": "nowhere" }, "container": counter })),
            read(json!({ "matcher": { "textEquals": "nowhere" }, "all": true })),
            act("click", id("btn_open_list")),
            read(json!({ "matcher": { "textContains": "row " }, "container": list, "all": true })),
            open("com.android.settings"),
            act("read_key_value_pair", json!({ "labelMatcher": { "textEquals": "Storage" } })),
            act("read_key_value_pair", json!({ "labelMatcher": { "textEquals": "nowhere" } })),
        ],
    )
    .await;
    assert_eq!(steps[1]["data"]["validator"], "temperature");
    assert_eq!(steps[3]["data"], json!({ "text": "Counter: 0", "validator": "regex" }));
    assert_eq!(steps[4]["data"]["error"], "VALIDATOR_MISMATCH");
    assert_eq!(steps[4]["data"]["raw_text"], "Counter: 0");
    assert_eq!(steps[5]["data"]["error"], "CONTAINER_NOT_FOUND");
    assert_eq!(steps[6]["data"]["error"], "NODE_NOT_FOUND");
    assert_eq!(steps[7]["data"], json!({ "text": "[]", "all": "true", "count": "0", "validator": "none" }));
    let rows = steps[9]["data"]["text"].as_str().unwrap();
    let rows: Vec<String> = serde_json::from_str(rows).unwrap();
    assert_eq!(rows[0], "Row 0");
    assert_eq!(steps[9]["data"]["count"], rows.len().to_string());
    assert_eq!(steps[11]["data"], json!({ "label": "Storage", "value": "42% used - 74.2 GB free" }));
    assert_eq!(steps[12]["data"], json!({ "error": "NODE_NOT_FOUND" }));
}

#[tokio::test(start_paused = true)]
async fn navigation_counts_only_when_it_happens() {
    let phone = phone().await;
    let wait = |params: Value| act("wait_for_navigation", params);
    let to_app = json!({ "expectedPackage": APP, "timeoutMs": 1000 });
    let steps = steps(
        &phone,
        &[
            open(APP),
            wait(to_app),
            wait(json!({ "expectedNode": { "textEquals": "Increment" }, "timeoutMs": 1000 })),
        ],
    )
    .await;
    // A client that is already connected gets no answer.
    assert_eq!(steps[1]["data"], json!({ "error": "NAVIGATION_TIMEOUT", "last_package": APP }));
    assert_eq!(steps[2]["data"], json!({ "resolved_package": APP, "elapsed_ms": "0" }));
    on(&phone, "input keyevent HOME").await;
    let there = wait(json!({ "expectedPackage": APP, "timeoutMs": 5000 }));
    broadcast(&phone, &execution("later", &[there]).to_string()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    on(&phone, &format!("monkey -p {APP} 1")).await;
    let answer = answer(&phone, "later").await;
    assert_eq!(answer["stepResults"][0]["data"]["resolved_package"], APP);
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_is_in_the_log() {
    let phone = phone().await;
    let steps = steps(&phone, &[open(APP), act("snapshot_ui", json!({}))]).await;
    let data = &steps[1]["data"];
    assert_eq!(data["actual_format"], "hierarchy_xml");
    assert_eq!(data["foreground_package"], APP);
    assert_eq!(data["has_overlay"], "false");
    let said = on(&phone, "logcat -d -v tag").await.stdout;
    let said = String::from_utf8(said).unwrap();
    let own: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("D/TaskScopeDefault: ")).collect();
    assert_eq!(own[0], "[TaskScope] UI Hierarchy:");
    assert_eq!(own[1], "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>");
    assert_eq!(own[2], "<hierarchy rotation=\"0\">");
    assert_eq!(own.last(), Some(&"</hierarchy>"));
    let xml = own[1..].join("\n");
    let tree = clawperator_ui::read(&xml).unwrap();
    assert!(tree.nodes().any(|(_, node)| node.text == "Increment"));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_ends_the_command() {
    let phone = phone().await;
    let nowhere = text("nowhere");
    let mut write = nowhere.clone();
    write["text"] = json!("x");
    let mut short = nowhere.clone();
    short["timeoutMs"] = json!(700);
    for (action, takes_ms) in [
        (act("click", nowhere.clone()), 6_500),
        (act("read_text", nowhere.clone()), 6_500),
        (act("find_node", nowhere), 6_500),
        (act("wait_for_node", short), 700),
        (act("enter_text", write), 6_500),
        (open("com.example.nothing"), 5_250),
        (act("open_uri", json!({ "uri": "nobody://there" })), 5_250),
    ] {
        let began = phone.time().uptime();
        let why = error(&phone, &[act("sleep", json!({ "durationMs": 0 })), action.clone()]).await;
        assert!(why.starts_with("Task execution failed: "), "{why}");
        let took = (phone.time().uptime() - began).as_millis();
        assert!((takes_ms..takes_ms + 200).contains(&took), "{action}: {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_command_waits_for_another_within_its_time() {
    let phone = phone().await;
    let sleep = |ms: u64| [act("sleep", json!({ "durationMs": ms }))];
    let mut hasty = execution("hasty", &sleep(0));
    hasty["timeoutMs"] = json!(2000);
    broadcast(&phone, &execution("first", &sleep(5000)).to_string()).await;
    broadcast(&phone, &execution("second", &sleep(1000)).to_string()).await;
    broadcast(&phone, &hasty.to_string()).await;
    let late = answer(&phone, "hasty").await;
    assert_eq!(late["error"], "Agent command timed out after 2000ms");
    assert_eq!(late["stepResults"], json!([]));
    answer(&phone, "second").await;
    let order: Vec<_> =
        answers(&phone).iter().map(|answer| answer["commandId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(order, ["hasty", "first", "second"]);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_commands_wait() {
    let phone = phone().await;
    for number in 0..20 {
        let sleep = act("sleep", json!({ "durationMs": 100 }));
        broadcast(&phone, &execution(&format!("n{number}"), &[sleep]).to_string()).await;
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    let count = answers(&phone).len();
    assert!((16..=17).contains(&count), "{count}");
    assert!(!lines(&phone, "is dropped").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_payload_that_cannot_be_read_is_not_answered() {
    let phone = phone().await;
    let with = |action: Value| execution("bad", &[action]).to_string();
    let payloads = [
        "{".to_owned(),
        "[]".to_owned(),
        execution("bad", &[]).to_string(),
        with(act("fly", json!({}))),
        with(act("click", json!({}))),
    ];
    for payload in &payloads {
        let before = lines(&phone, "Cannot read agent command").len();
        broadcast(&phone, payload).await;
        let after = lines(&phone, "Cannot read agent command").len();
        assert_eq!(after, before + 1, "{payload:.200}");
    }
    on(&phone, "am broadcast -a app.clawperator.operator.ACTION_AGENT_COMMAND").await;
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert!(answers(&phone).is_empty());
}

#[tokio::test(start_paused = true)]
async fn without_its_service_or_its_app_nothing_runs() {
    let phone = Handset::new(Setup::default());
    let said = ask(&phone, &[open(APP)]).await;
    let expected = json!({ "commandId": "c0", "taskId": "task", "status": "failed", "stepResults": [],
        "error": "Accessibility service is not available", "errorCode": "SERVICE_UNAVAILABLE" });
    assert_eq!(said, expected);
    on(&phone, &format!("settings put secure accessibility_enabled 1; pm disable-user {PACKAGE}")).await;
    let sleep = execution("gone", &[act("sleep", json!({ "durationMs": 0 }))]).to_string();
    broadcast(&phone, &sleep).await;
    phone.with(|phone| phone.uninstall(PACKAGE));
    broadcast(&phone, &sleep).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(answers(&phone).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_comes_in_pieces() {
    let phone = phone().await;
    let long = "x".repeat(500);
    let actions: Vec<_> = (0..10).map(|_| act("close_app", json!({ "applicationId": long }))).collect();
    broadcast(&phone, &execution("long", &actions).to_string()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let first = lines(&phone, MARKER);
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].len(), 4_000);
    let own = phone.with(|phone| {
        let own = phone.log.since(0).filter(|entry| entry.tag == "AgentCommandExecutor");
        own.map(|entry| entry.text.clone()).collect::<String>()
    });
    let whole: Value = serde_json::from_str(own.strip_prefix(MARKER).unwrap()).unwrap();
    assert_eq!(whole["stepResults"].as_array().unwrap().len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_recording_has_what_happened() {
    let phone = phone().await;
    let named = |name: &str| json!({ "sessionId": name });
    let begun = steps(
        &phone,
        &[
            act("stop_recording", json!({})),
            act("start_recording", named("no/slash")),
            act("start_recording", named("one")),
            act("start_recording", named("two")),
        ],
    )
    .await;
    let path = format!("/sdcard/Android/data/{PACKAGE}/files/recordings/one.ndjson");
    let errors: Vec<_> = begun.iter().map(|step| step["data"]["error"].as_str()).collect();
    assert_eq!(
        errors,
        [
            Some("RECORDING_NOT_IN_PROGRESS"),
            Some("RECORDING_START_FAILED"),
            None,
            Some("RECORDING_ALREADY_IN_PROGRESS")
        ]
    );
    assert_eq!(begun[2]["data"], json!({ "sessionId": "one", "filePath": path }));
    steps(&phone, &[open(APP), act("click", id("btn_increment"))]).await;
    let ended = steps(&phone, &[act("stop_recording", json!({}))]).await;
    let file = on(&phone, &format!("cat {path}")).await.stdout;
    let file = String::from_utf8(file).unwrap();
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["type"], "recording_header");
    assert_eq!(lines[0]["sessionId"], "one");
    assert_eq!(ended[0]["data"]["eventCount"], (lines.len() - 1).to_string());
    assert!(lines[1..].iter().enumerate().all(|(at, line)| line["seq"] == at));
    assert!(lines.iter().any(|line| line["type"] == "window_change" && line["packageName"] == APP));
    let click = lines.iter().find(|line| line["type"] == "click").unwrap();
    assert_eq!(click["resourceId"], format!("{APP}:id/btn_increment"));
    assert_eq!(click["text"], "Increment");
    assert!(click["snapshot"].as_str().unwrap().starts_with("<?xml"));
    assert!(click["bounds"]["right"].as_i64().unwrap() > 0);
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_tells_of_what_is_over_the_app() {
    let phone = phone().await;
    let form = "com.clawperator.form";
    let field = json!({ "resourceId": format!("{form}:id/input_email") });
    // The notifications are closed before a command runs.
    phone.with(clawperator_sim::phone::Phone::open_shade);
    let steps = steps(
        &phone,
        &[
            act("open_uri", json!({ "uri": "clawform://login" })),
            act("snapshot_ui", json!({})),
            act("click", json!({ "matcher": field })),
            act("snapshot_ui", json!({})),
        ],
    )
    .await;
    assert_eq!(steps[1]["data"]["has_overlay"], "false");
    assert_eq!(steps[1]["data"]["foreground_package"], form);
    assert_eq!(steps[3]["data"]["has_overlay"], "true");
    assert_eq!(steps[3]["data"]["overlay_package"], "com.google.android.inputmethod.latin");
    on(&phone, "input keyevent SLEEP").await;
    let why = error(&phone, &[act("snapshot_ui", json!({}))]).await;
    assert_eq!(why, "Task execution failed: SNAPSHOT_HIERARCHY_UNAVAILABLE");
}

#[tokio::test]
async fn a_command_waits_in_the_phone_s_time() {
    let handset = Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() });
    on(&handset, "settings put secure accessibility_enabled 1").await;
    let sleep = act("sleep", json!({ "durationMs": 30_000 }));
    broadcast(&handset, &execution("slow", &[sleep]).to_string()).await;
    for (seconds, count) in [(0, 0), (29, 0), (1, 1)] {
        handset.advance(Duration::from_secs(seconds));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert_eq!(answers(&handset).len(), count, "after {seconds} s more");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reboot_ends_commands_and_recordings() {
    let phone = phone().await;
    steps(&phone, &[act("start_recording", json!({}))]).await;
    let sleep = act("sleep", json!({ "durationMs": 5_000 }));
    broadcast(&phone, &execution("cut", &[sleep]).to_string()).await;
    phone.reboot();
    let steps = steps(&phone, &[act("stop_recording", json!({}))]).await;
    assert_eq!(steps[0]["data"]["error"], "RECORDING_NOT_IN_PROGRESS");
    tokio::time::sleep(Duration::from_secs(10)).await;
    let answers = answers(&phone);
    assert!(answers.iter().all(|answer| answer["commandId"] != "cut"));
}

/// The lines of a recording that was made while a script ran.
async fn recorded(phone: &Arc<Handset>, script: &str) -> Vec<Value> {
    steps(phone, &[act("start_recording", json!({ "sessionId": "r" }))]).await;
    on(phone, script).await;
    let stopped = steps(phone, &[act("stop_recording", json!({}))]).await;
    let path = stopped[0]["data"]["filePath"].as_str().unwrap();
    let file = on(phone, &format!("cat {path}")).await.stdout;
    let file = String::from_utf8(file).unwrap();
    file.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_recorded_click_or_key_shows_the_screen_before_it() {
    let phone = phone().await;
    steps(&phone, &[open(APP)]).await;
    let tree = phone.with(|phone| phone.tree(clawperator_sim::phone::DumpViews::All)).unwrap();
    let button = tree.nodes().find(|(_, node)| node.text == "Increment").unwrap().1;
    let clawperator_ui::Point { x, y } = button.bounds.center();
    let lines = recorded(&phone, &format!("input tap {x} {y}; input keyevent BACK")).await;
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    let shown = |kind: &str| of(kind)["snapshot"].as_str().unwrap().to_owned();
    assert!(shown("click").contains("Counter: 0"), "{}", shown("click"));
    assert_eq!(of("press_key")["key"], "back");
    assert!(shown("press_key").contains("Counter: 1"));
    // What the app does itself is no key.
    let own = steps(
        &phone,
        &[
            act("start_recording", json!({})),
            act("press_key", json!({ "key": "back" })),
            act("stop_recording", json!({})),
        ],
    )
    .await;
    let path = own[2]["data"]["filePath"].as_str().unwrap();
    let file = on(&phone, &format!("cat {path}")).await.stdout;
    assert!(!String::from_utf8(file).unwrap().contains("press_key"));
}

#[tokio::test(start_paused = true)]
async fn both_variants_of_the_app_can_be_on_a_phone() {
    let app = clawperator_sim::app::parse(include_str!("../../apps/extra/operator-dev.yaml")).unwrap();
    let phone = Handset::new(Setup { apps: vec![Arc::new(app)], ..Setup::default() });
    on(&phone, "settings put secure accessibility_enabled 1").await;
    let services =
        "settings put secure enabled_accessibility_services com.clawperator.operator.dev/x.Service";
    on(&phone, services).await;
    let payload = execution("dev", &[act("start_recording", json!({ "sessionId": "d" }))]).to_string();
    let script = format!(
        "am broadcast -a app.clawperator.operator.ACTION_AGENT_COMMAND -p {PACKAGE}.dev --es payload '{payload}'"
    );
    on(&phone, &script).await;
    let step = answer(&phone, "dev").await["stepResults"][0].clone();
    let path = step["data"]["filePath"].as_str().unwrap();
    assert!(path.starts_with("/sdcard/Android/data/com.clawperator.operator.dev/"), "{path}");
    // The service of the one is not the other's.
    let refused = ask(&phone, &[act("sleep", json!({ "durationMs": 0 }))]).await;
    assert_eq!(refused["errorCode"], "SERVICE_UNAVAILABLE");
}

#[tokio::test(start_paused = true)]
async fn answers_go_wrong_when_they_are_to() {
    let sleep = || vec![act("sleep", json!({ "durationMs": 0 }))];
    let said = async |faults: &str| {
        let phone = phone().await;
        on(&phone, &format!("simctl fault {faults}")).await;
        broadcast(&phone, &execution("c", &sleep()).to_string()).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        lines(&phone, "[Clawperator-Result")
    };
    assert_eq!(said("operator_silent").await, [""; 0]);
    assert!(said("operator_late=2000").await.is_empty());
    assert!(said("operator_malformed").await[0].contains("\"status\"\"success\""));
    let other = said("operator_other_id").await;
    assert!(other.len() == 2 && other[0].contains("another-command"), "{other:?}");
    let records = said("operator_chunked=50").await;
    assert!(records.len() > 2 && records.iter().all(|it| it.starts_with("[Clawperator-Result-Chunk] {")));
    assert_eq!(said("operator_chunked=50 log_lostx1").await.len(), records.len() - 1);
    assert_eq!(said("log_foreign").await.len(), 2);
    let phone = phone().await;
    let tried = on(
        &phone,
        "simctl fault packages_unavailable broadcast_refused logcat_ends=2; \
        pm list packages; echo $?; am broadcast -a x; echo $?; logcat -d | wc -l",
    )
    .await;
    let out = String::from_utf8(tried.stdout).unwrap();
    assert!(
        out.starts_with("20\n") && out.contains("Security exception") && out.contains("\n0\n3\n"),
        "{out}"
    );
}
