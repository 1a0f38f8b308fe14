//! Waiting for the screen or for a time, and the time that leaves an execution to end.

use super::frame;
use crate::cli::draft::{Draft, JsonText};
use crate::cli::given::{Given, invalid, invalid_flag};
use crate::cli::number;
use crate::cli::selector::{self, Naming};
use clawperator_contract::limits::{MAX_NAVIGATION_TIMEOUT_MS, MAX_TIMEOUT_MS, TIMEOUT_HEADROOM_MS};
use clawperator_contract::{ErrorCode, Failure, Number, ParamKey, text};

/// The longest wait that leaves an execution room to end.
const MAX_WAIT_MS: f64 = MAX_TIMEOUT_MS - TIMEOUT_HEADROOM_MS;

pub(crate) fn wait(given: &Given) -> Result<Draft, Failure> {
    let wait_ms = wait_of(given, MAX_WAIT_MS)?;
    let matcher = selector::require(given, Naming::Element)?;
    Ok(frame::WAIT.lasting(
        wait_ms.map_or(frame::DEFAULT_TIMEOUT_MS, with_headroom),
        [
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::TimeoutMs, wait_ms.map(JsonText::from)),
            (ParamKey::Gone, given.has("gone").then(|| JsonText::from(true))),
        ],
    ))
}

pub(crate) fn wait_for_navigation(given: &Given) -> Result<Draft, Failure> {
    let app = given.value("app");
    if app.is_some_and(text::is_blank) {
        return Err(invalid_flag("app", "--app must not be blank"));
    }
    let wait_ms = wait_of(given, MAX_NAVIGATION_TIMEOUT_MS)?.ok_or_else(|| given.lacks("--timeout"))?;
    let node = selector::read(given, Naming::Element)?;
    if app.is_none() && node.is_none() {
        return Err(given.lacks("--app or a selector"));
    }
    Ok(frame::WAIT_FOR_NAV.lasting(
        with_headroom(wait_ms),
        [
            (ParamKey::ExpectedPackage, app.map(JsonText::from)),
            (ParamKey::ExpectedNode, node),
            (ParamKey::TimeoutMs, Some(JsonText::from(wait_ms))),
        ],
    ))
}

pub(crate) fn sleep(given: &Given) -> Result<Draft, Failure> {
    let asked = given.argument().filter(|text| !text.is_empty());
    let asked = asked.ok_or_else(|| given.lacks("a duration in milliseconds"))?;
    let rule = format!("must be a number of milliseconds from 0 to {MAX_WAIT_MS}");
    let range = 0.0..=MAX_WAIT_MS;
    let duration = number::read(asked)
        .filter(|duration| range.contains(duration))
        .ok_or_else(|| {
            let message = format!("the duration {rule}, not \"{}\"", text::excerpt(asked));
            Failure::new(ErrorCode::ExecutionValidationFailed, message)
        })?;
    let allowed = given.timeout()?.unwrap_or(0.0);
    Ok(frame::SLEEP.lasting(
        with_headroom(duration).max(allowed),
        [(ParamKey::DurationMs, Some(JsonText::from(duration)))],
    ))
}

/// How long to wait, where `--timeout` says so; it must be worth waiting.
fn wait_of(given: &Given, most_ms: f64) -> Result<Option<f64>, Failure> {
    let wait_ms = given.timeout()?;
    let bad = wait_ms.filter(|wait_ms| *wait_ms <= 0.0 || *wait_ms > most_ms);
    match bad.and_then(Number::new) {
        None => Ok(wait_ms),
        Some(bad) => {
            let rule = format!("must be more than 0 and at most {most_ms}");
            Err(invalid("--timeout", &rule, &bad.to_string()))
        }
    }
}

/// The execution timeout that leaves a wait of its own room to end.
fn with_headroom(wait_ms: f64) -> f64 {
    (wait_ms + TIMEOUT_HEADROOM_MS).max(frame::DEFAULT_TIMEOUT_MS)
}
