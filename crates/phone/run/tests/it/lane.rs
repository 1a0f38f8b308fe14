//! Looks and touches on the resident lane: how old a look may be, a screen that
//! never rests, a slot that is lost.

use crate::world::{World, faulty, on_the_resident_lane, plain, run, soon, type_in, world};
use clawperator_contract::{Envelope, Lane, LaneWish, StepResult, WarningCode, accept};
use clawperator_phone::{
    Act, Finger, KeyCode, LeaseOptions, PhoneError, PhoneLease, Precondition, ResidentSetup, Views,
};
use clawperator_run::RunOptions;
use clawperator_sim::{Setup, app};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const OPEN_COUNTER: &str = "monkey -p com.clawperator.conformance -c android.intent.category.LAUNCHER 1";

/// Looks, waits, and touches the button. How many round trips the touch took, and
/// what came of it.
async fn touch_after(world: &World, pause: Duration) -> (u64, Result<(), PhoneError>) {
    let phone = &world.phone;
    let seen = phone.look(Views::All, soon()).await.unwrap();
    let at = World::place(&seen.tree, "btn_increment").unwrap();
    sleep(pause).await;
    let before = phone.round_trips();
    let check = Precondition::Front(seen.front.unwrap());
    let touched = phone.touch(Finger::Tap(at), &check, soon()).await;
    (phone.round_trips() - before, touched)
}

#[tokio::test(start_paused = true)]
async fn a_touch_right_after_its_look_is_one_call_and_a_later_one_three() {
    let world = plain().await;
    type_in(&world, OPEN_COUNTER).await;
    let _server = on_the_resident_lane(&world).await;
    for (pause, calls) in [(0, 1), (250, 1), (251, 3), (5_000, 3)] {
        let (taken, touched) = touch_after(&world, Duration::from_millis(pause)).await;
        touched.unwrap();
        // A stream that was idle for long is opened again, and its owner asked.
        let again = u64::from(pause > 3_000);
        assert_eq!(taken, calls + again, "{pause} ms");
    }
    assert_eq!(world.text_of("txt_counter").await, "Counter: 4");
}

#[tokio::test(start_paused = true)]
async fn a_look_whose_answer_was_late_is_old() {
    let world = plain().await;
    type_in(&world, OPEN_COUNTER).await;
    let _server = on_the_resident_lane(&world).await;
    // So that the screen is known to rest.
    world.tree().await;
    type_in(&world, "simctl fault server_late=300x1").await;
    let (taken, touched) = touch_after(&world, Duration::ZERO).await;
    touched.unwrap();
    assert_eq!(taken, 3);
}

#[tokio::test(start_paused = true)]
async fn what_changed_in_the_same_app_is_not_touched_after_an_old_look() {
    let world = plain().await;
    type_in(&world, OPEN_COUNTER).await;
    let _server = on_the_resident_lane(&world).await;
    let phone = &world.phone;
    let seen = phone.look(Views::All, soon()).await.unwrap();
    let at = World::place(&seen.tree, "btn_increment").unwrap();
    let list = World::place(&seen.tree, "btn_open_list").unwrap();
    type_in(&world, &format!("input tap {} {}", list.x, list.y)).await;
    sleep(Duration::from_millis(300)).await;
    let check = Precondition::Front(seen.front.unwrap());
    let touched = phone.touch(Finger::Tap(at), &check, soon()).await;
    assert!(matches!(touched, Err(PhoneError::ScreenChanged { .. })), "{touched:?}");
}

/// An app whose screen changes faster than it can be read twice.
const RESTLESS: &str = r#"
package: com.example.restless
label: Restless
activities: [{name: .VideoActivity, screen: video, launcher: true}]
state: {frame: 0}
screens:
  video:
    activity: .VideoActivity
    timers:
      - {after_ms: 10, repeat: true, do: [{set: {frame: "{frame + 1}"}}]}
    body:
      - text: {id: frame, text: "Frame {frame}"}
      - button: {id: pause, text: Pause}
"#;

#[tokio::test(start_paused = true)]
async fn a_screen_that_never_rests_is_read_after_two_seconds_with_a_warning() {
    let world =
        world(Setup { apps: vec![Arc::new(app::parse(RESTLESS).unwrap())], ..Setup::default() }).await;
    type_in(&world, "am start -n com.example.restless/.VideoActivity").await;
    let _server = on_the_resident_lane(&world).await;
    let began = Instant::now();
    let seen = world.phone.look(Views::All, soon()).await.unwrap();
    let took = began.elapsed().as_millis();
    // The bound, and at most one pause.
    assert!((2_000..2_200).contains(&took), "{took}");
    assert!(World::place(&seen.tree, "pause").is_some());
    let warnings = world.phone.lane_report().warnings;
    let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [WarningCode::NeverAtRest], "{warnings:?}");
    // Nothing was done since, so nothing is waited for again.
    let began = Instant::now();
    world.tree().await;
    assert!(began.elapsed() < Duration::from_millis(50));
}

