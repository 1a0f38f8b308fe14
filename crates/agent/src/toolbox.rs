//! Runs one action: the policy decides, then what is there for it carries it out.

use crate::action::AgentAction;
use crate::memory::{Memory, MemoryGet, MemorySearch};
use crate::phone::{PhoneTools, wait};
use crate::policy::{Context, Decision, Policy};
use crate::result::{ToolError, ToolResult};
use crate::surroundings::Surroundings;
use crate::tool::{Executor, Risk, of_kind};
use clawperator_contract::ErrorCode;
use clawperator_runtime::Deadline;
use std::path::PathBuf;
use std::time::Duration;

/// How long a look at the screen before an act may take.
const LOOK: Duration = Duration::from_secs(15);

/// What carries actions out, and what it may do.
#[derive(Debug, Default)]
pub struct Toolbox {
    /// What is allowed.
    pub policy: Policy,
    /// The workspace's folder, if there is one.
    pub workspace: Option<PathBuf>,
    /// The notes of the workspace.
    pub memory: Option<Memory>,
}

/// Whether a person has allowed an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Nobody was asked.
    None,
    /// A person said yes to exactly this action.
    Given,
}

/// An action to carry out.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The action.
    pub action: &'c AgentAction,
    /// What it acts on, if the caller has just looked; else the phone is asked.
    pub surroundings: Option<&'c Surroundings>,
    /// Whether a person has allowed it.
    pub approval: Approval,
}

impl Toolbox {
    /// What the policy says of an action.
    #[must_use]
    pub fn decide(&self, action: &AgentAction, on: &Surroundings) -> Decision {
        let context = Context {
            app: on.app.as_deref(),
            label: on.label.as_deref(),
            workspace: self.workspace.as_deref(),
        };
        self.policy.decide(action, &context)
    }

    /// Carries an action out, if the policy or a person allows it. An approval
    /// does not overrule a rule that denies.
    pub async fn run(&self, call: Call<'_>, phone: Option<PhoneTools<'_>>) -> ToolResult {
        let mut phone = phone;
        let seen = match (call.surroundings, &mut phone) {
            (Some(known), _) => known.clone(),
            (None, Some(phone)) => look(call.action, phone).await,
            (None, None) => Surroundings::default(),
        };
        match self.decide(call.action, &seen) {
            Decision::Deny { reason } => ToolError::new(ErrorCode::PolicyDenied, reason).into(),
            Decision::Ask { reason, .. } if call.approval == Approval::None => {
                ToolError::new(ErrorCode::ApprovalRequired, reason).into()
            }
            Decision::Allow | Decision::Ask { .. } => self.carry_out(call.action, phone).await,
        }
    }

    async fn carry_out(&self, action: &AgentAction, phone: Option<PhoneTools<'_>>) -> ToolResult {
        if let AgentAction::Wait(time) = action {
            return wait(time).await;
        }
        if let AgentAction::Finish(finish) = action {
            return ToolResult::done(finish.message.clone());
        }
        if let Some(mut phone) = phone
            && let Some(result) = phone.run(action).await
        {
            return result;
        }
        if let Some(memory) = &self.memory {
            match action {
                AgentAction::MemorySearch(search) => {
                    let search = MemorySearch {
                        query: search.query.clone(),
                        max_results: search.max_results.get(),
                        min_score: search.min_score.get(),
                    };
                    return memory.search(search).await;
                }
                AgentAction::MemoryGet(get) => {
                    let get = MemoryGet {
                        path: get.path.clone(),
                        from: get.from.get(),
                        lines: get.lines.get(),
                    };
                    return memory.get(get).await;
                }
                _ => {}
            }
        }
        let message = format!("Nothing is there to carry out {}.", action.kind());
        ToolError::new(ErrorCode::ToolUnavailable, message).into()
    }
}

/// Looks at what a finger or a key is about to act on.
async fn look(action: &AgentAction, phone: &mut PhoneTools<'_>) -> Surroundings {
    let tool = of_kind(action.kind());
    if !tool.is_some_and(|tool| tool.executor == Executor::Phone && tool.risk == Risk::Acts) {
        return Surroundings::default();
    }
    let deadline = Deadline::after(LOOK);
    if let Ok(tree) = phone.lease.screen(deadline).await {
        return Surroundings::of(&tree, action, &phone.space);
    }
    // A screen that never rests has no tree, and still an app.
    let front = phone.lease.phone().foreground(deadline).await.ok();
    Surroundings {
        app: front.and_then(|front| front.package),
        label: None,
    }
}
