//! What phones print of what is in front, in shapes that real ones have.

use super::*;

fn lock(text: &str) -> Option<bool> {
    parse(text).keyguard
}

#[test]
fn the_app_in_front_is_read_from_what_phones_print() {
    for (text, package, activity, window) in [
        (
            "  mCurrentFocus=Window{3e1b2f5 u0 com.x/com.x.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.x/.Z t12}\n",
            "com.x",
            "com.x.Main",
            "com.x/com.x.Main",
        ),
        // An app chooses its titles: these are no activities.
        (
            "  mCurrentFocus=Window{3e1b2f5 u0 com.bank/com.bank.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.y/.Z t12}\n",
            "com.y",
            "com.y.Z",
            "com.bank/com.bank.Main",
        ),
        (
            "  mCurrentFocus=Window{3e1b2f5 u0 Photo 1/3}\n  mFocusedApp=ActivityRecord{1 u0 com.y/.Z t12}\n",
            "com.y",
            "com.y.Z",
            "Photo 1/3",
        ),
        (
            "  mCurrentFocus=null\n  mCurrentFocus=Window{1 u0 NotificationShade}\n  mFocusedApp=ActivityRecord{1 u0 com.y/.Z t12}\n",
            "com.y",
            "com.y.Z",
            "NotificationShade",
        ),
        (
            "  mCurrentFocus=Window{1 u0 PopupWindow:ab12}\r\n  mFocusedApp=AppWindowToken{9 token=Token{8 ActivityRecord{7 u0 com.y/com.z.A$B t3}}}\r\n",
            "com.y",
            "com.z.A$B",
            "PopupWindow:ab12",
        ),
        // A title has spaces, and phones append words to it.
        (
            "mFocusedApp=ActivityRecord{7 u0 com.y/.A} t3}\nmCurrentFocus=Window{1 u10 Application Not Responding: com.y}\n",
            "com.y",
            "com.y.A",
            "Application Not Responding: com.y",
        ),
        (
            "mCurrentFocus=Window{com.android.systemui:b3 u0 com.x/com.x.Main type=1 }\n",
            "com.x",
            "com.x.Main",
            "com.x/com.x.Main",
        ),
        (
            "mCurrentFocus=Window{43 com.x/com.x.Main paused=false}\n",
            "com.x",
            "com.x.Main",
            "com.x/com.x.Main",
        ),
        ("mCurrentFocus=Window{43 u0 com.x/com.x.Main EXITING}\n", "com.x", "com.x.Main", "com.x/com.x.Main"),
    ] {
        let read = parse(text);
        assert_eq!(
            (read.package.as_deref(), read.activity.as_deref(), read.window.as_deref()),
            (Some(package), Some(activity), Some(window)),
            "{text}"
        );
    }
}

#[test]
fn a_phone_is_locked_if_its_lock_screen_shows_and_nothing_covers_it() {
    let unlocked = "      showing=false\n      showingAndNotOccluded=true\n      occluded=false\n";
    for (text, locked) in [
        (unlocked.to_owned(), Some(false)),
        (format!("{unlocked}        mIsShowing=false\n"), Some(false)),
        (format!("{unlocked}        mIsShowing=true\n"), Some(true)),
        (unlocked.replace("showing=false", "showing=true"), Some(true)),
        ("      showing=true\n      inputRestricted=true\n".to_owned(), Some(true)),
        // A call shows before the lock screen.
        ("      showing=true\n      occluded=true\n        mIsShowing=true\n".to_owned(), Some(false)),
        (
            "    mKeyguardOccluded=true mKeyguardOccludedChanged=false\n    mIsShowing=true\n".to_owned(),
            Some(false),
        ),
        ("    isKeyguardShowing=true\n".to_owned(), Some(true)),
        ("    mStatusBar=Window{7 u0 StatusBar} isStatusBarKeyguard=true\n".to_owned(), Some(true)),
        ("    mShowingLockscreen=false mShowingDream=true\n".to_owned(), Some(false)),
        // These say nothing of it.
        ("      showingAndNotOccluded=true\n".to_owned(), None),
        ("    mIsImeShowing=true\n    mNotshowing=true\n    mForceshowing=true\n".to_owned(), None),
    ] {
        assert_eq!(lock(&text), locked, "{text}");
        assert_eq!(lock(&text.replace('\n', "\r\n")), locked, "{text}");
    }
}

