//! Waiting for the screen or for a time, and the time limit that leaves an
//! execution room to end.

use super::draft::{Draft, JsonText};
use super::frame;
use super::selector::ELEMENT;
use crate::cli::args::Args;
use crate::cli::{flags, number};
use clawperator_contract::limits::{MAX_NAVIGATION_TIMEOUT_MS, MAX_TIMEOUT_MS, TIMEOUT_HEADROOM_MS};
use clawperator_contract::{ErrorCode, Failure, Number, ParamKey, text};

/// The longest wait that leaves an execution room to end.
const MAX_WAIT_MS: f64 = MAX_TIMEOUT_MS - TIMEOUT_HEADROOM_MS;

pub(super) fn wait(args: &Args) -> Result<Draft, Failure> {
    let wait_ms = wait_of(args, MAX_WAIT_MS)?;
    let matcher = ELEMENT.require(args)?;
    Ok(frame::WAIT.lasting(
        wait_ms.map_or(frame::DEFAULT_TIMEOUT_MS, with_headroom),
        [
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::TimeoutMs, wait_ms.map(JsonText::from)),
            (
                ParamKey::Gone,
                args.has(&flags::GONE).then(|| JsonText::from(true)),
            ),
        ],
    ))
}

pub(super) fn wait_for_navigation(args: &Args) -> Result<Draft, Failure> {
    let app = args.value(&flags::EXPECTED_APP)?;
    if app.is_some_and(text::is_blank) {
        return Err(args.invalid(&flags::EXPECTED_APP, "must not be blank"));
    }
    let wait_ms = wait_of(args, MAX_NAVIGATION_TIMEOUT_MS)?.ok_or_else(|| args.missing("--timeout"))?;
    let node = ELEMENT.read(args)?;
    if app.is_none() && node.is_none() {
        return Err(args.missing("--app or a selector"));
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

pub(super) fn sleep(args: &Args) -> Result<Draft, Failure> {
    let asked = args.argument().filter(|text| !text.is_empty());
    let asked = asked.ok_or_else(|| args.missing("a duration in milliseconds"))?;
    let range = 0.0..=MAX_WAIT_MS;
    let duration = number::read(asked)
        .filter(|duration| range.contains(duration))
        .ok_or_else(|| {
            let rule = format!("must be a number of milliseconds from 0 to {MAX_WAIT_MS}");
            let message = format!("the duration {rule}, not \"{}\"", text::excerpt(asked));
            Failure::new(ErrorCode::ExecutionValidationFailed, message)
        })?;
    let allowed = args.timeout()?.unwrap_or(0.0);
    Ok(frame::SLEEP.lasting(
        with_headroom(duration).max(allowed),
        [(ParamKey::DurationMs, Some(JsonText::from(duration)))],
    ))
}

/// How long to wait, if `--timeout` is there.
fn wait_of(args: &Args, most_ms: f64) -> Result<Option<f64>, Failure> {
    let wait_ms = args.timeout()?;
    let bad = wait_ms.filter(|wait_ms| *wait_ms <= 0.0 || *wait_ms > most_ms);
    match bad.and_then(Number::new) {
        None => Ok(wait_ms),
        Some(bad) => {
            let rule = format!("must be more than 0 and at most {most_ms}");
            Err(args.invalid_value(&flags::TIMEOUT, &rule, &bad.to_string()))
        }
    }
}

/// The time limit that leaves a wait room to end.
fn with_headroom(wait_ms: f64) -> f64 {
    (wait_ms + TIMEOUT_HEADROOM_MS).max(frame::DEFAULT_TIMEOUT_MS)
}
