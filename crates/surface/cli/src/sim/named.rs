//! The names of simulated phones, for the engine.

use clawperator_contract::Failure;
use clawperator_engine::NamedPhones;
use clawperator_host::{Registry, Running, phones};
use std::path::PathBuf;

/// The simulated phones that run in the background.
#[derive(Debug)]
pub(super) struct SimulatedPhones(pub PathBuf);

impl SimulatedPhones {
    /// The name and the serial of each.
    pub(super) fn all(&self) -> Result<Vec<(String, String)>, Failure> {
        let phones = phones(&Registry::look(&self.0)?)?;
        let pair = |running: Running| (running.phone.name, running.phone.serial);
        Ok(phones.into_iter().map(pair).collect())
    }
}

impl NamedPhones for SimulatedPhones {
    fn serial(&self, name: &str) -> Result<Option<String>, Failure> {
        if !name.starts_with("sim-") {
            return Ok(None);
        }
        let found = self.all()?.into_iter().find(|(known, _)| known == name);
        Ok(found.map(|(_, serial)| serial))
    }

    fn running(&self) -> Vec<String> {
        // A registry that cannot be read is not what the caller asks about.
        let all = self.all().unwrap_or_default();
        all.into_iter().map(|(name, _)| name).collect()
    }
}
