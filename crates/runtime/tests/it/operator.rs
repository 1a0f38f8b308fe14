//! Executions through the simulated phone's Operator app: each file in
//! `cases/operator` is a payload, a world, and what comes of it, byte for byte.

use crate::adb_server::serve_list;
use crate::case::Case;
use crate::doctor::OPERATOR as PACKAGE;
use crate::world::{World, connect_again, soon, welcome, world_with};
use clawperator_adb::{Device, Server};
use clawperator_contract::accept;
use clawperator_runtime::operator::{Options, run, run_until};
use clawperator_runtime::{PackageName, Phone, Strictness};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, Setup, Welcome, app, shell_user};
use clawperator_ui::read;
use clawperator_userland::Machine;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

const DEV: &str = include_str!("../../../sim/apps/extra/operator-dev.yaml");
/// A text longer than this is shown by what it is.
const LONG: usize = 300;
/// What somebody else reads of the log: the first three lines that matter.
const WATCHER: &str = "logcat -v tag -m 3 -s Before:V Clawperator:V AgentCommandExecutor:V";
/// How many cases run at a time: most of them only wait.
const AT_A_TIME: usize = 8;

#[test]
fn every_case_comes_out_as_it_is_written_twice() {
    let cases = Case::selected("operator");
    let left = Mutex::new(VecDeque::from(cases));
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().pop_front();
                    let Some(case) = next else { return };
                    let problem = check(&case);
                    problems.lock().unwrap().extend(problem);
                }
            });
        }
    });
    let mut problems = problems.into_inner().unwrap();
    problems.sort();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What the cases must show.
const CODES: &[&str] = &[
    "ACTION_FAILED",
    "BROADCAST_FAILED",
    "COMMAND_TIMEOUT",
    "DEVICE_SHELL_UNAVAILABLE",
    "EXECUTION_VALIDATION_FAILED",
    "LOGCAT_UNAVAILABLE",
    "OPERATOR_NOT_INSTALLED",
    "OPERATOR_VARIANT_MISMATCH",
    "PAYLOAD_TOO_LARGE",
    "RESULT_ENVELOPE_MALFORMED",
    "RESULT_ENVELOPE_TIMEOUT",
    "SERVICE_UNAVAILABLE",
    "SNAPSHOT_EXTRACTION_FAILED",
];

/// What the app can be asked for, and what the host does for it.
const ACTIONS: &[&str] = &[
    "open_app",
    "open_uri",
    "close_app",
    "start_recording",
    "stop_recording",
    "wait_for_node",
    "click",
    "scroll_and_click",
    "scroll",
    "scroll_until",
    "read_text",
    "enter_text",
    "snapshot_ui",
    "take_screenshot",
    "sleep",
    "press_key",
    "wait_for_navigation",
    "read_key_value_pair",
];

#[test]
fn every_code_and_every_action_of_this_route_is_in_a_case() {
    let cases = Case::every("operator");
    assert!(cases.len() >= 30, "{}", cases.len());
    let all: String = cases.iter().map(|case| case.section("expected")).collect();
    for code in CODES {
        assert!(all.contains(&format!("\"{code}\"")), "{code}");
    }
    for name in ACTIONS {
        assert!(all.contains(&format!("\"actionType\": \"{name}\"")), "{name}");
    }
}

fn check(case: &Case) -> Option<String> {
    let name = &case.name;
    let payload = case.section("payload").as_bytes();
    let world = Some(case.section("world")).filter(|text| !text.is_empty());
    let world: Value =
        serde_json::from_str(world.unwrap_or("{}")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let once = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(Box::pin(came_of(payload, &world)))
    };
    let (first, second) = (once(), once());
    if first != second {
        return Some(format!("{name}: once\n{first:#?}\nand once\n{second:#?}"));
    }
    case.compare(&vec![
        ("expected".to_owned(), first.0),
        ("commands".to_owned(), first.1),
    ])
}

/// What a host asked of the phone since then, without what differs from run to
/// run: a second of the phone's clock, and the time that is left for a part.
fn commands(handset: &Handset, before: usize, timeout_ms: &Value) -> String {
    let asked = handset.asked().split_off(before);
    let ours = asked.iter().filter(|asked| !asked.service.contains(WATCHER));
    let mut text = String::new();
    for asked in ours {
        let mut line = asked.service.replace('\n', "\\n");
        let whole = format!("\"timeoutMs\":{timeout_ms},");
        if let Some((start, rest)) = line.split_once("\"timeoutMs\":")
            && !line.contains(&whole)
        {
            let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            line = format!("{start}\"timeoutMs\":[left]{rest}");
        }
        if let Some((start, rest)) = line.split_once("-T '01-01 09:") {
            let rest = rest.split_once('\'').map_or("", |(_, rest)| rest);
            line = format!("{start}-T '[then]'{rest}");
        }
        text += &line;
        text.push('\n');
    }
    text
}

