//! An execution under way: what is known of it between its steps, and the doors
//! to the phone that its steps use.

mod answer;
mod judge;
mod options;
mod picture;
mod repetition;

pub(crate) use answer::is_click;
pub use judge::{Judge, JudgeFuture};
pub use options::{AGENT_LOOK, LastStep, Route, RunOptions, Strictness};
pub(crate) use repetition::Repetition;

use crate::outcome::StepFailure;
use crate::over_screen::ASKING;
use clawperator_adb::Deadline;
use clawperator_contract::{ErrorCode, Execution, Lane, StepResult};
use clawperator_events::{Event, EventLog, RunPlace, Wait};
use clawperator_phone::{
    Act, ActError, DispatchState, Front, Lock, Phone, PhoneLease, Precondition, Private,
};
use clawperator_ui::{Bounds, RefBook, Signature, Tree, WindowName};
use std::time::Duration;
use tokio::time::Instant;

/// The warning on a snapshot right after a click. The contract prescribes the text.
pub(crate) const EARLY: &str = "snapshot captured without a preceding sleep step; UI may not have settled - \
    consider adding a sleep step between click and snapshot_ui";

/// How much later than the execution the calls to the phone time out: it is the
/// execution that is too late, not the phone.
pub(crate) const OVERTIME: Duration = Duration::from_secs(1);

/// The codes of steps that did not see what they looked for.
const MISSING: [ErrorCode; 11] = [
    ErrorCode::ContainerNotFound,
    ErrorCode::ContainerNotScrollable,
    ErrorCode::NodeNotClickable,
    ErrorCode::NodeNotFound,
    ErrorCode::NodeStillPresent,
    ErrorCode::RefStale,
    ErrorCode::SnapshotExtractionFailed,
    ErrorCode::TargetNotFound,
    ErrorCode::TextNotEntered,
    ErrorCode::ValidatorMismatch,
    ErrorCode::ValueNodeNotFound,
];

/// The warning of a touch or a key that the phone could not check.
const NOT_GUARDED: &str =
    "the phone does not say what is in front: a change between the look and this was not noticed";

/// One execution under way.
pub(crate) struct Run<'r> {
    pub(crate) lease: &'r mut PhoneLease,
    pub(crate) execution: &'r Execution,
    pub(crate) options: &'r RunOptions,
    pub(crate) began: Instant,
    /// When the calls to the phone time out.
    pub(crate) deadline: Deadline,
    pub(crate) step: usize,
    pub(crate) done: Vec<StepResult>,
    pub(crate) act: StepAct,
    /// The first step that acted, of those before this one.
    pub(crate) first_act: Option<usize>,
    pub(crate) act_before: StepAct,
    /// Why the last attempt of this step failed, if there was one.
    pub(crate) last_failure: Option<StepFailure>,
    /// Why the last looks of this step failed, if they did.
    pub(crate) blind: Option<Blindness>,
    pub(crate) front: Option<Front>,
    /// What is dots in the tree of the last look.
    pub(crate) private: Private,
    /// What was on the screen at the last look, for the judge of acts.
    pub(crate) judged: Option<Tree>,
    pub(crate) lock_doubt: LockDoubt,
    /// Whether this step has acted on a screen that the phone could not compare with the one that
    /// was looked at.
    pub(crate) is_unguarded: bool,
    /// The screen that ended the step before, if nothing was done since.
    pub(crate) last_look: Option<LastLook>,
    /// The app that the last look saw, and the one that was touched since.
    pub(crate) seen_app: Option<String>,
    pub(crate) touched_app: Option<String>,
    /// The app of the home screen, where it was asked for.
    pub(crate) home: Option<String>,
    /// How often this step has acted, if it acts more than once.
    pub(crate) repetition: Option<Repetition>,
    /// Where the keyboard lies over what is about to be touched.
    pub(crate) keyboard: Option<Bounds>,
    /// What this step has scrolled, and in which window.
    pub(crate) scrolled: Option<(Signature, WindowName)>,
    pub(crate) rules: StepRules,
    /// The refs as the caller knew them, once a step has shown a screen.
    pub(crate) book: Option<RefBook>,
    /// The state of the generator of retry jitter.
    pub(crate) jitter: u64,
    /// How many screenshots without a path were taken.
    pub(crate) pictures: u32,
    pub(crate) has_ended: bool,
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

