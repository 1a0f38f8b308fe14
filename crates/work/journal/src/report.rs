//! Reports an execution from its journal, as a page and as text. Pure except
//! for reading trees and pictures from the journal's folder.

mod chart;
mod facts;
mod frame;
mod html;
mod list;
mod near;
mod page;
mod picture;
mod screen;
mod skill;
mod steps_page;
mod story;
mod text;
mod tree;

pub use list::list;
pub use page::{IncompleteJournal, page, page_of, policy};
pub use skill::{SkillRun, skill_page, skill_text};
pub use steps_page::{ToldPage, ToldPicture, ToldStep, shown_time, told_page};
pub use text::text;

use crate::{Judgement, StoredJournal};

/// The outcome of an execution, or of a run of a skill, in one word.
pub fn status(journal: &StoredJournal) -> &str {
    let of_skill = || journal.skill_end().map(|end| &end.status);
    match (journal.judgement(), journal.end().map(|end| &end.status).or_else(of_skill)) {
        (Judgement::Changed { .. }, _) => "changed",
        (Judgement::Empty, _) => "empty",
        (_, Some(status)) => status,
        (_, None) => "cut off",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JournalPath;
    use crate::chain::Chain;
    use clawperator_events::{
        BeginEvent, ChoiceEvent, CommandEvent, CommandKind, Event, LookEvent, PictureEvent, PictureMoment,
        StepBegin, StepEnd, TouchEvent, TouchKind, Wait, digest,
    };
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
            removed: clawperator_events::RemovedJournals::default(),
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
        let mut chain = Chain::default();
        let lines = odd().into_iter().enumerate();
        let lines: String =
            lines.map(|(number, event)| chain.line(u64::MAX - number as u64 % 2, &event).unwrap()).collect();
        let name = format!("clawperator-odd-{}", &digest(lines.as_bytes())[..8]);
        let path = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("journal.ndjson"), &lines).unwrap();
        let journal = StoredJournal::open(&JournalPath { name, path: path.clone() }).unwrap();
        assert_eq!(journal.entries.len(), odd().len());
        assert_eq!(journal.flaws().len(), 2);
        assert!(page(&journal).contains("</html>"));
        assert!(text(&journal).contains("NODE_NOT_FOUND"));
        std::fs::remove_dir_all(&path).unwrap();
    }
}
