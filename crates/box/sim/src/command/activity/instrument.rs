//! `am instrument`: no code of an APK runs, but one instrumentation is known
//! by its name, and the phone does what it does.

use super::super::answer::{CommandResult, CommandWords};
use super::super::intent;
use crate::automation::TAKEN;
use crate::handset::Handset;
use crate::instrumentation::Instrumentation;
use crate::snapshot_helper::{self, Extras};
use clawperator_userland::{Call, ExitResult};

/// The runner with which Appium's and Maestro's servers are started. No code
/// of theirs runs: they hold the UiAutomation until they are stopped.
const RUNNER: &str = "androidx.test.runner.AndroidJUnitRunner";

async fn run_server(handset: &Handset, call: &mut Call, package: &str, waits: bool) -> ExitResult {
    let Some(shared) = handset.shared() else {
        return Ok(1);
    };
    let package = package.to_owned();
    if waits {
        let said = hold(&shared, &package).await;
        return CommandResult::ok(said).give(call).await;
    }
    let job = async move {
        // No reader waits for what it says.
        hold(&shared, &package).await;
    };
    // Too many jobs are as many as a phone has processes: it does not start.
    Ok(u8::from(handset.kernel.jobs.start(job).is_err()))
}

/// Holds the UiAutomation until the server is stopped; what `am` prints then.
async fn hold(handset: &Handset, package: &str) -> String {
    // The tests of an app run in its process.
    let tested = package.strip_suffix(".test").unwrap_or(package);
    let is_there = handset.with(|phone| phone.packages.contains_key(tested));
    let app = if is_there { tested } else { package };
    let Some(running) = Instrumentation::start(handset, app, format!("{package}/{RUNNER}")) else {
        return format!(
            "INSTRUMENTATION_RESULT: shortMsg=java.lang.IllegalStateException\nINSTRUMENTATION_RESULT: longMsg={TAKEN}\nINSTRUMENTATION_CODE: 0\n"
        );
    };
    running.wait_for_end().await;
    "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n".to_owned()
}

pub(super) async fn instrument(
    handset: &Handset,
    call: &mut Call,
    words: &mut CommandWords<'_>,
) -> ExitResult {
    let mut waits = false;
    let mut extras = Extras::new();
    while let Some(option) = words.option() {
        match option {
            "-e" => {
                if let (Some(name), Some(value)) = (words.next(), words.next()) {
                    extras.insert(name.to_owned(), value.to_owned());
                }
            }
            "-p" | "--user" | "--abi" => {
                words.next();
            }
            option => waits |= option == "-w",
        }
    }
    let Some(name) = words.next() else {
        return super::no_word("instrument").give(call).await;
    };
    let component = intent::component(name).ok();
    let (package, class) = component.as_ref().map_or(("", ""), |(package, class)| (package, class));
    let is_there = (package, class) == (snapshot_helper::PACKAGE, snapshot_helper::CLASS)
        && handset.with(|phone| phone.packages.contains_key(package));
    if is_there {
        return snapshot_helper::run(handset, call, &extras).await;
    }
    if class == RUNNER && handset.with(|phone| phone.packages.contains_key(package)) {
        return run_server(handset, call, package, waits).await;
    }
    let info = if component.is_some() { format!("{package}/{class}") } else { name.to_owned() };
    let status = format!(
        "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{info}}}\nINSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
    );
    let answer = CommandResult {
        out: if waits { status } else { String::new() },
        err: format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {name}\n"),
        code: 1,
    };
    answer.give(call).await
}
