//! The commands a phone has beside the basic ones: one row each.

mod appops;
mod dumpsys;
mod exception;
mod ime;
mod input;
mod logcat;
mod machine;
mod media;
mod network;
mod pattern;
mod process;
mod property;
mod screencap;
mod service;
mod settings;
mod simctl;
mod svc;
mod uiautomator;
mod wm;

use crate::handset::Handset;
use clawperator_userland::{BoxFuture, Call, Ended, Program};
use std::sync::Arc;

/// What runs a command.
type Run = for<'a> fn(&'a Handset, &'a mut Call) -> BoxFuture<'a, Ended>;

/// Every command, by name.
const TABLE: &[(&str, Run)] = &[
    ("appops", |handset, call| Box::pin(appops::run(handset, call))),
    ("cmd", |handset, call| Box::pin(service::cmd(handset, call))),
    ("content", |handset, call| {
        Box::pin(machine::content(handset, call))
    }),
    ("dumpsys", |handset, call| Box::pin(dumpsys::run(handset, call))),
    ("getenforce", |handset, call| {
        Box::pin(machine::getenforce(handset, call))
    }),
    ("getevent", |handset, call| {
        Box::pin(machine::getevent(handset, call))
    }),
    ("getprop", |handset, call| {
        Box::pin(property::getprop(handset, call))
    }),
    ("ifconfig", |handset, call| {
        Box::pin(network::ifconfig(handset, call))
    }),
    ("ime", |handset, call| Box::pin(ime::run(handset, call))),
    ("input", |handset, call| Box::pin(input::run(handset, call))),
    ("ip", |handset, call| Box::pin(network::ip(handset, call))),
    ("locale", |handset, call| Box::pin(machine::locale(handset, call))),
    ("log", |handset, call| Box::pin(logcat::log(handset, call))),
    ("logcat", |handset, call| Box::pin(logcat::run(handset, call))),
    ("media", |handset, call| Box::pin(media::volume(handset, call))),
    ("nc", |handset, call| Box::pin(network::nc(handset, call))),
    ("netcat", |handset, call| Box::pin(network::nc(handset, call))),
    ("pidof", |handset, call| Box::pin(process::pidof(handset, call))),
    ("ping", |handset, call| Box::pin(network::ping(handset, call))),
    ("ps", |handset, call| Box::pin(process::ps(handset, call))),
    ("reboot", |handset, call| Box::pin(machine::reboot(handset, call))),
    ("screencap", |handset, call| {
        Box::pin(screencap::run(handset, call))
    }),
    ("screenrecord", |handset, call| {
        Box::pin(screencap::record(handset, call))
    }),
    ("sendevent", |handset, call| {
        Box::pin(machine::sendevent(handset, call))
    }),
    ("service", |handset, call| Box::pin(service::run(handset, call))),
    ("setenforce", |handset, call| {
        Box::pin(machine::setenforce(handset, call))
    }),
    ("setprop", |handset, call| {
        Box::pin(property::setprop(handset, call))
    }),
    ("settings", |handset, call| Box::pin(settings::run(handset, call))),
    (simctl::NAME, |handset, call| Box::pin(simctl::run(handset, call))),
    ("start", |handset, call| {
        Box::pin(machine::must_be_root(handset, call))
    }),
    ("stop", |handset, call| {
        Box::pin(machine::must_be_root(handset, call))
    }),
    ("svc", |handset, call| Box::pin(svc::run(handset, call))),
    ("top", |handset, call| Box::pin(process::top(handset, call))),
    ("uiautomator", |handset, call| {
        Box::pin(uiautomator::run(handset, call))
    }),
    ("wm", |handset, call| Box::pin(wm::run(handset, call))),
];

/// A command on its phone.
struct OnPhone {
    handset: Arc<Handset>,
    run: Run,
}

impl Program for OnPhone {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            // What moves the phone's time must not wait for it.
            if call.name() != simctl::NAME {
                self.handset.disturb();
                self.handset.spend(crate::latency::Cost::Command).await;
            }
            (self.run)(&self.handset, call).await
        })
    }
}

/// The command of that name.
pub(crate) fn find(handset: &Arc<Handset>, name: &str) -> Option<Arc<dyn Program>> {
    let (_, run) = TABLE.iter().find(|row| row.0 == name)?;
    Some(Arc::new(OnPhone {
        handset: Arc::clone(handset),
        run: *run,
    }))
}

/// The names of all of them.
pub(crate) fn names(_: &Handset) -> Vec<String> {
    TABLE.iter().map(|row| row.0.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_in_order() {
        assert!(TABLE.is_sorted_by_key(|row| row.0));
    }
}
