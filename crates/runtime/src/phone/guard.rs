//! What a phone checks in the same command before it touches something or
//! presses a key, and what it says if it does not.

use super::foreground::{LOCK, parse};
use super::front::{Front, PROBE, activity};
use super::{Answer, CommandKind, CommandLine, Dispatched, Lock, Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::Lane;

/// What our lines print if they do nothing, or nothing more: whether something
/// was done before (0 or 1), and the reason.
pub(super) const NOT_DONE: &str = "clawperator: not done: ";
/// The reason: the point is outside the screen, and the size follows.
pub(super) const OUTSIDE: &str = "outside ";
/// The reason: another screen is in front, and its name follows.
pub(super) const CHANGED: &str = "changed ";
/// The reason: the phone cannot put a finger down and leave it there.
pub(super) const NO_MOTION: &str = "no motion events";
/// The reason: the phone may be locked or off, and what it says of that follows.
pub(super) const IN_DOUBT: &str = "in doubt";
/// What is printed before the number and the name of the window in front after
/// a key.
const NOW: &str = "clawperator: now in front: ";
/// The windows that have the focus while a phone is locked or off: none, or one
/// of these. They have it at other times, too.
pub(super) const LOCK_WINDOWS: &str = ",*|*,NotificationShade*|*,StatusBar*|*,Keyguard*";
/// The wanted state of [`Check::OnScreen`], and the same for a phone that is in
/// doubt and not locked.
pub(super) const ANY: &str = "-";
const ANY_UNLOCKED: &str = "+";

/// What must be true before a finger touches or a key is pressed. What a phone
/// does not report is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The screen is on and unlocked, and the first point of a touch is on it.
    OnScreen,
    /// This is still in front, in the same rotation and size.
    Front(Front),
}

impl Check {
    /// The front that is wanted, as a word of a line: a state, or after `@` an app
    /// where the resident server has seen it.
    pub(super) fn wanted(&self) -> Result<String, PhoneError> {
        let Self::Front(front) = self else {
            return Ok(ANY.to_owned());
        };
        if !front.is_steady {
            return Err(changed(front.window.clone(), Dispatched::No));
        }
        let is_name = |name: &&str| {
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
        };
        Ok(match front.lane {
            Lane::Dump => front.state.clone(),
            Lane::Resident => match front.package().filter(is_name) {
                Some(package) => format!("@{package}"),
                None => ANY_UNLOCKED.to_owned(),
            },
        })
    }
}

/// The error of what was not done, or not certainly done, because something else
/// is in front.
pub(super) fn changed(window: Option<String>, dispatched: Dispatched) -> PhoneError {
    PhoneError::ScreenChanged { window, dispatched }
}

/// What prints the part about the window `$f` of the phone's list.
const OWNER: &str = "dumpsys window windows 2>/dev/null | grep -A 3 \"Window #.* Window{$f \"";

/// Defines what [`checked`] and [`pressed`] use: `k` succeeds if `$w` is in front.
pub(super) fn checker() -> String {
    format!(
        "p() {{ {PROBE}; }}; k() {{ p; o=; case $w in \
         -) case $f,$t in {LOCK_WINDOWS}) o='{IN_DOUBT}';; esac; w=$g;; +) w=$g;; \
         @*) case $f,$t in ,*|*,\"${{w#@}}\"/*) ;; */*) o=\"{CHANGED}$t\";; \
         *) case $({OWNER}) in *\"package=${{w#@}} \"*) ;; *) o=\"{CHANGED}$t\";; esac;; esac;; \
         \"$g\") ;; *) o=\"{CHANGED}$t\";; esac; \
         if [ -n \"$o\" ]; then echo \"{NOT_DONE}$n $o\"; \
         if [ \"$o\" = '{IN_DOUBT}' ]; then {LOCK}; fi; return 1; fi; n=1; }}; n=0; "
    )
}

/// What does some things one after the other, each only if what is wanted is in
/// front, and looks once more at the end. Without something wanted it is what was
/// in front at the start.
pub(super) fn checked(wanted: &str, parts: &[String]) -> String {
    let each: String = parts.iter().map(|part| format!(" && {part} && k")).collect();
    format!("w={wanted}; k{each}")
}

/// What does something if what is wanted is in front, and tells what is in front
/// afterwards.
pub(super) fn pressed(wanted: &str, part: &str) -> String {
    format!("w={wanted}; k && {part} && {{ p; echo \"{NOW}$t\"; }}")
}

/// The app in front after a key, if the phone says so and it is an app.
pub(super) fn now(answer: &Answer) -> Option<String> {
    let window = answer
        .lines()
        .find_map(|line| line.strip_prefix(NOW.trim_end()))?;
    activity(window.trim()).map(str::to_owned)
}

