//! Why there is no step.

use super::limits::MAX_ERROR_TEXT;
use super::reply::Usage;
use clawperator_contract::text::cut;
use std::time::Duration;

/// Why a model gave no step.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model's server answered {status}: {text}")]
    Refused { status: u16, text: String, retry_after: Option<Duration>, attempts: u32 },
    #[error("the model's server did not answer: {why} (sent {attempts} times)")]
    Network { why: String, attempts: u32 },
    #[error("the model did not answer within its time (sent {attempts} times)")]
    Late { attempts: u32 },
    #[error("the model's answer cannot be read: {0}")]
    Unreadable(String),
    #[error("the model's answer has more than {0} bytes")]
    TooLarge(usize),
    /// The answer is whole, and no tool can be called with it. It cost what it cost.
    #[error("{why}")]
    Mistake { why: String, usage: Usage },
    #[error("line {line} of the script: {why}")]
    Script { line: usize, why: String },
    #[error("the script {0}")]
    NoScript(String),
    #[error("no HTTP client can be made: {0}")]
    Client(String),
}

impl ModelError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Refused { status: 401 | 403, .. } => "Check the API key and what it may use.",
            Self::Refused { status: 404, .. } => "Check the model's name, and --base-url.",
            Self::Refused { status: 429, .. } => "Wait, or use a key with a higher limit.",
            Self::Refused { status, .. } if *status >= 500 => "Try again later.",
            Self::Refused { .. } => "Read what the server says; another dialect may fit it.",
            Self::Network { .. } => "Check the network, and --base-url.",
            Self::Late { .. } => "Allow more time with --step-timeout, or use a faster model.",
            Self::Unreadable(_) | Self::TooLarge(_) => "Check that the server speaks this dialect.",
            Self::Mistake { .. } => "Use a model that calls tools.",
            Self::Script { .. } => "Correct the script; the element must be on the screen at that step.",
            Self::NoScript(_) => "Name a file that is there, of at most 4 MiB.",
            Self::Client(_) => "Check the system's certificates.",
        }
    }
}

pub(super) fn beginning(text: &str) -> String {
    cut(text.trim(), MAX_ERROR_TEXT).into_owned()
}
