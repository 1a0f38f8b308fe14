//! An action as an execution of its own, and the envelope as a result.

use super::{ACT_TIME, PhoneTools, sentence};
use crate::result::{Dispatched, ToolError, ToolResult};
use clawperator_contract::{DataKey, Envelope, ErrorCode, Failure, Number, Payload, PayloadAction};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Executions of tools so far, for their names.
static COUNT: AtomicU64 = AtomicU64::new(1);

impl PhoneTools<'_> {
    /// Runs one action of the contract; `done` is what to say of it if it worked.
    pub(super) async fn execute(&mut self, action: PayloadAction, done: &str) -> ToolResult {
        let id = format!("agent-{}-{}", self.options.now_ms, COUNT.fetch_add(1, Ordering::Relaxed));
        // No gesture takes longer than this and the time that it asks for.
        let most = ACT_TIME.as_millis() as u32 + 2 * super::MAX_GESTURE_MS as u32;
        let checked = Payload::new(&id, "agent", Number::from(most), &[action]).check();
        let checked = match checked {
            Ok(checked) => checked,
            Err(failure) => return failure_result(&failure),
        };
        let never = std::future::pending();
        let running = clawperator_run::run(self.lease, &checked.execution, self.options, Box::pin(never));
        match Box::pin(running).await {
            Ok(envelope) => read(&envelope, done),
            Err(failure) => failure_result(&failure),
        }
    }
}

fn read(envelope: &Envelope, done: &str) -> ToolResult {
    let step = envelope.step_results.first();
    let said = |key: DataKey| step.and_then(|step| step.get(key));
    let data = step.map_or(Value::Null, |step| json!(step.data));
    let Some(message) = &envelope.error else {
        let warning = said(DataKey::Warn).map(|warning| format!(" Note: {}", sentence(warning)));
        let result = ToolResult::success(format!("{done}{}", warning.unwrap_or_default()));
        return result.with_data(data).with_dispatched(Dispatched::Yes);
    };
    let code = said(DataKey::Error).and_then(ErrorCode::from_name);
    let code = code.unwrap_or(ErrorCode::GestureFailed);
    ToolResult::failure(ToolError::new(code, sentence(message)))
        .with_data(data)
        .with_dispatched(dispatched(said(DataKey::Dispatched)))
}

fn failure_result(failure: &Failure) -> ToolResult {
    let details = failure.details.as_ref().and_then(|details| details.dispatched.as_deref());
    // A refused payload never reached the phone.
    let dispatched = details.map_or(Dispatched::No, |said| dispatched(Some(said)));
    ToolResult::failure(ToolError::new(failure.code, sentence(&failure.message))).with_dispatched(dispatched)
}

fn dispatched(said: Option<&str>) -> Dispatched {
    said.and_then(Dispatched::from_word).unwrap_or(Dispatched::Unknown)
}
