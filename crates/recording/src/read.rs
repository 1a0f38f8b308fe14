//! Reads a recording's file: the header, then an event a line.
//!
//! What is required is what the Operator app's readers require; what this
//! program adds to it is optional, and only read where it is well formed.

use crate::error::{LineFault, ReadError};
use crate::event::{
    Act, Click, Event, HEADER_TYPE, Header, KnownBy, Maker, Press, PressKey, Recording, SCHEMA_VERSION,
    Scroll, Sight, TextChange, Untold, WindowChange,
};
use crate::key;
use crate::limits::MAX_READ_BYTES;
use clawperator_contract::{Direction, Key, Number, text};
use clawperator_ui::Bounds;
use serde_json::Value;

/// Reads a recording.
///
/// # Errors
/// The first thing that is wrong with it. Of a recording of this program's, a
/// last line that is cut off is left out with a warning: its writer was
/// ended in the middle.
pub fn read(file: &str) -> Result<Recording, ReadError> {
    if file.len() > MAX_READ_BYTES {
        return Err(ReadError::TooLarge);
    }
    let mut lines = file
        .split('\n')
        .map(text::trim)
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(number, line)| (number + 1, line))
        .peekable();
    let (_, first) = lines.next().ok_or(ReadError::Empty)?;
    let header = header(first)?;
    let (mut events, mut warnings) = (Vec::new(), Vec::new());
    while let Some((number, line)) = lines.next() {
        let cut = lines.peek().is_none() && !file.ends_with('\n') && header.maker == Maker::Host;
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(_) if cut => {
                warnings.push(format!(
                    "line {number}: cut off and left out; the recording was not stopped"
                ));
                break;
            }
            Err(_) => return Err(ReadError::Line(number, LineFault::Malformed)),
        };
        let event = event(&value, header.maker).map_err(|fault| ReadError::Line(number, fault))?;
        if event.snapshot.is_none() && matches!(event.act, Act::WindowChange(_) | Act::Click(_)) {
            let (seq, kind) = (event.seq, event.act.name());
            warnings.push(format!(
                "seq {seq}: {kind} has no snapshot (uiStateBefore is null)"
            ));
        }
        events.push(event);
    }
    // Stable: events of one number stay in the order of the file.
    events.sort_by(|one, other| one.seq.get().total_cmp(&other.seq.get()));
    Ok(Recording {
        header,
        events,
        warnings,
    })
}

fn header(line: &str) -> Result<Header, ReadError> {
    let value: Value = serde_json::from_str(line).map_err(|_| ReadError::Header)?;
    let (session_id, operator_package, started_at, version) = (
        string(&value, "sessionId"),
        string(&value, "operatorPackage"),
        number(&value, "startedAt"),
        number(&value, "schemaVersion"),
    );
    let is_header = string(&value, "type").as_deref() == Some(HEADER_TYPE);
    let (Some(session_id), Some(operator_package), Some(started_at), Some(version), true) =
        (session_id, operator_package, started_at, version, is_header)
    else {
        return Err(ReadError::Header);
    };
    if version.get() != SCHEMA_VERSION {
        return Err(ReadError::Version(version));
    }
    Ok(Header {
        session_id,
        started_at,
        operator_package,
        maker: if value.get(key::RECORDER).and_then(Value::as_str) == Some(key::HOST) {
            Maker::Host
        } else {
            Maker::Operator
        },
        launcher: string(&value, key::LAUNCHER),
    })
}

fn event(value: &Value, maker: Maker) -> Result<Event, LineFault> {
    if value.is_null() {
        return Err(LineFault::Null);
    }
    let (Some(ts), Some(seq), Some(kind)) =
        (number(value, "ts"), number(value, "seq"), string(value, "type"))
    else {
        return Err(LineFault::NoEvent);
    };
    let (name, act) = match kind.as_str() {
        "window_change" => ("window_change", window_change(value)),
        "click" => ("click", click(value)),
        "scroll" => ("scroll", scroll(value)),
        "text_change" => ("text_change", text_change(value)),
        "press_key" => ("press_key", press_key(value, maker)),
        _ => return Err(LineFault::UnknownType(kind)),
    };
    Ok(Event {
        ts,
        seq,
        snapshot: string(value, "snapshot"),
        sight: if flag(value, key::STALE) {
            Sight::Stale
        } else {
            Sight::Fresh
        },
        act: act.ok_or(LineFault::Fields(name))?,
    })
}

