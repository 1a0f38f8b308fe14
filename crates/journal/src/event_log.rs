//! The trail of an execution: what happens on the way is noted here, and goes
//! to a journal. Noting never fails an execution; whoever runs it can ask
//! afterwards whether there was trouble.

use crate::hide::hide;
use crate::limits::MAX_VALUE;
use crate::redact::{self, Knowledge, secret};
use crate::run::Run;
use crate::{Begin, Choice, End, Event, Folder, Look, Moment, Picture, StepBegin, StepEnd, digest};
use clawperator_contract::{
    Action, DataKey, Envelope, Execution, Failure, Matcher, Status, Step, StepResult,
};
use clawperator_ui::{Attributes, NodeId, Tree};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The version of the journal's format.
pub const FORMAT: u32 = 1;
/// The most bytes of one line.
pub const MAX_LINE: usize = 4 << 20;

/// Whether pictures are taken for the trail. Each is another round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// After every look and every step.
    Taken,
    /// Never.
    Left,
}

/// Tells the time in milliseconds since 1970.
pub struct Clock(Box<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// A clock that is read so.
    #[must_use]
    pub fn new(read: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Box::new(read))
    }

    fn now_ms(&self) -> u64 {
        (self.0)()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

/// The trail of one execution.
#[derive(Debug)]
pub struct EventLog {
    folder: Folder,
    version: &'static str,
    clock: Clock,
    pictures: Pictures,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    began: Instant,
    run: Option<Run>,
    /// What first went wrong. Nothing is noted from then on.
    trouble: Option<String>,
    known: Knowledge,
    /// The folder of the journal.
    path: Option<PathBuf>,
    steps: usize,
    end: Option<End>,
}

impl EventLog {
    /// A trail that goes to a new journal in that folder. Nothing is written
    /// before the execution begins; the clock is read then. The version is that
    /// of the program.
    #[must_use]
    pub fn new(folder: Folder, (version, clock): (&'static str, Clock), pictures: Pictures) -> Self {
        let state = State {
            began: Instant::now(),
            run: None,
            trouble: None,
            known: Knowledge::default(),
            path: None,
            steps: 0,
            end: None,
        };
        Self {
            folder,
            version,
            clock,
            pictures,
            state: Mutex::new(state),
        }
    }

    /// What went wrong with the journal, if something did.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.with(|state| state.trouble.clone())
    }

    /// The journal's folder, once it has begun.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        self.with(|state| state.path.clone())
    }

    /// How the execution ended, if it has, whether that could be written or not.
    #[must_use]
    pub fn end_of_run(&self) -> Option<End> {
        self.with(|state| state.end.clone())
    }

    /// Whether pictures are to be taken.
    pub fn pictures(&self) -> Pictures {
        self.pictures
    }

    /// Notes the beginning, on that phone, through that app if through one.
    pub fn begin(&self, execution: &Execution, (device, through): (&str, Option<&str>)) {
        let told = redact::execution(execution);
        let started_ms = self.clock.now_ms();
        let begin = Begin {
            format: FORMAT,
            version: self.version.to_owned(),
            command_id: execution.command_id().as_str().to_owned(),
            task_id: execution.task_id().as_str().to_owned(),
            device: device.to_owned(),
            through: through.map(str::to_owned),
            started_ms,
            payload: hash(&told),
            execution: told,
        };
        self.with(|state| {
            state.began = Instant::now();
            state.known.hear(&begin.execution);
            match self.folder.begin(&begin.command_id, started_ms) {
                Ok(run) => {
                    state.path = Some(run.folder().to_owned());
                    state.run = Some(run);
                }
                Err(error) => state.give_up(&error),
            }
            state.note(&Event::Begin(Box::new(begin)));
        });
    }

    /// Notes something.
    pub fn record(&self, event: &Event) {
        self.with(|state| state.note(event));
    }

    /// Notes the screen, and keeps its tree.
    pub fn look(&self, tree: &Tree, took: Duration) {
        self.with(|state| {
            let told = redact::tree(tree, &state.known);
            let dump = clawperator_ui::write(&told, Attributes::Extended);
            let kept = state.try_run(|run| run.tree(&dump));
            let Some((hash, kept)) = kept else { return };
            let package = tree.nodes().next().map(|(_, node)| node.package.clone());
            state.note(&Event::Look(Look {
                tree: hash,
                nodes: tree.len(),
                package: package.unwrap_or_default(),
                took_us: micros(took),
                kept,
            }));
        });
    }

    /// Notes which element was chosen.
    pub fn choice(&self, matcher: &Matcher, fits: usize, chosen: Option<(&Tree, NodeId)>) {
        let place = |(tree, id): (&Tree, NodeId)| tree.nodes().position(|(other, _)| other == id);
        self.with(|state| {
            let says = chosen.map(|(tree, id)| redact::tree(tree, &state.known).excerpt(id));
            state.note(&Event::Choice(Choice {
                matcher: serde_json::to_value(matcher).unwrap_or_default(),
                fits,
                node: chosen.and_then(place),
                says,
            }));
        });
    }

    /// Keeps a picture.
    pub fn picture(&self, png: &[u8], after: Moment) {
        self.with(|state| {
            if let Some(picture) = state.try_run(|run| run.picture(png)).flatten() {
                let bytes = png.len();
                state.note(&Event::Picture(Picture {
                    picture,
                    bytes,
                    after,
                }));
            }
        });
    }

    /// What must not be in the trail: it was typed into a password field.
    pub fn secret(&self, text: &str) {
        self.with(|state| state.known.secrets.extend(secret(text)));
    }

    /// Records that a step begins.
    pub fn step_begin(&self, step: usize, action: &Action) {
        self.record(&Event::StepBegin(StepBegin {
            step,
            id: action.id().as_str().to_owned(),
            action: action.kind().name().to_owned(),
            by_app: false,
        }));
    }

    /// Notes a step of which only the Operator app's answer is known.
    pub fn app_step_begin(&self, step: usize, action: &Action) {
        self.record(&Event::StepBegin(StepBegin {
            step,
            id: action.id().as_str().to_owned(),
            action: action.kind().name().to_owned(),
            by_app: true,
        }));
    }

    /// Notes what the Operator app says of a step. How long it took nobody says.
    pub fn app_step_end(&self, step: usize, about: (&Action, &StepResult)) {
        self.step_ended(step, about, None);
    }

    /// Records what came of a step.
    pub fn step_end(&self, step: usize, about: (&Action, &StepResult), took: Duration) {
        self.step_ended(step, about, Some(micros(took)));
    }

    fn step_ended(&self, step: usize, (action, result): (&Action, &StepResult), took_us: Option<u64>) {
        self.with(|state| {
            state.steps += 1;
            let mut data = redact::data(action.step(), result, &state.known.secrets);
            // A hierarchy is the tree of the look before.
            if let (Step::SnapshotUi(_), Some(text)) = (action.step(), data.get_mut(DataKey::Text.name())) {
                *text = format!("[{} bytes]", text.len());
            }
            state.note(&Event::StepEnd(StepEnd {
                step,
                success: result.success,
                took_us,
                data: data.into_iter().map(|(key, value)| (key, cut(value))).collect(),
            }));
        });
    }

    /// Notes the end. An envelope is told without what was typed.
    pub fn end(&self, execution: &Execution, outcome: &Result<Envelope, Failure>) {
        let secrets = self.with(|state| state.known.secrets.clone());
        let steps = |results: &[StepResult]| -> Vec<StepResult> {
            let told = execution
                .actions()
                .iter()
                .zip(results)
                .map(|(action, result)| StepResult {
                    data: redact::data(action.step(), result, &secrets),
                    ..result.clone()
                });
            told.collect()
        };
        let typed = redact::typed(execution, &secrets);
        let words = |text: &str| hide(text, typed.iter().map(String::as_str));
        let (status, code, message, envelope) = match outcome {
            Ok(envelope) => {
                let mut told = envelope.clone();
                told.step_results = steps(&envelope.step_results);
                told.error = envelope.error.as_ref().map(|error| {
                    let own = failed_message(&envelope.step_results).filter(|message| *message == error);
                    let told = own.and_then(|_| failed_message(&told.step_results));
                    told.cloned().unwrap_or_else(|| words(error))
                });
                let status = match envelope.status {
                    Status::Success => "success",
                    Status::Failed => "failed",
                };
                let message = told.error.clone();
                (status, envelope.error_code.clone(), message, hash(&told))
            }
            Err(failure) => {
                let mut told = failure.clone();
                told.message = words(&failure.message);
                if let Some(details) = &mut told.details {
                    details.step_results = steps(&details.step_results);
                }
                let code = failure.code.row().name.to_owned();
                ("failed", Some(code), Some(told.message.clone()), hash(&told))
            }
        };
        self.with(|state| {
            let lines = state.run.as_ref().map_or(0, Run::len) + 1;
            let end = End {
                status: status.to_owned(),
                code,
                message,
                steps: state.steps,
                took_us: micros(state.began.elapsed()),
                envelope,
                lines,
            };
            state.end = Some(end.clone());
            state.note(&Event::End(end));
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // Whoever panicked while noting left whole lines.
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn note(&mut self, event: &Event) {
        let at_us = micros(self.began.elapsed());
        let _ = self.try_run(|run| run.note(at_us, event));
    }

    /// Does something with the journal, as long as there is one.
    fn try_run<T>(&mut self, act: impl FnOnce(&mut Run) -> std::io::Result<T>) -> Option<T> {
        match act(self.run.as_mut()?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn give_up(&mut self, error: &std::io::Error) {
        self.run = None;
        self.trouble.get_or_insert_with(|| error.to_string());
    }
}

/// What the step that failed says of it.
fn failed_message(steps: &[StepResult]) -> Option<&String> {
    let failed = steps.iter().find(|step| !step.success)?;
    failed.data.get(DataKey::Message.name())
}

/// The SHA-256 of a value's compact JSON.
fn hash(value: &impl Serialize) -> String {
    digest(&serde_json::to_vec(value).unwrap_or_default())
}

/// A time in whole microseconds.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A value of a step's data, or its beginning and how long it is.
fn cut(value: String) -> String {
    if value.len() <= MAX_VALUE {
        return value;
    }
    let end = value.floor_char_boundary(MAX_VALUE);
    format!("{}… [{} bytes]", &value[..end], value.len())
}
