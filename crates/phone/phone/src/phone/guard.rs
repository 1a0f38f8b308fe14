//! What a phone checks in the same command before it touches something or
//! presses a key, and what it says if it does not.

use super::foreground::{KEYGUARD, LOCK_LINES, OCCLUDED};
use super::front::{Front, activity};
use super::script::{GUARD, LISTENS, OWNER, SCREEN, Script, ScriptFile};
use super::{CommandAnswer, CommandKind, CommandLine, DispatchState, Lock, Phone, PhoneError};
use crate::quote::Nul;
use clawperator_adb::Deadline;
use clawperator_contract::Lane;

/// What our scripts print before the first thing they do. Without it nothing was done.
const BEGINS: &str = "clawperator: begins";
/// What they print if they do nothing, or nothing more; the reason follows.
pub(super) const NOT_DONE: &str = "clawperator: not done: ";
/// The reason: the point is outside the screen, and the size follows.
const OUTSIDE: &str = "outside ";
/// The reason: another screen is in front, and its name follows.
const CHANGED: &str = "changed ";
/// The reason: the phone cannot put a finger down and leave it there.
const NO_MOTION: &str = "no motion events";
/// The reasons: the screen is off, the phone is locked.
const OFF: &str = "off";
const LOCKED: &str = "locked";
/// What is printed before the apps in front before and after a key, and the name
/// of the window after it. What was open before follows.
const NOW: &str = "clawperator: now in front: ";
/// What is printed before what is open now.
const OPEN: &str = "clawperator: now open:";
/// The wanted state of [`Precondition::OnScreen`].
const ANY: &str = "-";

/// What must be true before a finger touches or a key is pressed, on a phone that
/// is on and unlocked. What a phone does not report is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The first point of a touch is on the screen.
    OnScreen,
    /// This is still in front, in the same rotation and size.
    Front(Front),
}

impl Precondition {
    /// What does something while what is wanted is in front: this file, behind the guard.
    pub(super) fn script(&self, file: ScriptFile) -> Result<Script, PhoneError> {
        Ok(guard(&[file])?.value("wanted", &self.front_word()?)?)
    }

    /// The front that is wanted, as the scripts have it: a state, or after `@` an app
    /// where the resident server has seen it.
    fn front_word(&self) -> Result<String, PhoneError> {
        let Self::Front(front) = self else {
            return Ok(ANY.to_owned());
        };
        if !front.is_steady {
            return Err(screen_changed(front.window.clone(), DispatchState::No));
        }
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
        Ok(match front.lane {
            Lane::Dump => front.state.clone(),
            Lane::Resident => match front.package().filter(is_name) {
                Some(package) => format!("@{package}"),
                None => ANY.to_owned(),
            },
        })
    }
}

/// The error of what was not done, or not certainly done, because something else is in front.
pub(super) fn screen_changed(window: Option<String>, dispatched: DispatchState) -> PhoneError {
    PhoneError::ScreenChanged { window, dispatched }
}

/// The guard, and files that use it.
pub(super) fn guard(files: &[ScriptFile]) -> Result<Script, Nul> {
    let script = Script::of(&[&[LISTENS, SCREEN, GUARD], files].concat());
    let script = script.constant("lock_lines", LOCK_LINES)?.constant("locked", &KEYGUARD.join(" "))?;
    script.constant("covered", &OCCLUDED.join(" "))
}

/// Succeeds unless a key may have gone to another app than the one that had the
/// focus: that app is in front now, and the first one has not led to it.
pub(super) fn check_arrival(mut answer: CommandAnswer) -> Result<(), PhoneError> {
    let out = std::mem::take(&mut answer.out);
    let (said, now) = out.split_once(NOW).unwrap_or((&out, ""));
    said.clone_into(&mut answer.out);
    answer.silent()?;
    if now.is_empty() {
        return Ok(());
    }
    let (names, rest) = now.split_once('\n').unwrap_or((now, ""));
    let (before, history) = rest.split_once(OPEN).unwrap_or((rest, ""));
    let mut words = names.split(' ');
    let [from, to, window] = [(); 3].map(|()| words.next().unwrap_or_default());
    // A phone that does not say what was in front is not asked what is.
    if from.is_empty() || has_led(before, history, from, to) {
        Ok(())
    } else {
        Err(screen_changed(activity(window).map(str::to_owned), DispatchState::Unknown))
    }
}

