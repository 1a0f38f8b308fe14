//! Commands that app files add to the phone's shell.

use crate::app::spec;
use crate::app::value::Value;
use crate::handset::Handset;
use crate::phone::Phone;
use crate::view::Locals;
use clawperator_userland::{Call, ExitResult, Program};
use futures_core::future::BoxFuture;
use std::sync::Arc;

/// The most words a command tells apart.
const MOST_WORDS: usize = 9;

/// A command of an app's on its phone.
struct AppCommand {
    handset: Arc<Handset>,
    package: String,
    command: spec::Command,
}

/// The command of that name, if an app has one.
pub(super) fn find(handset: &Arc<Handset>, name: &str) -> Option<Arc<dyn Program>> {
    let (package, command) = handset.with(|phone| {
        let apps = phone.packages.values().map(|package| &package.app);
        let found = apps.flat_map(|app| app.commands.iter().map(move |command| (app, command)));
        let (app, command) = { found }.find(|(_, command)| command.name == name)?;
        Some((app.package.clone(), command.clone()))
    })?;
    Some(Arc::new(AppCommand { handset: Arc::clone(handset), package, command }))
}

impl AppCommand {
    /// What it prints and complains of, once it has done what it does.
    fn run(&self, phone: &mut Phone, words: &[String]) -> (String, String) {
        let mut locals: Locals = vec![("args".to_owned(), Value::Text(words.join(" ")))];
        for number in 1..=MOST_WORDS {
            let word = words.get(number - 1).cloned().unwrap_or_default();
            locals.push((format!("arg{number}"), Value::Text(word)));
        }
        phone.start_process(&self.package);
        phone.run(&self.package, &self.command.effects, &locals);
        let filled = |template| phone.filled(&self.package, template, &locals);
        (filled(&self.command.prints), filled(&self.command.complains))
    }
}

impl Program for AppCommand {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult> {
        Box::pin(async move {
            let words = call.args.get(1..).unwrap_or_default().to_vec();
            let (printed, complained) = self.handset.with(|phone| Self::run(self, phone, &words));
            if !complained.is_empty() {
                call.err(complained).await;
            }
            call.out(printed).await?;
            Ok(self.command.exit)
        })
    }
}
