//! What the Operator app takes, by name. Its limits are its own: it drops a
//! payload past them without a word.

/// The longest id, in UTF-16 units.
pub(super) const MAX_ID_UNITS: usize = 128;
/// The longest package name, in UTF-16 units.
pub(super) const MAX_PACKAGE_UNITS: usize = 512;
/// The largest coordinate.
pub(super) const MAX_COORDINATE: u64 = i32::MAX as u64;
/// The shortest timeout, in milliseconds; a shorter one counts as this.
pub(super) const MIN_TIMEOUT_MS: u64 = 1_000;
