//! The folder of all journals: removes old ones and finds one by its id.

use super::limits::{MAX_NAME, MAX_RUNS, MAX_TOTAL, MAX_UNSWEPT, SWEEP};
use super::stamp::{STAMP, began_ms, stamp};
use super::stored::StoredJournal;
use super::writer::{JournalWriter, LINES};
use crate::RunStart;
use clawperator_events::{Event, Journals, RemovedJournals, RunJournal, SkillBegin, digest};
use clawperator_private::{self as private, Concurrency};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The file with the time of the last check of the limits.
const SWEPT: &str = ".swept";
/// The most of that file that is read.
const MAX_SWEPT: u64 = 1 << 10;
/// How many executions with the same id may begin in the same millisecond.
const MAX_TWINS: usize = 100;

/// The folder of all journals.
#[derive(Clone, Debug)]
pub struct JournalFolder {
    path: PathBuf,
}

/// Where a journal is. Names begin with the time, so that they sort by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPath {
    pub name: String,
    pub path: PathBuf,
}

impl JournalPath {
    /// Whether its name is that of a run with this id.
    pub fn is_of(&self, id: &str) -> bool {
        id_part(&self.name) == slug(id)
    }

    /// When it began, in milliseconds since 1970; none if its name does not say.
    pub fn began_ms(&self) -> Option<u64> {
        began_ms(&self.name)
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("there is no journal \"{}\"; list them with clawperator journal list", .0.escape_debug())]
    None(String),
    #[error("cannot read {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl JournalFolder {
    /// The folder at this path, whether it exists or not.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every journal, the newest first.
    ///
    /// # Errors
    /// If the folder cannot be read; one that does not exist has no journals.
    pub fn list(&self) -> Result<Vec<JournalPath>, JournalError> {
        self.names().map_err(|error| JournalError::Io { path: self.path.clone(), error })
    }

    /// The newest journal of a command id; or the one of a name, or in a folder.
    ///
    /// # Errors
    /// [`JournalError::None`] if there is none, or what cannot be read.
    pub fn find(&self, wanted: &str) -> Result<JournalPath, JournalError> {
        match self.by_name(wanted) {
            Err(JournalError::None(_)) => {}
            found => return found,
        }
        let path = Path::new(wanted);
        let folder = if path.is_file() { path.parent() } else { Some(path) };
        if let Some(folder) = folder.filter(|folder| folder.join(LINES).is_file())
            && let Some(name) = folder.file_name().and_then(|name| name.to_str())
        {
            return Ok(JournalPath { name: name.to_owned(), path: folder.to_owned() });
        }
        Err(JournalError::None(wanted.to_owned()))
    }

    /// The newest journal of a command id, or the one of a name; none that is elsewhere.
    pub fn by_name(&self, wanted: &str) -> Result<JournalPath, JournalError> {
        let found = self.list()?;
        if let Some(found) = found.iter().find(|found| found.name == wanted) {
            return Ok(found.clone());
        }
        // A name has most of an id, and the first line all of it. A journal whose first line was
        // changed still counts: to return an older one instead would hide the change.
        let mut same = found.iter().filter(|found| found.is_of(wanted));
        if let Some(found) = same.find(|found| !is_of_another(found, wanted)) {
            return Ok(found.clone());
        }
        Err(JournalError::None(wanted.to_owned()))
    }

    /// The executions of a run of a skill, the oldest first.
    pub fn executions_of(&self, run: &SkillBegin) -> Result<Vec<StoredJournal>, JournalError> {
        let mut found = self.list()?;
        found.reverse();
        let later = |found: &JournalPath| found.began_ms().is_some_and(|ms| ms >= run.started_ms);
        let belongs = |found: &JournalPath| {
            let begin = StoredJournal::first_event(found);
            matches!(begin, Some(Event::Begin(begin)) if begin.skill_run.as_deref() == Some(&run.skill_run))
        };
        let executions = found.iter().filter(|found| later(found) && belongs(found));
        // One that is removed meanwhile is no more.
        Ok(executions.filter_map(|found| StoredJournal::open(found).ok()).collect())
    }

