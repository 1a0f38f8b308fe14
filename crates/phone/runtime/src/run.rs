//! One execution on one phone: runs the steps in order, under the execution's
//! deadline, and builds the envelope. What a step does is in [`steps`].

mod answer;
mod judge;
mod options;
mod picture;

pub use judge::{Judge, Judgement, Objection};
pub use options::{AGENT_LOOK, LastStep, ResidentSetup, Route, RunOptions, Strictness};

use crate::dark::Private;
use crate::lease::{Act, ActError, PhoneLease};
use crate::look::{Blindness, LastLook, without_role};
use crate::operator;
use crate::phone::{Dispatched, Front, Phone};
use crate::step_failure::StepFailure;
use crate::steps;
use crate::steps::repeat::Repetition;
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, DataKey, Envelope, ErrorCode, Execution, Failure, Lane, ParamKey, StepResult,
};
use clawperator_journal::{EndedStep, Event, EventLog, Moment, RunPlace, StepRunner, Wait};
use clawperator_ui::{RefBook, Signature, Tree};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The warning on a snapshot right after a click. The contract prescribes the
/// text.
pub(crate) const EARLY: &str = "snapshot captured without a preceding sleep step; UI may not have settled - \
    consider adding a sleep step between click and snapshot_ui";

/// How much later than the execution the calls to the phone time out: it is the
/// execution that is too late, not the phone.
pub(crate) const OVERTIME: Duration = Duration::from_secs(1);

/// Data of a step; strings at the border.
pub(crate) type Data = BTreeMap<DataKey, String>;

/// One execution under way.
pub(crate) struct Run<'r> {
    pub(crate) lease: &'r mut PhoneLease,
    pub(crate) execution: &'r Execution,
    pub(crate) options: &'r RunOptions,
    began: Instant,
    /// When the calls to the phone time out.
    pub(crate) deadline: Deadline,
    /// The index of the step under way.
    pub(crate) step: usize,
    pub(crate) done: Vec<StepResult>,
    /// What is known of the act of this step.
    pub(crate) act: StepAct,
    /// The first step that acted, of those before this one.
    first_act: Option<usize>,
    /// What is known of the act of the step before.
    pub(crate) act_before: StepAct,
    /// Why the last attempt of this step failed, if there was one.
    pub(crate) last_failure: Option<StepFailure>,
    /// Why the last looks of this step failed, if they did.
    pub(crate) blind: Option<Blindness>,
    /// What was in front at the last look.
    pub(crate) front: Option<Front>,
    /// What is dots in the tree of the last look.
    pub(crate) private: Private,
    /// What was on the screen at the last look, for the judge of acts.
    pub(crate) judged: Option<Tree>,
    /// Whether the last look of this step saw what may be the lock screen, or
    /// nothing.
    pub(crate) may_be_locked: bool,
    /// The screen that ended the step before, if nothing was done since.
    pub(crate) last_look: Option<LastLook>,
    /// The app that the last look saw, and the one that was touched since.
    pub(crate) seen_app: Option<String>,
    pub(crate) touched_app: Option<String>,
    /// The app of the home screen, where it was asked for.
    pub(crate) home: Option<String>,
    /// How often this step has acted, if it acts more than once.
    pub(crate) repetition: Option<Repetition>,
    /// What this step has scrolled.
    pub(crate) scrolled: Option<Signature>,
    pub(crate) rules: StepRules,
    /// The refs as the caller knew them, once a step has shown a screen.
    pub(crate) book: Option<RefBook>,
    /// The state of the generator of retry jitter.
    pub(crate) jitter: u64,
    /// How many screenshots without a path were taken.
    pub(crate) pictures: u32,
    has_ended: bool,
}

/// How a step chooses and touches its element.
#[derive(Clone, Copy, Default)]
pub(crate) struct StepRules {
    /// Whether a matcher must match one element only.
    pub(crate) strict: bool,
    /// Whether to touch what is covered.
    pub(crate) force: bool,
    /// Whether what is typed is sent.
    pub(crate) submits: bool,
}

/// What is known of the act of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepAct {
    /// Nothing was sent that changes the phone.
    None,
    /// Something was sent; the phone may have changed.
    Sent,
    /// The phone accepted it, and only its effect is still to be seen.
    Accepted,
}

/// Why an execution ended before its last step.
#[derive(Clone, Copy)]
enum Interruption {
    Timeout,
    Stop,
}

