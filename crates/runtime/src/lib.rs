//! Runs a checked execution on a phone over adb.
//!
//! It knows neither how the execution came in nor which phone it got. Only
//! [`phone`] names a command of a phone.

pub mod lock;
pub mod quote;

pub use lock::{Conflict, Guard, LockError, Locks, Owner};
pub use quote::{Nul, quote};
