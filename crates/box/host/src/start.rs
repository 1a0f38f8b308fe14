//! How phones are to be started.

use super::limits::IDLE_MINUTES;
use clawperator_sim::fault::Fault;
use clawperator_sim::{HostKeys, Latency, TimeKind};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How phones are to be started.
#[derive(Clone, Debug)]
pub struct StartOptions {
    /// The first port; 0 lets the system choose.
    pub port: u16,
    pub count: u16,
    pub apps: Option<PathBuf>,
    pub seed: u64,
    pub latency: Latency,
    pub time: TimeKind,
    pub faults: Vec<Fault>,
    /// Whether a host must show a key.
    pub keys: HostKeys,
    /// After how many minutes without use they end; 0 is never.
    pub idle_minutes: f64,
}

impl StartOptions {
    /// One phone in the background, with nothing said about it.
    pub fn plain(seed: u64) -> Self {
        Self {
            port: 0,
            count: 1,
            apps: None,
            seed,
            latency: Latency::None,
            time: TimeKind::Real,
            faults: Vec::new(),
            // As Android's emulator does.
            keys: HostKeys::NotAsked,
            idle_minutes: IDLE_MINUTES,
        }
    }

    /// How long the phones may be unused; none is forever.
    pub fn idle(&self) -> Option<Duration> {
        let seconds = self.idle_minutes * 60.0;
        Duration::try_from_secs_f64(seconds).ok().filter(|idle| !idle.is_zero())
    }

    /// The command line that starts the same phones in the foreground.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = ["sim", "start", "--foreground"].map(Into::into).into();
        let mut say = |flag: &str, value: &str| line.push(format!("--{flag}={value}").into());
        say("port", &self.port.to_string());
        say("count", &self.count.to_string());
        say("seed", &self.seed.to_string());
        say("latency", self.latency.word());
        say("time", time_name(self.time));
        say("idle", &self.idle_minutes.to_string());
        self.faults.iter().for_each(|fault| say("fault", &fault.to_string()));
        if self.keys == HostKeys::Asked {
            line.push("--auth".into());
        }
        if let Some(folder) = &self.apps {
            line.push("--apps".into());
            line.push(folder.into());
        }
        line
    }
}

/// Every way that time passes, and its name.
pub const TIMES: [(TimeKind, &str); 2] = [(TimeKind::Real, "real"), (TimeKind::Virtual, "virtual")];

/// The name of a way that time passes.
pub(crate) fn time_name(time: TimeKind) -> &'static str {
    TIMES.iter().find(|row| row.0 == time).map_or("real", |row| row.1)
}

/// The way that time passes that has this name.
pub fn time_called(name: &str) -> Option<TimeKind> {
    TIMES.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// A seed for who has none: short enough to type again.
pub fn default_seed(random: u64) -> u64 {
    random & 0xffff_ffff
}