impl<'r> Run<'r> {
    /// Starts the clock and the event log.
    pub(crate) fn begin(
        lease: &'r mut PhoneLease,
        execution: &'r Execution,
        options: &'r RunOptions,
        began: Instant,
    ) -> Self {
        let left = (execution.timeout() + OVERTIME).saturating_sub(began.elapsed());
        let run = Self {
            lease,
            execution,
            options,
            began,
            deadline: Deadline::after(left),
            step: 0,
            done: Vec::new(),
            act: StepAct::None,
            first_act: None,
            act_before: StepAct::None,
            last_failure: None,
            blind: None,
            front: None,
            private: Private::default(),
            judged: None,
            may_be_locked: false,
            last_look: None,
            seen_app: None,
            touched_app: None,
            home: None,
            repetition: None,
            scrolled: None,
            rules: StepRules::default(),
            book: None,
            jitter: options.seed,
            pictures: 0,
            has_ended: false,
        };
        if let Some(log) = &options.event_log {
            run.phone().log_to(Some(log.clone()));
            run.lease.memory.event_log = Some(log.clone());
        }
        // A look between runs saw them, and no step.
        drop(run.phone().take_toasts());
        let app = match &options.route {
            Route::Host => None,
            Route::Operator(app) => Some(app.package.as_str()),
        };
        let lane = run.phone().lane();
        let place = RunPlace {
            device: run.phone().serial(),
            through: app,
            lane: (lane != Lane::Dump).then(|| lane.word()),
        };
        run.note(|log| log.begin(execution, &place));
        run
    }

    /// Gives the execution all of its time from now on.
    pub(crate) fn restart_clock(&mut self) {
        self.deadline = Deadline::after(self.execution.timeout() + OVERTIME);
    }

    /// Runs to the end, the timeout, or the stop.
    pub(crate) async fn finish(mut self, stop: impl Future<Output = ()> + Send) -> Result<Envelope, Failure> {
        let options = self.options;
        // On the heap: each of these futures is large.
        let outcome = match &options.route {
            Route::Host => Box::pin(self.on_host(stop)).await,
            Route::Operator(app) => Box::pin(operator::run(&mut self, app, stop)).await,
        };
        self.end(&outcome);
        outcome
    }

    async fn on_host(&mut self, stop: impl Future<Output = ()>) -> Result<Envelope, Failure> {
        let end = self.began + self.execution.timeout();
        let interruption = tokio::select! {
            // What is done does not count as interrupted.
            biased;
            () = self.all_steps() => None,
            () = tokio::time::sleep_until(end) => Some(Interruption::Timeout),
            () = stop => Some(Interruption::Stop),
        };
        self.lease.settle().await;
        match interruption {
            None => Ok(self.envelope()),
            Some(Interruption::Timeout) if self.end_late_step() || self.only_shows() => Ok(self.envelope()),
            Some(why) => Err(self.interrupted(why)),
        }
    }

    /// Ends the step under way when the time is up: it fails for the reason of
    /// its last attempt. Tells whether there is such a reason. If the step has
    /// acted, or the screen could not be read, its outcome is unknown.
    fn end_late_step(&mut self) -> bool {
        let execution = self.execution;
        let is_locked =
            |why: &StepFailure| matches!(why.code, ErrorCode::DeviceLocked | ErrorCode::DeviceScreenOff);
        let is_blind = matches!(self.blind, Some(Blindness::Failed(_)))
            && !self.last_failure.as_ref().is_some_and(is_locked);
        if self.act != StepAct::None || is_blind || self.done.len() != self.step {
            return false;
        }
        let (Some(action), Some(mut failure)) =
            (execution.actions().get(self.step), self.last_failure.take())
        else {
            return false;
        };
        let ms = execution.timeout().as_millis();
        failure
            .message
            .push_str(&format!("; the execution's {ms} ms were over{}", self.unseen()));
        let result = self.result(action, None, Err(failure));
        self.note(|log| {
            log.step_end(EndedStep {
                step: self.step,
                action,
                result: &result,
                took: None,
            });
        });
        self.done.push(result);
        true
    }

    /// Whether all is done but a look at it.
    fn only_shows(&self) -> bool {
        let is_left = self.step > 0 && self.step + 1 == self.execution.actions().len();
        let is_done = self.done.iter().take(self.step).all(|step| step.success);
        self.options.last == LastStep::Shows && is_left && is_done
    }

    async fn all_steps(&mut self) {
        self.lease.settle_earlier(self.deadline).await;
        let execution = self.execution;
        let mut before = None;
        for (number, action) in execution.actions().iter().enumerate() {
            self.step = number;
            self.rules.strict = self.options.strictness == Strictness::Unique || execution.is_strict(action);
            let since = Instant::now();
            self.note(|log| log.step_begin(number, action, StepRunner::Host));
            let result = self.one_step(action, before).await;
            let failed = !result.success;
            // Before the picture: what is done stays done if the time runs out.
            self.done.push(result);
            self.picture(Moment::Step).await;
            let result = self.done.last();
            self.note(|log| {
                let ended = result.map(|result| EndedStep {
                    step: number,
                    action,
                    result,
                    took: Some(since.elapsed()),
                });
                if let Some(ended) = ended {
                    log.step_end(ended);
                }
            });
            if failed {
                return;
            }
            before = Some(action);
        }
    }

