//! What comes of a check.

/// What came of a check.
pub(crate) enum Outcome {
    /// It held.
    Passed,
    /// It could not run, for this reason.
    Skipped(String),
    /// It did not hold.
    Failed(String),
}
