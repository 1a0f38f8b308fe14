//! How an execution is run.

use super::Judge;
use crate::operator::OperatorApp;
use crate::recordings::Recordings;
use clawperator_contract::{Failure, LaneWish};
use clawperator_events::EventLog;
use clawperator_phone::vault::Vault;
use clawperator_phone::{Front, ResidentSetup, Secret};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a screen is tried to be read for an agent that does not say how long.
pub const AGENT_LOOK: Duration = Duration::from_secs(3);

/// What a run needs besides the phone and the execution.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub route: Route,
    pub strictness: Strictness,
    pub lane: LaneWish,
    /// Whether the resident server was set up for this phone: then it is started
    /// if it does not run.
    pub resident: ResidentSetup,
    /// How long a step that does not wait for anything may try to read the screen,
    /// if that is limited: a reader wants an answer rather than the tree.
    pub patience: Option<Duration>,
    pub last: LastStep,
    /// The app that the execution is about, if it is about one: only while it or
    /// the home screen is in front can it be told that an element is gone.
    pub app: Option<String>,
    pub seed: u64,
    /// The folder for screenshots that have no path of their own.
    pub pictures: PathBuf,
    /// Milliseconds since 1970, for the names of such screenshots.
    pub now_ms: u64,
    pub event_log: Option<Arc<EventLog>>,
    /// How many steps the event log has before this execution, if that is a part of
    /// what the log is about: who began the log ends it, too.
    pub part_after: Option<usize>,
    /// Who decides on every act; without one, all are done.
    pub judge: Option<Arc<dyn Judge>>,
    /// What must still be in front when a point is touched: the caller has looked.
    pub front: Option<Front>,
    /// When the time of the execution began, if that was before the run: what was
    /// asked of the phone on the way to it counts, too.
    pub began: Option<Instant>,
    /// The values that texts may name, if the caller has a session.
    pub vault: Option<Arc<Vault>>,
    pub recordings: Option<Arc<dyn Recordings>>,
}

impl RunOptions {
    /// A text with the values of this run's session in place of their names;
    /// `None` if it names none.
    pub(crate) fn fill(&self, text: &str) -> Result<Option<Secret>, Box<Failure>> {
        match &self.vault {
            Some(vault) => vault.fill(text),
            None => Vault::default().fill(text),
        }
    }
}

/// What runs the steps of an execution.
#[derive(Clone, Debug, Default)]
pub enum Route {
    #[default]
    Host,
    Operator(OperatorApp),
}

/// What the last step is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LastStep {
    /// It is as good as the others.
    #[default]
    Counts,
    /// A look at what the others did: that it fails says nothing of them.
    Shows,
}

/// What to do when several elements match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Strictness {
    /// Use the first, and report how many there were.
    #[default]
    First,
    Unique,
}
