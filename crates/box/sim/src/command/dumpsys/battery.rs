//! The battery, and how it is pretended to be.

use crate::phone::{Battery, Phone, Plug};

const USAGE: &str = "Battery service (battery) commands:
  help
  get [ac|usb|wireless|status|level|temp|present|counter|invalid]
  set [-f] [ac|usb|wireless|status|level|temp|present|counter|invalid] VALUE
  unplug [-f]
  reset [-f]
";

const PLUGS: &[(&str, Plug)] =
    &[("ac", Plug::Ac), ("dock", Plug::Dock), ("usb", Plug::Usb), ("wireless", Plug::Wireless)];

pub(super) fn dump(phone: &mut Phone, words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().filter(|word| **word != "-f").copied().collect();
    match words[..] {
        [] | ["-a" | "--checkin", ..] => print(phone),
        ["unplug"] => {
            phone.battery.plug = Plug::Nothing;
            String::new()
        }
        ["reset"] => {
            phone.battery = Battery::default();
            String::new()
        }
        ["set", name, value] => set(phone, name, value),
        ["set", ..] => "No property or value specified\n".to_owned(),
        ["get", name] => get(phone, name),
        _ => USAGE.to_owned(),
    }
}

fn set(phone: &mut Phone, name: &str, value: &str) -> String {
    let Ok(number) = value.parse::<i32>() else {
        return format!("Bad value: {value}\n");
    };
    match name {
        "level" => phone.battery.level = number.clamp(0, 100) as u8,
        "temp" => phone.battery.temperature = (number / 10).clamp(-100, 200) as i16,
        // 2 is charging and 5 is full; everything else draws from the battery.
        "status" => match (matches!(number, 2 | 5), phone.battery.plugged()) {
            (true, false) => phone.battery.plug = Plug::Usb,
            (false, _) => phone.battery.plug = Plug::Nothing,
            (true, true) => {}
        },
        "present" | "counter" | "invalid" => {}
        name => match PLUGS.iter().find(|row| row.0 == name) {
            Some((_, plug)) if number != 0 => phone.battery.plug = *plug,
            Some((_, plug)) if phone.battery.plug == *plug => phone.battery.plug = Plug::Nothing,
            Some(_) => {}
            None => return format!("Unknown set option: {name}\n"),
        },
    }
    String::new()
}

fn status(battery: &Battery) -> u8 {
    match (battery.plugged(), battery.level) {
        (true, 100) => 5,
        (true, _) => 2,
        (false, _) => 3,
    }
}

fn get(phone: &Phone, name: &str) -> String {
    let battery = &phone.battery;
    let value = match name {
        "level" => battery.level.to_string(),
        "temp" => (battery.temperature * 10).to_string(),
        "present" => "true".to_owned(),
        "status" => status(battery).to_string(),
        "counter" => (u32::from(battery.level) * 45_000).to_string(),
        "invalid" => "0".to_owned(),
        name => match PLUGS.iter().find(|row| row.0 == name) {
            Some((_, plug)) => (battery.plug == *plug).to_string(),
            None => return format!("Unknown get option: {name}\n"),
        },
    };
    format!("{value}\n")
}

fn print(phone: &Phone) -> String {
    let battery = &phone.battery;
    format!(
        "Current Battery Service state:
  AC powered: {}
  USB powered: {}
  Wireless powered: {}
  Dock powered: {}
  Max charging current: {}
  Max charging voltage: 5000000
  Charge counter: {}
  status: {}
  health: 2
  present: true
  level: {}
  scale: 100
  voltage: {}
  temperature: {}
  technology: Li-ion
",
        battery.plug == Plug::Ac,
        battery.plug == Plug::Usb,
        battery.plug == Plug::Wireless,
        battery.plug == Plug::Dock,
        if battery.plugged() { 500_000 } else { 0 },
        u32::from(battery.level) * 45_000,
        status(battery),
        battery.level,
        3_500 + 8 * u32::from(battery.level),
        battery.temperature * 10,
    )
}
