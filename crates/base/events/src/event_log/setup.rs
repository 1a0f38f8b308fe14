//! What an event log is made of.

use crate::redacted::Redactions;
use crate::{Event, EventStream, Journals};
use serde::{Deserialize, Serialize};

/// Whether pictures are taken for the log. Each is another round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pictures {
    /// After every look and every step.
    Taken,
    Left,
}

/// Reads the time in milliseconds since 1970.
pub struct Clock(Box<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// A clock that calls this function.
    pub fn new(read: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Box::new(read))
    }

    /// Reads it.
    pub fn now_ms(&self) -> u64 {
        (self.0)()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

/// What an event log is made of.
#[derive(Debug)]
pub struct LogSetup {
    pub version: &'static str,
    /// Read once, when the run begins.
    pub clock: Clock,
    pub pictures: Pictures,
    /// Where the run gets a new journal, if it gets one.
    pub journal: Option<Box<dyn Journals>>,
    /// The run of the skill that this run is a part of.
    pub skill_run: Option<String>,
    /// What steps read that must not be shown as it is.
    pub redactions: Redactions,
    /// The subscribers, and the name of the run for them.
    pub subscribers: Option<Subscribers>,
}

/// The subscribers of a run.
#[derive(Debug)]
pub struct Subscribers {
    pub run_id: String,
    pub streams: Vec<EventStream>,
    /// What is called with each event before the run goes on.
    pub tap: Option<Tap>,
}

impl Subscribers {
    pub(super) fn is_heard(&self) -> bool {
        self.streams.iter().any(EventStream::is_heard)
    }
}

/// A function that gets each event while the run waits, so it must be quick.
pub struct Tap(pub(super) Box<dyn Fn(&Event) + Send + Sync>);

impl Tap {
    /// Calls this function.
    pub fn new(tap: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Box::new(tap))
    }
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tap")
    }
}
