//! The Operator app that is to run an execution.

use clawperator_phone::PackageName;
use std::time::Duration;

/// How long to wait for an answer after the execution's timeout: the app keeps
/// to the timeout itself and needs time to say so.
pub const GRACE: Duration = Duration::from_secs(5);

/// The Operator app that runs an execution.
#[derive(Clone, Debug)]
pub struct OperatorApp {
    pub package: PackageName,
    /// How long to wait for an answer after the timeout; usually [`GRACE`].
    pub grace: Duration,
    pub presence: AppPresence,
}

/// Whether an app is known to be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppPresence {
    Unknown,
    /// The phone has just said so.
    Known,
}

impl OperatorApp {
    /// The app of this package, with the usual [`GRACE`].
    pub fn new(package: PackageName) -> Self {
        Self { package, grace: GRACE, presence: AppPresence::Unknown }
    }
}