fn window_change(value: &Value) -> Option<Act> {
    Some(Act::WindowChange(WindowChange {
        package: string(value, "packageName")?,
        class_name: string(value, "className"),
        title: string(value, "title"),
        closing: flag(value, key::CLOSING),
    }))
}

fn click(value: &Value) -> Option<Act> {
    let bounds = value.get("bounds")?;
    let side = |name: &str| number(bounds, name);
    let point = value.get(key::AT);
    let at = |name: &str| point.and_then(|point| whole(point, name));
    Some(Act::Click(Click {
        package: string(value, "packageName")?,
        resource_id: nullable(value, "resourceId")?,
        text: nullable(value, "text")?,
        content_desc: nullable(value, "contentDesc")?,
        bounds: [side("left")?, side("top")?, side("right")?, side("bottom")?],
        press: if value.get(key::CLICK_TYPE).and_then(Value::as_str) == Some(key::LONG_CLICK) {
            Press::Long
        } else {
            Press::Short
        },
        at: at("x").zip(at("y")),
    }))
}

fn scroll(value: &Value) -> Option<Act> {
    let offset = |name: &str| number(value, name);
    let direction = value.get(key::DIRECTION).and_then(Value::as_str);
    Some(Act::Scroll(Scroll {
        package: string(value, "packageName")?,
        resource_id: nullable(value, "resourceId")?,
        offsets: [
            offset("scrollX")?,
            offset("scrollY")?,
            offset("maxScrollX")?,
            offset("maxScrollY")?,
        ],
        direction: direction.and_then(Direction::from_word),
        container: bounds(value, key::CONTAINER),
        travel: number(value, key::TRAVEL),
    }))
}

fn text_change(value: &Value) -> Option<Act> {
    let untold = match value.get(key::UNTOLD).and_then(Value::as_str) {
        Some(key::PASSWORD) => Some(Untold::Password),
        Some(key::UNSEEN) => Some(Untold::Unseen),
        _ => None,
    };
    Some(Act::TextChange(TextChange {
        package: string(value, "packageName")?,
        resource_id: nullable(value, "resourceId")?,
        text: string(value, "text")?,
        field: bounds(value, key::FIELD),
        untold,
        submitted: flag(value, key::SUBMITTED),
    }))
}

fn press_key(value: &Value, maker: Maker) -> Option<Act> {
    let word = string(value, "key")?;
    let known = Key::from_word(&word);
    match (maker, known) {
        (Maker::Operator, Some(Key::Back)) | (Maker::Host, Some(_)) => {}
        (Maker::Host, None) if word == key::UNKNOWN_KEY => {}
        _ => return None,
    }
    Some(Act::PressKey(PressKey {
        key: known,
        by: if flag(value, key::INFERRED) {
            KnownBy::Gesture
        } else {
            KnownBy::Key
        },
    }))
}

fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

/// A string or `null`; nothing at all is neither.
fn nullable(value: &Value, name: &str) -> Option<Option<String>> {
    match value.get(name)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}

fn number(value: &Value, name: &str) -> Option<Number> {
    value.get(name)?.as_f64().and_then(Number::new)
}

fn whole(value: &Value, name: &str) -> Option<i32> {
    value
        .get(name)?
        .as_i64()
        .and_then(|number| i32::try_from(number).ok())
}

fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool) == Some(true)
}

fn bounds(value: &Value, name: &str) -> Option<Bounds> {
    let value = value.get(name)?;
    Some(Bounds {
        left: whole(value, "left")?,
        top: whole(value, "top")?,
        right: whole(value, "right")?,
        bottom: whole(value, "bottom")?,
    })
}
