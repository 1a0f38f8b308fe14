//! `clawperator sim`: the commands of the simulated phone, and what other commands ask about
//! simulated phones. `no_sim` answers for a build without them.

mod boxed;
mod check;
mod dump;
mod faults;
mod fixture;
mod manage;
mod phones;
mod screen;
mod start;

pub(super) use boxed::{boxed_phones, named_phones, running};
pub(super) use clawperator_sim::package_of;
pub(super) use fixture::fixture;
pub(super) use phones::{facts, have_running, serial_of};

use super::args::Args;
use super::spec::SimCommand;
use super::world::{Answer, World};
use clawperator_contract::Failure;

pub(super) fn run(command: SimCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        SimCommand::Start => start::start(args, world),
        SimCommand::Stop => manage::stop(args, world),
        SimCommand::List => manage::list(args, world),
        SimCommand::Status => manage::status(args, world),
        SimCommand::Screen => screen::screen(args, world),
        SimCommand::Dump => dump::dump(args, world),
        SimCommand::Check => check::check(args, world),
        SimCommand::Faults => faults::faults(args, world),
        SimCommand::Finger => manage::finger(args, world),
        SimCommand::Advance => manage::advance(args, world),
    }
}

pub(super) fn app_schema() -> Result<serde_json::Value, Failure> {
    let mut schema = clawperator_sim::app::schema();
    schema.insert("$id".to_owned(), "urn:clawperator:schema:app".into());
    Ok(schema.to_value())
}
