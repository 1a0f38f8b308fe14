//! What elements say: what is asked about, in many languages and spellings, and what
//! is not. The rows are in `tests/data`.

use clawperator_agent::policy::{Decision, Level, Policy};
use clawperator_agent::space::Space;
use clawperator_agent::surroundings::Surroundings;
use clawperator_agent::tool::normalize;
use clawperator_ui::{Flag, Screen, Tree};
use serde_json::json;

fn attribute(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    text.replace('\n', "&#10;")
}

fn node(attributes: &str, bounds: &str, inside: &str) -> String {
    format!(
        "<node package=\"com.example.shop\" enabled=\"true\" {attributes} bounds=\"{bounds}\">{inside}</node>"
    )
}

fn tree(inside: &str) -> Tree {
    let root = node("class=\"android.widget.FrameLayout\"", "[0,0][1080,2400]", inside);
    clawperator_ui::read(&format!("<hierarchy rotation=\"0\">{root}</hierarchy>")).unwrap()
}

#[allow(clippy::too_many_lines, reason = "one arm for each shape")]
/// A screen with one element of that shape, which lies at 540,1250.
fn screen(shape: &str, text: &str) -> Tree {
    let said = attribute(text);
    let view = |class: &str, more: &str| format!("class=\"android.{class}\" clickable=\"true\" {more}");
    let plain = |said: &str, bounds: &str| {
        node(&format!("class=\"android.widget.TextView\" text=\"{said}\""), bounds, "")
    };
    let place = "[100,1200][980,1300]";
    let target = match shape {
        "label" => node(&view("view.View", ""), place, &plain(&said, place)),
        "row" => node(
            &view("view.ViewGroup", ""),
            place,
            &[
                plain("News", "[100,1200][980,1210]"),
                plain("9:41", "[100,1210][980,1220]"),
                plain(&said, place),
            ]
            .concat(),
        ),
        "card" => node(
            &view("view.ViewGroup", ""),
            "[0,900][1080,1400]",
            &[
                plain("Blue shoes", "[100,900][980,1000]"),
                plain("Size 42, in stock, from a shop near you", "[100,1000][980,1100]"),
                plain("4.5 stars", "[100,1100][980,1190]"),
                plain(&said, place),
            ]
            .concat(),
        ),
        "id" => {
            node(&view("widget.ImageView", &format!("resource-id=\"com.example.shop:id/{said}\"")), place, "")
        }
        "desc" => node(&view("widget.ImageView", &format!("content-desc=\"{said}\"")), place, ""),
        "long" | "button" => node(&view("widget.Button", &format!("text=\"{said}\"")), place, ""),
        "beside" => [
            plain("Total 77,00 €", "[100,1000][980,1100]"),
            node(&view("widget.Button", &format!("text=\"{said}\"")), place, ""),
        ]
        .concat(),
        "child" => {
            let icon =
                format!("class=\"android.widget.ImageView\" resource-id=\"com.example.shop:id/{said}\"");
            let inside = [node(&icon, place, ""), plain("Go on", place)].concat();
            node(&view("view.ViewGroup", ""), place, &inside)
        }
        "mute" => {
            let picture = node(&view("widget.ImageView", ""), "[500,1200][580,1300]", "");
            node(
                "class=\"android.view.ViewGroup\"",
                place,
                &[plain(&said, "[100,1200][480,1300]"), picture].concat(),
            )
        }
        "price" => node(&view("view.View", &format!("text=\"{said}\"")), place, ""),
        "total" => node(
            &view("view.ViewGroup", ""),
            place,
            &[
                plain("Total", "[100,1200][980,1210]"),
                plain("$77.00", "[100,1210][980,1220]"),
                plain(&said, place),
            ]
            .concat(),
        ),
        "web" => node(&view("webkit.WebView", ""), place, ""),
        beside if beside.starts_with("beside:") => [
            plain(&attribute(&beside[7..]), "[100,1000][980,1100]"),
            node(&view("widget.Button", &format!("text=\"{said}\"")), place, ""),
        ]
        .concat(),
        "field" | "fieldid" => {
            let own = match shape {
                "field" => format!("content-desc=\"{said}\""),
                _ => format!("resource-id=\"com.example.chat:id/{said}\""),
            };
            let field = node(
                "class=\"android.widget.EditText\" text=\"hi\" focusable=\"true\" clickable=\"true\"",
                "[0,1200][500,1300]",
                "",
            );
            [field, node(&view("widget.ImageView", &own), "[510,1200][980,1300]", "")].concat()
        }
        other => panic!("{other}"),
    };
    tree(&target)
}

