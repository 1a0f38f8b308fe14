//! What is left of hosts that are gone, and jobs that no host will take.
//!
//! A job that was claimed and not started waits again. One that was started is never run
//! again unless it may be repeated: its outcome is unknown. Every host does this for all
//! others; entries change by comparison, so it does not matter who is first.

use super::claim::RunState;
use super::end::{store_result, store_stage};
use super::{JobInHand, WorkerState};
use crate::account::{Account, Typed};
use crate::broker::{BrokerError, Bucket};
use crate::job::{Job, JobResult, RunRecord, RunStage};
use crate::name::JobId;
use crate::order::StoredOrder;
use crate::record::{HostRecord, JobEvent, JobEventKind};
use clawperator_contract::{ErrorCode, Failure, OperatorDetails};
use clawperator_engine::{Ended, Finished, FoundRun, OutcomeKind};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How often a host looks after what others left.
const SWEEP: Duration = Duration::from_secs(10);
/// How often all jobs are listed, of which there may be very many.
const LIST: Duration = Duration::from_secs(30);
const UNKNOWN: ErrorCode = ErrorCode::ExecutionOutcomeUnknown;

/// A claim that may have been left by a host that is gone.
#[derive(Debug)]
struct LeftClaim<'c> {
    account: &'c Account,
    id: JobId,
    /// The revision of the claim.
    claim: u64,
    job: Option<Typed<Job>>,
    run: Option<Typed<RunRecord>>,
}

/// What this host knows of a run.
#[derive(Debug)]
enum OwnRun {
    UnderWay,
    Ended(Ended),
    /// It is another host's, or its process died.
    Unknown,
}

impl WorkerState {
    /// Settles what an earlier process of this host has left, before the first job is taken.
    pub(super) async fn settle_own(&self) {
        for tenant in 0..self.settings.tenants.len() {
            if let Err(error) = self.settle_claims(tenant).await {
                self.log(&format!("what an earlier process left is not settled yet: {error}"));
            }
        }
    }

    /// Looks again and again after what was left.
    pub(super) async fn sweep_on(self: &Arc<Self>) {
        let (mut sweep, mut list) = (Instant::now() + SWEEP, Instant::now());
        loop {
            // Somebody may cancel jobs all the time, so the clock says whether it is time.
            let _ = timeout_at(sweep, self.sweep.notified()).await;
            let is_time = Instant::now() >= sweep;
            let is_list = is_time && Instant::now() >= list;
            for tenant in 0..self.settings.tenants.len() {
                let swept = async {
                    self.end_cancelled(tenant).await?;
                    if is_time {
                        self.settle_claims(tenant).await?;
                    }
                    if is_list {
                        self.end_overdue(tenant).await?;
                    }
                    Ok::<_, BrokerError>(())
                };
                if let Err(error) = swept.await {
                    self.log(&format!("what was left is not settled yet: {error}"));
                }
            }
            if is_time {
                sweep = Instant::now() + SWEEP;
            }
            if is_list {
                list = Instant::now() + LIST;
            }
        }
    }

    /// Settles claims of hosts that are gone, and those of this host that it has not in hand.
    async fn settle_claims(&self, tenant: usize) -> Result<(), BrokerError> {
        let account = &self.tenant(tenant).account;
        // Claims first: a host that comes between the two lists lives.
        let claims = account.all::<String>(Bucket::Claims, ">").await?;
        let hosts = account.all::<HostRecord>(Bucket::Hosts, "*").await?;
        let living: BTreeSet<String> = hosts.into_iter().map(|host| host.value.host.to_string()).collect();
        let own = self.settings.host.as_str();
        for Typed { value: job_key, key, revision: claim, .. } in claims {
            let (host, id) = key.split_once('.').unwrap_or_default();
            let id = JobId::meant(id);
            let is_gone = self.is_steady() && !living.contains(host);
            let is_left = if host == own { !self.has_in_hand(tenant, &id) } else { is_gone };
            if !is_left {
                continue;
            }
            let job = account.get::<Job>(Bucket::Jobs, &job_key).await?;
            let run = account.get::<RunRecord>(Bucket::Runs, id.as_str()).await?;
            // Another host may have it since.
            let run = run.filter(|run| run.value.host.as_str() == host);
            // This one may have taken it since.
            if host == own && self.has_in_hand(tenant, &id) {
                continue;
            }
            self.settle_left(LeftClaim { account, id, claim, job, run }).await?;
        }
        Ok(())
    }

