//! The screen's tree.

use super::answer::excerpt;
use super::front::{Front, GuardedOutput};
use super::guard::locked_error;
use super::reaction::{read, write};
use super::resident::OLD_KEYGUARD;
use super::script::{DUMP, FRONT, LISTENS, SCREEN, Script};
use super::{CaptureError, CommandKind, DispatchState, Phone, PhoneError, SYSTEM_UI};
use crate::dark::Private;
use crate::quote::Nul;
use clawperator_adb::Deadline;
use clawperator_contract::Lane;
use clawperator_ui::{Node, Tree};
use futures_core::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A name of our own: another tool's dump is not ours.
const FILE: &str = "/data/local/tmp/clawperator-window.xml";
/// What the phone says when it believes it has written a tree (sic).
const DUMPED: &str = "UI hierchary dumped to";
/// What the phone says when something else watches the screen already.
const REGISTERED: &str = "already registered";

/// What our own line says when it ended a look that took too long.
const LATE: &str = "clawperator: ended, since it took too long";
/// How long a screen is waited for that did not come to rest before.
const RESTLESS: Duration = Duration::from_secs(4);
/// How long a phone waits for its screen to come to rest, and what that takes beside.
const PATIENT: Duration = Duration::from_secs(11);
/// How much sooner than its caller the phone itself ends a look.
const SOONER: Duration = Duration::from_secs(1);
/// How long a screen is tried at least, and by a phone that is slow.
const LEAST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(10);

/// How much of a screen is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Views {
    #[default]
    All,
    /// What matters to a screen reader.
    Important,
}

/// A look at the screen.
#[derive(Clone, Debug)]
pub struct LookResult {
    pub tree: Tree,
    /// What was in front, if the phone reports it.
    pub front: Option<Front>,
    /// What is dots in the tree.
    pub private: Private,
}

/// How a tree gets out of the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpWay {
    /// Through the command's terminal, or a file where it has none.
    Terminal,
    File,
}

/// What a screen is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookTo {
    Read,
    /// To know what is in front, too.
    Show,
    /// To touch it, or to be sure of what is not on it: a phone that is locked or
    /// off says so instead.
    Touch,
}

/// What the looks so far tell of the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LookHistory {
    #[serde(skip)]
    file: Option<PathBuf>,
    restless: Option<Restless>,
    /// How long the looks took that saw something; the longest is forgotten little by little.
    shortest: Option<Duration>,
    longest: Duration,
}

/// The window that did not come to rest when it was last looked at.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Restless {
    /// Its number, if that is known.
    window: Option<String>,
    /// How long it was waited for at most.
    waited: Duration,
}

impl LookHistory {
    fn store(&self) {
        if let Some(file) = &self.file {
            // What is not stored is learned again.
            let _ = write(file, self);
        }
    }
}

