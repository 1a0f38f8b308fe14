//! Waiting for the screen or for a time, and the time limit that leaves an execution room to end.

use super::frame::{self, FlatPayload};
use super::selector::ELEMENT;
use crate::args::Args;
use crate::{flags, number};
use clawperator_contract::limits::{MAX_NAVIGATION_TIMEOUT_MS, MAX_TIMEOUT_MS, TIMEOUT_HEADROOM_MS};
use clawperator_contract::{ErrorCode, Failure, Number, ParamKey, text};

/// The longest wait that leaves an execution room to end.
const MAX_WAIT_MS: f64 = MAX_TIMEOUT_MS - TIMEOUT_HEADROOM_MS;

pub(super) fn wait(args: &Args) -> Result<FlatPayload, Failure> {
    let wait_ms = wait_of(args, MAX_WAIT_MS)?;
    if let Some(toast) = args.value(&flags::TOAST)? {
        let with = "must stand alone: a toast is no element of the screen";
        if args.has(&flags::GONE) || ELEMENT.read(args)?.is_some() {
            return Err(args.invalid(&flags::TOAST, with));
        }
        return Ok(toast_payload(toast, wait_ms));
    }
    let matcher = ELEMENT.require(args)?;
    let action = frame::WAIT
        .action()
        .with(ParamKey::Matcher, matcher)
        .with_some(ParamKey::TimeoutMs, wait_ms)
        .with_flag(ParamKey::Gone, args.has(&flags::GONE));
    let timeout_ms = wait_ms.map_or(frame::DEFAULT_TIMEOUT_MS.into(), with_headroom);
    Ok(frame::WAIT.lasting(timeout_ms, action))
}

pub(super) fn wait_for_toast(args: &Args) -> Result<FlatPayload, Failure> {
    let wait_ms = wait_of(args, MAX_WAIT_MS)?;
    let toast = args.argument_or(&flags::TOAST_TEXT)?.filter(|text| !text.is_empty());
    let toast = toast.ok_or_else(|| args.missing("a text"))?;
    Ok(toast_payload(toast, wait_ms))
}

fn toast_payload(toast: &str, wait_ms: Option<Number>) -> FlatPayload {
    let action =
        frame::WAIT_FOR_TOAST.action().with(ParamKey::Text, toast).with_some(ParamKey::TimeoutMs, wait_ms);
    let timeout_ms = wait_ms.map_or(frame::DEFAULT_TIMEOUT_MS.into(), with_headroom);
    frame::WAIT_FOR_TOAST.lasting(timeout_ms, action)
}

pub(super) fn wait_for_navigation(args: &Args) -> Result<FlatPayload, Failure> {
    let app = args.value(&flags::EXPECTED_APP)?;
    if app.is_some_and(text::is_blank) {
        return Err(args.invalid(&flags::EXPECTED_APP, "must not be blank"));
    }
    let wait_ms = wait_of(args, MAX_NAVIGATION_TIMEOUT_MS)?.ok_or_else(|| args.missing("--timeout"))?;
    let node = ELEMENT.read(args)?;
    if app.is_none() && node.is_none() {
        return Err(args.missing("--app or a selector"));
    }
    let action = frame::WAIT_FOR_NAV
        .action()
        .with_some(ParamKey::ExpectedPackage, app)
        .with_some(ParamKey::ExpectedNode, node)
        .with(ParamKey::TimeoutMs, wait_ms);
    Ok(frame::WAIT_FOR_NAV.lasting(with_headroom(wait_ms), action))
}

pub(super) fn sleep(args: &Args) -> Result<FlatPayload, Failure> {
    let asked = args.argument().filter(|text| !text.is_empty());
    let asked = asked.ok_or_else(|| args.missing("a duration in milliseconds"))?;
    let range = 0.0..=MAX_WAIT_MS;
    let duration =
        number::read(asked).filter(|duration| range.contains(&duration.get())).ok_or_else(|| {
            let rule = format!("must be a number of milliseconds from 0 to {MAX_WAIT_MS}");
            let message = format!("the duration {rule}, not \"{}\"", text::excerpt(asked));
            Failure::new(ErrorCode::ExecutionValidationFailed, message)
        })?;
    let needed = with_headroom(duration);
    let allowed = args.timeout()?.filter(|allowed| *allowed > needed);
    let action = frame::SLEEP.action().with(ParamKey::DurationMs, duration);
    Ok(frame::SLEEP.lasting(allowed.unwrap_or(needed), action))
}

/// How long to wait, if `--timeout` is there.
fn wait_of(args: &Args, most_ms: f64) -> Result<Option<Number>, Failure> {
    let wait_ms = args.timeout()?;
    match wait_ms.filter(|wait_ms| wait_ms.get() <= 0.0 || wait_ms.get() > most_ms) {
        None => Ok(wait_ms),
        Some(bad) => {
            let rule = format!("must be more than 0 and at most {most_ms}");
            Err(args.invalid_value(&flags::TIMEOUT, &rule, &bad.to_string()))
        }
    }
}

/// The time limit that leaves a wait room to end.
fn with_headroom(wait_ms: Number) -> Number {
    let timeout_ms = (wait_ms.get() + TIMEOUT_HEADROOM_MS).max(frame::DEFAULT_TIMEOUT_MS.into());
    // The wait has a limit, so the sum is finite.
    Number::new(timeout_ms).unwrap_or(wait_ms)
}
