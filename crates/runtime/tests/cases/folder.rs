//! The folder of a case: what must be in it, and what is compared with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What a case produces: names of files and what is in them.
pub(crate) type Files = BTreeMap<String, String>;

/// Lines shown around a difference.
const CONTEXT: usize = 3;
/// The most lines of a difference that are shown.
const MOST_SHOWN: usize = 60;

/// A case.
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl Folder {
    /// The folder of all cases.
    pub(crate) fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
    }

    /// Every case, the last first; `CASE=text` leaves only those with that in
    /// their names.
    pub(crate) fn all() -> Vec<Self> {
        let wanted = std::env::var("CASE").unwrap_or_default();
        let mut all: Vec<_> = Self::every()
            .into_iter()
            .filter(|case| case.name.contains(&wanted))
            .collect();
        all.reverse();
        assert!(!all.is_empty(), "there is no case {wanted:?}");
        all
    }

    /// Every case in order.
    pub(crate) fn every() -> Vec<Self> {
        let entries = fs::read_dir(Self::root()).unwrap();
        let folders = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir());
        let mut all: Vec<_> = folders
            .map(|path| Self {
                name: path.file_name().unwrap().to_string_lossy().into_owned(),
                path,
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The text of one of its files, if it is there.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path.join(name)).ok()
    }

    /// The names of the files in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// What differs from what is expected. With `UPDATE_EXPECT=1` that is
    /// rewritten instead, and what nobody needs any more goes.
    pub(crate) fn compare(&self, found: &Files) -> Vec<String> {
        let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
        let mut wrong = Vec::new();
        for (name, text) in found {
            let expected = self.read(name);
            if expected.as_ref() == Some(text) {
                continue;
            }
            if update {
                fs::write(self.path.join(name), text).unwrap();
            } else {
                let difference = difference(&expected.unwrap_or_default(), text);
                wrong.push(format!("{}/{name} differs\n{difference}", self.name));
            }
        }
        for name in self.names() {
            if found.contains_key(&name) {
                continue;
            }
            if update && name.ends_with(".xml") {
                fs::remove_file(self.path.join(name)).unwrap();
            } else {
                wrong.push(format!("{}/{name} belongs to nothing", self.name));
            }
        }
        wrong
    }
}

/// What is not the same in two texts: the lines between what they have in
/// common at both ends.
pub(crate) fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - start;
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(same)
        .count();
    let mut shown: Vec<_> = old[start.saturating_sub(CONTEXT)..start]
        .iter()
        .map(|line| format!("    {line}"))
        .collect();
    shown.extend(
        old[start..old.len() - end]
            .iter()
            .map(|line| format!("  - {line}")),
    );
    shown.extend(
        new[start..new.len() - end]
            .iter()
            .map(|line| format!("  + {line}")),
    );
    if shown.len() > MOST_SHOWN {
        let more = shown.len() - MOST_SHOWN;
        shown.truncate(MOST_SHOWN);
        shown.push(format!("  and {more} more lines"));
    }
    shown.join("\n")
}
