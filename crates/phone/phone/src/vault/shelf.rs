//! Where the values of a session are for its other processes: one sealed file
//! for each gift, which says in clear only when it ends.

use super::{LONGEST_TIME, ValueScope, VaultEntry};
use crate::seal_key::SealKey;
use crate::secret::Secret;
use clawperator_events::Clock;
use clawperator_private as private;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of a file that are read.
const MAX_BYTES: u64 = 1 << 20;
/// The most files or folders of one folder that are looked at.
const MOST: usize = 1000;
const MAX_NAME: usize = 64;

/// The shelf of one session.
#[derive(Clone, Debug)]
pub struct Shelf {
    state: PathBuf,
    pub(super) session: String,
    clock: Arc<Clock>,
}

/// Whether a session or a value may be called so.
pub fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    (1..=MAX_NAME).contains(&name.len()) && !name.starts_with('.') && name.chars().all(plain)
}

impl Shelf {
    /// The shelf of a session of this state folder; `None` if no session may be
    /// called so. What is over is removed from every shelf.
    pub fn new(state: &Path, session: &str, clock: Arc<Clock>) -> Option<Self> {
        let shelf = Self { state: state.to_owned(), session: session.to_owned(), clock };
        is_name(session).then(|| {
            let folders = fs::read_dir(state.join("secrets"));
            for folder in folders.into_iter().flatten().take(MOST).flatten() {
                shelf.ends_in(&folder.path());
            }
            shelf
        })
    }

    /// Puts something there, unless its name is taken; tells whether it did.
    pub fn put(&self, given: &VaultEntry, time: Duration) -> io::Result<bool> {
        let key = SealKey::of(&self.state)?;
        let time = u64::try_from(time.min(LONGEST_TIME).as_millis()).unwrap_or(u64::MAX);
        let end = self.clock.now_ms().saturating_add(time);
        let app = match &given.place {
            ValueScope::Anywhere => json!(true),
            ValueScope::App(app) => json!(app),
            ValueScope::Unknown => Value::Null,
        };
        let values = given.values.iter().map(|(key, value)| (key, value.expose()));
        let text = json!({"app": app, "values": values.collect::<Vec<_>>()}).to_string();
        let sealed = key.seal(&self.label(&given.name, end), text.into_bytes())?;
        private::folder(&self.folder())?;
        let file = self.folder().join(&given.name);
        match private::options().write(true).create_new(true).open(file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            opened => {
                let mut file = opened?;
                file.write_all(&[&end.to_be_bytes()[..], &sealed].concat())?;
                file.sync_all().map(|()| true)
            }
        }
    }

    pub(super) fn read(&self) -> Vec<VaultEntry> {
        self.list().into_iter().filter_map(|(name, _)| self.find(&name)).collect()
    }

    /// The names of what is there, and when each ends, in milliseconds since 1970.
    pub fn list(&self) -> Vec<(String, u64)> {
        self.ends_in(&self.folder())
    }

    /// What is there under a name.
    pub fn find(&self, name: &str) -> Option<VaultEntry> {
        let mut bytes = Vec::new();
        let file = private::open(&self.folder().join(name)).ok()?;
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let (end, sealed) = bytes.split_first_chunk()?;
        let label = self.label(name, u64::from_be_bytes(*end));
        let text = SealKey::of(&self.state).ok()?.open(&label, sealed)?;
        let stored: Value = serde_json::from_slice(&text).ok()?;
        let values: Vec<(String, String)> = serde_json::from_value(stored["values"].clone()).ok()?;
        Some(VaultEntry {
            name: name.to_owned(),
            place: match &stored["app"] {
                Value::Bool(true) => ValueScope::Anywhere,
                Value::String(app) => ValueScope::App(app.clone()),
                _ => ValueScope::Unknown,
            },
            values: values.into_iter().map(|(key, value)| (key, Secret::new(value))).collect(),
        })
    }

    /// Forgets what is there under a name; tells whether there was something.
    pub fn forget(&self, name: &str) -> bool {
        is_name(name) && wipe(&self.folder().join(name))
    }

    fn folder(&self) -> PathBuf {
        self.state.join("secrets").join(&self.session)
    }

    /// What a file is sealed for: no other name, session or end opens it.
    fn label(&self, name: &str, end: u64) -> String {
        format!("{}/{name}/{end}", self.session)
    }

    /// What is in a folder and when it ends, without what is over.
    fn ends_in(&self, folder: &Path) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        let files = fs::read_dir(folder).into_iter().flatten().take(MOST).flatten();
        for file in files {
            let mut end = [0; 8];
            let read = private::open(&file.path()).and_then(|mut file| file.read_exact(&mut end));
            let (end, name) = (u64::from_be_bytes(end), file.file_name().into_string());
            match (read, name) {
                // Another process is about to write it.
                (Err(_), _) => {}
                (Ok(()), Ok(name)) if end > self.clock.now_ms() && is_name(&name) => found.push((name, end)),
                (Ok(()), _) => drop(wipe(&file.path())),
            }
        }
        found.sort();
        found
    }
}

/// Overwrites a file and removes it; tells whether it was there.
fn wipe(path: &Path) -> bool {
    if let Ok(mut file) = private::options().write(true).open(path) {
        let length = file.metadata().map_or(0, |about| about.len().min(MAX_BYTES));
        let zeros = vec![0; usize::try_from(length).unwrap_or(0)];
        // What cannot be overwritten is removed all the same, and was sealed.
        let _ = file.write_all(&zeros).and_then(|()| file.sync_all());
    }
    fs::remove_file(path).is_ok()
}
