//! The files of the log: one per day, with a limit on their size and number.

use clawperator_private as private;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The largest file; a larger one is renamed once, and a new one begins.
pub(super) const MAX_FILE: u64 = 4 << 20;
/// How many files are kept, renamed ones included.
pub(super) const MAX_FILES: usize = 14;

const START: &str = "clawperator-";
const END: &str = ".log";
/// The end of the name of a renamed file.
const RENAMED: &str = ".old.log";

/// The name of a day's file.
pub(super) fn name(date: &str) -> String {
    format!("{START}{date}{END}")
}

/// Adds a line to a file.
pub(super) fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    let mut file = open(path)?;
    if file.metadata()?.len() > MAX_FILE {
        rotate(&file, path)?;
        file = open(path)?;
    }
    // In one call, so that the lines of two processes do not mix.
    file.write_all(line)
}

/// Renames a file that is too large, unless another process has done so: then its
/// name means a new file, and the renamed one would be lost.
fn rotate(file: &File, path: &Path) -> io::Result<()> {
    match file.try_lock() {
        // Another process renames it. This line goes into whichever file is open.
        Err(fs::TryLockError::WouldBlock) => return Ok(()),
        Err(fs::TryLockError::Error(error)) => return Err(error),
        Ok(()) => {}
    }
    match fs::metadata(path) {
        Ok(about) if about.len() > MAX_FILE => fs::rename(path, path.with_extension("old.log")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a file to append to it. When it is new, old files are removed.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|_| !path.exists()) {
        private::folder(folder)?;
        remove_old(folder);
    }
    private::append(path)
}

/// Removes the oldest files of the log, so that there is room for one more.
fn remove_old(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else { return };
    let mut names: Vec<_> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter(|name| is_ours(name))
        .collect();
    names.sort_unstable();
    let many = (names.len() + 1).saturating_sub(MAX_FILES);
    for name in names.iter().take(many) {
        // A file that cannot be removed is tried again the next day.
        let _ = fs::remove_file(folder.join(name));
    }
}

/// Tells whether a file is one that this log wrote.
fn is_ours(name: &str) -> bool {
    let date = name.strip_prefix(START);
    let date = date.and_then(|rest| rest.strip_suffix(RENAMED).or_else(|| rest.strip_suffix(END)));
    let digit = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    date.is_some_and(|date| date.len() == 10 && date.bytes().enumerate().all(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_log_are_removed() {
        for name in ["clawperator-2026-01-31.log", "clawperator-2026-01-31.old.log"] {
            assert!(is_ours(name), "{name}");
        }
        for name in ["clawperator-.log", "notes.log", "clawperator-2026_01-31.log", "x"] {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn two_processes_rotate_a_large_log_once() {
        let folder = std::env::temp_dir().join(format!("clawperator-aside-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("clawperator-2026-01-31.log");
        let much = vec![b'\n'; usize::try_from(MAX_FILE).unwrap() + 1];
        fs::write(&path, &much).unwrap();
        let (first, second, third) = (open(&path).unwrap(), open(&path).unwrap(), open(&path).unwrap());
        rotate(&first, &path).unwrap();
        fs::write(&path, "new\n").unwrap();
        // One process comes while the first renames, one comes after it.
        rotate(&second, &path).unwrap();
        drop(first);
        rotate(&third, &path).unwrap();
        let aside = fs::metadata(path.with_extension("old.log")).unwrap();
        assert_eq!(aside.len(), much.len() as u64);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        fs::remove_dir_all(&folder).unwrap();
    }
}
