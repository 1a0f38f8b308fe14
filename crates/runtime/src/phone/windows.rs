//! The windows on a screen, and what of it a picture may show while something is
//! dark. Pure.

use super::capture::Seen;
use super::front::{Front, PROBE};
use clawperator_ui::{Bounds, Tree};

/// Prints which windows there are, the uppermost first, and where they are.
pub(super) const WINDOWS: &str = "dumpsys window windows | grep -E '^ +(Window #|mDisplayId=|fl=.*SECURE|\
touchable region=|mFullConfiguration=|mFrame=|Frames:.* frame=|isOnScreen=)'";

/// What a picture may show.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) shown: Vec<Bounds>,
    /// What is black in that.
    pub(super) black: Vec<Bounds>,
}

/// A window on the screen.
#[derive(Debug)]
struct Window<'t> {
    number: &'t str,
    title: &'t str,
    is_seen: bool,
    is_secure: bool,
    /// Whether it is an app's, and neither the launcher's nor the phone's own.
    is_app: bool,
    frame: Option<Bounds>,
    /// Where a keyboard takes touches: its frame is larger.
    keys: Option<Bounds>,
}

/// Prints the number of the window that has the focus, and all windows.
pub(super) fn with_focus() -> String {
    format!("{PROBE}; echo \"$f\"; {WINDOWS}")
}

/// The windows that are seen and forbid pictures.
pub(super) fn secure(said: &str) -> Vec<String> {
    let windows = parse(said).into_iter().filter(|window| window.is_secure);
    windows.map(|window| window.title.to_owned()).collect()
}

impl Cover {
    /// The window that has the focus is the one that was read. It is shown whole if
    /// it is an app's and hides all below it: a dialog or a sheet may be seen
    /// through, and the phone's own windows show pictures of others. Of these only
    /// what draws a text is shown. What lies above is black, and without a window
    /// all is.
    pub(super) fn of(said: &str, seen: Seen) -> Self {
        let (focus, list) = said.split_once('\n').unwrap_or_default();
        let windows = parse(list);
        let number = seen.front.as_ref().and_then(Front::number);
        let at = windows.iter().position(|window| window.number == focus.trim());
        let at = at.filter(|at| number.is_none_or(|number| number == windows[*at].number));
        let above = at.map_or(&[][..], |at| &windows[..at]);
        let places: Option<Vec<Bounds>> = above.iter().map(|window| window.keys.or(window.frame)).collect();
        let mut cover = Self {
            shown: Vec::new(),
            black: seen.private.areas,
        };
        if let (Some(at), Some(places)) = (at, places) {
            let hides = |frame: &Bounds| {
                let mut below = windows[at + 1..].iter().map(|window| window.frame);
                windows[at].is_app && below.all(|other| other.is_some_and(|it| it.overlap(frame).is_empty()))
            };
            let whole = windows[at].frame.filter(hides);
            cover.shown = whole.map_or_else(|| texts(&seen.tree), |frame| vec![frame]);
            cover.black.extend(places);
        }
        for areas in [&mut cover.shown, &mut cover.black] {
            areas.sort_by_key(|it| (it.left, it.top, it.right, it.bottom));
            areas.dedup();
        }
        cover
    }
}

/// Where elements are that draw a text and nothing else.
fn texts(tree: &Tree) -> Vec<Bounds> {
    let is_leaf = |id| tree.children(id).next().is_none();
    let draws = |class: &str| class.ends_with("TextView") || class.ends_with("Button");
    let all = tree.nodes();
    let texts = all.filter(|(id, node)| !node.text.is_empty() && draws(&node.class) && is_leaf(*id));
    texts.map(|(_, node)| node.bounds).collect()
}

/// The windows that are seen, or of which it is not known.
fn parse(lines: &str) -> Vec<Window<'_>> {
    let mut windows: Vec<Window<'_>> = Vec::new();
    for line in lines.lines().map(str::trim) {
        if line.starts_with("Window #") {
            // `Window #4 Window{1a2b u0 com.bank/.Main}:`
            let name = line.split_once("Window{").map_or("", |(_, name)| name);
            windows.push(Window {
                number: name.split(' ').next().unwrap_or_default(),
                title: name.trim_end_matches("}:").rsplit(' ').next().unwrap_or_default(),
                is_seen: true,
                is_secure: false,
                is_app: false,
                frame: None,
                keys: None,
            });
        } else if let Some(window) = windows.last_mut() {
            match line.split_once('=').unwrap_or((line, "")) {
                // Another display has its own.
                ("mDisplayId", rest) => window.is_seen &= rest.split(' ').next() == Some("0"),
                ("isOnScreen", rest) => window.is_seen &= rest != "false",
                ("fl", _) => window.is_secure = true,
                ("mFullConfiguration", rest) => window.is_app = rest.contains("mActivityType=standard"),
                ("touchable region", rest) if window.title == "InputMethod" => window.keys = region(rest),
                ("mFrame", rest) => window.frame = frame(rest),
                _ => window.frame = line.split_once(" frame=").and_then(|(_, rest)| frame(rest)),
            }
        }
    }
    windows.retain(|window| window.is_seen);
    windows
}

fn frame(text: &str) -> Option<Bounds> {
    Bounds::parse(text.split(' ').next()?)
}

/// What is around `SkRegion((0,1400,1080,2280)(…))`.
fn region(text: &str) -> Option<Bounds> {
    let numbers: Vec<i32> = text
        .split(|c: char| !c.is_ascii_digit())
        .flat_map(str::parse)
        .collect();
    let each = numbers
        .chunks_exact(4)
        .map(|at| Bounds::new(at[0], at[1], at[2], at[3]));
    each.reduce(|all, one| all.around(&one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_forbid_pictures_are_named() {
        let lines = "  Window #0 Window{1 u0 StatusBar}:\n    isOnScreen=true
  Window #1 Window{2 u0 com.bank/.Main}:\n      fl=LAYOUT SECURE\n    isOnScreen=true
  Window #2 Window{3 u0 com.hidden/.Main}:\n      fl=SECURE\n    isOnScreen=false\n";
        assert_eq!(secure(lines), ["com.bank/.Main"]);
        assert_eq!(secure("grep: not found"), [""; 0]);
    }
}
