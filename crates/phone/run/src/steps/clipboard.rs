//! Puts text on the clipboard.

use crate::outcome::{StepFailure, StepOutcome, data};
use crate::run::Run;
use clawperator_contract::{ErrorCode, SetClipboard};
use clawperator_phone::{Act, Secret};

const CODE: ErrorCode = ErrorCode::TextNotEntered;

pub(super) async fn set_clipboard(run: &mut Run<'_>, step: &SetClipboard) -> StepOutcome {
    let named = run.options.fill(&step.text);
    if named.is_ok_and(|secret| secret.is_some()) || run.phone().dark().keeps_out(&step.text) {
        let message = "a secret is not put on the clipboard: every app can read it there";
        return Err(StepFailure::new(ErrorCode::SecretRefused, message).for_good());
    }
    let copied = run.perform(Act::Copy(Secret::new(&*step.text))).await;
    copied.map_err(|error| StepFailure::of(CODE, &error.error))?;
    run.note_accepted();
    let now = run.phone().clipboard(run.deadline).await;
    match now.map_err(|error| StepFailure::of(CODE, &error).for_good())? {
        Some(now) if now == *step.text => Ok(data([])),
        Some(_) => Err(StepFailure::new(CODE, "the clipboard has another text afterwards").for_good()),
        None => {
            let message =
                "the phone does not say what is on its clipboard; it cannot be told whether the text is";
            Err(StepFailure::new(CODE, message).for_good())
        }
    }
}