fn decided(tree: &Tree, (x, y): (i32, i32), level: Level) -> Decision {
    let action = normalize("tap", &json!({"x": x, "y": y})).action;
    let on = Surroundings::of(tree, &action, &Space::default());
    Policy::default().at(level).decide(&action, &on, None)
}

fn rows(file: &'static str) -> impl Iterator<Item = Vec<String>> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(|cell| cell.replace("\\n", "\n")).collect())
}

#[test]
fn every_target_of_the_list_is_asked_about() {
    let mut missed = Vec::new();
    let (mut all, mut money) = (0, 0);
    for row in rows(include_str!("../data/targets.tsv")) {
        let [capability, shape, text] = &row[..] else {
            panic!("{row:?}");
        };
        all += 1;
        let tree = screen(shape, text);
        match decided(&tree, (540, 1250), Level::Full) {
            Decision::Ask { capability: said, .. } if said.word() == capability => {}
            other => missed.push(format!("{row:?}: {other:?}")),
        }
        if decided(&tree, (540, 1250), Level::Money) != Decision::Allow {
            money += 1;
        } else if capability == "payment" {
            missed.push(format!("money {row:?}"));
        }
        assert_eq!(decided(&tree, (540, 1250), Level::None), Decision::Allow);
    }
    assert!(all >= 300 && money >= 250, "{all} {money}");
    assert_eq!(missed, Vec::<String>::new(), "{} of {all}", missed.len());
}

#[test]
fn harmless_words_are_not_asked_about() {
    let mut asked = Vec::new();
    let mut all = 0;
    for row in rows(include_str!("../data/harmless.tsv")) {
        let [shape, text] = &row[..] else { panic!("{row:?}") };
        all += 1;
        let decision = decided(&screen(shape, text), (540, 1250), Level::Full);
        if decision != Decision::Allow {
            asked.push(format!("{row:?}: {decision:?}"));
        }
    }
    assert!(all >= 100, "{all}");
    assert_eq!(asked, Vec::<String>::new(), "{} of {all}", asked.len());
}

#[test]
fn what_is_hidden_may_be_anything() {
    for (shape, text) in [
        ("button", "•••••••"),
        ("label", "Pa•••••"),
        ("card", "•••••••"),
        ("desc", "•••••••"),
        ("id", "•••••••"),
        ("mute", "•••••••"),
        ("beside:Total •••••", "OK"),
    ] {
        let decision = decided(&screen(shape, text), (540, 1250), Level::Money);
        assert!(matches!(decision, Decision::Ask { .. }), "{shape}: {decision:?}");
    }
    // What is written in a field is not what it does, and one dot hides nothing.
    let field = "class=\"android.widget.EditText\" clickable=\"true\" text=\"•••••••\"";
    let field = tree(&node(field, "[100,1200][980,1300]", ""));
    for tree in [field, screen("label", "5 km • 10 min")] {
        assert_eq!(decided(&tree, (540, 1250), Level::Full), Decision::Allow);
    }
    let denies = Policy::read("rules: [{label: '*pay*', decision: deny}]").unwrap();
    let action = normalize("tap", &json!({"x": 540, "y": 1250})).action;
    let on = Surroundings::of(&screen("button", "•••••••"), &action, &Space::default());
    let decision = denies.decide(&action, &on, None);
    assert!(matches!(decision, Decision::Deny { .. }), "{decision:?}");
}

/// Measures false alarms on dumps of a folder, if one is named.
#[test]
fn few_elements_of_real_screens_are_asked_about() {
    let Some(folder) = std::env::var_os("CLAWPERATOR_DUMPS") else {
        return;
    };
    let (mut all, mut asked) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let Ok(tree) = clawperator_ui::read(&std::fs::read_to_string(&path).unwrap()) else {
            continue;
        };
        let screen = Screen::new(&tree);
        for (id, node) in screen.nodes().filter(|(_, node)| node.flags.has(Flag::Clickable)) {
            let area = screen.visible_bounds(id);
            all += 1;
            let at = ((area.left + area.right) / 2, (area.top + area.bottom) / 2);
            for level in [Level::Full, Level::Money] {
                if decided(&tree, at, level) != Decision::Allow {
                    asked.push(format!(
                        "{level:?} {} {} {:?}",
                        path.display(),
                        tree.excerpt(id),
                        decided(&tree, at, level)
                    ));
                }
            }
            let _ = node;
        }
    }
    println!("{} of {all}\n{}", asked.len(), asked.join("\n"));
    assert!(asked.len() * 50 <= all * 2, "{} of {all}", asked.len());
}

