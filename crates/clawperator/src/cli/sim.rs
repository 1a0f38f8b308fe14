//! `clawperator sim`: the commands of the simulated phone, and what other
//! commands ask about simulated phones.

mod check;
mod faults;
mod manage;
mod phones;
mod screen;
mod start;

pub(super) use check::check;
pub(super) use faults::faults;
pub(super) use manage::{advance, finger, list, status, stop};
pub(super) use phones::{find_or_start, known, running};
pub(super) use screen::screen;
pub(super) use start::start;