    fn names(&self) -> io::Result<Vec<JournalPath>> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if began_ms(&name).is_some() {
                let path = entry.path();
                found.push(JournalPath { name, path });
            }
        }
        found.sort_by(|one, other| other.name.cmp(&one.name));
        Ok(found)
    }

    /// Removes the oldest journals, unless that was done recently. No clock
    /// decides what is too old: one that is wrong once would remove everything.
    fn make_room(&self, now_ms: u64) -> io::Result<RemovedJournals> {
        if self.is_swept(now_ms) {
            self.count_one()?;
            return Ok(RemovedJournals::default());
        }
        let mut found = self.names()?;
        // One more is about to come.
        let many = found.split_off(found.len().min(MAX_RUNS - 1));
        let mut removed = RemovedJournals::default();
        for found in many {
            remove(&found, &mut removed);
        }
        sweep(&found, MAX_TOTAL, &mut removed);
        private::replace(&self.path.join(SWEPT), format!("{now_ms} ").as_bytes(), Concurrency::Processes)?;
        Ok(removed)
    }

    /// Whether the limits were checked recently: the file has the time, and a
    /// dot for each execution since.
    fn is_swept(&self, now_ms: u64) -> bool {
        let mut text = String::new();
        let read = private::open(&self.path.join(SWEPT));
        // What cannot be read is replaced.
        let _ = read.and_then(|file| file.take(MAX_SWEPT).read_to_string(&mut text));
        let Some((at, dots)) = text.split_once(' ') else {
            return false;
        };
        let at = at.parse::<u64>().unwrap_or(0);
        let lasts = at..at.saturating_add(SWEEP.as_millis() as u64);
        lasts.contains(&now_ms) && dots.len() < MAX_UNSWEPT
    }

    fn count_one(&self) -> io::Result<()> {
        private::append(&self.path.join(SWEPT))?.write_all(b".")
    }
}

impl Journals for JournalFolder {
    fn begin(&self, command_id: &str, now_ms: u64) -> io::Result<(Box<dyn RunJournal>, RemovedJournals)> {
        private::folder(&self.path)?;
        // Old journals that cannot be removed are no reason to write no new one.
        let removed = self.make_room(now_ms).unwrap_or_default();
        let name = name(command_id, now_ms);
        for twin in 0..MAX_TWINS {
            let name = if twin == 0 { name.clone() } else { format!("{name}+{twin}") };
            let folder = self.path.join(name);
            match private::new_folder(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.and_then(|()| Ok((Box::new(JournalWriter::new(folder)?) as _, removed))),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Removes a journal. If it cannot be removed, the others still are.
fn remove(found: &JournalPath, removed: &mut RemovedJournals) {
    if fs::remove_dir_all(&found.path).is_ok() {
        removed.journals += 1;
        // The newest ones are removed first.
        removed.newest.get_or_insert_with(|| found.name.clone());
    }
}

/// Removes the oldest journals until the rest is small enough. Skips what it cannot read or remove.
fn sweep(newest_first: &[JournalPath], most: u64, removed: &mut RemovedJournals) {
    let mut total = 0_u64;
    for found in newest_first {
        let sizes = fs::read_dir(&found.path).into_iter().flatten();
        let sizes = sizes.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
        total = total.saturating_add(sizes.sum());
        if total > most {
            remove(found, removed);
        }
    }
}

/// Whether the first line of a journal is intact and has another id.
fn is_of_another(found: &JournalPath, id: &str) -> bool {
    StoredJournal::open(found).is_ok_and(|kept| kept.start().is_some_and(|start| start.id != id))
}

/// Whether a folder of this name can belong to the run. A copy that the user
/// renamed has no time in its name, and can be called anything.
pub(super) fn is_name_of(name: &str, start: &RunStart<'_>) -> bool {
    began_ms(name).is_none_or(|stamped| stamped == start.started_ms && id_part(name) == slug(start.id))
}

/// The name of a journal: its start time and its command id.
fn name(command_id: &str, now_ms: u64) -> String {
    format!("{}-{}", stamp(now_ms), slug(command_id))
}

fn id_part(name: &str) -> &str {
    let id = name.get(STAMP + 1..).unwrap_or_default();
    id.split_once('+').map_or(id, |(id, _)| id)
}

/// An id as a part of a file's name. Ids that look the same then differ by their hash.
fn slug(id: &str) -> String {
    let safe = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let slug: String =
        id.chars().take(MAX_NAME).map(|letter| if safe(letter) { letter } else { '_' }).collect();
    if slug == id {
        return slug;
    }
    format!("{slug}~{}", &digest(id.as_bytes())[..8])
}
