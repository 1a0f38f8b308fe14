//! A step as a session stores it.

use super::step::{ScreenMoment, StepRequest};
use super::{ScreenDetails, TaskLook};
use crate::result::ToolResult;
use crate::session::{EntryResult, ScreenEntry, Session, SessionError, StepEntry, StepOutput};
use clawperator_contract::text::cut;

const MAX_RESULT: usize = 4000;

pub(super) struct StepRecord<'s> {
    pub(super) number: u32,
    pub(super) moment: &'s ScreenMoment,
    pub(super) described: &'s ScreenDetails,
    pub(super) wanted: &'s StepRequest,
    pub(super) result: &'s ToolResult,
    pub(super) now_ms: u64,
}

impl StepRecord<'_> {
    /// The entry; picture and tree are those that were stored.
    pub(super) fn entry(&self, kept: StepFiles) -> StepEntry {
        let (look, wanted, result) = (&self.moment.look, self.wanted, self.result);
        StepEntry {
            step: self.number,
            at_ms: self.moment.at_ms,
            took_ms: self.now_ms.saturating_sub(self.moment.at_ms),
            screen: Some(ScreenEntry {
                app: look.app.clone(),
                hash: look.hash.clone(),
                size: look.size,
                scaled: look.scaled,
                picture: kept.picture,
                tree: kept.tree,
            }),
            output: StepOutput {
                thought: wanted.step.thought.clone(),
                action: serde_json::to_value(&wanted.normalized.action).unwrap_or_default(),
                raw: wanted.step.raw.clone(),
            },
            tool: wanted.step.call.name.clone(),
            repairs: wanted.normalized.repairs.clone(),
            result: EntryResult {
                ok: result.ok,
                text: cut(&result.text, MAX_RESULT).into_owned(),
                code: result.error.as_ref().map(|error| error.code.name().to_owned()),
                dispatched: result.dispatched.word().to_owned(),
            },
            usage: wanted.usage,
            attempts: wanted.step.attempts,
        }
    }
}

#[derive(Default)]
pub(super) struct StepFiles {
    picture: Option<String>,
    tree: Option<String>,
}

impl StepFiles {
    /// Stores the picture and the tree of a step.
    pub(super) fn store(
        session: &Session,
        look: &TaskLook,
        described: &ScreenDetails,
    ) -> Result<Self, SessionError> {
        let mut kept = Self::default();
        if let Some(picture) = &look.picture {
            let ending = picture.media_type.rsplit('/').next().unwrap_or("bin");
            kept.picture = Some(session.keep(&picture.bytes, ending)?);
        }
        if let Some(tree) = &described.tree {
            kept.tree = Some(session.keep_text(tree, "xml")?);
        }
        Ok(kept)
    }
}
