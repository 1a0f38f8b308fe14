//! The jobs that have not ended: those that wait, in their order, and why each of them waits,
//! and those that hosts have in hand.

use super::Caller;
use crate::account::Typed;
use crate::broker::Bucket;
use crate::job::{Job, RunRecord, RunStage, Target};
use crate::name::{JobId, Name, PhoneName};
use crate::record::{HostRecord, PhoneRecord, PhoneStage, Wish};
use clawperator_contract::Failure;
use futures_core::future::BoxFuture;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingJob {
    pub id: JobId,
    #[serde(flatten)]
    pub job: Job,
    /// When it was stored, by the broker's clock.
    pub stored_ms: u64,
    pub why: WaitReason,
    /// How many jobs of this tenant come before it on the same phones.
    pub ahead: usize,
}

/// A job that a host has in hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunningJob {
    pub id: JobId,
    #[serde(flatten)]
    pub job: Job,
    /// When it was stored, by the broker's clock.
    pub stored_ms: u64,
    pub stage: RunStage,
    pub host: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<PhoneName>,
    pub starts: u32,
}

/// The jobs that have not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PoolJobs {
    /// Those that come first first.
    pub waiting: Vec<WaitingJob>,
    pub running: Vec<RunningJob>,
}

/// Why a job waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "reason", rename_all_fields = "camelCase")]
pub enum WaitReason {
    NoPhone,
    /// All of them have another job, or are being cleaned.
    AllBusy {
        phones: usize,
    },
    /// All that are not busy are reserved; the first of them until this time.
    Reserved {
        until_ms: u64,
    },
    NotUsable,
    Drained,
    /// The hosts run as many jobs of this tenant as they may.
    Quota {
        running: usize,
    },
    /// No job could begin on the phones that are free; they are tried again in a few seconds.
    NotReady {
        why: String,
    },
    /// A phone is free: it is about to begin.
    AboutToBegin,
    /// It is not run any more; a host has yet to end it.
    Cancelled,
}

impl WaitReason {
    /// The reason for people.
    pub fn text(&self) -> String {
        match self {
            Self::NoPhone => "no phone of this class or name is in the pool".to_owned(),
            Self::AllBusy { phones: 1 } => "the phone is busy".to_owned(),
            Self::AllBusy { phones } => format!("all {phones} phones are busy"),
            Self::Reserved { .. } => "the phone is reserved".to_owned(),
            Self::NotUsable => "the phones are lost or in quarantine".to_owned(),
            Self::Drained => "the hosts of these phones take no more jobs".to_owned(),
            Self::Quota { running } => format!("the tenant's quota: {running} of its jobs run"),
            Self::NotReady { why } => format!("the phone is not ready: {why}"),
            Self::AboutToBegin => "it is about to begin".to_owned(),
            Self::Cancelled => "it is cancelled, and ends as soon as a host hears of it".to_owned(),
        }
    }
}

impl WaitingJob {
    pub(super) fn new(job: Typed<Job>) -> Self {
        let (id, why) = (job.value.id(), WaitReason::AboutToBegin);
        Self { id, job: job.value, stored_ms: job.stored_ms, why, ahead: 0 }
    }
}

impl RunningJob {
    fn new(job: Typed<Job>, run: &RunRecord, phones: &[PhoneRecord]) -> Self {
        let id = job.value.id();
        // Before it has started, only the phone knows of it.
        let its = || phones.iter().find(|phone| phone.job.as_ref() == Some(&id));
        Self {
            phone: run.phone.clone().or_else(|| its().map(|phone| phone.phone.clone())),
            id,
            job: job.value,
            stored_ms: job.stored_ms,
            stage: run.state,
            host: run.host.clone(),
            starts: run.starts,
        }
    }
}

impl Caller {
    /// The jobs that have not ended.
    pub fn jobs(&self) -> BoxFuture<'_, Result<PoolJobs, Failure>> {
        Box::pin(async move {
            let account = &self.account;
            let jobs = account.all::<Job>(Bucket::Jobs, ">").await?;
            let claims = account.all::<String>(Bucket::Claims, ">").await?;
            let (phones, hosts) = (self.phones().await?, self.hosts().await?);
            let mut in_hand = BTreeMap::new();
            for claim in claims {
                let id = claim.key.rsplit('.').next().unwrap_or_default();
                let run = account.get::<RunRecord>(Bucket::Runs, id).await?;
                if let Some(run) = run.filter(|run| run.value.state != RunStage::Waiting) {
                    in_hand.insert(JobId::of(id), run.value);
                }
            }
            let mut found = PoolJobs::default();
            for job in jobs {
                match in_hand.get(&job.value.id()) {
                    None => found.waiting.push(WaitingJob::new(job)),
                    // It is about to be removed.
                    Some(run) if run.state == RunStage::Ended => {}
                    Some(run) => found.running.push(RunningJob::new(job, run, &phones)),
                }
            }
            found.waiting.sort_by_key(|waiting| (waiting.job.priority, waiting.stored_ms));
            let wishes = account.all::<Wish>(Bucket::Wishes, "cancel.*").await?;
            let cancelled: BTreeSet<_> = wishes.into_iter().map(|wish| wish.key).collect();
            let mut ahead: BTreeMap<String, usize> = BTreeMap::new();
            for waiting in &mut found.waiting {
                if cancelled.contains(&Wish::Cancel(waiting.id.clone()).key()) {
                    waiting.why = WaitReason::Cancelled;
                    continue;
                }
                let target = &waiting.job.target;
                let before = ahead.entry(target.to_string()).or_default();
                (waiting.ahead, waiting.why) = (*before, reason(target, &phones, &hosts));
                *before += 1;
            }
            Ok(found)
        })
    }
}

fn reason(target: &Target, phones: &[PhoneRecord], hosts: &[HostRecord]) -> WaitReason {
    let fits = |phone: &&PhoneRecord| match target {
        Target::Any(class) | Target::All(class) => phone.classes.contains(class),
        Target::Phone(name) => phone.phone == *name,
    };
    let fitting: Vec<&PhoneRecord> = phones.iter().filter(fits).collect();
    let count = |stage: PhoneStage| fitting.iter().filter(|phone| phone.state == stage).count();
    let idle = || fitting.iter().filter(|phone| phone.state == PhoneStage::Idle);
    let busy = count(PhoneStage::Running) + count(PhoneStage::Cleaning);
    let usable = fitting.len() - count(PhoneStage::Lost) - count(PhoneStage::Quarantined);
    let of_hosts = hosts.iter().filter(|host| fitting.iter().any(|phone| phone.phone.host == host.host));
    let at_quota = |host: &HostRecord| host.quota.is_some_and(|quota| host.tenant_running >= quota);
    let full: Vec<&HostRecord> = of_hosts.clone().filter(|host| at_quota(host)).collect();
    if fitting.is_empty() {
        WaitReason::NoPhone
    } else if usable == 0 {
        WaitReason::NotUsable
    } else if !full.is_empty() && full.len() == of_hosts.count() {
        WaitReason::Quota { running: full.iter().map(|host| host.tenant_running).sum() }
    } else if idle().any(|phone| phone.why.is_none()) {
        WaitReason::AboutToBegin
    } else if let Some(why) = idle().find_map(|phone| phone.why.clone()) {
        WaitReason::NotReady { why }
    } else if let Some(until_ms) = fitting.iter().filter_map(|phone| phone.until_ms).min() {
        WaitReason::Reserved { until_ms }
    } else if busy == 0 {
        WaitReason::Drained
    } else {
        WaitReason::AllBusy { phones: busy }
    }
}
