//! Requests to NATS and its answers, as texts and types: no connection.

use crate::broker::{BrokerError, Bucket, DELIVERY_AGE, Entry};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::time::Duration;

// The server's numbers for what happened.
pub(super) const MESSAGE_NOT_FOUND: u32 = 10_037;
pub(super) const STREAM_NOT_FOUND: u32 = 10_059;
const WRONG_SEQUENCE: [u32; 2] = [10_071, 10_164];
/// Bytes, streams and consumers of an account, and the size of a message.
const LIMITS: [u32; 7] = [10_002, 10_023, 10_026, 10_027, 10_028, 10_047, 10_054];
/// It was not stored; the text says why.
const STORE_FAILED: u32 = 10_077;

pub(super) const NO_LEADER: &str = "no node leads the bucket or queue now, or it was never made (clawperator pool doctor --pool operator.json)";
const NO_BUCKETS: &str =
    "it has no buckets of this pool yet; clawperator pool doctor --pool operator.json makes them";

/// As many jobs may be out at once: as many as there could ever be phones.
const MOST_OUT: u32 = 100_000;
/// As many hosts may wait for jobs of a queue at once.
const MOST_WAITING: u32 = 4_096;
const NAME_LENGTH: usize = 60;

#[derive(Clone, Debug, Deserialize)]
pub(super) struct ApiError {
    #[serde(default)]
    pub(super) err_code: u32,
    #[serde(default)]
    pub(super) description: String,
}

impl From<ApiError> for BrokerError {
    fn from(error: ApiError) -> Self {
        let ApiError { err_code, description } = error;
        let is_limit =
            LIMITS.contains(&err_code) || (err_code == STORE_FAILED && description.contains("maximum"));
        if WRONG_SEQUENCE.contains(&err_code) {
            Self::Conflict
        } else if err_code == STREAM_NOT_FOUND {
            Self::Unavailable(NO_BUCKETS.to_owned())
        } else if is_limit {
            Self::Full(description)
        } else {
            Self::Unavailable(format!("{description} ({err_code})"))
        }
    }
}

pub(super) fn answer<T: DeserializeOwned>(bytes: &[u8]) -> Result<Result<T, ApiError>, BrokerError> {
    #[derive(Deserialize)]
    struct NotDone {
        error: ApiError,
    }
    if let Ok(NotDone { error }) = serde_json::from_slice(bytes) {
        return Ok(Err(error));
    }
    serde_json::from_slice(bytes)
        .map(Ok)
        .map_err(|error| BrokerError::Unavailable(format!("its answer cannot be read: {error}")))
}

/// A stored value as the server tells it when asked for one.
#[derive(Debug, Deserialize)]
pub(super) struct StoredMessage {
    message: MessageFields,
}

#[derive(Debug, Deserialize)]
struct MessageFields {
    subject: String,
    seq: u64,
    #[serde(default)]
    data: String,
    time: String,
}

