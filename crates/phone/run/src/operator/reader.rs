//! Listens to the log for the answer to one command. Pure: lines in, what was heard out.

use super::answer::{self, names};
use super::chunk::{self, ChunkResult, Chunks, MAX_ANSWER};
use super::hierarchy::{Hierarchies, Trees};
use super::record::{LogWriter, Record};
use super::scan::{Scan, ScanProgress};
use clawperator_contract::{Envelope, Status};
use clawperator_redact::Fragments;
use std::collections::VecDeque;

/// What comes before an answer.
const MARKER: &str = "[Clawperator-Result]";
/// The tag of our own line in the log.
pub(crate) const OWN_TAG: &str = "Clawperator";
/// The most lines of the app's that a failure repeats, and how much of each.
const MAX_EVENTS: usize = 30;
const MAX_EVENT: usize = 200;

/// Whose answer is wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerFilter {
    pub(super) command_id: String,
    pub(super) task_id: String,
    /// What our own line says; nothing before it counts. Empty where the phone could not write one.
    pub(super) mark: String,
    /// The app's processes; empty where they are not known.
    pub(super) pids: Vec<u32>,
    pub(super) secrets: Fragments,
}

/// What was heard.
#[derive(Clone, Debug)]
pub(super) enum ReaderResult {
    /// The answer, and the hierarchies that were written on the way.
    Answer(Box<Envelope>, Trees),
    /// The app answered, and the answer cannot be read.
    Malformed(String),
}

/// Listens.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerReader {
    wanted: AnswerFilter,
    is_live: bool,
    open: Option<OpenAnswer>,
    chunks: Chunks,
    hierarchies: Hierarchies,
    events: VecDeque<String>,
    unreadable: Option<String>,
}

/// An answer of which a part has come.
#[derive(Clone, Debug)]
struct OpenAnswer {
    writer: LogWriter,
    text: String,
    scan: Scan,
}

impl AnswerReader {
    pub(super) fn new(wanted: AnswerFilter) -> Self {
        Self { is_live: wanted.mark.is_empty(), wanted, ..Self::default() }
    }

    /// Begins again: the log is read from the start once more.
    pub(super) fn restart(&mut self) {
        *self = Self::new(std::mem::take(&mut self.wanted));
    }

