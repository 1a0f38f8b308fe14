//! The resident server, over adb: its process, its port, its slot, its answers
//! and what goes wrong with them.

use crate::client::{in_memory, soon, until_gone};
use bytes::{Bytes, BytesMut};
use clawperator_adb::{Deadline, Device, FileTarget, ServiceStream, Transfer};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, Latency, Setup, app};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const START: &str = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";
const CONFORMANCE: &str = "com.clawperator.conformance";
pub(crate) const HELPER: &str = "com.callstack.agentdevice.snapshothelper";

pub(crate) async fn push(device: &Device, path: &str, bytes: &[u8]) {
    let target = FileTarget { path, permissions: 0o644, modified: 1_700_000_000 };
    let transfer = Transfer { deadline: soon(), progress: |_| {} };
    device.push(&mut &bytes[..], target, transfer).await.unwrap();
}

/// What a command says on both streams, and its exit code.
async fn said(device: &Device, command: &str) -> (String, Option<u8>) {
    let output = device.shell(command, Bytes::new(), soon()).await.unwrap();
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    (String::from_utf8(both).unwrap(), output.exit_code)
}

pub(crate) async fn out(device: &Device, command: &str) -> String {
    said(device, command).await.0
}

/// A phone with the jar on it, the server in the background, and an app.
pub(crate) async fn phone(setup: Setup) -> (Arc<Handset>, Device) {
    let (handset, device) = in_memory(setup).await;
    push(&device, "/data/local/tmp/u2.jar", b"a jar").await;
    out(&device, &format!("am start -n {CONFORMANCE}/.MainActivity")).await;
    out(&device, &format!("{START} >/dev/null 2>&1 &")).await;
    until_up(&device).await;
    (handset, device)
}

fn faulty(faults: &[&str]) -> Setup {
    Setup {
        seed: 7,
        faults: faults.iter().map(|fault| Fault::parse(fault).unwrap()).collect(),
        ..Setup::default()
    }
}

/// Waits on a stopped clock until the server answers.
async fn until_up(device: &Device) {
    for _ in 0..1_000 {
        if let Ok(stream) = device.open("tcp:9008", soon()).await {
            let mut server = Connection::new(stream);
            if server.get("/ping").await.is_some_and(|(_, body)| body == b"pong") {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server does not come up");
}

/// Waits on a stopped clock until the server's process is gone.
async fn until_ended(device: &Device) {
    for _ in 0..1_000 {
        if out(device, "pgrep -f uia2.Main").await.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server goes on");
}

/// A connection to the server.
pub(crate) struct Connection {
    stream: ServiceStream,
    buffer: BytesMut,
}

impl Connection {
    pub(crate) fn new(stream: ServiceStream) -> Self {
        Self { stream, buffer: BytesMut::new() }
    }

    async fn open(device: &Device) -> Self {
        Self::new(device.open("tcp:9008", soon()).await.unwrap())
    }

    async fn get(&mut self, path: &str) -> Option<(String, Vec<u8>)> {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await
    }

    /// The head and the body of the answer; none if the connection ends first.
    pub(crate) async fn ask(&mut self, request: String) -> Option<(String, Vec<u8>)> {
        let (mut receiving, mut sending) = self.stream.split();
        sending.send(request.into()).await.ok()?;
        loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
                let length: usize =
                    head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?.parse().ok()?;
                if self.buffer.len() >= end + 4 + length {
                    let answer = self.buffer.split_to(end + 4 + length);
                    return Some((head, answer[end + 4..].to_vec()));
                }
            }
            let more = receiving.receive().await.ok()??;
            self.buffer.extend_from_slice(&more);
        }
    }

    /// What a call is answered; none if the connection ends first.
    async fn call(&mut self, method: &str, params: Value) -> Option<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let length = body.len();
        let request = format!("POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}");
        let (_, body) = self.ask(request).await?;
        serde_json::from_slice(&body).ok()
    }

    async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params).await.unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The screen in front, as text.
    async fn screen(&mut self) -> String {
        let xml = self.result("dumpWindowHierarchy", json!([false, 50, true])).await;
        xml.as_str().unwrap().to_owned()
    }
}

