//! Steps that wait.

use crate::action::resolved::Resolved;
use crate::matcher::Matcher;
use crate::param::ParamKey as P;
use crate::retry::RetryPolicy;
use std::sync::Arc;
use std::time::Duration;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    There,
    Gone,
}

/// Waits for an element, or until there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForNode {
    pub matcher: Arc<Matcher>,
    pub presence: Presence,
    /// How long at the most, if bounded by more than the retries.
    pub timeout: Option<Duration>,
    pub retry: RetryPolicy,
}

impl WaitForNode {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        let timeout = given.millis(P::TimeoutMs);
        let mut retry = given.retry(P::Retry)?;
        // A caller that says how long to wait, but not how often to look, must not be
        // left early because a preset's attempts are used up.
        if timeout.is_some() && given.params.retry(P::Retry).is_none() {
            retry.max_attempts = u32::MAX;
        }
        Some(Self {
            matcher: given.matcher(P::Matcher)?,
            presence: if given.flag(P::Gone)? {
                Presence::Gone
            } else {
                Presence::There
            },
            timeout,
            retry,
        })
    }
}

/// Waits for an app or an element to come up.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForNavigation {
    pub expected_package: Option<Arc<str>>,
    pub expected_node: Option<Arc<Matcher>>,
    pub timeout: Duration,
}

impl WaitForNavigation {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            expected_package: given.text(P::ExpectedPackage),
            expected_node: given.matcher(P::ExpectedNode),
            timeout: given.millis(P::TimeoutMs)?,
        })
    }
}

/// Waits for a toast.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForToast {
    pub text: Arc<str>,
    pub timeout: Duration,
}

impl WaitForToast {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            text: given.text(P::Text)?,
            timeout: given.millis(P::TimeoutMs)?,
        })
    }
}

/// Waits for a fixed time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sleep {
    pub duration: Duration,
    pub retry: RetryPolicy,
}

impl Sleep {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            duration: given.millis(P::DurationMs)?,
            retry: given.retry(P::Retry)?,
        })
    }
}
