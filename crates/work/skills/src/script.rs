//! A skill's script: which one runs, what it gets from the caller, how it is run
//! and ended, and what its output means.
//!
//! `choice`, `environment`, `capture`, `frame` and `verdict` are pure; the process itself is run by
//! `process`. This module does not know phones, journals or the command line.

mod agent;
mod capture;
mod choice;
mod confinement;
mod environment;
mod frame;
pub mod limits;
mod verdict;

pub use crate::process::ProcessChannel;
pub use agent::Agent;
pub use confinement::Confinement;
pub use environment::{Variables, inherited};
pub use frame::{
    Checkpoint, CheckpointStatus, FrameError, FrameScanner, MARKER, ResultFrame, SkillStatus, checkpoints,
};
pub use verdict::ScriptResult;

use crate::process::{self, ProgramLaunch};
use crate::repo::{RepoRoot, Repository, SkillEntry};
use clawperator_contract::{ErrorCode, Failure};
use confinement::ScriptConfinement;
use futures_core::future::BoxFuture;
use serde_json::Value;
use std::time::Duration;
use verdict::ScriptOutput;

/// A skill that has a script.
#[derive(Clone, Debug)]
pub struct ScriptSkill<'s> {
    pub entry: &'s SkillEntry,
    pub root: &'s RepoRoot,
    pub agent: Option<Agent>,
    pub confinement: Option<Confinement>,
}

impl<'s> ScriptSkill<'s> {
    /// A skill of a repository. Its agent is that of its `skill.json`, else that of the registry.
    ///
    /// # Errors
    /// `SKILL_VALIDATION_FAILED` if the agent cannot be understood.
    pub fn of(repository: &'s Repository, entry: &'s SkillEntry) -> Result<Self, Failure> {
        let package = repository.package(entry);
        let agent = package.as_ref().map_or_else(|| entry.get("agent"), |own| own.get("agent"));
        let agent = Agent::parse(agent.unwrap_or(&Value::Null)).map_err(|why| {
            let message = format!("the skill {} cannot be run: {why}", entry.id());
            Failure::of(ErrorCode::SkillValidationFailed, message)
                .of_skill(|about| about.skill_id = Some(entry.id().to_owned()))
        })?;
        Ok(Self { entry, root: &repository.root, agent, confinement: None })
    }

    /// The same skill, its script confined.
    ///
    /// # Errors
    /// `SKILL_VALIDATION_FAILED` if an agent runs it: an agent needs the network.
    pub fn confined(mut self, confinement: Confinement) -> Result<Self, Failure> {
        if self.agent.is_some() {
            let message = format!("the skill {} is run by an agent, which needs the network", self.id());
            return Err(verdict::failure(&self, ErrorCode::SkillValidationFailed, message));
        }
        self.confinement = Some(confinement);
        Ok(self)
    }

    /// Its id.
    pub fn id(&self) -> &'s str {
        self.entry.id()
    }
}

/// What a caller wants of a skill.
#[derive(Clone, Debug)]
pub struct ScriptCall<'c> {
    pub device: Option<&'c str>,
    pub arguments: &'c [String],
    /// Inputs by their names; without them the script's arguments are its inputs.
    pub inputs: Option<&'c Value>,
    pub timeout: Option<Duration>,
    /// What its output must contain.
    pub expect: Option<&'c str>,
    pub variables: Variables,
}

/// Runs a script to its end; `live` gets its output as it comes, and `stop` ends it early. No
/// process of its group is left when this returns, and none if it is dropped.
///
/// # Errors
/// Why it did not run, or did not succeed; with what it printed.
pub fn run<'f>(
    skill: &'f ScriptSkill<'f>,
    call: &'f ScriptCall<'f>,
    live: &'f mut (dyn FnMut(ProcessChannel, &[u8]) + Send),
    stop: BoxFuture<'f, ()>,
) -> BoxFuture<'f, Result<ScriptResult, Failure>> {
    Box::pin(async move {
        let script = choice::script(skill)?;
        let agent = skill.agent.as_ref();
        let agent_program = agent.map(|agent| agent.program(skill, &call.variables)).transpose()?;
        let limit = choice::limit(skill, call);
        let launch = ProgramLaunch {
            program: script.program().into(),
            arguments: script.arguments(skill, call),
            variables: environment::of_script(skill, call, agent_program.as_deref(), limit),
            limit,
            grace: if call.variables.is_nested() { process::NESTED_GRACE } else { process::GRACE },
        };
        let mut heard = ScriptOutput::new(call.expect);
        let mut listen = |channel: ProcessChannel, bytes: &[u8]| {
            heard.push(channel, bytes);
            live(channel, bytes);
        };
        let ran = match &skill.confinement {
            None => {
                let ran = process::run(launch, &mut listen, stop).await;
                ran.map_err(|error| verdict::not_started(skill, &script, &error))?
            }
            Some(confinement) => {
                let inside = ScriptConfinement {
                    confinement,
                    folder: skill.root.path().join(skill.entry.path()),
                    read: vec![skill.root.path().to_owned(), call.variables.program.clone()],
                };
                let ran = inside.run(launch, &mut listen, stop).await;
                ran.map_err(|error| verdict::not_confined(skill, &error))?
            }
        };
        verdict::judge(skill, call, heard, &ran)
    })
}
