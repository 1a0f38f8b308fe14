//! What fingers do on the phone in the box is recorded, and done again.

use crate::world::{World, connect_again, plain, soon};
use clawperator_recording::{Compiled, Likeness, SessionId, Start, compare, compile, read};
use clawperator_runtime::{
    End, Ended, Options, Phone, RecordingFile, Strictness, Views, Wanted, record, replay,
};
use clawperator_sim::phone::Finger;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::oneshot;

/// A recording that runs.
struct Running {
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<Ended>,
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
    let wanted = Wanted {
        session: SessionId::new(name).unwrap(),
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
            record(&phone, &wanted, &mut file, (ready, stop)).await.unwrap()
        }
    });
    is_ready.await.unwrap();
    Running { stop, task, path }
}

impl Running {
    async fn end(self) -> (Ended, String) {
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

async fn finger(world: &World, words: &[&str]) {
    let finger = Finger::parse(words).unwrap();
    world.handset.with(|phone| phone.finger(&finger)).unwrap();
    // A user looks before he goes on: the recorder has seen the screen by then.
    tokio::time::sleep(Duration::from_millis(900)).await;
}

fn options() -> Options {
    Options {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 0,
        recordings: None,
    }
}

fn compiled(file: &str) -> Compiled {
    compile(&read(file).unwrap(), Start::Clean).unwrap()
}

#[tokio::test]
async fn a_recording_compiles_and_replays_to_the_same_screen() {
    let world = plain().await;
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
    assert_eq!(ended.end, End::Stopped, "{}", short(&file));
    let last = world.tree().await;
    let compiled = compiled(&file);
    let actions = json!(compiled.checked.execution)["actions"].clone();
    assert!(!actions.to_string().contains("coordinate"), "{actions:#}");
    let kinds: Vec<_> = actions
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["type"].as_str().unwrap())
        .collect();
    for kind in [
        "open_app",
        "click",
        "enter_text",
        "scroll_until",
        "scroll",
        "press_key",
    ] {
        assert!(kinds.contains(&kind), "{kinds:?}\n{}", short(&file));
    }
    // From the home screen, with the app as it was left.
    let replayed = replay(&world.phone, &compiled, &options()).await.unwrap();
    assert_eq!(
        replayed.envelope.error,
        None,
        "{:#}\n{actions:#}",
        json!(replayed.envelope)
    );
    let end = replayed.end.unwrap();
    assert_ne!(end.likeness, Likeness::Different, "{end:?}");
    let now = world.phone.capture(Views::All, soon()).await.unwrap();
    assert_ne!(compare(&last, &now).likeness, Likeness::Different);
}
