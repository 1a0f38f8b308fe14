//! Runs an execution through the Operator app: a broadcast carries the payload
//! to the app on the phone, and the phone's log has its answer.
//!
//! The app runs most actions itself. Closing an app and taking a screenshot are done by the host,
//! after the actions before them were answered. Nothing is sent after a step that failed.

mod answer;
mod app;
mod chunk;
mod finish;
mod hierarchy;
mod limits;
mod part;
mod reader;
mod readiness;
mod record;
mod scan;
mod send;
mod trouble;
mod wire;

pub use app::{AppPresence, GRACE, OperatorApp};
pub use readiness::RouteWish;

use crate::outcome;
use crate::run::{Run, Strictness};
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, Envelope, ErrorCode, Execution, Failure, Problem, Status, Step, StepResult, reconcile,
};
use clawperator_events::{EndedStep, PictureMoment, StepRunner};
use clawperator_phone::{FieldMark, Phone, PhoneError};
use clawperator_redact::{Fragments, is_secret_field};
use finish::PartOutcome;
use futures_core::future::BoxFuture;
use part::{AppPart, OperatorPart};
use reader::AnswerFilter;
use send::PartSending;
use std::ops::Range;
use std::time::Duration;
use tokio::time::Instant;
use trouble::{BroadcastState, FailureContext, OperatorTrouble, SendProgress};

/// Tells whether lines of a phone's log have the answer to the command `case` of
/// the task `case`; for the fuzzer.
pub fn read_log(text: &str) -> bool {
    let mut reader = reader::AnswerReader::new(AnswerFilter {
        command_id: "case".to_owned(),
        task_id: "case".to_owned(),
        ..AnswerFilter::default()
    });
    text.lines().any(|line| reader.line(line).is_some())
}

/// Runs an execution through the Operator app. If it is stopped, the app goes
/// on with what it was sent.
pub(crate) async fn run(
    run: &mut Run<'_>,
    app: &OperatorApp,
    stop: impl Future<Output = ()> + Send,
) -> Result<Envelope, Failure> {
    // Only the app knows which fields are for passwords.
    for action in run.execution.actions() {
        if let Some(text) = action.private() {
            run.note(|log| log.add_own(text));
        }
    }
    let problems = problems(run.phone(), run.execution, run.options.strictness, app);
    if let Some(failure) = Failure::unrunnable(problems) {
        return Err(failure);
    }
    run.permit_unseen().await?;
    let mut stop: RunStop<'_> = Box::pin(stop);
    let checked = tokio::select! {
        biased;
        checked = check_app(run, app) => checked,
        () = &mut stop => {
            let message = "interrupted before anything was sent to the Operator app";
            Err(Failure::new(ErrorCode::ExecutionCancelled, message))
        }
    };
    checked?;
    run.restart_clock();
    let route = OperatorRun { app, started: Instant::now(), run };
    route.all(stop).await
}

/// Ready when the run is to be stopped.
type RunStop<'s> = BoxFuture<'s, ()>;

/// What the app cannot do, before anything is sent.
fn problems(phone: &Phone, execution: &Execution, strictness: Strictness, app: &OperatorApp) -> Vec<Problem> {
    let mut problems = wire::problems(execution, app.package.as_str());
    let actions = execution.actions();
    let mut typed = actions.iter().filter_map(Action::private);
    let types_secret = typed.any(|text| phone.dark().keeps_out(text));
    let is_dark = types_secret || phone.may_show_secrets();
    let guesses = actions.iter().enumerate().filter(|(_, action)| is_dark && wire::guesses(action));
    problems.extend(guesses.map(|(index, action)| Problem {
        hint: Some("Name the element by its resourceId, or run with --route host.".to_owned()),
        action_index: Some(index),
        action_type: Some(action.kind().name().to_owned()),
        ..Problem::new(format!("actions.{index}"), wire::DARK.to_owned())
    }));
    if strictness == Strictness::Unique {
        problems.push(Problem {
            hint: Some("Run without --strict, or with --route host.".to_owned()),
            ..Problem::new(String::new(), wire::NOT_STRICT.to_owned())
        });
    }
    problems
}

/// Checks that the app is installed. Whether its accessibility service runs is
/// not checked: the app knows best, and says so.
async fn check_app(run: &mut Run<'_>, app: &OperatorApp) -> Result<(), Failure> {
    if app.presence == AppPresence::Known {
        return Ok(());
    }
    let (base, _) = trouble::variants(app.package.as_str());
    let deadline = Deadline::after(run.execution.timeout() + app.grace);
    let listed = run.phone().packages_like(&base, deadline).await;
    let listed = listed.map_err(|error| trouble::packages_failure(&error))?;
    trouble::not_there(&listed, app.package.as_str(), run.phone().serial()).map_or(Ok(()), Err)
}

