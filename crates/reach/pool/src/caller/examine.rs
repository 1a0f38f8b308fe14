//! The state of a pool, with advice.

use super::Caller;
use crate::broker::{BrokerFacts, Bucket, QueueLength};
use crate::job::{Priority, Target};
use crate::name::Name;
use crate::record::{HostRecord, PhoneRecord, PhoneStage};
use clawperator_contract::Failure;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first version without known losses of streams.
const SAFE_VERSION: [u64; 3] = [2, 10, 23];
/// How far two clocks may be apart.
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
    pub async fn examine(&self) -> Result<PoolHealth, Failure> {
        let broker = self.account.facts().await?;
        let (hosts, phones) = (self.hosts().await?, self.phones().await?);
        let mut checks = vec![version(&broker), copies(&broker), sync()];
        checks.push(self.clock().await?);
        checks.extend([of_hosts(&hosts), of_phones(&phones)]);
        checks.push(self.queues(&phones).await?);
        Ok(PoolHealth { checks, broker })
    }

    /// Compares the broker's clock with this computer's, by the newest sign of life of a host.
    async fn clock(&self) -> Result<PoolCheck, Failure> {
        let entries = self.account.list(Bucket::Hosts, "*").await?;
        let newest = entries.iter().map(|entry| entry.stored_ms).max();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let ahead = newest.map_or(0, |newest| newest.saturating_sub(now_ms));
        let behind =
            newest.map_or(0, |newest| now_ms.saturating_sub(newest + Bucket::Hosts.age().as_millis() as u64));
        let apart = ahead.max(behind);
        let is_near = apart <= CLOCKS_APART_MS;
        let advice =
            if is_near { "" } else { "Only times that people read are wrong; set the clocks with NTP." };
        Ok(check(
            "clock",
            is_near,
            format!("the broker and this computer are {apart} ms apart or less"),
            advice,
        ))
    }

    /// Looks for queues that give out nothing although a phone is free.
    async fn queues(&self, phones: &[PhoneRecord]) -> Result<PoolCheck, Failure> {
        let idle = phones.iter().filter(|phone| phone.state == PhoneStage::Idle);
        let classes: BTreeSet<&Name> = idle.flat_map(|phone| &phone.classes).collect();
        let mut stuck = Vec::new();
        let running = self.jobs().await?.running.len() as u64;
        for class in classes {
            for priority in Priority::ALL {
                let queue = Target::Any(class.clone()).queue(*priority);
                let QueueLength { waiting, out } = self.account.length(&queue).await?;
                if waiting > 0 || out > running {
                    stuck.push(format!("{}: {waiting} wait, {out} are out", queue.prefix));
                }
            }
        }
        let advice =
            "A phone is free and jobs wait. Ask again in a minute; if it stays so, restart the workers.";
        if stuck.is_empty() {
            return Ok(check("queues", true, "no queue is stuck".to_owned(), ""));
        }
        Ok(check("queues", false, stuck.join("; "), advice))
    }
}

fn version(broker: &BrokerFacts) -> PoolCheck {
    let mut parts = broker.version.split(['.', '-']).map_while(|part| part.parse::<u64>().ok());
    let found = [(); 3].map(|()| parts.next().unwrap_or_default());
    let advice = if found < SAFE_VERSION {
        "It works. Versions before 2.10.23 can lose whole streams when a node crashes: use 2.11 or newer in production."
    } else {
        ""
    };
    check("version", true, format!("nats-server {}", broker.version), advice)
}

fn copies(broker: &BrokerFacts) -> PoolCheck {
    let fewest = broker.buckets.iter().map(|bucket| bucket.copies).min().unwrap_or(1);
    let behind: usize = broker.buckets.iter().map(|bucket| bucket.behind).sum();
    let found = format!("{fewest} copies of every bucket, {behind} of them behind or away");
    match (behind, fewest) {
        (0, 3..) => check("copies", true, found, ""),
        (0, _) => {
            check("copies", true, found, "A node that is lost takes the pool with it: use three nodes.")
        }
        _ => check("copies", false, found, "See that all nodes run and reach each other."),
    }
}

fn sync() -> PoolCheck {
    let found = "the broker does not say whether it confirms writes on disk".to_owned();
    let advice = "Without sync_interval: always, a power failure of all nodes loses the last two minutes.";
    check("sync", true, found, advice)
}

fn of_hosts(hosts: &[HostRecord]) -> PoolCheck {
    let versions: BTreeSet<&str> = hosts.iter().map(|host| host.version.as_str()).collect();
    let draining = hosts.iter().filter(|host| host.drains).count();
    let found =
        format!("{} hosts, {draining} of them take no more jobs, versions: {versions:?}", hosts.len());
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
