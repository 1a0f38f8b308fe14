//! The other way to run: the payload goes to the Operator app on the phone by
//! broadcast, and its answer is read from the phone's log.
//!
//! The app runs most actions itself. What only the host can do, ending an app
//! and taking a picture, is done by the host in its place in the list: the
//! actions before it are sent and answered first. Nothing is sent behind a step
//! that failed.

mod answer;
mod chunk;
mod finish;
mod hierarchy;
mod limits;
mod part;
mod reader;
mod record;
mod scan;
mod secret;
mod send;
mod trouble;
mod wire;

use crate::package_name::PackageName;
use crate::phone::Phone;
use crate::session::{self, Session, Strictness};
use clawperator_adb::Deadline;
use clawperator_contract::{
    Action, Envelope, ErrorCode, Execution, Failure, Problem, Status, Step, StepResult, reconcile,
};
use clawperator_journal::{EndedStep, Moment, StepRunner};
use finish::Outcome;
use part::Part;
use reader::Wanted;
use secret::Secrets;
use send::Sending;
use std::ops::Range;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;
use trouble::{Place, Progress, Sent, Trouble};

/// How long an answer is waited for beyond the execution's timeout: the app
/// keeps to that by itself and must have time to say so.
pub const GRACE: Duration = Duration::from_secs(5);

/// What a run through the Operator app takes from outside.
#[derive(Clone, Debug)]
pub struct Options {
    /// The app's package.
    pub package: PackageName,
    /// What every run takes.
    pub session: session::Options,
    /// How long an answer is waited for beyond the timeout; usually [`GRACE`].
    pub grace: Duration,
    /// The file with everything that is done, if there is one.
    pub log_path: Option<PathBuf>,
}

/// Runs an execution through the Operator app.
///
/// # Errors
/// The host-side error object: the app is not there, did not get the payload,
/// did not answer in time or not with an answer; or the phone was lost.
pub async fn run(phone: &Phone, execution: &Execution, options: &Options) -> Result<Envelope, Failure> {
    run_until(phone, execution, options, std::future::pending()).await
}

