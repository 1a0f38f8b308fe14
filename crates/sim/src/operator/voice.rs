//! How the app's words get into the log, and what goes wrong on the way.

use super::Variant;
use super::answer::Envelope;
use super::command::Command;
use crate::fault::Point;
use crate::handset::Handset;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// From this length on, in Java's characters, the app's log library writes
/// every line on its own, and cuts lines of this length.
const MAX_LOGGED: usize = 4_000;
/// Who writes what looks like the app's words and is not; every phone has it.
const STRANGER: &str = "com.clawperator.messenger";
/// How much of the app's words a stranger repeats.
const REPEATED: usize = 90;
/// The command that nobody sent.
const OTHER_ID: &str = "another-command";

const EXECUTOR: &str = "AgentCommandExecutor";
const CHUNK: &str = "[Clawperator-Result-Chunk]";

/// Writes an answer into the log.
pub(super) fn answer(handset: &Handset, variant: Variant, envelope: &Envelope) {
    let say = |text: &str| say(handset, variant, ('I', EXECUTOR, text));
    if handset.strike(Point::OperatorSilent).is_some() {
        return;
    }
    let mut line = envelope.line();
    if handset.strike(Point::OperatorMalformed).is_some() {
        line = line.replacen("\"status\":", "\"status\"", 1);
    }
    match handset.strike(Point::OperatorChunked) {
        None => say(&line),
        Some(bytes) => {
            let size = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
            records(envelope, &line, size)
                .iter()
                .for_each(|record| say(record));
        }
    }
}

/// Another command is done before this one begins.
pub(super) fn answer_another(handset: &Handset, variant: Variant, command: &Command) {
    if handset.strike(Point::OperatorOtherId).is_some() {
        let other = Envelope::done(command, Vec::new()).under(OTHER_ID);
        say(handset, variant, ('I', EXECUTOR, &other.line()));
    }
}

/// An answer as newer versions of the app write one that is long.
fn records(envelope: &Envelope, line: &str, size: usize) -> Vec<String> {
    let parts: Vec<_> = line.as_bytes().chunks(size).collect();
    let digest = Sha256::digest(line.as_bytes());
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let (command_id, task_id) = envelope.ids();
    let record = |(index, part): (usize, &&[u8])| {
        let record = json!({
            "commandId": command_id, "taskId": task_id, "index": index, "count": parts.len(),
            "byteLength": line.len(), "sha256": sha256, "data": STANDARD.encode(part),
        });
        format!("{CHUNK} {record}")
    };
    parts.iter().enumerate().map(record).collect()
}

/// Writes into the log as the app's log library does.
pub(super) fn say(handset: &Handset, variant: Variant, (level, tag, text): (char, &str, &str)) {
    let pieces = if text.encode_utf16().count() < MAX_LOGGED {
        vec![text]
    } else {
        text.split('\n').flat_map(pieces).collect()
    };
    for piece in pieces {
        if handset.strike(Point::LogForeign).is_some() {
            let start: String = piece.chars().take(REPEATED).collect();
            handset.with(|phone| phone.say_as(STRANGER, level, (tag, &start)));
        }
        if handset.strike(Point::LogLost).is_none() {
            handset.with(|phone| phone.say_as(variant.package(), level, (tag, piece)));
        }
    }
}

/// A line in pieces of the greatest length; an empty line is one.
fn pieces(line: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), line);
    loop {
        let mut units = 0;
        let end = rest.char_indices().find_map(|(at, letter)| {
            units += letter.len_utf16();
            (units > MAX_LOGGED).then_some(at)
        });
        let (piece, more) = rest.split_at(end.unwrap_or(rest.len()));
        found.push(piece);
        if more.is_empty() {
            return found;
        }
        rest = more;
    }
}
