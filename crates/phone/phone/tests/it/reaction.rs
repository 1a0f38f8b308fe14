//! What was done last is known to the next process, and nothing is believed that
//! is odd: a look on the resident lane waits for an app to react only where
//! something may have been done just now.

use crate::world::{World, connect_again, on_the_resident_lane, soon, type_in, world};
use clawperator_adb::{Device, ServiceStream};
use clawperator_contract::LaneWish;
use clawperator_phone::{Act, Finger, LeaseOptions, Phone, PhoneLease, Precondition, ResidentSetup, Views};
use clawperator_sim::{Setup, app};
use clawperator_ui::Point;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// An app that takes its time: what a touch does is seen after a tenth of a second.
const SLOW: &str = r#"
package: com.example.slow
label: Slow
activities: [{name: .Main, screen: main, launcher: true}]
state: {sent: "not sent"}
screens:
  main:
    activity: .Main
    body:
      - text: {id: state, text: "{sent}"}
      - button: {id: send, text: Send, on_click: [{after_ms: {ms: 100, do: [{set: {sent: "sent"}}]}}]}
"#;

/// A phone whose server runs, and the folder of our state.
struct Scene {
    world: World,
    home: PathBuf,
    _server: (Device, ServiceStream),
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Scene {
    async fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let home = std::env::temp_dir().join(format!("clawperator-reaction-{}-{number}", std::process::id()));
        let world =
            world(Setup { apps: vec![Arc::new(app::parse(SLOW).unwrap())], ..Setup::default() }).await;
        type_in(&world, "am start -n com.example.slow/.Main").await;
        let _server = on_the_resident_lane(&world).await;
        Self { world, home, _server }
    }

    /// As a new process has the phone.
    async fn process(&self) -> PhoneLease {
        let phone = Phone::new(connect_again(&self.world).await, "sim-1");
        let memory = Some(self.home.join("phones"));
        let mut lease = PhoneLease::new(Arc::new(phone), LeaseOptions { memory, guard: None });
        let wish = LaneWish::Resident;
        lease.choose_lane(wish, ResidentSetup::None, soon()).await.unwrap();
        lease
    }

    fn file(&self) -> PathBuf {
        self.home.join("phones/phone-sim-1/last_act.json")
    }

    fn stored(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.file()).unwrap()).unwrap()
    }

    fn store(&self, change: impl Fn(&mut Value)) {
        let mut stored = self.stored();
        change(&mut stored);
        std::fs::write(self.file(), stored.to_string()).unwrap();
    }
}

/// How long a look takes, by the clock of the test.
async fn look(lease: &mut PhoneLease) -> Duration {
    let began = Instant::now();
    lease.screen(soon()).await.unwrap();
    began.elapsed()
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(now.unwrap().as_millis()).unwrap()
}

const QUICK: Duration = Duration::from_millis(100);
const WAITED: Duration = Duration::from_millis(300);

#[tokio::test(start_paused = true)]
async fn a_new_process_sees_what_came_of_another_s_touch() {
    let scene = Scene::new().await;
    let mut one = scene.process().await;
    let tree = one.screen(soon()).await.unwrap();
    let at = World::place(&tree, "send").unwrap();
    let touch = Act::Touch(Finger::Tap(at), Precondition::OnScreen);
    one.perform(touch, soon()).await.unwrap();
    drop(one);
    let mut other = scene.process().await;
    let tree = other.screen(soon()).await.unwrap();
    assert!(tree.nodes().any(|(_, node)| node.text == "sent"), "{tree:?}");
}

