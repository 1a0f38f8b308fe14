//! The chain of a journal's lines: each carries its own hash and that of the
//! line before, so that a line that is changed, removed or added shows. Pure.

use crate::limits::MAX_LINE;
use clawperator_contract::text::escape_controls;
use clawperator_events::{Event, digest};
use serde::Deserialize;

/// What the first line has for the hash of the line before.
pub(crate) const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Precedes a line's own hash, which covers everything before this.
const SEAL: &str = ",\"hash\":\"";

/// One line, read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    pub seq: u64,
    /// When, in microseconds from the beginning.
    pub at_us: u64,
    /// The hash of the line before.
    pub prev: String,
    #[serde(flatten)]
    pub event: Event,
}

/// The state of a journal's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No line was changed, and the last is the end. The hash of that line covers all of them.
    Whole { seal: String },
    /// No line was changed, but the end is missing: the run was killed, is
    /// still running, or its last lines were removed.
    CutOff,
    /// A line was changed, counted from 1.
    Broken { line: usize, why: Break },
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Break {
    /// It was changed after it was written.
    #[error("it was changed after it was written")]
    Changed,
    /// Lines before it were removed or moved.
    #[error("it does not follow the line before it: lines are missing or were moved")]
    Removed,
    /// It comes after the end.
    #[error("it was added after the end of the journal")]
    Added,
}

/// Writes lines that follow each other.
#[derive(Debug)]
pub(crate) struct Chain {
    next: u64,
    last: String,
}

impl Default for Chain {
    fn default() -> Self {
        Self { next: 0, last: START.to_owned() }
    }
}

impl Chain {
    pub(crate) fn len(&self) -> u64 {
        self.next
    }

    /// The line of an event, with its end.
    pub(crate) fn line(&mut self, at_us: u64, event: &Event) -> serde_json::Result<String> {
        let event = escape_controls(serde_json::to_string(event)?);
        // An event is an object with at least its name in it.
        let inside = event.trim_start_matches('{').strip_suffix('}').unwrap_or("");
        let (seq, prev) = (self.next, &self.last);
        let mut line = format!("{{\"seq\":{seq},\"atUs\":{at_us},\"prev\":\"{prev}\",{inside}");
        let hash = digest(line.as_bytes());
        line.push_str(SEAL);
        line.push_str(&hash);
        line.push_str("\"}\n");
        self.next += 1;
        self.last = hash;
        Ok(line)
    }
}

/// Reads the lines of a journal as far as they hold.
pub(crate) fn read(bytes: &[u8]) -> (Vec<JournalEntry>, Verdict) {
    let mut entries: Vec<JournalEntry> = Vec::new();
    let mut last = START.to_owned();
    let mut ended = false;
    let mut rest = bytes;
    while !rest.is_empty() {
        let line = entries.len() + 1;
        let broken = |why| Verdict::Broken { line, why };
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            // A process that was killed while it wrote leaves a part of a line;
            // one that finished does not.
            let verdict = match (ended, begins(rest, entries.len(), &last)) {
                (true, _) => broken(Break::Added),
                (false, false) => broken(Break::Changed),
                (false, true) => Verdict::CutOff,
            };
            return (entries, verdict);
        };
        let found = entry(&rest[..end]);
        rest = &rest[end + 1..];
        let Some((entry, hash)) = found else {
            return (entries, broken(if ended { Break::Added } else { Break::Changed }));
        };
        if ended {
            return (entries, broken(Break::Added));
        }
        if entry.seq != entries.len() as u64 || entry.prev != last {
            return (entries, broken(Break::Removed));
        }
        ended = matches!(&entry.event, Event::End(_) | Event::SkillEnd(_));
        last = hash;
        entries.push(entry);
    }
    let verdict = if ended { Verdict::Whole { seal: last } } else { Verdict::CutOff };
    (entries, verdict)
}

/// Whether a part of a line can be the beginning of the line with that number,
/// after a line with the hash `last`.
fn begins(part: &[u8], number: usize, last: &str) -> bool {
    let agrees = |part: &[u8], text: &str| part.iter().zip(text.as_bytes()).all(|(one, other)| one == other);
    let head = format!("{{\"seq\":{number},\"atUs\":");
    let rest = part.get(head.len()..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let tail = format!(",\"prev\":\"{last}\",\"event\":");
    agrees(part, &head) && agrees(&rest[digits..], &tail)
}

/// A line whose own hash holds, and that hash.
fn entry(line: &[u8]) -> Option<(JournalEntry, String)> {
    let line = std::str::from_utf8(line).ok().filter(|line| line.len() <= MAX_LINE)?;
    let (body, seal) = line.rsplit_once(SEAL)?;
    let hash = seal.strip_suffix("\"}")?;
    if digest(body.as_bytes()) != hash {
        return None;
    }
    let entry = serde_json::from_str(&format!("{body}}}")).ok()?;
    Some((entry, hash.to_owned()))
}
