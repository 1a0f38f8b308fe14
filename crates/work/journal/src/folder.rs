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
        let later = |found: &JournalPath| began_ms(&found.name).is_some_and(|ms| ms >= run.started_ms);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder that is removed after the test.
    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("clawperator-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn ids_become_names_that_lead_nowhere_else() {
        assert_eq!(slug("click-1-abc"), "click-1-abc");
        let odd = slug("../../etc/passwd \u{1f600}");
        assert!(odd.starts_with(".._.._etc_passwd__~"), "{odd}");
        assert_ne!(slug("a/b"), slug("a:b"));
        assert!(slug(&"x".repeat(5000)).len() < 80);
    }

    #[test]
    fn journals_are_bounded_by_number_and_size_not_by_a_clock() {
        let temp = Temp::new("rotation");
        let folder = JournalFolder::new(&temp.0);
        let day = 86_400_000;
        let start = 1_000 * day;
        for number in 0..(MAX_RUNS as u64 + 105) {
            drop(folder.begin("c", start + number).unwrap());
        }
        let found = folder.list().unwrap();
        assert!((MAX_RUNS..=MAX_RUNS + MAX_UNSWEPT).contains(&found.len()), "{}", found.len());
        assert_eq!(began_ms(&found[0].name), Some(start + MAX_RUNS as u64 + 104));
        // A clock that is years ahead once removes no more than usual.
        let later = start + 3_500 * day;
        let (_, removed) = folder.begin("c", later).unwrap();
        assert_eq!(folder.list().unwrap().len(), MAX_RUNS);
        assert_eq!(removed.journals, found.len() + 1 - MAX_RUNS);
        let newest = &found[MAX_RUNS - 1].name;
        assert_eq!(removed.newest.as_ref(), Some(newest));
        for number in 1..4 {
            let (mut run, _) = folder.begin("c", later + number).unwrap();
            run.picture(&[7; 1000]).unwrap();
        }
        let mut removed = RemovedJournals::default();
        sweep(&folder.list().unwrap(), 2500, &mut removed);
        assert_eq!(folder.list().unwrap().len(), 2);
        assert_eq!(removed.journals, MAX_RUNS + 1);
    }

    #[test]
    fn what_cannot_be_removed_keeps_nothing_else() {
        let temp = Temp::new("stuck");
        private::folder(&temp.0).unwrap();
        let journal = |began| JournalPath { name: name("c", began), path: temp.0.join(name("c", began)) };
        let found = [journal(3), journal(2), journal(1)];
        for there in [&found[0], &found[2]] {
            fs::create_dir(&there.path).unwrap();
        }
        // A file where a folder should be.
        fs::write(&found[1].path, "").unwrap();
        let mut removed = RemovedJournals::default();
        for found in &found {
            remove(found, &mut removed);
        }
        assert_eq!((removed.journals, removed.newest), (2, Some(found[0].name.clone())));
        assert_eq!(JournalFolder::new(&temp.0).list().unwrap(), [found[1].clone()]);
    }

    #[test]
    fn the_newest_of_an_id_is_found_also_if_it_does_not_hold() {
        let temp = Temp::new("damaged");
        let folder = JournalFolder::new(&temp.0);
        drop(folder.begin("c", 5).unwrap());
        let (newest, _) = folder.begin("c", 6).unwrap();
        for text in ["", "{\"seq\":0}\n", "x"] {
            fs::write(newest.folder().join(LINES), text).unwrap();
            assert_eq!(folder.find("c").unwrap().path, newest.folder(), "{text}");
        }
        fs::remove_file(newest.folder().join(LINES)).unwrap();
        assert_eq!(folder.find("c").unwrap().path, newest.folder());
    }

    #[test]
    fn a_journal_is_found_by_its_id_or_its_name_and_twins_are_kept_apart() {
        let temp = Temp::new("find");
        let folder = JournalFolder::new(&temp.0);
        assert!(folder.list().unwrap().is_empty());
        let (one, _) = folder.begin("c", 5).unwrap();
        let (two, _) = folder.begin("c", 5).unwrap();
        assert_ne!(one.folder(), two.folder());
        let name = one.folder().file_name().unwrap().to_str().unwrap();
        assert_eq!(folder.find(name).unwrap().path, one.folder());
        let path = one.folder().to_str().unwrap();
        assert_eq!(folder.find(path).unwrap().name, name);
        assert!(matches!(folder.find("d"), Err(JournalError::None(_))));
    }
}
