//! Finds elements by matchers that may name a ref.

use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher};
use clawperator_ui::{NodeId, Reason, Ref, Screen, Sight, Stale};

impl Session<'_> {
    /// Every element that fits, in reading order.
    pub(crate) fn fitting(&self, screen: &Screen<'_>, matcher: &Matcher) -> Result<Vec<NodeId>, StepFailure> {
        match &matcher.reference {
            None => Ok(screen.all(&matcher.selector()).collect()),
            Some(_) => Ok(self.first(screen, matcher)?.into_iter().collect()),
        }
    }

    /// Every element that fits among a container and what is inside it.
    pub(crate) fn fitting_inside(
        &self,
        screen: &Screen<'_>,
        (container, matcher): (NodeId, &Matcher),
    ) -> Result<Vec<NodeId>, StepFailure> {
        match &matcher.reference {
            None => Ok(screen.inside(container, &matcher.selector()).collect()),
            Some(_) => {
                let mut found = self.fitting(screen, matcher)?;
                let inside = |id: &NodeId| screen.within(container).any(|(inner, _)| inner == *id);
                found.retain(inside);
                Ok(found)
            }
        }
    }

    /// The first element that fits.
    pub(crate) fn first(
        &self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<Option<NodeId>, StepFailure> {
        self.locate(screen, matcher).map_err(|stale| stale_ref(&stale))
    }

    /// The first element that fits, or why its ref is stale.
    pub(crate) fn locate(&self, screen: &Screen<'_>, matcher: &Matcher) -> Result<Option<NodeId>, Stale> {
        let selector = matcher.selector();
        let Some(name) = &matcher.reference else {
            return Ok(screen.first(&selector));
        };
        let Some(name) = Ref::parse(name) else {
            return Ok(None);
        };
        let sight = Sight::new(*screen);
        let id = self.memory.read(|known| known.book.resolve(name, &sight))?;
        Ok(Some(id).filter(|id| screen.fits(*id, &selector)))
    }

    /// Whether an element that fits is in view. A ref that is stale is not, but
    /// one that was never given never will be.
    pub(crate) fn sees(&self, screen: &Screen<'_>, matcher: &Matcher) -> Result<bool, StepFailure> {
        match self.locate(screen, matcher) {
            Ok(found) => Ok(found.is_some()),
            Err(stale) if stale.reason == Reason::Unknown => Err(stale_ref(&stale)),
            Err(_) => Ok(false),
        }
    }
}

/// The failure of a step whose ref is stale. Looking again does not make it
/// fresh.
pub(crate) fn stale_ref(stale: &Stale) -> StepFailure {
    let failure = StepFailure::new(ErrorCode::RefStale, stale.to_string()).for_good();
    match &stale.now {
        Some(now) => failure.with(DataKey::StandsThere, now.clone()),
        None => failure,
    }
}