/// One execution on its way through the app.
struct OperatorRun<'r, 'run> {
    app: &'r OperatorApp,
    started: Instant,
    run: &'r mut Run<'run>,
}

impl OperatorRun<'_, '_> {
    async fn all(mut self, mut stop: RunStop<'_>) -> Result<Envelope, Failure> {
        let actions = self.run.execution.actions();
        let parts = part::parts(actions);
        let mut done: Vec<StepResult> = Vec::with_capacity(actions.len());
        let mut failure = None;
        for (number, part) in parts.iter().enumerate() {
            match part {
                OperatorPart::Host(place) => done.push(self.on_host(*place, &done, &mut stop).await?),
                OperatorPart::App(range) => {
                    let id = part::wire_id(self.run.execution.command_id().as_str(), &parts, number);
                    let part = AppPart { range: range.clone(), id };
                    let outcome = self.by_app(part, &done, &mut stop).await?;
                    let came = outcome.steps.len();
                    let before = done.len();
                    done.extend(outcome.steps);
                    failure = outcome.failure;
                    // If there are results, one of them must be a failure.
                    if let Some(failure) = failure.as_ref().filter(|_| before + came > 0) {
                        done.extend(finish::given_up(&actions[range.clone()], came, failure));
                    }
                    self.log_steps(range.start, &done[before..]).await;
                }
            }
            if failure.is_some() || done.iter().any(|step| !step.success) {
                break;
            }
        }
        Ok(self.envelope(done, failure))
    }

    async fn on_host(
        &mut self,
        place: usize,
        done: &[StepResult],
        stop: &mut RunStop<'_>,
    ) -> Result<StepResult, Failure> {
        let actions = self.run.execution.actions();
        let Some(action) = actions.get(place) else {
            return Err(Failure::new(ErrorCode::InternalError, "a step is missing"));
        };
        let before = place.checked_sub(1).and_then(|before| actions.get(before));
        let left = self.left();
        if left.is_zero() {
            return Err(self.end_failure(place..place + 1, done, &OperatorTrouble::TooLate));
        }
        let trouble = tokio::select! {
            // What is done does not count as interrupted.
            biased;
            step = self.host_step(place, action, before) => return Ok(step),
            () = tokio::time::sleep(left) => OperatorTrouble::TooLate,
            () = stop => OperatorTrouble::Stopped,
        };
        let failure = self.end_failure(place..place + 1, done, &trouble);
        let dispatched = self.run.dispatched().to_owned();
        Err(failure.with(|details| details.dispatched = Some(dispatched)))
    }

    /// Runs a step on the host, and logs it.
    async fn host_step(&mut self, place: usize, action: &Action, before: Option<&Action>) -> StepResult {
        let since = Instant::now();
        self.run.note(|log| log.step_begin(place, action, StepRunner::Host));
        let step = self.run.one_step(action, before).await;
        self.run.note(|log| {
            log.step_end(EndedStep { step: place, action, result: &step, took: Some(since.elapsed()) });
        });
        step
    }

    /// Logs the app's answers to the steps from that one on, and takes a picture
    /// of the screen after them.
    async fn log_steps(&mut self, first: usize, steps: &[StepResult]) {
        let actions = self.run.execution.actions();
        let rest = || actions.iter().enumerate().skip(first);
        for (number, step) in steps.iter().enumerate() {
            // The last may be one that the app gave up on, further on.
            let is_it = |(_, action): &(usize, &Action)| action.id().as_str() == step.id;
            let Some((place, action)) = rest().skip(number).find(is_it) else {
                continue;
            };
            self.run.note(|log| log.step_begin(place, action, StepRunner::App));
            if number + 1 == steps.len() {
                self.run.picture(PictureMoment::Step).await;
            }
            self.run.note(|log| {
                log.step_end(EndedStep { step: place, action, result: step, took: None });
            });
        }
        if steps.is_empty() {
            self.run.picture(PictureMoment::Step).await;
        }
    }

