//! A real finger: what it does goes through the kernel, where `getevent`
//! sees it. What `input` does never was there.

use super::Phone;
use super::keyboard::{KeyboardPage, Types};
use clawperator_ui::{Point, Screen, Tree};
use std::time::Duration;

/// The most events of the kernel that are kept.
const MAX_EVENTS: usize = 4_096;
/// The last column and row that the screen counts.
pub(crate) const LAST: (i32, i32) = (4_095, 8_191);
/// How long a tap takes, and how long a press that is long.
const TAP_MS: u64 = 60;
const HOLD_MS: u64 = 800;
/// How long a swipe takes that does not say so.
const SWIPE_MS: u64 = 300;
/// The events of a swipe have so many places on its way.
const STEPS: i32 = 8;
/// The longest text that is typed, and how many pages of the keyboard are turned for a letter.
const MAX_TYPED: usize = 500;
const MAX_PAGES: usize = 3;

/// The kernel's kinds of events.
pub(crate) const EV_SYN: u16 = 0;
pub(crate) const EV_KEY: u16 = 1;
pub(crate) const EV_ABS: u16 = 3;
const BTN_TOUCH: u16 = 0x14a;
const TRACKING_ID: u16 = 0x39;
const POSITION_X: u16 = 0x35;
const POSITION_Y: u16 = 0x36;

/// The keys that the phone has, and their numbers in the kernel.
const KEYS: &[(&str, u16)] = &[
    ("BACK", 158),
    ("HOME", 172),
    ("APP_SWITCH", 580),
    ("POWER", 116),
    ("VOLUME_UP", 115),
    ("VOLUME_DOWN", 114),
];

/// A device of the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputDevice {
    Keys,
    Screen,
}

/// One event of the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelEvent {
    pub(crate) number: u64,
    pub(crate) at: Duration,
    pub(crate) device: InputDevice,
    pub(crate) input: KernelInput,
}

/// What an event of the kernel's says: its kind, its code and its value.
type KernelInput = (u16, u16, i32);

/// The end of what happened at once.
const REPORT: KernelInput = (EV_SYN, 0, 0);

/// What a finger does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finger {
    Tap(Point),
    Touch(String),
    /// Stays on a point for so many milliseconds.
    Hold(Point, u64),
    /// Goes from a point to another within so many milliseconds.
    Swipe(Point, Point, u64),
    Type(String),
    /// Presses a key of the phone's case.
    Key(&'static str),
}

impl Finger {
    /// The usage text.
    pub const USAGE: &str =
        "tap X Y | touch LABEL | hold X Y [MS] | swipe X1 Y1 X2 Y2 [MS] | type TEXT | key NAME";

    /// Reads words such as `tap 540 1200`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let number = |word: &str| -> Result<i32, String> {
            word.parse().map_err(|_| format!("`{word}` is not a number of pixels"))
        };
        let point = |x: &str, y: &str| number(x).and_then(|x| Ok(Point { x, y: number(y)? }));
        let ms = |word: Option<&&str>, usual: u64| match word {
            None => Ok(usual),
            Some(word) => word
                .parse()
                .ok()
                .filter(|ms| *ms <= 60_000)
                .ok_or_else(|| format!("`{word}` is not a number of milliseconds up to 60000")),
        };
        match words {
            ["tap", x, y] => Ok(Self::Tap(point(x, y)?)),
            ["touch", label] => Ok(Self::Touch((*label).to_owned())),
            ["hold", x, y, rest @ ..] if rest.len() < 2 => {
                Ok(Self::Hold(point(x, y)?, ms(rest.first(), HOLD_MS)?))
            }
            ["swipe", x1, y1, x2, y2, rest @ ..] if rest.len() < 2 => {
                Ok(Self::Swipe(point(x1, y1)?, point(x2, y2)?, ms(rest.first(), SWIPE_MS)?))
            }
            ["type", text] => Ok(Self::Type((*text).to_owned())),
            ["key", name] => {
                let upper = name.to_ascii_uppercase();
                let wanted = upper.strip_prefix("KEYCODE_").unwrap_or(&upper);
                let known = KEYS.iter().find(|row| row.0 == wanted);
                let names: Vec<_> = KEYS.iter().map(|row| row.0).collect();
                known
                    .map(|row| Self::Key(row.0))
                    .ok_or_else(|| format!("the phone has no key `{name}`; it has {}", names.join(", ")))
            }
            _ => Err(format!("a finger can: {}", Self::USAGE)),
        }
    }
}

