//! What hosts asked of a phone last: for tests that count, and for people who
//! wonder what a program does.

use std::collections::VecDeque;
use std::time::Duration;

/// The most bytes of services that are remembered; older ones are forgotten.
const MOST_BYTES: usize = 256 << 10;
/// The most services that are remembered.
const MOST: usize = 4_096;

/// A service that a host asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCall {
    /// How long the phone was running then.
    pub at: Duration,
    /// Its name, such as `exec:screencap -p`.
    pub service: String,
}

/// What was asked last.
#[derive(Debug, Default)]
pub(crate) struct ServiceCallLog {
    list: VecDeque<ServiceCall>,
    bytes: usize,
}

impl ServiceCallLog {
    pub(crate) fn add(&mut self, at: Duration, service: &str) {
        let service = service.to_owned();
        self.bytes += service.len();
        self.list.push_back(ServiceCall { at, service });
        while self.bytes > MOST_BYTES || self.list.len() > MOST {
            let Some(oldest) = self.list.pop_front() else {
                break;
            };
            self.bytes -= oldest.service.len();
        }
    }

    pub(crate) fn list(&self) -> Vec<ServiceCall> {
        self.list.iter().cloned().collect()
    }
}
