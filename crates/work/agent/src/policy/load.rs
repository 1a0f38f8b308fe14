//! The user's rules, from their file.

use super::Policy;
use clawperator_contract::{ErrorCode, Failure};
use futures_core::future::BoxFuture;
use std::io::ErrorKind;
use std::path::Path;

const MAX_BYTES: u64 = 1 << 20;

impl Policy {
    /// The rules of a file; the built-in ones alone if there is none.
    pub fn load(path: &Path) -> BoxFuture<'_, Result<Self, Failure>> {
        Box::pin(async move {
            match tokio::fs::metadata(path).await {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
                _ => Self::load_named(path).await,
            }
        })
    }

    /// The rules of a file that must be there.
    pub fn load_named(path: &Path) -> BoxFuture<'_, Result<Self, Failure>> {
        Box::pin(async move {
            let unreadable = |why: String| {
                let message = format!("cannot read the policy {}: {why}", path.display());
                Failure::of(ErrorCode::FileReadFailed, message)
            };
            let size = tokio::fs::metadata(path).await.map(|file| file.len());
            if size.map_err(|error| unreadable(error.to_string()))? > MAX_BYTES {
                return Err(unreadable(format!("it has more than {MAX_BYTES} bytes")));
            }
            let text = tokio::fs::read_to_string(path).await;
            let text = text.map_err(|error| unreadable(error.to_string()))?;
            Self::read(&text).map_err(|error| {
                let message = format!("{}: {error}", path.display());
                let failure = Failure::new(ErrorCode::ExecutionValidationFailed, message);
                match error.hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            })
        })
    }
}
