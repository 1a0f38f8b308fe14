//! Which window is in front, how the phone is turned, and how large its screen
//! is: what must not change between a look and a touch. Pure.

use clawperator_contract::Lane;
use clawperator_ui::Tree;
use std::sync::Arc;
use tokio::time::Instant;

/// Sets `s` to the size of the phone's own display in its current rotation, `g`
/// to that and the rotation and the window that has the focus, and `t` to the
/// window's name up to a space, without a slash unless it names the app that has the
/// focus: an app chooses its titles. What the phone does not report is empty.
///
/// A window is known by the number that the phone gives it, which tells two windows of the same
/// name apart. Android prints the focused window there since version 10; before, it and the
/// rotation stand in the list of the windows.
pub(super) const PROBE: &str = "d=$({ dumpsys window displays | \
grep -E 'DISPLAY CONTENTS|Display: mDisplayId=|init=.* cur=|mCurrentRotation=|mCurrentFocus=|mFocusedApp='; } 2>/dev/null); \
d=${d##*DISPLAY CONTENTS}; d=${d#*Display: mDisplayId=0}; d=${d%%Display: mDisplayId=*}; \
case $d in *mCurrentFocus=*) ;; *) d=\"$d \"$({ dumpsys window windows | \
grep -E '(^| )mRotation=|mCurrentFocus=|mFocusedApp='; } 2>/dev/null);; esac; \
s=${d#*cur=}; s=${s%%[!0-9x]*}; \
r=${d#*mCurrentRotation=ROTATION_}; r=${r##*[!a-zA-Z]mRotation=}; r=${r%%[!0-9]*}; \
f=; t=; case $d in *mCurrentFocus=Window?*) t=${d#*mCurrentFocus=Window?}; f=${t%%[!0-9a-zA-Z._:]*}; \
t=${t#* }; t=${t#u[0-9]* }; t=${t%% *};; esac; \
a=${d#*mFocusedApp=}; case $t,$d in */*,*mFocusedApp=*) \
case ${a%%mCurrentFocus=*} in *\" ${t%%/*}/\"*) ;; *) t=${t##*/};; esac;; esac; \
g=$s,$r,$f";

/// What is printed before the state of the screen.
const MARK: &str = "clawperator: in front: ";
/// The state of a screen of which nothing is reported.
const NOTHING: &str = ",,";

/// What was in front when the screen was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    pub(super) lane: Lane,
    /// The size, the rotation and the number of the window, or on the resident lane the app.
    pub(super) state: String,
    /// The app, if it is known.
    pub(super) package: Option<String>,
    /// The name of the window, if it is an activity's.
    pub(super) window: Option<String>,
    /// Whether it was in front all the time while the screen was read.
    pub(super) is_steady: bool,
    /// What was seen, where the resident server was asked.
    pub(super) sight: Option<ResidentScreen>,
}

/// A screen that the resident server has shown, and when it was asked for: it is
/// not older than that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResidentScreen {
    pub(super) tree: Arc<Tree>,
    pub(super) at: Instant,
}

impl Front {
    /// The app whose window it is, if that is known.
    pub fn package(&self) -> Option<&str> {
        self.package.as_deref()
    }

    /// The number of its window, where the phone's own command was asked.
    pub(super) fn number(&self) -> Option<&str> {
        let number = self.state.rsplit(',').next();
        number.filter(|it| !it.is_empty() && self.lane == Lane::Dump)
    }

    /// Which window was in front, on a screen of which size and rotation: the same text means the
    /// same window, or, where the resident server was asked, a window of the same app.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Whether it was in front all the time while the screen was read.
    pub fn is_steady(&self) -> bool {
        self.is_steady
    }
}

/// A line that runs another one, and prints the state of the screen before it and after it.
pub(super) fn around(line: &str) -> String {
    format!("p() {{ {PROBE}; echo \"{MARK}$g $t\"; }}; p; {line}; p")
}

/// What was printed between two states, and these.
pub(super) struct GuardedOutput<'b> {
    pub(super) inside: &'b [u8],
    before: Option<String>,
    after: Option<String>,
}

