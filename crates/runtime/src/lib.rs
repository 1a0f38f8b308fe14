//! Runs a checked execution on a phone over adb.
//!
//! It knows neither how the execution came in nor which phone it got. Only
//! [`phone`] names a command of a phone.

pub mod devices;
pub mod lock;
mod look;
mod memory;
pub mod phone;
pub mod quote;
mod refs;
mod session;
mod step_failure;
mod steps;

pub use devices::{Choice, ChoiceError, Reach, ResolveError, choose, connect, resolve};
pub use lock::{Conflict, Guard, LockError, Locks, Owner};
pub use phone::{
    CaptureError, CommandKind, Dispatched, DumpWay, Foreground, KeyCode, Keyboards, PackageFilter, Phone,
    PhoneError, Point, TypingKeyboard, Views, can_type_ascii,
};
pub use quote::{Nul, quote};
pub use session::{Options, Strictness, run, run_until};
