//! What is remembered of a phone's screens from one run to the next: the refs
//! that were given and the last view. Whoever has the phone has its memory, so
//! no two write it at a time.

use crate::lock::file_name;
use clawperator_journal::private::{self, Twins};
use clawperator_journal::{hide, secret};
use clawperator_ui::{RefBook, ViewMemory};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The form of the file. What another form holds is not understood.
const VERSION: u32 = 2;
/// The most bytes that are read. What is written stays far below.
const MAX_BYTES: u64 = 8 << 20;
/// The most phones that are remembered.
const MAX_PHONES: usize = 200;
/// How long a phone is remembered that nobody uses.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// The most folders of phones that are looked at.
const MAX_FOLDERS: usize = 10_000;
/// The file in the phone's folder.
const FILE: &str = "seen.json";
/// The file beside it with the last number of a ref, which outlives it.
const LAST_FILE: &str = "last_ref";
/// Where numbers begin if nobody knows which were given.
const UNKNOWN_LAST: u32 = 100_000;

/// What is remembered of one phone.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Where, if anywhere but here.
    file: Option<PathBuf>,
    loaded: RefCell<Option<Loaded>>,
    /// What must not be in the file: it was typed into password fields.
    secrets: RefCell<Vec<String>>,
}

#[derive(Debug, Default)]
struct Loaded {
    views: ViewMemory,
    /// What went wrong and was not said yet.
    trouble: Option<String>,
}

/// The file's content.
#[derive(Serialize, Deserialize)]
struct Stored<V> {
    version: u32,
    views: V,
}

impl Memory {
    /// The memory of a phone, in that folder of all phones if there is one.
    pub(crate) fn new(phones: Option<&Path>, serial: &str) -> Self {
        let file = phones
            .zip(file_name(serial))
            .map(|(phones, name)| phones.join(name).join(FILE));
        Self {
            file,
            loaded: RefCell::new(None),
            secrets: RefCell::default(),
        }
    }

    /// Keeps a text out of the file from now on, whatever the screen shows.
    pub(crate) fn keep_out(&self, text: &str) {
        self.secrets.borrow_mut().extend(secret(text));
    }

    /// Looks something up.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&ViewMemory) -> T) -> T {
        let mut loaded = self.loaded.borrow_mut();
        let loaded = loaded.get_or_insert_with(|| self.load());
        look(&loaded.views)
    }

    /// Changes what is remembered, and keeps it. The second of the answer is
    /// what went wrong with the memory, if anything did.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut ViewMemory) -> T) -> (T, Option<String>) {
        let mut loaded = self.loaded.borrow_mut();
        let loaded = loaded.get_or_insert_with(|| self.load());
        let answer = change(&mut loaded.views);
        let lost = loaded.trouble.take();
        let kept = self
            .file
            .as_ref()
            .map(|file| store(file, &loaded.views, &self.secrets.borrow()));
        let unkept = match kept {
            Some(Err(error)) => Some(format!("what was seen could not be kept: {error}")),
            Some(Ok(())) | None => None,
        };
        (answer, lost.or(unkept))
    }

    fn load(&self) -> Loaded {
        let Some(file) = &self.file else {
            return Loaded::default();
        };
        match load(file) {
            Ok(Some(views)) => Loaded { views, trouble: None },
            Ok(None) => Loaded {
                views: anew(last_given(file).unwrap_or(0)),
                trouble: None,
            },
            Err(error) => Loaded {
                views: anew(last_given(file).unwrap_or(UNKNOWN_LAST)),
                trouble: Some(format!(
                    "what was known of this phone's screens is lost, and refs are given anew: {error}"
                )),
            },
        }
    }
}

/// A memory of nothing: an old ref must not name something new.
fn anew(last: u32) -> ViewMemory {
    ViewMemory {
        book: RefBook::after(last),
        last: None,
    }
}

/// The last number that was given, if that can still be read.
fn last_given(file: &Path) -> Option<u32> {
    let mut text = String::new();
    let open = fs::File::open(file.with_file_name(LAST_FILE)).ok()?;
    // No number has more digits.
    open.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// What the file holds; nothing if there is no file.
fn load(file: &Path) -> io::Result<Option<ViewMemory>> {
    let mut text = String::new();
    match fs::File::open(file) {
        Ok(file) => file.take(MAX_BYTES + 1).read_to_string(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("the file is too large"));
    }
    let stored: Stored<ViewMemory> = serde_json::from_str(&text).map_err(io::Error::other)?;
    if stored.version != VERSION {
        return Err(io::Error::other(format!("the file has form {}", stored.version)));
    }
    Ok(Some(stored.views))
}

/// Takes texts out of every string.
fn without(value: &mut Value, secrets: &[String]) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => *text = hide(text, secrets.iter().map(String::as_str)),
            Value::Array(items) => rest.extend(items),
            Value::Object(entries) => rest.extend(entries.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Keeps what is remembered, and the last number beside it.
fn store(file: &Path, views: &ViewMemory, secrets: &[String]) -> io::Result<()> {
    let folder = file.parent().ok_or_else(|| io::Error::other("no folder"))?;
    if !folder.exists() {
        private::folder(folder)?;
        // A new phone is the moment to forget old ones.
        forget(folder, SystemTime::now());
    }
    private::folder(folder)?;
    let stored = Stored {
        version: VERSION,
        views,
    };
    let text = if secrets.is_empty() {
        serde_json::to_string(&stored)?
    } else {
        let mut value = serde_json::to_value(&stored)?;
        without(&mut value, secrets);
        value.to_string()
    };
    // First, so that it is never behind.
    let last = views.book.last();
    if last_given(file) != Some(last) {
        private::replace(
            &file.with_file_name(LAST_FILE),
            last.to_string().as_bytes(),
            Twins::None,
        )?;
    }
    private::replace(file, text.as_bytes(), Twins::None)
}

/// Forgets the phones that were not used for too long, and those that were not
/// used for the longest where there are too many; not the one in this folder.
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
            // One that stays is tried again with the next new phone.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Tells whether this is the folder of another phone, as [`file_name`] calls it.
fn is_ours(folder: &fs::DirEntry, own: &Path) -> bool {
    let named = folder
        .file_name()
        .to_str()
        .is_some_and(|name| name.starts_with("phone-"));
    named && folder.path() != own && folder.file_type().is_ok_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_that_nobody_uses_are_forgotten() {
        let phones = std::env::temp_dir().join(format!("clawperator-phones-{}", std::process::id()));
        let now = SystemTime::now();
        let seen = |name: &str, days: u32| {
            let folder = phones.join(name);
            private::folder(&folder).unwrap();
            let file = fs::File::create(folder.join(FILE)).unwrap();
            file.set_modified(now - Duration::from_secs(86_400) * days)
                .unwrap();
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
            let memory = Memory::new(Some(&phones), serial);
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
        assert!(
            !left.iter().any(|name| name == "phone-new"),
            "the oldest goes first"
        );
        for name in ["others", "phone-own", "phone-next"] {
            assert!(left.iter().any(|left| left == name), "{name}");
        }
        fs::remove_dir_all(&phones).unwrap();
    }
}
