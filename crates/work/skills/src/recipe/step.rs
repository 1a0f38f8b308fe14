//! The steps of a recipe: their types as a table, and what a step says.

use super::output::OutputUse;
use super::problem::Place;
use super::selector::Selector;
use clawperator_contract::{ActionKind, ClickType, ParamKey, ParamValue, Pattern};

/// One of the types that a step may have: the only actions that a recipe
/// compiles to.
#[derive(Clone, Copy, Debug)]
pub struct StepType {
    pub kind: ActionKind,
    /// Whether it acts on an element.
    pub target: Target,
    /// The keys of its `params`.
    pub params: &'static [StepParam],
}

/// Whether a step acts on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Needed,
    None,
}

/// One key of a step's `params`.
#[derive(Clone, Copy, Debug)]
pub struct StepParam {
    /// The key in a recipe.
    pub name: &'static str,
    /// The contract's parameter; its row says what the value may be.
    pub key: ParamKey,
}

const fn param(name: &'static str, key: ParamKey) -> StepParam {
    StepParam { name, key }
}

const fn row(kind: ActionKind, target: Target, params: &'static [StepParam]) -> StepType {
    StepType { kind, target, params }
}

const APP: &[StepParam] = &[param("application_id", ParamKey::ApplicationId)];

/// Every type, in the design's order.
pub const STEP_TYPES: [StepType; 8] = [
    row(ActionKind::OpenApp, Target::None, APP),
    row(ActionKind::CloseApp, Target::None, APP),
    row(
        ActionKind::WaitForNode,
        Target::Needed,
        &[
            param("timeout_ms", ParamKey::TimeoutMs),
            param("gone", ParamKey::Gone),
        ],
    ),
    row(
        ActionKind::Click,
        Target::Needed,
        &[param("click_type", ParamKey::ClickType)],
    ),
    row(
        ActionKind::ScrollAndClick,
        Target::Needed,
        &[
            param("direction", ParamKey::Direction),
            param("click_after", ParamKey::ClickAfter),
            param("max_swipes", ParamKey::MaxSwipes),
            param("distance_ratio", ParamKey::DistanceRatio),
            param("settle_delay_ms", ParamKey::SettleDelayMs),
            param("find_first_scrollable_child", ParamKey::FindFirstScrollableChild),
            param("click_type", ParamKey::ClickType),
        ],
    ),
    row(
        ActionKind::ReadText,
        Target::Needed,
        &[
            param("validator", ParamKey::Validator),
            param("validator_pattern", ParamKey::ValidatorPattern),
        ],
    ),
    row(
        ActionKind::SnapshotUi,
        Target::None,
        &[param("view", ParamKey::View)],
    ),
    row(
        ActionKind::Sleep,
        Target::None,
        &[param("duration_ms", ParamKey::DurationMs)],
    ),
];

/// The key of a `read_text` step's `params` that names the output it feeds.
pub(crate) const OUTPUT: &str = "output";
/// The key that says what of the text is the output's value.
pub(crate) const PATTERN: &str = "pattern";

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its id, once in a recipe.
    pub id: String,
    pub kind: ActionKind,
    /// The element it is about.
    pub selector: Option<Selector>,
    /// The element in which to look, or which to scroll.
    pub container: Option<Selector>,
    /// How long to wait afterwards, in milliseconds.
    pub wait_after_ms: Option<u32>,
    /// How often to try again.
    pub retries: Option<u32>,
    /// What must be seen afterwards.
    pub confirm: Option<Confirm>,
    /// The contract's parameters, in its order.
    pub params: Vec<(ParamKey, ParamValue)>,
    pub output: Option<OutputUse>,
    pub at: Place,
}

/// What must be seen after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirm {
    pub selector: Selector,
    /// The element in which to look.
    pub container: Option<Selector>,
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

impl StepType {
    /// The row of a type, as it is written.
    pub fn of(word: &str) -> Option<&'static Self> {
        STEP_TYPES.iter().find(|row| row.kind.name() == word)
    }

    /// Whether the action is ever tried again.
    pub(crate) fn retries(&self) -> bool {
        let slots = self.kind.spec().retries;
        slots.iter().any(|(_, preset)| preset.policy().max_attempts > 1)
    }
}

impl Step {
    /// The type's row.
    pub fn row(&self) -> Option<&'static StepType> {
        STEP_TYPES.iter().find(|row| row.kind == self.kind)
    }

    /// Every selector of the step, with its place in the step.
    pub fn selectors(&self) -> impl Iterator<Item = (&'static str, &Selector)> {
        let confirm = self.confirm.as_ref();
        let all = [
            ("selector", self.selector.as_ref()),
            ("container", self.container.as_ref()),
            ("confirm.selector", confirm.map(|confirm| &confirm.selector)),
            (
                "confirm.container",
                confirm.and_then(|confirm| confirm.container.as_ref()),
            ),
        ];
        all.into_iter()
            .filter_map(|(name, selector)| Some((name, selector?)))
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
        let clicks = match self.kind {
            ActionKind::Click => true,
            ActionKind::ScrollAndClick => self.flag_param(ParamKey::ClickAfter).unwrap_or(true),
            _ => false,
        };
        let word = self.text_param(ParamKey::ClickType);
        let how = word.and_then(ClickType::from_word).unwrap_or(ClickType::Click);
        clicks.then_some(how)
    }
}
