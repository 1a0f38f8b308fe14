//! The bounds of a dump, by name.

/// The most bytes a dump may have. The largest seen in the wild have a few
/// hundred thousand.
pub const MAX_DUMP_BYTES: usize = 16 << 20;
/// The most elements a screen may have.
pub const MAX_NODES: usize = 50_000;
/// How deep elements may be nested.
pub const MAX_DEPTH: usize = 512;
