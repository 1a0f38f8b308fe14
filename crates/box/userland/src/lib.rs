//! A small Unix user land in memory: files, a shell, and the basic commands.
//!
//! It does not know about Android, adb or the host, and nothing in it reaches the
//! host's files, processes, network, environment or clock.

mod call;
mod errno;
mod expression;
mod files;
mod identity;
mod kernel;
mod launch;
pub mod limits;
mod machine;
mod pattern;
mod shell;
mod signal;
mod stream;
mod toybox;

pub use call::{Call, Write};
pub use errno::Errno;
pub use files::{
    Access, DeviceFile, DirectoryEntry, DiskUsage, FileKind, FileSystem, Files, Ownership, Stat,
};
pub use identity::{Actor, Identity};
pub use kernel::{Jobs, Kernel, Pid, Process, ProcessGuard, Processes};
pub use machine::{ExitResult, Machine, Program, Stop, Uname, Zone};
pub use shell::{Shell, ShellResult, Terminal, run, split_fields};
pub use stream::{Ends, Input, Io, Output, OutputError, OutputPiece, OutputStream};
pub use toybox::names as basic_commands;
