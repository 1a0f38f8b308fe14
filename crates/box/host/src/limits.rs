//! The bounds of the simulated phones' processes.

use std::time::Duration;

pub const MAX_PHONES: u16 = 256;
/// The ports at which adb looks for emulators by itself: a phone on one of
/// them would be listed twice.
pub(crate) const EMULATOR_PORTS: std::ops::RangeInclusive<u16> = 5555..=5585;
/// How often another port is asked for when the system gives one of those.
pub(crate) const PORT_TRIES: usize = 64;
/// How long a phone may take to start, and how long to stop.
pub(crate) const START_TIME: Duration = Duration::from_secs(10);
/// How long a phone may take to end.
pub(crate) const STOP_TIME: Duration = Duration::from_secs(5);
/// How long to wait for others that start phones.
pub(crate) const LOCK_TIME: Duration = Duration::from_secs(15);
/// How long to wait before a process is greeted again.
pub(crate) const POLL: Duration = Duration::from_millis(10);
/// How long a process may take to say that it is there: on a busy machine the
/// system alone can keep it from its turn for a second.
pub(crate) const HELLO_TIME: Duration = Duration::from_secs(3);
/// The most processes that are asked at a time whether they are there.
pub(crate) const MAX_GREETED: usize = 64;
/// The most app files of one folder.
pub(crate) const MAX_APPS: usize = 256;
/// The farthest that virtual time is moved at once, a day: an app can have
/// something happen every few milliseconds.
pub const MAX_ADVANCE_MS: u64 = 86_400_000;
/// When an unused background phone ends, in minutes.
pub(crate) const IDLE_MINUTES: f64 = 30.0;
