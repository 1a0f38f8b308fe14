//! The bounds of recordings.

use std::time::Duration;

/// The most bytes of a recording that are read.
pub const MAX_READ_BYTES: usize = 256 << 20;
/// A recording that has grown to so many bytes ends.
pub const MAX_WRITTEN_BYTES: u64 = 64 << 20;
/// A recording that has so many events ends.
pub const MAX_EVENTS: u64 = 5_000;
/// How long a recording runs if it is not stopped.
pub const MAX_DURATION: Duration = Duration::from_secs(60 * 60);
/// The longest name of a recording: it is the name of a file, too.
pub const MAX_SESSION_ID: usize = 200;
/// The most differences of two screens that are listed.
pub const MAX_DIFFERENCES: usize = 20;
/// The most labels without digits that may be others on a similar screen.
pub const MAX_OTHER_LABELS: usize = 2;
/// The most labelled elements inside a touched one that may stand for it.
pub const MAX_STAND_INS: usize = 8;
/// So many screens before and after a typed text are searched for its field.
pub const MAX_SCREENS_AROUND: usize = 20;
/// The longest line of input events that is read.
pub const MAX_INPUT_LINE: usize = 4 << 10;
/// The most fingers at a time.
pub const MAX_FINGERS: usize = 16;
/// The most places of one look that are noted as changing by themselves.
pub const MAX_RESTLESS: usize = 100;
/// The most password fields that are remembered.
pub const MAX_SECRET_FIELDS: usize = 1_000;
/// The most texts that were seen in password fields and are remembered.
pub const MAX_SECRETS: usize = 64;
