//! Tests of `stamp.rs`.

use crate::temp::Temp;
use clawperator_events::Journals as _;
use clawperator_journal::report::shown_time;
use clawperator_journal::*;
use std::path::PathBuf;

fn began_ms(name: &str) -> Option<u64> {
    JournalPath { name: name.to_owned(), path: PathBuf::new() }.began_ms()
}

/// What the name of a journal that begins then has before its id.
fn stamp(temp: &Temp, ms: u64) -> String {
    let (run, _) = temp.folder().begin("c", ms).unwrap();
    std::fs::remove_dir_all(run.folder()).unwrap();
    let name = run.folder().file_name().unwrap().to_str().unwrap();
    name.strip_suffix("-c").unwrap().to_owned()
}

#[test]
fn times_are_written_so_that_they_sort_and_read_back() {
    let temp = Temp::new("stamp");
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"),
        (1_709_164_799, "2024-02-28T23:59:59.000Z"),
        (1_767_225_599, "2025-12-31T23:59:59.000Z"),
        (4_107_542_400, "2100-03-01T00:00:00.000Z"),
    ] {
        assert_eq!(iso_time(seconds * 1_000), text);
        assert_eq!(stamp(&temp, seconds * 1_000), text.replace(['-', ':'], ""));
    }
    assert!(iso_time(u64::MAX).ends_with('Z'));
    assert_eq!(stamp(&temp, 0), "19700101T000000.000Z");
    assert_eq!(stamp(&temp, 1_794_734_112_345), "20261115T091512.345Z");
    assert_eq!(shown_time(1_794_734_112_345), "2026-11-15 09:15:12.345 UTC");
    for ms in (0..4_000_000_000_000).step_by(86_400_000 * 13 + 12_345_678) {
        let name = format!("{}-c", iso_time(ms).replace(['-', ':'], ""));
        assert_eq!(began_ms(&name), Some(ms));
    }
    for other in ["", "20261115", "2026111xT091512.345Z-c", "20261115T091512.345Zc"] {
        assert_eq!(began_ms(other), None);
    }
}
