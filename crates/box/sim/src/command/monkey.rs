//! `monkey`: clients use it to start an app they know only by its package.
//!
//! It starts the app and touches nothing: what a real one would do then is
//! random. With `--port` it listens instead, and does what each line says.

use super::answer::{CommandResult, CommandWords};
use crate::handset::Handset;
use crate::phone::{Intent, LAUNCHER, MAIN, Phone};
use crate::port::{PortStream, Socket};
use clawperator_userland::{Call, ExitResult};

/// A variable of the phone, and its value.
type MonkeyVariable = (&'static str, fn(&Phone) -> String);

/// What clients ask a monkey that listens, and what it knows.
const VARIABLES: &[MonkeyVariable] = &[
    ("build.version.sdk", |phone| phone.sdk().to_string()),
    ("display.density", |phone| (f64::from(phone.display.density()) / 160.0).to_string()),
    ("display.height", |phone| phone.display.size().1.to_string()),
    ("display.width", |phone| phone.display.size().0.to_string()),
];

/// Options with a value behind them; those with `--pct-` have one too.
const WITH_VALUE: &[&str] = &["-s", "--throttle", "-f", "--setup", "--bugreport"];
/// The longest line that is listened to.
const MAX_LINE: usize = 64 << 10;
/// How it ends when there is nothing to run: -4.
const NOTHING_TO_RUN: u8 = 252;
/// How it ends where it would press keys that the phone does not have: -5.
const NO_KEYS: u8 = 251;

pub(super) async fn monkey(handset: &Handset, call: &mut Call) -> ExitResult {
    let args = call.args.clone();
    let mut words = CommandWords::new(args.get(1..).unwrap_or_default());
    let mut packages = Vec::new();
    let mut categories = Vec::new();
    let mut port = None;
    while let Some(option) = words.option() {
        let takes = WITH_VALUE.contains(&option) || option.starts_with("--pct-");
        match option {
            "-p" => packages.extend(words.next()),
            "-c" => categories.extend(words.next()),
            "--port" => port = words.next(),
            _ if takes => {
                words.next();
            }
            _ => {}
        }
    }
    if let Some(port) = port {
        return serve(handset, call, port).await;
    }
    let Some(count) = words.next().and_then(|count| count.parse::<u32>().ok()) else {
        let usage = "usage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...] [-c MAIN_CATEGORY] [-s SEED] [--throttle MILLISEC] COUNT\n";
        return CommandResult::wrong(255, usage).give(call).await;
    };
    let shown: String = args.iter().skip(1).map(|word| format!("  bash arg: {word}\n")).collect();
    call.err(shown).await;
    if categories.is_empty() {
        categories.push(LAUNCHER);
    }
    let intent = Intent {
        action: Some(MAIN.to_owned()),
        categories: categories.into_iter().map(str::to_owned).collect(),
        package: packages.first().map(|package| (*package).to_owned()),
        ..Intent::default()
    };
    let has_keys = !handset.with(|phone| phone.is_like("emulator"));
    if !has_keys && !args.windows(2).any(|pair| pair == ["--pct-syskeys", "0"]) {
        let why = "** SYS_KEYS has no physical keys but with factor 2.0%.\n";
        return CommandResult::failure(NO_KEYS, why).give(call).await;
    }
    if handset.with(|phone| phone.is_like("cut")) {
        return CommandResult::ok("Events injected: 0\n".to_owned()).give(call).await;
    }
    handset.spend_start(&intent).await;
    let answer = match handset.with(|phone| phone.start(&intent)) {
        Ok(_) => CommandResult::ok(format!(
            "Events injected: {count}\n## Network stats: elapsed time=21ms (0ms mobile, 0ms wifi, 21ms not connected)\n"
        )),
        Err(_) => CommandResult::failure(NOTHING_TO_RUN, "** No activities found to run, monkey aborted.\n"),
    };
    answer.give(call).await
}

/// Listens on a port of the phone until it is ended or told to quit.
async fn serve(handset: &Handset, call: &mut Call, port: &str) -> ExitResult {
    let socket = Socket::local(call.identity.uid);
    let Some(mut listener) = handset.ports().listen(&format!("tcp:{port}"), socket) else {
        call.err("Error binding to network socket.\n").await;
        return Ok(NOTHING_TO_RUN);
    };
    call.out(":Monkey: seed=0 count=0\n").await?;
    while let Some(stream) = listener.recv().await {
        if converse(handset, stream).await == MonkeyEnd::Quit {
            break;
        }
    }
    Ok(0)
}

/// How a conversation ended.
#[derive(PartialEq, Eq)]
enum MonkeyEnd {
    /// The next caller may come.
    Done,
    Quit,
}

async fn converse(handset: &Handset, mut stream: PortStream) -> MonkeyEnd {
    let mut held = Vec::new();
    while let Some(bytes) = stream.from.recv().await {
        held.extend_from_slice(&bytes);
        while let Some(end) = held.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = held.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).trim().to_owned();
            let answer = match line.as_str() {
                "done" => return MonkeyEnd::Done,
                "quit" => return MonkeyEnd::Quit,
                line => obey(handset, line).await,
            };
            if stream.to.send(format!("{answer}\n").into()).await.is_err() {
                return MonkeyEnd::Done;
            }
        }
        if held.len() > MAX_LINE {
            return MonkeyEnd::Done;
        }
    }
    MonkeyEnd::Done
}

/// Does what one line says, and gives the answer.
async fn obey(handset: &Handset, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let input = match words[..] {
        ["tap", x, y] => vec!["tap", x, y],
        ["press", key] | ["key", "up", key] => vec!["keyevent", key],
        ["key", "down", _] | ["flip", ..] => Vec::new(),
        ["touch", motion, x, y] => vec!["motionevent", motion, x, y],
        ["type", ..] => vec!["text", line["type".len()..].trim().trim_matches('"')],
        ["wake"] => vec!["keyevent", "WAKEUP"],
        ["sleep", ms] => {
            let ms = ms.parse().unwrap_or(0);
            handset.time().sleep(std::time::Duration::from_millis(ms)).await;
            Vec::new()
        }
        ["listvar"] => {
            let names: Vec<_> = VARIABLES.iter().map(|row| row.0).collect();
            return format!("OK:{}", names.join(" "));
        }
        ["getvar", name] => {
            return match VARIABLES.iter().find(|row| row.0 == name) {
                Some((_, value)) => format!("OK:{}", handset.with(|phone| value(phone))),
                None => "ERROR:unknown var".to_owned(),
            };
        }
        _ => return "ERROR:unrecognized command".to_owned(),
    };
    let input: Vec<String> = input.into_iter().map(str::to_owned).collect();
    match input.split_first() {
        Some((name, args)) if !super::input::perform_words(handset, name, args).await => {
            "ERROR:invalid arguments".to_owned()
        }
        _ => "OK".to_owned(),
    }
}
