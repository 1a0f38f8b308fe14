//! An execution as it is made of a recording, before it is checked.

use clawperator_contract::limits::{MAX_ID_LENGTH, MAX_TIMEOUT_MS};
use clawperator_contract::{
    ActionKind, Checked, EXPECTED_FORMAT, ErrorCode, Failure, Mode, Number, ParamKey, accept,
};
use serde_json::{Map, Value, json};

/// Who says that he made the execution.
const SOURCE: &str = "clawperator-recording";
/// What an execution gets for itself, and for each of its actions.
const BASE_MS: f64 = 10_000.0;
const EACH_MS: f64 = 8_000.0;
/// What a single action gets at the least: it may scroll for long.
const LEAST_MS: f64 = 60_000.0;

/// One action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) kind: ActionKind,
    pub(crate) params: Vec<(ParamKey, Value)>,
    /// The event it comes from.
    pub(crate) seq: Number,
    /// The event whose screen it acts on.
    pub(crate) screen: Option<usize>,
}

/// The checked execution of these actions, of which the first has this number.
pub(crate) fn accepted(session_id: &str, first: usize, drafts: &[Draft]) -> Result<Checked, Failure> {
    let actions: Vec<Value> = drafts
        .iter()
        .enumerate()
        .map(|(number, draft)| {
            let params: Map<_, _> = draft
                .params
                .iter()
                .map(|(key, value)| (key.name().to_owned(), value.clone()))
                .collect();
            json!({"id": format!("a{}", number + first), "type": draft.kind.name(), "params": params})
        })
        .collect();
    let id: String = session_id.chars().take(MAX_ID_LENGTH / 2).collect();
    let timeout = (BASE_MS + EACH_MS * drafts.len() as f64).clamp(LEAST_MS, MAX_TIMEOUT_MS);
    let payload = json!({
        "commandId": format!("replay-{id}"),
        "taskId": format!("replay-{id}"),
        "source": SOURCE,
        "expectedFormat": EXPECTED_FORMAT,
        "timeoutMs": Number::new(timeout),
        "actions": actions,
        "mode": Mode::ArtifactCompiled.word(),
    });
    accept(payload.to_string().as_bytes()).map_err(|failure| {
        let message = format!(
            "the execution of this recording is not valid: {}",
            failure.message
        );
        let code = ErrorCode::RecordingCompileFailed;
        Failure {
            code,
            message,
            ..failure
        }
        .hint(code.row().hint)
    })
}