    async fn settle_left(&self, left: LeftClaim<'_>) -> Result<(), BrokerError> {
        let LeftClaim { account, id, claim, job, .. } = &left;
        if let Some(Typed { value: record, revision, .. }) = left.run.clone() {
            let run = RunState { record, revision };
            let settled = match (run.record.state, job) {
                (RunStage::Claimed, _) => self.let_wait(account, id, run).await,
                (RunStage::Started, Some(job)) => match self.own_run(&run).await {
                    // It is looked at again.
                    OwnRun::UnderWay => return Ok(()),
                    OwnRun::Ended(ended) => self.end_left(&left, run, ended).await,
                    OwnRun::Unknown if job.value.repeatable => self.let_wait(account, id, run).await,
                    OwnRun::Unknown => {
                        let ended = unknown_outcome(account, job, &run.record).await;
                        self.end_left(&left, run, ended).await
                    }
                },
                (RunStage::Ended, Some(job)) => remove_ended(account, job).await,
                (RunStage::Waiting, _) | (RunStage::Started | RunStage::Ended, None) => Ok(()),
            };
            match settled {
                // Another host was first.
                Ok(()) | Err(BrokerError::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        account.remove(Bucket::Claims, *claim).await
    }

    async fn let_wait(&self, account: &Account, id: &JobId, run: RunState) -> Result<(), BrokerError> {
        let RunState { record, revision } = run;
        self.log(&format!("job {id} waits again: host {} is gone", record.host));
        let record = RunRecord { state: RunStage::Waiting, run: None, ..record };
        store_stage(account, id, &RunState { record, revision }).await.map(drop)
    }

    /// What this host knows of a run that it or an earlier process of it began.
    async fn own_run(&self, run: &RunState) -> OwnRun {
        if run.record.host != self.settings.host {
            return OwnRun::Unknown;
        }
        let Some(id) = run.record.run.as_deref() else {
            return OwnRun::Unknown;
        };
        let outcome = match self.settings.engine.find_run(id).await {
            Ok(Some(FoundRun::Recorded(outcome))) => outcome,
            Ok(Some(FoundRun::Ended(run))) => run.outcome.clone(),
            Ok(Some(FoundRun::Active(_) | FoundRun::Elsewhere)) => return OwnRun::UnderWay,
            Ok(None) | Err(_) => return OwnRun::Unknown,
        };
        // The ledger of a process that died knows no more than that.
        let json: serde_json::Value = serde_json::from_str(&outcome.json).unwrap_or_default();
        if outcome.kind == OutcomeKind::Error && json["code"] == UNKNOWN.row().name {
            return OwnRun::Unknown;
        }
        OwnRun::Ended(Ended { outcome, not_stored: None, recipe: None })
    }

    /// Ends a job that a host left.
    async fn end_left(&self, left: &LeftClaim<'_>, run: RunState, ended: Ended) -> Result<(), BrokerError> {
        let (account, Some(job)) = (left.account, &left.job) else {
            return Ok(());
        };
        let id = job.value.id();
        let order = account.get::<StoredOrder>(Bucket::Orders, id.as_str()).await?;
        let result = JobResult {
            command_id: job.value.command_id.clone(),
            digest: order.as_ref().map(|order| order.value.digest.clone()).unwrap_or_default(),
            label: job.value.label.clone(),
            phone: run.record.phone.clone(),
            journal: None,
            starts: run.record.starts,
            stored_ms: job.stored_ms,
            waited_ms: 0,
            took_ms: 0,
            ended,
        };
        store_result(account, &id, result).await?;
        self.log(&format!("job {id} of host {} has ended", run.record.host));
        let RunState { record, revision } = run;
        let record = RunRecord { state: RunStage::Ended, ..record };
        store_stage(account, &id, &RunState { record, revision }).await?;
        remove_ended(account, job).await
    }

    /// Ends the jobs that were cancelled since the last time and that no host has in hand.
    async fn end_cancelled(self: &Arc<Self>, tenant: usize) -> Result<(), BrokerError> {
        let account = &self.tenant(tenant).account;
        let news = std::mem::take(&mut *self.to_end.lock().unwrap_or_else(PoisonError::into_inner));
        let (ours, others): (Vec<_>, Vec<_>) = news.into_iter().partition(|(of, _)| *of == tenant);
        self.to_end.lock().unwrap_or_else(PoisonError::into_inner).extend(others);
        for (_, id) in ours {
            // What the broker does not tell now is found with the jobs that are overdue.
            if let Some(job) = account.get::<Job>(Bucket::Jobs, &format!("*.*.*.*.{id}")).await? {
                self.end_waiting(tenant, job).await;
            }
        }
        Ok(())
    }

    /// Ends jobs that were cancelled or are past their deadline and that no host has in hand.
    async fn end_overdue(self: &Arc<Self>, tenant: usize) -> Result<(), BrokerError> {
        let account = &self.tenant(tenant).account;
        let Some(now_ms) = self.clock.now_ms() else {
            return Ok(());
        };
        for job in account.all::<Job>(Bucket::Jobs, ">").await? {
            let waited = now_ms.saturating_sub(job.stored_ms);
            if waited > job.value.deadline_ms || self.is_cancelled(tenant, &job.value.id()) {
                self.end_waiting(tenant, job).await;
            }
        }
        Ok(())
    }

    /// Ends a job unless this host has it in hand. It takes the way of every other job, and no
    /// phone is needed for its end.
    async fn end_waiting(self: &Arc<Self>, tenant: usize, job: Typed<Job>) {
        let Typed { value: job, key, revision, stored_ms } = job;
        let (delivery, serial) = (None, String::new());
        let hand = JobInHand { tenant, job, key, revision, stored_ms, delivery, serial };
        if let Some(hand) = self.occupy(hand) {
            self.clone().handle(hand).await;
        }
    }
}

/// Removes what a job that has ended no longer needs.
async fn remove_ended(account: &Account, job: &Typed<Job>) -> Result<(), BrokerError> {
    let order = account.read(Bucket::Orders, job.value.id().as_str()).await?;
    if let Some(order) = order {
        account.remove(Bucket::Orders, order.revision).await?;
    }
    account.remove(Bucket::Jobs, job.revision).await
}

/// The outcome of a job whose host is gone: what it did last is known, not whether it was done.
async fn unknown_outcome(account: &Account, job: &Typed<Job>, record: &RunRecord) -> Ended {
    let id = job.value.id();
    let last = account.get::<JobEvent>(Bucket::Events, id.as_str()).await.unwrap_or_default();
    let (step, phase) = match last.map(|event| event.value.what) {
        Some(JobEventKind::StepBegan { id, action, .. }) => (Some((id, action)), "began"),
        Some(JobEventKind::StepEnded { id, action, .. }) => (Some((id, action)), "ended"),
        _ => (None, ""),
    };
    let gone = format!("host {} is gone, which ran \"{}\"", record.host, job.value.command_id);
    let message = match &step {
        Some((id, action)) => {
            format!("{gone}; the last step that is known is \"{id}\" ({action}), which {phase}")
        }
        None => format!("{gone}; no step is known to have begun"),
    };
    let known = OperatorDetails {
        command_id: Some(job.value.command_id.clone()),
        last_action_phase: step.as_ref().map(|_| phase.to_owned()),
        last_action_id: step.as_ref().map(|(id, _)| id.clone()),
        last_action_type: step.map(|(_, action)| action),
        ..OperatorDetails::default()
    };
    let failure = Failure::of(UNKNOWN, message).with(|details| {
        details.dispatched = Some("unknown".to_owned());
        details.operator = Some(Box::new(known));
    });
    Finished::from(failure).into()
}
