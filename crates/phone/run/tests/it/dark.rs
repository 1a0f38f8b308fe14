//! A field that took a secret stays dark: attacks times surfaces, in this process
//! and in others, on both lanes. What is looked for is any part of the secret, in
//! every answer and in every file.

use crate::doctor::OPERATOR;
use crate::world::{World, connect_again, on_the_resident_lane, soon, type_in, world};
use clawperator_contract::{Envelope, accept};
use clawperator_events::{Clock, EventLog, LogSetup, Pictures, Redactions, blank};
use clawperator_journal::JournalFolder;
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_phone::{
    KeyCode, LeaseOptions, PackageName, Phone, PhoneError, PhoneLease, Secret, TypedHere, Views,
};
use clawperator_run::operator::OperatorApp;
use clawperator_run::{Route, RunOptions};
use clawperator_sim::{Latency, Setup, app};
use clawperator_ui::{Attributes, Bounds, Extent, Tree, ViewFormat, ViewRequest, write};
use miniz_oxide::inflate::decompress_to_vec_zlib;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const SECRET: &str = "Zebra7Quilt9";
const CARD: &str = "4111222233334444";
const FIELD: &str = "com.example.vaulted:id/input_password";
const OPEN: &str = "monkey -p com.example.vaulted -c android.intent.category.LAUNCHER 1";

/// A phone with the app, and the folder of our state.
struct Scene {
    world: World,
    home: PathBuf,
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Scene {
    async fn new() -> Self {
        Self::with(Latency::None).await
    }

    async fn with(latency: Latency) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let home = std::env::temp_dir().join(format!("clawperator-dark-{}-{number}", std::process::id()));
        let world = world(Setup {
            apps: vec![Arc::new(app::parse(include_str!("vaulted.yaml")).unwrap())],
            latency,
            ..Setup::default()
        })
        .await;
        type_in(&world, OPEN).await;
        Self { world, home }
    }

    /// As another process has the phone: nothing is known but what is stored.
    async fn other_process(&self) -> Arc<Phone> {
        self.by_serial("sim-1").await
    }

    /// The same phone, as it is called over another way.
    async fn by_serial(&self, serial: &str) -> Arc<Phone> {
        Arc::new(Phone::new(connect_again(&self.world).await, serial))
    }

    fn lease(&self, phone: &Arc<Phone>) -> PhoneLease {
        let memory = Some(self.home.join("phones"));
        PhoneLease::new(Arc::clone(phone), LeaseOptions { memory, guard: None })
    }

    async fn run(&self, phone: &Arc<Phone>, actions: Value) -> Envelope {
        let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
            "expectedFormat": "android-ui-automator", "actions": actions});
        let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
        let event_log = Arc::new(EventLog::new(LogSetup {
            version: "0.0.0",
            clock: Clock::new(|| 1_794_734_112_345),
            pictures: Pictures::Left,
            journal: Some(Box::new(JournalFolder::new(self.home.join("journals")))),
            skill_run: None,
            redactions: Redactions::default(),
            subscribers: None,
        }));
        let options =
            RunOptions { pictures: self.home.clone(), event_log: Some(event_log), ..RunOptions::default() };
        let mut lease = self.lease(phone);
        let ran =
            clawperator_run::run(&mut lease, &execution, &options, Box::pin(std::future::pending())).await;
        lease.release().await;
        ran.unwrap()
    }

    /// Types into the field, which must succeed.
    async fn types(&self, phone: &Arc<Phone>, text: &str) {
        let ran = self.run(phone, json!([enter(text)])).await;
        assert!(ran.step_results[0].success, "{ran:?}");
    }

    async fn click(&self, phone: &Arc<Phone>, text: &str) {
        let click = json!({"id": "c", "type": "click", "params": {"matcher": {"textEquals": text}}});
        let ran = self.run(phone, json!([click])).await;
        assert!(ran.step_results[0].success, "{ran:?}");
    }

    async fn key(&self, phone: &Arc<Phone>, keys: &[KeyCode]) {
        let mut lease = self.lease(phone);
        for key in keys {
            lease.press(*key, soon()).await.unwrap();
        }
        lease.release().await;
    }

    /// Everything that can be read of the phone in a process, by surface.
    async fn surfaces(&self, phone: &Arc<Phone>) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (name, kind, params) in [
            ("xml", "snapshot_ui", json!({})),
            ("compact", "snapshot_ui", json!({"view": "compact"})),
            ("json", "snapshot_ui", json!({"view": "json"})),
            ("changes", "snapshot_ui", json!({"view": "compact", "diff": true})),
            ("query", "query", json!({"matcher": {"role": "textfield"}})),
            ("read", "read_text", json!({"matcher": {"resourceId": FIELD}, "retry": {"maxAttempts": 1}})),
            (
                "read all",
                "read_text",
                json!({"matcher": {"role": "text"}, "all": true, "retry": {"maxAttempts": 1}}),
            ),
            ("nearest", "click", json!({"matcher": {"textEquals": "Zebra"}, "retry": {"maxAttempts": 1}})),
            (
                "probe",
                "wait_for_node",
                json!({"matcher": {"textContains": "ebra7"}, "retry": {"maxAttempts": 1}}),
            ),
        ] {
            let ran = self.run(phone, json!([{"id": "it", "type": kind, "params": params}])).await;
            // What was asked for may be repeated.
            let told = serde_json::to_string(&ran).unwrap().replace("ebra7", "");
            all.push((name.to_owned(), told.replace("Zebra\\\"", "")));
            if name == "probe" {
                assert!(!ran.step_results[0].success, "an oracle: {ran:?}");
            }
        }
        let mut lease = self.lease(phone);
        let seen = lease.observe(whole(), soon()).await.unwrap();
        all.push(("observe".to_owned(), format!("{}{:?}", seen.view.text, seen.tree)));
        let seen = lease.look(soon()).await.unwrap();
        all.push(("look".to_owned(), write(&seen.tree, Attributes::Extended)));
        let dump = lease.shell("uiautomator dump /dev/tty", soon()).await.unwrap();
        all.push(("shell".to_owned(), format!("{dump:?}")));
        let part = "uiautomator dump /dev/tty | grep -o 'text=\"[^\"]*\"'";
        let part = lease.shell(part, soon()).await.unwrap();
        all.push(("part of a dump".to_owned(), format!("{part:?}")));
        lease.release().await;
        // Without a lease, as the recorder and the page's pictures are.
        let other = self.other_process().await;
        other.remember_in(&self.home.join("phones"));
        let tree = other.capture(Views::Important, soon()).await.unwrap();
        all.push(("capture".to_owned(), format!("{tree:?}")));
        all.push(("files".to_owned(), files(&self.home)));
        all
    }

    async fn assert_dark(&self, phone: &Arc<Phone>, attack: &str) -> usize {
        let surfaces = self.surfaces(phone).await;
        for (surface, told) in &surfaces {
            for secret in [SECRET, CARD] {
                let leak = leak(told, secret);
                assert_eq!(leak, None, "{attack} × {surface}: {told}");
            }
        }
        surfaces.len()
    }
}