/// Whether an app has led to what is in front now: it has just started that, or it
/// has closed itself and what was open before is in front. An app that was killed
/// has no process any more, or another one.
fn has_led(before: &str, history: &str, from: &str, to: &str) -> bool {
    let is_of = |line: &&str, app: &str| line.contains("Hist") && line.contains(&format!(" {app}/"));
    let mut lines = history.lines().skip_while(|line| !is_of(line, to));
    let record = lines.next().and_then(|line| line.split_once("ActivityRecord{"));
    let Some(number) = record.and_then(|(_, record)| record.split(' ').next()) else {
        return false;
    };
    if before.contains(&format!("ActivityRecord{{{number} ")) {
        let process = |text: &str| text.lines().find(|line| line.starts_with("pid ")).map(str::to_owned);
        let lives = process(before).is_some() && process(before) == process(history);
        return lives && !history.lines().any(|line| is_of(&line, from));
    }
    let starter = lines.find_map(|line| line.split_once("launchedFromPackage="));
    starter.is_some_and(|(_, who)| who.split_whitespace().next() == Some(from))
}

impl Phone {
    /// Runs a script that checks first.
    pub(super) async fn run_checked(
        &self,
        line: &CommandLine,
        deadline: Deadline,
    ) -> Result<CommandAnswer, PhoneError> {
        let mut answer = self.shell(line, deadline).await?;
        let has_begun = begun(&mut answer.out);
        if let Some(error) = not_done(&answer, has_begun) {
            return Err(error);
        }
        match has_begun {
            DispatchState::Unknown => Ok(answer),
            DispatchState::No => Err(answer.not_begun()),
        }
    }

    /// The app that owns a window, if the phone says so.
    pub(super) async fn owner(&self, front: &Front, deadline: Deadline) -> Option<String> {
        let script = guard(&[OWNER]).ok()?.value("window", front.number()?).ok()?;
        let line = script.line(CommandKind::Foreground).without_secrets();
        let answer = self.shell(&line, deadline).await.ok()?;
        Some(answer.out.trim().to_owned()).filter(|app| !app.is_empty())
    }
}

pub(super) fn locked_error(lock: Lock, dispatched: DispatchState) -> PhoneError {
    PhoneError::Locked { lock, dispatched }
}

/// Whether a script has begun to do something. Its words about that go.
fn begun(out: &mut String) -> DispatchState {
    let words = format!("{BEGINS}\n");
    let Some(at) = out.find(&words) else {
        return DispatchState::No;
    };
    out.replace_range(at..at + words.len(), "");
    DispatchState::Unknown
}

/// Why something was not done, or not certainly done, if that is what the phone says.
pub(super) fn not_done(answer: &CommandAnswer, dispatched: DispatchState) -> Option<PhoneError> {
    let why = answer.lines().find_map(|line| line.strip_prefix(NOT_DONE))?;
    if let Some(size) = why.strip_prefix(OUTSIDE) {
        let (width, height) = size.split_once('x')?;
        let size = (width.parse().ok()?, height.parse().ok()?);
        return Some(PhoneError::OffScreen { size });
    }
    Some(match why {
        OFF => locked_error(Lock::ScreenOff, dispatched),
        LOCKED => locked_error(Lock::Locked, dispatched),
        NO_MOTION => PhoneError::Unsupported(answer.kind),
        // A line is trimmed, so nothing follows if there is no name.
        why => {
            let window = why.strip_prefix(CHANGED.trim_end()).unwrap_or_default().trim();
            screen_changed(activity(window).map(str::to_owned), dispatched)
        }
    })
}

#[cfg(test)]
#[path = "../../tests/unit/guard.rs"]
mod tests;
