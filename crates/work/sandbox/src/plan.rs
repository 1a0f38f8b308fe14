//! What is to be run, and what it may do. Pure.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// A program and all that it gets. There is no `Debug`: its variables are private.
#[derive(Clone, Serialize, Deserialize)]
pub struct Plan {
    /// The program; without a slash it is looked for in the `PATH` of `variables`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub variables: Vec<(OsString, OsString)>,
    /// Where it starts; must be in one of the folders below, or a folder of the system.
    pub folder: PathBuf,
    /// Files and folders that it may read, besides the system's. With
    /// [`Programs::All`] it may execute what is in them, too.
    pub read: Vec<PathBuf>,
    /// Folders that it may change. With [`Programs::All`] it may execute what is in them, too.
    pub write: Vec<PathBuf>,
    pub programs: Programs,
    pub network: Network,
    /// How much of everything it gets.
    pub limits: Limits,
    /// What happens if the system lacks a part of the confinement.
    pub level: Level,
}

/// What a program may execute. The kernel decides it, for every caller and every call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Programs {
    /// Everything that it may read.
    #[default]
    All,
    /// The system's programs of these names, their interpreters, the program itself,
    /// and nothing else. A name is looked for in the `PATH` of the plan.
    Only(Vec<String>),
}

/// What a program may connect to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    #[default]
    None,
    /// TCP, to these ports, on any host: the kernel's rules know no addresses.
    TcpPorts(Vec<u16>),
}

/// How much a program gets. Time and output belong to a [`Job`](crate::Job).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of processor time of each process.
    pub cpu_seconds: u64,
    pub memory_bytes: u64,
    /// Processes and threads. Where the bound is that of a pid namespace, 300 is
    /// the least that the kernel can do.
    pub processes: u32,
    pub open_files: u64,
    /// Bytes of each file that it writes.
    pub file_bytes: u64,
    /// Bytes of its own `/tmp`.
    pub scratch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu_seconds: 300,
            memory_bytes: 2 << 30,
            processes: 300,
            open_files: 1024,
            file_bytes: 256 << 20,
            scratch_bytes: 64 << 20,
        }
    }
}

/// What happens if the system lacks a part of the confinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// The program is not started.
    #[default]
    Strict,
    /// It runs without the part, and the result names it.
    BestEffort,
}
