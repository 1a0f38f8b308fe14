//! Work that is done once for each key, whatever it is. The ledger decides.

use crate::engine::Engine;
use crate::ledger::{OutcomeKind, StoredOutcome};
use crate::run::KeyRecord;
use clawperator_contract::Failure;
use futures_core::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use std::time::Duration;

/// Work that is to be done once.
#[derive(Clone, Copy, Debug)]
pub struct KeyedWork<'k> {
    pub key: &'k str,
    /// All that the caller wants. The same key with anything else is refused.
    pub order: &'k [u8],
    /// How long to wait while the same work is being done.
    pub wait: Duration,
}

/// What came of work.
#[derive(Debug)]
pub enum WorkResult {
    /// For certain no phone was sent anything, so the key can be used again.
    Nothing(Failure),
    Something(StoredOutcome),
}

/// An outcome, and whether it was there before.
#[derive(Clone, Debug)]
pub struct Once {
    pub outcome: StoredOutcome,
    /// Whether it was done earlier, and not for this call.
    pub is_replayed: bool,
}

impl WorkResult {
    /// A failure after which nobody knows what reached the phone.
    pub fn unclear_failure(failure: &Failure) -> Self {
        Self::Something(StoredOutcome {
            kind: OutcomeKind::Error,
            // Texts and numbers can always be written.
            json: serde_json::to_string(failure).unwrap_or_default(),
        })
    }
}

impl Engine {
    /// Does work unless it was done before under the same key. Dropping the
    /// future leaves the outcome unknown.
    ///
    /// # Errors
    /// If the key belongs to another order, the same work is still being done, the
    /// ledger cannot be used, or nothing came of the work.
    pub fn once<'f>(
        &'f self,
        keyed: KeyedWork<'f>,
        work: BoxFuture<'f, WorkResult>,
        stop: BoxFuture<'f, ()>,
    ) -> BoxFuture<'f, Result<Once, Failure>> {
        Box::pin(async move {
            let clock = &self.0.settings.clock;
            let claim = crate::ledger::Claim {
                key: keyed.key.to_owned(),
                run: self.new_run_id().to_string(),
                digest: Sha256::digest(keyed.order).into(),
                // The order has it.
                device: None,
                now_ms: clock.now_ms(),
            };
            let entry = match self.0.claim(claim, keyed.wait, stop).await? {
                KeyRecord::Before(outcome) => {
                    return Ok(Once { outcome, is_replayed: true });
                }
                KeyRecord::New(entry) => entry,
            };
            // Which phone it will be is not known yet.
            entry.start("", clock.now_ms()).await?;
            match work.await {
                WorkResult::Nothing(failure) => {
                    // If it cannot be removed, its outcome will be unknown.
                    let _ = entry.release().await;
                    Err(failure)
                }
                WorkResult::Something(outcome) => {
                    let stored = entry.finish(outcome.clone(), clock.now_ms()).await;
                    Ok(Once {
                        outcome: match stored {
                            Ok(()) => outcome,
                            Err(error) => outcome.not_stored(&error.to_string()),
                        },
                        is_replayed: false,
                    })
                }
            }
        })
    }
}
