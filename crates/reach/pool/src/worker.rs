//! A host: gives its phones to the pool, takes jobs for them, and runs them with its engine.

mod claim;
mod clean;
mod end;
mod feed;
mod janitor;
mod lease;
mod phones;
mod registry;
mod run;
mod wishes;

use crate::account::{Account, Typed};
use crate::broker::{Bucket, Delivery, Entry};
use crate::job::Job;
use crate::name::{JobId, Name};
use crate::order::JudgeOfRules;
use crate::record::Wish;
use crate::seal::SealKey;
use clawperator_contract::Failure;
use clawperator_engine::{Engine, RunId};
use feed::TenantFeed;
use futures_core::future::BoxFuture;
use phones::Phones;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How long jobs under way may take after the host was asked to end, before they are cancelled.
const GRACE: Duration = Duration::from_secs(60);
/// How often what others store is listed again.
const LIST_AGAIN: Duration = Duration::from_secs(30);

/// What a host needs.
pub struct WorkerSettings {
    pub host: Name,
    /// The computer; it stays the same when the host begins anew.
    pub machine: String,
    /// This process of the host.
    pub instance: String,
    pub version: &'static str,
    pub pool: Account,
    pub tenants: Vec<Tenant>,
    pub engine: Engine,
    pub roster: Arc<dyn Roster>,
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
    pub weight: u8,
    /// How many of its jobs this host runs at once.
    pub quota: Option<usize>,
}

/// Which phones a host has.
pub trait Roster: fmt::Debug + Send + Sync {
    /// The phones that are there now.
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>>;
}

/// A phone that a host has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
pub type WorkerLog = Arc<dyn Fn(&str) + Send + Sync>;

impl fmt::Debug for WorkerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerSettings({})", self.host)
    }
}

/// A host of a pool. A clone is the same host.
#[derive(Clone, Debug)]
pub struct Worker(Arc<WorkerState>);

#[derive(Debug)]
struct WorkerState {
    settings: WorkerSettings,
    /// What the broker's clock said last, and when. Only durations of this computer's own steady
    /// clock are added, so that setting its time changes nothing.
    clock: Mutex<Option<(u64, Instant)>>,
    /// Since when the account of each tenant was there without a break.
    steady: Mutex<Vec<Instant>>,
    phones: Phones,
    feed: Mutex<Vec<TenantFeed>>,
    /// Jobs that somebody has cancelled, by tenant and job.
    cancelled: Mutex<BTreeSet<(usize, JobId)>>,
    /// The jobs in hand, by tenant and job, with the run of each once it has one.
    hands: Mutex<BTreeMap<(usize, JobId), Option<RunId>>>,
    /// Wakes the feed: there is a job, or a phone.
    wake: Notify,
    drains: AtomicBool,
}

/// A job that was taken for a phone, or for none to be ended.
#[derive(Debug)]
struct JobInHand {
    tenant: usize,
    id: JobId,
    job: Typed<Job>,
    delivery: Option<Delivery>,
    serial: String,
}

impl JobInHand {
    fn is_named(&self) -> bool {
        self.delivery.is_none() && !self.serial.is_empty()
    }

    fn key(&self) -> (usize, JobId) {
        (self.tenant, self.id.clone())
    }
}

/// A value that a panic elsewhere has not made unusable.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    /// A host. Nothing is sent before [`Self::run`].
    pub fn new(settings: WorkerSettings) -> Self {
        let feed = settings.tenants.iter().map(|_| TenantFeed::default()).collect();
        Self(Arc::new(WorkerState {
            clock: Mutex::default(),
            steady: Mutex::new(vec![Instant::now(); settings.tenants.len()]),
            phones: Phones::new(settings.journals.with_file_name("unclean")),
            settings,
            feed: Mutex::new(feed),
            cancelled: Mutex::default(),
            hands: Mutex::default(),
            wake: Notify::new(),
            drains: AtomicBool::new(false),
        }))
    }

    /// Serves the pool until `stop` is ready; then it takes no more jobs, and ends those it has.
    ///
    /// # Errors
    /// If another computer has the name of this host. A broker that is away is waited for.
    pub fn run<'f>(&'f self, mut stop: BoxFuture<'f, ()>) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            let state = &self.0;
            tokio::select! {
                joined = state.join() => joined?,
                () = &mut stop => return Ok(()),
            }
            // All of them end when this future is dropped.
            let mut tasks = JoinSet::new();
            tasks.spawn(state.clone().keep_phones());
            tasks.spawn(state.clone().follow(Bucket::Wishes, None));
            // What is of a tenant waits for the account of that tenant only.
            for tenant in 0..state.settings.tenants.len() {
                tasks.spawn(state.clone().keep_registered(tenant));
                tasks.spawn(state.clone().keep_written(tenant));
                tasks.spawn(state.clone().sweep_on(tenant));
                tasks.spawn(state.clone().follow(Bucket::Jobs, Some(tenant)));
                tasks.spawn(state.clone().follow(Bucket::Wishes, Some(tenant)));
            }
            let mut jobs = JoinSet::new();
            let feeding = async {
                state.settle_in().await;
                state.feed_on(&mut jobs).await;
            };
            tokio::select! {
                () = stop => {}
                () = feeding => {}
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
        })
    }
}

