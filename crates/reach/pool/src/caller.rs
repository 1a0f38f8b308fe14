//! A caller of a pool: sends jobs, waits for their results, and sees what there is.

mod examine;
mod last_known;
mod list;
mod news;
mod wait;

pub use examine::{PoolCheck, PoolHealth};
pub(crate) use last_known::last_known;
pub use list::ListedResult;
pub(crate) use list::time_key;
pub use news::{NewsFeed, PoolNews};
pub use wait::{PoolJobs, RunningJob, WaitReason, WaitingJob};

use crate::account::{Account, bytes_of};
use crate::blob;
use crate::broker::{BrokerError, Bucket, Change, Expected, Watch};
use crate::job::{Job, JobResult, MAX_ORDER, Priority, RunRecord, RunStage, Target, USUAL_DEADLINE};
use crate::name::{JobId, Name, PhoneName};
use crate::order::{Parcel, StoredOrder};
use crate::record::{HostRecord, JobEvent, PhoneRecord, PhoneStage, Wish};
use crate::seal::SealLock;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_engine::Request;
use clawperator_redact::HashKey;
use futures_core::future::BoxFuture;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How often a result is looked for that no notice came of.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How long a broker may be silent while a job is sent.
const SENDING: Duration = Duration::from_secs(30);
const SEND_AGAIN: Duration = Duration::from_millis(500);

/// How much longer than its deadline a job is waited for: hosts look for jobs that are over every
/// thirty seconds, and notice a host that is gone after 45.
const SLACK: Duration = Duration::from_secs(60);

/// The most letters of the label of a job, or of the reason for a reservation.
pub const MOST_LETTERS: usize = 200;
/// How many jobs of one commandId are named.
const MOST_NAMED: usize = 10;

/// A caller: one account of the pool.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account: Account,
    /// Closes orders, so that only hosts can read them.
    pub seal: Option<SealLock>,
    /// The account of those who run the pool, if the caller is one of them.
    pub pool: Option<Account>,
}

/// How a job is to be run.
#[derive(Clone, Debug)]
pub struct JobWish {
    pub target: Target,
    pub priority: Priority,
    pub deadline: Duration,
    pub repeatable: bool,
    pub label: Option<String>,
    /// Which part of an order for several phones it is.
    pub part: Option<String>,
}

impl JobWish {
    /// A job for this target, with nothing special about it.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            priority: Priority::Normal,
            deadline: USUAL_DEADLINE,
            repeatable: false,
            label: None,
            part: None,
        }
    }

    /// The part of it that one phone has.
    pub fn on(&self, phone: &PhoneName) -> Self {
        let part = self.part.iter().fold(phone.to_string(), |name, part| format!("{name} {part}"));
        Self { target: Target::Phone(phone.clone()), part: Some(part), ..self.clone() }
    }

    /// The job that a request becomes.
    pub fn job_id(&self, request: &Request) -> JobId {
        JobId::of_part(request.work.command_id(), self.part.as_deref())
    }
}

/// A job and how far it is.
#[derive(Debug)]
pub enum JobStatus {
    Waiting(Box<WaitingJob>),
    Running(Box<RunRecord>),
    Ended(Box<JobResult>),
}

