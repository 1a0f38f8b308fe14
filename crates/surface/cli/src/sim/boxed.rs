//! The simulated phones of this computer, for the server.

use crate::world::World;
use clawperator_contract::Failure;
use clawperator_host::{self as sim, Registry, Running, SimError, State};
use clawperator_server::{BoxedPhone, BoxedPhones};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The simulated phones that run in the background.
#[derive(Debug)]
struct Background {
    folder: PathBuf,
    program: fn() -> io::Result<PathBuf>,
    secret: fn() -> io::Result<u128>,
}

/// The simulated phones of this computer, for the server.
pub(crate) fn boxed_phones(world: &World) -> Arc<dyn BoxedPhones> {
    Arc::new(Background {
        folder: world.sim_folder.clone(),
        program: world.program,
        secret: world.secret,
    })
}

impl BoxedPhones for Background {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        let phones = sim::phones(&Registry::look(&self.folder)?)?;
        let answering = phones.iter().filter(|running| running.state == State::Running);
        Ok(answering.map(boxed).collect())
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

fn boxed(running: &Running) -> BoxedPhone {
    BoxedPhone {
        name: running.phone.name.clone(),
        serial: running.phone.serial.clone(),
    }
}
