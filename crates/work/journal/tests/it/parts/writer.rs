//! Tests of `writer.rs`.

use crate::temp::Temp;
use clawperator_events::*;
use clawperator_journal::limits::*;
use clawperator_journal::*;

#[test]
fn a_journal_is_bounded_and_whole_all_the_same() {
    let temp = Temp::new("run");
    let (mut run, _) = temp.folder().begin("c", 1).unwrap();
    let large = Event::Wait(Wait { ms: 1, why: "x".repeat(1 << 20), attempt: None });
    for _ in 0..20 {
        run.record(1, &large).unwrap();
    }
    let end = EndEvent {
        status: "success".to_owned(),
        code: None,
        message: None,
        steps: 0,
        took_us: 1,
        envelope: String::new(),
        lines: run.lines() + 1,
    };
    run.record(2, &Event::End(end)).unwrap();
    for number in 0..MAX_PICTURES + 3 {
        let kept = run.picture(&number.to_be_bytes()).unwrap();
        assert_eq!(kept.is_some(), number < MAX_PICTURES);
    }
    assert_eq!(run.picture(&vec![0; MAX_PICTURE + 1]).unwrap(), None);
    let (name, kept) = run.tree("<hierarchy/>").unwrap();
    assert_eq!((run.tree("<hierarchy/>").unwrap(), kept), ((name, true), true));
    let StoredJournal { text, entries, verdict, .. } =
        StoredJournal::open(&temp.folder().find("c").unwrap()).unwrap();
    assert!((text.len() as u64) < MAX_LINES_BYTES + (2 << 20));
    assert!(matches!(verdict, Verdict::Whole { .. }), "{verdict:?}");
    assert!(matches!(entries[entries.len() - 2].event, Event::Full(_)));
}
