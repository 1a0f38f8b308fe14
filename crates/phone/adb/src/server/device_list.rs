//! The list of devices as an adb server prints it. Pure.

use std::fmt;

/// A device that the server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceEntry {
    pub serial: String,
    pub state: DeviceState,
    /// What else the server says of it, such as `("model", "Pixel_7")`.
    pub details: Vec<(String, String)>,
}

impl DeviceEntry {
    /// Whether it can be used.
    pub fn is_ready(&self) -> bool {
        self.state == DeviceState::Device
    }
}

/// Whether a device can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    Device,
    Offline,
    /// It does not know our key.
    Unauthorized,
    /// Anything else the server says.
    Other(String),
}

impl DeviceState {
    fn parse(word: &str) -> Self {
        match word {
            "device" => Self::Device,
            "offline" => Self::Offline,
            "unauthorized" => Self::Unauthorized,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for DeviceState {
    /// As the server says it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Offline => "offline",
            Self::Unauthorized => "unauthorized",
            Self::Other(word) => word,
        })
    }
}

/// Reads a list. A line that is no device, such as a server's banner, is left out.
pub(super) fn parse(text: &str) -> Vec<DeviceEntry> {
    text.lines().filter_map(parse_line).collect()
}

/// What the server says of a device behind its state.
const DETAILS: [&str; 5] = [" usb:", " product:", " model:", " device:", " transport_id:"];
const NO_PERMISSIONS: &str = "no permissions";

fn parse_line(line: &str) -> Option<DeviceEntry> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('*') || line.starts_with("List of") {
        return None;
    }
    // A serial may have spaces, as "adb-1234-AbC (2)._adb-tls-connect._tcp" has.
    let end = DETAILS.iter().filter_map(|key| line.find(key)).min();
    let (head, details) = line.split_at(end.unwrap_or(line.len()));
    // "no permissions (…); see […]" has spaces; every other state is a word.
    let head = head.trim_end();
    let state = match head.find(NO_PERMISSIONS) {
        Some(at) if head[..at].ends_with(char::is_whitespace) => at,
        _ => head.rfind('\t').or_else(|| head.rfind(' '))? + 1,
    };
    let (serial, state) = (head[..state].trim(), &head[state..]);
    let details = details.split_whitespace().filter_map(|word| word.split_once(':'));
    Some(DeviceEntry {
        serial: serial.to_owned(),
        state: DeviceState::parse(state),
        details: details.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    })
}

#[cfg(test)]
#[path = "../../tests/unit/device_list.rs"]
mod tests;
