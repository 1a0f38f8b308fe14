//! The end of a job in hand: its result, or that it waits again.

use super::WorkerState;
use super::claim::{ClaimedJob, RunState};
use super::run::{GIVEN_BACK, HandEnd};
use crate::account::{Account, Typed, bytes_of};
use crate::broker::{BrokerError, Bucket, Change, Expected, Settlement};
use crate::caller::time_key;
use crate::job::{JobResult, RunRecord, RunStage};
use crate::name::{JobId, PhoneName};
use crate::order::StoredOrder;
use crate::record::JobEventKind;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{Ended, Finished};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Ending<'e> {
    /// None if the broker lost it.
    pub(super) order: Option<&'e Typed<StoredOrder>>,
    pub(super) phone: Option<PhoneName>,
    pub(super) journal: Option<String>,
    pub(super) lost: bool,
    /// None if another process ran it.
    pub(super) took: Option<Duration>,
}

impl WorkerState {
    /// Stores the result of a job, says that it has ended, and removes it from the queue.
    pub(super) async fn end(
        &self,
        claimed: &ClaimedJob<'_>,
        ended: Ended,
        ending: Ending<'_>,
    ) -> Result<HandEnd, BrokerError> {
        let hand = claimed.hand;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let RunState { record, revision } = claimed.run().clone();
        let since = self.now_ms().map_or(0, |now_ms| now_ms.saturating_sub(hand.job.stored_ms));
        let job = hand.job.value.clone();
        let result = JobResult {
            id: job.id(),
            command_id: job.command_id,
            digest: ending.order.map(|order| order.value.digest.clone()).unwrap_or_default(),
            label: job.label.clone(),
            phone: ending.phone,
            journal: ending.journal,
            lost: ending.lost,
            starts: record.starts,
            stored_ms: hand.job.stored_ms,
            waited_ms: ending.took.map(|took| since.saturating_sub(millis(took))),
            took_ms: ending.took.map(millis),
            ended,
        };
        let (account, id) = (self.account(hand), &hand.id);
        if let (Some(label), Some(took_ms), Some(_)) = (job.label, result.took_ms, &result.phone) {
            // It only orders the next list.
            let _ = account.put(Bucket::Times, &time_key(&label), &took_ms).await;
        }
        if !store_result(account, id, result).await? {
            self.log(&format!("job {id} had a result already; this host's own stays in its ledger"));
        }
        let ended = RunRecord { state: RunStage::Ended, ..record };
        match store_stage(account, id, &ended, revision).await {
            // Another host has ended it.
            Ok(_) | Err(BrokerError::Conflict) => {}
            Err(error) => return Err(error),
        }
        self.tidy(claimed, ending.order.map(|order| order.revision)).await;
        self.tell(hand, JobEventKind::Ended).await;
        Ok(HandEnd::Ended)
    }

    /// Removes what a job that has ended no longer needs. The janitor does it where this fails.
    pub(super) async fn tidy(&self, claimed: &ClaimedJob<'_>, order: Option<u64>) {
        let account = self.account(claimed.hand);
        let orders = order.map(|order| (Bucket::Orders, order));
        let rest = [(Bucket::Jobs, claimed.hand.job.revision), (Bucket::Claims, claimed.claim)];
        for (bucket, revision) in orders.into_iter().chain(rest) {
            if account.remove(bucket, revision).await.is_err() {
                return;
            }
        }
        if let Some(delivery) = &claimed.hand.delivery {
            let _ = account.settle(delivery, Settlement::Done).await;
        }
    }

    /// Gives a job back: nothing was sent to a phone, so any host may take it.
    pub(super) async fn give_back(&self, claimed: &ClaimedJob<'_>) -> Result<HandEnd, BrokerError> {
        let (account, id) = (self.account(claimed.hand), &claimed.hand.id);
        // A change without an answer may have been made: what is there counts.
        let found = account.get::<RunRecord>(Bucket::Runs, id.as_str()).await?;
        let settings = &self.settings;
        let ours = found.filter(|found| {
            let RunRecord { host, instance, state, .. } = &found.value;
            *host == settings.host && *instance == settings.instance && *state != RunStage::Ended
        });
        if let Some(found) = ours {
            let starts = claimed.run().record.starts;
            let record = RunRecord { state: RunStage::Waiting, starts, run: None, ..found.value };
            store_stage(account, id, &record, found.revision).await?;
        }
        let _ = account.remove(Bucket::Claims, claimed.claim).await;
        Ok(HandEnd::Back(GIVEN_BACK))
    }
}

/// Changes how far a job is, from the revision that is known of it.
pub(super) async fn store_stage(
    account: &Account,
    id: &JobId,
    record: &RunRecord,
    known: u64,
) -> Result<u64, BrokerError> {
    let (value, expected) = (bytes_of(record), Expected::Revision(known));
    let change = Change { bucket: Bucket::Runs, key: id.as_str(), value: &value, expected };
    account.put_surely(change, None).await
}

/// Stores a result unless there is one; says whether it did. It waits for a broker that is away.
async fn store_result(account: &Account, id: &JobId, result: JobResult) -> Result<bool, BrokerError> {
    let value = bytes_of(&result);
    let change =
        |value| Change { bucket: Bucket::Results, key: id.as_str(), value, expected: Expected::Absent };
    let stored = match account.put_surely(change(&value), None).await {
        Err(BrokerError::Full(why)) => {
            let message = format!(
                "the result of {} bytes is in the journal of its host, but not in the broker: {why}",
                value.len()
            );
            let failure = Failure::of(ErrorCode::PoolFull, message);
            let failure = failure.with(|details| details.dispatched = Some("unknown".to_owned()));
            let small = bytes_of(&JobResult { ended: Finished::from(failure).into(), ..result });
            account.put_surely(change(&small), None).await
        }
        stored => stored,
    };
    match stored {
        Ok(_) => Ok(true),
        Err(BrokerError::Conflict) => Ok(false),
        Err(error) => Err(error),
    }
}
