//! Builds executions from flat commands. What is built passes the same door as
//! every other payload, so a builder only translates.

mod frame;

pub(crate) use frame::Frame;

use super::draft::{Draft, JsonText, Params, params};
use super::given::{Given, invalid, invalid_flag};
use super::number;
use super::selector::{self, Naming};
use clawperator_contract::limits::{MAX_NAVIGATION_TIMEOUT_MS, MAX_TIMEOUT_MS, TIMEOUT_HEADROOM_MS};
use clawperator_contract::{
    ActionKind, ClickType, Direction, ErrorCode, Failure, Key, MATCHER_FIELDS, ParamKey, text,
};
use serde_json::{Map, Value, json};

/// The execution timeout that leaves a wait of its own room to end.
fn with_headroom(wait_ms: f64) -> f64 {
    (wait_ms + TIMEOUT_HEADROOM_MS).max(frame::DEFAULT_TIMEOUT_MS)
}

/// The longest wait that leaves an execution room to end.
const MAX_WAIT_MS: f64 = MAX_TIMEOUT_MS - TIMEOUT_HEADROOM_MS;

pub(crate) fn snapshot(given: &Given) -> Result<Draft, Failure> {
    let view = [
        (ParamKey::View, given.value("view").map(JsonText::from)),
        (ParamKey::Budget, whole_number(given, "budget")?),
        (ParamKey::Diff, given.has("diff").then(|| JsonText::from(true))),
    ];
    frame::SNAPSHOT.filled(given, params(view).filter(|given| !given.is_empty()))
}

pub(crate) fn screenshot(given: &Given) -> Result<Draft, Failure> {
    frame::SCREENSHOT.filled(
        given,
        params([(ParamKey::Path, given.value("path").map(JsonText::from))]),
    )
}

pub(crate) fn click(given: &Given) -> Result<Draft, Failure> {
    let matcher = selector::read(given, Naming::Element)?;
    let point = point(given)?;
    if point.is_some() && matcher.is_some() {
        return Err(invalid_flag(
            "coordinate",
            "use --coordinate OR a selector, not both",
        ));
    }
    let click_type = match (given.has("long"), given.has("focus")) {
        (true, true) => return Err(invalid_flag("focus", "--long and --focus are mutually exclusive")),
        (true, false) => Some(ClickType::LongClick),
        (false, true) if point.is_some() => {
            return Err(invalid_flag(
                "focus",
                "--focus is not supported with --coordinate",
            ));
        }
        (false, true) => Some(ClickType::Focus),
        (false, false) => None,
    };
    let target = match point {
        Some(point) => (ParamKey::Coordinate, Some(point)),
        None => (
            ParamKey::Matcher,
            Some(matcher.map_or_else(|| selector::require(given, Naming::Element), Ok)?),
        ),
    };
    frame::CLICK.filled(
        given,
        params([
            target,
            (
                ParamKey::ClickType,
                click_type.map(|kind| JsonText::from(kind.word())),
            ),
        ]),
    )
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
    let text = match (given.argument(), given.value("text")) {
        (Some(_), Some(_)) => {
            let message = "give the text as an argument or with --text, not both";
            return Err(invalid_flag("text", message));
        }
        (argument, flag) => argument.or(flag).filter(|text| !text.is_empty()),
    };
    let text = text.ok_or_else(|| given.lacks("a text to type"))?;
    let matcher = selector::require(given, Naming::Field)?;
    frame::TYPE.filled(
        given,
        params([
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::Text, Some(JsonText::from(text))),
            (ParamKey::Submit, Some(JsonText::from(given.has("submit")))),
            (ParamKey::Clear, Some(JsonText::from(given.has("clear")))),
        ]),
    )
}

/// Several values only fit in JSON, so they are read by whoever asked for it.
fn all(given: &Given) -> Result<Option<JsonText>, Failure> {
    if given.has("all") && !given.asks_for_json() {
        let message = format!(
            "{} --all needs JSON output asked for in so many words",
            given.spec().name
        );
        return Err(invalid_flag("all", message).hint("Add --json."));
    }
    Ok(given.has("all").then(|| JsonText::from(true)))
}

