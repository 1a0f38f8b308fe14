//! The policy as the judge of a run: it decides on every touch and key at the time
//! when it is about to happen, on the screen that is there.

use crate::action::AgentAction;
use crate::people::{People, PersonAnswer, Question, ROUNDS, is_awake, restless};
use crate::policy::{Decision, Policy};
use crate::result::ToolError;
use crate::space::Space;
use crate::surroundings::{Surroundings, press};
use crate::tool::normalize;
use clawperator_contract::ErrorCode;
use clawperator_phone::{Act, Finger, Objection, PhoneLease, SwipePath};
use clawperator_run::{Judge, JudgeFuture};
use clawperator_ui::Tree;
use serde_json::json;
use std::sync::Arc;

/// Judges the acts of a run.
#[derive(Clone, Debug)]
pub struct PolicyJudge {
    pub policy: Policy,
    /// Where people are asked; without it, what is asked about is refused.
    pub people: Option<People>,
    pub scope: JudgeScope,
}

/// Which acts a judge decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeScope {
    All,
    /// Which app is opened; the rest was judged before.
    Launches,
}

impl PolicyJudge {
    /// A judge by rules of another process. It can ask no person, so what is asked about is refused.
    ///
    /// # Errors
    /// The rules cannot be read.
    pub fn of_rules(rules: &str) -> Result<Arc<dyn Judge>, String> {
        let policy = Policy::read(rules).map_err(|error| error.to_string())?;
        Ok(Arc::new(Self { policy, people: None, scope: JudgeScope::All }))
    }
}

impl Judge for PolicyJudge {
    fn rules(&self) -> Option<String> {
        (self.scope == JudgeScope::All).then(|| self.policy.write())
    }

    fn concerns(&self, act: &Act) -> bool {
        if self.scope == JudgeScope::Launches {
            return matches!(act, Act::OpenApp { .. } | Act::OpenUri { .. });
        }
        let Some(action) = action_of(act) else {
            return false;
        };
        match &action {
            AgentAction::Type(_) | AgentAction::KeyEvent(_) => {
                press(&action).is_some() || self.policy.has_rules()
            }
            _ => true,
        }
    }

    fn judge<'j>(
        &'j self,
        lease: &'j mut PhoneLease,
        act: &'j Act,
        seen: Option<&'j Tree>,
    ) -> JudgeFuture<'j> {
        Box::pin(async move {
            let Some(action) = action_of(act) else {
                return Ok(());
            };
            let on = match (act, seen) {
                (Act::OpenUri { uri }, _) => Surroundings::opening(uri),
                (_, Some(tree)) => Surroundings::of(tree, &action, &Space::default()),
                (_, None) => Surroundings::unseen(None),
            };
            self.permit(&action, &on, lease).await.map_err(|error| Objection {
                code: error.code,
                message: error.message,
                approval: error.approval,
            })
        })
    }
}

impl PolicyJudge {
    async fn permit(
        &self,
        action: &AgentAction,
        on: &Surroundings,
        lease: &mut PhoneLease,
    ) -> Result<(), ToolError> {
        let (capability, reason) = match self.policy.decide(action, on, None) {
            Decision::Allow => return Ok(()),
            Decision::Deny { reason } => return Err(ToolError::new(ErrorCode::PolicyDenied, reason)),
            Decision::Ask { capability, reason } => (capability, reason),
        };
        is_awake(action, lease.phone()).await?;
        let Some(people) = &self.people else {
            let message =
                format!("{reason} The policy asks a person about that, and none can be asked on this phone.");
            return Err(ToolError::new(ErrorCode::PolicyDenied, message));
        };
        let mut again_of: Option<String> = None;
        for _ in 0..ROUNDS {
            let question =
                Question { action, on, capability, reason: &reason, again_of: again_of.as_deref() };
            match people.allow(question, Some(&mut *lease)).await? {
                PersonAnswer::Yes => return Ok(()),
                PersonAnswer::ScreenChanged { id } => again_of = Some(id),
            }
        }
        Err(restless())
    }
}

/// A swipe that takes longer, in milliseconds, moves what is under the finger.
const SWIPE_MS: u128 = 600;

/// An act as a tool does it. `None` for what activates nothing.
fn action_of(act: &Act) -> Option<AgentAction> {
    let way =
        |SwipePath { from, to, .. }: &SwipePath| json!({"x1": from.x, "y1": from.y, "x2": to.x, "y2": to.y});
    let (tool, args) = match act {
        Act::Touch(Finger::Tap(at) | Finger::LongPress(at), _) => ("tap", json!({"x": at.x, "y": at.y})),
        Act::Touch(Finger::Swipe(path), _) if path.takes.as_millis() > SWIPE_MS => ("drag", way(path)),
        Act::Touch(Finger::Swipe(path), _) => ("swipe", way(path)),
        Act::Touch(Finger::Drag(path, _), _) => ("long_press_drag", way(path)),
        Act::Key(key, _) => ("keyevent", json!({"keycode": key.name()})),
        Act::Type(typed) => ("type_text", json!({"text": typed.text})),
        Act::OpenApp { package: it } | Act::OpenUri { uri: it } => ("launch_app", json!({"packageName": it})),
        Act::Clear { .. }
        | Act::CloseApp { .. }
        | Act::SetLocation(_)
        | Act::PutFile(_)
        | Act::SetKeyboard { .. }
        | Act::Copy(_) => return None,
    };
    Some(normalize(tool, &args).action)
}
