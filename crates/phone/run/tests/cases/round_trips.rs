//! How many round trips each action takes on a phone where all goes well: a
//! number that must not grow unseen.

use crate::case::Route;
use crate::play::Pictures;
use crate::world::World;
use clawperator_contract::{CATALOGUE, Lane, LaneWish, accept};
use clawperator_phone::{Deadline, LeaseOptions, Phone, PhoneLease, ResidentSetup};
use clawperator_run::{RunOptions, Strictness};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// An action, its parameters, and its round trips: on the dump lane, and calls of
/// the resident server and commands on the resident lane. There a screen that may
/// have changed is read until it rests, with a question for toasts in the pause,
/// and a look for a touch is two calls. An act has toasts forgotten first, unless
/// the look right before it saw that there was none.
fn table() -> Vec<(&'static str, Value, [u64; 2])> {
    let button = json!({"textEquals": "Increment"});
    let label = json!({"textContains": "counter"});
    let list = json!({"resourceId": "com.clawperator.conformance:id/btn_open_list"});
    let app = json!({"applicationId": "com.clawperator.conformance"});
    vec![
        ("open_app", app.clone(), [1, 2]),
        ("wait_for_navigation", json!({"expectedPackage": app["applicationId"], "timeoutMs": 1000}), [1, 1]),
        // On the resident lane nothing has changed after the step before: the app
        // gets time to react.
        ("wait_for_navigation", json!({"expectedNode": button, "timeoutMs": 1000}), [1, 9]),
        ("wait_for_node", json!({"matcher": button}), [1, 1]),
        // None comes: asked twice, and then whether it could be heard.
        ("wait_for_toast", json!({"text": "Saved", "timeoutMs": 50}), [0, 3]),
        ("click", json!({"matcher": button}), [2, 3]),
        ("click", json!({"matcher": button, "clickType": "long_click"}), [2, 5]),
        ("click", json!({"coordinate": {"x": 5, "y": 900}}), [1, 3]),
        ("drag_to", json!({"coordinate": {"x": 5, "y": 900}, "toCoordinate": {"x": 9, "y": 900}}), [1, 3]),
        ("drag_to", json!({"matcher": button, "toMatcher": label, "holdMs": 600}), [2, 5]),
        ("read_text", json!({"matcher": label}), [1, 10]),
        ("read_text", json!({"matcher": label, "all": true}), [1, 2]),
        ("read_key_value_pair", json!({"labelMatcher": label}), [1, 2]),
        ("snapshot_ui", json!({}), [1, 1]),
        ("query", json!({"matcher": button}), [1, 1]),
        // The picture, and how large the screen is on which its points are touched.
        ("take_screenshot", json!({}), [2, 2]),
        ("sleep", json!({"durationMs": 1000}), [0, 0]),
        ("click", json!({"matcher": list}), [2, 4]),
        ("scroll", json!({}), [3, 9]),
        ("scroll_until", json!({"matcher": {"textEquals": "Row 6"}}), [1, 2]),
        // The look before it, and two for each of two swipes.
        ("scroll_until", json!({"matcher": {"textEquals": "Row 25"}}), [5, 12]),
        // In view: a look for the scrolling, and a click, which on the resident
        // lane needs none of its own.
        ("scroll_and_click", json!({"matcher": {"textEquals": "Row 26"}}), [3, 3]),
        // Whether there is a keyboard that back would close; then the key, pressed by
        // the phone's own command, which checks.
        ("press_key", json!({"key": "back"}), [2, 3]),
        ("open_uri", json!({"uri": "clawform://order"}), [1, 2]),
        // Look, touch, look for the focus, clear and type, look.
        (
            "enter_text",
            json!({"matcher": {"resourceId": "com.clawperator.form:id/input_name"}, "text": "Ann"}),
            [5, 14],
        ),
        ("close_app", json!({"applicationId": "com.clawperator.form"}), [1, 1]),
        // Forgets toasts, sets it, reads it back.
        ("set_clipboard", json!({"text": "Ann"}), [0, 3]),
        ("start_recording", json!({}), [0, 0]),
        ("stop_recording", json!({}), [0, 0]),
    ]
}

#[test]
fn no_action_takes_more_round_trips_than_it_did() {
    let counted: BTreeSet<_> = table().iter().map(|row| row.0).collect();
    assert_eq!(counted, CATALOGUE.iter().map(|spec| spec.name).collect());
    for (place, lane) in [Lane::Dump, Lane::Resident].into_iter().enumerate() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let taken = runtime.block_on(Box::pin(taken(lane)));
        let expected: Vec<_> = table().into_iter().map(|row| (row.0, row.2[place])).collect();
        assert_eq!(taken, expected, "{lane:?}");
    }
}

/// The round trips of every action of the table.
async fn taken(lane: Lane) -> Vec<(&'static str, u64)> {
    let pictures = Pictures::new();
    let switched = World::default().switch_on((Route::Host, lane)).await.unwrap();
    let phone = Phone::new(switched.connect().await.unwrap(), "case");
    let mut lease = PhoneLease::new(phone, LeaseOptions::default());
    let wish = match lane {
        Lane::Dump => LaneWish::Dump,
        Lane::Resident => LaneWish::Resident,
    };
    let soon = Deadline::after(Duration::from_secs(10));
    let chosen = lease.phone().use_lane(wish, ResidentSetup::None, soon).await;
    assert_eq!(chosen.unwrap(), lane);
    let mut counts = Vec::new();
    for (kind, params, _) in table() {
        let before = lease.phone().round_trips();
        one(&mut lease, (kind, &params), (wish, &pictures)).await;
        counts.push((kind, lease.phone().round_trips() - before));
    }
    counts
}

/// Runs one action; whether it worked is another test's business.
async fn one(
    lease: &mut PhoneLease,
    (kind, params): (&str, &Value),
    (lane, pictures): (LaneWish, &Pictures),
) {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "cases", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "it", "type": kind, "params": params}]});
    let checked = accept(payload.to_string().as_bytes()).unwrap();
    let options = RunOptions {
        strictness: Strictness::First,
        lane,
        seed: 0,
        pictures: pictures.0.clone(),
        now_ms: 1,
        ..RunOptions::default()
    };
    let ran =
        clawperator_run::run(lease, &checked.execution, &options, Box::pin(std::future::pending())).await;
    // What only the server does is refused on the dump lane.
    let is_tied = ["wait_for_toast", "set_clipboard"].contains(&kind);
    assert!(ran.is_ok() || is_tied, "{kind}: {ran:?}");
}
