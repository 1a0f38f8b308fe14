//! What a model sees of a simulated phone.

use clawperator_agent::snapshot::{
    Observer, ScreenImage, ScreenSnapshot, Size, SnapshotOptions, UiElementsSource as Source,
};
use clawperator_events::Clock;
use clawperator_phone::{Deadline, LeaseOptions, Phone, PhoneLease};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, ask, link};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The keys of the seed, in its order.
const SNAPSHOT: &str = "deviceId currentApp width height screenshotBase64 somScreenshotBase64 capturedAt scaleX \
    scaleY scaledWidth scaledHeight installedPackages uiElements captureMetrics";
const METRICS: &str = "totalMs ensureReadyMs screencapMs screenSizeMs currentAppMs scaleMs uiDumpMs overlayMs \
    uiElementsSource uiElementsCount visualHash visualHashHammingDistance uiDumpTimedOut";
const ELEMENT: &str =
    "id text contentDesc resourceId className clickable enabled bounds center scaledBounds scaledCenter";

struct World {
    handset: Arc<Handset>,
    welcome: Arc<Welcome>,
    lease: PhoneLease,
    observer: Observer,
}

async fn world() -> World {
    world_at(Duration::ZERO).await
}

/// A phone that was booted so long after a full minute.
async fn world_at(seconds: Duration) -> World {
    let setup = Setup::default();
    let handset = Handset::new(Setup { booted: setup.booted + seconds, ..setup });
    let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
    let phone = Phone::new(link(&handset, &welcome).await.unwrap(), "sim-1");
    World {
        lease: PhoneLease::new(phone, LeaseOptions::default()),
        observer: Observer::new(Clock::new(|| 1_767_260_460_000)),
        handset,
        welcome,
    }
}

fn boxes() -> SnapshotOptions {
    SnapshotOptions { som: true, ..SnapshotOptions::default() }
}

impl World {
    async fn see(&mut self) -> ScreenSnapshot {
        self.see_with(&SnapshotOptions::default()).await
    }

    async fn see_with(&mut self, options: &SnapshotOptions) -> ScreenSnapshot {
        let deadline = Deadline::after(Duration::from_secs(60));
        let seen = self.observer.observe(&mut self.lease, options, deadline).await;
        seen.unwrap()
    }

    async fn do_it(&self, line: &str) {
        ask(&self.handset, &self.welcome, line).await.unwrap();
    }

    async fn open(&self, activity: &str) {
        self.do_it(&format!("am start -n com.clawperator.trouble/.{activity}")).await;
    }

    fn fail(&self, faults: &[&str]) {
        let plan = faults.iter().map(|fault| Fault::parse(fault).unwrap());
        self.handset.faults(|faults| faults.set_plan(plan.collect()));
    }
}

fn source(seen: &ScreenSnapshot) -> Source {
    seen.capture_metrics.as_ref().unwrap().ui_elements_source
}

fn texts(seen: &ScreenSnapshot) -> Vec<&str> {
    let texts = seen.ui_elements.iter().map(|element| element.text.as_str());
    texts.filter(|text| !text.is_empty()).collect()
}

fn picture(base64: &str) -> ScreenImage {
    use base64::Engine as _;
    let bytes = base64::prelude::BASE64_STANDARD.decode(base64).unwrap();
    ScreenImage::decode(&bytes).unwrap()
}

