//! What a host asks the operator app for, as the app itself understands it.

use regex::Regex;
use std::fmt;
use std::time::Duration;

/// One command: what is to be done, in order, and by when.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) timeout: Duration,
    pub(super) actions: Vec<Action>,
}

/// One action; its name is the one it has in the answer.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// What an action does.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    OpenApp {
        package: String,
        retry: Retry,
    },
    OpenUri {
        uri: String,
        retry: Retry,
    },
    CloseApp(String),
    StartRecording(Option<String>),
    StopRecording(Option<String>),
    WaitForNode {
        matcher: Matcher,
        timeout: Option<Duration>,
        retry: Retry,
    },
    Click {
        target: Target,
        click: ClickType,
        retry: Retry,
    },
    EnterText {
        matcher: Matcher,
        text: String,
        submit: bool,
        retry: Retry,
    },
    ReadText(ReadText),
    ReadKeyValue {
        label: Matcher,
        retry: Retry,
    },
    Scroll {
        swipe: Swipe,
        retry: Retry,
    },
    ScrollUntil(ScrollUntil),
    ScrollAndClick(ScrollAndClick),
    Snapshot(Retry),
    TakeScreenshot,
    Sleep(Duration),
    PressKey(Key),
    WaitForNavigation {
        package: Option<String>,
        node: Option<Matcher>,
        timeout: Duration,
    },
    DoctorPing,
}

/// Where a click goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Node(Matcher),
    Point(i32, i32),
}

/// How something is clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClickType {
    Click,
    Long,
    Focus,
}

impl ClickType {
    /// As the app writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Long => "long_click",
            Self::Focus => "focus",
        }
    }
}

/// A key the app can press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Back,
    Home,
    Recents,
}

impl Key {
    pub(super) const ALL: [(Self, &'static str); 3] = [
        (Self::Back, "back"),
        (Self::Home, "home"),
        (Self::Recents, "recents"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Where the content of a container is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
    Left,
    Right,
}

impl Direction {
    /// Each with its name on the wire and in the app.
    pub(super) const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Down, "down", "Down"),
        (Self::Up, "up", "Up"),
        (Self::Left, "left", "Left"),
        (Self::Right, "right", "Right"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub(super) fn title(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// How something is scrolled once.
#[derive(Clone, Debug)]
pub(super) struct Swipe {
    pub(super) container: Option<Matcher>,
    pub(super) direction: Direction,
    pub(super) ratio: f64,
    pub(super) settle: Duration,
    /// Whether something inside the container may scroll instead of it.
    pub(super) inner: bool,
}

#[derive(Clone, Debug)]
pub(super) struct ScrollUntil {
    pub(super) swipe: Swipe,
    pub(super) matcher: Option<Matcher>,
    pub(super) most: u64,
    pub(super) longest: Duration,
    /// How often nothing may move.
    pub(super) still: u64,
    pub(super) click_after: bool,
    pub(super) click: ClickType,
}

#[derive(Clone, Debug)]
pub(super) struct ScrollAndClick {
    pub(super) swipe: Swipe,
    pub(super) matcher: Matcher,
    pub(super) most: u64,
    pub(super) click_after: bool,
    pub(super) click: ClickType,
    pub(super) scroll_retry: Retry,
    pub(super) click_retry: Retry,
}

#[derive(Clone, Debug)]
pub(super) struct ReadText {
    pub(super) matcher: Matcher,
    pub(super) container: Option<Matcher>,
    pub(super) all: bool,
    pub(super) validator: Validator,
    pub(super) retry: Retry,
}

/// What a text must look like.
#[derive(Clone, Debug)]
pub(super) enum Validator {
    None,
    Temperature,
    Version,
    /// The whole text fits.
    Regex(Regex),
}

impl Validator {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Temperature => "temperature",
            Self::Version => "version",
            Self::Regex(_) => "regex",
        }
    }

    pub(super) fn accepts(&self, text: &str) -> bool {
        match self {
            Self::None => true,
            Self::Temperature => is_temperature(text.trim()),
            Self::Version => text
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())),
            Self::Regex(pattern) => pattern.is_match(text),
        }
    }
}

fn is_temperature(text: &str) -> bool {
    let units = ["°C", "°F", "C", "F"];
    let number = units
        .iter()
        .find_map(|unit| text.strip_suffix(unit))
        .unwrap_or(text);
    // Rust reads `inf`, too, which Java does not.
    number.contains(|letter: char| letter.is_ascii_digit()) && number.trim().parse::<f64>().is_ok()
}

/// How often something is tried, and how long is waited in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Retry {
    pub(super) attempts: u32,
    pub(super) first_ms: u64,
    pub(super) most_ms: u64,
    pub(super) factor: f64,
}

impl Retry {
    pub(super) const NONE: Self = Self::preset(1, 0, 0);
    pub(super) const UI_READINESS: Self = Self::preset(5, 500, 3_000);
    pub(super) const APP_LAUNCH: Self = Self::preset(4, 750, 4_000);
    pub(super) const UI_SCROLL: Self = Self::preset(4, 400, 2_000);

    const fn preset(attempts: u32, first_ms: u64, most_ms: u64) -> Self {
        Self {
            attempts,
            first_ms,
            most_ms,
            factor: 2.0,
        }
    }

    /// How long is waited after the attempt of that number, the first being 0.
    /// The app adds some chance to it; this phone does the same every time.
    pub(super) fn delay(self, attempt: u32) -> Duration {
        let grown = self.first_ms as f64 * self.factor.powi(i32::try_from(attempt).unwrap_or(i32::MAX));
        // A cast from a float that is too large gives the largest number.
        Duration::from_millis((grown as u64).min(self.most_ms))
    }
}

/// Up to six strings that together name an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matcher {
    pub(super) resource_id: Option<String>,
    pub(super) role: Option<String>,
    pub(super) text_equals: Option<String>,
    pub(super) text_contains: Option<String>,
    pub(super) desc_equals: Option<String>,
    pub(super) desc_contains: Option<String>,
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
        write!(
            f,
            "NodeMatcher(resourceId={}, role={}, textEquals={}, textContains={}, contentDescEquals={}, contentDescContains={})",
            said(&self.resource_id),
            said(&self.role),
            said(&self.text_equals),
            said(&self.text_contains),
            said(&self.desc_equals),
            said(&self.desc_contains),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_wait_as_long_as_the_app_does() {
        let waits = |retry: Retry| -> Vec<u128> {
            (0..retry.attempts - 1)
                .map(|attempt| retry.delay(attempt).as_millis())
                .collect()
        };
        assert_eq!(waits(Retry::UI_READINESS), [500, 1000, 2000, 3000]);
        assert_eq!(waits(Retry::APP_LAUNCH), [750, 1500, 3000]);
        assert_eq!(waits(Retry::UI_SCROLL), [400, 800, 1600]);
        assert!(waits(Retry::NONE).is_empty());
    }

    #[test]
    fn validators_accept_what_they_are_named_after() {
        for (validator, text, fits) in [
            (Validator::Temperature, " 21.5°C ", true),
            (Validator::Temperature, "-4 F", true),
            (Validator::Temperature, "warm", false),
            (Validator::Version, "1.20.3", true),
            (Validator::Version, "1..3", false),
            (Validator::Version, "", false),
            (Validator::None, "", true),
        ] {
            assert_eq!(validator.accepts(text), fits, "{} {text:?}", validator.name());
        }
    }
}
