//! What comes between a user and an app: calls, apps that hang or end.

use clawperator_sim::phone::{DumpViews, Intent, Namespace, Phone, PressLength, key_code};
use std::time::Duration;

const TROUBLE: &str = "com.clawperator.trouble";

fn phone() -> Phone {
    Phone::new(Duration::from_secs(1_767_260_460), clawperator_sim::builtin::apps())
}

fn wait(phone: &mut Phone, seconds: u64) {
    let uptime = phone.clock.uptime + Duration::from_secs(seconds);
    phone.advance(uptime);
}

fn words(phone: &Phone) -> Vec<String> {
    let tree = phone.dump(DumpViews::All).unwrap();
    tree.nodes().map(|(_, node)| node.text.clone()).collect()
}

fn says(phone: &Phone, wanted: &str) -> bool {
    words(phone).iter().any(|text| text.contains(wanted))
}

fn tap(phone: &mut Phone, text: &str) {
    let tree = phone.dump(DumpViews::All).unwrap();
    let found = tree.nodes().find(|(_, node)| node.text == text);
    phone.tap(found.unwrap_or_else(|| panic!("no {text}")).1.bounds.center());
}

fn press(phone: &mut Phone, name: &str) {
    phone.press(key_code(name).unwrap(), PressLength::Short);
}

#[test]
fn a_call_counts_its_seconds_from_when_it_was_taken() {
    let mut phone = phone();
    phone.ring("+1 555 0100");
    wait(&mut phone, 9);
    tap(&mut phone, "Answer");
    assert!(says(&phone, "00:00"));
    wait(&mut phone, 65);
    assert!(says(&phone, "01:05"), "{:?}", words(&phone));
}

#[test]
fn the_end_of_a_second_call_leaves_the_first() {
    let mut phone = phone();
    phone.ring("+1 555 0100");
    tap(&mut phone, "Answer");
    phone.ring("+1 555 0199");
    assert!(says(&phone, "+1 555 0199"));
    tap(&mut phone, "Decline");
    assert!(says(&phone, "+1 555 0100"));
    tap(&mut phone, "End call");
    assert!(!says(&phone, "+1 555 0100"));
}

#[test]
fn a_call_goes_on_behind_the_home_screen_and_a_notification_leads_back() {
    for key in ["HOME", "BACK"] {
        let mut phone = phone();
        phone.ring("+1 555 0100");
        tap(&mut phone, "Answer");
        press(&mut phone, key);
        assert!(says(&phone, "Messenger"), "{key}: {:?}", words(&phone));
        phone.clear_notifications();
        phone.open_shade();
        wait(&mut phone, 7);
        tap(&mut phone, "Ongoing call");
        assert!(says(&phone, "00:07"), "{:?}", words(&phone));
        assert!(phone.notifications().is_empty());
        press(&mut phone, key);
        press(&mut phone, "ENDCALL");
        assert!(phone.notifications().is_empty());
    }
}

#[test]
fn an_app_that_hangs_hangs_until_it_is_closed() {
    let mut phone = phone();
    phone.start(&Intent::launch(TROUBLE)).unwrap();
    tap(&mut phone, "Not responding");
    while !says(&phone, "isn't responding") {
        let hang = words(&phone).into_iter().find(|text| text.contains("ang"));
        tap(&mut phone, &hang.unwrap());
        wait(&mut phone, 6);
    }
    tap(&mut phone, "Wait");
    assert!(!says(&phone, "isn't responding"));
    wait(&mut phone, 6);
    assert!(says(&phone, "isn't responding"));
    tap(&mut phone, "Close app");
    wait(&mut phone, 20);
    assert!(!says(&phone, "isn't responding"));
}

#[test]
fn an_app_has_stopped_once_and_then_keeps_stopping() {
    let mut phone = phone();
    for stops in ["Trouble has stopped", "Trouble keeps stopping"] {
        phone.start(&Intent::launch(TROUBLE)).unwrap();
        phone.crash(TROUBLE, "a test");
        assert!(says(&phone, stops), "{:?}", words(&phone));
        tap(&mut phone, "Close app");
    }
}

/// Taps places of the keyboard, in twentieths of its width and by its rows.
fn type_at(phone: &mut Phone, places: &[(i32, i32)]) {
    let (width, height) = phone.display.size();
    let board = phone.display.px(280);
    let line = (board - phone.display.px(32)) / 4;
    for (x, row) in places {
        let y = height - board + phone.display.px(8) + line * row + line / 2;
        phone.tap(clawperator_ui::Point::new(width * x / 20, y));
    }
}

#[test]
fn capitals_digits_and_symbols_can_be_tapped() {
    let mut phone = phone();
    phone.start(&Intent::launch("com.clawperator.browser")).unwrap();
    // A tap on the address selects it, so that what is typed replaces it.
    tap(&mut phone, "about:blank");
    // Shift, Q, w, symbols, 1, @, more symbols, ~, letters, q.
    let keys = [(1, 2), (1, 0), (3, 0), (1, 3), (1, 0), (1, 1), (1, 2), (1, 0), (1, 3), (1, 0)];
    type_at(&mut phone, &keys);
    assert!(says(&phone, "Qw1@~q"), "{:?}", words(&phone));
}

/// An app that asks for a permission when it is opened.
const ASKS: &str = "package: com.example.asks\nlabel: Asks\npermissions: [android.permission.CAMERA]\n\
activities:\n  - {name: .Main, screen: main, launcher: true}\n\
screens:\n  main:\n    body:\n      - button: {text: Ask, on_click: [{permission: {name: android.permission.CAMERA, granted: [{toast: yes}]}}]}\n";

