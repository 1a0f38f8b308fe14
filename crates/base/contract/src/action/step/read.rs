//! Steps that read what is on the screen.

use crate::action::resolved::Resolved;
use crate::matcher::Matcher;
use crate::param::ParamKey as P;
use crate::pattern::Pattern;
use crate::retry::RetryPolicy;
use crate::word::Validator;
use std::sync::Arc;

/// Whether the first match is wanted or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matches {
    First,
    All,
}

/// What a text that was read must look like.
#[derive(Clone, Debug, PartialEq)]
pub enum TextCheck {
    None,
    Temperature,
    Version,
    /// Like this pattern, from end to end.
    Pattern(Pattern),
    /// A check no runtime knows.
    Unknown(Arc<str>),
}

impl TextCheck {
    /// The check that a validator and its pattern ask for.
    pub(crate) fn new(validator: Option<&Arc<str>>, pattern: Option<&Pattern>) -> Option<Self> {
        let Some(word) = validator else {
            return Some(Self::None);
        };
        Some(match Validator::from_word(word) {
            Some(Validator::Temperature) => Self::Temperature,
            Some(Validator::Version) => Self::Version,
            Some(Validator::Regex) => Self::Pattern(pattern?.clone()),
            None => Self::Unknown(word.clone()),
        })
    }
}

/// Reads the text of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadText {
    pub matcher: Arc<Matcher>,
    pub matches: Matches,
    /// Where to look, if not everywhere.
    pub container: Option<Arc<Matcher>>,
    /// What the text must look like.
    pub check: TextCheck,
    pub retry: RetryPolicy,
}

impl ReadText {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            matcher: given.matcher(P::Matcher)?,
            matches: given.matches()?,
            container: given.matcher(P::Container),
            check: TextCheck::new(given.params.text(P::Validator), given.pattern.as_ref())?,
            retry: given.retry(P::Retry)?,
        })
    }
}

/// Reads the value beside a label.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadKeyValuePair {
    pub label_matcher: Arc<Matcher>,
    pub matches: Matches,
    pub retry: RetryPolicy,
}

impl ReadKeyValuePair {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            label_matcher: given.matcher(P::LabelMatcher)?,
            matches: given.matches()?,
            retry: given.retry(P::Retry)?,
        })
    }
}
