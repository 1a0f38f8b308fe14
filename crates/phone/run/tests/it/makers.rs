//! Phones of several makers and versions, as far as the simulated one prints what
//! they print.

use crate::journal::Journals;
use crate::world::{World, faulty, plain, soon, world};
use clawperator_events::{Event, Pictures};
use clawperator_phone::{Finger, PackageFilter, PhoneError, Precondition, Views};
use clawperator_sim::Setup;
use clawperator_sim::fault::Fault;
use clawperator_ui::Point;
use serde_json::json;

const OPERATOR: &str = "com.clawperator.operator";

async fn like(kind: &str) -> World {
    let world = plain().await;
    set_like(&world, kind);
    world
}

fn set_like(world: &World, kind: &str) {
    assert!(world.handset.with(|phone| phone.properties.set("sim.like", kind)));
}

#[tokio::test(start_paused = true)]
async fn a_phone_is_locked_while_its_lock_screen_shows_whatever_its_maker() {
    for kind in ["", "android13", "emulator", "newest", "samsung", "vivo"] {
        let world = like(kind).await;
        let locked = async || {
            let front = world.phone.foreground(soon()).await.unwrap();
            let vitals = world.phone.vitals(OPERATOR, soon()).await.unwrap();
            assert_eq!(front.keyguard, vitals.keyguard, "{kind}");
            front.keyguard
        };
        assert_eq!(locked().await, Some(false), "{kind}");
        world.handset.with(|phone| {
            phone.switch_screen(false);
            phone.switch_screen(true);
        });
        assert_eq!(locked().await, Some(true), "{kind}");
        let tap = Finger::Tap(Point { x: 540, y: 900 });
        let touched = world.phone.touch(tap, &Precondition::OnScreen, soon()).await;
        assert!(matches!(touched, Err(PhoneError::Locked { .. })), "{kind}: {touched:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn packages_are_listed_although_one_user_is_closed_to_the_shell() {
    let usual = plain().await;
    let closed = like("samsung").await;
    for filter in [PackageFilter::All, PackageFilter::ThirdParty] {
        let listed = closed.phone.packages(filter, soon()).await.unwrap();
        assert_eq!(listed, usual.phone.packages(filter, soon()).await.unwrap());
    }
    let operator = closed.phone.operator(OPERATOR, soon()).await.unwrap();
    assert_eq!(operator.installed, Some(true));
}

#[tokio::test(start_paused = true)]
async fn a_package_that_was_not_listed_may_be_there() {
    let world = faulty(&["packages_unavailable"]).await;
    let operator = world.phone.operator(OPERATOR, soon()).await.unwrap();
    assert_eq!((operator.installed, operator.other_installed), (None, None));
    let vitals = world.phone.vitals(OPERATOR, soon()).await.unwrap();
    assert_eq!(vitals.operator.installed, None);
    let listed = world.phone.packages(PackageFilter::All, soon()).await;
    assert!(matches!(listed, Err(PhoneError::Refused { .. })), "{listed:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_understood_is_in_the_journal_as_the_phone_said_it() {
    let journals = Journals::new(Pictures::Left);
    let faults = vec![Fault::parse("input_oddx2").unwrap()];
    let setup = Setup { faults, ..Setup::default() };
    let world = world(setup).await;
    let actions = json!([
        {"id": "tap", "type": "click", "params": {"coordinate": {"x": 500, "y": 500}}},
    ]);
    let envelope = journals.run(&world.phone, actions).await.unwrap();
    assert_eq!(envelope.step_results[0].data["dispatched"], "unknown");
    let kept = journals.only();
    let odd: Vec<_> = kept
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::NotUnderstood(odd) => Some((odd.kind.name(), odd.printed.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(odd, [("tap", "hooked by com.example.guard\n")]);
}

#[tokio::test(start_paused = true)]
async fn no_clipboard_is_asked_for() {
    let world = plain().await;
    world.handset.with(|phone| phone.packages.remove("com.android.adbkeyboard"));
    world.open_notes().await;
    let journals = Journals::new(Pictures::Left);
    let actions = json!([
        {"id": "it", "type": "enter_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_notes"}, "text": "Grüße"}},
    ]);
    let envelope = journals.run(&world.phone, actions).await.unwrap();
    assert_eq!(envelope.step_results[0].data["dispatched"], "no");
    assert!(!crate::journal::everything(&journals.only()).contains("clipboard"));
}

fn titled(world: &World, title: &str) {
    assert!(world.handset.with(|phone| phone.properties.set("sim.title", title)));
}

#[tokio::test(start_paused = true)]
async fn a_locked_phone_is_locked_whatever_has_the_focus() {
    for title in [
        "Application Not Responding: com.android.systemui",
        "BiometricPrompt",
        "com.clawperator.notes/com.clawperator.notes.Main",
        "VolumeDialog",
    ] {
        let world = plain().await;
        titled(&world, title);
        world.handset.with(|phone| {
            phone.switch_screen(false);
            phone.switch_screen(true);
        });
        let tap = Finger::Tap(Point { x: 540, y: 900 });
        let touched = world.phone.touch(tap, &Precondition::OnScreen, soon()).await;
        assert!(matches!(touched, Err(PhoneError::Locked { .. })), "{title}: {touched:?}");
        let opened = world.phone.launch("com.android.settings", soon()).await;
        assert!(matches!(opened, Err(PhoneError::Locked { .. })), "{title}: {opened:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_title_that_names_another_app_is_only_a_text() {
    let world = plain().await;
    world.open_notes().await;
    let before = world.phone.foreground(soon()).await.unwrap().package;
    assert!(before.is_some());
    for title in ["com.bank/com.bank.Main", "Photo 1/3", "Chats/Calls"] {
        titled(&world, title);
        let front = world.phone.foreground(soon()).await.unwrap();
        assert_eq!((&front.package, front.window.as_deref()), (&before, Some(title)));
        let seen = world.phone.look(Views::All, soon()).await.unwrap();
        let named = seen.front.and_then(|front| front.package().map(str::to_owned));
        assert!(named.is_none() || named == before, "{title}: {named:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_of_the_phones_own_display() {
    let usual = plain().await.phone.screenshot(soon()).await.unwrap();
    let folded = like("samsung").await.phone.screenshot(soon()).await.unwrap();
    assert_eq!(usual[16..24], folded[16..24]);
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_off_is_not_taken_for_whole() {
    let world = like("cut").await;
    for filter in [PackageFilter::All, PackageFilter::ThirdParty] {
        let listed = world.phone.packages(filter, soon()).await;
        assert!(matches!(listed, Err(PhoneError::Unreadable { .. })), "{listed:?}");
    }
    let operator = world.phone.operator(OPERATOR, soon()).await.unwrap();
    assert_ne!(operator.other_installed, Some(true));
    let opened = world.phone.launch("com.android.systemui", soon()).await;
    assert!(matches!(opened, Err(PhoneError::Unreadable { .. })), "{opened:?}");
    let journals = Journals::new(Pictures::Left);
    let actions = json!([{"id": "it", "type": "take_screenshot"}]);
    let envelope = journals.run(&world.phone, actions).await.unwrap();
    assert_eq!(envelope.step_results[0].data["error"], "SCREENSHOT_FAILED", "{envelope:?}");
}
