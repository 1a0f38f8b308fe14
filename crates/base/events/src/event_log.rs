//! The event log of one run. Events are redacted here and handed to the sinks: the journal file and
//! the subscribers. Recording never fails a run; ask for [`EventLog::problem`] afterwards.

mod acts;
mod setup;

pub use acts::EndedAct;
pub use setup::{Clock, LogSetup, Pictures, Subscribers, Tap};

use crate::redacted::{self, Knowledge};
use crate::{
    BeginEvent, Blind, ChoiceEvent, CommandKind, EndEvent, Event, LookEvent, NotUnderstood, PictureEvent,
    PictureMoment, RemovedJournals, RunEvent, RunJournal, StepBegin, StepEnd,
};
use clawperator_contract::text::escape_controls;
use clawperator_contract::{Action, DataKey, Envelope, Execution, Failure, Matcher, Step, StepResult};
use clawperator_redact::{HashKey, Secrets};
use clawperator_ui::{Attributes, NodeId, Tree};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The version of the journal's format.
pub const FORMAT: u32 = 1;

/// The most bytes of a value of a step's data that are recorded.
const MAX_VALUE: usize = 2000;

/// Who runs a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRunner {
    Host,
    /// The Operator app: only its answer is known.
    App,
}

/// A step that ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedStep<'s> {
    pub step: usize,
    pub action: &'s Action,
    pub result: &'s StepResult,
    /// How long it took, if that is known.
    pub took: Option<Duration>,
}

/// What a log begins with.
struct LogStart<'b> {
    command_id: &'b str,
    task_id: &'b str,
    /// What is to be done, without what is typed.
    execution: Value,
    place: RunPlace<'b>,
}

/// The event log of one run.
#[derive(Debug)]
pub struct EventLog {
    setup: LogSetup,
    state: Mutex<LogState>,
}

#[derive(Debug)]
struct LogState {
    began: Instant,
    /// The serial of the phone.
    device: String,
    /// How many events there were.
    seq: u64,
    journal: Option<Box<dyn RunJournal>>,
    /// The first thing that went wrong with the journal. It gets no event after that.
    problem: Option<String>,
    known: Knowledge,
    /// The folder of the journal.
    path: Option<PathBuf>,
    steps: usize,
    end: Option<EndEvent>,
}

/// Where an execution runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunPlace<'p> {
    pub device: &'p str,
    /// The package of the Operator app, if it goes through one.
    pub through: Option<&'p str>,
    /// Where the trees come from, unless that is the phone's own command.
    pub lane: Option<&'p str>,
}

impl EventLog {
    /// A log that writes nothing before the run begins.
    pub fn new(setup: LogSetup) -> Self {
        let state = LogState {
            began: Instant::now(),
            device: String::new(),
            seq: 0,
            journal: None,
            problem: None,
            known: Knowledge::default(),
            path: None,
            steps: 0,
            end: None,
        };
        Self { setup, state: Mutex::new(state) }
    }

    /// What went wrong with the journal, if something did.
    pub fn problem(&self) -> Option<String> {
        self.lock(|state| state.problem.clone())
    }

    /// The journal's folder, once the run has begun.
    pub fn path(&self) -> Option<PathBuf> {
        self.lock(|state| state.path.clone())
    }

    /// How the run ended, if it has, even if that could not be written.
    pub fn end_of_run(&self) -> Option<EndEvent> {
        self.lock(|state| state.end.clone())
    }

    /// Whether pictures are to be taken.
    pub fn pictures(&self) -> Pictures {
        self.setup.pictures
    }

    /// Records that an execution begins, and where.
    pub fn begin(&self, execution: &Execution, place: &RunPlace<'_>) {
        let begin = LogStart {
            command_id: execution.command_id().as_str(),
            task_id: execution.task_id().as_str(),
            execution: redacted::execution(execution),
            place: *place,
        };
        self.open(begin, |known| known.hide_what_is_read(execution, &self.setup.redactions));
    }

    /// Records the beginning, in a journal of its own; `learn` gets what must
    /// be hidden from then on.
    fn open(&self, begun: LogStart<'_>, learn: impl FnOnce(&mut Knowledge)) {
        let device = begun.place.device;
        let started_ms = self.setup.clock.now_ms();
        let mut begin = BeginEvent {
            format: FORMAT,
            version: self.setup.version.to_owned(),
            command_id: begun.command_id.to_owned(),
            task_id: begun.task_id.to_owned(),
            device: device.to_owned(),
            through: begun.place.through.map(str::to_owned),
            lane: begun.place.lane.map(str::to_owned),
            started_ms,
            payload: hash(&begun.execution),
            execution: begun.execution,
            skill_run: self.setup.skill_run.clone(),
            removed: RemovedJournals::default(),
        };
        self.lock(|state| {
            state.began = Instant::now();
            device.clone_into(&mut state.device);
            state.known.add_wanted_texts(&begin.execution);
            learn(&mut state.known);
            let folder = self.setup.journal.as_ref();
            match folder.map(|folder| folder.begin(&begin.command_id, started_ms)) {
                Some(Ok((journal, removed))) => {
                    begin.removed = removed;
                    state.path = Some(journal.folder().to_owned());
                    state.journal = Some(journal);
                }
                Some(Err(error)) => state.give_up(&error),
                None => {}
            }
            self.hand_on(state, &Event::Begin(Box::new(begin)));
        });
    }

