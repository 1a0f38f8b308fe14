//! The result frame at the end of a script's output: a marker line and one line
//! of JSON. Pure; it reads the output piece by piece and keeps only the frame.

use super::limits::{MAX_CHECKPOINTS, MAX_FRAME};
use clawperator_document::{Word, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The line before the JSON of a frame.
pub const MARKER: &str = "[Clawperator-Skill-Result]";
/// The major version of the frames that are understood.
const MAJOR: &str = "1";

/// What a skill says of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultFrame {
    pub status: SkillStatus,
    /// The whole object, as it was printed.
    pub object: Map<String, Value>,
}

/// A point that a skill reached, or did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub id: String,
    pub status: CheckpointStatus,
    /// What the skill says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

words! {
    /// Whether a skill says that it succeeded.
    pub SkillStatus {
        Success = "success",
        Failed = "failed",
        Indeterminate = "indeterminate",
    }

    /// What became of a checkpoint.
    pub CheckpointStatus {
        Ok = "ok",
        Failed = "failed",
        Skipped = "skipped",
    }
}

/// What is wrong with a frame. Lines are those of standard output, from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("the skill printed no result frame; a skill that an agent runs must end with one")]
    Missing,
    #[error("line {line} of the output begins a result frame, but no JSON line follows")]
    NoJson { line: usize },
    #[error("line {second} of the output begins a second result frame; the first one is in line {first}")]
    Second { first: usize, second: usize },
    #[error("line {line} of the output comes after the result frame, which must be the last output")]
    NotLast { line: usize },
    #[error("the result frame in line {line} of the output is longer than {MAX_FRAME} bytes")]
    TooLong { line: usize },
    #[error("the result frame in line {line} of the output is not valid JSON: {why}")]
    NotJson { line: usize, why: String },
    #[error("the result frame in line {line} of the output is not valid: {}", problems.join("; "))]
    Invalid { line: usize, problems: Vec<String> },
}

/// Looks for the frame in an output that comes piece by piece.
#[derive(Debug, Default)]
pub struct FrameScanner {
    /// The line that is being read, as far as it matters.
    line: Vec<u8>,
    ended: usize,
    /// Whether the line is longer than what is kept of it.
    cut: bool,
    marker: Option<usize>,
    second: Option<usize>,
    json: Option<JsonLine>,
    after: Option<usize>,
}

#[derive(Debug)]
struct JsonLine {
    line: usize,
    bytes: Vec<u8>,
    cut: bool,
}

impl FrameScanner {
    /// Takes the next piece of the output.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.add(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.add(bytes);
    }

    /// The frame, at the end of the output; none if the skill printed none.
    pub fn finish(mut self, skill_id: &str) -> Result<Option<ResultFrame>, FrameError> {
        if !self.line.is_empty() {
            self.end_line();
        }
        let Some(first) = self.marker else {
            return Ok(None);
        };
        if let Some(second) = self.second {
            return Err(FrameError::Second { first, second });
        }
        let json = self.json.ok_or(FrameError::NoJson { line: first })?;
        if let Some(line) = self.after {
            return Err(FrameError::NotLast { line });
        }
        let line = json.line;
        if json.cut {
            return Err(FrameError::TooLong { line });
        }
        let value = serde_json::from_slice::<Value>(&json.bytes).map_err(|error| FrameError::NotJson {
            line,
            // It is the only line, so its own number says nothing.
            why: format!("{} at column {}", reason(&error), error.column()),
        })?;
        check(value, skill_id).map(Some).map_err(|problems| FrameError::Invalid { line, problems })
    }

    fn add(&mut self, bytes: &[u8]) {
        let wants_json = self.marker.is_some() && self.json.is_none();
        // A marker, and a blank or two behind it.
        let most = if wants_json { MAX_FRAME } else { MARKER.len() + 8 };
        let room = most.saturating_sub(self.line.len());
        self.cut |= bytes.len() > room;
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        self.ended += 1;
        let (number, cut) = (self.ended, std::mem::take(&mut self.cut));
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() && !cut {
            return;
        }
        let is_marker = line.trim_ascii_end() == MARKER.as_bytes() && !cut;
        match (self.marker, &self.json) {
            (None, _) if is_marker => self.marker = Some(number),
            (None, _) => {}
            (Some(_), _) if is_marker => {
                self.second.get_or_insert(number);
            }
            (Some(_), None) => {
                self.json = Some(JsonLine { line: number, bytes: line, cut });
            }
            (Some(_), Some(_)) => {
                self.after.get_or_insert(number);
            }
        }
    }
}

