//! The windows on a screen, and what of it a picture may show while something is dark. Pure.

use super::capture::LookResult;
use super::foreground::window_name;
use super::front::Front;
use super::script::{SCREEN, Script, WINDOWS as WINDOW_LIST};
use crate::quote::Nul;
use clawperator_ui::{Bounds, Tree};

/// Picks the lines that say which windows there are, the uppermost first, and where.
macro_rules! window_lines {
    () => {
        "^ +(Window #|mDisplayId=|fl=.*SECURE|mAttrs=.* fl=#|touchable region=|mFullConfiguration=|mFrame=|Frames:.* frame=|mHasSurface=)|(^| )isOnScreen="
    };
}

/// Prints which windows there are, or the keyboard's.
pub(super) const WINDOWS: &str = concat!("dumpsys window windows | grep -E '", window_lines!(), "'");
pub(super) const KEYBOARD: &str = concat!("dumpsys window InputMethod | grep -E '", window_lines!(), "'");
const LINES: &str = window_lines!();

/// The number of the phone's own display.
const OWN: &str = "0";
/// The flag of a window that forbids pictures, in Android up to 8.
const SECURE: u32 = 0x2000;

/// What a picture may show.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) shown: Vec<Bounds>,
    /// What is black in that.
    pub(super) black: Vec<Bounds>,
}

/// A window on the screen.
#[derive(Debug, Default)]
struct Window<'t> {
    number: &'t str,
    title: &'t str,
    display: &'t str,
    is_seen: bool,
    is_secure: bool,
    /// Whether it is an app's, and neither the launcher's nor the phone's own.
    is_app: bool,
    frame: Option<Bounds>,
    /// Where a keyboard takes touches: its frame is larger.
    keys: Option<Bounds>,
}

/// Prints the number of the window that has the focus, and all windows.
pub(super) fn with_focus() -> Result<Script, Nul> {
    Script::of(&[SCREEN, WINDOW_LIST]).value("window_lines", LINES)
}

/// The windows that are seen and forbid pictures.
pub(super) fn secure(said: &str) -> Vec<String> {
    let windows = parse(said).into_iter().filter(|window| window.is_secure);
    windows.map(|window| window.title.to_owned()).collect()
}

/// Where the keyboard takes touches, if one is seen. A phone tells of one that is hidden, too.
pub(super) fn keyboard(said: &str) -> Option<Bounds> {
    let windows = parse(said);
    let keyboard = windows.iter().find(|window| window.title == "InputMethod")?;
    keyboard.keys
}

impl Cover {
    /// The window that has the focus is the one that was read. It is shown whole if it is an app's
    /// and hides all below it: a dialog or a sheet may be seen through, and the phone's own windows
    /// show pictures of others. Of these only what draws a text is shown. What lies above is black,
    /// and without a window all is.
    pub(super) fn of(said: &str, seen: LookResult) -> Self {
        let (focus, list) = said.split_once('\n').unwrap_or_default();
        let windows = parse(list);
        let number = seen.front.as_ref().and_then(Front::number);
        let at = windows.iter().position(|window| window.number == focus.trim());
        let at = at.filter(|at| number.is_none_or(|number| number == windows[*at].number));
        let above = at.map_or(&[][..], |at| &windows[..at]);
        let places: Option<Vec<Bounds>> = above.iter().map(|window| window.keys.or(window.frame)).collect();
        let mut cover = Self { shown: Vec::new(), black: seen.private.areas };
        if let (Some(at), Some(places)) = (at, places) {
            let hides = |frame: &Bounds| {
                let mut below = windows[at + 1..].iter().map(|window| window.frame);
                windows[at].is_app && below.all(|other| other.is_some_and(|it| it.overlap(frame).is_empty()))
            };
            let whole = windows[at].frame.filter(hides);
            cover.shown = whole.map_or_else(|| texts(&seen.tree), |frame| vec![frame]);
            cover.black.extend(places.into_iter().chain(canvases(&seen.tree)));
        }
        for areas in [&mut cover.shown, &mut cover.black] {
            areas.sort_by_key(|it| (it.left, it.top, it.right, it.bottom));
            areas.dedup();
        }
        cover
    }
}

/// Where elements are that may draw what is in no tree: neither they nor what is in
/// them says anything, and they are not known to draw only that.
fn canvases(tree: &Tree) -> impl Iterator<Item = Bounds> {
    const CANVASES: [&str; 4] = ["WebView", "SurfaceView", "TextureView", "VideoView"];
    const PLAIN: [&str; 7] = ["TextView", "EditText", "Button", "ImageView", "CheckBox", "Switch", "Bar"];
    let is = |class: &str, ends: &[&str]| ends.iter().any(|end| class.ends_with(end));
    let canvases = tree.nodes().filter(move |(id, node)| {
        let mut inside = tree.descendants(*id).map(|id| tree.node(id)).chain([*node]);
        let is_mute = inside.all(|node| node.text.is_empty() && node.content_desc.is_empty());
        let is_leaf = tree.children(*id).next().is_none();
        is_mute && (is(&node.class, &CANVASES) || is_leaf && !is(&node.class, &PLAIN))
    });
    canvases.map(|(_, node)| node.bounds)
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
            let (number, title) = window_name(line).unwrap_or_default();
            windows.push(Window { number, title, display: OWN, is_seen: true, ..Window::default() });
        } else if let Some(window) = windows.last_mut() {
            window.read(line);
        }
    }
    windows.retain(|window| window.display == OWN && window.is_seen);
    windows
}

impl<'t> Window<'t> {
    fn read(&mut self, line: &'t str) {
        let mut words = line.split_whitespace();
        let mut after = |key: &str| words.find_map(|word| word.strip_prefix(key));
        match line.split_once(['=', ':']).unwrap_or_default() {
            // Another display has its own.
            ("mDisplayId", rest) => self.display = rest.split(' ').next().unwrap_or_default(),
            ("fl", _) => self.is_secure = true,
            ("mAttrs", _) => {
                let flags = after("fl=#").and_then(|flags| u32::from_str_radix(flags, 16).ok());
                self.is_secure |= flags.is_some_and(|flags| flags & SECURE != 0);
            }
            ("mFullConfiguration", rest) => self.is_app = rest.contains("mActivityType=standard"),
            ("touchable region", rest) if self.title == "InputMethod" => self.keys = region(rest),
            ("mFrame", rest) => self.frame = frame(rest),
            ("Frames", _) => self.frame = after("frame=").and_then(frame),
            // Phones that do not tell what is on the screen tell this, which comes first on others.
            ("mHasSurface", _) => self.is_seen = after("isReadyForDisplay()=") != Some("false"),
            _ => self.is_seen = after("isOnScreen=").map_or(self.is_seen, |seen| seen != "false"),
        }
    }
}

fn frame(text: &str) -> Option<Bounds> {
    Bounds::parse(text.split(' ').next()?)
}

/// What is around `SkRegion((0,1400,1080,2280)(…))`.
fn region(text: &str) -> Option<Bounds> {
    let parts = text.split('(').filter(|part| part.contains(','));
    let bounds = parts.map(|part| {
        let numbers = part.split(')').next()?.split(',');
        let numbers: Option<Vec<i32>> = numbers.map(|number| number.trim().parse().ok()).collect();
        let [left, top, right, bottom] = numbers?[..] else {
            return None;
        };
        Some(Bounds::new(left, top, right, bottom))
    });
    let bounds: Option<Vec<Bounds>> = bounds.collect();
    bounds?.into_iter().reduce(|all, one| all.around(&one))
}

#[cfg(test)]
#[path = "../../tests/unit/windows.rs"]
mod tests;