    /// Has the app do the actions of a part.
    async fn by_app(
        &mut self,
        AppPart { range, id }: AppPart,
        done: &[StepResult],
        stop: &mut RunStop<'_>,
    ) -> Result<PartOutcome, Failure> {
        let actions = &self.run.execution.actions()[range.clone()];
        self.darken(actions)?;
        let before = range.start.checked_sub(1);
        let before = before.and_then(|before| self.run.execution.actions().get(before));
        // The first part has all of the time, to the millisecond.
        let left = if range.start == 0 { self.run.execution.timeout() } else { self.left() };
        if left.is_zero() {
            return Err(self.end_failure(range, done, &OperatorTrouble::TooLate));
        }
        let timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let timeout_ms = timeout_ms.max(limits::MIN_TIMEOUT_MS);
        let payload = wire::payload(self.run.execution, actions, &id, timeout_ms);
        let began = Instant::now();
        let mut progress = SendProgress {
            waited_for: self.run.execution.timeout() + self.app.grace,
            ..SendProgress::default()
        };
        let sending = PartSending {
            wanted: self.answer_filter(id),
            lease: self.run.lease,
            package: self.app.package.as_str(),
            payload: &payload,
            deadline: Deadline::after(left + self.app.grace),
        };
        let sent = tokio::select! {
            biased;
            sent = send::send(sending, &mut progress) => sent,
            () = stop => Err(OperatorTrouble::Stopped),
        };
        progress.elapsed = began.elapsed();
        let judged = sent.and_then(|(envelope, trees)| {
            finish::outcome(envelope, trees, actions, before).map_err(OperatorTrouble::Malformed)
        });
        let mut outcome =
            judged.map_err(|trouble| self.context(actions.last(), done).failure(&trouble, progress))?;
        finish::darken(&mut outcome.steps, actions, self.run.phone().dark());
        Ok(outcome)
    }

    /// Makes the fields dark that are about to get a secret. Only the app will see
    /// them: what is known of a field is its id.
    fn darken(&self, actions: &[Action]) -> Result<(), Failure> {
        for action in actions {
            let Step::EnterText(step) = action.step() else {
                continue;
            };
            let id = step.matcher.resource_id.as_deref();
            if !id.is_some_and(is_secret_field) && !self.run.phone().dark().keeps_out(&step.text) {
                continue;
            }
            let noted = self.run.phone().dark().note(FieldMark::by_id(id), &step.text);
            noted.map_err(|error| {
                let message = PhoneError::NotStored(error.to_string()).to_string();
                Failure::of(ErrorCode::TextNotEntered, message)
                    .with(|details| details.dispatched = Some("no".to_owned()))
            })?;
        }
        Ok(())
    }

    fn answer_filter(&self, command_id: String) -> AnswerFilter {
        let actions = self.run.execution.actions().iter();
        let texts = actions.filter_map(Action::private).map(|text| &**text);
        AnswerFilter {
            // Each part has its own id, and so its own mark.
            mark: format!("{:016x}-{command_id}", self.run.options.seed)
                .replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"),
            command_id,
            task_id: self.run.execution.task_id().as_str().to_owned(),
            pids: Vec::new(),
            secrets: Fragments::new(texts),
        }
    }

    fn envelope(&self, steps: Vec<StepResult>, failure: Option<finish::AppFailure>) -> Envelope {
        let (error, error_code) = failure.map(|it| (it.message, it.code)).unzip();
        let mut envelope = reconcile(Envelope {
            status: if error.is_some() { Status::Failed } else { Status::Success },
            error,
            error_code,
            ..outcome::envelope(self.run.execution, steps)
        });
        if envelope.error_code.as_deref() == Some(ErrorCode::ServiceUnavailable.name()) {
            envelope.hint = Some(finish::service_hint(self.run.phone().serial(), self.app.package.as_str()));
        }
        envelope
    }

    /// How much of the execution's time is left.
    fn left(&self) -> Duration {
        self.run.execution.timeout().saturating_sub(self.started.elapsed())
    }

    /// The failure of a run that ended before these actions were sent.
    fn end_failure(&self, range: Range<usize>, done: &[StepResult], trouble: &OperatorTrouble) -> Failure {
        let last = self.run.execution.actions()[range].last();
        let progress = SendProgress {
            elapsed: self.started.elapsed(),
            waited_for: self.run.execution.timeout(),
            sent: BroadcastState::Never,
            ..SendProgress::default()
        };
        let failure = self.context(last, done).failure(trouble, progress);
        failure.with(|details| details.dispatched = Some("no".to_owned()))
    }

    fn context<'p>(&'p self, last: Option<&'p Action>, done: &'p [StepResult]) -> FailureContext<'p> {
        FailureContext { phone: self.run.phone(), app: self.app, execution: self.run.execution, last, done }
    }
}
