//! What phones print of their windows, in shapes that real ones have.

use super::*;

const PLAIN: &str = "  Window #0 Window{1 u0 StatusBar}:
    mDisplayId=0 mSession=Session{1 2}
    isOnScreen=true
  Window #1 Window{2 u0 com.bank/.Main}:
    mDisplayId=0 taskId=4 mSession=Session{1 2}
      fl=LAYOUT SECURE
    mHasSurface=true isReadyForDisplay()=true
    isOnScreen=true
  Window #2 Window{3 u0 com.hidden/.Main}:
      fl=SECURE
    isOnScreen=false\n";

#[test]
fn windows_that_forbid_pictures_are_named() {
    let vivo = PLAIN.replace("Main}:", "Main type=1 }:");
    let later = PLAIN.replace(
        "    isOnScreen",
        "    mForceSeamlesslyRotate=false seamlesslyRotate: pending=null    isOnScreen",
    );
    let old = PLAIN
        .replace(
            "      fl=LAYOUT SECURE",
            "    mAttrs=WM.LayoutParams{(0,0)(fillxfill) ty=1 fl=#81812100 pfl=0x20000}",
        )
        .replace("    isOnScreen=true\n", "")
        .replace("    isOnScreen=false", "    mHasSurface=false isReadyForDisplay()=false");
    for text in [PLAIN, &vivo, &later, &old, &PLAIN.replace('\n', "\r\n")] {
        assert_eq!(secure(text), ["com.bank/.Main"], "{text}");
    }
    let other_display = PLAIN.replace("mDisplayId=0 taskId", "mDisplayId=2 taskId");
    let plain = old.replace("fl=#81812100", "fl=#81810100");
    for text in ["grep: not found", &other_display, &plain] {
        assert_eq!(secure(text), [""; 0], "{text}");
    }
    // What is being taken away is still on the screen.
    let leaving = PLAIN.replace("isReadyForDisplay()=true", "isReadyForDisplay()=false");
    assert_eq!(secure(&leaving), ["com.bank/.Main"]);
    let named = PLAIN.replace("com.bank/.Main", "Bank of Two 0");
    assert_eq!(secure(&named), ["Bank of Two 0"]);
}

#[test]
fn a_window_is_where_its_frame_is() {
    let frames = |lines: &str| {
        let text = format!("  Window #0 Window{{c:1 u0 Toast type=2005 }}:\n{lines}");
        parse(&text).first().and_then(|window| window.frame)
    };
    let wanted = Some(Bounds::new(28, 671, 1052, 1185));
    for lines in [
        "    mFrame=[28,671][1052,1185] last=[0,0][0,0]\n",
        "    Frames: parent=[0,0][1080,2424] display=[0,0][1080,2424] frame=[28,671][1052,1185] last=[0,0][9,9] insetsChanged=false\n",
        "    mFrame=[28,671][1052,1185] last=[0,0][0,0]\n    touchable region=SkRegion((1,2,3,4))\n    isOnScreen=true\n",
    ] {
        assert_eq!(frames(lines), wanted, "{lines}");
    }
    assert_eq!(frames("    Frames: parent=[0,0][1080,2424]\n"), None);
}

#[test]
fn a_keyboard_is_where_it_takes_touches_while_it_is_seen() {
    let said = |region: &str, seen: &str| {
        format!(
            "  Window #7 Window{{88b u0 InputMethod}}:\n    mDisplayId=0 mSession=Session{{7 8}}\n    touchable region=SkRegion({region})\n    Frames: parent=[0,0][9,9] display=[0,0][9,9] frame=[0,0][9,9] last=[0,0][9,9]\n    {seen}\n"
        )
    };
    for (region, seen, expected) in [
        ("(0,1665,1080,2400)", "isOnScreen=true", Some("[0,1665][1080,2400]")),
        ("(0,9,5,20)(5,3,10,20)", "isOnScreen=true", Some("[0,3][10,20]")),
        ("(0,1665,1080,2400)", "isOnScreen=false", None),
        ("(0,1665,1080,2400)", "a: pending=null    isOnScreen=false", None),
        ("", "isOnScreen=true", None),
        ("(1,2,3)", "isOnScreen=true", None),
        ("(1,2,3,x)", "isOnScreen=true", None),
    ] {
        let found = keyboard(&said(region, seen)).map(|bounds| bounds.to_string());
        assert_eq!(found.as_deref(), expected, "{region} {seen}");
    }
    assert_eq!(keyboard("No windows match: InputMethod"), None);
}

#[test]
fn what_may_draw_something_that_no_tree_says_is_a_canvas() {
    let black = |inside: &str| {
        let text = format!(
            "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][9,9]\">{inside}<node class=\"android.widget.TextView\" text=\"x\" bounds=\"[8,8][9,9]\"/></node></hierarchy>"
        );
        let tree = clawperator_ui::read(&text).unwrap();
        canvases(&tree).collect::<Vec<_>>()
    };
    let node = |class: &str, more: &str, inside: &str| {
        format!("<node class=\"android.{class}\" {more} bounds=\"[1,1][5,5]\">{inside}</node>")
    };
    let empty = node("view.View", "", "");
    let group = node("view.ViewGroup", "", &empty);
    for drawn in [
        node("webkit.WebView", "", ""),
        node("webkit.WebView", "", &node("widget.TextView", "", "")),
        node("webkit.WebView", "", &group),
        node("widget.VideoView", "", ""),
        node("view.SurfaceView", "", &node("widget.ImageView", "", "")),
        node("view.View", "", ""),
        node("widget.FrameLayout", "", ""),
    ] {
        assert!(black(&drawn).contains(&Bounds::new(1, 1, 5, 5)), "{drawn}");
    }
    for plain in [
        node("webkit.WebView", "", &node("widget.TextView", "text=\"a\"", "")),
        node("widget.EditText", "", ""),
        node("widget.ImageView", "", ""),
        node("view.View", "content-desc=\"Menu\"", ""),
        node("widget.SeekBar", "", ""),
    ] {
        assert_eq!(black(&plain), [], "{plain}");
    }
}