async fn two_clicks(world: &World, lane: LaneWish) -> Envelope {
    let click = |id: &str| {
        json!({"id": id, "type": "click", "params": {
            "matcher": {"textEquals": "Increment"}, "retry": {"maxAttempts": 1}}})
    };
    let payload = json!({"commandId": "c", "taskId": "t", "source": "it", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator", "actions": [click("one"), click("two")]});
    let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
    let options = RunOptions { lane, ..RunOptions::default() };
    run(&world.phone, &execution, &options).await.unwrap()
}

/// The slot goes at some call of two clicks. What the run says of the first step
/// that failed.
async fn told_of_a_lost_slot(world: &World) -> (usize, StepResult) {
    let mut ran = two_clicks(world, LaneWish::Auto).await;
    let done = ran.step_results.iter().take_while(|step| step.success).count();
    (done, ran.step_results.remove(done))
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_is_lost_in_the_middle_of_a_run_is_told_with_who_holds_it() {
    let mut seen = BTreeSet::new();
    for calls in 0..7 {
        let world = faulty(&[&format!("server_slot_stolenx1+{calls}")]).await;
        type_in(&world, OPEN_COUNTER).await;
        let _server = on_the_resident_lane(&world).await;
        // Nothing was done just now, so the first look waits for no app.
        sleep(Duration::from_secs(1)).await;
        let (done, failed) = told_of_a_lost_slot(&world).await;
        let message = &failed.data["message"];
        for words in ["Appium", "am force-stop io.appium.uiautomator2.server"] {
            assert!(message.contains(words), "{calls}: {message}");
        }
        seen.insert((done, failed.data["dispatched"].clone()));
        // What it says is true: with its help the screen can be read again.
        type_in(&world, "am force-stop io.appium.uiautomator2.server").await;
        type_in(&world, "pkill -f com.wetest.uia2.Main").await;
        assert_eq!(world.text_of("txt_counter").await, format!("Counter: {done}"));
        assert_eq!(world.phone.lane(), Lane::Dump);
    }
    // It went at a look and at a touch; how far that touch got is unknown.
    let seen: Vec<_> = seen.iter().map(|(done, word)| (*done, word.as_str())).collect();
    assert_eq!(seen, [(0, "no"), (0, "unknown"), (1, "no")]);
}

#[tokio::test(start_paused = true)]
async fn an_act_before_which_the_last_toast_was_not_forgotten_says_so() {
    for (pause, warned) in [
        // The server is not asked before it: the look has just seen that there is none.
        (0, &[][..]),
        (1_000, &[WarningCode::ToastsNotForgotten]),
    ] {
        let world = plain().await;
        type_in(&world, OPEN_COUNTER).await;
        let _server = on_the_resident_lane(&world).await;
        let mut lease = PhoneLease::new(Arc::clone(&world.phone), LeaseOptions::default());
        let wish = LaneWish::Resident;
        let lane = lease.choose_lane(wish, ResidentSetup::None, soon()).await;
        assert_eq!(lane.unwrap(), Lane::Resident);
        world.tree().await;
        sleep(Duration::from_millis(pause)).await;
        type_in(&world, "simctl fault server_late=1500x1").await;
        lease.perform(Act::Key(KeyCode::Home, Precondition::OnScreen), soon()).await.unwrap();
        let warnings = world.phone.lane_report().warnings;
        let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, warned, "{pause} ms: {warnings:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_without_a_killed_server_unless_it_was_asked_for() {
    for (wish, done, code) in [(LaneWish::Auto, 2, None), (LaneWish::Resident, 0, Some("LANE_UNAVAILABLE"))] {
        let world = faulty(&["server_killedx1"]).await;
        type_in(&world, OPEN_COUNTER).await;
        let _server = on_the_resident_lane(&world).await;
        let ran = two_clicks(&world, wish).await;
        let clicked = ran.step_results.iter().filter(|step| step.success).count();
        assert_eq!(clicked, done, "{ran:?}");
        assert_eq!(ran.error_code.as_deref(), code, "{ran:?}");
        world.phone.use_lane(LaneWish::Dump, ResidentSetup::None, soon()).await.unwrap();
        assert_eq!(world.text_of("txt_counter").await, format!("Counter: {done}"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_only_the_server_does_says_why_there_is_none() {
    let executions = ["wait_for_toast", "set_clipboard"].map(|kind| {
        let payload = json!({"commandId": "c", "taskId": "t", "source": "it", "timeoutMs": 20_000,
            "expectedFormat": "android-ui-automator", "actions": [
                {"id": "it", "type": kind, "params": {"text": "Saved"}}]});
        accept(payload.to_string().as_bytes()).unwrap().execution
    });
    let (done, none) = (ResidentSetup::Done, ResidentSetup::None);
    for (lane, resident, why, hint) in [
        (LaneWish::Auto, none, "only the resident server can; nothing", "lane setup"),
        // Its files are gone.
        (LaneWish::Auto, done, "clawperator-lane", "lane status"),
        (LaneWish::Dump, done, "only the resident server can; nothing", "Leave out"),
    ] {
        let world = plain().await;
        let options = RunOptions { lane, resident, ..RunOptions::default() };
        for execution in &executions {
            let refused = run(&world.phone, execution, &options).await.unwrap_err();
            let told = serde_json::to_value(&refused).unwrap();
            let word = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
            assert_eq!(word("code"), "LANE_UNAVAILABLE", "{told}");
            assert!(word("message").contains(why), "{told}");
            assert!(told.to_string().contains(hint), "{told}");
        }
    }
}
