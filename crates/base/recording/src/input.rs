//! What a kernel tells of fingers and keys: the lines of `getevent`.

use crate::limits::MAX_INPUT_LINE;
use clawperator_contract::Key;
use std::ops::RangeInclusive;
use std::time::Duration;

/// One line of `getevent -lt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEvent {
    /// Since the phone was switched on.
    pub at: Duration,
    pub device: String,
    pub signal: Signal,
}

/// What a device says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// From here on another finger is meant.
    Slot(u32),
    /// A finger is there, or no longer.
    Tracking(Contact),
    X(i32),
    Y(i32),
    /// Whether the screen is touched at all.
    Touch(Contact),
    /// What came so far belongs together.
    Report,
    /// As on old screens: what came so far is one finger.
    FingerReport,
    /// A key that means something here.
    Key(Key, Contact),
    Other,
}

/// Whether something touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    Down,
    Up,
}

/// The names that kernels have for those keys. One without a name is written as its number.
const KEYS: &[(&str, Key)] = &[
    ("KEY_BACK", Key::Back),
    ("KEY_HOMEPAGE", Key::Home),
    ("KEY_HOME", Key::Home),
    ("KEY_APPSELECT", Key::Recents),
    ("KEY_APP_SWITCH", Key::Recents),
    ("0244", Key::Recents),
];

/// A finger that is not there has this number.
const NO_FINGER: i32 = -1;

impl InputEvent {
    /// Reads a line such as `[  12.345678] /dev/input/event1: EV_ABS ABS_MT_POSITION_X 000001a4`.
    /// Lines that are no events are none.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.len() > MAX_INPUT_LINE {
            return None;
        }
        let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
        let (device, rest) = rest.trim().split_once(": ")?;
        let mut words = rest.split_whitespace();
        let (kind, code, value) = (words.next()?, words.next()?, words.next()?);
        Some(Self {
            at: seconds(time.trim())?,
            device: device.to_owned(),
            signal: signal(kind, code, value)?,
        })
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.')?;
    let micros: u32 = part.parse().ok().filter(|micros| *micros < 1_000_000)?;
    Some(Duration::new(whole.parse().ok()?, micros * 1_000))
}

fn signal(kind: &str, code: &str, value: &str) -> Option<Signal> {
    let contact = || match value {
        "DOWN" => Some(Contact::Down),
        "UP" => Some(Contact::Up),
        // A key that is held repeats itself.
        _ => None,
    };
    let number = || u32::from_str_radix(value, 16).ok().map(u32::cast_signed);
    Some(match (kind, code) {
        ("EV_SYN", "SYN_REPORT") => Signal::Report,
        ("EV_SYN", "SYN_MT_REPORT") => Signal::FingerReport,
        ("EV_ABS", "ABS_MT_SLOT") => Signal::Slot(number()?.cast_unsigned()),
        ("EV_ABS", "ABS_MT_TRACKING_ID") if number()? == NO_FINGER => Signal::Tracking(Contact::Up),
        ("EV_ABS", "ABS_MT_TRACKING_ID") => Signal::Tracking(Contact::Down),
        ("EV_ABS", "ABS_MT_POSITION_X") => Signal::X(number()?),
        ("EV_ABS", "ABS_MT_POSITION_Y") => Signal::Y(number()?),
        ("EV_KEY", "BTN_TOUCH") => Signal::Touch(contact()?),
        ("EV_KEY", name) => match (KEYS.iter().find(|row| row.0 == name), contact()) {
            (Some((_, key)), Some(contact)) => Signal::Key(*key, contact),
            _ => Signal::Other,
        },
        _ => Signal::Other,
    })
}

/// A screen that can be touched, as its kernel counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchScreen {
    pub device: String,
    /// The first and the last column.
    pub x: RangeInclusive<i32>,
    /// The first and the last row.
    pub y: RangeInclusive<i32>,
}

impl TouchScreen {
    /// Reads what `getevent -lp` lists: every device with fingers' places that
    /// is a screen and not a pad.
    pub fn parse_all(text: &str) -> Vec<Self> {
        let mut screens: Vec<(Self, bool)> = Vec::new();
        let (mut device, mut x, mut props) = (String::new(), None, false);
        for line in text.lines() {
            if line.starts_with("add device") {
                device = line.split_once(": ").map_or(String::new(), |(_, path)| path.trim().to_owned());
                (x, props) = (None, false);
            } else if line.contains("input props") {
                props = true;
            } else if line.contains("ABS_MT_POSITION_X") {
                x = range(line);
            } else if line.contains("ABS_MT_POSITION_Y") {
                if let (Some(x), Some(y), false) = (&x, range(line), device.is_empty()) {
                    let (device, x) = (device.clone(), x.clone());
                    screens.push((Self { device, x, y }, false));
                }
            } else if props
                && line.contains("INPUT_PROP_DIRECT")
                && let Some((_, direct)) = screens.iter_mut().find(|(screen, _)| screen.device == device)
            {
                *direct = true;
            }
        }
        // Some kernels say of no device that it is a screen.
        let any = screens.iter().any(|(_, direct)| *direct);
        let screens = screens.into_iter().filter(|(_, direct)| *direct || !any);
        screens.map(|(screen, _)| screen).collect()
    }
}

/// `: value 0, min 0, max 1079, fuzz 0, …`
fn range(line: &str) -> Option<RangeInclusive<i32>> {
    let number = |name: &str| {
        let (_, rest) = line.split_once(name)?;
        rest.trim_start().split(',').next()?.trim().parse::<i32>().ok()
    };
    let (first, last) = (number(" min ")?, number(" max ")?);
    (first < last).then_some(first..=last)
}
