//! What every broker does.

use crate::memory::MemoryBroker;
use clawperator_pool::broker::{
    Broker, BrokerError, Bucket, Change, Delivery, Entry, Expected, Queue, Settlement,
};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

const SOON: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(5);

#[tokio::test]
async fn in_memory() {
    check(&MemoryBroker::new(1_000)).await;
}

/// Everything below, on one broker without entries.
pub(crate) async fn check(broker: &dyn Broker) {
    changes_by_comparison(broker).await;
    keys_with_wildcards(broker).await;
    removal_of_a_revision(broker).await;
    one_of_many_wins(broker).await;
    history(broker).await;
    watch(broker).await;
    queue(broker).await;
    queue_that_waits(broker).await;
    stale_settlement(broker).await;
    assert!(broker.epoch().await.unwrap() > 0);
    assert_eq!(broker.epoch().await, broker.epoch().await);
}

pub(crate) async fn store(
    broker: &dyn Broker,
    bucket: Bucket,
    key: &str,
    value: &str,
) -> Result<u64, BrokerError> {
    let change = Change { bucket, key, value: value.as_bytes(), expected: Expected::Anything };
    broker.store(change).await
}

async fn change(broker: &dyn Broker, key: &str, expected: Expected) -> Result<u64, BrokerError> {
    broker.store(Change { bucket: Bucket::Leases, key, value: key.as_bytes(), expected }).await
}

fn keys(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.key.as_str()).collect()
}

async fn changes_by_comparison(broker: &dyn Broker) {
    let first = change(broker, "cas.p1", Expected::Absent).await.unwrap();
    assert_eq!(change(broker, "cas.p1", Expected::Absent).await, Err(BrokerError::Conflict));
    assert_eq!(change(broker, "cas.p2", Expected::Revision(first)).await, Err(BrokerError::Conflict));
    let second = change(broker, "cas.p1", Expected::Revision(first)).await.unwrap();
    assert!(second > first);
    assert_eq!(change(broker, "cas.p1", Expected::Revision(first)).await, Err(BrokerError::Conflict));
    let third = change(broker, "cas.p1", Expected::Anything).await.unwrap();
    let entry = broker.read(Bucket::Leases, "cas.p1").await.unwrap().unwrap();
    assert_eq!(
        (entry.revision, entry.value.as_slice(), entry.key.as_str()),
        (third, b"cas.p1".as_slice(), "cas.p1")
    );
    assert!(entry.stored_ms > 0);
    broker.remove(Bucket::Leases, third).await.unwrap();
    // A revision is never used twice, and an entry that was removed is absent.
    assert!(change(broker, "cas.p1", Expected::Absent).await.unwrap() > third);
}

async fn keys_with_wildcards(broker: &dyn Broker) {
    for key in ["w.b.1", "w.a.1", "w.a.2", "v.a.1"] {
        store(broker, Bucket::Runs, key, key).await.unwrap();
    }
    store(broker, Bucket::Runs, "w.b.1", "again").await.unwrap();
    for (asked, expected) in [
        ("w.>", vec!["w.a.1", "w.a.2", "w.b.1"]),
        ("w.a.*", vec!["w.a.1", "w.a.2"]),
        ("*.a.1", vec!["w.a.1", "v.a.1"]),
        ("w.a.2", vec!["w.a.2"]),
        ("w.*", vec![]),
        ("w", vec![]),
        (">", vec!["w.a.1", "w.a.2", "v.a.1", "w.b.1"]),
    ] {
        let listed = broker.list(Bucket::Runs, asked).await.unwrap();
        assert_eq!(keys(&listed), expected, "{asked}");
        assert!(listed.is_sorted_by_key(|entry| entry.revision));
        let read = broker.read(Bucket::Runs, asked).await.unwrap();
        assert_eq!(read, listed.last().cloned(), "{asked}");
    }
}

async fn removal_of_a_revision(broker: &dyn Broker) {
    let old = store(broker, Bucket::Claims, "r.1", "old").await.unwrap();
    let new = store(broker, Bucket::Claims, "r.1", "new").await.unwrap();
    broker.remove(Bucket::Claims, old).await.unwrap();
    broker.remove(Bucket::Claims, new + 1_000).await.unwrap();
    assert_eq!(broker.read(Bucket::Claims, "r.1").await.unwrap().unwrap().value, b"new");
    broker.remove(Bucket::Claims, new).await.unwrap();
    broker.remove(Bucket::Claims, new).await.unwrap();
    assert_eq!(broker.read(Bucket::Claims, "r.1").await.unwrap(), None);
    assert!(broker.list(Bucket::Claims, "r.>").await.unwrap().is_empty());
}

