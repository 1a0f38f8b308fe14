//! What a pool needs of a broker: buckets whose entries change by comparison, and queues
//! over them. Nothing else of a broker is used, so that another one can take its place.
//!
//! A key is made of parts with dots between them. Where keys are asked for, `*` stands for
//! any one part and `>` at the end for all parts that follow.

#[cfg(feature = "nats")]
pub mod nats;

use clawperator_contract::words;
use futures_core::future::BoxFuture;
use serde::Serialize;
use std::fmt;
use std::time::Duration;
use tokio::sync::mpsc;

/// What the broker will answer.
pub type Reply<'b, T> = BoxFuture<'b, Result<T, BrokerError>>;

words! {
    /// A store, by its name in the broker. Each has one purpose and one age.
    pub Bucket {
        /// Hosts that live: written again and again by each of them.
        Hosts = "CW_HOST",
        /// Phones and their states: written by their hosts.
        Phones = "CW_PHONE",
        /// Which host may act on a phone. The revision at which an entry was made is its token.
        Leases = "CW_LEASE",
        /// Jobs that have not ended, without their orders. Hosts take from its queues.
        Jobs = "CW_JOB",
        /// What is to be done, by job.
        Orders = "CW_ORDER",
        /// Which jobs a host has in hand, by host and job.
        Claims = "CW_CLAIM",
        /// How far a job is, by job. A job without an entry waits.
        Runs = "CW_RUN",
        /// Outcomes, by job, each written once.
        Results = "CW_RESULT",
        /// How long the last job of a label took, in milliseconds.
        Times = "CW_TIME",
        /// What happened, by job. All entries are kept for a while, not only the last one.
        Events = "CW_EVENT",
        /// What people want: reservations, cancelled jobs, hosts that take no more jobs, files.
        Wishes = "CW_WISH",
        /// Parts of files that were asked for.
        Blobs = "CW_BLOB",
    }
}

impl Bucket {
    /// How long an entry lives that is not written again.
    pub const fn age(self) -> Duration {
        const DAY: u64 = 86_400;
        Duration::from_secs(match self {
            Self::Hosts | Self::Phones => 45,
            Self::Leases => LEASE_AGE.as_secs(),
            Self::Events | Self::Blobs => 3_600,
            Self::Wishes => 7 * DAY,
            Self::Jobs | Self::Orders | Self::Claims | Self::Runs | Self::Results | Self::Times => 30 * DAY,
        })
    }

    /// How many sixteenths of a limited account it may take; none for what is small. A caller cannot
    /// fill what hosts need to end jobs, and callers to cancel them.
    pub const fn share(self) -> Option<u64> {
        match self {
            Self::Orders => Some(4),
            Self::Results => Some(5),
            Self::Blobs => Some(2),
            Self::Jobs | Self::Wishes | Self::Runs | Self::Events => Some(1),
            Self::Hosts | Self::Phones | Self::Leases | Self::Claims | Self::Times => None,
        }
    }

    /// Whether its oldest entries go when it is full; else nothing more is stored.
    pub const fn forgets(self) -> bool {
        matches!(self, Self::Results | Self::Blobs | Self::Runs | Self::Events | Self::Times)
    }

    /// Whether older entries of a key are kept, too.
    pub const fn has_history(self) -> bool {
        matches!(self, Self::Events)
    }
}

/// How long a lease lives that is not renewed.
pub const LEASE_AGE: Duration = Duration::from_secs(30);

/// What is stored under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: Vec<u8>,
    /// The number of its last change in its bucket; never used twice.
    pub revision: u64,
    /// When it was stored, by the broker's clock, in milliseconds since 1970.
    pub stored_ms: u64,
}

/// A value that is to be stored.
#[derive(Clone, Copy, Debug)]
pub struct Change<'c> {
    pub bucket: Bucket,
    pub key: &'c str,
    pub value: &'c [u8],
    pub expected: Expected,
}

/// What must be there for a change to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Absent,
    Revision(u64),
    Anything,
}

