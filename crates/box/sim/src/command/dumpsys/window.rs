//! Windows: which there are, which has the focus, and whether the phone is locked.

use super::{dialog_name, focused_window, front_record, hash, record, window_name};
use crate::phone::{LAUNCHER_PACKAGE, OpenActivity, Phone, SYSTEM_UI};
use clawperator_ui::Bounds;

pub(super) fn dump(phone: &mut Phone, words: &[&str]) -> String {
    if phone.is_like("mute") {
        return String::new();
    }
    let text = part(phone, words);
    if phone.is_like("vivo") {
        return as_vivo(&text);
    }
    text
}

/// The same with windows named as vivo's phones name them: with the type, and
/// those of the system with its package.
fn as_vivo(text: &str) -> String {
    let named = text.split("Window{").enumerate().map(|(number, rest)| {
        let Some((name, after)) = rest.split_once('}').filter(|_| number > 0) else {
            return rest.to_owned();
        };
        let (owner, kind) = if name.contains('/') { ("", "1") } else { ("com.android.systemui:", "2040") };
        format!("Window{{{owner}{name} type={kind} }}{after}")
    });
    named.collect()
}

fn part(phone: &Phone, words: &[&str]) -> String {
    let word = words.iter().find(|word| !matches!(**word, "-a" | "--all"));
    match word.copied() {
        Some("windows" | "w" | "visible" | "visible-apps") => windows(phone, ""),
        Some("displays" | "d") => displays(phone),
        Some("policy" | "p") => policy(phone),
        Some("lastanr" | "l") => last_anr(phone),
        Some("animator" | "a") => {
            "WINDOW MANAGER ANIMATOR STATE (dumpsys window animator)\n    mAnimating=false\n".to_owned()
        }
        Some("sessions" | "s" | "tokens" | "t" | "input" | "trace" | "refresh") => {
            format!("WINDOW MANAGER (dumpsys window)\n{}", focus(phone))
        }
        Some("all") | None => [last_anr(phone), policy(phone), displays(phone), windows(phone, "")].concat(),
        Some(part) if rows(phone).iter().any(|row| row.title.contains(part)) => windows(phone, part),
        Some(other) => format!("Bad window command, or no windows match: {other}\nUse -h for help.\n"),
    }
}

/// A window: its name, its owner, its type and its flags.
struct WindowRow {
    title: String,
    name: String,
    package: String,
    kind: &'static str,
    flags: &'static str,
    activity: Option<String>,
}

/// The phone's bars: title, type and flags.
const BARS: [(&str, &str, &str); 3] = [
    ("NavigationBar0", "NAVIGATION_BAR", "NOT_FOCUSABLE TOUCHABLE_WHEN_WAKING SPLIT_TOUCH"),
    ("NotificationShade", "NOTIFICATION_SHADE", "TOUCHABLE_WHEN_WAKING WATCH_OUTSIDE_TOUCH SPLIT_TOUCH"),
    ("StatusBar", "STATUS_BAR", "NOT_FOCUSABLE SPLIT_TOUCH"),
];

