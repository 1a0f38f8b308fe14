//! What doctor is busy with, for who waits for it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What is being looked at just now, phone by phone.
#[derive(Debug, Default)]
pub struct DoctorProgress(Mutex<BTreeMap<String, &'static str>>);

impl DoctorProgress {
    /// Says what is being looked at.
    pub(super) fn at(&self, what: &str, stage: &'static str) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.insert(what.to_owned(), stage);
    }

    /// Says that nothing more is.
    pub(super) fn over(&self, what: &str) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.remove(what);
    }

    /// What is being looked at just now, for people.
    pub fn now(&self) -> String {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows: Vec<_> = now.iter().map(|(what, stage)| format!("{what}: {stage}")).collect();
        rows.join(", ")
    }
}
