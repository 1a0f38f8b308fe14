//! What the app writes into the log: answers, and what goes wrong with them.

use super::Variant;
use crate::fault::FaultPoint;
use crate::handset::Handset;
pub(super) use crate::phone::AppLine as LogLine;
use crate::phone::AppLine;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_contract::Execution;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Display;

/// From this length on, in UTF-16 units, the app's log library writes every
/// line as its own entry, and cuts lines of this length.
const MAX_LOGGED: usize = 4_000;
/// The app that writes lines which look like the Operator's; always installed.
const FOREIGN_APP: &str = "com.clawperator.messenger";
/// How much of a line the foreign app repeats.
const REPEATED: usize = 90;

const EXECUTOR: &str = "AgentCommandExecutor";

/// A failure that ends the whole command.
#[derive(Debug)]
pub(super) struct OperatorFailure(pub(super) String);

/// How an action ended that did not end the command. All data is text.
#[derive(Debug)]
pub(super) struct OperatorStep {
    success: bool,
    data: Map<String, Value>,
}

pub(super) type OperatorResult = Result<OperatorStep, OperatorFailure>;

impl OperatorStep {
    pub(super) fn success() -> Self {
        Self { success: true, data: Map::new() }
    }

    /// The actions after a failed step run all the same.
    pub(super) fn failure(error: &str) -> Self {
        let step = Self::success().with("error", error);
        Self { success: false, ..step }
    }

    pub(super) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.data.insert(name.to_owned(), Value::String(value.to_string()));
        self
    }

    pub(super) fn maybe(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The step as it is written in the answer.
    pub(super) fn result(self, id: &str, action_type: &str) -> Value {
        let mut value = json!({ "id": id, "actionType": action_type, "success": self.success });
        if !self.data.is_empty() {
            value["data"] = Value::Object(self.data);
        }
        value
    }
}

/// The ids that an answer repeats.
#[derive(Clone, Debug)]
pub(super) struct AnswerIds {
    pub(super) command: String,
    pub(super) task: String,
}

impl AnswerIds {
    pub(super) fn of(execution: &Execution) -> Self {
        Self {
            command: execution.command_id().as_str().to_owned(),
            task: execution.task_id().as_str().to_owned(),
        }
    }

    /// The answer to a command whose actions all ran: that is a success, whatever the steps say.
    pub(super) fn success(&self, steps: &[Value]) -> Value {
        json!({ "commandId": self.command, "taskId": self.task, "status": "success",
            "stepResults": steps, "error": null })
    }

    pub(super) fn failure(&self, why: &str) -> Value {
        json!({ "commandId": self.command, "taskId": self.task, "status": "failed",
            "stepResults": [], "error": why })
    }
}

/// Writes an answer into the log.
pub(super) fn answer(handset: &Handset, variant: Variant, envelope: &Value) {
    let log = |text: &str| log(handset, variant, info(text));
    if handset.strike(FaultPoint::OperatorSilent).is_some() {
        return;
    }
    let mut line = format!("[Clawperator-Result] {envelope}");
    if handset.strike(FaultPoint::OperatorMalformed).is_some() {
        line = line.replacen("\"status\":", "\"status\"", 1);
    }
    match handset.strike(FaultPoint::OperatorChunked) {
        None => log(&line),
        Some(bytes) => {
            let size = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
            chunks(envelope, &line, size).iter().for_each(|chunk| log(chunk));
        }
    }
}

/// A fault: the answer to a command that was never sent comes first.
pub(super) fn answer_another(handset: &Handset, variant: Variant, ids: &AnswerIds) {
    if handset.strike(FaultPoint::OperatorOtherId).is_some() {
        let other = AnswerIds { command: "another-command".to_owned(), task: ids.task.clone() };
        let line = format!("[Clawperator-Result] {}", other.success(&[]));
        log(handset, variant, info(&line));
    }
}

/// A long answer as newer versions of the app write it.
fn chunks(envelope: &Value, line: &str, size: usize) -> Vec<String> {
    let parts: Vec<_> = line.as_bytes().chunks(size).collect();
    let digest = Sha256::digest(line.as_bytes());
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let chunk = |(index, part): (usize, &&[u8])| {
        let chunk = json!({
            "commandId": envelope["commandId"], "taskId": envelope["taskId"], "index": index,
            "count": parts.len(), "byteLength": line.len(), "sha256": sha256, "data": STANDARD.encode(part),
        });
        format!("[Clawperator-Result-Chunk] {chunk}")
    };
    parts.iter().enumerate().map(chunk).collect()
}

fn info(text: &str) -> LogLine<'_> {
    LogLine { level: 'I', tag: EXECUTOR, text }
}

/// Writes into the log as the app's log library does.
pub(super) fn log(handset: &Handset, variant: Variant, line: LogLine<'_>) {
    let entries = if line.text.encode_utf16().count() < MAX_LOGGED {
        vec![line.text]
    } else {
        line.text.split('\n').flat_map(cut).collect()
    };
    for text in entries {
        if handset.strike(FaultPoint::LogForeign).is_some() {
            let start: String = text.chars().take(REPEATED).collect();
            handset.with(|phone| phone.say_as(FOREIGN_APP, AppLine { text: &start, ..line }));
        }
        if handset.strike(FaultPoint::LogLost).is_none() {
            handset.with(|phone| phone.say_as(variant.package(), AppLine { text, ..line }));
        }
    }
}

/// Cuts a line into pieces of the greatest length; an empty line is one piece.
fn cut(line: &str) -> Vec<&str> {
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
