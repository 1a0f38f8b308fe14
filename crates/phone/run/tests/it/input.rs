//! Fingers, keys and text, and what they did.

use crate::world::{World, both_protocols, failure, plain, soon};
use clawperator_phone::{
    DispatchState, Finger, KeyCode, LeaseOptions, PhoneError, PhoneLease, Precondition, SwipePath, Typing,
};
use clawperator_run::RunOptions;
use clawperator_ui::Point;
use std::time::Duration;

/// What is typed and must be in the field, letter by letter.
const TYPED: &[&str] = &[
    "plain",
    "with  two spaces ",
    " 'single' \"double\" `back` \\ \\n",
    "$(reboot) ${HOME} $? ; rm -rf / && echo | cat > /x < y & #",
    "%s",
    "100%s%%s%S%d %",
    "-d --help",
    "*?[a-z]{1,2}~!^",
];

fn typing(text: &str) -> Typing<'_> {
    Typing { replaces: 0, text, check: &Precondition::OnScreen }
}

#[tokio::test(start_paused = true)]
async fn hostile_text_is_in_the_field_byte_for_byte() {
    for world in both_protocols().await {
        world.open_notes().await;
        for text in TYPED {
            let before = world.phone.round_trips();
            world.phone.replace_ascii(typing(text), soon()).await.unwrap();
            assert_eq!(world.phone.round_trips(), before + 1);
            assert_eq!(world.text_of("input_notes").await, *text);
            world.phone.select_all_and_delete(text.len(), &Precondition::OnScreen, soon()).await.unwrap();
            assert_ne!(world.text_of("input_notes").await, *text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn text_that_keys_cannot_type_is_not_sent() {
    let world = plain().await;
    for text in ["é", "a\nb", "tab\t", "\0"] {
        let error = failure(world.phone.replace_ascii(typing(text), soon()).await);
        assert!(matches!(error, PhoneError::NotTypable { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::No);
    }
    let error = failure(world.phone.replace_ascii(typing(&"'".repeat(20_000)), soon()).await);
    assert!(matches!(error, PhoneError::TooLong { .. }), "{error}");
    world.phone.replace_ascii(typing(""), soon()).await.unwrap();
    let error = failure(world.phone.open_uri("http://a\0b", soon()).await);
    assert!(matches!(error, PhoneError::Nul(_)), "{error}");
    assert_eq!(world.phone.round_trips(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_keyboard_types_what_a_broadcast_says() {
    let world = plain().await;
    world.open_notes().await;
    let keyboards = world.phone.keyboards(soon()).await.unwrap();
    let before = keyboards.current.clone().unwrap();
    let keyboard = keyboards.typing().unwrap();
    world.phone.set_keyboard(&keyboard.id, soon()).await.unwrap();
    let now = world.phone.keyboards(soon()).await.unwrap();
    assert_eq!(now.current.as_ref(), Some(&keyboard.id));
    let text = "Größe 👩‍👩‍👧‍👦 'x' $(y)";
    world.phone.broadcast_text(&keyboard, typing(text), soon()).await.unwrap();
    assert_eq!(world.text_of("input_notes").await, text);
    world.phone.set_keyboard(&before, soon()).await.unwrap();
    let error = failure(world.phone.set_keyboard("com.none/.Ime", soon()).await);
    assert!(matches!(error, PhoneError::Refused { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_without_such_a_keyboard_has_none() {
    let world = plain().await;
    world.handset.with(|phone| phone.packages.remove("com.android.adbkeyboard"));
    let keyboards = world.phone.keyboards(soon()).await.unwrap();
    assert!(keyboards.current.is_some());
    assert_eq!(keyboards.typing(), None);
}

#[tokio::test(start_paused = true)]
async fn a_finger_taps_presses_and_swipes() {
    let world = plain().await;
    world.phone.launch("com.clawperator.messenger", soon()).await.unwrap();
    let before = world.tree().await;
    let (low, high) = (Point { x: 540, y: 1800 }, Point { x: 540, y: 600 });
    let trips = world.phone.round_trips();
    let path = SwipePath { from: low, to: high, takes: Duration::from_millis(300) };
    let on_screen = &Precondition::OnScreen;
    let swiping = world.phone.touch(Finger::Swipe(path), on_screen, soon());
    swiping.await.unwrap();
    assert_eq!(world.phone.round_trips(), trips + 1);
    world.phone.touch(Finger::LongPress(Point { x: 540, y: 900 }), on_screen, soon()).await.unwrap();
    assert_ne!(format!("{:?}", world.tree().await), format!("{before:?}"));
    world.phone.key(KeyCode::Home, &Precondition::OnScreen, soon()).await.unwrap();
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_ne!(front.package.as_deref(), Some("com.clawperator.messenger"));
}

#[tokio::test(start_paused = true)]
async fn enter_submits_and_back_goes_back() {
    let world = plain().await;
    world.open_notes().await;
    world.phone.replace_ascii(typing("a"), soon()).await.unwrap();
    world.phone.key(KeyCode::Enter, &Precondition::OnScreen, soon()).await.unwrap();
    world.phone.replace_ascii(typing("b"), soon()).await.unwrap();
    assert_eq!(world.text_of("input_notes").await, "a\nb");
    for _ in 0..2 {
        world.phone.key(KeyCode::Back, &Precondition::OnScreen, soon()).await.unwrap();
    }
    assert!(World::place(&world.tree().await, "open_notes").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_keyboard_that_a_killed_run_borrowed_is_given_back_by_the_next() {
    let world = plain().await;
    let keyboards = world.phone.keyboards(soon()).await.unwrap();
    let users = keyboards.current.clone().unwrap();
    world.phone.set_keyboard(&keyboards.typing().unwrap().id, soon()).await.unwrap();
    // What a run leaves that is killed between the two.
    let phones = std::env::temp_dir().join(format!("clawperator-borrowed-{}", std::process::id()));
    let name = clawperator_phone::lock::file_name(world.phone.serial()).unwrap();
    let note = phones.join(name).join("keyboard");
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    std::fs::write(&note, &users).unwrap();
    let payload = r#"{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator",
        "timeoutMs":30000,"actions":[{"id":"k","type":"press_key","params":{"key":"home"}}]}"#;
    let execution = clawperator_contract::accept(payload.as_bytes()).unwrap().execution;
    let options = LeaseOptions { memory: Some(phones.clone()), ..LeaseOptions::default() };
    let mut lease = PhoneLease::new(world.phone.clone(), options);
    let ran = clawperator_run::run(
        &mut lease,
        &execution,
        &RunOptions::default(),
        Box::pin(std::future::pending()),
    )
    .await;
    assert!(ran.unwrap().error.is_none());
    let now = world.phone.keyboards(soon()).await.unwrap();
    assert_eq!(now.current, Some(users));
    assert!(!note.exists());
    std::fs::remove_dir_all(phones).unwrap();
}
