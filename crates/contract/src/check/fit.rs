//! Whether what the actions ask for fits into the execution's time. It is only
//! warned of: what an action waits for may come early.

use crate::action::ActionKind;
use crate::execution::{Action, Checked};
use crate::limits::MAX_TIMEOUT_MS;
use crate::param::ParamKey;
use crate::problem::{Warning, WarningCode};
use crate::wire::TIMEOUT;
use clawperator_document::Number;

/// The parameters by which a caller says how long an action may take. What is
/// not given is not the caller's choice, so defaults are not judged.
const OWN_TIMES: [(ActionKind, ParamKey); 4] = [
    (ActionKind::Sleep, ParamKey::DurationMs),
    (ActionKind::WaitForNode, ParamKey::TimeoutMs),
    (ActionKind::WaitForNavigation, ParamKey::TimeoutMs),
    (ActionKind::ScrollUntil, ParamKey::MaxDurationMs),
];

/// Adds what there is to say of actions that ask for more time than there is,
/// alone or, where they take it all, together.
pub(super) fn judge(checked: &mut Checked) {
    let execution = &checked.execution;
    let timeout_ms = execution.timeout_ms;
    let mut slept = 0.0;
    let mut is_told = false;
    for (index, action) in execution.actions().iter().enumerate() {
        let Some((key, time)) = own_time(action) else {
            continue;
        };
        if action.kind() == ActionKind::Sleep {
            slept += time.get();
        }
        // No time is longer than this once it is clamped.
        if time.get().min(MAX_TIMEOUT_MS) > timeout_ms.get() {
            is_told |= action.kind() == ActionKind::Sleep;
            let name = key.name();
            checked.warnings.push(|| Warning {
                code: WarningCode::TimeoutTooShort,
                path: format!("actions.{index}.params.{name}"),
                message: format!(
                    "{name} {time} is more than the execution's timeoutMs {timeout_ms}, which ends the action first"
                ),
            });
        }
    }
    if slept > timeout_ms.get() && !is_told {
        checked.warnings.push(|| Warning {
            code: WarningCode::TimeoutTooShort,
            path: TIMEOUT.name.to_owned(),
            message: format!("the actions sleep for {slept} ms together, more than timeoutMs {timeout_ms}"),
        });
    }
}

/// The time that an action asks for, and where it does.
fn own_time(action: &Action) -> Option<(ParamKey, Number)> {
    let (_, key) = OWN_TIMES.iter().find(|(kind, _)| *kind == action.kind())?;
    Some((*key, action.params()?.number(*key)?))
}
