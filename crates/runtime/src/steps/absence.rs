//! Waits until nothing fits a matcher any more.

use super::Outcome;
use super::navigation::within;
use crate::refs::stale_ref;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, WaitForNode};
use clawperator_ui::{Reason, Screen};
use std::cell::RefCell;

pub(super) async fn wait_for_absence(session: &Session<'_>, step: &WaitForNode) -> Outcome {
    // What the last look found: a screen that could not be seen shows nothing,
    // neither that something is there nor that it is gone.
    let last: RefCell<Option<StepFailure>> = RefCell::new(None);
    let waiting = session.attempts(&step.retry, async || {
        let looked = look(session, &step.matcher).await;
        looked.inspect_err(|failure| {
            last.replace(Some(failure.clone()));
        })
    });
    within(step.timeout, waiting, |ms| {
        let unseen = || StepFailure::new(ErrorCode::SnapshotExtractionFailed, "the screen was not seen");
        let failure = last.take().unwrap_or_else(unseen);
        let message = format!("{} after {ms} ms", failure.message);
        StepFailure { message, ..failure }
    })
    .await
}

async fn look(session: &Session<'_>, matcher: &Matcher) -> Outcome {
    let tree = session.tree(ErrorCode::SnapshotExtractionFailed).await?;
    if tree.is_empty() {
        let message = "the phone described an empty screen";
        return Err(StepFailure::new(ErrorCode::SnapshotExtractionFailed, message));
    }
    let screen = Screen::new(&tree);
    let count = match session.locate(&screen, matcher) {
        // A ref whose element is certainly not there has what was waited for.
        Err(stale) if matches!(stale.reason, Reason::Gone | Reason::OtherScreen) => 0,
        Err(stale) => return Err(stale_ref(&stale)),
        Ok(_) => session.fitting(&screen, matcher)?.len(),
    };
    if count > 0 {
        let message = match count {
            1 => "an element still fits the matcher".to_owned(),
            _ => format!("{count} elements still fit the matcher"),
        };
        return Err(
            StepFailure::new(ErrorCode::NodeStillPresent, message).with(DataKey::Count, count.to_string())
        );
    }
    Ok(Data::from([(DataKey::Count, "0".to_owned())]))
}
