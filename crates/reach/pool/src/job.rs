//! A job: what is to be done, on which phones, and what became of it.

use crate::broker::Queue;
use crate::name::{JobId, Name, PhoneName, key_part};
use clawperator_contract::{Failure, words};
use clawperator_engine::{Ended, Finished};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The most bytes of an order.
pub const MAX_ORDER: usize = 512 << 10;
/// How long a job waits that has no deadline of its own.
pub const USUAL_DEADLINE: Duration = Duration::from_secs(3_600);

words! {
    /// Which jobs of a tenant come first.
    pub Priority {
        High = "high",
        Normal = "normal",
        Low = "low",
    }
}

/// On which phone a job is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    Any(Name),
    /// Each phone of a class: `all:pixel`. The caller sends one job for each.
    All(Name),
    Phone(PhoneName),
}

impl FromStr for Target {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        Ok(match text.split_once(':') {
            Some(("any", class)) => Self::Any(class.parse()?),
            Some(("all", class)) => Self::All(class.parse()?),
            _ => Self::Phone(text.parse()?),
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any(class) => write!(f, "any:{class}"),
            Self::All(class) => write!(f, "all:{class}"),
            Self::Phone(phone) => phone.fmt(f),
        }
    }
}

impl Target {
    /// The queue of its jobs.
    pub fn queue(&self, priority: Priority) -> Queue {
        let place = match self {
            Self::Any(class) | Self::All(class) => format!("any.{class}.-"),
            Self::Phone(PhoneName { host, serial }) => format!("pin.{host}.{}", key_part(serial)),
        };
        Queue { prefix: format!("{place}.{}", priority.word()) }
    }
}

/// A job as the queue has it. What is to be done is stored beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Job {
    pub command_id: String,
    /// Which of several jobs with this id it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    pub target: Target,
    pub priority: Priority,
    /// How long after it was stored it may begin, by the broker's clock.
    pub deadline_ms: u64,
    /// Whether it may be run again if it is not known what became of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// What it is called in lists and in past run times, such as a skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Job {
    /// Its name.
    pub fn id(&self) -> JobId {
        JobId::of_part(&self.command_id, self.part.as_deref())
    }

    /// Its key: kind, two parts for its place, priority, id.
    pub fn key(&self) -> String {
        format!("{}.{}", self.target.queue(self.priority).prefix, self.id())
    }
}

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    pub state: RunStage,
    /// How often a host has begun to run it.
    pub starts: u32,
    pub host: Name,
    /// The process of the host: it changes when that begins anew.
    pub instance: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PhoneName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The run in the host's engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

words! {
    /// The stages of a job that a host has had in hand.
    pub RunStage {
        /// It waits again: the host gave it back before the first act, or it may be repeated.
        Waiting = "waiting",
        /// A host has it, and has sent nothing.
        Claimed = "claimed",
        /// From here on it may have touched a phone.
        Started = "started",
        Ended = "ended",
    }
}

/// What came of a job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobResult {
    pub id: JobId,
    pub command_id: String,
    pub digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PhoneName>,
    /// The name of its journal on the host of that phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Whether the phone was gone when the run had failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    pub starts: u32,
    /// When the job was stored, by the broker's clock.
    pub stored_ms: u64,
    /// Both are not known of a run whose process is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    pub ended: Ended,
}

impl JobResult {
    /// What its caller gets: what a run on one phone gives, with the job and the phone of the pool.
    pub fn into_finished(self) -> Finished {
        let Self { id, phone, mut ended, .. } = self;
        let mut about = json!({ "jobId": id.as_str() });
        if let Some(phone) = phone {
            about["phone"] = json!(phone);
        }
        // Both are objects: one becomes the end of the other, byte for byte.
        if let Some(outcome) = ended.outcome.json.strip_suffix('}') {
            ended.outcome.json = format!("{outcome},{}", &about.to_string()[1..]);
        }
        ended.into()
    }
}
