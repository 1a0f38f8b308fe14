//! Tests of `folder.rs`.

use crate::temp::Temp;
use clawperator_events::Journals as _;
use clawperator_journal::limits::*;
use clawperator_journal::*;
use std::fs;
use std::fs::File;
use std::path::Path;

/// The file of a journal's lines.
const LINES: &str = "journal.ndjson";

/// Makes a file of this size that takes no room.
fn make_large(path: &Path, bytes: u64) {
    File::create(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn ids_become_names_that_lead_nowhere_else() {
    let temp = Temp::new("slug");
    let slug = |id: &str| {
        let (run, _) = temp.folder().begin(id, 0).unwrap();
        assert_eq!(run.folder().parent().unwrap(), temp.0);
        let name = run.folder().file_name().unwrap().to_str().unwrap();
        name.strip_prefix("19700101T000000.000Z-").unwrap().to_owned()
    };
    assert_eq!(slug("click-1-abc"), "click-1-abc");
    let odd = slug("../../etc/passwd \u{1f600}");
    assert!(odd.starts_with(".._.._etc_passwd__~"), "{odd}");
    assert_ne!(slug("a/b"), slug("a:b"));
    assert!(slug(&"x".repeat(5000)).len() < 80);
}

#[test]
fn journals_are_bounded_by_number_and_size_not_by_a_clock() {
    let temp = Temp::new("rotation");
    let folder = temp.folder();
    let day = 86_400_000;
    let start = 1_000 * day;
    for number in 0..(MAX_RUNS as u64 + 105) {
        drop(folder.begin("c", start + number).unwrap());
    }
    let found = folder.list().unwrap();
    assert!((MAX_RUNS..=MAX_RUNS + MAX_UNSWEPT).contains(&found.len()), "{}", found.len());
    assert_eq!(found[0].began_ms(), Some(start + MAX_RUNS as u64 + 104));
    // A clock that is years ahead once removes no more than usual.
    let later = start + 3_500 * day;
    let (_, removed) = folder.begin("c", later).unwrap();
    assert_eq!(folder.list().unwrap().len(), MAX_RUNS);
    assert_eq!(removed.journals, found.len() + 1 - MAX_RUNS);
    let newest = &found[MAX_RUNS - 1].name;
    assert_eq!(removed.newest.as_ref(), Some(newest));
    for number in 1..4 {
        let (run, _) = folder.begin("c", later + number).unwrap();
        make_large(&run.folder().join("large"), MAX_TOTAL / 5 * 2);
    }
    let (run, removed) = folder.begin("c", later + SWEEP.as_millis() as u64).unwrap();
    let left = folder.list().unwrap();
    assert_eq!(left.len(), 3);
    assert_eq!(left[0].path, run.folder());
    assert_eq!(removed.journals, MAX_RUNS + 1);
}

#[test]
fn what_cannot_be_removed_keeps_nothing_else() {
    let temp = Temp::new("stuck");
    let folder = temp.folder();
    let journal = |began: u64| {
        let name = format!("19700101T000000.00{began}Z-c");
        JournalPath { path: temp.0.join(&name), name }
    };
    let found = [journal(3), journal(2), journal(1)];
    for there in [&found[0], &found[2]] {
        fs::create_dir_all(&there.path).unwrap();
    }
    // A file where a folder should be.
    fs::write(&found[1].path, "").unwrap();
    // There is no room for any of them.
    make_large(&found[0].path.join("large"), MAX_TOTAL + 1);
    let (run, removed) = folder.begin("c", 4).unwrap();
    assert_eq!((removed.journals, removed.newest), (2, Some(found[0].name.clone())));
    let left = folder.list().unwrap();
    assert_eq!(left[0].path, run.folder());
    assert_eq!(left[1..], [found[1].clone()]);
}

#[test]
fn the_newest_of_an_id_is_found_also_if_it_does_not_hold() {
    let temp = Temp::new("damaged");
    let folder = temp.folder();
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
    let folder = temp.folder();
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