fn whole() -> ViewRequest {
    ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole }
}

fn enter(text: &str) -> Value {
    json!({"id": "t", "type": "enter_text", "params": {"matcher": {"resourceId": FIELD}, "text": text}})
}

/// Six letters in a row of a secret, however they are written. Numbers that are longer than a
/// card's are keyed hashes: some digits in a row are there by chance.
fn leak(told: &str, secret: &str) -> Option<String> {
    let words = told.split_inclusive(|letter: char| !letter.is_ascii_digit());
    let told: String = words.filter(|word| word.chars().count() <= CARD.len() + 1).collect();
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let (told, secret): (String, Vec<char>) = (plain(&told), plain(secret).chars().collect());
    let mut parts = secret.windows(6).map(|part| part.iter().collect::<String>());
    parts.find(|part| told.contains(part.as_str()))
}

/// All bytes of all files, as text.
fn files(folder: &Path) -> String {
    let mut all = String::new();
    for file in std::fs::read_dir(folder).into_iter().flatten() {
        let path = file.unwrap().path();
        all.push_str(&path.to_string_lossy());
        all.push('\n');
        if path.is_dir() {
            all.push_str(&files(&path));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        // The trees of journals are packed.
        let bytes = decompress_to_vec_zlib(&bytes).unwrap_or(bytes);
        all.push_str(&String::from_utf8_lossy(&bytes));
    }
    all
}

fn field(tree: &Tree) -> (String, Bounds) {
    let mut nodes = tree.nodes();
    let found = nodes.find(|(_, node)| node.resource_id.as_deref() == Some(FIELD));
    let node = found.unwrap().1;
    (node.text.clone(), node.bounds)
}

/// What is done after a secret was typed, and before everything is read.
const ATTACKS: &[&str] = &[
    "nothing",
    "show",
    "one DEL",
    "four DELs",
    "first letter gone",
    "a letter in the middle",
    "home and back",
    "another app and back",
    "help and back",
    "a dialog",
    "a dialog and back",
    "rotated",
    "shown, hidden, shown",
    "keyboard gone",
    "a scroll",
];

async fn attack(scene: &Scene, phone: &Arc<Phone>, name: &str) {
    let world = &scene.world;
    match name {
        "nothing" => {}
        "one DEL" => scene.key(phone, &[KeyCode::Delete]).await,
        "four DELs" => scene.key(phone, &[KeyCode::Delete; 4]).await,
        "first letter gone" => {
            scene.key(phone, &[KeyCode::MoveHome, KeyCode::ForwardDelete]).await;
        }
        "a letter in the middle" => {
            scene.key(phone, &[KeyCode::Left, KeyCode::Left, KeyCode::A]).await;
        }
        "home and back" => {
            scene.key(phone, &[KeyCode::Home]).await;
            scene.assert_dark(phone, "at home").await;
            type_in(world, OPEN).await;
        }
        "another app and back" => {
            type_in(world, "am start -n com.android.settings/.Settings").await;
            scene.assert_dark(phone, "in another app").await;
            type_in(world, OPEN).await;
        }
        "help and back" => {
            scene.click(phone, "Help").await;
            scene.assert_dark(phone, "on another screen of the app").await;
            scene.key(phone, &[KeyCode::Back]).await;
        }
        "a dialog" => scene.click(phone, "Ask").await,
        "a dialog and back" => {
            scene.click(phone, "Ask").await;
            scene.assert_dark(phone, "under a dialog").await;
            scene.click(phone, "OK").await;
        }
        "rotated" => type_in(world, "simctl rotate 1").await,
        "show" => scene.click(phone, "Show").await,
        "shown, hidden, shown" => {
            for _ in 0..3 {
                scene.click(phone, "Show").await;
            }
        }
        "keyboard gone" => scene.key(phone, &[KeyCode::Escape]).await,
        "a scroll" => type_in(world, "input swipe 540 1400 540 1320 400").await,
        other => panic!("{other}"),
    }
}

/// Attacks while the password is shown, and the number of what was read.
async fn attacks(resident: bool) -> usize {
    let mut read = 0;
    for name in ATTACKS {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        let _server = if resident { Some(on_the_resident_lane(&scene.world).await) } else { None };
        if *name != "show" && *name != "shown, hidden, shown" {
            scene.click(&phone, "Show").await;
        }
        scene.types(&phone, SECRET).await;
        attack(&scene, &phone, name).await;
        read += scene.assert_dark(&phone, name).await;
        let other = scene.other_process().await;
        read += scene.assert_dark(&other, &format!("{name}, another process")).await;
    }
    read
}

#[tokio::test(start_paused = true)]
async fn a_field_that_took_a_secret_is_dark_on_every_surface_after_every_attack() {
    let read = attacks(false).await;
    assert!(read >= 300, "{read}");
}

#[tokio::test(start_paused = true)]
async fn a_field_that_took_a_secret_is_dark_on_the_resident_lane_too() {
    let read = attacks(true).await;
    assert!(read >= 300, "{read}");
}

/// Numbers in groups, capitals, labels: found by value, in another process by
/// their hashes.
#[tokio::test(start_paused = true)]
async fn a_value_that_an_app_repeats_is_dark_in_every_process() {
    for secret in [SECRET, CARD] {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        scene.types(&phone, secret).await;
        scene.assert_dark(&phone, secret).await;
        let other = scene.other_process().await;
        scene.assert_dark(&other, secret).await;
        // The app repeats what is left of it.
        scene.key(&other, &[KeyCode::Delete]).await;
        scene.assert_dark(&scene.other_process().await, "a label of the rest").await;
    }
}

/// An ordinary field takes what a person gave.
#[tokio::test(start_paused = true)]
async fn any_field_that_takes_what_a_person_gave_is_dark() {
    for (number, matcher) in [
        (0, json!({"resourceId": "com.example.vaulted:id/code"})),
        (1, json!({"textEquals": "Note"})),
        (2, json!({"textEquals": "Note"})),
    ] {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        let mut lease = scene.lease(&phone);
        lease.keep_out(SECRET);
        if number == 2 {
            let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
                "expectedFormat": "android-ui-automator", "actions": [
                {"id": "t", "type": "enter_text", "params": {"matcher": matcher, "text": SECRET}}]});
            let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
            let options = RunOptions::default();
            let ran =
                clawperator_run::run(&mut lease, &execution, &options, Box::pin(std::future::pending()))
                    .await
                    .unwrap();
            assert!(ran.step_results[0].success, "{ran:?}");
            // The caller's own words come back as they were sent.
            assert_eq!(ran.step_results[0].data["text"], SECRET);
        } else {
            lease.release().await;
            let click = json!({"id": "c", "type": "click", "params": {"matcher": matcher}});
            scene.run(&phone, json!([click])).await;
            lease = scene.lease(&phone);
            lease.keep_out(SECRET);
            let typed = lease.type_here(SECRET, soon()).await.unwrap();
            assert_eq!(typed, TypedHere { is_seen: true });
        }
        lease.release().await;
        for keys in [&[][..], &[KeyCode::Delete], &[KeyCode::MoveHome, KeyCode::ForwardDelete]] {
            scene.key(&phone, keys).await;
            scene.assert_dark(&phone, "given").await;
            scene.assert_dark(&scene.other_process().await, "given, another process").await;
        }
    }
}

