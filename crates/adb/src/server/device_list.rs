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

/// Reads a list. A line that is no device, such as a server's banner, is left
/// out.
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
        details: details
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_servers_print_them() {
        let text = "* daemon started successfully\nList of devices attached\n\
            127.0.0.1:6001         device product:sim model:Pixel_7 device:sim transport_id:3\n\
            0123456789ABCDEF\tunauthorized\nabc offline transport_id:4\n\
            xyz    no permissions (user in plugdev group); see [http://x] usb:3-1 transport_id:7\n\n\
            adb-R5C-aBc (2)._adb-tls-connect._tcp device product:x model:S9 device:y transport_id:3\n\
            adb-R5C-aBc (2)._adb-tls-connect._tcp\toffline\n0123 AB      device usb:1-1 transport_id:1\r\n\
            0123 AB\tno permissions; see [http://x]\n";
        let list = parse(text);
        let states: Vec<_> = list
            .iter()
            .map(|entry| (entry.serial.as_str(), entry.state.clone()))
            .collect();
        assert_eq!(states[0], ("127.0.0.1:6001", DeviceState::Device));
        assert_eq!(states[1], ("0123456789ABCDEF", DeviceState::Unauthorized));
        assert_eq!(states[2], ("abc", DeviceState::Offline));
        assert!(
            matches!(&states[3], ("xyz", DeviceState::Other(words)) if words == "no permissions (user in plugdev group); see [http://x]")
        );
        let spaced = "adb-R5C-aBc (2)._adb-tls-connect._tcp";
        assert_eq!(states[4], (spaced, DeviceState::Device));
        assert_eq!(list[4].details[1], ("model".to_owned(), "S9".to_owned()));
        assert_eq!(states[5], (spaced, DeviceState::Offline));
        assert_eq!(states[6], ("0123 AB", DeviceState::Device));
        assert!(
            matches!(&states[7], ("0123 AB", DeviceState::Other(words)) if words.starts_with("no permissions;"))
        );
        assert_eq!(list[0].details[1], ("model".to_owned(), "Pixel_7".to_owned()));
        assert_eq!(list.len(), 8);
        assert_eq!(parse("nonsense\n\u{0}\n"), []);
    }
}