#[test]
fn a_permission_dialog_is_hidden_with_its_app_and_comes_back_with_it() {
    let mut phone = phone();
    phone.install(std::sync::Arc::new(clawperator_sim::app::parse(ASKS).unwrap()));
    phone.start(&Intent::launch("com.example.asks")).unwrap();
    tap(&mut phone, "Ask");
    const QUESTION: &str = "Allow Asks to use the camera?";
    assert!(says(&phone, QUESTION));

    press(&mut phone, "HOME");
    assert!(!says(&phone, QUESTION), "{:?}", words(&phone));
    assert!(says(&phone, "Settings"));
    phone.start(&Intent::launch("com.android.settings")).unwrap();
    assert!(!says(&phone, QUESTION), "{:?}", words(&phone));
    // What goes back there is the other app, not the question.
    press(&mut phone, "BACK");
    phone.start(&Intent::launch("com.example.asks")).unwrap();
    assert!(says(&phone, QUESTION));

    press(&mut phone, "APP_SWITCH");
    assert!(!says(&phone, QUESTION));
    tap(&mut phone, "Asks");
    assert!(says(&phone, QUESTION));
    tap(&mut phone, "While using the app");
    assert!(!says(&phone, QUESTION) && says(&phone, "Ask"));
    assert!(phone.packages["com.example.asks"].granted.contains("android.permission.CAMERA"));

    // With its task, the question ends.
    phone.clear_data("com.example.asks");
    phone.start(&Intent::launch("com.example.asks")).unwrap();
    tap(&mut phone, "Ask");
    phone.force_stop("com.example.asks");
    phone.start(&Intent::launch("com.example.asks")).unwrap();
    assert!(!says(&phone, QUESTION));
}

/// Opens the page with a field, and taps it; what the phone is like then.
fn writing() -> Phone {
    let mut phone = phone();
    open(&mut phone, "trouble://keyboard");
    tap_id(&mut phone, "bottom_field");
    assert!(phone.keyboard_shown);
    phone
}

fn open(phone: &mut Phone, uri: &str) {
    let intent = Intent {
        action: Some("android.intent.action.VIEW".to_owned()),
        data: Some(uri.to_owned()),
        ..Intent::default()
    };
    phone.start(&intent).unwrap();
}

fn tap_id(phone: &mut Phone, id: &str) {
    let tree = phone.dump(DumpViews::All).unwrap();
    let wanted = format!(":id/{id}");
    let found =
        tree.nodes().find(|(_, node)| node.resource_id.as_ref().is_some_and(|id| id.ends_with(&wanted)));
    phone.tap(found.unwrap_or_else(|| panic!("no {id}")).1.bounds.center());
}

#[test]
fn the_keyboard_goes_with_the_field_it_is_for() {
    type Comes = fn(&mut Phone);
    let comes: [(&str, Comes); 7] = [
        ("another app", |phone| {
            phone.start(&Intent::launch("com.android.settings")).unwrap();
        }),
        ("a call", |phone| phone.ring("+1 555 0100")),
        ("the shade", Phone::open_shade),
        ("the list of apps", |phone| press(phone, "APP_SWITCH")),
        ("a crash", |phone| phone.crash(TROUBLE, "asked for")),
        ("another page", |phone| open(phone, "trouble://pager")),
        ("home", Phone::go_home),
    ];
    for (what, come) in comes {
        let mut phone = writing();
        come(&mut phone);
        assert!(!phone.keyboard_shown, "{what}");
    }
    // What starts the app that is in front already leaves it alone.
    let mut phone = writing();
    open(&mut phone, "trouble://keyboard");
    assert!(phone.keyboard_shown);
}

#[test]
fn what_is_typed_on_one_page_is_on_no_other() {
    let mut phone = writing();
    "secret".chars().for_each(|letter| press(&mut phone, &letter.to_uppercase().to_string()));
    assert!(says(&phone, "secret"), "{:?}", words(&phone));
    for page in ["secure", "rtl"] {
        open(&mut phone, &format!("trouble://{page}"));
        assert!(!says(&phone, "secret"), "{page}: {:?}", words(&phone));
        assert!(!says(&phone, "•"), "{page}: {:?}", words(&phone));
    }
}

#[test]
fn a_web_page_is_in_the_tree_as_chromium_puts_it_there() {
    let mut phone = phone();
    open(&mut phone, "https://news.clawperator.example");
    let tree = phone.dump(DumpViews::All).unwrap();
    let class = |text: &str| {
        let found = tree.nodes().filter(|(_, node)| node.text == text);
        found
            .map(|(_, node)| (node.class.clone(), node.flags.has(clawperator_ui::Flag::Clickable)))
            .collect::<Vec<_>>()
    };
    let text = |class: &str, click| (format!("android.{class}"), click);
    assert!(class("Morning news").contains(&text("webkit.WebView", false)));
    assert!(class("Morning news").contains(&text("widget.TextView", false)));
    assert_eq!(class("2. Agents learn to scroll"), [text("view.View", true)]);
    tap(&mut phone, "2. Agents learn to scroll");
    wait(&mut phone, 1);
    assert!(says(&phone, "They look before they touch."), "{:?}", words(&phone));
    assert!(says(&phone, "https://news.clawperator.example/agents"));
    let drawn = phone.picture().unwrap();
    // The switch takes it out of the tree, and leaves it on the screen.
    phone.put_setting(Namespace::Global, "web_pages_in_tree", Some("0"));
    assert!(!says(&phone, "They look"));
    assert_eq!(phone.picture().unwrap(), drawn);
    let tree = phone.dump(DumpViews::All).unwrap();
    assert!(tree.nodes().any(|(_, node)| node.class == "android.webkit.WebView"));
}
