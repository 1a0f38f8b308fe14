//! What people want of a host: cancelled jobs, reservations, hosts that take no more jobs.

use super::phones::{HostPhone, Reservation};
use super::{JobInHand, WorkerState};
use crate::account::{Account, Typed};
use crate::broker::{Bucket, Entry};
use crate::name::JobId;
use crate::record::Wish;
use clawperator_engine::RunId;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// How often wishes are listed again.
const LIST_AGAIN: Duration = Duration::from_secs(30);
/// The most cancelled jobs that are remembered.
const MOST_CANCELLED: usize = 100_000;

impl WorkerState {
    /// Hears of what people of a tenant want, or those who run the pool.
    pub(super) async fn follow_wishes(&self, tenant: Option<usize>) {
        let account = self.wishing(tenant);
        loop {
            if let Ok(mut wishes) = account.watch(Bucket::Wishes, ">").await {
                self.list_wishes(tenant).await;
                let mut again = Instant::now() + LIST_AGAIN;
                loop {
                    // Also while others come all the time: a notice may have been lost.
                    if Instant::now() >= again {
                        self.list_wishes(tenant).await;
                        again = Instant::now() + LIST_AGAIN;
                    }
                    match timeout_at(again, wishes.recv()).await {
                        Ok(Some(entry)) => self.grant(tenant, &entry).await,
                        Ok(None) => break,
                        Err(_) => {}
                    }
                }
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// The account of a tenant, or the pool's own.
    fn wishing(&self, tenant: Option<usize>) -> &Account {
        tenant.map_or(&self.settings.pool, |tenant| &self.tenant(tenant).account)
    }

    async fn list_wishes(&self, tenant: Option<usize>) {
        let listed = self.wishing(tenant).list(Bucket::Wishes, ">").await;
        for entry in listed.unwrap_or_default() {
            self.grant(tenant, &entry).await;
        }
    }

    async fn grant(&self, tenant: Option<usize>, entry: &Entry) {
        let Some(wish) = Typed::<Wish>::read(entry) else {
            return;
        };
        match tenant {
            None => {
                let host = wish.key.strip_prefix("drain.").unwrap_or_default();
                self.grant_to_pool(&wish, host).await;
            }
            Some(tenant) => self.grant_to_tenant(tenant, wish).await,
        }
    }

    /// Does what those who run the pool want.
    async fn grant_to_pool(&self, wish: &Typed<Wish>, host: &str) {
        match &wish.value {
            Wish::Drain(drains) if host == self.settings.host.as_str() => {
                if self.drains.swap(*drains, Ordering::Relaxed) != *drains {
                    self.log(if *drains {
                        "the host takes no more jobs"
                    } else {
                        "the host takes jobs again"
                    });
                    self.phones.write_again();
                }
                self.wake.notify_one();
            }
            Wish::Release(phone) if phone.host == self.settings.host => {
                self.phones.change(&phone.serial, HostPhone::forgive);
                let _ = self.settings.pool.remove(Bucket::Wishes, wish.revision).await;
            }
            _ => {}
        }
    }

    /// Does what people of a tenant want.
    async fn grant_to_tenant(&self, tenant: usize, wish: Typed<Wish>) {
        match wish.value {
            Wish::Cancel => {
                let job = wish.key.strip_prefix("cancel.").unwrap_or_default();
                self.cancel(tenant, JobId::meant(job));
            }
            Wish::Reserve { phone, for_ms, why } if phone.host == self.settings.host => {
                let until_ms = wish.stored_ms.saturating_add(for_ms);
                self.reserve(&phone.serial, Reservation { tenant, until_ms, why });
            }
            Wish::Nothing => self.end_reservation(tenant, &wish.key),
            Wish::Fetch { job } => self.fetch(tenant, &job, wish.revision).await,
            // These are for those who run the pool.
            Wish::Reserve { .. } | Wish::Drain(_) | Wish::Release(_) => {}
        }
    }

    /// Cancels a job, whether it waits or runs.
    fn cancel(&self, tenant: usize, job: JobId) {
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        if cancelled.len() >= MOST_CANCELLED {
            cancelled.clear();
        }
        let is_new = cancelled.insert((tenant, job.clone()));
        drop(cancelled);
        let run = self.hands().get(&(tenant, job.clone())).and_then(|hand| hand.0.clone());
        if let Some(run) = run {
            self.settings.engine.cancel(&run);
        } else if is_new {
            self.to_end.lock().unwrap_or_else(PoisonError::into_inner).push((tenant, job));
            self.sweep.notify_one();
        }
    }

    /// Whether somebody has cancelled a job.
    pub(super) fn is_cancelled(&self, tenant: usize, job: &JobId) -> bool {
        let cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        cancelled.contains(&(tenant, job.clone()))
    }

    /// Notes which run a job has become, and cancels it if somebody wanted that meanwhile.
    pub(super) fn note_run(&self, hand: &JobInHand, run: &RunId) {
        let job = hand.job.id();
        if let Some(state) = self.hands().get_mut(&(hand.tenant, job.clone())) {
            state.0 = Some(run.clone());
        }
        if self.is_cancelled(hand.tenant, &job) {
            self.settings.engine.cancel(run);
        }
    }

    /// Keeps a phone for a tenant, unless another has it.
    fn reserve(&self, serial: &str, reservation: Reservation) {
        let now_ms = self.now_ms().unwrap_or_default();
        if reservation.until_ms <= now_ms {
            return;
        }
        self.phones.change(serial, |phone| {
            let held = phone.reservation().filter(|held| held.until_ms > now_ms);
            if held.is_none_or(|held| held.tenant == reservation.tenant) {
                phone.reserve(Some(reservation));
            }
        });
    }

    fn end_reservation(&self, tenant: usize, key: &str) {
        let serials: Vec<String> = self.phones.all().keys().cloned().collect();
        let is_meant = |serial: &&String| Wish::reserve_key(&self.phone_name(serial)) == key;
        for serial in serials.iter().filter(is_meant) {
            self.phones.change(serial, |phone| {
                if phone.reservation().is_some_and(|held| held.tenant == tenant) {
                    phone.reserve(None);
                }
            });
        }
        self.wake.notify_one();
    }
}
