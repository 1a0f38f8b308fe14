//! The simulated phones that run, and the one that a command line names.

use super::start;
use crate::args::Args;
use crate::flags;
use crate::world::World;
use clawperator_contract::{Failure, text};
use clawperator_host::{self as sim, Registry, RunningPhone, State};
use clawperator_run::doctor::SimFacts;

/// What names any simulated phone.
const ANY: &str = "sim";

/// The phone that was used last, or else a new one: what `--device sim` means.
pub(super) fn find_or_start(world: &mut World) -> Result<RunningPhone, Failure> {
    let registry = Registry::open(&world.sim_folder)?;
    match sim::find_last(&registry, None) {
        Err(sim::SimError::NoneRunning) => {}
        found => return Ok(found?),
    }
    // Two processes at the same time share one phone.
    let _lock = registry.lock(sim::START)?;
    match sim::find_last(&registry, None) {
        Err(sim::SimError::NoneRunning) => start::start_one(&registry, world),
        found => Ok(found?),
    }
}

/// Starts simulated phones until so many run.
pub(crate) fn have_running(count: usize, world: &mut World) -> Result<(), Failure> {
    let registry = Registry::open(&world.sim_folder)?;
    let _lock = registry.lock(sim::START)?;
    let running = sim::phones(&registry)?.len();
    for _ in running..count {
        start::start_one(&registry, world)?;
    }
    Ok(())
}

/// The serial of the phone that `--device` names. `sim` is the simulated phone
/// that was used last; if none runs, one is started. `sim-1` is the phone of that name.
pub(crate) fn serial_of(name: String, world: &mut World) -> Result<String, Failure> {
    if name == ANY {
        return Ok(find_or_start(world)?.phone.serial);
    }
    if !name.starts_with("sim-") {
        return Ok(name);
    }
    match sim::find_last(&Registry::look(&world.sim_folder)?, Some(&name)) {
        Ok(found) => Ok(found.phone.serial),
        // The phone may have that serial.
        Err(sim::SimError::NoneCalled { .. }) => Ok(name),
        Err(error) => Err(error.into()),
    }
}

/// The phone that a command line names, as an argument or with `--device`.
pub(super) fn phone_name<'g>(args: &'g Args, argument: Option<&'g str>) -> Result<Option<&'g str>, Failure> {
    let device = args.value(&flags::DEVICE)?;
    if let (Some(device), Some(argument)) = (device, argument)
        && device != argument
    {
        let (one, other) = (text::excerpt(argument), text::excerpt(device));
        let message = format!("\"{one}\" and --device \"{other}\" name two phones: name one");
        return Err(args.usage(&flags::DEVICE, message));
    }
    // `sim` is any phone.
    Ok(argument.or(device).filter(|name| *name != ANY))
}

/// The phone that a command line names; `--device sim` starts one if none runs.
pub(super) fn reach(args: &Args, argument: Option<&str>, world: &mut World) -> Result<RunningPhone, Failure> {
    match phone_name(args, argument)? {
        None if args.value(&flags::DEVICE)? == Some(ANY) => find_or_start(world),
        name => Ok(sim::find_last(&Registry::look(&world.sim_folder)?, name)?),
    }
}

/// Every simulated phone, whether it answers or not.
pub(crate) fn facts(world: &World) -> Result<Vec<SimFacts>, Failure> {
    let phones = sim::phones(&Registry::look(&world.sim_folder)?)?;
    let fact = |running: RunningPhone| SimFacts {
        answers: running.state == State::Running,
        name: running.phone.name,
        serial: running.phone.serial,
        pid: running.entry.address.pid.get(),
    };
    Ok(phones.into_iter().map(fact).collect())
}

/// Tells whether JSON is asked for where text is the default.
pub(super) fn wants_json(args: &Args) -> bool {
    args.has(&flags::JSON) || args.has(&flags::OUTPUT)
}
