//! Which capabilities a step needs.

use super::step::RecipeStep;
use super::word::Capability;
use clawperator_contract::{ActionEffect, ClickType, ParamKey};

/// The capabilities that a step uses. What a click brings about, such as a
/// changed setting, cannot be seen from here: the author declares it.
pub fn needs(step: &RecipeStep) -> Vec<Capability> {
    let touch = step.touch().map(|touch| match touch {
        ClickType::LongClick => Capability::LongClick,
        ClickType::Click | ClickType::Focus => Capability::Click,
    });
    let row = step.kind.spec();
    let own = match row.effect {
        ActionEffect::Nothing => None,
        ActionEffect::Observes | ActionEffect::Waits => Some(Capability::Observe),
        ActionEffect::Moves | ActionEffect::Borrows => Some(Capability::Navigate),
        // A list is scrolled whether or not something is clicked then.
        ActionEffect::Touches => row.uses(ParamKey::Direction).then_some(Capability::Navigate),
        ActionEffect::Changes => Some(Capability::Toggle),
    };
    let confirm = step.confirm.as_ref().map(|_| Capability::Observe);
    [own, touch, confirm].into_iter().flatten().collect()
}