impl Phone {
    /// Runs a line that checks first. A phone that may be locked or off says so
    /// instead of doing it; if it is neither, it is asked once more.
    pub(super) async fn run_checked(
        &self,
        wanted: &str,
        line: impl Fn(&str) -> Result<CommandLine, PhoneError>,
        deadline: Deadline,
    ) -> Result<Answer, PhoneError> {
        let mut answer = self.shell(&line(wanted)?, deadline).await?;
        if reason(&answer).is_some_and(|(_, why)| why == IN_DOUBT) {
            if let Some(lock) = parse(&answer.out).lock() {
                return Err(locked(lock, Dispatched::No));
            }
            answer = self.shell(&line(ANY_UNLOCKED)?, deadline).await?;
        }
        match not_done(&answer) {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }

    /// The app that owns a window, if the phone says so.
    pub(super) async fn owner(&self, front: &Front, deadline: Deadline) -> Option<String> {
        let number = front.state.rsplit(',').next().filter(|it| !it.is_empty())?;
        let line = format!("f={number}; {OWNER}");
        let line = CommandLine::new(CommandKind::Foreground, line).shown();
        let answer = self.shell(&line, deadline).await.ok()?;
        let words = answer.out.split_whitespace();
        let mut owners = words.filter_map(|word| word.strip_prefix("package="));
        owners.next().map(str::to_owned)
    }
}

pub(super) fn locked(lock: Lock, dispatched: Dispatched) -> PhoneError {
    PhoneError::Locked { lock, dispatched }
}

fn reason(answer: &Answer) -> Option<(Dispatched, &str)> {
    let why = answer.lines().find_map(|line| line.strip_prefix(NOT_DONE))?;
    match why.split_once(' ')? {
        ("0", why) => Some((Dispatched::No, why)),
        (_, why) => Some((Dispatched::Unknown, why)),
    }
}

/// Why something was not done, if that is what the phone says.
fn not_done(answer: &Answer) -> Option<PhoneError> {
    let (dispatched, why) = reason(answer)?;
    if let Some(size) = why.strip_prefix(OUTSIDE) {
        let (width, height) = size.split_once('x')?;
        let size = (width.parse().ok()?, height.parse().ok()?);
        return Some(PhoneError::OffScreen { size });
    }
    if why == NO_MOTION {
        return Some(PhoneError::Unsupported(answer.kind));
    }
    // A line is trimmed, so nothing follows if there is no name.
    let window = why.strip_prefix(CHANGED.trim_end()).unwrap_or_default().trim();
    Some(changed(activity(window).map(str::to_owned), dispatched))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a checked line prints on a phone whose window in front is each of
    /// these, one after the other.
    #[cfg(unix)]
    fn printed(wanted: &str, fronts: &[&str]) -> String {
        let parts = ["input one".to_owned(), "input two".to_owned()];
        let line = checker() + &checked(wanted, &parts);
        let phone = "input() { echo \"$@\"; }; grep() { cat; }; \
             dumpsys() { case $2 in displays) read -r now <&9; printf 'mDisplayId=0 x\\ninit=1x1 cur=9x9 \\nmCurrentRotation=ROTATION_0\\nmCurrentFocus=%s\\n' \"$now\";; windows) echo package=com.x appop;; *) echo asked;; esac; }";
        let fronts = fronts.join("\n");
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("{phone}; exec 9<<END\n{fronts}\nEND\n{line}")])
            .output()
            .unwrap();
        let printed = String::from_utf8(shell.stdout).unwrap();
        printed
            .trim()
            .replace('\n', "; ")
            .replace("clawperator: not done: ", "")
    }

    #[test]
    #[cfg(unix)]
    fn keys_are_pressed_only_while_what_is_wanted_is_in_front() {
        let (own, next) = ("Window{a1 u0 com.x/.Main}", "Window{a2 u0 com.x/.Next}");
        let (other, popup) = ("Window{b1 u0 com.y/.Main}", "Window{c1 u0 PopupWindow:1}");
        let shade = "Window{d1 u0 NotificationShade}";
        for (wanted, fronts, said) in [
            ("9x9,0,a1", [own, own, own], "one; two"),
            ("9x9,0,a1", [other, own, own], "0 changed com.y/.Main}"),
            ("9x9,0,a1", [next, own, own], "0 changed com.x/.Next}"),
            ("9x9,0,a1", [own, other, own], "one; 1 changed com.y/.Main}"),
            ("9x9,0,a1", [own, own, other], "one; two; 1 changed com.y/.Main}"),
            // The app is known, not the window.
            ("@com.x", [own, next, own], "one; two"),
            ("@com.x", [popup, own, own], "one; two"),
            ("@com.z", [popup, own, own], "0 changed PopupWindow:1}"),
            ("@com.x", [own, other, own], "one; 1 changed com.y/.Main}"),
            // What is in front at the start, unless the phone may be locked.
            ("-", [own, own, own], "one; two"),
            ("-", [own, other, own], "one; 1 changed com.y/.Main}"),
            ("-", [shade, shade, shade], "0 in doubt; asked; asked"),
            ("-", ["null", "null", "null"], "0 in doubt; asked; asked"),
            ("+", [shade, shade, shade], "one; two"),
        ] {
            assert_eq!(printed(wanted, &fronts), said, "{wanted} {fronts:?}");
        }
    }

    #[test]
    fn what_the_line_prints_is_read() {
        let answer = |out: &str| Answer {
            out: out.to_owned(),
            err: String::new(),
            exit_code: None,
            kind: CommandKind::Tap,
        };
        for (out, error) in [
            ("", None),
            (
                "clawperator: not done: 0 outside 1080x2400\n",
                Some("the point is outside the screen of 1080x2400"),
            ),
            (
                "clawperator: not done: 0 changed com.y/.Call}\n",
                Some("the screen changed after it was read; com.y/.Call is in front now"),
            ),
            (
                "clawperator: not done: 1 changed com.y/.Call\n",
                Some(
                    "another screen came to the front while keys were pressed; they may have gone there; com.y/.Call is in front now",
                ),
            ),
            (
                "clawperator: not done: 0 changed \n",
                Some("the screen changed after it was read"),
            ),
        ] {
            let read = not_done(&answer(out)).map(|error| error.to_string());
            assert_eq!(read.as_deref(), error, "{out}");
        }
    }
}