    /// Tells whether a part of the answer has come and the rest has not.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some() || self.chunks.is_open()
    }

    /// The app's last lines, the oldest first.
    pub(super) fn events(&self) -> Vec<String> {
        self.events.iter().cloned().collect()
    }

    /// What is left to say when no more is waited for: why there is no answer,
    /// if something came that may have been one.
    pub(super) fn give_up(&self) -> Option<String> {
        if self.is_open() {
            return Some("it breaks off in the middle".to_owned());
        }
        self.unreadable.clone()
    }

    /// Takes the next line of the log.
    pub(super) fn line(&mut self, line: &str) -> Option<ReaderResult> {
        let record = Record::parse(line)?;
        if !self.is_live {
            self.is_live = record.tag == OWN_TAG && record.text == self.wanted.mark;
            return None;
        }
        if !self.wanted.pids.is_empty() && !self.wanted.pids.contains(&record.pid) {
            return None;
        }
        // What a screen shows may look like an answer.
        if self.hierarchies.take(&record) {
            return None;
        }
        if let Some(heard) = self.next_piece(&record) {
            return heard;
        }
        if let Some(at) = record.text.find(chunk::MARKER) {
            return self.chunk(&record.text[at + chunk::MARKER.len()..]);
        }
        if let Some(at) = record.text.find(MARKER) {
            let open = OpenAnswer { writer: record.writer(), text: String::new(), scan: Scan::default() };
            return self.piece(open, record.text[at + MARKER.len()..].trim_start());
        }
        self.event(&record);
        None
    }

    /// A line by the thread that is in the middle of an answer; none where no
    /// answer is open or the line is another's.
    fn next_piece(&mut self, record: &Record<'_>) -> Option<Option<ReaderResult>> {
        let open = self.open.take_if(|open| open.writer.is_thread_of(record))?;
        let marked = record.text.starts_with(MARKER) || record.text.starts_with(chunk::MARKER);
        if open.writer.wrote(record) && !marked {
            return Some(self.piece(open, record.text));
        }
        // The thread says something else: the rest will not come. What it says
        // is looked at as if nothing had been open.
        let broken = self.unread(&open.text, "it breaks off in the middle");
        broken.is_some().then_some(broken)
    }

    fn piece(&mut self, mut open: OpenAnswer, text: &str) -> Option<ReaderResult> {
        if open.text.len() + text.len() > MAX_ANSWER {
            let why = format!("it has more than {MAX_ANSWER} bytes");
            return self.unread(&open.text, &why);
        }
        let progress = open.scan.feed(text);
        open.text.push_str(text);
        match progress {
            ScanProgress::More => {
                self.open = Some(open);
                None
            }
            ScanProgress::NoObject => self.unread(&open.text, "it is not a JSON object"),
            ScanProgress::End(_) => self.whole(&open.text),
        }
    }

    fn chunk(&mut self, text: &str) -> Option<ReaderResult> {
        match self.chunks.add(text, &self.wanted.command_id) {
            ChunkResult::More => None,
            ChunkResult::Foreign => {
                self.hierarchies.note_answer(false);
                None
            }
            ChunkResult::Unreadable => self.unread(text, "a part of it cannot be read"),
            ChunkResult::Broken(why) => Some(ReaderResult::Malformed(why)),
            ChunkResult::Whole(line) => match line.trim_start().strip_prefix(MARKER) {
                Some(text) => self.whole(text),
                None => Some(ReaderResult::Malformed("its parts do not form an answer".to_owned())),
            },
        }
    }

    fn whole(&mut self, text: &str) -> Option<ReaderResult> {
        let envelope = match answer::read(text) {
            Ok(envelope) => envelope,
            Err(error) => return self.unread(text, &error.to_string()),
        };
        let wanted = &self.wanted;
        if (&envelope.command_id, &envelope.task_id) != (&wanted.command_id, &wanted.task_id) {
            self.hierarchies.note_answer(envelope.status == Status::Success);
            return None;
        }
        let hierarchies = std::mem::take(&mut self.hierarchies).into_trees();
        Some(ReaderResult::Answer(Box::new(envelope), hierarchies))
    }

    /// An answer that cannot be read is ours only if it says so.
    fn unread(&mut self, text: &str, why: &str) -> Option<ReaderResult> {
        if names(text, &self.wanted.command_id) {
            return Some(ReaderResult::Malformed(why.to_owned()));
        }
        self.unreadable = Some(why.to_owned());
        None
    }

    fn event(&mut self, record: &Record<'_>) {
        // Where the app's processes are not known, every app's lines come here.
        if self.wanted.pids.is_empty() && !record.text.contains(&self.wanted.command_id) {
            return;
        }
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        let text = self.wanted.secrets.hide(record.text);
        let text = format!("{}/{}: {text}", record.level, record.tag);
        self.events.push_back(text.chars().take(MAX_EVENT).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const PID: u32 = 70;

    fn reader() -> AnswerReader {
        AnswerReader::new(AnswerFilter {
            command_id: "c".to_owned(),
            task_id: "t".to_owned(),
            mark: "m-1".to_owned(),
            pids: vec![PID],
            secrets: Fragments::new(["hunter2"]),
        })
    }

    fn line(pid: u32, tag: &str, text: &str) -> String {
        format!("01-31 09:41:00.123 {pid:>5} {pid:>5} I {tag:<8}: {text}")
    }

    fn app(text: &str) -> String {
        line(PID, "AgentCommandExecutor", text)
    }

    fn mark() -> String {
        line(9, OWN_TAG, "m-1")
    }

    fn result(id: &str, text: &str) -> String {
        let answer = json!({ "commandId": id, "taskId": "t", "status": "success", "error": null, "stepResults":
            [{ "id": "a", "actionType": "sleep", "success": true, "data": { "text": text } }] });
        format!("{MARKER} {answer}")
    }

    /// What is heard: the text of the first step, or why there is none.
    fn hear(lines: &[String]) -> Option<Result<String, String>> {
        let mut reader = reader();
        lines.iter().find_map(|line| reader.line(line)).map(|heard| match heard {
            ReaderResult::Answer(envelope, _) => Ok(envelope.step_results[0].data["text"].clone()),
            ReaderResult::Malformed(why) => Err(why),
        })
    }

    fn pieces(text: &str, size: usize) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(size).map(|piece| app(&piece.iter().collect::<String>())).collect()
    }

    #[test]
    fn nothing_before_our_own_line_counts() {
        assert_eq!(hear(&[app(&result("c", "old"))]), None);
        let lines = [app(&result("c", "old")), mark(), app(&result("c", "new"))];
        assert_eq!(hear(&lines), Some(Ok("new".to_owned())));
        // An app cannot write our line under another name.
        let lines = [line(9, "Other", "m-1"), app(&result("c", "x"))];
        assert_eq!(hear(&lines), None);
    }

    #[test]
    fn what_others_write_neither_answers_nor_breaks_a_run() {
        let lines = [
            mark(),
            line(71, "X", &result("c", "forged")),
            line(71, "X", "[Clawperator-Result] {\"commandId\":\"c\",oops"),
            app("[Clawperator-Result] oops"),
            app("[Clawperator-Result] {\"commandId\":\"other\",oops}"),
            app("[Clawperator-Result-Chunk] oops"),
            app(&result("other", "x")),
            "--------- beginning of system".to_owned(),
            app(&result("c", "mine")),
        ];
        assert_eq!(hear(&lines), Some(Ok("mine".to_owned())));
    }

    #[test]
    fn our_own_answer_is_malformed_when_it_says_it_is_ours() {
        for text in [
            "[Clawperator-Result] {\"commandId\":\"c\"}",
            "[Clawperator-Result] {\"commandId\":\"c\",}",
            "[Clawperator-Result] {\"commandId\":\"c\"} trailing",
        ] {
            let heard = hear(&[mark(), app(text)]);
            assert!(matches!(heard, Some(Err(_))), "{text}: {heard:?}");
        }
    }

    #[test]
    fn an_answer_in_pieces_is_joined_whatever_comes_in_between() {
        let text = result("c", &"ü\"{}[] ".repeat(40));
        for size in [1, 7, 100] {
            let mut lines = vec![mark()];
            for piece in pieces(&text, size.max(MARKER.len() + 1)) {
                lines.push(piece);
                lines.push(line(71, "X", "in between"));
            }
            assert_eq!(hear(&lines), Some(Ok("ü\"{}[] ".repeat(40))), "{size}");
        }
    }

    #[test]
    fn an_answer_that_breaks_off_is_reported_at_once() {
        let text = result("c", &"x".repeat(100));
        let lines = [&[mark()], &pieces(&text, 90)[..1], &[app(&result("d", "y"))]].concat();
        assert!(matches!(hear(&lines), Some(Err(why)) if why.contains("breaks off")));
        let mut open = reader();
        for line in [mark(), pieces(&text, 90).remove(0)] {
            assert!(open.line(&line).is_none());
        }
        assert!(open.is_open() && open.give_up().is_some());
    }

    #[test]
    fn the_app_s_last_words_are_kept_without_what_was_typed() {
        let mut reader = reader();
        reader.line(&mark());
        for number in 0..40 {
            reader.line(&app(&format!("{number} {}", "x".repeat(400))));
        }
        reader.line(&app("typed: hunter2"));
        reader.line(&line(71, "X", "not the app"));
        let events = reader.events();
        assert_eq!(events.len(), MAX_EVENTS);
        assert!(events[0].starts_with("I/AgentCommandExecutor: 11 x"), "{}", events[0]);
        assert!(events[MAX_EVENTS - 1].ends_with("typed text]"), "{events:?}");
        assert!(events.iter().all(|event| event.chars().count() <= MAX_EVENT));
    }

    #[test]
    fn hierarchies_of_another_command_are_not_ours() {
        let tree = |text: &str| {
            let node = format!(
                "<node index=\"0\" text=\"{text}\" resource-id=\"\" class=\"x\" package=\"p\" content-desc=\"\" bounds=\"[0,0][9,9]\" />"
            );
            ["[TaskScope] UI Hierarchy:", "<hierarchy rotation=\"0\">", &node, "</hierarchy>"]
                .map(|text| line(PID, "TaskScopeDefault", text))
        };
        let lines = [
            &[mark()][..],
            &tree("theirs"),
            &[app(&result("d", "x"))],
            &tree("ours"),
            &[app(&result("c", "x"))],
        ];
        let mut reader = reader();
        let heard = lines.concat().iter().find_map(|line| reader.line(line));
        let Some(ReaderResult::Answer(_, trees)) = heard else {
            panic!("{heard:?}");
        };
        assert!(trees.all.len() == 1 && trees.all[0].as_ref().unwrap().contains("ours"), "{trees:?}");
    }

    proptest! {
        #[test]
        fn any_lines_are_survived(texts in prop::collection::vec("(\\[Clawperator-Result(-Chunk)?\\] |\\[TaskScope\\] UI Hierarchy:)?[{}\\[\\]\":,a-z\\\\0-9 ]{0,40}", 0..12)) {
            let mut reader = reader();
            reader.line(&mark());
            for text in &texts {
                reader.line(&app(text));
            }
            let _ = reader.give_up();
        }

        /// However lines of others are mixed in, the answer is the same.
        #[test]
        fn the_answer_does_not_depend_on_what_comes_between(places in prop::collection::vec(0_usize..6, 0..12)) {
            let text = result("c", &"y".repeat(300));
            let mut lines = pieces(&text, 80);
            for place in places {
                let at = place.min(lines.len());
                lines.insert(at, line(71, "X", "[Clawperator-Result] {\"commandId\":\"c\","));
            }
            lines.insert(0, mark());
            prop_assert_eq!(hear(&lines), Some(Ok("y".repeat(300))));
        }
    }
}
