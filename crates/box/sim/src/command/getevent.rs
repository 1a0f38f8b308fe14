//! `getevent`: what the kernel tells of fingers and keys. `input` and the test
//! tools work above the kernel, so their events do not appear here.

use super::answer::CommandResult;
use crate::handset::Handset;
use crate::phone::{EV_ABS, EV_KEY, EV_SYN, InputDevice, KernelEvent, LAST};
use clawperator_userland::{Call, ExitResult};

const USAGE: &str = "Usage: getevent [-t] [-n] [-s switchmask] [-S] [-v [mask]] [-d] [-p] [-i] [-l] [-q] [-c count] [-r] [device]\n";

/// The devices, in the order of their numbers.
const DEVICES: [(InputDevice, &str, &str); 2] = [
    (InputDevice::Keys, "/dev/input/event0", "gpio_keys"),
    (InputDevice::Screen, "/dev/input/event1", "sim_touchscreen"),
];

/// Codes that have a name: kind, number, name.
const CODES: &[(u16, u16, &str)] = &[
    (EV_SYN, 0, "SYN_REPORT"),
    (EV_KEY, 114, "KEY_VOLUMEDOWN"),
    (EV_KEY, 115, "KEY_VOLUMEUP"),
    (EV_KEY, 116, "KEY_POWER"),
    (EV_KEY, 158, "KEY_BACK"),
    (EV_KEY, 172, "KEY_HOMEPAGE"),
    (EV_KEY, 580, "KEY_APPSELECT"),
    (EV_KEY, 0x14a, "BTN_TOUCH"),
    (EV_ABS, 0x2f, "ABS_MT_SLOT"),
    (EV_ABS, 0x35, "ABS_MT_POSITION_X"),
    (EV_ABS, 0x36, "ABS_MT_POSITION_Y"),
    (EV_ABS, 0x39, "ABS_MT_TRACKING_ID"),
];
/// What the screen tells: code and the largest value.
const AXES: [(u16, i32); 4] = [(0x2f, 9), (0x35, LAST.0), (0x36, LAST.1), (0x39, 0xffff)];

/// How to print.
#[derive(Default)]
struct GeteventOptions {
    letters: String,
    count: Option<usize>,
    only: Option<InputDevice>,
}

impl GeteventOptions {
    fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    fn lists(&self) -> bool {
        self.has('p') || self.has('i')
    }
}

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let options = match parse(&call.args[1..]) {
        Ok(options) => options,
        Err(text) => return CommandResult::wrong(1, text).give(call).await,
    };
    let seen = handset.with(|phone| phone.kernel_events.back().map_or(0, |event| event.number));
    if options.lists() || !options.has('q') && options.only.is_none() {
        call.out(devices(&options)).await?;
    }
    if options.lists() {
        return Ok(0);
    }
    follow(handset, call, &options, seen).await
}

fn parse(words: &[String]) -> Result<GeteventOptions, String> {
    let mut options = GeteventOptions::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-') else {
            let device = DEVICES.iter().find(|row| row.1 == word);
            let device =
                device.ok_or_else(|| format!("could not open {word}, No such file or directory\n"))?;
            options.only = Some(device.0);
            continue;
        };
        for letter in letters.chars() {
            match letter {
                'l' | 't' | 'p' | 'i' | 'q' => options.letters.push(letter),
                'c' => {
                    let count = words.next().and_then(|word| word.parse().ok());
                    options.count = Some(count.ok_or_else(|| USAGE.to_owned())?);
                }
                'n' | 'S' | 'd' | 'r' | 'v' => {}
                _ => return Err(format!("getevent: Unknown option -{letter}\n{USAGE}")),
            }
        }
    }
    Ok(options)
}

fn devices(options: &GeteventOptions) -> String {
    let mut text = String::new();
    for (number, (device, path, name)) in DEVICES.iter().enumerate() {
        if options.only.is_some_and(|only| only != *device) {
            continue;
        }
        text.push_str(&format!("add device {}: {path}\n  name:     \"{name}\"\n", number + 1));
        if options.lists() {
            text.push_str(&abilities(*device, options));
        }
    }
    text
}

fn abilities(device: InputDevice, options: &GeteventOptions) -> String {
    let code = |kind: u16, code: u16| match label(kind, code).filter(|_| options.has('l')) {
        Some(name) => format!("{name:<21}"),
        None => format!("{code:04x} "),
    };
    let is_button = |number: u16| number == 0x14a;
    let keys: String = CODES
        .iter()
        .filter(|row| row.0 == EV_KEY && is_button(row.1) == (device == InputDevice::Screen))
        .map(|row| code(row.0, row.1))
        .collect();
    let mut text = format!("  events:\n    KEY (0001): {keys}\n");
    if device == InputDevice::Screen {
        for (number, (axis, most)) in AXES.iter().enumerate() {
            let head = if number == 0 { "ABS (0003): " } else { "            " };
            let name = code(EV_ABS, *axis);
            text.push_str(&format!(
                "    {head}{name} : value 0, min 0, max {most}, fuzz 0, flat 0, resolution 0\n"
            ));
        }
    }
    let property = match device {
        InputDevice::Keys => "<none>",
        InputDevice::Screen => "INPUT_PROP_DIRECT",
    };
    text.push_str(&format!("  input props:\n    {property}\n"));
    text
}

async fn follow(handset: &Handset, call: &mut Call, options: &GeteventOptions, mut seen: u64) -> ExitResult {
    let mut left = options.count.unwrap_or(usize::MAX);
    while left > 0 {
        let (events, last) = handset
            .follow(|phone| {
                let fresh = phone.kernel_events.iter().filter(|event| event.number > seen);
                let fresh: Vec<KernelEvent> = fresh.copied().collect();
                let last = fresh.last()?.number;
                Some((fresh, last))
            })
            .await;
        seen = last;
        let wanted =
            events.iter().filter(|event| options.only.is_none_or(|only| only == event.device)).take(left);
        let lines: Vec<String> = wanted.map(|event| line(event, options)).collect();
        left -= lines.len();
        call.out(lines.concat()).await?;
    }
    Ok(0)
}

fn line(event: &KernelEvent, options: &GeteventOptions) -> String {
    let mut line = String::new();
    if options.has('t') {
        let (seconds, micros) = (event.at.as_secs(), event.at.subsec_micros());
        line.push_str(&format!("[{seconds:>8}.{micros:06}] "));
    }
    if options.only.is_none()
        && let Some((_, path, _)) = DEVICES.iter().find(|row| row.0 == event.device)
    {
        line.push_str(&format!("{path}: "));
    }
    let (kind, code, value) = event.input;
    if !options.has('l') {
        line.push_str(&format!("{kind:04x} {code:04x} {value:08x}\n"));
        return line;
    }
    let kind_name = match kind {
        EV_SYN => "EV_SYN",
        EV_KEY => "EV_KEY",
        _ => "EV_ABS",
    };
    let code_name = label(kind, code).map_or_else(|| format!("{code:04x}"), str::to_owned);
    let value_name = match (kind, value) {
        (EV_KEY, 0) => "UP".to_owned(),
        (EV_KEY, 1) => "DOWN".to_owned(),
        (_, value) => format!("{value:08x}"),
    };
    line.push_str(&format!("{kind_name:<12} {code_name:<20} {value_name:<20}\n"));
    line
}

fn label(kind: u16, code: u16) -> Option<&'static str> {
    let mut rows = CODES.iter();
    rows.find(|row| (row.0, row.1) == (kind, code)).map(|row| row.2)
}
