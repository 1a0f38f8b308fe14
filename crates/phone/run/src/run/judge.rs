//! Who decides whether an act may be done, at the time when it is about to be done
//! and on the screen that it is about to be done on.

use super::Run;
use clawperator_contract::{ActionEffect, ErrorCode, Failure};
use clawperator_phone::{Act, ActError, KeyCode, LookTo, Objection, PhoneError, PhoneLease, Precondition};
use clawperator_ui::{Screen, Tree};
use futures_core::future::BoxFuture;
use std::fmt;

/// What a judge says: nothing, or why not.
pub type JudgeFuture<'j> = BoxFuture<'j, Result<(), Objection>>;

/// Decides on every act of a run, just before it.
pub trait Judge: fmt::Debug + Send + Sync {
    /// What another process makes the same judge of; none if it cannot.
    fn rules(&self) -> Option<String> {
        None
    }

    /// Whether an act is to be judged.
    fn concerns(&self, act: &Act) -> bool;

    /// Decides on an act. Without a tree the screen could not be read.
    fn judge<'j>(
        &'j self,
        lease: &'j mut PhoneLease,
        act: &'j Act,
        seen: Option<&'j Tree>,
    ) -> JudgeFuture<'j>;
}

impl Run<'_> {
    /// An act, if its judge lets it happen. What was not chosen on a screen is judged
    /// on the one that is there, and the phone checks that it still is.
    pub(super) async fn permitted(&mut self, act: Act) -> Result<Act, ActError> {
        let options = self.options;
        let Some(judge) = options.judge.as_ref().filter(|judge| judge.concerns(&act)) else {
            return Ok(act);
        };
        let mut act = act;
        let seen = match (&act, act.check()) {
            (_, Some(Precondition::Front(_))) => self.judged.clone(),
            (Act::OpenApp { .. } | Act::OpenUri { .. }, _) => None,
            _ => {
                let code = ErrorCode::SnapshotExtractionFailed;
                let seen = self.look_once(LookTo::Touch, code).await.ok();
                if seen.as_ref().is_some_and(|tree| act.is_on(&Screen::new(tree))) {
                    act = act.if_still(self.unchanged());
                }
                seen
            }
        };
        match judge.judge(self.lease, &act, seen.as_ref()).await {
            Ok(()) => Ok(act),
            Err(objection) => Err(PhoneError::Judged(objection).into()),
        }
    }

    /// Judges an execution that an app on the phone runs: what it touches is not known here.
    pub(crate) async fn permit_unseen(&mut self) -> Result<(), Failure> {
        let options = self.options;
        let mut actions = self.execution.actions().iter();
        let acts = actions.any(|action| action.kind().spec().effect == ActionEffect::Touches);
        let Some(judge) = options.judge.as_ref().filter(|_| acts) else {
            return Ok(());
        };
        let act = Act::Key(KeyCode::Enter, Precondition::OnScreen);
        let refused = judge.judge(self.lease, &act, None).await.err();
        refused.map_or(Ok(()), |objection| Err(Failure::of(objection.code, objection.message)))
    }

    /// What the phone checks before it touches a point that no step has looked at.
    pub(crate) fn at_point(&self) -> Precondition {
        self.options.front.clone().map_or(Precondition::OnScreen, Precondition::Front)
    }

    /// What the phone checks before it touches what the last look saw.
    pub(crate) fn unchanged(&self) -> Precondition {
        self.front.clone().map_or(Precondition::OnScreen, Precondition::Front)
    }
}
