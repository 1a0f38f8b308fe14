//! An execution made from a recording, before it is checked.

use clawperator_contract::limits::{MAX_ID_LENGTH, MAX_TIMEOUT_MS};
use clawperator_contract::{CheckedExecution, ErrorCode, Failure, Mode, Number, Payload, PayloadAction};

/// The execution's label for its caller.
const SOURCE: &str = "clawperator-recording";
/// The time that an execution gets for itself, and for each of its actions.
const BASE_MS: u32 = 10_000;
const EACH_MS: u32 = 8_000;
/// The least time that an execution gets: one action may scroll for long.
const LEAST_MS: f64 = 60_000.0;

/// One action.
#[derive(Clone, Debug)]
pub(crate) struct ActionDraft {
    pub(crate) action: PayloadAction,
    /// The event it comes from.
    pub(crate) seq: Number,
    /// The event whose screen it acts on.
    pub(crate) screen: Option<usize>,
}

/// The checked execution of these actions; `first` is the number of the first.
pub(crate) fn accept_drafts(
    session_id: &str,
    first: usize,
    drafts: &[ActionDraft],
) -> Result<CheckedExecution, Failure> {
    let action =
        |(index, draft): (usize, &ActionDraft)| draft.action.clone().with_id(format!("a{}", first + index));
    let actions: Vec<_> = drafts.iter().enumerate().map(action).collect();
    let session: String = session_id.chars().take(MAX_ID_LENGTH / 2).collect();
    let id = format!("replay-{session}");
    let timeout_ms = (drafts.len() as u32).saturating_mul(EACH_MS).saturating_add(BASE_MS);
    let timeout_ms = Number::from(timeout_ms).clamp(LEAST_MS, MAX_TIMEOUT_MS);
    let payload =
        Payload { mode: Some(Mode::ArtifactCompiled), ..Payload::new(&id, SOURCE, timeout_ms, &actions) };
    payload.check().map_err(|failure| {
        let message = format!("the execution compiled from this recording is not valid: {}", failure.message);
        let code = ErrorCode::RecordingCompileFailed;
        Failure { code, message, ..failure }.hint(code.row().hint)
    })
}