/// The same until it is stopped. What the app has been sent by then it goes on
/// doing by itself.
///
/// # Errors
/// As for [`run`]; where it was stopped, how far it had got.
pub async fn run_until(
    phone: &Phone,
    execution: &Execution,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Envelope, Failure> {
    let log = options.session.event_log.as_ref();
    phone.log_to(log.cloned());
    if let Some(log) = log {
        log.begin(execution, phone.serial(), Some(options.package.as_str()));
        // Which fields are for passwords only the app knows.
        for action in execution.actions() {
            if let Step::EnterText(step) = action.step() {
                log.add_secret(&step.text);
            }
        }
    }
    let outcome = through_the_app(phone, execution, options, stop).await;
    if let Some(log) = log {
        log.end(execution, &outcome);
    }
    phone.log_to(None);
    outcome
}

async fn through_the_app(
    phone: &Phone,
    execution: &Execution,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Envelope, Failure> {
    if let Some(failure) = Failure::unrunnable(problems(execution, options)) {
        return Err(failure);
    }
    // On the heap: a future that holds every step's is large.
    let mut stop: Stop<'_> = Box::pin(stop);
    let checked = tokio::select! {
        biased;
        checked = check_app(phone, execution, options) => checked,
        () = &mut stop => {
            let message = "interrupted before anything was sent to the Operator app";
            Err(Failure::new(ErrorCode::ExecutionCancelled, message))
        }
    };
    checked?;
    let route = Route {
        phone,
        execution,
        options,
        started: Instant::now(),
        session: Session::new(phone, execution, &options.session),
    };
    Box::pin(route.all(stop)).await
}

/// Comes when the run is to be stopped.
type Stop<'s> = Pin<Box<dyn Future<Output = ()> + 's>>;

/// What the app cannot do, before anything is sent.
fn problems(execution: &Execution, options: &Options) -> Vec<Problem> {
    let mut problems = wire::problems(execution, options.package.as_str());
    if options.session.strictness == Strictness::Unique {
        problems.push(Problem {
            code: ErrorCode::ExecutionValidationFailed,
            path: String::new(),
            message: wire::NOT_STRICT.to_owned(),
            action_index: None,
            action_id: None,
            action_type: None,
            invalid_keys: Vec::new(),
            invalid_keys_omitted: None,
            hint: Some("Leave --strict out, or run without --operator-package.".to_owned()),
        });
    }
    problems
}

/// The app is there. Whether its accessibility service runs is not asked: the
/// app itself knows best and says so.
async fn check_app(phone: &Phone, execution: &Execution, options: &Options) -> Result<(), Failure> {
    let (base, _) = trouble::variants(options.package.as_str());
    let deadline = Deadline::after(execution.timeout() + options.grace);
    let listed = phone.packages_like(&base, deadline).await;
    let listed = listed.map_err(|error| trouble::unasked(&error))?;
    trouble::not_there(&listed, options.package.as_str(), phone.serial()).map_or(Ok(()), Err)
}

/// One execution on its way through the app.
struct Route<'r> {
    phone: &'r Phone,
    execution: &'r Execution,
    options: &'r Options,
    started: Instant,
    /// What runs the steps that only the host can do.
    session: Session<'r>,
}

/// The actions of a part that the app does, and the id it is sent under.
struct Share {
    range: Range<usize>,
    id: String,
}

impl Route<'_> {
    async fn all(&self, mut stop: Stop<'_>) -> Result<Envelope, Failure> {
        let actions = self.execution.actions();
        let parts = part::parts(actions);
        let mut done: Vec<StepResult> = Vec::with_capacity(actions.len());
        let mut failure = None;
        for (number, part) in parts.iter().enumerate() {
            match part {
                Part::Host(place) => done.push(self.on_host(*place, &done, &mut stop).await?),
                Part::App(range) => {
                    let share = Share {
                        range: range.clone(),
                        id: part::wire_id(self.execution.command_id().as_str(), &parts, number),
                    };
                    let outcome = self.by_app(share, &done, &mut stop).await?;
                    let came = outcome.steps.len();
                    let before = done.len();
                    done.extend(outcome.steps);
                    failure = outcome.failure;
                    // Where steps came before, one must say that it failed.
                    if let Some(failure) = failure.as_ref().filter(|_| before + came > 0) {
                        done.extend(finish::given_up(&actions[range.clone()], came, failure));
                    }
                    self.tell(range.start, &done[before..]).await;
                }
            }
            if failure.is_some() || done.iter().any(|step| !step.success) {
                break;
            }
        }
        Ok(self.envelope(done, failure))
    }

    async fn on_host(
        &self,
        place: usize,
        done: &[StepResult],
        stop: &mut Stop<'_>,
    ) -> Result<StepResult, Failure> {
        let actions = self.execution.actions();
        let Some(action) = actions.get(place) else {
            return Err(Failure::new(ErrorCode::InternalError, "a step is missing"));
        };
        let before = place.checked_sub(1).and_then(|before| actions.get(before));
        let left = self.left();
        if left.is_zero() {
            return Err(self.ended(place..place + 1, done, &Trouble::TooLate));
        }
        let trouble = tokio::select! {
            // What is done is not called interrupted.
            biased;
            step = self.told(place, action, before) => return Ok(step),
            () = tokio::time::sleep(left) => Trouble::TooLate,
            () = stop => Trouble::Stopped,
        };
        let failure = self.ended(place..place + 1, done, &trouble);
        let dispatched = self.session.dispatched().to_owned();
        Err(failure.with(|details| details.dispatched = Some(dispatched)))
    }

    /// Runs a step on the host, and notes it.
    async fn told(&self, place: usize, action: &Action, before: Option<&Action>) -> StepResult {
        let since = Instant::now();
        self.session
            .note(|log| log.step_begin(place, action, StepRunner::Host));
        let step = self.session.one(action, before).await;
        self.session.note(|log| {
            log.step_end(EndedStep {
                step: place,
                action,
                result: &step,
                took: Some(since.elapsed()),
            });
        });
        step
    }

    /// Notes what the app says of steps from that place on, and has a picture
    /// taken of what they led to.
    async fn tell(&self, first: usize, steps: &[StepResult]) {
        let actions = self.execution.actions().iter().enumerate().skip(first);
        for (number, ((place, action), step)) in actions.zip(steps).enumerate() {
            self.session
                .note(|log| log.step_begin(place, action, StepRunner::App));
            if number + 1 == steps.len() {
                self.session.pictured(Moment::Step).await;
            }
            self.session.note(|log| {
                log.step_end(EndedStep {
                    step: place,
                    action,
                    result: step,
                    took: None,
                });
            });
        }
        if steps.is_empty() {
            self.session.pictured(Moment::Step).await;
        }
    }

    async fn by_app(
        &self,
        share: Share,
        done: &[StepResult],
        stop: &mut Stop<'_>,
    ) -> Result<Outcome, Failure> {
        let Share { range, id } = share;
        let actions = &self.execution.actions()[range.clone()];
        let before = range.start.checked_sub(1);
        let before = before.and_then(|before| self.execution.actions().get(before));
        // The first part has all of the time, to the millisecond.
        let left = if range.start == 0 {
            self.execution.timeout()
        } else {
            self.left()
        };
        if left.is_zero() {
            return Err(self.ended(range, done, &Trouble::TooLate));
        }
        let timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let timeout_ms = timeout_ms.max(limits::MIN_TIMEOUT_MS);
        let payload = wire::payload(self.execution, actions, &id, timeout_ms);
        let began = Instant::now();
        let mut progress = Progress {
            waited_for: self.execution.timeout() + self.options.grace,
            ..Progress::default()
        };
        let sending = Sending {
            phone: self.phone,
            package: self.options.package.as_str(),
            payload: &payload,
            wanted: self.wanted(id),
            deadline: Deadline::after(left + self.options.grace),
        };
        let sent = tokio::select! {
            biased;
            sent = send::send(sending, &mut progress) => sent,
            () = stop => Err(Trouble::Stopped),
        };
        progress.elapsed = began.elapsed();
        let judged = sent.and_then(|(envelope, trees)| {
            finish::outcome(envelope, trees, actions, before).map_err(Trouble::Malformed)
        });
        judged.map_err(|trouble| self.place(actions.last(), done).failure(&trouble, progress))
    }

    fn wanted(&self, command_id: String) -> Wanted {
        let texts = self
            .execution
            .actions()
            .iter()
            .filter_map(|action| match action.step() {
                Step::EnterText(step) => Some(&*step.text),
                _ => None,
            });
        Wanted {
            // Several parts have different ids, and so different marks.
            mark: format!("{:016x}-{command_id}", self.options.session.seed)
                .replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"),
            command_id,
            task_id: self.execution.task_id().as_str().to_owned(),
            pids: Vec::new(),
            secrets: Secrets::new(texts),
        }
    }

    fn envelope(&self, steps: Vec<StepResult>, failure: Option<(String, String)>) -> Envelope {
        let (error, error_code) = failure.unzip();
        let mut envelope = reconcile(Envelope {
            command_id: self.execution.command_id().as_str().to_owned(),
            task_id: self.execution.task_id().as_str().to_owned(),
            status: if error.is_some() {
                Status::Failed
            } else {
                Status::Success
            },
            step_results: steps,
            error,
            error_code,
            hint: None,
        });
        if envelope.error_code.as_deref() == Some(ErrorCode::ServiceUnavailable.name()) {
            envelope.hint = Some(finish::service_hint(
                self.phone.serial(),
                self.options.package.as_str(),
            ));
        }
        envelope
    }

    /// How much of the execution's time is left.
    fn left(&self) -> Duration {
        self.execution.timeout().saturating_sub(self.started.elapsed())
    }

    /// What is told when it ends while nothing is on its way to the app: nothing
    /// was sent for these actions, as far as is known here.
    fn ended(&self, range: Range<usize>, done: &[StepResult], trouble: &Trouble) -> Failure {
        let last = self.execution.actions()[range].last();
        let progress = Progress {
            elapsed: self.started.elapsed(),
            waited_for: self.execution.timeout(),
            sent: Sent::Never,
            ..Progress::default()
        };
        let failure = self.place(last, done).failure(trouble, progress);
        failure.with(|details| details.dispatched = Some("no".to_owned()))
    }

    fn place<'p>(&'p self, last: Option<&'p Action>, done: &'p [StepResult]) -> Place<'p> {
        Place {
            phone: self.phone,
            options: self.options,
            execution: self.execution,
            last,
            done,
        }
    }
}
