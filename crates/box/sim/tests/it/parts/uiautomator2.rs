//! Tests of `uiautomator2.rs`: the server, called as its client calls it.

use crate::client::{in_memory, soon};
use crate::resident::{Connection, START, push};
use clawperator_adb::Device;
use clawperator_sim::{Handset, Setup, shell_user};
use clawperator_userland::{Machine, ShellResult};
use serde_json::{Value, json};
use std::sync::Arc;

async fn shell(handset: &Arc<Handset>, line: &str) -> ShellResult {
    clawperator_userland::run(handset.clone(), shell_user(), line, b"").await
}

/// A phone whose server runs, and a connection to it.
struct Session {
    handset: Arc<Handset>,
    device: Device,
    connection: Connection,
    server: tokio::task::JoinHandle<ShellResult>,
}

impl Session {
    async fn new() -> Self {
        let (handset, device) = in_memory(Setup::default()).await;
        push(&device, "/data/local/tmp/u2.jar", b"a jar").await;
        let running = handset.clone();
        let server = tokio::spawn(async move { shell(&running, START).await });
        loop {
            if let Ok(stream) = device.open("tcp:9008", soon()).await {
                let connection = Connection::new(stream);
                return Self { handset, device, connection, server };
            }
            tokio::task::yield_now().await;
        }
    }

    /// The same, with a long list on the screen.
    async fn in_list() -> Self {
        let mut session = Self::new().await;
        shell(&session.handset, "am start com.clawperator.conformance").await;
        session.result("click", json!([id("btn_open_list")])).await;
        session
    }

    /// Sends a request and gives the response's head and body.
    async fn send(&mut self, request: String) -> (String, Vec<u8>) {
        self.connection.ask(request).await.unwrap()
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = format!("POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let (head, body) = self.send(request).await;
        assert!(head.starts_with("HTTP/1.1 200 OK \r\n"), "{head}");
        serde_json::from_slice(&body).unwrap()
    }

    async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params.clone()).await;
        assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
        answer["result"].clone()
    }
}

fn id(name: &str) -> Value {
    json!({"mask": 0x20_0000, "childOrSibling": [], "childOrSiblingSelector": [],
        "resourceId": format!("com.clawperator.conformance:id/{name}")})
}