impl Caller {
    /// Sends a job. The same id with the same order is the same job, whether it waits, runs or
    /// has ended.
    ///
    /// # Errors
    /// If the id was used with another order, the order is too large, is for this computer only
    /// or has secrets that cannot be sealed, or the broker refuses it.
    pub fn submit<'f>(
        &'f self,
        request: Request,
        wish: &'f JobWish,
    ) -> BoxFuture<'f, Result<JobId, Failure>> {
        Box::pin(async move {
            let JobWish { target, priority, repeatable, label, deadline, part } = wish.clone();
            require_short("label", label.as_deref().unwrap_or_default())?;
            let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
            let command_id = request.work.command_id().to_owned();
            let digest = digest(&request, wish, self.seal.as_ref());
            let job = Job { command_id, part, target, priority, deadline_ms, repeatable, label };
            let order = StoredOrder { digest, parcel: Parcel::close(request, self.seal.as_ref())? };
            let bytes = bytes_of(&order).len();
            if bytes > MAX_ORDER {
                let message = format!("the order has {bytes} bytes; a pool takes at most {MAX_ORDER}");
                return Err(Failure::new(ErrorCode::Usage, message));
            }
            // A cluster that has lost a node says for some seconds that it cannot answer. What was sent
            // without an answer can be sent again: it is the same job.
            let until = Instant::now() + SENDING;
            loop {
                match self.send(&job, &order).await {
                    Ok(true) => return Ok(job.id()),
                    Ok(false) => return Err(used_before(&job.command_id)),
                    Err(BrokerError::Unavailable(_)) if Instant::now() < until => sleep(SEND_AGAIN).await,
                    Err(error) => return Err(error.into()),
                }
            }
        })
    }

    /// Stores an order and then its job; says whether the id is not that of another order.
    async fn send(&self, job: &Job, order: &StoredOrder) -> Result<bool, BrokerError> {
        if let Some(is_same) = self.ended_with(&job.id(), order).await? {
            return Ok(is_same);
        }
        if !self.store_order(&job.id(), order).await? {
            return Ok(false);
        }
        let (key, value, expected) = (job.key(), bytes_of(job), Expected::Absent);
        match self.account.store(Change { bucket: Bucket::Jobs, key: &key, value: &value, expected }).await {
            // It was sent before.
            Ok(_) | Err(BrokerError::Conflict) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Whether the job of this id that has ended had this order, if one has ended.
    async fn ended_with(&self, id: &JobId, order: &StoredOrder) -> Result<Option<bool>, BrokerError> {
        let result = self.account.get::<JobResult>(Bucket::Results, id.as_str()).await?;
        // Of a job whose order was lost the digest is not known.
        let is_same = |digest: String| digest.is_empty() || digest == order.digest;
        Ok(result.map(|result| is_same(result.value.digest)))
    }

    /// Stores an order under an id; says whether that is not the id of another one.
    async fn store_order(&self, id: &JobId, order: &StoredOrder) -> Result<bool, BrokerError> {
        let (value, expected) = (bytes_of(order), Expected::Absent);
        let change = Change { bucket: Bucket::Orders, key: id.as_str(), value: &value, expected };
        match self.account.store(change).await {
            Ok(_) => Ok(true),
            Err(BrokerError::Conflict) => {
                let stored = self.account.get::<StoredOrder>(Bucket::Orders, id.as_str()).await?;
                Ok(stored.is_none_or(|stored| stored.value.digest == order.digest))
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for the result of a job, for as long as it takes.
    pub fn result<'f>(&'f self, id: &'f JobId) -> BoxFuture<'f, Result<JobResult, Failure>> {
        Box::pin(async move {
            let mut notices: Option<Watch> = None;
            loop {
                // First, so that nothing is missed between the two.
                if notices.is_none() {
                    notices = self.account.watch(Bucket::Results, id.as_str()).await.ok();
                }
                match self.account.get::<JobResult>(Bucket::Results, id.as_str()).await {
                    Ok(Some(result)) => return Ok(result.value),
                    Ok(None) | Err(BrokerError::Unavailable(_)) => {}
                    Err(error) => return Err(error.into()),
                }
                let Some(watch) = &mut notices else {
                    sleep(LOOK_AGAIN).await;
                    continue;
                };
                if let Ok(None) = timeout(LOOK_AGAIN, watch.recv()).await {
                    notices = None;
                }
            }
        })
    }

    /// Waits for the result of a job as long as it may take. One that no host has ended by then is
    /// cancelled.
    ///
    /// # Errors
    /// `JOB_EXPIRED`, and why it was not ended.
    pub fn result_in_time<'f>(
        &'f self,
        id: &'f JobId,
        deadline: Duration,
        limit: Duration,
    ) -> BoxFuture<'f, Result<JobResult, Failure>> {
        Box::pin(async move {
            let deadline = deadline.saturating_add(SLACK);
            if let Ok(result) = timeout(deadline, self.result(id)).await {
                return result;
            }
            if !matches!(self.job(id).await, Ok(JobStatus::Waiting(_)))
                && let Ok(result) = timeout(limit.saturating_add(SLACK), self.result(id)).await
            {
                return result;
            }
            // Without an answer it is not known whether it has begun, so nothing else may be said.
            let run = self.account.get::<RunRecord>(Bucket::Runs, id.as_str()).await?;
            let begun = run.filter(|run| run.value.starts > 0);
            let why = match (self.job(id).await, begun) {
                (Ok(JobStatus::Ended(result)), _) => return Ok(*result),
                (_, Some(run)) => {
                    let host = run.value.host;
                    let said = format!("host {host} has begun the job {id} and has not said what came of it");
                    return Err(last_known(&self.account, id, said).await);
                }
                (Ok(JobStatus::Waiting(job)), None) => job.why.text(),
                (Ok(JobStatus::Running(run)), None) => format!("host {} has it in hand", run.host),
                (Err(failure), None) => failure.message,
            };
            // If this is not heard, hosts end it by its deadline.
            let end = match self.cancel(id).await {
                Ok(_) => "it is cancelled".to_owned(),
                Err(failure) => format!("it cannot be cancelled: {}", failure.message),
            };
            let message = format!("the job {id} was waited for too long: {why}; {end}");
            Err(Failure::of(ErrorCode::JobExpired, message))
        })
    }

    /// A job and how far it is.
    pub fn job<'f>(&'f self, id: &'f JobId) -> BoxFuture<'f, Result<JobStatus, Failure>> {
        Box::pin(async move {
            let account = &self.account;
            if let Some(result) = account.get::<JobResult>(Bucket::Results, id.as_str()).await? {
                return Ok(JobStatus::Ended(Box::new(result.value)));
            }
            let job = account.get::<Job>(Bucket::Jobs, &id.job_key()).await?;
            let Some(job) = job else {
                return Err(not_found(id));
            };
            let run = account.get::<RunRecord>(Bucket::Runs, id.as_str()).await?;
            match run.map(|run| run.value) {
                Some(run) if run.state != RunStage::Waiting => Ok(JobStatus::Running(Box::new(run))),
                _ => {
                    let waiting = self.jobs().await?.waiting.into_iter().find(|waiting| waiting.id == *id);
                    let waiting = waiting.unwrap_or_else(|| WaitingJob::new(job));
                    Ok(JobStatus::Waiting(Box::new(waiting)))
                }
            }
        })
    }

    /// The job that a person means: by its id, or by the id of its caller.
    ///
    /// # Errors
    /// `JOB_NOT_FOUND`, also if several are meant; then it names them.
    pub async fn find(&self, text: &str) -> Result<JobId, Failure> {
        let (account, id) = (&self.account, JobId::of(text));
        let has_result = account.read(Bucket::Results, id.as_str()).await?.is_some();
        if has_result || account.read(Bucket::Jobs, &id.job_key()).await?.is_some() {
            return Ok(id);
        }
        // What may run several times has an id of its own each time.
        let jobs = account.all::<Job>(Bucket::Jobs, ">").await?;
        let named = jobs.iter().filter(|job| job.value.command_id == text);
        let mut named: Vec<JobId> = named.map(|job| job.value.id()).take(MOST_NAMED).collect();
        if named.is_empty() {
            // Those that have ended are known by their events, for an hour.
            let events = account.all::<JobEvent>(Bucket::Events, ">").await?;
            let ended = events.into_iter().filter(|event| event.value.command_id == text);
            named.extend(ended.map(|event| event.value.job).take(MOST_NAMED));
        }
        let shown = text::excerpt(text);
        match named.as_slice() {
            [] => {
                let message =
                    format!("the pool has no job \"{shown}\" that waits, runs or has ended in the last hour");
                Err(Failure::of(ErrorCode::JobNotFound, message))
            }
            [id] => Ok(id.clone()),
            several => {
                let ids: Vec<_> = several.iter().map(JobId::as_str).collect();
                let message = format!("several jobs have the commandId \"{shown}\": {}", ids.join(", "));
                Err(Failure::new(ErrorCode::JobNotFound, message).hint("Name one of them by its own id."))
            }
        }
    }

    /// Cancels a job, whether it waits or runs; says whether it has not ended.
    pub async fn cancel(&self, id: &JobId) -> Result<bool, Failure> {
        let account = &self.account;
        if account.read(Bucket::Results, id.as_str()).await?.is_some() {
            return Ok(false);
        }
        if account.read(Bucket::Jobs, &id.job_key()).await?.is_none() {
            return Err(not_found(id));
        }
        wish(account, &Wish::Cancel(id.clone())).await.map(|()| true)
    }

    /// Keeps a phone for jobs of this tenant that name it; for no time: no longer.
    pub async fn reserve(&self, phone: &PhoneName, time: Duration, why: &str) -> Result<(), Failure> {
        let record = self.phone(phone).await?;
        // A tenant sees the reasons of its own reservations only.
        if record.state == PhoneStage::Reserved && record.why.is_none() {
            let message = format!("another tenant has reserved {phone}");
            let hint = "Wait until its time is over, or choose another phone. Those who run the pool end it with --tenant NAME --for 0s.";
            return Err(Failure::new(ErrorCode::ExecutionConflict, message).hint(hint));
        }
        require_short("why", why)?;
        let for_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        wish(&self.account, &Wish::Reserve { phone: phone.clone(), for_ms, why: why.to_owned() }).await
    }

    /// Has a host take no more jobs, or take them again. Only those who run the pool may.
    pub async fn drain(&self, host: &Name, drains: bool) -> Result<(), Failure> {
        let pool = self.own_account()?;
        if !self.hosts().await?.iter().any(|known| known.host == *host) {
            let message = format!("no host {host} is in the pool");
            let hint = "List the hosts with clawperator pool hosts.";
            return Err(Failure::new(ErrorCode::DeviceNotFound, message).hint(hint));
        }
        wish(pool, &Wish::Drain { host: host.clone(), drains }).await
    }

    /// Lets a phone out of quarantine. Only those who run the pool may.
    pub async fn release(&self, phone: &PhoneName) -> Result<(), Failure> {
        let pool = self.own_account()?;
        self.phone(phone).await?;
        wish(pool, &Wish::Release(phone.clone())).await
    }

    fn own_account(&self) -> Result<&Account, Failure> {
        let message = "only those who run the pool may do that, and this pool file is not theirs";
        self.pool.as_ref().ok_or_else(|| Failure::of(ErrorCode::PoolRefused, message))
    }

    /// The phones of the pool.
    pub async fn phones(&self) -> Result<Vec<PhoneRecord>, Failure> {
        let found = self.account.all::<PhoneRecord>(Bucket::Phones, ">").await?;
        let mut phones: Vec<_> = found.into_iter().map(|phone| phone.value).collect();
        phones.sort_by(|one, other| one.phone.cmp(&other.phone));
        Ok(phones)
    }

    /// The hosts of the pool.
    pub async fn hosts(&self) -> Result<Vec<HostRecord>, Failure> {
        let found = self.account.all::<HostRecord>(Bucket::Hosts, "*").await?;
        Ok(found.into_iter().map(|host| host.value).collect())
    }

    /// A phone of the pool.
    pub async fn phone(&self, phone: &PhoneName) -> Result<PhoneRecord, Failure> {
        let found = self.account.get::<PhoneRecord>(Bucket::Phones, &phone.key()).await?;
        found.map(|found| found.value).ok_or_else(|| no_phone(format!("the pool has no phone {phone}")))
    }

    /// The phones of a class that can be used, for a job that is to run on each. Its id means that from
    /// now on, and no other target.
    ///
    /// # Errors
    /// The id was used with another order or target, or no such phone is there.
    pub async fn phones_for(
        &self,
        class: &Name,
        request: &Request,
        wish: &JobWish,
    ) -> Result<Vec<PhoneName>, Failure> {
        let phones = self.phones_of(class).await?;
        if wish.part.is_none() {
            let (command_id, digest) = (request.work.command_id(), digest(request, wish, self.seal.as_ref()));
            let (id, parcel) = (JobId::of(command_id), Parcel::Plain(String::new()));
            let order = StoredOrder { digest, parcel };
            let is_same = match self.ended_with(&id, &order).await? {
                Some(is_same) => is_same,
                None => self.store_order(&id, &order).await?,
            };
            if !is_same {
                return Err(used_before(command_id));
            }
        }
        Ok(phones)
    }

    /// The phones of a class that can be used.
    pub async fn phones_of(&self, class: &Name) -> Result<Vec<PhoneName>, Failure> {
        let is_usable = |phone: &PhoneRecord| {
            !matches!(phone.state, PhoneStage::Lost | PhoneStage::Quarantined)
                && phone.classes.contains(class)
        };
        let phones = self.phones().await?.into_iter().filter(is_usable);
        let phones: Vec<_> = phones.map(|phone| phone.phone).collect();
        if phones.is_empty() {
            return Err(no_phone(format!("no phone of class {class} is in the pool and can be used")));
        }
        Ok(phones)
    }

    /// The report of a job that has ended, as a page; its host makes it now.
    pub fn report<'f>(&'f self, id: &'f JobId, within: Duration) -> BoxFuture<'f, Result<Vec<u8>, Failure>> {
        Box::pin(async move {
            let JobStatus::Ended(result) = self.job(id).await? else {
                let message = format!("the job {id} has not ended, so there is no report of it");
                return Err(Failure::of(ErrorCode::ExecutionConflict, message));
            };
            let Some(phone) = result.phone else {
                let message = format!("the job {id} has touched no phone, so there is no report of it");
                return Err(Failure::new(ErrorCode::JobNotFound, message));
            };
            wish(&self.account, &Wish::Fetch { host: phone.host.clone(), job: id.clone() }).await?;
            let until = Instant::now() + within;
            loop {
                if let Some(report) = blob::load(&self.account, id).await? {
                    return Ok(report);
                }
                if Instant::now() >= until {
                    let message = format!("host {} did not send the report of {id} in time", phone.host);
                    return Err(Failure::new(ErrorCode::PoolUnavailable, message));
                }
                sleep(Duration::from_millis(100)).await;
            }
        })
    }
}

async fn wish(account: &Account, wish: &Wish) -> Result<(), Failure> {
    Ok(account.put(Bucket::Wishes, &wish.key(), wish).await.map(drop)?)
}

fn require_short(what: &str, text: &str) -> Result<(), Failure> {
    if text.chars().count() <= MOST_LETTERS {
        return Ok(());
    }
    Err(Failure::of(ErrorCode::Usage, format!("{what} has more than {MOST_LETTERS} letters")))
}

fn used_before(command_id: &str) -> Failure {
    let message =
        format!("the commandId {command_id:?} was used before with another payload, target or priority");
    Failure::of(ErrorCode::IdempotencyConflict, message)
}

/// The failure of a phone or class that the pool does not have.
fn no_phone(message: String) -> Failure {
    Failure::new(ErrorCode::DeviceNotFound, message).hint("List the phones with clawperator pool phones.")
}

fn not_found(id: &JobId) -> Failure {
    Failure::of(ErrorCode::JobNotFound, format!("the pool has no job {id}"))
}

/// A hash of an order and of what its key in the queue is made of: by it, two orders of one id are
/// told apart. The key of the hash is in pool files and not in the broker, so nothing can be guessed
/// from it there.
fn digest(request: &Request, wish: &JobWish, seal: Option<&SealLock>) -> String {
    let key = seal.map(|seal| String::from(seal.clone())).unwrap_or_default();
    // Texts and numbers can always be written.
    let execution = request.work.execution().and_then(|execution| serde_json::to_string(execution).ok());
    let JobWish { target, priority, .. } = wish;
    let order = format!("{target}\n{}\n{}", priority.word(), execution.unwrap_or_default());
    HashKey::new(key.as_bytes()).hash(&order)
}
