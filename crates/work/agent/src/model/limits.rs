//! How much is read, kept and tried.

use std::time::Duration;

pub(super) const MAX_ANSWER: usize = 8 * 1024 * 1024;
pub(super) const MAX_EVENT: usize = 4 * 1024 * 1024;
/// The most bytes of an error's text that are shown.
pub(super) const MAX_ERROR_TEXT: usize = 400;
/// How often a request is sent at most.
pub(super) const MAX_ATTEMPTS: u32 = 5;
/// The first pause between two attempts, without a wish of the server.
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two attempts, whatever the server wishes.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(60);
pub(super) const CONNECT: Duration = Duration::from_secs(15);
/// The most tokens of one answer that are asked for.
pub(super) const ANSWER_TOKENS: u64 = 4096;
/// The most bytes of a key, a script or a price file.
pub(super) const MAX_FILE: u64 = 4 * 1024 * 1024;
pub(super) const MAX_SCRIPT_STEPS: usize = 10_000;
