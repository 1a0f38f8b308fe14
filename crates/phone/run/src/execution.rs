//! One execution on one phone: runs the steps in order, under the execution's
//! deadline, and builds the envelope. What a step does is in [`steps`].

use crate::look::without_role;
use crate::operator;
use crate::outcome::StepFailure;
use crate::run::{Blindness, Interruption, LockDoubt, Route, Run, RunOptions, StepAct, Strictness};
use crate::steps;
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, ActionEffect, Envelope, ErrorCode, Execution, Failure, LaneWish, ParamKey, StepResult,
};
use clawperator_events::{EndedStep, PictureMoment, StepRunner};
use clawperator_phone::{Phone, PhoneLease};
use futures_core::future::BoxFuture;
use tokio::time::Instant;

/// Runs an execution until it ends, its time is up, or `stop` comes.
///
/// # Errors
/// The host-side error object: the time was up, the execution was stopped, or there is nothing to
/// report because the phone was lost. On the way through the Operator app also: the app is missing,
/// did not get the payload, or did not answer.
pub fn run<'f>(
    lease: &'f mut PhoneLease,
    execution: &'f Execution,
    options: &'f RunOptions,
    stop: BoxFuture<'f, ()>,
) -> BoxFuture<'f, Result<Envelope, Failure>> {
    Box::pin(async move {
        let began = options.began.unwrap_or_else(Instant::now);
        lease.settle().await;
        admit(execution, options)?;
        // An earlier process may have typed one of them.
        for value in options.vault.iter().flat_map(|vault| vault.values()) {
            lease.memory.keep_out(value.expose());
            if let Some(log) = &options.event_log {
                log.add_secret(value.expose());
            }
        }
        choose_lane(lease, execution, options, began).await?;
        Run::begin(lease, execution, options, began).finish(stop).await
    })
}

/// Refuses an execution that names a value that does not exist, or one that the
/// Operator app would get: nothing was done then.
fn admit(execution: &Execution, options: &RunOptions) -> Result<(), Failure> {
    for action in execution.actions() {
        let Some(text) = action.private() else {
            continue;
        };
        let refusal = match (options.fill(text), &options.route) {
            (Err(unknown), _) => *unknown,
            (Ok(Some(_)), Route::Operator(_)) => {
                let message = "secrets are not sent to the Operator app; nothing was done";
                Failure::of(ErrorCode::SecretRefused, message)
            }
            (Ok(_), Route::Host | Route::Operator(_)) => continue,
        };
        return Err(refusal.with(|details| {
            details.action_id = Some(action.id().as_str().to_owned());
            details.action_type = Some(action.kind().name().to_owned());
            details.dispatched = Some("no".to_owned());
        }));
    }
    Ok(())
}

/// Chooses where the trees of a run come from. The Operator app has its own.
async fn choose_lane(
    lease: &mut PhoneLease,
    execution: &Execution,
    options: &RunOptions,
    began: Instant,
) -> Result<(), Failure> {
    let wish = match options.route {
        Route::Host => options.lane,
        Route::Operator(_) => LaneWish::Dump,
    };
    let deadline = Deadline::after(execution.timeout().saturating_sub(began.elapsed()));
    let lane = lease.choose_lane(wish, options.resident, deadline).await?;
    let mut actions = execution.actions().iter();
    let tied = actions.find(|action| action.kind().spec().lane.is_some_and(|needed| needed != lane));
    match (tied, &options.route) {
        (Some(action), Route::Host) => Err(other_lane(action, wish, lease.phone())),
        _ => Ok(()),
    }
}

/// The failure of an execution whose step another lane would have to do.
fn other_lane(action: &Action, wish: LaneWish, phone: &Phone) -> Failure {
    let report = phone.lane_report();
    let (id, kind) = (action.id().as_str(), action.kind().name());
    let lane = report.lane.word();
    let why: String = report.warnings.iter().map(|it| format!(" ({})", it.message)).collect();
    let (what, more) = match action.kind().spec().effect {
        ActionEffect::Waits if phone.may_show_secrets() => ("see toasts", ""),
        ActionEffect::Waits => ("see toasts", ". A picture right after the act shows it"),
        _ => ("be done", ""),
    };
    let message = format!(
        "the step \"{id}\" ({kind}) cannot {what} on the lane {lane}: only the resident server can{why}; nothing was done{more}"
    );
    let hint = match (wish, why.is_empty()) {
        (LaneWish::Dump, _) => "Leave out the lane dump, and run it again.",
        (_, true) => "Set the server up with clawperator lane setup, and run it again.",
        (_, false) => "The message says why the server was not used; clawperator lane status tells more.",
    };
    Failure::of(ErrorCode::LaneUnavailable, message).with(|details| {
        details.action_id = Some(id.to_owned());
        details.action_type = Some(kind.to_owned());
        details.hint = Some(hint.to_owned());
    })
}

impl Run<'_> {
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
            Some(why) => Err(self.interruption_failure(why)),
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
        failure.message.push_str(&format!("; the execution's {ms} ms were over{}", self.blindness_text()));
        let result = self.result(action, None, Err(failure));
        let first = self.options.part_after.unwrap_or(0);
        self.note(|log| {
            log.step_end(EndedStep { step: first + self.step, action, result: &result, took: None });
        });
        self.done.push(result);
        true
    }

    async fn all_steps(&mut self) {
        self.lease.settle_earlier(self.deadline).await;
        let execution = self.execution;
        let first = self.options.part_after.unwrap_or(0);
        let mut before = None;
        for (number, action) in execution.actions().iter().enumerate() {
            self.step = number;
            self.rules.strict = self.options.strictness == Strictness::Unique || execution.is_strict(action);
            let since = Instant::now();
            self.note(|log| log.step_begin(first + number, action, StepRunner::Host));
            let result = self.one_step(action, before).await;
            let failed = !result.success;
            // Before the picture: what is done stays done if the time runs out.
            self.done.push(result);
            self.picture(PictureMoment::Step).await;
            if let Some(result) = self.done.last() {
                let took = Some(since.elapsed());
                self.note(|log| log.step_end(EndedStep { step: first + number, action, result, took }));
            }
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
        (self.lock_doubt, self.scrolled, self.repetition) = (LockDoubt::NoLook, None, None);
        self.is_unguarded = false;
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

    fn end(&mut self, outcome: &Result<Envelope, Failure>) {
        self.has_ended = true;
        if matches!(self.blind, Some(Blindness::Failed(_))) {
            // What the next view shows is not compared with a screen before this one.
            self.lease.memory.change(|views| views.unread = true);
        }
        if self.options.part_after.is_none() {
            self.note(|log| log.end(self.execution, outcome));
        }
        if self.options.event_log.as_ref().is_some_and(|log| log.has_redactions()) {
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
                Route::Host => self.interruption_failure(Interruption::Stop),
                // How far the app got is not known here.
                Route::Operator(_) => {
                    Failure::new(ErrorCode::ExecutionCancelled, "cancelled before it finished")
                }
            };
            self.end(&Err(cancelled));
        }
    }
}
