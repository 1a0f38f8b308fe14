//! The page: its files, and what it asks for.

use crate::support::{Ask, Server, client, server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// What a server answered, whatever it is.
struct Raw {
    head: String,
    body: Vec<u8>,
}

impl Raw {
    fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map_or("", |(_, value)| value)
    }
}

/// Asks for something that need not be text. `has` is the tag that is known.
async fn fetch(server: &Server, path: &str, has: &str) -> Raw {
    let mut stream = client(server).connect().await;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nIf-None-Match: {has}\r\nConnection: close\r\n\r\n",
        server.port
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    Raw { head: String::from_utf8(bytes[..end].to_vec()).unwrap(), body: bytes.split_off(end + 4) }
}

/// The elements of the phone's screen.
async fn look(server: &Server) -> Value {
    client(server).get("/page/tree?device=phone-1").await.json()
}

async fn input(server: &Server, mut act: Value) -> Value {
    act["device"] = json!("phone-1");
    client(server).post("/page/input", &act).await.json()
}

#[tokio::test]
async fn page_files_have_a_strict_policy_and_a_tag() {
    let server = server("page-files").await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/web/style.css", "text/css; charset=utf-8"),
        ("/web/main.js", "text/javascript; charset=utf-8"),
        ("/web/icon.svg", "image/svg+xml"),
    ] {
        let file = fetch(&server, path, "").await;
        assert_eq!((file.status(), file.header("content-type")), (200, kind), "{path}");
        assert!(file.header("content-security-policy").starts_with("default-src 'none'; script-src 'self'"));
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert_eq!(file.header("referrer-policy"), "no-referrer");
        let again = fetch(&server, path, file.header("etag")).await;
        assert_eq!((again.status(), again.body.len()), (304, 0), "{path}");
    }
    assert_eq!(fetch(&server, "/web/../Cargo.toml", "").await.status(), 404);
    assert_eq!(fetch(&server, "/web/none.js", "").await.status(), 404);
}

#[tokio::test]
async fn page_html_has_no_script_or_style_inside() {
    let server = server("page-inline").await;
    let html = client(&server).get("/").await.body;
    assert!(!html.contains("style="), "{html}");
    assert!(!html.contains("<style"), "{html}");
    let mut words = html.split_whitespace();
    assert!(!words.any(|word| word.starts_with("on") && word.contains('=')), "{html}");
    assert_eq!(html.matches("<script").count(), html.matches("<script type=\"module\" src=\"/web/").count());
    assert!(!html.contains("://"), "{html}");
}

#[tokio::test]
async fn page_viewers_share_a_picture_and_wait_for_another() {
    let server = server("page-frame").await;
    let path = "/page/frame?device=phone-1";
    let (one, other) = tokio::join!(fetch(&server, path, ""), fetch(&server, path, ""));
    assert_eq!((one.status(), one.header("content-type")), (200, "image/jpeg"));
    assert_eq!(one.header("x-screen-size"), "1080x2400");
    assert_eq!(one.body, other.body);
    let taken = |server: &Server| {
        let asked = server.phones.asked("phone-1");
        asked.iter().filter(|asked| asked.contains("screencap")).count()
    };
    assert_eq!(taken(&server), 1);
    // Something is done while the viewer waits.
    let waiting = fetch(&server, path, one.header("etag"));
    let press = input(&server, json!({"act": "key", "key": "recents"}));
    let (next, done) = tokio::join!(waiting, press);
    assert_eq!(done, json!({"ok": true}));
    assert_eq!(next.status(), 200);
    assert_ne!(next.header("etag"), one.header("etag"));
}

/// The number and the middle of the first element with a label.
fn element(tree: &Value, label: &str) -> (Value, i64, i64) {
    let nodes = tree["nodes"].as_array().unwrap();
    let found = nodes.iter().find(|node| node["label"] == label).unwrap();
    let side = |from: usize| {
        let at = |index: usize| found["bounds"][index].as_i64().unwrap();
        (at(from) + at(from + 2)) / 2
    };
    (found["node"].clone(), side(0), side(1))
}

#[tokio::test]
async fn page_touches_a_chosen_element_only_where_it_still_is() {
    let server = server("page-chosen").await;
    let tree = look(&server).await;
    let (node, ..) = element(&tree, "Settings");
    let chosen =
        |press: &str| json!({"act": "element", "node": node, "snapshot": tree["snapshot"], "press": press});
    assert_eq!(input(&server, chosen("short")).await, json!({"ok": true}));
    // Another screen: where the element was there is something else now.
    let before = server.phones.asked("phone-1").len();
    for press in ["short", "long"] {
        let done = input(&server, chosen(press)).await;
        assert_eq!(done["ok"], false);
        let message = done["message"].as_str().unwrap();
        assert!(message.starts_with("SCREEN_CHANGED: "), "{message}");
    }
    let asked = server.phones.asked("phone-1");
    assert!(
        asked[before..]
            .iter()
            .all(|asked| !asked.contains("set -- 'tap'") && !asked.contains("set -- 'swipe'")),
        "{asked:?}"
    );
    // A choice of an older look than the last one is stale, too.
    look(&server).await;
    let done = input(&server, chosen("short")).await;
    assert!(done["message"].as_str().unwrap().starts_with("SCREEN_CHANGED: "), "{done}");
}

