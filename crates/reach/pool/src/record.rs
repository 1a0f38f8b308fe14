//! What hosts and people write for each other: hosts, phones, leases, wishes and events.

use crate::name::{JobId, Name, PhoneName};
use clawperator_contract::words;
use serde::{Deserialize, Serialize};

/// A host that lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostRecord {
    pub host: Name,
    /// The computer, so that two of one name are noticed.
    pub machine: String,
    pub instance: String,
    pub version: String,
    pub phones: usize,
    pub running: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drains: bool,
    /// How many jobs of this tenant it runs at once, if that is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<usize>,
    /// How many of them it runs now.
    pub tenant_running: usize,
}

/// A phone of the pool, as a tenant sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhoneRecord {
    pub phone: PhoneName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub android: Option<String>,
    pub classes: Vec<Name>,
    pub state: PhoneStage,
    /// Why it is in this state, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Until when it is reserved, by the broker's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
    /// The job on it, if it is this tenant's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Whether another host may reach it, so that it holds the token of its lease itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

words! {
    /// What a phone of the pool is doing.
    pub PhoneStage {
        Idle = "idle",
        Running = "running",
        /// It is made ready for the next user.
        Cleaning = "cleaning",
        /// Only jobs of one tenant that name it run on it.
        Reserved = "reserved",
        Quarantined = "quarantined",
        Lost = "lost",
        Drained = "drained",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeaseRecord {
    pub host: Name,
    pub instance: String,
    pub job: JobId,
}

/// What a person wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Wish {
    Cancel(JobId),
    /// Keep a phone for jobs of this tenant that name it; for no time: no longer.
    Reserve {
        phone: PhoneName,
        /// How long, from when it was stored.
        for_ms: u64,
        why: String,
    },
    /// A host takes no more jobs, or takes them again.
    Drain {
        host: Name,
        drains: bool,
    },
    Release(PhoneName),
    /// The report of a job, put into the bucket of blobs by the host that ran it.
    Fetch {
        host: Name,
        job: JobId,
    },
}

impl Wish {
    /// Its key: a later wish about the same thing takes its place.
    pub fn key(&self) -> String {
        match self {
            Self::Cancel(job) => format!("cancel.{job}"),
            Self::Reserve { phone, .. } => format!("reserve.{}", phone.key()),
            Self::Drain { host, .. } => format!("drain.{host}"),
            Self::Release(phone) => format!("release.{}", phone.key()),
            Self::Fetch { host, job } => format!("fetch.{host}.{job}"),
        }
    }
}

/// Something that happened to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobEvent {
    pub job: JobId,
    pub command_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PhoneName>,
    pub what: JobEventKind,
}

/// What can happen to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum JobEventKind {
    StepBegan { step: usize, id: String, action: String },
    StepEnded { step: usize, id: String, action: String },
    Ended,
}
