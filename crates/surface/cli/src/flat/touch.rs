//! Commands that touch one place: clicking, typing, pressing keys.

use super::confirm;
use super::frame::{self, FlatPayload};
use super::selector::{ELEMENT, FIELD, FlagSelector, TO};
use crate::args::Args;
use crate::spec::FlagSpec;
use crate::{flags, number};
use clawperator_contract::{ClickType, Coordinate, ErrorCode, Failure, Key, ParamKey};
use clawperator_phone::vault::placeholder;

pub(super) fn click(args: &Args) -> Result<FlatPayload, Failure> {
    let invalid =
        |flag, message: &str| Err(args.failure(ErrorCode::ExecutionValidationFailed, flag, message));
    let point = point(args, ELEMENT, &flags::COORDINATE)?;
    let click_type = match (args.has(&flags::LONG), args.has(&flags::FOCUS)) {
        (true, true) => return invalid(&flags::FOCUS, "--long and --focus are mutually exclusive"),
        (false, true) if point.is_some() => {
            return invalid(&flags::FOCUS, "--focus is not supported with --coordinate");
        }
        (true, false) => Some(ClickType::LongClick),
        (false, true) => Some(ClickType::Focus),
        (false, false) => None,
    };
    let action = frame::CLICK
        .action()
        .with_some(ParamKey::Matcher, ELEMENT.read(args)?)
        .with_some(ParamKey::Coordinate, point)
        .with_some(ParamKey::ClickType, click_type.map(ClickType::word))
        .with_flag(ParamKey::Force, args.has(&flags::FORCE))
        .with_some(ParamKey::Confirm, confirm::read(args)?);
    frame::CLICK.filled(args, action)
}

pub(super) fn drag(args: &Args) -> Result<FlatPayload, Failure> {
    let from = point(args, ELEMENT, &flags::COORDINATE)?;
    let to = point(args, TO, &flags::TO_COORDINATE)?;
    let time = |flag| args.value(flag).map(|text| text.map(|text| number::read(text).ok_or(text)));
    let milliseconds = |flag| match time(flag)? {
        None => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(text)) => Err(args.invalid_value(flag, "needs a number of milliseconds", text)),
    };
    let action = frame::DRAG
        .action()
        .with_some(ParamKey::Matcher, ELEMENT.read(args)?)
        .with_some(ParamKey::Coordinate, from)
        .with_some(ParamKey::ToMatcher, TO.read(args)?)
        .with_some(ParamKey::ToCoordinate, to)
        .with_some(ParamKey::DurationMs, milliseconds(&flags::MOVE_TIME)?)
        .with_some(ParamKey::HoldMs, milliseconds(&flags::HOLD)?)
        .with_flag(ParamKey::Force, args.has(&flags::FORCE))
        .with_some(ParamKey::Confirm, confirm::read(args)?);
    frame::DRAG.filled(args, action)
}

/// The point of a flag, where no element is given instead.
fn point(args: &Args, element: FlagSelector, flag: &FlagSpec) -> Result<Option<Coordinate>, Failure> {
    let values = args.values(flag)?;
    match (values.is_empty(), element.is_given(args)) {
        (true, true) => return Ok(None),
        (true, false) => return Err(element.missing_or(args, flag)),
        (false, true) => {
            let message = format!("use --{} OR a selector, not both", flag.name);
            return Err(args.failure(ErrorCode::ExecutionValidationFailed, flag, message));
        }
        (false, false) => {}
    }
    // A point of a picture, as over MCP.
    if let Some(point) = Coordinate::parse(&values.join(",")) {
        return Ok(Some(point));
    }
    let pixels: Vec<_> = values.iter().map(|text| number::read_pixel(text)).collect();
    match pixels[..] {
        [Some(x), Some(y)] => Ok(Some(Coordinate { x, y })),
        _ => Err(args.invalid_value(flag, "needs two whole numbers of at least 0", &values.join(" "))),
    }
}

pub(super) fn enter_text(args: &Args) -> Result<FlatPayload, Failure> {
    // Only an empty text is missing; a blank one is refused by the contract.
    let text = args.argument_or(&flags::TYPED_TEXT)?.filter(|text| !text.is_empty()).map(str::to_owned);
    let text = match (text, args.value(&flags::TEXT_SECRET)?) {
        (Some(_), Some(_)) => {
            let message = "use a text OR --text-secret, not both";
            return Err(args.failure(ErrorCode::ExecutionValidationFailed, &flags::TEXT_SECRET, message));
        }
        (None, Some(name)) => placeholder(name),
        (text, None) => text.ok_or_else(|| args.missing("a text to type"))?,
    };
    let matcher = FIELD.require(args)?;
    let action = frame::TYPE
        .action()
        .with(ParamKey::Matcher, matcher)
        .with(ParamKey::Text, text)
        .with(ParamKey::Submit, args.has(&flags::SUBMIT))
        .with(ParamKey::Clear, args.has(&flags::CLEAR_FIELD))
        .with_flag(ParamKey::Force, args.has(&flags::FORCE));
    frame::TYPE.filled(args, action)
}

pub(super) fn press(args: &Args) -> Result<FlatPayload, Failure> {
    // Only an empty key is missing; the contract knows which words are keys.
    let key = args.argument_or(&flags::KEY)?.filter(|key| !key.is_empty());
    let key = key.ok_or_else(|| args.missing("a key"))?;
    press_key(args, key)
}

pub(super) fn back(args: &Args) -> Result<FlatPayload, Failure> {
    press_key(args, Key::Back.word())
}

fn press_key(args: &Args, key: &str) -> Result<FlatPayload, Failure> {
    let action =
        frame::PRESS.action().with(ParamKey::Key, key).with_some(ParamKey::Confirm, confirm::read(args)?);
    frame::PRESS.filled(args, action)
}