impl<'b> GuardedOutput<'b> {
    /// Takes the states off what a line made by [`around`] printed.
    pub(super) fn split(bytes: &'b [u8]) -> Self {
        let (mut inside, mut before, mut after) = (bytes, None, None);
        if let Some(rest) = inside.strip_prefix(MARK.as_bytes())
            && let Some(end) = rest.iter().position(|byte| *byte == b'\n')
        {
            before = Some(state(&rest[..end]));
            inside = &rest[end + 1..];
        }
        // The last one: a text on the screen may look like it.
        let last = inside.windows(MARK.len()).rposition(|part| part == MARK.as_bytes());
        if let Some(at) = last {
            after = Some(state(&inside[at + MARK.len()..]));
            inside = &inside[..at];
        }
        Self { inside, before, after }
    }

    /// What was in front, if the phone says so. `package` is that of the screen that was read.
    pub(super) fn front(&self, package: &str) -> Option<Front> {
        let (state, window) = words(self.after.as_deref()?);
        let (state_before, window_before) = words(self.before.as_deref()?);
        if state == NOTHING || !is_plain(state) {
            return None;
        }
        // If the screen changed meanwhile, it may be either one that was read:
        // it was the last one if only that one is of the same app.
        let is_of = |window: &str| app_of(window) == Some(package);
        let is_steady = state == state_before || (is_of(window) && !is_of(window_before));
        Some(Front {
            lane: Lane::Dump,
            state: state.to_owned(),
            package: app_of(window).map(str::to_owned),
            window: (!window.is_empty()).then(|| window.to_owned()),
            is_steady,
            sight: None,
        })
    }
}

fn app_of(window: &str) -> Option<&str> {
    let (app, _) = window.split_once('/')?;
    Some(app).filter(|app| !app.is_empty())
}

fn state(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// The state and the window of what was printed.
fn words(printed: &str) -> (&str, &str) {
    let (state, window) = printed.split_once(' ').unwrap_or((printed, ""));
    (state, activity(window).unwrap_or_default())
}

/// The activity that a window is named after, if it is one.
pub(super) fn activity(window: &str) -> Option<&str> {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '/');
    let end = window.find(|c| !letter(c)).unwrap_or(window.len());
    Some(&window[..end]).filter(|name| name.contains('/'))
}

/// It becomes a word of a command again.
fn is_plain(state: &str) -> bool {
    state.chars().all(|c| c.is_ascii_alphanumeric() || ",._:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "9x9,0,a1 com.x/com.x.Main";

    #[test]
    fn a_look_is_steady_if_the_same_screen_was_in_front_all_the_time() {
        let next = "9x9,0,a2 com.x/com.x.Next";
        let other = "9x9,0,b1 com.y/com.y.Main";
        for (before, after, package, steady) in [
            (MAIN, MAIN, "com.x", true),
            // A window's name says little of what is in it.
            (MAIN, MAIN, "com.z", true),
            (other, MAIN, "com.x", true),
            (other, MAIN, "com.y", false),
            (other, MAIN, "", false),
            (MAIN, next, "com.x", false),
            (MAIN, "9x9,90,a1 com.x/com.x.Main", "com.x", false),
            ("9x9,0,", MAIN, "com.x", true),
            (MAIN, "9x9,0,", "com.x", false),
        ] {
            let text = format!("{MARK}{before}\r\nthe dump\r\n{MARK}{after}\r\n");
            let printed = GuardedOutput::split(text.as_bytes());
            assert_eq!(printed.inside, b"the dump\r\n");
            let front = printed.front(package).unwrap();
            assert_eq!(front.is_steady, steady, "{before} {after} {package}");
        }
    }

    #[test]
    fn what_a_phone_does_not_report_is_not_guessed() {
        for text in [
            "the dump".to_owned(),
            format!("{MARK},, \nthe dump{MARK},, \n"),
            format!("{MARK}{MAIN}\nthe dump"),
            format!("the dump{MARK}{MAIN}\n"),
            format!("{MARK}$(reboot)\nthe dump{MARK}$(reboot)\n"),
        ] {
            let printed = GuardedOutput::split(text.as_bytes());
            assert_eq!(printed.inside, b"the dump", "{text}");
            assert_eq!(printed.front("com.x"), None, "{text}");
        }
    }

    #[test]
    fn a_text_on_the_screen_that_looks_like_ours_is_no_state() {
        let dump = format!("<node text=\"{MARK}1x1,0,ff com.x/Evil\n\"/>");
        let text = format!("{MARK}{MAIN}\n{dump}{MARK}{MAIN}\n");
        let printed = GuardedOutput::split(text.as_bytes());
        assert_eq!(printed.inside, dump.as_bytes());
        assert_eq!(printed.front("com.x").unwrap().state, "9x9,0,a1");
    }
}