impl Phone {
    /// A finger does something.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn finger(&mut self, finger: &Finger) -> Result<(), String> {
        match finger {
            Finger::Tap(at) => self.finger_tap(*at),
            Finger::Touch(label) => {
                let at = self.place_of(label)?;
                self.finger_tap(at);
            }
            Finger::Hold(at, ms) => self.finger_swipe(*at, *at, *ms),
            Finger::Swipe(from, to, ms) => self.finger_swipe(*from, *to, *ms),
            Finger::Type(text) => return self.finger_type(text),
            Finger::Key(name) => self.finger_key(name),
        }
        Ok(())
    }

    fn finger_tap(&mut self, at: Point) {
        self.finger_swipe(at, at, TAP_MS);
    }

    fn finger_swipe(&mut self, from: Point, to: Point, ms: u64) {
        self.kernel_touch(from, to, ms);
        self.swipe(from, to, ms);
        self.content_changed();
    }

    fn finger_key(&mut self, name: &str) {
        let Some((_, code)) = KEYS.iter().find(|row| row.0 == name) else {
            return;
        };
        let began = self.kernel_time();
        for (value, ms) in [(1, 0), (0, TAP_MS)] {
            let at = began + Duration::from_millis(ms);
            self.kernel(InputDevice::Keys, at, (EV_KEY, *code, value));
            self.kernel(InputDevice::Keys, at, REPORT);
        }
        self.press_named(name);
    }

    /// Taps one key after the other, as far as the keyboard has them.
    fn finger_type(&mut self, text: &str) -> Result<(), String> {
        if text.chars().count() > MAX_TYPED {
            return Err(format!("at most {MAX_TYPED} letters at a time"));
        }
        for letter in text.chars() {
            let mut tries = 0;
            loop {
                if !self.keyboard_shown {
                    return Err("no keyboard is shown".to_owned());
                }
                let keys = self.keys();
                let types = |wanted: Types| keys.iter().find(|key| key.types == wanted);
                // The end of a line is the key that ends it.
                let wanted = if letter == '\n' { Types::Enter } else { Types::Letter(letter) };
                if let Some(key) = types(wanted) {
                    self.finger_tap(key.bounds.center());
                    break;
                }
                let page = if letter.is_ascii_uppercase() {
                    KeyboardPage::Capitals
                } else if letter.is_ascii_lowercase() {
                    KeyboardPage::Letters
                } else {
                    KeyboardPage::Symbols
                };
                let others = [page, KeyboardPage::Letters, KeyboardPage::Symbols, KeyboardPage::MoreSymbols];
                let next = others.into_iter().find_map(|page| types(Types::Page(page)));
                let next = next.filter(|_| tries < MAX_PAGES);
                let Some(next) = next else {
                    return Err(format!("the keyboard has no key for `{letter}`"));
                };
                self.finger_tap(next.bounds.center());
                tries += 1;
            }
        }
        Ok(())
    }

    /// Where something is that says this.
    fn place_of(&self, label: &str) -> Result<Point, String> {
        let none = || format!("no element on the screen has the label `{label}`");
        let tree: Tree = self.tree(super::DumpViews::All).ok_or_else(none)?;
        let screen = Screen::new(&tree);
        let (id, _) = screen.nodes().find(|(_, node)| node.label() == label).ok_or_else(none)?;
        Ok(screen.visible_bounds(id).center())
    }

    /// Tells of a finger's way. As a kernel does, it tells only what is another than before.
    fn kernel_touch(&mut self, from: Point, to: Point, ms: u64) {
        let began = self.kernel_time();
        let steps = if from == to { 0 } else { STEPS };
        self.fingers += 1;
        let tracking = self.fingers & 0xffff;
        for step in 0..=steps {
            let part = |a: i32, b: i32| {
                a + ((i64::from(b) - i64::from(a)) * i64::from(step) / i64::from(steps.max(1))) as i32
            };
            let place = Point::new(part(from.x, to.x), part(from.y, to.y));
            let share = u64::from(step.unsigned_abs()) * ms / u64::from(steps.max(1).unsigned_abs());
            let at = began + Duration::from_millis(share);
            if step == 0 {
                self.kernel(InputDevice::Screen, at, (EV_ABS, TRACKING_ID, tracking));
                self.kernel(InputDevice::Screen, at, (EV_KEY, BTN_TOUCH, 1));
            }
            let Point { x, y } = self.kernel_place(place);
            if self.finger_at.x != x || step == 0 && self.fingers == 1 {
                self.kernel(InputDevice::Screen, at, (EV_ABS, POSITION_X, x));
            }
            if self.finger_at.y != y || step == 0 && self.fingers == 1 {
                self.kernel(InputDevice::Screen, at, (EV_ABS, POSITION_Y, y));
            }
            self.finger_at = Point { x, y };
            self.kernel(InputDevice::Screen, at, REPORT);
        }
        let at = began + Duration::from_millis(ms);
        self.kernel(InputDevice::Screen, at, (EV_ABS, TRACKING_ID, -1));
        self.kernel(InputDevice::Screen, at, (EV_KEY, BTN_TOUCH, 0));
        self.kernel(InputDevice::Screen, at, REPORT);
    }

    /// A place of the turned display as the kernel counts: the screen's glass is never turned.
    fn kernel_place(&self, Point { x, y }: Point) -> Point {
        let (width, height) = self.display.size_override.unwrap_or(self.display.physical);
        let (x, y) = match self.display.rotation % 4 {
            0 => (x, y),
            1 => (width - 1 - y, x),
            2 => (width - 1 - x, height - 1 - y),
            _ => (y, height - 1 - x),
        };
        // The middle of the pixel.
        let scaled = |at: i32, pixels: i32, last: i32| {
            let at = i64::from(at.clamp(0, (pixels - 1).max(0)));
            ((at * 2 + 1) * (i64::from(last) + 1) / (2 * i64::from(pixels.max(1)))) as i32
        };
        Point::new(scaled(x, width, LAST.0), scaled(y, height, LAST.1))
    }

    /// When the next event is: never before the last.
    fn kernel_time(&self) -> Duration {
        let last = self.kernel_events.back().map_or(Duration::ZERO, |event| event.at);
        self.clock.uptime.max(last)
    }

    fn kernel(&mut self, device: InputDevice, at: Duration, input: KernelInput) {
        let number = self.number();
        if self.kernel_events.len() >= MAX_EVENTS {
            self.kernel_events.pop_front();
        }
        self.kernel_events.push_back(KernelEvent { number, at, device, input });
    }
}