impl Phone {
    /// Reads the screen, and what is in front while it is read. One round trip; two the first time
    /// on a phone whose terminals do not take it, which is remembered.
    ///
    /// A phone waits ten seconds for its screen to come to rest. A screen that
    /// did not is waited for in full only once: the next looks end sooner.
    ///
    /// # Errors
    /// [`PhoneError::Capture`] if the phone gives none, or what broke.
    pub fn look(&self, views: Views, deadline: Deadline) -> BoxFuture<'_, Result<LookResult, PhoneError>> {
        Box::pin(async move { self.see(views, LookTo::Show, deadline).await })
    }

    /// The app of a tree and the one in front, if these are certainly not the
    /// same. A window is often, but not always, named after the app that owns it.
    async fn owner_of_another(&self, seen: &LookResult, deadline: Deadline) -> Option<(String, String)> {
        let front = seen.front.as_ref()?;
        let (_, root) = seen.tree.nodes().next()?;
        let package = root.package.as_str();
        if package.is_empty() || front.package() == Some(package) {
            return None;
        }
        let owner = match front.lane {
            Lane::Resident => front.package().map(str::to_owned),
            // Meanwhile another one came to the front, so it is not touched.
            Lane::Dump if !front.is_steady => None,
            Lane::Dump => self.owner(front, deadline).await,
        };
        let owner = owner.filter(|owner| owner != package)?;
        Some((package.to_owned(), owner))
    }

    /// Reads the screen alone, as [`Self::look`].
    ///
    /// # Errors
    /// As for [`Self::look`].
    pub fn capture(&self, views: Views, deadline: Deadline) -> BoxFuture<'_, Result<Tree, PhoneError>> {
        Box::pin(async move { Ok(self.see(views, LookTo::Read, deadline).await?.tree) })
    }

    /// Reads the screen for either, without what must not be seen. No tree of a
    /// phone comes from anywhere else.
    pub fn see(
        &self,
        views: Views,
        to: LookTo,
        deadline: Deadline,
    ) -> BoxFuture<'_, Result<LookResult, PhoneError>> {
        Box::pin(async move {
            // Part of every step: it stays off the stack.
            let mut seen = Box::pin(self.look_either_way(views, to, deadline)).await;
            if seen.as_ref().is_ok_and(|seen| is_bare(&seen.tree)) {
                seen = Err(CaptureError::NullRoot.into());
            }
            if to == LookTo::Touch
                && may_be_locked(&seen)
                && let Some(lock) = self.foreground(deadline).await.ok().and_then(|it| it.lock())
            {
                return Err(locked_error(lock, DispatchState::No));
            }
            let mut seen = seen?;
            match self.owner_of_another(&seen, deadline).await {
                // There the app in front is asked for after the tree.
                Some(_) if self.lane() == Lane::Resident => return Err(self.screen_changed(deadline).await),
                Some((seen, front)) => return Err(CaptureError::OfAnother(seen, front).into()),
                None => {}
            }
            seen.private = self.dark.darken(&mut seen.tree);
            Ok(seen)
        })
    }

    /// Asks what is in front, if the phone reports it.
    pub fn front(&self, deadline: Deadline) -> BoxFuture<'_, Result<Option<Front>, PhoneError>> {
        Box::pin(async move {
            match self.lane() {
                Lane::Resident => self.front_resident(deadline).await.map(Some),
                Lane::Dump => self.front_by_shell(deadline).await,
            }
        })
    }

    pub(super) async fn front_by_shell(&self, deadline: Deadline) -> Result<Option<Front>, PhoneError> {
        let line = Script::of(&[SCREEN, FRONT]).line(CommandKind::Foreground);
        let bytes = self.exec(line, deadline).await?;
        Ok(GuardedOutput::split(&bytes).front(""))
    }

    async fn look_either_way(
        &self,
        views: Views,
        to: LookTo,
        deadline: Deadline,
    ) -> Result<LookResult, PhoneError> {
        if self.lane_for_a_look(deadline).await == Lane::Resident {
            let mut seen = self.look_resident(views, to, deadline).await;
            if let Err(error) = &seen
                && self.has_restarted(error, deadline).await
            {
                seen = self.look_resident(views, to, deadline).await;
            }
            match seen {
                Err(error) if self.goes_on_without_server(&error) => {}
                seen => return seen,
            }
        }
        let mut seen = self.look_once(views, deadline).await;
        if let Err(PhoneError::Capture(CaptureError::NotWritten)) = seen
            && self.dump_way() == DumpWay::Terminal
        {
            self.set_dump_way(DumpWay::File);
            seen = self.look_once(views, deadline).await;
        }
        while let Ok(first) = &seen
            && self.is_of_another_window(first)
        {
            seen = self.look_once(views, deadline).await;
        }
        match seen {
            Err(PhoneError::Capture(CaptureError::Busy(None))) => {
                match Box::pin(self.who_reads(deadline)).await {
                    // What has read is just ending, such as a look that was cut off.
                    None => self.look_once(views, deadline).await,
                    who => Err(CaptureError::Busy(who).into()),
                }
            }
            seen => seen,
        }
    }

    /// Whether the last look saw the same in another window: the tree may be still
    /// of that one. If the next look sees it again, both windows show the same.
    fn is_of_another_window(&self, seen: &LookResult) -> bool {
        let Some(number) = seen.front.as_ref().and_then(Front::number) else {
            return false;
        };
        let mut last = self.last_dump.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace((number.to_owned(), seen.tree.clone()));
        before.is_some_and(|(window, tree)| window != number && tree == seen.tree)
    }

    /// How trees get out of this phone, as far as is known.
    pub fn dump_way(&self) -> DumpWay {
        if self.dumps_to_file.load(Ordering::Relaxed) { DumpWay::File } else { DumpWay::Terminal }
    }

    /// Sets how trees get out of this phone, if that is known from before.
    pub fn set_dump_way(&self, way: DumpWay) {
        self.dumps_to_file.store(way == DumpWay::File, Ordering::Relaxed);
    }

    fn looks(&self) -> MutexGuard<'_, LookHistory> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on from the looks at this phone, whichever process looked.
    pub(super) fn recall_looks(&self, file: PathBuf) {
        let mut looks = self.looks();
        if looks.file.is_none() {
            *looks = read(&file).unwrap_or_default();
            looks.file = Some(file);
            // Who has the time waits once in every process.
            looks.restless.take_if(|restless| restless.waited >= PATIENT);
        }
    }

    /// How long a look may take on this phone, from the longest that saw something:
    /// a slow phone needs longer for any look.
    pub fn usual_look(&self) -> Duration {
        (self.looks().longest * 3 / 2).min(MOST)
    }

    /// How long the phone may try to read its screen, unless that is as long as it likes. A caller
    /// with little time does not wait again for the window that did not come to rest before.
    async fn limit(&self, deadline: Deadline) -> Option<Duration> {
        let left = deadline.left().saturating_sub(SOONER).max(LEAST);
        let LookHistory { restless, shortest, .. } = self.looks().clone();
        let Some(Restless { window, .. }) =
            restless.filter(|restless| left <= restless.waited.saturating_add(SOONER))
        else {
            return (left < PATIENT).then_some(left);
        };
        if left >= PATIENT {
            return Some(RESTLESS.max(self.usual_look()));
        }
        let front = self.front_by_shell(deadline).await.ok().flatten();
        let is_same = window.is_some() && front.as_ref().and_then(Front::number) == window.as_deref();
        let again = LEAST.max(shortest.unwrap_or_default());
        Some(if is_same { again.min(left) } else { left })
    }

    async fn look_once(&self, views: Views, deadline: Deadline) -> Result<LookResult, PhoneError> {
        // A command that is executed has a terminal; one of the shell protocol has none.
        let longest = self.limit(deadline).await;
        let began = Instant::now();
        // What is in front tells of a tree that is not of it.
        let script =
            dump_script(views, self.dump_way(), longest.unwrap_or_else(|| deadline.left()).max(LEAST))?;
        let bytes = self.exec(script.line(CommandKind::Capture), deadline).await?;
        let printed = GuardedOutput::split(&bytes);
        let read = parse(printed.inside);
        match &read {
            Ok(_) => {
                let (took, mut looks) = (began.elapsed(), self.looks());
                looks.shortest = Some(looks.shortest.map_or(took, |shortest| shortest.min(took)));
                looks.longest = took.max(looks.longest * 3 / 4);
                looks.restless = None;
                looks.store();
            }
            Err(CaptureError::NotIdle) => {
                let front = printed.front("");
                let number = front.as_ref().and_then(Front::number);
                let (window, mut looks) = (number.map(str::to_owned), self.looks());
                let before = looks.restless.take().filter(|before| before.window == window);
                let waited = longest.unwrap_or(Duration::MAX);
                let waited = before.map_or(waited, |before| before.waited.max(waited));
                looks.restless = Some(Restless { window, waited });
                looks.store();
            }
            Err(_) => {}
        }
        let tree = read?;
        let root = tree.nodes().next();
        let package = root.map_or("", |(_, node)| node.package.as_str());
        Ok(LookResult { front: printed.front(package), tree, private: Private::default() })
    }
}

