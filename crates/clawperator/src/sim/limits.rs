//! The bounds of the simulated phones' processes.

use std::time::Duration;

/// The most phones in one process.
pub(crate) const MAX_PHONES: u16 = 256;
/// The ports at which adb looks for emulators by itself: a phone on one of
/// them would be listed twice.
pub(crate) const EMULATOR_PORTS: std::ops::RangeInclusive<u16> = 5555..=5585;
/// How often another port is asked for when the system gives one of those.
pub(crate) const PORT_TRIES: usize = 64;
/// How long a phone may take to start, and how long to stop.
pub(crate) const START_TIME: Duration = Duration::from_secs(10);
/// How long a phone may take to end.
pub(crate) const STOP_TIME: Duration = Duration::from_secs(5);
/// How often it is looked whether something has happened.
pub(crate) const POLL: Duration = Duration::from_millis(10);
/// How long one question and its answer may take.
pub(crate) const CONTROL_TIME: Duration = Duration::from_secs(5);
/// The largest question, and the largest answer: a picture in base64.
pub(crate) const MAX_REQUEST: usize = 1 << 20;
/// The largest answer.
pub(crate) const MAX_ANSWER: usize = 64 << 20;
/// The most questions at a time.
pub(crate) const MAX_ASKING: usize = 16;
/// The largest file of the registry, and the most that are read.
pub(crate) const MAX_ENTRY: u64 = 1 << 18;
/// The most files of the registry that are read.
pub(crate) const MAX_ENTRIES: usize = 1024;
/// The most app files of one folder.
pub(crate) const MAX_APPS: usize = 256;
/// The farthest that virtual time is moved at once, a day: an app can have
/// something happen every few milliseconds.
pub(crate) const MAX_ADVANCE_MS: u64 = 86_400_000;
/// When an unused background phone ends, in minutes.
pub(crate) const IDLE_MINUTES: f64 = 30.0;