#[tokio::test]
async fn page_touches_an_element_and_gets_selectors_for_another() {
    let server = server("page-touch").await;
    let tree = look(&server).await;
    let (_, x, y) = element(&tree, "Settings");
    let tap = json!({"act": "tap", "x": x, "y": y});
    assert_eq!(input(&server, tap).await, json!({"ok": true}));
    let settings = look(&server).await;
    let (node, ..) = element(&settings, "Network & internet");
    let query = |tree: &Value| {
        let snapshot = tree["snapshot"].as_str().unwrap();
        format!("/page/selectors?device=phone-1&snapshot={snapshot}&node={node}")
    };
    let found = client(&server).get(&query(&settings)).await.json();
    let best = &found["selectors"][0];
    assert_eq!(
        (&best["fits"], &best["flags"], &best["matcher"]),
        (
            &json!(1),
            &json!("--id 'android:id/title' --text 'Network & internet'"),
            &json!({"resourceId": "android:id/title", "textEquals": "Network & internet"})
        ),
        "{found}"
    );
    // A look that is not the last one has no elements any more.
    let old = client(&server).get(&query(&tree)).await;
    assert_eq!(old.status, 400, "{old:?}");
}

#[tokio::test]
async fn page_types_into_the_field_in_focus_and_says_why_it_cannot() {
    let server = server("page-type").await;
    let text = json!({"act": "text", "text": "hello"});
    let nowhere = input(&server, text.clone()).await;
    assert_eq!(nowhere["ok"], json!(false));
    assert!(nowhere["message"].as_str().unwrap().contains("focused"), "{nowhere}");
    for label in ["Settings", "Search settings"] {
        let tree = look(&server).await;
        let (_, x, y) = element(&tree, label);
        let tap = json!({"act": "tap", "x": x, "y": y});
        assert_eq!(input(&server, tap).await, json!({"ok": true}));
    }
    let tree = look(&server).await;
    let field = |tree: &Value| {
        let nodes = tree["nodes"].as_array().unwrap().clone();
        let editable = |node: &Value| node["is"].as_array().is_some_and(|is| is.contains(&json!("editable")));
        nodes.into_iter().find(editable).unwrap_or_else(|| panic!("{tree:#}"))
    };
    let bounds = &field(&tree)["bounds"];
    let at = |index: usize| bounds[index].as_i64().unwrap() + 5;
    let tap = json!({"act": "tap", "x": at(0), "y": at(1)});
    assert_eq!(input(&server, tap).await, json!({"ok": true}));
    assert_eq!(input(&server, text).await, json!({"ok": true}));
    let tree = look(&server).await;
    assert_eq!(field(&tree)["label"], json!("hello"));
}