/// Killed right after the keys went out: nothing was told, and it is dark.
#[tokio::test(start_paused = true)]
async fn a_field_is_dark_before_the_keys_go_out() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    for stop_after in 1..40 {
        let mut lease = scene.lease(&phone);
        let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
            "expectedFormat": "android-ui-automator", "actions": [enter(SECRET)]});
        let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
        let options = RunOptions::default();
        let stop = async {
            for _ in 0..stop_after {
                tokio::task::yield_now().await;
            }
        };
        let _ = clawperator_run::run(&mut lease, &execution, &options, Box::pin(stop)).await;
        drop(lease);
        let other = scene.other_process().await;
        let tree = scene.lease(&other).screen(soon()).await.unwrap();
        assert_eq!(leak(&format!("{tree:?}"), SECRET), None, "{stop_after}");
    }
    assert_eq!(leak(&files(&scene.home), SECRET), None);
}

#[tokio::test(start_paused = true)]
async fn a_field_is_light_again_once_it_was_seen_empty_or_its_app_was_closed() {
    for way in ["cleared", "closed", "emptied by keys"] {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        scene.click(&phone, "Show").await;
        scene.types(&phone, SECRET).await;
        match way {
            "cleared" => scene.click(&phone, "Clear").await,
            "closed" => {
                let close = json!({"id": "c", "type": "close_app", "params": {"applicationId": "com.example.vaulted"}});
                scene.run(&phone, json!([close])).await;
                type_in(&scene.world, OPEN).await;
            }
            _ => scene.key(&phone, &[KeyCode::Delete; SECRET.len()]).await,
        }
        let tree = scene.lease(&phone).screen(soon()).await.unwrap();
        assert_eq!(field(&tree).0, "Password", "{way}: what it asks for is shown");
        assert!(files(&scene.home).contains("\"fields\":[]"), "{way}");
        // The value itself is known for a while: it may be on another screen.
        let mut lease = scene.lease(&scene.other_process().await);
        let said = format!("echo You typed {SECRET}");
        let said = lease.shell(&said, soon()).await.unwrap();
        assert_eq!(leak(&format!("{said:?}"), SECRET), None, "{way}");
        lease.release().await;
        if way != "closed" {
            scene.click(&phone, "Plain").await;
            let tree = scene.lease(&phone).screen(soon()).await.unwrap();
            assert_eq!(field(&tree).0, "ordinary text");
        }
        // Nothing of it is black.
        let png = phone.screenshot(soon()).await.unwrap();
        let black = pixels(&png).iter().filter(|it| **it == [0; 3]).count();
        assert!(black < pixels(&png).len() / 8, "{way}: {black}");
    }
}