/// Whether a look saw what may be the lock screen, or nothing.
pub fn may_be_locked(seen: &Result<LookResult, PhoneError>) -> bool {
    match seen {
        Ok(seen) => {
            let root = seen.tree.nodes().next();
            root.is_some_and(|(_, root)| [SYSTEM_UI, OLD_KEYGUARD].contains(&&*root.package))
        }
        Err(error) => matches!(error, PhoneError::Capture(_)),
    }
}

/// Whether a tree is the one that a phone shows for a moment while it is unlocked: of the system,
/// and with nothing in it.
fn is_bare(tree: &Tree) -> bool {
    let says_nothing = |node: &Node| node.package == "android" && node.label().is_empty();
    !tree.is_empty() && tree.nodes().all(|(_, node)| says_nothing(node))
}

fn dump_script(views: Views, way: DumpWay, longest: Duration) -> Result<Script, Nul> {
    let way = match way {
        DumpWay::Terminal => "terminal",
        DumpWay::File => "file",
    };
    let options: &[&str] = match views {
        Views::All => &[],
        Views::Important => &["--compressed"],
    };
    let seconds = longest.as_secs_f64().round().to_string();
    let script = Script::of(&[LISTENS, SCREEN, DUMP]).value("way", way)?.value("file", FILE)?;
    script.value("seconds", &seconds)?.words(options)
}

