//! Runs one action: the policy decides, a person is asked where it says so, then
//! what is there for it carries it out.

use crate::action::{AgentAction, Capability, Type};
use crate::judge::{JudgeScope, PolicyJudge};
use crate::memory::Memory;
use crate::people::{People, PersonAnswer, PersonRequest, Question, ROUNDS, is_awake, restless};
use crate::phone::{PhoneTools, wait};
use crate::policy::{Decision, Policy};
use crate::result::{ToolError, ToolResult};
use crate::surroundings::Surroundings;
use crate::tool::{Executor, Risk, of_kind};
use crate::workspace::Workspace;
use clawperator_contract::{DataKey, ErrorCode, text};
use clawperator_events::{EndedAct, EventLog};
use clawperator_phone::vault::Vault;
use clawperator_phone::{Deadline, Front, KeyCode};
use clawperator_run::RunOptions;
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a look at the screen before an act may take.
const LOOK: Duration = Duration::from_secs(4);
/// How often a screen is read that has no tree at the moment, and how long is waited between.
const LOOKS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(300);

/// What carries actions out, and what it may do.
#[derive(Debug, Default)]
pub struct Toolbox {
    pub policy: Policy,
    pub workspace: Option<Arc<Workspace>>,
    pub memory: Option<Memory>,
    pub people: Option<People>,
    pub vault: Option<Arc<Vault>>,
}

/// What a person says to what the policy asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    None,
    Ask,
    Given,
}

/// An action to carry out.
#[derive(Clone, Copy, Debug)]
pub struct ActionCall<'c> {
    pub action: &'c AgentAction,
    /// What it acts on, if the caller has just looked; else the phone is asked.
    pub surroundings: Option<&'c Surroundings>,
    pub approval: Approval,
}

impl Toolbox {
    /// What the policy says of an action.
    pub fn decide(&self, action: &AgentAction, on: &Surroundings) -> Decision {
        let workspace = self.workspace.as_deref().map(Workspace::path);
        self.policy.decide(action, on, workspace)
    }

    /// What the policy says of an action whose text has its values, and what is
    /// in doubt because of them.
    fn decide_filled(
        &self,
        call: ActionCall<'_>,
        filled: Option<&AgentAction>,
        on: &Surroundings,
    ) -> Decision {
        let decision = self.decide(filled.unwrap_or(call.action), on);
        let doubt = match (call.action, &self.vault) {
            (AgentAction::Type(typed), Some(vault)) => {
                vault.doubt(&typed.text, on.app.value().map(String::as_str))
            }
            _ => None,
        };
        match (decision, doubt) {
            (Decision::Allow, Some(reason)) => Decision::Ask { capability: Capability::Permission, reason },
            (decision, _) => decision,
        }
    }

    /// The action with values in place of their names; `None` if it names none.
    fn fill_secrets(&self, action: &AgentAction) -> Result<Option<AgentAction>, ToolError> {
        let AgentAction::Type(typed) = action else {
            return Ok(None);
        };
        // Without a session nothing was given.
        let text = self.vault.clone().unwrap_or_default().fill(&typed.text)?;
        Ok(text.map(|text| AgentAction::Type(Type { text: text.expose().to_owned(), reason: None })))
    }