/// USB, Wi-Fi, another adb server: the phone has another name, and what it shows
/// is the same.
#[tokio::test(start_paused = true)]
async fn a_phone_with_another_serial_shows_nothing_and_lights_nothing() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    scene.types(&phone, SECRET).await;
    scene.key(&phone, &[KeyCode::Delete]).await;
    let other = scene.by_serial("192.168.0.7:5555").await;
    scene.assert_dark(&other, "another serial").await;
    let png = other.screenshot(soon()).await.unwrap();
    let at = field(&other.capture(Views::All, soon()).await.unwrap()).1;
    assert_eq!(blank(&png, &[at]), blank(&png, &[]));
    // Another phone with the same app has an empty field.
    scene.click(&other, "Clear").await;
    scene.lease(&other).screen(soon()).await.unwrap();
    scene.click(&other, "Plain").await;
    let tree = scene.lease(&phone).screen(soon()).await.unwrap();
    assert_eq!(field(&tree).0, "\u{2022}".repeat(13), "only its own serial lights it");
}

/// A dark field does not become light because what is typed is still on its way.
#[tokio::test(start_paused = true)]
async fn an_empty_look_right_after_typing_lights_nothing() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    let focus = json!({"id": "c", "type": "click", "params": {"matcher": {"resourceId": FIELD}}});
    scene.run(&phone, json!([focus])).await;
    let mut lease = scene.lease(&phone);
    type_in(&scene.world, "simctl fault input_dropped").await;
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
        "expectedFormat": "android-ui-automator", "actions": [enter(SECRET)]});
    let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
    let ran = clawperator_run::run(
        &mut lease,
        &execution,
        &RunOptions::default(),
        Box::pin(std::future::pending()),
    )
    .await
    .unwrap();
    assert!(!ran.step_results[0].success);
    lease.release().await;
    assert!(files(&scene.home).contains("dark.json"));
}

