//! The resident server on the phone: put there, started, found, ended, removed.

use crate::journal::Journals;
use crate::world::{World, both_protocols, connect_again, plain, soon, type_in};
use clawperator_contract::{Lane, LaneWish};
use clawperator_events::Pictures;
use clawperator_phone::resident::jar::{Jar, UnknownJar};
use clawperator_phone::{Deadline, Phone, PhoneError, ResidentSetup, ServerFiles, StartError, Views, Whose};
use serde_json::json;
use std::time::Duration;

/// A file that passes for the server's: the simulated phone runs no code of it.
fn jar() -> Jar {
    Jar::check(b"PK\x03\x04 not the real one PK\x05\x06".to_vec(), UnknownJar::Allowed).unwrap()
}

async fn put(world: &World) {
    let jar = jar();
    let files = ServerFiles { jar: &jar, idle_minutes: 2 };
    world.phone.push_server(files, soon(), |_| ()).await.unwrap();
}

async fn on_phone(world: &World, line: &str) -> String {
    let device = connect_again(world).await;
    let said = device.shell(line, bytes::Bytes::new(), soon()).await.unwrap();
    String::from_utf8(said.stdout.to_vec()).unwrap()
}

/// Every process of the phone that is there for the server.
async fn processes(world: &World) -> String {
    let all = on_phone(world, "ps -A -o ARGS").await;
    let is_its = |line: &&str| ["uia2", "clawperator-lane", "sleep"].iter().any(|word| line.contains(word));
    all.lines().filter(is_its).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_outlives_its_connection_and_leaves_nothing_behind() {
    for world in both_protocols().await {
        let phone = &world.phone;
        let files_before = on_phone(&world, "ls /data/local/tmp").await;
        put(&world).await;
        assert!(!phone.server_answers(soon()).await.unwrap());
        phone.start_server(soon()).await.unwrap();
        // Another connection finds it.
        let again = Phone::new(connect_again(&world).await, "sim-1");
        assert!(again.server_answers(soon()).await.unwrap());
        let state = again.server_state(soon()).await.unwrap();
        let ours = state.ours.unwrap();
        assert_eq!((ours.idle_minutes, state.jar.as_deref()), (2, Some(jar().sha256())));
        assert_eq!(state.others().count(), 0, "{state:?}");
        assert!(again.stop_server(Whose::Ours, soon()).await.unwrap());
        assert!(!again.server_answers(soon()).await.unwrap());
        assert!(!again.stop_server(Whose::Ours, soon()).await.unwrap());
        phone.start_server(soon()).await.unwrap();
        phone.remove_server(soon()).await.unwrap();
        assert_eq!(on_phone(&world, "ls /data/local/tmp").await, files_before);
        assert_eq!(processes(&world).await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_file_is_pushed_once() {
    let world = plain().await;
    let jar = jar();
    for expect in [jar.bytes().len() as u64, 0] {
        let mut moved = 0;
        let files = ServerFiles { jar: &jar, idle_minutes: 2 };
        let pushed = world.phone.push_server(files, soon(), |bytes| moved = bytes);
        pushed.await.unwrap();
        assert_eq!(moved, expect);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_nobody_uses_ends_by_itself() {
    let world = plain().await;
    let phone = &world.phone;
    put(&world).await;
    phone.start_server(soon()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(phone.server_state(soon()).await.unwrap().ours.is_some());
    tokio::time::sleep(Duration::from_secs(240)).await;
    assert_eq!(phone.server_state(soon()).await.unwrap().ours, None);
    assert_eq!(processes(&world).await, "");
    // It is started again as if nothing had been.
    phone.start_server(soon()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_used_now_and_then_does_not_end() {
    let world = plain().await;
    let phone = &world.phone;
    put(&world).await;
    phone.start_server(soon()).await.unwrap();
    // Each use is over at once: the server closes a connection after five seconds.
    for time in 0..10 {
        tokio::time::sleep(Duration::from_secs(100)).await;
        let wish = LaneWish::Resident;
        let lane = phone.use_lane(wish, ResidentSetup::None, soon()).await;
        assert_eq!(lane.unwrap(), Lane::Resident, "{time}");
        assert!(!phone.capture(Views::All, soon()).await.unwrap().is_empty());
    }
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(phone.server_state(soon()).await.unwrap().ours, None);
}

#[tokio::test(start_paused = true)]
async fn the_script_of_a_server_that_was_killed_leaves_the_next_server_alone() {
    let world = plain().await;
    let phone = &world.phone;
    put(&world).await;
    phone.start_server(soon()).await.unwrap();
    let killed = phone.server_state(soon()).await.unwrap().ours.unwrap();
    type_in(&world, &format!("kill -9 {}", killed.server)).await;
    phone.start_server(soon()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(40)).await;
    let state = phone.server_state(soon()).await.unwrap();
    let ours = state.ours.unwrap();
    assert_eq!(state.scripts, [ours.script]);
    phone.remove_server(soon()).await.unwrap();
    assert_eq!(processes(&world).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_server_without_its_mark_and_a_script_without_its_server_are_ended() {
    let world = plain().await;
    let phone = &world.phone;
    for (trouble, was_there) in
        [("rm /data/local/tmp/clawperator-lane/running", true), ("pkill -9 app_process", false)]
    {
        put(&world).await;
        phone.start_server(soon()).await.unwrap();
        type_in(&world, trouble).await;
        let stopped = phone.stop_server(Whose::Ours, soon()).await.unwrap();
        assert_eq!(stopped, was_there, "{trouble}");
        assert_eq!(processes(&world).await, "", "{trouble}");
        // What the last one printed is not taken for the next one's words.
        let old = "echo already registered >/data/local/tmp/clawperator-lane/log";
        type_in(&world, old).await;
        phone.start_server(soon()).await.unwrap();
        phone.remove_server(soon()).await.unwrap();
        assert_eq!(processes(&world).await, "", "{trouble}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_is_taken_is_told_with_who_may_hold_it() {
    let world = plain().await;
    let phone = &world.phone;
    type_in(
        &world,
        "echo jar >/data/local/tmp/u2.jar; CLASSPATH=/data/local/tmp/u2.jar nohup app_process / com.wetest.uia2.Main -p 9009 >/dev/null 2>&1 &",
    )
    .await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    put(&world).await;
    let refused = phone.start_server(soon()).await.unwrap_err();
    assert!(matches!(refused, StartError::SlotTaken), "{refused}");
    let state = phone.server_state(soon()).await.unwrap();
    let others: Vec<_> = state.others().map(|holder| holder.program).collect();
    assert_eq!(others, ["uiautomator2"]);
    // Ours is stopped by default, and there is none.
    assert!(!phone.stop_server(Whose::Ours, soon()).await.unwrap());
    assert!(phone.stop_server(Whose::Any, soon()).await.unwrap());
    phone.start_server(soon()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_start_without_the_file_says_what_the_phone_says() {
    let world = plain().await;
    type_in(&world, "mkdir -p /data/local/tmp/clawperator-lane").await;
    put(&world).await;
    type_in(&world, "rm /data/local/tmp/clawperator-lane/u2.jar").await;
    let refused = world.phone.start_server(Deadline::after(Duration::from_secs(60))).await;
    let Err(StartError::Ended(said)) = refused else {
        panic!("{refused:?}");
    };
    assert!(said.contains("com.wetest.uia2.Main"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_set_up_is_started_when_it_is_needed() {
    let world = plain().await;
    let phone = &world.phone;
    let choose = |wish, setup| phone.use_lane(wish, setup, soon());
    // It was not set up.
    let refused = choose(LaneWish::Resident, ResidentSetup::None).await;
    assert!(matches!(refused, Err(PhoneError::Resident { .. })), "{refused:?}");
    assert_eq!(choose(LaneWish::Auto, ResidentSetup::None).await.unwrap(), Lane::Dump);
    assert_eq!(phone.lane_report().warnings, []);
    // It was, and its file is gone.
    assert_eq!(choose(LaneWish::Auto, ResidentSetup::Done).await.unwrap(), Lane::Dump);
    assert_eq!(phone.lane_report().warnings.len(), 1);
    put(&world).await;
    assert_eq!(choose(LaneWish::Auto, ResidentSetup::Done).await.unwrap(), Lane::Resident);
    assert!(!phone.capture(Views::All, soon()).await.unwrap().is_empty());
    // While the server runs, others can use it too.
    let again = Phone::new(connect_again(&world).await, "sim-1");
    let lane = again.use_lane(LaneWish::Auto, ResidentSetup::None, soon()).await;
    assert_eq!(lane.unwrap(), Lane::Resident);
    phone.remove_server(soon()).await.unwrap();
    // The next look goes on without it, and says so.
    assert!(!phone.capture(Views::All, soon()).await.unwrap().is_empty());
    assert_eq!((phone.lane(), phone.lane_report().warnings.len()), (Lane::Dump, 1));
}

/// A phone whose server was set up and has lost its slot to a program that has
/// ended since.
async fn without_its_slot(setup: ResidentSetup) -> World {
    let world = plain().await;
    put(&world).await;
    world.phone.start_server(soon()).await.unwrap();
    let lane = world.phone.use_lane(LaneWish::Auto, setup, soon()).await;
    assert_eq!(lane.unwrap(), Lane::Resident);
    type_in(&world, "simctl fault server_slot_stolenx1").await;
    let lost = world.phone.capture(Views::All, soon()).await.unwrap_err();
    assert!(lost.to_string().contains("Appium"), "{lost}");
    type_in(&world, "am force-stop io.appium.uiautomator2.server").await;
    world
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_slot_was_taken_and_is_free_again_is_started_anew() {
    for (wish, setup, lane) in [
        (LaneWish::Auto, ResidentSetup::Done, Some(Lane::Resident)),
        (LaneWish::Resident, ResidentSetup::Done, Some(Lane::Resident)),
        // It may be another program's.
        (LaneWish::Auto, ResidentSetup::None, Some(Lane::Dump)),
        (LaneWish::Resident, ResidentSetup::None, None),
    ] {
        let world = without_its_slot(setup).await;
        let phone = &world.phone;
        phone.use_lane(wish, setup, soon()).await.unwrap();
        let seen = phone.capture(Views::All, soon()).await;
        let report = phone.lane_report();
        let told = match &seen {
            Ok(_) => report.warnings.iter().map(|it| it.message.as_str()).collect(),
            Err(error) => error.to_string(),
        };
        assert_eq!(seen.is_ok().then_some(report.lane), lane, "{wish:?} {setup:?}: {told}");
        let says_what_to_do = told.contains("clawperator lane setup");
        assert_eq!(says_what_to_do, lane != Some(Lane::Resident), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dump_while_the_server_runs_says_what_to_do() {
    let world = plain().await;
    let phone = &world.phone;
    put(&world).await;
    phone.start_server(soon()).await.unwrap();
    let wish = LaneWish::Dump;
    phone.use_lane(wish, ResidentSetup::Done, soon()).await.unwrap();
    let refused = phone.capture(Views::All, soon()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "only one program can read the screen, and the resident server does: leave out --lane dump, or run clawperator lane stop"
    );
    assert!(phone.stop_server(Whose::Ours, soon()).await.unwrap());
    assert!(!phone.capture(Views::All, soon()).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_text_that_the_server_sets_is_in_no_journal() {
    let world = plain().await;
    put(&world).await;
    world.phone.start_server(soon()).await.unwrap();
    let journals = Journals::new(Pictures::Left);
    let actions = json!([
        {"id": "open", "type": "open_uri", "params": {"uri": "clawform://login"}},
        {"id": "type", "type": "enter_text",
            "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_email"}, "text": "Zoë"}},
    ]);
    let outcome = journals.run(&world.phone, actions).await.unwrap();
    assert_eq!(outcome.step_results[1].data["text"], "Zoë", "{outcome:?}");
    let kept = journals.only();
    let text = String::from_utf8_lossy(&kept.text);
    assert!(text.contains("\"line\":\"text ["), "{text}");
    assert!(!text.contains("Zoë") && !text.contains("setText"), "{text}");
}
