//! The tools of an agent on a server: the folder that they work in, the people
//! who are asked, and one call carried out.

use crate::approvals::desk;
use crate::mcp::Rounds;
use crate::{App, phone};
use clawperator_agent::act::{ToolOrder, ToolOutcome, act, failure, needs_phone};
use clawperator_agent::judge::{JudgeScope, PolicyJudge};
use clawperator_agent::memory::{Memory, MemorySettings};
use clawperator_agent::people::{People, Waiting};
use clawperator_agent::policy::{Level, Policy};
use clawperator_agent::toolbox::Toolbox;
use clawperator_agent::workspace::{Workspace, WorkspaceSettings};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::PhoneRequest;
use clawperator_phone::vault::Vault;
use clawperator_run::Judge;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long a tool waits for a phone that is in use.
pub(crate) const WAIT_FOR_PHONE: Duration = Duration::from_secs(10);

/// What a server has for the tools of an agent.
#[derive(Debug, Default)]
pub struct AgentTools {
    folder: Option<(PathBuf, WorkspaceSettings)>,
    /// How much is asked about on every surface; without it, each has its own.
    level: Option<Level>,
    /// Of callers without a session. It ends with the server.
    pub(crate) bench: Bench,
    /// Of clients of MCP without a session.
    pub(crate) vault: OnceLock<Arc<Vault>>,
    pub(crate) rounds: Rounds,
    /// The session of the only client, if its user named it.
    pub session: Option<String>,
}

impl AgentTools {
    /// With a folder for files, programs and notes.
    pub fn new(folder: impl Into<PathBuf>, settings: WorkspaceSettings) -> Self {
        Self { folder: Some((folder.into(), settings)), ..Self::default() }
    }

    /// The same, and every surface asks about as much as this level says.
    pub fn at(self, level: Option<Level>) -> Self {
        Self { level, ..self }
    }
}

/// How much is asked about on a surface, as far as it can be told.
pub(crate) fn level(app: &App, usual: Level) -> Level {
    let file = || std::fs::read_to_string(app.state.join("policy.yaml")).ok();
    let policy = || Policy::read(&file()?).ok();
    app.agent.level.unwrap_or_else(|| policy().map_or(usual, |policy| policy.level_or(usual)))
}

/// The user's rules, at the level of the server or else of the surface.
async fn policy(app: &App, usual: Level) -> Result<Policy, Failure> {
    let policy = Policy::load(&app.state.join("policy.yaml")).await?;
    let level = app.agent.level.unwrap_or_else(|| policy.level_or(usual));
    Ok(policy.at(level))
}

fn people(app: &App, origin: &str, asker: &str) -> Result<People, Failure> {
    Ok(People {
        desk: desk(app)?,
        notifier: app.approvals.notifier.clone(),
        base: Some(app.approvals.base.clone()).filter(|base| !base.is_empty()),
        origin: origin.to_owned(),
        later: Some(asker.to_owned()),
        waiting: Waiting::default(),
    })
}

/// Who decides on the acts of executions; none where nothing is asked about. A
/// surface for programs asks only if the server was told to.
pub(crate) async fn judge(
    app: &App,
    usual: Level,
    origin: &str,
    session: &str,
) -> Result<Option<Arc<dyn Judge>>, Failure> {
    if app.agent.level.unwrap_or(usual) == Level::None {
        return Ok(None);
    }
    let policy = policy(app, usual).await?;
    if policy.level_or(usual) == Level::None {
        return Ok(None);
    }
    Ok(Some(Arc::new(PolicyJudge {
        policy,
        people: Some(people(app, origin, session)?),
        scope: JudgeScope::All,
    })))
}

/// What the tools of one caller have. The programs that it started end with it.
#[derive(Debug, Default)]
pub(crate) struct Bench(OnceLock<(Arc<Workspace>, Memory)>);

impl Bench {
    /// Ends the programs, and waits for that.
    pub(crate) async fn close(&self) {
        if let Some((workspace, _)) = self.0.get() {
            workspace.close().await;
        }
    }

    /// The folder, opened when it is needed first.
    fn open(&self, app: &App) -> Result<Option<&(Arc<Workspace>, Memory)>, Failure> {
        let Some((folder, settings)) = &app.agent.folder else {
            return Ok(None);
        };
        if let Some(opened) = self.0.get() {
            return Ok(Some(opened));
        }
        let workspace = Workspace::open(folder, settings.clone()).map_err(|error| {
            let message = format!("the workspace {} cannot be opened: {error}", folder.display());
            Failure::of(ErrorCode::ToolUnavailable, message)
        })?;
        let memory = Memory::open(folder, None, MemorySettings::default()).map_err(failure)?;
        Ok(Some(self.0.get_or_init(|| (Arc::new(workspace), memory))))
    }
}

/// Who calls a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'c> {
    pub(crate) bench: &'c Bench,
    /// What people gave in its session.
    pub(crate) vault: &'c Arc<Vault>,
    /// What a person reads of it.
    pub(crate) name: &'static str,
    /// The phone that it names.
    pub(crate) device: Option<&'c str>,
    /// How long finding and reaching the phone may take.
    pub(crate) reach: Duration,
}

/// Does what one tool call asks for. If a person is asked first, this does not
/// wait: the same call goes on once the person has decided.
pub(crate) async fn carry_out(
    app: &Arc<App>,
    caller: Caller<'_>,
    order: ToolOrder<'_>,
) -> Result<ToolOutcome, Failure> {
    let device = if needs_phone(order.tool) && !order.is_dry {
        phone::phone_name(app, caller.device.map(str::to_owned)).await?
    } else {
        None
    };
    let opened = caller.bench.open(app)?;
    let toolbox = Toolbox {
        policy: policy(app, Level::Full).await?,
        workspace: opened.map(|(workspace, _)| workspace.clone()),
        memory: opened.map(|(_, memory)| memory.clone()),
        people: Some(people(app, caller.name, caller.vault.session())?),
        vault: Some(caller.vault.clone()),
    };
    let wanted = PhoneRequest {
        device: device.as_deref(),
        wait: Some(WAIT_FOR_PHONE),
        owner: "agent",
        reach: caller.reach,
    };
    Box::pin(act(&app.engine, wanted, &toolbox, order)).await
}

/// The same, and waits for the person until then. The phone is free meanwhile.
pub(crate) async fn carry_out_until(
    app: &Arc<App>,
    caller: Caller<'_>,
    order: ToolOrder<'_>,
    until: Instant,
) -> Result<ToolOutcome, Failure> {
    let desk = desk(app)?;
    loop {
        let told = carry_out(app, caller, order).await?;
        let Some(id) = told.pending() else {
            return Ok(told);
        };
        let decided = tokio::select! {
            () = app.closing.closed() => return Ok(told),
            decided = timeout_at(until, desk.wait(id)) => decided,
        };
        match decided {
            Ok(decided) => decided.map(drop)?,
            Err(_) => return Ok(told),
        }
    }
}
