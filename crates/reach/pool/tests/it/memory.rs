//! A broker in memory, on tokio's clock: for tests, where time can be paused. It behaves as
//! NATS does, also where that is inconvenient: a host that had a delivery before can settle
//! it, and a revision is never used twice.

use clawperator_pool::broker::{
    Broker, BrokerError, BrokerFacts, Bucket, Change, DELIVERY_AGE, Delivery, Entry, Expected, Queue, Reply,
    Settlement, Watch,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How many changes a slow watcher can be behind.
const WATCH_KEPT: usize = 1024;

/// A broker in memory. A clone is the same broker.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBroker {
    state: Arc<Mutex<State>>,
    started: Instant,
    epoch_ms: u64,
}

#[derive(Debug, Default)]
struct State {
    stores: BTreeMap<Bucket, Store>,
    queues: BTreeMap<Queue, Deliveries>,
}

#[derive(Debug, Default)]
struct Store {
    /// By revision.
    entries: BTreeMap<u64, StoredEntry>,
    revision: u64,
    watchers: Vec<Watcher>,
}

#[derive(Debug)]
struct StoredEntry {
    entry: Entry,
    stored: Instant,
}

#[derive(Debug)]
struct Watcher {
    keys: String,
    changes: mpsc::Sender<Entry>,
}

#[derive(Debug, Default)]
struct Deliveries {
    /// The last job that was given out.
    last: u64,
    /// What was given out and is not done, by revision.
    out: BTreeMap<u64, OpenDelivery>,
}

#[derive(Clone, Copy, Debug)]
struct OpenDelivery {
    again: Instant,
    count: u64,
}

impl MemoryBroker {
    /// A broker without entries, whose clock begins at this time.
    pub(crate) fn new(epoch_ms: u64) -> Self {
        Self { state: Arc::default(), started: Instant::now(), epoch_ms }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        let since = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.epoch_ms.saturating_add(since)
    }
}

impl State {
    /// A store, without what has grown too old.
    fn store(&mut self, bucket: Bucket) -> &mut Store {
        let store = self.stores.entry(bucket).or_default();
        store.entries.retain(|_, entry| entry.stored.elapsed() < bucket.age());
        store
    }

    /// The next job of a queue that may be given out now.
    fn next(&mut self, queue: &Queue) -> Option<Delivery> {
        let now = Instant::now();
        let keys = format!("{}.>", queue.prefix);
        let jobs = self.store(Bucket::Jobs).entries.values().map(|stored| &stored.entry);
        let jobs: Vec<Entry> = jobs.filter(|job| is_asked_for(&keys, &job.key)).cloned().collect();
        let deliveries = self.queues.entry(queue.clone()).or_default();
        deliveries.out.retain(|revision, _| jobs.iter().any(|job| job.revision == *revision));
        let is_due = |job: &&Entry| match deliveries.out.get(&job.revision) {
            Some(open) => open.again <= now,
            None => job.revision > deliveries.last,
        };
        let entry = jobs.iter().find(is_due)?.clone();
        let count = deliveries.out.get(&entry.revision).map_or(0, |open| open.count) + 1;
        deliveries.out.insert(entry.revision, OpenDelivery { again: now + DELIVERY_AGE, count });
        deliveries.last = deliveries.last.max(entry.revision);
        Some(Delivery { entry, count, receipt: queue.prefix.clone() })
    }
}

impl Store {
    fn last<'s>(&'s self, keys: &'s str) -> Option<&'s Entry> {
        let mut entries = self.entries.values().rev().map(|stored| &stored.entry);
        entries.find(|entry| is_asked_for(keys, &entry.key))
    }

