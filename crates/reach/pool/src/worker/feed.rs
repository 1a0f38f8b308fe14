//! Which job comes next: tenants in weighted turns, within a tenant the higher priority
//! first, and only jobs for which a phone is free. That is the whole scheduler.

use super::phones::PhoneWork;
use super::{JobInHand, LIST_AGAIN, WorkerState, lock};
use crate::account::Typed;
use crate::broker::{self, BrokerError, Bucket, Queue, Settlement};
use crate::job::{Job, Priority, Target};
use crate::name::{Name, PhoneName};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// How long until an entry is offered again that no host here can read.
const UNREADABLE: Duration = Duration::from_secs(300);
/// How often queues are asked that nothing was heard of: a job that was given back, or one
/// whose notice was lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// What is known of the jobs of a tenant that wait.
#[derive(Debug, Default)]
pub(super) struct TenantFeed {
    /// Queues that may have a job.
    hints: BTreeSet<(Priority, Name)>,
    /// Jobs that name a phone of this host, by its serial, oldest first.
    named: BTreeMap<String, BTreeSet<NamedJob>>,
    /// How long it has waited for its turn, in shares.
    credit: i64,
    /// Until when its account is not asked: it did not answer.
    silent: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NamedJob {
    priority: Priority,
    revision: u64,
    key: String,
    serial: String,
}

impl TenantFeed {
    fn note(&mut self, job: NamedJob) {
        self.named.entry(job.serial.clone()).or_default().insert(job);
    }
}

/// The next job of each tenant that has one.
type Candidates = BTreeMap<usize, NextJob>;

#[derive(Clone, Debug)]
enum NextJob {
    Named(NamedJob),
    OfClass(Priority, Name),
}

impl WorkerState {
    pub(super) fn hear_of(&self, tenant: usize, entry: &broker::Entry) {
        let Some(Typed { value: job, .. }) = Typed::<Job>::read(entry) else {
            return;
        };
        let mut feeds = lock(&self.feed);
        let feed = &mut feeds[tenant];
        match job.target {
            Target::Any(class) | Target::All(class) => {
                feed.hints.insert((job.priority, class));
            }
            Target::Phone(PhoneName { host, serial }) if host == self.settings.host => {
                let (priority, revision, key) = (job.priority, entry.revision, entry.key.clone());
                feed.note(NamedJob { priority, revision, key, serial });
            }
            Target::Phone(_) => return,
        }
        drop(feeds);
        self.wake.notify_one();
    }

    /// Notes a job again that was given back and names a phone; for a class, the queue offers it.
    pub(super) fn hear_again(&self, hand: JobInHand) {
        let JobInHand { tenant, job, serial, .. } = hand;
        let named = NamedJob { priority: job.value.priority, revision: job.revision, key: job.key, serial };
        lock(&self.feed)[tenant].note(named);
        self.wake.notify_one();
    }

    pub(super) async fn feed_on(self: &Arc<Self>, jobs: &mut JoinSet<()>) {
        let mut again = Instant::now() + LOOK_AGAIN;
        loop {
            while jobs.try_join_next().is_some() {}
            if !self.is_draining() && self.feed_once(jobs).await {
                continue;
            }
            let _ = timeout_at(again, self.wake.notified()).await;
            // Also while something wakes it all the time; and never before every queue that may
            // have a job was asked, or the last of them would never be.
            if Instant::now() >= again {
                self.hint_at_all();
                again = Instant::now() + LOOK_AGAIN;
            }
        }
    }

    fn hint_at_all(&self) {
        let classes: BTreeSet<Name> =
            self.phones.all().values().flat_map(|phone| phone.classes.iter().cloned()).collect();
        for feed in lock(&self.feed).iter_mut() {
            for priority in Priority::ALL {
                feed.hints.extend(classes.iter().map(|class| (*priority, class.clone())));
            }
        }
    }

    /// Takes one job, if there is one and a phone for it. Says whether it is worth to go on.
    async fn feed_once(self: &Arc<Self>, jobs: &mut JoinSet<()>) -> bool {
        let Some(now_ms) = self.now_ms() else {
            return false;
        };
        let candidates = self.next_jobs(now_ms);
        let Some((tenant, next)) = self.turn(&candidates) else {
            return false;
        };
        let taken = match next {
            NextJob::Named(named) => self.take_named(tenant, named, &candidates).await,
            NextJob::OfClass(priority, class) => {
                self.take_of_class(tenant, (priority, class), &candidates).await
            }
        };
        if let Some(hand) = taken {
            self.charge(tenant, &candidates);
            let host = self.clone();
            jobs.spawn(async move { host.handle(hand).await });
        }
        true
    }

    /// The first job of each tenant for which a phone is free, as far as it is known that there
    /// is one.
    fn next_jobs(&self, now_ms: u64) -> Candidates {
        let (feeds, now) = (lock(&self.feed), Instant::now());
        let may_run = |tenant: &usize| {
            let quota = self.tenant(*tenant).quota;
            let is_silent = feeds[*tenant].silent.is_some_and(|until| now < until);
            !is_silent && quota.is_none_or(|quota| self.running_of(*tenant) < quota)
        };
        let first = |tenant: usize| Some((tenant, self.first_of(&feeds[tenant], tenant, now_ms)?));
        (0..feeds.len()).filter(may_run).filter_map(first).collect()
    }

    fn weight(&self, tenant: usize) -> i64 {
        i64::from(self.tenant(tenant).weight.max(1))
    }