/// Taps the first element with a label.
async fn tap(server: &Server, label: &str) -> Value {
    let (_, x, y) = element(&look(server).await, label);
    let done = input(server, json!({"act": "tap", "x": x, "y": y})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    done
}

/// The actions of what is recorded by now, as type and what they are about.
fn actions(recording: &Value) -> Vec<String> {
    let actions = recording["execution"]["actions"].as_array().unwrap();
    actions
        .iter()
        .map(|action| {
            let params = &action["params"];
            let about = [&params["applicationId"], &params["text"], &params["matcher"], &params["key"]];
            let about = about.into_iter().find(|about| !about.is_null());
            format!("{} {}", action["type"].as_str().unwrap(), about.unwrap_or(&Value::Null))
        })
        .collect()
}

#[tokio::test]
async fn page_records_touches_and_text_as_an_execution_and_a_skill() {
    let server = server("page-recording").await;
    let device = json!({"device": "phone-1"});
    let begun = client(&server).post("/page/recording", &device).await.json();
    assert_eq!((&begun["ok"], &begun["isOver"]), (&json!(true), &json!(false)), "{begun}");
    let again = client(&server).post("/page/recording", &device).await;
    assert_eq!(again.refusal().1, "EXECUTION_CONFLICT_IN_FLIGHT");
    tap(&server, "Settings").await;
    tap(&server, "Search settings").await;
    let typed = input(&server, json!({"act": "text", "text": "battery"})).await;
    let stopped = client(&server).post("/page/recording/stop", &device).await.json();
    assert_eq!(
        actions(&stopped),
        [
            "press_key \"home\"",
            "open_app \"com.android.settings\"",
            r#"click {"resourceId":"com.android.settings:id/search_action_bar"}"#,
            "enter_text \"battery\"",
            r#"wait_for_node {"role":"button","contentDescEquals":"Clear text"}"#,
        ],
        "{stopped:#}"
    );
    assert_eq!(actions(&typed["recording"]), actions(&stopped)[..4], "{typed:#}");
    // A text that was typed is not in doubt.
    assert_eq!(stopped["unsure"], json!([]), "{stopped:#}");
    let skill =
        json!({"device": "phone-1", "id": "com.android.settings.find-battery", "summary": "Finds it."});
    let made = client(&server).post("/page/recording/skill", &skill).await.json();
    let files = made["files"].as_array().unwrap();
    assert!(
        files.iter().any(|file| file.as_str().unwrap().ends_with("tests/recorded.world.yaml")),
        "{made:#}"
    );
    let recipe = files.iter().map(|file| std::fs::read_to_string(file.as_str().unwrap()).unwrap());
    let recipe = recipe.collect::<String>();
    assert!(recipe.contains("locale: \"en-US\""), "{recipe}");
    // The answer names what a recipe cannot say.
    assert_eq!(made["leftOut"][0]["action"], json!("enter_text"), "{made:#}");
    let twice = client(&server).post("/page/recording/skill", &skill).await;
    assert_eq!(twice.refusal(), (400, "SKILL_ALREADY_EXISTS".to_owned()));
    // A recording in which nothing is touched becomes no skill.
    client(&server).post("/page/recording", &device).await.json();
    client(&server).post("/page/recording/stop", &device).await.json();
    let empty = json!({"device": "phone-1", "id": "com.android.settings.nothing", "summary": "Nothing."});
    let refused = client(&server).post("/page/recording/skill", &empty).await;
    assert_eq!(refused.refusal(), (400, "RECORDING_COMPILE_FAILED".to_owned()));
}

#[tokio::test]
async fn a_drag_on_the_picture_is_a_finger_and_a_key_scrolls() {
    let server = server("page-drag").await;
    let there = client(&server);
    for (act, action) in [
        (
            json!({"act": "drag", "from": [540, 1900], "to": [540, 700], "move_ms": 7, "hold_ms": 600}),
            "drag_to",
        ),
        (json!({"act": "scroll", "from": [540, 1900], "to": [540, 700]}), "scroll"),
    ] {
        input(&server, act).await;
        let newest = there.get("/runs?limit=1").await.json()["runs"][0]["journal"].clone();
        let journal = there.get(&format!("/journals/{}", newest.as_str().unwrap())).await.body;
        assert!(journal.contains(&format!("\"{action}\"")), "{journal}");
        if action == "drag_to" {
            // A finger is no faster than that.
            assert!(journal.contains("\"durationMs\":100"), "{journal}");
            assert!(journal.contains("\"holdMs\":600"), "{journal}");
        }
    }
}

#[tokio::test]
async fn page_hears_of_a_run_that_began_before_it_came() {
    let server = server("page-steps-later").await;
    let there = client(&server);
    let slow = json!({"commandId": "slow", "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 20_000}}]});
    let ask = Ask {
        method: "POST",
        path: "/execute",
        headers: &["Content-Type: application/json", "Prefer: respond-async"],
        body: &json!({"execution": slow}).to_string(),
    };
    let run = there.ask(ask).await.json()["location"].as_str().unwrap().to_owned();
    while there.get(&run).await.json()["state"] != "running" {
        tokio::task::yield_now().await;
    }
    let mut stream = there.connect().await;
    let request = "GET /page/steps HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut text, mut part) = (String::new(), [0; 4096]);
    // The rest of what the run tells comes when it ends.
    let mut cancelled = false;
    while !text.contains("\"event\":\"end\"") {
        let count = stream.read(&mut part).await.unwrap();
        assert_ne!(count, 0, "{text}");
        text.push_str(std::str::from_utf8(&part[..count]).unwrap());
        if text.contains("\"event\":\"begin\"") && !cancelled {
            cancelled = true;
            assert!(text.contains("\"commandId\":\"slow\""), "{text}");
            there.post(&format!("{run}/cancel"), &json!({})).await;
        }
    }
    assert_eq!(text.matches("\"event\":\"begin\"").count(), 1, "{text}");
}

#[tokio::test]
async fn page_hears_of_each_step_as_it_happens() {
    let server = server("page-steps").await;
    let mut stream = client(&server).connect().await;
    let request =
        format!("GET /page/steps?device=phone-1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let mut part = [0; 4096];
    let mut read_until = async |wanted: &str| {
        while !text.contains(wanted) {
            let count = stream.read(&mut part).await.unwrap();
            assert_ne!(count, 0, "{text}");
            text.push_str(std::str::from_utf8(&part[..count]).unwrap());
        }
        text.clone()
    };
    read_until("\r\n\r\n").await;
    input(&server, json!({"act": "key", "key": "home"})).await;
    let heard = read_until("\"event\":\"end\"").await;
    let order = ["begin", "step_begin", "step_end", "end"];
    let places: Vec<_> = order.iter().map(|event| heard.find(&format!("\"event\":\"{event}\""))).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{heard}");
    assert!(!heard.contains("\"event\":\"command\""), "{heard}");
}
