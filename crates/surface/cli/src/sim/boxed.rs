//! The simulated phones of this computer, for the engine and the server.

use crate::world::World;
use clawperator_contract::Failure;
use clawperator_engine::NamedPhones;
use clawperator_host::{self as sim, Registry, RunningPhone, SimError, State};
use clawperator_server::{BoxedPhone, BoxedPhones};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The simulated phones that run in the background.
#[derive(Debug)]
struct SimulatedPhones {
    folder: PathBuf,
    program: fn() -> io::Result<PathBuf>,
    secret: fn() -> io::Result<u128>,
}

/// The simulated phones of this computer, for the server.
pub(crate) fn boxed_phones(world: &World) -> Arc<dyn BoxedPhones> {
    Arc::new(of_this_computer(world))
}

/// The same, for the engine, which finds them by their names.
pub(crate) fn named_phones(world: &World) -> Option<Arc<dyn NamedPhones>> {
    Some(Arc::new(of_this_computer(world)))
}

/// The phones that run: name and serial of each.
pub(crate) fn running(world: &World) -> Result<Vec<(String, String)>, Failure> {
    of_this_computer(world).all()
}

fn of_this_computer(world: &World) -> SimulatedPhones {
    SimulatedPhones { folder: world.sim_folder.clone(), program: world.program, secret: world.secret }
}

impl SimulatedPhones {
    fn all(&self) -> Result<Vec<(String, String)>, Failure> {
        let phones = sim::phones(&Registry::look(&self.folder)?)?;
        let pair = |running: RunningPhone| (running.phone.name, running.phone.serial);
        Ok(phones.into_iter().map(pair).collect())
    }
}

impl NamedPhones for SimulatedPhones {
    fn serial(&self, name: &str) -> Result<Option<String>, Failure> {
        if !name.starts_with("sim-") {
            return Ok(None);
        }
        Ok(self.all()?.into_iter().find(|(known, _)| known == name).map(|(_, serial)| serial))
    }

    fn running(&self) -> Vec<String> {
        // A registry that cannot be read is not what the caller asks about.
        self.all().unwrap_or_default().into_iter().map(|(name, _)| name).collect()
    }
}

impl BoxedPhones for SimulatedPhones {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        let phones = sim::phones(&Registry::look(&self.folder)?)?;
        Ok(phones.iter().filter(|running| running.state == State::Running).map(boxed).collect())
    }

    fn start(&self, name: Option<&str>) -> Result<BoxedPhone, Failure> {
        let registry = Registry::open(&self.folder)?;
        // Two requests for the same name share one phone.
        let _lock = registry.lock(sim::START)?;
        if let Some(name) = name {
            let running = sim::phones(&registry)?;
            if let Some(found) = running.iter().find(|running| running.phone.is_called(name)) {
                return Ok(boxed(found));
            }
        }
        let program = (self.program)().map_err(SimError::Spawn)?;
        let seed = (self.secret)().map_err(SimError::Spawn)?;
        Ok(boxed(&sim::launch_one(&program, seed as u64, &registry)?))
    }

    fn stop(&self, name: &str) -> Result<(), Failure> {
        let running = sim::find(&Registry::look(&self.folder)?, Some(name))?;
        Ok(sim::stop(&running.entry, &[running.phone])?)
    }
}

fn boxed(running: &RunningPhone) -> BoxedPhone {
    BoxedPhone { name: running.phone.name.clone(), serial: running.phone.serial.clone() }
}