#[tokio::test(start_paused = true)]
async fn a_picture_has_no_dark_field_or_is_not_taken() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    scene.types(&phone, SECRET).await;
    for name in ["nothing", "a scroll", "another process"] {
        let phone = match name {
            "another process" => {
                let other = scene.other_process().await;
                other.remember_in(&scene.home.join("phones"));
                other
            }
            name => {
                attack(&scene, &phone, name).await;
                Arc::clone(&phone)
            }
        };
        let png = phone.screenshot(soon()).await.unwrap();
        let at = field(&phone.capture(Views::All, soon()).await.unwrap()).1;
        assert!(at.right - at.left > 100);
        assert_eq!(blank(&png, &[at]), blank(&png, &[]), "{name}");
    }
    // Without a tree there is none.
    let other = scene.other_process().await;
    other.remember_in(&scene.home.join("phones"));
    type_in(&scene.world, "simctl fault dump_null_root").await;
    let error = other.screenshot(soon()).await.unwrap_err();
    assert!(
        matches!(&error, PhoneError::Refused { excerpt, .. } if excerpt.contains("holds a secret")),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_stored_is_not_typed_and_what_cannot_be_read_is_dark() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    // A folder in the place of the key.
    let key = scene.home.join("secrets/key");
    std::fs::create_dir_all(&key).unwrap();
    let ran = scene.run(&phone, json!([enter(SECRET)])).await;
    let data = &ran.step_results[0].data;
    assert_eq!(
        (data["error"].as_str(), data["dispatched"].as_str()),
        ("TEXT_NOT_ENTERED", "unknown"),
        "{ran:?}"
    );
    assert!(data["message"].contains("cannot be stored"), "{ran:?}");
    assert_eq!(scene.world.text_of("echo").await, "You typed .");
    std::fs::remove_dir(&key).unwrap();
    let phone = scene.other_process().await;
    scene.types(&phone, SECRET).await;
    let folder = std::fs::read_dir(scene.home.join("phones")).unwrap();
    let folder = folder.map(|it| it.unwrap().path()).find(|it| it.is_dir()).unwrap();
    for broken in ["", "{", "{\"fields\": 7}"] {
        std::fs::write(folder.join("dark.json"), broken).unwrap();
        let other = scene.other_process().await;
        let tree = scene.lease(&other).screen(soon()).await.unwrap();
        assert_eq!(field(&tree).0, "\u{2022}".repeat(12), "{broken}");
    }
    std::fs::write(&key, "short").unwrap();
    let other = scene.other_process().await;
    let tree = scene.lease(&other).screen(soon()).await.unwrap();
    assert_eq!(leak(&format!("{tree:?}"), SECRET), None);
}

/// The Operator app types and reads by itself: its answers pass the same door.
#[tokio::test(start_paused = true)]
async fn what_the_operator_app_answers_of_a_dark_field_is_dots() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    phone.grant_operator(OPERATOR, soon()).await.unwrap();
    scene.click(&phone, "Show").await;
    let by_app = async |phone: &Arc<Phone>, id: &str, actions: Value| {
        let payload = json!({"commandId": id, "taskId": id, "source": "test", "timeoutMs": 60000,
            "expectedFormat": "android-ui-automator", "actions": actions});
        let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
        let options = RunOptions {
            route: Route::Operator(OperatorApp::new(PackageName::usual_operator())),
            ..RunOptions::default()
        };
        let mut lease = scene.lease(phone);
        let ran =
            clawperator_run::run(&mut lease, &execution, &options, Box::pin(std::future::pending())).await;
        lease.release().await;
        ran
    };
    let read = json!({"id": "r", "type": "read_text", "params": {"matcher": {"resourceId": FIELD}}});
    let typed = by_app(&phone, "types", json!([enter(SECRET), read, {"id": "s", "type": "snapshot_ui"}]))
        .await
        .unwrap();
    assert!(typed.step_results.iter().all(|step| step.success), "{typed:?}");
    assert_eq!(leak(&format!("{typed:?}"), SECRET), None, "{typed:?}");
    scene.key(&phone, &[KeyCode::Delete; 4]).await;
    let other = scene.other_process().await;
    let seen = by_app(&other, "reads", json!([read, {"id": "s", "type": "snapshot_ui"}])).await.unwrap();
    assert!(seen.step_results[1].data["text"].contains("input_password"), "{seen:?}");
    assert_eq!(leak(&format!("{seen:?}"), SECRET), None, "{seen:?}");
    scene.assert_dark(&other, "typed by the app").await;
    // What it compares, it compares with the real text: whether it fits is not told.
    let guess =
        |key: &str| json!({"id": "w", "type": "wait_for_node", "params": {"matcher": {key: &SECRET[1..5]}}});
    let validated = json!({"id": "v", "type": "read_text", "params": {"matcher": {"resourceId": FIELD},
        "validator": "regex", "validatorPattern": ".*"}});
    let keys = ["textContains", "textEquals", "contentDescContains", "contentDescEquals"];
    for action in keys.iter().map(|key| guess(key)).chain([validated]) {
        let refused = by_app(&other, "guesses", json!([action])).await.unwrap_err();
        assert!(
            format!("{refused:?}").contains("something on this phone is secret"),
            "{action}: {refused:?}"
        );
    }
}

