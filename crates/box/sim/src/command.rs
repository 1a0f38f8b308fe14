//! The commands a phone has beside the basic ones: one row each.

mod activity;
mod answer;
mod app_command;
mod app_process;
mod appops;
mod content;
mod dumpsys;
mod getevent;
mod ime;
mod input;
mod intent;
mod location;
mod logcat;
mod machine;
mod monkey;
mod network;
mod package;
mod process;
mod property;
mod screencap;
mod service;
mod settings;
mod simctl;
mod storage;
mod svc;
mod uiautomator;
mod wm;

pub(crate) use input::INPUT_REFUSED;
pub(crate) use process::{ADBD, ProcessRow, RSS_KB, VSZ_KB, rows as processes};
pub(crate) use storage::mounts;
pub(crate) use uiautomator::nested;

use crate::fault::FaultPoint;
use crate::handset::Handset;
use answer::CommandResult;
use clawperator_userland::{Call, ExitResult, Program};
use futures_core::future::BoxFuture;
use std::sync::Arc;

/// What runs a command.
type RunCommand = for<'a> fn(&'a Handset, &'a mut Call) -> BoxFuture<'a, ExitResult>;

/// Makes rows of names and what runs them, or answers at once.
macro_rules! commands {
    ($($name:literal $kind:ident $run:path,)+) => {
        &[$(($name, command!($kind $run)),)+]
    };
}

macro_rules! command {
    (runs $run:path) => {
        |handset, call| Box::pin($run(handset, call))
    };
    (answers $run:path) => {
        |handset, call| Box::pin(async move { CommandResult::from($run(handset, call)).give(call).await })
    };
}

const TABLE: &[(&str, RunCommand)] = commands! {
    "am" runs activity::am,
    "app_process" runs app_process::app_process,
    "app_process32" runs app_process::app_process,
    "app_process64" runs app_process::app_process,
    "appops" answers appops::run,
    "cmd" runs service::cmd,
    "content" answers content::run,
    "df" answers storage::df,
    "dumpsys" answers dumpsys::run,
    "free" answers storage::free,
    "getenforce" answers machine::getenforce,
    "getevent" runs getevent::run,
    "getprop" answers property::getprop,
    "ifconfig" answers network::ifconfig,
    "ime" answers ime::run,
    "input" runs input::run,
    "ip" answers network::ip,
    "log" runs logcat::log,
    "logcat" runs logcat::run,
    "monkey" runs monkey::monkey,
    "mount" answers storage::mount,
    "nc" runs network::nc,
    "netcat" runs network::nc,
    "pidof" answers process::pidof,
    "pm" runs package::pm,
    "ps" answers process::ps,
    "reboot" answers machine::reboot,
    "run-as" answers machine::run_as,
    "screencap" runs screencap::run,
    "screenrecord" answers screencap::record,
    "sendevent" answers machine::sendevent,
    "service" answers service::run,
    "setprop" answers property::setprop,
    "settings" answers settings::run,
    "simctl" answers simctl::run,
    "svc" answers svc::run,
    "uiautomator" runs uiautomator::run,
    "wm" answers wm::run,
};

/// Commands that only hand their words on to a service, which is not
/// there before the phone has started.
const SERVED: &[&str] = &["am", "cmd", "ime", "input", "pm", "settings", "wm"];
/// The exit code of a command whose service is not there.
const NO_SERVICE: u8 = 20;

fn missing(call: &Call) -> CommandResult {
    let service = match call.name() {
        "am" => "activity",
        "cmd" => call.args.get(1).map_or("", String::as_str),
        "ime" => "input_method",
        "pm" => "package",
        "wm" => "window",
        same => same,
    };
    CommandResult::wrong(NO_SERVICE, format!("cmd: Can't find service: {service}\n"))
}

/// A command on its phone.
struct OnPhone {
    handset: Arc<Handset>,
    run: RunCommand,
}

impl Program for OnPhone {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult> {
        Box::pin(async move {
            // What moves the phone's time must not wait for it.
            if call.name() != simctl::NAME {
                self.handset.spend(crate::latency::Cost::Command).await;
            }
            if SERVED.contains(&call.name()) && self.handset.strike(FaultPoint::ServiceMissing).is_some() {
                return missing(call).give(call).await;
            }
            (self.run)(&self.handset, call).await
        })
    }
}

/// The command that controls the phone from inside.
pub(crate) const CONTROL: &str = simctl::NAME;

pub(crate) fn find(handset: &Arc<Handset>, name: &str) -> Option<Arc<dyn Program>> {
    let Some((_, run)) = TABLE.iter().find(|row| row.0 == name) else {
        return app_command::find(handset, name);
    };
    Some(Arc::new(OnPhone { handset: Arc::clone(handset), run: *run }))
}

/// The names of the commands a phone has beside the basic ones, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.0)
}
