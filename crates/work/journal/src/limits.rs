//! How large journals get, and how long they are kept. docs/journal.md says the same.

use std::time::Duration;

/// The most executions that are remembered.
pub const MAX_RUNS: usize = 500;
/// The most bytes of all of them together.
pub const MAX_TOTAL: u64 = 512 << 20;
/// How long the limits are not looked at again: that takes the longer the more there is.
pub const SWEEP: Duration = Duration::from_secs(600);
/// How many executions begin in that time before they are looked at all the same.
pub const MAX_UNSWEPT: usize = 50;
/// The most bytes of one line.
pub const MAX_LINE: usize = 4 << 20;
/// The most bytes of one journal's lines, but for the ends of its steps.
pub const MAX_LINES_BYTES: u64 = 8 << 20;
/// The most bytes of the trees and pictures of one execution.
pub const MAX_KEPT_BYTES: u64 = 64 << 20;
/// The most different trees of one execution.
pub const MAX_TREES: usize = 1000;
/// The most different pictures of one execution.
pub const MAX_PICTURES: usize = 120;
/// The most bytes of one picture.
pub const MAX_PICTURE: usize = 16 << 20;
/// The most bytes of a journal that are read.
pub const MAX_READ: u64 = 64 << 20;
/// The most letters of a command id in the name of a folder.
pub const MAX_NAME: usize = 60;