/// Whether a step that misses something has to ask if the phone is locked or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockDoubt {
    /// It has not looked at the screen.
    NoLook,
    /// It has looked; a phone need not show its lock by what is on the screen.
    Unasked,
    /// The last look saw what may be the lock screen, or nothing.
    Likely,
    Asked,
}

/// A look that the next step may use instead of its own.
#[derive(Clone, Debug)]
pub(crate) struct LastLook {
    pub(crate) tree: Tree,
    pub(crate) front: Option<Front>,
    pub(crate) private: Private,
    pub(crate) at: Instant,
    /// The step that wants to see what is new, and so does not use it.
    pub(crate) step: Option<usize>,
}

/// Looks of one step that failed, or one that has not ended.
#[derive(Clone, Debug)]
pub(crate) enum Blindness {
    Looking(Instant),
    /// Why the last one failed.
    Failed(String),
}

/// Why an execution ended before its last step.
#[derive(Clone, Copy)]
pub(crate) enum Interruption {
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
            lock_doubt: LockDoubt::NoLook,
            is_unguarded: false,
            last_look: None,
            seen_app: None,
            touched_app: None,
            home: None,
            repetition: None,
            keyboard: None,
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
        if options.part_after.is_none() {
            run.note(|log| log.begin(execution, &place));
        }
        run
    }

    /// Gives the execution all of its time from now on.
    pub(crate) fn restart_clock(&mut self) {
        self.deadline = Deadline::after(self.execution.timeout() + OVERTIME);
    }

    /// Whether all is done but a look at it.
    pub(crate) fn only_shows(&self) -> bool {
        let is_left = self.step > 0 && self.step + 1 == self.execution.actions().len();
        let is_done = self.done.iter().take(self.step).all(|step| step.success);
        self.options.last == LastStep::Shows && is_left && is_done
    }

    /// The same failure, unless what was looked for is missing because the phone is locked or off:
    /// then waiting does not help. A step asks at its first miss, and again only if a look gives
    /// reason to. What has acted was asked by the phone's own check.
    pub(crate) async fn or_locked(&mut self, failure: StepFailure) -> StepFailure {
        let is_due = match self.lock_doubt {
            LockDoubt::NoLook | LockDoubt::Asked => false,
            LockDoubt::Unasked => self.act == StepAct::None,
            LockDoubt::Likely => true,
        };
        if !is_due || !MISSING.contains(&failure.code) {
            return failure;
        }
        let Some(lock) = self.lock().await else {
            return failure;
        };
        let message = format!("{lock}: {}", failure.message);
        StepFailure { code: lock.code(), message, again: false, ..failure }
    }

    /// What keeps the phone from showing its apps, if something does and the phone says so.
    pub(crate) async fn lock(&mut self) -> Option<Lock> {
        self.lock_doubt = LockDoubt::Asked;
        let asking = Deadline::after(ASKING.min(self.deadline.left()));
        let front = self.phone().foreground(asking).await;
        front.ok().and_then(|front| front.lock())
    }

    pub(crate) fn phone(&self) -> &Phone {
        self.lease.phone()
    }

    /// Changes the phone, and remembers that it may have changed unless it certainly has not.
    pub(crate) async fn perform(&mut self, act: Act) -> Result<(), ActError> {
        let act = self.permitted(act).await?;
        self.repetition.as_mut().map_or(Ok(()), |repetition| repetition.check(&act))?;
        self.last_look = None;
        let touches = matches!(act, Act::Touch(..) | Act::Type(_));
        self.touched_app = self.seen_app.take().filter(|_| touches);
        self.is_unguarded |= self.is_blind_act(&act);
        let before = std::mem::replace(&mut self.act, StepAct::Sent);
        let done = self.lease.perform(act, self.deadline).await;
        if let Err(error) = &done
            && error.dispatched == DispatchState::No
        {
            self.act = before;
        }
        done
    }

    /// Whether an act follows a look that did not say what was in front.
    fn is_blind_act(&self, act: &Act) -> bool {
        let is_global = matches!(act, Act::Key(key, _) if key.is_global());
        let is_anywhere = act.check() == Some(&Precondition::OnScreen);
        // One that failed compares nothing; its error says so.
        let has_seen = self.lock_doubt != LockDoubt::NoLook && self.blind.is_none();
        is_anywhere && !is_global && has_seen && self.front.is_none()
    }

    /// The phone accepted the act that the step is for.
    pub(crate) fn note_accepted(&mut self) {
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
