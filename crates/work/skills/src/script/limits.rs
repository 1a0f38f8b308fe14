//! How much of a script is waited for, read and kept.

use std::time::Duration;

/// How long a skill may take if neither the caller nor the skill says.
pub const USUAL_TIME: Duration = Duration::from_secs(120);
/// The longest time a caller or a skill can ask for.
pub const MOST_TIME: Duration = Duration::from_secs(24 * 3600);
/// How many bytes of the beginning of an output are kept.
pub const HEAD: usize = 512 << 10;
/// How many bytes of the end of an output are kept.
pub const TAIL: usize = 512 << 10;
/// The most bytes of the JSON line of a frame.
pub const MAX_FRAME: usize = 4 << 20;
/// The most checkpoints of a frame.
pub const MAX_CHECKPOINTS: usize = 1000;