    fn turn(&self, candidates: &Candidates) -> Option<(usize, NextJob)> {
        let feeds = lock(&self.feed);
        let waited = |tenant: &usize| feeds[*tenant].credit + self.weight(*tenant);
        let turn = candidates.keys().copied().max_by_key(|tenant| waited(tenant))?;
        candidates.get(&turn).cloned().map(|next| (turn, next))
    }

    /// Notes that a tenant had its turn, and the others waited. A queue that was empty costs none.
    fn charge(&self, turn: usize, candidates: &Candidates) {
        let mut feeds = lock(&self.feed);
        let total: i64 = candidates.keys().map(|tenant| self.weight(*tenant)).sum();
        for tenant in candidates.keys() {
            feeds[*tenant].credit += self.weight(*tenant);
        }
        feeds[turn].credit -= total;
        // A tenant that had nothing to run for long gets one round in advance at most.
        for feed in feeds.iter_mut() {
            feed.credit = feed.credit.clamp(-total, total);
        }
    }

    fn first_of(&self, feed: &TenantFeed, tenant: usize, now_ms: u64) -> Option<NextJob> {
        let phones = self.phones.all();
        let free = phones.iter().filter(|(_, phone)| phone.is_free_for(tenant, true, now_ms));
        let named = free.filter_map(|(serial, _)| feed.named.get(serial)?.first()).min();
        let has_free = |class: &Name| {
            let mut of_class = phones.values().filter(|phone| phone.classes.contains(class));
            of_class.any(|phone| phone.is_free_for(tenant, false, now_ms))
        };
        let of_class = feed.hints.iter().find(|(_, class)| has_free(class));
        match (named, of_class) {
            (Some(named), Some((priority, class))) if named.priority > *priority => {
                Some(NextJob::OfClass(*priority, class.clone()))
            }
            (Some(named), _) => Some(NextJob::Named(named.clone())),
            (None, Some((priority, class))) => Some(NextJob::OfClass(*priority, class.clone())),
            (None, None) => None,
        }
    }

    /// Takes a job that names a phone, unless it is gone.
    async fn take_named(&self, tenant: usize, named: NamedJob, candidates: &Candidates) -> Option<JobInHand> {
        if let Some(jobs) = lock(&self.feed)[tenant].named.get_mut(&named.serial) {
            jobs.remove(&named);
        }
        let since = Instant::now();
        let job = match self.tenant(tenant).account.get::<Job>(Bucket::Jobs, &named.key).await {
            Ok(job) => job?,
            Err(error) => {
                // It cannot be read, and it was the tenant's turn.
                self.charge(tenant, candidates);
                if !matches!(error, BrokerError::Refused(_)) {
                    self.set_aside(tenant, since);
                    lock(&self.feed)[tenant].note(named);
                }
                return None;
            }
        };
        self.occupy(JobInHand { tenant, id: job.value.id(), job, delivery: None, serial: named.serial })
    }

    async fn take_of_class(
        &self,
        tenant: usize,
        (priority, class): (Priority, Name),
        candidates: &Candidates,
    ) -> Option<JobInHand> {
        let account = &self.tenant(tenant).account;
        let queue: Queue = Target::Any(class.clone()).queue(priority);
        let since = Instant::now();
        let taken = account.take(&queue).await;
        if taken.is_err() {
            self.set_aside(tenant, since);
        }
        let Some(delivery) = taken.unwrap_or_default() else {
            lock(&self.feed)[tenant].hints.remove(&(priority, class));
            return None;
        };
        let Some(job) = Typed::<Job>::read(&delivery.entry) else {
            // A newer program has written it: another host may read it. It was the tenant's turn.
            let _ = account.settle(&delivery, Settlement::Later(UNREADABLE)).await;
            self.charge(tenant, candidates);
            return None;
        };
        let now_ms = self.now_ms().unwrap_or_default();
        let free = {
            let phones = self.phones.all();
            let mut of_class = phones.iter().filter(|(_, phone)| phone.classes.contains(&class));
            of_class
                .find(|(_, phone)| phone.is_free_for(tenant, false, now_ms))
                .map(|(serial, _)| serial.clone())
        };
        let Some(serial) = free else {
            // The last free phone has gone meanwhile.
            let _ = account.settle(&delivery, Settlement::Later(Duration::ZERO)).await;
            return None;
        };
        let again = delivery.clone();
        let (id, delivery) = (job.value.id(), Some(delivery));
        let hand = self.occupy(JobInHand { tenant, id, job, delivery, serial });
        if hand.is_none() {
            // This host has it already.
            let _ = account.settle(&again, Settlement::Later(LIST_AGAIN)).await;
        }
        hand
    }

    /// Leaves a tenant out whose account did not answer: others would wait for it at every turn.
    fn set_aside(&self, tenant: usize, since: Instant) {
        let pause = (since.elapsed() * 2).max(LOOK_AGAIN);
        lock(&self.feed)[tenant].silent = Some(Instant::now() + pause);
    }

    /// Says that the phone has a job, unless this host has the job in hand already.
    pub(super) fn occupy(&self, hand: JobInHand) -> Option<JobInHand> {
        match lock(&self.hands).entry(hand.key()) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(free) => free.insert(None),
        };
        let (tenant, job) = hand.key();
        self.phones.set_work(&hand.serial, PhoneWork::Job { tenant, job });
        Some(hand)
    }
}
