//! Apps: opened, closed, and recorded.

use super::frame;
use crate::cli::draft::{Draft, JsonText, Param};
use crate::cli::given::Given;
use clawperator_contract::{Failure, ParamKey};

pub(crate) fn open(given: &Given) -> Result<Draft, Failure> {
    let target = given
        .argument_or("app")?
        .ok_or_else(|| given.lacks("a package id or a URI"))?;
    let (frame, key) = if has_scheme(target) {
        (frame::OPEN_URI, ParamKey::Uri)
    } else {
        (frame::OPEN_APP, ParamKey::ApplicationId)
    };
    frame.filled(given, [(key, Some(JsonText::from(target)))])
}

/// Tells whether a target is a URI: `scheme://` anywhere in it, or a scheme and
/// a colon at its start. A package id has dots but no colon.
fn has_scheme(target: &str) -> bool {
    let is_scheme_char = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let with_authority = target.match_indices("://").any(|(at, _)| {
        let scheme = target[..at].chars().rev().take_while(|c| is_scheme_char(*c));
        scheme.into_iter().any(|c| c.is_ascii_alphabetic())
    });
    let at_start = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| is_scheme_char(c) && c != '.')
    });
    with_authority || at_start
}

pub(crate) fn close(given: &Given) -> Result<Draft, Failure> {
    // A bad time is said before a missing package, as scroll does.
    let timeout_ms = frame::CLOSE.timeout(given)?;
    let package = given
        .argument_or("app")?
        .ok_or_else(|| given.lacks("a package id"))?;
    let params = [(ParamKey::ApplicationId, Some(JsonText::from(package)))];
    Ok(frame::CLOSE.lasting(timeout_ms, params))
}

pub(crate) fn record_start(given: &Given) -> Result<Draft, Failure> {
    frame::RECORD_START.filled(given, session(given))
}

pub(crate) fn record_stop(given: &Given) -> Result<Draft, Failure> {
    frame::RECORD_STOP.filled(given, session(given))
}

fn session(given: &Given) -> [Param; 1] {
    [(ParamKey::SessionId, given.value("session-id").map(JsonText::from))]
}
