//! The state of a pool, with advice.

use super::{Caller, PoolJobs, WaitReason};
use crate::account::Typed;
use crate::broker::{BrokerFacts, Bucket, is_safe};
use crate::record::{HostRecord, PhoneRecord, PhoneStage};
use clawperator_contract::Failure;
use futures_core::future::BoxFuture;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

const CLOCKS_APART_MS: u64 = 5_000;

/// What was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolHealth {
    pub checks: Vec<PoolCheck>,
    pub broker: BrokerFacts,
}

/// One question about a pool, and its answer.
#[derive(Clone, Debug, Serialize)]
pub struct PoolCheck {
    pub name: &'static str,
    pub ok: bool,
    pub found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
}

fn check(name: &'static str, ok: bool, found: String, advice: &'static str) -> PoolCheck {
    PoolCheck { name, ok, found, advice: (!advice.is_empty()).then_some(advice) }
}

impl Caller {
    /// Examines the broker and the hosts.
    pub fn examine(&self) -> BoxFuture<'_, Result<PoolHealth, Failure>> {
        Box::pin(async move {
            let broker = self.account.facts().await?;
            let hosts = self.account.all::<HostRecord>(Bucket::Hosts, "*").await?;
            let (phones, jobs) = (self.phones().await?, self.jobs().await?);
            let checks = vec![
                version(&broker),
                copies(&broker),
                space(&broker),
                sync(),
                clock(hosts.iter().map(|host| host.stored_ms).max()),
                of_hosts(&hosts),
                of_phones(&phones),
                queues(&jobs),
            ];
            Ok(PoolHealth { checks, broker })
        })
    }
}

/// Compares the broker's clock with this computer's, by the newest sign of life of a host.
fn clock(newest: Option<u64>) -> PoolCheck {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    let newest = newest.unwrap_or(now_ms);
    let latest = newest + Bucket::Hosts.age().as_millis() as u64;
    let apart = newest.saturating_sub(now_ms).max(now_ms.saturating_sub(latest));
    let is_near = apart <= CLOCKS_APART_MS;
    let advice = if is_near { "" } else { "Only times that people read are wrong; set the clocks with NTP." };
    let found = format!("the broker and this computer are {apart} ms apart or less");
    check("clock", is_near, found, advice)
}

fn queues(jobs: &PoolJobs) -> PoolCheck {
    let mut stuck: BTreeMap<String, usize> = BTreeMap::new();
    let is_stuck = |why: &WaitReason| matches!(why, WaitReason::AboutToBegin | WaitReason::NotReady { .. });
    for waiting in jobs.waiting.iter().filter(|job| is_stuck(&job.why)) {
        *stuck.entry(waiting.job.target.to_string()).or_default() += 1;
    }
    if stuck.is_empty() {
        return check("queues", true, "no queue is stuck".to_owned(), "");
    }
    let stuck: Vec<_> = stuck.iter().map(|(target, count)| format!("{target}: {count} wait")).collect();
    let advice = "A phone is free and jobs wait. Ask again in a minute; if it stays so, restart the workers.";
    check("queues", false, stuck.join("; "), advice)
}

fn version(broker: &BrokerFacts) -> PoolCheck {
    let is_cluster = broker.buckets.iter().any(|bucket| bucket.copies > 1);
    let (is_fit, advice) = match (is_safe(&broker.version), is_cluster) {
        (true, _) => (true, ""),
        (false, false) => (true, "It works. In production use 2.11 or newer."),
        (false, true) => (
            false,
            "Copies of versions before 2.10.23 can differ or be lost when a node crashes: use 2.11 or newer, or one node.",
        ),
    };
    check("version", is_fit, format!("nats-server {}", broker.version), advice)
}

fn copies(broker: &BrokerFacts) -> PoolCheck {
    let fewest = broker.buckets.iter().map(|bucket| bucket.copies).min().unwrap_or(1);
    let behind: usize = broker.buckets.iter().map(|bucket| bucket.behind).sum();
    let found = format!("copies of every bucket: {fewest}; copies that are behind or away: {behind}");
    match (behind, fewest) {
        (0, 3..) => check("copies", true, found, ""),
        (0, _) => {
            check("copies", true, found, "A node that is lost takes the pool with it: use three nodes.")
        }
        _ => check("copies", false, found, "See that all nodes run and reach each other."),
    }
}

/// Whether what only callers fill has room; the rest forgets its oldest entries.
fn space(broker: &BrokerFacts) -> PoolCheck {
    let is_full = |bytes: u64, most_bytes: u64| bytes * 10 > most_bytes * 9;
    let full = broker
        .buckets
        .iter()
        .filter(|bucket| bucket.most_bytes.is_some_and(|most| is_full(bucket.bytes, most)));
    let full: Vec<&str> = full.filter(|bucket| !bucket.forgets).map(|bucket| bucket.name).collect();
    if full.is_empty() {
        return check("space", true, "no bucket of callers is full".to_owned(), "");
    }
    let advice = "Jobs wait that no phone takes: cancel them, or raise max_file of the tenant's account.";
    check("space", false, format!("nearly full: {}", full.join(", ")), advice)
}

fn sync() -> PoolCheck {
    let found = "the broker does not say whether it confirms writes on disk".to_owned();
    let advice = "Without sync_interval: always, a power failure of all nodes loses the last two minutes.";
    check("sync", true, found, advice)
}

fn of_hosts(hosts: &[Typed<HostRecord>]) -> PoolCheck {
    let versions: BTreeSet<&str> = hosts.iter().map(|host| host.value.version.as_str()).collect();
    let named: Vec<&str> = versions.iter().copied().collect();
    let draining = hosts.iter().filter(|host| host.value.drains).count();
    let found =
        format!("hosts: {}; that take no more jobs: {draining}; versions: {}", hosts.len(), named.join(", "));
    if hosts.is_empty() {
        return check("hosts", false, found, "Start one: clawperator worker --pool FILE.");
    }
    let advice = if versions.len() > 1 { "Use one version on all hosts." } else { "" };
    check("hosts", versions.len() == 1, found, advice)
}

fn of_phones(phones: &[PhoneRecord]) -> PoolCheck {
    let bad = phones.iter().filter(|phone| matches!(phone.state, PhoneStage::Lost | PhoneStage::Quarantined));
    let bad: Vec<String> = bad.map(|phone| format!("{} ({})", phone.phone, phone.state.word())).collect();
    if bad.is_empty() {
        return check("phones", !phones.is_empty(), format!("{} phones", phones.len()), "");
    }
    let found = format!("{} phones; not usable: {}", phones.len(), bad.join(", "));
    check("phones", false, found, "See their cables and power; pool release PHONE ends a quarantine.")
}