#[test]
fn a_locked_phone_with_a_call_in_front_is_covered_and_a_dreaming_one_is_on() {
    let read = parse("      showing=true\n      occluded=true\n mWakefulness=Dreaming\n");
    assert_eq!((read.keyguard, read.is_covered, read.awake), (Some(false), true, Some(true)));
    assert!(!parse("      showing=false\n      occluded=true\n").is_covered);
    assert_eq!(parse(" mWakefulness=Dozing\n").awake, Some(false));
}

#[test]
fn what_was_in_front_when_an_app_hung_is_past() {
    let now = "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    isKeyguardShowing=false\nWINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 (organized)\n  mCurrentFocus=Window{2 u0 com.home/com.home.Main}\n  mFocusedApp=ActivityRecord{3 u0 com.home/.Main t1}\n";
    let past = "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n  ANR time: now\n  mCurrentFocus=Window{1 u0 com.old/com.old.Main}\n    isKeyguardShowing=true\n";
    let more = "Last ANR continued\nWINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 rootTasks=2\n  mCurrentFocus=Window{1 u0 com.old/com.old.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.old/.Main t9}\n";
    for before in [past.to_owned(), format!("{past}{more}")] {
        let read = parse(&format!("{before}{now}"));
        assert_eq!(read.package.as_deref(), Some("com.home"));
        assert_eq!(read.keyguard, Some(false));
        assert_eq!(parse(&before), Foreground::default());
    }
    assert_eq!(parse(more), Foreground::default());
}

#[test]
fn only_the_phones_own_display_counts() {
    let display = |id: &str, app: &str| {
        format!(
            "  Display: mDisplayId={id}\n  mCurrentFocus=Window{{{id} u13 {app}/{app}.Main}}\n  mFocusedApp=ActivityRecord{{{id} u13 {app}/.Main t1}}\n"
        )
    };
    let (own, cluster) = (display("0 (organized)", "com.x"), display("8", "com.cluster"));
    for text in [
        format!("{own}{cluster}"),
        format!("{cluster}{own}"),
        format!("{}{own}{cluster}", display("10", "com.virtual")),
    ] {
        assert_eq!(parse(&text).package.as_deref(), Some("com.x"), "{text}");
    }
    // Nothing has the focus there: it is not that of another one.
    let none = own.replace("Window{0 (organized) u13 com.x/com.x.Main}", "null");
    assert_eq!(parse(&format!("{cluster}{none}")).window, None);
    // Android up to 9 tells the focus behind all displays.
    let old = format!(
        "  Display: mDisplayId=0\n{}WINDOW MANAGER WINDOWS (dumpsys window windows)\n  mCurrentFocus=Window{{1 u0 com.x/.Main}}\n",
        "  Display: mDisplayId=1\n"
    );
    assert_eq!(parse(&old).package.as_deref(), Some("com.x"));
}

#[test]
fn what_a_phone_does_not_say_is_not_guessed() {
    assert_eq!(parse("mCurrentFocus=null\nmFocusedApp=null\n"), Foreground::default());
    for title in ["Chats/Calls", "Photo 1/3", "see com.bank/com.bank.Main"] {
        let read = parse(&format!("mCurrentFocus=Window{{1 u0 {title}}}\n"));
        assert_eq!((read.package, read.activity), (None, None), "{title}");
    }
    let spoof = parse("mCurrentFocus=Window{1 u0 com.bank/com.bank.Main}\nmFocusedApp=null\n");
    assert_eq!(spoof.package, None);
    assert_eq!(parse("mInputShown=maybe\nmIsShowing=\n\u{0}"), Foreground::default());
    let read =
        parse("    mIsShowing=true\n mWakefulness=Dozing\n a=1 mInputShown=false b=2\n mInputShown=true\n");
    assert_eq!((read.keyguard, read.awake, read.input_shown), (Some(true), Some(false), Some(true)));
}
