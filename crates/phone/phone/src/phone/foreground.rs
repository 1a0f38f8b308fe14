//! What is in front, and whether it can be seen and typed into.

use super::{CommandKind, Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::ErrorCode;
use futures_core::future::BoxFuture;
use std::fmt;

/// Picks the lines of [`KEYGUARD`] and [`OCCLUDED`].
macro_rules! lock_lines {
    () => {
        "(^| )(mIsShowing|showing|isKeyguardShowing|isStatusBarKeyguard|mShowingLockscreen|occluded|mKeyguardOccluded)="
    };
}

/// Asks what has the focus and whether the lock screen shows. The lines wanted of
/// thousands are picked on the phone.
pub(super) const WINDOW: &str = concat!(
    "dumpsys window 2>/dev/null | grep -E '^WINDOW MANAGER |^Last ANR|Display: mDisplayId=|mCurrentFocus=|mFocusedApp=|^ *secure=|",
    lock_lines!(),
    "'"
);
/// Asks whether the screen is on.
pub(super) const POWER: &str = "dumpsys power 2>/dev/null | grep -E 'mWakefulness='";
pub(super) const INPUT: &str = "dumpsys input_method 2>/dev/null | grep -E 'mInputShown='";

/// Picks the lines that tell of a lock.
pub(super) const LOCK_LINES: &str = lock_lines!();

/// Where phones say whether there is a lock screen, the most exact first. What they call
/// `showingAndNotOccluded` says nothing: most phones set it once, when they start.
pub(super) const KEYGUARD: &[&str] =
    &["mIsShowing=", "showing=", "isKeyguardShowing=", "isStatusBarKeyguard=", "mShowingLockscreen="];
/// Where phones say whether an app shows before the lock screen, such as a call.
pub(super) const OCCLUDED: &[&str] = &["occluded=", "mKeyguardOccluded="];

/// What a phone calls itself while its screen is on.
pub(super) const AWAKE: [&str; 2] = ["Awake", "Dreaming"];

/// What is in front. What the phone does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreground {
    /// The package of the app in front, also when something of the system, such
    /// as the shade or the lock screen, is before it.
    pub package: Option<String>,
    /// The full class name of its activity.
    pub activity: Option<String>,
    /// The title of the window that has the focus.
    pub window: Option<String>,
    /// Whether the lock screen shows.
    pub keyguard: Option<bool>,
    /// Whether the phone is locked and an app shows before the lock screen.
    pub is_covered: bool,
    pub awake: Option<bool>,
    pub input_shown: Option<bool>,
}

/// What keeps a phone from showing its apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    ScreenOff,
    /// The lock screen is in front.
    Locked,
}

impl Lock {
    /// The code of what was not done because of it.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::ScreenOff => ErrorCode::DeviceScreenOff,
            Self::Locked => ErrorCode::DeviceLocked,
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ScreenOff => "the phone's screen is off",
            Self::Locked => "the phone is locked",
        })
    }
}

impl Foreground {
    /// What keeps the phone from showing its apps, if something does.
    pub fn lock(&self) -> Option<Lock> {
        match (self.awake, self.keyguard) {
            (Some(false), _) => Some(Lock::ScreenOff),
            (_, Some(true)) => Some(Lock::Locked),
            _ => None,
        }
    }
}

impl Phone {
    /// Asks what is in front.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the phone does not report it, or what
    /// broke.
    pub fn foreground(&self, deadline: Deadline) -> BoxFuture<'_, Result<Foreground, PhoneError>> {
        Box::pin(async move {
            // The exit code is that of the last search, which may find nothing.
            let line = format!("{WINDOW}; {POWER}; {INPUT}");
            let answer = self.ask(CommandKind::Foreground, line, deadline).await?;
            let foreground = parse(&answer.out);
            if foreground == Foreground::default() {
                return Err(answer.unreadable());
            }
            if foreground.keyguard.is_none() || foreground.awake.is_none() {
                answer.not_understood();
            }
            Ok(foreground)
        })
    }
}

