//! `wm`: the display's size, density and rotation.

use super::answer::words_without;
use super::exception::illegal;
use crate::handset::Handset;
use crate::phone::{Namespace, Phone};
use clawperator_userland::{Call, ExitResult};

const USAGE: &str = "Window manager (window) commands:
  help
    Prints this.
  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]
    Prints or sets the display's size.
  density [reset|DENSITY] [-d DISPLAY_ID]
    Prints or sets the display's density.
  user-rotation [-d DISPLAY_ID] [free|lock] [ROTATION]
    Prints or sets the rotation of the display.
  rotation [ROTATION]
    Short for user-rotation.
  fixed-to-user-rotation [-d DISPLAY_ID] [enabled|disabled|default]
  dismiss-keyguard
    Unlocks a phone that has no PIN.
";

/// The bounds of a display that can still be drawn.
const SIDES: std::ops::RangeInclusive<i32> = 100..=8_192;
const DENSITIES: std::ops::RangeInclusive<i32> = 72..=2_000;

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let words = words_without(call, "-d");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((verb, rest)) = words.split_first() else {
        call.out(USAGE).await?;
        return Ok(255);
    };
    let answer = match *verb {
        "help" | "-h" => Ok(USAGE.to_owned()),
        "size" => handset.with(|phone| size(phone, rest)),
        "density" => handset.with(|phone| density(phone, rest)),
        "user-rotation" | "rotation" | "set-user-rotation" => handset.with(|phone| rotation(phone, rest)),
        "fixed-to-user-rotation" | "set-fix-to-user-rotation" if rest.is_empty() => {
            Ok("default\n".to_owned())
        }
        "fixed-to-user-rotation"
        | "set-fix-to-user-rotation"
        | "scaling"
        | "overscan"
        | "folded-area"
        | "set-ignore-orientation-request"
        | "tracing"
        | "logging"
        | "set-multi-window-config" => Ok(String::new()),
        "get-ignore-orientation-request" => Ok("ignoreOrientationRequest false for displayId=0\n".to_owned()),
        "dismiss-keyguard" => {
            handset.with(|phone| {
                if phone.power.awake {
                    phone.unlock();
                }
            });
            Ok(String::new())
        }
        other => {
            call.err(format!("Unknown command: {other}\n")).await;
            return Ok(255);
        }
    };
    match answer {
        Ok(text) => {
            call.out(text).await?;
            Ok(0)
        }
        Err(WmError::Said(text)) => {
            call.err(format!("{text}\n")).await;
            Ok(255)
        }
        Err(WmError::Thrown(text)) => Ok(illegal(call, verb, &text).await),
    }
}

/// Why a word is not taken.
enum WmError {
    Said(String),
    Thrown(String),
}

fn size(phone: &mut Phone, words: &[&str]) -> Result<String, WmError> {
    let said = |text: String| Err(WmError::Said(text));
    match words {
        [] => {
            let (width, height) = phone.display.physical;
            let mut text = format!("Physical size: {width}x{height}\n");
            if let Some((width, height)) = phone.display.size_override {
                text.push_str(&format!("Override size: {width}x{height}\n"));
            }
            return Ok(text);
        }
        ["reset"] => phone.display.size_override = None,
        [word] => {
            let Some((width, height)) = word.split_once('x') else {
                return said(format!("Error: bad size {word}"));
            };
            let side = |text: &str| match text.strip_suffix("dp") {
                Some(dp) => dp.parse().ok().map(|dp| phone.display.px(dp)),
                None => text.parse::<i32>().ok(),
            };
            let (Some(width), Some(height)) = (side(width), side(height)) else {
                return said(format!("Error: bad number in {word}"));
            };
            if !SIDES.contains(&width) || !SIDES.contains(&height) {
                return said(format!("Error: size {word} is out of bounds"));
            }
            let new = (width, height);
            phone.display.size_override = Some(new).filter(|new| *new != phone.display.physical);
        }
        _ => return said(format!("Error: bad size {}", words.join(" "))),
    }
    phone.window_changed();
    Ok(String::new())
}

fn density(phone: &mut Phone, words: &[&str]) -> Result<String, WmError> {
    match words {
        [] => {
            let mut text = format!("Physical density: {}\n", phone.display.physical_density);
            if let Some(density) = phone.display.density_override {
                text.push_str(&format!("Override density: {density}\n"));
            }
            return Ok(text);
        }
        ["reset"] => phone.display.density_override = None,
        [word, ..] => {
            let Ok(number) = word.parse::<i32>() else {
                return Err(WmError::Said(format!("Error: bad number {word}")));
            };
            if !DENSITIES.contains(&number) {
                return Err(WmError::Said("Error: density must be >= 72".to_owned()));
            }
            phone.display.density_override =
                Some(number).filter(|new| *new != phone.display.physical_density);
        }
    }
    phone.window_changed();
    Ok(String::new())
}

fn rotation(phone: &mut Phone, words: &[&str]) -> Result<String, WmError> {
    let turns = phone.display.rotation;
    let free = phone.settings.get(Namespace::System, "accelerometer_rotation") == Some("1");
    let (lock, turns) = match words {
        [] if free => return Ok("free\n".to_owned()),
        [] => return Ok(format!("lock {turns}\n")),
        ["free"] => (false, turns),
        ["lock"] | ["lock", "-1"] => (true, turns),
        ["lock", word] | [word] => {
            let turns = word.parse().ok().filter(|turns| *turns < 4);
            let wrong = || WmError::Thrown(format!("Error: rotation must be 0..3, not {word}"));
            (true, turns.ok_or_else(wrong)?)
        }
        _ => return Err(WmError::Said("Error: expecting lock or free".to_owned())),
    };
    let free = if lock { "0" } else { "1" };
    phone.put_setting(Namespace::System, "accelerometer_rotation", Some(free));
    if lock {
        phone.put_setting(Namespace::System, "user_rotation", Some(&turns.to_string()));
    }
    Ok(String::new())
}
