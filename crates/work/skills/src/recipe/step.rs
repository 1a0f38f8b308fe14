//! The steps of a recipe: their types, and what a step says.

use super::output::OutputUse;
use super::problem::RecipePlace;
use super::selector::RecipeSelector;
use clawperator_contract::{
    ActionEffect, ActionKind, ActionSpec, CATALOGUE, ClickType, ParamKey, ParamValue, Pattern,
};

/// The actions that a recipe compiles to, in the catalogue's order.
pub fn step_types() -> impl Iterator<Item = &'static ActionSpec> {
    CATALOGUE.iter().filter(|row| row.recipe.is_some())
}

/// The key of a `read_text` step's `params` that names the output it feeds.
pub(crate) const OUTPUT: &str = "output";
/// The key that says what of the text is the output's value.
pub(crate) const PATTERN: &str = "pattern";

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeStep {
    pub id: String,
    pub kind: ActionKind,
    pub selector: Option<RecipeSelector>,
    /// The element in which to look, or which to scroll.
    pub container: Option<RecipeSelector>,
    /// How long to wait afterwards, in milliseconds.
    pub wait_after_ms: Option<u32>,
    pub retries: Option<u32>,
    pub confirm: Option<RecipeConfirm>,
    /// The contract's parameters, in its order.
    pub params: Vec<(ParamKey, ParamValue)>,
    pub output: Option<OutputUse>,
    pub at: RecipePlace,
}

/// What must be seen after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeConfirm {
    pub selector: RecipeSelector,
    pub container: Option<RecipeSelector>,
    pub check: ConfirmCheck,
}

/// What must hold of an element after a step.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfirmCheck {
    /// It is on the screen, within so many milliseconds.
    Appears(Option<u32>),
    /// It is not on the screen, within so many milliseconds.
    Disappears(Option<u32>),
    /// It has a text, one that fits the pattern if there is one.
    Reads(Option<Pattern>),
}

impl RecipeStep {
    /// Every selector of the step, with its place in the step.
    pub fn selectors(&self) -> impl Iterator<Item = (&'static str, &RecipeSelector)> {
        let confirm = self.confirm.as_ref();
        let all = [
            ("selector", self.selector.as_ref()),
            ("container", self.container.as_ref()),
            ("confirm.selector", confirm.map(|confirm| &confirm.selector)),
            ("confirm.container", confirm.and_then(|confirm| confirm.container.as_ref())),
        ];
        all.into_iter().filter_map(|(name, selector)| Some((name, selector?)))
    }

    /// The value of a parameter.
    pub fn param(&self, key: ParamKey) -> Option<&ParamValue> {
        let found = self.params.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| value)
    }

    /// The text of a parameter.
    pub fn text_param(&self, key: ParamKey) -> Option<&str> {
        match self.param(key)? {
            ParamValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value of a parameter.
    pub fn flag_param(&self, key: ParamKey) -> Option<bool> {
        match self.param(key)? {
            ParamValue::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// Whether it touches an element, and how.
    pub fn touch(&self) -> Option<ClickType> {
        let clicks = self.kind.spec().effect == ActionEffect::Touches
            && self.flag_param(ParamKey::ClickAfter).unwrap_or(true);
        let word = self.text_param(ParamKey::ClickType);
        let how = word.and_then(ClickType::from_word).unwrap_or(ClickType::Click);
        clicks.then_some(how)
    }
}
