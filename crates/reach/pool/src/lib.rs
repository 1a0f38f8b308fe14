//! A pool of phones over many hosts. Hosts take jobs from a broker and run them with the
//! engine; callers send jobs and wait for their results. There is no scheduler: a host takes
//! a job when it has a phone for it.

pub mod access;
mod account;
mod blob;
pub mod broker;
mod caller;
#[cfg(feature = "nats")]
pub mod init;
mod job;
#[cfg(feature = "nats")]
pub mod local;
mod name;
mod order;
mod record;
pub mod seal;
mod worker;

pub use account::{Account, Typed};
pub use caller::{
    Caller, JobStatus, JobWish, ListedResult, MOST_LETTERS, NewsFeed, PoolCheck, PoolHealth, PoolJobs,
    PoolNews, RunningJob, WaitReason, WaitingJob,
};
pub use job::{Job, JobResult, MAX_ORDER, Priority, RunRecord, RunStage, Target, USUAL_DEADLINE};
pub use name::{JobId, Name, PhoneName};
pub use order::JudgeOfRules;
pub use record::{HostRecord, JobEvent, JobEventKind, PhoneRecord, PhoneStage, Wish};
pub use worker::{Roster, RosterPhone, Tenant, Worker, WorkerLog, WorkerSettings};
