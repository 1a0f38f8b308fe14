//! Which capabilities a step needs.

use super::step::Step;
use super::word::Capability;
use clawperator_contract::{ActionKind, ClickType};

/// The capabilities that a step uses. What a click brings about, such as a
/// changed setting, cannot be seen from here: the author declares it.
#[must_use]
pub fn needs(step: &Step) -> Vec<Capability> {
    let own = match (step.touch(), step.kind) {
        (Some(ClickType::LongClick), _) => Some(Capability::LongClick),
        (Some(ClickType::Click | ClickType::Focus), _) => Some(Capability::Click),
        (None, ActionKind::OpenApp | ActionKind::CloseApp | ActionKind::ScrollAndClick) => {
            Some(Capability::Navigate)
        }
        (None, ActionKind::Sleep) => None,
        (None, _) => Some(Capability::Observe),
    };
    let confirm = step.confirm.as_ref().map(|_| Capability::Observe);
    own.into_iter().chain(confirm).collect()
}
