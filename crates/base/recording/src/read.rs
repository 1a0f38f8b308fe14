//! Reads a recording's file: the header, then an event a line.
//!
//! What is required is what the Operator app's readers require; what this
//! program adds to it is optional, and only read where it is well formed.

use crate::error::{LineFault, RecordingReadError};
use crate::event::{HEADER_TYPE, Header, Maker, RecordedAct, RecordedEvent, Recording, SCHEMA_VERSION};
use crate::limits::MAX_READ_BYTES;
use clawperator_contract::{Key, Number, text};
use serde_json::Value;

/// Reads a recording.
///
/// # Errors
/// The first thing that is wrong with it. Of a recording of this program's, a last line that is cut
/// off is left out with a warning: its writer was ended in the middle.
pub fn read(file: &str) -> Result<Recording, RecordingReadError> {
    if file.len() > MAX_READ_BYTES {
        return Err(RecordingReadError::TooLarge);
    }
    let mut lines = file
        .split('\n')
        .map(text::trim)
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(number, line)| (number + 1, line))
        .peekable();
    let (_, first) = lines.next().ok_or(RecordingReadError::Empty)?;
    let header = header(first)?;
    let (mut events, mut warnings) = (Vec::new(), Vec::new());
    while let Some((number, line)) = lines.next() {
        let cut = lines.peek().is_none() && !file.ends_with('\n') && header.maker == Maker::Host;
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(_) if cut => {
                warnings.push(format!("line {number}: cut off and left out; the recording was not stopped"));
                break;
            }
            Err(_) => return Err(RecordingReadError::Line(number, LineFault::Malformed)),
        };
        let event = event(value, header.maker).map_err(|fault| RecordingReadError::Line(number, fault))?;
        if event.snapshot.is_none()
            && matches!(event.act, RecordedAct::WindowChange(_) | RecordedAct::Click(_))
        {
            let (seq, kind) = (event.seq, event.act.name());
            warnings.push(format!("seq {seq}: {kind} has no snapshot (uiStateBefore is null)"));
        }
        events.push(event);
    }
    // Stable: events of one number stay in the order of the file.
    events.sort_by(|one, other| one.seq.get().total_cmp(&other.seq.get()));
    Ok(Recording { header, events, warnings })
}

fn header(line: &str) -> Result<Header, RecordingReadError> {
    let value: Value = serde_json::from_str(line).map_err(|_| RecordingReadError::Header)?;
    let version = value.get("schemaVersion").and_then(Value::as_f64);
    let (HEADER_TYPE, Some(version)) = (kind(&value), version.and_then(Number::new)) else {
        return Err(RecordingReadError::Header);
    };
    let header = serde_json::from_value(value).map_err(|_| RecordingReadError::Header)?;
    if version.get() != SCHEMA_VERSION {
        return Err(RecordingReadError::Version(version));
    }
    Ok(header)
}

fn event(value: Value, maker: Maker) -> Result<RecordedEvent, LineFault> {
    if value.is_null() {
        return Err(LineFault::Null);
    }
    let is_number = |name: &str| value.get(name).is_some_and(Value::is_number);
    if !is_number("ts") || !is_number("seq") || !value.get("type").is_some_and(Value::is_string) {
        return Err(LineFault::NoEvent);
    }
    let kind = kind(&value).to_owned();
    let fields = || match RecordedAct::NAMES.iter().find(|name| **name == kind) {
        Some(name) => LineFault::Fields(name),
        None => LineFault::UnknownType(kind.clone()),
    };
    // An array would pass for the sides of an element.
    if !value.get("bounds").is_none_or(Value::is_object) {
        return Err(fields());
    }
    let event: RecordedEvent = serde_json::from_value(value).map_err(|_| fields())?;
    match &event.act {
        RecordedAct::PressKey(act) if maker == Maker::Operator && act.key != Some(Key::Back) => Err(fields()),
        _ => Ok(event),
    }
}

/// The type of a line.
fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}