    /// Runs one step; `before` is the action before it.
    pub(crate) async fn one_step(&mut self, action: &Action, before: Option<&Action>) -> StepResult {
        if self.act != StepAct::None {
            self.first_act.get_or_insert(self.step);
        }
        self.act_before = self.act;
        (self.act, self.last_failure, self.blind) = (StepAct::None, None, None);
        (self.may_be_locked, self.scrolled, self.repetition) = (false, None, None);
        let params = action.params();
        let flag = |key| params.and_then(|params| params.flag(key)) == Some(true);
        (self.rules.force, self.rules.submits) = (flag(ParamKey::Force), flag(ParamKey::Submit));
        let ran = match (without_role(action), action.repeat()) {
            (Some(failure), _) => Err(failure),
            (None, Some(asked)) => Box::pin(steps::repeat::repeat(self, action.step(), asked)).await,
            (None, None) => steps::run(self, action.step()).await,
        };
        let outcome = match ran {
            Err(failure) => Err(self.or_locked(failure).await),
            done => done,
        };
        self.result(action, before, outcome)
    }

    /// The same failure, unless what was looked for is missing because the phone is
    /// locked or off.
    pub(crate) async fn or_locked(&mut self, failure: StepFailure) -> StepFailure {
        use ErrorCode::{
            ContainerNotFound, NodeNotFound, RefStale, SnapshotExtractionFailed, TargetNotFound,
        };
        let is_missing = matches!(
            failure.code,
            ContainerNotFound | NodeNotFound | RefStale | SnapshotExtractionFailed | TargetNotFound
        );
        if !self.may_be_locked || !is_missing {
            return failure;
        }
        let front = self.phone().foreground(self.deadline).await;
        let Some(lock) = front.ok().and_then(|front| front.lock()) else {
            return failure;
        };
        StepFailure {
            code: lock.code(),
            message: format!("{lock}: {}", failure.message),
            ..failure
        }
    }

    fn end(&mut self, outcome: &Result<Envelope, Failure>) {
        self.has_ended = true;
        if self.blind.is_some() {
            // What the next view shows is not compared with a screen before this one.
            self.lease.memory.change(|views| views.unread = true);
        }
        self.note(|log| log.end(self.execution, outcome));
        if self
            .options
            .event_log
            .as_ref()
            .is_some_and(|log| log.has_redactions())
        {
            self.lease.memory.store_again();
        }
        self.lease.memory.event_log = None;
        self.phone().log_to(self.lease.event_log().cloned());
    }
}

/// A run that is dropped on the way was cancelled, and its event log says so.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            let cancelled = match &self.options.route {
                Route::Host => self.interrupted(Interruption::Stop),
                // How far the app got is not known here.
                Route::Operator(_) => {
                    Failure::new(ErrorCode::ExecutionCancelled, "cancelled before it finished")
                }
            };
            self.end(&Err(cancelled));
        }
    }
}

impl Run<'_> {
    pub(crate) fn phone(&self) -> &Phone {
        self.lease.phone()
    }

    /// Changes the phone, and remembers that it may have changed unless it
    /// certainly has not.
    pub(crate) async fn perform(&mut self, act: Act) -> Result<(), ActError> {
        let act = self.permitted(act).await?;
        self.last_look = None;
        let touches = matches!(act, Act::Touch(..) | Act::Type(_));
        self.touched_app = self.seen_app.take().filter(|_| touches);
        let before = std::mem::replace(&mut self.act, StepAct::Sent);
        let done = self.lease.perform(act, self.deadline).await;
        if let Err(error) = &done
            && error.dispatched == Dispatched::No
        {
            self.act = before;
        }
        done
    }

    /// The phone accepted the act that the step is for.
    pub(crate) fn accepted(&mut self) {
        if self.act == StepAct::Sent {
            self.act = StepAct::Accepted;
        }
        if let Some(repetition) = &mut self.repetition {
            repetition.is_accepted = true;
        }
    }

    /// Whether this step has changed anything, in the contract's word.
    pub(crate) fn dispatched(&self) -> &'static str {
        match self.act {
            StepAct::None => "no",
            StepAct::Sent => "unknown",
            StepAct::Accepted => "yes",
        }
    }

    pub(crate) async fn wait(&mut self, time: Duration, why: &str, attempt: Option<u32>) {
        self.last_look = None;
        self.note(|log| {
            log.record(&Event::Wait(Wait {
                ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                why: why.to_owned(),
                attempt,
            }));
        });
        tokio::time::sleep(time).await;
    }

    pub(crate) fn note(&self, write: impl FnOnce(&EventLog)) {
        if let Some(log) = &self.options.event_log {
            write(log);
        }
    }
}