    /// Carries an action out, if the policy or a person allows it. An approval
    /// does not overrule a rule that denies.
    pub fn run<'f>(
        &'f self,
        call: ActionCall<'f>,
        phone: Option<PhoneTools<'f>>,
    ) -> BoxFuture<'f, ToolResult> {
        Box::pin(async move {
            let noted = phone.as_ref().and_then(|phone| ActNote::begin(phone, call.action));
            let result = match Box::pin(self.run_or_refuse(call, phone)).await {
                Ok(result) => result,
                Err(error) => error.into(),
            };
            if let Some(noted) = noted {
                noted.end(call.action, &result);
            }
            result
        })
    }

    async fn run_or_refuse(
        &self,
        call: ActionCall<'_>,
        mut phone: Option<PhoneTools<'_>>,
    ) -> Result<ToolResult, ToolError> {
        let action = normal(call.action);
        let call = ActionCall { action: &action, ..call };
        // The action is never shown with its values: a person sees the names.
        let filled = self.fill_secrets(call.action)?;
        if let (Some(phone), Some(vault)) = (&mut phone, &self.vault) {
            for value in vault.values() {
                phone.lease.keep_out(value.expose());
            }
            if let Some(AgentAction::Type(typed)) = &filled {
                phone.lease.keep_out(&typed.text);
            }
        }
        let front = self.permit(call, filled.as_ref(), phone.as_mut()).await?;
        // What was judged is what is touched, and a name stands for one app.
        let options = phone.as_ref().map(|phone| RunOptions {
            front,
            judge: Some(Arc::new(PolicyJudge {
                policy: self.policy.clone(),
                people: None,
                scope: JudgeScope::Launches,
            })),
            ..phone.options.clone()
        });
        let phone = phone.zip(options.as_ref());
        let phone = phone.map(|(phone, options)| PhoneTools { options, ..phone });
        self.carry_out(filled.as_ref().unwrap_or(call.action), phone).await
    }

    /// Decides, and asks where the policy says so: again if the screen has changed
    /// before the answer came.
    async fn permit(
        &self,
        call: ActionCall<'_>,
        filled: Option<&AgentAction>,
        mut phone: Option<&mut PhoneTools<'_>>,
    ) -> Result<Option<Front>, ToolError> {
        let mut known = call.surroundings.cloned();
        let mut asked: Option<PriorQuestion> = None;
        // A person looks at the phone, not at the model's picture of it.
        let shown = match &phone {
            Some(phone) => phone.space.on_phone(call.action),
            None => call.action.clone(),
        };
        for _ in 0..ROUNDS {
            let (on, front) = match (known.take(), phone.as_deref_mut()) {
                (Some(known), _) => (known, None),
                (None, Some(phone)) => look(filled.unwrap_or(call.action), phone).await,
                (None, None) => (Surroundings::default(), None),
            };
            let (capability, reason) = match (self.decide_filled(call, filled, &on), &asked) {
                (Decision::Deny { reason }, _) => {
                    let error = ToolError::new(ErrorCode::PolicyDenied, reason.as_str());
                    return Err(error.by(Decision::Deny { reason }));
                }
                (Decision::Ask { capability, reason }, _) if call.needs_yes() => (capability, reason),
                (_, Some(before)) => (before.capability, before.reason.clone()),
                (Decision::Allow | Decision::Ask { .. }, None) => return Ok(front),
            };
            let question = Question {
                action: &shown,
                on: &on,
                capability,
                reason: &reason,
                again_of: asked.as_ref().map(|before| before.id.as_str()),
            };
            let answer = self.ask(question, call.approval, phone.as_deref_mut()).await;
            let decision = || Decision::Ask { capability, reason: reason.clone() };
            match answer.map_err(|error| error.by(decision()))? {
                PersonAnswer::Yes => return Ok(front),
                PersonAnswer::ScreenChanged { id } => {
                    asked = Some(PriorQuestion { id, capability, reason });
                }
            }
        }
        Err(restless())
    }

    /// Ends all programs of the workspace and takes back what a person is still
    /// asked, and waits for that.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(people) = &self.people {
                people.withdraw().await;
            }
            if let Some(workspace) = &self.workspace {
                workspace.close().await;
            }
        })
    }

    async fn ask(
        &self,
        question: Question<'_>,
        approval: Approval,
        phone: Option<&mut PhoneTools<'_>>,
    ) -> Result<PersonAnswer, ToolError> {
        // What happens in a folder does not depend on a screen.
        let is_on_phone =
            of_kind(question.action.kind()).is_some_and(|tool| tool.executor == Executor::Phone);
        let lease = phone.filter(|_| is_on_phone).map(|phone| &mut *phone.lease);
        if let Some(lease) = &lease {
            is_awake(question.action, lease.phone()).await?;
        }
        let (Approval::Ask, Some(people)) = (approval, &self.people) else {
            return Err(ToolError::new(ErrorCode::ApprovalRequired, question.reason));
        };
        people.allow(question, lease).await
    }

    async fn carry_out(
        &self,
        action: &AgentAction,
        phone: Option<PhoneTools<'_>>,
    ) -> Result<ToolResult, ToolError> {
        let unavailable = || {
            let message = format!("Nothing is there to carry out {}.", action.kind());
            let error = ToolError::new(ErrorCode::ToolUnavailable, message);
            match of_kind(action.kind()).map(|tool| tool.executor) {
                Some(Executor::Workspace | Executor::Memory) => {
                    error.with_hint("Name a folder with --workspace DIR.")
                }
                _ => error,
            }
        };
        match action {
            AgentAction::Wait(time) => return Ok(wait(time).await),
            AgentAction::Finish(finish) => return Ok(ToolResult::success(finish.message.clone())),
            AgentAction::RequestHumanAuth(request) => {
                let people = self.people.as_ref().ok_or_else(unavailable)?;
                let wish = PersonRequest {
                    request,
                    workspace: self.workspace.as_deref(),
                    vault: self.vault.as_deref(),
                };
                return people.request(wish, phone.map(|phone| phone.lease)).await;
            }
            _ => {}
        }
        if let Some(workspace) = &self.workspace
            && let Some(result) = in_folder(workspace, action, self.policy.programs()).await
        {
            return Ok(result);
        }
        if let Some(mut phone) = phone
            && let Some(result) = phone.run(action).await
        {
            return Ok(result);
        }
        match (&self.memory, action) {
            (Some(memory), AgentAction::MemorySearch(search)) => Ok(memory.search(search.clone()).await),
            (Some(memory), AgentAction::MemoryGet(get)) => {
                Ok(memory.get(&get.path, get.from.get(), get.lines.get()).await)
            }
            _ => Err(unavailable()),
        }
    }
}