/// Runs a payload in a world; what comes of it, without what differs from run
/// to run.
async fn came_of(payload: &[u8], world: &Value) -> (String, String) {
    let pictures = tempfile();
    let started = started(world).await;
    let handset = &started.handset;
    if world["service"] != "off" {
        shell(handset, "settings put secure accessibility_enabled 1").await;
    }
    for line in list(world, "shell") {
        shell(handset, &line).await;
    }
    let watching = match world["watcher"].as_bool() {
        Some(true) => Some(watch(&started).await),
        _ => None,
    };
    let faults = list(world, "faults");
    let faults = Fault::parse_all(faults.iter().map(String::as_str)).unwrap();
    handset.faults(|plan| plan.set_plan(faults));
    let before = (started.phone.round_trips(), handset.asked().len());
    let mut said = Map::new();
    let options = options(world, &pictures);
    let ended = Box::pin(ended(payload, &started.phone, &options));
    let (key, value) = tokio::select! {
        ended = ended => ended,
        () = meanwhile(handset, world) => panic!("this never ends"),
    };
    said.insert(key.to_owned(), value);
    let trips = started.phone.round_trips() - before.0;
    said.insert("roundTrips".to_owned(), json!(trips));
    if let Some(watching) = watching {
        said.insert("anotherReaderSaw".to_owned(), json!(watching.await.unwrap()));
    }
    handset.faults(|plan| plan.set_plan(Vec::new()));
    for line in list(world, "after") {
        let text = shell(handset, &line).await;
        said.insert(format!("$ {line}"), json!(text));
    }
    let mut said = Value::Object(said);
    settle(&mut said, &pictures.display().to_string());
    std::fs::remove_dir_all(&pictures).unwrap();
    let payload: Value = serde_json::from_slice(payload).unwrap();
    let commands = commands(handset, before.1, &payload["timeoutMs"]);
    (format!("{said:#}\n"), commands)
}

async fn ended(payload: &[u8], phone: &Phone, options: &Options) -> (&'static str, Value) {
    let ended = match accept(payload) {
        Ok(checked) => run(phone, &checked.execution, options).await,
        Err(failure) => Err(failure),
    };
    match ended {
        Ok(envelope) => ("envelope", json!(envelope)),
        Err(failure) => ("failure", json!(failure)),
    }
}

/// What happens to the phone while the execution runs.
async fn meanwhile(handset: &Arc<Handset>, world: &Value) {
    if let Some(ms) = world["afterMs"].as_u64() {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        match world["meanwhile"].as_str() {
            None | Some("reboot") => handset.reboot(),
            Some(line) => drop(shell(handset, line).await),
        }
    }
    std::future::pending::<()>().await;
}

async fn shell(handset: &Arc<Handset>, line: &str) -> String {
    let machine = Arc::clone(handset) as Arc<dyn Machine>;
    let finished = clawperator_userland::run(machine, shell_user(), line, b"").await;
    String::from_utf8_lossy(&finished.stdout).into_owned()
}

/// Somebody else reads the log, too: from before us until the app's answer.
async fn watch(world: &World) -> JoinHandle<Vec<String>> {
    shell(&world.handset, "log -t Before a line from before").await;
    let device = connect_again(world).await;
    tokio::spawn(async move {
        let output = device.shell(WATCHER, bytes::Bytes::new(), soon()).await.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::to_owned).collect()
    })
}

async fn started(world: &Value) -> World {
    let apps = list(world, "apps");
    let apps = apps.iter().map(|name| {
        assert_eq!(name, "operator-dev");
        Arc::new(app::parse(DEV).unwrap())
    });
    let setup = Setup {
        apps: apps.collect(),
        ..Setup::default()
    };
    let welcome = match world["oldProtocol"].as_bool() {
        Some(true) => Welcome {
            features: "cmd".to_owned(),
            ..welcome()
        },
        _ => welcome(),
    };
    let world = world_with(setup, welcome).await;
    // The address is another every time.
    let device = connect_again(&world).await;
    World {
        phone: Phone::new(device, "SIM0"),
        ..world
    }
}

