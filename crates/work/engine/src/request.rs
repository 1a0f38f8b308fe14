//! A request to run an execution, and what comes of it.

use crate::ledger::{OutcomeKind, StoredOutcome};
use crate::recipe::RecipeRun;
use crate::work::Work;
use clawperator_contract::{CheckedExecution, DeviceResult, Failure, LaneWish, Status, Warning, WarningCode};
use clawperator_events::{EventLog, Pictures, Redactions, Subscriber};
use clawperator_phone::Fence;
use clawperator_phone::vault::Vault;
use clawperator_run::operator::RouteWish;
use clawperator_run::{Judge, LastStep, Replay, Strictness};
use clawperator_skills::recipe::RecipeResult;
use futures_core::future::BoxFuture;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Work that is to be done on a phone.
///
/// It is written as it goes over the wire, see [`crate::Order`]. What is skipped
/// there lives in one process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// The name of the run, from [`crate::Engine::new_run_id`]; without one the engine makes one.
    #[serde(skip)]
    pub id: Option<RunId>,
    pub work: Work,
    /// The phone, by serial or name; without one, the only one there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// How long to wait for a phone on which another execution runs; without it,
    /// such a phone is refused.
    #[serde(rename = "waitMs", with = "millis", default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Duration>,
    /// With a key the execution runs once: the same key returns the first outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub route: RouteWish,
    /// What to do when several elements match.
    pub strictness: Strictness,
    /// Where the trees are to come from.
    pub lane: LaneWish,
    /// How long a step that does not wait for anything may try to read the screen,
    /// if that is limited.
    #[serde(rename = "patienceMs", with = "millis", default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<Duration>,
    pub last: LastStep,
    pub journal: Journal,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_run: Option<String>,
    /// What steps read that must not be shown as it is: in no outcome, event or journal.
    #[serde(default, skip_serializing_if = "Redactions::is_empty")]
    pub redactions: Redactions,
    /// The values that texts may name, if the caller has a session.
    #[serde(skip)]
    pub vault: Option<Arc<Vault>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Arc<RecipeRun>>,
    /// Who decides on every act; without one, all are done.
    #[serde(skip)]
    pub judge: Option<Arc<dyn Judge>>,
    /// Who is asked before the first act, and until when the run may act; without one, it may.
    #[serde(skip)]
    pub permit: Option<Arc<dyn Permit>>,
    /// What happens if the caller drops [`Running`].
    pub abandoned: AbandonPolicy,
}

impl Request {
    /// A request for an execution on the only phone there is, with nothing special about it.
    pub fn new(checked: CheckedExecution) -> Self {
        Self::of(Work::Execution(checked))
    }

    pub(crate) fn of(work: Work) -> Self {
        Self {
            id: None,
            work,
            device: None,
            wait: None,
            key: None,
            route: RouteWish::Host,
            strictness: Strictness::First,
            lane: LaneWish::Auto,
            patience: None,
            last: LastStep::Counts,
            journal: Journal::Off,
            skill_run: None,
            redactions: Redactions::default(),
            vault: None,
            recipe: None,
            judge: None,
            permit: None,
            abandoned: AbandonPolicy::Continues,
        }
    }
}

/// The right of a run to act, where others decide on it: a host of a pool.
pub trait Permit: fmt::Debug + Send + Sync {
    /// Until when the run may act.
    fn fence(&self) -> Arc<Fence>;

    /// Asks whether the run may begin. The phone is ours and the ledger knows of the run; nothing
    /// was sent.
    fn begin<'p>(&'p self, serial: &'p str) -> BoxFuture<'p, Result<(), Failure>>;
}

/// A phone that is wanted, and how.
#[derive(Clone, Copy, Debug)]
pub struct PhoneRequest<'w> {
    /// The phone, by serial or name; without one, the only one there is.
    pub device: Option<&'w str>,
    /// How long to wait for a phone that is in use; without it, such a phone is refused.
    pub wait: Option<Duration>,
    /// What another process that wants the phone reports as its user.
    pub owner: &'w str,
    pub reach: Duration,
}

/// Whether a run leaves a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Journal {
    On(Pictures),
    Off,
}

/// What happens to a run whose caller is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AbandonPolicy {
    Continues,
    IsCancelled,
}

/// The engine's name of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub(crate) Arc<str>);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A run under way.
pub struct Running {
    pub id: RunId,
    /// What happens in it. Drop this if it is not needed: a run without subscribers is faster.
    pub events: Subscriber,
    pub outcome: BoxFuture<'static, Finished>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A run that ended.
#[derive(Debug)]
pub struct Finished {
    pub outcome: Outcome,
    /// The event log, if a run was begun; it knows the journal.
    pub event_log: Option<Arc<EventLog>>,
    pub not_stored: Option<String>,
    pub recipe: Option<Box<RecipeResult>>,
    /// How the screens were, if a recording was replayed.
    pub replay: Option<Box<Replay>>,
}

impl From<Outcome> for Finished {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, event_log: None, not_stored: None, recipe: None, replay: None }
    }
}

impl From<Failure> for Finished {
    fn from(failure: Failure) -> Self {
        Outcome::Error(Box::new(failure)).into()
    }
}

/// What the caller gets.
#[derive(Clone, Debug)]
pub enum Outcome {
    Ran(Box<DeviceResult>),
    Error(Box<Failure>),
    /// It ran before; this was stored then.
    Stored(StoredOutcome),
}

impl Outcome {
    /// What kind of outcome it is.
    pub fn kind(&self) -> OutcomeKind {
        match self {
            Self::Ran(result) => match result.envelope.status {
                Status::Success => OutcomeKind::Success,
                Status::Failed => OutcomeKind::Failed,
            },
            Self::Error(_) => OutcomeKind::Error,
            Self::Stored(stored) => stored.kind,
        }
    }

    /// Says that it could not be stored.
    pub(crate) fn tell_not_stored(&mut self, why: &str) {
        let message = why.to_owned();
        match self {
            Self::Ran(result) => result.warnings.add(Warning {
                code: WarningCode::OutcomeNotStored,
                path: String::new(),
                message,
            }),
            Self::Error(failure) => failure.details.get_or_insert_default().not_stored = Some(message),
            Self::Stored(_) => {}
        }
    }

    /// The form in which it is stored.
    pub fn to_stored(&self) -> StoredOutcome {
        StoredOutcome {
            kind: self.kind(),
            // Texts and numbers can always be written.
            json: serde_json::to_string(self).unwrap_or_default(),
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ran(result) => result.serialize(serializer),
            Self::Error(failure) => failure.serialize(serializer),
            Self::Stored(stored) => {
                let value: Value = serde_json::from_str(&stored.json).map_err(serde::ser::Error::custom)?;
                value.serialize(serializer)
            }
        }
    }
}

/// Times in whole milliseconds.
mod millis {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::time::Duration;

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map(Duration::from_millis))
    }
}
