//! Runs a checked execution on a phone, step after step, and answers with one
//! envelope. It decides nothing about steps; they do.

use crate::memory::Memory;
use crate::phone::{Dispatched, Phone, PhoneError};
use crate::recordings::Recordings;
use crate::steps;
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, ActionKind, DataKey, Envelope, ErrorCode, Execution, Failure, Status, StepResult, reconcile,
};
use clawperator_journal::{EndedStep, Event, EventLog, Moment, Pictures, StepRunner, Wait};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What a session takes from outside.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to do when several elements fit.
    pub strictness: Strictness,
    /// Where waits stray to.
    pub seed: u64,
    /// The folder of pictures whose path nobody names.
    pub pictures: PathBuf,
    /// Milliseconds since 1970, for the names of such pictures.
    pub now_ms: u64,
    /// Where what happens is noted, if anywhere.
    pub event_log: Option<Arc<EventLog>>,
    /// The folder of what is remembered of phones; without one, refs hold for
    /// this execution only.
    pub memory: Option<PathBuf>,
    /// Who keeps recordings, if anybody does.
    pub recordings: Option<Arc<dyn Recordings>>,
}

/// What to do when several elements fit a matcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Take the first, and say how many there were.
    #[default]
    First,
    /// Refuse.
    Unique,
}

/// What is said of a snapshot right after a click: the contract's own words, to
/// the letter.
pub(crate) const EARLY: &str = "snapshot captured without a preceding sleep step; UI may not have settled - \
    consider adding a sleep step between click and snapshot_ui";

/// One execution on one phone.
pub(crate) struct Session<'s> {
    pub(crate) phone: &'s Phone,
    pub(crate) options: &'s Options,
    pub(crate) command_id: &'s str,
    /// By when all of it must be done.
    pub(crate) deadline: Deadline,
    /// Where the next wait strays to.
    jitter: Cell<u64>,
    done: RefCell<Vec<StepResult>>,
    /// Whether the phone may have done something in this step.
    acted: Cell<bool>,
    /// How many pictures whose path nobody named were taken.
    pub(crate) pictures: Cell<u32>,
    /// Whether a matcher of this step must fit one element alone.
    pub(crate) strict: Cell<bool>,
    /// The user's keyboard, while ours stands in for it.
    pub(crate) keyboard: RefCell<Option<String>>,
    /// What is remembered of the phone's screens.
    pub(crate) memory: Memory,
}

/// How much later than the execution the calls to the phone run out of time:
/// it is the execution that is too late, not the phone.
const OVERTIME: Duration = Duration::from_secs(1);

/// Why an execution ended before its last step.
#[derive(Clone, Copy)]
enum Interruption {
    Timeout,
    Stop,
}

/// Data of a step; strings at the border.
pub(crate) type Data = BTreeMap<DataKey, String>;

/// Runs an execution to its end, or to its timeout.
///
/// # Errors
/// The host-side error object: the execution's time was up, or the phone was
/// lost before there was anything to tell of it.
pub async fn run(phone: &Phone, execution: &Execution, options: &Options) -> Result<Envelope, Failure> {
    run_until(phone, execution, options, std::future::pending()).await
}

