//! Tests of `report.rs`.

use crate::temp::Temp;
use clawperator_events::*;
use clawperator_journal::report::*;
use clawperator_journal::*;
use serde_json::json;

fn odd_begin() -> Event {
    Event::Begin(Box::new(BeginEvent {
        format: u32::MAX,
        version: String::new(),
        command_id: "c".to_owned(),
        task_id: "t".to_owned(),
        device: "d".to_owned(),
        through: Some("<b>".to_owned()),
        lane: None,
        started_ms: u64::MAX,
        payload: String::new(),
        execution: json!({"actions": [{"type": "enter_text", "params": {"text": "[99999999999 letters]", "matcher": {"textEquals": 7}}}]}),
        skill_run: None,
        removed: RemovedJournals::default(),
    }))
}

/// A journal with an intact chain and absurd values.
fn odd() -> Vec<Event> {
    let touch = |kind, to| Event::Touch(TouchEvent { kind, at: [i32::MIN, i32::MAX], to });
    vec![
        odd_begin(),
        touch(TouchKind::Tap, None),
        Event::StepBegin(StepBegin {
            step: usize::MAX,
            id: String::new(),
            action: String::new(),
            by_app: false,
        }),
        Event::StepBegin(StepBegin {
            step: 0,
            id: "é".repeat(500),
            action: "click".to_owned(),
            by_app: true,
        }),
        Event::Picture(PictureEvent {
            picture: "é../../../etc/passwd".to_owned(),
            bytes: 0,
            after: PictureMoment::Look,
        }),
        Event::Look(LookEvent {
            tree: "ä".repeat(40),
            nodes: 0,
            package: "../".to_owned(),
            took_us: u64::MAX,
            kept: true,
        }),
        Event::Choice(ChoiceEvent {
            matcher: json!([1]),
            fits: usize::MAX,
            node: Some(usize::MAX),
            says: None,
        }),
        touch(TouchKind::Swipe, Some([i32::MAX, i32::MIN])),
        Event::Command(CommandEvent {
            kind: Some(CommandKind::Launch),
            line: "p='x".to_owned(),
            took_us: u64::MAX,
            exit_code: Some(255),
            out_bytes: usize::MAX,
            err_bytes: usize::MAX,
            error: None,
        }),
        Event::Wait(Wait { ms: u64::MAX, why: String::new(), attempt: Some(u32::MAX) }),
        Event::Wait(Wait { ms: u64::MAX, why: String::new(), attempt: None }),
        Event::StepEnd(StepEnd {
            step: 0,
            success: false,
            took_us: Some(u64::MAX),
            data: [("error".to_owned(), "NODE_NOT_FOUND".to_owned())].into(),
        }),
    ]
}

#[test]
fn no_journal_is_too_odd_for_a_page() {
    let temp = Temp::new("odd");
    let (mut run, _) = temp.folder().begin("odd", 1).unwrap();
    for (number, event) in odd().into_iter().enumerate() {
        run.record(u64::MAX - number as u64 % 2, &event).unwrap();
    }
    // A copy with a name of its own can be of any run.
    let path = JournalPath { name: "clawperator-odd".to_owned(), path: run.folder().to_owned() };
    let journal = StoredJournal::open(&path).unwrap();
    assert_eq!(journal.entries.len(), odd().len());
    assert_eq!(journal.flaws().len(), 2);
    assert!(page(&journal).contains("</html>"));
    assert!(text(&journal).contains("NODE_NOT_FOUND"));
}
