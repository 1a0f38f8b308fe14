//! What a finger does in one place: clicking, typing, pressing keys.

use super::frame;
use crate::cli::draft::{Draft, JsonText};
use crate::cli::given::{Given, invalid, invalid_flag};
use crate::cli::number;
use crate::cli::selector::{self, Naming};
use crate::cli::stray::advised;
use clawperator_contract::{ClickType, Failure, Key, ParamKey};
use serde_json::json;

pub(crate) fn click(given: &Given) -> Result<Draft, Failure> {
    let point = point(given)?;
    match (&point, selector::is_given(given, Naming::Element)) {
        (Some(_), true) => {
            let message = "use --coordinate OR a selector, not both";
            return Err(invalid_flag("coordinate", message));
        }
        (None, false) => {
            let missing = selector::missing(given, Naming::Element);
            return Err(advised(missing, "For a point, use --coordinate X Y.", None));
        }
        (Some(_), false) | (None, true) => {}
    }
    let click_type = match (given.has("long"), given.has("focus")) {
        (true, true) => return Err(invalid_flag("focus", "--long and --focus are mutually exclusive")),
        (false, true) if point.is_some() => {
            let message = "--focus is not supported with --coordinate";
            return Err(invalid_flag("focus", message));
        }
        (true, false) => Some(ClickType::LongClick),
        (false, true) => Some(ClickType::Focus),
        (false, false) => None,
    };
    let target = match point {
        Some(point) => (ParamKey::Coordinate, Some(point)),
        None => (ParamKey::Matcher, selector::read(given, Naming::Element)?),
    };
    let kind = click_type.map(|kind| JsonText::from(kind.word()));
    frame::CLICK.filled(given, [target, (ParamKey::ClickType, kind)])
}

fn point(given: &Given) -> Result<Option<JsonText>, Failure> {
    let Some(values) = given.values("coordinate") else {
        return Ok(None);
    };
    let pixels: Vec<_> = values.iter().map(|text| number::read_pixel(text)).collect();
    match pixels[..] {
        [Some(x), Some(y)] => Ok(Some(json!({ "x": x, "y": y }).into())),
        _ => Err(invalid(
            "--coordinate",
            "needs two whole numbers of at least 0",
            &values.join(" "),
        )),
    }
}

pub(crate) fn enter_text(given: &Given) -> Result<Draft, Failure> {
    // Blank text is a rule of the contract, not a missing argument; only
    // nothing at all is missing.
    let text = given.either("text")?.filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| given.lacks("a text to type"))?;
    let matcher = selector::require(given, Naming::Field)?;
    frame::TYPE.filled(
        given,
        [
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::Text, Some(JsonText::from(text))),
            (ParamKey::Submit, Some(JsonText::from(given.has("submit")))),
            (ParamKey::Clear, Some(JsonText::from(given.has("clear")))),
        ],
    )
}

pub(crate) fn press(given: &Given) -> Result<Draft, Failure> {
    // Which words are keys, blank ones included, is the contract's to say.
    let key = given.either("key")?.filter(|key| !key.is_empty());
    let key = key.ok_or_else(|| given.lacks("a key"))?;
    press_key(given, key)
}

pub(crate) fn back(given: &Given) -> Result<Draft, Failure> {
    press_key(given, Key::Back.word())
}

fn press_key(given: &Given, key: &str) -> Result<Draft, Failure> {
    frame::PRESS.filled(given, [(ParamKey::Key, Some(JsonText::from(key)))])
}