impl StoredMessage {
    pub(super) fn entry(self, bucket: Bucket) -> Option<Entry> {
        let MessageFields { subject, seq, data, time } = self.message;
        Some(Entry {
            key: key(bucket, &subject)?.to_owned(),
            value: STANDARD.decode(data).ok()?,
            revision: seq,
            stored_ms: millis(&time)?,
        })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct StoredAs {
    pub(super) seq: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamInfo {
    pub(super) created: String,
    pub(super) config: serde_json::Map<String, Value>,
    #[serde(default)]
    pub(super) state: StreamState,
    #[serde(default)]
    pub(super) cluster: Option<ClusterInfo>,
}

/// What an account may store.
#[derive(Debug, Deserialize)]
pub(super) struct AccountInfo {
    limits: AccountLimits,
}

#[derive(Debug, Deserialize)]
struct AccountLimits {
    /// Not above zero: as much as fits on the disk.
    max_storage: i64,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct StreamState {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClusterInfo {
    #[serde(default)]
    pub(super) replicas: Vec<ReplicaInfo>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReplicaInfo {
    #[serde(default)]
    pub(super) current: bool,
    #[serde(default)]
    pub(super) offline: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ConsumerInfo {
    pub(super) num_pending: u64,
}

/// What the reply subject of a message says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// How often it was given out.
    pub(super) count: u64,
    pub(super) revision: u64,
    /// Its number among all that its consumer was sent.
    pub(super) number: u64,
    pub(super) stored_ms: u64,
    pub(super) pending: u64,
}

impl Place {
    /// Newer servers put the domain and the account before the stream's name.
    pub(super) fn parse(reply: &str) -> Option<Self> {
        let parts: Vec<&str> = reply.split('.').collect();
        let first = if parts.len() > 9 { 6 } else { 4 };
        let number = |at: usize| parts.get(first + at)?.parse::<u64>().ok();
        reply.starts_with("$JS.ACK.").then_some(())?;
        Some(Self {
            count: number(0)?,
            revision: number(1)?,
            number: number(2)?,
            stored_ms: number(3)? / 1_000_000,
            pending: number(4)?,
        })
    }

    pub(super) fn entry(self, bucket: Bucket, message: &async_nats::Message) -> Option<Entry> {
        Some(Entry {
            key: key(bucket, &message.subject)?.to_owned(),
            value: message.payload.to_vec(),
            revision: self.revision,
            stored_ms: self.stored_ms,
        })
    }
}

pub(super) fn subject(bucket: Bucket, keys: &str) -> String {
    format!("cw.{}.{keys}", bucket.word())
}

fn key(bucket: Bucket, subject: &str) -> Option<&str> {
    subject.strip_prefix("cw.")?.strip_prefix(bucket.word())?.strip_prefix('.')
}

/// The milliseconds since 1970 of a time as the server writes it.
pub(super) fn millis(time: &str) -> Option<u64> {
    u64::try_from(time.parse::<Timestamp>().ok()?.as_millisecond()).ok()
}

pub(super) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The stream of a bucket. All of it is known to version 2.9 of the server.
pub(super) fn stream(bucket: Bucket, replicas: u8, account: &AccountInfo) -> Value {
    // The account counts every copy.
    let sixteenth = account.limits.max_storage / i64::from(replicas.max(1)) / 16;
    let share = bucket.share().and_then(|share| i64::try_from(share).ok());
    let most_bytes = share.map(|share| share * sixteenth).filter(|most_bytes| *most_bytes > 0);
    json!({
        "name": bucket.word(),
        "subjects": [subject(bucket, ">")],
        "retention": "limits",
        "storage": "file",
        "discard": if bucket.forgets() { "old" } else { "new" },
        "max_age": nanos(bucket.age()),
        "max_msgs": -1,
        "max_bytes": most_bytes.unwrap_or(-1),
        "max_consumers": -1,
        "max_msgs_per_subject": if bucket.has_history() { -1 } else { 1 },
        "num_replicas": replicas,
    })
}

/// The consumer that all hosts share who take from a queue. It has no time after which it is
/// removed, and no list of waits: that would take the place of the one wait.
pub(super) fn queue(name: &str, prefix: &str) -> Value {
    json!({
        "stream_name": Bucket::Jobs.word(),
        "config": {
            "durable_name": name,
            "deliver_policy": "all",
            "ack_policy": "explicit",
            "ack_wait": nanos(DELIVERY_AGE),
            "max_deliver": -1,
            "max_ack_pending": MOST_OUT,
            "max_waiting": MOST_WAITING,
            "filter_subject": subject(Bucket::Jobs, &format!("{prefix}.>")),
            "replay_policy": "instant",
        },
    })
}

/// A name for a queue that has no dots, is not too long, and is no other queue's.
pub(super) fn queue_name(prefix: &str) -> String {
    let is_plain = |part: char| part.is_ascii_alphanumeric() || part == '-';
    let plain = prefix.chars().map(|part| if is_plain(part) { part } else { '_' });
    let mut name: String = plain.take(NAME_LENGTH).chain(['_']).collect();
    for byte in Sha256::digest(prefix).iter().take(6) {
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}