pub(super) fn parse(text: &str) -> Foreground {
    let lines = present(text);
    let window = values(&lines, "mCurrentFocus=").find_map(window_title);
    let mut apps = values(&lines, "mFocusedApp=").peekable();
    let is_app_told = apps.peek().is_some();
    let app = apps.find_map(component);
    // An app chooses its windows' titles: one that names another app is only a text.
    let title = window.as_deref().filter(|title| !title.contains(' '));
    let focused = title.and_then(component).filter(|(package, _)| match &app {
        Some((own, _)) => own == package,
        None => !is_app_told && package.contains('.'),
    });
    let (package, activity) = focused.or(app).unzip();
    let says = |key: &&str| values(&lines, key).find_map(flag);
    let is_occluded = OCCLUDED.iter().any(|key| says(key) == Some(true));
    let awake = values(&lines, "mWakefulness=").next().map(|word| AWAKE.contains(&word));
    let shows = KEYGUARD.iter().find_map(says);
    let shown: Vec<_> = values(&lines, "mInputShown=").filter_map(flag).collect();
    Foreground {
        package,
        activity,
        window,
        keyguard: shows.map(|shows| shows && !is_occluded),
        is_covered: is_occluded && shows == Some(true),
        awake,
        input_shown: (!shown.is_empty()).then(|| shown.contains(&true)),
    }
}

/// The lines about the phone's own display as it is now: not those of when an app
/// last hung, which come first, nor those of other displays.
fn present(text: &str) -> Vec<&str> {
    let (mut is_past, mut goes_on, mut is_own) = (false, false, true);
    let is_wanted = |line: &&str| {
        if line.starts_with("Last ANR") {
            (is_past, goes_on) = (true, true);
        } else if line.starts_with("WINDOW MANAGER ") {
            is_past = std::mem::take(&mut goes_on) || line.contains(" LAST ANR");
            is_own = true;
        } else if let Some((_, display)) = line.split_once("Display: mDisplayId=") {
            is_own = display.split_whitespace().next() == Some("0");
        }
        is_own && !is_past
    };
    text.lines().filter(is_wanted).collect()
}

/// What follows a key that is a word of its own, to the end of its line.
fn values<'t>(lines: &'t [&'t str], key: &'t str) -> impl Iterator<Item = &'t str> {
    let is_word = |before: &str| before.chars().next_back().is_none_or(char::is_whitespace);
    let after = move |line: &&'t str| {
        let (at, _) = line.match_indices(key).find(|(at, _)| is_word(&line[..*at]))?;
        Some(line[at + key.len()..].trim())
    };
    lines.iter().filter_map(after)
}

fn flag(value: &str) -> Option<bool> {
    match value.split_whitespace().next()? {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The title in `Window{3e1b2f5 u0 com.x/com.x.Main}`.
fn window_title(value: &str) -> Option<String> {
    let (_, title) = window_name(value)?;
    (!title.is_empty()).then(|| title.to_owned())
}

/// The number of a window, which may have a package before it, and its title,
/// without what phones append to it. Android before 4.2 names no user.
pub(super) fn window_name(text: &str) -> Option<(&str, &str)> {
    let (_, name) = text.split_once("Window{")?;
    let name = name.rsplit_once('}').map_or(name, |(name, _)| name).trim_end();
    let (number, rest) = name.split_once(' ')?;
    let is_user = |word: &str| word.strip_prefix('u').is_some_and(|id| id.parse::<u32>().is_ok());
    let title = match rest.split_once(' ').filter(|(word, _)| is_user(word)) {
        Some((_, title)) => title,
        None => rest,
    };
    let is_added = |word: &str| word == "EXITING" || word.starts_with("type=") || word.starts_with("paused=");
    let title = match title.rsplit_once(' ').filter(|(_, word)| is_added(word)) {
        Some((title, _)) => title,
        None => title,
    };
    Some((number, title))
}

/// The package and the full class name in anything that names an activity.
fn component(text: &str) -> Option<(String, String)> {
    let words = text.split([' ', '{', '}']);
    words.into_iter().find_map(|word| {
        let (package, class) = word.split_once('/')?;
        let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
        let named = |name: &str| !name.is_empty() && name.chars().all(letter);
        if !named(package) || !named(class) {
            return None;
        }
        let class = match class.strip_prefix('.') {
            Some(short) => format!("{package}.{short}"),
            None => class.to_owned(),
        };
        Some((package.to_owned(), class))
    })
}

#[cfg(test)]
#[path = "../../tests/unit/foreground.rs"]
mod tests;