    /// Records an event that has nothing to redact.
    pub fn record(&self, event: &Event) {
        self.lock(|state| self.hand_on(state, event));
    }

    /// Records the screen, and stores its tree.
    pub fn look(&self, tree: &Tree, took: Duration) {
        self.lock(|state| {
            let wants_looks = self.wants_looks(state);
            // What a run returns is redacted even if nothing is stored.
            if wants_looks || !self.setup.redactions.is_empty() {
                state.known.see(tree);
            }
            if !wants_looks {
                return;
            }
            let dump = clawperator_ui::write(&redacted::tree(tree, &state.known), Attributes::Extended);
            let stored = state.with_journal(|journal| journal.tree(&dump));
            let (tree_hash, kept) = stored.unwrap_or_else(|| (digest(dump.as_bytes()), false));
            let package = tree.nodes().next().map(|(_, node)| node.package.clone());
            let look = LookEvent {
                tree: tree_hash,
                nodes: tree.len(),
                package: package.unwrap_or_default(),
                took_us: micros(took),
                kept,
            };
            self.hand_on(state, &Event::Look(look));
        });
    }

    /// A tree as the log keeps it: without what must be hidden of screens.
    pub fn kept_tree<'t>(&self, tree: &'t Tree) -> Cow<'t, Tree> {
        self.lock(|state| redacted::tree(tree, &state.known))
    }

    /// Records a look that saw nothing.
    pub fn blind(&self, why: &dyn std::fmt::Display, took: Duration) {
        self.record(&Event::Blind(Blind { why: why.to_string(), took_us: micros(took) }));
    }

    /// Records what a command printed that is not understood.
    pub fn not_understood(&self, kind: CommandKind, printed: &str) {
        self.lock(|state| {
            let printed = cut(state.known.secrets.hide(printed));
            self.hand_on(state, &Event::NotUnderstood(NotUnderstood { kind, printed }));
        });
    }

    /// Records which elements of the screen fit a matcher. The first one was chosen.
    pub fn choice(&self, matcher: &Matcher, tree: &Tree, fitting: &[NodeId]) {
        let chosen = fitting.first().copied();
        let number = |id: NodeId| tree.nodes().position(|(other, _)| other == id);
        self.lock(|state| {
            if !self.wants_looks(state) {
                return;
            }
            let choice = ChoiceEvent {
                matcher: serde_json::to_value(matcher).unwrap_or_default(),
                fits: fitting.len(),
                node: chosen.and_then(number),
                says: chosen.map(|id| redacted::tree(tree, &state.known).excerpt(id)),
            };
            self.hand_on(state, &Event::Choice(choice));
        });
    }

    /// Whether the screen may show a secret, so that a picture of it needs a look at where.
    pub fn has_secrets(&self) -> bool {
        self.lock(|state| state.known.has_secrets())
    }

    /// Stores a picture, if there is a journal with room for it. What the last
    /// two looks saw of secrets is blanked.
    pub fn picture(&self, png: &[u8], after: PictureMoment) {
        self.lock(|state| {
            let Some(png) = state.known.without_secrets(png).map(Cow::into_owned) else {
                return;
            };
            if let Some(picture) = state.with_journal(|journal| journal.picture(&png)).flatten() {
                let picture = PictureEvent { picture, bytes: png.len(), after };
                self.hand_on(state, &Event::Picture(picture));
            }
        });
    }

    /// Whether something that steps read must not be shown as it is.
    pub fn has_redactions(&self) -> bool {
        !self.setup.redactions.is_empty()
    }

    /// Shows hashes of what steps read with this key.
    pub fn hash_with(&self, key: HashKey) {
        self.lock(|state| state.known.key = key);
    }

    /// A result's text without what the caller typed, and without what was read and
    /// must not be shown.
    pub fn hide(&self, text: &str) -> String {
        self.lock(|state| state.known.own.hide(text))
    }

    /// What must be hidden of screens.
    pub fn secrets(&self) -> Secrets {
        self.lock(|state| state.known.secrets.clone())
    }

    /// Hides a text of screens from now on.
    pub fn add_secret(&self, text: &str) {
        self.lock(|state| state.known.secrets.add_read(text));
    }

    /// Hides a text everywhere from now on: the caller itself typed it into a
    /// password field, or it was read and must not be shown.
    pub fn add_own(&self, text: &str) {
        self.lock(|state| state.known.add_own(text));
    }

    /// Records that a step begins.
    pub fn step_begin(&self, step: usize, action: &Action, runner: StepRunner) {
        self.record(&Event::StepBegin(StepBegin {
            step,
            id: action.id().as_str().to_owned(),
            action: action.kind().name().to_owned(),
            by_app: runner == StepRunner::App,
        }));
    }

    /// Records what came of a step.
    pub fn step_end(&self, ended: EndedStep<'_>) {
        let EndedStep { step, action, result, took } = ended;
        self.lock(|state| {
            state.steps += 1;
            let mut data = redacted::data(action, result, &state.known);
            // A hierarchy is the tree of the look before.
            if let (Step::SnapshotUi(_), Some(text)) = (action.step(), data.get_mut(DataKey::Text.name())) {
                *text = format!("[{} bytes]", text.len());
            }
            let end = StepEnd {
                step,
                success: result.success,
                took_us: took.map(micros),
                data: data.into_iter().map(|(key, value)| (key, cut(value))).collect(),
            };
            self.hand_on(state, &Event::StepEnd(end));
        });
    }

    /// Records the end of the run.
    pub fn end(&self, execution: &Execution, outcome: &Result<Envelope, Failure>) {
        self.lock(|state| {
            state.known.add_what_was_read(execution, outcome);
            let end = EndEvent::of(&redacted::outcome(execution, outcome, &state.known));
            self.close(state, end);
        });
    }

    /// What came of a run, as its caller may have it: without what its steps read
    /// and must not show, and with all else as it is.
    pub fn redact_outcome(
        &self,
        execution: &Execution,
        outcome: Result<Envelope, Failure>,
    ) -> Result<Envelope, Failure> {
        if self.setup.redactions.is_empty() {
            return outcome;
        }
        self.lock(|state| {
            state.known.add_what_was_read(execution, &outcome);
            redacted::outcome(execution, &outcome, &state.known)
        })
    }

    fn close(&self, state: &mut LogState, mut end: EndEvent) {
        end.steps = state.steps;
        end.took_us = micros(state.began.elapsed());
        end.lines = state.journal.as_ref().map_or(0, |journal| journal.lines()) + 1;
        self.hand_on(state, &Event::End(end.clone()));
        state.end = Some(end);
    }

    /// Gives an event to every sink.
    fn hand_on(&self, state: &mut LogState, event: &Event) {
        // The end is the last event. A command that borrows something is finished
        // after its run was cancelled, and is not logged.
        if state.end.is_some() {
            return;
        }
        let at_us = micros(state.began.elapsed());
        state.with_journal(|journal| journal.record(at_us, event));
        let seq = state.seq;
        state.seq += 1;
        let Some(subscribers) = &self.setup.subscribers else {
            return;
        };
        if let Some(Tap(tap)) = &subscribers.tap {
            tap(event);
        }
        if subscribers.is_heard() {
            let event = Arc::new(RunEvent {
                run_id: subscribers.run_id.clone(),
                device: state.device.clone(),
                seq,
                at_us,
                event: event.clone(),
            });
            for stream in &subscribers.streams {
                stream.send(&event);
            }
        }
    }

    /// Tells whether anything reads looks and choices, which cost time.
    fn wants_looks(&self, state: &LogState) -> bool {
        state.journal.is_some() || self.setup.subscribers.as_ref().is_some_and(Subscribers::is_heard)
    }

    fn lock<T>(&self, act: impl FnOnce(&mut LogState) -> T) -> T {
        // A thread that panicked here left whole lines.
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LogState {
    /// Does something with the journal, if there is one. After an error there is none.
    fn with_journal<T>(&mut self, act: impl FnOnce(&mut dyn RunJournal) -> std::io::Result<T>) -> Option<T> {
        let done = act(self.journal.as_deref_mut()?);
        done.inspect_err(|error| self.give_up(error)).ok()
    }

    fn give_up(&mut self, error: &std::io::Error) {
        self.journal = None;
        self.problem.get_or_insert_with(|| error.to_string());
    }
}

/// The SHA-256 of a value's compact JSON.
pub(crate) fn hash(value: &impl Serialize) -> String {
    // As it is printed.
    let json = serde_json::to_string(value).unwrap_or_default();
    digest(escape_controls(json).as_bytes())
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// A time in whole microseconds.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A value of a step's data, or its beginning and how long it is.
pub fn cut(value: String) -> String {
    if value.len() <= MAX_VALUE {
        return value;
    }
    let end = value.floor_char_boundary(MAX_VALUE);
    format!("{}… [{} bytes]", &value[..end], value.len())
}
