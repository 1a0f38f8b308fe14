//! `dumpsys`: what each of the phone's services says of itself.
//!
//! Each service is a pure function of the phone in a file of its own.

mod activity;
mod background;
mod battery;
mod display;
mod input;
mod input_method;
mod network;
mod notification;
mod package;
mod power;
mod process;
mod surface;
mod window;

use super::answer::{Answer, CommandResult, words};
use crate::handset::Handset;
use crate::phone::{Phone, short_component};
use clawperator_userland::Call;

/// What a service says when it is asked with these words.
type ServiceDump = fn(&mut Phone, &[&str]) -> String;

/// Every service that says something, by name.
const SERVICES: &[(&str, ServiceDump)] = &[
    ("SurfaceFlinger", surface::flinger),
    ("accessibility", background::accessibility),
    ("activity", activity::dump),
    ("alarm", process::alarm),
    ("audio", notification::audio),
    ("battery", battery::dump),
    ("batterystats", background::batterystats),
    ("connectivity", network::connectivity),
    ("cpuinfo", process::cpuinfo),
    ("deviceidle", background::deviceidle),
    ("diskstats", process::diskstats),
    ("display", display::dump),
    ("gfxinfo", surface::gfxinfo),
    ("input", input::dump),
    ("input_method", input_method::dump),
    ("meminfo", process::meminfo),
    ("netpolicy", network::netpolicy),
    ("notification", notification::dump),
    ("package", package::dump),
    ("power", power::dump),
    ("statusbar", notification::statusbar),
    ("telephony.registry", network::telephony),
    ("uimode", notification::uimode),
    ("usagestats", background::usagestats),
    ("wifi", network::wifi),
    ("window", window::dump),
];

/// Services that are there and say nothing.
const SILENT: &[&str] = &[
    "account",
    "appops",
    "bluetooth_manager",
    "clipboard",
    "media_session",
    "phone",
    "settings",
    "user",
    "vibrator_manager",
];

/// Options that take a word.
const WITH_WORD: &[&str] = &["-t", "-T", "--priority", "--skip"];

/// What is known of one package; `pm dump` asks for it.
pub(super) fn about_package(phone: &mut Phone, name: &str) -> String {
    package::dump(phone, &[name])
}

/// The names of all services, sorted.
pub(super) fn services() -> Vec<&'static str> {
    let speaking = SERVICES.iter().map(|row| row.0);
    let mut all: Vec<_> = speaking.chain(SILENT.iter().copied()).collect();
    all.sort_unstable();
    all
}

/// The same as `cmd -l` prints them.
pub(super) fn service_list() -> String {
    let names: String = services().iter().map(|name| format!("  {name}\n")).collect();
    format!("Currently running services:\n{names}")
}

/// A number for a name, as an object's address would be: the same every time.
fn hash(name: &str) -> String {
    let start = 0x811c_9dc5_u32;
    let mixed = name.bytes().fold(start, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{:07x}", mixed & 0x0fff_ffff)
}

/// An activity as the phone's services write it.
fn record(task: u32, package: &str, class: &str) -> String {
    let component = short_component(package, class);
    format!("ActivityRecord{{{} u0 {component} t{task}}}", hash(&component))
}

/// The activity in front, or `null`.
fn front_record(phone: &Phone) -> String {
    let open = phone.open_activities();
    let front = open.first().map(|row| record(row.task, row.package, row.class));
    front.unwrap_or_else(|| "null".to_owned())
}

/// A window as the phone's services write it.
fn window_name(title: &str) -> String {
    format!("Window{{{} u0 {title}}}", hash(title))
}

/// The window that has the focus. A dialog is a window of its own, with the name of its activity.
fn focused_window(phone: &Phone) -> Option<String> {
    let own = phone.properties.get("sim.title");
    if !own.is_empty() {
        return Some(window_name(own));
    }
    let title = phone.focus()?.title;
    let front = phone.front_activity().map(|(package, class)| format!("{package}/{class}"));
    let dialog = phone.front_dialog().filter(|_| front.as_ref() == Some(&title));
    Some(dialog.map_or_else(|| window_name(&title), |dialog| dialog_name(&title, dialog)))
}

fn dialog_name(title: &str, dialog: &str) -> String {
    format!("Window{{{} u0 {title}}}", hash(&format!("{title}#{dialog}")))
}

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let mut rest = words(call);
    let mut listed = false;
    while let Some(option) = rest.first().copied().filter(|word| word.starts_with('-')) {
        listed |= option == "-l";
        if option == "--help" {
            let usage =
                "usage: dumpsys [-l | -t TIMEOUT | --pid | --priority LEVEL] [SERVICE [ARGUMENT...]]\n";
            return Ok(usage.to_owned());
        }
        let taken = 1 + usize::from(WITH_WORD.contains(&option));
        rest.drain(..taken.min(rest.len()));
    }
    if listed {
        return Ok(service_list());
    }
    let Some((name, args)) = rest.split_first() else {
        let mut text = service_list();
        for (name, dump) in SERVICES {
            let (rule, said) = ("-".repeat(79), handset.with(|phone| dump(phone, &[])));
            text.push_str(&format!("{rule}\nDUMP OF SERVICE {name}:\n{said}"));
        }
        return Ok(text);
    };
    match SERVICES.iter().find(|row| row.0 == *name) {
        Some((_, dump)) => {
            let taken = *name == "accessibility" && handset.automation.is_taken();
            let text = handset.with(|phone| dump(phone, args));
            Ok(if taken { text + background::UI_AUTOMATION } else { text })
        }
        None if SILENT.contains(name) => Ok(String::new()),
        // The real one says so and still ends well.
        None => Err(CommandResult::wrong(0, format!("Can't find service: {name}\n"))),
    }
}
