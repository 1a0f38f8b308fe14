//! `agent`: lets a model use a phone.

mod act;
#[cfg(feature = "sim")]
mod eval;
mod export;
mod model;
mod run;
mod sessions;
mod tools;

pub(super) use tools::of_server;

use super::args::Args;
use super::spec::AgentCommand;
use super::world::{Answer, World};
use clawperator_contract::Failure;

pub(super) fn run(command: AgentCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        AgentCommand::Tools => act::tools(args),
        AgentCommand::Act => act::act(args, world),
        AgentCommand::Run => run::run(args, world),
        AgentCommand::Resume => run::resume(args, world),
        AgentCommand::Replay => run::replay(args, world),
        AgentCommand::Sessions => sessions::sessions(args, world),
        AgentCommand::Show => sessions::show(args, world),
        AgentCommand::Export => export::export(args, world),
        #[cfg(feature = "sim")]
        AgentCommand::Eval => eval::eval(args, world),
    }
}
