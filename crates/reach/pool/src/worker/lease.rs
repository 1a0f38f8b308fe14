//! The lease of a host on a phone: taken, renewed, given back.

use crate::account::{Account, bytes_of};
use crate::broker::{BrokerError, Bucket, Change, Expected, LEASE_AGE};
use crate::record::LeaseRecord;
use clawperator_phone::Fence;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const RENEW: Duration = Duration::from_secs(5);
/// How long to wait before a renewal without an answer is tried again.
const RENEW_AGAIN: Duration = Duration::from_millis(500);
/// How much earlier than the broker we take a lease for ended.
const MARGIN: Duration = Duration::from_secs(5);

/// A lease on a phone. Its token is the revision at which it was taken, and never changes.
#[derive(Debug)]
pub(crate) struct HostLease {
    pool: Account,
    key: String,
    record: LeaseRecord,
    revision: AtomicU64,
    pub(crate) token: String,
    pub(crate) fence: Arc<Fence>,
}

impl HostLease {
    /// Takes the lease, or says why not. One that an earlier process of this host has left is taken
    /// over. A shared phone holds the token, too.
    pub(crate) async fn take(
        pool: &Account,
        key: String,
        record: LeaseRecord,
        is_shared: bool,
    ) -> Result<Self, String> {
        let value = bytes_of(&record);
        let failed = |error: BrokerError| format!("its lease cannot be taken: {error}");
        let epoch = pool.epoch().await.map_err(failed)?;
        let mut sent = Instant::now();
        let change = |expected| Change { bucket: Bucket::Leases, key: &key, value: &value, expected };
        let mut taken = pool.put_surely(change(Expected::Absent), Some(sent + MARGIN)).await;
        if taken == Err(BrokerError::Conflict)
            && let Some(held) = pool.get::<LeaseRecord>(Bucket::Leases, &key).await.map_err(failed)?
        {
            if held.value.host != record.host || held.value.instance == record.instance {
                return Err(format!("host {} uses it", held.value.host));
            }
            sent = Instant::now();
            taken = pool.put_surely(change(Expected::Revision(held.revision)), Some(sent + MARGIN)).await;
        }
        let revision = taken.map_err(failed)?;
        let token = format!("{epoch:013}-{revision:020}");
        let fence = Arc::new(Fence::new(sent + LEASE_AGE - MARGIN, is_shared.then(|| token.clone())));
        let revision = AtomicU64::new(revision);
        Ok(Self { pool: pool.clone(), key, record, revision, token, fence })
    }

    /// Renews it until it is lost: another host has it, or it may have ended.
    pub(crate) async fn hold(&self) {
        let value = bytes_of(&self.record);
        let mut wait = RENEW;
        while !self.fence.is_over() {
            sleep(wait).await;
            let (sent, revision) = (Instant::now(), self.revision.load(Ordering::Relaxed));
            let expected = Expected::Revision(revision);
            let change = Change { bucket: Bucket::Leases, key: &self.key, value: &value, expected };
            wait = RENEW_AGAIN;
            match self.pool.store(change).await {
                Ok(revision) => {
                    self.revision.store(revision, Ordering::Relaxed);
                    self.fence.set_end(sent + LEASE_AGE - MARGIN);
                    wait = RENEW;
                }
                // A renewal without an answer may have been made. When is not known, so the next
                // one counts.
                Err(BrokerError::Conflict) => match self.still_ours().await {
                    Ok(Some(revision)) => {
                        self.revision.store(revision, Ordering::Relaxed);
                        wait = Duration::ZERO;
                    }
                    Ok(None) => self.fence.set_end(sent),
                    Err(_) => {}
                },
                Err(_) => {}
            }
        }
    }

    async fn still_ours(&self) -> Result<Option<u64>, BrokerError> {
        let held = self.pool.get::<LeaseRecord>(Bucket::Leases, &self.key).await?;
        Ok(held.filter(|held| held.value == self.record).map(|held| held.revision))
    }

    /// Gives it back. If the broker does not answer, it ends by itself.
    pub(crate) async fn release(&self) {
        self.fence.set_end(Instant::now());
        let _ = self.pool.remove(Bucket::Leases, self.revision.load(Ordering::Relaxed)).await;
    }
}