fn keys(value: &Value) -> String {
    let keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.join(" ")
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_has_exactly_the_keys_of_the_schema() {
    let mut world = world().await;
    let all =
        SnapshotOptions { packages: true, model: Some("anthropic/claude-sonnet-4".to_owned()), ..boxes() };
    let seen = world.see_with(&all).await;
    let json = serde_json::to_value(&seen).unwrap();
    assert_eq!(keys(&json), SNAPSHOT);
    assert_eq!(keys(&json["captureMetrics"]), METRICS);
    assert_eq!(keys(&json["uiElements"][0]), ELEMENT);
    assert_eq!(json["capturedAt"], "2026-01-01T09:41:00.000Z");
    assert_eq!((seen.scaled_width, seen.scaled_height), (706, 1568));
    let size = Size { width: 706, height: 1568 };
    assert_eq!(picture(&seen.screenshot_base64).size(), size);
    assert_eq!(picture(seen.som_screenshot_base64.as_ref().unwrap()).size(), size);
    let packages = seen.installed_packages.unwrap();
    assert!(packages.is_sorted() && packages.iter().any(|name| name == "com.clawperator.trouble"));
    let plain = serde_json::to_value(world.see().await).unwrap();
    assert!(plain["somScreenshotBase64"].is_null() && plain.get("installedPackages").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_the_same_is_not_described_again() {
    let mut world = world().await;
    let first = world.see().await;
    let asked = world.handset.service_calls().len();
    let second = world.see().await;
    assert_eq!((source(&first), source(&second)), (Source::Fresh, Source::Cache));
    assert_eq!(first.ui_elements, second.ui_elements);
    assert_eq!(first.tree_hash, second.tree_hash);
    let metrics = second.capture_metrics.unwrap();
    assert_eq!((metrics.ui_dump_ms, metrics.visual_hash_hamming_distance), (0, Some(0)));
    assert_eq!(first.capture_metrics.unwrap().visual_hash_hamming_distance, None);
    // The picture, what is in front, and secure windows: at once.
    assert_eq!(world.handset.service_calls().len() - asked, 3);
    // An old description is not used.
    tokio::time::advance(Duration::from_secs(16)).await;
    assert_eq!(source(&world.see().await), Source::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_small_change_that_the_hash_does_not_see_is_seen() {
    let mut world = world().await;
    world.open("DisabledActivity").await;
    let before = world.see().await;
    world.open("EmojiActivity").await;
    world.open("DisabledActivity").await;
    let after = world.see().await;
    assert_eq!(source(&before), Source::Fresh);
    // Another window of the same activity, even if it looks the same.
    assert_eq!(source(&after), Source::Fresh);
}

#[tokio::test(start_paused = true)]
async fn bug_04_a_failed_dump_of_a_changed_screen_shows_no_box_of_the_old_one() {
    for fault in ["dump_null_root", "dump_not_idle", "dump_cut_off", "dump_invalid"] {
        let mut world = world().await;
        world.open("DuplicatesActivity").await;
        assert_eq!(source(&world.see().await), Source::Fresh);
        world.fail(&[fault]);
        world.open("EmojiActivity").await;
        let seen = world.see_with(&boxes()).await;
        assert_eq!((source(&seen), seen.ui_elements.len()), (Source::FreshEmpty, 0), "{fault}");
        assert_eq!(seen.som_screenshot_base64, None);
        assert_eq!(seen.tree_hash, None);
        assert_eq!(seen.current_app, "com.clawperator.trouble");
        let timed_out = seen.capture_metrics.unwrap().ui_dump_timed_out;
        assert_eq!(timed_out, fault == "dump_not_idle", "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_dump_of_the_same_screen_shows_what_is_still_there() {
    // The clock in the status bar moves on after ten seconds.
    let mut world = world_at(Duration::from_secs(50)).await;
    world.open("DuplicatesActivity").await;
    let first = world.see().await;
    world.fail(&["dump_null_root"]);
    tokio::time::advance(Duration::from_secs(12)).await;
    let second = world.see().await;
    assert_eq!((source(&first), source(&second)), (Source::Fresh, Source::CacheFallback));
    assert_eq!(texts(&first), texts(&second));
    // Using it did not make it younger.
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_eq!(source(&world.see().await), Source::FreshEmpty);
}

#[tokio::test(start_paused = true)]
async fn a_secure_window_is_named_and_never_kept() {
    let mut world = world().await;
    world.open("SecureActivity").await;
    for _ in 0..2 {
        let seen = world.see().await;
        assert_eq!(source(&seen), Source::Fresh);
        assert_eq!(seen.secure_windows, ["com.clawperator.trouble/com.clawperator.trouble.SecureActivity"]);
        assert!(picture(&seen.screenshot_base64).is_partly_black());
        assert!(texts(&seen).contains(&"Card number"));
        assert_eq!(seen.capture_metrics.as_ref().unwrap().visual_hash_hamming_distance, None);
        assert!(serde_json::to_value(&seen).unwrap()["secureWindows"].is_array());
    }
}

#[tokio::test(start_paused = true)]
async fn bug_03_every_element_with_a_box_is_listed() {
    let mut world = world().await;
    world.open("ManyActivity").await;
    let seen = world.see_with(&boxes()).await;
    let ids: Vec<_> = seen.ui_elements.iter().map(|element| element.id.clone()).collect();
    let numbers: Vec<_> = (1..=ids.len()).map(|number| number.to_string()).collect();
    assert_eq!(ids, numbers);
    assert!(ids.len() <= clawperator_agent::snapshot::MAX_ELEMENTS);
    let count = seen.capture_metrics.unwrap().ui_elements_count;
    assert_eq!(count, ids.len());
    assert_ne!(seen.som_screenshot_base64, Some(seen.screenshot_base64));
}

#[tokio::test(start_paused = true)]
async fn a_typed_password_is_in_no_snapshot() {
    let mut world = world().await;
    world.do_it("am start -n com.clawperator.form/.LoginActivity").await;
    let field = |seen: &ScreenSnapshot| {
        let mut elements = seen.ui_elements.iter();
        let found = elements.find(|element| element.resource_id.ends_with(":id/input_password"));
        found.unwrap().clone()
    };
    let empty = world.see().await;
    let at = field(&empty);
    world.do_it(&format!("input tap {} {}", at.center.x, at.center.y)).await;
    world.do_it("input text hunter2").await;
    let seen = world.see().await;
    let filled = field(&seen);
    assert!(filled.text.chars().all(|letter| letter == '\u{2022}'), "{}", filled.text);
    let shown = picture(&seen.screenshot_base64);
    let (left, top) = (filled.scaled_bounds.left, filled.scaled_bounds.top);
    let area = clawperator_paint::Area::new(left, top, left + 20, top + 20);
    let mut black = shown.clone();
    black.blank([area]);
    assert!(black.shows_the_same(&shown, area));
}