fn rows(phone: &Phone) -> Vec<WindowRow> {
    let row = |title: &str, package: &str, kind, flags| WindowRow {
        name: window_name(title),
        title: title.to_owned(),
        package: package.to_owned(),
        kind,
        flags,
        activity: None,
    };
    let mut rows: Vec<_> =
        BARS.iter().map(|(title, kind, flags)| row(title, SYSTEM_UI, kind, flags)).collect();
    if phone.keyboard_shown {
        let package = "com.google.android.inputmethod.latin";
        rows.push(row("InputMethod", package, "INPUT_METHOD", "NOT_FOCUSABLE LAYOUT_IN_SCREEN"));
    }
    let flags = "NOT_FOCUSABLE LAYOUT_IN_SCREEN HARDWARE_ACCELERATED";
    if let Some(package) = phone.overlay_package() {
        rows.push(row(package, package, "APPLICATION_OVERLAY", flags));
    }
    if phone.toasts.current().is_some() {
        rows.push(row("Toast", SYSTEM_UI, "TOAST", flags));
    }
    for window in phone.shown_windows().rev() {
        let title = window.title();
        if title != "NotificationShade" {
            let flags = "LAYOUT_IN_SCREEN DIM_BEHIND HARDWARE_ACCELERATED";
            rows.push(row(&title, window.owner(), "SYSTEM_ERROR", flags));
        }
    }
    rows.extend(dialog_row(phone));
    for (number, OpenActivity { task, package, class }) in phone.open_activities().into_iter().enumerate() {
        let secure = number == 0 && phone.is_secure();
        let flags = if secure {
            "LAYOUT_IN_SCREEN SECURE LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED DRAWS_SYSTEM_BAR_BACKGROUNDS"
        } else {
            "LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED DRAWS_SYSTEM_BAR_BACKGROUNDS"
        };
        rows.push(WindowRow {
            activity: Some(record(task, package, class)),
            ..row(&format!("{package}/{class}"), package, "BASE_APPLICATION", flags)
        });
    }
    rows
}

fn dialog_row(phone: &Phone) -> Option<WindowRow> {
    let (dialog, (package, class)) = (phone.front_dialog()?, phone.front_activity()?);
    let title = format!("{package}/{class}");
    Some(WindowRow {
        name: dialog_name(&title, dialog),
        title,
        package: package.to_owned(),
        kind: "APPLICATION",
        flags: "LAYOUT_IN_SCREEN DIM_BEHIND SPLIT_TOUCH HARDWARE_ACCELERATED",
        activity: None,
    })
}

/// What was in front when an app last hung. It comes first, and looks like what is in front now.
fn last_anr(phone: &Phone) -> String {
    let head = "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n";
    let Some((package, class)) = &phone.last_hung else {
        return format!("{head}  <no ANR has occurred since boot>\n\n");
    };
    let (app, window) = (record(1, package, class), window_name(&format!("{package}/{class}")));
    format!(
        "{head}  ANR time: Jan 1, 2026 12:00:00 AM\n  Application at fault: {app}\n  Reason: Input dispatching timed out\n  mCurrentFocus={window}\n\nLast ANR continued\nWINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 (organized)\n  mCurrentFocus={window}\n  mFocusedApp={app}\n    isKeyguardShowing=true\n\n"
    )
}

fn focus(phone: &Phone) -> String {
    let current = focused_window(phone).unwrap_or_else(|| "null".to_owned());
    // A window of the phone's own that is an activity is the app in front.
    let own = phone.front_window().map(crate::phone::SystemWindow::title);
    let own = own.as_deref().and_then(|title| title.split_once('/'));
    let app = own.map_or_else(|| front_record(phone), |(package, class)| record(1, package, class));
    format!("  mCurrentFocus={current}\n  mFocusedApp={app}\n")
}

