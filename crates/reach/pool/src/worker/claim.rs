//! The claim of a job: at most one host has it in hand, and janitors find what a host left.

use super::{JobInHand, WorkerState, lock};
use crate::account::bytes_of;
use crate::broker::{BrokerError, Bucket, Change, Expected};
use crate::job::{RunRecord, RunStage};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::time::Instant;

/// How long a broker may be silent before a job begins.
pub(super) const BEFORE_START: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub(super) struct RunState {
    pub(super) record: RunRecord,
    pub(super) revision: u64,
}

#[derive(Debug)]
pub(super) struct ClaimedJob<'h> {
    pub(super) hand: &'h JobInHand,
    /// The revision of the entry that says that this host has it in hand.
    pub(super) claim: u64,
    /// The broker knows of no host that had it in hand before.
    pub(super) is_first: bool,
    pub(super) run: Arc<Mutex<RunState>>,
}

impl ClaimedJob<'_> {
    pub(super) fn run(&self) -> MutexGuard<'_, RunState> {
        lock(&self.run)
    }
}

impl WorkerState {
    /// Claims a job; none if another host has it, or this one.
    pub(super) async fn claim<'h>(&self, hand: &'h JobInHand) -> Result<Option<ClaimedJob<'h>>, BrokerError> {
        let (account, settings, id) = (self.account(hand), &self.settings, &hand.id);
        // Before the claim, so that the janitors of other hosts find it if this host dies.
        let claim = account.put(Bucket::Claims, &format!("{}.{id}", settings.host), &hand.job.key).await?;
        let mut record = RunRecord {
            state: RunStage::Claimed,
            starts: 0,
            host: settings.host.clone(),
            instance: settings.instance.clone(),
            phone: None,
            token: None,
            run: None,
        };
        let until = Some(Instant::now() + BEFORE_START);
        let mut expected = Expected::Absent;
        let mut holder = None;
        for _ in 0..2 {
            let value = bytes_of(&record);
            let change = Change { bucket: Bucket::Runs, key: id.as_str(), value: &value, expected };
            let run = |record, revision| {
                let run = Arc::new(Mutex::new(RunState { record, revision }));
                Ok(Some(ClaimedJob { hand, claim, is_first: expected == Expected::Absent, run }))
            };
            match account.put_surely(change, until).await {
                Ok(revision) => return run(record, revision),
                Err(BrokerError::Conflict) => {}
                Err(error) => return Err(error),
            }
            let Some(found) = account.get::<RunRecord>(Bucket::Runs, id.as_str()).await? else {
                return Ok(None);
            };
            let RunRecord { state, host, starts, .. } = &found.value;
            match state {
                RunStage::Ended => return run(found.value, found.revision),
                // An earlier claim of this host came through late, or was left: nothing was sent.
                RunStage::Claimed if *host == settings.host => {}
                RunStage::Waiting => {}
                RunStage::Claimed | RunStage::Started => {
                    holder = Some(host.clone());
                    break;
                }
            }
            (record.starts, expected) = (*starts, Expected::Revision(found.revision));
        }
        // Janitors find a job by the claim of its host, and that one may have claimed it with a message
        // that came through late.
        if let Some(holder) = holder.as_ref().filter(|holder| **holder != settings.host) {
            let (key, value) = (format!("{holder}.{id}"), bytes_of(&hand.job.key));
            let expected = Expected::Absent;
            // It is there already, or the next host that is offered the job tries again.
            let _ =
                account.store(Change { bucket: Bucket::Claims, key: &key, value: &value, expected }).await;
        }
        if holder.as_ref() != Some(&settings.host) {
            let _ = account.remove(Bucket::Claims, claim).await;
        }
        Ok(None)
    }
}
