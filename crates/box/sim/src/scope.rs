//! What names mean at one place of an app: rows, state, then the phone.

use crate::app::expression::Names;
use crate::app::value::{AppState, Value};
use crate::phone::Phone;
use crate::view::Locals;
use std::borrow::Cow;

/// Where expressions are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) phone: &'a Phone,
    pub(crate) state: &'a AppState,
    pub(crate) locals: &'a Locals,
}

impl Names for Scope<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let local = self.locals.iter().rev().find(|(local, _)| local == first).map(|(_, value)| value);
        if let Some(value) = local.or_else(|| self.state.get(first)) {
            return follow(value, rest).map(Cow::Borrowed);
        }
        self.phone.name(first, rest.unwrap_or_default()).map(Cow::Owned)
    }
}

/// The part of a value that dotted names lead to.
fn follow<'v>(value: &'v Value, rest: Option<&str>) -> Option<&'v Value> {
    match rest {
        None => Some(value),
        Some(rest) => rest.split('.').try_fold(value, |value, name| value.part(name)),
    }
}