/// Reads what the phone printed. Its exit code says nothing.
pub(super) fn parse(bytes: &[u8]) -> Result<Tree, CaptureError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => return Err(CaptureError::CutOff),
        Err(error) => {
            let reason = format!("invalid UTF-8 at byte {}", error.valid_up_to());
            return Err(CaptureError::Malformed(reason));
        }
    };
    let read = clawperator_ui::read(text);
    let mut tree = read.map_err(|error| match CaptureError::from(error) {
        CaptureError::NoHierarchy(_) => excuse(text),
        other => other,
    })?;
    // A phone hides a password but for its last letter, for a moment.
    tree.hide_passwords();
    Ok(tree)
}

/// Why there is no tree, from what the phone printed instead.
fn excuse(text: &str) -> CaptureError {
    if text.starts_with('<') {
        // It began, and did not even get to the hierarchy.
        CaptureError::CutOff
    } else if text.contains(REGISTERED) {
        CaptureError::Busy(None)
    } else if text.contains(LATE) {
        CaptureError::NotIdle
    } else if text.contains(DUMPED) {
        CaptureError::NotWritten
    } else {
        CaptureError::NoHierarchy(excerpt(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_excuse_of_a_phone_is_an_empty_screen() {
        for (text, error) in [
            ("ERROR: could not get idle state.\n", CaptureError::NotIdle),
            ("ERROR: null root node returned by UiTestAutomationBridge.\n", CaptureError::NullRoot),
            (
                "UiAutomationService android.x@5 already registered!\n\tat y\nKilled\n",
                CaptureError::Busy(None),
            ),
            ("UI hierchary dumped to: /dev/tty\n", CaptureError::NotWritten),
            (
                "sh: uiautomator: not found\n",
                CaptureError::NoHierarchy("sh: uiautomator: not found".to_owned()),
            ),
            ("", CaptureError::NoHierarchy(String::new())),
            ("<?xml versUI hierchary dumped to: /dev/tty\n", CaptureError::CutOff),
            ("<?xml version='1.0' ?><hierarchy rotation=\"0\"><node te", CaptureError::CutOff),
        ] {
            assert_eq!(parse(text.as_bytes()).err(), Some(error), "{text}");
        }
    }

    #[test]
    fn a_tree_of_the_system_without_a_word_is_no_screen() {
        let tree = |package: &str, text: &str| {
            let node =
                |text: &str| format!("<node package=\"{package}\" text=\"{text}\" bounds=\"[0,0][9,9]\">");
            let xml =
                format!("<hierarchy rotation=\"0\">{}{}</node></node></hierarchy>", node(""), node(text));
            parse(xml.as_bytes()).unwrap()
        };
        assert!(is_bare(&tree("android", "")));
        assert!(!is_bare(&tree("android", "Trouble has stopped")));
        assert!(!is_bare(&tree("com.x", "")));
    }

    #[test]
    fn a_dump_that_ends_inside_a_letter_is_cut_off() {
        let cut = "<hierarchy rotation=\"0\"><node text=\"é".as_bytes();
        assert_eq!(parse(&cut[..cut.len() - 1]).err(), Some(CaptureError::CutOff));
        assert!(matches!(parse(b"<hierarchy \xff rotation").err(), Some(CaptureError::Malformed(_))));
    }
}
