//! What `agent act` and `agent run` give a model: the policy, a folder, and a place to ask people.

use crate::approvals::desk;
use crate::approvals::notifier;
use crate::args::Args;
use crate::flags::agent as flags;
use crate::secrets;
use crate::server_entry::ServerEntry;
use crate::skills::sandbox_level;
use crate::world::World;
use clawperator_agent::act::failure;
use clawperator_agent::memory::{Memory, MemorySettings};
use clawperator_agent::people::{People, Waiting};
use clawperator_agent::policy::{Level, Policy};
use clawperator_agent::toolbox::Toolbox;
use clawperator_agent::workspace::{Workspace, WorkspaceSettings};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_server::AgentTools;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tools that the command line names. The policy is read by [`CommandTools::open`].
pub(super) struct CommandTools {
    named: Option<PathBuf>,
    usual: PathBuf,
    toolbox: Toolbox,
}

impl CommandTools {
    pub(super) fn read(args: &Args, world: &World) -> Result<Self, Failure> {
        let folder = args.bytes(&flags::WORKSPACE)?.map(Path::new);
        let workspace = folder.map(|folder| workspace(folder, args, world)).transpose()?;
        let memory = folder.map(|folder| Memory::open(folder, None, MemorySettings::default()));
        Ok(Self {
            named: args.bytes(&flags::POLICY)?.map(PathBuf::from),
            usual: world.phones.state.join("policy.yaml"),
            toolbox: Toolbox {
                workspace: workspace.map(Arc::new),
                memory: memory.transpose().map_err(failure)?,
                vault: Some(secrets::vault(world)?),
                ..Toolbox::default()
            },
        })
    }

    /// The same, with a place to ask people.
    pub(super) fn with_people(mut self, args: &Args, world: &World) -> Result<Self, Failure> {
        self.toolbox.people = Some(People {
            desk: desk(world)?,
            notifier: notifier(args)?,
            base: ServerEntry::find(&world.phones.state).map(|server| server.url),
            origin: "agent".to_owned(),
            later: None,
            waiting: Waiting::default(),
        });
        Ok(self)
    }

    pub(super) async fn open(self) -> Result<Toolbox, Failure> {
        let level = self.named.as_ref().and_then(|named| Level::from_word(named.to_str()?));
        let policy = match (&self.named, level) {
            (_, Some(level)) => Policy::load(&self.usual).await?.at(level),
            (Some(path), None) => Policy::load_named(path).await?,
            (None, None) => Policy::load(&self.usual).await?,
        };
        Ok(Toolbox { policy, ..self.toolbox })
    }
}

fn workspace(folder: &Path, args: &Args, world: &World) -> Result<Workspace, Failure> {
    let opened = Workspace::open(folder, settings(args, world)?);
    opened.map_err(|error| args.invalid(&flags::WORKSPACE, format!("cannot be opened: {error}")))
}

/// How programs of a workspace are run.
fn settings(args: &Args, world: &World) -> Result<WorkspaceSettings, Failure> {
    let program = (world.program)().map_err(|error| {
        Failure::new(ErrorCode::SandboxFailed, format!("this program does not know where it is: {error}"))
    })?;
    let mut settings = WorkspaceSettings::new(program);
    if let Some(level) = sandbox_level(args)? {
        settings.level = level;
    }
    Ok(settings)
}

/// The tools of an agent that a server offers.
pub(crate) fn of_server(args: &Args, world: &World) -> Result<AgentTools, Failure> {
    let word = args.value(&flags::LEVEL)?;
    let unknown = |word| args.invalid_value(&flags::LEVEL, "must be none, money or full", word);
    let level = word.map(|word| Level::from_word(word).ok_or_else(|| unknown(word))).transpose()?;
    let Some(folder) = args.bytes(&flags::WORKSPACE)?.map(Path::new) else {
        return Ok(AgentTools::default().at(level));
    };
    // What is wrong with the folder is said at once.
    workspace(folder, args, world)?;
    Ok(AgentTools::new(folder, settings(args, world)?).at(level))
}
