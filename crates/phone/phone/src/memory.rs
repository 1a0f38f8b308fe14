//! What is remembered of a phone's screens from one run to the next: the refs that were given and
//! the latest views. The lease of the phone owns it, so no two processes write it at the same time.

use crate::dark::Dark;
use crate::lock::file_name;
use clawperator_events::EventLog;
use clawperator_private::{self as private, Concurrency};
use clawperator_redact::Secrets;
use clawperator_ui::{RefBook, ViewMemory};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The format of the file. Another format is not read.
const VERSION: u32 = 4;
/// The most bytes that are read. A file of ours is far smaller.
const MAX_BYTES: u64 = 8 << 20;
const MAX_PHONES: usize = 200;
/// How long a phone is remembered that is not used.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// The most folders of phones that are read.
pub(crate) const MAX_FOLDERS: usize = 10_000;
/// The file in the phone's folder.
const FILE: &str = "seen.json";
/// The file with the last number of a ref, which outlives the refs.
const LAST_FILE: &str = "last_ref";
/// Where numbers begin if it is unknown which were given.
const UNKNOWN_LAST: u32 = 100_000;

/// What is remembered of one phone.
#[derive(Debug)]
pub struct PhoneMemory {
    file: Option<PathBuf>,
    loaded: Option<LoadedViews>,
    /// What must not be seen must not be in the file.
    dark: Arc<Dark>,
    /// The log of the run under way: what it hides is not in the file either.
    pub event_log: Option<Arc<EventLog>>,
}

#[derive(Debug, Default)]
struct LoadedViews {
    views: ViewMemory,
    /// What went wrong and was not reported yet.
    trouble: Option<String>,
}

/// The file's content.
#[derive(Serialize, Deserialize)]
struct ViewFile<V> {
    version: u32,
    views: V,
}

impl PhoneMemory {
    /// The memory of a phone; the folder is that of all phones.
    pub(crate) fn new(phones: Option<&Path>, serial: &str, dark: Arc<Dark>) -> Self {
        let file = phone_folder(phones, serial).map(|folder| folder.join(FILE));
        Self { file, loaded: None, dark, event_log: None }
    }

    /// Keeps a text out of the file and of what is seen from now on, whatever the screen shows.
    pub fn keep_out(&mut self, text: &str) {
        self.dark.keep_out(text);
        self.store_again();
    }

    /// Stores what is stored without what is hidden by now.
    pub fn store_again(&mut self) {
        if self.file.as_ref().is_some_and(|file| file.exists()) {
            self.loaded();
            // The next change reports a problem.
            self.store();
        }
    }

    /// What was seen of its screens.
    pub fn views(&mut self) -> &ViewMemory {
        &self.loaded().views
    }

    /// Changes what is remembered, and stores it. The second part of the answer
    /// is what went wrong with the file, if anything did.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut ViewMemory) -> T) -> (T, Option<String>) {
        let loaded = self.loaded();
        let answer = change(&mut loaded.views);
        let lost = loaded.trouble.take();
        let not_stored = self.store();
        (answer, lost.or(not_stored))
    }

    /// What went wrong with storing it.
    fn store(&self) -> Option<String> {
        let (file, loaded) = (self.file.as_ref()?, self.loaded.as_ref()?);
        let mut secrets = self.dark.secrets();
        if let Some(log) = &self.event_log {
            secrets.extend(log.secrets());
        }
        let error = store(file, &loaded.views, &secrets).err()?;
        Some(format!("the refs could not be stored: {error}"))
    }

    fn loaded(&mut self) -> &mut LoadedViews {
        let Self { file, loaded, .. } = self;
        loaded.get_or_insert_with(|| file.as_deref().map_or_else(LoadedViews::default, LoadedViews::read))
    }
}

impl LoadedViews {
    fn read(file: &Path) -> Self {
        let (first, trouble) = match load(file) {
            Ok(Some(views)) => return Self { views, trouble: None },
            Ok(None) if is_new(file) => (0, None),
            Ok(None) => (UNKNOWN_LAST, None),
            Err(error) => {
                let what = "the stored refs of this phone cannot be read, so all refs are new";
                (UNKNOWN_LAST, Some(format!("{what}: {error}")))
            }
        };
        Self { views: anew(last_given(file).unwrap_or(first)), trouble }
    }
}

/// Makes the folder of a phone. One that is new has given no ref.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        private::folder(folder)?;
        private::replace(&folder.join(LAST_FILE), b"0", Concurrency::None)?;
        // A new phone is the moment to forget old ones.
        forget(folder, SystemTime::now());
    }
    private::folder(folder)
}

pub(crate) fn phone_folder(phones: Option<&Path>, serial: &str) -> Option<PathBuf> {
    let (phones, name) = phones.zip(file_name(serial))?;
    Some(phones.join(name))
}

/// An empty memory. Its numbers go on: an old ref must not name a new element.
fn anew(last: u32) -> ViewMemory {
    ViewMemory { book: RefBook::after(last), ..ViewMemory::default() }
}