/// Runs an execution to its end, to its timeout, or until it is stopped.
///
/// # Errors
/// As for [`run`]; where it was stopped, what was in flight then.
pub async fn run_until(
    phone: &Phone,
    execution: &Execution,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Envelope, Failure> {
    let session = Session::new(phone, execution, options);
    phone.log_to(options.event_log.clone());
    session.note(|log| log.begin(execution, phone.serial(), None));
    let outcome = session.to_the_end(execution, stop).await;
    session.note(|log| log.end(execution, &outcome));
    phone.log_to(None);
    outcome
}

impl<'s> Session<'s> {
    /// A session whose time begins now.
    pub(crate) fn new(phone: &'s Phone, execution: &'s Execution, options: &'s Options) -> Self {
        Self {
            phone,
            options,
            command_id: execution.command_id().as_str(),
            deadline: Deadline::after(execution.timeout() + OVERTIME),
            jitter: Cell::new(options.seed),
            done: RefCell::default(),
            acted: Cell::new(false),
            pictures: Cell::new(0),
            strict: Cell::new(false),
            keyboard: RefCell::default(),
            memory: Memory::new(options.memory.as_deref(), phone.serial()),
        }
    }

    async fn to_the_end(
        &self,
        execution: &Execution,
        stop: impl Future<Output = ()>,
    ) -> Result<Envelope, Failure> {
        let running: Cell<usize> = Cell::new(0);
        let steps = self.all(execution, &running);
        let interruption = tokio::select! {
            // What is done is not called interrupted.
            biased;
            () = steps => None,
            () = tokio::time::sleep(execution.timeout()) => Some(Interruption::Timeout),
            () = stop => Some(Interruption::Stop),
        };
        self.give_back().await;
        match interruption {
            None => Ok(self.envelope(execution)),
            Some(why) => Err(self.interrupted(execution, why, running.get())),
        }
    }
}

impl Session<'_> {
    async fn all(&self, execution: &Execution, running: &Cell<usize>) {
        self.settle_debts().await;
        let actions = execution.actions();
        for (number, action) in actions.iter().enumerate() {
            running.set(number);
            let strict = self.options.strictness == Strictness::Unique || execution.is_strict(action);
            self.strict.set(strict);
            let before = number.checked_sub(1).and_then(|before| actions.get(before));
            let since = Instant::now();
            self.note(|log| log.step_begin(number, action, StepRunner::Host));
            let result = self.one(action, before).await;
            self.pictured(Moment::Step).await;
            self.note(|log| {
                log.step_end(EndedStep {
                    step: number,
                    action,
                    result: &result,
                    took: Some(since.elapsed()),
                });
            });
            let failed = !result.success;
            self.done.borrow_mut().push(result);
            if failed {
                return;
            }
        }
    }

    /// Runs one step.
    pub(crate) async fn one(&self, action: &Action, before: Option<&Action>) -> StepResult {
        self.acted.set(false);
        let outcome = steps::run(self, action.step()).await;
        let mut result = StepResult {
            id: action.id().as_str().to_owned(),
            action_type: action.kind().spec().name.to_owned(),
            success: outcome.is_ok(),
            data: BTreeMap::new(),
        };
        match outcome {
            Ok(data) => {
                insert_all(&mut result, data);
                let early = before.is_some_and(|before| {
                    matches!(before.kind(), ActionKind::Click | ActionKind::ScrollAndClick)
                });
                if action.kind() == ActionKind::SnapshotUi && early {
                    result.insert(DataKey::Warn, EARLY);
                }
            }
            Err(failure) => {
                insert_all(&mut result, failure.data);
                result.insert(DataKey::Error, failure.code.row().name);
                result.insert(DataKey::Message, failure.message);
                result.insert(DataKey::Dispatched, self.dispatched());
            }
        }
        result
    }

    fn envelope(&self, execution: &Execution) -> Envelope {
        reconcile(Envelope {
            command_id: execution.command_id().as_str().to_owned(),
            task_id: execution.task_id().as_str().to_owned(),
            status: Status::Success,
            step_results: self.done.borrow().clone(),
            error: None,
            error_code: None,
            hint: None,
        })
    }

    /// The execution ended in the middle of a step.
    fn interrupted(&self, execution: &Execution, why: Interruption, running: usize) -> Failure {
        let action = execution.actions().get(running);
        let (code, message) = match why {
            Interruption::Timeout => {
                let ms = execution.timeout().as_millis();
                let message = format!("the execution was not done within {ms} ms");
                (ErrorCode::ResultEnvelopeTimeout, message)
            }
            Interruption::Stop => {
                let id = action.map_or("", |action| action.id().as_str());
                let message = format!("the execution was interrupted in step \"{id}\"");
                (ErrorCode::ExecutionCancelled, message)
            }
        };
        let timeout = execution.timeout();
        let elapsed = match why {
            Interruption::Timeout => timeout,
            Interruption::Stop => (timeout + OVERTIME).saturating_sub(self.deadline.left()),
        };
        let ms = |time: Duration| u64::try_from(time.as_millis()).ok();
        // As on the way through the Operator app, for who reads both.
        let same = clawperator_contract::OperatorDetails {
            command_id: Some(execution.command_id().as_str().to_owned()),
            task_id: Some(execution.task_id().as_str().to_owned()),
            last_action_id: action.map(|action| action.id().as_str().to_owned()),
            last_action_type: action.map(|action| action.kind().name().to_owned()),
            elapsed_ms: ms(elapsed),
            timeout_ms: ms(timeout),
            ..Default::default()
        };
        Failure::of(code, message).with(|details| {
            details.operator = Some(Box::new(same));
            details.action_id = action.map(|action| action.id().as_str().to_owned());
            details.action_type = action.map(|action| action.kind().spec().name.to_owned());
            details.step_results = self.done.borrow().clone();
            details.dispatched = Some(self.dispatched().to_owned());
        })
    }

    /// Has the phone do something, and remembers that it may have, unless it
    /// certainly has not. To look at the screen is not to do something.
    pub(crate) async fn act<T>(
        &self,
        doing: impl Future<Output = Result<T, PhoneError>>,
    ) -> Result<T, PhoneError> {
        let before = self.acted.replace(true);
        let done = doing.await;
        if let Err(error) = &done
            && error.dispatched() == Dispatched::No
        {
            self.acted.set(before);
        }
        done
    }

    /// Whether this step may have changed anything, in the contract's word.
    pub(crate) fn dispatched(&self) -> &'static str {
        if self.acted.get() { "unknown" } else { "no" }
    }

    /// A delay that strays from the given one by a share of it, as the seed
    /// says.
    pub(crate) fn strayed(&self, delay: Duration, jitter: f64) -> Duration {
        let drawn = mix(self.jitter.get());
        self.jitter.set(drawn);
        // Between -1 and 1.
        let stray = (drawn >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let factor = (1.0 + stray * jitter).max(0.0);
        delay.mul_f64(factor)
    }

    /// Waits for something that takes its time, and says what.
    pub(crate) async fn pause(&self, time: Duration, why: &str) {
        self.note(|log| {
            log.record(&Event::Wait(Wait {
                ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                why: why.to_owned(),
                attempt: None,
            }));
        });
        tokio::time::sleep(time).await;
    }

    /// Lets the event log know something, if there is one.
    pub(crate) fn note(&self, tell: impl FnOnce(&EventLog)) {
        if let Some(log) = &self.options.event_log {
            tell(log);
        }
    }

    /// Takes a picture for the event log, if it wants any. One that cannot be had
    /// changes nothing: the command that failed is in the event log.
    pub(crate) async fn pictured(&self, after: Moment) {
        let Some(log) = &self.options.event_log else {
            return;
        };
        if log.pictures() == Pictures::Taken
            && let Ok(png) = self.phone.screenshot(self.deadline).await
        {
            log.picture(&png, after);
        }
    }
}

fn insert_all(result: &mut StepResult, data: Data) {
    for (key, value) in data {
        result.insert(key, value);
    }
}

/// A number as good as random, and the same for the same number. The simulated
/// phone has the same four lines: neither may know the other, and nothing that
/// both use deals in chance.
fn mix(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}
