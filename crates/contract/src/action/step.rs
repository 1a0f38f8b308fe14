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

pub use app::{CloseApp, OpenApp, OpenUri, Recording};
pub use observe::{Query, SnapshotUi, TakeScreenshot};
pub use read::{Matches, ReadKeyValuePair, ReadText, TextCheck};
pub use scroll::{Scroll, ScrollAndClick, ScrollUntil, Swipe};
pub use touch::{Click, EnterText, PressKey, Target};
pub use wait::{Presence, Sleep, WaitForNavigation, WaitForNode};
