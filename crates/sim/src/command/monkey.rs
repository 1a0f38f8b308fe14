//! `monkey`: clients use it to start an app they know only by its package.
//!
//! It starts the app and touches nothing: what a real one would do then is
//! random.

use super::answer::{Answer, Words};
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Intent, LAUNCHER, MAIN};
use clawperator_userland::{Call, Ended};

/// Options with a value behind them; those with `--pct-` have one too.
const WITH_VALUE: &[&str] = &["-s", "--throttle", "-f", "--setup", "--port", "--bugreport"];
/// How it ends when there is nothing to run: -4.
const NOTHING_TO_RUN: u8 = 252;

pub(super) async fn monkey(handset: &Handset, call: &mut Call) -> Ended {
    let args = call.args.clone();
    let mut words = Words::new(args.get(1..).unwrap_or_default());
    let mut packages = Vec::new();
    let mut categories = Vec::new();
    while let Some(option) = words.option() {
        let takes = WITH_VALUE.contains(&option) || option.starts_with("--pct-");
        match option {
            "-p" => packages.extend(words.next()),
            "-c" => categories.extend(words.next()),
            _ if takes => {
                words.next();
            }
            _ => {}
        }
    }
    let Some(count) = words.next().and_then(|count| count.parse::<u32>().ok()) else {
        let usage = "usage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...] [-c MAIN_CATEGORY] [-s SEED] [--throttle MILLISEC] COUNT\n";
        return Answer::wrong(255, usage).give(call).await;
    };
    let shown: String = args
        .iter()
        .skip(1)
        .map(|word| format!("  bash arg: {word}\n"))
        .collect();
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
    let cold = handset.with(|phone| {
        let found = phone.resolve(&intent)?;
        Some(phone.packages.get(&found.package)?.pid.is_none())
    });
    if cold == Some(true) {
        handset.spend(Cost::AppStart).await;
    }
    let answer = match handset.with(|phone| phone.start(&intent)) {
        Ok(_) => Answer::ok(format!(
            "Events injected: {count}\n## Network stats: elapsed time=21ms (0ms mobile, 0ms wifi, 21ms not connected)\n"
        )),
        Err(_) => Answer::failed(NOTHING_TO_RUN, "** No activities found to run, monkey aborted.\n"),
    };
    answer.give(call).await
}
