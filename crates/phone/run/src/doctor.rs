//! Whether executions can run: looks at this computer and at phones, judges
//! what was seen, and repairs what is safe to repair.
//!
//! `facts` is what was seen; `host`, `device` and `operator` judge it and are
//! pure; `examine` and `repair` touch the world.

mod device;
mod examine;
mod facts;
mod host;
mod lane;
mod operator;
mod progress;
mod repair;
mod trial;
mod verdict;
mod version;

pub use device::MIN_FREE;
pub use examine::examine;
pub use facts::{
    AdbProgram, AdbServer, DeviceFacts, Examination, FolderFacts, FoundPhones, HostFacts, LaneFacts,
    PhoneReach, SimFacts, Smoke, ViewState,
};
pub use progress::DoctorProgress;
pub use repair::repair;
pub use trial::Trials;
pub use version::{Compatibility, OPERATOR_VERSION, compatibility};

use clawperator_adb::ServerEnvironment;
use clawperator_contract::Check;
use clawperator_phone::PackageName;
use std::path::PathBuf;
use std::time::Duration;

/// What doctor gets from outside.
#[derive(Clone, Debug)]
pub struct DoctorSetup {
    pub environment: ServerEnvironment,
    /// Where our key is, or is to be made.
    pub key_file: PathBuf,
    /// Whom the key belongs to, as a phone's owner is asked.
    pub name: String,
    /// The folder for what is remembered from one run to the next.
    pub state: PathBuf,
    pub locks: PathBuf,
    pub operator_package: PackageName,
    pub operator: OperatorUse,
    pub sims: Vec<SimFacts>,
    /// Why it is not known which run.
    pub sim_trouble: Option<String>,
    /// The phone to look at; all of them where none is named.
    pub wanted: Option<String>,
    pub now: Duration,
    /// The longest that one thing may take, where it is shorter than usual.
    pub limit: Option<Duration>,
    pub depth: Depth,
}

/// Whether the Operator app is to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperatorUse {
    Wanted,
    /// The caller did not name it.
    #[default]
    NotAsked,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What changes nothing on a phone.
    Looking,
    /// An app is opened, too.
    Full,
}

/// A check, and what `--fix` can do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub check: Check,
    pub remedy: Option<Remedy>,
}

/// Something that is safe to do without the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    StartServer,
    /// Remove the marks that killed runs left.
    CleanLocks,
    /// Move a key file aside that contains no key.
    MoveKey,
    /// Switch the phone's screen on.
    Wake,
    /// Send a lock screen away that asks for nothing.
    DismissKeyguard,
    /// Give the Operator app what it needs.
    GrantOperator,
}

/// Judges what was seen. Pure.
pub fn judge(seen: &Examination) -> Vec<Finding> {
    let mut findings = host::judge(&seen.host);
    findings.extend(seen.devices.iter().flat_map(device::judge));
    findings
}
