//! A checked execution: what [`check`](crate::check()) builds and nothing else
//! can. It is written out as the normalised payload.

use crate::action::{ActionKind, Step};
use crate::check::accept;
use crate::limits::USUAL_COUNT;
use crate::matcher::Matcher;
use crate::param::{ParamKey, Params};
use crate::payload::{Payload, write_action};
use crate::problem::Warnings;
use crate::wire::{ACTIONS, COMMAND_ID, TIMEOUT};
use crate::word::Mode;
use clawperator_document::Number;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub(crate) String);

        impl $name {
            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )*};
}

ids! {
    /// The caller's id for a whole run.
    CommandId,
    /// The caller's id for a task.
    TaskId,
    /// The caller's id for a step.
    StepId,
    /// The caller's label for itself.
    Source,
}

/// An execution that keeps every rule of the contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    pub(crate) command_id: CommandId,
    pub(crate) task_id: TaskId,
    pub(crate) source: Source,
    pub(crate) timeout_ms: Number,
    pub(crate) actions: Vec<Action>,
    pub(crate) mode: Option<Mode>,
    pub(crate) strict: Option<bool>,
}

/// One action of a checked execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub(crate) id: StepId,
    pub(crate) kind: ActionKind,
    pub(crate) params: Option<Params>,
    pub(crate) step: Step,
}

/// How often an action is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    pub count: u32,
    /// What ends it before that. It must come.
    pub until: Option<Arc<Matcher>>,
}

/// An accepted payload and what was odd about it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedExecution {
    pub execution: Execution,
    /// What was odd, in the order of the payload.
    pub warnings: Warnings,
}

impl Execution {
    /// The caller's id for the run.
    pub fn command_id(&self) -> &CommandId {
        &self.command_id
    }

    /// The caller's id for the task.
    pub fn task_id(&self) -> &TaskId {
        &self.task_id
    }

    /// The caller's label for itself.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// How long the whole run may take.
    pub fn timeout(&self) -> Duration {
        self.timeout_ms.as_millis()
    }

    /// The actions, in order.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Where the execution comes from, if the caller said.
    pub fn mode(&self) -> Option<Mode> {
        self.mode
    }

    /// Whether a matcher of that action must fit one element alone.
    pub fn is_strict(&self, action: &Action) -> bool {
        let own = action.params().and_then(|params| params.flag(ParamKey::Strict));
        own.or(self.strict).unwrap_or(false)
    }

    /// What a dry run shows.
    pub fn plan(&self) -> ExecutionPlan<'_> {
        ExecutionPlan(self)
    }
}

impl Action {
    /// The caller's id for the step.
    pub fn id(&self) -> &StepId {
        &self.id
    }

    /// What kind of action it is.
    pub fn kind(&self) -> ActionKind {
        self.kind
    }

    /// What a user types: no journal and no page shows it.
    pub fn private(&self) -> Option<&Arc<str>> {
        self.params()?.text(self.kind.spec().private?)
    }

    /// The parameters as sent, under canonical keys.
    pub fn params(&self) -> Option<&Params> {
        self.params.as_ref()
    }

    /// How often the action is done, if it is done again.
    pub fn repeat(&self) -> Option<Repeat> {
        let params = self.params()?;
        let until = params.matcher(ParamKey::Until).cloned();
        let usual = until.is_some().then_some(USUAL_COUNT);
        let count = params.number(ParamKey::Count).map(Number::as_count).or(usual)?;
        self.kind.spec().uses(ParamKey::Count).then_some(Repeat { count, until })
    }

    /// The action, typed and ready to run.
    pub fn step(&self) -> &Step {
        &self.step
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_action(serializer, &self.id.0, self.kind, self.params.as_ref())
    }
}

impl Serialize for Execution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let payload = Payload {
            command_id: &self.command_id.0,
            task_id: &self.task_id.0,
            source: &self.source.0,
            timeout_ms: self.timeout_ms,
            actions: &self.actions,
            mode: self.mode,
            strict: self.strict,
        };
        payload.serialize(serializer)
    }
}

/// What was written comes in through the same door as every payload.
impl<'de> Deserialize<'de> for Execution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Box::<RawValue>::deserialize(deserializer)?;
        let checked = accept(written.get().as_bytes());
        Ok(checked.map_err(|failure| D::Error::custom(failure.message))?.execution)
    }
}

/// What a dry run shows of an execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExecutionPlan<'e>(&'e Execution);

impl Serialize for ExecutionPlan<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Plan", 4)?;
        object.serialize_field(COMMAND_ID.name, &self.0.command_id)?;
        object.serialize_field(TIMEOUT.name, &self.0.timeout_ms)?;
        object.serialize_field("actionCount", &self.0.actions.len())?;
        object.serialize_field(ACTIONS.name, &self.0.actions)?;
        object.end()
    }
}
