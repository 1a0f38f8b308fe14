//! The typed steps: one type per action, every value read, defaulted and in
//! its range, and how it is built from checked parameters. This is what a
//! runtime works from.
//!
//! A builder returns `None` only where a rule of the catalogue should have
//! refused the parameters before.

mod app;
mod observe;
mod read;
mod scroll;
mod touch;
mod wait;

pub use app::*;
pub use observe::*;
pub use read::*;
pub use scroll::*;
pub use touch::*;
pub use wait::*;
