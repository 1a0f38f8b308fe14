//! Scrolling, once or until an element is in view.

use super::confirm;
use super::frame::{self, FlatPayload, Frame};
use super::selector::{CONTAINER, ELEMENT};
use crate::args::Args;
use crate::flags;
use clawperator_contract::{ActionKind, Direction, ErrorCode, Failure, ParamKey, text};

pub(super) fn scroll(args: &Args) -> Result<FlatPayload, Failure> {
    let timeout_ms = frame::SCROLL.timeout(args)?;
    let direction = args.argument_or(&flags::REQUIRED_DIRECTION)?;
    let direction = direction.filter(|direction| !text::is_blank(direction));
    let direction = direction.ok_or_else(|| args.missing("a direction"))?;
    let direction = known_direction(direction)?;
    let container = CONTAINER.read(args)?;
    let action = frame::SCROLL
        .action()
        .with(ParamKey::Direction, direction.word())
        .with_some(ParamKey::Container, container);
    Ok(frame::SCROLL.lasting(timeout_ms, action))
}

fn known_direction(word: &str) -> Result<Direction, Failure> {
    Direction::from_word(word).ok_or_else(|| {
        let message = format!("\"{}\" is not a direction", text::excerpt(word));
        Failure::new(ErrorCode::MissingArgument, message).hint(directions())
    })
}

fn directions() -> String {
    format!("Directions: {}.", Direction::WORDS.join(", "))
}

pub(super) fn scroll_until(args: &Args) -> Result<FlatPayload, Failure> {
    if args.has(&flags::CLICK_AFTER) {
        return scroll_and_click(args);
    }
    scroll_to(args, frame::SCROLL_UNTIL)
}

pub(super) fn scroll_and_click(args: &Args) -> Result<FlatPayload, Failure> {
    scroll_to(args, frame::SCROLL_AND_CLICK)
}

/// Where to scroll to. A blank direction is an error; the default is down.
fn direction_of(args: &Args) -> Result<Direction, Failure> {
    let word = args.argument_or(&flags::DIRECTION)?;
    let is_flag = args.has(&flags::DIRECTION);
    if is_flag && word.is_some_and(|word| word.starts_with('-')) {
        return Err(args.invalid(&flags::DIRECTION, "requires a value").hint(directions()));
    }
    known_direction(word.unwrap_or(Direction::Down.word())).map_err(|failure| {
        if is_flag { failure.with(|details| details.flag = Some("--direction".to_owned())) } else { failure }
    })
}

fn scroll_to(args: &Args, frame: Frame) -> Result<FlatPayload, Failure> {
    let timeout_ms = frame.timeout(args)?;
    // A missing selector is reported before the direction, a bad one after it.
    if !ELEMENT.is_given(args) {
        return Err(ELEMENT.missing(args));
    }
    let direction = direction_of(args)?;
    let matcher = ELEMENT.require(args)?;
    let container = CONTAINER.read(args)?;
    let is_click = frame.kind == ActionKind::ScrollAndClick;
    let action = frame
        .action()
        .with(ParamKey::Matcher, matcher)
        .with_some(ParamKey::Container, container)
        .with(ParamKey::Direction, direction.word())
        .with_flag(ParamKey::ClickAfter, is_click)
        .with_flag(ParamKey::Force, args.has(&flags::FORCE))
        .with_some(ParamKey::Confirm, confirm::read(args)?);
    Ok(frame.lasting(timeout_ms, action))
}
