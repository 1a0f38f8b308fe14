//! The simulated phones that run, and the one that a command line names.

use super::start;
use crate::cli::args::Args;
use crate::cli::flags;
use crate::cli::world::World;
use crate::sim::{self, Registry, Running};
use clawperator_contract::{ErrorCode, Failure, text};

/// What names any simulated phone.
const ANY: &str = "sim";

/// A phone that runs, or else a new one: what `--device sim` means.
pub(in crate::cli) fn find_or_start(world: &mut World) -> Result<Running, Failure> {
    let registry = Registry::open(&world.sim_folder)?;
    match sim::find(&registry, None) {
        Err(sim::SimError::NoneRunning) => {}
        found => return Ok(found?),
    }
    // Two processes at the same time share one phone.
    let _lock = registry.lock(sim::Lock::Start)?;
    match sim::find(&registry, None) {
        Err(sim::SimError::NoneRunning) => start::start_one(&registry, world),
        found => Ok(found?),
    }
}

/// The phone that a command line names, as an argument or with `--device`.
pub(super) fn named<'g>(args: &'g Args, argument: Option<&'g str>) -> Result<Option<&'g str>, Failure> {
    let device = args.value(&flags::DEVICE)?;
    if let (Some(device), Some(argument)) = (device, argument)
        && device != argument
    {
        let (one, other) = (text::excerpt(argument), text::excerpt(device));
        let message = format!("\"{one}\" and --device \"{other}\" name two phones: name one");
        return Err(args.failure(ErrorCode::Usage, &flags::DEVICE, message));
    }
    // `sim` is any phone.
    Ok(argument.or(device).filter(|name| *name != ANY))
}

/// The phone that a command line names; `--device sim` starts one if none runs.
pub(super) fn reach(args: &Args, argument: Option<&str>, world: &mut World) -> Result<Running, Failure> {
    match named(args, argument)? {
        None if args.value(&flags::DEVICE)? == Some(ANY) => find_or_start(world),
        name => Ok(sim::find(&Registry::look(&world.sim_folder)?, name)?),
    }
}

/// Every simulated phone, whether it answers or not.
pub(in crate::cli) fn known(world: &World) -> Result<Vec<Running>, Failure> {
    Ok(sim::phones(&Registry::look(&world.sim_folder)?)?)
}

/// The phones that run: name and serial of each.
pub(in crate::cli) fn running(world: &World) -> Result<Vec<(String, String)>, Failure> {
    let phones = sim::phones(&Registry::look(&world.sim_folder)?)?;
    Ok(phones
        .into_iter()
        .map(|running| (running.phone.name, running.phone.serial))
        .collect())
}

/// Tells whether JSON is asked for where text is the default.
pub(super) fn wants_json(args: &Args) -> bool {
    args.has(&flags::JSON) || args.has(&flags::OUTPUT)
}
