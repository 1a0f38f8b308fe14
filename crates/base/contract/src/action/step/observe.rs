//! Steps that capture or list what is on the screen.

use crate::action::resolved::Resolved;
use crate::limits::VIEW_BUDGET;
use crate::matcher::Matcher;
use crate::param::ParamKey as P;
use crate::retry::RetryPolicy;
use crate::word::{Asked, ViewStyle, Visibility};
use std::sync::Arc;

/// Captures the hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotUi {
    pub view: ViewStyle,
    pub budget: Option<u32>,
    /// What it is compared with, if only what changed is wanted.
    pub diff: Option<DiffBase>,
    pub retry: RetryPolicy,
}

impl SnapshotUi {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        let budget = given.count(P::Budget);
        let diff = match given.text(P::Since) {
            Some(id) => Some(DiffBase::Snapshot(id)),
            None => given.flag(P::Diff)?.then_some(DiffBase::Last),
        };
        // What is cut short or compared is a view; the hierarchy is whole.
        let default = if budget.is_some() || diff.is_some() {
            ViewStyle::Compact
        } else {
            ViewStyle::Xml
        };
        let asked = given
            .params
            .text(P::View)
            .map(|word| ViewStyle::from_any_case(word));
        let view = asked.unwrap_or(Some(default))?;
        let usual = (view == ViewStyle::Compact).then_some(VIEW_BUDGET);
        Some(Self {
            view,
            budget: budget.or(usual),
            diff,
            retry: given.retry(P::Retry)?,
        })
    }
}

/// What a snapshot is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffBase {
    /// The last snapshot of the phone, of any caller.
    Last,
    Snapshot(Arc<str>),
}

/// Captures the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeScreenshot {
    /// The file to write, if one was named.
    pub path: Option<Arc<str>>,
    pub retry: RetryPolicy,
}

impl TakeScreenshot {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            path: given.text(P::Path),
            retry: given.retry(P::Retry)?,
        })
    }
}

/// Lists the elements that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The elements; all of them where none are named.
    pub matcher: Option<Arc<Matcher>>,
    pub visibility: Visibility,
    /// The most elements to tell of; as many as fit a view's budget where none is
    /// given.
    pub limit: Option<u32>,
    pub retry: RetryPolicy,
}

impl Query {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        let visibility = match given.word(P::Visibility, Visibility::from_any_case)? {
            Asked::Known(visibility) => visibility,
            Asked::Unknown(_) => return None,
        };
        Some(Self {
            matcher: given.matcher(P::Matcher),
            visibility,
            limit: given.count(P::Limit),
            retry: given.retry(P::Retry)?,
        })
    }
}
