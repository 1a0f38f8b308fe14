//! Steps that open and close apps, and start and stop recordings.

use crate::action::resolved::Resolved;
use crate::confirm::Confirm;
use crate::param::ParamKey as P;
use crate::retry::RetryPolicy;
use std::sync::Arc;

/// Opens an app.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenApp {
    pub application_id: Arc<str>,
    pub retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
    /// Whether it is closed first, so that it starts at its first page.
    pub fresh: bool,
}

impl OpenApp {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            application_id: given.text(P::ApplicationId)?,
            retry: given.retry(P::Retry)?,
            confirm: given.confirm(),
            fresh: given.flag(P::Fresh)?,
        })
    }
}

/// Opens a URI.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenUri {
    pub uri: Arc<str>,
    pub retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl OpenUri {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            uri: given.text(P::Uri)?,
            retry: given.retry(P::Retry)?,
            confirm: given.confirm(),
        })
    }
}

/// Stops an app.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseApp {
    pub application_id: Arc<str>,
    pub retry: RetryPolicy,
}

impl CloseApp {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            application_id: given.text(P::ApplicationId)?,
            retry: given.retry(P::Retry)?,
        })
    }
}

/// Starts or stops a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Its name, if one was chosen.
    pub session_id: Option<Arc<str>>,
    pub retry: RetryPolicy,
}

impl Recording {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            session_id: given.text(P::SessionId),
            retry: given.retry(P::Retry)?,
        })
    }
}
