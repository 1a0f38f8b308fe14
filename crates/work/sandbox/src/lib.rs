//! Runs a foreign program confined: which files it sees and changes, that it has
//! no network, how many processes, how much memory, time and output it gets, and
//! that nothing of it is left afterwards.
//!
//! [`Sandbox::run`] starts this program again (the *launcher*), which takes the
//! rights away from itself and then starts the foreign program. This crate knows
//! no phone, no model and no skill. docs/sandbox.md says what is confined and what is not.

mod error;
#[cfg(target_os = "linux")]
mod linux;
mod part;
mod plan;
#[cfg(target_os = "linux")]
mod runnable;
mod supervisor;
#[cfg(target_os = "linux")]
mod wire;

pub use error::SandboxError;
#[cfg(target_os = "linux")]
pub use linux::enter;
pub use part::{Missing, Part};
pub use plan::{Level, Limits, Network, Plan, Programs};
pub use supervisor::{Channel, Ending, InputPiece, Job, ProgramResult, Sandbox};

/// The argument with which a program becomes the launcher: it passes the rest of
/// its arguments to [`enter`].
pub const LAUNCH: &str = "__sandbox";

/// Without Linux there is no launcher.
#[cfg(not(target_os = "linux"))]
pub fn enter(_arguments: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
