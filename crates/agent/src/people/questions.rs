//! Questions whose askers do not wait: they come back with the same call once a
//! person has decided.

use crate::action::Capability;
use crate::approval::NewRequest;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most questions that are remembered.
const MOST: usize = 128;

/// The questions that were asked and not used yet. The oldest are forgotten
/// first.
#[derive(Debug, Default)]
pub struct Questions(Mutex<VecDeque<(Key, String)>>);

/// What makes two questions the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    device: Option<String>,
    capability: Capability,
    instruction: String,
}

impl Key {
    pub(super) fn of(new: &NewRequest) -> Self {
        Self {
            device: new.device.clone(),
            capability: new.capability,
            instruction: new.instruction.clone(),
        }
    }
}

impl Questions {
    /// Remembers the request of a question.
    pub(super) fn keep(&self, key: Key, id: &str) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back((key, id.to_owned()));
    }

    /// The request of a question, which is forgotten: an answer is used once.
    pub(super) fn take(&self, key: &Key) -> Option<String> {
        let mut all = self.all();
        let at = all.iter().position(|(known, _)| known == key)?;
        all.remove(at).map(|(_, id)| id)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(Key, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
