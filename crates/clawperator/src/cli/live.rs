//! Runs an execution on a phone and prints its envelope.

use super::args::Args;
use super::device::{asked_to_end, block_on, visit, waiting, wanted, with_sims};
use super::log::{Event, Level};
use super::output::Format;
use super::world::{Answer, World};
use super::{flags, record, report};
use clawperator_contract::{
    Checked, DataKey, DeviceResult, Envelope, FAILURE_EXIT_CODE, Failure, Status, ViewStyle,
};
use clawperator_runtime::operator::OperatorApp;
use clawperator_runtime::{Ran, Route, RunOptions, Strictness, run_on};
use std::time::Instant;

/// Runs an execution on the phone that the command line names.
pub(super) fn run(args: &Args, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    // What is wrong with the command line is reported before a phone is looked
    // for, or started.
    let operator = super::operator::named(args, world)?;
    let wait = waiting(args)?;
    let wanted = wanted(args, world)?;
    let begun = Instant::now();
    note_start(checked, wanted.as_deref(), world);
    let event_log = report::event_log(args, world)?;
    let options = RunOptions {
        route: operator.map_or(Route::Host, |package| Route::Operator(OperatorApp::new(package))),
        event_log: event_log.clone(),
        ..options(strictness(args), world)
    };
    let came = block_on(async {
        let visit = visit(wanted.as_deref(), wait, world);
        let ran = run_on(&visit, &checked.execution, &options, asked_to_end()?).await;
        ran.map_err(|failure| with_sims(failure, world))
    })?;
    note_end(checked, &came, begun, world);
    if let Some(log) = event_log {
        report::finish(args, &log, world);
    }
    let Ran { envelope, serial } = came?;
    let exit_code = match envelope.status {
        Status::Success => 0,
        Status::Failed => FAILURE_EXIT_CODE,
    };
    if let Some(text) = view_for_people(args, &envelope).filter(|_| checked.warnings.list().is_empty()) {
        return Ok(Answer { text, exit_code });
    }
    let result = DeviceResult::new(envelope, serial, checked.warnings.clone());
    Ok(Answer::json(&result, args, world).exit(exit_code))
}

/// Logs that an execution begins.
fn note_start(checked: &Checked, wanted: Option<&str>, world: &mut World) {
    let execution = &checked.execution;
    let message = format!("actions: {}", execution.actions().len());
    let mut event = Event::new(Level::Info, "execution.started", message);
    event.command_id = Some(execution.command_id().as_str().to_owned());
    event.task_id = Some(execution.task_id().as_str().to_owned());
    event.device_id = wanted.map(str::to_owned);
    world.log(event);
}

/// Logs how an execution ended: codes, not what was read or typed.
fn note_end(checked: &Checked, came: &Result<Ran, Failure>, begun: Instant, world: &mut World) {
    let execution = &checked.execution;
    let (level, status, message) = match came {
        Ok(Ran { envelope, .. }) => match envelope.status {
            Status::Success => (Level::Info, "success", "every step succeeded".to_owned()),
            Status::Failed => {
                let code = envelope.error_code.clone().unwrap_or_default();
                (Level::Warn, "failed", format!("a step failed: {code}"))
            }
        },
        Err(failure) => (Level::Error, "failed", failure.code.name().to_owned()),
    };
    let mut event = Event::new(level, "execution.ended", message);
    event.command_id = Some(execution.command_id().as_str().to_owned());
    event.task_id = Some(execution.task_id().as_str().to_owned());
    event.device_id = came.as_ref().ok().map(|ran| ran.serial.clone());
    event.status = Some(status.to_owned());
    event.duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
    world.log(event);
}

/// The text of a compact view, for people.
fn view_for_people(args: &Args, envelope: &Envelope) -> Option<String> {
    let [step] = &envelope.step_results[..] else {
        return None;
    };
    let compact = step.data.get(DataKey::View.name()).map(String::as_str) == Some(ViewStyle::Compact.word());
    let wanted = args.format() == Format::Pretty && step.success && compact;
    let text = step.data.get(DataKey::Text.name()).filter(|_| wanted)?;
    let warning = step.data.get(DataKey::MemoryWarning.name());
    let warning = warning.map_or(String::new(), |warning| format!("\n({warning})"));
    Some(format!("{text}{warning}\n"))
}

/// What to do when several elements fit.
pub(super) fn strictness(args: &Args) -> Strictness {
    if args.has(&flags::STRICT) {
        Strictness::Unique
    } else {
        Strictness::First
    }
}

/// What an execution takes from outside.
pub(super) fn options(strictness: Strictness, world: &World) -> RunOptions {
    RunOptions {
        route: Route::Host,
        strictness,
        seed: world.random,
        pictures: world.phones.folder.clone(),
        now_ms: world.now_ms,
        recordings: Some(record::keeper(world)),
        event_log: None,
    }
}