/// An app of this package.
pub(crate) fn installed(package: &str) -> Arc<app::App> {
    let file = format!(
        "package: {package}\nlabel: Server\nactivities: [{{name: .Main, screen: main}}]\nscreens: {{main: {{title: Server, body: []}}}}\n"
    );
    Arc::new(app::parse(&file).unwrap())
}

fn id(name: &str) -> Value {
    json!({"resourceId": format!("{CONFORMANCE}:id/{name}")})
}

#[tokio::test(start_paused = true)]
async fn the_server_starts_only_of_a_jar_that_is_whole() {
    let (_handset, device) = in_memory(Setup::default()).await;
    let (missing, code) = said(&device, START).await;
    assert!(missing.contains("java.lang.ClassNotFoundException"), "{missing}");
    assert_eq!(code, Some(1));
    for (path, content) in [
        ("/data/local/tmp/u2.jar", &b""[..]),
        ("/data/local/tmp/u2.jar", b"PK\x03\x04 a transfer that was cut"),
        ("/data/local/tmp/other.jar", b"a jar"),
    ] {
        push(&device, path, content).await;
        let command = START.replace("/data/local/tmp/u2.jar", path);
        let (refused, code) = said(&device, &command).await;
        assert!(refused.contains("ClassNotFoundException"), "{path}: {refused}");
        assert_eq!(code, Some(1));
    }
    push(&device, "/data/local/tmp/u2.jar", b"PK\x03\x04 all of it PK\x05\x06").await;
    for (command, sum) in [
        ("md5sum", "fc67c38b32cf4ff9bc28a66c43f0eb5b"),
        ("toybox md5sum", "fc67c38b32cf4ff9bc28a66c43f0eb5b"),
        ("sha256sum", "519ab22c644465ca1c5ba1bc128f8e6279c3fe46fe092d80bd7f2770c3986da6"),
    ] {
        let line = out(&device, &format!("{command} /data/local/tmp/u2.jar")).await;
        assert_eq!(line, format!("{sum}  /data/local/tmp/u2.jar\n"));
    }
    let (wrong, code) = said(&device, &START.replace("9008", "0")).await;
    assert!(wrong.starts_with("Invalid port: 0."), "{wrong}");
    assert_eq!(code, Some(1));
    out(&device, &format!("{START} >/dev/null 2>&1 &")).await;
    until_up(&device).await;
}

