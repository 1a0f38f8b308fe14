//! How often a step that is done again has acted, and on what.

use super::{Run, StepAct};
use crate::outcome::StepFailure;
use clawperator_contract::{ErrorCode, Matcher};
use clawperator_phone::{Act, ActError, DispatchState, Finger, PhoneError, Precondition};
use clawperator_ui::{Fingerprints, NodeId, Press, Screen};

/// How often a step has acted, and what it pressed last.
#[derive(Default)]
pub(crate) struct Repetition {
    times: u32,
    /// Whether the phone accepted the act under way.
    pub(crate) is_accepted: bool,
    press: Option<Press>,
    /// The app that it began in, if it looks.
    pub(crate) app: Option<String>,
    /// The window that it moves a finger over.
    front: Option<String>,
}

impl Repetition {
    /// Refuses to move a finger over another window than before: a dialog came up, or another app.
    pub(crate) fn check(&mut self, act: &Act) -> Result<(), ActError> {
        if let Act::Touch(Finger::Swipe(_) | Finger::Drag(..), Precondition::Front(front)) = act
            && self.front.get_or_insert_with(|| front.state().to_owned()) != front.state()
        {
            let dispatched = DispatchState::No;
            return Err(PhoneError::ScreenChanged { window: None, dispatched }.into());
        }
        Ok(())
    }

    /// How often it was done, for a message.
    pub(crate) fn often(&self, act: StepAct) -> String {
        let maybe = match act {
            StepAct::Sent => ", perhaps once more",
            StepAct::None | StepAct::Accepted => "",
        };
        match self.times + u32::from(self.is_accepted) {
            0 => String::new(),
            1 => format!(", done once{maybe}"),
            times => format!(", done {times} times{maybe}"),
        }
    }
}

impl Run<'_> {
    /// The element that the step pressed before, for one that is named by a ref: what it
    /// changes around itself does not make another of it.
    pub(crate) fn same_again(&self, screen: &Screen<'_>, matcher: &Matcher) -> Option<NodeId> {
        let press = self.repetition.as_ref()?.press.as_ref()?;
        matcher.reference.as_ref()?;
        press.find(&Fingerprints::new(*screen))
    }

    /// Refuses to press what only fits like the element that the step pressed before: a
    /// dialog came up, or another page.
    pub(crate) fn check_again(&mut self, screen: &Screen<'_>, found: NodeId) -> Result<(), StepFailure> {
        let Some(repetition) = &mut self.repetition else {
            return Ok(());
        };
        let fingerprints = Fingerprints::new(*screen);
        let is_again = |before: &Press| before.is_again(&fingerprints, found);
        if repetition.press.as_ref().is_none_or(is_again) {
            repetition.press = Some(Press::new(&fingerprints, found));
            return Ok(());
        }
        let named = screen.tree().excerpt(found);
        let message = format!("the page or the element is not as it was; {named} was not pressed");
        Err(StepFailure::new(ErrorCode::NodeNotFound, message).for_good())
    }

    /// How often this step has acted.
    pub(crate) fn times(&self) -> u32 {
        self.repetition.as_ref().map_or(0, |repetition| repetition.times)
    }

    /// Counts so many acts that the phone accepted.
    pub(crate) fn count(&mut self, acts: u32) {
        if let Some(repetition) = &mut self.repetition {
            repetition.times += acts;
            repetition.is_accepted = false;
        }
    }
}
