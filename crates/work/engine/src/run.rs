//! One request, from its acceptance to its outcome.

use crate::acts::Handed;
use crate::engine::{EngineLogEntry, EngineState, RunJob};
use crate::ledger::{Acceptance, Claim, Conflict, LedgerEntry, Phase, StepMark, StepMarks, StoredOutcome};
use crate::request::{Finished, Journal, Outcome, PhoneRequest, Request, RunId};
use crate::turn::LeasePurpose;
use crate::work::{Ran, Work, carry_out};
use clawperator_contract::{ActionKind, DeviceResult, Envelope, ErrorCode, Failure, Warning, WarningCode};
use clawperator_events::{Clock, Event, EventLog, LogSetup, Pictures, Subscribers, Tap};
use clawperator_journal::JournalFolder;
use clawperator_phone::{Deadline, LaneReport, LeaseOptions, Phone, PhoneLease, REACH};
use clawperator_redact::HashKey;
use clawperator_run::operator::RouteWish;
use clawperator_run::{Route, RunOptions};
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) enum KeyRecord {
    New(LedgerEntry),
    /// The outcome of the first request with this key.
    Before(StoredOutcome),
}

impl EngineState {
    pub(crate) async fn run(&self, mut job: RunJob) -> Finished {
        let began = Instant::now();
        self.settings.log.write(EngineLogEntry::Started(&job.request));
        let finished = match self.accept(&job.id, &job.request, &job.stop).await {
            Ok(None) => self.run_accepted(&mut job, None).await,
            Ok(Some(KeyRecord::New(entry))) => self.run_accepted(&mut job, Some(entry)).await,
            Ok(Some(KeyRecord::Before(stored))) => Outcome::Stored(stored).into(),
            Err(failure) => failure.into(),
        };
        let ended = EngineLogEntry::Ended(&job.request, &finished.outcome, began.elapsed());
        self.settings.log.write(ended);
        finished
    }

    async fn accept(
        &self,
        id: &RunId,
        request: &Request,
        stop: &Notify,
    ) -> Result<Option<KeyRecord>, Failure> {
        let Some(key) = &request.key else {
            return Ok(None);
        };
        let work = &request.work;
        let payload = match work.execution() {
            // Texts and numbers can always be written.
            Some(execution) => serde_json::to_vec(execution).unwrap_or_default(),
            None => work.command_id().as_bytes().to_vec(),
        };
        let claim = Claim {
            key: key.clone(),
            run: id.to_string(),
            digest: Sha256::digest(payload).into(),
            device: request.device.clone(),
            now_ms: self.settings.clock.now_ms(),
        };
        let claimed = self.claim(claim, work.timeout(), stop.notified());
        claimed.await.map(Some)
    }

