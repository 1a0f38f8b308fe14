//! A right to act on a phone that can end: a host of a pool has it as long as its lease lives.
//!
//! It is checked on our own clock before anything that changes the phone is sent. Where
//! several hosts can reach the phone, the phone holds the token of the newest lease as well,
//! and the command that acts compares it first, in the same round trip.

use super::guard::NOT_DONE;
use super::script::{FENCE as FENCE_CHECK, RAISE_FENCE, Script, ScriptFile};
use super::{CommandKind, CommandLine, Objection, Phone, PhoneError};
use crate::quote::Nul;
use clawperator_adb::Deadline;
use clawperator_contract::ErrorCode;
use clawperator_events::CommandPurpose;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// The folder of tokens on a phone. The last name is the newest; only the shell can write there.
const TOKENS: &str = "/data/local/tmp/clawperator-fence";
/// What a phone prints that holds a newer token.
const FENCED: &str = "fenced";

/// A right to act on a phone until a time, which can move.
#[derive(Debug)]
pub struct Fence {
    ends: Mutex<Instant>,
    /// What the phone compares, if others can reach it. Newer tokens sort behind older ones.
    token: Option<String>,
}

impl Fence {
    /// A right that ends then. A token has only letters, digits and dashes.
    pub fn new(ends: Instant, token: Option<String>) -> Self {
        Self { ends: Mutex::new(ends), token }
    }

    /// Says when it ends from now on.
    pub fn set_end(&self, ends: Instant) {
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = ends;
    }

    /// Whether it may have ended.
    pub fn is_over(&self) -> bool {
        Instant::now() >= *self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self) -> Result<(), PhoneError> {
        if !self.is_over() {
            return Ok(());
        }
        Err(lost("this host's lease on the phone may have ended; nothing was sent"))
    }
}

fn lost(message: &str) -> PhoneError {
    let (code, message) = (ErrorCode::LeaseLost, message.to_owned());
    PhoneError::Judged(Objection { code, message, approval: None })
}

impl Phone {
    /// Acts only within this right from now on, or without one.
    pub(crate) fn fence_with(&self, fence: Option<Arc<Fence>>) {
        *self.fence.lock().unwrap_or_else(PoisonError::into_inner) = fence;
    }

    fn fence(&self) -> Option<Arc<Fence>> {
        self.fence.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether something that changes the phone may be sent now.
    ///
    /// # Errors
    /// [`PhoneError::Judged`] if the right to act may have ended.
    pub(crate) fn may_act(&self) -> Result<(), PhoneError> {
        self.fence().map_or(Ok(()), |fence| fence.check())
    }

    /// Gives the phone the token of the right to act, if there is one: from now on it refuses older ones.
    ///
    /// # Errors
    /// [`PhoneError::Judged`] if the phone holds a newer one, or what broke.
    pub(crate) async fn raise_fence(&self, deadline: Deadline) -> Result<(), PhoneError> {
        let Some(token) = self.fence().and_then(|fence| fence.token.clone()) else {
            return Ok(());
        };
        // Each token is a file, so that two hosts at once leave the newer one as the last.
        let line = token_script(&[RAISE_FENCE], &token)?.line(CommandKind::Vitals).without_secrets();
        let answer = self.shell(&line, deadline).await?;
        if answer.out.trim() == token {
            return Ok(());
        }
        Err(lost("another host has a newer lease on the phone; nothing was sent"))
    }

    /// What the phone gets for a line that may act: it compares the token first.
    pub(super) fn fenced(&self, line: &CommandLine) -> Result<Option<String>, PhoneError> {
        let acts = line.kind().purpose() == CommandPurpose::Act;
        let Some(fence) = self.fence().filter(|_| acts) else {
            return Ok(None);
        };
        fence.check()?;
        let Some(token) = &fence.token else {
            return Ok(None);
        };
        Ok(Some(format!("{}\n{}", token_script(&[FENCE_CHECK], token)?.text(), line.text())))
    }
}

fn token_script(files: &[ScriptFile], token: &str) -> Result<Script, Nul> {
    Script::of(files).value("tokens", TOKENS)?.value("token", token)
}

/// Why a phone did nothing that holds a newer token.
pub(super) fn check_fence(printed: &[u8]) -> Result<(), PhoneError> {
    let said = format!("{NOT_DONE}{FENCED}");
    if printed.starts_with(said.as_bytes()) {
        return Err(lost("another host has a newer lease on the phone; the phone did nothing"));
    }
    Ok(())
}
