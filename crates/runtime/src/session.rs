//! Runs a checked execution on a phone, step after step, and answers with one
//! envelope. It decides nothing about steps; they do.

use crate::phone::{Dispatched, Phone};
use crate::recordings::Recordings;
use crate::step_failure::StepFailure;
use crate::steps;
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, ActionKind, DataKey, Envelope, ErrorCode, Execution, Failure, Status, StepResult, reconcile,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a session takes from outside.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to do when several elements fit.
    pub strictness: Strictness,
    /// Where waits stray to.
    pub seed: u64,
    /// The folder of pictures whose path nobody names.
    pub pictures: PathBuf,
    /// Milliseconds since 1970, for the names of such pictures.
    pub now_ms: u64,
    /// Who keeps recordings, if anybody does.
    pub recordings: Option<Arc<dyn Recordings>>,
}

/// What to do when several elements fit a matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Take the first, and say how many there were.
    First,
    /// Refuse.
    Unique,
}

/// One execution on one phone.
pub(crate) struct Session<'s> {
    pub(crate) phone: &'s Phone,
    pub(crate) options: &'s Options,
    pub(crate) command_id: &'s str,
    /// By when all of it must be done.
    pub(crate) deadline: Deadline,
    /// The screen never came to rest when it was last looked at.
    pub(crate) restless: Cell<bool>,
    /// Where the next wait strays to.
    jitter: Cell<u64>,
    done: RefCell<Vec<StepResult>>,
    /// What has been sent to the phone in this step and may have been done.
    pub(crate) sent: Cell<bool>,
}

/// Data of a step; strings at the border.
pub(crate) type Data = BTreeMap<DataKey, String>;

/// Runs an execution to its end, or to its timeout.
///
/// # Errors
/// The host-side error object: the execution's time was up, or the phone was
/// lost before there was anything to tell of it.
pub async fn run(phone: &Phone, execution: &Execution, options: &Options) -> Result<Envelope, Failure> {
    let session = Session {
        phone,
        options,
        command_id: execution.command_id().as_str(),
        deadline: Deadline::after(execution.timeout()),
        restless: Cell::new(false),
        jitter: Cell::new(options.seed),
        done: RefCell::default(),
        sent: Cell::new(false),
    };
    let running: Cell<usize> = Cell::new(0);
    let steps = session.all(execution.actions(), &running);
    match tokio::time::timeout(execution.timeout(), steps).await {
        Ok(()) => Ok(session.envelope(execution)),
        Err(_) => Err(session.too_late(execution, running.get())),
    }
}

impl Session<'_> {
    async fn all(&self, actions: &[Action], running: &Cell<usize>) {
        for (number, action) in actions.iter().enumerate() {
            running.set(number);
            self.sent.set(false);
            let before = number.checked_sub(1).and_then(|before| actions.get(before));
            let result = self.one(action, before).await;
            let failed = !result.success;
            self.done.borrow_mut().push(result);
            if failed {
                return;
            }
        }
    }

    async fn one(&self, action: &Action, before: Option<&Action>) -> StepResult {
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
                    let text = "taken right after a click: the screen may not have changed yet";
                    result.insert(DataKey::Warn, text);
                }
            }
            Err(failure) => {
                let StepFailure {
                    code, message, data, ..
                } = failure;
                insert_all(&mut result, data);
                result.insert(DataKey::Error, code.row().name);
                result.insert(DataKey::Message, message);
                if let Some(dispatched) = failure.dispatched {
                    let word = match dispatched {
                        Dispatched::No => "no",
                        Dispatched::Unknown => "unknown",
                    };
                    result.insert(DataKey::Dispatched, word);
                }
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

    /// The execution's time was up in the middle of a step.
    fn too_late(&self, execution: &Execution, running: usize) -> Failure {
        let action = execution.actions().get(running);
        let message = format!(
            "the execution was not done within {} ms",
            execution.timeout().as_millis()
        );
        let row = ErrorCode::ResultEnvelopeTimeout.row();
        Failure::new(row.code, message).hint(row.hint).with(|details| {
            details.action_id = action.map(|action| action.id().as_str().to_owned());
            details.action_type = action.map(|action| action.kind().spec().name.to_owned());
            details.step_results = self.done.borrow().clone();
            let word = if self.sent.get() { "unknown" } else { "no" };
            details.dispatched = Some(word.to_owned());
        })
    }

    /// Waits, and strays from the time by a share of it, as the seed says.
    pub(crate) async fn wait(&self, delay: Duration, jitter: f64) {
        let drawn = mix(self.jitter.get());
        self.jitter.set(drawn);
        // Between -1 and 1.
        let stray = (drawn >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let factor = (1.0 + stray * jitter).max(0.0);
        tokio::time::sleep(delay.mul_f64(factor)).await;
    }
}

fn insert_all(result: &mut StepResult, data: Data) {
    for (key, value) in data {
        result.insert(key, value);
    }
}

/// A number as good as random, and the same for the same number.
fn mix(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}