impl WorkerState {
    /// What must be known before the first job: what an earlier process of this host has left, who
    /// has reserved phones, and whether the host takes jobs. A tenant that is slow is not waited for.
    async fn settle_in(self: &Arc<Self>) {
        let mut settling = JoinSet::new();
        let host = self.clone();
        settling.spawn(async move { host.hear_all(Bucket::Wishes, None, ">").await });
        for tenant in 0..self.settings.tenants.len() {
            let host = self.clone();
            settling.spawn(async move {
                host.hear_all(Bucket::Wishes, Some(tenant), "reserve.>").await;
                if let Err(error) = host.settle_claims(tenant).await {
                    host.log(&format!("what an earlier process left is not settled yet: {error}"));
                }
            });
        }
        let _ = timeout(LIST_AGAIN, settling.join_all()).await;
    }

    /// Hears of jobs or wishes of a tenant, or of wishes of those who run the pool. What was stored
    /// before is found by listing, and so is what a lost notice was about.
    async fn follow(self: Arc<Self>, bucket: Bucket, tenant: Option<usize>) {
        let account = tenant.map_or(&self.settings.pool, |tenant| &self.tenant(tenant).account);
        let of_host = || format!("pin.{}.>", self.settings.host);
        let listed = if bucket == Bucket::Jobs { of_host() } else { ">".to_owned() };
        loop {
            if let Ok(mut watch) = account.watch(bucket, ">").await {
                let mut again = Instant::now();
                loop {
                    // Also while others come all the time.
                    if Instant::now() >= again {
                        self.hear_all(bucket, tenant, &listed).await;
                        again = Instant::now() + LIST_AGAIN;
                    }
                    match timeout_at(again, watch.recv()).await {
                        Ok(Some(entry)) => {
                            self.hear(tenant, bucket, &entry).await;
                            self.end_cancelled(tenant, &entry).await;
                        }
                        Ok(None) => break,
                        Err(_) => {}
                    }
                }
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    async fn hear_all(self: &Arc<Self>, bucket: Bucket, tenant: Option<usize>, listed: &str) {
        let account = tenant.map_or(&self.settings.pool, |tenant| &self.tenant(tenant).account);
        for entry in account.list(bucket, listed).await.unwrap_or_default() {
            self.hear(tenant, bucket, &entry).await;
        }
    }

    async fn hear(self: &Arc<Self>, tenant: Option<usize>, bucket: Bucket, entry: &Entry) {
        if let (Bucket::Jobs, Some(tenant)) = (bucket, tenant) {
            self.hear_of(tenant, entry);
        } else if let Some(wish) = Typed::<Wish>::read(entry) {
            self.grant(tenant, wish).await;
        }
    }

    fn tenant(&self, tenant: usize) -> &Tenant {
        &self.settings.tenants[tenant]
    }

    fn account(&self, hand: &JobInHand) -> &Account {
        &self.tenant(hand.tenant).account
    }

    fn running_of(&self, tenant: usize) -> usize {
        lock(&self.hands).keys().filter(|(of, _)| *of == tenant).count()
    }

    fn has_in_hand(&self, tenant: usize, job: &JobId) -> bool {
        lock(&self.hands).contains_key(&(tenant, job.clone()))
    }

    fn is_draining(&self) -> bool {
        self.drains.load(Ordering::Relaxed)
    }

    fn log(&self, line: &str) {
        (self.settings.log)(line);
    }

    /// The broker's time, which is known once the host is registered.
    fn now_ms(&self) -> Option<u64> {
        let (stored_ms, sent) = (*lock(&self.clock))?;
        Some(stored_ms + u64::try_from(sent.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
