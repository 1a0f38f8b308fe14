//! What is on the screen at one moment: laid out, with what each part does.

use crate::app::effect::Effect;
use crate::app::value::Value;
use crate::app::widget::{ButtonStyle, Field, Slider, TextAlign};
use clawperator_ui::{Bounds, Flag, Flags, Point};
use std::borrow::Cow;

/// The classes that more than one part of the phone names.
pub(crate) mod class {
    pub(crate) const FRAME: &str = "android.widget.FrameLayout";
    pub(crate) const LINEAR: &str = "android.widget.LinearLayout";
    pub(crate) const TEXT: &str = "android.widget.TextView";
    pub(crate) const BUTTON: &str = "android.widget.Button";
}

/// The names that rows around a view have given.
pub(crate) type Locals = Vec<(String, Value)>;

/// What tells two views of a screen apart, however the screen scrolls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ViewKey(u64);

impl ViewKey {
    /// The key of a part of this view.
    pub(crate) fn part(self, number: usize) -> Self {
        // FNV-1a over the numbers of the way down.
        let step = self.0 ^ (number as u64).wrapping_add(0x9e37_79b9);
        Self(step.wrapping_mul(0x0100_0000_01b3).rotate_left(29) ^ 0xcbf2_9ce4_8422_2325)
    }
}

/// One view and what is inside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct View<'a> {
    pub(crate) key: ViewKey,
    pub(crate) class: Cow<'a, str>,
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) desc: String,
    pub(crate) hint: String,
    pub(crate) flags: Flags,
    /// The package it belongs to, if not the window's.
    pub(crate) package: Option<&'a str>,
    /// Its place among its siblings, if it was captured: a dump has such a view
    /// as it was there, whether it can be seen or not.
    pub(crate) told_index: Option<i32>,
    /// Whether it is written from right to left.
    pub(crate) rtl: bool,
    /// Where it is, on or off the screen.
    pub(crate) bounds: Bounds,
    /// What of it is on the screen, and not cut off by what it is in.
    pub(crate) visible: Bounds,
    pub(crate) look: Appearance,
    pub(crate) acts: Acts<'a>,
    pub(crate) scroll: Option<Scroll<'a>>,
    pub(crate) children: Vec<Self>,
}

/// What a view does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Acts<'a> {
    pub(crate) click: Click<'a>,
    pub(crate) long_click: Option<&'a [Effect]>,
    pub(crate) locals: Locals,
}

/// What a click on a view does.
#[derive(Clone, Debug, Default)]
pub(crate) enum Click<'a> {
    /// Nothing; whatever is around it may.
    #[default]
    Nothing,
    /// What the app file says.
    Effects(&'a [Effect]),
    Toggle(&'a str, &'a [Effect]),
    /// Gives a name this value.
    Choose(&'a str, Value, &'a [Effect]),
    /// Gives the field the focus.
    Write(&'a Field),
    Slide(&'a Slider),
    System(SystemAct),
}

/// What the phone's own windows do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemAct {
    Back,
    /// Takes a dialog away, then does what its button says.
    DialogButton(usize),
    /// Takes away whatever dialog there is.
    Dismiss,
    SnackbarAction,
    Grant,
    Deny,
    /// Lets an app that hangs hang on.
    Wait,
    CloseApp,
    Answer,
    HangUp,
    Notification(usize),
    ClearNotifications,
    QuickSetting(usize),
}

/// What of a view scrolls.
#[derive(Clone, Debug)]
pub(crate) struct Scroll<'a> {
    pub(crate) axis: Axis,
    /// How far it can go, in pixels; a pager's is its last page.
    pub(crate) range: i32,
    pub(crate) offset: i32,
    pub(crate) kind: ScrollKind<'a>,
}

/// How a view scrolls.
#[derive(Clone, Debug)]
pub(crate) enum ScrollKind<'a> {
    /// As far as the finger goes.
    Free { on_scroll: &'a [Effect], on_end: &'a [Effect] },
    /// By whole pages; the name holds the page's number.
    Pages(&'a str),
}

