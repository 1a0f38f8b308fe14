//! Which capabilities a step needs.

use super::step::Step;
use super::word::Capability;
use clawperator_contract::{ActionKind, ClickType};

/// The capabilities that a step uses. What a click brings about, such as a
/// changed setting, cannot be seen from here: the author declares it.
pub fn needs(step: &Step) -> Vec<Capability> {
    let touch = step.touch().map(|touch| match touch {
        ClickType::LongClick => Capability::LongClick,
        ClickType::Click | ClickType::Focus => Capability::Click,
    });
    let own = match step.kind {
        // A list is scrolled whether or not something is clicked then.
        ActionKind::OpenApp | ActionKind::CloseApp | ActionKind::ScrollAndClick => Some(Capability::Navigate),
        ActionKind::Sleep | ActionKind::Click => None,
        _ => Some(Capability::Observe),
    };
    let confirm = step.confirm.as_ref().map(|_| Capability::Observe);
    [own, touch, confirm].into_iter().flatten().collect()
}