/// How long a new process looks after the file was changed. The computer's own
/// clock goes on, so a slow moment does not count.
async fn look_after(scene: &Scene, change: impl Fn(&mut Value)) -> Duration {
    loop {
        let began = now_ms();
        scene.store(&change);
        let mut lease = scene.process().await;
        if now_ms() - began < 50 {
            return look(&mut lease).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_process_waits_only_for_what_was_done_just_now() {
    let scene = Scene::new().await;
    let took = look(&mut scene.process().await).await;
    assert!(took >= WAITED, "nothing is known");
    let rests = scene.stored()["seen"].clone();
    assert!(look_after(&scene, |_| ()).await < QUICK, "the first has waited");
    let long_ago = |stored: &mut Value| {
        stored["acted_ms"] = json!(now_ms() - 5_000);
        stored["seen"] = Value::Null;
    };
    assert!(look_after(&scene, long_ago).await < QUICK);
    // Something was done just now, and before it this was seen.
    let seen = |key: &'static str, value: fn() -> Value| {
        let rests = rests.clone();
        move |stored: &mut Value| {
            (stored["acted_ms"], stored["seen"]) = (json!(now_ms()), rests.clone());
            stored["seen"]["at_ms"] = json!(now_ms() - 10);
            stored["seen"]["hash"] = json!(1);
            stored["seen"][key] = value();
        }
    };
    let other = seen("views", || json!("All"));
    assert!(look_after(&scene, other).await < QUICK, "another screen");
    let same = rests["hash"].clone();
    let the_same = |stored: &mut Value| {
        seen("views", || json!("All"))(stored);
        stored["seen"]["hash"] = same.clone();
    };
    assert!(look_after(&scene, the_same).await >= WAITED, "the same screen");
    let too_long_ago = seen("at_ms", || json!(now_ms() - 61_000));
    assert!(look_after(&scene, too_long_ago).await >= WAITED, "too long ago");
    let to_come = seen("at_ms", || json!(now_ms() + 3_600_000));
    assert!(look_after(&scene, to_come).await >= WAITED, "a time to come");
    let other_views = seen("views", || json!("Important"));
    assert!(look_after(&scene, other_views).await >= WAITED, "other views");
    let unknown = seen("hash", || Value::Null);
    assert!(look_after(&scene, unknown).await >= WAITED, "no hash");
}

#[tokio::test(start_paused = true)]
async fn what_is_odd_is_not_believed() {
    let scene = Scene::new().await;
    look(&mut scene.process().await).await;
    scene.store(|stored| stored["acted_ms"] = json!(now_ms() - 5_000));
    let good = scene.stored();
    let with = |key: &str, value: Value| {
        let mut odd = good.clone();
        odd[key] = value;
        odd.to_string()
    };
    let good = good.to_string();
    for odd in [
        String::new(),
        "{}".to_owned(),
        json!({"boot": "", "acted_ms": 0}).to_string(),
        "null".to_owned(),
        "\0".repeat(256),
        good[..good.len() / 2].to_owned(),
        format!("{good}x"),
        with("acted_ms", json!(now_ms() + 3_600_000)),
        with("acted_ms", json!(-1)),
        with("acted_ms", json!("long ago")),
        with("boot", json!("another")),
    ] {
        std::fs::write(scene.file(), &odd).unwrap();
        assert!(look(&mut scene.process().await).await >= WAITED, "{odd:?}");
    }
    // What is no file is not written to, and nothing fails.
    std::fs::remove_file(scene.file()).unwrap();
    std::fs::create_dir(scene.file()).unwrap();
    for _ in 0..2 {
        assert!(look(&mut scene.process().await).await >= WAITED);
    }
}

#[tokio::test(start_paused = true)]
async fn one_process_trusts_itself_until_another_was_there() {
    let scene = Scene::new().await;
    let (mut one, mut other) = (scene.process().await, scene.process().await);
    look(&mut one).await;
    assert!(look(&mut one).await < QUICK);
    let point = Point { x: 500, y: 2_000 };
    let touch = Act::Touch(Finger::Tap(point), Precondition::OnScreen);
    other.perform(touch, soon()).await.unwrap();
    // The same connection, leased again, as a server does.
    let memory = Some(scene.home.join("phones"));
    let phone = Arc::new(Phone::new(connect_again(&scene.world).await, "sim-1"));
    let lease = || {
        let memory = memory.clone();
        PhoneLease::new(Arc::clone(&phone), LeaseOptions { memory, guard: None })
    };
    let mut first = lease();
    look(&mut first).await;
    drop(first);
    assert!(look(&mut lease()).await < QUICK, "nothing was done since");
    other.perform(Act::Touch(Finger::Tap(point), Precondition::OnScreen), soon()).await.unwrap();
    assert!(look(&mut lease()).await >= WAITED, "another process touched it");
}

#[tokio::test(start_paused = true)]
async fn a_screen_with_a_secret_is_not_stored_as_a_hash() {
    let scene = Scene::new().await;
    let mut lease = scene.process().await;
    look(&mut lease).await;
    assert!(scene.stored()["seen"]["hash"].is_u64());
    lease.keep_out("hunter2");
    lease.phone().look(Views::All, soon()).await.unwrap();
    assert!(scene.stored()["seen"]["hash"].is_null(), "{}", scene.stored());
}