/// Which way something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Vertical,
    Horizontal,
}

/// A colour, as `0xRRGGBBAA`.
pub(crate) type Rgba = u32;

/// What a view looks like.
#[derive(Clone, Debug, Default)]
pub(crate) enum Appearance {
    /// Only what is inside it.
    #[default]
    Clear,
    Fill(Rgba),
    Round(Rgba),
    /// The picture behind the home screen.
    Wallpaper,
    /// The paper of the shade, with the time.
    Shade,
    Card(Rgba),
    /// The card of an open app, with what it shows and its icon: symbol and colour.
    Task(String, Rgba),
    Bar,
    Paper,
    Text(TextLook),
    Button(ButtonStyle),
    Icon(String, Option<Rgba>),
    /// An app's icon: its symbol and colour.
    AppIcon(String, Rgba),
    Image(Option<Rgba>),
    Switch,
    Checkbox,
    Radio,
    Field {
        multiline: bool,
        selected: bool,
    },
    /// A slider, at so many thousandths.
    Slider(u16),
    /// A bar at so many percent, or something that turns.
    Progress(Option<u16>),
    Web {
        in_tree: bool,
    },
    Divider,
    /// A tab; the chosen one has a line below.
    Tab,
    Snackbar,
    Fab,
}

/// What words look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLook {
    pub(crate) sp: u16,
    pub(crate) bold: bool,
    pub(crate) color: Option<Rgba>,
    pub(crate) align: TextAlign,
    pub(crate) lines: u16,
    /// The space left and right of the words, in dp.
    pub(crate) sides: u16,
}

impl TextLook {
    /// Plain words over so many lines at most.
    pub(crate) fn plain(sp: u16, align: TextAlign, lines: u16) -> Self {
        Self { sp, bold: false, color: None, align, lines, sides: 0 }
    }
}

impl Appearance {
    /// Plain words over so many lines at most.
    pub(crate) fn words(sp: u16, align: TextAlign, lines: u16) -> Self {
        Self::Text(TextLook::plain(sp, align, lines))
    }
}

impl View<'_> {
    /// The same, with a click that is the phone's own.
    pub(crate) fn pressable(mut self, act: SystemAct) -> Self {
        self.flags = self.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
        self.acts.click = Click::System(act);
        self
    }

    /// Everything at a point, outermost first, what is in front last.
    pub(crate) fn at(&self, point: Point) -> Vec<&Self> {
        let mut found = Vec::new();
        self.collect_at(point, &mut found);
        found
    }

    fn collect_at<'v>(&'v self, point: Point, found: &mut Vec<&'v Self>) -> bool {
        if !self.visible.contains(point) {
            return false;
        }
        found.push(self);
        // The last child is drawn over the others, so it is touched first; a
        // child without any use lets the touch through to those below it.
        for child in self.children.iter().rev() {
            let length = found.len();
            if child.collect_at(point, found) {
                if found[length..].iter().any(|view| view.is_touchable()) {
                    return true;
                }
                found.truncate(length);
            }
        }
        true
    }

    /// Tells whether a touch means something to it.
    pub(crate) fn is_touchable(&self) -> bool {
        !matches!(self.acts.click, Click::Nothing) || self.acts.long_click.is_some() || self.scroll.is_some()
    }

    pub(crate) fn find(&self, key: ViewKey) -> Option<&Self> {
        self.any(&|view| view.key == key)
    }

    /// The first view, in reading order, of which something holds.
    pub(crate) fn any(&self, holds: &dyn Fn(&Self) -> bool) -> Option<&Self> {
        if holds(self) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.any(holds))
    }
}

pub(crate) fn overlap(a: Bounds, b: Bounds) -> Bounds {
    let left = a.left.max(b.left);
    let top = a.top.max(b.top);
    Bounds::new(left, top, a.right.min(b.right).max(left), a.bottom.min(b.bottom).max(top))
}