pub(crate) fn read(given: &Given) -> Result<Draft, Failure> {
    let matcher = selector::require(given, Naming::Element)?;
    let all = all(given)?;
    let container = selector::read(given, Naming::Container)?;
    frame::READ.filled(
        given,
        params([
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::All, all),
            (ParamKey::Container, container),
        ]),
    )
}

pub(crate) fn read_value(given: &Given) -> Result<Draft, Failure> {
    let all = all(given)?;
    let mut label = Map::new();
    let labels = [("label", "text"), ("label-id", "id"), ("label-desc", "desc")];
    for (flag, plain) in labels {
        let Some(value) = given.value(flag) else { continue };
        // An empty label that is the only one is no label.
        let is_only = labels
            .iter()
            .all(|(other, _)| *other == flag || given.value(other).is_none());
        if value.is_empty() && is_only {
            continue;
        }
        if text::is_blank(value) {
            return Err(invalid_flag(flag, format!("--{flag} must not be blank")));
        }
        let field = MATCHER_FIELDS.iter().find(|field| field.flag == plain);
        label.extend(field.map(|field| (field.name.to_owned(), Value::from(value))));
    }
    if label.is_empty() {
        return Err(given.lacks("--label, --label-id or --label-desc"));
    }
    frame::READ_VALUE.filled(
        given,
        params([
            (ParamKey::LabelMatcher, Some(JsonText::from(Value::Object(label)))),
            (ParamKey::All, all),
        ]),
    )
}

/// The whole number of a flag, if it is there; its range is the contract's.
fn whole_number(given: &Given, flag: &str) -> Result<Option<JsonText>, Failure> {
    let Some(text) = given.value(flag) else {
        return Ok(None);
    };
    let number: Option<u64> = text.parse().ok();
    let wrong = || invalid(&format!("--{flag}"), "must be a whole number", text);
    Ok(Some(JsonText::from(number.ok_or_else(wrong)?)))
}

pub(crate) fn find(given: &Given) -> Result<Draft, Failure> {
    if given.has("gone") {
        return wait(given);
    }
    let matcher = selector::read(given, Naming::Element)?;
    frame::FIND.filled(
        given,
        params([
            (ParamKey::Matcher, matcher),
            (
                ParamKey::Visibility,
                given.value("visibility").map(JsonText::from),
            ),
            (ParamKey::Limit, whole_number(given, "limit")?),
        ]),
    )
}

pub(crate) fn wait(given: &Given) -> Result<Draft, Failure> {
    let wait_ms = given.timeout()?;
    if let Some(wait_ms) = wait_ms
        && (wait_ms <= 0.0 || wait_ms > MAX_WAIT_MS)
    {
        let rule = format!("must be more than 0 and at most {MAX_WAIT_MS}");
        return Err(invalid("--timeout", &rule, &wait_ms.to_string()));
    }
    let matcher = selector::require(given, Naming::Element)?;
    Ok(frame::WAIT.lasting(
        wait_ms.map_or(frame::DEFAULT_TIMEOUT_MS, with_headroom),
        params([
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::TimeoutMs, wait_ms.map(JsonText::from)),
            (ParamKey::Gone, given.has("gone").then(|| JsonText::from(true))),
        ]),
    ))
}

pub(crate) fn wait_for_navigation(given: &Given) -> Result<Draft, Failure> {
    let app = given.value("app");
    if app.is_some_and(text::is_blank) {
        return Err(invalid_flag("app", "--app must not be blank"));
    }
    let wait_ms = given.timeout()?.ok_or_else(|| given.lacks("--timeout"))?;
    if wait_ms <= 0.0 || wait_ms > MAX_NAVIGATION_TIMEOUT_MS {
        let rule = format!("must be more than 0 and at most {MAX_NAVIGATION_TIMEOUT_MS}");
        return Err(invalid("--timeout", &rule, &wait_ms.to_string()));
    }
    let node = selector::read(given, Naming::Element)?;
    if app.is_none() && node.is_none() {
        return Err(given.lacks("--app or a selector"));
    }
    Ok(frame::WAIT_FOR_NAV.lasting(
        with_headroom(wait_ms),
        params([
            (ParamKey::ExpectedPackage, app.map(JsonText::from)),
            (ParamKey::ExpectedNode, node),
            (ParamKey::TimeoutMs, Some(JsonText::from(wait_ms))),
        ]),
    ))
}

