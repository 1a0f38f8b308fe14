//! Reads a payload as the app does: leniently, and with its own limits, which
//! are not the host's.

use super::command::{
    Action, ClickType, Command, Direction, Key, Kind, Matcher, ReadText, Retry, ScrollAndClick, ScrollUntil,
    Swipe, Target, Validator,
};
use regex::RegexBuilder;
use serde_json::{Map, Value};
use std::fmt;
use std::time::Duration;

/// The largest payload, in bytes.
const MAX_PAYLOAD: usize = 64_000;
/// The most actions; the host sends fewer.
const MAX_ACTIONS: usize = 64;
const MAX_ID: usize = 128;
const MAX_SOURCE: usize = 64;
const MAX_PACKAGE: usize = 512;
/// The most memory a pattern may take, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// Why a payload cannot be read. The host is never told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParseError {
    TooLarge(usize),
    NotJson,
    NotAnObject(&'static str),
    Missing(&'static str),
    TooLong(&'static str),
    Actions(usize),
    UnknownType(String),
    Bad(&'static str),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(f, "payload of {bytes} bytes is too large"),
            Self::NotJson => write!(f, "payload is not JSON"),
            Self::NotAnObject(name) => write!(f, "{name} is not an object"),
            Self::Missing(name) => write!(f, "{name} is missing or blank"),
            Self::TooLong(name) => write!(f, "{name} is too long"),
            Self::Actions(count) => write!(f, "{count} actions where 1 to {MAX_ACTIONS} are allowed"),
            Self::UnknownType(name) => write!(f, "action type {name} is not supported"),
            Self::Bad(name) => write!(f, "{name} has a value that is not supported"),
        }
    }
}

type Parsed<T> = Result<T, ParseError>;
type Build = fn(&Params<'_>) -> Parsed<Kind>;

/// Every type: the name it has in a payload, the one it has in the answer, and
/// what is made of it.
const TYPES: &[(&str, &str, Build)] = &[
    ("open_app", "open_app", open_app),
    ("open_uri", "open_uri", open_uri),
    ("close_app", "close_app", |p| {
        Ok(Kind::CloseApp(p.package("applicationId")?))
    }),
    ("start_recording", "start_recording", |p| {
        Ok(Kind::StartRecording(p.session()?))
    }),
    ("stop_recording", "stop_recording", |p| {
        Ok(Kind::StopRecording(p.session()?))
    }),
    ("wait_for_node", "wait_for_node", wait_for_node),
    ("find_node", "wait_for_node", wait_for_node),
    ("click", "click", click),
    ("scroll_and_click", "scroll_and_click", scroll_and_click),
    ("scroll", "scroll", |p| {
        Ok(Kind::Scroll {
            swipe: p.swipe()?,
            retry: p.retry("retry", Retry::NONE)?,
        })
    }),
    ("scroll_until", "scroll_until", scroll_until),
    ("read_text", "read_text", read_text),
    ("enter_text", "enter_text", enter_text),
    ("type_text", "enter_text", enter_text),
    ("snapshot_ui", "snapshot_ui", |p| {
        Ok(Kind::Snapshot(p.retry("retry", Retry::UI_READINESS)?))
    }),
    ("take_screenshot", "take_screenshot", |_| Ok(Kind::TakeScreenshot)),
    ("sleep", "sleep", |p| {
        let time = p.whole("durationMs").unwrap_or(0).clamp(0, 120_000);
        Ok(Kind::Sleep(ms(time)))
    }),
    ("press_key", "press_key", press_key),
    ("key_press", "press_key", press_key),
    ("wait_for_navigation", "wait_for_navigation", wait_for_navigation),
    ("read_key_value_pair", "read_key_value_pair", |p| {
        Ok(Kind::ReadKeyValue {
            label: p
                .matcher("labelMatcher")?
                .ok_or(ParseError::Missing("labelMatcher"))?,
            retry: p.retry("retry", Retry::UI_READINESS)?,
        })
    }),
    ("doctor_ping", "doctor_ping", |_| Ok(Kind::DoctorPing)),
];

/// Reads a payload.
pub(super) fn parse(payload: &str) -> Parsed<Command> {
    if payload.len() > MAX_PAYLOAD {
        return Err(ParseError::TooLarge(payload.len()));
    }
    let value: Value = serde_json::from_str(payload).map_err(|_| ParseError::NotJson)?;
    let top = Params(value.as_object().ok_or(ParseError::NotAnObject("payload"))?);
    let id = top.required("commandId", MAX_ID)?;
    let task = top.required("taskId", MAX_ID)?;
    top.required("source", MAX_SOURCE)?;
    let timeout = ms(top.whole("timeoutMs").unwrap_or(30_000).clamp(1_000, 120_000));
    let listed = top.0.get("actions").and_then(Value::as_array);
    let listed = listed.ok_or(ParseError::Missing("actions"))?;
    if listed.is_empty() || listed.len() > MAX_ACTIONS {
        return Err(ParseError::Actions(listed.len()));
    }
    let actions = listed.iter().map(action).collect::<Parsed<_>>()?;
    Ok(Command {
        id,
        task,
        timeout,
        actions,
    })
}

fn action(value: &Value) -> Parsed<Action> {
    let whole = Params(value.as_object().ok_or(ParseError::NotAnObject("action"))?);
    let id = whole.required("id", MAX_ID)?;
    let written = whole.required("type", MAX_SOURCE)?.to_lowercase();
    let row = TYPES.iter().find(|row| row.0 == written);
    let Some((_, name, build)) = row else {
        return Err(ParseError::UnknownType(written));
    };
    let none = Map::new();
    let params = match whole.0.get("params") {
        None | Some(Value::Null) => &none,
        Some(value) => value.as_object().ok_or(ParseError::NotAnObject("params"))?,
    };
    Ok(Action {
        id,
        name,
        kind: build(&Params(params))?,
    })
}

fn open_app(p: &Params<'_>) -> Parsed<Kind> {
    Ok(Kind::OpenApp {
        package: p.package("applicationId")?,
        retry: p.retry("retry", Retry::APP_LAUNCH)?,
    })
}

fn open_uri(p: &Params<'_>) -> Parsed<Kind> {
    Ok(Kind::OpenUri {
        uri: p.required("uri", 2_048)?,
        retry: p.retry("retry", Retry::APP_LAUNCH)?,
    })
}

fn wait_for_node(p: &Params<'_>) -> Parsed<Kind> {
    Ok(Kind::WaitForNode {
        matcher: p.required_matcher()?,
        timeout: p.whole("timeoutMs").map(|time| ms(time.clamp(1, 120_000))),
        retry: p.retry("retry", Retry::UI_READINESS)?,
    })
}

fn click(p: &Params<'_>) -> Parsed<Kind> {
    let click = p.click_type()?;
    let target = match (p.matcher("matcher")?, p.point()?) {
        (Some(matcher), None) => Target::Node(matcher),
        (None, Some(_)) if click == ClickType::Focus => return Err(ParseError::Bad("clickType")),
        (None, Some((x, y))) => Target::Point(x, y),
        (Some(_), Some(_)) => return Err(ParseError::Bad("coordinate")),
        (None, None) => return Err(ParseError::Missing("matcher")),
    };
    Ok(Kind::Click {
        target,
        click,
        retry: p.retry("retry", Retry::UI_READINESS)?,
    })
}

fn enter_text(p: &Params<'_>) -> Parsed<Kind> {
    Ok(Kind::EnterText {
        matcher: p.required_matcher()?,
        text: p.required("text", usize::MAX)?,
        submit: p.flag("submit").unwrap_or(false),
        retry: p.retry("retry", Retry::UI_READINESS)?,
    })
}

fn read_text(p: &Params<'_>) -> Parsed<Kind> {
    let validator = match p.text("validator")?.map(|name| name.to_lowercase()).as_deref() {
        None => Validator::None,
        Some("temperature") => Validator::Temperature,
        Some("version") => Validator::Version,
        Some("regex") => {
            let pattern = p.required("validatorPattern", usize::MAX)?;
            let build = |pattern: &str| RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build();
            // By itself first: `a)(b` is none, however it is wrapped.
            let whole = build(&pattern).and_then(|_| build(&format!("^(?:{pattern})$")));
            Validator::Regex(whole.map_err(|_| ParseError::Bad("validatorPattern"))?)
        }
        Some(_) => return Err(ParseError::Bad("validator")),
    };
    Ok(Kind::ReadText(ReadText {
        matcher: p.required_matcher()?,
        container: p.matcher("container")?,
        all: p.flag("all").unwrap_or(false),
        validator,
        retry: p.retry("retry", Retry::UI_READINESS)?,
    }))
}

fn scroll_until(p: &Params<'_>) -> Parsed<Kind> {
    let matcher = p.matcher("matcher")?;
    let click_after = p.flag("clickAfter").unwrap_or(false);
    if click_after && matcher.is_none() {
        return Err(ParseError::Missing("matcher"));
    }
    Ok(Kind::ScrollUntil(ScrollUntil {
        swipe: p.swipe()?,
        matcher,
        most: p.between("maxScrolls", 20, (1, 200)),
        longest: Duration::from_millis(p.between("maxDurationMs", 10_000, (0, 120_000))),
        still: p.between("noPositionChangeThreshold", 3, (1, 20)),
        click_after,
        click: p.click_type()?,
    }))
}

fn scroll_and_click(p: &Params<'_>) -> Parsed<Kind> {
    Ok(Kind::ScrollAndClick(ScrollAndClick {
        swipe: p.swipe()?,
        matcher: p.required_matcher()?,
        most: p.between("maxSwipes", 10, (1, 50)),
        click_after: p.flag("clickAfter").unwrap_or(true),
        click: p.click_type()?,
        scroll_retry: p.retry("scrollRetry", Retry::UI_SCROLL)?,
        click_retry: p.retry("clickRetry", Retry::UI_READINESS)?,
    }))
}

fn press_key(p: &Params<'_>) -> Parsed<Kind> {
    let name = p.required("key", MAX_ID)?.to_lowercase();
    let row = Key::ALL.iter().find(|row| row.1 == name);
    row.map(|row| Kind::PressKey(row.0)).ok_or(ParseError::Bad("key"))
}

fn wait_for_navigation(p: &Params<'_>) -> Parsed<Kind> {
    let package = p.limited("expectedPackage", MAX_PACKAGE)?;
    let package = package.filter(|name| !name.trim().is_empty());
    let node = p.matcher("expectedNode")?;
    if package.is_none() && node.is_none() {
        return Err(ParseError::Missing("expectedPackage"));
    }
    let timeout = p.whole("timeoutMs").filter(|time| *time > 0);
    let timeout = timeout.ok_or(ParseError::Missing("timeoutMs"))?;
    Ok(Kind::WaitForNavigation {
        package,
        node,
        timeout: ms(timeout.clamp(1, 30_000)),
    })
}

fn ms(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// The entries of an object, read as the app reads them: a number in quotes is
/// a number, a number where a text is wanted is its digits.
struct Params<'a>(&'a Map<String, Value>);

impl Params<'_> {
    fn text(&self, name: &'static str) -> Parsed<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => Ok(Some(value.to_string())),
            Some(Value::Array(_) | Value::Object(_)) => Err(ParseError::Bad(name)),
        }
    }

    fn limited(&self, name: &'static str, most: usize) -> Parsed<Option<String>> {
        let text = self.text(name)?;
        // The app counts as Java does.
        if text
            .as_ref()
            .is_some_and(|text| text.encode_utf16().count() > most)
        {
            return Err(ParseError::TooLong(name));
        }
        Ok(text)
    }

    fn required(&self, name: &'static str, most: usize) -> Parsed<String> {
        let text = self.limited(name, most)?;
        text.filter(|text| !text.trim().is_empty())
            .ok_or(ParseError::Missing(name))
    }

    fn package(&self, name: &'static str) -> Parsed<String> {
        self.required(name, MAX_PACKAGE)
    }

    fn session(&self) -> Parsed<Option<String>> {
        match self.limited("sessionId", MAX_ID)? {
            Some(id) if id.trim().is_empty() => Err(ParseError::Missing("sessionId")),
            id => Ok(id),
        }
    }

    /// A whole number; one with a fraction counts as none.
    fn whole(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn between(&self, name: &str, default: i64, (least, most): (i64, i64)) -> u64 {
        let number = self.whole(name).unwrap_or(default).clamp(least, most);
        u64::try_from(number).unwrap_or(0)
    }

    fn number(&self, name: &str) -> Option<f64> {
        let number = match self.0.get(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| !number.is_nan())
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.to_lowercase().parse().ok(),
            _ => None,
        }
    }

    fn object(&self, name: &'static str) -> Parsed<Option<Params<'_>>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(entries)) => Ok(Some(Params(entries))),
            Some(_) => Err(ParseError::NotAnObject(name)),
        }
    }

    fn matcher(&self, name: &'static str) -> Parsed<Option<Matcher>> {
        let Some(object) = self.object(name)? else {
            return Ok(None);
        };
        let matcher = Matcher {
            resource_id: object.text("resourceId")?,
            role: object.text("role")?,
            text_equals: object.text("textEquals")?,
            text_contains: object.text("textContains")?,
            desc_equals: object.text("contentDescEquals")?,
            desc_contains: object.text("contentDescContains")?,
        };
        if matcher == Matcher::default() {
            return Err(ParseError::Missing(name));
        }
        Ok(Some(matcher))
    }

    fn required_matcher(&self) -> Parsed<Matcher> {
        self.matcher("matcher")?.ok_or(ParseError::Missing("matcher"))
    }

    fn point(&self) -> Parsed<Option<(i32, i32)>> {
        let Some(object) = self.object("coordinate")? else {
            return Ok(None);
        };
        let side = |name: &str| {
            let number = object.whole(name).and_then(|number| i32::try_from(number).ok());
            number
                .filter(|number| *number >= 0)
                .ok_or(ParseError::Bad("coordinate"))
        };
        Ok(Some((side("x")?, side("y")?)))
    }

    fn click_type(&self) -> Parsed<ClickType> {
        match self.text("clickType")?.map(|name| name.to_lowercase()).as_deref() {
            None | Some("default" | "click") => Ok(ClickType::Click),
            Some("long_click" | "longclick") => Ok(ClickType::Long),
            Some("focus") => Ok(ClickType::Focus),
            Some(_) => Err(ParseError::Bad("clickType")),
        }
    }

    fn swipe(&self) -> Parsed<Swipe> {
        let name = self.text("direction")?.map(|name| name.to_lowercase());
        let direction = match name {
            None => Direction::Down,
            Some(name) => {
                let row = Direction::ALL.iter().find(|row| row.1 == name);
                row.map(|row| row.0).ok_or(ParseError::Bad("direction"))?
            }
        };
        Ok(Swipe {
            container: self.matcher("container")?,
            direction,
            ratio: self.number("distanceRatio").unwrap_or(0.7).clamp(0.0, 1.0),
            settle: Duration::from_millis(self.between("settleDelayMs", 250, (0, 10_000))),
            inner: self.flag("findFirstScrollableChild").unwrap_or(true),
        })
    }

    fn retry(&self, name: &'static str, preset: Retry) -> Parsed<Retry> {
        let Some(object) = self.object(name)? else {
            return Ok(preset);
        };
        let first_ms = object.between("initialDelayMs", 0, (0, 30_000));
        let first = i64::try_from(first_ms).unwrap_or(0);
        Ok(Retry {
            attempts: u32::try_from(object.between("maxAttempts", 1, (1, 10))).unwrap_or(1),
            first_ms,
            most_ms: object.between("maxDelayMs", first, (first, 60_000)),
            factor: object.number("backoffMultiplier").unwrap_or(1.0).clamp(1.0, 5.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn one(action: &Value) -> Parsed<Kind> {
        let payload = json!({ "commandId": "c", "taskId": "t", "source": "s", "actions": [action] });
        parse(&payload.to_string()).map(|mut command| command.actions.remove(0).kind)
    }

    #[test]
    fn numbers_out_of_range_are_moved_into_it() {
        let until = json!({ "id": "a", "type": "Scroll_Until", "params": {
            "maxScrolls": 9999, "maxDurationMs": "-5", "noPositionChangeThreshold": 0,
            "distanceRatio": 7, "settleDelayMs": 1.5, "extra": null } });
        let Ok(Kind::ScrollUntil(until)) = one(&until) else {
            panic!("not read");
        };
        assert_eq!((until.most, until.longest, until.still), (200, Duration::ZERO, 1));
        assert_eq!((until.swipe.ratio, until.swipe.settle), (1.0, ms(250)));
        for (asked, given) in [(json!(1), 1_000), (json!(9e9), 30_000), (json!(900_000), 120_000)] {
            let payload = json!({ "commandId": "c", "taskId": "t", "source": "s", "timeoutMs": asked,
                "actions": [{ "id": "a", "type": "sleep" }] });
            assert_eq!(parse(&payload.to_string()).unwrap().timeout, ms(given), "{asked}");
        }
    }

    #[test]
    fn a_pattern_fits_the_whole_text() {
        let read = |pattern: &str| {
            one(
                &json!({ "id": "a", "type": "read_text", "params": { "matcher": { "role": "text" },
                "validator": "regex", "validatorPattern": pattern } }),
            )
        };
        let Ok(Kind::ReadText(whole)) = read("a|bc") else {
            panic!("not read");
        };
        let fits = ["a", "bc", "ac", "abc", "a\n"].map(|text| whole.validator.accepts(text));
        assert_eq!(fits, [true, true, false, false, false]);
        for bad in ["(", "a)(b", " "] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
            prop::sample::select(vec!["down", "focus", "regex", "back", "("]).prop_map(Value::from),
        ];
        let names = [
            "x",
            "y",
            "text",
            "role",
            "maxAttempts",
            "initialDelayMs",
            "maxDelayMs",
        ];
        leaf.prop_recursive(2, 8, 3, move |inner| {
            prop::collection::hash_map(prop::sample::select(names.to_vec()), inner, 0..3).prop_map(|map| {
                map.into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            })
        })
    }

    proptest! {
        #[test]
        fn nothing_in_an_action_is_too_odd(row in 0..TYPES.len(), values in prop::collection::vec(any_value(), 12)) {
            let names = ["matcher", "coordinate", "text", "clickType", "container", "direction", "retry",
                "timeoutMs", "distanceRatio", "durationMs", "validator", "validatorPattern"];
            let params: Map<_, _> = names.iter().map(|name| (*name).to_owned()).zip(values).collect();
            let _ = one(&json!({ "id": "a", "type": TYPES[row].0, "params": params }));
        }
    }
}
