//! The screen's tree, and everything a phone gives instead of one.

use crate::world::{both_protocols, failure, faulty, plain, soon};
use clawperator_adb::Deadline;
use clawperator_phone::{CaptureError, DispatchState, DumpWay, PhoneError, Views};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_tree_takes_one_round_trip_however_it_gets_out() {
    for world in both_protocols().await {
        let through_terminal = world.tree().await;
        assert!(through_terminal.len() > 5);
        assert_eq!(world.phone.round_trips(), 1);
        world.phone.set_dump_way(DumpWay::File);
        let through_file = world.tree().await;
        assert_eq!(through_file.len(), through_terminal.len());
        assert_eq!(world.phone.round_trips(), 2);
        let important = world.phone.capture(Views::Important, soon()).await.unwrap();
        assert!(important.len() < through_file.len());
    }
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_has_a_name_and_passes() {
    for (fault, error) in [
        ("dump_null_rootx2", CaptureError::NullRoot),
        ("dump_not_idlex2", CaptureError::NotIdle),
        ("dump_cut_offx2", CaptureError::CutOff),
        ("dump_deepx2", CaptureError::TooLarge("levels", 512)),
    ] {
        for way in [DumpWay::Terminal, DumpWay::File] {
            let world = faulty(&[fault]).await;
            world.phone.set_dump_way(way);
            for _ in 0..2 {
                match failure(world.phone.capture(Views::All, soon()).await) {
                    PhoneError::Capture(got) => assert_eq!(got, error, "{fault}"),
                    other => panic!("{fault}: {other}"),
                }
            }
            assert!(!world.tree().await.is_empty(), "{fault}");
            assert_eq!(world.phone.round_trips(), 3);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_old_tree_is_never_taken_for_a_new_one() {
    let world = faulty(&["dump_stalex1+1"]).await;
    world.phone.set_dump_way(DumpWay::File);
    world.tree().await;
    let error = failure(world.phone.capture(Views::All, soon()).await);
    assert!(matches!(error, PhoneError::Capture(CaptureError::NotWritten)), "{error}");
    world.tree().await;
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_takes_no_tree_is_remembered() {
    // The phone says it has dumped and has not, the first time only.
    let world = faulty(&["dump_stalex1"]).await;
    assert!(!world.tree().await.is_empty());
    assert_eq!(world.phone.round_trips(), 2);
    assert_eq!(world.phone.dump_way(), DumpWay::File);
    world.tree().await;
    assert_eq!(world.phone.round_trips(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_never_rests_says_so_or_runs_out_of_time() {
    let world = plain().await;
    world.phone.open_uri("trouble://never_idle", soon()).await.unwrap();
    let error = failure(world.phone.capture(Views::All, soon()).await);
    let never = matches!(error, PhoneError::Capture(CaptureError::NotIdle));
    assert!(never, "{error}");
    let slow = crate::world::world(clawperator_sim::Setup {
        latency: clawperator_sim::Latency::PixelLike,
        ..clawperator_sim::Setup::default()
    })
    .await;
    slow.phone.open_uri("trouble://never_idle", soon()).await.unwrap();
    let short = Deadline::after(Duration::from_millis(200));
    let error = failure(slow.phone.capture(Views::All, short).await);
    assert!(matches!(error, PhoneError::TimedOut { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn text_of_every_script_comes_out_whole() {
    let world = plain().await;
    world.phone.launch("com.clawperator.form", soon()).await.unwrap();
    world.tap_id("open_unicode").await;
    assert_eq!(world.text_of("input_emoji").await, "Hello 👋🏽 👩‍👩‍👧‍👦 🇩🇪");
    assert_eq!(world.text_of("input_hebrew").await, "שלום עולם");
}

#[tokio::test(start_paused = true)]
async fn a_phone_whose_screen_is_watched_already_is_busy() {
    let world = plain().await;
    let watcher = crate::world::connect_again(&world).await;
    let stream = watcher.open("exec:uiautomator events", soon()).await.unwrap();
    let busy = async {
        loop {
            let result = world.phone.capture(Views::All, soon()).await;
            if let Err(PhoneError::Capture(CaptureError::Busy(_))) = result {
                return;
            }
            result.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(20), busy).await.unwrap();
    drop(stream);
}
