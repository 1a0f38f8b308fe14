//! `am start`.

use super::super::answer::{CommandResult, CommandWords, is_in, no_number};
use super::super::intent;
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::phone::{ActivityStart, Intent, StartError};
use clawperator_userland::{Call, ExitResult};

/// What every start from the shell gets.
const NEW_TASK: u32 = 0x1000_0000;
/// The most times a start is repeated.
const MAX_REPEAT: u32 = 100;

/// The command's own options with a value behind them, and those without.
const WITH_VALUE: &str = "--user --display --windowingMode --activityType --task -P --start-profiler \
    --sampling --attach-agent --attach-agent-bind --splashscreen-icon";
const ALONE: &str = "-D -N --suspend --streaming --track-allocation --lock-task --task-overlay \
    --allow-background-activity-starts --dismiss-keyguard --splashscreen-show-icon";

#[derive(Clone, Copy, Debug, Default)]
struct ActivityStartOptions {
    wait: bool,
    stop: bool,
    repeat: u32,
}

pub(super) async fn start(handset: &Handset, call: &mut Call, words: &mut CommandWords<'_>) -> ExitResult {
    let (mut intent, options) = match parse(words) {
        Ok(parsed) => parsed,
        Err(answer) => return answer.give(call).await,
    };
    for _ in 0..options.repeat.clamp(1, MAX_REPEAT) {
        if options.stop {
            let found = handset.with(|phone| phone.resolve(&intent));
            if let Some(found) = found {
                call.out(format!("Stopping: {}\n", found.package)).await?;
                handset.with(|phone| phone.force_stop(&found.package));
            }
        }
        call.out(format!("Starting: {}\n", intent_text(&intent))).await?;
        intent::set_flags(&mut intent, NEW_TASK);
        let code = once(handset, &intent, options).await.give(call).await?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

fn parse(words: &mut CommandWords<'_>) -> Result<(Intent, ActivityStartOptions), CommandResult> {
    let mut options = ActivityStartOptions::default();
    let mut own = |option: &str, words: &mut CommandWords<'_>| {
        match option {
            "-W" => options.wait = true,
            "-S" => options.stop = true,
            "-R" => {
                let text = words.value(option)?;
                options.repeat = text.parse().map_err(|_| no_number(text))?;
            }
            option if is_in(WITH_VALUE, option) => {
                words.value(option)?;
            }
            option => return Ok(is_in(ALONE, option)),
        }
        Ok(true)
    };
    let intent = intent::parse(words, "start", &mut own)?;
    Ok((intent, options))
}

fn intent_text(intent: &Intent) -> String {
    format!("Intent {{ {} }}", intent.describe())
}

async fn once(handset: &Handset, intent: &Intent, options: ActivityStartOptions) -> CommandResult {
    if handset.strike(FaultPoint::StartKept).is_some() {
        let why = "Warning: Activity not started because the current activity is being kept for the user.\n";
        return CommandResult::wrong(0, why);
    }
    handset.spend_start(intent).await;
    let (had_task, started) = handset.with(|phone| {
        let found = phone.resolve(intent);
        let open = phone.open_activities();
        let had_task = found.is_some_and(|found| open.iter().any(|row| row.package == found.package));
        (had_task, phone.start(intent))
    });
    // An old phone calls every start a success.
    let failed = u8::from(!handset.with(|phone| phone.tells_focus_with_windows()));
    match started {
        Ok(started) => start_answer(&started, intent, had_task, options),
        Err(StartError::NoActivity) => CommandResult::wrong(
            failed,
            format!("Error: Activity not started, unable to resolve {}\n", intent_text(intent)),
        ),
        Err(StartError::NoClass(_)) => {
            let (package, class) = intent.component.clone().unwrap_or_default();
            let text = format!("Error type 3\nError: Activity class {{{package}/{class}}} does not exist.\n");
            CommandResult::wrong(failed, text)
        }
    }
}

fn start_answer(
    started: &ActivityStart,
    intent: &Intent,
    had_task: bool,
    options: ActivityStartOptions,
) -> CommandResult {
    let mut answer = CommandResult::default();
    if had_task {
        let what = if started.was_front && intent.data.is_some() {
            "intent has been delivered to currently running top-most instance."
        } else {
            "its current task has been brought to the front"
        };
        answer.err = format!("Warning: Activity not started, {what}\n");
    }
    if options.wait && started.died {
        answer.out = format!("Status: timeout\nActivity: {}\nComplete\n", started.component);
    } else if options.wait {
        // The usual times of such starts: time itself would differ each time.
        let (state, total) = match (started.cold, started.was_front) {
            (true, _) => ("COLD", 312),
            (false, true) => ("UNKNOWN (0)", 0),
            (false, false) => ("HOT", 84),
        };
        answer.out = format!(
            "Status: ok\nLaunchState: {state}\nActivity: {}\nTotalTime: {total}\nWaitTime: {}\nComplete\n",
            started.component,
            total + 2
        );
    }
    answer
}