#[tokio::test(start_paused = true)]
async fn the_server_answers_until_it_is_killed() {
    let mut session = Session::new().await;
    let (_, body) = session.send("GET /ping HTTP/1.1\r\n\r\n".to_owned()).await;
    assert_eq!(body, b"pong");
    let (head, _) = session.send("GET /nothing HTTP/1.1\r\n\r\n".to_owned()).await;
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
    let second = shell(&session.handset, START).await;
    assert_eq!(second.code, 1);
    let processes = &session.handset.kernel().processes;
    let server = processes.list().into_iter().find(|row| row.name == "app_process").unwrap();
    processes.signal(2000, server.pid, 9).unwrap();
    assert_eq!(session.server.await.unwrap().code, 137);
    assert!(session.device.open("tcp:9008", soon()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_phone_is_seen_and_touched() {
    let mut session = Session::new().await;
    shell(&session.handset, "am start com.clawperator.conformance").await;
    let info = session.result("deviceInfo", json!({})).await;
    assert_eq!(info["currentPackageName"], "com.clawperator.conformance");
    assert_eq!((&info["displayWidth"], &info["displayHeight"]), (&json!(1080), &json!(2400)));
    let xml = session.result("dumpWindowHierarchy", json!([false, 50])).await;
    assert!(xml.as_str().unwrap().contains("txt_counter"));
    let xml = session.result("dumpWindowHierarchy", json!([true, 1, false])).await;
    assert!(!xml.as_str().unwrap().contains("txt_counter"));
    let object = session.result("objInfo", json!([id("btn_increment")])).await;
    let bounds = &object["bounds"];
    let x = (bounds["left"].as_i64().unwrap() + bounds["right"].as_i64().unwrap()) / 2;
    let y = (bounds["top"].as_i64().unwrap() + bounds["bottom"].as_i64().unwrap()) / 2;
    assert_eq!(session.result("click", json!([x, y])).await, true);
    assert_eq!(session.result("click", json!([id("btn_increment")])).await, true);
    for (action, place) in [(0, x), (2, x + 1), (1, x)] {
        session.result("injectInputEvent", json!([action, place as f64, y, 0])).await;
    }
    assert_eq!(session.result("getText", json!([id("txt_counter")])).await, "Counter: 3");
    let found = json!([{"textMatches": "Counter: [0-9]"}]);
    assert_eq!(session.result("exist", found).await, true);
    assert_eq!(session.result("count", json!([{"textContains": "counter"}])).await, 1);
    assert_eq!(session.result("waitForExists", json!([id("txt_counter"), 1000])).await, true);
    assert_eq!(session.result("waitUntilGone", json!([id("txt_counter"), 0])).await, false);
    let picture = session.result("takeScreenshot", json!([1, 80])).await;
    assert!(picture.as_str().unwrap().starts_with("/9j/"));
}

#[tokio::test(start_paused = true)]
async fn chains_of_selectors_and_lists_are_followed() {
    let mut session = Session::in_list().await;
    let list = json!({"scrollable": true});
    let rows = json!({"scrollable": true, "childOrSibling": ["child"],
        "childOrSiblingSelector": [{"textStartsWith": "Row", "instance": 2}]});
    let third = session.result("getText", json!([rows])).await;
    assert!(third.as_str().unwrap().starts_with("Row"), "{third}");
    let target = id("row_60");
    assert_eq!(session.result("exist", json!([target])).await, false);
    assert_eq!(session.result("scrollTo", json!([list, target, true])).await, true);
    assert_eq!(session.result("scrollToEnd", json!([list, true, 500, 20])).await, true);
    assert_eq!(session.result("exist", json!([id("row_199")])).await, true);
    assert_eq!(session.result("scrollForward", json!([list, true, 20])).await, false);
    // What is above is found, too: the search begins at the beginning.
    let above = json!([list, id("row_5"), true]);
    assert_eq!(session.result("scrollTo", above).await, true);
    assert_eq!(session.result("exist", json!([id("row_5")])).await, true);
    let nowhere = json!([list, id("row_9999"), true]);
    assert_eq!(session.result("scrollTo", nowhere).await, false);
    for way in ["scrollToBeginning", "flingToBeginning"] {
        assert_eq!(session.result(way, json!([list, true, 500])).await, true, "{way}");
        // Once more, where nothing moves.
        assert_eq!(session.result(way, json!([list, true, 500])).await, true, "{way}");
        assert_eq!(session.result("exist", json!([id("row_1")])).await, true, "{way}");
    }
    assert_eq!(session.result("pressKey", json!(["back"])).await, true);
    assert_eq!(session.result("exist", json!([id("txt_counter")])).await, true);
}

#[tokio::test(start_paused = true)]
async fn rows_are_found_by_what_is_in_them() {
    let mut session = Session::in_list().await;
    let list = json!({"scrollable": true});
    let row = json!({"clickable": true});
    let name = session.result("childByText", json!([list, row, "Row 3"])).await;
    let object = session.result("objInfo", json!([name])).await;
    assert_eq!(object["clickable"], true, "{object}");
    // What is not on the screen is found by scrolling, if the caller wants it.
    let far = json!([list, row, "Row 90"]);
    assert_eq!(session.call("childByText", far).await["error"]["code"], -32001);
    let far = json!([list, row, "Row 90", true]);
    let name = session.result("childByText", far).await;
    assert_eq!(session.result("exist", json!([name])).await, true);
    let second = session.result("childByInstance", json!([list, row, 1])).await;
    assert_eq!(session.result("count", json!([second])).await, 1);
    let none = json!([list, row, 5000]);
    assert_eq!(session.call("childByInstance", none).await["error"]["code"], -32001);
    let nobody = json!([list, row, "nobody says this"]);
    assert_eq!(session.call("childByDescription", nobody).await["error"]["code"], -32001);
}

#[tokio::test(start_paused = true)]
async fn two_fingers_scroll_and_click_nothing() {
    let mut session = Session::in_list().await;
    let list = json!({"scrollable": true});
    let rows = json!([{"textStartsWith": "Row"}]);
    let first = session.result("getText", rows.clone()).await;
    for (method, params) in [
        ("pinchIn", json!([list, 80, 50])),
        ("pinchOut", json!([list, 80, 50])),
        ("pinchIn", json!([list, 0, 50])),
    ] {
        assert_eq!(session.result(method, params).await, true);
        assert_eq!(session.result("getText", rows.clone()).await, first, "{method}");
    }
    let place = |x: i32, y: i32| json!({"x": x, "y": y});
    let both = json!([list, place(400, 1800), place(600, 1800), place(400, 900), place(600, 900), 100]);
    assert_eq!(session.result("gesture", both).await, true);
    assert_ne!(session.result("getText", rows).await, first);
}

#[tokio::test(start_paused = true)]
async fn text_the_clipboard_and_the_screen_itself_change() {
    let mut session = Session::new().await;
    shell(&session.handset, "am start -a android.intent.action.VIEW -d https://example.com/").await;
    let field = json!({"className": "android.widget.EditText", "instance": 0});
    assert_eq!(session.result("setText", json!([field, "Ada Lovelace"])).await, true);
    assert_eq!(session.result("getText", json!([field])).await, "Ada Lovelace");
    assert_eq!(session.result("clearTextField", json!([field])).await, Value::Null);
    session.result("setClipboard", json!([null, "from afar"])).await;
    assert_eq!(session.result("getClipboard", json!({})).await, "from afar");
    session.result("pasteClipboard", json!({})).await;
    assert_eq!(session.result("getText", json!([field])).await, "from afar");
    session.result("openNotification", json!({})).await;
    let info = session.result("deviceInfo", json!({})).await;
    assert_eq!(info["currentPackageName"], "com.android.systemui");
    session.result("setOrientation", json!(["left"])).await;
    assert_eq!(session.result("deviceInfo", json!({})).await["displayRotation"], 1);
    session.result("sleep", json!({})).await;
    assert_eq!(session.result("isScreenOn", json!({})).await, false);
    session.result("wakeUp", json!({})).await;
    assert_eq!(session.result("isScreenOn", json!({})).await, true);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_done_is_an_error_of_its_kind() {
    let mut session = Session::new().await;
    for (method, params, code) in [
        ("objInfo", json!([{"text": "nobody says this"}]), -32001),
        ("click", json!([{"text": "nobody says this"}]), -32001),
        ("setText", json!([{"text": "nobody says this"}, "x"]), -32001),
        ("click", json!(["a", "b"]), -32602),
        ("objInfo", json!([7]), -32602),
        ("exist", json!([{"textMatches": "("}]), -32602),
        ("exist", json!(["object:nonsense"]), -32602),
        ("pinchIn", json!([{"text": "nobody says this"}]), -32001),
        ("gesture", json!([{}, 1, 2, 3, 4]), -32602),
        ("noSuchMethod", json!([]), -32601),
        ("makeToast", json!(["x", 1000]), -32601),
    ] {
        let answer = session.call(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(message.contains("uiautomator.UiObjectNotFoundException"), code == -32001, "{message}");
    }
    let (_, body) = session.send("POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: 3\r\n\r\n{{{".to_owned()).await;
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(answer["error"]["code"], -32600);
}