/// A picture while something else lies over a dark field, as another process takes
/// it.
async fn picture(secret: &str, way: &str) -> Vec<u8> {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.click(&phone, "Show").await;
    scene.types(&phone, secret).await;
    match way {
        "recents" => scene.key(&phone, &[KeyCode::Recents]).await,
        "dialog" => scene.click(&phone, "Ask").await,
        // It was light in between, and no key of ours has filled it again.
        "refilled" => {
            scene.key(&phone, &[KeyCode::Delete; 12]).await;
            scene.lease(&phone).screen(soon()).await.unwrap();
            type_in(&scene.world, &format!("input text {secret}")).await;
        }
        broadcast => type_in(&scene.world, &format!("am broadcast -a vaulted.{broadcast}")).await,
    }
    let other = scene.other_process().await;
    other.remember_in(&scene.home.join("phones"));
    other.screenshot(soon()).await.unwrap().to_vec()
}

/// The letters of the secret are nowhere: the picture is the same with another one
/// that is as wide.
#[tokio::test(start_paused = true)]
async fn a_picture_shows_the_window_that_was_read_and_no_other() {
    for way in ["recents", "dialog", "SAY", "BUBBLE", "refilled"] {
        let one = picture(SECRET, way).await;
        assert!(one == picture("7Quilt9Zebra", way).await, "{way}");
        let pixels = pixels(&one);
        let (light, all) = (pixels.iter().filter(|it| **it != [0; 3]).count(), pixels.len());
        // What is in front is still to be seen, but for the recent apps: these are
        // pictures.
        assert!(way == "recents" || light > all / 50, "{way}: {light} of {all}");
    }
}

fn pixels(png: &[u8]) -> Vec<[u8; 3]> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect()
}

/// What is dark is somewhere else every 70 ms.
#[tokio::test(start_paused = true)]
async fn a_layout_that_moves_does_not_show_what_is_dark() {
    let scene = Scene::with(Latency::PixelLike).await;
    let phone = Arc::clone(&scene.world.phone);
    let _server = on_the_resident_lane(&scene.world).await;
    type_in(&scene.world, "am start -n com.example.vaulted/.Moving").await;
    scene.types(&phone, SECRET).await;
    type_in(&scene.world, "am broadcast -a vaulted.GO").await;
    let mut taken = 0;
    for number in 0..20 {
        let mut lease = scene.lease(&phone);
        lease.look(soon()).await.unwrap();
        let picture = phone.screenshot(soon()).await;
        lease.release().await;
        tokio::time::sleep(std::time::Duration::from_millis(number * 7 + number % 3 * 2_500)).await;
        let Ok(png) = picture else { continue };
        taken += 1;
        let red = pixels(&png).iter().filter(|it| it[0] > 200 && it[1] < 90).count();
        assert_eq!(red, 0, "picture {number}");
    }
    assert!(taken > 10, "{taken}");
}