struct ActNote {
    log: Arc<EventLog>,
    step: usize,
    since: Instant,
}

impl ActNote {
    /// Notes what is for a phone, if its phone has a log.
    fn begin(phone: &PhoneTools<'_>, action: &AgentAction) -> Option<Self> {
        let tool = of_kind(action.kind())?;
        let log = match tool.executor {
            Executor::Phone | Executor::Human | Executor::Loop => phone.lease.event_log()?.clone(),
            _ => return None,
        };
        Some(Self { step: log.act_begin(tool.name), log, since: Instant::now() })
    }

    fn end(self, action: &AgentAction, result: &ToolResult) {
        let mut data = BTreeMap::new();
        let mut tell = |key: DataKey, text: &str| data.insert(key.name().to_owned(), text.to_owned());
        match &result.error {
            None => tell(DataKey::Text, &result.text),
            Some(error) => {
                tell(DataKey::Error, error.code.name());
                tell(DataKey::Message, &error.message)
            }
        };
        tell(DataKey::Dispatched, result.dispatched.word());
        self.log.act_end(EndedAct {
            step: self.step,
            success: result.ok,
            took: self.since.elapsed(),
            data,
            typed: match action {
                AgentAction::Type(typed) => Some(&typed.text),
                _ => None,
            },
        });
    }
}

struct PriorQuestion {
    id: String,
    capability: Capability,
    reason: String,
}

impl ActionCall<'_> {
    /// Whether a person must say yes first. Who asks a person needs no yes for it.
    fn needs_yes(&self) -> bool {
        self.approval != Approval::Given && !matches!(self.action, AgentAction::RequestHumanAuth(_))
    }
}

/// Carries an action out in a folder; `None` if it is not one of a folder.
async fn in_folder(workspace: &Workspace, action: &AgentAction, more: &[String]) -> Option<ToolResult> {
    Some(match action {
        AgentAction::Read(read) => workspace.read(read).await,
        AgentAction::Write(write) => workspace.write(write).await,
        AgentAction::Edit(edit) => workspace.edit(edit).await,
        AgentAction::ApplyPatch(patch) => workspace.apply_patch(patch).await,
        AgentAction::Exec(exec) => workspace.exec(exec, more).await,
        AgentAction::Process(process) => workspace.process(process).await,
        AgentAction::RunScript(script) => workspace.run_script(script, more).await,
        _ => return None,
    })
}

/// Looks at what a finger or a key is about to act on.
async fn look(action: &AgentAction, phone: &mut PhoneTools<'_>) -> (Surroundings, Option<Front>) {
    let tool = of_kind(action.kind());
    if !tool.is_some_and(|tool| tool.executor == Executor::Phone && tool.risk == Risk::Acts) {
        return (Surroundings::default(), None);
    }
    let deadline = Deadline::after(LOOK.max(phone.lease.phone().usual_look()));
    for _ in 0..LOOKS {
        if let Ok(seen) = phone.lease.look(deadline).await {
            let on = Surroundings::of(&seen.tree, action, &phone.space);
            // Where no element is, the phone must check that the point is on the screen.
            let front = seen.front.filter(|_| on.targets.value().is_some());
            return (on, front);
        }
        tokio::time::sleep(PAUSE).await;
    }
    // A screen that never rests has no tree, and still an app.
    let deadline = Deadline::after(LOOK);
    let front = phone.lease.phone().foreground(deadline).await.ok();
    (Surroundings::unseen(front.and_then(|front| front.package)), None)
}

/// The one action that both the policy and the phone get.
fn normal(action: &AgentAction) -> AgentAction {
    let mut action = action.clone();
    match &mut action {
        AgentAction::KeyEvent(key) => {
            let written = text::trim(&key.keycode).to_owned();
            let known = KeyCode::from_name(&written).or_else(|| KeyCode::from_name(&written.to_uppercase()));
            key.keycode = known.map_or(written, KeyCode::name);
        }
        AgentAction::LaunchApp(launch) => launch.package_name = text::trim(&launch.package_name).to_owned(),
        _ => {}
    }
    action
}
