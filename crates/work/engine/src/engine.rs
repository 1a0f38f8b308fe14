//! The engine: every request of every surface goes through it.

use crate::discovery::Discovery;
use crate::ledger::Ledger;
use crate::queue::{Queues, Turn};
use crate::request::{AbandonPolicy, Finished, Outcome, PhoneRequest, Request, RunId, Running};
use crate::runs::{RunInfo, RunListing, RunState, Runs};
use crate::turn::LeasePurpose;
use crate::warm::WarmConnection;
use clawperator_adb::DeviceEntry;
use clawperator_contract::{ErrorCode, Failure, LaneWish};
use clawperator_events::{Clock, EventStream, Subscriber};
use clawperator_phone::resident::mark::SetupMarks;
use clawperator_phone::{Deadline, LeaseOptions, Locks, Observation, Phone, PhoneLease, REACH};
use clawperator_run::{Recordings, RunOptions};
use clawperator_ui::ViewRequest;
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, OnceCell};
use tokio::time::timeout;

/// How many events of all runs a slow subscriber can be behind.
pub const EVENTS_KEPT: usize = 4096;
/// How many events of one run a slow subscriber can be behind.
pub const RUN_EVENTS_KEPT: usize = 256;

/// What an engine needs from outside.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    pub discovery: Arc<dyn Discovery>,
    pub locks: PathBuf,
    /// The state folder: journals, the ledger, and what was seen of phones.
    pub state: PathBuf,
    pub pictures: PathBuf,
    /// How long a connection stays open that is not used; without a limit it is
    /// closed after each request.
    pub idle: Option<Duration>,
    pub recordings: Option<Arc<dyn Recordings>>,
    /// Where the trees of phones come from, where a request does not say it.
    pub lane: LaneWish,
    pub clock: Arc<Clock>,
    pub ids: Ids,
    pub log: EngineLog,
    pub version: &'static str,
}