/// A screen on which a code is asked for.
fn code(field: &str, also: &str) -> Tree {
    let field =
        format!("class=\"android.widget.EditText\" focusable=\"true\" focused=\"true\" text=\"12\" {field}");
    let text = |said: &str, top: i32| {
        let bounds = format!("[0,{top}][1080,{}]", top + 100);
        node(&format!("class=\"android.widget.TextView\" text=\"{said}\""), &bounds, "")
    };
    tree(&[text(also, 100), node(&field, "[0,2000][1080,2100]", "")].concat())
}

#[test]
fn a_code_agrees_to_what_the_screen_says() {
    let asks = |tree: &Tree, tool: &str, args: serde_json::Value| {
        let action = normalize(tool, &args).action;
        let on = Surroundings::of(tree, &action, &Space::default());
        Policy::default().at(Level::Money).decide(&action, &on, None) != Decision::Allow
    };
    let pin = "password=\"true\"";
    for (field, also, is_asked) in [
        (pin, "Pay 77 € to Bob", true),
        (pin, "77 €", true),
        (pin, "You are about to pay Bob", true),
        ("hint=\"PIN\"", "Pay Bob", true),
        ("hint=\"Security code (CVV)\"", "Total 77,00 €", true),
        ("hint=\"Find your coupon\"", "Checkout", false),
        (pin, "Welcome back", false),
        ("hint=\"City\"", "77 €", false),
    ] {
        let tree = code(field, also);
        for key in ["ENTER", "NUMPAD_ENTER", "DPAD_CENTER", "BUTTON_A"] {
            let key = json!({"keycode": key});
            assert_eq!(asks(&tree, "keyevent", key.clone()), is_asked, "{field} {also} {key}");
        }
        assert_eq!(asks(&tree, "type_text", json!({"text": "1\n"})), is_asked, "{field} {also}");
        assert!(!asks(&tree, "type_text", json!({"text": "1"})), "{field} {also}");
    }
}

#[test]
fn a_rule_sees_through_a_disguise() {
    let rules = "rules: [{label: '*pay*', decision: deny}]";
    let policy = Policy::read(rules).unwrap();
    let far = format!("{}Pay now", "\u{200b}".repeat(5000));
    let long = format!("{}Pay now", "Free gift. ".repeat(1000));
    for text in ["Pay", "ᴘᴀʏ", "P\u{20dd}a\u{20dd}y", "🅿🅰🆈", "Pa¥", "\u{202e}yap", &far, &long]
    {
        let action = normalize("tap", &json!({"x": 540, "y": 1250})).action;
        let on = Surroundings::of(&screen("button", text), &action, &Space::default());
        let said = policy.decide(&action, &on, None);
        assert!(matches!(said, Decision::Deny { .. }), "{text} {said:?}");
    }
}

#[test]
fn a_uri_is_judged_by_what_it_says() {
    let decided = |uri: &str, policy: &Policy| {
        let action = normalize("launch_app", &json!({"packageName": uri})).action;
        policy.decide(&action, &Surroundings::opening(uri), None)
    };
    let none = Policy::default();
    for (uri, at_money, at_full) in [
        ("upi://pay?pa=a@b&am=77", true, true),
        ("UPI://PAY", true, true),
        ("acme://checkout?item=1", true, true),
        ("acme://%62uy/1", true, true),
        ("bitcoin:1A1z?amount=1", true, true),
        ("intent://x#Intent;scheme=upi;end", true, true),
        ("market://details?id=com.x", true, true),
        ("tel:+491", false, true),
        ("sms:+491?body=hi", false, true),
        ("https://example.com/how-to-buy-a-car", false, false),
        ("geo:1,2", false, false),
        ("acme://home", false, false),
    ] {
        let is_asked = |level| decided(uri, &none.clone().at(level)) != Decision::Allow;
        assert_eq!((is_asked(Level::Money), is_asked(Level::Full)), (at_money, at_full), "{uri}");
        assert!(!is_asked(Level::None));
    }
    // It is not known which app opens it.
    let rules = "rules: [{app: com.bank, decision: deny}]";
    let said = decided("bank://home", &Policy::read(rules).unwrap());
    assert!(matches!(said, Decision::Deny { .. }), "{said:?}");
}

