//! The bounds of what is read and of what is reported.

/// The most that is read of a document.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub bytes: usize,
    pub depth: usize,
    pub keys: usize,
}

/// The most problems that one report lists; the rest are counted.
pub const MAX_PROBLEMS: usize = 500;
/// The most unknown keys of one object that a problem lists; the rest are counted.
pub const MAX_INVALID_KEYS: usize = 64;
/// The most characters of a caller's own words that the first problem repeats.
pub const MAX_LEADING_ECHO: usize = 2_048;
/// The most characters of them that any other problem repeats.
pub const MAX_ECHO: usize = 256;
