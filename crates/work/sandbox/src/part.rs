//! The parts that a sandbox is made of, and what is open without each of them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One part of the confinement. All of them are needed, unless a plan says
/// [`Level::BestEffort`](crate::Level::BestEffort).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// A user namespace: no rights over anything outside.
    UserNamespace,
    /// A mount namespace: only the files of the plan exist.
    MountNamespace,
    /// A pid namespace: other processes do not exist, and all of its own end together.
    PidNamespace,
    /// A network namespace: no interface, no address, no abstract socket.
    NetworkNamespace,
    /// Landlock: files are read and written only where the plan says.
    FileRules,
    /// Landlock: connections only to the ports of the plan.
    PortRules,
    /// Seccomp: no sockets, no tracing, no mounts.
    SystemCalls,
    /// A bound on the number of processes.
    ProcessCount,
}

impl Part {
    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserNamespace => "user namespace",
            Self::MountNamespace => "mount namespace",
            Self::PidNamespace => "pid namespace",
            Self::NetworkNamespace => "network namespace",
            Self::FileRules => "Landlock file rules (Linux 6.2)",
            Self::PortRules => "Landlock port rules (Linux 6.7)",
            Self::SystemCalls => "seccomp",
            Self::ProcessCount => {
                "bound on processes (pid_max of a namespace, Linux 6.14, or a user other than root)"
            }
        }
    }
}

/// A part that this system lacks, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub part: Part,
    pub reason: String,
}

impl Missing {
    /// Only the launcher looks for parts.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(part: Part, reason: impl fmt::Display) -> Self {
        Self { part, reason: reason.to_string() }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part.name(), self.reason)
    }
}