    /// Records a claim, or tells what came of it before.
    pub(crate) async fn claim(
        &self,
        claim: Claim,
        wait: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<KeyRecord, Failure> {
        let key = claim.key.clone();
        match self.ledger().await?.accept(claim, wait, stop).await? {
            Acceptance::New(entry) => Ok(KeyRecord::New(entry)),
            Acceptance::Done(outcome) => Ok(KeyRecord::Before(outcome)),
            Acceptance::Conflict(conflict) => {
                let first = match conflict {
                    Conflict::Payload => "another payload".to_owned(),
                    Conflict::Device(device) => format!("another phone, {device}"),
                };
                let message = format!("the key \"{key}\" was used before with {first}; nothing was sent");
                Err(Failure::of(ErrorCode::IdempotencyConflict, message))
            }
            Acceptance::Running => {
                let message =
                    format!("the request with the key \"{key}\" is still running; nothing was sent");
                let hint = "Send the same request again later to get its outcome.";
                Err(Failure::new(ErrorCode::ExecutionConflict, message).hint(hint))
            }
            Acceptance::Stopped => {
                let message = format!(
                    "interrupted while waiting for the request with the key \"{key}\"; nothing was sent"
                );
                Err(Failure::new(ErrorCode::ExecutionCancelled, message))
            }
        }
    }

    async fn run_accepted(&self, job: &mut RunJob, entry: Option<LedgerEntry>) -> Finished {
        let ready = async {
            let mut lease = self.lease_for(job).await?;
            let leased = Instant::now();
            if let Some(entry) = &entry {
                let now_ms = self.settings.clock.now_ms();
                entry.start(lease.phone().serial(), now_ms).await?;
            }
            if let Some(permit) = &job.request.permit {
                lease.fence_with(permit.fence(), Deadline::after(REACH)).await?;
                permit.begin(lease.phone().serial()).await?;
            }
            // To ask for the permit is no part of the execution's time.
            let began = if job.request.permit.is_some() { Instant::now() } else { leased };
            let (route, detour) = route_for(&job.request, &job.stop, lease.phone()).await?;
            Ok::<_, Failure>((lease, route, detour, began))
        };
        let (lease, route, detour, began) = match ready.await {
            Ok(ready) => ready,
            Err(failure) => {
                release(entry).await;
                return failure.into();
            }
        };
        let serial = lease.phone().serial().to_owned();
        let untested = match &job.request.recipe {
            Some(recipe) => recipe.warnings(lease.phone()).await,
            None => Vec::new(),
        };
        let event_log = self.event_log(job, entry.as_ref());
        let key = self.hash_key(&job.request);
        event_log.hash_with(key.clone());
        let options = RunOptions {
            route: route.clone(),
            event_log: Some(event_log.clone()),
            began: Some(began),
            ..self.options_for(&job.request, &serial)
        };
        let handed = Handed { lease, options, log: event_log.clone(), stop: job.stop.clone() };
        let Ran { envelope: ran, on, replay } = carry_out(&job.request.work, handed).await;
        let recipe = job.request.recipe.as_deref();
        let result = recipe.and_then(|recipe| recipe.result(&ran, &event_log, &key));
        let ran = match job.request.work.execution() {
            Some(execution) => event_log.redact_outcome(execution, ran),
            None => ran,
        };
        let around = Around { serial, on, untested, detour };
        let mut outcome = outcome(&job.request, ran, around);
        let mut not_stored = None;
        if sent_nothing(&route, &outcome) {
            release(entry).await;
        } else if let Some(entry) = entry {
            let stored = entry.finish(outcome.to_stored(), self.settings.clock.now_ms()).await;
            not_stored = stored.err().map(|error| error.to_string());
            if let Some(why) = &not_stored {
                outcome.tell_not_stored(why);
            }
        }
        Finished { outcome, event_log: Some(event_log), not_stored, recipe: result.map(Box::new), replay }
    }

    /// The key of hashes in what the run shows: the same text has the same hash in
    /// one state folder and one registry.
    fn hash_key(&self, request: &Request) -> HashKey {
        let Some(recipe) = &request.recipe else {
            return HashKey::default();
        };
        recipe.source.key.clone().unwrap_or_else(|| recipe.source.own_key(&self.settings.state))
    }

    fn options_for(&self, request: &Request, serial: &str) -> RunOptions {
        RunOptions {
            strictness: request.strictness,
            lane: request.lane,
            patience: request.patience,
            last: request.last,
            app: request.app(),
            judge: request.judge.clone(),
            vault: request.vault.clone(),
            ..self.run_options(serial)
        }
    }

    /// The phone for a request, unless it is cancelled first.
    async fn lease_for(&self, job: &mut RunJob) -> Result<PhoneLease, Failure> {
        let request = &job.request;
        let device = request.device.as_deref();
        let place = job.place.take();
        // A caller with little time does not wait longer for a connection.
        let work = &request.work;
        let reach = work.timeout().min(REACH);
        let leasing = async {
            if needs_no_turn(request) {
                let phone = self.settings.discovery.connect(device, Deadline::after(reach)).await?;
                // Without the memory folder it cannot give back a keyboard that
                // another run is using.
                return Ok(PhoneLease::new(phone, LeaseOptions::default()));
            }
            let place = place.unwrap_or_else(|| self.join(device))?;
            let wanted = PhoneRequest { device, wait: request.wait, owner: work.command_id(), reach };
            let purpose = match work {
                // It looks first, and may not act at all.
                Work::Acts(_) => LeasePurpose::Look,
                Work::Execution(_) | Work::Replay(_) => LeasePurpose::Act,
            };
            self.lease(place, wanted, purpose).await
        };
        tokio::select! {
            biased;
            leased = leasing => leased.inspect(|lease| {
                let now_ms = self.settings.clock.now_ms();
                self.runs().has_phone(&job.id, lease.phone().serial(), now_ms);
            }),
            () = job.stop.notified() => {
                let message = "interrupted while waiting for the phone; nothing was sent to it";
                Err(Failure::new(ErrorCode::ExecutionCancelled, message))
            }
        }
    }

    fn event_log(&self, job: &RunJob, entry: Option<&LedgerEntry>) -> Arc<EventLog> {
        let subscribers = Subscribers {
            run_id: job.id.to_string(),
            streams: vec![job.events.clone(), self.events.clone()],
            tap: entry.map(|entry| mark_steps(entry.steps())),
        };
        let (settings, request) = (&self.settings, &job.request);
        let (journal, pictures) = match request.journal {
            Journal::On(pictures) => (Some(JournalFolder::new(settings.state.join("journal"))), pictures),
            Journal::Off => (None, Pictures::Left),
        };
        let clock = settings.clock.clone();
        Arc::new(EventLog::new(LogSetup {
            version: settings.version,
            clock: Clock::new(move || clock.now_ms()),
            pictures,
            journal: journal.map(|folder| Box::new(folder) as _),
            skill_run: request.skill_run.clone(),
            redactions: request.redactions.clone(),
            subscribers: Some(subscribers),
        }))
    }
}

struct Around {
    serial: String,
    on: LaneReport,
    untested: Vec<Warning>,
    /// Why the Operator app did not run it, where it was wanted.
    detour: Option<String>,
}

/// What the caller gets of a run.
fn outcome(request: &Request, ran: Result<Envelope, Failure>, around: Around) -> Outcome {
    let Around { serial, on, untested, detour } = around;
    let envelope = match (ran, detour.clone()) {
        (Ok(envelope), _) => envelope,
        (Err(failure), None) => return Outcome::Error(Box::new(failure)),
        (Err(failure), Some(why)) => {
            let told = failure.with(|it| it.operator.get_or_insert_default().summary = Some(why));
            return Outcome::Error(Box::new(told));
        }
    };
    let checked = request.work.checked();
    let mut warnings = checked.map(|checked| checked.warnings.clone()).unwrap_or_default();
    let detour =
        detour.map(|message| Warning { code: WarningCode::OperatorNotUsed, path: String::new(), message });
    let all = untested.into_iter().chain(on.warnings).chain(detour);
    all.for_each(|warning| warnings.add(warning));
    let result = DeviceResult::new(envelope, serial, warnings);
    Outcome::Ran(Box::new(result.on(on.lane)))
}

/// The route of a request, unless it is cancelled first; and why it is not the
/// Operator app's, where the app was wanted if possible.
async fn route_for(
    request: &Request,
    stop: &Notify,
    phone: &Phone,
) -> Result<(Route, Option<String>), Failure> {
    let Request { work, route, strictness, .. } = request;
    let Work::Execution(checked) = work else {
        return Ok((Route::Host, None));
    };
    tokio::select! {
        biased;
        chosen = route.choose(phone, &checked.execution, *strictness) => Ok(chosen),
        () = stop.notified() => {
            let message = "interrupted before anything was sent to the phone";
            Err(Failure::new(ErrorCode::ExecutionCancelled, message))
        }
    }
}

/// Frees the key of a request that sent nothing.
async fn release(entry: Option<LedgerEntry>) {
    if let Some(entry) = entry {
        // If it cannot be removed, its outcome will be unknown.
        let _ = entry.release().await;
    }
}

/// Tells whether a run failed before it sent any step, for certain. Steps on the
/// host begin at once, unless the resident server was wanted and is not there;
/// else only the way through the Operator app can know.
fn sent_nothing(route: &Route, outcome: &Outcome) -> bool {
    let Outcome::Error(failure) = outcome else {
        return false;
    };
    if let ErrorCode::LaneUnavailable | ErrorCode::SecretUnknown | ErrorCode::SecretRefused = failure.code {
        return true;
    }
    if let Route::Host = route {
        return false;
    }
    let details = failure.details.as_deref();
    match details.and_then(|details| details.dispatched.as_deref()) {
        // This is about the last part; those before it have results.
        Some(dispatched) => {
            dispatched == "no" && details.is_some_and(|details| details.step_results.is_empty())
        }
        // The checks before the first part need no such word.
        None => {
            details.is_some_and(|details| !details.problems.is_empty())
                || matches!(
                    failure.code,
                    ErrorCode::OperatorNotInstalled
                        | ErrorCode::OperatorVariantMismatch
                        | ErrorCode::DeviceShellUnavailable
                        | ErrorCode::ExecutionCancelled
                )
        }
    }
}

/// Marks in the ledger which step begins or ends.
fn mark_steps(marks: StepMarks) -> Tap {
    let under_way = Mutex::<Option<StepMark>>::default();
    Tap::new(move |event| {
        let mut under_way = under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Event::StepBegin(begin) = event {
            *under_way = Some(StepMark {
                step: begin.step,
                id: begin.id.clone(),
                action: begin.action.clone(),
                phase: Phase::Began,
            });
        } else if let (Event::StepEnd(_), Some(mark)) = (event, &mut *under_way) {
            mark.phase = Phase::Ended;
        } else {
            return;
        }
        if let Some(mark) = &*under_way {
            marks.mark(mark);
        }
    })
}

/// Stopping a recording of this computer sends the phone nothing that another
/// execution would notice.
fn needs_no_turn(request: &Request) -> bool {
    match (&request.work, &request.route) {
        (Work::Execution(checked), RouteWish::Host) => {
            let mut actions = checked.execution.actions().iter();
            actions.all(|action| action.kind() == ActionKind::StopRecording)
        }
        (Work::Execution(_), RouteWish::Operator(_) | RouteWish::Auto(_))
        | (Work::Replay(_) | Work::Acts(_), _) => false,
    }
}
