//! What a phone checks before it is touched.

use super::*;
#[cfg(unix)]
use crate::phone::script::KEYS;

/// What a checked script prints on a phone whose window in front, and whose lock,
/// is each of these, one after the other. The number tells whether it has begun.
#[cfg(unix)]
fn printed(wanted: &str, fronts: &[&str], lock: &str) -> String {
    use crate::phone::shell::{Client, run};
    let script = guard(&[KEYS]).unwrap().value("wanted", wanted).unwrap();
    let text = script.value("clear", "").unwrap().words(["text", "one", "two"]).unwrap().text();
    let phone = "input() { echo \"$2\"; }; grep() { cat; }; \
         dumpsys() { case $2 in displays) read -r cl_now <&9; printf 'mDisplayId=0 x\\ninit=1x1 cur=9x9 \\nmCurrentRotation=ROTATION_0\\nmCurrentFocus=%s\\n' \"$cl_now\";; windows) echo package=com.x appop;; policy) read -r lock <&8; echo \"$lock\";; esac; }";
    let fronts = fronts.join("\n");
    let locks = if lock.contains('\n') { lock.to_owned() } else { [lock; 3].join("\n") };
    let here = format!("exec 9<<'END' 8<<'LOCKS'\n{fronts}\nEND\n{locks}\nLOCKS");
    let mut out = run(&format!("{phone}\n{here}"), &text, Client::Waits).out;
    let begun = match begun(&mut out) {
        DispatchState::No => "0",
        DispatchState::Unknown => "1",
    };
    out.trim().replace('\n', "; ").replace(NOT_DONE, &format!("{begun} "))
}

#[test]
#[cfg(unix)]
fn keys_are_pressed_only_while_what_is_wanted_is_in_front() {
    let (own, next) = ("Window{a1 u0 com.x/.Main}", "Window{a2 u0 com.x/.Next}");
    let (other, popup) = ("Window{b1 u0 com.y/.Main}", "Window{c1 u0 PopupWindow:1}");
    let shade = "Window{d1 u0 NotificationShade}";
    let (vivo, vivo_other) = ("Window{c.ui:b3 u0 Panel type=2024 }", "Window{c.ui:b4 u0 Panel type=2024 }");
    for (wanted, fronts, said) in [
        ("9x9,0,a1", [own, own, own], "one; two"),
        ("9x9,0,a1", [other, own, own], "0 changed com.y/.Main}"),
        ("9x9,0,a1", [next, own, own], "0 changed com.x/.Next}"),
        ("9x9,0,a1", [own, other, own], "one; 1 changed com.y/.Main}"),
        ("9x9,0,a1", [own, own, other], "one; two; 1 changed com.y/.Main}"),
        // Names as vivo's phones have them: the number comes after the package.
        ("9x9,0,c.ui:b3", [vivo, vivo, vivo], "one; two"),
        ("9x9,0,c.ui:b3", [vivo, vivo_other, vivo], "one; 1 changed Panel"),
        // The app is known, not the window.
        ("@com.x", [own, next, own], "one; two"),
        ("@com.x", [popup, own, own], "one; two"),
        ("@com.z", [popup, own, own], "0 changed PopupWindow:1}"),
        ("@com.x", [own, other, own], "one; 1 changed com.y/.Main}"),
        // What is in front at the start, unless the phone may be locked.
        ("-", [own, own, own], "one; two"),
        ("-", [own, other, own], "one; 1 changed com.y/.Main}"),
        ("-", [shade, shade, shade], "one; two"),
    ] {
        assert_eq!(printed(wanted, &fronts, ""), said, "{wanted} {fronts:?}");
    }
    // Whatever is wanted, a phone that is locked or off does not get it.
    for (lock, said) in [
        ("mIsShowing=true mWakefulness=Awake", "0 locked"),
        ("mIsShowing=true mWakefulness=Dozing", "0 off"),
        ("mIsShowing=false mWakefulness=Asleep", "0 off"),
        ("occluded=true mIsShowing=true mWakefulness=Awake", "one; two"),
        ("mIsShowing=false mWakefulness=Dreaming", "one; two"),
        ("showing=true showingAndNotOccluded=true mWakefulness=Awake", "0 locked"),
        ("showing=false showingAndNotOccluded=true mWakefulness=Awake", "one; two"),
        ("mIsShowing=maybe", "one; two"),
    ] {
        for wanted in ["-", "9x9,0,d1", "@com.x"] {
            assert_eq!(printed(wanted, &[shade; 3], lock), said, "{wanted} {lock}");
        }
        // Whatever has the focus.
        for front in
            [own, "Window{e1 u0 Application Not Responding: com.y}", "Window{e1 u0 BiometricPrompt}", "null"]
        {
            assert_eq!(printed("-", &[front; 3], lock), said, "{front} {lock}");
        }
    }
    // A title that names another app than the one that has the focus is a text.
    let app = "ActivityRecord{1 u0 com.x/.Main t1}";
    for (title, said) in
        [("com.x/.Main", "one; two"), ("com.y/.Main", "one; two"), ("Chats/Calls", "one; two")]
    {
        let front = format!("Window{{a1 u0 {title}}} mFocusedApp={app}");
        assert_eq!(printed("@com.x", &[front.as_str(); 3], ""), said, "{title}");
        assert_ne!(printed("@com.y", &[front.as_str(); 3], ""), said, "{title}");
    }
    let locked = "mIsShowing=false\nmIsShowing=false\nmIsShowing=true mWakefulness=Awake";
    assert_eq!(printed("9x9,0,a1", &[own, own, shade], locked), "one; two; 1 locked");
}

#[test]
fn an_app_leads_to_another_if_it_starts_it_or_goes_away() {
    let open = |package: &str, by: &str| {
        format!(
            "    * Hist  #0: ActivityRecord{{{} u0 {package}/.Main t1}}\n      launchedFromUid=1 launchedFromPackage={by} userId=0\n",
            package.len()
        )
    };
    let (own, home) = (open("com.x", "com.home"), open("com.home", "android"));
    for (before, history, led) in [
        (String::new(), open("com.y", "com.x") + &own + &home, true),
        (String::new(), open("com.y", "com.z") + &own + &home, false),
        // It was open before; another app may have started it.
        (open("com.y", "com.x"), open("com.y", "com.x") + &own + &home, false),
        // The first one has closed itself, or was killed.
        (open("com.y", "com.z") + "pid 7", open("com.y", "com.z") + &home + "pid 7", true),
        (open("com.y", "com.z") + "pid 7", open("com.y", "com.z") + &home + "pid 8", false),
        (open("com.y", "com.z") + "pid", open("com.y", "com.z") + &home + "pid", false),
        (String::new(), open("com.y", "com.z") + &home, false),
        // What is in front is no activity.
        (String::new(), own + &home, false),
        // The phone does not say.
        (String::new(), String::new(), false),
    ] {
        assert_eq!(has_led(&before, &history, "com.x", "com.y"), led, "{history}");
    }
}
