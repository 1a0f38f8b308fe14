//! A checked execution: what [`check`](crate::check()) builds and nothing else
//! can. It is written out as the normalised payload.

use crate::action::{ActionKind, Step};
use crate::param::{ParamKey, Params};
use crate::problem::Warnings;
use crate::wire::{
    self, ACTION_FIELDS, ACTIONS, COMMAND_ID, EXECUTION_FIELDS, EXPECTED_FORMAT, FORMAT, ID, MODE, SOURCE,
    STRICT, TASK_ID, TIMEOUT, TYPE,
};
use crate::word::Mode;
use clawperator_document::Number;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::time::Duration;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub(crate) String);

        impl $name {
            /// The text itself.
            #[must_use]
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

/// An accepted payload and what was odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The execution.
    pub execution: Execution,
    /// What was odd, in the order of the payload.
    pub warnings: Warnings,
}

impl Execution {
    /// The caller's id for the run.
    #[must_use]
    pub fn command_id(&self) -> &CommandId {
        &self.command_id
    }

    /// The caller's id for the task.
    #[must_use]
    pub fn task_id(&self) -> &TaskId {
        &self.task_id
    }

    /// The caller's label for itself.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// How long the whole run may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout_ms.as_millis()
    }

    /// The actions, in order.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Where the execution comes from, if the caller said.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.mode
    }

    /// Whether a matcher of that action must fit one element alone.
    #[must_use]
    pub fn is_strict(&self, action: &Action) -> bool {
        let own = action.params().and_then(|params| params.flag(ParamKey::Strict));
        own.or(self.strict).unwrap_or(false)
    }

    /// What a dry run shows.
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        Plan(self)
    }
}

impl Action {
    /// The caller's id for the step.
    #[must_use]
    pub fn id(&self) -> &StepId {
        &self.id
    }

    /// What kind of action it is.
    #[must_use]
    pub fn kind(&self) -> ActionKind {
        self.kind
    }

    /// The parameters as sent, under canonical keys.
    #[must_use]
    pub fn params(&self) -> Option<&Params> {
        self.params.as_ref()
    }

    /// The action, typed and ready to run.
    #[must_use]
    pub fn step(&self) -> &Step {
        &self.step
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = ACTION_FIELDS.len() - usize::from(self.params.is_none());
        let mut object = serializer.serialize_struct("Action", fields)?;
        object.serialize_field(ID.name, &self.id)?;
        object.serialize_field(TYPE.name, self.kind.name())?;
        if let Some(params) = &self.params {
            object.serialize_field(wire::PARAMS.name, params)?;
        }
        object.end()
    }
}

impl Serialize for Execution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let absent = usize::from(self.mode.is_none()) + usize::from(self.strict.is_none());
        let fields = EXECUTION_FIELDS.len() - absent;
        let mut object = serializer.serialize_struct("Execution", fields)?;
        object.serialize_field(COMMAND_ID.name, &self.command_id)?;
        object.serialize_field(TASK_ID.name, &self.task_id)?;
        object.serialize_field(SOURCE.name, &self.source)?;
        object.serialize_field(FORMAT.name, EXPECTED_FORMAT)?;
        object.serialize_field(TIMEOUT.name, &self.timeout_ms)?;
        object.serialize_field(ACTIONS.name, &self.actions)?;
        if let Some(mode) = self.mode {
            object.serialize_field(MODE.name, mode.word())?;
        }
        if let Some(strict) = self.strict {
            object.serialize_field(STRICT.name, &strict)?;
        }
        object.end()
    }
}

/// What a dry run shows of an execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<'e>(&'e Execution);

impl Serialize for Plan<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Plan", 4)?;
        object.serialize_field(COMMAND_ID.name, &self.0.command_id)?;
        object.serialize_field(TIMEOUT.name, &self.0.timeout_ms)?;
        object.serialize_field("actionCount", &self.0.actions.len())?;
        object.serialize_field(ACTIONS.name, &self.0.actions)?;
        object.end()
    }
}
