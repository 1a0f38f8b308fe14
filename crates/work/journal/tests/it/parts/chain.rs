//! Tests of `chain.rs`.

use crate::temp::Temp;
use clawperator_events::*;
use clawperator_journal::*;
use std::fs;

/// The file of a journal's lines.
const LINES: &str = "journal.ndjson";

/// The lines of a journal with four events.
fn journal(temp: &Temp) -> String {
    let (mut run, _) = temp.folder().begin("c", 1).unwrap();
    let step = Event::StepBegin(StepBegin {
        step: 0,
        id: "a \",\"hash\":\" b".to_owned(),
        action: "sleep".to_owned(),
        by_app: false,
    });
    let wait = Event::Wait(Wait { ms: 5, why: "sleep".to_owned(), attempt: None });
    for event in [step, wait.clone(), wait] {
        run.record(7, &event).unwrap();
    }
    let end = Event::End(EndEvent {
        status: "success".to_owned(),
        code: None,
        message: None,
        steps: 1,
        took_us: 9,
        envelope: "0".repeat(64),
        lines: run.lines() + 1,
    });
    run.record(9, &end).unwrap();
    fs::read_to_string(run.folder().join(LINES)).unwrap()
}

/// Reads these bytes as the lines of a journal.
fn read(temp: &Temp, bytes: &[u8]) -> (Vec<JournalEntry>, Verdict) {
    fs::write(temp.0.join(LINES), bytes).unwrap();
    let path = JournalPath { name: "read".to_owned(), path: temp.0.clone() };
    let journal = StoredJournal::open(&path).unwrap();
    (journal.entries, journal.verdict)
}

fn verdict(temp: &Temp, text: &str) -> Verdict {
    read(temp, text.as_bytes()).1
}

#[test]
fn a_journal_reads_as_it_was_written() {
    let temp = Temp::new("chain-read");
    let text = journal(&temp);
    let (entries, verdict) = read(&temp, text.as_bytes());
    assert_eq!(entries.len(), 4);
    assert!(matches!(verdict, Verdict::Whole { .. }), "{verdict:?}");
    assert_eq!(entries[1].at_us, 7);
}

#[test]
fn every_cut_is_a_cut_and_never_a_change() {
    let temp = Temp::new("chain-cut");
    let text = journal(&temp);
    for cut in 0..text.len() {
        assert_eq!(verdict(&temp, &text[..cut]), Verdict::CutOff, "at {cut}");
    }
}

#[test]
fn a_part_of_a_line_that_belongs_elsewhere_shows() {
    let temp = Temp::new("chain-part");
    let text = journal(&temp);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for part in [&lines[2][..150], "x", "{\"seq\":1,\"atUs\":7,\"prev\":\"00"] {
        let why = Break::Changed;
        assert_eq!(verdict(&temp, &format!("{}{part}", lines[0])), Verdict::Broken { line: 2, why });
    }
}

#[test]
fn every_changed_byte_shows() {
    let temp = Temp::new("chain-byte");
    let text = journal(&temp);
    for place in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        let (_, verdict) = read(&temp, &bytes);
        // Without its end a last line is a part of a line.
        let is_last = place + 1 == text.len();
        assert_eq!(matches!(verdict, Verdict::Broken { .. }), !is_last, "byte {place}: {verdict:?}");
    }
}

#[test]
fn every_removed_or_moved_or_added_line_shows() {
    let temp = Temp::new("chain-line");
    let text = journal(&temp);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for gone in 0..lines.len() - 1 {
        let rest: String =
            lines.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, line)| *line).collect();
        let expected = Verdict::Broken { line: gone + 1, why: Break::Removed };
        assert_eq!(verdict(&temp, &rest), expected);
    }
    let moved = [lines[0], lines[2], lines[1], lines[3]].concat();
    assert_eq!(verdict(&temp, &moved), Verdict::Broken { line: 2, why: Break::Removed });
    for more in [lines[3], "x", "\n"] {
        assert_eq!(verdict(&temp, &format!("{text}{more}")), Verdict::Broken { line: 5, why: Break::Added });
    }
}
