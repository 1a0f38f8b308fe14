//! Whether an action's own time fits into the execution's. It is only warned
//! of: what an action waits for may come early.

use crate::action::ActionKind;
use crate::execution::Action;
use crate::limits::MAX_TIMEOUT_MS;
use crate::number::Number;
use crate::param::ParamKey;
use crate::problem::{Warning, WarningCode};

/// The parameters by which a caller says how long an action may take. What is
/// not given is not the caller's choice, so defaults are not judged.
const OWN_TIMES: [(ActionKind, ParamKey); 4] = [
    (ActionKind::Sleep, ParamKey::DurationMs),
    (ActionKind::WaitForNode, ParamKey::TimeoutMs),
    (ActionKind::WaitForNavigation, ParamKey::TimeoutMs),
    (ActionKind::ScrollUntil, ParamKey::MaxDurationMs),
];

/// What there is to say of an action that asks for more time than the execution
/// has.
pub(crate) fn time_warning(index: usize, action: &Action, timeout_ms: Number) -> Option<Warning> {
    let (_, key) = OWN_TIMES.iter().find(|(kind, _)| *kind == action.kind())?;
    let name = key.name();
    let time = action.params()?.number(*key)?;
    // No time is longer than this once it is clamped.
    if time.get().min(MAX_TIMEOUT_MS) <= timeout_ms.get() {
        return None;
    }
    Some(Warning {
        code: WarningCode::TimeoutTooShort,
        path: format!("actions.{index}.params.{name}"),
        message: format!(
            "{name} {time} is more than the execution's timeoutMs {timeout_ms}, which ends the action first"
        ),
    })
}
