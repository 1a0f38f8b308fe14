//! Finds elements by matchers that may name a ref.

use crate::outcome::StepFailure;
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher};
use clawperator_ui::{Fingerprints, NodeId, Ref, RefBook, RefUse, Screen, Stale, StaleReason, Tree};

impl Run<'_> {
    /// Every element that matches, in reading order.
    pub(crate) fn matching(
        &mut self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<Vec<NodeId>, StepFailure> {
        match &matcher.reference {
            None => Ok(screen.all(&matcher.selector()).collect()),
            Some(_) => Ok(self.first_match(screen, matcher)?.into_iter().collect()),
        }
    }

    /// Every element that matches, among a container and what is inside it.
    pub(crate) fn matching_inside(
        &mut self,
        screen: &Screen<'_>,
        container: NodeId,
        matcher: &Matcher,
    ) -> Result<Vec<NodeId>, StepFailure> {
        if matcher.reference.is_none() {
            return Ok(screen.inside(container, &matcher.selector()).collect());
        }
        let mut found = self.matching(screen, matcher)?;
        found.retain(|id| screen.within(container).any(|(inner, _)| inner == *id));
        Ok(found)
    }

    pub(crate) fn first_match(
        &mut self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<Option<NodeId>, StepFailure> {
        self.locate(screen, matcher).map_err(|stale| stale_ref(&stale))
    }

    /// The first element that matches, or why its ref is stale.
    pub(crate) fn locate(&mut self, screen: &Screen<'_>, matcher: &Matcher) -> Result<Option<NodeId>, Stale> {
        let selector = matcher.selector();
        let Some(name) = &matcher.reference else {
            return Ok(screen.first(&selector));
        };
        let Some(name) = Ref::parse(name) else {
            return Ok(None);
        };
        let what_for = if self.rules.submits { RefUse::Submit } else { RefUse::Act };
        let id = self.book_of(name).resolve_for(what_for, name, &Fingerprints::new(*screen));
        let id = id.map_err(|stale| {
            let there = stale.there.and_then(|id| self.lease.name(screen.tree(), id));
            let now = stale.now.map(|now| match there {
                Some(name) => format!("{name} {now}"),
                None => now,
            });
            Stale { now, ..stale }
        })?;
        Ok(Some(id).filter(|id| screen.fits(*id, &selector)))
    }

    /// What a field or a slider shows was set by this run.
    pub(crate) fn note_typed(&mut self, tree: &Tree, id: NodeId) {
        self.change_books(|book| book.note_typed(tree, id));
    }

    /// An element is touched by this run.
    pub(crate) fn note_touched(&mut self, tree: &Tree, id: NodeId) {
        // A note is written to a file, and this comes right before the touch.
        if RefBook::may_tick(tree, id) {
            self.change_books(|book| book.note_touched(tree, id));
        }
    }

    fn change_books(&mut self, change: impl Fn(&mut RefBook)) {
        self.lease.memory.change(|views| change(&mut views.book));
        self.book.as_mut().map(change);
    }

    /// The refs as the caller of one knew them.
    fn book_of(&mut self, name: Ref) -> &RefBook {
        let book = self.book.as_ref().filter(|known| name.number() <= known.last());
        book.unwrap_or(&self.lease.memory.views().book)
    }

    /// Whether the element of a stale ref may be there all the same.
    pub(crate) fn may_be_seen(&mut self, screen: &Screen<'_>, stale: &Stale) -> bool {
        self.book_of(stale.name).may_be_seen(stale.name, &Fingerprints::new(*screen))
    }

    /// Elements in a few words, each with a ref: the next call needs no look.
    pub(crate) fn element_names(
        &mut self,
        screen: &Screen<'_>,
        ids: impl IntoIterator<Item = NodeId>,
    ) -> String {
        let shown = ids.into_iter().map(|id| {
            let name = self.lease.name(screen.tree(), id);
            let name = name.map(|name| format!("{name} ")).unwrap_or_default();
            name + &screen.tree().excerpt(id)
        });
        let shown: Vec<_> = shown.collect();
        shown.join("; ")
    }

    /// Whether an element that matches is in view. A stale ref is not in view;
    /// a ref that was never given is an error.
    pub(crate) fn sees(&mut self, screen: &Screen<'_>, matcher: &Matcher) -> Result<bool, StepFailure> {
        match self.locate(screen, matcher) {
            Ok(found) => Ok(found.is_some()),
            Err(stale) if stale.reason == StaleReason::Unknown => Err(stale_ref(&stale)),
            Err(_) => Ok(false),
        }
    }
}

/// The failure of a step with a stale ref. Looking again cannot help.
pub(crate) fn stale_ref(stale: &Stale) -> StepFailure {
    let failure = StepFailure::new(ErrorCode::RefStale, stale.to_string()).for_good();
    match &stale.now {
        Some(now) => failure.with(DataKey::StandsThere, now.clone()),
        None => failure,
    }
}
