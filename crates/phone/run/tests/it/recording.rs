//! What fingers do on the phone in the box is recorded, and done again.

use crate::world::{World, connect_again, faulty, soon};
use clawperator_contract::{ErrorCode, accept};
use clawperator_phone::{LeaseOptions, Phone, PhoneError, PhoneLease, Precondition, Views};
use clawperator_recording::{AppStart, CompiledRecording, Likeness, RecordingId, compare, compile, read};
use clawperator_run::{
    RecordingEnd, RecordingFile, RecordingHooks, RecordingRequest, RecordingSummary, Recordings, Refusal,
    RunOptions, StoredRecording, Strictness, record, replay,
};
use clawperator_sim::fault::Fault;
use clawperator_sim::phone::Finger;
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// A recording that runs.
struct Running {
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<RecordingSummary>,
    path: PathBuf,
}

async fn begin(world: &World, name: &str) -> Running {
    let phone = Phone::new(connect_again(world).await, "recorder");
    let folder = std::env::temp_dir().join(format!("clawperator-recording-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.ndjson"));
    let _ = std::fs::remove_file(&path);
    let (stop, stopped) = oneshot::channel::<()>();
    let (ready, is_ready) = oneshot::channel::<()>();
    let wanted = RecordingRequest {
        session: RecordingId::new(name).unwrap(),
        now_ms: 1_700_000_000_000,
        longest: Duration::from_secs(120),
    };
    let task = tokio::spawn({
        let path = path.clone();
        async move {
            let mut file = RecordingFile::create(&path).unwrap();
            let ready = || {
                let _ = ready.send(());
                Ok(())
            };
            let stop = async {
                let _ = stopped.await;
            };
            record(&phone, &wanted, &mut file, RecordingHooks { ready, stop }).await.unwrap()
        }
    });
    is_ready.await.unwrap();
    Running { stop, task, path }
}

impl Running {
    async fn end(self) -> (RecordingSummary, String) {
        let _ = self.stop.send(());
        let ended = self.task.await.unwrap();
        let file = std::fs::read_to_string(&self.path).unwrap();
        std::fs::remove_file(&self.path).unwrap();
        (ended, file)
    }
}

/// A recording without its screens.
fn short(file: &str) -> String {
    let lines = file.lines().map(|line| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["snapshot"] = json!(value["snapshot"].is_string());
        format!("{value}\n")
    });
    lines.collect()
}

/// A phone that counts its dumps: what never goes wrong is
/// counted all the same.
async fn watched() -> World {
    faulty(&["dump_not_idle@0%"]).await
}

/// How often the phone's screen was dumped.
fn looks(world: &World) -> u32 {
    world.handset.faults(|faults| {
        let counts = faults.counts().filter(|(point, _)| point.name() == "dump_not_idle");
        counts.map(|(_, (passed, _))| passed).sum()
    })
}

/// Touches the phone, and waits as a user does: until the screen has been
/// looked at, and a moment longer.
async fn finger(world: &World, words: &[&str]) {
    let finger = Finger::parse(words).unwrap();
    world.handset.with(|phone| phone.finger(&finger)).unwrap();
    let before = looks(world);
    let looked = async {
        while looks(world) <= before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looked).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
}

fn lease(world: &World) -> PhoneLease {
    PhoneLease::new(Arc::clone(&world.phone), LeaseOptions::default())
}

fn options() -> RunOptions {
    RunOptions {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 0,
        recordings: None,
        ..RunOptions::default()
    }
}

