//! The host itself in the pool: that it lives, and what time the broker has.

use super::{WorkerState, lock};
use crate::broker::{BrokerError, Bucket};
use crate::record::HostRecord;
use clawperator_contract::{ErrorCode, Failure};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const BEAT: Duration = Duration::from_secs(10);
/// How long the broker must have been there before a host without a sign of life is gone.
const STEADY: Duration = Duration::from_secs(30);

impl WorkerState {
    pub(super) async fn join(&self) -> Result<(), Failure> {
        let host = &self.settings.host;
        for tenant in &self.settings.tenants {
            let found = tenant.account.get::<HostRecord>(Bucket::Hosts, host.as_str()).await?;
            if let Some(other) = found.filter(|found| found.value.machine != self.settings.machine) {
                let message = format!(
                    "another computer is in the pool as host {host} (version {})",
                    other.value.version
                );
                let hint = "Give this one another name: clawperator worker --host NAME.";
                return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
            }
        }
        for tenant in 0..self.settings.tenants.len() {
            match self.beat(tenant).await {
                // A tenant whose account is full harms itself only.
                Ok(()) | Err(BrokerError::Full(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.log(&format!("host {host} is in the pool"));
        Ok(())
    }

    pub(super) async fn keep_registered(self: Arc<Self>) {
        loop {
            sleep(BEAT).await;
            for tenant in 0..self.settings.tenants.len() {
                if let Err(error) = self.beat(tenant).await {
                    let name = &self.tenant(tenant).name;
                    self.log(&format!("tenant {name} does not hear of this host: {error}"));
                    // The account says little about other hosts now.
                    lock(&self.steady)[tenant] = Instant::now();
                }
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
