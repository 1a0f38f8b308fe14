//! Scrolling, once or until an element is in view.

use super::frame::{self, Frame};
use crate::cli::draft::{Draft, JsonText};
use crate::cli::given::{Given, invalid_flag};
use crate::cli::selector::{self, Naming};
use clawperator_contract::{ActionKind, Direction, ErrorCode, Failure, ParamKey, text};

pub(crate) fn scroll(given: &Given) -> Result<Draft, Failure> {
    let timeout_ms = frame::SCROLL.timeout(given)?;
    let direction = given
        .argument_or("direction")?
        .ok_or_else(|| given.lacks("a direction"))?;
    let direction = known_direction(direction)?;
    let container = selector::read(given, Naming::Container)?;
    Ok(frame::SCROLL.lasting(
        timeout_ms,
        [
            (ParamKey::Direction, Some(direction)),
            (ParamKey::Container, container),
        ],
    ))
}

fn known_direction(word: &str) -> Result<JsonText, Failure> {
    let Some(direction) = Direction::from_word(word) else {
        let message = format!("\"{}\" is not a direction", text::excerpt(word));
        return Err(Failure::new(ErrorCode::MissingArgument, message).hint(directions()));
    };
    Ok(direction.word().into())
}

fn directions() -> String {
    format!("Directions: {}.", Direction::WORDS.join(", "))
}

pub(crate) fn scroll_until(given: &Given) -> Result<Draft, Failure> {
    if given.has("click") {
        return scroll_and_click(given);
    }
    scroll_to(given, frame::SCROLL_UNTIL)
}

pub(crate) fn scroll_and_click(given: &Given) -> Result<Draft, Failure> {
    scroll_to(given, frame::SCROLL_AND_CLICK)
}

/// Where to scroll to. Blank is a bad direction; only nothing at all means down.
fn direction_of(given: &Given) -> Result<JsonText, Failure> {
    let word = given.either("direction")?.unwrap_or(Direction::Down.word());
    let flag = given.value("direction");
    if flag.is_some_and(|word| word.starts_with('-')) {
        return Err(invalid_flag("direction", "--direction requires a value").hint(directions()));
    }
    known_direction(word).map_err(|failure| match flag {
        Some(_) => failure.with(|details| details.flag = Some("--direction".to_owned())),
        None => failure,
    })
}

fn scroll_to(given: &Given, frame: Frame) -> Result<Draft, Failure> {
    let timeout_ms = frame.timeout(given)?;
    // That there is a selector comes before the direction, what it says after.
    if !selector::is_given(given, Naming::Element) {
        return Err(selector::missing(given, Naming::Element));
    }
    let direction = direction_of(given)?;
    let matcher = selector::require(given, Naming::Element)?;
    let container = selector::read(given, Naming::Container)?;
    let click_after = (frame.kind == ActionKind::ScrollAndClick).then(|| JsonText::from(true));
    let params = [
        (ParamKey::Matcher, Some(matcher)),
        (ParamKey::Container, container),
        (ParamKey::Direction, Some(direction)),
        (ParamKey::ClickAfter, click_after),
    ];
    Ok(frame.lasting(timeout_ms, params))
}
