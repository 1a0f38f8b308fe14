//! What was seen of this computer and of phones, before it is judged.

use super::{OperatorUse, Trials};
use clawperator_adb::StoredKey;
use clawperator_phone::devices::PhoneChoice;
use clawperator_phone::{ResidentSetup, ServerState, Vitals};
use std::path::PathBuf;

/// All that was seen.
#[derive(Clone, Debug)]
pub struct Examination {
    pub host: HostFacts,
    /// The phones, in the order of their serials.
    pub devices: Vec<DeviceFacts>,
}

/// A folder, and why it cannot be written to, if it cannot.
#[derive(Clone, Debug)]
pub struct FolderFacts {
    pub path: PathBuf,
    pub trouble: Option<String>,
}

/// What was seen of this computer.
#[derive(Clone, Debug)]
pub struct HostFacts {
    pub state: FolderFacts,
    pub locks: FolderFacts,
    /// The phones that killed runs left marked.
    pub stale: Vec<String>,
    pub program: AdbProgram,
    pub server: AdbServer,
    pub key: StoredKey,
    pub key_file: PathBuf,
    pub sims: Vec<SimFacts>,
    /// Why it is not known which run.
    pub sim_trouble: Option<String>,
    pub wanted: Option<String>,
    pub found: FoundPhones,
}

/// The serials of the phones that were found.
#[derive(Clone, Debug, Default)]
pub struct FoundPhones {
    /// Those that can be used and that the adb server knows.
    pub listed: Vec<String>,
    /// Those that can be used, and that only who names them reaches.
    pub direct: Vec<String>,
    /// Those that cannot be used.
    pub others: Vec<String>,
}

/// The adb program.
#[derive(Clone, Debug)]
pub enum AdbProgram {
    Version(String),
    /// There is none of this name.
    Missing(String),
    /// It does not do what it should.
    Broken(String),
}

/// The adb server.
#[derive(Clone, Debug)]
pub enum AdbServer {
    Answers {
        address: String,
        version: u32,
    },
    NotRunning {
        address: String,
    },
    /// Something is there and does not answer as it should.
    Broken {
        address: String,
        trouble: String,
    },
    /// The environment names no address.
    Misnamed(String),
}

/// A simulated phone.
#[derive(Clone, Debug)]
pub struct SimFacts {
    pub name: String,
    pub serial: String,
    pub pid: u32,
    pub answers: bool,
}

/// How far one gets with a phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PhoneReach {
    #[default]
    Ready,
    /// It has not accepted our key.
    Unauthorized,
    /// It is known and does not answer.
    Offline,
    /// This computer may not use it, in the adb server's words.
    NoPermission(String),
    /// It is in a state in which nothing can be done, such as `recovery`.
    Other(String),
    /// The connection does not come about.
    Broken(String),
}

/// What came of looking at the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewState {
    /// A tree with so many nodes.
    Tree(usize),
    /// The screen never came to rest.
    Restless,
    /// Something else watches the screen.
    Watched,
    /// An execution has the phone, so it was left alone.
    InUse(String),
    /// No program of ours can read it: the phone's adb is too old.
    TooOld(String),
    None(String),
}

/// What came of opening an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Smoke {
    /// It came up, and its screen could be read.
    Opened,
    Failed(String),
}

/// What was seen of a phone.
#[derive(Clone, Debug, Default)]
pub struct DeviceFacts {
    pub serial: String,
    /// Its name, if it is simulated.
    pub sim: Option<String>,
    /// Whether the adb server leads to it.
    pub on_server: bool,
    pub reached: PhoneReach,
    /// How it is, or why it does not say.
    pub vitals: Option<Result<Vitals, String>>,
    pub view: Option<ViewState>,
    /// How many bytes a picture of its screen has, or why there is none.
    pub picture: Option<Result<usize, String>>,
    pub smoke: Option<Smoke>,
    /// How many commands it was sent.
    pub round_trips: u64,
    pub operator_package: String,
    pub operator: OperatorUse,
    pub lane: Option<LaneFacts>,
    /// Whether it answers, although it did not say in time how it is.
    pub answers: bool,
    pub trials: Option<Trials>,
}

impl DeviceFacts {
    /// How to connect to the phone.
    pub(super) fn way(&self) -> PhoneChoice {
        let way = if self.on_server { PhoneChoice::Server } else { PhoneChoice::Direct };
        way(self.serial.clone())
    }
}

/// What was seen of a phone's resident server.
#[derive(Clone, Debug)]
pub struct LaneFacts {
    /// Whether it runs, and who is in its way.
    pub state: ServerState,
    pub set_up: ResidentSetup,
}
