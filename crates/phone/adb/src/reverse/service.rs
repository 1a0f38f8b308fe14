//! The device's side of reverses.

use super::Reverses;
use crate::connection::Incoming;
use crate::error::AdbError;
use std::sync::{Mutex, PoisonError};

/// Answers one request about reverses, which `incoming` is. The table has
/// changed by the time this first waits.
pub async fn serve_reverse(incoming: Incoming, reverses: &Mutex<Reverses>) -> Result<(), AdbError> {
    // Nothing panics while it holds the lock, so a poisoned one is whole.
    let answer = reverses.lock().unwrap_or_else(PoisonError::into_inner).answer(incoming.service());
    let stream = incoming.accept()?;
    stream.send(answer).await?;
    match stream.flush().await {
        // A host that has its answer may go away without a word.
        Err(AdbError::Closed) => Ok(()),
        other => other,
    }
}