fn options(world: &Value, pictures: &Path) -> Options {
    let strict = world["strict"].as_bool() == Some(true);
    Options {
        package: PackageName::parse(world["package"].as_str().unwrap_or(PACKAGE)).unwrap(),
        session: clawperator_runtime::Options {
            strictness: if strict {
                Strictness::Unique
            } else {
                Strictness::First
            },
            seed: 1,
            pictures: pictures.to_owned(),
            now_ms: 1,
            ..clawperator_runtime::Options::default()
        },
        grace: Duration::from_millis(world["graceMs"].as_u64().unwrap_or(600)),
        log_path: None,
    }
}

fn list(world: &Value, key: &str) -> Vec<String> {
    let texts = world[key].as_array().into_iter().flatten();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn tempfile() -> PathBuf {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("clawperator-operator-{}-{number}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

/// Takes out what differs from run to run, and what is long.
fn settle(value: &mut Value, pictures: &str) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "elapsed_ms" => *value = json!("[some]"),
                    "elapsedMs" => *value = json!(0),
                    _ => settle(value, pictures),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| settle(value, pictures)),
        Value::String(text) => {
            if let Ok(tree) = read(text) {
                let root = tree.nodes().next().map(|(_, node)| node.package.clone());
                let said: Vec<_> = tree.nodes().map(|(_, node)| node.text.as_str()).collect();
                let said: Vec<_> = said.into_iter().filter(|text| !text.is_empty()).take(3).collect();
                *text = format!("[a hierarchy of {} with {said:?}]", root.unwrap_or_default());
            } else if text.chars().count() > LONG {
                let start: String = text.chars().take(40).collect();
                *text = format!("{start}… [{} characters]", text.chars().count());
            } else if text.contains(pictures) {
                assert!(std::fs::read(&*text).unwrap().starts_with(b"\x89PNG"));
                *text = text.replace(pictures, "[pictures]");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn sleeping(ms: u32) -> Vec<u8> {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator", "actions": [
            {"id": "close", "type": "close_app", "params": {"applicationId": "com.example"}},
            {"id": "sleep", "type": "sleep", "params": {"durationMs": ms}},
            {"id": "snap", "type": "snapshot_ui"}]});
    payload.to_string().into_bytes()
}

#[tokio::test]
async fn an_execution_that_is_stopped_says_how_far_it_got() {
    let world = started(&json!({})).await;
    shell(&world.handset, "settings put secure accessibility_enabled 1").await;
    let execution = accept(&sleeping(9_000)).unwrap().execution;
    let options = options(&json!({}), &std::env::temp_dir());
    let stop = tokio::time::sleep(Duration::from_millis(500));
    let failure = run_until(&world.phone, &execution, &options, stop)
        .await
        .unwrap_err();
    let told = json!(failure);
    assert_eq!(told["code"], "EXECUTION_CANCELLED", "{told}");
    assert_eq!(told["broadcastDispatchStatus"], "sent", "{told}");
    assert_eq!(told["details"]["dispatched"], "unknown", "{told}");
    assert_eq!(told["details"]["stepResults"][0]["id"], "close", "{told}");
    // Stopped at once, nothing was sent.
    let failure = run_until(&world.phone, &execution, &options, async {}).await;
    let told = json!(failure.unwrap_err());
    assert_eq!(told["code"], "EXECUTION_CANCELLED", "{told}");
    assert!(told["broadcastDispatchStatus"].is_null(), "{told}");
}

#[tokio::test]
async fn an_adb_server_leads_to_the_app_as_well() {
    let world = started(&json!({})).await;
    shell(&world.handset, "settings put secure accessibility_enabled 1").await;
    let device = connect_again(&world).await;
    let environment = serve_list("SIM0 device\n", device).await;
    let server = Server::from_environment(&environment).unwrap();
    let device = Device::on_server(server, "SIM0", soon()).await.unwrap();
    let phone = Phone::new(device, "SIM0");
    let execution = accept(&sleeping(1)).unwrap().execution;
    let options = options(&json!({}), &std::env::temp_dir());
    let envelope = run(&phone, &execution, &options).await.unwrap();
    assert!(
        envelope.step_results.iter().all(|step| step.success),
        "{envelope:?}"
    );
    assert!(envelope.step_results[2].data["text"].contains("</hierarchy>"));
}
