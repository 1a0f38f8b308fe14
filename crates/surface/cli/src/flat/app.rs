//! Apps: opened, closed, and recorded.

use super::confirm;
use super::frame::{self, FlatPayload, Frame};
use crate::args::Args;
use crate::flags;
use clawperator_contract::{Failure, ParamKey, text};

pub(super) fn open(args: &Args) -> Result<FlatPayload, Failure> {
    args.refuse_both(&flags::URI)?;
    if args.has(&flags::APP) && args.has(&flags::URI) {
        return Err(args.invalid(&flags::URI, "cannot be combined with an app: give one of them"));
    }
    let uri = args.value(&flags::URI)?;
    let target = args.argument_or(&flags::APP)?.or(uri);
    let target = target.filter(|target| !text::is_blank(target));
    let target = target.ok_or_else(|| args.missing("a package id, an app's name or a URI"))?;
    let (frame, key) = if uri.is_some() || has_scheme(target) {
        (frame::OPEN_URI, ParamKey::Uri)
    } else {
        (frame::OPEN_APP, ParamKey::ApplicationId)
    };
    let action = frame
        .action()
        .with(key, target)
        .with_flag(ParamKey::Fresh, args.has(&flags::FRESH))
        .with_some(ParamKey::Confirm, confirm::read(args)?);
    frame.filled(args, action)
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

pub(super) fn close(args: &Args) -> Result<FlatPayload, Failure> {
    // A bad time limit is reported before a missing package, as scroll does.
    let timeout_ms = frame::CLOSE.timeout(args)?;
    let package = args.argument_or(&flags::APP)?;
    let package = package.filter(|package| !text::is_blank(package));
    let package = package.ok_or_else(|| args.missing("a package id or an app's name"))?;
    let action = frame::CLOSE.action().with(ParamKey::ApplicationId, package);
    Ok(frame::CLOSE.lasting(timeout_ms, action))
}

pub(super) fn record(frame: Frame, args: &Args) -> Result<FlatPayload, Failure> {
    let session = args.value(&flags::SESSION_ID)?;
    let action = frame.action().with_some(ParamKey::SessionId, session);
    frame.filled(args, action)
}