pub(crate) fn open(given: &Given) -> Result<Draft, Failure> {
    let target = given
        .argument_or("app")?
        .ok_or_else(|| given.lacks("a package id or a URI"))?;
    let (frame, key) = if has_scheme(target) {
        (frame::OPEN_URI, ParamKey::Uri)
    } else {
        (frame::OPEN_APP, ParamKey::ApplicationId)
    };
    frame.filled(given, params([(key, Some(JsonText::from(target)))]))
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
    let package = given
        .argument_or("app")?
        .ok_or_else(|| given.lacks("a package id"))?;
    frame::CLOSE.filled(
        given,
        params([(ParamKey::ApplicationId, Some(JsonText::from(package)))]),
    )
}

pub(crate) fn press(given: &Given) -> Result<Draft, Failure> {
    let key = given.argument_or("key")?.ok_or_else(|| given.lacks("a key"))?;
    press_key(given, key)
}

pub(crate) fn back(given: &Given) -> Result<Draft, Failure> {
    press_key(given, Key::Back.word())
}

fn press_key(given: &Given, key: &str) -> Result<Draft, Failure> {
    frame::PRESS.filled(given, params([(ParamKey::Key, Some(JsonText::from(key)))]))
}

pub(crate) fn scroll(given: &Given) -> Result<Draft, Failure> {
    let timeout_ms = frame::SCROLL.timeout(given)?;
    let direction = given
        .argument_or("direction")?
        .ok_or_else(|| given.lacks("a direction"))?;
    let direction = known_direction(direction)?;
    let container = selector::read(given, Naming::Container)?;
    Ok(frame::SCROLL.lasting(
        timeout_ms,
        params([
            (ParamKey::Direction, Some(direction)),
            (ParamKey::Container, container),
        ]),
    ))
}

fn known_direction(word: &str) -> Result<JsonText, Failure> {
    let Some(direction) = Direction::from_word(word) else {
        let known = Direction::WORDS.join(", ");
        let message = format!("\"{}\" is not a direction", text::excerpt(word));
        return Err(Failure::new(ErrorCode::MissingArgument, message).hint(format!("Directions: {known}.")));
    };
    Ok(direction.word().into())
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

fn scroll_to(given: &Given, frame: Frame) -> Result<Draft, Failure> {
    let timeout_ms = frame.timeout(given)?;
    let matcher = selector::require(given, Naming::Element)?;
    if given.value("direction").is_some_and(text::is_blank) {
        return Err(invalid_flag("direction", "--direction must not be blank"));
    }
    let direction = given.argument_or("direction")?.unwrap_or(Direction::Down.word());
    let direction = known_direction(direction)?;
    let container = selector::read(given, Naming::Container)?;
    let click_after = (frame.kind == ActionKind::ScrollAndClick).then(|| JsonText::from(true));
    let params = params([
        (ParamKey::Matcher, Some(matcher)),
        (ParamKey::Container, container),
        (ParamKey::Direction, Some(direction)),
        (ParamKey::ClickAfter, click_after),
    ]);
    Ok(frame.lasting(timeout_ms, params))
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
        params([(ParamKey::DurationMs, Some(JsonText::from(duration)))]),
    ))
}

pub(crate) fn record_start(given: &Given) -> Result<Draft, Failure> {
    frame::RECORD_START.filled(given, session(given))
}

pub(crate) fn record_stop(given: &Given) -> Result<Draft, Failure> {
    frame::RECORD_STOP.filled(given, session(given))
}

fn session(given: &Given) -> Params {
    params([(ParamKey::SessionId, given.value("session-id").map(JsonText::from))])
}