/// The windows whose title has this part.
fn windows(phone: &Phone, part: &str) -> String {
    let mut text = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n".to_owned();
    let focused = phone.focus().map(|focus| focus.title);
    let front = phone.front_activity().map(|(package, class)| format!("{package}/{class}"));
    let focused_name = focused_window(phone);
    for (number, row) in rows(phone).iter().enumerate() {
        if !row.title.contains(part) {
            continue;
        }
        // Only of a window that does not take every touch within its frame.
        let region = if row.kind == "INPUT_METHOD" {
            let keys = phone.keyboard_bounds();
            format!(
                "    touchable region=SkRegion(({},{},{},{}))\n",
                keys.left, keys.top, keys.right, keys.bottom
            )
        } else {
            String::new()
        };
        let activity = row.activity.as_ref().map_or_else(String::new, |record| {
            format!("    mToken={record}\n    mActivityRecord={record}\n")
        });
        // What is there is seen, but for apps and the shade, which may be behind others.
        let hides = matches!(row.kind, "BASE_APPLICATION" | "APPLICATION" | "NOTIFICATION_SHADE");
        let seen = phone.power.awake
            && (!hides
                || focused.as_ref() == Some(&row.title)
                || (front.as_ref() == Some(&row.title) && !phone.power.locked));
        let uid = phone.packages.get(&row.package).map_or(1_000, |package| package.uid);
        let frame = frame(phone, row, focused_name.as_ref() == Some(&row.name));
        let kind = activity_type(row);
        let before = if phone.is_like("android13") {
            "mForceSeamlesslyRotate=false seamlesslyRotate: pending=null    "
        } else {
            ""
        };
        text.push_str(&format!(
            "  Window #{number} {}:\n    mDisplayId=0 mSession=Session{{{} {uid}}} mClient=android.os.BinderProxy@{}\n    mOwnerUid={uid} showForAllUsers=false package={} appop=NONE\n    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty={} fmt=TRANSPARENT\n      fl={}\n      pfl=USE_BLAST}}\n{region}{activity}    mFullConfiguration={{1.0 ?mcc0mnc [en_US] winConfig={{ mWindowingMode=fullscreen mActivityType={kind}}}}}\n    Frames: parent={frame} display={frame} frame={frame} last=[0,0][0,0]\n    mHasSurface={seen} isReadyForDisplay()={seen}\n    {before}isOnScreen={seen}\n    isVisible={seen}\n",
            row.name,
            hash(&row.package),
            hash(&row.title),
            row.package,
            row.kind,
            row.flags,
        ));
    }
    let (width, height) = phone.display.size();
    text.push('\n');
    // Since Android 10 the focus belongs to a display, and is not told here.
    if phone.tells_focus_with_windows() {
        text.push_str(&focus(phone));
    }
    text.push_str(&format!(
        "  mInTouchMode=true\n  mLastDisplayFreezeDuration=0\n  mDisplayFrozen=false windows=0 client=false apps=0  mRotation={}  mLastOrientation=-1\n  mGlobalConfiguration={{1.0 310mcc260mnc [en_US] ldltr sw{}dp {}dpi}}\n",
        phone.display.rotation,
        width.min(height) * 160 / phone.display.density().max(1),
        phone.display.density(),
    ));
    text
}

fn activity_type(row: &WindowRow) -> &'static str {
    match (row.title.contains('/'), row.package == LAUNCHER_PACKAGE) {
        (true, true) => "home",
        (true, false) => "standard",
        (false, _) => "undefined",
    }
}

/// Where a window is. The keyboard's is larger than the keyboard.
fn frame(phone: &Phone, row: &WindowRow, is_focused: bool) -> Bounds {
    let display = phone.display.bounds();
    let view = || phone.active_view(phone.front_app().as_ref()).map(|(_, view)| view.bounds);
    match row.kind {
        "STATUS_BAR" => Bounds { bottom: phone.display.px(24), ..display },
        "NAVIGATION_BAR" => Bounds { top: display.bottom - phone.handle_height(), ..display },
        "APPLICATION_OVERLAY" => phone.overlay_bounds(),
        "TOAST" => phone.toasts.current().map_or(display, |toast| phone.toast_bounds(toast)),
        "APPLICATION" | "SYSTEM_ERROR" if is_focused => view().unwrap_or(display),
        _ => display,
    }
}

