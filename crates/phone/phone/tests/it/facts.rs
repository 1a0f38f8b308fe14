//! What a phone is, and what it looks like.

use crate::world::{
    World, both_protocols, connect_again, faulty, old_welcome, plain, soon, type_in, world, world_with,
};
use clawperator_phone::{Deadline, KeyCode, PhoneError, Precondition, Trial, can_type_ascii};
use clawperator_sim::{Latency, Setup};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_phone_says_what_it_is() {
    for world in both_protocols().await {
        assert_eq!(world.phone.display_size(soon()).await.unwrap(), (1080, 2400));
        assert_eq!(world.phone.round_trips(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_a_whole_png() {
    let world = plain().await;
    let png = world.phone.screenshot(soon()).await.unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82"));
    assert_eq!(world.phone.round_trips(), 1);
    world.phone.open_uri("trouble://secure", soon()).await.unwrap();
    match world.phone.screenshot(soon()).await {
        Ok(png) => assert!(!png.is_empty()),
        Err(error) => assert!(matches!(error, PhoneError::Refused { .. }), "{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_sleeps_says_so() {
    let world = plain().await;
    world.phone.key(KeyCode::Sleep, &Precondition::OnScreen, soon()).await.unwrap();
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_eq!(front.awake, Some(false));
    world.phone.key(KeyCode::Wake, &Precondition::OnScreen, soon()).await.unwrap();
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_eq!(front.awake, Some(true));
}

#[tokio::test(start_paused = true)]
async fn a_keyboard_that_shows_is_seen() {
    let world = plain().await;
    world.open_notes().await;
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_eq!(front.input_shown, Some(true));
}

#[tokio::test(start_paused = true)]
async fn a_slow_phone_says_how_it_is_although_each_program_takes_seconds() {
    let latency = Latency::from_word("slow").unwrap();
    let world = world(Setup { latency, ..Setup::default() }).await;
    let minutes = Deadline::after(Duration::from_secs(120));
    let vitals = world.phone.vitals("com.clawperator.operator", minutes).await.unwrap();
    let known = (vitals.size, vitals.density, vitals.developer_options, vitals.operator.installed);
    assert_eq!(known, (Some((1080, 2400)), Some(420), Some(true), Some(true)));
}

#[tokio::test(start_paused = true)]
async fn what_executions_take_for_granted_is_tried() {
    let all = async |world: &World| {
        let phone = &world.phone;
        [
            phone.try_guard(soon()).await,
            phone.try_tools(soon()).await,
            phone.try_file(soon()).await,
            phone.try_letters(soon()).await,
            phone.try_round_trip(soon()).await,
        ]
    };
    let word = |trial: &Trial| match trial {
        Trial::Holds(_) => 'h',
        Trial::Fails(_) => 'f',
        Trial::Unknown(_) => 'u',
    };
    let said = |tried: &[Trial]| tried.iter().map(word).collect::<String>();
    for line in ["true", "setprop sim.like kitkat", "simctl lock"] {
        let world = plain().await;
        type_in(&world, line).await;
        let tried = all(&world).await;
        assert_eq!(said(&tried), "hhhhh", "{line}: {tried:?}");
        // Nothing stays there.
        let device = connect_again(&world).await;
        let left =
            device.shell("ls /data/local/tmp", clawperator_adb::ShellInput::Open, soon()).await.unwrap();
        assert_eq!(left.stdout, "", "{line}");
    }
    let mute = plain().await;
    type_in(&mute, "setprop sim.like mute").await;
    let tried = all(&mute).await;
    assert_eq!(said(&tried), "fhhhh", "{tried:?}");
    let full = all(&faulty(&["low_storage"]).await).await;
    assert_eq!(said(&full), "hhfhh", "{full:?}");
    let old = world_with(Setup::default(), old_welcome()).await;
    type_in(&old, "setprop sim.like old_adb").await;
    let letters = old.phone.try_letters(soon()).await;
    assert!(matches!(&letters, Trial::Unknown(why) if why.contains("shell protocol v2")), "{letters:?}");
}

#[test]
fn keys_type_what_is_printed_on_them() {
    assert!(can_type_ascii("It's $5 ~ \"ok\" \\ %s"));
    for text in ["a\nb", "\t", "é", "\u{7f}", "a\0"] {
        assert!(!can_type_ascii(text), "{text:?}");
    }
}