/// A source of random numbers.
#[derive(Clone)]
pub struct Ids(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Ids {
    /// Numbers that come from this function.
    pub fn new(next: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// The next number.
    pub fn next(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ids")
    }
}

/// Where the engine logs.
#[derive(Clone)]
pub struct EngineLog(Arc<dyn Fn(EngineLogEntry<'_>) + Send + Sync>);

/// What the engine logs.
#[derive(Clone, Copy, Debug)]
pub enum EngineLogEntry<'l> {
    Started(&'l Request),
    Ended(&'l Request, &'l Outcome, Duration),
}

impl EngineLog {
    /// A log that is written by this function.
    pub fn new(write: impl Fn(EngineLogEntry<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    pub(crate) fn write(&self, entry: EngineLogEntry<'_>) {
        (self.0)(entry);
    }
}

impl fmt::Debug for EngineLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

/// Runs requests on phones. A clone is the same engine.
#[derive(Clone, Debug)]
pub struct Engine(pub(crate) Arc<EngineState>);

#[derive(Debug)]
pub(crate) struct EngineState {
    pub(crate) settings: EngineSettings,
    pub(crate) locks: Locks,
    /// Requests in the order of their calls, by the name of the phone.
    names: Queues<()>,
    /// Requests in the same order, by the serial of the phone.
    pub(crate) phones: Queues<WarmConnection>,
    /// Whether one of them acts on a phone, or waits to: then its claim lives.
    pub(crate) claims: Mutex<BTreeMap<String, Weak<()>>>,
    /// The serials of addresses: one phone can have several. Where a name leads is not remembered.
    serials: Mutex<BTreeMap<String, String>>,
    /// Opened when it is first needed.
    ledger: OnceCell<Ledger>,
    pub(crate) events: EventStream,
    runs: Mutex<Runs>,
    /// Wakes who waits for the end of a run.
    pub(crate) ended: Notify,
    counter: AtomicU64,
}

pub(crate) struct RunJob {
    pub(crate) id: RunId,
    pub(crate) request: Request,
    pub(crate) stop: Arc<Notify>,
    pub(crate) events: EventStream,
    /// Its place in the queue. A request with a key joins when it is accepted.
    pub(crate) place: Option<Result<Turn<()>, Failure>>,
}

impl Engine {
    /// An engine. Nothing is opened before it is needed.
    pub fn new(settings: EngineSettings) -> Self {
        Self(Arc::new(EngineState {
            locks: Locks::new(&settings.locks),
            settings,
            names: Queues::new(),
            phones: Queues::new(),
            claims: Mutex::default(),
            serials: Mutex::default(),
            ledger: OnceCell::new(),
            events: EventStream::new(EVENTS_KEPT),
            runs: Mutex::default(),
            ended: Notify::new(),
            counter: AtomicU64::new(0),
        }))
    }

    /// Runs a request. Requests for the same phone run one after the other, in
    /// the order of these calls. Must be called inside a tokio runtime.
    pub fn execute(&self, request: Request) -> Running {
        let id = request.id.clone().unwrap_or_else(|| self.0.new_id());
        let (stop, stream) = (Arc::new(Notify::new()), EventStream::new(RUN_EVENTS_KEPT));
        let info = RunInfo {
            run_id: id.clone(),
            state: RunState::Waiting,
            status: None,
            command_id: request.work.command_id().to_owned(),
            task_id: request.work.task_id().to_owned(),
            device_id: request.device.clone(),
            accepted_ms: self.0.settings.clock.now_ms(),
            began_ms: None,
            ended_ms: None,
            journal: None,
        };
        self.0.runs().begin(info, &request, stop.clone());
        let events = stream.subscribe();
        let cancel = match request.abandoned {
            AbandonPolicy::Continues => None,
            AbandonPolicy::IsCancelled => Some(CancelOnDrop(stop.clone())),
        };
        let place = request.key.is_none().then(|| self.0.join(request.device.as_deref()));
        let job = RunJob { id: id.clone(), request, stop, events: stream, place };
        let engine = self.0.clone();
        let task = tokio::spawn(async move {
            let listed = RunListing { engine: engine.clone(), id: job.id.clone() };
            let finished = engine.run(job).await;
            listed.end(&finished);
            finished
        });
        let outcome = Box::pin(async move {
            let finished = task.await.unwrap_or_else(|error| {
                Finished::from(Failure::of(ErrorCode::InternalError, error.to_string()))
            });
            // A run that has ended takes no notice of being cancelled.
            drop(cancel);
            finished
        });
        Running { id, events, outcome }
    }

    /// Now, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.0.settings.clock.now_ms()
    }

    /// A name for a run that is about to be requested.
    pub fn new_run_id(&self) -> RunId {
        self.0.new_id()
    }

    /// Cancels a run; tells whether there was one. Its outcome comes all the same.
    pub fn cancel(&self, run: &RunId) -> bool {
        let stop = self.0.runs().stop(run);
        if let Some(stop) = &stop {
            stop.notify_one();
        }
        stop.is_some()
    }

    /// Cancels every run; tells how many there were.
    pub fn cancel_all(&self) -> usize {
        let runs = self.0.runs();
        let stops = runs.stops();
        let count = stops.len();
        stops.for_each(|stop| stop.notify_one());
        count
    }

    /// What happens in all runs from now on.
    pub fn events(&self) -> Subscriber {
        self.0.events.subscribe()
    }

    /// Every phone that is known, in any state.
    pub fn devices(&self, deadline: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        Box::pin(async move { self.0.settings.discovery.list(deadline).await })
    }

    /// Connects to a phone to ask it something. Requests may be running on it.
    pub fn connect<'f>(
        &'f self,
        device: Option<&'f str>,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<Phone, Failure>> {
        Box::pin(async move {
            let phone = self.0.settings.discovery.connect(device, deadline).await?;
            phone.remember_in(&self.0.settings.state.join("phones"));
            Ok(phone)
        })
    }

    /// Leases a phone: no other request of any process runs on it meanwhile.
    pub fn lease<'f>(&'f self, wanted: PhoneRequest<'f>) -> BoxFuture<'f, Result<PhoneLease, Failure>> {
        Box::pin(async move {
            let place = self.0.join(wanted.device)?;
            self.0.lease(place, wanted, LeasePurpose::Act).await
        })
    }

    /// Leases a phone to look at it, whether or not an execution runs: its trees
    /// come from where the settings say.
    pub fn lease_to_look<'f>(
        &'f self,
        wanted: PhoneRequest<'f>,
    ) -> BoxFuture<'f, Result<PhoneLease, Failure>> {
        Box::pin(async move {
            let place = self.0.join(wanted.device)?;
            let mut lease = self.0.lease(place, wanted, LeasePurpose::Look).await?;
            let RunOptions { lane, resident, .. } = self.run_options(lease.phone());
            let deadline = Deadline::after(wanted.reach);
            lease.choose_lane(lane, resident, deadline).await?;
            Ok(lease)
        })
    }

    /// What a run needs besides the phone and the execution.
    pub fn run_options(&self, phone: &Phone) -> RunOptions {
        self.0.run_options(phone.serial())
    }

    /// Looks at the screen of a phone, when it is not in use.
    pub fn observe<'f>(
        &'f self,
        device: Option<&'f str>,
        view_request: ViewRequest,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<Observation, Failure>> {
        Box::pin(async move {
            let wanted = PhoneRequest {
                device,
                wait: Some(deadline.left()),
                owner: "observe",
                reach: deadline.left().min(REACH),
            };
            let left = deadline.left();
            let leased = timeout(left, self.lease_to_look(wanted)).await;
            let mut lease = leased.unwrap_or_else(|_| {
                let message = format!("the phone was not free within {} ms", left.as_millis());
                Err(Failure::of(ErrorCode::ExecutionConflict, message))
            })?;
            let seen = lease.observe(view_request, deadline).await;
            lease.release().await;
            seen.map_err(|error| {
                Failure::of(error.code(ErrorCode::DeviceShellUnavailable), error.to_string())
            })
        })
    }
}

/// Cancels a run whose caller is gone.
struct CancelOnDrop(Arc<Notify>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl EngineState {
    fn new_id(&self) -> RunId {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let (now_ms, random) = (self.settings.clock.now_ms(), self.settings.ids.next());
        RunId(format!("run-{now_ms}-{:08x}-{number}", random & 0xffff_ffff).into())
    }

    /// Joins the queue of the name of a phone.
    pub(crate) fn join(&self, device: Option<&str>) -> Result<Turn<()>, Failure> {
        self.names.tidy(|()| false);
        self.phones.tidy(WarmConnection::is_open);
        // No phone has an empty name.
        self.names.join(device.unwrap_or_default())
    }

    pub(crate) fn run_options(&self, serial: &str) -> RunOptions {
        RunOptions {
            lane: self.settings.lane,
            resident: SetupMarks::new(&self.settings.state).of(serial),
            seed: self.settings.ids.next(),
            pictures: self.settings.pictures.clone(),
            now_ms: self.settings.clock.now_ms(),
            recordings: self.settings.recordings.clone(),
            ..RunOptions::default()
        }
    }

    pub(crate) fn lease_options(&self, guard: Option<Box<dyn Send>>) -> LeaseOptions {
        LeaseOptions { memory: Some(self.settings.state.join("phones")), guard }
    }

    pub(crate) async fn ledger(&self) -> Result<&Ledger, Failure> {
        let opening = || async {
            let folder = self.settings.state.join("ledger");
            // Another process can be in the way for a while.
            let opened = tokio::task::spawn_blocking(move || Ledger::open(&folder)).await;
            let opened = opened.map_err(|error| Failure::of(ErrorCode::InternalError, error.to_string()))?;
            Ok(opened?)
        };
        self.ledger.get_or_try_init(opening).await
    }

    pub(crate) fn serials(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.serials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
