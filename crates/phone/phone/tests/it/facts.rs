//! What a phone is, and what it looks like.

use crate::world::{both_protocols, plain, soon};
use clawperator_phone::{KeyCode, PhoneError, Precondition, can_type_ascii};

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

#[test]
fn keys_type_what_is_printed_on_them() {
    assert!(can_type_ascii("It's $5 ~ \"ok\" \\ %s"));
    for text in ["a\nb", "\t", "é", "\u{7f}", "a\0"] {
        assert!(!can_type_ascii(text), "{text:?}");
    }
}
