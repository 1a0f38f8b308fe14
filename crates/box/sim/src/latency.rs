//! How long things take on a phone.

use clawperator_document::words;
use std::time::Duration;

words! {
    /// How slow a phone is.
    #[derive(Default)]
    pub Latency {
        #[default]
        None = "none",
        /// As a recent phone: its numbers were measured by others on such phones.
        PixelLike = "pixel-like",
        /// The same with a processor that is always busy: a dump takes five seconds.
        Slow = "slow",
    }
}

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    Command,
    /// A command that starts a virtual machine of its own.
    VirtualMachine,
    Input,
    Picture,
    AppStart,
    Install,
    Reboot,
    /// The resident server starts, until it listens.
    ServerStart,
    /// The resident server's first call, beside the call itself.
    ServerFirst,
    /// Any call of the resident server's.
    ServerCall,
    /// The resident server reads the screen.
    ServerTree,
    /// The resident server injects an event.
    ServerInput,
    ServerPicture,
}

/// How long the screen must have stood still before it is dumped, and how long that is waited for.
const QUIET: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl Latency {
    /// How long something takes on a phone of this Android version.
    pub fn of(self, cost: Cost, sdk: u32) -> Duration {
        if self == Self::None {
            return Duration::ZERO;
        }
        let ms = match cost {
            Cost::Command => 8,
            Cost::VirtualMachine if self == Self::Slow => 5_000,
            Cost::VirtualMachine => 220,
            // Up to Android 11 every input started a virtual machine.
            Cost::Input if sdk <= 30 => 350,
            Cost::Input => 50,
            Cost::Picture => 400,
            Cost::AppStart => 300,
            Cost::Install => 900,
            Cost::Reboot => 4_000,
            // agent-device measured 227 to 266 for a helper that starts and
            // looks once (its ADR 0002).
            Cost::ServerStart => 250,
            // Not published by itself. Looking once costs agent-device's fresh helper some 220 more
            // than its resident one (its ADR 0002); CulebraTester2's users report 1 to 4 s, mostly
            // of the first dump (its issue 17). Taken as what is left of the first, rounded down.
            Cost::ServerFirst => 150,
            // handsets.dev: a ping over a warm forwarded connection, 1.6 (p50).
            Cost::ServerCall => 2,
            // handsets.dev: 30 to 100 a call of uiautomator2; hmdriver2's issue
            // 10: its dump takes less than 100. auto-mobile's issue 5100: 27.
            // Leaner servers take 5 to 17 (agent-device's ADR 0002, handsets.dev).
            Cost::ServerTree => 30,
            // mobilecli's issues 286 and 412: a tap by its agent, 5.6 on a phone.
            Cost::ServerInput => 6,
            // handsets.dev: 8 for a JPEG of 768 pixels; a whole screen has ten times as many.
            Cost::ServerPicture => 90,
        };
        Duration::from_millis(ms)
    }

    /// How much longer a dump waits for the screen to stand still: it did so
    /// for this long by now, and the dump has waited for this long.
    pub fn quiet_wait(self, quiet_for: Duration, waited: Duration) -> Option<Duration> {
        if self == Self::None || quiet_for >= QUIET || waited >= LONGEST_WAIT {
            return None;
        }
        Some((QUIET - quiet_for).min(LONGEST_WAIT - waited))
    }

    /// How long a dump waits for a screen that never becomes idle.
    pub fn longest_wait(self) -> Duration {
        if self == Self::None { Duration::ZERO } else { LONGEST_WAIT }
    }
}
