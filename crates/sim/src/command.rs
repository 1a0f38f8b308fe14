//! The commands a phone has beside the basic ones: one row each.

mod dumpsys;
mod exception;
mod ime;
mod input;
mod logcat;
mod pattern;
mod property;
mod screencap;
mod settings;
mod simctl;
mod uiautomator;
mod wm;

use crate::handset::Handset;
use clawperator_userland::{BoxFuture, Call, Ended, Program};
use std::sync::Arc;

/// What runs a command.
type Run = for<'a> fn(&'a Handset, &'a mut Call) -> BoxFuture<'a, Ended>;

/// Every command, by name.
const TABLE: &[(&str, Run)] = &[
    ("dumpsys", |handset, call| Box::pin(dumpsys::run(handset, call))),
    ("getprop", |handset, call| {
        Box::pin(property::getprop(handset, call))
    }),
    ("ime", |handset, call| Box::pin(ime::run(handset, call))),
    ("input", |handset, call| Box::pin(input::run(handset, call))),
    ("log", |handset, call| Box::pin(logcat::log(handset, call))),
    ("logcat", |handset, call| Box::pin(logcat::run(handset, call))),
    ("screencap", |handset, call| {
        Box::pin(screencap::run(handset, call))
    }),
    ("screenrecord", |handset, call| {
        Box::pin(screencap::record(handset, call))
    }),
    ("setprop", |handset, call| {
        Box::pin(property::setprop(handset, call))
    }),
    ("settings", |handset, call| Box::pin(settings::run(handset, call))),
    (simctl::NAME, |handset, call| Box::pin(simctl::run(handset, call))),
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
