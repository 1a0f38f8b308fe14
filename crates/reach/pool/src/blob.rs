//! Files that go through the broker when somebody asks for them, in parts, with a hash.

use crate::account::Account;
use crate::broker::{BrokerError, Bucket, Change, Expected};
use crate::name::JobId;
use clawperator_contract::{ErrorCode, Failure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub(crate) const MAX_FILE: usize = 64 << 20;
/// The bytes of one part: less than any broker's limit.
const PART: usize = 512 << 10;

/// What is known of a file whose parts are all there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum BlobHead {
    Whole { parts: usize, sha256: String },
    Missing(String),
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn head_key(job: &JobId) -> String {
    format!("{job}.head")
}

/// Stores the report of a job, or why there is none. Its head comes last.
pub(crate) async fn store(
    account: &Account,
    job: &JobId,
    report: Result<Vec<u8>, String>,
) -> Result<(), BrokerError> {
    let head = match report {
        Err(why) => BlobHead::Missing(why),
        Ok(bytes) if bytes.len() > MAX_FILE => {
            BlobHead::Missing(format!("it has {} bytes; at most {MAX_FILE} go through the pool", bytes.len()))
        }
        Ok(bytes) => {
            for (number, value) in bytes.chunks(PART).enumerate() {
                let key = format!("{job}.{number}");
                let change = Change { bucket: Bucket::Blobs, key: &key, value, expected: Expected::Anything };
                account.store(change).await?;
            }
            let parts = bytes.len().div_ceil(PART);
            BlobHead::Whole { parts, sha256: hash(&bytes) }
        }
    };
    account.put(Bucket::Blobs, &head_key(job), &head).await.map(drop)
}

/// The report of a job, once its host has stored it; none before.
pub(crate) async fn load(account: &Account, job: &JobId) -> Result<Option<Vec<u8>>, Failure> {
    let damaged =
        |why: String| Failure::new(ErrorCode::PoolUnavailable, format!("the report of {job}: {why}"));
    let Some(head) = account.get::<BlobHead>(Bucket::Blobs, &head_key(job)).await? else {
        return Ok(None);
    };
    let (parts, sha256) = match head.value {
        BlobHead::Whole { parts, sha256 } => (parts, sha256),
        BlobHead::Missing(why) => return Err(damaged(why)),
    };
    let mut whole = Vec::new();
    for number in 0..parts.min(MAX_FILE / PART) {
        let part = account.read(Bucket::Blobs, &format!("{job}.{number}")).await?;
        let part = part.ok_or_else(|| damaged("a part is missing; ask again".to_owned()))?;
        whole.extend(part.value);
    }
    if hash(&whole) != sha256 {
        return Err(damaged("its parts do not fit together; ask again".to_owned()));
    }
    Ok(Some(whole))
}