async fn one_of_many_wins(broker: &dyn Broker) {
    for round in 0..5 {
        let key = format!("race.{round}");
        let tries: Vec<_> = (0..20).map(|_| change(broker, &key, Expected::Absent)).collect();
        let done = futures_util::future::join_all(tries).await;
        assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
        assert!(done.iter().all(|done| matches!(done, Ok(_) | Err(BrokerError::Conflict))));
    }
}

async fn history(broker: &dyn Broker) {
    for key in ["h.1", "h.2", "h.1"] {
        store(broker, Bucket::Events, key, key).await.unwrap();
    }
    assert_eq!(keys(&broker.list(Bucket::Events, "h.>").await.unwrap()), ["h.2", "h.1"]);
}

async fn watch(broker: &dyn Broker) {
    store(broker, Bucket::Phones, "p.1", "before").await.unwrap();
    let mut watch = broker.watch(Bucket::Phones, "p.>").await.unwrap();
    for (key, value) in [("p.1", "a"), ("q.1", "b"), ("p.2", "c")] {
        store(broker, Bucket::Phones, key, value).await.unwrap();
    }
    for (key, value) in [("p.1", "a"), ("p.2", "c")] {
        let entry = timeout(LONG, watch.recv()).await.unwrap().unwrap();
        assert_eq!((entry.key.as_str(), entry.value.as_slice()), (key, value.as_bytes()));
    }
    assert!(timeout(SOON, watch.recv()).await.is_err());
}

/// The next job of a queue that is there within this time.
pub(crate) async fn take(broker: &dyn Broker, queue: &Queue, within: Duration) -> Option<Delivery> {
    let end = Instant::now() + within;
    loop {
        let taken = broker.take(queue).await.unwrap();
        if taken.is_some() || Instant::now() >= end {
            return taken;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn queue(broker: &dyn Broker) {
    let queue = Queue { prefix: "any.pixel.-.high".to_owned() };
    assert!(broker.take(&queue).await.unwrap().is_none());
    for key in ["any.pixel.-.high.1", "any.pixel.-.low.2", "any.pixel.-.high.3"] {
        store(broker, Bucket::Jobs, key, key).await.unwrap();
    }
    let first = take(broker, &queue, LONG).await.unwrap();
    assert_eq!((first.entry.key.as_str(), first.count), ("any.pixel.-.high.1", 1));
    assert_eq!(broker.read(Bucket::Jobs, "any.pixel.-.high.1").await.unwrap().as_ref(), Some(&first.entry));
    let second = take(broker, &queue, LONG).await.unwrap();
    assert_eq!(second.entry.key, "any.pixel.-.high.3");
    assert!(take(broker, &queue, SOON).await.is_none());
    broker.settle(&first, Settlement::Working).await.unwrap();
    broker.settle(&first, Settlement::Later(SOON)).await.unwrap();
    broker.settle(&second, Settlement::Done).await.unwrap();
    let again = take(broker, &queue, LONG).await.unwrap();
    assert_eq!((again.entry.key.as_str(), again.count), ("any.pixel.-.high.1", 2));
    // A job that is removed is in no queue.
    broker.settle(&again, Settlement::Later(SOON)).await.unwrap();
    broker.remove(Bucket::Jobs, again.entry.revision).await.unwrap();
    assert!(take(broker, &queue, 3 * SOON).await.is_none());
}

async fn queue_that_waits(broker: &dyn Broker) {
    let queue = Queue { prefix: "pin.one".to_owned() };
    let send = async {
        sleep(SOON).await;
        store(broker, Bucket::Jobs, "pin.one.1", "now").await.unwrap();
    };
    let (taken, ()) = tokio::join!(take(broker, &queue, 2 * LONG), send);
    assert_eq!(taken.unwrap().entry.value, b"now");
}

async fn stale_settlement(broker: &dyn Broker) {
    let queue = Queue { prefix: "stale".to_owned() };
    store(broker, Bucket::Jobs, "stale.1", "x").await.unwrap();
    let first = take(broker, &queue, LONG).await.unwrap();
    broker.settle(&first, Settlement::Later(Duration::from_millis(1))).await.unwrap();
    let second = take(broker, &queue, LONG).await.unwrap();
    assert_eq!(second.count, 2);
    // A host that had it before can settle it, too, and settling twice changes nothing.
    broker.settle(&first, Settlement::Done).await.unwrap();
    for settlement in [Settlement::Done, Settlement::Working, Settlement::Later(Duration::ZERO)] {
        broker.settle(&second, settlement).await.unwrap();
    }
    assert!(take(broker, &queue, SOON).await.is_none());
}
