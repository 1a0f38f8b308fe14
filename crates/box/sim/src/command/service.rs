//! `cmd` and `service`: the phone's services by name.

use super::answer::{Answer, CommandResult, words};
use super::dumpsys;
use super::svc::switch;
use crate::handset::Handset;
use crate::phone::{Namespace, Notification, Phone};
use clawperator_userland::{Call, ExitResult};

/// Services whose commands are commands of their own.
const ALIASES: &[(&str, &[&str])] = &[
    ("activity", &["am"]),
    ("appops", &["appops"]),
    ("battery", &["dumpsys", "battery"]),
    ("deviceidle", &["dumpsys", "deviceidle"]),
    ("input", &["input"]),
    ("input_method", &["ime"]),
    ("package", &["pm"]),
    ("settings", &["settings"]),
    ("window", &["wm"]),
];

/// The exit code for a service that is not there.
const NO_SERVICE: u8 = 20;

pub(super) async fn cmd(handset: &Handset, call: &mut Call) -> ExitResult {
    if handset.with(|phone| phone.is_like("kitkat")) {
        return CommandResult::wrong(127, "sh: cmd: not found\n").give(call).await;
    }
    let words: Vec<String> = call.args.iter().skip(1).filter(|word| *word != "-w").cloned().collect();
    let Some((name, args)) = words.split_first() else {
        let text = "cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.\n";
        return CommandResult::wrong(NO_SERVICE, text).give(call).await;
    };
    if name == "-l" {
        return CommandResult::ok(dumpsys::service_list()).give(call).await;
    }
    if let Some((_, alias)) = ALIASES.iter().find(|row| row.0 == name) {
        let command = alias.iter().map(|word| (*word).to_owned());
        return Ok(call.run(command.chain(args.iter().cloned()).collect()).await);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = match name.as_str() {
        "statusbar" => handset.with(|phone| statusbar(phone, &args)),
        "uimode" => handset.with(|phone| uimode(phone, &args)),
        "notification" => handset.with(|phone| notification(phone, &args)),
        "netpolicy" => handset.with(|phone| netpolicy(phone, &args)),
        "location" => handset.with(|phone| super::location::run(phone, &args)),
        "wifi" => wifi(handset, &args),
        "connectivity" | "bluetooth_manager" | "phone" => radio(handset, &args),
        name if dumpsys::services().contains(&name) => Err("No shell command implementation.\n".to_owned()),
        name => {
            let text = format!("cmd: Can't find service: {name}\n");
            return CommandResult::wrong(NO_SERVICE, text).give(call).await;
        }
    };
    CommandResult::from(answer.map_err(CommandResult::from)).give(call).await
}

fn unknown(words: &[&str]) -> Result<String, String> {
    Err(match words.first() {
        Some(word) => format!("Unknown command: {word}\n"),
        None => "Error: no command specified\n".to_owned(),
    })
}

fn statusbar(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    match words {
        ["expand-notifications" | "expand-settings", ..] => phone.open_shade(),
        ["collapse"] => phone.close_shade(),
        ["get-status-icons"] => return Ok("wifi\nbattery\nclock\n".to_owned()),
        words => return unknown(words),
    }
    Ok(String::new())
}

fn uimode(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    let value = match words {
        ["night"] => None,
        ["night", "yes"] => Some("2"),
        ["night", "no"] => Some("1"),
        ["night", "auto"] => Some("0"),
        ["night", ..] => return Err("Error: night mode must be yes, no or auto\n".to_owned()),
        words => return unknown(words),
    };
    if value.is_some() {
        phone.put_setting(Namespace::Secure, "ui_night_mode", value);
    }
    let name = match phone.settings.get(Namespace::Secure, "ui_night_mode") {
        Some("2") => "yes",
        Some("0") => "auto",
        _ => "no",
    };
    Ok(format!("Night mode: {name}\n"))
}

fn notification(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    let [verb, rest @ ..] = words else { return unknown(words) };
    match *verb {
        "post" => {
            let (mut title, mut plain, mut rest) = ("", Vec::new(), rest.iter());
            while let Some(word) = rest.next() {
                match *word {
                    "-t" | "--title" => title = rest.next().copied().unwrap_or_default(),
                    "-S" | "--style" | "-i" | "--icon" | "-I" => drop(rest.next()),
                    "-v" | "--verbose" => {}
                    word => plain.push(word),
                }
            }
            let [tag, text @ ..] = &plain[..] else {
                return Err("Error: no tag specified\n".to_owned());
            };
            phone.notify(Notification {
                package: "com.android.shell".to_owned(),
                title: if title.is_empty() { tag } else { title }.to_string(),
                text: text.join(" "),
            });
            Ok(String::new())
        }
        "list" => {
            let rows = phone.notifications().iter().enumerate();
            Ok(rows.map(|(number, row)| format!("0|{}|{number}|null|0\n", row.package)).collect())
        }
        "allow_listener" | "disallow_listener" => Ok(String::new()),
        _ => unknown(words),
    }
}

/// The data saver; lists of single apps are empty.
fn netpolicy(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    match words {
        ["get", "restrict-background"] => {
            let state = if phone.saving.data_saver { "enabled" } else { "disabled" };
            Ok(format!("Restrict background status: {state}\n"))
        }
        ["set", "restrict-background", on @ ("true" | "false")] => {
            phone.saving.data_saver = *on == "true";
            Ok(String::new())
        }
        ["list", "restrict-background-whitelist" | "restrict-background-blacklist"] => {
            Ok(format!("{}: none\n", words[1].replace('-', " ").replacen('r', "R", 1)))
        }
        ["list", "wifi-networks"] => Ok("Clawperator Lab;none\n".to_owned()),
        words => unknown(words),
    }
}

fn wifi(handset: &Handset, words: &[&str]) -> Result<String, String> {
    match words {
        ["set-wifi-enabled", on @ ("enabled" | "disabled")] => {
            switch(handset, "wifi_on", if *on == "enabled" { "1" } else { "0" });
            Ok(String::new())
        }
        ["status"] => Ok(handset.with(|phone| {
            if phone.is_on("wifi_on") {
                "Wifi is enabled\nWifi scanning is only available when wifi is enabled\n==== Primary ClientModeManager instance ====\nWifi is connected to \"Clawperator\"\n".to_owned()
            } else {
                "Wifi is disabled\nWifi scanning is only available when wifi is enabled\n".to_owned()
            }
        })),
        ["set-wifi-enabled", ..] => Err("Invalid args to set-wifi-enabled - must be enabled or disabled\n".to_owned()),
        words => unknown(words),
    }
}

fn radio(handset: &Handset, words: &[&str]) -> Result<String, String> {
    match words {
        ["airplane-mode"] => {
            let on = handset.with(|phone| phone.is_on("airplane_mode_on"));
            return Ok(if on { "enabled\n" } else { "disabled\n" }.to_owned());
        }
        ["airplane-mode", on @ ("enable" | "disable")] => {
            switch(handset, "airplane_mode_on", if *on == "enable" { "1" } else { "0" });
        }
        ["enable"] => switch(handset, "bluetooth_on", "1"),
        ["disable"] => switch(handset, "bluetooth_on", "0"),
        words => return unknown(words),
    }
    Ok(String::new())
}

pub(super) fn run(_: &Handset, call: &Call) -> Answer {
    let services = dumpsys::services();
    match words(call)[..] {
        ["list"] => {
            let rows = services.iter().enumerate();
            let rows: String =
                rows.map(|(number, name)| format!("{number}\t{name}: [android.os.I{name}]\n")).collect();
            Ok(format!("Found {} services:\n{rows}", services.len()))
        }
        ["check", name] => {
            let found = if services.contains(&name) { "found" } else { "not found" };
            Ok(format!("Service {name}: {found}\n"))
        }
        ["call", name, _, ..] if services.contains(&name) => {
            Ok("Result: Parcel(00000000    '....')\n".to_owned())
        }
        ["call", name, _, ..] => {
            Err(CommandResult::wrong(10, format!("service: Service {name} does not exist\n")))
        }
        _ => Err(CommandResult::wrong(
            10,
            "Usage: service list\n       service check SERVICE\n       service call SERVICE CODE [ARGUMENT...]\n",
        )),
    }
}