fn displays(phone: &Phone) -> String {
    let display = &phone.display;
    let (width, height) = display.size();
    let (made_width, made_height) = display.physical;
    let bar = display.px(24);
    // The cover's display comes first.
    let cover = if phone.is_like("samsung") {
        "  Display: mDisplayId=1\n    init=720x748 340dpi cur=720x748 app=720x748\n    mCurrentRotation=ROTATION_0\n  mCurrentFocus=Window{c0fe u0 com.cover/com.cover.Clock}\n  mFocusedApp=ActivityRecord{c0fe u0 com.cover/.Clock t9}\n\n"
    } else {
        ""
    };
    let base = match (display.size_override, display.density_override) {
        (None, None) => String::new(),
        (size, _) => {
            let (width, height) = size.unwrap_or(display.physical);
            format!(" base={width}x{height} {}dpi", display.density())
        }
    };
    let turned = u32::from(display.rotation) * 90;
    let in_front = if phone.tells_focus_with_windows() {
        String::new()
    } else {
        let focus = focus(phone);
        format!(
            "    mCurrentRotation=ROTATION_{turned} mUserRotation=ROTATION_{turned}\n  mLayoutSeq=42\n{focus}"
        )
    };
    format!(
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n{cover}  Display: mDisplayId=0 (organized)\n    init={made_width}x{made_height} {}dpi{base} cur={width}x{height} app={width}x{} rng={}x{}-{}x{}\n    deferred=false mLayoutNeeded=false\n{in_front}  mMinimumTaskSizeOfResizeableTask=220\n\n",
        display.physical_density,
        height - bar,
        width.min(height),
        width.min(height) - bar,
        width.max(height),
        width.max(height) - bar,
    )
}

fn policy(phone: &Phone) -> String {
    let (awake, locked) = (phone.power.awake, phone.power.locked);
    if phone.is_like("kitkat") {
        // It says nothing of the lock while the screen is off.
        let shows = locked && awake;
        return format!(
            "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mScreenOnEarly={awake} mScreenOnFully={awake} mOrientationSensorEnabled=false\n    mShowingLockscreen={shows} mShowingDream=false mDreamingLockscreen={shows}\n    mHideLockScreen=false\n\n"
        );
    }
    // A call shows before the lock screen.
    let covered = locked && phone.focus().is_some_and(|focus| focus.title.contains('/'));
    let state = if awake { "ON" } else { "OFF" };
    let interactive = if awake { "AWAKE" } else { "SLEEP" };
    let (occluded, monitor) = if phone.is_like("newest") {
        ("", String::new())
    } else {
        // The first is set when the phone starts, and never again.
        (
            "      showingAndNotOccluded=true\n",
            format!(
                "      secure=false\n      KeyguardStateMonitor\n        mIsShowing={locked}\n        mInputRestricted={locked}\n        mCurrentUserId=0\n"
            ),
        )
    };
    format!(
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mSafeMode=false mSystemReady=true mSystemBooted=true
    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}
    mKeyguardDrawComplete=true mWindowManagerDrawComplete=true
    mShowingDream=false mDreamingLockscreen={locked} mDreamingSleepToken=null
    mKeyguardOccluded={covered} mKeyguardOccludedChanged=false mPendingKeyguardOccluded=false
    mLidState=LID_ABSENT mCameraLensCoverState=CAMERA_LENS_COVER_ABSENT
    mUserRotationMode={} mUserRotation=ROTATION_{}
    mTopFullscreenOpaqueWindowState={}
    KeyguardServiceDelegate
      showing={locked}
{occluded}      inputRestricted={locked}
      occluded={covered}
      dreaming=false
      systemIsReady=true
      deviceHasKeyguard=true
      enabled=true
      offReason=OFF_BECAUSE_OF_USER
      currentUser=0
      bootCompleted={}
      screenState=SCREEN_STATE_{state}
      interactiveState=INTERACTIVE_STATE_{interactive}
{monitor}
",
        if phone.settings.get(crate::phone::Namespace::System, "accelerometer_rotation") == Some("1") {
            "USER_ROTATION_FREE"
        } else {
            "USER_ROTATION_LOCKED"
        },
        u32::from(phone.display.rotation) * 90,
        phone
            .front_activity()
            .map_or_else(|| "null".to_owned(), |(package, class)| window_name(&format!("{package}/{class}"))),
        phone.power.booted,
    )
}