/// The reason without the place, which is reported separately.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Checks everything that is known of a frame, and says all that is wrong.
fn check(value: Value, skill_id: &str) -> Result<ResultFrame, Vec<String>> {
    let Value::Object(object) = value else {
        return Err(vec!["it must be a JSON object".to_owned()]);
    };
    let mut problems = Vec::new();
    check_version(&object, &mut problems);
    match object.get("skillId").and_then(Value::as_str) {
        Some(id) if id == skill_id => {}
        Some(id) => problems.push(format!("skillId is {id:?}, but the skill that ran is {skill_id:?}")),
        None => problems.push("skillId must be the id of the skill".to_owned()),
    }
    if object.contains_key("source") {
        problems.push("source must not be there: clawperator adds it".to_owned());
    }
    let status = word::<SkillStatus>(object.get("status"));
    if status.is_none() {
        problems.push("status must be success, failed or indeterminate".to_owned());
    }
    check_shapes(&object, &mut problems);
    check_checkpoints(&object, &mut problems);
    match status {
        Some(status) if problems.is_empty() => Ok(ResultFrame { status, object }),
        _ => Err(problems),
    }
}

fn check_version(object: &Map<String, Value>, problems: &mut Vec<String>) {
    let version = object.get("contractVersion").and_then(Value::as_str);
    let Some(version) = version else {
        problems.push("contractVersion must be a version such as \"1.0.0\"".to_owned());
        return;
    };
    let parts: Vec<&str> = version.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() != 3 || !parts.iter().all(is_number) {
        problems.push(format!("contractVersion must be a version such as \"1.0.0\", not {version:?}"));
    } else if parts[0] != MAJOR {
        problems.push(format!("contractVersion is {version}; only {MAJOR}.x.x is understood"));
    }
}

/// The parts that may be missing or null, and what they must be otherwise.
fn check_shapes(object: &Map<String, Value>, problems: &mut Vec<String>) {
    let given = |key: &str| object.get(key).filter(|value| !value.is_null());
    for key in ["goal", "inputs", "diagnostics", "terminalVerification"] {
        if given(key).is_some_and(|value| !value.is_object()) {
            problems.push(format!("{key} must be an object"));
        }
    }
    if given("execEnvelopes").is_some_and(|value| !value.is_array()) {
        problems.push("execEnvelopes must be an array".to_owned());
    }
    if let Some(Value::Object(verification)) = given("terminalVerification") {
        let status = verification.get("status").and_then(Value::as_str);
        if !matches!(status, Some("verified" | "failed" | "not_run")) {
            problems.push("terminalVerification.status must be verified, failed or not_run".to_owned());
        }
    }
}

/// The checkpoints of a frame that was accepted.
pub fn checkpoints(frame: Option<&Value>) -> Vec<Checkpoint> {
    let list = frame.and_then(|frame| frame.get("checkpoints")?.as_array());
    let list = list.into_iter().flatten();
    // A note that is no text is none.
    let read = |item: &Value| {
        Some(Checkpoint {
            id: item.get("id")?.as_str()?.to_owned(),
            status: word(item.get("status"))?,
            note: item.get("note").and_then(Value::as_str).map(str::to_owned),
        })
    };
    list.filter_map(read).collect()
}

fn check_checkpoints(object: &Map<String, Value>, problems: &mut Vec<String>) {
    let list = match object.get("checkpoints") {
        None | Some(Value::Null) => return,
        Some(Value::Array(list)) => list,
        Some(_) => return problems.push("checkpoints must be an array".to_owned()),
    };
    if list.len() > MAX_CHECKPOINTS {
        let many = list.len();
        return problems.push(format!("there are {many} checkpoints; at most {MAX_CHECKPOINTS} are allowed"));
    }
    for (number, item) in list.iter().enumerate() {
        let id = item.get("id").and_then(Value::as_str);
        if id.is_none_or(str::is_empty) {
            problems.push(format!("checkpoints.{number}.id must be a text that is not empty"));
        }
        if word::<CheckpointStatus>(item.get("status")).is_none() {
            problems.push(format!("checkpoints.{number}.status must be ok, failed or skipped"));
        }
    }
}

fn word<T: Word>(value: Option<&Value>) -> Option<T> {
    T::from_word(value?.as_str()?)
}