/// A part of the jobs, in the order in which they were stored. All hosts that take from it
/// share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue {
    /// The beginning of the keys, without the dot after it.
    pub prefix: String,
}

/// An entry that was taken from a queue. If it is not settled within [`DELIVERY_AGE`], it is
/// given out again. That it is settled proves nothing about who owns it: a host that had it
/// before can settle it, too.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub entry: Entry,
    /// How often it was given out, this time included.
    pub count: u64,
    /// What the broker knows it by.
    pub receipt: String,
}

/// What is to become of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// It is done, and the broker has confirmed that it knows.
    Done,
    /// Give it out again after this time.
    Later(Duration),
    /// It is being worked on: wait on.
    Working,
}

/// How long a delivery may be out before it is given out again.
pub const DELIVERY_AGE: Duration = Duration::from_secs(30);

/// Before it, a node that crashes can lose whole streams, and the copies of a stream get other
/// numbers for the same entries after refused changes and a new leader (nats-io/nats-server#4365,
/// #4764).
const SAFE_VERSION: [u32; 3] = [2, 10, 23];

pub(crate) fn is_safe(version: &str) -> bool {
    let mut parts = version.split(|part: char| !part.is_ascii_digit());
    [(); 3].map(|()| parts.next().and_then(|part| part.parse().ok()).unwrap_or(0)) >= SAFE_VERSION
}

/// What a broker says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerFacts {
    pub version: String,
    pub buckets: Vec<BucketFacts>,
}

/// How a bucket is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BucketFacts {
    pub name: &'static str,
    /// How many copies it has, and how many of them are behind or away.
    pub copies: usize,
    pub behind: usize,
    pub entries: u64,
    pub bytes: u64,
    /// How many it may have, if that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<u64>,
    /// Whether its oldest entries go when it is full.
    pub forgets: bool,
}

/// Why a broker did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    /// The entry is not what was expected. Nothing was changed.
    #[error("another host or caller has changed the entry")]
    Conflict,
    /// There is no answer. It may have been done.
    #[error("the broker does not answer: {0}")]
    Unavailable(String),
    /// The key of this connection may not do that. Nothing was changed.
    #[error("the broker refuses it: {0}")]
    Refused(String),
    /// The account's limit is reached. Nothing was changed.
    #[error("the limit of the account is reached: {0}")]
    Full(String),
}

/// Entries as they are stored. It is a hint: after a lost connection some are missing, so a
/// reader that needs all of them lists again. It ends when the broker has lost it.
pub type Watch = mpsc::Receiver<Entry>;

/// One account of a broker.
pub trait Broker: fmt::Debug + Send + Sync {
    /// Makes the buckets that are missing, if that was not done yet and its role may.
    fn prepare(&self) -> Reply<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Reads the entry of a key; of several, the one that was stored last.
    fn read<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Option<Entry>>;

    /// Stores a value, and says its revision.
    fn store<'b>(&'b self, change: Change<'b>) -> Reply<'b, u64>;

    /// Removes the entry of this revision. If it is gone or was changed, nothing happens.
    fn remove(&self, bucket: Bucket, revision: u64) -> Reply<'_, ()>;

    /// The last entry of each key, in the order in which they were stored.
    fn list<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Vec<Entry>>;

    /// What is stored from now on.
    fn watch<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Watch>;

    /// Takes the next job of a queue, if one is there now.
    fn take<'b>(&'b self, queue: &'b Queue) -> Reply<'b, Option<Delivery>>;

    /// Says what is to become of a delivery.
    fn settle<'b>(&'b self, delivery: &'b Delivery, settlement: Settlement) -> Reply<'b, ()>;

    /// When its buckets were made, in milliseconds since 1970: the first part of every token,
    /// because revisions of buckets that are made anew begin at 1.
    fn epoch(&self) -> Reply<'_, u64>;

    /// What it says of itself.
    fn facts(&self) -> Reply<'_, BrokerFacts>;
}
