//! Whether an app has reacted to what was done last. When that was, and what the screen showed, is
//! also in the phone's folder: the next look may be another process's.

use super::Phone;
use super::capture::Views;
use crate::memory::{make_folder, phone_folder};
use clawperator_private as private;
use clawperator_ui::Tree;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// How long an app may take to react to what was done, as far as a look waits for that.
const REACTS: Duration = Duration::from_millis(400);
/// How long it is believed what another process saw: people touch phones, too.
const BELIEVED: Duration = Duration::from_secs(60);
/// The file in the phone's folder, and its length.
const FILE: &str = "last_act.json";
const BYTES: usize = 256;
/// The file of how long looks took.
const LOOKS: &str = "looks.json";

/// What tells whether an app has reacted to what was done.
#[derive(Debug)]
pub(super) struct Reaction {
    /// When something was done last.
    acted: Instant,
    /// Whether the phone may have changed since the last look.
    changed: bool,
    seen: Option<RestingScreen>,
    file: Option<PathBuf>,
    /// What the file has, as far as we know.
    stored: ReactionFile,
}

/// The file's content. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ReactionFile {
    /// Which start of this computer the times are of.
    boot: String,
    acted_ms: u64,
    seen: Option<RestingScreen>,
}

/// The screen that was seen at rest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RestingScreen {
    at_ms: u64,
    views: Views,
    /// None in a file if something must not be seen.
    hash: Option<u64>,
}

impl RestingScreen {
    fn now(views: Views, tree: &Tree) -> Self {
        let mut hasher = DefaultHasher::new();
        tree.hash(&mut hasher);
        let (at_ms, hash) = (now_ms(), Some(hasher.finish()));
        Self { at_ms, views, hash }
    }
}

impl Default for Reaction {
    fn default() -> Self {
        Self {
            // What was done before is unknown: another command may have touched something just now.
            acted: Instant::now(),
            changed: true,
            seen: None,
            file: None,
            stored: ReactionFile::default(),
        }
    }
}

impl Reaction {
    /// Takes over what another process did since we last wrote the file.
    fn recall(&mut self, file: PathBuf) {
        let stored: ReactionFile = read(&file).unwrap_or_default();
        if self.file.as_ref() == Some(&file) && stored == self.stored {
            return;
        }
        // A time that is still to come is none, and neither is the first of all.
        let age = |ms: u64| now_ms().checked_sub(ms).map(Duration::from_millis);
        let acted = age(stored.acted_ms).filter(|_| stored.acted_ms > 0 && stored.boot == boot());
        let seen = stored.seen.filter(|seen| age(seen.at_ms).is_some());
        let ago = match seen {
            // That process has waited for it.
            Some(seen) if acted.is_some() && seen.at_ms > stored.acted_ms => REACTS,
            _ => acted.unwrap_or_default().min(REACTS),
        };
        let now = Instant::now();
        *self = Self {
            acted: now.checked_sub(ago).unwrap_or(now),
            changed: true,
            seen: seen.filter(|seen| acted.is_some() && age(seen.at_ms) < Some(BELIEVED)),
            file: Some(file),
            stored,
        };
    }

    fn store(&mut self, seen: Option<RestingScreen>) {
        let Some(file) = &self.file else { return };
        let acted = u64::try_from(self.acted.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.stored = ReactionFile { boot: boot(), acted_ms: now_ms().saturating_sub(acted), seen };
        if write(file, &self.stored).is_err() {
            // What is not known is waited for.
            self.stored = ReactionFile::default();
            let _ = fs::remove_file(file);
        }
    }
}

impl Phone {
    /// Goes on from what was done to this phone, whichever process did it.
    pub fn recall_last_act(&self, phones: &Path) {
        if let Some(folder) = phone_folder(Some(phones), &self.serial) {
            self.reaction().recall(folder.join(FILE));
            self.recall_looks(folder.join(LOOKS));
        }
    }

    /// Notes that something is about to be done, or was done just now.
    pub(super) fn has_acted(&self) {
        let mut reaction = self.reaction();
        (reaction.acted, reaction.changed) = (Instant::now(), true);
        let seen = reaction.stored.seen;
        reaction.store(seen);
    }

    /// Whether the phone may have changed since the last look.
    pub(super) fn has_changed(&self) -> bool {
        self.reaction().changed
    }

    /// Whether a screen that rests may still be the one from before an act: an
    /// app takes a moment to react.
    pub(super) fn may_still_react(&self, views: Views, tree: &Tree) -> bool {
        let reaction = self.reaction();
        let is_before = |before: RestingScreen| {
            let now = RestingScreen::now(views, tree);
            before.views != now.views || before.hash.is_none() || before.hash == now.hash
        };
        reaction.acted.elapsed() < REACTS && reaction.seen.is_none_or(is_before)
    }

    /// Notes that this screen was seen at rest. What must not be seen of it is not
    /// stored, not even as a hash.
    pub(super) fn has_rested(&self, views: Views, tree: &Tree) {
        let seen = RestingScreen::now(views, tree);
        let hash = seen.hash.filter(|_| self.dark.is_empty());
        let mut reaction = self.reaction();
        (reaction.changed, reaction.seen) = (false, Some(seen));
        reaction.store(Some(RestingScreen { hash, ..seen }));
    }

    fn reaction(&self) -> MutexGuard<'_, Reaction> {
        self.lane.reaction.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn read<T: DeserializeOwned>(file: &Path) -> io::Result<T> {
    let mut text = Vec::new();
    private::open(file)?.take(BYTES as u64).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Writes over what is there, in one piece of the same length: this happens
/// around every act, and a file that is replaced costs a thousand times as much.
pub(super) fn write(file: &Path, stored: &impl Serialize) -> io::Result<()> {
    let text = format!("{:<BYTES$}", serde_json::to_string(stored)?);
    let mut options = private::options();
    options.write(true).truncate(false);
    let opened = match options.open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(file.parent().unwrap_or(file))?;
            options.create(true).open(file)
        }
        opened => opened,
    };
    opened?.write_all(text.as_bytes())
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or_default())
}

/// Tells one start of this computer from another, where it says so.
fn boot() -> String {
    static BOOT: LazyLock<String> = LazyLock::new(|| {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id");
        boot.unwrap_or_default().trim().to_owned()
    });
    BOOT.clone()
}
