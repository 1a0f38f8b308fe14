//! What the phone's kernel tells of fingers and keys, and what it takes to understand it.

use super::script::{FOLLOW, LISTENS, Script};
use super::{CommandKind, Phone, PhoneError, foreground, windows};
use bytes::BytesMut;
use clawperator_adb::{Deadline, ServiceStream};
use clawperator_recording::limits::MAX_INPUT_LINE;
use clawperator_recording::{Steering, TouchScreen};
use clawperator_ui::Bounds;

/// What lists the devices.
const DEVICES: &str = "getevent -lp 2>/dev/null";
/// What asks for the home screen's package.
const HOME: &str =
    "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME";

/// The kernel's events, line by line, until it is dropped.
#[derive(Debug)]
pub struct InputLines {
    stream: ServiceStream,
    buffer: BytesMut,
}

impl InputLines {
    /// The next line; none when the phone has nothing more to tell. Nothing is
    /// lost by dropping the call.
    ///
    /// # Errors
    /// [`PhoneError::Lost`] with what broke.
    pub async fn next(&mut self) -> Result<Option<String>, PhoneError> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(end + 1);
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            if self.buffer.len() > MAX_INPUT_LINE {
                // No event is that long.
                self.buffer.clear();
            }
            let (mut reader, _) = self.stream.split();
            match reader.receive().await? {
                Some(data) => self.buffer.extend_from_slice(&data),
                None => return Ok(None),
            }
        }
    }
}

impl Phone {
    /// The screens that can be touched, as the kernel counts their places.
    ///
    /// # Errors
    /// [`PhoneError::Unsupported`] if the phone tells of none, or what broke.
    pub async fn touch_screens(&self, deadline: Deadline) -> Result<Vec<TouchScreen>, PhoneError> {
        let answer = self.ask(CommandKind::InputEvents, DEVICES, deadline).await?;
        let screens = TouchScreen::parse_all(&answer.out);
        if screens.is_empty() {
            return Err(PhoneError::Unsupported(CommandKind::InputEvents));
        }
        Ok(screens)
    }

    /// Follows what fingers and keys do, from now on.
    pub async fn input_lines(&self, deadline: Deadline) -> Result<InputLines, PhoneError> {
        let follow = Script::of(&[LISTENS, FOLLOW]).words(["getevent", "-lt"])?;
        let service = format!("exec:{}", follow.text());
        self.begin(&service, deadline).await?;
        let stream = self.device.open(&service, deadline).await;
        Ok(InputLines { stream: stream?, buffer: BytesMut::new() })
    }

    /// How the system is steered; swipes, where the phone does not say.
    pub async fn steering(&self, deadline: Deadline) -> Result<Steering, PhoneError> {
        let line = "settings get secure navigation_mode";
        let answer = self.ask(CommandKind::Navigation, line, deadline).await?;
        Ok(match answer.out.trim() {
            "0" | "1" => Steering::Buttons,
            _ => Steering::Swipes,
        })
    }

    /// The package of the home screen, if the phone says.
    pub async fn home_package(&self, deadline: Deadline) -> Result<Option<String>, PhoneError> {
        let answer = self.ask(CommandKind::Navigation, HOME, deadline).await?;
        Ok(parse_component(&answer.out))
    }

    /// Whether the keyboard is shown, and where it takes touches, if that is known.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the phone does not say, or what broke.
    pub async fn shown_keyboard(&self, deadline: Deadline) -> Result<Option<Option<Bounds>>, PhoneError> {
        let line = format!("{}; {}", foreground::INPUT, windows::KEYBOARD);
        let answer = self.ask(CommandKind::Keyboards, line, deadline).await?;
        match foreground::parse(&answer.out).input_shown {
            Some(is_shown) => Ok(is_shown.then(|| windows::keyboard(&answer.out))),
            None => Err(answer.unreadable()),
        }
    }

    /// Where the keyboard takes touches, if one is shown and the phone says.
    pub async fn keyboard_area(&self, deadline: Deadline) -> Result<Option<Bounds>, PhoneError> {
        let answer = self.ask(CommandKind::Keyboards, windows::KEYBOARD, deadline).await?;
        Ok(windows::keyboard(&answer.out))
    }
}

/// The package in the last line that names a component.
fn parse_component(text: &str) -> Option<String> {
    let mut lines = text.lines().rev().map(str::trim);
    let (package, _) = lines.find_map(|line| line.split_once('/'))?;
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let solid = !package.is_empty() && package.chars().all(letter);
    // Where several could be, the phone names the one that asks which.
    (solid && package != "android").then(|| package.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_screen_is_the_last_component() {
        for (text, expected) in [
            ("priority=0 preferredOrder=0 match=0x0\ncom.x.launcher/.Main\n", Some("com.x.launcher")),
            ("android/com.android.internal.app.ResolverActivity\n", None),
            ("No activity found\n", None),
            ("/x\n", None),
        ] {
            assert_eq!(parse_component(text).as_deref(), expected, "{text}");
        }
    }
}
