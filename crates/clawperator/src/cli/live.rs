//! Runs an execution on a phone and prints its envelope.

use super::given::Given;
use super::log::{Event, Level};
use super::output::Format;
use super::reach::{block_on, reached, turn, waiting, wanted};
use super::{Answer, World, output, record, report};
use clawperator_contract::{
    ActionKind, Checked, DataKey, DeviceResult, Envelope, ErrorCode, FAILURE_EXIT_CODE, Failure, Status,
    ViewStyle,
};
use clawperator_runtime::{Options, PackageName, Strictness, Trail, operator};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs an execution on the phone that the command line names.
pub(super) fn run(given: &Given, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    // Whatever is wrong with the words is said before a phone is looked for,
    // or started.
    let operator = super::operator::named(given, world)?;
    let wait = waiting(given)?;
    let wanted = wanted(given, world)?;
    let begun = Instant::now();
    note_start(checked, wanted.as_deref(), world);
    let trail = report::trail(given, world)?;
    let asked = Asked {
        checked,
        strictness: strictness(given),
        wait,
        operator,
        trail: trail.clone(),
    };
    let came = block_on(on_phone(wanted.as_deref(), asked, world))?;
    note_end(checked, (&came, begun), world);
    if let Some(trail) = trail {
        report::finish(given, &trail, world);
    }
    let (envelope, serial) = came?;
    let exit_code = match envelope.status {
        Status::Success => 0,
        Status::Failed => FAILURE_EXIT_CODE,
    };
    if let Some(text) = view_for_people(given, &envelope) {
        return Ok(Answer { text, exit_code });
    }
    let result = DeviceResult::new(envelope, serial);
    Ok(Answer {
        text: output::render(&result, given.format(), world.colour),
        exit_code,
    })
}

/// Writes down that an execution begins.
fn note_start(checked: &Checked, wanted: Option<&str>, world: &mut World) {
    let execution = &checked.execution;
    let message = format!("actions: {}", execution.actions().len());
    let mut event = Event::new(Level::Info, "execution.started", message);
    event.command_id = Some(execution.command_id().as_str().to_owned());
    event.task_id = Some(execution.task_id().as_str().to_owned());
    event.device_id = wanted.map(str::to_owned);
    world.log(event);
}

/// Writes down how an execution ended: codes, not what was read or typed.
fn note_end(
    checked: &Checked,
    (came, begun): (&Result<(Envelope, String), Failure>, Instant),
    world: &mut World,
) {
    let execution = &checked.execution;
    let (level, status, message) = match came {
        Ok((envelope, _)) => match envelope.status {
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
    event.device_id = came.as_ref().ok().map(|(_, serial)| serial.clone());
    event.status = Some(status.to_owned());
    event.duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
    world.log(event);
}

/// A compact view is text; whoever wants to read it gets it as it is.
fn view_for_people(given: &Given, envelope: &Envelope) -> Option<String> {
    let [step] = &envelope.step_results[..] else {
        return None;
    };
    let compact = step.data.get(DataKey::View.name()).map(String::as_str) == Some(ViewStyle::Compact.word());
    let wanted = given.format() == Format::Pretty && step.success && compact;
    let text = step.data.get(DataKey::Text.name()).filter(|_| wanted)?;
    let warning = step.data.get(DataKey::MemoryWarning.name());
    let warning = warning.map_or(String::new(), |warning| format!("\n({warning})"));
    Some(format!("{text}{warning}\n"))
}

/// What to do when several elements fit.
pub(super) fn strictness(given: &Given) -> Strictness {
    if given.has("strict") {
        Strictness::Unique
    } else {
        Strictness::First
    }
}

/// An execution, and how it is to be run.
struct Asked<'c> {
    checked: &'c Checked,
    strictness: Strictness,
    /// How long to wait for the phone.
    wait: Option<Duration>,
    /// The Operator app to run through, if that is wanted.
    operator: Option<PackageName>,
    trail: Option<Arc<Trail>>,
}

impl Asked<'_> {
    /// Whoever only stops a recording of this computer sends the phone nothing
    /// that another execution would notice.
    fn needs_no_turn(&self) -> bool {
        let mut actions = self.checked.execution.actions().iter();
        self.operator.is_none() && actions.all(|action| action.kind() == ActionKind::StopRecording)
    }
}

async fn on_phone(
    wanted: Option<&str>,
    asked: Asked<'_>,
    world: &World,
) -> Result<(Envelope, String), Failure> {
    let checked = asked.checked;
    let end = crate::signals::asked_to_end();
    let end = end.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let mut end = pin!(end);
    let ready = async {
        let phone = reached(wanted, world).await?;
        let turn = if asked.needs_no_turn() {
            None
        } else {
            let command_id = checked.execution.command_id().as_str();
            Some(turn(&phone, (command_id, asked.wait), world).await?)
        };
        Ok::<_, Failure>((phone, turn))
    };
    let (phone, _turn) = tokio::select! {
        biased;
        ready = ready => ready?,
        () = &mut end => {
            let row = ErrorCode::ExecutionCancelled.row();
            let message = "interrupted before the phone was ours; nothing was sent to it";
            return Err(Failure::new(row.code, message));
        }
    };
    let options = Options {
        trail: asked.trail,
        ..options(asked.strictness, world)
    };
    let execution = &checked.execution;
    let envelope = match asked.operator {
        None => clawperator_runtime::run_until(&phone, execution, &options, end).await?,
        Some(package) => {
            let options = operator::Options {
                package,
                session: options,
                grace: operator::GRACE,
                log_path: None,
            };
            operator::run_until(&phone, execution, &options, end).await?
        }
    };
    Ok((envelope, phone.serial().to_owned()))
}

/// What an execution takes from outside.
pub(super) fn options(strictness: Strictness, world: &World) -> Options {
    Options {
        strictness,
        seed: world.random,
        pictures: world.phones.folder.clone(),
        now_ms: world.now_ms,
        recordings: Some(record::keeper(world)),
        memory: Some(world.phones.state.join("phones")),
        trail: None,
    }
}
