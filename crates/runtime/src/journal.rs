//! Journals on disk: a folder for each execution, with the lines of what
//! happened, and the trees and pictures that the lines name.
//!
//! It knows files, and nothing of phones.

pub(crate) mod chain;
mod folder;
mod kept;
pub mod limits;
mod run;
mod stamp;

pub use chain::{Break, Entry, Verdict, digest};
pub use folder::{Folder, Found, JournalError};
pub use kept::{EMPTY, Flaw, Judgement, Kept};
pub(crate) use run::Run;
pub use stamp::iso_time;
pub(crate) use stamp::shown_time;
