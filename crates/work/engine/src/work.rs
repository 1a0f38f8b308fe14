//! What is to be done on a phone, and doing it once the phone is there.

use crate::acts::{Hand, Handed};
use clawperator_contract::{CheckedExecution, Envelope, Execution, Failure};
use clawperator_phone::LaneReport;
use clawperator_recording::CompiledRecording;
use clawperator_run::{Replay, RunOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Work {
    Execution(CheckedExecution),
    /// The steps of a recording; each screen is compared with the recorded one.
    #[serde(skip)]
    Replay(Arc<CompiledRecording>),
    /// What the caller chooses act by act, with the phone in its hands.
    #[serde(skip)]
    Acts(Hand),
}

impl Work {
    /// The execution and what was odd about it, unless it is chosen act by act.
    pub fn checked(&self) -> Option<&CheckedExecution> {
        match self {
            Self::Execution(checked) => Some(checked),
            Self::Replay(compiled) => Some(&compiled.checked),
            Self::Acts(_) => None,
        }
    }

    /// The execution, unless it is chosen act by act.
    pub fn execution(&self) -> Option<&Execution> {
        self.checked().map(|checked| &checked.execution)
    }

    /// The caller's id of it.
    pub fn command_id(&self) -> &str {
        match self {
            Self::Acts(hand) => &hand.owner,
            Self::Execution(CheckedExecution { execution, .. }) => execution.command_id().as_str(),
            Self::Replay(compiled) => compiled.checked.execution.command_id().as_str(),
        }
    }

    /// The caller's id of its task.
    pub fn task_id(&self) -> &str {
        let execution = self.execution();
        execution.map_or_else(|| self.command_id(), |execution| execution.task_id().as_str())
    }

    /// How long it may take; of acts, how long to begin.
    pub fn timeout(&self) -> Duration {
        match self {
            Self::Acts(hand) => hand.reach,
            Self::Execution(CheckedExecution { execution, .. }) => execution.timeout(),
            Self::Replay(compiled) => compiled.checked.execution.timeout(),
        }
    }

    /// What it is, without what it types.
    pub(crate) fn shown(&self) -> Value {
        match self.execution() {
            Some(execution) => clawperator_events::without_typed(execution),
            None => json!({"commandId": self.command_id(), "taskId": self.task_id(), "source": "agent"}),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) envelope: Result<Envelope, Failure>,
    pub(crate) on: LaneReport,
    pub(crate) replay: Option<Box<Replay>>,
}

/// Does the work, and lets go of the phone.
pub(crate) async fn carry_out(work: &Work, handed: Handed) -> Ran {
    let mut replay = None;
    let Handed { mut lease, options, log, stop } = handed;
    let envelope = match work {
        Work::Execution(checked) => {
            clawperator_run::run(&mut lease, &checked.execution, &options, Box::pin(stop.notified())).await
        }
        Work::Replay(compiled) => {
            let replayed =
                clawperator_run::replay(&mut lease, compiled, &options, Box::pin(stop.notified())).await;
            replayed.map(|(envelope, screens)| {
                replay = Some(Box::new(screens));
                envelope
            })
        }
        Work::Acts(hand) => {
            let options = RunOptions { event_log: None, began: None, ..options };
            return hand.over(Handed { lease, options, log, stop }).await;
        }
    };
    let on = lease.phone().lane_report();
    if envelope.is_err() {
        lease.phone().falls_silent();
    }
    lease.release().await;
    Ran { envelope, on, replay }
}
