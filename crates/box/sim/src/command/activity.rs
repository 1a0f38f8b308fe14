//! `am`, which `cmd activity` is too: apps start, end, and hear broadcasts.

mod broadcast;
mod instrument;
mod stack;
mod start;

use super::answer::{Answer, CommandResult, CommandWords, illegal, verb_list};
use super::intent;
use crate::automation::THIEF;
use crate::handset::Handset;
use crate::phone::Phone;
use clawperator_userland::{Call, ExitResult};

/// What does one of `am`'s verbs with the phone as it is.
type ActivityVerb = fn(&Handset, &mut CommandWords<'_>) -> Answer;

const VERBS: &[(&str, ActivityVerb)] = &[
    ("broadcast", broadcast::broadcast),
    ("crash", crash),
    ("force-stop", force_stop),
    ("get-config", stack::config),
    ("get-current-user", |_, _| Ok("0\n".to_owned())),
    ("get-standby-bucket", standby_bucket),
    ("get-started-user-state", |_, _| Ok("RUNNING_UNLOCKED\n".to_owned())),
    ("kill", kill),
    ("kill-all", kill_all),
    ("set-inactive", |_, _| Ok(String::new())),
    ("set-standby-bucket", standby_bucket),
    ("stack", stack::stack),
    ("start-foreground-service", start_service),
    ("start-service", start_service),
    ("startforegroundservice", start_service),
    ("startservice", start_service),
    ("stop-service", stop_service),
    ("stopservice", stop_service),
    ("task", stack::task),
    ("wait-for-broadcast-barrier", |_, _| Ok("Loopers drained!\n".to_owned())),
    ("wait-for-broadcast-idle", |_, _| Ok("All broadcast queues are idle!\n".to_owned())),
];

pub(super) async fn am(handset: &Handset, call: &mut Call) -> ExitResult {
    let args = call.args.clone();
    let mut words = CommandWords::new(args.get(1..).unwrap_or_default());
    let Some(verb) = words.next() else {
        return CommandResult::failure(255, help()).give(call).await;
    };
    let answer = match verb {
        "help" | "-h" | "--help" => CommandResult::ok(help()),
        "start" | "start-activity" => return start::start(handset, call, &mut words).await,
        "instrument" => return instrument::instrument(handset, call, &mut words).await,
        verb => match VERBS.iter().find(|row| row.0 == verb) {
            Some((_, run)) => run(handset, &mut words).into(),
            None => CommandResult::failure(255, format!("Unknown command: {verb}\n")),
        },
    };
    answer.give(call).await
}

const BUCKETS: &[(&str, u8)] =
    &[("active", 10), ("working_set", 20), ("frequent", 30), ("rare", 40), ("restricted", 45)];

/// Sets the bucket of a package if one is named, and else tells it.
fn standby_bucket(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let name = package_word(words, "standby-bucket")?;
    let wanted = words.next();
    let bucket = wanted.map(|word| {
        let row = BUCKETS.iter().find(|row| row.0 == word || row.1.to_string() == word);
        row.map(|row| row.1)
    });
    handset.with(|phone| match (phone.packages.get_mut(name), bucket) {
        (None, _) => {
            Err(CommandResult::exception("standby-bucket", &illegal(&format!("Unknown package: {name}"))))
        }
        (Some(package), None) => Ok(format!("{}\n", package.standby_bucket)),
        (Some(package), Some(Some(bucket))) => {
            package.standby_bucket = bucket;
            Ok(String::new())
        }
        (Some(_), Some(None)) => {
            Err(format!("Error: Unknown bucket: {}\n", wanted.unwrap_or_default()).into())
        }
    })
}

fn help() -> String {
    let verbs = VERBS.iter().map(|row| row.0).chain(["instrument", "start-activity"]);
    verb_list("Activity manager (activity) commands:", verbs)
}

/// The package a verb is about, behind its options.
fn package_word<'a>(words: &mut CommandWords<'a>, verb: &str) -> Result<&'a str, CommandResult> {
    while let Some(option) = words.option() {
        let value = if option == "--user" {
            words.value(option).map(|_| ())
        } else {
            Err(illegal(&format!("Unknown option: {option}")))
        };
        value.map_err(|what| CommandResult::exception(verb, &what))?;
    }
    words.next().ok_or_else(|| no_word(verb))
}

/// Nothing stands behind a verb.
fn no_word(verb: &str) -> CommandResult {
    CommandResult::exception(verb, &illegal("Argument expected after \"null\""))
}

fn force_stop(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let package = package_word(words, "force-stop")?;
    if package == THIEF.0 {
        handset.automation.end_thief();
    }
    handset.with(|phone| {
        // Android does not report a missing package, either.
        if phone.packages.contains_key(package) {
            phone.force_stop(package);
        }
    });
    Ok(String::new())
}

fn kill(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let package = package_word(words, "kill")?;
    handset.with(|phone| end_in_background(phone, package));
    Ok(String::new())
}

fn kill_all(handset: &Handset, _: &mut CommandWords<'_>) -> Answer {
    handset.with(|phone| {
        let names: Vec<_> = phone.packages.keys().cloned().collect();
        for name in names {
            end_in_background(phone, &name);
        }
    });
    Ok(String::new())
}

/// Ends an app that is not in front.
fn end_in_background(phone: &mut Phone, package: &str) {
    let is_system = phone.packages.get(package).is_none_or(|package| package.app.system);
    if phone.front_package() != Some(package) && !is_system {
        phone.force_stop(package);
    }
}

fn crash(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let package = package_word(words, "crash")?;
    handset.with(|phone| {
        if phone.packages.get(package).is_some_and(|found| found.pid.is_some()) {
            phone.crash(package, "shell-induced crash");
        }
    });
    Ok(String::new())
}

fn start_service(_: &Handset, words: &mut CommandWords<'_>) -> Answer {
    service(words, "Starting service", "Error: Not found; no service started.\n")
}

fn stop_service(_: &Handset, words: &mut CommandWords<'_>) -> Answer {
    service(words, "Stopping service", "Service not stopped: was not running.\n")
}

/// No app of this phone has a service that could be started.
fn service(words: &mut CommandWords<'_>, what: &str, outcome: &str) -> Answer {
    let mut own = |option: &str, words: &mut CommandWords<'_>| match option {
        "--user" => words.value(option).map(|_| true),
        _ => Ok(false),
    };
    let intent = intent::parse(words, "start-service", &mut own)?;
    let out = format!("{what}: Intent {{ {} }}\n", intent.describe());
    Err(CommandResult { out, err: outcome.to_owned(), code: 255 })
}