/// A field is light again where it is, not where one of the same name is empty.
#[tokio::test(start_paused = true)]
async fn another_field_that_is_empty_lights_nothing() {
    for (start, hide) in
        [("MainActivity", "am start -n com.example.vaulted/.Twin"), ("Rows", "am broadcast -a vaulted.ROW")]
    {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        type_in(&scene.world, &format!("am start -n com.example.vaulted/.{start}")).await;
        if start == "MainActivity" {
            scene.click(&phone, "Show").await;
        }
        let first = json!({"id": "t", "type": "enter_text", "params":
            {"matcher": {"resourceId": FIELD}, "text": SECRET}});
        let ran = scene.run(&phone, json!([first])).await;
        assert!(ran.step_results[0].success, "{ran:?}");
        // What is left is found by no value.
        let cut = [KeyCode::Delete; 5];
        scene.key(&phone, &cut).await;
        let cut = [KeyCode::MoveHome, KeyCode::ForwardDelete, KeyCode::ForwardDelete];
        scene.key(&phone, &cut).await;
        type_in(&scene.world, hide).await;
        let tree = scene.lease(&phone).screen(soon()).await.unwrap();
        assert_eq!(field(&tree).0, "Password");
        match start {
            "Rows" => type_in(&scene.world, hide).await,
            _ => scene.key(&phone, &[KeyCode::Back]).await,
        }
        let tree = scene.lease(&phone).screen(soon()).await.unwrap();
        assert_eq!(field(&tree).0, "\u{2022}".repeat(5), "{start}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_toast_tells_no_letter_of_a_secret() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    let _server = on_the_resident_lane(&scene.world).await;
    scene.types(&phone, SECRET).await;
    type_in(&scene.world, "am broadcast -a vaulted.SAY").await;
    for (text, is_seen) in [("saved", true), ("saved Z", false), ("saved Zebra7Quilt9", false)] {
        let wait = json!({"id": "w", "type": "wait_for_toast", "params": {"text": text, "timeoutMs": 500}});
        let ran = scene.run(&phone, json!([wait])).await;
        assert_eq!(ran.step_results[0].success, is_seen, "{text}: {ran:?}");
    }
}

/// An answer that hid a part of the caller's own words would tell which guess is
/// right.
#[tokio::test(start_paused = true)]
async fn the_caller_s_own_words_tell_no_letter_of_a_secret() {
    let scene = Scene::new().await;
    scene.types(&Arc::clone(&scene.world.phone), SECRET).await;
    let other = scene.other_process().await;
    let said = |guess: &str| {
        let action = |kind: &str, params: Value| json!({"id": "a", "type": kind, "params": params});
        let row = json!({"not": {"textEquals": "a"}, "textEquals": guess});
        [
            action("open_uri", json!({"uri": format!("zzz://{guess},guess")})),
            action("open_uri", json!({"uri": format!("zzz://\\\"{guess}")})),
            action("open_app", json!({"applicationId": format!("com.{guess}.guess")})),
            action("open_app", json!({"applicationId": format!("guess {guess}")})),
            action("close_app", json!({"applicationId": format!("guess {guess}")})),
            action("click", json!({"matcher": {"textEquals": guess}})),
            action("click", json!({"matcher": {"role": guess}})),
            action("click", json!({"matcher": {"where": row}})),
            action("scroll_until", json!({"matcher": {"textContains": guess}, "maxScrolls": 1})),
            action(
                "wait_for_navigation",
                json!({"expectedPackage": format!("com.{guess}"), "timeoutMs": 500}),
            ),
        ]
    };
    let (right, wrong) = (&SECRET[..4], "Yebr");
    for (mine, its) in said(right).into_iter().zip(said(wrong)) {
        let payload = |action: &Value| json!([action]);
        let mine = format!("{:?}", scene.run(&other, payload(&mine)).await.step_results);
        let its = format!("{:?}", scene.run(&other, payload(&its)).await.step_results);
        assert_eq!(mine.replace(right, wrong), its);
        assert!(!its.contains("success: true"), "{its}");
    }
}

/// Gives the focus to a field by its id.
async fn focus(scene: &Scene, phone: &Arc<Phone>, id: &str) {
    let matcher = json!({"resourceId": format!("com.example.vaulted:id/{id}")});
    let click = json!({"id": "c", "type": "click", "params": {"matcher": matcher}});
    let ran = scene.run(phone, json!([click])).await;
    assert!(ran.step_results[0].success, "{ran:?}");
}

/// Types what a person gave where the cursor is.
async fn given(scene: &Scene, phone: &Arc<Phone>, value: &str, text: &str) {
    let mut lease = scene.lease(phone);
    lease.keep_out(value);
    lease.type_here(text, soon()).await.unwrap();
    lease.release().await;
}

/// The text that the phone prints, as another process may have it.
async fn printed(scene: &Scene, text: &str) -> String {
    let mut lease = scene.lease(&scene.other_process().await);
    let ran = lease.shell(&format!("echo {text}"), soon()).await.unwrap();
    lease.release().await;
    ran.out
}

async fn shown(scene: &Scene, phone: &Arc<Phone>, id: &str) -> String {
    let tree = scene.lease(phone).screen(soon()).await.unwrap();
    let id = format!("com.example.vaulted:id/{id}");
    let mut nodes = tree.nodes();
    let node = nodes.find(|(_, node)| node.resource_id.as_deref() == Some(&id));
    node.unwrap().1.text.clone()
}

/// A field that takes no more letters holds the secret: what is typed then arrives
/// nowhere, whatever it is.
#[tokio::test(start_paused = true)]
async fn typing_into_a_dark_field_tells_no_guess() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    type_in(&scene.world, "am start -n com.example.vaulted/.Kept").await;
    focus(&scene, &phone, "full").await;
    given(&scene, &phone, SECRET, SECRET).await;
    for guess in ["bra7Q", "bra8Q", SECRET, "Yebra7Quilt9"] {
        let mut lease = scene.lease(&phone);
        let typed = lease.type_here(guess, soon()).await.unwrap();
        assert_eq!(typed, TypedHere { is_seen: false }, "{guess}");
        lease.release().await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_line_and_every_named_value_is_known_by_itself() {
    let lines = "alpha7Zq\nmiddle8Xw\nomega9Vk";
    for (value, text, parts) in [
        (lines, lines.to_owned(), vec!["alpha7Zq", "middle8Xw", "omega9Vk"]),
        (SECRET, format!("zzzz {SECRET} qqqq"), vec![SECRET]),
        ("472", "zz472qq".to_owned(), vec!["472"]),
    ] {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        focus(&scene, &phone, "code").await;
        let mut lease = scene.lease(&phone);
        for it in [value, &text] {
            lease.keep_out(it);
        }
        lease.type_here(&text, soon()).await.unwrap();
        lease.release().await;
        for part in parts {
            let told = printed(&scene, &format!("Hello {part}")).await;
            assert!(!told.contains(part), "{told}");
        }
    }
}

/// Another client types much into the field that holds a secret.
#[tokio::test(start_paused = true)]
async fn what_is_dark_is_forgotten_for_nothing_else() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    scene.types(&phone, SECRET).await;
    let mut lease = scene.lease(&phone);
    let flood: Vec<String> = (0..140).map(|number| format!("flood{number:03}")).collect();
    let flood = flood.join("\n");
    lease.keep_out(&flood);
    let refused = lease.type_here(&flood, soon()).await.unwrap_err().error;
    lease.release().await;
    assert!(refused.to_string().contains("too many values"), "{refused}");
    let told = printed(&scene, &format!("Hello {SECRET}")).await;
    assert_eq!(leak(&told, SECRET), None, "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_closed_app_that_restores_its_field_shows_nothing() {
    let scene = Scene::new().await;
    let phone = Arc::clone(&scene.world.phone);
    let open = "am start -n com.example.vaulted/.Kept";
    type_in(&scene.world, open).await;
    focus(&scene, &phone, "kept").await;
    given(&scene, &phone, SECRET, SECRET).await;
    let close = json!({"id": "c", "type": "close_app", "params": {"applicationId": "com.example.vaulted"}});
    scene.run(&phone, json!([close])).await;
    type_in(&scene.world, open).await;
    focus(&scene, &phone, "kept").await;
    let cut = [KeyCode::MoveEnd, KeyCode::Delete, KeyCode::MoveHome, KeyCode::ForwardDelete];
    scene.key(&phone, &cut).await;
    assert_eq!(shown(&scene, &phone, "kept").await, "\u{2022}".repeat(10));
    assert_eq!(leak(&files(&scene.home), SECRET), None);
}

/// What a field held before it took the secret may be a guess of its letters.
#[tokio::test(start_paused = true)]
async fn a_guess_that_was_typed_before_is_told_from_no_other() {
    for guess in ["Z", "Y"] {
        let scene = Scene::new().await;
        let phone = Arc::clone(&scene.world.phone);
        focus(&scene, &phone, "code").await;
        let mut lease = scene.lease(&phone);
        lease.type_here(guess, soon()).await.unwrap();
        lease.release().await;
        given(&scene, &phone, SECRET, SECRET).await;
        let cut = [KeyCode::MoveHome, KeyCode::ForwardDelete];
        scene.key(&phone, &cut).await;
        let cut = [KeyCode::MoveEnd].into_iter().chain([KeyCode::Delete; 11]);
        scene.key(&phone, &cut.collect::<Vec<_>>()).await;
        assert_eq!(shown(&scene, &phone, "code").await, "\u{2022}", "{guess}");
    }
}

/// One secret is known by its hash, another one by its letters, and they overlap.
#[tokio::test(start_paused = true)]
async fn two_secrets_that_overlap_hide_each_other_s_rest() {
    let scene = Scene::new().await;
    scene.types(&Arc::clone(&scene.world.phone), "xyzsecond").await;
    let mut lease = scene.lease(&scene.other_process().await);
    lease.keep_out("second third");
    let told = lease.shell("echo it is xyzsecond third", soon()).await.unwrap().out;
    lease.release().await;
    assert!(told.contains("it is") && !told.contains("xyz") && !told.contains("ird"), "{told}");
}

/// A journal has the caller's words as they were sent.
#[tokio::test(start_paused = true)]
async fn a_journal_tells_no_guess() {
    let mut told = Vec::new();
    for guess in [&SECRET[..4], "Yebr"] {
        let scene = Scene::new().await;
        let vault = Vault::default();
        vault.keep(VaultEntry {
            name: "pw".to_owned(),
            place: ValueScope::Anywhere,
            values: vec![(String::new(), Secret::new(SECRET))],
        });
        let click = json!({"id": "c", "type": "click", "params": {"matcher": {"textEquals": guess},
            "retry": {"maxAttempts": 1}}});
        let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
            "expectedFormat": "android-ui-automator", "actions": [click]});
        let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
        let event_log = Arc::new(EventLog::new(LogSetup {
            version: "0.0.0",
            clock: Clock::new(|| 1_794_734_112_345),
            pictures: Pictures::Left,
            journal: Some(Box::new(JournalFolder::new(scene.home.join("journals")))),
            skill_run: None,
            redactions: Redactions::default(),
            subscribers: None,
        }));
        let options = RunOptions {
            event_log: Some(Arc::clone(&event_log)),
            vault: Some(Arc::new(vault)),
            ..RunOptions::default()
        };
        let mut lease = scene.lease(&scene.world.phone);
        let ran =
            clawperator_run::run(&mut lease, &execution, &options, Box::pin(std::future::pending())).await;
        event_log.end(&execution, &ran);
        lease.release().await;
        let all = files(&scene.home.join("journals"));
        told.push(all.matches(guess).count());
    }
    assert!(told[0] >= 3 && told[0] == told[1], "{told:?}");
}
