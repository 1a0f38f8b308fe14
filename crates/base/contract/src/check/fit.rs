//! Whether the actions fit into the execution's time. If not, there is only a
//! warning: what an action waits for may come early.

use crate::action::ActionKind;
use crate::execution::{Action, CheckedExecution};
use crate::limits::MAX_TIMEOUT_MS;
use crate::param::ParamKey;
use crate::problem::{Warning, WarningCode};
use crate::wire::TIMEOUT;
use clawperator_document::Number;

/// Warns of actions that ask for more time than the execution has, and of sleeps
/// that do so together.
pub(super) fn judge(checked: &mut CheckedExecution) {
    let execution = &checked.execution;
    let timeout_ms = execution.timeout_ms;
    let mut slept = 0.0;
    let mut is_reported = false;
    for (index, action) in execution.actions().iter().enumerate() {
        let own = own_time(action);
        if action.kind() == ActionKind::Sleep {
            slept += own.map_or(0.0, |(_, time)| time.get());
        }
        for (name, time) in own.into_iter().chain(confirm_time(action)) {
            // No time is longer than this once it is clamped.
            if time.get().min(MAX_TIMEOUT_MS) <= timeout_ms.get() {
                continue;
            }
            is_reported |= action.kind() == ActionKind::Sleep;
            checked.warnings.push(|| Warning {
                code: WarningCode::TimeoutTooShort,
                path: format!("actions.{index}.params.{name}"),
                message: format!(
                    "{name} {time} is longer than the execution's timeoutMs {timeout_ms}; the execution ends first"
                ),
            });
        }
    }
    if slept > timeout_ms.get() && !is_reported {
        checked.warnings.push(|| Warning {
            code: WarningCode::TimeoutTooShort,
            path: TIMEOUT.name.to_owned(),
            message: format!("all sleeps together take {slept} ms, longer than timeoutMs {timeout_ms}"),
        });
    }
}

/// The time that a caller gives an action, and the parameter that says so. A
/// default is not the caller's choice, so it is not judged.
fn own_time(action: &Action) -> Option<(&'static str, Number)> {
    let key = action.kind().spec().time?;
    Some((key.name(), action.params()?.number(key)?))
}

/// The time that a caller gives the effect of an action.
fn confirm_time(action: &Action) -> Option<(&'static str, Number)> {
    let used = action.kind().spec().uses(ParamKey::Confirm);
    let asked = action.params()?.confirm().filter(|_| used)?;
    Some(("confirm.timeoutMs", asked.timeout_ms?))
}