    fn store(&mut self, change: Change<'_>, stored_ms: u64) -> Result<u64, BrokerError> {
        let Change { bucket, key, value, expected } = change;
        let there = self.last(key).map(|entry| entry.revision);
        let fits = match expected {
            Expected::Absent => there.is_none(),
            Expected::Revision(revision) => there == Some(revision),
            Expected::Anything => true,
        };
        if !fits {
            return Err(BrokerError::Conflict);
        }
        if let (false, Some(there)) = (bucket.has_history(), there) {
            self.entries.remove(&there);
        }
        self.revision += 1;
        let entry =
            Entry { key: key.to_owned(), value: value.to_owned(), revision: self.revision, stored_ms };
        // A watcher that is behind misses changes.
        self.watchers.retain(|watcher| {
            !is_asked_for(&watcher.keys, key)
                || !matches!(
                    watcher.changes.try_send(entry.clone()),
                    Err(mpsc::error::TrySendError::Closed(_))
                )
        });
        self.entries.insert(self.revision, StoredEntry { entry, stored: Instant::now() });
        Ok(self.revision)
    }
}

impl Broker for MemoryBroker {
    fn read<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Option<Entry>> {
        Box::pin(async move { Ok(self.state().store(bucket).last(keys).cloned()) })
    }

    fn store<'b>(&'b self, change: Change<'b>) -> Reply<'b, u64> {
        Box::pin(async move {
            let stored_ms = self.now_ms();
            self.state().store(change.bucket).store(change, stored_ms)
        })
    }

    fn remove(&self, bucket: Bucket, revision: u64) -> Reply<'_, ()> {
        Box::pin(async move {
            self.state().store(bucket).entries.remove(&revision);
            Ok(())
        })
    }

    fn list<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Vec<Entry>> {
        Box::pin(async move {
            let mut state = self.state();
            let entries = state.store(bucket).entries.values().map(|stored| &stored.entry);
            let mut last = BTreeMap::new();
            for entry in entries.filter(|entry| is_asked_for(keys, &entry.key)) {
                last.insert(entry.key.clone(), entry.clone());
            }
            let mut listed: Vec<_> = last.into_values().collect();
            listed.sort_by_key(|entry| entry.revision);
            Ok(listed)
        })
    }

    fn watch<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Watch> {
        Box::pin(async move {
            let (changes, watch) = mpsc::channel(WATCH_KEPT);
            self.state().store(bucket).watchers.push(Watcher { keys: keys.to_owned(), changes });
            Ok(watch)
        })
    }

    fn take<'b>(&'b self, queue: &'b Queue) -> Reply<'b, Option<Delivery>> {
        Box::pin(async move { Ok(self.state().next(queue)) })
    }

    fn settle<'b>(&'b self, delivery: &'b Delivery, settlement: Settlement) -> Reply<'b, ()> {
        Box::pin(async move {
            let queue = Queue { prefix: delivery.receipt.clone() };
            let revision = delivery.entry.revision;
            let mut state = self.state();
            let out = &mut state.queues.entry(queue).or_default().out;
            // As NATS does it: a host that had it before can settle it, too.
            match (settlement, out.get_mut(&revision)) {
                (Settlement::Done, _) => {
                    out.remove(&revision);
                }
                (Settlement::Later(wait), Some(open)) => open.again = Instant::now() + wait,
                (Settlement::Working, Some(open)) => open.again = Instant::now() + DELIVERY_AGE,
                (Settlement::Later(_) | Settlement::Working, None) => {}
            }
            Ok(())
        })
    }

    fn epoch(&self) -> Reply<'_, u64> {
        Box::pin(async move { Ok(self.epoch_ms) })
    }

    fn facts(&self) -> Reply<'_, BrokerFacts> {
        Box::pin(async move { Ok(BrokerFacts { version: "in memory".to_owned(), buckets: Vec::new() }) })
    }
}

/// Whether a key is one of those that were asked for.
fn is_asked_for(keys: &str, key: &str) -> bool {
    let (mut wanted, mut parts) = (keys.split('.'), key.split('.'));
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) | (Some(">"), Some(_)) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
}
