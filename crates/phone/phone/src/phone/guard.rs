//! What a phone checks in the same command before it touches something or
//! presses a key, and what it says if it does not.

use super::foreground::{AWAKE, KEYGUARD, LOCK, OCCLUDED};
use super::front::{Front, PROBE, activity};
use super::{CommandAnswer, CommandKind, CommandLine, DispatchState, Lock, Phone, PhoneError};
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
/// The reasons: the screen is off, the phone is locked.
const OFF: &str = "off";
const LOCKED: &str = "locked";
/// What is printed before the apps in front before and after a key, and the name
/// of the window after it. What was open before follows.
const NOW: &str = "clawperator: now in front: ";
/// What is printed before what is open now.
const OPEN: &str = "clawperator: now open:";
/// The wanted state of [`Precondition::OnScreen`].
pub(super) const ANY: &str = "-";

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
    /// Does some things one after the other while what is wanted is in front.
    pub(super) fn line(&self, kind: CommandKind, parts: &[String]) -> Result<CommandLine, PhoneError> {
        Ok(CommandLine::new(kind, checker() + &guarded_script(&self.front_word()?, parts)))
    }

    /// The front that is wanted, as a word of a line: a state, or after `@` an app
    /// where the resident server has seen it.
    pub(super) fn front_word(&self) -> Result<String, PhoneError> {
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

/// What prints the part about the window `$f` of the phone's list.
const OWNER: &str = "dumpsys window windows 2>/dev/null | grep -A 3 \"Window #.* Window{$f \"";
/// What lists the activities that are open, and who has started them, and the
/// process of the app `$x`.
const HISTORY: &str = "{ dumpsys activity activities | grep -E '\\* Hist|launchedFromPackage='; echo pid $(pidof \"$x\"); } 2>/dev/null";

/// Defines what the other lines use. `l` sets `o` if the phone is locked or off, `q` sets `q` to
/// the app in front, `r` tells `o` if there is something to tell. `k` succeeds if the phone is on
/// and unlocked and `$w` is in front: whatever touches or types passes it. `a` looks once more at
/// the end: what a phone got that went off meanwhile may be lost.
pub(super) fn checker() -> String {
    let (keys, occluded) = (KEYGUARD.join(" "), OCCLUDED.join("true*|*[!a-zA-Z]"));
    let awake = AWAKE.join("*|*mWakefulness=");
    format!(
        "p() {{ {PROBE}; }}; \
         l() {{ o=; i=\" $({LOCK})\"; \
         case $i in *mWakefulness={awake}*) ;; *mWakefulness=*) o={OFF}; return;; esac; \
         case $i in *[!a-zA-Z]{occluded}true*) return;; esac; \
         for y in {keys}; do case $i in *[!a-zA-Z]\"$y\"true*) o={LOCKED}; return;; *[!a-zA-Z]\"$y\"false*) return;; esac; done; }}; \
         q() {{ q=; case $f,$t in ,*) ;; */*) q=${{t%%/*}};; *) q=$({OWNER}); \
         case $q in *package=*) q=${{q#*package=}}; q=${{q%% *}};; *) q=;; esac;; esac; }}; \
         r() {{ if [ -n \"$o\" ]; then echo \"{NOT_DONE}$n $o\"; return 1; fi; n=1; }}; \
         k() {{ p; l; if [ -z \"$o\" ]; then case $w in {ANY}) w=$g;; \
         @*) case $f in '') ;; *) q; [ \"@$q\" = \"$w\" ] || o=\"{CHANGED}$t\";; esac;; \
         \"$g\") ;; *) o=\"{CHANGED}$t\";; esac; fi; r; }}; \
         a() {{ p; l; r; }}; n=0; "
    )
}

/// What does some things one after the other, each only if what is wanted is in front, and looks
/// once more at the end. Without something wanted it is what was in front at the start.
pub(super) fn guarded_script(wanted: &str, parts: &[String]) -> String {
    let each: String = parts.iter().map(|part| format!(" && {part} && k")).collect();
    format!("w={wanted}; k{each}")
}

/// What does something if what is wanted is in front, whatever comes of it.
pub(super) fn once(wanted: &str, part: &str) -> String {
    format!("w={wanted}; k && {part} && a")
}

/// What does something if what is wanted is in front, and tells what has led to
/// another app if one is in front afterwards.
pub(super) fn pressing_script(wanted: &str, part: &str) -> String {
    format!(
        "p; q; x=$q; b=$({HISTORY}); {} && {{ q; \
         case $q in ''|\"$x\") ;; *) echo \"{NOW}$x $q $t\"; echo \"$b\"; echo '{OPEN}'; {HISTORY};; esac; }}",
        once(wanted, part)
    )
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
    /// Runs a line that checks first.
    pub(super) async fn run_checked(
        &self,
        line: &CommandLine,
        deadline: Deadline,
    ) -> Result<CommandAnswer, PhoneError> {
        let answer = self.shell(line, deadline).await?;
        not_done(&answer).map_or(Ok(answer), Err)
    }

    /// The app that owns a window, if the phone says so.
    pub(super) async fn owner(&self, front: &Front, deadline: Deadline) -> Option<String> {
        let line = format!("f={}; {OWNER}", front.number()?);
        let answer = self.ask(CommandKind::Foreground, line, deadline).await.ok()?;
        let words = answer.out.split_whitespace();
        let mut owners = words.filter_map(|word| word.strip_prefix("package="));
        owners.next().map(str::to_owned)
    }
}

pub(super) fn locked_error(lock: Lock, dispatched: DispatchState) -> PhoneError {
    PhoneError::Locked { lock, dispatched }
}

/// Why something was not done, or not certainly done, if that is what the phone says.
pub(super) fn not_done(answer: &CommandAnswer) -> Option<PhoneError> {
    let why = answer.lines().find_map(|line| line.strip_prefix(NOT_DONE))?;
    let (done, why) = why.split_once(' ')?;
    let dispatched = match done {
        "0" => DispatchState::No,
        _ => DispatchState::Unknown,
    };
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
