//! What is left of hosts that are gone, and jobs that no host will take.
//!
//! A job that was claimed and not started waits again. One that was started is never run
//! again unless it may be repeated: its outcome is unknown. Every host does this for all
//! others; entries change by comparison, so it does not matter who is first.

use super::claim::{ClaimedJob, RunState};
use super::end::{Ending, store_stage};
use super::{JobInHand, WorkerState};
use crate::account::{Account, Typed};
use crate::broker::{BrokerError, Bucket};
use crate::caller::last_known;
use crate::job::{Job, RunRecord, RunStage};
use crate::name::JobId;
use crate::record::HostRecord;
use clawperator_contract::ErrorCode;
use clawperator_engine::{Ended, Finished, FoundRun, OutcomeKind};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::sleep;

const SWEEP: Duration = Duration::from_secs(10);
const UNKNOWN: ErrorCode = ErrorCode::ExecutionOutcomeUnknown;

/// A claim that may have been left by a host that is gone.
#[derive(Debug)]
struct LeftClaim<'c> {
    tenant: usize,
    account: &'c Account,
    id: JobId,
    claim: u64,
    job: Option<Typed<Job>>,
    run: Option<Typed<RunRecord>>,
}

#[derive(Debug)]
enum OwnRun {
    UnderWay,
    Ended(Ended),
    /// It is another host's, or its process died.
    Unknown,
}

impl WorkerState {
    /// Looks again and again after what was left. Of all jobs there may be very many, so they are
    /// listed every third time only.
    pub(super) async fn sweep_on(self: Arc<Self>, tenant: usize) {
        for is_list in [true, false, false].into_iter().cycle() {
            sleep(SWEEP).await;
            let swept = async {
                self.settle_claims(tenant).await?;
                if is_list {
                    self.end_overdue(tenant).await?;
                }
                Ok::<_, BrokerError>(())
            };
            if let Err(error) = swept.await {
                self.log(&format!("what was left is not settled yet: {error}"));
            }
        }
    }

    /// Settles claims of hosts that are gone, and those of this host that it has not in hand.
    pub(super) async fn settle_claims(&self, tenant: usize) -> Result<(), BrokerError> {
        let account = &self.tenant(tenant).account;
        // Claims first: a host that comes between the two lists lives.
        let claims = account.all::<String>(Bucket::Claims, ">").await?;
        let hosts = account.all::<HostRecord>(Bucket::Hosts, "*").await?;
        let living: BTreeSet<String> = hosts.into_iter().map(|host| host.value.host.to_string()).collect();
        let own = self.settings.host.as_str();
        for Typed { value: job_key, key, revision: claim, .. } in claims {
            let (host, id) = key.split_once('.').unwrap_or_default();
            let id = JobId::of(id);
            let is_gone = self.is_steady(tenant) && !living.contains(host);
            let is_left = if host == own { !self.has_in_hand(tenant, &id) } else { is_gone };
            if !is_left {
                continue;
            }
            let job = match account.get::<Job>(Bucket::Jobs, &job_key).await {
                // It cannot be read; the others can.
                Err(BrokerError::Refused(_)) => continue,
                found => found?,
            };
            let run = account.get::<RunRecord>(Bucket::Runs, id.as_str()).await?;
            // Another host may have it since.
            let run = run.filter(|run| run.value.host.as_str() == host);
            // This one may have taken it since.
            if host == own && self.has_in_hand(tenant, &id) {
                continue;
            }
            self.settle_left(LeftClaim { tenant, account, id, claim, job, run }).await?;
        }
        Ok(())
    }

    async fn settle_left(&self, left: LeftClaim<'_>) -> Result<(), BrokerError> {
        let LeftClaim { account, claim, job, run, .. } = &left;
        match (run, job) {
            (Some(run), Some(job)) if run.value.state == RunStage::Started => {
                let ended = match self.own_run(&run.value).await {
                    // It is looked at again.
                    OwnRun::UnderWay => return Ok(()),
                    OwnRun::Ended(ended) => Some(ended),
                    OwnRun::Unknown if job.value.repeatable => None,
                    OwnRun::Unknown => Some(unknown_outcome(account, job, &run.value).await),
                };
                if ended.is_some() {
                    return self.end_left(left, ended).await;
                }
                self.let_wait(&left, run).await?;
            }
            (Some(run), Some(_)) if run.value.state == RunStage::Ended => {
                return self.end_left(left, None).await;
            }
            (Some(run), _) if run.value.state == RunStage::Claimed => self.let_wait(&left, run).await?,
            _ => {}
        }
        account.remove(Bucket::Claims, *claim).await
    }

    async fn let_wait(&self, left: &LeftClaim<'_>, run: &Typed<RunRecord>) -> Result<(), BrokerError> {
        self.log(&format!(
            "job {} waits again: the process of host {} that had it is gone",
            left.id, run.value.host
        ));
        let record = RunRecord { state: RunStage::Waiting, run: None, ..run.value.clone() };
        match store_stage(left.account, &left.id, &record, run.revision).await {
            // Another host was first.
            Ok(_) | Err(BrokerError::Conflict) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What this host knows of a run that it or an earlier process of it began.
    async fn own_run(&self, run: &RunRecord) -> OwnRun {
        if run.host != self.settings.host {
            return OwnRun::Unknown;
        }
        let Some(id) = run.run.as_deref() else {
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

    /// Ends a job that was left as its own host would; without an outcome, it had ended before.
    async fn end_left(&self, left: LeftClaim<'_>, ended: Option<Ended>) -> Result<(), BrokerError> {
        let LeftClaim { tenant, account, id, claim, job: Some(job), run: Some(run) } = left else {
            return Ok(());
        };
        let order = account.read(Bucket::Orders, id.as_str()).await?;
        let hand = JobInHand { tenant, id, job, delivery: None, serial: String::new() };
        let RunRecord { host, phone, .. } = run.value.clone();
        let state = RunState { record: run.value, revision: run.revision };
        let claimed = ClaimedJob { hand: &hand, claim, is_first: false, run: Arc::new(Mutex::new(state)) };
        let Some(ended) = ended else {
            self.tidy(&claimed, order.map(|order| order.revision)).await;
            return Ok(());
        };
        let order = order.as_ref().and_then(Typed::read);
        let ending = Ending { order: order.as_ref(), phone, journal: None, lost: false, took: None };
        self.end(&claimed, ended, ending).await?;
        self.log(&format!("job {} of host {host} has ended", hand.id));
        Ok(())
    }

    /// Ends jobs that were cancelled or are past their deadline and that no host has in hand.
    async fn end_overdue(self: &Arc<Self>, tenant: usize) -> Result<(), BrokerError> {
        let account = &self.tenant(tenant).account;
        let Some(now_ms) = self.now_ms() else {
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
    pub(super) async fn end_waiting(self: &Arc<Self>, tenant: usize, job: Typed<Job>) {
        let (id, serial) = (job.value.id(), String::new());
        if let Some(hand) = self.occupy(JobInHand { tenant, id, job, delivery: None, serial }) {
            self.clone().handle(hand).await;
        }
    }
}

/// The outcome of a job whose host is gone.
async fn unknown_outcome(account: &Account, job: &Typed<Job>, record: &RunRecord) -> Ended {
    let said = format!("the process of host {} that ran \"{}\" is gone", record.host, job.value.command_id);
    Finished::from(last_known(account, &job.value.id(), said).await).into()
}