#[tokio::test(start_paused = true)]
async fn the_server_is_a_process_of_the_shell_that_can_be_found_and_ended() {
    let (_handset, device) = phone(Setup::default()).await;
    for command in ["pgrep -f com.wetest.uia2.Main", "pidof app_process"] {
        let pid = out(&device, command).await;
        assert!(pid.trim().parse::<u32>().is_ok(), "{command}: {pid}");
    }
    let row = out(&device, "ps -A -o USER,NAME,ARGS | grep uia2.Main | grep -v grep").await;
    assert!(row.starts_with("shell"), "{row}");
    assert!(row.contains("app_process / com.wetest.uia2.Main -p 9008"), "{row}");
    out(&device, "kill $(pidof app_process)").await;
    until_ended(&device).await;
    assert!(device.open("tcp:9008", soon()).await.is_err());
    for start in ["nohup", "setsid"] {
        // An assignment before the word is for the command behind it.
        let command = START.replace("app_process /", &format!("{start} app_process /"));
        out(&device, &format!("{command} >/dev/null 2>&1 &")).await;
        until_up(&device).await;
        out(&device, "pkill -f uia2.Main").await;
        until_ended(&device).await;
    }
    out(&device, &format!("{START} >/dev/null 2>&1 &")).await;
    until_up(&device).await;
    let mut server = Connection::open(&device).await;
    assert_eq!(server.get("/stop").await, None);
    until_ended(&device).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_in_the_foreground_ends_with_its_stream() {
    let (_handset, device) = in_memory(Setup::default()).await;
    push(&device, "/data/local/tmp/u2.jar", b"a jar").await;
    for service in [format!("shell:{START}"), format!("shell,v2,raw:{START}")] {
        let mut stream = device.open(&service, soon()).await.unwrap();
        let first = stream.split().0.receive().await.unwrap().unwrap();
        let first = String::from_utf8_lossy(&first).into_owned();
        assert!(first.contains("[server] INFO: [UiAutomator2Server] Starting Server"), "{first}");
        until_up(&device).await;
        drop(stream);
        until_ended(&device).await;
        assert!(device.open("tcp:9008", soon()).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn the_kernel_tells_whose_the_port_is() {
    let (_handset, device) = phone(Setup::default()).await;
    let rows = out(&device, "cat /proc/net/tcp6 | grep ':2330 '").await;
    let row: Vec<&str> = rows.split_whitespace().collect();
    assert_eq!(row[1], "00000000000000000000000000000000:2330");
    assert_eq!((row[3], row[7]), ("0A", "2000"));
    let listens = "grep ':2330 ' /proc/net/tcp | grep -c ' 0A '";
    assert_eq!(out(&device, listens).await, "0\n");
    out(&device, "pkill -f uia2.Main").await;
    until_ended(&device).await;
    assert_eq!(out(&device, "grep -c ':2330 ' /proc/net/tcp6").await, "0\n");
}

#[tokio::test(start_paused = true)]
async fn the_kernel_tells_who_is_connected_until_a_minute_after() {
    let (_handset, device) = phone(Setup::default()).await;
    // Local port, remote port, state and owner of every connection.
    let both = "cat /proc/net/tcp /proc/net/tcp6 | grep ':2330 ' | grep -v ' 0A '";
    let connected = async || out(&device, both).await.lines().map(ends).collect::<Vec<_>>();
    // Somebody has asked whether the server is up, and went first.
    assert_eq!(connected().await, ["8000 2330 06 0"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(connected().await, Vec::<String>::new());
    let mut server = Connection::open(&device).await;
    server.result("deviceInfo", json!([])).await;
    assert_eq!(connected().await, ["8000 2330 01 2000", "2330 8000 01 2000"]);
    // The server hangs up after five seconds.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(connected().await, ["2330 8000 06 0"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(connected().await, Vec::<String>::new());
}

/// The ports, state and owner in a row of the kernel's list.
pub(crate) fn ends(row: &str) -> String {
    let words: Vec<&str> = row.split_whitespace().collect();
    let port = |at: usize| words[at].rsplit(':').next().unwrap_or_default();
    format!("{} {} {} {}", port(1), port(2), words[3], words[7])
}

#[tokio::test(start_paused = true)]
async fn an_app_can_listen_there_and_lie() {
    let (_handset, device) = in_memory(faulty(&["server_foreign"])).await;
    let mut server = Connection::open(&device).await;
    assert_eq!(server.get("/ping").await.unwrap().1, b"pong");
    assert!(server.screen().await.contains("This screen is not there"));
    let rows = out(&device, "grep ':2330 ' /proc/net/tcp6").await;
    assert_eq!(rows.split_whitespace().nth(7), Some("10123"), "{rows}");
    push(&device, "/data/local/tmp/u2.jar", b"a jar").await;
    let (refused, code) = said(&device, START).await;
    assert!(refused.contains("EADDRINUSE"), "{refused}");
    assert_eq!(code, Some(1));
    // The fault can be taken away while the phone runs, and come while it does.
    out(&device, "simctl fault clear").await;
    assert!(device.open("tcp:9008", soon()).await.is_err());
    out(&device, "simctl fault server_foreign").await;
    assert!(device.open("tcp:9008", soon()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_second_for_the_slot_fails() {
    let setup = Setup { apps: vec![installed(HELPER)], ..Setup::default() };
    let (_handset, device) = phone(setup).await;
    let helper = out(&device, &format!("am instrument -w {HELPER}/.SnapshotInstrumentation")).await;
    assert!(helper.contains("ok=false") && helper.contains("already registered"), "{helper}");
    for command in ["uiautomator dump /dev/tty", "uiautomator events"] {
        let (refused, code) = said(&device, command).await;
        assert!(refused.starts_with("java.lang.IllegalStateException: UiAutomationService"), "{refused}");
        assert!(refused.contains("already registered!") && !refused.contains("<?xml"), "{refused}");
        assert_eq!(code, Some(137));
    }
    let held = out(&device, "dumpsys accessibility").await;
    assert!(held.contains("Ui Automation[eventTypes="), "{held}");
    // The server still answers.
    let mut server = Connection::open(&device).await;
    assert!(server.screen().await.contains("txt_counter"));
    out(&device, "pkill -f uia2.Main").await;
    until_ended(&device).await;
    assert!(!out(&device, "dumpsys accessibility").await.contains("Ui Automation["));
    let _events = device.open("shell,v2,raw:uiautomator events", soon()).await.unwrap();
    for _ in 0..1_000 {
        if out(&device, "dumpsys accessibility").await.contains("Ui Automation[") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (refused, code) = said(&device, START).await;
    assert!(refused.starts_with("[server] INFO: [UiAutomator2Server] Starting Server\n"), "{refused}");
    assert!(refused.contains("already registered!"), "{refused}");
    assert_eq!(code, Some(1));
}

#[tokio::test(start_paused = true)]
async fn servers_of_other_tools_hold_the_slot_and_are_seen() {
    for (test, process) in [
        ("io.appium.uiautomator2.server.test", "io.appium.uiautomator2.server"),
        ("dev.mobile.maestro.test", "dev.mobile.maestro"),
    ] {
        let setup = Setup { apps: vec![installed(test), installed(process)], ..Setup::default() };
        let (_handset, device) = in_memory(setup).await;
        let runner = format!("{test}/androidx.test.runner.AndroidJUnitRunner");
        let _running = device.open(&format!("shell,v2,raw:am instrument -w {runner}"), soon()).await.unwrap();
        for _ in 0..1_000 {
            if out(&device, "ps -A").await.contains(process) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let active = out(&device, "dumpsys activity processes").await;
        assert!(active.contains(&format!("{{{runner}}} 1 procs}}")), "{active}");
        assert_eq!(said(&device, "uiautomator dump").await.1, Some(137));
        push(&device, "/data/local/tmp/u2.jar", b"a jar").await;
        assert!(out(&device, START).await.contains("already registered!"));
        let second = out(&device, &format!("am instrument -w {runner}")).await;
        // An instrumentation ends what of its app runs, so the slot is free again.
        assert!(second.contains("INSTRUMENTATION_CODE: 0"), "{second}");
        out(&device, &format!("am force-stop {process}")).await;
        until_gone(&device, process).await;
        assert_eq!(said(&device, "uiautomator dump").await.1, Some(0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dump_has_every_attribute_and_the_windows_that_are_asked_for() {
    let (_handset, device) = phone(Setup::default()).await;
    let mut server = Connection::open(&device).await;
    let active = server.screen().await;
    assert!(
        active.starts_with("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\">\r\n  <node "),
        "{active}"
    );
    let tree = clawperator_ui::read(&active).unwrap();
    let (_, counter) = tree.nodes().find(|(_, node)| node.text.starts_with("Counter")).unwrap();
    assert_eq!(counter.visible_to_user, Some(true));
    assert_eq!((counter.display_id, counter.hint.as_deref()), (Some(0), Some("")));
    assert!(counter.drawing_order.is_some());
    // The same elements as the phone's own tool tells, at the same places.
    out(&device, "pkill -f uia2.Main").await;
    until_ended(&device).await;
    let own = out(&device, "uiautomator dump /dev/tty").await;
    let own = clawperator_ui::read(&own).unwrap();
    let places = |tree: &clawperator_ui::Tree| -> Vec<_> {
        let nodes = tree.nodes();
        nodes.map(|(_, node)| (node.text.clone(), node.class.clone(), node.bounds)).collect()
    };
    assert_eq!(places(&tree), places(&own));
    out(&device, &format!("{START} >/dev/null 2>&1 &")).await;
    until_up(&device).await;
    let mut server = Connection::open(&device).await;
    let all = server.result("dumpWindowHierarchy", json!([false, 50])).await;
    let all = clawperator_ui::read(all.as_str().unwrap()).unwrap();
    let packages: Vec<_> = all.nodes().map(|(_, node)| node.package.clone()).collect();
    assert!(packages.contains(&"com.android.systemui".to_owned()));
    assert!(packages.contains(&CONFORMANCE.to_owned()));
    let depth = async |server: &mut Connection, most: i64| {
        let xml = server.result("dumpWindowHierarchy", json!([false, most, true])).await;
        let tree = clawperator_ui::read(xml.as_str().unwrap()).unwrap();
        tree.nodes().map(|(id, _)| tree.depth(id)).max()
    };
    assert_eq!(depth(&mut server, 0).await, Some(0));
    assert_eq!(depth(&mut server, 2).await, Some(2));
    server.result("sleep", json!([])).await;
    assert!(server.screen().await.ends_with("<hierarchy rotation=\"0\" />"));
}

#[tokio::test(start_paused = true)]
async fn a_hint_is_told_apart_from_a_value() {
    let (_handset, device) = phone(Setup::default()).await;
    out(&device, "am start -n com.clawperator.form/.SearchActivity").await;
    let mut server = Connection::open(&device).await;
    let field = json!({"className": "android.widget.EditText", "instance": 0});
    let hint = |xml: &str| {
        let tree = clawperator_ui::read(xml).unwrap();
        let mut nodes = tree.nodes();
        let (_, node) = nodes.find(|(_, node)| node.class == "android.widget.EditText").unwrap();
        (node.text.clone(), node.hint.clone().unwrap())
    };
    let (text, told) = hint(&server.screen().await);
    assert!(!told.is_empty());
    assert_eq!(text, told, "an empty field shows its hint");
    server.result("setText", json!([field, "Ada"])).await;
    assert_eq!(hint(&server.screen().await), ("Ada".to_owned(), told));
    // Whatever the element is, the server says that it wrote.
    let heading = json!({"className": "android.widget.TextView", "instance": 0});
    assert_eq!(server.result("setText", json!([heading, "x"])).await, true);
}

#[tokio::test(start_paused = true)]
async fn pictures_are_jpegs_of_the_size_that_is_asked_for() {
    let (_handset, device) = phone(Setup::default()).await;
    let mut server = Connection::open(&device).await;
    for (params, width) in [(json!([1, 80]), 1080), (json!([0.5, 50]), 540), (json!([7, 80]), 1080)] {
        let picture = server.result("takeScreenshot", params).await;
        use base64::Engine;
        let bytes = base64::engine::general_purpose::STANDARD.decode(picture.as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(&[0xff, 0xd8, 0xff]));
        // The frame's header: marker, length, precision, height, width.
        let frame = bytes.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        assert_eq!(u16::from_be_bytes([bytes[frame + 7], bytes[frame + 8]]), width);
    }
}

#[tokio::test(start_paused = true)]
async fn a_toast_is_told_until_it_is_cleared() {
    let (_handset, device) = phone(Setup::default()).await;
    out(&device, "am start -n com.clawperator.form/.SearchActivity").await;
    let apple = json!([{"text": "Apple"}]);
    let told = "You picked Apple";
    let mut server = Connection::open(&device).await;
    assert_eq!(server.result("getLastToast", json!([])).await, Value::Null);
    server.result("click", apple.clone()).await;
    assert_eq!(server.result("getLastToast", json!([])).await, told);
    // The server names it long after it went away.
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(server.result("getLastToast", json!([])).await, told);
    assert_eq!(server.result("clearLastToast", json!([])).await, Value::Null);
    assert_eq!(server.result("getLastToast", json!([])).await, Value::Null);
    // A server that starts later has not seen it.
    server.result("click", apple).await;
    out(&device, "pkill -f uia2.Main").await;
    until_ended(&device).await;
    out(&device, &format!("{START} >/dev/null 2>&1 &")).await;
    until_up(&device).await;
    let mut server = Connection::open(&device).await;
    assert_eq!(server.result("getLastToast", json!([])).await, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_its_slot_hears_of_no_toast_and_answers_all_the_same() {
    for (plan, told) in [(&[][..], "You picked Banana"), (&["server_slot_stolenx1"], "You picked Apple")] {
        let (handset, device) = phone(Setup::default()).await;
        out(&device, "am start -n com.clawperator.form/.SearchActivity").await;
        let mut server = Connection::open(&device).await;
        let banana = server.result("objInfo", json!([{"text": "Banana"}])).await;
        let (x, y) = (&banana["bounds"]["left"], &banana["bounds"]["top"]);
        server.result("click", json!([{"text": "Apple"}])).await;
        assert_eq!(server.result("getLastToast", json!([])).await, "You picked Apple");
        let plan = Fault::parse_all(plan.iter().copied()).unwrap();
        handset.faults(|faults| faults.set_plan(plan));
        server.result("ping", json!([])).await;
        out(&device, &format!("input tap {x} {y}")).await;
        assert_eq!(server.result("getLastToast", json!([])).await, told);
    }
}

#[tokio::test(start_paused = true)]
async fn keys_wait_for_a_change_and_say_whether_there_was_one() {
    let setup = Setup { latency: Latency::PixelLike, ..Setup::default() };
    let (_handset, device) = phone(setup).await;
    let mut server = Connection::open(&device).await;
    let took = async |server: &mut Connection, method: &str, params: Value| {
        let begun = tokio::time::Instant::now();
        let result = server.result(method, params).await;
        (result, begun.elapsed())
    };
    let (home, quick) = took(&mut server, "pressKey", json!(["home"])).await;
    assert_eq!(home, true);
    let (again, slow) = took(&mut server, "pressKey", json!(["back"])).await;
    assert_eq!(again, false, "nothing is behind the home screen");
    assert!(slow >= Duration::from_secs(1) && quick < Duration::from_secs(1));
    let (code, quick) = took(&mut server, "pressKeyCode", json!([4])).await;
    assert_eq!(code, true);
    assert!(quick < Duration::from_millis(100), "{quick:?}");
    let (_, plain) = took(&mut server, "click", json!([500, 500])).await;
    let (_, short) = took(&mut server, "click", json!([500, 500, 10])).await;
    assert_eq!(plain.saturating_sub(short), Duration::from_millis(90));
}

#[tokio::test(start_paused = true)]
async fn a_dump_waits_for_quiet_only_if_it_is_told_to() {
    let setup = Setup { latency: Latency::PixelLike, ..Setup::default() };
    let (_handset, device) = phone(setup).await;
    let mut server = Connection::open(&device).await;
    server.screen().await;
    let click = json!([id("btn_increment")]);
    let timed = async |server: &mut Connection| {
        server.result("click", click.clone()).await;
        let begun = tokio::time::Instant::now();
        server.screen().await;
        begun.elapsed()
    };
    assert!(timed(&mut server).await < Duration::from_millis(100));
    let settings = json!([{"waitForIdleTimeout": 10_000}]);
    let now = server.result("setConfigurator", settings).await;
    assert_eq!(
        (&now["waitForIdleTimeout"], &now["actionAcknowledgmentTimeout"]),
        (&json!(10_000), &json!(500))
    );
    let waited = timed(&mut server).await;
    assert!(waited >= Duration::from_millis(400) && waited < Duration::from_secs(1), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_closed_after_five_seconds() {
    let (_handset, device) = phone(Setup::default()).await;
    let mut server = Connection::open(&device).await;
    server.screen().await;
    tokio::time::sleep(Duration::from_millis(4_900)).await;
    server.screen().await;
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    assert_eq!(server.call("deviceInfo", json!([])).await, None);
    let mut fresh = Connection::open(&device).await;
    assert_eq!(fresh.result("ping", json!([])).await, "pong");
}

/// Counts up once, and gives what came of it and what the counter says then.
async fn count(device: &Device) -> (Option<Value>, String) {
    let mut server = Connection::open(device).await;
    let outcome = server.call("click", json!([id("btn_increment")])).await;
    out(device, "simctl fault clear").await;
    if !out(device, "ps -A -o ARGS").await.contains("uia2.Main") {
        out(device, &format!("{START} >/dev/null 2>&1 &")).await;
        until_up(device).await;
    }
    let mut server = Connection::open(device).await;
    let text = server.result("getText", json!([id("txt_counter")])).await;
    (outcome, text.as_str().unwrap().to_owned())
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_lost_before_or_after_the_call_was_done() {
    for (fault, counter) in [
        ("server_killedx1", "Counter: 0"),
        ("server_killed_afterx1", "Counter: 1"),
        ("server_resetx1", "Counter: 1"),
        ("server_cut_offx1", "Counter: 1"),
    ] {
        let (_handset, device) = phone(Setup::default()).await;
        out(&device, &format!("simctl fault {fault}")).await;
        assert_eq!(count(&device).await, (None, counter.to_owned()), "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_come_late() {
    let (_handset, device) = phone(faulty(&["server_late=700x1+1", "server_first_late=3000"])).await;
    let mut server = Connection::open(&device).await;
    let mut took = Vec::new();
    for _ in 0..3 {
        let begun = tokio::time::Instant::now();
        server.result("deviceInfo", json!([])).await;
        took.push(begun.elapsed().as_millis());
    }
    assert_eq!(took, [3_000, 700, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_stolen_slot_is_said_and_the_thief_is_seen() {
    let (_handset, device) = phone(Setup::default()).await;
    out(&device, "simctl fault server_slot_stolenx1").await;
    let mut server = Connection::open(&device).await;
    for _ in 0..2 {
        let answer = server.call("dumpWindowHierarchy", json!([false, 50])).await.unwrap();
        assert_eq!(answer["error"]["code"], -32001);
        assert_eq!(answer["error"]["message"], "java.lang.IllegalStateException");
        assert!(
            answer["error"]["data"].as_str().unwrap().contains("UiAutomation not connected!"),
            "{answer}"
        );
    }
    assert_eq!(server.result("ping", json!([])).await, "pong");
    assert_eq!(said(&device, "uiautomator dump").await.1, Some(137));
    let thief = "io.appium.uiautomator2.server";
    assert!(out(&device, "ps -A").await.contains(thief));
    out(&device, &format!("am force-stop {thief}")).await;
    assert!(!out(&device, "ps -A").await.contains(thief));
    assert_eq!(said(&device, "uiautomator dump").await.1, Some(0));
    // The server does not get its slot back.
    let answer = server.call("dumpWindowHierarchy", json!([false, 50])).await.unwrap();
    assert!(answer.get("error").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dump_lags_behind_a_change_once() {
    let (_handset, device) = phone(Setup::default()).await;
    let mut server = Connection::open(&device).await;
    assert!(server.screen().await.contains("Counter: 0"));
    out(&device, "simctl fault server_stale").await;
    assert!(server.screen().await.contains("Counter: 0"));
    server.result("click", json!([id("btn_increment")])).await;
    let old = server.screen().await;
    assert!(old.contains("Counter: 0"), "{old}");
    for _ in 0..2 {
        assert!(server.screen().await.contains("Counter: 1"));
    }
    server.result("click", json!([id("btn_increment")])).await;
    assert!(server.screen().await.contains("Counter: 1"));
    assert!(server.screen().await.contains("Counter: 2"));
}

#[tokio::test(start_paused = true)]
async fn a_phone_without_the_right_to_inject_refuses_every_finger_and_key() {
    let (_handset, device) = phone(faulty(&["input_refused"])).await;
    let mut server = Connection::open(&device).await;
    for (method, params) in [
        ("click", json!([5, 5])),
        ("swipe", json!([5, 5, 9, 9, 10])),
        ("swipePoints", json!([[5, 5, 9, 9], 10])),
        ("injectInputEvent", json!([0, 5, 5, 0])),
        ("pressKeyCode", json!([3])),
        ("pressKey", json!(["home"])),
    ] {
        let answer = server.call(method, params).await.unwrap();
        assert_eq!(answer["error"]["message"], "java.lang.SecurityException", "{method}");
        let data = answer["error"]["data"].as_str().unwrap();
        assert!(data.contains("INJECT_EVENTS"), "{method}: {data}");
    }
    assert!(server.screen().await.contains("Counter: 0"));
}

#[tokio::test(start_paused = true)]
async fn a_dump_without_a_window_is_empty_and_a_deep_one_is_whole() {
    let (_handset, device) = phone(Setup::default()).await;
    let mut server = Connection::open(&device).await;
    out(&device, "simctl fault dump_null_rootx1").await;
    let nothing = server.screen().await;
    assert!(nothing.contains("<hierarchy rotation=\"0\""), "{nothing}");
    assert!(!nothing.contains("<node"), "{nothing}");
    out(&device, "simctl fault clear; simctl fault dump_deepx1").await;
    let deep = server.screen().await;
    let before = server.screen().await.matches("<node").count();
    assert_eq!(deep.matches("<node").count(), before + 1_000);
    assert!(deep.contains("Counter: 0") && deep.trim_end().ends_with("</hierarchy>"));
}

#[tokio::test(start_paused = true)]
async fn another_app_comes_between_a_touch_and_what_it_was_meant_for() {
    let (handset, device) = phone(faulty(&["server_overtakenx1"])).await;
    let mut server = Connection::open(&device).await;
    let front = server.result("deviceInfo", json!([])).await["currentPackageName"].clone();
    assert_eq!(server.result("click", json!([id("btn_increment")])).await, true);
    let now = server.result("deviceInfo", json!([])).await["currentPackageName"].clone();
    assert_ne!(now, front);
    let is_button = |id: &str| id.ends_with("btn_increment");
    let clicked = handset.with(|phone| {
        let mut sources = phone.events.iter().filter_map(|event| event.source.as_ref());
        sources.any(|source| is_button(&source.resource_id))
    });
    assert!(!clicked);
}

#[tokio::test(start_paused = true)]
async fn a_reboot_ends_the_server() {
    let (handset, device) = phone(Setup::default()).await;
    drop(device);
    handset.reboot();
    let deadline = Deadline::after(Duration::from_secs(5));
    let welcome = clawperator_sim::Welcome {
        keys: clawperator_sim::HostKeys::NotAsked,
        ..clawperator_sim::Welcome::default()
    };
    let device = clawperator_sim::link(&handset, &Arc::new(welcome)).await.unwrap();
    assert!(device.open("tcp:9008", deadline).await.is_err());
    assert_eq!(said(&device, "uiautomator dump").await.1, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_toast_is_an_event_of_its_class() {
    let (_handset, device) = in_memory(Setup::default()).await;
    out(&device, "am start -n com.clawperator.form/.SearchActivity").await;
    let tree = clawperator_ui::read(&out(&device, "uiautomator dump /dev/tty").await).unwrap();
    let (_, apple) = tree.nodes().find(|(_, node)| node.text == "Apple").unwrap();
    let clawperator_ui::Point { x, y } = apple.bounds.center();
    let mut events = device.open("exec:uiautomator events", soon()).await.unwrap();
    for _ in 0..1_000 {
        if out(&device, "dumpsys accessibility").await.contains("Ui Automation[") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    out(&device, &format!("input tap {x} {y}")).await;
    let (mut receiving, _sending) = events.split();
    let mut text = String::new();
    while !text.contains("You picked Apple") {
        text.push_str(&String::from_utf8_lossy(&receiving.receive().await.unwrap().unwrap()));
    }
    let mut lines = text.lines();
    let toast = lines.find(|line| line.contains("You picked Apple")).unwrap();
    assert!(
        toast.contains("TYPE_NOTIFICATION_STATE_CHANGED")
            && toast.contains("ClassName: android.widget.Toast;"),
        "{toast}"
    );
}
