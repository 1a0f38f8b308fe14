//! Files that only their owner can read, on the file system.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use clawperator_private::{Concurrency, append, new_folder, open, replace, save};
use std::path::Path;
use std::{fs, io};

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    for path in ["/dev/zero", "/"] {
        for opened in [open(Path::new(path)), append(Path::new(path))] {
            let error = opened.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}");
            assert!(error.to_string().contains(path), "{error}");
        }
    }
    save(Path::new("/dev/null"), b"x").unwrap();
}

#[test]
fn a_file_is_replaced_whole_or_stays() {
    let place = std::env::temp_dir().join(format!("clawperator-private-{}", std::process::id()));
    new_folder(&place).unwrap();
    let file = place.join("file.json");
    for concurrency in [Concurrency::None, Concurrency::Processes] {
        replace(&file, b"first", concurrency).unwrap();
        // Left by a process that was killed while it wrote.
        fs::write(place.join("file.json.draft"), "left").unwrap();
        replace(&file, b"next", concurrency).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"next", "{concurrency:?}");
        // Nothing can take the place of a folder that has something in it.
        replace(&place, b"x", concurrency).unwrap_err();
        for nameless in ["", "..", "/"] {
            let error = replace(Path::new(nameless), b"x", concurrency).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{nameless}");
        }
    }
    let mut left: Vec<_> = fs::read_dir(&place).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    // A process with its own draft leaves that of another alone.
    assert_eq!(left, ["file.json", "file.json.draft"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&place), mode(&file)), (0o700, 0o600));
    }
    fs::remove_dir_all(&place).unwrap();
}