fn compiled(file: &str) -> CompiledRecording {
    compile(&read(file).unwrap(), AppStart::Clean).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_recording_compiles_and_replays_to_the_same_screen() {
    let world = watched().await;
    let recording = begin(&world, "whole").await;
    // Opens Settings, three clicks, typing, scrolling, back.
    finger(&world, &["touch", "Settings"]).await;
    for _ in 0..2 {
        finger(&world, &["swipe", "540", "1800", "540", "500", "300"]).await;
    }
    finger(&world, &["touch", "About phone"]).await;
    finger(&world, &["key", "BACK"]).await;
    finger(&world, &["touch", "Search settings"]).await;
    finger(&world, &["type", "display"]).await;
    finger(&world, &["touch", "Display"]).await;
    finger(&world, &["swipe", "540", "1800", "540", "900", "400"]).await;
    finger(&world, &["swipe", "2", "1200", "600", "1200", "150"]).await;
    let (ended, file) = recording.end().await;
    assert_eq!(ended.end, RecordingEnd::Stopped, "{}", short(&file));
    let last = world.tree().await;
    let compiled = compiled(&file);
    let actions = json!(compiled.checked.execution)["actions"].clone();
    assert!(!actions.to_string().contains("coordinate"), "{actions:#}");
    let kinds: Vec<_> =
        actions.as_array().unwrap().iter().map(|action| action["type"].as_str().unwrap()).collect();
    for kind in ["open_app", "click", "enter_text", "scroll_until", "scroll", "press_key"] {
        assert!(kinds.contains(&kind), "{kinds:?}\n{}", short(&file));
    }
    // From the home screen, with the app as it was left.
    let (envelope, replayed) =
        replay(&mut lease(&world), &compiled, &options(), Box::pin(std::future::pending())).await.unwrap();
    assert_eq!(envelope.error, None, "{:#}\n{actions:#}", json!(envelope));
    let end = replayed.end.unwrap();
    assert_ne!(end.likeness, Likeness::Different, "{end:?}");
    let now = world.phone.capture(Views::All, soon()).await.unwrap();
    assert_ne!(compare(&last, &now).likeness, Likeness::Different);
}

#[tokio::test(start_paused = true)]
async fn what_executions_do_is_not_recorded_and_neither_is_a_password() {
    let world = watched().await;
    world.phone.launch("com.android.settings", soon()).await.unwrap();
    let recording = begin(&world, "quiet").await;
    let at = World::place(&world.tree().await, "apps").unwrap();
    world.phone.touch(clawperator_phone::Finger::Tap(at), &Precondition::OnScreen, soon()).await.unwrap();
    finger(&world, &["key", "back"]).await;
    finger(&world, &["touch", "Network & internet"]).await;
    finger(&world, &["touch", "Internet"]).await;
    finger(&world, &["touch", "Add network"]).await;
    finger(&world, &["touch", "Enter the SSID"]).await;
    finger(&world, &["type", "lab"]).await;
    finger(&world, &["touch", "Password"]).await;
    finger(&world, &["type", "hunter"]).await;
    let (_, file) = recording.end().await;
    let shown = short(&file);
    assert!(!file.contains("hunter"), "{shown}");
    assert!(!shown.contains(r#""resourceId":"com.android.settings:id/apps""#), "{shown}");
    let compiled = compiled(&file);
    let doubts = json!(compiled.unsure).to_string();
    assert!(doubts.contains("a password was typed"), "{doubts}\n{shown}");
    let execution = json!(compiled.checked.execution).to_string();
    assert!(execution.contains(r#""text":"lab""#), "{execution}\n{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_password_that_is_shown_is_not_recorded() {
    let world = watched().await;
    world.phone.launch("com.clawperator.form", soon()).await.unwrap();
    let recording = begin(&world, "shown").await;
    for words in [
        &["touch", "Sign in"][..],
        &["touch", "Password"],
        &["type", "topsecret9"],
        &["touch", "Show password"],
        &["touch", "topsecret9"],
        &["type", "zz"],
    ] {
        finger(&world, words).await;
    }
    let (_, file) = recording.end().await;
    assert!(!file.contains("topsecret9"), "{file}");
    let compiled = compiled(&file);
    let execution = json!(compiled.checked.execution).to_string();
    assert!(!execution.contains("topsecret9"), "{execution}");
    assert!(json!(compiled.unsure).to_string().contains("a password was typed"));
}

#[tokio::test(start_paused = true)]
async fn a_turned_phone_is_recorded_as_it_is_turned() {
    let world = watched().await;
    world.handset.with(|phone| {
        phone.put_setting(clawperator_sim::phone::Namespace::System, "user_rotation", Some("1"));
    });
    let recording = begin(&world, "turned").await;
    finger(&world, &["touch", "Settings"]).await;
    finger(&world, &["touch", "Network & internet"]).await;
    let (_, file) = recording.end().await;
    let shown = short(&file);
    assert!(shown.contains(r#""text":"Network & internet""#), "{shown}");
    assert!(file.contains("rotation=\\\"1\\\""), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_recording_ends_with_its_time_or_its_phone() {
    let world = watched().await;
    let phone = Phone::new(connect_again(&world).await, "recorder");
    let path = std::env::temp_dir().join(format!("clawperator-limit-{}.ndjson", std::process::id()));
    let mut file = RecordingFile::create(&path).unwrap();
    assert!(RecordingFile::create(&path).is_err(), "a recording is never written over");
    let wanted = RecordingRequest {
        session: RecordingId::new("limit").unwrap(),
        now_ms: 5,
        longest: Duration::from_millis(100),
    };
    let never = std::future::pending();
    let ended =
        record(&phone, &wanted, &mut file, RecordingHooks { ready: || Ok(()), stop: never }).await.unwrap();
    assert_eq!(ended, RecordingSummary { end: RecordingEnd::Limit, events: 2 });
    std::fs::remove_file(&path).unwrap();
    let lost = begin(&world, "lost").await;
    world.handset.reboot();
    let ended = tokio::time::timeout(Duration::from_secs(20), lost.task).await.unwrap().unwrap();
    assert_eq!(ended.end, RecordingEnd::PhoneLost);
    assert!(read(&std::fs::read_to_string(&lost.path).unwrap()).is_ok());
    std::fs::remove_file(&lost.path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_was_submitted_on_the_keyboard_is_submitted_again() {
    let world = watched().await;
    let recording = begin(&world, "submit").await;
    finger(&world, &["touch", "Form"]).await;
    finger(&world, &["touch", "Search"]).await;
    finger(&world, &["touch", "Search fruit"]).await;
    finger(&world, &["type", "pear\n"]).await;
    let (_, file) = recording.end().await;
    let compiled = compiled(&file);
    let execution = json!(compiled.checked.execution).to_string();
    assert!(execution.contains(r#""text":"pear","submit":true"#), "{execution}\n{}", short(&file));
    let (envelope, replayed) =
        replay(&mut lease(&world), &compiled, &options(), Box::pin(std::future::pending())).await.unwrap();
    assert_eq!(envelope.error, None, "{execution}");
    assert_eq!(replayed.end.unwrap().likeness, Likeness::Same);
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_waits_for_a_screen_stops_at_once() {
    let world = watched().await;
    let recording = begin(&world, "stopped").await;
    finger(&world, &["touch", "Form"]).await;
    finger(&world, &["touch", "Search"]).await;
    let (_, file) = recording.end().await;
    let compiled = compiled(&file);
    // No look sees the screen that is waited for.
    let blind = Fault::parse("dump_null_root").unwrap();
    world.handset.faults(|faults| faults.set_plan(vec![blind]));
    let began = tokio::time::Instant::now();
    let soon = tokio::time::sleep(Duration::from_millis(300));
    let stopped = replay(&mut lease(&world), &compiled, &options(), Box::pin(soon)).await;
    let failure = stopped.unwrap_err();
    assert_eq!(failure.code, ErrorCode::ExecutionCancelled, "{failure:?}");
    assert_eq!(failure.details.unwrap().dispatched.as_deref(), Some("no"));
    assert_eq!(began.elapsed(), Duration::from_millis(300));
}

/// A recorder that only remembers what it was asked.
#[derive(Debug, Default)]
struct Notebook(Mutex<Vec<String>>);

impl Recordings for Notebook {
    fn start(&self, serial: &str, session: Option<&str>) -> Result<StoredRecording, Refusal> {
        let mut asked = self.0.lock().unwrap();
        asked.push(format!("start {} {session:?}", serial.is_empty()));
        let kept = StoredRecording {
            session_id: session.unwrap_or("made").to_owned(),
            file: PathBuf::from("/r/made.ndjson"),
            events: 0,
            warning: None,
        };
        if asked.len() == 1 {
            return Ok(kept);
        }
        let code = ErrorCode::RecordingAlreadyInProgress;
        Err(Refusal::new(code, "one is running").about(kept))
    }

    fn stop(&self, _: &str, _: Option<&str>) -> Result<StoredRecording, Refusal> {
        Ok(StoredRecording {
            session_id: "made".to_owned(),
            file: PathBuf::from("/r/made.ndjson"),
            events: 7,
            warning: Some("odd".to_owned()),
        })
    }
}

async fn steps(world: &World, kinds: &[&str], recordings: Option<Arc<dyn Recordings>>) -> serde_json::Value {
    let actions: Vec<_> = kinds
        .iter()
        .enumerate()
        .map(|(number, kind)| json!({"id": format!("a{number}"), "type": kind}))
        .collect();
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    let checked = accept(payload.to_string().as_bytes()).unwrap();
    let options = RunOptions { recordings, ..options() };
    json!(crate::world::run(&world.phone, &checked.execution, &options).await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_recording_steps_ask_the_keeper_of_recordings() {
    let world = watched().await;
    let nobody = steps(&world, &["start_recording"], None).await;
    assert_eq!(nobody["errorCode"], "RECORDING_UNAVAILABLE");
    let keeper: Arc<dyn Recordings> = Arc::new(Notebook::default());
    let both = steps(&world, &["start_recording", "stop_recording"], Some(Arc::clone(&keeper))).await;
    assert_eq!(both["stepResults"][0]["data"], json!({"sessionId": "made", "filePath": "/r/made.ndjson"}));
    assert_eq!(
        both["stepResults"][1]["data"],
        json!({"sessionId": "made", "filePath": "/r/made.ndjson", "eventCount": "7", "warn": "odd"})
    );
    let again = steps(&world, &["start_recording"], Some(keeper)).await;
    assert_eq!(again["errorCode"], "RECORDING_ALREADY_IN_PROGRESS");
    assert_eq!(again["stepResults"][0]["data"]["sessionId"], "made");
}

#[tokio::test(start_paused = true)]
async fn a_file_of_the_phone_is_read_if_it_is_there_and_fits() {
    let world = watched().await;
    let path = "/sdcard/Android/data/com.clawperator.operator/files/recordings/latest";
    let line = format!("mkdir -p $(dirname {path}); printf session-1 > {path}");
    let done =
        clawperator_userland::run(world.handset.clone(), clawperator_sim::shell_user(), &line, b"").await;
    assert_eq!(done.code, 0, "{}", String::from_utf8_lossy(&done.stderr));
    let read = |path: &'static str, most| world.phone.file(path, most, soon());
    assert_eq!(read(path, 100).await.unwrap().as_deref(), Some(&b"session-1"[..]));
    assert!(matches!(read(path, 3).await, Err(PhoneError::TooLong { bytes: 9, most: 3 })));
    assert_eq!(read("/sdcard/nothing", 100).await.unwrap(), None);
}
