//! The commands a phone has beside the basic ones: one row each.

mod activity;
mod answer;
mod app_command;
mod app_process;
mod appops;
mod content;
mod dumpsys;
mod exception;
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
mod run_as;
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
use clawperator_userland::{BoxFuture, Call, ExitResult, Program};
use std::sync::Arc;

/// What runs a command.
type RunCommand = for<'a> fn(&'a Handset, &'a mut Call) -> BoxFuture<'a, ExitResult>;

/// Makes rows of names and what runs them.
macro_rules! commands {
    ($($name:literal => $run:path,)+) => {
        &[$(($name, |handset, call| Box::pin($run(handset, call))),)+]
    };
}

const TABLE: &[(&str, RunCommand)] = commands! {
    "am" => activity::am,
    "app_process" => app_process::app_process,
    "app_process32" => app_process::app_process,
    "app_process64" => app_process::app_process,
    "appops" => appops::run,
    "cmd" => service::cmd,
    "content" => content::run,
    "df" => storage::df,
    "dumpsys" => dumpsys::run,
    "free" => storage::free,
    "getenforce" => machine::getenforce,
    "getevent" => getevent::run,
    "getprop" => property::getprop,
    "ifconfig" => network::ifconfig,
    "ime" => ime::run,
    "input" => input::run,
    "ip" => network::ip,
    "log" => logcat::log,
    "logcat" => logcat::run,
    "monkey" => monkey::monkey,
    "mount" => storage::mount,
    "nc" => network::nc,
    "netcat" => network::nc,
    "pidof" => process::pidof,
    "pm" => package::pm,
    "ps" => process::ps,
    "reboot" => machine::reboot,
    "run-as" => run_as::run_as,
    "screencap" => screencap::run,
    "screenrecord" => screencap::record,
    "sendevent" => machine::sendevent,
    "service" => service::run,
    "setprop" => property::setprop,
    "settings" => settings::run,
    "simctl" => simctl::run,
    "svc" => svc::run,
    "uiautomator" => uiautomator::run,
    "wm" => wm::run,
};

/// Commands that only hand their words on to a service, which is not
/// there before the phone has started.
const SERVED: &[&str] = &["am", "cmd", "ime", "input", "pm", "settings", "wm"];
/// The exit code of a command whose service is not there.
const NO_SERVICE: u8 = 20;

async fn missing(call: &mut Call) -> ExitResult {
    let service = match call.name() {
        "am" => "activity",
        "cmd" => call.args.get(1).map_or("", String::as_str),
        "ime" => "input_method",
        "pm" => "package",
        "wm" => "window",
        same => same,
    };
    let text = format!("cmd: Can't find service: {service}\n");
    call.err(text).await;
    Ok(NO_SERVICE)
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
                return missing(call).await;
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

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_in_order() {
        assert!(TABLE.is_sorted_by_key(|row| row.0));
    }
}