/// The screen of a shop: what has the focus, and what is there.
fn keys(focused: &str) -> Tree {
    let has = |name: &str| if name == focused { "focused=\"true\"" } else { "" };
    let button = |name: &str, text: &str, top: i32| {
        let attributes = format!(
            "class=\"android.widget.Button\" clickable=\"true\" focusable=\"true\" text=\"{text}\" {}",
            has(name)
        );
        node(&attributes, &format!("[0,{top}][1080,{}]", top + 100), "")
    };
    let field = |name: &str, hint: &str, top: i32| {
        let attributes = format!(
            "class=\"android.widget.EditText\" clickable=\"true\" focusable=\"true\" text=\"x\" hint=\"{hint}\" {}",
            has(name)
        );
        node(&attributes, &format!("[0,{top}][1080,{}]", top + 100), "")
    };
    tree(
        &[
            button("pay", "Pay now", 100),
            button("help", "Help", 300),
            field("name", "Name", 500),
            field("search", "Search", 700),
        ]
        .concat(),
    )
}

#[test]
fn keys_that_press_are_judged_by_what_has_the_focus() {
    let asks = |tree: &Tree, tool: &str, args: serde_json::Value| {
        let action = normalize(tool, &args).action;
        let on = Surroundings::of(tree, &action, &Space::default());
        Policy::default().decide(&action, &on, None) != Decision::Allow
    };
    for key in
        ["KEYCODE_ENTER", "KEYCODE_DPAD_CENTER", "KEYCODE_SPACE", "ENTER", "KEYCODE_ENTER ", " DPAD_CENTER"]
    {
        let press = |focused: &str| asks(&keys(focused), "keyevent", json!({"keycode": key}));
        assert!(press("pay"), "{key}");
        assert!(!press("help"), "{key}");
        // Nothing has the focus, so it is unknown.
        assert!(press(""), "{key}");
        assert!(!press("search"), "{key}");
    }
    // A form is submitted by the end of a line.
    assert!(asks(&keys("name"), "keyevent", json!({"keycode": "KEYCODE_ENTER"})));
    assert!(asks(&keys("name"), "type_text", json!({"text": "Ann\n"})));
    assert!(!asks(&keys("name"), "type_text", json!({"text": "Ann"})));
    assert!(!asks(&keys("name"), "keyevent", json!({"keycode": "KEYCODE_SPACE"})));
    for key in [
        "KEYCODE_TAB",
        "KEYCODE_DPAD_DOWN",
        "KEYCODE_BACK",
        "KEYCODE_HOME",
        "KEYCODE_VOLUME_UP",
        "KEYCODE_A",
        "KEYCODE_DEL",
    ] {
        assert!(!asks(&keys("pay"), "keyevent", json!({"keycode": key})), "{key}");
    }
    // Fingers: on it, held, dragged from it and to it, and a swipe that is a tap.
    let pay = keys("");
    for (tool, args, is_asked) in [
        ("tap", json!({"x": 500, "y": 150}), true),
        ("long_press_drag", json!({"x1": 500, "y1": 150, "x2": 500, "y2": 151}), true),
        ("drag", json!({"x1": 500, "y1": 350, "x2": 500, "y2": 150}), true),
        ("swipe", json!({"x1": 500, "y1": 150, "x2": 501, "y2": 150}), true),
        ("swipe", json!({"x1": 100, "y1": 150, "x2": 900, "y2": 150}), true),
        ("swipe", json!({"x1": 500, "y1": 150, "x2": 500, "y2": 1900}), false),
        ("tap", json!({"x": 500, "y": 350}), false),
        ("tap", json!({"x": 5000, "y": 350}), true),
    ] {
        assert_eq!(asks(&pay, tool, args.clone()), is_asked, "{tool} {args}");
    }
}

