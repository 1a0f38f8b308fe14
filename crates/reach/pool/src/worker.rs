//! A host: gives its phones to the pool, takes jobs for them, and runs them with its engine.

mod claim;
mod clean;
mod clock;
mod end;
mod feed;
mod files;
mod janitor;
mod lease;
mod phones;
mod registry;
mod run;
mod wishes;

use crate::account::Account;
use crate::broker::Delivery;
use crate::job::Job;
use crate::name::{JobId, Name};
use crate::order::JudgeOfRules;
use crate::seal::SealKey;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{BoxFuture, Engine, RunId};
use clock::BrokerClock;
use feed::Feed;
use phones::Phones;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// How long jobs under way may take after the host was asked to end, before they are cancelled.
const GRACE: Duration = Duration::from_secs(60);

/// What a host needs.
#[derive(Debug)]
pub struct WorkerSettings {
    pub host: Name,
    /// The computer; it stays the same when the host begins anew.
    pub machine: String,
    /// This process of the host.
    pub instance: String,
    pub version: &'static str,
    /// The account with the leases.
    pub pool: Account,
    pub tenants: Vec<Tenant>,
    pub engine: Engine,
    pub roster: Arc<dyn Roster>,
    /// Opens what callers have sealed.
    pub seal: Option<SealKey>,
    pub judge: JudgeOfRules,
    /// The folder of journals, for callers that ask for one.
    pub journals: PathBuf,
    pub log: WorkerLog,
}

/// A tenant: an account of its own, and its share.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub name: Name,
    pub account: Account,
    /// How many turns it has while others have one.
    pub weight: u32,
    /// How many of its jobs this host runs at once.
    pub quota: Option<usize>,
}

/// Which phones a host has.
pub trait Roster: fmt::Debug + Send + Sync {
    /// The phones that are there now.
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>>;
}

/// A phone that a host has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterPhone {
    /// What the engine knows it by.
    pub serial: String,
    pub model: Option<String>,
    pub android: Option<String>,
    /// Its classes, beside those that its model and version make.
    pub classes: Vec<Name>,
    /// The phone's own number, if another host may reach it as well.
    pub hardware: Option<String>,
}

/// Where a host logs: one line of plain text each.
#[derive(Clone)]
pub struct WorkerLog(Arc<dyn Fn(&str) + Send + Sync>);

impl WorkerLog {
    /// A log that is written by this function.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    pub(crate) fn write(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for WorkerLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkerLog")
    }
}

/// A host of a pool. A clone is the same host.
#[derive(Clone, Debug)]
pub struct Worker(Arc<WorkerState>);

#[derive(Debug)]
struct WorkerState {
    settings: WorkerSettings,
    clock: BrokerClock,
    /// Since when the broker was there without a break.
    steady: Mutex<Instant>,
    phones: Phones,
    feed: Feed,
    /// Jobs that somebody has cancelled, by tenant and job.
    cancelled: Mutex<BTreeSet<(usize, JobId)>>,
    /// Those of them that the janitor has not looked at.
    to_end: Mutex<Vec<(usize, JobId)>>,
    /// The jobs in hand, by tenant and job.
    hands: Mutex<BTreeMap<(usize, JobId), HandState>>,
    /// Wakes the feed: there is a job, or a phone.
    wake: Notify,
    /// Wakes the janitor: somebody wants something.
    sweep: Notify,
    drains: AtomicBool,
}

/// The run of a job in hand, once it has one.
#[derive(Debug, Default)]
struct HandState(Option<RunId>);

/// A job that was taken for a phone.
#[derive(Debug)]
struct JobInHand {
    tenant: usize,
    job: Job,
    key: String,
    revision: u64,
    stored_ms: u64,
    delivery: Option<Delivery>,
    serial: String,
}

impl JobInHand {
    /// Whether it names its phone.
    fn is_named(&self) -> bool {
        self.delivery.is_none() && !self.serial.is_empty()
    }
}

impl Worker {
    /// A host. Nothing is sent before [`Self::run`].
    pub fn new(settings: WorkerSettings) -> Self {
        Self(Arc::new(WorkerState {
            feed: Feed::new(settings.tenants.len()),
            settings,
            clock: BrokerClock::default(),
            steady: Mutex::new(Instant::now()),
            phones: Phones::default(),
            cancelled: Mutex::default(),
            to_end: Mutex::default(),
            hands: Mutex::default(),
            wake: Notify::new(),
            sweep: Notify::new(),
            drains: AtomicBool::new(false),
        }))
    }

    /// Serves the pool until `stop` is ready; then it takes no more jobs, and ends those it has.
    ///
    /// # Errors
    /// If another computer has the name of this host, or the broker does not answer at the start.
    pub async fn run(&self, stop: impl Future<Output = ()> + Send) -> Result<(), Failure> {
        let state = &self.0;
        state.join().await?;
        state.settle_own().await;
        // All of them end when this future is dropped.
        let mut tasks = JoinSet::new();
        let host = state.clone();
        tasks.spawn(async move { host.keep_registered().await });
        let host = state.clone();
        tasks.spawn(async move { host.keep_phones().await });
        let host = state.clone();
        tasks.spawn(async move { host.sweep_on().await });
        for tenant in 0..state.settings.tenants.len() {
            let host = state.clone();
            tasks.spawn(async move { host.follow_jobs(tenant).await });
            let host = state.clone();
            tasks.spawn(async move { host.follow_wishes(Some(tenant)).await });
        }
        let host = state.clone();
        tasks.spawn(async move { host.follow_wishes(None).await });
        let mut jobs = JoinSet::new();
        tokio::select! {
            () = stop => {}
            () = state.feed_on(&mut jobs) => {}
        }
        state.drains.store(true, Ordering::Relaxed);
        let ended = timeout(GRACE, async { while jobs.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            state.settings.engine.cancel_all();
            let _ = timeout(GRACE, async { while jobs.join_next().await.is_some() {} }).await;
        }
        drop(tasks);
        state.leave().await;
        Ok(())
    }
}

impl WorkerState {
    fn hands(&self) -> MutexGuard<'_, BTreeMap<(usize, JobId), HandState>> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tenant(&self, tenant: usize) -> &Tenant {
        &self.settings.tenants[tenant]
    }

    /// How many jobs of a tenant this host runs.
    fn running_of(&self, tenant: usize) -> usize {
        self.hands().keys().filter(|(of, _)| *of == tenant).count()
    }

    fn has_in_hand(&self, tenant: usize, job: &JobId) -> bool {
        self.hands().contains_key(&(tenant, job.clone()))
    }

    fn is_draining(&self) -> bool {
        self.drains.load(Ordering::Relaxed)
    }

    fn log(&self, line: &str) {
        self.settings.log.write(line);
    }

    /// The broker's time, which is known once the host is registered.
    fn now_ms(&self) -> Result<u64, Failure> {
        let unknown = || Failure::of(ErrorCode::PoolUnavailable, "the broker's time is not known yet");
        self.clock.now_ms().ok_or_else(unknown)
    }
}