/// Whether nothing was ever stored of the phone.
fn is_new(file: &Path) -> bool {
    file.parent().is_none_or(|folder| !folder.exists())
}

/// The last number that was given, if it can be read.
fn last_given(file: &Path) -> Option<u32> {
    // No number has more digits.
    let text = read_text(&file.with_file_name(LAST_FILE), 16).ok()?;
    text.trim().parse().ok()
}

/// The text of a private file, up to so many bytes.
pub(crate) fn read_text(file: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    private::open(file)?.take(most).read_to_string(&mut text)?;
    Ok(text)
}

/// What is in the file; nothing if there is no file.
fn load(file: &Path) -> io::Result<Option<ViewMemory>> {
    let text = match read_text(file, MAX_BYTES + 1) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("the file is too large"));
    }
    let stored: ViewFile<ViewMemory> = serde_json::from_str(&text).map_err(io::Error::other)?;
    if stored.version != VERSION {
        return Err(io::Error::other(format!("the file has format version {}", stored.version)));
    }
    Ok(Some(stored.views))
}

/// Stores the refs, and the last number in its own file.
fn store(file: &Path, views: &ViewMemory, secrets: &Secrets) -> io::Result<()> {
    let folder = file.parent().ok_or_else(|| io::Error::other("no folder"))?;
    make_folder(folder)?;
    let stored = ViewFile { version: VERSION, views };
    let mut value = serde_json::to_value(&stored)?;
    secrets.hide_in_json(&mut value);
    let text = value.to_string();
    // First, so that it is never behind.
    let last = views.book.last();
    if last_given(file) != Some(last) {
        private::replace(&file.with_file_name(LAST_FILE), last.to_string().as_bytes(), Concurrency::None)?;
    }
    private::replace(file, text.as_bytes(), Concurrency::None)
}

/// Forgets the phones that were not used for [`MAX_AGE`], and the oldest ones if
/// there are more than [`MAX_PHONES`]; never the one in this folder.
fn forget(own: &Path, now: SystemTime) {
    let Some(folders) = own.parent().and_then(|phones| fs::read_dir(phones).ok()) else {
        return;
    };
    let mut others: Vec<_> = folders
        .take(MAX_FOLDERS)
        .filter_map(|folder| {
            let folder = folder.ok().filter(|folder| is_ours(folder, own))?;
            let seen = fs::symlink_metadata(folder.path().join(FILE)).or_else(|_| folder.metadata());
            Some((seen.and_then(|seen| seen.modified()).ok()?, folder.path()))
        })
        .collect();
    others.sort();
    let many = (others.len() + 1).saturating_sub(MAX_PHONES);
    for (number, (used, folder)) in others.iter().enumerate() {
        let is_old = now.duration_since(*used).is_ok_and(|age| age > MAX_AGE);
        if number < many || is_old {
            // If it stays, the next new phone tries again.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Whether this is the folder of another phone, as [`file_name`] names it.
fn is_ours(folder: &fs::DirEntry, own: &Path) -> bool {
    let named = folder.file_name().to_str().is_some_and(|name| name.starts_with("phone-"));
    named && folder.path() != own && folder.file_type().is_ok_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_that_are_not_used_are_forgotten() {
        let phones = std::env::temp_dir().join(format!("clawperator-phones-{}", std::process::id()));
        let now = SystemTime::now();
        let seen = |name: &str, days: u32| {
            let folder = phones.join(name);
            private::folder(&folder).unwrap();
            let file = fs::File::create(folder.join(FILE)).unwrap();
            file.set_modified(now - Duration::from_secs(86_400) * days).unwrap();
        };
        let names = || {
            let folders = fs::read_dir(&phones).unwrap();
            let mut names: Vec<_> = folders.map(|folder| folder.unwrap().file_name()).collect();
            names.sort();
            names
        };
        seen("phone-old", 91);
        seen("phone-new", 89);
        seen("others", 300);
        let remember = |serial: &str| {
            let mut memory = PhoneMemory::new(Some(&phones), serial, Arc::default());
            assert_eq!(memory.change(|_| ()).1, None);
        };
        remember("own");
        assert_eq!(names(), ["others", "phone-new", "phone-own"]);
        for number in 0..MAX_PHONES {
            seen(&format!("phone-{number:04}"), 10);
        }
        // Nothing is looked for while the phone is known.
        remember("own");
        assert_eq!(names().len(), MAX_PHONES + 3);
        remember("next");
        let left = names();
        assert_eq!(left.len(), MAX_PHONES + 1, "with one that is not ours");
        assert!(!left.iter().any(|name| name == "phone-new"), "the oldest goes first");
        for name in ["others", "phone-own", "phone-next"] {
            assert!(left.iter().any(|left| left == name), "{name}");
        }
        fs::remove_dir_all(&phones).unwrap();
    }
}
