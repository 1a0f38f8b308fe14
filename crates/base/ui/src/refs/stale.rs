//! Why a ref no longer names an element.

use super::Ref;
use crate::tree::NodeId;
use std::fmt;

/// Why a ref no longer names an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    pub name: Ref,
    pub reason: StaleReason,
    /// What the ref was given to, in a few words.
    pub was: Option<String>,
    /// What is in its place now, in a few words.
    pub now: Option<String>,
    /// The element in its place now.
    pub there: Option<NodeId>,
}

/// Why a ref is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleReason {
    /// It was never given, or was forgotten.
    Unknown,
    OtherScreen,
    /// The element is gone or has changed.
    Gone,
    /// Other elements look the same, and the screen has changed.
    NotAlone,
    /// It looks the same, and everything beside it is different.
    Moved,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match (&self.was, self.reason) {
            (_, StaleReason::Unknown) | (None, _) => {
                write!(f, "{name} was given to nothing that is known here")
            }
            (Some(was), StaleReason::OtherScreen) => {
                write!(f, "{name} was {was}, on another screen or on this one before it changed")
            }
            (Some(was), StaleReason::Gone) => {
                write!(f, "{name} was {was}, which is not in view now, or has changed")
            }
            (Some(was), StaleReason::NotAlone) => {
                write!(f, "{name} was {was}, which others look like, and the screen has changed")
            }
            (Some(was), StaleReason::Moved) => {
                write!(f, "{name} was {was}; what looks like it now stands among others")
            }
        }
    }
}

impl std::error::Error for Stale {}
