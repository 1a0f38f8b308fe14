//! The limits of the Operator app, by name. It drops a payload past them without saying so.

/// The longest id, in UTF-16 units.
pub(super) const MAX_ID_UNITS: usize = 128;
/// The longest package name, in UTF-16 units.
pub(super) const MAX_PACKAGE_UNITS: usize = 512;
pub(super) const MAX_COORDINATE: f64 = i32::MAX as f64;
/// The shortest timeout, in milliseconds; a shorter one counts as this.
pub(super) const MIN_TIMEOUT_MS: u64 = 1_000;