#[test]
fn what_lies_under_a_cover_counts_too() {
    let pay =
        node("class=\"android.widget.Button\" clickable=\"true\" text=\"Pay now\"", "[0,100][1080,200]", "");
    let cover = node("class=\"android.view.View\"", "[0,0][1080,2400]", "");
    let banner =
        node("class=\"android.widget.Button\" clickable=\"true\" text=\"Help\"", "[0,100][1080,200]", "");
    for tree in [tree(&[pay.clone(), cover].concat()), tree(&[pay, banner].concat())] {
        assert_ne!(decided(&tree, (500, 150), Level::Money), Decision::Allow);
    }
}

#[test]
fn a_screen_that_cannot_be_read_is_asked_about() {
    let rules = "rules:
  - {tool: tap, app: com.safe, decision: allow}
  - {app: com.bank*, decision: deny}
  - {label: '*delete*', decision: ask}
";
    let policy = Policy::read(rules).unwrap();
    let said = |policy: &Policy, tool: &str, args: serde_json::Value, app: Option<&str>| {
        let action = normalize(tool, &args).action;
        let on = Surroundings::unseen(app.map(str::to_owned));
        match policy.decide(&action, &on, None) {
            Decision::Allow => "allow",
            Decision::Deny { .. } => "deny",
            Decision::Ask { .. } => "ask",
        }
    };
    let tap = || ("tap", json!({"x": 1, "y": 1}));
    let none = Policy::default();
    for (policy, (tool, args), app, expected) in [
        (&none, tap(), None, "ask"),
        (&none, tap(), Some("com.shop"), "ask"),
        (&none, ("swipe", json!({"x1": 1, "y1": 1, "x2": 1, "y2": 900})), None, "ask"),
        (&none, ("keyevent", json!({"keycode": "KEYCODE_ENTER"})), None, "ask"),
        (&none, ("keyevent", json!({"keycode": "KEYCODE_DPAD_CENTER"})), None, "ask"),
        (&none, ("keyevent", json!({"keycode": "KEYCODE_BACK"})), None, "allow"),
        (&none, ("launch_app", json!({"packageName": "com.x"})), None, "allow"),
        // It may be the bank, so the rule that denies counts, and the one that allows does not.
        (&policy, tap(), None, "deny"),
        (&policy, tap(), Some("com.safe"), "allow"),
        (&policy, tap(), Some("com.bank.de"), "deny"),
        (&policy, tap(), Some("com.other"), "ask"),
        (&policy, ("launch_app", json!({"packageName": " com.bank.de "})), None, "deny"),
    ] {
        assert_eq!(said(policy, tool, args.clone(), app), expected, "{tool} {args} {app:?}");
    }
}

/// A menu: rows of a title and what their page has, then something else.
fn menu(rows: &[(&str, &str)], also: &str) -> Tree {
    let text = |said: &str, bounds: &str| {
        let said = attribute(said);
        node(&format!("class=\"android.widget.TextView\" text=\"{said}\""), bounds, "")
    };
    let rows = rows.iter().enumerate().map(|(at, (title, summary))| {
        let top = 1200 + 200 * at;
        let part = |from: usize, to: usize| format!("[0,{}][1080,{}]", top + from, top + to);
        let inside = text(title, &part(0, 100)) + &text(summary, &part(100, 200));
        let row = "class=\"android.view.ViewGroup\" clickable=\"true\" resource-id=\"a.b:id/open_order\"";
        node(row, &part(0, 200), &inside)
    });
    tree(&(rows.collect::<String>() + &text(also, "[0,300][1080,400]")))
}

#[test]
fn a_page_of_a_menu_may_be_called_like_what_pays() {
    let about = "Radios, sliders, boxes, a date";
    let others = [("Sign in", "E-mail and password"), ("Notes", "Many lines")];
    let asks = |first: (&str, &str), others: &[(&str, &str)], also: &str| {
        let tree = menu(&[&[first], others].concat(), also);
        decided(&tree, (540, 1250), Level::Money) != Decision::Allow
    };
    assert!(!asks(("Order", about), &others, "Form"));
    assert!(!asks(("Transfer", "From phone to phone"), &others, "Form"));
    // What says more than a name, or stands where something is bought, is asked about.
    assert!(asks(("Order now", about), &others, "Form"));
    assert!(asks(("Order", "Pay with one tap"), &others, "Form"));
    assert!(asks(("Order", about), &others, "Total 77,00 €"));
    assert!(asks(("Order", "2 pizzas, 12,50 €"), &others, "Form"));
    assert!(asks(("Order", about), &others[..1], "Form"));
    assert!(asks(("Pay", about), &others, "Form"));
}
