//! What is in front, and whether it can be seen and typed into.

use super::{CommandKind, CommandLine, Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::ErrorCode;
use std::fmt;

/// The lines wanted of thousands: they are picked on the phone.
const LINE: &str = "dumpsys window | grep -E 'mCurrentFocus=|mFocusedApp=|showingAndNotOccluded=|\
isStatusBarKeyguard=|mShowingLockscreen=|mIsShowing='; \
dumpsys power | grep -E 'mWakefulness='; \
dumpsys input_method | grep -E 'mInputShown='";

/// What tells whether the phone is locked or off, for a line of others.
pub(super) const LOCK: &str = "dumpsys window policy | grep -E 'showingAndNotOccluded=|\
isStatusBarKeyguard=|mShowingLockscreen=|mIsShowing='; dumpsys power | grep -E 'mWakefulness='; :";

/// Where phones say whether the lock screen shows, the most exact first.
pub(super) const KEYGUARD: &[&str] = &[
    "showingAndNotOccluded=",
    "isStatusBarKeyguard=",
    "mShowingLockscreen=",
    "mIsShowing=",
];

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
    #[must_use]
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
    pub async fn foreground(&self, deadline: Deadline) -> Result<Foreground, PhoneError> {
        // The exit code is that of the last search, which may find nothing.
        let line = CommandLine::new(CommandKind::Foreground, LINE).shown();
        let answer = self.shell(&line, deadline).await?;
        let foreground = parse(&answer.out);
        if foreground == Foreground::default() {
            return Err(answer.unreadable());
        }
        Ok(foreground)
    }
}

pub(super) fn parse(text: &str) -> Foreground {
    // A phone with several displays says the same of each; the first that has
    // something to say counts.
    let windows = values(text, "mCurrentFocus=").filter_map(window_title);
    let window = windows.into_iter().next();
    let focused = window.as_deref().and_then(component);
    let app = || values(text, "mFocusedApp=").find_map(component);
    let (package, activity) = focused.or_else(app).unzip();
    let keyguard = KEYGUARD.iter().find_map(|key| values(text, key).find_map(flag));
    let awake = values(text, "mWakefulness=").next().map(|word| word == "Awake");
    let shown: Vec<_> = values(text, "mInputShown=").filter_map(flag).collect();
    Foreground {
        package,
        activity,
        window,
        keyguard,
        awake,
        input_shown: (!shown.is_empty()).then(|| shown.contains(&true)),
    }
}

/// What follows a key, to the end of its line.
fn values<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    let found = text
        .lines()
        .filter_map(move |line| line.split_once(key).map(|(_, value)| value));
    found.map(str::trim)
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
    let inside = value.strip_prefix("Window{")?;
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let mut words = inside.splitn(3, ' ');
    let (_hash, user, title) = (words.next()?, words.next()?, words.next()?);
    (user.starts_with('u') && !title.is_empty()).then(|| title.to_owned())
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
mod tests {
    use super::*;

    #[test]
    fn the_app_in_front_is_read_from_what_phones_print() {
        for (text, package, activity, window) in [
            (
                "  mCurrentFocus=Window{3e1b2f5 u0 com.x/com.x.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.y/.Z t12}\n",
                "com.x",
                "com.x.Main",
                "com.x/com.x.Main",
            ),
            (
                "  mCurrentFocus=null\n  mCurrentFocus=Window{1 u0 NotificationShade}\n  mFocusedApp=ActivityRecord{1 u0 com.y/.Z t12}\n",
                "com.y",
                "com.y.Z",
                "NotificationShade",
            ),
            (
                "  mCurrentFocus=Window{1 u0 PopupWindow:ab12}\n  mFocusedApp=AppWindowToken{9 token=Token{8 ActivityRecord{7 u0 com.y/com.z.A$B t3}}}\n",
                "com.y",
                "com.z.A$B",
                "PopupWindow:ab12",
            ),
        ] {
            let read = parse(text);
            assert_eq!(
                (
                    read.package.as_deref(),
                    read.activity.as_deref(),
                    read.window.as_deref()
                ),
                (Some(package), Some(activity), Some(window))
            );
        }
    }

    #[test]
    fn what_a_phone_does_not_say_is_not_guessed() {
        assert_eq!(
            parse("mCurrentFocus=null\nmFocusedApp=null\n"),
            Foreground::default()
        );
        assert_eq!(
            parse("mInputShown=maybe\nmIsShowing=\n\u{0}"),
            Foreground::default()
        );
        let read = parse(
            "    mIsShowing=true\n mWakefulness=Dozing\n a=1 mInputShown=false b=2\n mInputShown=true\n",
        );
        assert_eq!(
            (read.keyguard, read.awake, read.input_shown),
            (Some(true), Some(false), Some(true))
        );
        // The lock screen is there, but something covers it.
        let read = parse(" showingAndNotOccluded=false\n mIsShowing=true\n");
        assert_eq!(read.keyguard, Some(false));
    }
}
