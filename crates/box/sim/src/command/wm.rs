//! `wm`: the display's size, density and rotation.

use super::answer::{Answer, CommandResult, illegal, is_in, words_without};
use crate::handset::Handset;
use crate::phone::{Namespace, Phone};
use clawperator_userland::Call;

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

/// What is accepted and changes nothing here.
const WITHOUT_EFFECT: &str = "fixed-to-user-rotation set-fix-to-user-rotation scaling overscan folded-area \
    set-ignore-orientation-request tracing logging set-multi-window-config";

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let words = words_without(call, "-d");
    let Some((verb, rest)) = words.split_first() else {
        return Err(CommandResult::failure(255, USAGE));
    };
    handset.with(|phone| match *verb {
        "help" | "-h" => Ok(USAGE.to_owned()),
        "size" => size(phone, rest),
        "density" => density(phone, rest),
        "user-rotation" | "rotation" | "set-user-rotation" => rotation(phone, verb, rest),
        "fixed-to-user-rotation" | "set-fix-to-user-rotation" if rest.is_empty() => {
            Ok("default\n".to_owned())
        }
        verb if is_in(WITHOUT_EFFECT, verb) => Ok(String::new()),
        "get-ignore-orientation-request" => Ok("ignoreOrientationRequest false for displayId=0\n".to_owned()),
        "dismiss-keyguard" => {
            if phone.power.awake {
                phone.unlock();
            }
            Ok(String::new())
        }
        other => Err(format!("Unknown command: {other}\n").into()),
    })
}

fn size(phone: &mut Phone, words: &[&str]) -> Answer {
    let said = |text: String| Err(format!("{text}\n").into());
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

fn density(phone: &mut Phone, words: &[&str]) -> Answer {
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
                return Err(format!("Error: bad number {word}\n").into());
            };
            if !DENSITIES.contains(&number) {
                return Err("Error: density must be >= 72\n".to_owned().into());
            }
            phone.display.density_override =
                Some(number).filter(|new| *new != phone.display.physical_density);
        }
    }
    phone.window_changed();
    Ok(String::new())
}

fn rotation(phone: &mut Phone, verb: &str, words: &[&str]) -> Answer {
    let turns = phone.display.rotation;
    let free = phone.settings.get(Namespace::System, "accelerometer_rotation") == Some("1");
    let (lock, turns) = match words {
        [] if free => return Ok("free\n".to_owned()),
        [] => return Ok(format!("lock {turns}\n")),
        ["free"] => (false, turns),
        ["lock"] | ["lock", "-1"] => (true, turns),
        ["lock", word] | [word] => {
            let turns = word.parse().ok().filter(|turns| *turns < 4);
            let wrong = || illegal(&format!("Error: rotation must be 0..3, not {word}"));
            (true, turns.ok_or_else(|| CommandResult::thrown(verb, &wrong()))?)
        }
        _ => return Err("Error: expecting lock or free\n".to_owned().into()),
    };
    let free = if lock { "0" } else { "1" };
    phone.put_setting(Namespace::System, "accelerometer_rotation", Some(free));
    if lock {
        phone.put_setting(Namespace::System, "user_rotation", Some(&turns.to_string()));
    }
    Ok(String::new())
}
