//! A broker as one host sees it, which goes away at a call that the test chooses.

use crate::memory::MemoryBroker;
use clawperator_pool::broker::{
    Broker, BrokerError, BrokerFacts, Bucket, Change, Delivery, Entry, Queue, Reply, Settlement, Watch,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// What happens at the chosen call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The host dies before the broker gets the call.
    DiesBefore,
    /// The host dies when the broker has done it, before the answer comes.
    DiesAfter,
    /// The host hears nothing for longer than a lease lives, as if it was stopped.
    Stalls,
    /// The account no longer answers, from then on.
    FallsSilent,
}

/// A host's way to the broker.
pub(crate) struct FaultyBroker {
    inner: MemoryBroker,
    plan: Arc<FaultPlan>,
}

/// When a host goes away.
pub(crate) struct FaultPlan {
    pub(crate) at: usize,
    pub(crate) fault: Fault,
    /// What else happens when the host dies.
    pub(crate) on_death: Box<dyn Fn() + Send + Sync>,
    calls: AtomicUsize,
    pub(crate) is_dead: AtomicBool,
    /// Which call it was.
    pub(crate) hit: std::sync::Mutex<Option<String>>,
}

impl FaultPlan {
    pub(crate) fn new(at: usize, fault: Fault, on_death: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            at,
            fault,
            on_death: Box::new(on_death),
            calls: AtomicUsize::new(0),
            is_dead: AtomicBool::new(false),
            hit: std::sync::Mutex::default(),
        })
    }

    fn die(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
        (self.on_death)();
    }
}

impl fmt::Debug for FaultyBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FaultyBroker")
    }
}

impl FaultyBroker {
    pub(crate) fn new(inner: &MemoryBroker, plan: &Arc<FaultPlan>) -> Self {
        Self { inner: inner.clone(), plan: plan.clone() }
    }

    /// Makes a call, unless the host is gone. Calls that only listen are not counted.
    fn call<'b, T: Send + 'b>(&'b self, what: String, call: Reply<'b, T>) -> Reply<'b, T> {
        Box::pin(async move {
            let plan = &self.plan;
            if plan.is_dead.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            let number = plan.calls.fetch_add(1, Ordering::SeqCst);
            if plan.fault == Fault::FallsSilent && number >= plan.at {
                sleep(Duration::from_secs(5)).await;
                return Err(BrokerError::Unavailable("it does not answer".to_owned()));
            }
            if number != plan.at {
                return call.await;
            }
            *plan.hit.lock().unwrap() = Some(what);
            match plan.fault {
                Fault::DiesBefore | Fault::FallsSilent => plan.die(),
                Fault::DiesAfter => {
                    let _ = call.await;
                    plan.die();
                }
                Fault::Stalls => {
                    // The call itself comes through late.
                    sleep(Duration::from_secs(70)).await;
                    return call.await;
                }
            }
            std::future::pending().await
        })
    }
}

impl Broker for FaultyBroker {
    fn read<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Option<Entry>> {
        self.call(format!("read {bucket:?} {keys}"), self.inner.read(bucket, keys))
    }

    fn store<'b>(&'b self, change: Change<'b>) -> Reply<'b, u64> {
        self.call(format!("store {:?} {}", change.bucket, change.key), self.inner.store(change))
    }

    fn remove(&self, bucket: Bucket, revision: u64) -> Reply<'_, ()> {
        self.call(format!("remove {bucket:?} {revision}"), self.inner.remove(bucket, revision))
    }

    fn list<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Vec<Entry>> {
        self.call(format!("list {bucket:?} {keys}"), self.inner.list(bucket, keys))
    }

    fn watch<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Watch> {
        self.inner.watch(bucket, keys)
    }

    fn take<'b>(&'b self, queue: &'b Queue) -> Reply<'b, Option<Delivery>> {
        self.call(format!("take {}", queue.prefix), self.inner.take(queue))
    }

    fn settle<'b>(&'b self, delivery: &'b Delivery, settlement: Settlement) -> Reply<'b, ()> {
        self.call(format!("settle {settlement:?}"), self.inner.settle(delivery, settlement))
    }

    fn epoch(&self) -> Reply<'_, u64> {
        self.call("epoch".to_owned(), self.inner.epoch())
    }

    fn facts(&self) -> Reply<'_, BrokerFacts> {
        self.inner.facts()
    }
}
