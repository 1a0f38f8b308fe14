//! The host itself in the pool: that it lives, and what time the broker has.

use super::{WorkerState, lock};
use crate::account::Typed;
use crate::broker::{BrokerError, Bucket};
use crate::record::HostRecord;
use clawperator_contract::{ErrorCode, Failure};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const BEAT: Duration = Duration::from_secs(10);
/// How long until a broker is asked again that was not there.
const JOIN_AGAIN: Duration = Duration::from_secs(2);
/// How long the broker must have been there before a host without a sign of life is gone.
const STEADY: Duration = Duration::from_secs(30);

impl WorkerState {
    /// Says to all tenants that the host is there. Until one of them hears it, it waits: a computer
    /// may start before its broker.
    pub(super) async fn join(&self) -> Result<(), Failure> {
        let host = &self.settings.host;
        let mut said = Vec::new();
        loop {
            let mut troubles = Vec::new();
            for (number, tenant) in self.settings.tenants.iter().enumerate() {
                let found = match tenant.account.prepare().await {
                    Ok(()) => tenant.account.get::<HostRecord>(Bucket::Hosts, host.as_str()).await,
                    Err(error) => Err(error),
                };
                let is_other = |found: &&Typed<HostRecord>| found.value.machine != self.settings.machine;
                if let Some(other) = found.as_ref().ok().and_then(Option::as_ref).filter(is_other) {
                    let version = &other.value.version;
                    let message =
                        format!("another computer is in the pool as host {host} (version {version})");
                    let hint = "Give this one another name: clawperator worker --host NAME.";
                    return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
                }
                let beat = if let Err(error) = found { Err(error) } else { self.beat(number).await };
                // A tenant whose account is broken harms itself only.
                if let Err(error) = beat {
                    troubles.push(format!("tenant {} does not hear of this host: {error}", tenant.name));
                }
            }
            for line in troubles.iter().filter(|line| !said.contains(*line)) {
                self.log(line);
            }
            if troubles.len() < self.settings.tenants.len() {
                break;
            }
            said = troubles;
            sleep(JOIN_AGAIN).await;
        }
        self.log(&format!("host {host} is in the pool"));
        Ok(())
    }

    pub(super) async fn keep_registered(self: Arc<Self>, tenant: usize) {
        loop {
            sleep(BEAT).await;
            if let Err(error) = self.beat(tenant).await {
                self.log(&format!("tenant {} does not hear of this host: {error}", self.tenant(tenant).name));
                // The account says little about other hosts now.
                lock(&self.steady)[tenant] = Instant::now();
            }
        }
    }

    /// Whether hosts that the broker does not know had time to say that they live.
    pub(super) fn is_steady(&self, tenant: usize) -> bool {
        lock(&self.steady)[tenant].elapsed() >= STEADY
    }

    /// Says to a tenant that the host lives, and learns the broker's time.
    async fn beat(&self, tenant: usize) -> Result<(), BrokerError> {
        let (settings, of) = (&self.settings, self.tenant(tenant));
        let running = lock(&self.hands).len();
        let record = HostRecord {
            host: settings.host.clone(),
            machine: settings.machine.clone(),
            instance: settings.instance.clone(),
            version: settings.version.to_owned(),
            phones: self.phones.all().len(),
            running,
            drains: self.is_draining(),
            quota: of.quota,
            tenant_running: self.running_of(tenant),
        };
        of.account.prepare().await?;
        let sent = Instant::now();
        of.account.put(Bucket::Hosts, settings.host.as_str(), &record).await?;
        let stored = of.account.read(Bucket::Hosts, settings.host.as_str()).await?;
        if let Some(stored) = stored {
            *lock(&self.clock) = Some((stored.stored_ms, sent));
        }
        Ok(())
    }

    pub(super) async fn leave(&self) {
        for tenant in &self.settings.tenants {
            let host = self.settings.host.as_str();
            let phones = format!("{host}.*");
            for (bucket, keys) in [(Bucket::Hosts, host), (Bucket::Phones, phones.as_str())] {
                for entry in tenant.account.list(bucket, keys).await.unwrap_or_default() {
                    let _ = tenant.account.remove(bucket, entry.revision).await;
                }
            }
        }
        self.log(&format!("host {} has left the pool", self.settings.host));
    }
}
