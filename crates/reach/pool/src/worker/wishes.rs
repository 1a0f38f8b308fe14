//! What people want of a host: cancelled jobs, reservations, reports, hosts that take no more jobs.

use super::phones::{HostPhone, Reservation};
use super::{JobInHand, WorkerState, lock};
use crate::account::Typed;
use crate::blob;
use crate::broker::{Bucket, Entry};
use crate::caller::MOST_LETTERS;
use crate::job::{Job, JobResult};
use crate::name::JobId;
use crate::record::Wish;
use clawperator_engine::RunId;
use clawperator_journal::{JournalFolder, StoredJournal, report};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The longest reservation, whatever a caller writes: seven days.
const MOST_RESERVED_MS: u64 = 7 * 86_400_000;
const MOST_CANCELLED: usize = 100_000;

impl WorkerState {
    /// Does what people of a tenant want, or those who run the pool.
    pub(super) async fn grant(self: &Arc<Self>, tenant: Option<usize>, wish: Typed<Wish>) {
        let own = &self.settings.host;
        match (wish.value, tenant) {
            (Wish::Drain { host, drains }, None) if host == *own => {
                if self.drains.swap(drains, Ordering::Relaxed) != drains {
                    self.log(if drains {
                        "the host takes no more jobs"
                    } else {
                        "the host takes jobs again"
                    });
                }
                self.phones.changed.send_replace(());
                self.wake.notify_one();
            }
            (Wish::Release(phone), None) if phone.host == *own => {
                self.phones.change(&phone.serial, HostPhone::forgive);
                let _ = self.settings.pool.remove(Bucket::Wishes, wish.revision).await;
            }
            (Wish::Cancel(job), Some(tenant)) => self.cancel(tenant, job),
            (Wish::Reserve { phone, for_ms, why }, Some(tenant)) if phone.host == *own => {
                let why = why.chars().take(MOST_LETTERS).collect();
                let until_ms = wish.stored_ms.saturating_add(for_ms.min(MOST_RESERVED_MS));
                let now_ms = self.now_ms().unwrap_or_default();
                self.phones.reserve(&phone.serial, &Reservation { tenant, until_ms, why }, now_ms);
                self.wake.notify_one();
            }
            (Wish::Fetch { host, job }, Some(tenant)) if host == *own => {
                self.fetch(tenant, &job, wish.revision).await;
            }
            // It is for another host, or who wants it may not.
            (
                Wish::Drain { .. }
                | Wish::Release(_)
                | Wish::Cancel(_)
                | Wish::Reserve { .. }
                | Wish::Fetch { .. },
                _,
            ) => {}
        }
    }

    fn cancel(&self, tenant: usize, id: JobId) {
        if let Some(run) = lock(&self.hands).get(&(tenant, id.clone())).cloned().flatten() {
            self.settings.engine.cancel(&run);
        }
        let mut cancelled = lock(&self.cancelled);
        if cancelled.len() >= MOST_CANCELLED {
            cancelled.clear();
        }
        cancelled.insert((tenant, id));
    }

    /// Ends a job at once that is cancelled now and waits. What was cancelled before is found with the
    /// jobs that are overdue: there may be very many.
    pub(super) async fn end_cancelled(self: &Arc<Self>, tenant: Option<usize>, wish: &Entry) {
        let (Some(tenant), Some(Typed { value: Wish::Cancel(id), .. })) = (tenant, Typed::read(wish)) else {
            return;
        };
        if self.has_in_hand(tenant, &id) {
            return;
        }
        if let Ok(Some(job)) = self.tenant(tenant).account.get::<Job>(Bucket::Jobs, &id.job_key()).await {
            self.end_waiting(tenant, job).await;
        }
    }

    pub(super) fn is_cancelled(&self, tenant: usize, job: &JobId) -> bool {
        lock(&self.cancelled).contains(&(tenant, job.clone()))
    }

    /// Notes which run a job has become, and cancels it if somebody wanted that meanwhile.
    pub(super) fn note_run(&self, hand: &JobInHand, run: &RunId) {
        if let Some(noted) = lock(&self.hands).get_mut(&hand.key()) {
            *noted = Some(run.clone());
        }
        if self.is_cancelled(hand.tenant, &hand.id) {
            self.settings.engine.cancel(run);
        }
    }

    /// Stores the report of a job that ran here, and takes the wish for it away.
    async fn fetch(&self, tenant: usize, job: &JobId, wish: u64) {
        let account = &self.tenant(tenant).account;
        let Ok(Some(result)) = account.get::<JobResult>(Bucket::Results, job.as_str()).await else {
            return;
        };
        let is_ours = result.value.phone.is_some_and(|phone| phone.host == self.settings.host);
        if !is_ours {
            return;
        }
        let (folder, name) = (self.settings.journals.clone(), result.value.journal.unwrap_or_default());
        // Reading a journal blocks.
        let made = tokio::task::spawn_blocking(move || {
            let found = JournalFolder::new(folder).by_name(&name).map_err(|error| error.to_string())?;
            // By its whole name only: one of the same command id could be another tenant's.
            if found.name != name {
                return Err("its journal is not on the host any more".to_owned());
            }
            let journal = StoredJournal::open(&found).map_err(|error| error.to_string())?;
            Ok(report::page(&journal).into_bytes())
        });
        let report = made.await.unwrap_or_else(|error| Err(error.to_string()));
        if let Err(error) = blob::store(account, job, report).await {
            self.log(&format!("the report of {job} cannot be sent: {error}"));
            return;
        }
        let _ = account.remove(Bucket::Wishes, wish).await;
    }
}
