//! Waits for a toast.

use crate::outcome::{StepFailure, StepOutcome, data};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, WaitForToast};
use clawperator_phone::PhoneError;
use std::time::Duration;
use tokio::time::Instant;

/// How often the phone is asked.
const POLL: Duration = Duration::from_millis(100);
/// How a message ends that says neither yes nor no.
const UNKNOWN: &str = "; it cannot be told whether the toast was shown";

pub(super) async fn wait_for_toast(run: &mut Run<'_>, step: &WaitForToast) -> StepOutcome {
    let until = Instant::now() + step.timeout;
    let ms = step.timeout.as_millis().to_string();
    let mut unheard = None;
    loop {
        let toast = run.phone().toast(run.deadline).await;
        // What is hidden in it cannot be asked for.
        match toast.map(|toast| toast.map(|toast| run.lease.hide(&toast))) {
            Ok(Some(toast)) if toast.contains(&*step.text) => {
                return Ok(data([(DataKey::Text, toast), (DataKey::TimeoutMs, ms)]));
            }
            Ok(_) => {}
            // The server forgets with its end what it has heard.
            Err(error) => match toast_failure(&error) {
                failure if failure.again => unheard = Some(failure),
                failure => return Err(failure.with(DataKey::TimeoutMs, ms)),
            },
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        run.wait(POLL.min(left), "toast", None).await;
    }
    if unheard.is_none() {
        let heard = run.phone().hears_toasts(run.deadline).await;
        unheard = heard.err().map(|error| toast_failure(&error));
    }
    let missed = run.phone().missed_toasts();
    let not_seen = || {
        if missed {
            let message = format!(
                "the resident server may have missed a toast since the last act, and no toast with this text was seen; waited {ms} ms{UNKNOWN}"
            );
            StepFailure::new(ErrorCode::LaneUnavailable, message)
        } else {
            let message = format!("no toast with this text was seen; waited {ms} ms");
            StepFailure::new(ErrorCode::ToastNotSeen, message)
        }
    };
    let failure = unheard.unwrap_or_else(not_seen);
    Err(failure.with(DataKey::TimeoutMs, ms))
}

/// The failure of a step that cannot tell whether there was a toast. Asking
/// again can help while the server runs.
fn toast_failure(error: &PhoneError) -> StepFailure {
    let mut failure = StepFailure::of(ErrorCode::LaneUnavailable, error);
    failure.again = !error.is_without_server() && !matches!(error, PhoneError::Lost { .. });
    failure.message.push_str(UNKNOWN);
    failure
}
