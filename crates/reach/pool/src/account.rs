//! An account of a broker with typed entries, and stores that end with certainty.

use crate::broker::{Broker, BrokerError, Bucket, Change, Entry, Expected};
use clawperator_contract::{ErrorCode, Failure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long to wait before a broker is asked again that did not answer, at first and at most.
const ASK_AGAIN: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// An account of a broker.
#[derive(Clone, Debug)]
pub struct Account(Arc<dyn Broker>);

impl Deref for Account {
    type Target = dyn Broker;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl From<Arc<dyn Broker>> for Account {
    fn from(broker: Arc<dyn Broker>) -> Self {
        Self(broker)
    }
}

/// An entry whose value was read.
#[derive(Clone, Debug)]
pub struct Typed<T> {
    pub value: T,
    pub key: String,
    pub revision: u64,
    pub stored_ms: u64,
}

impl<T: DeserializeOwned> Typed<T> {
    /// Reads an entry; none if it has another form, which a newer program may have written.
    pub fn read(entry: &Entry) -> Option<Self> {
        Some(Self {
            value: serde_json::from_slice(&entry.value).ok()?,
            key: entry.key.clone(),
            revision: entry.revision,
            stored_ms: entry.stored_ms,
        })
    }
}

/// The bytes of a value. Texts and numbers can always be written.
pub(crate) fn bytes_of<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

impl Account {
    /// Reads the entry of a key. One of another form is an error: it must not count as absent.
    pub async fn get<T: DeserializeOwned>(
        &self,
        bucket: Bucket,
        keys: &str,
    ) -> Result<Option<Typed<T>>, BrokerError> {
        let Some(entry) = self.read(bucket, keys).await? else {
            return Ok(None);
        };
        let unreadable = || {
            let (key, bucket) = (&entry.key, bucket.word());
            BrokerError::Refused(format!("the entry {key} of {bucket} was written by another version"))
        };
        Typed::read(&entry).map(Some).ok_or_else(unreadable)
    }

    /// The entries that can be read, in the order in which they were stored.
    pub async fn all<T: DeserializeOwned>(
        &self,
        bucket: Bucket,
        keys: &str,
    ) -> Result<Vec<Typed<T>>, BrokerError> {
        Ok(self.list(bucket, keys).await?.iter().filter_map(Typed::read).collect())
    }

    /// Stores a value whatever is there.
    pub async fn put<T: Serialize>(&self, bucket: Bucket, key: &str, value: &T) -> Result<u64, BrokerError> {
        let value = bytes_of(value);
        self.store(Change { bucket, key, value: &value, expected: Expected::Anything }).await
    }

    /// Stores a value, and knows at the end whether it is stored: a broker that does not answer is
    /// asked again until `until`. No two writers may store the same value.
    pub async fn put_surely(&self, change: Change<'_>, until: Option<Instant>) -> Result<u64, BrokerError> {
        let Change { bucket, key, value, expected: _ } = change;
        let [mut wait, longest] = ASK_AGAIN;
        let mut stored = self.store(change).await;
        loop {
            let Err(BrokerError::Unavailable(why)) = stored else {
                return stored;
            };
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(BrokerError::Unavailable(why));
            }
            sleep(wait).await;
            wait = (wait * 2).min(longest);
            stored = match self.store(change).await {
                // The first one may have come through late.
                Err(BrokerError::Conflict) => self.revision_of(bucket, key, value).await,
                stored => stored,
            };
        }
    }

    async fn revision_of(&self, bucket: Bucket, key: &str, value: &[u8]) -> Result<u64, BrokerError> {
        let entry = self.read(bucket, key).await?.filter(|entry| entry.value == value);
        entry.map(|entry| entry.revision).ok_or(BrokerError::Conflict)
    }
}

impl From<BrokerError> for Failure {
    fn from(error: BrokerError) -> Self {
        let code = match &error {
            BrokerError::Conflict => ErrorCode::ExecutionConflict,
            BrokerError::Unavailable(_) => ErrorCode::PoolUnavailable,
            BrokerError::Refused(_) => ErrorCode::PoolRefused,
            BrokerError::Full(_) => ErrorCode::PoolFull,
        };
        Self::of(code, error.to_string())
    }
}
