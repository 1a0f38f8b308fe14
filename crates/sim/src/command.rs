//! The commands a phone has beside the basic ones: one row each.

mod activity;
mod answer;
mod app_process;
mod intent;
mod monkey;
mod package;
mod property;
mod run_as;

use crate::handset::Handset;
use clawperator_userland::{BoxFuture, Call, Ended, Program};
use std::sync::Arc;

/// What runs a command.
type Run = for<'a> fn(&'a Handset, &'a mut Call) -> BoxFuture<'a, Ended>;

/// Every command, by name.
const TABLE: &[(&str, Run)] = &[
    ("am", |handset, call| Box::pin(activity::am(handset, call))),
    ("app_process", |handset, call| {
        Box::pin(app_process::app_process(handset, call))
    }),
    ("app_process32", |handset, call| {
        Box::pin(app_process::app_process(handset, call))
    }),
    ("app_process64", |handset, call| {
        Box::pin(app_process::app_process(handset, call))
    }),
    ("getprop", |handset, call| {
        Box::pin(property::getprop(handset, call))
    }),
    ("monkey", |handset, call| Box::pin(monkey::monkey(handset, call))),
    ("pm", |handset, call| Box::pin(package::pm(handset, call))),
    ("run-as", |handset, call| Box::pin(run_as::run_as(handset, call))),
    ("setprop", |handset, call| {
        Box::pin(property::setprop(handset, call))
    }),
];

/// A command on its phone.
struct OnPhone {
    handset: Arc<Handset>,
    run: Run,
}

impl Program for OnPhone {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            self.handset.disturb();
            self.handset.spend(crate::latency::Cost::Command).await;
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
